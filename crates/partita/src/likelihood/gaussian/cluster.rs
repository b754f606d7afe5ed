//! What is remembered of one cluster, and the scores of one item in all of them.

use super::gram::Products;
use super::size::BySize;

/// The statistics of a Gaussian cluster, in whitened coordinates.
#[derive(Debug)]
pub struct GaussianCluster {
    pub(super) count: usize,
    /// The constants of this size.
    pub(super) constants: BySize,
    pub(super) sum: Vec<f64>,
    /// The posterior mean; empty where inner products stand for it.
    pub(super) mean: Vec<f64>,
    /// Empty where the mean is kept.
    pub(super) products: Products,
    /// Half the predictive precision of each coordinate, for an item outside and inside of the
    /// cluster; empty where the spread is equal.
    pub(super) half_precision: [Vec<f64>; 2],
}

impl Clone for GaussianCluster {
    fn clone(&self) -> Self {
        GaussianCluster {
            count: self.count,
            constants: self.constants,
            sum: self.sum.clone(),
            mean: self.mean.clone(),
            products: self.products.clone(),
            half_precision: self.half_precision.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.count = source.count;
        self.constants = source.constants;
        self.sum.clone_from(&source.sum);
        self.mean.clone_from(&source.mean);
        self.products.clone_from(&source.products);
        self.half_precision.clone_from(&source.half_precision);
    }
}

/// An item that is not in the cluster.
pub(super) const OUTSIDE: usize = 0;
/// An item that is in the cluster, but does not count there.
pub(super) const INSIDE: usize = 1;

/// Adds to `out` the scores of all clusters and then `alone`, the score given nothing; `quadratic` is
/// the exponent of a cluster and a side.
#[inline(always)]
pub(super) fn add_scores(
    clusters: &[GaussianCluster],
    own: usize,
    alone: f64,
    out: &mut [f64],
    quadratic: impl Fn(&GaussianCluster, usize) -> f64,
) {
    for (k, (cluster, out)) in clusters.iter().zip(out.iter_mut()).enumerate() {
        let side = usize::from(k == own);
        *out += cluster.constants.log_norm[side] - quadratic(cluster, side);
    }
    out[clusters.len()] += alone;
}
