//! Generated data of a given shape.

use partita::rng::Purpose;
use partita::{Gaussian, Mixture, Partition, Prior, Stream};

/// What is measured on.
pub type Target = Mixture<Gaussian>;

/// So many items, columns and clusters.
#[derive(Clone, Copy)]
pub struct Shape {
    pub items: usize,
    pub dimension: usize,
    pub clusters: usize,
}

impl Shape {
    /// Centres on a grid of the plane, or where there are more coordinates random, about as far from each
    /// other; and their standard deviation.
    fn centers(&self, chance: &mut partita::rng::Sequence) -> (Vec<f64>, f64) {
        let Shape { dimension, clusters, .. } = *self;
        if dimension == 2 {
            let side = (clusters as f64).sqrt().ceil() as usize;
            let on_grid = |at: usize| 4.0 * (at as f64 - 0.5 * (side as f64 - 1.0));
            let centers = (0..clusters).flat_map(|k| [on_grid(k % side), on_grid(k / side)]);
            (centers.collect(), 4.0 * side as f64 / 12f64.sqrt())
        } else {
            let sd = 4.0 / (2.0 * dimension as f64).sqrt();
            ((0..clusters * dimension).map(|_| sd * chance.normal()).collect(), sd)
        }
    }

    /// Values with noise 1 around the centres, and the centres' standard deviation.
    fn data(&self) -> (Vec<f64>, f64) {
        let mut chance = Stream::new(1, 0).sequence(Purpose::Data, 0);
        let (centers, sd) = self.centers(&mut chance);
        let mut values = Vec::with_capacity(self.items * self.dimension);
        for item in 0..self.items {
            let center = &centers[item % self.clusters * self.dimension..][..self.dimension];
            values.extend(center.iter().map(|c| c + chance.normal()));
        }
        (values, sd)
    }

    /// The posterior of the data.
    pub fn target(&self) -> Target {
        let (values, sd) = self.data();
        let likelihood = Gaussian::isotropic(values, self.dimension, sd, 1.0).unwrap();
        Mixture::new(Prior::dirichlet(0.01).unwrap(), likelihood)
    }

    /// Where the engine takes distances from, by its own rule: rows few, long and not too much alike.
    pub fn distances(&self) -> &'static str {
        let (values, _) = self.data();
        let rows = || values.chunks_exact(self.dimension);
        let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>().abs();
        let few = self.items <= (12 * self.dimension).min(1024);
        let small = || rows().all(|x| rows().map(|y| product(x, y)).sum::<f64>() <= 1e5);
        if few && small() { "inner products" } else { "coordinates" }
    }

    /// Where the items come from.
    pub fn truth(&self) -> Partition {
        let labels: Vec<usize> = (0..self.items).map(|item| item % self.clusters).collect();
        Partition::from_labels(&labels).unwrap()
    }
}
