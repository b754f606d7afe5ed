//! Gaussian clusters with a mean and a full covariance matrix of their own, both integrated out.
//!
//! `x ~ N(mu, S)`, `mu ~ N(mean, S / kappa)`, `S ~ InvWishart(degrees, scale)`. With `n` items
//! `kappa_n = kappa + n`, `nu_n = degrees + n`, `m_n` the posterior mean, and the scale `P_n` grows by
//! `r e e'` for an item with residual `e = x - m_n`, `r = kappa_n / (kappa_n + 1)`. The predictive is a
//! multivariate Student t (Murphy 2007, eq. 232), written with determinants:
//!
//! `pi^(-D/2) G((nu_n + 1)/2) / G((nu_n + 1 - D)/2) * r^(D/2) * |P_n|^(-1/2) * (1 + r e' P_n^-1 e)^(-(nu_n + 1)/2)`.
//!
//! The Cholesky factor of `P_n` follows each move by a rank-one update, `O(D^2)`. A member of the cluster
//! is scored without removing it: with `d = x - m_n` and `q = kappa_n / kappa_(n-1) * d' P_n^-1 d` the
//! determinant is `|P_(n-1)| = |P_n| (1 - q)`, so its density has `|P_n|^(-1/2) (1 - q)^(nu_(n-1)/2)`.
//!
//! A downdate loses digits if much is taken away. So sums of products are kept beside the factor, which
//! is then rebuilt from them, as it is after a fixed number of moves. `P_n` is never smaller than the
//! prior's scale, nor is any pivot: that bound keeps it positive definite whatever rounding does.

mod cholesky;
mod of_table;

pub use of_table::{Shape, TablePrior};

use super::{Likelihood, Predict};
use crate::error::{Error, Result, positive};
use crate::math::{ln, ln_gamma};
use crate::outline::{Clusters, FullClusters};
use crate::special::log;
use cholesky::{Group, add_scaled, factorize, groups, lanes, rank_one, square_distance, square_solution};
use nalgebra::{DMatrix, DVector};
use pulp::{Arch, NullaryFnOnce};

/// The prior of clusters with a full covariance: `S ~ InvWishart(degrees, scale)`, `mu ~ N(mean, S / kappa)`.
///
/// ```
/// use partita::likelihood::NormalInverseWishart;
/// let prior = NormalInverseWishart { kappa: 0.1, ..NormalInverseWishart::weak(3) };
/// assert_eq!((prior.degrees, prior.scale[0]), (5.0, 0.25));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NormalInverseWishart {
    /// The prior mean of a cluster's centre.
    pub mean: Vec<f64>,
    /// How many items the prior mean is worth.
    pub kappa: f64,
    /// The degrees of freedom, above `D - 1`.
    pub degrees: f64,
    /// The scale matrix, row after row; the mean covariance is `scale / (degrees - D - 1)`.
    pub scale: Vec<f64>,
}

impl NormalInverseWishart {
    /// Weakly informative for standardised data, with total variance 1: a cluster's covariance has
    /// prior mean `I / 4`, with the fewest degrees of freedom for which the mean exists (`D + 2`), and
    /// its centre has the other 3/4 of the variance (`kappa = 1/3`).
    pub fn weak(dimension: usize) -> Self {
        let scale =
            (0..dimension * dimension).map(|at| if at % (dimension + 1) == 0 { 0.25 } else { 0.0 }).collect();
        let degrees = dimension as f64 + 2.0;
        NormalInverseWishart { mean: vec![0.0; dimension], kappa: 1.0 / 3.0, degrees, scale }
    }
}

/// Data with Gaussian clusters, each with a covariance matrix of its own.
///
/// Either all cells of a row are present, or all are NaN: such a row is missing. It does not enter a
/// cluster's statistics, and its density is 1.
///
/// ```
/// use partita::likelihood::{Full, NormalInverseWishart};
/// use partita::{Likelihood, Mixture, Prior};
/// let data = Full::new(vec![0.0, 0.1, 1.0, 0.9, -1.0, -1.1], &NormalInverseWishart::weak(2))?;
/// assert_eq!(data.len(), 3);
/// let target = Mixture::new(Prior::dirichlet(1.0)?, data);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Full {
    items: usize,
    dimension: usize,
    /// Rows about the prior mean; a row that is missing is NaN.
    rows: Vec<Group>,
    mean: Vec<f64>,
    kappa: f64,
    degrees: f64,
    /// The prior's scale and its Cholesky factor: column after column, lower triangle, zeros above.
    scale: Vec<Group>,
    root: Vec<Group>,
    /// The constant of the density by cluster size.
    norms: Vec<f64>,
    /// The log density of each item given nothing.
    alone: Vec<f64>,
}

/// The statistics of a cluster with a full covariance.
#[derive(Debug)]
pub struct FullCluster {
    count: usize,
    sum: Vec<Group>,
    /// Sums of products, lower triangle, column after column. What is above nobody reads.
    products: Vec<Group>,
    mean: Vec<Group>,
    /// The Cholesky factor of `P_n`, laid out alike with zeros above, and the reciprocals of its diagonal.
    factor: Vec<Group>,
    reciprocals: Vec<Group>,
    /// `ln |P_n| / 2`.
    half_log_det: f64,
    /// Moves since the factor was last built from the products.
    moves: u32,
}

impl Clone for FullCluster {
    fn clone(&self) -> Self {
        FullCluster {
            sum: self.sum.clone(),
            products: self.products.clone(),
            mean: self.mean.clone(),
            factor: self.factor.clone(),
            reciprocals: self.reciprocals.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.count = source.count;
        self.sum.clone_from(&source.sum);
        self.products.clone_from(&source.products);
        self.mean.clone_from(&source.mean);
        self.factor.clone_from(&source.factor);
        self.reciprocals.clone_from(&source.reciprocals);
        self.half_log_det = source.half_log_det;
        self.moves = source.moves;
    }
}

/// A factor is built anew after this many rank-one changes: often enough that none drifts, seldom
/// enough that `D^3 / 3` does not count.
const MOVES_BEFORE_REFACTOR: u32 = 512;

/// How far data can be from the prior mean, in units of the scale of their column and of the smallest pivot beside such a scale:
/// beside the square of this a double has four digits left for the scale, and beyond it soon none.
const FARTHEST: f64 = 1e6;

impl Full {
    /// Rows of `prior.mean.len()` values, all finite and within a million units of the prior's scale, or all NaN.
    pub fn new(values: Vec<f64>, prior: &NormalInverseWishart) -> Result<Self> {
        let dimension = prior.mean.len();
        super::rows_whole_or_missing(&values, dimension, "a full covariance")?;
        super::check_prior_mean(&prior.mean)?;
        let (kappa, degrees) = (positive("kappa", prior.kappa)?, prior.degrees);
        let d = dimension as f64;
        if !(degrees > d - 1.0 && degrees.is_finite()) {
            let (name, range) = ("the degrees of freedom", "above the number of columns less one");
            return Err(Error::OutOfRange { name, range, value: degrees });
        }
        if prior.scale.len() != dimension * dimension {
            let (name, expected) = ("the scale matrix", dimension * dimension);
            return Err(Error::WrongLength { name, expected, found: prior.scale.len() });
        }
        let refused = Error::NotPositiveDefinite { name: "scale matrix" };
        let matrix = DMatrix::from_row_slice(dimension, dimension, &prior.scale);
        let largest = matrix.amax();
        if !(largest.is_finite() && (&matrix - matrix.transpose()).amax() <= 1e-12 * largest) {
            return Err(refused);
        }
        let root = matrix.clone().cholesky().ok_or(refused)?.l();
        // In units of the columns: what a pivot is beside the scale of its own column.
        let units: Vec<f64> = matrix.diagonal().iter().map(|square| square.sqrt()).collect();
        let smallest = (0..dimension).map(|j| root[(j, j)] / units[j]).fold(1.0, f64::min);
        let is_far = |(at, x): (usize, &f64)| {
            let column = at % dimension;
            (x - prior.mean[column]).abs() > FARTHEST * smallest * units[column]
        };
        if let Some(at) = values.iter().enumerate().position(is_far) {
            let (item, coordinate) = (at / dimension, at % dimension);
            return Err(Error::TooLarge { item, coordinate, value: values[at] });
        }
        let items = values.len() / dimension;
        let rows = values.chunks_exact(dimension).flat_map(|row| centred(row, &prior.mean)).collect();
        let columns = |matrix: &DMatrix<f64>| -> Vec<Group> {
            matrix.column_iter().flat_map(|column| in_groups(column.iter().copied())).collect()
        };
        let norm = |n: usize| {
            let (nu, kappa) = (degrees + n as f64, kappa + n as f64);
            ln_gamma(0.5 * (nu + 1.0)) - ln_gamma(0.5 * (nu + 1.0 - d))
                + 0.5 * d * (ln(kappa / (kappa + 1.0)) - ln(std::f64::consts::PI))
        };
        let mut full = Full {
            items,
            dimension,
            rows,
            mean: prior.mean.clone(),
            kappa,
            degrees,
            scale: columns(&matrix),
            root: columns(&root),
            norms: (0..=items).map(norm).collect(),
            alone: Vec::new(),
        };
        let nothing = full.empty();
        let alone = |item| full.log_predictive(&nothing, item);
        full.alone = (0..items).map(alone).collect();
        Ok(full)
    }

    /// The number of columns.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Groups of a row, and of a column of a matrix.
    #[inline(always)]
    fn stride(&self) -> usize {
        groups(self.dimension)
    }

    #[inline(always)]
    fn row(&self, item: usize) -> &[Group] {
        let stride = self.stride();
        &self.rows[item * stride..(item + 1) * stride]
    }

    /// Whether the row of an item is there.
    #[inline(always)]
    fn has(&self, item: usize) -> bool {
        !self.row(item)[0][0].is_nan()
    }

    /// The log density of a row given a cluster that does not hold it; `square` is `d' P_n^-1 d` for `d = row - m_n`.
    #[inline(always)]
    fn score(&self, cluster: &FullCluster, row: &[Group], square: f64) -> f64 {
        let n = cluster.count as f64;
        let shrink = (self.kappa + n) / (self.kappa + n + 1.0);
        let q = shrink * square;
        let log = if q < f64::MAX { log(1.0 + q) } else { self.log_far(cluster, row, shrink) };
        self.norms[cluster.count] - cluster.half_log_det - 0.5 * (self.degrees + n + 1.0) * log
    }

    /// `ln(1 + shrink d' P_n^-1 d)` for a row so far out that squares overflow: in units of the largest residual.
    #[cold]
    fn log_far(&self, cluster: &FullCluster, row: &[Group], shrink: f64) -> f64 {
        let mut residual = vec![Group::default(); row.len()];
        subtract(row, &cluster.mean, &mut residual);
        let unit = to_units(residual.as_flattened_mut());
        let square = square_solution(&cluster.factor, &cluster.reciprocals, &mut residual);
        2.0 * ln(unit) + ln(shrink * square + 1.0 / unit / unit)
    }

    /// The log density of an item given the other items of the cluster that holds it, with `square` as above.
    #[inline(always)]
    fn score_without(&self, cluster: &FullCluster, item: usize, square: f64) -> f64 {
        if cluster.count == 1 {
            return self.alone[item];
        }
        let rest = (cluster.count - 1) as f64;
        let kappa = self.kappa + rest;
        let q = (kappa + 1.0) / kappa * square;
        // Below 1 but for rounding.
        let left = if q < 1.0 - 1e-15 { 1.0 - q } else { 1e-15 };
        self.norms[cluster.count - 1] - cluster.half_log_det + 0.5 * (self.degrees + rest) * log(left)
    }

    /// Adds or takes away an item's share of the sums; the factor follows by `sign` times a rank-one term.
    fn change(&self, cluster: &mut FullCluster, item: usize, sign: f64) {
        let row = self.row(item);
        compiled(
            #[inline(always)]
            || {
                with_memory(
                    row.len(),
                    #[inline(always)]
                    |work| self.change_with(cluster, row, sign, work),
                )
            },
        );
    }

    #[inline(always)]
    fn change_with(&self, cluster: &mut FullCluster, row: &[Group], sign: f64, v: &mut [Group]) {
        // Both ways the residual is that from the mean without the item: here from the mean before.
        let before = self.kappa + cluster.count as f64;
        let weight = (before / (before + sign)).sqrt();
        subtract(row, &cluster.mean, v);
        v.as_flattened_mut().iter_mut().for_each(|e| *e *= weight);
        cluster.count = if sign > 0.0 { cluster.count + 1 } else { cluster.count - 1 };
        let kappa = self.kappa + cluster.count as f64;
        add_scaled(&mut cluster.sum, sign, row);
        for (mean, sum) in cluster.mean.as_flattened_mut().iter_mut().zip(cluster.sum.as_flattened()) {
            *mean = sum / kappa;
        }
        for (j, column) in cluster.products.chunks_exact_mut(row.len()).enumerate() {
            let from = lanes(j);
            add_scaled(&mut column[from..], sign * row.as_flattened()[j], &row[from..]);
        }
        if cluster.count == 0 {
            return self.clear(cluster);
        }
        cluster.moves += 1;
        if cluster.moves >= MOVES_BEFORE_REFACTOR || !rank_one(&mut cluster.factor, v, sign) {
            self.refactor(cluster);
        }
        self.follow(cluster);
    }

    /// The factor of `P_n = scale + products - kappa_n m_n m_n'`, from scratch.
    fn refactor(&self, cluster: &mut FullCluster) {
        let kappa = self.kappa + cluster.count as f64;
        cluster.moves = 0;
        let stride = self.stride() * Group::default().len();
        let (factor, mean) = (cluster.factor.as_flattened_mut(), cluster.mean.as_flattened());
        let (products, scale) = (cluster.products.as_flattened(), self.scale.as_flattened());
        for j in 0..self.dimension {
            for i in j..self.dimension {
                let at = j * stride + i;
                factor[at] = scale[at] + (products[at] - kappa * mean[i] * mean[j]);
            }
        }
        factorize(factor, self.root.as_flattened(), self.dimension);
    }

    #[inline(always)]
    fn follow(&self, cluster: &mut FullCluster) {
        cluster.half_log_det = 0.0;
        let columns = cluster.factor.chunks_exact(self.stride());
        let reciprocals = cluster.reciprocals.as_flattened_mut();
        for (j, (column, reciprocal)) in columns.zip(reciprocals).enumerate() {
            let pivot = column.as_flattened()[j];
            *reciprocal = 1.0 / pivot;
            cluster.half_log_det += log(pivot);
        }
    }
}

impl Likelihood for Full {
    type Cluster = FullCluster;

    fn len(&self) -> usize {
        self.items
    }

    /// A triangular system is solved, several operations at a time.
    fn work(&self) -> f64 {
        let d = self.dimension as f64;
        0.35 * (5.0 * d + d * d)
    }

    fn empty(&self) -> FullCluster {
        let zeros = |count| vec![Group::default(); count];
        let (row, matrix) = (self.stride(), self.dimension * self.stride());
        let mut cluster = FullCluster {
            count: 0,
            sum: zeros(row),
            products: zeros(matrix),
            mean: zeros(row),
            factor: zeros(matrix),
            reciprocals: zeros(row),
            half_log_det: 0.0,
            moves: 0,
        };
        self.clear(&mut cluster);
        cluster
    }

    fn insert(&self, cluster: &mut FullCluster, item: usize) {
        if self.has(item) {
            self.change(cluster, item, 1.0);
        }
    }

    fn remove(&self, cluster: &mut FullCluster, item: usize) {
        if self.has(item) {
            self.change(cluster, item, -1.0);
        }
    }

    fn log_predictive(&self, cluster: &FullCluster, item: usize) -> f64 {
        if !self.has(item) {
            return 0.0;
        }
        let row = self.row(item);
        self.score(cluster, row, cluster.square_distance(row))
    }

    fn log_predictive_without(&self, cluster: &FullCluster, item: usize) -> f64 {
        if !self.has(item) {
            return 0.0;
        }
        self.score_without(cluster, item, cluster.square_distance(self.row(item)))
    }

    #[inline(always)]
    fn log_predictive_alone(&self, item: usize) -> f64 {
        self.alone[item]
    }

    fn add_log_predictives(&self, clusters: &[FullCluster], item: usize, own: usize, out: &mut [f64]) {
        if !self.has(item) {
            return;
        }
        let row = self.row(item);
        compiled(
            #[inline(always)]
            || {
                for (k, cluster) in clusters.iter().enumerate() {
                    let square = cluster.square_distance_inlined(row);
                    out[k] += match k == own {
                        true => self.score_without(cluster, item, square),
                        false => self.score(cluster, row, square),
                    };
                }
            },
        );
        out[clusters.len()] += self.alone[item];
    }

    fn outline(&self) -> Option<Clusters> {
        let (d, stride) = (self.dimension, self.stride() * Group::default().len());
        let triangle = |matrix: &[Group]| -> Vec<f64> {
            let columns = matrix.as_flattened().chunks_exact(stride).enumerate();
            columns.flat_map(|(j, column)| &column[j..d]).copied().collect()
        };
        let rows = self.rows.as_flattened().chunks_exact(stride);
        Some(Clusters::Full(Box::new(FullClusters {
            kappa: self.kappa,
            degrees: self.degrees,
            rows: rows.flat_map(|row| &row[..d]).copied().collect(),
            scale: triangle(&self.scale),
            root: triangle(&self.root),
            norms: self.norms.clone(),
            alone: self.alone.clone(),
        })))
    }

    fn clear(&self, cluster: &mut FullCluster) {
        cluster.count = 0;
        cluster.moves = 0;
        cluster.sum.fill(Group::default());
        cluster.products.fill(Group::default());
        cluster.mean.fill(Group::default());
        cluster.factor.copy_from_slice(&self.root);
        self.follow(cluster);
    }
}

impl FullCluster {
    /// `d' P_n^-1 d` for `d = row - m_n`.
    fn square_distance(&self, row: &[Group]) -> f64 {
        compiled(
            #[inline(always)]
            || self.square_distance_inlined(row),
        )
    }

    #[inline(always)]
    fn square_distance_inlined(&self, row: &[Group]) -> f64 {
        if let Some(square) = square_distance(&self.factor, &self.reciprocals, row, &self.mean) {
            return square;
        }
        with_memory(
            row.len(),
            #[inline(always)]
            |residual| {
                subtract(row, &self.mean, residual);
                square_solution(&self.factor, &self.reciprocals, residual)
            },
        )
    }
}

/// Work that is compiled for the processor at hand, here and once: written out as it is, it would be much in every kernel.
#[inline(always)]
fn compiled<R>(work: impl FnOnce() -> R) -> R {
    struct Work<F>(F);
    impl<R, F: FnOnce() -> R> NullaryFnOnce for Work<F> {
        type Output = R;

        #[inline(always)]
        fn call(self) -> R {
            self.0()
        }
    }
    Arch::new().dispatch(Work(work))
}

/// Groups up to which a row to work with is on the stack.
const ON_STACK: usize = 16;

/// Memory for a row. The work is called in one place and compiled into it, for the processor at hand.
#[inline(always)]
fn with_memory<R>(groups: usize, work: impl FnOnce(&mut [Group]) -> R) -> R {
    let (mut stack, mut heap) = ([Group::default(); ON_STACK], Vec::new());
    work(match groups <= ON_STACK {
        true => &mut stack[..groups],
        false => {
            heap.resize(groups, Group::default());
            &mut heap
        }
    })
}

/// Numbers in groups, the last one filled up with zeros.
fn in_groups(numbers: impl Iterator<Item = f64>) -> Vec<Group> {
    let mut filled: Vec<f64> = numbers.collect();
    let group = Group::default();
    filled.resize(filled.len().next_multiple_of(group.len()), 0.0);
    filled.as_chunks().0.to_vec()
}

/// A row of a table about a mean.
fn centred(row: &[f64], mean: &[f64]) -> Vec<Group> {
    in_groups(row.iter().zip(mean).map(|(x, mean)| x - mean))
}

/// A row less a mean.
#[inline(always)]
fn subtract(row: &[Group], mean: &[Group], out: &mut [Group]) {
    for ((out, x), mean) in out.iter_mut().zip(row).zip(mean) {
        for ((out, x), mean) in out.iter_mut().zip(x).zip(mean) {
            *out = x - mean;
        }
    }
}

/// Divides residuals by the largest of them if that is above 1; returns it, or 1.
fn to_units(residuals: &mut [f64]) -> f64 {
    let unit = residuals.iter().fold(1.0, |most, e| if e.abs() > most { e.abs() } else { most });
    residuals.iter_mut().for_each(|e| *e /= unit);
    unit
}

impl Full {
    /// The log density of the cells of a row that are not NaN: a Student t's margins are Student t, with
    /// the rows and columns of `P_n` that are left and the same degrees of freedom.
    fn marginal(&self, cluster: &FullCluster, row: &[Group]) -> f64 {
        let (d, row, mean) = (self.dimension, row.as_flattened(), cluster.mean.as_flattened());
        let seen: Vec<usize> = (0..d).filter(|&j| !row[j].is_nan()).collect();
        if seen.is_empty() {
            return 0.0;
        }
        let stride = self.stride() * Group::default().len();
        let factor = DMatrix::from_column_slice(stride, d, cluster.factor.as_flattened());
        let factor = factor.select_rows(&seen);
        let mut residual: Vec<f64> = seen.iter().map(|&j| row[j] - mean[j]).collect();
        let unit = to_units(&mut residual);
        let residual = DVector::from_vec(residual);
        let root = (&factor * factor.transpose()).cholesky().expect("positive definite as the whole is");
        let quadratic = residual.dot(&root.solve(&residual));
        let half_log_det: f64 = root.l_dirty().diagonal().iter().map(|&pivot| ln(pivot)).sum();
        let (n, width) = (cluster.count as f64, seen.len() as f64);
        let (freedom, kappa) = (self.degrees + n + 1.0 - d as f64, self.kappa + n);
        let shrink = kappa / (kappa + 1.0);
        ln_gamma(0.5 * (freedom + width)) - ln_gamma(0.5 * freedom)
            + 0.5 * width * (ln(shrink) - ln(std::f64::consts::PI))
            - half_log_det
            - 0.5 * (freedom + width) * (2.0 * ln(unit) + ln(1.0 / unit / unit + shrink * quadratic))
    }
}

impl Predict for Full {
    /// A cell of a new row may be NaN, that is, missing.
    fn log_density(&self, cluster: &FullCluster, x: &[f64]) -> f64 {
        let row = centred(x, &self.mean);
        let cells = row.as_flattened();
        if cells.iter().any(|x| x.is_infinite()) {
            return f64::NEG_INFINITY;
        }
        if cells.iter().any(|x| x.is_nan()) {
            return self.marginal(cluster, &row);
        }
        self.score(cluster, &row, cluster.square_distance(&row))
    }

    fn center(&self, cluster: &FullCluster) -> Vec<f64> {
        cluster.mean.as_flattened().iter().zip(&self.mean).map(|(m, mean)| m + mean).collect()
    }
}
