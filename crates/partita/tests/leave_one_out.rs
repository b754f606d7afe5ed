//! Leave-one-out densities by definition: against sums over all places, and over all partitions.

mod support;

use partita::likelihood::{Beside, NormalInverseGamma, NormalInverseWishart};
use partita::partition::Partitions;
use partita::score::LeaveOneOut;
use partita::target::{Predictive, SharedPrior, Sharing};
use partita::{Full, Gaussian, Mixed, Mixture, Partition, Prior, SharedVariance, State};
use support::columns;

const ITEMS: usize = 6;
/// Two numbers, a count and a level in a row; the fourth row's numbers are missing, and the count of the second.
const TABLE: [[f64; 4]; ITEMS] = [
    [0.3, -1.2, 0.0, 0.0],
    [0.4, -0.9, f64::NAN, 1.0],
    [-1.1, 0.8, 7.0, 1.0],
    [f64::NAN, f64::NAN, 2.0, 0.0],
    [-0.6, 0.1, 3.0, f64::NAN],
    [0.5, 1.4, 1.0, 0.0],
];

fn log_sum(logs: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = logs.collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln()
}

/// `of` makes the target of some of the rows.
fn check<T: Predictive>(name: &str, of: impl Fn(&[usize]) -> T) {
    let all: Vec<usize> = (0..ITEMS).collect();
    let target = of(&all);
    let states: Vec<Partition> = Partitions::of(ITEMS).collect();
    let logs: Vec<f64> = states.iter().map(|z| target.log_probability(z)).collect();
    let evidence = log_sum(logs.iter().copied());
    for left_out in 0..ITEMS {
        let rest: Vec<usize> = all.iter().copied().filter(|&item| item != left_out).collect();
        let less = of(&rest);
        let mut inverse = 0.0;
        for (z, log) in states.iter().zip(&logs) {
            let labels = z.canonical_labels();
            // Everywhere the item can be, over the rest alone.
            let kept: Vec<usize> = rest.iter().map(|&item| labels[item]).collect();
            let kept = Partition::from_labels(&kept).unwrap();
            let same = |other: &&Partition| {
                let other: Vec<usize> = rest.iter().map(|&item| other.canonical_labels()[item]).collect();
                Partition::from_labels(&other).unwrap().canonical_labels() == kept.canonical_labels()
            };
            let places = states.iter().filter(same).map(|z| target.log_probability(z));
            let expected = log_sum(places) - less.log_probability(&kept);
            let state = State::new(&target, z.clone());
            let found = target.leave_one_out(state.stats(), z, left_out);
            assert!(
                (found - expected).abs() < 1e-10,
                "{name}: {found} for item {left_out} in {z:?}, not {expected}"
            );
            inverse += (log - evidence - found).exp();
        }
        // The harmonic mean over the posterior is the density given the data of all others.
        let expected = evidence - log_sum(Partitions::of(ITEMS - 1).map(|z| less.log_probability(&z)));
        assert!(
            (-inverse.ln() - expected).abs() < 1e-10,
            "{name}: {} of item {left_out}, not {expected}",
            -inverse.ln()
        );
    }
}

fn priors() -> [Prior; 4] {
    [
        Prior::dirichlet(0.8).unwrap(),
        Prior::dirichlet_gamma(2.0, 4.0).unwrap(),
        Prior::pitman_yor(0.3, 0.6).unwrap(),
        Prior::finite_mixture(0.7, partita::prior::Components::Poisson { rate: 2.0 }).unwrap(),
    ]
}

fn wishart() -> NormalInverseWishart {
    NormalInverseWishart { mean: vec![0.2, -0.1], kappa: 0.4, degrees: 3.3, scale: vec![0.8, 0.2, 0.2, 0.5] }
}

/// Some columns of some rows, a missing number replaced where `fill` says so.
fn cells(rows: &[usize], columns: &[usize], fill: Option<f64>) -> Vec<f64> {
    let cell = |row: usize, column: usize| match (TABLE[row][column], fill) {
        (value, Some(fill)) if value.is_nan() => fill,
        (value, _) => value,
    };
    rows.iter().flat_map(|&row| columns.iter().map(move |&column| cell(row, column))).collect()
}

#[test]
fn leave_one_out_is_by_definition() {
    for prior in priors() {
        check("normal columns", |rows| {
            let normal = NormalInverseGamma { mean: 0.1, kappa: 0.4, shape: 1.3, rate: 0.5 };
            Mixture::new(prior, Mixed::diagonal(cells(rows, &[0, 1], None), 2, normal).unwrap())
        });
        check("full", |rows| Mixture::new(prior, Full::new(cells(rows, &[0, 1], None), &wishart()).unwrap()));
        check("a block beside columns", |rows| {
            let block = Full::new(cells(rows, &[0, 1], None), &wishart()).unwrap();
            let [_, count, _, yes] = columns();
            let rest = Mixed::new(&cells(rows, &[2, 3], None), &[count, yes]).unwrap();
            Mixture::new(prior, Beside::new((block, &[0, 1]), (rest, &[2, 3])).unwrap())
        });
    }
    let prior = priors()[1];
    check("known", |rows| {
        Mixture::new(prior, Gaussian::isotropic(cells(rows, &[0, 1], Some(0.4)), 2, 1.1, 0.6).unwrap())
    });
    for sharing in [Sharing::Everything, Sharing::EachColumn] {
        check("shared", |rows| {
            let (values, variance) =
                (cells(rows, &[0, 1], Some(0.4)), SharedPrior { kappa: 0.3, shape: 1.4, rate: 0.6 });
            SharedVariance::new(prior, values, &[0.1, 0.2], variance, sharing).unwrap()
        });
    }
}

#[test]
fn states_of_two_chains_are_one_score() {
    let (mut all, mut one, mut other) = (LeaveOneOut::new(2), LeaveOneOut::new(2), LeaveOneOut::new(2));
    for (state, logs) in [[-1.0, -2.0], [-1.5, -1.0], [-3.0, -2.5]].iter().enumerate() {
        all.add(logs);
        if state < 1 { &mut one } else { &mut other }.add(logs);
    }
    one.merge(&other);
    assert_eq!(one.states(), 3);
    let score = all.score();
    assert!((one.score().mean - score.mean).abs() < 1e-14);
    let items = all.items();
    assert!((score.se - (items[0] - items[1]).abs() / 2.0).abs() < 1e-14, "{score:?}");
    assert!(LeaveOneOut::new(1).items()[0].is_nan(), "nothing is known without a state");
}
