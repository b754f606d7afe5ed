//! One clustering for a whole posterior: the partition with the smallest expected distance to weighted atoms.
//!
//! Up to [`EXHAUSTIVE`] items every partition is tried. Beyond that the search is SALSO's (Dahl, Johnson, Müller
//! 2022): items are allocated one after the other in a random order, each where the expected loss so far grows
//! least; then sweeps move single items while that helps; then whole clusters are dissolved and allocated anew.
//! Here the atoms carry weights of either sign, as those of an unbiased estimate do, and both losses are of the form
//! `sum phi(|A|) + sum phi(|B|) - 2 sum phi(|A ∩ B|)` ([`Metric`]), so that one table of counts per atom serves
//! both.
//!
//! Weights are rounded numbers, so mathematically equal losses may differ in their last bits. Losses count as equal
//! within a slack far above rounding, and among equals the first is taken, in an order that does not depend on
//! rounding: the current one before new ones.
//!
//! The smallest of estimated losses is optimistic: score the partition found on *other* atoms.

mod board;
mod field;

use crate::chance::Chance;
use crate::partition::{Metric, Partition};
use crate::rng::{Purpose, Stream};
use board::Board;
use field::{Field, Weighted, measure, merged};

/// Up to this many items, all partitions are tried.
///
/// ```
/// assert_eq!(partita::partition::bell_number(partita::search::EXHAUSTIVE), 4140);
/// ```
pub const EXHAUSTIVE: usize = 8;

/// How hard to search, in counts rather than seconds, so that a search has the same result everywhere.
///
/// ```
/// let thorough = partita::search::Effort { runs: 64, ..Default::default() };
/// assert!(thorough.looks > 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Searches from different starts.
    pub runs: usize,
    /// Table look-ups after which no further start is tried; one takes about a nanosecond. A quarter of them goes
    /// into each round of comparing the atoms themselves.
    pub looks: u64,
    /// The largest total size of the tables of counts: it bounds the number of clusters of a candidate.
    pub cells: usize,
    /// Labels (atoms times items) that the runs look at; of more atoms, an evenly spread part.
    pub labels: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { runs: 16, looks: 400_000_000, cells: 32_000_000, labels: 4_000_000 }
    }
}

/// The partition with the smallest weighted sum of distances to `atoms` found among those with at most `most`
/// clusters.
///
/// Equal atoms count as one, with the sum of their weights. The sum for the result
/// - is the smallest of all, up to [`EXHAUSTIVE`] items;
/// - is never larger than that for an atom. Where an atom with more clusters than `most` beats all that have no more,
///   as many clusters as it has are allowed. (Where the atoms are too many to compare them all with all, they
///   are compared on evenly spread parts, ever larger for ever fewer of them.)
/// - does not become smaller if one item moves to another cluster, or to one of its own as long as there are no more
///   clusters than allowed. (Where the table of counts of all atoms exceeds `cells`: by those looked at.)
///
/// If the sum of the weights is not positive, weights that are not positive are left out: a "mean" of negative
/// mass has no centre. If none is positive, all count equally.
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
    let search = Search::new(atoms, metric, effort);
    let found = search.within(most.max(1), stream);
    // An atom with more clusters may be nearer than all that has no more.
    let found = if search.field.beats(search.nearest.gain, found.gain) {
        search.within(search.nearest.clusters(), stream)
    } else {
        found
    };
    let labels: Vec<usize> = found.labels.iter().map(|&label| label as usize).collect();
    Partition::from_labels(&labels).expect("atoms have items")
}

/// A candidate, with what it takes off the loss by all atoms.
#[derive(Debug, Clone)]
struct Candidate {
    gain: f64,
    labels: Vec<u32>,
}

impl Candidate {
    fn clusters(&self) -> usize {
        self.labels.iter().max().map_or(0, |&label| label as usize + 1)
    }
}

/// Atoms kept for the runs, whatever the items: fewer say too little, more take too long.
const LOOKED_AT: std::ops::RangeInclusive<usize> = 50..=2000;

/// What a search knows before it starts.
struct Search<'a> {
    effort: &'a Effort,
    /// All atoms.
    field: Field,
    /// An evenly spread part for the runs, where all are too many.
    part: Option<Field>,
    /// The atom with the smallest loss.
    nearest: Candidate,
    /// Atoms to start from.
    starts: Vec<&'a Partition>,
}

impl<'a> Search<'a> {
    fn new(atoms: &[Weighted<'a>], metric: Metric, effort: &'a Effort) -> Self {
        let states = merged(atoms.iter().copied());
        let field = Field::new(&measure(states.clone()), metric);
        let some = |count: usize| {
            let stride = atoms.len().div_ceil(count.max(1));
            measure(merged(atoms.iter().copied().step_by(stride)))
        };
        let nearest = nearest(&states, &field, effort.looks / 4, |count| Field::new(&some(count), metric));
        let clusters = states.iter().map(|(_, z)| z.clusters()).max().expect("there is an atom");
        let by_labels = (effort.labels / field.items).clamp(*LOOKED_AT.start(), *LOOKED_AT.end());
        let by_cells = states.len() * effort.cells / (field.columns * (clusters + 1));
        let affordable = by_labels.min(by_cells);
        let looked_at = (states.len() > affordable).then(|| some(affordable));
        let part = looked_at.as_ref().map(|part| Field::new(part, metric));
        let starts = looked_at.unwrap_or(states).into_iter().filter(|(weight, _)| *weight > 0.0);
        Search { effort, field, part, nearest, starts: starts.map(|(_, z)| z).collect() }
    }

    /// The best found with no more than so many clusters.
    fn within(&self, most: usize, stream: &Stream) -> Candidate {
        if self.field.items > EXHAUSTIVE {
            return self.explore(most, stream);
        }
        let board = Board::new(&self.field, most, stream.sequence(Purpose::Search, 0));
        let (gain, labels) = board.best_of_all();
        Candidate { gain, labels }
    }

    /// Runs by the atoms looked at, compared by all of them; the best of them, and the nearest atom, settles by all.
    fn explore(&self, most: usize, stream: &Stream) -> Candidate {
        let part = self.part.as_ref().unwrap_or(&self.field);
        let room = |field: &Field| most.min((self.effort.cells / field.columns).max(1));
        let starts: Vec<_> = self.starts.iter().filter(|z| z.clusters() <= most).collect();
        let mut best = Some(&self.nearest).filter(|nearest| nearest.clusters() <= most).cloned();
        let mut spent = 0;
        for run in 0..self.effort.runs.max(1) {
            if run > 0 && spent > self.effort.looks {
                break;
            }
            let mut board = Board::new(part, room(part), stream.sequence(Purpose::Search, run as u64));
            // The nearest atom first, then from nothing and from other atoms in turn.
            if run == 0 {
                best.iter().for_each(|nearest| board.lay(&nearest.labels));
            } else if run % 2 == 0 && !starts.is_empty() {
                let start = starts[board.chance.below(starts.len())];
                board.lay(&labels(start));
            }
            board.improve();
            spent += board.looks + self.field.labels();
            self.keep(&mut best, board.place);
        }
        let best = best.expect("there is a run");
        if best.clusters() > room(&self.field) {
            return best;
        }
        let last = stream.sequence(Purpose::Search, self.effort.runs as u64);
        let mut board = Board::new(&self.field, room(&self.field), last);
        board.lay(&best.labels);
        board.settle();
        let mut best = Some(best);
        self.keep(&mut best, board.place);
        best.expect("it was there")
    }

    /// Keeps the better of two. The gain is counted anew: a sum of differences has gathered rounding.
    fn keep(&self, best: &mut Option<Candidate>, labels: Vec<u32>) {
        let gain = self.field.gain(&labels);
        if best.as_ref().is_none_or(|best| self.field.beats(gain, best.gain)) {
            *best = Some(Candidate { gain, labels: field::contiguous(&labels) });
        }
    }
}

fn labels(z: &Partition) -> Vec<u32> {
    z.slots().map(|slot| slot as u32).collect()
}

/// The state of the smallest loss; the first among equals.
///
/// To score `s` states on `a` atoms takes `s * a * items` looks. Where that is more than `looks`, they are scored on
/// `some` of the atoms, as many as can be afforded, and the best quarter of them anew, on four times as many.
fn nearest(states: &[Weighted], field: &Field, looks: u64, some: impl Fn(usize) -> Field) -> Candidate {
    let score = |z: &Partition, field: &Field| {
        let labels = labels(z);
        Candidate { gain: field.gain(&labels), labels }
    };
    let mut left: Vec<&Partition> = states.iter().map(|(_, z)| *z).collect();
    loop {
        let affordable = looks as usize / (left.len() * field.items);
        if states.len() <= affordable || left.len() == 1 {
            let best = |best: Candidate, next: Candidate| {
                if field.beats(next.gain, best.gain) { next } else { best }
            };
            return left.iter().map(|z| score(z, field)).reduce(best).expect("there is a state");
        }
        let part = some(affordable);
        let mut scored: Vec<(f64, &Partition)> = left.iter().map(|z| (score(z, &part).gain, *z)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        left = scored.iter().take(left.len().div_ceil(4)).map(|(_, z)| *z).collect();
    }
}

#[cfg(test)]
mod tests;
