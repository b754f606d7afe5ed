//! A partition of items into clusters whose invariants cannot be broken from outside.
//!
//! Clusters live in *slots* `0..K`, always contiguous, so that statistics and overlap tables can
//! be plain arrays. Closing a cluster moves the last slot into its place, in constant time: an
//! item remembers a stable cluster number, and the slot of that number is looked up.

mod enumerate;
mod metric;
mod overlap;
mod some;

pub use enumerate::{Partitions, bell_number};
pub(crate) use metric::Gains;
pub use metric::{Metric, adjusted_rand};
pub use overlap::Overlap;

use crate::error::{Error, Result};
use std::hash::{Hash, Hasher};

/// A partition of the items `0..len`, every item in exactly one of the non-empty clusters.
///
/// Equality is equality of partitions: how clusters are numbered does not matter.
///
/// ```
/// use partita::Partition;
/// let mut z = Partition::from_labels(&[7, 7, 3])?;
/// assert_eq!(z, Partition::from_labels(&[0, 0, 1])?);
/// let to = z.clusters(); // the slot after the last: a new cluster
/// z.place(0, to);
/// assert_eq!(z, Partition::singletons(3)?);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<u32>", into = "Vec<u32>"))]
pub struct Partition {
    /// Stable cluster number of each item.
    cluster: Vec<u32>,
    /// Slot of each cluster number in use.
    slot: Vec<u32>,
    /// Cluster number of each slot; behind the first `clusters()` the numbers that are free.
    number: Vec<u32>,
    /// Items in each slot.
    sizes: Vec<u32>,
    /// When each slot's cluster was opened: orders clusters as the label convention does.
    births: Vec<u64>,
    next_birth: u64,
}

/// What [`Partition::place`] changed, so that data structures that mirror the slots can follow.
///
/// Apply it in this order: if `opened`, append an empty slot; move the item `from` → `to`; if
/// `closed`, the slot `from` is empty: remove it by moving the last slot into its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// The item that moved.
    pub item: usize,
    /// The slot it left.
    pub from: usize,
    /// The slot it entered, numbered before a closed slot is removed.
    pub to: usize,
    /// `to` is a new slot, appended at the end.
    pub opened: bool,
    /// `from` lost its last item.
    pub closed: bool,
}

impl Partition {
    /// All items in one cluster.
    pub fn one_cluster(items: usize) -> Result<Self> {
        Self::from_labels(&vec![0; items])
    }

    /// Every item alone.
    pub fn singletons(items: usize) -> Result<Self> {
        Self::from_labels(&(0..items).collect::<Vec<_>>())
    }

    /// The partition in which items with equal labels share a cluster. Clusters are ordered by label.
    pub fn from_labels(labels: &[usize]) -> Result<Self> {
        if labels.is_empty() {
            return Err(Error::NoItems);
        }
        if labels.len() >= u32::MAX as usize {
            return Err(Error::TooManyItems { items: labels.len() });
        }
        let mut distinct = labels.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let k = distinct.len();
        let mut sizes = vec![0; k];
        let cluster = labels
            .iter()
            .map(|label| {
                let rank = distinct.binary_search(label).expect("the label is in the list");
                sizes[rank] += 1;
                rank as u32
            })
            .collect();
        Ok(Partition {
            cluster,
            slot: (0..k as u32).collect(),
            number: (0..k as u32).collect(),
            sizes,
            births: (0..k as u64).collect(),
            next_birth: k as u64,
        })
    }

    /// The number of items.
    #[inline]
    pub fn len(&self) -> usize {
        self.cluster.len()
    }

    /// Never true: a partition has at least one item.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The number of clusters, `K`.
    #[inline]
    pub fn clusters(&self) -> usize {
        self.sizes.len()
    }

    /// The slot of the cluster that holds `item`.
    #[inline]
    pub fn slot(&self, item: usize) -> usize {
        self.slot[self.cluster[item] as usize] as usize
    }

    /// The sizes of the clusters, by slot.
    #[inline]
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Whether `item` is alone in its cluster.
    #[inline]
    pub fn is_alone(&self, item: usize) -> bool {
        self.sizes[self.slot(item)] == 1
    }

    /// Whether two items share a cluster.
    #[inline]
    pub fn together(&self, i: usize, j: usize) -> bool {
        self.cluster[i] == self.cluster[j]
    }

    /// The slots of all items.
    pub fn slots(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.cluster.iter().map(|&c| self.slot[c as usize] as usize)
    }

    /// The partition of some of the items, in the order given.
    ///
    /// ```
    /// let z = partita::Partition::from_labels(&[0, 1, 0, 2])?;
    /// assert_eq!(z.among(&[3, 2, 0]), partita::Partition::from_labels(&[0, 1, 1])?);
    /// # Ok::<(), partita::Error>(())
    /// ```
    ///
    /// # Panics
    /// If no item is given, or one does not exist.
    pub fn among(&self, items: &[usize]) -> Partition {
        let labels: Vec<usize> = items.iter().map(|&item| self.slot(item)).collect();
        Partition::from_labels(&labels).expect("some of the items")
    }

    /// Labels numbered by first appearance: the same for equal partitions.
    pub fn canonical_labels(&self) -> Vec<usize> {
        let mut seen = vec![usize::MAX; self.clusters()];
        let mut next = 0;
        self.slots()
            .map(|s| {
                if seen[s] == usize::MAX {
                    seen[s] = next;
                    next += 1;
                }
                seen[s]
            })
            .collect()
    }

    /// Puts `item` into slot `to`; `to == clusters()` opens a new cluster.
    ///
    /// An item that is alone and "opens a new cluster" stays where it is, but its cluster counts
    /// as newly opened in the order of labels, as if it had been removed and put back.
    ///
    /// # Panics
    /// If `to > clusters()`.
    #[inline(always)]
    pub fn place(&mut self, item: usize, to: usize) -> Option<Move> {
        let from = self.slot(item);
        if to == from && self.sizes[from] > 1 { None } else { self.leave(item, from, to) }
    }

    /// Puts `item` into another cluster than `from`, or anew into one where it is alone.
    fn leave(&mut self, item: usize, from: usize, to: usize) -> Option<Move> {
        let k = self.clusters();
        assert!(to <= k, "slot {to} of {k}");
        if self.sizes[from] == 1 && (to == from || to == k) {
            self.births[from] = self.next_birth;
            self.next_birth += 1;
            return None;
        }
        let opened = to == k;
        if opened {
            self.open();
        }
        self.sizes[from] -= 1;
        self.sizes[to] += 1;
        self.cluster[item] = self.number[to];
        let closed = self.sizes[from] == 0;
        if closed {
            self.close(from);
        }
        Some(Move { item, from, to, opened, closed })
    }

    /// Appends an empty slot, reusing a free cluster number where there is one.
    fn open(&mut self) {
        let slot = self.clusters();
        if slot == self.number.len() {
            self.number.push(slot as u32);
            self.slot.push(slot as u32);
        }
        self.slot[self.number[slot] as usize] = slot as u32;
        self.sizes.push(0);
        self.births.push(self.next_birth);
        self.next_birth += 1;
    }

    /// Removes an empty slot by moving the last one into its place; its number becomes free.
    fn close(&mut self, slot: usize) {
        let last = self.clusters() - 1;
        self.number.swap(slot, last);
        self.slot[self.number[slot] as usize] = slot as u32;
        self.sizes.swap_remove(slot);
        self.births.swap_remove(slot);
    }

    /// Slots in the order of their labels with `item` left out; an item that is alone leaves none.
    ///
    /// Labels are contiguous, a removed cluster shifts the later ones down, a new cluster gets the
    /// next label: so the order of labels is the order in which clusters were opened.
    pub(crate) fn label_order(&self, item: usize, out: &mut Vec<u32>) {
        let left_out = self.slot_if_alone(item);
        out.clear();
        out.extend((0..self.clusters() as u32).filter(|&s| Some(s as usize) != left_out));
        out.sort_unstable_by_key(|&s| self.births[s as usize]);
    }

    /// Slots in the order of their smallest member with `item` left out.
    pub(crate) fn smallest_member_order(&self, item: usize, out: &mut Vec<u32>) {
        let wanted = self.clusters() - usize::from(self.is_alone(item));
        out.clear();
        for (other, slot) in self.slots().enumerate() {
            if out.len() == wanted {
                break;
            }
            if other != item && !out.contains(&(slot as u32)) {
                out.push(slot as u32);
            }
        }
    }

    fn slot_if_alone(&self, item: usize) -> Option<usize> {
        let slot = self.slot(item);
        (self.sizes[slot] == 1).then_some(slot)
    }
}

impl Clone for Partition {
    fn clone(&self) -> Self {
        Partition {
            cluster: self.cluster.clone(),
            slot: self.slot.clone(),
            number: self.number.clone(),
            sizes: self.sizes.clone(),
            births: self.births.clone(),
            next_birth: self.next_birth,
        }
    }

    /// Reuses the memory of `self`: kernels copy states in their inner loop.
    fn clone_from(&mut self, source: &Self) {
        self.cluster.clone_from(&source.cluster);
        self.slot.clone_from(&source.slot);
        self.number.clone_from(&source.number);
        self.sizes.clone_from(&source.sizes);
        self.births.clone_from(&source.births);
        self.next_birth = source.next_birth;
    }
}

/// Labels numbered by first appearance.
impl From<Partition> for Vec<u32> {
    fn from(partition: Partition) -> Self {
        partition.canonical_labels().into_iter().map(|label| label as u32).collect()
    }
}

impl TryFrom<Vec<u32>> for Partition {
    type Error = Error;

    fn try_from(labels: Vec<u32>) -> Result<Self> {
        Self::from_labels(&labels.into_iter().map(|label| label as usize).collect::<Vec<_>>())
    }
}

impl PartialEq for Partition {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() || self.clusters() != other.clusters() {
            return false;
        }
        // With equally many clusters, a map from slots to slots that is a function is a bijection.
        let mut image = vec![usize::MAX; self.clusters()];
        self.slots().zip(other.slots()).all(|(s, t)| {
            if image[s] == usize::MAX {
                image[s] = t;
            }
            image[s] == t
        })
    }
}

impl Eq for Partition {}

/// As equality: how clusters are numbered does not matter.
impl Hash for Partition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical_labels().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The invariants, checked from scratch.
    fn check(z: &Partition) {
        let k = z.clusters();
        let mut sizes = vec![0; k];
        for s in z.slots() {
            sizes[s] += 1;
        }
        assert_eq!(sizes, z.sizes);
        assert!(sizes.iter().all(|&s| s > 0));
        assert_eq!(z.births.len(), k);
        let mut numbers = z.number.clone();
        numbers.sort_unstable();
        assert!(numbers.iter().enumerate().all(|(i, &c)| i == c as usize));
        assert!((0..k).all(|s| z.slot[z.number[s] as usize] as usize == s));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Against a plain label vector that follows the published convention: labels contiguous,
        /// a removed cluster shifts the later ones down, a new one gets the next label.
        #[test]
        fn moves_agree_with_plain_labels(
            start in prop::collection::vec(0usize..5, 1..12),
            moves in prop::collection::vec((0usize..12, 0usize..12), 0..60),
        ) {
            let mut z = Partition::from_labels(&start).unwrap();
            let mut distinct = start.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let mut labels: Vec<usize> =
                start.iter().map(|l| distinct.binary_search(l).unwrap()).collect();
            let mut order = Vec::new();
            for (item, choice) in moves {
                let item = item % z.len();
                // Remove in the plain labels.
                let old = labels[item];
                let alone = labels.iter().filter(|&&l| l == old).count() == 1;
                labels[item] = usize::MAX;
                if alone {
                    for l in labels.iter_mut().filter(|l| **l != usize::MAX && **l > old) {
                        *l -= 1;
                    }
                }
                let k = labels.iter().filter(|&&l| l != usize::MAX).max().map_or(0, |&l| l + 1);
                let label = choice % (k + 1);
                labels[item] = label;
                // The same choice by slot.
                z.label_order(item, &mut order);
                prop_assert_eq!(order.len(), k);
                let to = order.get(label).map_or(z.clusters(), |&s| s as usize);
                z.place(item, to);
                check(&z);
                prop_assert_eq!(&z, &Partition::from_labels(&labels).unwrap());
                let mut by_birth: Vec<usize> = (0..z.clusters()).collect();
                by_birth.sort_by_key(|&s| z.births[s]);
                for (i, &l) in labels.iter().enumerate() {
                    prop_assert_eq!(by_birth[l], z.slot(i));
                }
            }
        }

        #[test]
        fn equality_ignores_labels(a in prop::collection::vec(0usize..4, 6), b in prop::collection::vec(0usize..4, 6)) {
            let (x, y) = (Partition::from_labels(&a).unwrap(), Partition::from_labels(&b).unwrap());
            prop_assert_eq!(x == y, x.canonical_labels() == y.canonical_labels());
        }
    }

    #[test]
    fn an_empty_partition_is_refused() {
        assert_eq!(Partition::from_labels(&[]), Err(Error::NoItems));
    }

    #[test]
    fn smallest_member_order_leaves_the_item_out() {
        let z = Partition::from_labels(&[0, 1, 0, 0, 1, 1]).unwrap();
        let mut order = Vec::new();
        z.smallest_member_order(0, &mut order);
        assert_eq!(order, [1, 0]);
        z.smallest_member_order(5, &mut order);
        assert_eq!(order, [0, 1]);
    }
}
