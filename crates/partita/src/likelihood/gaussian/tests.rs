//! The two ways to a distance against each other.

use super::*;
use crate::chance::Chance;
use crate::rng::Purpose;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Inner products against coordinates, along the same moves.
    #[test]
    fn inner_products_agree_with_coordinates(
        dimension in 1usize..20,
        values in prop::collection::vec(-3.0f64..3.0, 240),
        moves in prop::collection::vec((0usize..12, 0usize..3), 0..80),
    ) {
        let items = 12;
        let values = values[..items * dimension].to_vec();
        let both = [false, true].map(|products| {
            let mut data = Gaussian::isotropic(values.clone(), dimension, 1.1, 0.7).unwrap();
            let gram = products.then(|| Gram::new(&data.rows, data.stride));
            let Spread::Equal(_, kept) = &mut data.spread else { unreachable!() };
            *kept = gram;
            let mut clusters = vec![data.empty(), data.empty(), data.empty()];
            let mut slots = [0; 12];
            (0..items).for_each(|item| data.insert(&mut clusters[0], item));
            for &(item, to) in &moves {
                data.remove(&mut clusters[slots[item]], item);
                data.insert(&mut clusters[to], item);
                slots[item] = to;
            }
            let mut scores = Vec::new();
            for item in 0..items {
                let own = slots[item];
                let mut out = [0.0; 4];
                data.add_log_predictives(&clusters, item, own, &mut out);
                scores.extend(out);
                for (k, cluster) in clusters.iter().enumerate() {
                    let one = if k == own {
                        data.log_predictive_without(cluster, item)
                    } else {
                        data.log_predictive(cluster, item)
                    };
                    assert!((one - out[k]).abs() < 1e-12 * one.abs().max(1.0));
                    let x = &values[item * dimension..][..dimension];
                    scores.push(data.log_density(cluster, x));
                    scores.extend(data.center(cluster));
                }
            }
            scores
        });
        for (a, b) in both[0].iter().zip(&both[1]) {
            prop_assert!((a - b).abs() < 1e-10 * a.abs().max(1.0), "{} {}", a, b);
        }
    }
}

/// Long rows have large squares but small products: they are kept, and rounding stays small over all
/// the moves that a mixture allows before it counts anew.
#[test]
fn inner_products_of_long_rows_do_not_drift() {
    let (items, dimension) = (200, 512);
    let mut chance = crate::Stream::new(1, 0).sequence(Purpose::Data, 0);
    let values = (0..items * dimension).map(|at| {
        let center = if at % dimension == 0 { 4.0 * (at / dimension % 4) as f64 } else { 0.0 };
        center + chance.normal()
    });
    let values = values.collect();
    let data = Gaussian::isotropic(values, dimension, 4.0, 1.0).unwrap();
    assert!(matches!(&data.spread, Spread::Equal(_, Some(_))));
    let mut clusters = vec![data.empty(); 4];
    let mut slots: Vec<usize> = (0..items).map(|item| item % 4).collect();
    (0..items).for_each(|item| data.insert(&mut clusters[slots[item]], item));
    let mut chance = crate::Stream::new(2, 0).sequence(Purpose::Data, 0);
    for _ in 0..1 << 16 {
        let (item, to) = (chance.below(items), chance.below(4));
        data.remove(&mut clusters[slots[item]], item);
        data.insert(&mut clusters[to], item);
        slots[item] = to;
    }
    let mut plain = data.clone();
    plain.spread = match plain.spread {
        Spread::Equal(lambda, _) => Spread::Equal(lambda, None),
        spread => spread,
    };
    let mut worst = 0.0_f64;
    for (k, cluster) in clusters.iter().enumerate() {
        let mut fresh = plain.empty();
        (0..items).filter(|&item| slots[item] == k).for_each(|item| plain.insert(&mut fresh, item));
        for item in (0..items).filter(|&item| slots[item] != k) {
            let drift = data.log_predictive(cluster, item) - plain.log_predictive(&fresh, item);
            worst = worst.max(drift.abs());
        }
    }
    assert!(worst < 1e-10, "{worst}");
}
