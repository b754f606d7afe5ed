//! Chains that stay apart: which of them are in the same part of the target, on the scale of their own motion.
//!
//! Each chain is represented by states in two stretches of its sweeps, far apart in time: an earlier one and the last
//! ([`Trail`]). A stretch is told by the shares of its states in which pairs of items are together: all pairs of items, or
//! 5,000 of them, always the same. The distance of two stretches is the mean squared difference of these shares, which
//! for single states is the share of pairs on which they disagree. Chains that move freely in the same part of the
//! target are, by then, as far from each other as each is from its own past. So two chains are *near* if the smallest of
//! the four distances between a stretch of one and a stretch of the other is at most
//!
//! `1.5 max(min(own_i, own_j), median own) + one item`,
//!
//! where `own` is a chain's distance between its two stretches, and `one item` bounds the distance of two states that
//! differ in the place of one item: a single Gibbs step leads from one to the other, so they never count as apart. A
//! *mode* is a set of chains connected by nearness (single linkage). It follows that:
//!
//! - With more states in a stretch, what moves within a part averages out, and what differs between parts remains: with
//!   `k` independent states in each, `own` falls like `1 / k`. Where single states of one part are as far from each other
//!   as from those of another, a dozen states still tell the parts apart.
//! - A chain seen on both sides connects them: both of its stretches are looked at. Modes are parts that no chain was
//!   seen to cross between. Where a few crossings are to be overlooked, the chains that moved furthest are left out, one
//!   after the other, until two parts of at least two chains each come apart.
//! - A chain that came from far away and has settled since belongs to where it has settled: its long path makes
//!   no other chain near, because the smaller of two motions counts.
//! - A chain that stood still by chance is judged by how far most chains move.
//! - Parts of the target that differ by clearly less than chains move within each are taken for one.
//! - At least eight chains should be given. Among fewer, some in the same part may fail to be near by chance: with one
//!   state in a stretch, in up to 7% of samples of three chains under the hardest law of the tests, 2% of eight, 0.1% of 64.

use crate::chance::Chance;
use crate::partition::Partition;
use crate::rng::{Purpose, Stream};

/// How many times their own motion chains of one mode may be apart.
const WITHIN: f64 = 1.5;

/// Pairs of items that are looked at, at most.
const PAIRS: usize = 5000;

/// States of a chain in two stretches of its sweeps, far apart in time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trail {
    /// Some states of the earlier stretch, in order.
    pub earlier: Vec<Partition>,
    /// Some states of the last one, in order.
    pub last: Vec<Partition>,
}

impl Trail {
    /// Of one state in each stretch.
    pub fn of_two(earlier: Partition, last: Partition) -> Self {
        Trail { earlier: vec![earlier], last: vec![last] }
    }

    /// The last state.
    ///
    /// # Panics
    /// If there is none.
    pub fn end(&self) -> &Partition {
        self.last.last().expect("a stretch has a state")
    }

    /// States in the shorter of its stretches.
    pub fn states(&self) -> usize {
        self.earlier.len().min(self.last.len())
    }
}

/// Chains that are in the same part of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mode {
    /// Their numbers, in order.
    pub chains: Vec<usize>,
    /// Those of them that came from another mode, in order.
    pub crossed: Vec<usize>,
    /// The one whose last stretch has the smallest mean distance to those of the others; the first in case of ties.
    pub representative: usize,
}

/// Groups chains into modes: those with the most chains first, ties in order of their first chain.
///
/// Of each stretch the latest states count, as many as the shortest has. Up to `crossings` chains may have crossed between
/// modes: each belongs to the one that its last stretch is nearest to.
///
/// # Panics
/// If a chain has no state in a stretch.
///
/// ```
/// use partita::Partition;
/// use partita::modes::{Trail, modes};
/// let halves = Partition::from_labels(&[0, 0, 0, 0, 1, 1, 1, 1])?;
/// let other_halves = Partition::from_labels(&[0, 1, 0, 1, 0, 1, 0, 1])?;
/// let stays = |z: &Partition| Trail::of_two(z.clone(), z.clone());
/// let chains = [stays(&halves), stays(&other_halves), stays(&halves)];
/// let found = modes(&chains, 0);
/// assert_eq!(found.len(), 2);
/// assert_eq!((&*found[0].chains, found[0].representative), (&[0, 2][..], 0));
/// # Ok::<(), partita::Error>(())
/// ```
pub fn modes(chains: &[Trail], crossings: usize) -> Vec<Mode> {
    let Some(first) = chains.first() else { return Vec::new() };
    let pairs = Pairs::of(first.end().len());
    let states = chains.iter().map(Trail::states).min().unwrap_or(0);
    let seen: Vec<Seen> = chains
        .iter()
        .map(|chain| [&chain.earlier, &chain.last].map(|of| pairs.shares(&of[of.len() - states..])))
        .collect();
    let own: Vec<f64> = seen.iter().map(|[earlier, last]| distance(earlier, last)).collect();
    let (usual, step) = (upper_median(&own), pairs.one_item());
    let near =
        |i: usize, j: usize| are_near(&seen[i], &seen[j], WITHIN * usual.max(own[i].min(own[j])) + step);
    // Those that moved furthest, first.
    let mut movers: Vec<usize> = (0..chains.len()).collect();
    movers.sort_by(|&i, &j| own[j].total_cmp(&own[i]));
    let all = connected(&(0..chains.len()).collect::<Vec<_>>(), near);
    let (mut groups, mut crossed) = (all, &movers[..0]);
    for left_out in 1..=crossings.min(chains.len()) {
        if groups.len() > 1 {
            break;
        }
        let mut others = movers[left_out..].to_vec();
        others.sort_unstable();
        let apart = connected(&others, near);
        if apart.len() > 1 && apart.iter().all(|group| group.len() > 1) {
            (groups, crossed) = (apart, &movers[..left_out]);
        }
    }
    let mut modes: Vec<Mode> = groups
        .into_iter()
        .map(|chains| Mode { representative: medoid(&seen, &chains), chains, crossed: Vec::new() })
        .collect();
    let of_last = |i: usize, mode: &Mode| {
        let distances = mode.chains.iter().map(|&j| distance(&seen[i][1], &seen[j][1]));
        distances.fold(f64::INFINITY, f64::min)
    };
    let nearest = |&i: &usize| {
        let distances: Vec<f64> = modes.iter().map(|mode| of_last(i, mode)).collect();
        let least = (0..distances.len()).min_by(|&a, &b| distances[a].total_cmp(&distances[b]));
        (i, least.expect("there is a mode"))
    };
    for (i, at) in crossed.iter().map(nearest).collect::<Vec<_>>() {
        modes[at].chains.push(i);
        modes[at].crossed.push(i);
    }
    for mode in &mut modes {
        mode.chains.sort_unstable();
        mode.crossed.sort_unstable();
    }
    modes.sort_by_key(|mode| std::cmp::Reverse(mode.chains.len()));
    modes
}

/// Of a chain, what is known of its two stretches.
type Seen = [Vec<f64>; 2];

/// The sets of chains that nearness connects, in order of their first.
fn connected(chains: &[usize], near: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    // The group of a chain is known by the place of its first.
    let mut group: Vec<usize> = (0..chains.len()).collect();
    for i in 0..chains.len() {
        for j in 0..i {
            let (a, b) = (group[i], group[j]);
            if a != b && near(chains[i], chains[j]) {
                group.iter_mut().filter(|g| **g == a.max(b)).for_each(|g| *g = a.min(b));
            }
        }
    }
    let members = |first: usize| -> Vec<usize> {
        (first..chains.len()).filter(|&i| group[i] == first).map(|i| chains[i]).collect()
    };
    (0..chains.len()).map(members).filter(|members| !members.is_empty()).collect()
}

/// The pairs of items that are looked at.
struct Pairs {
    items: usize,
    pairs: Vec<(usize, usize)>,
}

impl Pairs {
    fn of(items: usize) -> Self {
        let all = || (1..items).flat_map(|i| (0..i).map(move |j| (i, j)));
        if items * items.saturating_sub(1) / 2 <= PAIRS {
            return Pairs { items, pairs: all().collect() };
        }
        let mut chance = Stream::new(0, 0).sequence(Purpose::Data, 0);
        let mut pair = || {
            let (i, j) = (chance.below(items), chance.below(items - 1));
            (i, j + usize::from(j >= i))
        };
        Pairs { items, pairs: (0..PAIRS).map(|_| pair()).collect() }
    }

    /// Of each pair, the share of the states in which it is together.
    fn shares(&self, states: &[Partition]) -> Vec<f64> {
        assert!(!states.is_empty(), "a stretch has a state");
        let mut shares = vec![0.0; self.pairs.len()];
        for z in states {
            for (share, &(i, j)) in shares.iter_mut().zip(&self.pairs) {
                *share += f64::from(u8::from(z.together(i, j)));
            }
        }
        shares.iter_mut().for_each(|share| *share /= states.len() as f64);
        shares
    }

    /// The largest distance between two states that differ by the place of one item: on no pair of others they disagree.
    fn one_item(&self) -> f64 {
        let mut with = vec![0; self.items];
        self.pairs.iter().for_each(|&(i, j)| [i, j].into_iter().for_each(|item| with[item] += 1));
        f64::from(with.into_iter().max().unwrap_or(0)) / self.pairs.len().max(1) as f64
    }
}

/// The mean squared difference.
fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>() / x.len().max(1) as f64
}

fn upper_median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Whether some stretch of one chain is within reach of some stretch of the other; last ones first, which mostly settles it.
fn are_near(x: &Seen, y: &Seen, reach: f64) -> bool {
    [(1, 1), (0, 1), (1, 0), (0, 0)].into_iter().any(|(a, b)| distance(&x[a], &y[b]) <= reach)
}

fn medoid(seen: &[Seen], members: &[usize]) -> usize {
    let mut distances = vec![Vec::with_capacity(members.len()); members.len()];
    for i in 0..members.len() {
        for j in 0..i {
            let distance = distance(&seen[members[i]][1], &seen[members[j]][1]);
            distances[i].push(distance);
            distances[j].push(distance);
        }
    }
    // Added in the order of size, so that the same distances have the same sum to the last bit.
    let total = |mut of: Vec<f64>| {
        of.sort_by(f64::total_cmp);
        of.iter().sum::<f64>()
    };
    let totals: Vec<f64> = distances.into_iter().map(total).collect();
    let least = (0..members.len()).min_by(|&a, &b| totals[a].total_cmp(&totals[b]));
    members[least.expect("a mode has a chain")]
}

#[cfg(test)]
mod tests;
