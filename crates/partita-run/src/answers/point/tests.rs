//! One clustering and predictions against sums over all partitions of a few items.

use super::*;
use crate::answers::{Question, predict, units};
use crate::config::StoppingRule;
use crate::config::{Options, Task};
use crate::engine::{Draw, Output, Replicate, Settings, Work};
use crate::model::{Input, Loaded, Model, load};
use partita::chance::Chance;
use partita::partition::Partitions;
use partita::rng::Purpose;
use partita::{Gaussian, Mixture, Prior, Schedule, State, Target};

const DATA: [f64; 6] = [-1.3, -1.0, -0.2, 0.1, 1.1, 1.4];
const REPLICATES: u64 = 400;

/// A run of six items whose chains meet late enough that many weights are negative.
fn run() -> (Box<dyn Model>, std::sync::Arc<Input>, Vec<Draw>) {
    let path = std::env::temp_dir().join(format!("partita-point-{:?}.csv", std::thread::current().id()));
    let text: String = DATA.iter().map(|x| format!("{x}\n")).collect();
    std::fs::write(&path, "x\n".to_string() + &text).unwrap();
    let options = Options {
        data: Some(path.clone()),
        standardize: Some(false),
        prior_sd: Some(1.0),
        noise_sd: Some(0.5),
        alpha: Some(crate::config::Alpha::Fixed(1.0)),
        ..Options::default()
    };
    let Loaded { model, input, .. } = load(Task::Fit, &options).unwrap();
    std::fs::remove_file(path).unwrap();
    let settings = Settings {
        seed: 11,
        schedule: Schedule::new(1, 2, 8).unwrap(),
        max_sweeps: 10_000,
        keep_draws: 4,
        keep_until: u64::MAX,
    };
    let mut draws = Vec::new();
    for number in 0..REPLICATES {
        let output = model.run(&Work::Replicates(settings), number, &|| false);
        let Some(Output::Replicate(Replicate { atoms, .. })) = output else { unreachable!() };
        draws.extend(atoms.into_iter().map(|atom| Draw { replicate: number, atom }));
    }
    assert!(draws.iter().filter(|draw| draw.atom.weight < 0.0).count() > 20);
    (model, input, draws)
}

/// All partitions with their probabilities, and the target.
fn exact() -> (Mixture<Gaussian>, Vec<(f64, Partition)>) {
    let data = Gaussian::isotropic(DATA.to_vec(), 1, 1.0, 0.5).unwrap();
    let target = Mixture::new(Prior::dirichlet(1.0).unwrap(), data);
    let all: Vec<(f64, Partition)> =
        Partitions::of(6).map(|z| (target.log_probability(&z).exp(), z)).collect();
    let total: f64 = all.iter().map(|(p, _)| p).sum();
    (target, all.into_iter().map(|(p, z)| (p / total, z)).collect())
}

fn expected(all: &[(f64, Partition)], of: impl Fn(&Partition) -> f64) -> f64 {
    all.iter().map(|(p, z)| p * of(z)).sum()
}

/// Four standard errors and a little: one in ten thousand of what is right fails.
fn near(what: &str, value: f64, se: f64, truth: f64) {
    assert!(se < 0.2, "{what}: {value} ± {se}");
    assert!((value - truth).abs() < 4.0 * se + 1e-9, "{what}: {value} ± {se} instead of {truth}");
}

#[test]
fn losses_and_certainties_are_those_of_the_enumerated_posterior() {
    let (_, _, draws) = run();
    let (_, all) = exact();
    let units = units(&StoppingRule::Replicates { replicates: REPLICATES }, &draws);
    for loss in [Loss::Vi, Loss::Binder] {
        let point = point(&units, loss, 1).unwrap();
        let c = &point.clustering;
        let truth = expected(&all, |z| distance(loss, &point.partition, z));
        near("loss", c.expected_loss.unwrap(), c.se.unwrap(), truth);
        // Near the best of all: the search saw 200 replicates.
        let best = Partitions::of(6)
            .map(|c| expected(&all, |z| distance(loss, &c, z)))
            .fold(f64::INFINITY, f64::min);
        assert!(truth < best * 1.15, "{truth}, the best is {best}");
        for (item, &(certainty, se)) in point.certainty.iter().enumerate() {
            let members: Vec<usize> =
                (0..6).filter(|&j| j != item && point.partition.together(item, j)).collect();
            let of = |z: &Partition| match members.len() {
                0 => f64::from(u8::from(z.is_alone(item))),
                n => members.iter().filter(|&&j| z.together(item, j)).count() as f64 / n as f64,
            };
            near("certainty", certainty, se, expected(&all, of));
        }
        // The ball holds 95% of the posterior, give or take what 200 replicates leave open.
        let within =
            |r: f64| expected(&all, |z| f64::from(u8::from(distance(loss, &point.partition, z) <= r)));
        let held = within(c.ball.radius + 1e-9);
        assert!(held > 0.9, "{held}");
        let [upper, lower, horizontal] = point.bounds.as_ref().unwrap();
        assert!(upper.clusters() <= point.partition.clusters() && lower.clusters() >= upper.clusters());
        assert!(distance(loss, &point.partition, horizontal) <= c.ball.radius);
    }
}

/// The interval of the loss of a *fixed* clustering covers its truth 95 times of 100: 60 runs of 40 replicates,
/// of which at least 50 must (the chance that fewer do is 2e-4).
#[test]
fn intervals_of_the_loss_cover() {
    let (_, _, draws) = run();
    let (_, all) = exact();
    let units = units(&StoppingRule::Replicates { replicates: REPLICATES }, &draws);
    let fixed = Partition::from_labels(&[0, 0, 1, 1, 2, 2]).unwrap();
    let truth = expected(&all, |z| distance(Loss::Vi, &fixed, z));
    let mut covered = 0;
    for start in 0..60 {
        let part: Vec<&Unit> = (0..40).map(|i| &units[(start * 40 + i * 7 + start) % units.len()]).collect();
        let (search, rest) = part.split_at(20);
        let [low, high] = judge(fixed.clone(), search, rest, Loss::Vi).clustering.ci95.unwrap();
        covered += usize::from(low <= truth && truth <= high);
    }
    assert!(covered >= 50, "{covered} of 60");
}

#[test]
fn predictions_are_those_of_the_enumerated_posterior() {
    let (model, _, draws) = run();
    let (target, all) = exact();
    let units = units(&StoppingRule::Replicates { replicates: REPLICATES }, &draws);
    let clustering = Partition::from_labels(&[0, 0, 0, 0, 1, 1]).unwrap();
    let points = [[-1.2], [0.4], [5.0]];
    let rows: Vec<&[f64]> = points.iter().map(|p| p.as_slice()).collect();
    let names: Vec<String> = (0..3).map(|i| i.to_string()).collect();
    let question = Question { rows: &rows, names: &names, log_units: &[0.5; 3], clustering: &clustering };
    let answers = predict(&*model, &units, 2, &question).unwrap();
    assert_eq!(answers, predict(&*model, &units, 1, &question).unwrap(), "threads do not matter");
    let density =
        |x: f64, z: &Partition| target.predictive_density(State::new(&target, z.clone()).stats(), z, &[x]);
    let mut sum = 0.0;
    for (p, [x]) in answers.predictions.iter().zip(points) {
        let truth = expected(&all, |z| density(x, z)).ln() + 0.5;
        sum += truth;
        near("log density", p.log_density.unwrap(), p.log_density_se.unwrap(), truth);
        // An item more, joined to an old one or alone: by the weights of the larger target.
        let data = Gaussian::isotropic([DATA.as_slice(), &[x]].concat(), 1, 1.0, 0.5).unwrap();
        let larger = Mixture::new(Prior::dirichlet(1.0).unwrap(), data);
        let joins = |z: &Partition| {
            let labels: Vec<usize> = z.slots().chain([z.clusters()]).collect();
            State::new(&larger, Partition::from_labels(&labels).unwrap()).conditional(&larger, 6)
        };
        for (cluster, members) in [&[0usize, 1, 2, 3][..], &[4, 5]].into_iter().enumerate() {
            let truth = expected(&all, |z| {
                let weights = joins(z);
                members.iter().map(|&i| weights[z.slot(i)]).sum::<f64>() / members.len() as f64
            });
            near("join", p.joins[cluster], p.joins_se[cluster].unwrap(), truth);
        }
        let new = expected(&all, |z| joins(z)[z.clusters()]);
        near("new", p.joins[2], p.joins_se[2].unwrap(), new);
    }
    let score = &answers.score;
    let [low, high] = score.sum_ci95.unwrap();
    near("score", score.sum.unwrap(), (high - low) / 3.92, sum);
    assert!((score.mean.unwrap() - score.sum.unwrap() / 3.0).abs() < 1e-12);
}

/// A distance as whole numbers, so that equal ones are equal: `exp(n VI)` as a fraction, Binder's pairs over 1.
fn exact_distance(loss: Loss, x: &Partition, y: &Partition) -> (u128, u128) {
    let n = x.len();
    let pairs = || (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    if loss == Loss::Binder {
        return (pairs().filter(|&(i, j)| x.together(i, j) != y.together(i, j)).count() as u128, 1);
    }
    // For every item the size of its cluster in x, in y and in both: m^m is a product over the members.
    let count = |of: &dyn Fn(usize) -> bool| (0..n).filter(|&j| of(j)).count() as u128;
    (0..n).fold((1, 1), |(above, below), i| {
        let (a, b) = (count(&|j| x.together(i, j)), count(&|j| y.together(i, j)));
        let both = count(&|j| x.together(i, j) && y.together(i, j));
        (above * a * b, below * both * both)
    })
}

/// Radius and bounds of the ball by whole numbers alone: weights in twentieths, so that 95% are often held exactly,
/// and six items, whose distances often coincide.
#[test]
fn the_ball_is_that_of_whole_numbers() {
    let all: Vec<Partition> = Partitions::of(6).collect();
    let (mut on_the_radius, mut exactly_held) = (0, 0);
    for seed in 0..400 {
        let loss = if seed % 2 == 0 { Loss::Vi } else { Loss::Binder };
        let mut chance = Stream::new(seed, 0).sequence(Purpose::Data, 0);
        let mut below = |n: usize| chance.below(n);
        let center = &all[below(all.len())];
        let mut kept: Vec<(i64, &Partition)> =
            (0..15 + below(20)).map(|_| (below(5) as i64 - 1, &all[below(all.len())])).collect();
        let total: i64 = kept.iter().map(|(weight, _)| weight).sum();
        // A multiple of twenty, so that 95% is a whole number.
        kept[0].0 += 20 - total.rem_euclid(20);
        let total = total.div_euclid(20) * 20 + 20;
        if total <= 0 {
            continue;
        }
        let mut sorted: Vec<_> = kept.iter().map(|&(w, z)| (exact_distance(loss, center, z), w, z)).collect();
        let order = |(a, b): (u128, u128), (c, d): (u128, u128)| (a * d).cmp(&(c * b));
        sorted.sort_by(|a, b| order(a.0, b.0));
        let within = |radius| sorted.iter().filter(move |(d, ..)| order(*d, radius).is_le());
        let held = |radius| within(radius).map(|(_, weight, _)| weight).sum::<i64>();
        let (radius, ..) = sorted.iter().find(|(d, ..)| 20 * held(*d) >= 19 * total).expect("all of it");
        let inside: Vec<_> = within(*radius).filter(|(_, weight, _)| *weight > 0).collect();
        let clusters = || inside.iter().map(|(.., z)| z.clusters());
        exactly_held += usize::from(20 * held(*radius) == 19 * total);
        on_the_radius += usize::from(inside.iter().filter(|(d, ..)| order(*d, *radius).is_eq()).count() > 1);

        let unit = Unit { atoms: kept.iter().map(|&(weight, z)| (0.05 * weight as f64, z)).collect() };
        let (found, bounds) = ball(center, &[&unit], loss);
        let unit = if loss == Loss::Binder { 36.0 } else { 6.0 };
        let truth = radius.0 as f64 / radius.1 as f64;
        let truth = if loss == Loss::Binder { truth } else { truth.ln() } / unit;
        assert!((found - truth).abs() < 1e-12, "seed {seed}: radius {found} instead of {truth}");
        let [upper, lower, horizontal] = bounds.expect("some weight is positive");
        let bounds = (upper.clusters(), lower.clusters());
        assert_eq!(bounds, (clusters().min().unwrap(), clusters().max().unwrap()), "seed {seed}");
        let farthest = |k: Option<usize>| {
            let among = inside.iter().filter(|(.., z)| k.is_none_or(|k| z.clusters() == k));
            among.map(|(d, ..)| *d).max_by(|a, b| order(*a, *b)).unwrap()
        };
        for (bound, k) in [(&upper, Some(bounds.0)), (&lower, Some(bounds.1)), (&horizontal, None)] {
            assert!(order(exact_distance(loss, center, bound), farthest(k)).is_eq(), "seed {seed}");
        }
    }
    assert!(on_the_radius > 100 && exactly_held > 5, "{on_the_radius} ties, {exactly_held} held exactly");
}

/// Weights that come to nothing, or to less, have a ball all the same: that of the positive ones.
#[test]
fn a_ball_without_mass_is_that_of_the_positive_weights() {
    let z = |labels: &[usize]| Partition::from_labels(labels).unwrap();
    let (center, near, far) = (z(&[0, 0, 0, 0]), z(&[0, 0, 0, 1]), z(&[0, 1, 2, 3]));
    let unit = |weights: [f64; 3]| Unit { atoms: weights.into_iter().zip([&center, &near, &far]).collect() };
    for (weights, radius) in [
        ([0.1, 0.2, -0.3], &near),
        ([0.1, 0.2, -3.0], &near),
        ([0.1, -0.3, 0.2], &far),
        ([-1.0, -1.0, -1.0], &far),
    ] {
        let (found, bounds) = ball(&center, &[&unit(weights)], Loss::Vi);
        assert_eq!(found, distance(Loss::Vi, &center, radius), "{weights:?}");
        assert_eq!(bounds.is_some(), weights[0] > 0.0);
    }
}

/// The number of clusters that 97.5% have at most, where 39 of 40 equal weights are exactly that.
#[test]
fn plausible_numbers_are_not_decided_by_rounding() {
    let states: Vec<Partition> =
        (0..40).map(|i| Partition::from_labels(&[0, usize::from(i == 39)]).unwrap()).collect();
    for weight in [0.1, 0.3, 0.7, 1.0 / 3.0, 1e-3, 1.0] {
        let atoms: Vec<(f64, &Partition)> = states.iter().map(|z| (weight, z)).collect();
        assert_eq!(plausible_clusters(&atoms), 1..=1, "{weight}");
    }
}

#[test]
fn one_replicate_has_a_clustering_and_no_score() {
    let (_, _, draws) = run();
    let first: Vec<Draw> = draws.iter().filter(|draw| draw.replicate == 0).cloned().collect();
    let units = units(&StoppingRule::Replicates { replicates: 1 }, &first);
    let point = point(&units, Loss::Vi, 1).unwrap();
    assert_eq!((point.clustering.expected_loss, point.clustering.ci95), (None, None));
    assert_eq!(point.partition.len(), 6);
}

/// Sixty states of forty items in four groups, whose items stray in three of eight cases: to lump all is nearest to them in VI,
/// and no state has fewer than four clusters. The point estimate has as many as the states.
#[test]
fn the_point_estimate_has_a_plausible_number_of_clusters() {
    let mut chance = Stream::new(8, 0).sequence(Purpose::Data, 0);
    let mut state = || {
        let stray = |i: usize, chance: &mut partita::rng::Sequence| {
            if chance.below(2) == 0 { chance.below(4) } else { i % 4 }
        };
        let labels: Vec<usize> = (0..40).map(|i| if i < 4 { i } else { stray(i, &mut chance) }).collect();
        Partition::from_labels(&labels).unwrap()
    };
    let draws: Vec<Draw> = (0..60)
        .map(|replicate| Draw { replicate, atom: partita::atoms::Atom { weight: 1.0, partition: state() } })
        .collect();
    let units = units(&StoppingRule::Replicates { replicates: 60 }, &draws);
    let lump = Partition::one_cluster(40).unwrap();
    for loss in [Loss::Vi, Loss::Binder] {
        let point = point(&units, loss, 1).unwrap();
        assert_eq!(point.partition.clusters(), 4, "{loss}");
        assert!(point.partition.sizes()[3] > 1, "and no crumbs beside a lump: {:?}", point.partition.sizes());
        let groups = |i: usize, j: usize| (i % 4 == j % 4) == point.partition.together(i, j);
        let agreed =
            (0..40).flat_map(|i| (0..40).map(move |j| (i, j))).filter(|&(i, j)| groups(i, j)).count();
        assert!(loss == Loss::Binder || agreed > 1300, "the groups: {agreed} of 1600 pairs");
        let far = |z: &Partition| units.iter().map(|unit| unit.value(|w| distance(loss, z, w))).sum::<f64>();
        assert!(loss == Loss::Binder || far(&lump) < far(&point.partition), "VI alone would lump");
    }
}
