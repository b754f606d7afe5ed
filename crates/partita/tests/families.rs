//! The model families hold what they keep: incremental statistics against recomputation, and what is refused.

mod support;

use partita::chance::Chance;
use partita::likelihood::{
    Beside, Column, Dirichlet, GammaPoisson, LARGEST_COUNT, NormalInverseGamma, NormalInverseWishart, Shape,
    TablePrior,
};
use partita::rng::Sequence;
use partita::target::{EdgePrior, SharedPrior, Sharing};
use partita::{Blocks, Error, Full, Graph, Mixed, Mixture, Partition, Prior, SharedVariance, State, Target};
use support::{random_graph, random_table, sequence};

/// Statistics after 10^5 random moves agree with recomputation to 1e-8, and slots with their batch.
fn check_drift<T: Target>(name: &str, target: &T, chance: &mut Sequence) {
    let n = target.len();
    let mut state = State::new(target, Partition::one_cluster(n).unwrap());
    for _ in 0..100_000 {
        let slot = chance.below((state.partition().clusters() + 1).min(9));
        state.place(target, chance.below(n), slot);
    }
    let fresh = State::new(target, state.partition().clone());
    let k = state.partition().clusters();
    let (mut kept, mut anew) = (vec![0.0; k + 1], vec![0.0; k + 1]);
    for item in 0..n {
        target.log_weights(state.stats(), state.partition(), item, &mut kept);
        target.log_weights(fresh.stats(), fresh.partition(), item, &mut anew);
        for (slot, (a, b)) in kept.iter().zip(&anew).enumerate().filter(|(_, (_, b))| b.is_finite()) {
            assert!((a - b).abs() < 1e-8, "{name}: {a} kept, {b} anew");
            let one = target.log_weight(fresh.stats(), fresh.partition(), item, slot);
            assert!((one - b).abs() < 1e-9, "{name}: {one} alone, {b} in the batch");
        }
    }
}

#[test]
fn statistics_do_not_drift() {
    let mut chance = sequence(9);
    let prior = Prior::dirichlet(1.0).unwrap();
    let (columns, table) = random_table(40, 0.2, &mut chance);
    let target = Mixture::new(prior, Mixed::new(&table, &columns).unwrap());
    check_drift("mixed", &target, &mut chance);
    let values: Vec<f64> = (0..40 * 6).map(|_| chance.normal()).collect();
    let full = Full::new(values.clone(), &NormalInverseWishart::weak(6)).unwrap();
    check_drift("full", &Mixture::new(prior, full.clone()), &mut chance);
    let beside =
        Beside::new((full, &[0, 1, 2, 3, 4, 5]), (Mixed::new(&table, &columns).unwrap(), &[])).unwrap();
    check_drift("a block beside columns", &Mixture::new(prior, beside), &mut chance);
    for sharing in [Sharing::Everything, Sharing::EachColumn] {
        let variance = SharedPrior::weak();
        let shared = SharedVariance::new(prior, values.clone(), &[0.0; 6], variance, sharing).unwrap();
        check_drift("shared", &shared, &mut chance);
    }
    let graph = random_graph(40, 0.3, &mut chance);
    check_drift("blocks", &Blocks::new(prior, graph, EdgePrior::uniform()).unwrap(), &mut chance);
}

#[test]
fn bad_tables_are_refused() {
    let normal = |prior: NormalInverseGamma| Mixed::diagonal(vec![0.0, 1.0], 1, prior).unwrap_err();
    let weak = NormalInverseGamma::weak(1);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for prior in [
            NormalInverseGamma { kappa: bad, ..weak },
            NormalInverseGamma { shape: bad, ..weak },
            NormalInverseGamma { rate: bad, ..weak },
        ] {
            assert!(matches!(normal(prior), Error::NotPositive { .. }));
        }
        let counts = Mixed::counts(vec![1.0], 1, GammaPoisson { shape: bad, rate: 1.0 });
        assert!(matches!(counts, Err(Error::NotPositive { .. })));
        let category = Column::Category(Dirichlet::symmetric(2, bad));
        assert!(matches!(Mixed::new(&[1.0], &[category]), Err(Error::NotPositive { .. })));
    }
    let refused = normal(NormalInverseGamma { mean: f64::NAN, ..weak });
    assert!(matches!(refused, Error::OutOfRange { name: "the prior mean", .. }));
    let refused = Mixed::diagonal(vec![0.0, f64::INFINITY], 2, weak).unwrap_err();
    assert!(matches!(refused, Error::NotFinite { item: 0, coordinate: 1, .. }));
    for bad in [-1.0, 0.5, f64::INFINITY, 9_007_199_254_740_992.0] {
        let refused = Mixed::counts(vec![0.0, bad], 1, GammaPoisson::around(1.0)).unwrap_err();
        assert_eq!(refused, Error::NotACount { item: 1, column: 0, value: bad });
    }
    let most = LARGEST_COUNT as f64;
    let both = [Column::Normal(weak), Column::Count(GammaPoisson::around(1.0))];
    assert!(Mixed::new(&[0.1, most - 7.0, 0.2, 7.0, 0.3, f64::NAN], &both).is_ok());
    let refused = Mixed::new(&[0.1, most - 7.0, 0.2, 8.0], &both).unwrap_err();
    assert_eq!(refused, Error::CountsTooLarge { column: 1 });
    assert_eq!(refused.to_string(), "the counts of column 1 add up to more than 9007199254740991");
    let refused = Mixed::counts(vec![most; 3000], 1, GammaPoisson::around(1.0)).unwrap_err();
    assert_eq!(refused, Error::CountsTooLarge { column: 0 });
    for bad in [-1.0, 0.5, 2.0, f64::INFINITY] {
        let refused = Mixed::categories(vec![1.0, bad], &[2]).unwrap_err();
        assert_eq!(refused, Error::NotALevel { item: 1, column: 0, value: bad, last: 1 });
    }
    let refused = Mixed::categories(vec![0.0], &[0]).unwrap_err();
    assert!(matches!(refused, Error::OutOfRange { name: "the number of levels", .. }));
    assert_eq!(Mixed::new(&[], &[Column::Normal(weak)]).unwrap_err(), Error::NoItems);
    assert_eq!(Mixed::new(&[1.0], &[]).unwrap_err(), Error::NoItems);
    assert!(matches!(Mixed::diagonal(vec![0.0; 3], 2, weak), Err(Error::WrongLength { .. })));
}

#[test]
fn bad_models_are_refused_by_name() {
    let weak = NormalInverseWishart::weak(2);
    let refused = Full::new(vec![0.0, f64::NAN], &weak).unwrap_err();
    assert_eq!(refused, Error::Missing { item: 0, column: 1, model: "a full covariance" });
    assert_eq!(
        refused.to_string(),
        "the value of item 0, column 1 is missing, but a full covariance needs complete data; models of \
         independent columns (normal, counts, categories, mixed) do not"
    );
    let full = |prior: NormalInverseWishart| Full::new(vec![0.0; 4], &prior).unwrap_err();
    let degrees = full(NormalInverseWishart { degrees: 1.0, ..weak.clone() });
    assert!(matches!(degrees, Error::OutOfRange { name: "the degrees of freedom", .. }));
    let kappa = full(NormalInverseWishart { kappa: 0.0, ..weak.clone() });
    assert!(matches!(kappa, Error::NotPositive { name: "kappa", .. }));
    for scale in [[1.0, 2.0, 2.0, 1.0], [1.0, 0.2, 0.3, 1.0], [f64::NAN, 0.0, 0.0, 1.0]] {
        let refused = full(NormalInverseWishart { scale: scale.to_vec(), ..weak.clone() });
        assert_eq!(refused, Error::NotPositiveDefinite { name: "scale matrix" });
    }
    let beside = |values: Vec<f64>| {
        let block = Full::new(vec![0.0; 4], &weak).unwrap();
        Beside::new((block, &[0, 1]), (Mixed::counts(values, 1, GammaPoisson::around(1.0)).unwrap(), &[2]))
    };
    assert!(beside(vec![1.0, 2.0]).is_ok());
    assert!(matches!(beside(vec![1.0]), Err(Error::WrongLength { name: "the second likelihood", .. })));
    let of_table =
        |values: &[f64], prior: TablePrior| NormalInverseWishart::of_table(values, 2, prior).unwrap_err();
    let table = TablePrior { shape: Shape::Table, share: 0.5, freedom: 1.0, kappa: 1.0 };
    let rows = [0.0, 1.0, 2.0, 5.0, 3.0, 1.0];
    assert!(matches!(of_table(&rows, TablePrior { share: 0.0, ..table }), Error::NotPositive { .. }));
    assert!(matches!(of_table(&rows, TablePrior { kappa: f64::NAN, ..table }), Error::NotPositive { .. }));
    let narrow = of_table(&rows, TablePrior { freedom: 0.5, ..table });
    assert!(matches!(narrow, Error::OutOfRange { name: "the freedom", .. }));
    assert!(matches!(of_table(&[1.0, 2.0, 1.0, 3.0], table), Error::NotPositive { .. }), "a constant column");
    assert_eq!(of_table(&[f64::NAN; 4], table), Error::NoItems);
    let short = full(NormalInverseWishart { scale: vec![1.0], ..weak.clone() });
    assert!(matches!(short, Error::WrongLength { name: "the scale matrix", .. }));
    let infinite = Full::new(vec![0.0, f64::INFINITY], &weak).unwrap_err();
    assert!(matches!(infinite, Error::NotFinite { .. }));

    let prior = Prior::dirichlet(1.0).unwrap();
    let shared = |values, variance| {
        SharedVariance::new(prior, values, &[0.0], variance, Sharing::Everything).unwrap_err()
    };
    let refused = shared(vec![0.0, f64::NAN], SharedPrior::weak());
    assert_eq!(refused, Error::Missing { item: 1, column: 0, model: "a shared variance" });
    let refused = shared(vec![0.0], SharedPrior { kappa: -1.0, ..SharedPrior::weak() });
    assert!(matches!(refused, Error::NotPositive { name: "kappa", .. }));
    let blocks = Blocks::new(prior, Graph::octahedron(), EdgePrior { present: 0.0, absent: 1.0 });
    assert!(matches!(blocks, Err(Error::NotPositive { name: "present", .. })));
}
