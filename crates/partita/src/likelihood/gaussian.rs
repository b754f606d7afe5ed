//! Gaussian clusters with known covariances: `mu ~ N(mu0, S0)`, `x ~ N(mu, S1)`, `mu` integrated out.
//!
//! Any pair of covariances is transformed to the same form before the first step. With `S1 = L L'`
//! and `L^-1 S0 L^-T = Q diag(lambda) Q'`, the map `y = Q' L^-1 (x - mu0)` makes the noise the
//! identity and the prior `diag(lambda)`. So dense covariances cost `O(D^3)` once and nothing in
//! the chain.
//!
//! A cluster of `n` items with sum `S` has, coordinate by coordinate, the posterior mean `m_n =
//! lambda S / (1 + n lambda)` and the predictive variance `v_n = 1 + lambda / (1 + n lambda)`. A
//! member of the cluster need not be removed to be scored against the others: `y - m_(n-1) = (1 + n
//! lambda) / (1 + (n-1) lambda) * (y - m_n)`.

mod cluster;
mod covariance;
mod distance;
mod gram;
mod size;
#[cfg(test)]
mod tests;

pub use cluster::GaussianCluster;
pub use covariance::Covariance;

use super::{Likelihood, Predict, check_prior_mean, computable};
use crate::error::{Error, Result};
use crate::math::{LANES, ln};
use crate::outline::{Clusters, GaussianClusters, SizeConstants};
use cluster::{INSIDE, OUTSIDE, add_scores};
use covariance::{Whitening, diagonalize};
use distance::{square_distance, weighted_square_distance};
use gram::{Gram, Products};
use nalgebra::DVector;
use size::{BySize, half_precision, variance};
use std::borrow::Cow;

#[derive(Debug, Clone)]
enum Spread {
    /// One `lambda` for all coordinates: distances need no weights, and may come from inner products.
    Equal(f64, Option<Gram>),
    /// A `lambda` for each coordinate.
    Each(Vec<f64>),
}

/// The largest number of noise standard deviations that data can be from the prior mean.
const LARGEST_WHITENED: f64 = 1e140;

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
        for (at, &value) in values.iter().enumerate() {
            let (item, coordinate) = (at / dimension, at % dimension);
            if value.is_nan() {
                return Err(Error::NotFinite { item, coordinate, value });
            }
            computable(value, item, coordinate)?;
        }
        check_prior_mean(mean)?;
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
        if let Some(&value) = lambda.iter().find(|lambda| !lambda.is_finite()) {
            let (name, range) = ("the prior variance over that of the noise", "finite");
            return Err(Error::OutOfRange { name, range, value });
        }
        Self::whitened(values, mean, whitening, lambda, log_jacobian)
    }

    fn whitened(
        values: Vec<f64>,
        mean: &[f64],
        whitening: Whitening,
        lambda: Vec<f64>,
        log_jacobian: f64,
    ) -> Result<Self> {
        let dimension = mean.len();
        let items = values.len() / dimension;
        let stride = dimension.next_multiple_of(LANES);
        let spread = if lambda.iter().all(|l| *l == lambda[0]) {
            Spread::Equal(lambda[0], None)
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
            if let Some(coordinate) = row.iter().position(|y| y.is_nan() || y.abs() > LARGEST_WHITENED) {
                return Err(Error::TooLarge { item, coordinate, value: x[coordinate] });
            }
            gaussian.rows[item * stride..(item + 1) * stride].copy_from_slice(&row);
        }
        if let Spread::Equal(_, gram) = &mut gaussian.spread {
            *gram = Gram::if_worthwhile(&gaussian.rows, stride, dimension);
        }
        gaussian.by_size = gaussian.size_table(log_jacobian);
        let nothing = gaussian.empty();
        gaussian.alone = (0..items).map(|item| gaussian.score(&nothing, item, OUTSIDE)).collect();
        Ok(gaussian)
    }

    fn size_table(&self, log_jacobian: f64) -> Vec<BySize> {
        let log_norm = |n: usize| {
            let log_variance: f64 = match &self.spread {
                Spread::Equal(lambda, _) => self.dimension as f64 * ln(variance(*lambda, n as f64)),
                Spread::Each(lambda) => {
                    lambda[..self.dimension].iter().map(|&lambda| ln(variance(lambda, n as f64))).sum()
                }
            };
            log_jacobian - 0.5 * (self.dimension as f64 * ln(std::f64::consts::TAU) + log_variance)
        };
        let lambda = match self.spread {
            Spread::Equal(lambda, _) => lambda,
            Spread::Each(_) => 0.0,
        };
        let mut without = log_norm(0);
        (0..=self.items)
            .map(|n| {
                let with = log_norm(n);
                BySize::new(n, [with, std::mem::replace(&mut without, with)], lambda)
            })
            .collect()
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

    /// The log density of an item given a cluster, `OUTSIDE` of it, or `INSIDE` and not counted.
    #[inline(always)]
    fn score(&self, cluster: &GaussianCluster, item: usize, side: usize) -> f64 {
        let quadratic = match &self.spread {
            Spread::Equal(_, Some(gram)) => {
                cluster.constants.half_precision[side]
                    * cluster.products.square_distance(gram.square(item), item)
            }
            _ => self.quadratic(cluster, &cluster.mean, self.row(item), side),
        };
        cluster.constants.log_norm[side] - quadratic
    }

    /// The exponent, from coordinates.
    #[inline(always)]
    fn quadratic(&self, cluster: &GaussianCluster, mean: &[f64], row: &[f64], side: usize) -> f64 {
        match self.spread {
            Spread::Equal(..) => cluster.constants.half_precision[side] * square_distance(row, mean),
            Spread::Each(_) => weighted_square_distance(row, mean, &cluster.half_precision[side]),
        }
    }

    /// Adds an item `sign` times, and brings up to date what follows from the count and the sum.
    #[inline(always)]
    fn add(&self, cluster: &mut GaussianCluster, item: usize, sign: f64) {
        for (sum, y) in cluster.sum.iter_mut().zip(self.row(item)) {
            *sum += sign * y;
        }
        if let Spread::Equal(_, Some(gram)) = &self.spread {
            gram.add(&mut cluster.products, item, sign);
        }
        self.follow(cluster);
    }

    #[inline(always)]
    fn follow(&self, cluster: &mut GaussianCluster) {
        cluster.constants = self.by_size[cluster.count];
        let shrink = cluster.constants.shrink;
        match &self.spread {
            Spread::Equal(_, Some(gram)) => gram.follow(&mut cluster.products, shrink, &cluster.sum),
            Spread::Equal(_, None) => {
                for (mean, sum) in cluster.mean.iter_mut().zip(&cluster.sum) {
                    *mean = shrink * sum;
                }
            }
            Spread::Each(lambda) => {
                let n = cluster.count as f64;
                for (d, &lambda) in lambda.iter().enumerate() {
                    cluster.mean[d] = lambda * cluster.sum[d] / (1.0 + n * lambda);
                    let [outside, inside] = half_precision(lambda, n);
                    cluster.half_precision[OUTSIDE][d] = outside;
                    cluster.half_precision[INSIDE][d] = inside;
                }
            }
        }
    }

    /// The posterior mean, where it is not kept made from the sum.
    fn mean<'a>(&self, cluster: &'a GaussianCluster) -> Cow<'a, [f64]> {
        match self.spread {
            Spread::Equal(_, Some(_)) => cluster.sum.iter().map(|s| cluster.constants.shrink * s).collect(),
            _ => Cow::Borrowed(&cluster.mean),
        }
    }
}

impl Likelihood for Gaussian {
    type Cluster = GaussianCluster;

    fn len(&self) -> usize {
        self.items
    }

    fn work(&self) -> f64 {
        self.dimension as f64
    }

    fn empty(&self) -> GaussianCluster {
        let coordinates = || vec![0.0; self.stride];
        let (mean, products, half_precision) = match &self.spread {
            Spread::Equal(_, Some(gram)) => (vec![], gram.empty(), Default::default()),
            Spread::Equal(_, None) => (coordinates(), Products::default(), Default::default()),
            Spread::Each(_) => (coordinates(), Products::default(), [coordinates(), coordinates()]),
        };
        let constants = self.by_size[0];
        let mut cluster =
            GaussianCluster { count: 0, constants, sum: coordinates(), mean, products, half_precision };
        self.follow(&mut cluster);
        cluster
    }

    #[inline(always)]
    fn insert(&self, cluster: &mut GaussianCluster, item: usize) {
        cluster.count += 1;
        self.add(cluster, item, 1.0);
    }

    #[inline(always)]
    fn remove(&self, cluster: &mut GaussianCluster, item: usize) {
        cluster.count -= 1;
        self.add(cluster, item, -1.0);
    }

    #[inline(always)]
    fn log_predictive(&self, cluster: &GaussianCluster, item: usize) -> f64 {
        self.score(cluster, item, OUTSIDE)
    }

    #[inline(always)]
    fn log_predictive_without(&self, cluster: &GaussianCluster, item: usize) -> f64 {
        self.score(cluster, item, INSIDE)
    }

    #[inline(always)]
    fn log_predictive_alone(&self, item: usize) -> f64 {
        self.alone[item]
    }

    #[inline(always)]
    fn add_log_predictives(&self, clusters: &[GaussianCluster], item: usize, own: usize, out: &mut [f64]) {
        /// Two registers: the length of short rows is made known to the compiler.
        const TWICE: usize = 2 * LANES;
        let (row, alone) = (self.row(item), self.alone[item]);
        match (&self.spread, self.stride) {
            (Spread::Equal(_, Some(gram)), _) => {
                let square = gram.square(item);
                add_scores(
                    clusters,
                    own,
                    alone,
                    out,
                    #[inline(always)]
                    |cluster, side| {
                        cluster.constants.half_precision[side]
                            * cluster.products.square_distance(square, item)
                    },
                )
            }
            (Spread::Equal(..), TWICE) => add_scores(
                clusters,
                own,
                alone,
                out,
                #[inline(always)]
                |cluster, side| {
                    cluster.constants.half_precision[side]
                        * square_distance(&row[..TWICE], &cluster.mean[..TWICE])
                },
            ),
            _ => add_scores(
                clusters,
                own,
                alone,
                out,
                #[inline(always)]
                |cluster, side| self.quadratic(cluster, &cluster.mean, row, side),
            ),
        }
    }

    fn outline(&self) -> Option<Clusters> {
        let Spread::Equal(_, gram) = &self.spread else { return None };
        let constants = |size: &BySize| SizeConstants {
            log_norm: size.log_norm,
            half_precision: size.half_precision,
            shrink: size.shrink,
        };
        Some(Clusters::Gaussian(GaussianClusters {
            stride: self.stride,
            rows: self.rows.clone(),
            gram: gram.as_ref().map(|gram| gram.products().into()),
            by_size: self.by_size.iter().map(constants).collect(),
        }))
    }

    fn clear(&self, cluster: &mut GaussianCluster) {
        cluster.count = 0;
        cluster.sum.fill(0.0);
        if let Spread::Equal(_, Some(gram)) = &self.spread {
            gram.clear(&mut cluster.products);
        }
        self.follow(cluster);
    }
}

impl Predict for Gaussian {
    /// Minus infinity where it is below the range of doubles: about 1e154 noise standard deviations out.
    fn log_density(&self, cluster: &GaussianCluster, x: &[f64]) -> f64 {
        let mut row = vec![0.0; self.stride];
        self.whiten(x, &mut row);
        let quadratic = self.quadratic(cluster, &self.mean(cluster), &row, OUTSIDE);
        if quadratic.is_nan() && !x.iter().any(|x| x.is_nan()) {
            // Terms of a rotation that overflow may be of both signs.
            return f64::NEG_INFINITY;
        }
        cluster.constants.log_norm[OUTSIDE] - quadratic
    }

    fn center(&self, cluster: &GaussianCluster) -> Vec<f64> {
        let whitened = &self.mean(cluster)[..self.dimension];
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
