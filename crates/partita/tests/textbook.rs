//! The model families against the textbook: densities from marginal likelihoods written down afresh.

mod support;

use nalgebra::{DMatrix, DVector};
use partita::chance::Chance;
use partita::likelihood::{
    Beside, Column, GammaPoisson, LARGEST_COUNT, MixedCluster, NormalInverseGamma, NormalInverseWishart,
    Predict, Shape, TablePrior,
};
use partita::rng::Sequence;
use partita::target::{EdgePrior, Predictive, SharedPrior, Sharing};
use partita::{Blocks, Full, Likelihood, Mixed, Partition, Prior, SharedVariance, State, Target};
use statrs::function::gamma::ln_gamma;
use std::f64::consts::{PI, TAU};
use support::{random_graph, random_table, sequence};

#[track_caller]
fn assert_close(found: f64, expected: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error < 1e-9 * expected.abs().max(1.0), "{what}: {found}, by the textbook {expected}");
}

/// The log marginal likelihood of a column's observed cells.
fn column_evidence(column: &Column, cells: &[f64]) -> f64 {
    let n = cells.len() as f64;
    let sum: f64 = cells.iter().sum();
    match column {
        Column::Normal(p) => {
            // Murphy (2007), section 3.5, with the two-pass sum of squares.
            let mean = if n > 0.0 { sum / n } else { 0.0 };
            let within: f64 = cells.iter().map(|x| (x - mean).powi(2)).sum();
            let kappa = p.kappa + n;
            let rate = p.rate + 0.5 * within + 0.5 * p.kappa * n / kappa * (mean - p.mean).powi(2);
            let shape = p.shape + 0.5 * n;
            ln_gamma(shape) - ln_gamma(p.shape) + p.shape * p.rate.ln() - shape * rate.ln()
                + 0.5 * (p.kappa / kappa).ln()
                - 0.5 * n * TAU.ln()
        }
        Column::Count(p) => {
            let factorials: f64 = cells.iter().map(|x| ln_gamma(x + 1.0)).sum();
            ln_gamma(p.shape + sum) - ln_gamma(p.shape) + p.shape * p.rate.ln()
                - (p.shape + sum) * (p.rate + n).ln()
                - factorials
        }
        Column::Category(p) => {
            let total: f64 = p.concentrations.iter().sum();
            let level = |(l, c): (usize, &f64)| {
                let seen = cells.iter().filter(|x| **x == l as f64).count() as f64;
                ln_gamma(c + seen) - ln_gamma(*c)
            };
            ln_gamma(total) - ln_gamma(total + n)
                + p.concentrations.iter().enumerate().map(level).sum::<f64>()
        }
        other => unreachable!("{other:?}"),
    }
}

fn table_evidence(columns: &[Column], rows: &[&[f64]]) -> f64 {
    let column = |(c, column): (usize, &Column)| {
        let cells: Vec<f64> = rows.iter().map(|row| row[c]).filter(|x| !x.is_nan()).collect();
        column_evidence(column, &cells)
    };
    columns.iter().enumerate().map(column).sum()
}

#[test]
fn columns_agree_with_the_textbook() {
    for (seed, missing) in [(1, 0.0), (2, 0.3), (3, 0.9)] {
        let mut chance = sequence(seed);
        let (columns, values) = random_table(30, missing, &mut chance);
        let width = columns.len();
        let row = |i: usize| &values[i * width..(i + 1) * width];
        let mixed = Mixed::new(&values, &columns).unwrap();
        for size in [0, 1, 2, 5, 25] {
            for item in 25..30 {
                let mut cluster = mixed.empty();
                (0..size).for_each(|i| mixed.insert(&mut cluster, i));
                let mut rows: Vec<&[f64]> = (0..size).map(row).collect();
                let before = table_evidence(&columns, &rows);
                rows.push(row(item));
                let expected = table_evidence(&columns, &rows) - before;
                let what = format!("{size} items, {missing} missing");
                assert_close(mixed.log_predictive(&cluster, item), expected, &what);
                assert_close(mixed.log_density(&cluster, row(item)), expected, &what);
                mixed.insert(&mut cluster, item);
                assert_close(mixed.log_predictive_without(&cluster, item), expected, &what);
                mixed.remove(&mut cluster, item);
                assert_close(mixed.log_predictive(&cluster, item), expected, &what);
            }
        }
    }
}

/// Large counts leave the tables of `ln Gamma`; the densities stay as good.
#[test]
fn large_counts_agree_with_the_textbook() {
    let prior = GammaPoisson { shape: 1.5, rate: 0.01 };
    let values = vec![70_000.0, 65_000.0, 0.0, 300.0, 4_294_967_294.0, 66_000.0];
    let mixed = Mixed::counts(values.clone(), 1, prior).unwrap();
    for members in [vec![1], vec![1, 2, 3], vec![1, 2, 3, 5], vec![4]] {
        let mut cluster = mixed.empty();
        members.iter().for_each(|&i| mixed.insert(&mut cluster, i));
        // The negative binomial as a product, in logarithms.
        let (a, b) = (
            prior.shape + members.iter().map(|&i| values[i]).sum::<f64>(),
            prior.rate + members.len() as f64,
        );
        let x = values[0] as u32;
        let product: f64 = (0..x).map(|i| ((a + f64::from(i)) / f64::from(i + 1)).ln()).sum();
        let expected = product - a * (1.0 / b).ln_1p() - f64::from(x) * (b + 1.0).ln();
        assert_close(mixed.log_predictive(&cluster, 0), expected, &format!("{members:?}"));
        mixed.insert(&mut cluster, 0);
        assert_close(mixed.log_predictive_without(&cluster, 0), expected, &format!("{members:?}"));
    }
}

/// Counts up to the largest there can be: cells are exchangeable, so that evidence does not depend on their order, and
/// to leave a cluster and come back changes nothing. Every term is of the order of 1e17, their sum of 1e2.
#[test]
fn huge_counts_are_exchangeable() {
    let most = LARGEST_COUNT as f64;
    for values in [
        vec![4_294_967_295.0, 4_295_000_000.0, 4_294_900_000.0, 4_295_100_123.0],
        vec![1e15, 1e15 + 2e7, 1e15 - 3e7, 1e15 + 5.0],
        vec![most - 1e15, 9.9e14, 65_536.0, 65_537.0],
        vec![3e14, 0.0, 12.0, 70_000.0],
    ] {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let mixed = Mixed::counts(values.clone(), 1, GammaPoisson::around(mean)).unwrap();
        let evidence = |order: [usize; 4]| {
            let mut cluster = mixed.empty();
            let mut sum = 0.0;
            for item in order {
                let one = mixed.log_predictive(&cluster, item);
                assert_close(mixed.log_density(&cluster, &values[item..=item]), one, "as a new row");
                mixed.insert(&mut cluster, item);
                let without = mixed.log_predictive_without(&cluster, item);
                assert!((one - without).abs() < 1e-12 * one.abs(), "{values:?} {item}: {one} {without}");
                sum += one;
            }
            sum
        };
        let one = evidence([0, 1, 2, 3]);
        for order in [[3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
            let other = evidence(order);
            assert!((one - other).abs() < 1e-6 + 1e-14 * one.abs(), "{values:?} {order:?}: {one} {other}");
        }
    }
    // Counts that one rate explains belong together, and others do not, however large.
    let together = |a: f64, b: f64| {
        let mixed = Mixed::counts(vec![a, b], 1, GammaPoisson::around(0.5 * (a + b))).unwrap();
        let mut cluster = mixed.empty();
        mixed.insert(&mut cluster, 0);
        mixed.log_predictive(&cluster, 1) - mixed.log_predictive(&mixed.empty(), 1)
    };
    // The rate is exponential a priori: ln p(n | n) is that of a normal of variance 2 n, ln p(n) = -ln n - 1.
    for n in [1e6, 4_294_967_295.0, 1e12, 4e15] {
        let (same, expected) = (together(n, n), 0.5 * (n / (4.0 * PI)).ln() + 1.0);
        assert!((same - expected).abs() < 1e-3, "{n}: {same} {expected}");
        assert!(together(n, (n + 20.0 * n.sqrt()).round()) < -50.0, "{n}");
    }
}

#[test]
fn centers_are_posterior_means() {
    let columns = support::columns();
    let values = [1.0, 3.0, 2.0, 1.0, 2.0, 0.0, 1.0, 1.0, f64::NAN, f64::NAN, f64::NAN, f64::NAN];
    let mixed = Mixed::new(&values, &columns).unwrap();
    let mut cluster: MixedCluster = mixed.empty();
    (0..3).for_each(|i| mixed.insert(&mut cluster, i));
    let center = mixed.center(&cluster);
    assert_close(center[0], (0.4 * 0.1 + 3.0) / 2.4, "mean");
    assert_close(center[1], 3.8 / 2.3, "rate");
    assert!(center[2].is_nan(), "three levels have no mean");
    assert_close(center[3], 2.7 / 3.9, "probability");
    assert_eq!(mixed.log_density(&cluster, &[f64::NAN, 0.5, f64::NAN, f64::NAN]), f64::NEG_INFINITY);
    assert_eq!(mixed.log_density(&cluster, &[f64::NAN, f64::NAN, 3.0, f64::NAN]), f64::NEG_INFINITY);
}

/// The log marginal likelihood of rows under a normal-inverse-Wishart prior (Murphy 2007, eq. 266).
fn wishart_evidence(prior: &NormalInverseWishart, rows: &[&[f64]]) -> f64 {
    let (d, n) = (prior.mean.len(), rows.len() as f64);
    let vector = |x: &[f64]| DVector::from_column_slice(x);
    let mut mean = DVector::zeros(d);
    rows.iter().for_each(|row| mean += vector(row) / n);
    let scale = DMatrix::from_row_slice(d, d, &prior.scale);
    let mut after = scale.clone();
    for row in rows {
        let e = vector(row) - &mean;
        after += &e * e.transpose();
    }
    let e = &mean - vector(&prior.mean);
    after += &e * e.transpose() * (prior.kappa * n / (prior.kappa + n));
    let ln_gamma_d = |a: f64| (0..d).map(|j| ln_gamma(a - 0.5 * j as f64)).sum::<f64>();
    let (nu, df) = (prior.degrees + n, d as f64);
    ln_gamma_d(0.5 * nu) - ln_gamma_d(0.5 * prior.degrees) - 0.5 * n * df * PI.ln()
        + 0.5 * prior.degrees * scale.determinant().ln()
        - 0.5 * nu * after.determinant().ln()
        + 0.5 * df * (prior.kappa / (prior.kappa + n)).ln()
}

fn random_wishart(d: usize, chance: &mut Sequence) -> NormalInverseWishart {
    let root = DMatrix::from_fn(d, d, |_, _| chance.normal());
    let scale = &root * root.transpose() + DMatrix::identity(d, d) * 0.3;
    NormalInverseWishart {
        mean: (0..d).map(|_| chance.normal()).collect(),
        kappa: 0.2 + chance.uniform(),
        degrees: d as f64 - 0.5 + 3.0 * chance.uniform(),
        scale: scale.as_slice().to_vec(),
    }
}

#[test]
fn full_covariances_agree_with_the_textbook() {
    let mut chance = sequence(4);
    for d in [1, 2, 3, 5, 9] {
        let prior = random_wishart(d, &mut chance);
        let values: Vec<f64> = (0..24 * d).map(|_| 2.0 * chance.normal()).collect();
        let row = |i: usize| &values[i * d..(i + 1) * d];
        let full = Full::new(values.clone(), &prior).unwrap();
        for size in [0, 1, 2, 20] {
            let mut cluster = full.empty();
            (0..size).for_each(|i| full.insert(&mut cluster, i));
            let mut rows: Vec<&[f64]> = (0..size).map(row).collect();
            let before = if size == 0 { 0.0 } else { wishart_evidence(&prior, &rows) };
            rows.push(row(20));
            let expected = wishart_evidence(&prior, &rows) - before;
            let what = format!("d = {d}, {size} items");
            assert_close(full.log_predictive(&cluster, 20), expected, &what);
            assert_close(full.log_density(&cluster, row(20)), expected, &what);
            full.insert(&mut cluster, 20);
            assert_close(full.log_predictive_without(&cluster, 20), expected, &what);
            full.remove(&mut cluster, 20);
            assert_close(full.log_predictive(&cluster, 20), expected, &what);
        }
        // A missing cell of a new row: the margin of the prior is again such a prior, of fewer degrees.
        if d > 1 {
            let less = |x: &[f64]| x[..d - 1].to_vec();
            let narrow = NormalInverseWishart {
                mean: less(&prior.mean),
                degrees: prior.degrees - 1.0,
                scale: prior.scale.chunks(d).take(d - 1).flat_map(less).collect(),
                ..prior
            };
            let narrow = Full::new(values.chunks(d).flat_map(less).collect(), &narrow).unwrap();
            let (mut small, mut large) = (narrow.empty(), full.empty());
            for i in 0..15 {
                narrow.insert(&mut small, i);
                full.insert(&mut large, i);
            }
            let mut point = row(20).to_vec();
            point[d - 1] = f64::NAN;
            let expected = narrow.log_predictive(&small, 20);
            assert_close(full.log_density(&large, &point), expected, "margin");
            assert_eq!(full.log_density(&large, &vec![f64::NAN; d]), 0.0);
        }
        // With one column the diagonal model is the same.
        if d == 1 {
            let (a, b) = (0.5 * prior.degrees, 0.5 * prior.scale[0]);
            let one = NormalInverseGamma { mean: prior.mean[0], kappa: prior.kappa, shape: a, rate: b };
            let diagonal = Mixed::diagonal(values.clone(), 1, one).unwrap();
            let (mut narrow, mut wide) = (diagonal.empty(), full.empty());
            for i in 0..24 {
                assert_close(
                    diagonal.log_predictive(&narrow, i),
                    full.log_predictive(&wide, i),
                    "one column",
                );
                diagonal.insert(&mut narrow, i);
                full.insert(&mut wide, i);
            }
            assert_close(diagonal.center(&narrow)[0], full.center(&wide)[0], "centre");
        }
    }
}

/// Rows that are missing are as if they were not there, and what stands beside a block does not touch it: for random patterns
/// of missing rows and cells, and random clusters.
#[test]
fn missing_rows_do_not_count_in_a_block() {
    let mut chance = sequence(14);
    for round in 0..40 {
        let (d, items) = (1 + round % 4, 12);
        let prior = random_wishart(d, &mut chance);
        let mut values: Vec<f64> = (0..items * d).map(|_| 2.0 * chance.normal()).collect();
        let missing: Vec<bool> = (0..items).map(|_| chance.event(0.3)).collect();
        for (row, missing) in values.chunks_exact_mut(d).zip(&missing) {
            if *missing {
                row.fill(f64::NAN);
            }
        }
        let block = Full::new(values.clone(), &prior).unwrap();
        let (columns, table) = random_table(items, 0.3, &mut chance);
        let rest = Mixed::new(&table, &columns).unwrap();
        // The block's columns come last in a row of both.
        let [first, second] = [(columns.len()..columns.len() + d), 0..columns.len()].map(Vec::from_iter);
        let both = Beside::new((block, &first), (rest.clone(), &second)).unwrap();
        let (mut one, mut part) = (both.empty(), rest.empty());
        let mut rows: Vec<&[f64]> = Vec::new();
        for item in 0..items {
            let row = &values[item * d..(item + 1) * d];
            let before = if rows.is_empty() { 0.0 } else { wishart_evidence(&prior, &rows) };
            let mut expected = rest.log_predictive(&part, item);
            if !missing[item] {
                rows.push(row);
                expected += wishart_evidence(&prior, &rows) - before;
            }
            assert_close(both.log_predictive(&one, item), expected, "beside");
            let cells = &table[item * columns.len()..(item + 1) * columns.len()];
            assert_close(both.log_density(&one, &[cells, row].concat()), expected, "beside, as a new row");
            if rows.len() <= 1 && item == 0 {
                assert_close(both.log_predictive_alone(item), expected, "alone");
            }
            both.insert(&mut one, item);
            rest.insert(&mut part, item);
            assert_close(both.log_predictive_without(&one, item), expected, "beside, being there");
            // Out and in again.
            both.remove(&mut one, item);
            assert_close(both.log_predictive(&one, item), expected, "beside, having been there");
            if chance.event(0.2) {
                rest.remove(&mut part, item);
                if !missing[item] {
                    rows.pop();
                }
            } else {
                both.insert(&mut one, item);
            }
        }
        let center = both.center(&one);
        assert_eq!(center.len(), columns.len() + d);
        assert_close(center[0], rest.center(&part)[0], "centre");
    }
}

/// Units, tilts and copies do not matter to a prior about the table's own covariance.
#[test]
fn a_prior_of_the_table_has_no_units() {
    let mut chance = sequence(15);
    let (d, items) = (3, 40);
    let shape = TablePrior { shape: Shape::Table, share: 0.3, freedom: 2.0, kappa: 0.4 };
    let root = [1.0, 0.0, 0.0, 0.9, 0.4, 0.0, -0.3, 0.5, 1.2];
    let values: Vec<f64> = (0..items)
        .flat_map(|_| {
            let z: [f64; 3] = std::array::from_fn(|_| chance.normal());
            [0, 1, 2].map(|i| (0..3).map(|j| root[i * 3 + j] * z[j]).sum::<f64>())
        })
        .collect();
    let units = [1e-3, 7.0, 1e4];
    let moved = [0.3, -80.0, 1e5];
    let other: Vec<f64> =
        values.iter().enumerate().map(|(at, x)| moved[at % d] + units[at % d] * x).collect();
    let of = |values: &[f64]| {
        Full::new(values.to_vec(), &NormalInverseWishart::of_table(values, d, shape).unwrap()).unwrap()
    };
    let (one, same) = (of(&values), of(&other));
    let log_unit: f64 = units.iter().map(|unit: &f64| unit.ln()).sum();
    let (mut a, mut b) = (one.empty(), same.empty());
    for item in 0..items {
        let (found, expected) = (same.log_predictive(&b, item) + log_unit, one.log_predictive(&a, item));
        assert!((found - expected).abs() < 1e-7, "{found} {expected}");
        one.insert(&mut a, item);
        same.insert(&mut b, item);
    }
    // Without tilts it is a matrix of variances.
    let upright = TablePrior { shape: Shape::Columns, ..shape };
    let upright = NormalInverseWishart::of_table(&values, d, upright).unwrap();
    let tilted = NormalInverseWishart::of_table(&values, d, shape).unwrap();
    for at in 0..d * d {
        let expected = if at / d == at % d { tilted.scale[at] } else { 0.0 };
        assert_eq!(upright.scale[at], expected);
    }
    // Missing rows do not count in the prior, either.
    let gaps = [values.clone(), vec![f64::NAN; d]].concat();
    let of_table = |values: &[f64]| NormalInverseWishart::of_table(values, d, shape).unwrap();
    assert_eq!(of_table(&gaps), of_table(&values));
    // Fewer rows than columns: shrunk, and a matrix all the same.
    let wide: Vec<f64> = (0..4 * 9).map(|_| chance.normal()).collect();
    let prior = NormalInverseWishart::of_table(&wide, 9, shape).unwrap();
    assert!(Full::new(wide.clone(), &prior).is_ok());
    assert_eq!(
        NormalInverseWishart::determined(&wide, 9).unwrap(),
        [0; 0],
        "four rows tell nothing of nine columns"
    );
    // Copies and sums, in any units, follow from others.
    let more: Vec<f64> =
        values.chunks_exact(d).flat_map(|x| [x[0], x[1], 1e3 * x[0] - 5.0, x[2], x[1] - x[2], 3.0]).collect();
    assert_eq!(NormalInverseWishart::determined(&more, 6).unwrap(), [2, 4, 5]);
    assert_eq!(NormalInverseWishart::determined(&values, d).unwrap(), [0; 0]);
}

/// Far outliers come and go: what is left is as if they had never been there.
#[test]
fn full_covariances_survive_outliers() {
    let mut chance = sequence(5);
    let d = 4;
    let mut values: Vec<f64> = (0..40 * d).map(|_| chance.normal()).collect();
    values[39 * d..].fill(1e5);
    let full = Full::new(values, &NormalInverseWishart::weak(d)).unwrap();
    let (mut visited, mut fresh) = (full.empty(), full.empty());
    for i in 0..30 {
        full.insert(&mut visited, i);
        full.insert(&mut fresh, i);
    }
    for _ in 0..3 {
        full.insert(&mut visited, 39);
        assert!(full.log_predictive_without(&visited, 39).is_finite());
        full.remove(&mut visited, 39);
    }
    let (found, expected) = (full.log_predictive(&visited, 35), full.log_predictive(&fresh, 35));
    assert!((found - expected).abs() < 1e-4, "{found} {expected}");
}

/// The predictive density of a shared variance is the ratio of evidences, summed over where the point goes.
#[test]
fn a_shared_variance_predicts_the_ratio_of_evidences() {
    let mut chance = sequence(6);
    let (d, mean) = (3, [0.2, -0.4, 1.0]);
    let values: Vec<f64> = (0..8 * d).map(|_| 1.5 * chance.normal()).collect();
    let prior = Prior::pitman_yor(0.2, 0.7).unwrap();
    let variance = SharedPrior { kappa: 0.3, shape: 1.4, rate: 0.6 };
    for sharing in [Sharing::Everything, Sharing::EachColumn] {
        let with = |n: usize| {
            SharedVariance::new(prior, values[..n * d].to_vec(), &mean, variance, sharing).unwrap()
        };
        let (seven, eight) = (with(7), with(8));
        let labels = [0, 1, 0, 2, 2, 0, 1];
        let z = Partition::from_labels(&labels).unwrap();
        let state = State::new(&seven, z.clone());
        let place = |to: usize| {
            let labels: Vec<usize> = labels.iter().copied().chain([to]).collect();
            eight.log_probability(&Partition::from_labels(&labels).unwrap()) - seven.log_probability(&z)
        };
        let expected = (0..4).map(|to| place(to).exp()).sum::<f64>().ln();
        let found = seven.log_predictive_density(state.stats(), &z, &values[7 * d..]);
        assert_close(found, expected, "predictive density");
        let center = seven.center(state.stats(), &z, 1);
        assert_close(center[0], (0.3 * 0.2 + values[d] + values[6 * d]) / 2.3, "centre");
    }
}

/// The evidence of a shared variance against a dense Gaussian integral: `x ~ t` with covariance
/// `I + J / kappa` within clusters.
#[test]
fn a_shared_variance_agrees_with_the_textbook() {
    let mut chance = sequence(7);
    let (n, d, mean) = (6, 2, [0.3, -0.2]);
    let values: Vec<f64> = (0..n * d).map(|_| chance.normal()).collect();
    let variance = SharedPrior { kappa: 0.4, shape: 1.2, rate: 0.7 };
    let prior = Prior::dirichlet(0.8).unwrap();
    for labels in [[0, 0, 0, 0, 0, 0], [0, 1, 0, 2, 1, 0], [0, 1, 2, 3, 4, 5]] {
        let z = Partition::from_labels(&labels).unwrap();
        let within = DMatrix::from_fn(n, n, |i, j| {
            f64::from(u8::from(i == j)) + if labels[i] == labels[j] { 1.0 / variance.kappa } else { 0.0 }
        });
        let inverse = within.clone().try_inverse().unwrap();
        let quadratics: Vec<f64> = (0..d)
            .map(|c| {
                let x = DVector::from_fn(n, |i, _| values[i * d + c] - mean[c]);
                (x.transpose() * &inverse * x)[0]
            })
            .collect();
        let student = |quadratic: f64, cells: f64, log_det: f64| {
            let a = variance.shape + 0.5 * cells;
            ln_gamma(a) - ln_gamma(variance.shape) + variance.shape * variance.rate.ln()
                - 0.5 * cells * TAU.ln()
                - 0.5 * log_det
                - a * (variance.rate + 0.5 * quadratic).ln()
        };
        let log_det = within.determinant().ln();
        let everything = student(quadratics.iter().sum(), (n * d) as f64, d as f64 * log_det);
        let each: f64 = quadratics.iter().map(|q| student(*q, n as f64, log_det)).sum();
        for (sharing, expected) in [(Sharing::Everything, everything), (Sharing::EachColumn, each)] {
            let target = SharedVariance::new(prior, values.clone(), &mean, variance, sharing).unwrap();
            assert_close(target.log_probability(&z), prior.log_probability(&z) + expected, "evidence");
        }
    }
}

/// The block model's probability, pair by pair of vertices from the definition.
#[test]
fn blocks_agree_with_the_textbook() {
    let mut chance = sequence(8);
    let graph = random_graph(12, 0.4, &mut chance);
    let (prior, edge) = (Prior::dirichlet(0.8).unwrap(), EdgePrior { present: 0.7, absent: 2.1 });
    let target = Blocks::new(prior, graph.clone(), edge).unwrap();
    for _ in 0..20 {
        let labels: Vec<usize> = (0..12).map(|_| chance.below(4)).collect();
        let z = Partition::from_labels(&labels).unwrap();
        let mut expected = prior.log_probability(&z);
        for c in 0..4 {
            for d in 0..=c {
                let (mut present, mut absent) = (edge.present, edge.absent);
                for u in 0..12 {
                    for v in 0..u {
                        if (labels[u].max(labels[v]), labels[u].min(labels[v])) == (c, d) {
                            let joined = graph.neighbors(u).contains(&(v as u32));
                            *if joined { &mut present } else { &mut absent } += 1.0;
                        }
                    }
                }
                let ln_beta = |a: f64, b: f64| ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
                expected += ln_beta(present, absent) - ln_beta(edge.present, edge.absent);
            }
        }
        assert_close(target.log_probability(&z), expected, "evidence");
    }
}
