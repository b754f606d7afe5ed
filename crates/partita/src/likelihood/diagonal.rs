//! Normal columns whose clusters have a mean and a variance of their own, both integrated out.
//!
//! `x ~ N(mu, s2)`, `mu ~ N(mean, s2 / kappa)`, `s2 ~ InvGamma(shape, rate)`. A cluster of `n` cells
//! with sum `S` and sum of squares `T` about the prior mean has `kappa_n = kappa + n`,
//! `m_n = S / kappa_n`, `a_n = shape + n / 2`, `b_n = rate + (T - S^2 / kappa_n) / 2`, and the
//! predictive of one more cell with residual `e = x - m_n` is a Student t (Murphy 2007, eq. 110):
//!
//! `G(a_n + 1/2) / G(a_n) * sqrt(r / (2 pi)) * b_n^(a_n) / (b_n + r e^2 / 2)^(a_n + 1/2)`,
//! `r = kappa_n / (kappa_n + 1)`.
//!
//! What can be derived from a cluster's statistics is stored with them, so that a cell costs one
//! logarithm; columns are processed four at a time. For a cell of the cluster itself `b_(n-1) = b_n -
//! kappa_n / kappa_(n-1) * (x - m_n)^2 / 2`: it need not be removed to be scored.

mod quick;

use crate::error::{Result, positive};
use crate::math::{ln, ln_gamma};
use crate::outline::{NormalColumn, NormalColumns};
use crate::special::{ln_with_squares, log, shared_tables};
use quick::{Alike, Quick};

/// The prior of a normal column: `mu ~ N(mean, s2 / kappa)`, `s2 ~ InvGamma(shape, rate)`.
///
/// ```
/// use partita::likelihood::{Mixed, NormalInverseGamma};
/// let prior = NormalInverseGamma { mean: 10.0, ..NormalInverseGamma::weak(1) };
/// let data = Mixed::diagonal(vec![9.0, f64::NAN, 11.0, 10.5], 2, prior)?; // one cell is missing
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalInverseGamma {
    /// The prior mean of a cluster's mean.
    pub mean: f64,
    /// How many cells the prior mean is worth.
    pub kappa: f64,
    /// The shape of the variance's inverse gamma law: half the number of cells it is worth.
    pub shape: f64,
    /// Its rate (the scale of the variance).
    pub rate: f64,
}

impl NormalInverseGamma {
    /// Weakly informative for a table of this many standardised columns, each with total variance 1.
    ///
    /// A cluster has half the volume of the whole, so that its expected variance in a column is `v =
    /// 4^(-1/columns)`: 1/4 for a single column, and near 1 for many, where clusters differ by a little in
    /// each. As every column adds to the evidence for a split, the prior is stronger for more columns: it has
    /// `4 * columns - 1` degrees of freedom. Centres vary as much as the cluster itself, or by what is left of
    /// the variance if that is more. For one column that is
    /// [`NormalInverseWishart::weak`](super::NormalInverseWishart::weak).
    ///
    /// ```
    /// use partita::likelihood::NormalInverseGamma;
    /// let alone = NormalInverseGamma { mean: 0.0, kappa: 1.0 / 3.0, shape: 1.5, rate: 0.125 };
    /// assert_eq!(NormalInverseGamma::weak(1), alone);
    /// assert_eq!(NormalInverseGamma::weak(2), NormalInverseGamma { mean: 0.0, kappa: 1.0, shape: 3.5, rate: 1.25 });
    /// ```
    pub fn weak(columns: usize) -> Self {
        let columns = columns.max(1) as f64;
        let variance = 0.25_f64.powf(1.0 / columns);
        let shape = 2.0 * columns - 0.5;
        let kappa = variance / variance.max(1.0 - variance);
        NormalInverseGamma { mean: 0.0, kappa, shape, rate: variance * (shape - 1.0) }
    }

    pub(super) fn checked(self) -> Result<Self> {
        super::check_prior_mean(&[self.mean])?;
        positive("kappa", self.kappa)?;
        positive("the shape of the variance", self.shape)?;
        positive("the rate of the variance", self.rate)?;
        Ok(self)
    }
}

/// Columns handled together.
const LANES: usize = 4;

/// The cells of one item in [`LANES`] columns about their prior means; unseen cells are 0.
#[derive(Debug, Clone, Copy)]
struct Cells {
    x: [f64; LANES],
    /// 1 where the cell is observed, 0 where it is missing (or the column only fills the lanes).
    seen: [f64; LANES],
}

/// A cluster's statistics in [`LANES`] columns and what follows from them.
#[derive(Debug, Clone, Copy)]
struct Lanes {
    count: [u32; LANES],
    sum: [f64; LANES],
    square: [f64; LANES],
    /// `m_n`, about the prior mean.
    mean: [f64; LANES],
    /// `b_n`.
    rate: [f64; LANES],
    /// `r / 2`.
    half_shrink: [f64; LANES],
    /// `a_n + 1/2`.
    power: [f64; LANES],
    /// The constant of the density, `a_n ln b_n` included.
    constant: [f64; LANES],
}

impl Lanes {
    #[inline(always)]
    fn add(&mut self, cells: &Cells) {
        for lane in 0..LANES {
            let x = cells.x[lane];
            self.count[lane] += cells.seen[lane] as u32;
            self.sum[lane] += x;
            self.square[lane] += x * x;
        }
    }

    #[inline(always)]
    fn take(&mut self, cells: &Cells) {
        for lane in 0..LANES {
            let x = cells.x[lane];
            self.count[lane] -= cells.seen[lane] as u32;
            self.sum[lane] -= x;
            self.square[lane] -= x * x;
            if self.count[lane] == 0 {
                // What rounding left behind goes with the last cell.
                (self.sum[lane], self.square[lane]) = (0.0, 0.0);
            }
        }
    }
}

/// A cluster's statistics in all normal columns.
#[derive(Debug, Clone, Default)]
pub(super) struct NormalCluster {
    lanes: Vec<Lanes>,
    quick: Quick,
}

impl NormalCluster {
    pub(super) fn copy_from(&mut self, source: &Self) {
        self.lanes.clone_from(&source.lanes);
        self.quick = source.quick;
    }
}

/// All normal columns of a table.
#[derive(Debug, Clone)]
pub(super) struct Normals {
    priors: Vec<NormalInverseGamma>,
    /// Chunks of [`LANES`] columns.
    width: usize,
    cells: Vec<Cells>,
    /// `ln G(a_n + 1/2) - ln G(a_n) + ln(r / (2 pi)) / 2` by count, and where each column's table starts.
    norms: Vec<f64>,
    starts: Vec<usize>,
    alike: Option<Alike>,
}

impl Normals {
    /// `values` has a row of `priors.len()` cells for each item, NaN where one is missing.
    pub(super) fn new(mut priors: Vec<NormalInverseGamma>, values: &[f64], items: usize) -> Self {
        let columns = priors.len();
        let width = columns.div_ceil(LANES);
        let nothing = NormalInverseGamma { mean: 0.0, kappa: 1.0, shape: 1.0, rate: 1.0 };
        priors.resize(width * LANES, nothing);
        let cells = (0..items * width)
            .map(|at| {
                let (item, first) = (at / width, at % width * LANES);
                let cell = |lane: usize| {
                    let column = first + lane;
                    let x = if column < columns { values[item * columns + column] } else { f64::NAN };
                    (x - priors[column].mean, x.is_finite())
                };
                let x = |lane| if cell(lane).1 { cell(lane).0 } else { 0.0 };
                let seen = |lane| f64::from(u8::from(cell(lane).1));
                Cells { x: std::array::from_fn(x), seen: std::array::from_fn(seen) }
            })
            .collect();
        let key = |prior: &NormalInverseGamma| (prior.kappa, prior.shape);
        let (norms, starts) = shared_tables(priors.iter().map(key), items + 1, |(kappa, shape), n| {
            let (a, kappa) = (shape + 0.5 * n, kappa + n);
            ln_gamma(a + 0.5) - ln_gamma(a) + 0.5 * ln(kappa / (kappa + 1.0) / std::f64::consts::TAU)
        });
        let mut normals = Normals { priors, width, cells, norms, starts, alike: None };
        normals.alike = Alike::of(&normals, columns, items);
        normals
    }

    pub(super) fn empty(&self) -> NormalCluster {
        let zero = [0.0; LANES];
        let nothing = Lanes {
            count: [0; LANES],
            sum: zero,
            square: zero,
            mean: zero,
            rate: zero,
            half_shrink: zero,
            power: zero,
            constant: zero,
        };
        let mut cluster = NormalCluster { lanes: vec![nothing; self.width], quick: Quick::default() };
        for (chunk, lanes) in cluster.lanes.iter_mut().enumerate() {
            self.follow(lanes, chunk);
        }
        cluster
    }

    #[inline(always)]
    fn row(&self, item: usize) -> &[Cells] {
        &self.cells[item * self.width..(item + 1) * self.width]
    }

    #[inline(always)]
    fn prior(&self, chunk: usize, lane: usize) -> &NormalInverseGamma {
        &self.priors[chunk * LANES + lane]
    }

    #[inline(always)]
    fn norm(&self, chunk: usize, lane: usize, count: u32) -> f64 {
        self.norms[self.starts[chunk * LANES + lane] + count as usize]
    }

    /// Everything of a cluster that follows from its counts and sums.
    #[inline(always)]
    fn follow(&self, lanes: &mut Lanes, chunk: usize) {
        for lane in 0..LANES {
            let (prior, n) = (self.prior(chunk, lane), f64::from(lanes.count[lane]));
            let kappa = prior.kappa + n;
            let sum = lanes.sum[lane];
            lanes.mean[lane] = sum / kappa;
            // Never below the prior's rate but by rounding.
            let rate = prior.rate + 0.5 * (lanes.square[lane] - sum * lanes.mean[lane]);
            lanes.rate[lane] = if rate > prior.rate { rate } else { prior.rate };
            lanes.half_shrink[lane] = 0.5 * kappa / (kappa + 1.0);
            lanes.power[lane] = prior.shape + 0.5 * n + 0.5;
            lanes.constant[lane] = self.norm(chunk, lane, lanes.count[lane]);
        }
        for lane in 0..LANES {
            lanes.constant[lane] += (lanes.power[lane] - 0.5) * log(lanes.rate[lane]);
        }
    }

    #[inline(always)]
    pub(super) fn insert(&self, cluster: &mut NormalCluster, item: usize) {
        for (chunk, (lanes, cells)) in cluster.lanes.iter_mut().zip(self.row(item)).enumerate() {
            lanes.add(cells);
            self.follow(lanes, chunk);
        }
    }

    #[inline(always)]
    pub(super) fn remove(&self, cluster: &mut NormalCluster, item: usize) {
        for (chunk, (lanes, cells)) in cluster.lanes.iter_mut().zip(self.row(item)).enumerate() {
            lanes.take(cells);
            self.follow(lanes, chunk);
        }
    }

    /// The log density of an item given a cluster that does not hold it.
    #[inline(always)]
    pub(super) fn score(&self, cluster: &NormalCluster, item: usize) -> f64 {
        let mut sums = [0.0; LANES];
        for (lanes, cells) in cluster.lanes.iter().zip(self.row(item)) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let e = cells.x[lane] - lanes.mean[lane];
                let rate = lanes.rate[lane] + lanes.half_shrink[lane] * (e * e);
                *sum += cells.seen[lane] * (lanes.constant[lane] - lanes.power[lane] * log(rate));
            }
        }
        (sums[0] + sums[2]) + (sums[1] + sums[3])
    }

    /// The log density of an item given the other items of the cluster that holds it.
    #[inline(always)]
    pub(super) fn score_without(&self, cluster: &NormalCluster, item: usize) -> f64 {
        let mut sums = [0.0; LANES];
        for (chunk, (lanes, cells)) in cluster.lanes.iter().zip(self.row(item)).enumerate() {
            let (mut before, mut norm) = ([1.0; LANES], [0.0; LANES]);
            for lane in 0..LANES {
                let n = lanes.count[lane];
                if cells.seen[lane] == 0.0 {
                    continue;
                }
                let prior = self.prior(chunk, lane);
                let kappa = prior.kappa + f64::from(n);
                let e = cells.x[lane] - lanes.mean[lane];
                let rate = lanes.rate[lane] - 0.5 * kappa / (kappa - 1.0) * (e * e);
                before[lane] = if n > 1 && rate > prior.rate { rate } else { prior.rate };
                // `constant - norm` is `a_n ln b_n`.
                norm[lane] = self.norm(chunk, lane, n - 1) + self.norm(chunk, lane, n) - lanes.constant[lane];
            }
            for (lane, sum) in sums.iter_mut().enumerate() {
                let power = lanes.power[lane] - 1.0;
                *sum += cells.seen[lane] * (norm[lane] + power * log(before[lane]));
            }
        }
        (sums[0] + sums[2]) + (sums[1] + sums[3])
    }

    pub(super) fn outline(&self) -> NormalColumns {
        let column = |(prior, &start): (&NormalInverseGamma, &usize)| {
            let NormalInverseGamma { kappa, shape, rate, .. } = *prior;
            NormalColumn { kappa, shape, rate, start }
        };
        let cell = |(&x, &seen): (&f64, &f64)| if seen > 0.0 { x } else { f64::NAN };
        NormalColumns {
            columns: self.priors.iter().zip(&self.starts).map(column).collect(),
            cells: self.cells.iter().flat_map(|cells| cells.x.iter().zip(&cells.seen).map(cell)).collect(),
            norms: self.norms.clone(),
        }
    }

    /// The log density of one cell, `x` in the units of the data.
    pub(super) fn density(&self, cluster: &NormalCluster, column: usize, x: f64) -> f64 {
        let (lanes, lane) = (&cluster.lanes[column / LANES], column % LANES);
        let e = x - self.priors[column].mean - lanes.mean[lane];
        let (rate, half_shrink) = (lanes.rate[lane], lanes.half_shrink[lane]);
        lanes.constant[lane] - lanes.power[lane] * ln_with_squares(rate, half_shrink, [e].into_iter())
    }

    /// The posterior mean of a cluster's mean.
    pub(super) fn center(&self, cluster: &NormalCluster, column: usize) -> f64 {
        self.priors[column].mean + cluster.lanes[column / LANES].mean[column % LANES]
    }
}
