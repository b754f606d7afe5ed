//! A partition that grows and changes, item by item, towards a smaller loss.

use super::field::Field;
use crate::chance::Chance;
use crate::rng::Sequence;

/// The label of an item that is nowhere.
const NOWHERE: u32 = u32::MAX;

/// Clusters dissolved in a run, at most.
const DISSOLVED: usize = 10;

/// A partition with the counts of what its clusters share with the atoms'.
pub(super) struct Board<'a> {
    field: &'a Field,
    pub place: Vec<u32>,
    sizes: Vec<u32>,
    counts: Vec<Vec<u32>>,
    /// Clusters at most.
    most: usize,
    pub chance: Sequence,
    pub looks: u64,
}

impl<'a> Board<'a> {
    pub fn new(field: &'a Field, most: usize, chance: Sequence) -> Self {
        let (sizes, counts) = (Vec::new(), Vec::new());
        let place = vec![NOWHERE; field.items];
        Board { field, place, sizes, counts, most, chance, looks: 0 }
    }

    /// Puts a partition down, unless it has too many clusters.
    pub fn lay(&mut self, labels: &[u32]) {
        let clusters = labels.iter().max().map_or(0, |&most| most as usize + 1);
        if clusters <= self.most {
            self.sizes = vec![0; clusters];
            self.counts = vec![vec![0; self.field.columns]; clusters];
            self.place.fill(NOWHERE);
            labels.iter().enumerate().for_each(|(item, &label)| self.put(item, label as usize));
        }
    }

    fn put(&mut self, item: usize, slot: usize) {
        if slot == self.sizes.len() {
            self.sizes.push(0);
            self.counts.push(vec![0; self.field.columns]);
        }
        self.place[item] = slot as u32;
        self.sizes[slot] += 1;
        let counts = &mut self.counts[slot];
        self.field.of(item).iter().for_each(|&column| counts[column as usize] += 1);
    }

    fn take(&mut self, item: usize) {
        let slot = std::mem::replace(&mut self.place[item], NOWHERE) as usize;
        self.sizes[slot] -= 1;
        let counts = &mut self.counts[slot];
        self.field.of(item).iter().for_each(|&column| counts[column as usize] -= 1);
    }

    /// What an item that is nowhere takes off the loss in a slot; an empty one is a cluster of its own.
    fn joining(&self, item: usize, slot: usize) -> f64 {
        match self.sizes[slot] {
            0 => self.field.alone(),
            size => self.field.joining(item, &self.counts[slot], size),
        }
    }

    /// Where an item that is nowhere is best: at `home` unless elsewhere is better, and not by rounding; then in the
    /// first of the clusters; then alone.
    fn best(&mut self, item: usize, home: Option<usize>) -> usize {
        let empty = self.sizes.iter().position(|&size| size == 0);
        let room = empty.or((self.sizes.len() < self.most).then_some(self.sizes.len()));
        let mut best = home.map_or((f64::NEG_INFINITY, 0), |home| (self.joining(item, home), home));
        for slot in 0..self.sizes.len() {
            if self.sizes[slot] > 0 && Some(slot) != home {
                let gain = self.joining(item, slot);
                best = if self.field.beats(gain, best.0) { (gain, slot) } else { best };
            }
        }
        self.looks += (self.sizes.len() * self.field.weights.len()) as u64;
        match room {
            Some(slot) if self.field.beats(self.field.alone(), best.0) => slot,
            _ => best.1,
        }
    }

    fn shuffled(&mut self, mut items: Vec<usize>) -> Vec<usize> {
        for i in (1..items.len()).rev() {
            items.swap(i, self.chance.below(i + 1));
        }
        items
    }

    /// Allocates what is nowhere, then moves single items until none wants to. Every move takes more than rounding
    /// off the loss, so this ends.
    pub fn settle(&mut self) {
        let items = (0..self.field.items).filter(|&item| self.place[item] == NOWHERE).collect();
        for item in self.shuffled(items) {
            let slot = self.best(item, None);
            self.put(item, slot);
        }
        let mut moved = true;
        while moved {
            moved = false;
            for item in self.shuffled((0..self.field.items).collect()) {
                let home = self.place[item] as usize;
                self.take(item);
                let slot = self.best(item, Some(home));
                moved |= slot != home;
                self.put(item, slot);
            }
        }
    }

    /// Settles; then dissolves clusters, each once, and keeps what is better.
    pub fn improve(&mut self) {
        self.settle();
        let mut gain = self.field.gain(&self.place);
        let clusters = (0..self.sizes.len()).filter(|&slot| self.sizes[slot] > 0).collect();
        for slot in self.shuffled(clusters).into_iter().take(DISSOLVED) {
            let before = self.place.clone();
            let members: Vec<usize> = (0..before.len()).filter(|&i| before[i] as usize == slot).collect();
            members.iter().for_each(|&item| self.take(item));
            self.settle();
            let after = self.field.gain(&self.place);
            self.looks += 2 * self.field.labels();
            if self.field.beats(after, gain) {
                gain = after;
            } else {
                self.lay(&before);
            }
        }
    }

    /// The largest gain of all partitions with at most so many clusters, and the first of them to have it: labels
    /// in lexicographic order, each at most one above those before it.
    pub fn best_of_all(mut self) -> (f64, Vec<u32>) {
        let mut best = (f64::NEG_INFINITY, Vec::new());
        self.place_all_from(0, 0, 0.0, &mut best);
        best
    }

    /// All ways to place the items from `item` on, with so many clusters before it.
    fn place_all_from(&mut self, item: usize, clusters: usize, gain: f64, best: &mut (f64, Vec<u32>)) {
        if item == self.field.items {
            if self.field.beats(gain, best.0) {
                *best = (gain, self.place.clone());
            }
            return;
        }
        for slot in 0..(clusters + 1).min(self.most) {
            let joined = if slot < clusters { self.joining(item, slot) } else { self.field.alone() };
            self.put(item, slot);
            self.place_all_from(item + 1, clusters.max(slot + 1), gain + joined, best);
            self.take(item);
        }
    }
}
