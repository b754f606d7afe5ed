//! Modes of samples whose law is known.

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
                .map(|i| Trail::of_two(around(of(i), doubtful, &mut rng), around(of(i), doubtful, &mut rng)))
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
        for (chains, states, most) in [(2, 1, 6), (3, 1, 6), (8, 1, 0), (64, 1, 0), (8, 6, 0), (64, 12, 0)] {
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
        let totals = order.map(|x| order.map(|y| Metric::Hamming.distance(placed(x).end(), placed(y).end())));
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
                .map(|chain| { Trail::of_two(chain.earlier.last().unwrap().clone(), chain.end().clone()) })
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
            for (item, slot) in (0..items).flat_map(|item| (0..=z.clusters()).map(move |slot| (item, slot))) {
                let mut moved = z.clone();
                moved.place(item, slot);
                let [before, after] = [&z, &moved].map(|z| pairs.shares(std::slice::from_ref(z)));
                most = most.max(distance(&before, &after));
            }
        }
        let bound = pairs.one_item();
        assert!((bound - 2.0 / items as f64).abs() < 1e-12 && (bound - most).abs() < 1e-12, "{items} items");
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
