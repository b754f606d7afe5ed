//! The two ways to a distance against each other.

use super::*;
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
