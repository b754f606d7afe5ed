//! Priors against their definitions, and that what is tabulated is made once.

use super::*;
use crate::partition::Partitions;

fn priors() -> Vec<Prior> {
    vec![
        Prior::dirichlet(0.3).unwrap(),
        Prior::dirichlet(40.0).unwrap(),
        Prior::dirichlet_gamma(2.0, 4.0).unwrap(),
        Prior::dirichlet_gamma(0.05, 0.01).unwrap(),
        Prior::dirichlet_gamma(500.0, 3.0).unwrap(),
        Prior::dirichlet_gamma(1e-4, 1e-4).unwrap(),
        Prior::pitman_yor(0.4, -0.2).unwrap(),
        Prior::pitman_yor(0.0, 2.0).unwrap(),
        Prior::finite_mixture(1.0, Components::Poisson { rate: 1.0 }).unwrap(),
        Prior::finite_mixture(0.2, Components::Geometric { p: 0.1 }).unwrap(),
        Prior::finite_mixture(2.5, Components::Exactly(3)).unwrap(),
    ]
}

#[test]
fn every_prior_sums_to_one() {
    for prior in priors() {
        for n in 1..=7 {
            let total: f64 = Partitions::of(n).map(|z| prior.log_probability(&z).exp()).sum();
            assert!((total - 1.0).abs() < 1e-11, "{prior:?} n={n}: {total}");
        }
    }
}

/// Consistency: the weights of the table are the ratios of the probabilities.
#[test]
fn weights_are_ratios_of_probabilities() {
    for prior in priors() {
        let table = PriorTable::new(prior, 6);
        for z in Partitions::of(6) {
            let here = prior.log_probability(&z);
            if here == f64::NEG_INFINITY {
                continue;
            }
            let (item, k) = (5, z.clusters());
            let alone = usize::from(z.is_alone(item));
            let weight = |z: &Partition, slot: usize| {
                let own = usize::from(z.slot(item) == slot);
                match z.sizes().get(slot).map_or(0, |&n| n as usize - own) {
                    0 => table.log_open(k - alone),
                    n => table.log_join(n),
                }
            };
            for to in 0..=k {
                let mut moved = z.clone();
                moved.place(item, to);
                let there = prior.log_probability(&moved);
                let ratio = weight(&z, to) - weight(&z, z.slot(item));
                if there.is_finite() || ratio.is_finite() {
                    assert!((there - here - ratio).abs() < 1e-10, "{prior:?} {z:?} {to}");
                }
            }
        }
    }
}

/// What is tabulated once against the definition: the probability of a partition, and the places of one more
/// item as ratios of probabilities, for as many clusters as there can be, asked for twice.
#[test]
fn tables_agree_with_the_definition() {
    for prior in priors() {
        let table = PriorTable::new(prior, 5);
        for z in Partitions::of(5).chain(Partitions::of(5)) {
            let here = prior.log_probability(&z);
            assert_eq!(table.log_probability(&z), here, "{prior:?}");
            if here == f64::NEG_INFINITY {
                continue;
            }
            let places = table.log_places_of_one_more(&z);
            assert_eq!(places.len(), z.clusters() + 1);
            let sum: f64 = places.iter().map(|place| place.exp()).sum();
            assert!((sum - 1.0).abs() < 1e-14, "{prior:?} {z:?}: {sum}");
            for (slot, place) in places.iter().enumerate() {
                let labels: Vec<usize> = z.slots().chain([slot]).collect();
                let there = prior.log_probability(&Partition::from_labels(&labels).unwrap());
                let ratio = there - here;
                assert!(*place == ratio || (place - ratio).abs() < 1e-10, "{prior:?} {z:?} {slot}");
            }
        }
    }
}

/// An integral over alpha depends on counts alone: however many states and points are asked for, there is one for
/// each number of clusters.
#[test]
fn integrals_over_alpha_are_made_once() {
    use crate::summary::{PredictiveDensity, Summary};
    use crate::{Gaussian, Mixture, State, Target};
    let items = 5;
    let integrals = |work: &mut dyn FnMut()| {
        let before = alpha::INTEGRALS.get();
        work();
        alpha::INTEGRALS.get() - before
    };
    let data = Gaussian::isotropic(vec![-1.0, 0.5, 3.0, 0.2, 0.9], 1, 2.0, 0.7).unwrap();
    let target = Mixture::new(Prior::dirichlet_gamma(2.0, 4.0).unwrap(), data);
    let density = PredictiveDensity::new((0..100).map(f64::from).collect(), 1).unwrap();
    let mut out = vec![0.0; 100];
    let densities = integrals(&mut || {
        for z in Partitions::of(items) {
            density.evaluate(&target, &State::new(&target, z), &mut out);
        }
    });
    assert_eq!(densities, items as u64);
    let probabilities = integrals(&mut || {
        Partitions::of(items).for_each(|z| assert!(target.log_probability(&z).is_finite()));
    });
    assert_eq!(probabilities, items as u64);
}

/// More clusters than the table holds.
#[test]
fn tables_end_and_priors_do_not() {
    let items = 1100;
    for prior in [Prior::dirichlet_gamma(500.0, 3.0).unwrap(), Prior::pitman_yor(0.4, -0.2).unwrap()] {
        let table = PriorTable::new(prior, items);
        let z = Partition::from_labels(&(0..items).collect::<Vec<_>>()).unwrap();
        assert_eq!(table.log_probability(&z), prior.log_probability(&z));
        let places = table.log_places_of_one_more(&z);
        let expected = prior.log_v(items + 1, items + 1) - prior.log_v(items, items);
        assert!((places[items] - expected).abs() < 1e-9 * expected.abs().max(1.0), "{prior:?}");
        assert!((places.iter().map(|place| place.exp()).sum::<f64>() - 1.0).abs() < 1e-12, "{prior:?}");
    }
}

/// A Gibbs-type prior is consistent: p(z of n) is the sum over the places of item n + 1.
#[test]
fn v_satisfies_its_recursion() {
    for prior in priors() {
        for (n, k) in [(1, 1), (5, 2), (200, 7), (3000, 40)] {
            let left = prior.log_v(n, k);
            if left == f64::NEG_INFINITY {
                continue;
            }
            let stay = ln(n as f64 - prior.sigma() * k as f64) + prior.log_v(n + 1, k);
            let right = ln_add(stay, prior.log_v(n + 1, k + 1));
            assert!((left - right).abs() < 1e-9 * left.abs().max(1.0), "{prior:?} {n} {k}: {left} {right}");
        }
    }
}

/// Draws have the law of the prior. False alarm below 1e-6 in all: |z| < 5.5 for 15 cells x 11 priors.
#[test]
fn draws_follow_the_prior() {
    let (n, draws) = (4, 40_000u32);
    for prior in priors() {
        let all: Vec<_> = Partitions::of(n).collect();
        let mut counts = vec![0.0; all.len()];
        for replicate in 0..draws {
            let stream = crate::rng::Stream::new(5, u64::from(replicate));
            let mut chance = stream.sequence(crate::rng::Purpose::StartX, 0);
            let z = prior.draw(n, &mut chance).unwrap();
            counts[all.iter().position(|y| *y == z).unwrap()] += 1.0;
        }
        for (z, count) in all.iter().zip(counts) {
            let p = prior.log_probability(z).exp();
            let expected = p * f64::from(draws);
            let sd = (expected * (1.0 - p)).sqrt();
            assert!((count - expected).abs() < 5.5 * sd + 3.0, "{prior:?} {z:?}");
        }
    }
}

#[test]
fn bad_priors_are_refused() {
    assert!(Prior::dirichlet(0.0).is_err());
    assert!(Prior::dirichlet(f64::NAN).is_err());
    assert!(Prior::dirichlet(f64::INFINITY).is_err());
    assert!(Prior::dirichlet_gamma(1.0, -1.0).is_err());
    assert!(Prior::dirichlet_gamma(1e-300, 1.0).is_err());
    assert!(Prior::pitman_yor(1.0, 1.0).is_err());
    assert!(Prior::pitman_yor(0.5, -0.5).is_err());
    assert!(Prior::finite_mixture(1.0, Components::Exactly(0)).is_err());
    assert!(Prior::finite_mixture(1.0, Components::Geometric { p: 1.0 }).is_err());
}
