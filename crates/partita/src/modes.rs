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
mod tests {
    use super::*;
    use crate::partition::{Metric, Partitions};
    use crate::rng::Sequence;

    const ITEMS: usize = 60;

    fn chance(number: u64) -> Sequence {
        Stream::new(7, number).sequence(Purpose::StartX, 0)
    }

    fn labels(of: impl Fn(usize) -> usize) -> Vec<usize> {
        (0..ITEMS).map(of).collect()
    }

    /// Three clusters in a row, and three that cut across them.
    fn centers() -> [Vec<usize>; 2] {
        [labels(|i| i / 20), labels(|i| i % 3)]
    }

    /// A state around a center: each of the items in doubt is in any of three clusters.
    fn around(center: &[usize], doubtful: usize, rng: &mut Sequence) -> Partition {
        let mut labels = center.to_vec();
        labels.iter_mut().step_by(ITEMS / doubtful).for_each(|label| *label = rng.below(3));
        Partition::from_labels(&labels).unwrap()
    }

    fn stays(labels: &[usize]) -> Trail {
        let z = Partition::from_labels(labels).unwrap();
        Trail::of_two(z.clone(), z)
    }

    fn groups(chains: &[Trail]) -> Vec<Vec<usize>> {
        modes(chains, 0).into_iter().map(|mode| mode.chains).collect()
    }

    #[test]
    fn two_far_modes_with_noise_in_each_are_two() {
        for doubtful in [1, 6, 12] {
            for chains in [4, 5, 40] {
                let mut rng = chance(doubtful as u64);
                let [near, far] = centers();
                let of = |i: usize| if i % 3 == 1 { &far } else { &near };
                let states: Vec<_> = (0..chains)
                    .map(|i| {
                        Trail::of_two(around(of(i), doubtful, &mut rng), around(of(i), doubtful, &mut rng))
                    })
                    .collect();
                let [most, fewest] =
                    [false, true].map(|odd| (0..chains).filter(|i| (i % 3 == 1) == odd).collect());
                assert_eq!(
                    groups(&states),
                    [most, fewest] as [Vec<usize>; 2],
                    "{doubtful} of {ITEMS}, {chains} chains"
                );
            }
        }
    }

    /// A chain with so many states in each stretch.
    fn trail(states: usize, mut draw: impl FnMut() -> Partition) -> Trail {
        let mut stretch = || (0..states).map(|_| draw()).collect();
        Trail { earlier: stretch(), last: stretch() }
    }

    /// How many of 200 samples of chains, whose states are independent draws from one law, are taken for several modes.
    fn broken_up(chains: usize, states: usize, mut draw: impl FnMut(&mut Sequence) -> Partition) -> usize {
        let broken = |sample: &u64| {
            let mut rng = chance(1000 + sample);
            let chains: Vec<_> = (0..chains).map(|_| trail(states, || draw(&mut rng))).collect();
            modes(&chains, 0).len() > 1
        };
        (0..200).filter(broken).count()
    }

    #[test]
    fn one_mode_narrow_or_broad_is_one() {
        let [center, _] = centers();
        for doubtful in [1, 2, 4, 10, 20, 60] {
            for (chains, states, most) in
                [(2, 1, 6), (3, 1, 6), (8, 1, 0), (64, 1, 0), (8, 6, 0), (64, 12, 0)]
            {
                let broken = broken_up(chains, states, |rng| around(&center, doubtful, rng));
                assert!(broken <= most, "{doubtful} of {ITEMS}, {chains} chains: {broken} of 200");
            }
        }
    }

    /// The hardest law for the rule: mostly one state, now and then a cluster in two halves, other ones each time.
    ///
    /// In 5,000 samples at most 6.9% of those of 3 chains were broken up, 1.7% of 8, 0.1% of 64; the limits are four
    /// standard deviations above.
    #[test]
    fn rare_excursions_seldom_make_a_mode() {
        let [center, _] = centers();
        for share in [0.03, 0.1, 0.3] {
            for (chains, most) in [(2, 0), (3, 28), (8, 10), (64, 2)] {
                let broken = broken_up(chains, 1, |rng| {
                    let mut labels = center.clone();
                    if rng.uniform() < share {
                        labels.iter_mut().take(20).for_each(|label| *label = 5 * rng.below(2));
                    }
                    Partition::from_labels(&labels).unwrap()
                });
                assert!(broken <= most, "a share of {share}, {chains} chains: {broken} of 200");
            }
        }
    }

    /// A narrow part and a broad one: each is judged by its own breadth.
    #[test]
    fn modes_of_different_breadth_are_found() {
        let mut rng = chance(1);
        let [near, far] = centers();
        let mut draw = |center: &[usize], doubtful| {
            Trail::of_two(around(center, doubtful, &mut rng), around(center, doubtful, &mut rng))
        };
        let mut states: Vec<_> = (0..10).map(|_| draw(&near, 1)).collect();
        states.extend((0..6).map(|_| draw(&far, 20)));
        assert_eq!(groups(&states), [(0..10).collect::<Vec<_>>(), (10..16).collect()]);
    }

    #[test]
    fn chains_that_have_not_moved_in_different_places_are_different_modes() {
        let [near, far] = centers();
        let third = labels(|i| i % 4);
        let states = [stays(&far), stays(&near), stays(&third), stays(&near)];
        assert_eq!(groups(&states), [vec![1, 3], vec![0], vec![2]]);
        // But one step of one item is no distance.
        let mut stepped = near.clone();
        stepped[0] = 1;
        assert_eq!(groups(&[stays(&near), stays(&stepped)]), [[0, 1]]);
    }

    /// A chain on its way connects nothing; one that was in both modes connects them.
    #[test]
    fn a_chain_that_crossed_connects_and_one_that_arrived_does_not() {
        let [near, far] = centers();
        let of = |labels: &[usize]| Partition::from_labels(labels).unwrap();
        let mut states: Vec<_> = [&near, &far].into_iter().flat_map(|z| vec![stays(z); 4]).collect();
        states.push(Trail::of_two(Partition::singletons(ITEMS).unwrap(), of(&near)));
        assert_eq!(groups(&states), [vec![0, 1, 2, 3, 8], vec![4, 5, 6, 7]]);
        states.push(Trail::of_two(of(&far), of(&near)));
        assert_eq!(groups(&states), [(0..10).collect::<Vec<_>>()]);
        // Unless a crossing is overlooked.
        let found = modes(&states, 1);
        assert_eq!((&found[0].chains[..], &found[0].crossed[..]), (&[0, 1, 2, 3, 8, 9][..], &[9][..]));
        assert_eq!((&found[1].chains[..], &found[1].crossed[..]), (&[4, 5, 6, 7][..], &[][..]));
        // No chain alone is a mode because others were left out.
        assert_eq!(modes(&[stays(&near), Trail::of_two(of(&far), of(&near)), stays(&far)], 1).len(), 1);
    }

    #[test]
    fn one_chain_is_one_mode_and_none_is_none() {
        let [near, _] = centers();
        assert_eq!(modes(&[stays(&near)], 0), [Mode { chains: vec![0], crossed: vec![], representative: 0 }]);
        assert_eq!(modes(&[], 0), []);
        let single = Partition::one_cluster(1).unwrap();
        assert_eq!(
            groups(&[Trail::of_two(single.clone(), single.clone()), Trail::of_two(single.clone(), single)]),
            [[0, 1]]
        );
    }

    /// Equally many chains: the mode of the first chain is first. Equally near: the first chain represents.
    #[test]
    fn ties_go_to_the_first() {
        let [near, far] = centers();
        let found = modes(&[stays(&far), stays(&near), stays(&far), stays(&near)], 0);
        let mode =
            |chains: &[usize]| Mode { chains: chains.to_vec(), crossed: vec![], representative: chains[0] };
        assert_eq!(found, [mode(&[0, 2]), mode(&[1, 3])]);
        // One item in three places: each is as far from the two others.
        let placed = |cluster| {
            let mut labels = near.clone();
            labels[0] = cluster;
            stays(&labels)
        };
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            let found = modes(&order.map(placed), 0);
            assert_eq!((found.len(), found[0].chains.len()), (1, 3));
            let totals =
                order.map(|x| order.map(|y| Metric::Hamming.distance(placed(x).end(), placed(y).end())));
            let totals = totals.map(|mut of| {
                of.sort_by(f64::total_cmp);
                of.iter().sum::<f64>()
            });
            let least = (0..3).min_by(|&a, &b| totals[a].total_cmp(&totals[b]));
            assert_eq!(Some(found[0].representative), least);
        }
    }

    #[test]
    fn the_representative_is_in_the_middle() {
        let [near, _] = centers();
        let moved = |items: usize| {
            let mut labels = near.clone();
            labels.iter_mut().take(items).for_each(|label| *label = 1);
            Partition::from_labels(&labels).unwrap()
        };
        let found = modes(&[4, 0, 2].map(|items| Trail::of_two(moved(4 - items), moved(items))), 0);
        assert_eq!(found, [Mode { chains: vec![0, 1, 2], crossed: vec![], representative: 2 }]);
    }

    /// Single states are as far from each other within a part as between parts; means of a dozen are not.
    #[test]
    fn parts_that_motion_hides_are_told_apart_by_means() {
        let (mut rng, [center, _]) = (chance(2), centers());
        // In the second part two of the clusters are one.
        let other: Vec<usize> = center.iter().map(|&of| of.min(1)).collect();
        let mut chains = |states| -> Vec<Trail> {
            (0..16)
                .map(|i| trail(states, || around(if i < 11 { &center } else { &other }, 20, &mut rng)))
                .collect()
        };
        let parts = [(0..11).collect::<Vec<_>>(), (11..16).collect()];
        assert_eq!(groups(&chains(1)).len(), 1);
        assert_eq!(groups(&chains(12)), parts);
        // Of chains of which more states are known, only as many count.
        let mut mixed = chains(12);
        mixed[0].last.drain(..11);
        assert_eq!(
            groups(&mixed),
            groups(
                &mixed
                    .iter()
                    .map(|chain| {
                        Trail::of_two(chain.earlier.last().unwrap().clone(), chain.end().clone())
                    })
                    .collect::<Vec<_>>()
            )
        );
    }

    /// Against every move of one item in every partition of up to seven; the bound is reached. And with some of the pairs.
    #[test]
    fn one_item_bounds_the_distance_of_a_step() {
        for items in 2..=7 {
            let pairs = Pairs::of(items);
            let mut most: f64 = 0.0;
            for z in Partitions::of(items) {
                for (item, slot) in
                    (0..items).flat_map(|item| (0..=z.clusters()).map(move |slot| (item, slot)))
                {
                    let mut moved = z.clone();
                    moved.place(item, slot);
                    let [before, after] = [&z, &moved].map(|z| pairs.shares(std::slice::from_ref(z)));
                    most = most.max(distance(&before, &after));
                }
            }
            let bound = pairs.one_item();
            assert!(
                (bound - 2.0 / items as f64).abs() < 1e-12 && (bound - most).abs() < 1e-12,
                "{items} items"
            );
        }
        let (pairs, items) = (Pairs::of(500), 500);
        let z = Partition::from_labels(&(0..items).map(|i| i / 250).collect::<Vec<_>>()).unwrap();
        for item in 0..items {
            let mut moved = z.clone();
            moved.place(item, 1 - z.slot(item));
            let [before, after] = [&z, &moved].map(|z| pairs.shares(std::slice::from_ref(z)));
            assert!(distance(&before, &after) <= pairs.one_item());
        }
        assert!(pairs.pairs.len() == PAIRS && pairs.pairs.iter().all(|(i, j)| i != j));
    }
}
