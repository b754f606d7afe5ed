//! Count columns: Poisson cells whose rate, one per cluster and column, is integrated out.
//!
//! `x ~ Poisson(rate)`, `rate ~ Gamma(shape, rate)`. Given `n` cells with sum `S`, one more cell is
//! negative binomial (Gelman et al., Bayesian Data Analysis, section 2.6):
//!
//! `G(a + x) / (G(a) x!) * (b / (b + 1))^a * (b + 1)^-x`, `a = shape + S`, `b = rate + n`.
//!
//! Sums are whole numbers, so statistics never drift. Gamma functions of large counts would cancel: these are computed
//! differently.

use crate::error::{Error, Result, positive};
use crate::math::{ln, ln_gamma};
use crate::outline::{CountColumn, CountColumns};
use crate::special::{LnRising, TABULATED, ln_negative_binomial, shared_tables};

/// The prior of a count column: its rate is `Gamma(shape, rate)` with mean `shape / rate`.
///
/// ```
/// use partita::likelihood::{GammaPoisson, Mixed};
/// let data = Mixed::counts(vec![0.0, 3.0, 1.0, 17.0], 2, GammaPoisson::around(5.0))?;
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GammaPoisson {
    /// The shape: the prior is worth this many events.
    pub shape: f64,
    /// The rate: the number of cells in which they were seen.
    pub rate: f64,
}

impl GammaPoisson {
    /// Weakly informative about counts with the given mean, such as the column's: worth one event (an
    /// exponential prior of the rate), wide enough for clusters with rates far below the mean or
    /// several times above.
    pub const fn around(mean: f64) -> Self {
        GammaPoisson { shape: 1.0, rate: 1.0 / mean }
    }

    pub(super) fn checked(self) -> Result<Self> {
        positive("the shape of the rate", self.shape)?;
        positive("the rate of the rate", self.rate)?;
        Ok(self)
    }
}

/// The largest possible count, and the largest sum of a column: above it, doubles cannot represent every whole number.
///
/// ```
/// use partita::likelihood::{GammaPoisson, LARGEST_COUNT, Mixed};
/// assert_eq!(LARGEST_COUNT, 9_007_199_254_740_991);
/// let column = |values| Mixed::counts(values, 1, GammaPoisson::around(1.0));
/// assert!(column(vec![0.0, LARGEST_COUNT as f64]).is_ok());
/// assert!(column(vec![1.0, LARGEST_COUNT as f64]).is_err());
/// ```
pub const LARGEST_COUNT: u64 = (1 << f64::MANTISSA_DIGITS) - 1;

/// Marks a cell that is missing, or large and kept elsewhere.
const ELSEWHERE: u32 = u32::MAX;

/// Cells above this are large. They are scored by deviances: `x!` and all that goes with it would cancel.
const LARGE: u32 = TABULATED as u32;

/// A cluster's statistics in one column.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    count: u32,
    sum: u64,
    /// `a ln(b / (b + 1))`.
    base: f64,
    /// `ln(b + 1)`.
    log_next: f64,
}

/// A cluster's statistics in all count columns.
#[derive(Debug, Clone, Default)]
pub(super) struct CountCluster(Vec<Tally>);

impl CountCluster {
    pub(super) fn copy_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}

#[derive(Debug, Clone)]
struct Column {
    prior: GammaPoisson,
    rising: LnRising,
    start: usize,
}

impl Column {
    /// The log probability of a large cell beside `count` cells that come to `sum`.
    fn large(&self, sum: u64, count: u32, x: f64) -> f64 {
        ln_negative_binomial(x, self.prior.shape + sum as f64, self.prior.rate + f64::from(count))
    }
}

/// All count columns of a table.
#[derive(Debug, Clone)]
pub(super) struct Counts {
    columns: Vec<Column>,
    cells: Vec<u32>,
    /// The large cells of each item, by column; empty where no item has any.
    large: Vec<Vec<(usize, u64)>>,
    /// `ln(b / (b + 1))` and `ln(b + 1)` by count; columns of the same rate share them.
    log_ratio: Vec<f64>,
    log_next: Vec<f64>,
    /// `-sum ln x!` of each item, large cells left out.
    constants: Vec<f64>,
}

impl Counts {
    /// `values` has a row of `priors.len()` whole numbers for each item, NaN where one is missing; `places` are the
    /// columns of the table, for errors.
    pub(super) fn new(
        priors: Vec<GammaPoisson>,
        values: &[f64],
        items: usize,
        places: &[usize],
    ) -> Result<Self> {
        let width = priors.len();
        let rates = || priors.iter().map(|prior| prior.rate);
        let (log_ratio, starts) = shared_tables(rates(), items + 1, |rate, n| -libm::log1p(1.0 / (rate + n)));
        let (log_next, _) = shared_tables(rates(), items + 1, |rate, n| ln(rate + n + 1.0));
        let is_small = |x: f64| x <= f64::from(LARGE);
        let cells = values.iter().map(|x| if is_small(*x) { *x as u32 } else { ELSEWHERE }).collect();
        let is_large = |x: f64| x > f64::from(LARGE);
        let large = match values.iter().any(|x| is_large(*x)) {
            true => {
                let of = |row: &[f64]| {
                    let cells = row.iter().enumerate().filter(|(_, x)| is_large(**x));
                    cells.map(|(c, x)| (c, *x as u64)).collect()
                };
                values.chunks_exact(width).map(of).collect()
            }
            false => Vec::new(),
        };
        let column = |c: usize| {
            let there = values.iter().skip(c).step_by(width).filter(|x| !x.is_nan());
            let total = there.fold(0u64, |sum, x| sum.saturating_add(*x as u64));
            if total > LARGEST_COUNT {
                return Err(Error::CountsTooLarge { column: places[c] });
            }
            Ok(Column { prior: priors[c], rising: LnRising::new(priors[c].shape, total), start: starts[c] })
        };
        let columns = (0..width).map(column).collect::<Result<Vec<Column>>>()?;
        let constant = |item: usize| {
            let small = values[item * width..(item + 1) * width].iter().filter(|x| is_small(**x));
            -small.map(|x| ln_gamma(x + 1.0)).sum::<f64>()
        };
        let constants = (0..items).map(constant).collect();
        Ok(Counts { columns, cells, large, log_ratio, log_next, constants })
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    pub(super) fn empty(&self) -> CountCluster {
        let mut cluster = CountCluster(vec![Tally::default(); self.columns.len()]);
        for (tally, column) in cluster.0.iter_mut().zip(&self.columns) {
            self.follow(tally, column);
        }
        cluster
    }

    #[inline(always)]
    fn row(&self, item: usize) -> &[u32] {
        let width = self.columns.len();
        &self.cells[item * width..(item + 1) * width]
    }

    #[inline(always)]
    fn follow(&self, tally: &mut Tally, column: &Column) {
        let at = column.start + tally.count as usize;
        tally.base = (column.prior.shape + tally.sum as f64) * self.log_ratio[at];
        tally.log_next = self.log_next[at];
    }

    /// The large cells of an item, by column.
    #[inline(always)]
    fn large(&self, item: usize) -> &[(usize, u64)] {
        self.large.get(item).map_or(&[], |cells| cells)
    }

    /// Tallies, columns and cells of the observed cells of an item that are not large.
    #[inline(always)]
    fn observed<'a, T>(
        &'a self,
        tallies: impl Iterator<Item = T> + 'a,
        item: usize,
    ) -> impl Iterator<Item = (T, &'a Column, u32)> + 'a {
        let rows = tallies.zip(&self.columns).zip(self.row(item));
        rows.filter(|(_, x)| **x != ELSEWHERE).map(|((tally, column), x)| (tally, column, *x))
    }

    #[inline]
    pub(super) fn insert(&self, cluster: &mut CountCluster, item: usize) {
        for (tally, column, x) in self.observed(cluster.0.iter_mut(), item) {
            tally.count += 1;
            tally.sum += u64::from(x);
            self.follow(tally, column);
        }
        for &(c, x) in self.large(item) {
            cluster.0[c].count += 1;
            cluster.0[c].sum += x;
            self.follow(&mut cluster.0[c], &self.columns[c]);
        }
    }

    #[inline]
    pub(super) fn remove(&self, cluster: &mut CountCluster, item: usize) {
        for (tally, column, x) in self.observed(cluster.0.iter_mut(), item) {
            tally.count -= 1;
            tally.sum -= u64::from(x);
            self.follow(tally, column);
        }
        for &(c, x) in self.large(item) {
            cluster.0[c].count -= 1;
            cluster.0[c].sum -= x;
            self.follow(&mut cluster.0[c], &self.columns[c]);
        }
    }

    /// The log density of an item given a cluster that does not hold it.
    #[inline(always)]
    pub(super) fn score(&self, cluster: &CountCluster, item: usize) -> f64 {
        let mut sum = 0.0;
        for (tally, column, x) in self.observed(cluster.0.iter(), item) {
            let rising = column.rising.between(tally.sum, tally.sum + u64::from(x));
            sum += rising + (tally.base - f64::from(x) * tally.log_next);
        }
        for &(c, x) in self.large(item) {
            sum += self.columns[c].large(cluster.0[c].sum, cluster.0[c].count, x as f64);
        }
        sum + self.constant(item)
    }

    /// The log density of an item given the other items of the cluster that holds it.
    #[inline(always)]
    pub(super) fn score_without(&self, cluster: &CountCluster, item: usize) -> f64 {
        let mut sum = 0.0;
        for (tally, column, x) in self.observed(cluster.0.iter(), item) {
            let (rest, at) = (tally.sum - u64::from(x), column.start + tally.count as usize - 1);
            let base = (column.prior.shape + rest as f64) * self.log_ratio[at];
            sum += column.rising.between(rest, tally.sum) + (base - f64::from(x) * self.log_next[at]);
        }
        for &(c, x) in self.large(item) {
            sum += self.columns[c].large(cluster.0[c].sum - x, cluster.0[c].count - 1, x as f64);
        }
        sum + self.constant(item)
    }

    #[inline(always)]
    fn constant(&self, item: usize) -> f64 {
        if self.columns.is_empty() { 0.0 } else { self.constants[item] }
    }

    /// None where a sum may be beyond what is tabulated.
    pub(super) fn outline(&self) -> Option<CountColumns> {
        let column = |column: &Column| {
            let Column { prior, rising, start } = column;
            rising.whole_table().map(|rising| CountColumn {
                shape: prior.shape,
                start: *start,
                rising: rising.into(),
            })
        };
        let columns = self.columns.iter().map(column).collect::<Option<_>>()?;
        let cells = self.cells.iter().map(|&cell| (cell != ELSEWHERE).then_some(cell)).collect();
        let (log_ratio, log_next) = (self.log_ratio.clone(), self.log_next.clone());
        let constants = if self.columns.is_empty() { Vec::new() } else { self.constants.clone() };
        self.large.is_empty().then_some(CountColumns { columns, cells, log_ratio, log_next, constants })
    }

    /// The log probability of one cell; minus infinity where `x` is no count.
    pub(super) fn density(&self, cluster: &CountCluster, column: usize, x: f64) -> f64 {
        if !is_count(x) {
            return f64::NEG_INFINITY;
        }
        let tally = &cluster.0[column];
        if x > f64::from(LARGE) {
            return self.columns[column].large(tally.sum, tally.count, x);
        }
        let rising = self.columns[column].rising.between(tally.sum, tally.sum + x as u64);
        rising + (tally.base - x * tally.log_next) - ln_gamma(x + 1.0)
    }

    /// The posterior mean of a cluster's rate.
    pub(super) fn center(&self, cluster: &CountCluster, column: usize) -> f64 {
        let (tally, prior) = (&cluster.0[column], self.columns[column].prior);
        (prior.shape + tally.sum as f64) / (prior.rate + f64::from(tally.count))
    }
}

/// Whether a number is a count that can be stored.
pub(super) fn is_count(x: f64) -> bool {
    (0.0..=LARGEST_COUNT as f64).contains(&x) && x.fract() == 0.0
}
