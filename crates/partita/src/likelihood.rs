//! How data enter the model: the predictive density of an item given the items of a cluster.

mod beside;
mod categories;
mod counts;
mod diagonal;
mod full;
mod gaussian;
mod mixed;

pub use beside::{Beside, BesideCluster};
pub use categories::Dirichlet;
pub use counts::{GammaPoisson, LARGEST_COUNT};
pub use diagonal::NormalInverseGamma;
pub use full::{Full, FullCluster, NormalInverseWishart, Shape, TablePrior};
pub use gaussian::{Covariance, Gaussian, GaussianCluster};
pub use mixed::{Column, Mixed, MixedCluster};

use crate::error::{Error, Result};
use crate::outline::Clusters;

/// The largest absolute value of real data: sums of its squares stay far from overflow.
///
/// ```
/// use partita::likelihood::{LARGEST, Mixed, NormalInverseGamma};
/// use partita::Error;
/// let refused = Mixed::diagonal(vec![1.0, 2.0 * LARGEST], 1, NormalInverseGamma::weak(1)).unwrap_err();
/// assert!(matches!(refused, Error::TooLarge { item: 1, coordinate: 0, .. }));
/// ```
pub const LARGEST: f64 = 1e100;

/// Refuses a value that is infinite or whose square cannot be computed with; NaN passes.
pub(crate) fn computable(value: f64, item: usize, coordinate: usize) -> Result<()> {
    if value.is_infinite() {
        Err(Error::NotFinite { item, coordinate, value })
    } else if value.abs() > LARGEST {
        Err(Error::TooLarge { item, coordinate, value })
    } else {
        Ok(())
    }
}

/// Refuses a prior mean that data cannot be taken about.
pub(crate) fn check_prior_mean(mean: &[f64]) -> Result<()> {
    match mean.iter().find(|m| m.is_nan() || m.abs() > LARGEST) {
        Some(&value) => {
            Err(Error::OutOfRange { name: "the prior mean", range: "between -1e100 and 1e100", value })
        }
        None => Ok(()),
    }
}

/// Refuses rows of `dimension` values of which one is missing or not computable, for models that need all.
pub(crate) fn complete_rows(values: &[f64], dimension: usize, model: &'static str) -> Result<()> {
    check_rows(values, dimension, model, |_| false)
}

/// The same where a row may be missing as a whole: NaN throughout.
pub(crate) fn rows_whole_or_missing(values: &[f64], dimension: usize, model: &'static str) -> Result<()> {
    check_rows(values, dimension, model, |row| row.iter().all(|value| value.is_nan()))
}

fn check_rows(
    values: &[f64],
    dimension: usize,
    model: &'static str,
    missing: impl Fn(&[f64]) -> bool,
) -> Result<()> {
    if dimension == 0 || values.is_empty() {
        return Err(Error::NoItems);
    }
    if !values.len().is_multiple_of(dimension) {
        let expected = values.len() / dimension * dimension;
        return Err(Error::WrongLength { name: "the data", expected, found: values.len() });
    }
    for (item, row) in values.chunks_exact(dimension).enumerate().filter(|(_, row)| !missing(row)) {
        for (column, &value) in row.iter().enumerate() {
            if value.is_nan() {
                return Err(Error::Missing { item, column, model });
            }
            computable(value, item, column)?;
        }
    }
    Ok(())
}

/// A family of data distributions with the cluster's parameters integrated out.
///
/// Five small methods make a model; see `examples/own_likelihood.rs` for one from start to finish.
/// The rest is provided, and worth overriding only for speed or where clusters share parameters.
///
/// A cluster's statistics may be any function of the items in it, but they must not depend on the
/// order of insertion beyond rounding: a chain visits the same cluster on many paths.
pub trait Likelihood: Sync {
    /// What must be remembered about the items of one cluster.
    type Cluster: Clone + std::fmt::Debug + Send;

    /// The number of items.
    fn len(&self) -> usize;

    /// The statistics of a cluster without items.
    fn empty(&self) -> Self::Cluster;

    /// Adds an item to a cluster.
    fn insert(&self, cluster: &mut Self::Cluster, item: usize);

    /// Takes an item out of a cluster.
    fn remove(&self, cluster: &mut Self::Cluster, item: usize);

    /// The log predictive density of `item` given the items of `cluster`, `item` not among them.
    fn log_predictive(&self, cluster: &Self::Cluster, item: usize) -> f64;

    /// True if there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The log predictive density of `item`, which is in `cluster`, given the *other* items there.
    fn log_predictive_without(&self, cluster: &Self::Cluster, item: usize) -> f64 {
        let mut rest = cluster.clone();
        self.remove(&mut rest, item);
        self.log_predictive(&rest, item)
    }

    /// The log predictive density of `item` in a new cluster; worth caching.
    fn log_predictive_alone(&self, item: usize) -> f64 {
        self.log_predictive(&self.empty(), item)
    }

    /// Adds to `out[k]` the log predictive density of `item` given cluster `k`, without `item`
    /// itself, which is in cluster `own`; and to `out[clusters.len()]` that in a new cluster. The
    /// rest of `out` is minus infinity.
    fn add_log_predictives(&self, clusters: &[Self::Cluster], item: usize, own: usize, out: &mut [f64]) {
        for (k, cluster) in clusters.iter().enumerate() {
            out[k] += if k == own {
                self.log_predictive_without(cluster, item)
            } else {
                self.log_predictive(cluster, item)
            };
        }
        out[clusters.len()] += self.log_predictive(&self.empty(), item);
    }

    /// Rough floating-point operations of one predictive density, to plan work without a clock.
    fn work(&self) -> f64 {
        10.0
    }

    /// The clusters in plain numbers; `None` if no other engine supports them.
    fn outline(&self) -> Option<Clusters> {
        None
    }

    /// Takes an item out of one cluster and adds it to another, as [`remove`](Self::remove) and
    /// [`insert`](Self::insert) do, or only as far as [`settle`](Self::settle) needs, which is called before the clusters
    /// are asked for [`quick_difference`](Self::quick_difference) or [`quick_split`](Self::quick_split), and
    /// [`complete`](Self::complete), which is called before anything else is asked.
    #[inline(always)]
    fn shift(&self, from: &mut Self::Cluster, to: &mut Self::Cluster, item: usize) {
        self.insert(to, item);
        self.remove(from, item);
    }

    /// See [`shift`](Self::shift).
    #[inline(always)]
    fn settle(&self, _cluster: &mut Self::Cluster) {}

    /// See [`shift`](Self::shift): afterwards the cluster has the very bits that `insert` and `remove` would have left.
    #[inline(always)]
    fn complete(&self, _cluster: &mut Self::Cluster) {}

    /// The log predictive density of `item` given `other` less that given the rest of `own`, which holds it, to within
    /// [`slack`](Self::slack) of the difference of the two; none where there is no quicker way than the two.
    #[inline(always)]
    fn quick_difference(&self, _own: &Self::Cluster, _other: &Self::Cluster, _item: usize) -> Option<f64> {
        None
    }

    /// The error that [`quick_difference`](Self::quick_difference) stays below.
    #[inline]
    fn slack(&self) -> f64 {
        0.0
    }

    /// The log density of the items of two clusters apart less that of all of them in one, and how far at most a sum of
    /// differences of predictive densities is from it that takes them apart or together one by one; none where there is no
    /// quicker way than that.
    #[inline]
    fn quick_split(&self, _clusters: [&Self::Cluster; 2]) -> Option<(f64, f64)> {
        None
    }

    /// Empties a cluster, keeping its memory.
    fn clear(&self, cluster: &mut Self::Cluster) {
        *cluster = self.empty();
    }
}

/// A likelihood that can also score points that are not among the items.
pub trait Predict: Likelihood {
    /// The log predictive density of the point `x`, in the units of the data given, for `cluster`.
    fn log_density(&self, cluster: &Self::Cluster, x: &[f64]) -> f64;

    /// The posterior mean of the centre of `cluster`, in the units of the data given.
    fn center(&self, cluster: &Self::Cluster) -> Vec<f64>;
}
