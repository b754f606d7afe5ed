//! Partitions from which some items are absent, while items are inserted one by one.
//!
//! Only starts and moves that build clusters item by item hold such partitions, and only while they do.

use super::Partition;

/// The cluster number of an item that is in no cluster.
const ABSENT: u32 = u32::MAX;

impl Partition {
    /// No item is in a cluster yet.
    pub(crate) fn nobody(items: usize) -> Self {
        Partition {
            cluster: vec![ABSENT; items],
            slot: Vec::new(),
            number: Vec::new(),
            sizes: Vec::new(),
            births: Vec::new(),
            next_birth: 0,
        }
    }

    /// The slot of the cluster that holds `item`; `None` while it is absent.
    #[inline]
    pub fn slot_if_present(&self, item: usize) -> Option<usize> {
        self.slot.get(self.cluster[item] as usize).map(|&slot| slot as usize)
    }

    /// The number of items in clusters: all, except while items are inserted one by one.
    pub fn present(&self) -> usize {
        self.sizes.iter().map(|&size| size as usize).sum()
    }

    /// The items that are in clusters, with their slots.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.len()).filter_map(|item| Some((item, self.slot_if_present(item)?)))
    }

    /// Puts an absent item into slot `to`; `to == clusters()` opens a cluster.
    #[inline]
    pub(crate) fn arrive(&mut self, item: usize, to: usize) {
        if to == self.clusters() {
            self.open();
        }
        self.sizes[to] += 1;
        self.cluster[item] = self.number[to];
    }

    /// Takes an item out of its cluster, which keeps others.
    #[inline]
    pub(crate) fn depart(&mut self, item: usize) {
        let slot = self.slot(item);
        debug_assert!(self.sizes[slot] > 1, "a cluster keeps an item");
        self.sizes[slot] -= 1;
        self.cluster[item] = ABSENT;
    }

    /// Tells of each item whether it is in the cluster of `i` (true), in that of `j` (false), or in neither.
    #[inline]
    pub(crate) fn either(&self, i: usize, j: usize) -> impl Fn(usize) -> Option<bool> + '_ {
        let (of_i, of_j) = (self.cluster[i], self.cluster[j]);
        move |item| {
            let cluster = self.cluster[item];
            if cluster == of_i { Some(true) } else { (cluster == of_j).then_some(false) }
        }
    }
}
