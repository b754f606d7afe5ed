//! Gaussian clusters against the textbook, and their incremental statistics against recomputation.

use nalgebra::{DMatrix, DVector};
use partita::chance::Chance;
use partita::likelihood::{Covariance, Predict};
use partita::rng::{Purpose, Sequence};
use partita::{Error, Gaussian, Likelihood, Mixture, Partition, Prior, State, Stream, Target};

fn sequence(seed: u64) -> Sequence {
    Stream::new(seed, 0).sequence(Purpose::Data, 0)
}

fn random_covariance(d: usize, chance: &mut Sequence) -> DMatrix<f64> {
    let root = DMatrix::from_fn(d, d, |_, _| chance.normal());
    &root * root.transpose() + DMatrix::identity(d, d) * 0.3
}

/// The predictive density of the textbook: posterior of the mean, then its predictive.
fn textbook(x: &[f64], members: &[&[f64]], mean: &[f64], prior: &DMatrix<f64>, noise: &DMatrix<f64>) -> f64 {
    let d = mean.len();
    let (p, q) = (prior.clone().try_inverse().unwrap(), noise.clone().try_inverse().unwrap());
    let n = members.len() as f64;
    let covariance = (&p + &q * n).try_inverse().unwrap();
    let sum = members.iter().fold(DVector::zeros(d), |s, m| s + DVector::from_column_slice(m));
    let center = &covariance * (&p * DVector::from_column_slice(mean) + &q * sum);
    let predictive = covariance + noise;
    let residual = DVector::from_column_slice(x) - center;
    let quadratic = (residual.transpose() * predictive.clone().try_inverse().unwrap() * residual)[0];
    -0.5 * (d as f64 * std::f64::consts::TAU.ln() + predictive.determinant().ln() + quadratic)
}

#[test]
fn every_covariance_agrees_with_the_textbook() {
    let mut chance = sequence(1);
    for d in [1, 2, 3, 5, 9] {
        let n = 12;
        let values: Vec<f64> = (0..n * d).map(|_| 2.0 * chance.normal()).collect();
        let mean: Vec<f64> = (0..d).map(|_| chance.normal()).collect();
        let row = |i: usize| &values[i * d..(i + 1) * d];
        let sds: Vec<f64> = (0..d).map(|_| 0.3 + chance.uniform()).collect();
        let dense = |m: &DMatrix<f64>| Covariance::Dense { matrix: m.iter().copied().collect() };
        let diagonal =
            |sds: &[f64]| DMatrix::from_diagonal(&DVector::from_iterator(d, sds.iter().map(|s| s * s)));
        let (s0, s1) = (random_covariance(d, &mut chance), random_covariance(d, &mut chance));
        let cases = [
            (dense(&s0), s0.clone(), dense(&s1), s1.clone()),
            (Covariance::Diagonal { sd: sds.clone() }, diagonal(&sds), dense(&s1), s1.clone()),
            (
                Covariance::Diagonal { sd: sds.clone() },
                diagonal(&sds),
                Covariance::Isotropic { sd: 0.7 },
                diagonal(&vec![0.7; d]),
            ),
            (
                Covariance::Isotropic { sd: 1.5 },
                diagonal(&vec![1.5; d]),
                Covariance::Isotropic { sd: 0.4 },
                diagonal(&vec![0.4; d]),
            ),
        ];
        for (prior, prior_matrix, noise, noise_matrix) in cases {
            let gaussian = Gaussian::new(values.clone(), &mean, &prior, &noise).unwrap();
            for members in [vec![], vec![3], vec![1, 2, 4, 5, 6, 7, 8]] {
                let mut cluster = gaussian.empty();
                members.iter().for_each(|&i| gaussian.insert(&mut cluster, i));
                let rows: Vec<&[f64]> = members.iter().map(|&i| row(i)).collect();
                let expected = textbook(row(0), &rows, &mean, &prior_matrix, &noise_matrix);
                let close = |found: f64| (found - expected).abs() < 1e-9 * expected.abs().max(1.0);
                assert!(close(gaussian.log_predictive(&cluster, 0)), "d={d} {members:?}");
                assert!(close(gaussian.log_density(&cluster, row(0))));
                // The same from inside the cluster, by correction.
                gaussian.insert(&mut cluster, 0);
                assert!(close(gaussian.log_predictive_without(&cluster, 0)));
            }
            // The centre of a cluster, against a very precise mean of many equal points.
            let mut cluster = gaussian.empty();
            gaussian.insert(&mut cluster, 0);
            let (p, q) = (prior_matrix.try_inverse().unwrap(), noise_matrix.try_inverse().unwrap());
            let expected = (&p + &q).try_inverse().unwrap()
                * (&p * DVector::from_column_slice(&mean) + &q * DVector::from_column_slice(row(0)));
            for (found, expected) in gaussian.center(&cluster).iter().zip(expected.iter()) {
                assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0));
            }
        }
    }
}

/// Statistics after 10^5 random moves, *without* a refresh, agree with recomputation to 1e-8.
/// In a chain the drift is smaller still: a mixture rebuilds its statistics after so many moves.
#[test]
fn statistics_do_not_drift() {
    for (seed, offset) in [(1, 0.0), (2, 1e3)] {
        let mut chance = sequence(seed);
        let (n, d) = (40, 3);
        let values: Vec<f64> = (0..n * d).map(|_| offset + chance.normal()).collect();
        let prior = Covariance::Diagonal { sd: vec![1.0, 2.0, 0.5] };
        let noise = Covariance::Isotropic { sd: 0.7 };
        let gaussian = Gaussian::new(values, &vec![offset; d], &prior, &noise).unwrap();
        let target = Mixture::new(Prior::dirichlet(1.0).unwrap(), gaussian);
        let mut state = State::new(&target, Partition::one_cluster(n).unwrap());
        for _ in 0..100_000 {
            let item = chance.below(n);
            let slot = chance.below((state.partition().clusters() + 1).min(9));
            state.place(&target, item, slot);
        }
        let fresh = State::new(&target, state.partition().clone());
        let k = state.partition().clusters();
        let (mut kept, mut anew) = (vec![0.0; k + 1], vec![0.0; k + 1]);
        for item in 0..n {
            target.log_weights(state.stats(), state.partition(), item, &mut kept);
            target.log_weights(fresh.stats(), fresh.partition(), item, &mut anew);
            for (a, b) in kept.iter().zip(&anew).filter(|(_, b)| b.is_finite()) {
                assert!((a - b).abs() < 1e-8, "{a} {b}");
            }
            // The batch of all slots agrees with the slots one by one.
            for (slot, b) in anew.iter().enumerate().filter(|(_, b)| b.is_finite()) {
                let one = target.log_weight(fresh.stats(), fresh.partition(), item, slot);
                assert!((one - b).abs() < 1e-10);
            }
        }
    }
}

#[test]
fn bad_models_are_refused() {
    let unit = Covariance::Isotropic { sd: 1.0 };
    let new = |prior: &Covariance, noise: &Covariance| Gaussian::new(vec![0.0; 4], &[0.0, 0.0], prior, noise);
    let indefinite = Covariance::Dense { matrix: vec![1.0, 2.0, 2.0, 1.0] };
    let skew = Covariance::Dense { matrix: vec![1.0, 0.3, -0.3, 1.0] };
    let infinite = Covariance::Dense { matrix: vec![f64::INFINITY, 0.0, 0.0, 1.0] };
    let singular = Covariance::Dense { matrix: vec![1.0, 1.0, 1.0, 1.0] };
    for bad in [&indefinite, &skew, &infinite, &singular] {
        assert_eq!(
            new(bad, &unit).unwrap_err(),
            Error::NotPositiveDefinite { name: "prior covariance" },
            "{bad:?}"
        );
        assert_eq!(new(&unit, bad).unwrap_err(), Error::NotPositiveDefinite { name: "noise covariance" });
    }
    for sd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            new(&unit, &Covariance::Isotropic { sd }),
            Err(Error::NotPositive { name: "noise sd", .. })
        ));
    }
    assert!(matches!(new(&Covariance::Diagonal { sd: vec![1.0] }, &unit), Err(Error::WrongLength { .. })));
    assert_eq!(Gaussian::isotropic(vec![], 1, 1.0, 1.0).unwrap_err(), Error::NoItems);
    let refused = Gaussian::isotropic(vec![0.0, f64::NAN, 1.0, 2.0], 2, 1.0, 1.0).unwrap_err();
    assert!(matches!(refused, Error::NotFinite { item: 0, coordinate: 1, .. }));
    assert_eq!(refused.to_string(), "the value of item 0, coordinate 1 is NaN, not a finite number");
    assert!(matches!(Gaussian::isotropic(vec![0.0; 3], 2, 1.0, 1.0), Err(Error::WrongLength { .. })));
}
