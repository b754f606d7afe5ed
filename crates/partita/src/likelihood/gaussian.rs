//! Gaussian clusters with known covariances: `mu ~ N(mu0, S0)`, `x ~ N(mu, S1)`, `mu` integrated out.
//!
//! Any pair of covariances is brought to the same form before the first step. With `S1 = L L'` and
//! `L^-1 S0 L^-T = Q diag(lambda) Q'`, the map `y = Q' L^-1 (x - mu0)` makes the noise the identity
//! and the prior `diag(lambda)`. So dense covariances cost `O(D^3)` once and nothing in the chain.
//!
//! A cluster of `n` items with sum `S` has, coordinate by coordinate, the posterior mean
//! `m_n = lambda S / (1 + n lambda)` and the predictive variance `v_n = 1 + lambda / (1 + n lambda)`.
//! An item of the cluster itself need not leave it to be scored against the others:
//! `y - m_(n-1) = (1 + n lambda) / (1 + (n-1) lambda) * (y - m_n)`.

mod covariance;

pub use covariance::Covariance;

use super::{Likelihood, Predict};
use crate::error::{Error, Result};
use crate::math::ln;
use covariance::{Whitening, diagonalize};
use nalgebra::DVector;

/// Everything that depends on the cluster size only.
#[derive(Debug, Clone, Copy)]
struct BySize {
    /// The constant of the log density.
    log_norm: f64,
    /// Half the predictive precision, for [`Spread::Equal`].
    half_precision: f64,
    /// The same for an item of the cluster itself, with the factor of its residual squared.
    half_precision_without: f64,
    /// `lambda / (1 + n lambda)`.
    shrink: f64,
}

#[derive(Debug, Clone)]
enum Spread {
    /// One `lambda` for all coordinates: distances need no weights.
    Equal(f64),
    /// A `lambda` for each coordinate.
    Each(Vec<f64>),
}

/// Data with Gaussian clusters of known covariances.
///
/// ```
/// use partita::{Gaussian, likelihood::{Covariance, Likelihood}};
/// // Two coordinates, correlated noise.
/// let noise = Covariance::Dense { matrix: vec![1.0, 0.5, 0.5, 1.0] };
/// let prior = Covariance::Isotropic { sd: 2.0 };
/// let data = Gaussian::new(vec![0.0, 0.0, 1.0, 1.0], &[0.0, 0.0], &prior, &noise)?;
/// assert_eq!(data.len(), 2);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gaussian {
    items: usize,
    dimension: usize,
    /// Whitened rows, padded with zeros to a multiple of [`LANES`].
    rows: Vec<f64>,
    stride: usize,
    mean: Vec<f64>,
    whitening: Whitening,
    spread: Spread,
    by_size: Vec<BySize>,
    /// The log density of each item given nothing.
    alone: Vec<f64>,
}

/// Coordinates handled together, so that sums vectorise without reordering.
const LANES: usize = 4;

/// The statistics of a Gaussian cluster, in whitened coordinates.
#[derive(Debug)]
pub struct GaussianCluster {
    count: usize,
    sum: Vec<f64>,
    mean: Vec<f64>,
    /// Half the predictive precision of each coordinate, and the same for an item of the cluster
    /// itself; empty where the spread is equal.
    half_precision: Vec<f64>,
    half_precision_without: Vec<f64>,
}

impl Clone for GaussianCluster {
    fn clone(&self) -> Self {
        GaussianCluster {
            count: self.count,
            sum: self.sum.clone(),
            mean: self.mean.clone(),
            half_precision: self.half_precision.clone(),
            half_precision_without: self.half_precision_without.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.count = source.count;
        self.sum.clone_from(&source.sum);
        self.mean.clone_from(&source.mean);
        self.half_precision.clone_from(&source.half_precision);
        self.half_precision_without.clone_from(&source.half_precision_without);
    }
}

impl Gaussian {
    /// Rows of `dimension` values, prior and noise isotropic, prior mean zero: the paper's model.
    ///
    /// Both spreads are *standard deviations* (the paper prints them where one expects variances,
    /// but its code reads them as standard deviations).
    pub fn isotropic(values: Vec<f64>, dimension: usize, prior_sd: f64, noise_sd: f64) -> Result<Self> {
        let prior = Covariance::Isotropic { sd: prior_sd };
        let noise = Covariance::Isotropic { sd: noise_sd };
        Self::new(values, &vec![0.0; dimension], &prior, &noise)
    }

    /// Rows of `mean.len()` values, with a prior mean and any two covariances.
    pub fn new(values: Vec<f64>, mean: &[f64], prior: &Covariance, noise: &Covariance) -> Result<Self> {
        let dimension = mean.len();
        if dimension == 0 || values.is_empty() {
            return Err(Error::NoItems);
        }
        if !values.len().is_multiple_of(dimension) {
            let expected = values.len() / dimension * dimension;
            return Err(Error::WrongLength { name: "the data", expected, found: values.len() });
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            let (item, coordinate) = (at / dimension, at % dimension);
            return Err(Error::NotFinite { item, coordinate, value: values[at] });
        }
        if let Some(&value) = mean.iter().find(|m| !m.is_finite()) {
            return Err(Error::OutOfRange { name: "the prior mean", range: "finite", value });
        }
        let (prior_name, noise_name) = ("prior covariance", "noise covariance");
        let (whitening, lambda, log_jacobian) =
            match (prior.sds("prior sd", dimension)?, noise.sds("noise sd", dimension)?) {
                (Some(prior), Some(noise)) => {
                    let lambda = prior.iter().zip(&noise).map(|(p, n)| (p / n) * (p / n)).collect();
                    let log_jacobian = -noise.iter().map(|n| ln(*n)).sum::<f64>();
                    (Whitening::Scale(noise), lambda, log_jacobian)
                }
                _ => {
                    diagonalize(&prior.matrix(prior_name, dimension)?, &noise.matrix(noise_name, dimension)?)?
                }
            };
        Ok(Self::whitened(values, mean, whitening, lambda, log_jacobian))
    }

    fn whitened(
        values: Vec<f64>,
        mean: &[f64],
        whitening: Whitening,
        lambda: Vec<f64>,
        log_jacobian: f64,
    ) -> Self {
        let dimension = mean.len();
        let items = values.len() / dimension;
        let stride = dimension.next_multiple_of(LANES);
        let spread = if lambda.iter().all(|l| *l == lambda[0]) {
            Spread::Equal(lambda[0])
        } else {
            let mut padded = lambda;
            padded.resize(stride, 0.0);
            Spread::Each(padded)
        };
        let mut gaussian = Gaussian {
            items,
            dimension,
            rows: vec![0.0; items * stride],
            stride,
            mean: mean.to_vec(),
            whitening,
            by_size: Vec::new(),
            spread,
            alone: Vec::new(),
        };
        let mut row = vec![0.0; stride];
        for (item, x) in values.chunks_exact(dimension).enumerate() {
            gaussian.whiten(x, &mut row);
            gaussian.rows[item * stride..(item + 1) * stride].copy_from_slice(&row);
        }
        gaussian.by_size = (0..=items).map(|n| gaussian.size_table(n, log_jacobian)).collect();
        let nothing = gaussian.empty();
        gaussian.alone = (0..items).map(|item| gaussian.score(&nothing, gaussian.row(item))).collect();
        gaussian
    }

    fn size_table(&self, n: usize, log_jacobian: f64) -> BySize {
        let n = n as f64;
        let log_variance: f64 = match &self.spread {
            Spread::Equal(lambda) => self.dimension as f64 * ln(variance(*lambda, n)),
            Spread::Each(lambda) => {
                lambda[..self.dimension].iter().map(|&lambda| ln(variance(lambda, n))).sum()
            }
        };
        let log_norm =
            log_jacobian - 0.5 * (self.dimension as f64 * ln(std::f64::consts::TAU) + log_variance);
        let lambda = match self.spread {
            Spread::Equal(lambda) => lambda,
            Spread::Each(_) => 0.0,
        };
        BySize {
            log_norm,
            half_precision: 0.5 / variance(lambda, n),
            half_precision_without: half_precision_without(lambda, n),
            shrink: lambda / (1.0 + n * lambda),
        }
    }

    /// The number of coordinates.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    #[inline(always)]
    fn row(&self, item: usize) -> &[f64] {
        &self.rows[item * self.stride..(item + 1) * self.stride]
    }

    fn whiten(&self, x: &[f64], out: &mut [f64]) {
        match &self.whitening {
            Whitening::Scale(sd) => {
                for (d, out) in out[..self.dimension].iter_mut().enumerate() {
                    *out = (x[d] - self.mean[d]) / sd[d];
                }
            }
            Whitening::Rotate { forward, .. } => {
                let centred =
                    DVector::from_iterator(self.dimension, x.iter().zip(&self.mean).map(|(x, m)| x - m));
                out[..self.dimension].copy_from_slice((forward * centred).as_slice());
            }
        }
    }

    /// The log density of a whitened row given a cluster that does not hold it.
    #[inline(always)]
    fn score(&self, cluster: &GaussianCluster, row: &[f64]) -> f64 {
        let table = &self.by_size[cluster.count];
        let quadratic = match self.spread {
            Spread::Equal(_) => table.half_precision * square_distance(row, &cluster.mean),
            Spread::Each(_) => weighted_square_distance(row, &cluster.mean, &cluster.half_precision),
        };
        table.log_norm - quadratic
    }

    /// The log density of a whitened row given the other items of the cluster that holds it.
    #[inline(always)]
    fn score_without(&self, cluster: &GaussianCluster, row: &[f64]) -> f64 {
        let quadratic = match self.spread {
            Spread::Equal(_) => {
                self.by_size[cluster.count].half_precision_without * square_distance(row, &cluster.mean)
            }
            Spread::Each(_) => weighted_square_distance(row, &cluster.mean, &cluster.half_precision_without),
        };
        self.by_size[cluster.count - 1].log_norm - quadratic
    }

    /// Everything of a cluster that follows from its count and its sum.
    #[inline]
    fn follow(&self, cluster: &mut GaussianCluster) {
        match &self.spread {
            Spread::Equal(_) => {
                let shrink = self.by_size[cluster.count].shrink;
                for (mean, sum) in cluster.mean.iter_mut().zip(&cluster.sum) {
                    *mean = shrink * sum;
                }
            }
            Spread::Each(lambda) => {
                let n = cluster.count as f64;
                for (d, &lambda) in lambda.iter().enumerate() {
                    cluster.mean[d] = lambda * cluster.sum[d] / (1.0 + n * lambda);
                    cluster.half_precision[d] = 0.5 / variance(lambda, n);
                    cluster.half_precision_without[d] = half_precision_without(lambda, n);
                }
            }
        }
    }
}

/// `v_n`.
#[inline]
fn variance(lambda: f64, n: f64) -> f64 {
    1.0 + lambda / (1.0 + n * lambda)
}

/// Half the precision `1 / v_(n-1)` times the square of the residual's factor; 0 for an empty cluster.
#[inline]
fn half_precision_without(lambda: f64, n: f64) -> f64 {
    if n == 0.0 {
        return 0.0;
    }
    let factor = (1.0 + n * lambda) / (1.0 + (n - 1.0) * lambda);
    0.5 * factor * factor / variance(lambda, n - 1.0)
}

#[inline(always)]
fn square_distance(a: &[f64], b: &[f64]) -> f64 {
    lane_sums(a.chunks_exact(LANES).zip(b.chunks_exact(LANES)), |(a, b), lane| {
        let difference = a[lane] - b[lane];
        difference * difference
    })
}

#[inline(always)]
fn weighted_square_distance(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let chunks = a.chunks_exact(LANES).zip(b.chunks_exact(LANES)).zip(weights.chunks_exact(LANES));
    lane_sums(chunks, |((a, b), w), lane| {
        let difference = a[lane] - b[lane];
        difference * difference * w[lane]
    })
}

/// Sums over chunks in a fixed order: lanes of even and of odd chunks apart, so that no addition
/// waits for the one before, then the two, then the halves of the lanes: as wide registers do it.
#[inline(always)]
fn lane_sums<C>(mut chunks: impl Iterator<Item = C>, term: impl Fn(&C, usize) -> f64) -> f64 {
    let (mut even, mut odd) = ([0.0; LANES], [0.0; LANES]);
    while let Some(chunk) = chunks.next() {
        for (lane, sum) in even.iter_mut().enumerate() {
            *sum += term(&chunk, lane);
        }
        let Some(chunk) = chunks.next() else { break };
        for (lane, sum) in odd.iter_mut().enumerate() {
            *sum += term(&chunk, lane);
        }
    }
    let sums: [f64; LANES] = std::array::from_fn(|lane| even[lane] + odd[lane]);
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

impl Likelihood for Gaussian {
    type Cluster = GaussianCluster;

    fn len(&self) -> usize {
        self.items
    }

    fn empty(&self) -> GaussianCluster {
        let weights = match self.spread {
            Spread::Equal(_) => 0,
            Spread::Each(_) => self.stride,
        };
        let mut cluster = GaussianCluster {
            count: 0,
            sum: vec![0.0; self.stride],
            mean: vec![0.0; self.stride],
            half_precision: vec![0.0; weights],
            half_precision_without: vec![0.0; weights],
        };
        self.follow(&mut cluster);
        cluster
    }

    #[inline]
    fn insert(&self, cluster: &mut GaussianCluster, item: usize) {
        cluster.count += 1;
        for (sum, y) in cluster.sum.iter_mut().zip(self.row(item)) {
            *sum += y;
        }
        self.follow(cluster);
    }

    #[inline]
    fn remove(&self, cluster: &mut GaussianCluster, item: usize) {
        cluster.count -= 1;
        for (sum, y) in cluster.sum.iter_mut().zip(self.row(item)) {
            *sum -= y;
        }
        self.follow(cluster);
    }

    #[inline]
    fn log_predictive(&self, cluster: &GaussianCluster, item: usize) -> f64 {
        self.score(cluster, self.row(item))
    }

    #[inline]
    fn log_predictive_without(&self, cluster: &GaussianCluster, item: usize) -> f64 {
        self.score_without(cluster, self.row(item))
    }

    #[inline(always)]
    fn add_log_predictives(&self, clusters: &[GaussianCluster], item: usize, own: usize, out: &mut [f64]) {
        let row = self.row(item);
        for (k, cluster) in clusters.iter().enumerate() {
            out[k] += if k == own { self.score_without(cluster, row) } else { self.score(cluster, row) };
        }
        out[clusters.len()] += self.alone[item];
    }

    fn clear(&self, cluster: &mut GaussianCluster) {
        cluster.count = 0;
        cluster.sum.fill(0.0);
        self.follow(cluster);
    }
}

impl Predict for Gaussian {
    fn log_density(&self, cluster: &GaussianCluster, x: &[f64]) -> f64 {
        let mut row = vec![0.0; self.stride];
        self.whiten(x, &mut row);
        self.score(cluster, &row)
    }

    fn center(&self, cluster: &GaussianCluster) -> Vec<f64> {
        let whitened = &cluster.mean[..self.dimension];
        match &self.whitening {
            Whitening::Scale(sd) => {
                whitened.iter().zip(sd).zip(&self.mean).map(|((y, sd), mean)| mean + sd * y).collect()
            }
            Whitening::Rotate { backward, .. } => {
                let offset = backward * DVector::from_column_slice(whitened);
                offset.iter().zip(&self.mean).map(|(o, mean)| o + mean).collect()
            }
        }
    }
}
