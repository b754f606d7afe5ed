//! A prior of full covariances from the table itself: its own covariance, shrunk, so that units and tilts do not matter; or
//! the variances of its columns alone.
//!
//! With `D` columns, volume share `v`, freedom `f` and `kappa`: `C ~ InvWishart(f D + 2, c S)`, `c` such that the mean of
//! `C` is `v^(2/D) S`. An ellipsoid of that covariance has the share `v` of the volume of the table's own. `S` is the covariance
//! of the rows with its correlations multiplied by `1 - lambda`, where (Schäfer and Strimmer 2005)
//!
//! `lambda = sum_{i<j} Var(r_ij) / sum_{i<j} r_ij²`,  `Var(r_ij) = n / (n - 1)^3 sum_k (w_ki w_kj - r_ij)²`
//!
//! with `w` the standardised rows: near 0 where rows are many or correlations strong, near 1 where they may be chance.

use super::NormalInverseWishart;
use crate::error::{Error, Result, positive};

/// Correlations are shrunk by this much at least: a factor of the matrix has digits left.
const LEAST_SHRINKAGE: f64 = 1e-8;

/// A column follows from others where less than this share of its variance is its own.
const OWN_SHARE: f64 = 1e-8;

/// How a prior is derived from the covariance of a table.
///
/// ```
/// use partita::likelihood::{NormalInverseWishart, Shape, TablePrior};
/// let rows = [1.0, 10.0, 2.0, 21.0, 3.0, 29.0, 4.0, 41.0];
/// let prior = TablePrior { shape: Shape::Table, share: 0.5, freedom: 2.0, kappa: 0.3 };
/// let prior = NormalInverseWishart::of_table(&rows, 2, prior)?;
/// assert_eq!((prior.mean[0], prior.degrees), (2.5, 6.0));
/// // The mean covariance has half the volume of the table's: 0.5^(2/2) times its variance of 1.25.
/// assert!((prior.scale[0] / (prior.degrees - 3.0) - 0.625).abs() < 1e-12);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TablePrior {
    /// The expected shape of clusters.
    pub shape: Shape,
    /// The volume of a cluster as a share of the whole table's.
    pub share: f64,
    /// Degrees of freedom are this times the number of columns, plus 2; at least 1.
    pub freedom: f64,
    /// How many rows the mean of the table is worth as prior mean of a cluster.
    pub kappa: f64,
}

/// The expected shape of clusters a priori.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Like the whole table, tilted as it is.
    Table,
    /// As wide as the table in each column, but not tilted: correlations are 0.
    Columns,
}

/// Means and standard deviations of the columns, and the standardised rows that are there.
struct Standardized {
    means: Vec<f64>,
    deviations: Vec<f64>,
    rows: Vec<f64>,
    number: f64,
}

impl Standardized {
    fn new(values: &[f64], dimension: usize) -> Result<Self> {
        super::super::rows_whole_or_missing(values, dimension, "a full covariance")?;
        let mut rows: Vec<f64> =
            values.chunks_exact(dimension).filter(|row| !row[0].is_nan()).flatten().copied().collect();
        if rows.is_empty() {
            return Err(Error::NoItems);
        }
        let number = (rows.len() / dimension) as f64;
        let mean_of = |rows: &[f64], term: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
            let mut sums = vec![0.0; dimension];
            for row in rows.chunks_exact(dimension) {
                sums.iter_mut().zip(row).enumerate().for_each(|(j, (sum, x))| *sum += term(j, *x));
            }
            sums.iter().map(|sum| sum / number).collect()
        };
        let means = mean_of(&rows, &|_, x| x);
        let deviations: Vec<f64> =
            mean_of(&rows, &|j, x| (x - means[j]).powi(2)).iter().map(|variance| variance.sqrt()).collect();
        for row in rows.chunks_exact_mut(dimension) {
            for ((x, mean), deviation) in row.iter_mut().zip(&means).zip(&deviations) {
                *x = if *deviation > 0.0 { (*x - mean) / deviation } else { 0.0 };
            }
        }
        Ok(Standardized { means, deviations, rows, number })
    }

    fn dimension(&self) -> usize {
        self.means.len()
    }

    /// The mean over rows of the product of two columns: their correlation.
    fn correlation(&self, i: usize, j: usize) -> f64 {
        self.products(i, j).sum::<f64>() / self.number
    }

    fn products(&self, i: usize, j: usize) -> impl Iterator<Item = f64> + '_ {
        self.rows.chunks_exact(self.dimension()).map(move |row| row[i] * row[j])
    }

    /// The correlations, row after row, and what they are to be shrunk by.
    fn correlations(&self) -> (Vec<f64>, f64) {
        let d = self.dimension();
        let mut matrix = vec![0.0; d * d];
        let (mut variances, mut squares) = (0.0, 0.0);
        for i in 0..d {
            matrix[i * d + i] = 1.0;
            for j in 0..i {
                let r = self.correlation(i, j);
                (matrix[i * d + j], matrix[j * d + i]) = (r, r);
                squares += r * r;
                variances += self.products(i, j).map(|product| (product - r).powi(2)).sum::<f64>();
            }
        }
        let n = self.number;
        let lambda = if n > 1.0 { n / (n - 1.0).powi(3) * variances / squares } else { 1.0 };
        // No correlation at all: nothing to shrink.
        (matrix, if lambda.is_nan() { 1.0 } else { lambda.clamp(LEAST_SHRINKAGE, 1.0) })
    }
}

impl NormalInverseWishart {
    /// A prior centred on the mean and the covariance of a table, whose rows hold `dimension` values or are NaN
    /// throughout. No column may be constant; columns that are [`determined`](Self::determined) by others are better
    /// left out.
    pub fn of_table(values: &[f64], dimension: usize, prior: TablePrior) -> Result<Self> {
        let table = Standardized::new(values, dimension)?;
        let (share, kappa) = (positive("the volume share", prior.share)?, positive("kappa", prior.kappa)?);
        if !(prior.freedom >= 1.0 && prior.freedom.is_finite()) {
            let (name, range) = ("the freedom", "at least 1");
            return Err(Error::OutOfRange { name, range, value: prior.freedom });
        }
        for deviation in &table.deviations {
            positive("the standard deviation of a column", *deviation)?;
        }
        let d = dimension as f64;
        let degrees = prior.freedom * d + 2.0;
        let factor = share.powf(2.0 / d) * (degrees - d - 1.0);
        let (mut scale, lambda) = table.correlations();
        let lambda = if prior.shape == Shape::Columns { 1.0 } else { lambda };
        for (at, value) in scale.iter_mut().enumerate() {
            let (i, j) = (at / dimension, at % dimension);
            let shrunk = if i == j { 1.0 } else { (1.0 - lambda) * *value };
            *value = factor * table.deviations[i] * table.deviations[j] * shrunk;
        }
        Ok(NormalInverseWishart { mean: table.means, kappa, degrees, scale })
    }

    /// The columns of a table that are determined by columns before them: constant ones, copies, sums. They add no
    /// information, and make a covariance matrix singular. With fewer than two rows per column, where any column may
    /// follow from the others, none is reported.
    ///
    /// ```
    /// use partita::likelihood::NormalInverseWishart;
    /// // The third column is the sum of the others, the fourth does not change.
    /// let row = |x: f64, y: f64| [x, y, x + y, 7.0];
    /// let rows: Vec<f64> = (0..20).flat_map(|i| row(f64::from(i), f64::from(i * i % 7))).collect();
    /// assert_eq!(NormalInverseWishart::determined(&rows, 4)?, [2, 3]);
    /// # Ok::<(), partita::Error>(())
    /// ```
    pub fn determined(values: &[f64], dimension: usize) -> Result<Vec<usize>> {
        let table = Standardized::new(values, dimension)?;
        let constant = |j: usize| table.deviations[j] <= OWN_SHARE * table.means[j].abs();
        if table.number < 2.0 * dimension as f64 {
            return Ok((0..dimension).filter(|&j| constant(j)).collect());
        }
        // The residuals of the columns that stay, orthogonal to each other: by Gram and Schmidt, twice for the digits.
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut determined = Vec::new();
        for j in 0..dimension {
            let mut column: Vec<f64> = table.rows.iter().skip(j).step_by(dimension).copied().collect();
            for other in basis.iter().chain(&basis) {
                let along: f64 = column.iter().zip(other).map(|(x, y)| x * y).sum();
                column.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
            }
            let square: f64 = column.iter().map(|x| x * x).sum();
            if constant(j) || square < OWN_SHARE * table.number {
                determined.push(j);
            } else {
                let length = square.sqrt();
                column.iter_mut().for_each(|x| *x /= length);
                basis.push(column);
            }
        }
        Ok(determined)
    }
}
