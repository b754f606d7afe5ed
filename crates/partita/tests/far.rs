//! Points as far out as doubles reach: squares overflow, log densities do not. Against the textbook in logarithms.

mod support;

use nalgebra::{DMatrix, DVector};
use partita::likelihood::{
    Column, Covariance, GammaPoisson, LARGEST, NormalInverseGamma, NormalInverseWishart, Predict,
};
use partita::target::{Predictive, SharedPrior, Sharing};
use partita::{Error, Full, Gaussian, Likelihood, Mixed, Partition, Prior, SharedVariance, State};
use statrs::function::gamma::ln_gamma;
use std::f64::consts::{LN_2, PI};
use support::sequence;

/// Powers of two by which points are moved out; the last is about 1e307.
const OUT: [i32; 9] = [0, 10, 100, 400, 511, 512, 520, 800, 1018];

#[track_caller]
fn assert_close(found: f64, expected: f64, what: &str) {
    assert!(found.is_finite(), "{what}: {found}");
    let error = (found - expected).abs();
    assert!(error < 1e-10 * expected.abs().max(1.0), "{what}: {found}, by the textbook {expected}");
}

/// A Student t at `x * 2^power` (Murphy 2007, section 9.1): in multiples of `2^power`, so that no square overflows.
fn student(degrees: f64, center: &DVector<f64>, scale: &DMatrix<f64>, x: &[f64], power: i32) -> f64 {
    let d = x.len() as f64;
    // Nothing times anything is near.
    let power = if x.iter().all(|x| *x == 0.0) { 0 } else { power };
    let near = |x: f64| libm::scalbn(x, -power);
    let e = DVector::from_fn(x.len(), |j, _| x[j] - near(center[j]));
    let root = scale.clone().cholesky().unwrap();
    let square = e.dot(&root.solve(&e));
    // ln(1 + square 2^(2 power) / degrees)
    let log = (near(near(1.0)) + square / degrees).ln() + 2.0 * f64::from(power) * LN_2;
    let half_log_det: f64 = root.l().diagonal().iter().map(|pivot| pivot.ln()).sum();
    ln_gamma(0.5 * (degrees + d))
        - ln_gamma(0.5 * degrees)
        - 0.5 * d * (degrees * PI).ln()
        - half_log_det
        - 0.5 * (degrees + d) * log
}

fn student_1(degrees: f64, center: f64, variance: f64, x: f64, power: i32) -> f64 {
    let (center, scale) = (DVector::from_element(1, center), DMatrix::from_element(1, 1, variance));
    student(degrees, &center, &scale, &[x], power)
}

fn out(x: &[f64], power: i32) -> Vec<f64> {
    x.iter().map(|x| libm::scalbn(*x, power)).collect()
}

#[test]
fn normal_columns_of_a_mixed_table() {
    let mut chance = sequence(21);
    let prior = NormalInverseGamma { mean: 0.4, kappa: 0.3, shape: 1.2, rate: 0.7 };
    let columns = [Column::Normal(prior), Column::Count(GammaPoisson::around(2.0)), Column::Normal(prior)];
    let values: Vec<f64> =
        (0..9).flat_map(|i| [chance.normal(), f64::from(i % 4), chance.normal()]).collect();
    let mixed = Mixed::new(&values, &columns).unwrap();
    let mut cluster = mixed.empty();
    for n in 0..=9 {
        let t = |column: usize, x: f64, power: i32| {
            let cells: Vec<f64> = (0..n).map(|i| values[3 * i + column]).collect();
            let (kappa, shape) = (prior.kappa + n as f64, prior.shape + 0.5 * n as f64);
            let center = (prior.kappa * prior.mean + cells.iter().sum::<f64>()) / kappa;
            let squares: f64 = cells.iter().map(|x| (x - center).powi(2)).sum();
            let rate = prior.rate + 0.5 * (squares + prior.kappa * (center - prior.mean).powi(2));
            student_1(2.0 * shape, center, rate / shape * (kappa + 1.0) / kappa, x, power)
        };
        for power in OUT {
            let count = mixed.log_density(&cluster, &[f64::NAN, 3.0, f64::NAN]);
            for x in [[1.3, -0.8], [-1.9, 1.1]] {
                let far = out(&x, power);
                let expected = t(0, x[0], power) + t(2, x[1], power) + count;
                let what = format!("{n} items, {far:?}");
                assert_close(mixed.log_density(&cluster, &[far[0], 3.0, far[1]]), expected, &what);
                // One far, one near, one missing.
                let expected = t(0, x[0], power) + t(2, 0.5, 0);
                assert_close(mixed.log_density(&cluster, &[far[0], f64::NAN, 0.5]), expected, &what);
            }
        }
        assert_eq!(mixed.log_density(&cluster, &[f64::INFINITY, 3.0, 0.0]), f64::NEG_INFINITY);
        if n < 9 {
            mixed.insert(&mut cluster, n);
        }
    }
}

#[test]
fn full_covariances() {
    let mut chance = sequence(22);
    let d = 3;
    let prior = NormalInverseWishart {
        mean: vec![0.2, -0.4, 1.0],
        kappa: 0.4,
        degrees: 4.3,
        scale: vec![0.8, 0.2, -0.1, 0.2, 0.5, 0.1, -0.1, 0.1, 0.9],
    };
    let values: Vec<f64> = (0..8 * d).map(|_| 1.5 * chance.normal()).collect();
    let full = Full::new(values.clone(), &prior).unwrap();
    let mut cluster = full.empty();
    for n in 0..=8 {
        let vector = |x: &[f64]| DVector::from_column_slice(x);
        let (kappa, mean) = (prior.kappa + n as f64, vector(&prior.mean));
        let rows: Vec<_> = values.chunks_exact(d).take(n).map(vector).collect();
        let center = rows.iter().fold(&mean * prior.kappa, |sum, row| sum + row) / kappa;
        let mut scale = DMatrix::from_row_slice(d, d, &prior.scale);
        for row in &rows {
            let e = row - &center;
            scale += &e * e.transpose();
        }
        let e = &center - &mean;
        scale += &e * e.transpose() * prior.kappa;
        let degrees = prior.degrees + n as f64 - d as f64 + 1.0;
        let scale = scale * ((kappa + 1.0) / kappa / degrees);
        for power in OUT {
            for x in [[1.3, -0.8, 0.1], [-1.9, 1.1, 1.7], [0.0, 0.0, 1.0]] {
                let (far, what) = (out(&x, power), format!("{n} items, {x:?} 2^{power}"));
                let expected = student(degrees, &center, &scale, &x, power);
                assert_close(full.log_density(&cluster, &far), expected, &what);
                let seen = [0, 2];
                let center = center.select_rows(&seen);
                let scale = scale.select_rows(&seen).select_columns(&seen);
                let expected = student(degrees, &center, &scale, &[x[0], x[2]], power);
                assert_close(full.log_density(&cluster, &[far[0], f64::NAN, far[2]]), expected, &what);
            }
        }
        assert_eq!(full.log_density(&cluster, &[f64::INFINITY, f64::NAN, 0.0]), f64::NEG_INFINITY);
        if n < 8 {
            full.insert(&mut cluster, n);
        }
    }
}

#[test]
fn shared_variances() {
    let mut chance = sequence(23);
    let (n, d, mean) = (7, 2, [0.3, -0.2]);
    let values: Vec<f64> = (0..n * d).map(|_| chance.normal()).collect();
    let variance = SharedPrior { kappa: 0.4, shape: 1.2, rate: 0.7 };
    let labels = [0, 1, 0, 2, 1, 0, 0];
    let z = Partition::from_labels(&labels).unwrap();
    // Sums of squares of each column about the clusters' centres, and these about the prior mean.
    let members = |c: usize| (0..n).filter(move |&i| labels[i] == c);
    let size = |c: usize| members(c).count() as f64;
    let center = |c: usize, column: usize| {
        let sum: f64 = members(c).map(|i| values[i * d + column]).sum();
        (variance.kappa * mean[column] + sum) / (variance.kappa + size(c))
    };
    let square = |column: usize| -> f64 {
        let of_cluster = |c: usize| {
            let within: f64 = members(c).map(|i| (values[i * d + column] - center(c, column)).powi(2)).sum();
            within + variance.kappa * (center(c, column) - mean[column]).powi(2)
        };
        (0..3).map(of_cluster).sum()
    };
    for sharing in [Sharing::Everything, Sharing::EachColumn] {
        let prior = Prior::dirichlet(0.8).unwrap();
        let target = SharedVariance::new(prior, values.clone(), &mean, variance, sharing).unwrap();
        let state = State::new(&target, z.clone());
        for power in OUT {
            for x in [[1.3, -0.8], [-1.9, 1.1], [0.0, 1.0]] {
                let found = target.log_densities(state.stats(), &z, &out(&x, power));
                assert_eq!(found.len(), 4);
                for (c, found) in found.into_iter().enumerate() {
                    let kappa = variance.kappa + size(c);
                    let spread = |shape: f64, square: f64| {
                        (variance.rate + 0.5 * square) / shape * (kappa + 1.0) / kappa
                    };
                    let center = DVector::from_fn(d, |j, _| center(c, j));
                    let expected = match sharing {
                        Sharing::Everything => {
                            let shape = variance.shape + 0.5 * (n * d) as f64;
                            let scale = DMatrix::identity(d, d) * spread(shape, square(0) + square(1));
                            student(2.0 * shape, &center, &scale, &x, power)
                        }
                        Sharing::EachColumn => {
                            let shape = variance.shape + 0.5 * n as f64;
                            let t = |j: usize| {
                                student_1(2.0 * shape, center[j], spread(shape, square(j)), x[j], power)
                            };
                            t(0) + t(1)
                        }
                    };
                    assert_close(found, expected, &format!("{sharing:?}, cluster {c}, {x:?} 2^{power}"));
                }
            }
        }
    }
}

/// The log density of a normal falls below the range of doubles: to minus infinity, and never to anything else.
#[test]
fn known_covariances() {
    let values = vec![0.3, -0.5, -1.2, 0.25, 0.9, 1.5];
    let dense = |a: f64, b: f64| Covariance::Dense { matrix: vec![a, b, b, 0.7] };
    let diagonal = |sd: [f64; 2]| Covariance::Diagonal { sd: sd.to_vec() };
    let isotropic = |sd: f64| Covariance::Isotropic { sd };
    for (prior, noise) in [
        (isotropic(1.1), isotropic(0.6)),
        (diagonal([0.8, 1.4]), diagonal([0.5, 0.9])),
        (dense(1.5, 0.4), dense(0.5, -0.2)),
        (dense(1.5, 0.4), isotropic(0.6)),
    ] {
        let data = Gaussian::new(values.clone(), &[0.2, -0.1], &prior, &noise).unwrap();
        let mut cluster = data.empty();
        for n in 0..=3 {
            for x in [[1.3, -0.8], [-1.9, 1.1], [0.0, 1.0], [1.9, 1.9]] {
                let at = |power: i32| data.log_density(&cluster, &out(&x, power));
                // Far from the centre the log density is the square and nothing else.
                let square = at(300) / libm::scalbn(1.0, 600);
                for power in [400, 500] {
                    let expected = square * libm::scalbn(1.0, 2 * power);
                    assert!((at(power) / expected - 1.0).abs() < 1e-10, "{n} {x:?} 2^{power}: {}", at(power));
                }
                for power in [515, 600, 900, 1022] {
                    assert_eq!(at(power), f64::NEG_INFINITY, "{n} {x:?} 2^{power}");
                }
            }
            let end = f64::MAX;
            for x in [[end, -end], [-end, end], [end, end], [f64::INFINITY, 0.0]] {
                assert_eq!(data.log_density(&cluster, &x), f64::NEG_INFINITY, "{x:?}");
            }
            assert!(data.log_density(&cluster, &[f64::NAN, 0.0]).is_nan());
            if n < 3 {
                data.insert(&mut cluster, n);
            }
        }
    }
}

/// Data whose squares overflow are refused by every family; those below the limit are not.
#[test]
fn data_too_large_to_square_are_refused() {
    let prior = Prior::dirichlet(1.0).unwrap();
    let families = |values: Vec<f64>| -> [Result<(), Error>; 5] {
        let shared = |sharing| {
            SharedVariance::new(prior, values.clone(), &[0.0; 2], SharedPrior::weak(), sharing).map(drop)
        };
        [
            Gaussian::isotropic(values.clone(), 2, 1.0, 1.0).map(drop),
            Mixed::diagonal(values.clone(), 2, NormalInverseGamma::weak(2)).map(drop),
            shared(Sharing::Everything),
            shared(Sharing::EachColumn),
            Full::new(values.clone(), &NormalInverseWishart::weak(2)).map(drop),
        ]
    };
    for value in [2.0 * LARGEST, -1e155, 1e200, f64::MAX] {
        for refused in families(vec![0.0, 1.0, 2.0, value]) {
            assert_eq!(refused, Err(Error::TooLarge { item: 1, coordinate: 1, value }));
        }
    }
    let [known, diagonal, shared, each, full] = families(vec![0.0, 1.0, 2.0, LARGEST]);
    assert!(known.is_ok() && diagonal.is_ok() && shared.is_ok() && each.is_ok());
    assert_eq!(full, Err(Error::TooLarge { item: 1, coordinate: 1, value: LARGEST }));
    assert_eq!(families(vec![0.0, 1.0, 2.0, 4e5]), [const { Ok(()) }; 5]);
    assert_eq!(
        full.unwrap_err().to_string(),
        "the value of item 1, coordinate 1 is 1e100, whose square overflows: change the unit"
    );
    // By the noise, not by the unit.
    let refused = Gaussian::isotropic(vec![1.0, 1e60], 1, 1e-90, 1e-90).unwrap_err();
    assert_eq!(refused, Error::TooLarge { item: 1, coordinate: 0, value: 1e60 });
    let refused = Gaussian::isotropic(vec![1.0], 1, 1e100, 1e-100).unwrap_err();
    assert!(matches!(refused, Error::OutOfRange { name: "the prior variance over that of the noise", .. }));
    let refused = Gaussian::new(
        vec![1.0],
        &[1e200],
        &Covariance::Isotropic { sd: 1.0 },
        &Covariance::Isotropic { sd: 1.0 },
    );
    assert!(matches!(refused, Err(Error::OutOfRange { name: "the prior mean", .. })));
}

/// As near the limit as data may be, conditionals are still those of the definition.
#[test]
fn full_covariances_hold_their_digits_up_to_the_limit() {
    let offset = 4e5;
    let near = [0.3, -0.5, -1.2, 0.25, 0.9, 1.5, 2.2, 1.0, -0.4, -1.25, 0.1, 0.5, 0.7, -0.7];
    let values: Vec<f64> = near.iter().map(|x| x + offset).collect();
    let prior = NormalInverseWishart::weak(2);
    let full = Full::new(values, &prior).unwrap();
    let mut cluster = full.empty();
    (0..6).for_each(|item| full.insert(&mut cluster, item));
    // With P = A + u u' for the offset's share u, by the matrix determinant lemma: nothing cancels.
    let n = 6.0;
    let (kappa, mean) = (prior.kappa + n, |j: usize| near.iter().skip(j).step_by(2).take(6).sum::<f64>() / n);
    let a = DMatrix::from_fn(2, 2, |i, j| {
        let rows = near.chunks_exact(2).take(6);
        let within: f64 = rows.map(|row| (row[i] - mean(i)) * (row[j] - mean(j))).sum();
        within + if i == j { 0.25 } else { 0.0 }
    });
    let whole = DVector::from_fn(2, |j, _| mean(j) + offset);
    let u = &whole * (prior.kappa * n / kappa).sqrt();
    let inverse = a.clone().try_inverse().unwrap();
    let lemma = 1.0 + (u.transpose() * &inverse * &u)[0];
    let e = DVector::from_fn(2, |j, _| near[12 + j] + offset) - &whole * (n / kappa);
    // e' P^-1 e = e'A^-1 e - (e'A^-1 u)^2 / lemma (Sherman, Morrison), with e = t u + r and r free of the offset.
    let t = e.dot(&u) / u.dot(&u);
    let r = &e - &u * t;
    let (arr, aru) = ((r.transpose() * &inverse * &r)[0], (r.transpose() * &inverse * &u)[0]);
    let auu = lemma - 1.0;
    let quadratic = arr + (2.0 * t * aru + t * t * auu) / lemma - aru * aru / lemma;
    let (shrink, nu) = (kappa / (kappa + 1.0), prior.degrees + n);
    let expected = ln_gamma(0.5 * (nu + 1.0)) - ln_gamma(0.5 * (nu - 1.0)) - PI.ln() + shrink.ln()
        - 0.5 * (a.determinant().ln() + lemma.ln())
        - 0.5 * (nu + 1.0) * (1.0 + shrink * quadratic).ln();
    let found = full.log_predictive(&cluster, 6);
    assert!((found - expected).abs() < 1e-4, "{found} {expected}");
}
