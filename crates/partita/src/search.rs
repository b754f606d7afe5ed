//! One clustering for a whole posterior: the partition of smallest expected distance to weighted atoms.
//!
//! SALSO's search (Dahl, Johnson, Müller 2022): items are allocated one after the other in a random order, each
//! where the expected loss so far grows least; then sweeps move single items while that helps; then whole
//! clusters are dissolved and allocated anew. Here the atoms carry weights of either sign, as those of an
//! unbiased estimate do, and both losses are of the form `sum phi(|A|) + sum phi(|B|) - 2 sum phi(|A ∩ B|)`
//! ([`Metric`]), so that one table of counts an atom serves both.
//!
//! The smallest of estimated losses is an optimist: score the partition found on *other* atoms.

use crate::chance::Chance;
use crate::partition::{Metric, Partition};
use crate::rng::{Purpose, Sequence, Stream};

/// How hard to search, in numbers and not in seconds, so that the same search ends the same everywhere.
///
/// ```
/// let thorough = partita::search::Effort { runs: 64, ..Default::default() };
/// assert!(thorough.looks > 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Searches from different starts.
    pub runs: usize,
    /// Looks at counts after which no further start is tried; one takes about a nanosecond.
    pub looks: u64,
    /// Numbers of all tables of counts together, at most: bounds the clusters of a candidate.
    pub cells: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { runs: 16, looks: 400_000_000, cells: 32_000_000 }
    }
}

/// A partition with a small weighted sum of distances to `atoms`, never larger than that of an atom tried, among
/// those with at `most` so many clusters (if all atoms have more, any will do).
///
/// All atoms of positive weight are tried, as far as the effort lasts. Where the weights do not come to a
/// positive sum, those that are not positive are left out: a "mean" of negative mass has no centre.
///
/// ```
/// use partita::partition::Metric;
/// use partita::search::{Effort, center};
/// use partita::{Partition, Stream};
/// let z = |labels: &[usize]| Partition::from_labels(labels).unwrap();
/// let (often, seldom) = (z(&[0, 0, 1, 1]), z(&[0, 0, 0, 0]));
/// let atoms = [(1.5, &often), (-0.5, &seldom)];
/// assert_eq!(center(&atoms, Metric::Vi, 4, &Effort::default(), &Stream::new(1, 0)), often);
/// ```
///
/// # Panics
/// If there is no atom, or if atoms are partitions of different numbers of items.
pub fn center(
    atoms: &[(f64, &Partition)],
    metric: Metric,
    most: usize,
    effort: &Effort,
    stream: &Stream,
) -> Partition {
    assert!(!atoms.is_empty(), "a search needs atoms");
    let total: f64 = atoms.iter().map(|(weight, _)| weight).sum();
    let positive: Vec<_> = atoms.iter().copied().filter(|(weight, _)| *weight > 0.0).collect();
    let used = if total > 0.0 || positive.is_empty() { atoms } else { &positive };
    let field = Field::new(used, metric);
    let mut spent = 0;
    let mut best: Option<(f64, Vec<u32>)> = None;
    let mut keep = |found: (f64, Vec<u32>)| {
        if best.as_ref().is_none_or(|best| found.0 > best.0) {
            best = Some(found);
        }
    };
    let mut starts = if positive.is_empty() { atoms.to_vec() } else { positive };
    let fits = |(_, z): &(f64, &Partition)| z.clusters() <= most;
    let most = if starts.iter().any(fits) { most } else { usize::MAX };
    starts.retain(|(_, z)| z.clusters() <= most);
    // A stride through the atoms, so that those tried are spread evenly when not all can be.
    let affordable = (effort.looks / 4 / field.index.len().max(1) as u64).max(1) as usize;
    let stride = starts.len().div_ceil(affordable);
    for (_, z) in starts.iter().step_by(stride) {
        let labels: Vec<u32> = z.slots().map(|slot| slot as u32).collect();
        keep((field.gain(&labels), labels));
        spent += field.index.len() as u64;
    }
    let tried = best.expect("an atom was tried");
    let mut best = tried.clone();
    let most = most.min((effort.cells / field.columns).max(1));
    for run in 0..effort.runs {
        if run > 0 && spent > effort.looks {
            break;
        }
        let mut board = Board::new(&field, most, stream.sequence(Purpose::Search, run as u64));
        // The best atom first, then from nothing and from other atoms in turn.
        if run == 0 {
            board.lay(&tried.1);
        } else if run % 2 == 0 {
            let (_, z) = starts[board.chance.below(starts.len())];
            board.lay(&z.slots().map(|slot| slot as u32).collect::<Vec<_>>());
        }
        board.improve();
        spent += board.looks;
        // Counted anew: a sum of differences has gathered rounding.
        let gain = field.gain(&board.place);
        if gain > best.0 {
            best = (gain, board.place);
        }
    }
    let labels: Vec<usize> = best.1.iter().map(|&label| label as usize).collect();
    Partition::from_labels(&labels).expect("atoms have items")
}

/// The atoms as the search sees them.
struct Field {
    weights: Vec<f64>,
    total: f64,
    items: usize,
    /// For each item, atom by atom, the number of its cluster among the clusters of all atoms.
    index: Vec<u32>,
    /// Clusters of all atoms together.
    columns: usize,
    /// `phi(m + 1) - phi(m)`.
    gains: Vec<f64>,
}

impl Field {
    fn new(atoms: &[(f64, &Partition)], metric: Metric) -> Self {
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
        let gains = (0..items as u32).map(|m| metric.phi(m + 1) - metric.phi(m)).collect();
        let weights: Vec<f64> = atoms.iter().map(|(weight, _)| *weight).collect();
        Field { total: weights.iter().sum(), weights, items, index, columns, gains }
    }

    fn of(&self, item: usize) -> &[u32] {
        &self.index[item * self.weights.len()..][..self.weights.len()]
    }

    /// What the item takes off the loss by joining a cluster of `size` with these counts, up to a
    /// constant of the item.
    fn joining(&self, item: usize, counts: &[u32], size: u32) -> f64 {
        let shared: f64 = self
            .of(item)
            .iter()
            .zip(&self.weights)
            .map(|(&column, weight)| weight * self.gains[counts[column as usize] as usize])
            .sum();
        2.0 * shared - self.total * self.gains[size as usize]
    }

    /// The same for a cluster of its own.
    fn alone(&self) -> f64 {
        self.total * self.gains[0]
    }

    /// What a partition takes off the loss: the larger, the smaller the loss.
    fn gain(&self, labels: &[u32]) -> f64 {
        let mut order: Vec<usize> = (0..self.items).collect();
        order.sort_by_key(|&item| labels[item]);
        let mut counts = vec![0u32; self.columns];
        let mut gain = 0.0;
        for cluster in order.chunk_by(|&a, &b| labels[a] == labels[b]) {
            for (size, &item) in cluster.iter().enumerate() {
                gain += self.joining(item, &counts, size as u32);
                self.of(item).iter().for_each(|&column| counts[column as usize] += 1);
            }
            for &item in cluster {
                self.of(item).iter().for_each(|&column| counts[column as usize] = 0);
            }
        }
        gain
    }
}

/// The label of an item that is nowhere.
const NOWHERE: u32 = u32::MAX;

/// Passes over the items at most; a handful is usual.
const PASSES: usize = 20;

/// A partition that grows and changes, with the counts of what its clusters share with the atoms'.
struct Board<'a> {
    field: &'a Field,
    place: Vec<u32>,
    sizes: Vec<u32>,
    counts: Vec<Vec<u32>>,
    /// Clusters at most.
    most: usize,
    /// Differences below this are rounding.
    slack: f64,
    chance: Sequence,
    looks: u64,
}

impl<'a> Board<'a> {
    fn new(field: &'a Field, most: usize, chance: Sequence) -> Self {
        let scale: f64 = field.weights.iter().map(|w| w.abs()).sum();
        let slack = 1e-10 * scale * field.gains.last().expect("there are items").abs().max(1.0);
        let (sizes, counts) = (Vec::new(), Vec::new());
        let place = vec![NOWHERE; field.items];
        Board { field, place, sizes, counts, most, slack, chance, looks: 0 }
    }

    /// Puts a partition down, unless it has too many clusters.
    fn lay(&mut self, labels: &[u32]) {
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

    /// Where an item that is nowhere is best, and by how much; `home` is preferred among equals.
    fn best(&mut self, item: usize, home: Option<usize>) -> usize {
        let empty = self.sizes.iter().position(|&size| size == 0);
        let room = empty.or((self.sizes.len() < self.most).then_some(self.sizes.len()));
        let mut best = (f64::NEG_INFINITY, 0);
        for slot in 0..self.sizes.len() {
            if self.sizes[slot] > 0 {
                let gain = self.field.joining(item, &self.counts[slot], self.sizes[slot]);
                let gain = if home == Some(slot) { gain + self.slack } else { gain };
                best = if gain > best.0 { (gain, slot) } else { best };
            }
        }
        self.looks += (self.sizes.len() * self.field.weights.len()) as u64;
        match room {
            Some(slot) if self.field.alone() > best.0 => slot,
            _ => best.1,
        }
    }

    fn shuffled(&mut self, mut items: Vec<usize>) -> Vec<usize> {
        for i in (1..items.len()).rev() {
            items.swap(i, self.chance.below(i + 1));
        }
        items
    }

    /// Allocates what is nowhere, then moves single items until none wants to.
    fn settle(&mut self) {
        let items = (0..self.field.items).filter(|&item| self.place[item] == NOWHERE).collect();
        for item in self.shuffled(items) {
            let slot = self.best(item, None);
            self.put(item, slot);
        }
        for _ in 0..PASSES {
            let mut moved = false;
            for item in self.shuffled((0..self.field.items).collect()) {
                let home = self.place[item] as usize;
                self.take(item);
                let slot = self.best(item, (self.sizes[home] > 0).then_some(home));
                moved |=
                    slot != home && (self.sizes[home] > 0 || self.sizes.get(slot).is_some_and(|&s| s > 0));
                self.put(item, slot);
            }
            if !moved {
                break;
            }
        }
    }

    /// Settles; then dissolves clusters, each once, and keeps what is better.
    fn improve(&mut self) {
        self.settle();
        let mut gain = self.field.gain(&self.place);
        let clusters = (0..self.sizes.len()).filter(|&slot| self.sizes[slot] > 0).collect();
        for slot in self.shuffled(clusters).into_iter().take(10) {
            let before = self.place.clone();
            let members: Vec<usize> = (0..before.len()).filter(|&i| before[i] as usize == slot).collect();
            members.iter().for_each(|&item| self.take(item));
            self.settle();
            let after = self.field.gain(&self.place);
            self.looks += 2 * self.field.index.len() as u64;
            if after > gain + self.slack {
                gain = after;
            } else {
                self.lay(&before);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Partitions;
    use proptest::prelude::*;

    fn loss(atoms: &[(f64, &Partition)], metric: Metric, candidate: &Partition) -> f64 {
        atoms.iter().map(|(weight, z)| weight * metric.distance(candidate, z)).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// On five items the best of all 52 partitions is known, whatever the signs of the weights.
        #[test]
        fn the_best_of_all_partitions_is_found(
            atoms in prop::collection::vec((-0.4f64..1.0, prop::collection::vec(0usize..5, 5)), 1..12),
            vi: bool,
            most in 1usize..=5,
        ) {
            let metric = if vi { Metric::Vi } else { Metric::Hamming };
            let owned: Vec<(f64, Partition)> =
                atoms.into_iter().map(|(w, labels)| (w, Partition::from_labels(&labels).unwrap())).collect();
            let atoms: Vec<(f64, &Partition)> = owned.iter().map(|(w, z)| (*w, z)).collect();
            prop_assume!(atoms.iter().map(|(w, _)| w).sum::<f64>() > 0.05);
            let found = loss(&atoms, metric, &center(&atoms, metric, most, &Effort::default(), &Stream::new(1, 0)));
            let has_start = atoms.iter().any(|(w, z)| *w > 0.0 && z.clusters() <= most);
            let allowed = Partitions::of(5).filter(|z| !has_start || z.clusters() <= most);
            let best = allowed.map(|z| loss(&atoms, metric, &z)).fold(f64::INFINITY, f64::min);
            prop_assert!(found <= best + 1e-9, "{found} instead of {best}");
        }

        /// More items, where not all partitions can be tried: never worse than an atom.
        #[test]
        fn what_is_found_is_no_worse_than_an_atom(
            labels in prop::collection::vec(prop::collection::vec(0usize..6, 25), 2..30),
            weights in prop::collection::vec(-0.3f64..1.0, 30),
            vi: bool,
        ) {
            let metric = if vi { Metric::Vi } else { Metric::Hamming };
            let owned: Vec<Partition> = labels.iter().map(|l| Partition::from_labels(l).unwrap()).collect();
            let atoms: Vec<(f64, &Partition)> = weights.iter().copied().zip(&owned).collect();
            prop_assume!(atoms.iter().map(|(w, _)| w).sum::<f64>() > 0.0);
            let effort = Effort { runs: 4, ..Effort::default() };
            let found = loss(&atoms, metric, &center(&atoms, metric, 25, &effort, &Stream::new(1, 0)));
            for (weight, z) in &atoms {
                prop_assert!(*weight <= 0.0 || found <= loss(&atoms, metric, z) + 1e-9);
            }
        }
    }

    #[test]
    fn negative_mass_and_tight_memory_do_no_harm() {
        let z = |labels: &[usize]| Partition::from_labels(labels).unwrap();
        let (a, b) = (z(&[0, 0, 1, 1, 2, 2]), z(&[0, 0, 0, 0, 0, 0]));
        let effort = Effort { cells: 1, ..Effort::default() };
        for metric in [Metric::Vi, Metric::Hamming] {
            assert_eq!(
                center(&[(1.0, &a), (-3.0, &b)], metric, 6, &Effort::default(), &Stream::new(1, 0)),
                a
            );
            assert_eq!(center(&[(3.0, &a), (1.0, &b)], metric, 6, &effort, &Stream::new(1, 0)), a);
        }
    }
}
