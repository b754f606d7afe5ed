//! Weighted atoms as the search sees them: equal ones merged, and the loss of a partition by look-ups.

use crate::partition::{Metric, Partition};
use std::collections::HashMap;

/// An atom: its weight, of either sign, and a state.
pub(super) type Weighted<'a> = (f64, &'a Partition);

/// Sums of weights count as zero, and losses as equal, where they differ by less than this of the sum of absolute
/// values: rounding stays a thousand times below, what tells states apart lies far above.
const ROUNDING: f64 = 1e-10;

/// Equal states as one, with the sum of their weights, in the order in which they first come.
pub(super) fn merged<'a>(atoms: impl Iterator<Item = Weighted<'a>>) -> Vec<Weighted<'a>> {
    let mut place: HashMap<&Partition, usize> = HashMap::new();
    let mut out: Vec<Weighted> = Vec::new();
    for (weight, z) in atoms {
        let at = *place.entry(z).or_insert(out.len());
        match out.get_mut(at) {
            Some(known) => known.0 += weight,
            None => out.push((weight, z)),
        }
    }
    out
}

/// The weights that are minimised over: as they are where they come to a positive sum, else the positive ones, else all
/// alike.
pub(super) fn measure(mut states: Vec<Weighted>) -> Vec<Weighted> {
    let scale: f64 = states.iter().map(|(weight, _)| weight.abs()).sum();
    let positive = |weight: f64| weight > ROUNDING * scale;
    if !positive(states.iter().map(|(weight, _)| weight).sum()) {
        if states.iter().any(|(weight, _)| positive(*weight)) {
            states.retain(|(weight, _)| positive(*weight));
        } else {
            states.iter_mut().for_each(|(weight, _)| *weight = 1.0);
        }
    }
    states
}

/// The same partition with labels `0..K`, by first appearance.
pub(super) fn contiguous(labels: &[u32]) -> Vec<u32> {
    let mut names: HashMap<u32, u32> = HashMap::new();
    labels
        .iter()
        .map(|label| {
            let next = names.len() as u32;
            *names.entry(*label).or_insert(next)
        })
        .collect()
}

/// The atoms, ready to be looked up.
pub(super) struct Field {
    pub weights: Vec<f64>,
    total: f64,
    pub items: usize,
    /// For each item, atom by atom, the number of its cluster among the clusters of all atoms.
    index: Vec<u32>,
    /// Clusters of all atoms together.
    pub columns: usize,
    /// `phi(m + 1) - phi(m)`.
    gains: Vec<f64>,
    /// Differences below this are rounding.
    pub slack: f64,
}

impl Field {
    pub fn new(atoms: &[Weighted], metric: Metric) -> Self {
        let items = atoms[0].1.len();
        let mut index = vec![0; items * atoms.len()];
        let mut columns = 0;
        for (a, (_, z)) in atoms.iter().enumerate() {
            assert_eq!(z.len(), items, "atoms are partitions of the same items");
            for (item, slot) in z.slots().enumerate() {
                index[item * atoms.len() + a] = (columns + slot) as u32;
            }
            columns += z.clusters();
        }
        let gains: Vec<f64> = (0..items as u32).map(|m| metric.phi(m + 1) - metric.phi(m)).collect();
        let weights: Vec<f64> = atoms.iter().map(|(weight, _)| *weight).collect();
        let scale: f64 = weights.iter().map(|weight| weight.abs()).sum();
        let slack = ROUNDING * scale * gains.last().expect("there are items").max(1.0);
        Field { total: weights.iter().sum(), weights, items, index, columns, gains, slack }
    }

    /// Items times atoms: the looks that a gain takes.
    pub fn labels(&self) -> u64 {
        self.index.len() as u64
    }

    /// Whether one gain is larger than another, and not by rounding.
    pub fn beats(&self, gain: f64, other: f64) -> bool {
        gain > other + self.slack
    }

    /// The clusters of an item, atom by atom.
    pub fn of(&self, item: usize) -> &[u32] {
        &self.index[item * self.weights.len()..][..self.weights.len()]
    }

    /// What the item takes off the loss by joining a cluster of `size` with these counts, up to a
    /// constant of the item.
    pub fn joining(&self, item: usize, counts: &[u32], size: u32) -> f64 {
        let shared: f64 = self
            .of(item)
            .iter()
            .zip(&self.weights)
            .map(|(&column, weight)| weight * self.gains[counts[column as usize] as usize])
            .sum();
        2.0 * shared - self.total * self.gains[size as usize]
    }

    /// The same for a cluster of its own.
    pub fn alone(&self) -> f64 {
        self.total * self.gains[0]
    }

    /// What a partition takes off the loss: the larger, the smaller the loss.
    pub fn gain(&self, labels: &[u32]) -> f64 {
        let mut order: Vec<usize> = (0..self.items).collect();
        order.sort_by_key(|&item| labels[item]);
        let mut counts = vec![0u32; self.columns];
        let mut gain = 0.0;
        for cluster in order.chunk_by(|&a, &b| labels[a] == labels[b]) {
            for (size, &item) in cluster.iter().enumerate() {
                let mut shared = 0.0;
                for (&column, weight) in self.of(item).iter().zip(&self.weights) {
                    let count = &mut counts[column as usize];
                    shared += weight * self.gains[*count as usize];
                    *count += 1;
                }
                gain += 2.0 * shared - self.total * self.gains[size];
            }
            for &item in cluster {
                self.of(item).iter().for_each(|&column| counts[column as usize] = 0);
            }
        }
        gain
    }
}
