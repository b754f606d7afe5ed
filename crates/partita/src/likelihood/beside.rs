//! Two likelihoods of the same items side by side: within a cluster, the columns of one are independent of those of the
//! other.

use super::{Likelihood, Predict};
use crate::error::{Error, Result};
use crate::outline::Clusters;

/// A product of two likelihoods, each with columns of its own: correlated measurements beside counts, say.
///
/// ```
/// use partita::likelihood::{Beside, Column, Dirichlet, Full, Mixed, NormalInverseWishart, Predict};
/// use partita::Likelihood;
/// // Two lengths that go together, and a colour.
/// let lengths = vec![0.1, 0.2, 0.9, 1.1, f64::NAN, f64::NAN]; // the last was not measured
/// let lengths = Full::new(lengths, &NormalInverseWishart::weak(2))?;
/// let colors = Mixed::new(&[0.0, 1.0, 1.0], &[Column::Category(Dirichlet::weak(2))])?;
/// let data = Beside::new((lengths, &[0, 2]), (colors, &[1]))?;
/// let mut cluster = data.empty();
/// data.insert(&mut cluster, 2);
/// let alike = data.log_predictive(&cluster, 1) - data.log_predictive(&data.empty(), 1);
/// assert!((alike - 1.5_f64.ln()).abs() < 1e-12, "only the colour counts: {alike}");
/// assert_eq!(data.log_density(&cluster, &[f64::NAN, 1.0, f64::NAN]), 0.75_f64.ln());
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Beside<A, B> {
    first: A,
    second: B,
    /// Where the columns of each are in a row of both.
    columns: [Vec<usize>; 2],
    alone: Vec<f64>,
}

/// The statistics of a cluster in both.
#[derive(Debug)]
pub struct BesideCluster<A, B> {
    first: A,
    second: B,
}

impl<A: Clone, B: Clone> Clone for BesideCluster<A, B> {
    fn clone(&self) -> Self {
        BesideCluster { first: self.first.clone(), second: self.second.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.first.clone_from(&source.first);
        self.second.clone_from(&source.second);
    }
}

impl<A: Likelihood, B: Likelihood> Beside<A, B> {
    /// Each likelihood with the places of its columns in a row of both; a place that belongs to neither is ignored.
    pub fn new((first, a): (A, &[usize]), (second, b): (B, &[usize])) -> Result<Self> {
        if first.len() != second.len() {
            let (expected, found) = (first.len(), second.len());
            return Err(Error::WrongLength { name: "the second likelihood", expected, found });
        }
        let alone = |item| first.log_predictive_alone(item) + second.log_predictive_alone(item);
        let alone = (0..first.len()).map(alone).collect();
        Ok(Beside { first, second, columns: [a.to_vec(), b.to_vec()], alone })
    }
}

impl<A: Likelihood, B: Likelihood> Likelihood for Beside<A, B> {
    type Cluster = BesideCluster<A::Cluster, B::Cluster>;

    fn len(&self) -> usize {
        self.first.len()
    }

    fn work(&self) -> f64 {
        self.first.work() + self.second.work()
    }

    fn empty(&self) -> Self::Cluster {
        BesideCluster { first: self.first.empty(), second: self.second.empty() }
    }

    #[inline(always)]
    fn insert(&self, cluster: &mut Self::Cluster, item: usize) {
        self.first.insert(&mut cluster.first, item);
        self.second.insert(&mut cluster.second, item);
    }

    #[inline(always)]
    fn remove(&self, cluster: &mut Self::Cluster, item: usize) {
        self.first.remove(&mut cluster.first, item);
        self.second.remove(&mut cluster.second, item);
    }

    #[inline(always)]
    fn log_predictive(&self, cluster: &Self::Cluster, item: usize) -> f64 {
        self.first.log_predictive(&cluster.first, item) + self.second.log_predictive(&cluster.second, item)
    }

    #[inline(always)]
    fn log_predictive_without(&self, cluster: &Self::Cluster, item: usize) -> f64 {
        self.first.log_predictive_without(&cluster.first, item)
            + self.second.log_predictive_without(&cluster.second, item)
    }

    #[inline(always)]
    fn log_predictive_alone(&self, item: usize) -> f64 {
        self.alone[item]
    }

    #[inline(always)]
    fn add_log_predictives(&self, clusters: &[Self::Cluster], item: usize, own: usize, out: &mut [f64]) {
        for (k, cluster) in clusters.iter().enumerate() {
            out[k] += if k == own {
                self.log_predictive_without(cluster, item)
            } else {
                self.log_predictive(cluster, item)
            };
        }
        out[clusters.len()] += self.alone[item];
    }

    fn outline(&self) -> Option<Clusters> {
        Some(Clusters::Beside(Box::new([self.first.outline()?, self.second.outline()?])))
    }

    #[inline(always)]
    fn shift(&self, from: &mut Self::Cluster, to: &mut Self::Cluster, item: usize) {
        self.first.shift(&mut from.first, &mut to.first, item);
        self.second.shift(&mut from.second, &mut to.second, item);
    }

    #[inline(always)]
    fn settle(&self, cluster: &mut Self::Cluster) {
        self.first.settle(&mut cluster.first);
        self.second.settle(&mut cluster.second);
    }

    #[inline(always)]
    fn complete(&self, cluster: &mut Self::Cluster) {
        self.first.complete(&mut cluster.first);
        self.second.complete(&mut cluster.second);
    }

    fn clear(&self, cluster: &mut Self::Cluster) {
        self.first.clear(&mut cluster.first);
        self.second.clear(&mut cluster.second);
    }
}

impl<A: Predict, B: Predict> Predict for Beside<A, B> {
    fn log_density(&self, cluster: &Self::Cluster, x: &[f64]) -> f64 {
        let [a, b] = self
            .columns
            .each_ref()
            .map(|columns| columns.iter().map(|&column| x[column]).collect::<Vec<_>>());
        self.first.log_density(&cluster.first, &a) + self.second.log_density(&cluster.second, &b)
    }

    /// NaN for columns that belong to neither, up to the last that belongs to one.
    fn center(&self, cluster: &Self::Cluster) -> Vec<f64> {
        let centers = [self.first.center(&cluster.first), self.second.center(&cluster.second)];
        let width = self.columns.iter().flatten().max().map_or(0, |last| last + 1);
        let mut both = vec![f64::NAN; width];
        for (columns, center) in self.columns.iter().zip(centers) {
            columns.iter().zip(center).for_each(|(&column, value)| both[column] = value);
        }
        both
    }
}
