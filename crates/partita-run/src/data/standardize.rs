//! Standardising the columns of a table to mean 0 and standard deviation 1, and back.

use super::{DataError, Kind, Table};

/// How each column was standardised, so that results can be given in its own units.
///
/// A standardised value `z` of column `j` stands for `center[j] + scale[j] * z`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Scaling {
    /// Mean of each column; 0 for counts and categories, which are left as they are.
    pub center: Vec<f64>,
    /// Standard deviation of each column, with the number of rows as denominator; 1 for those.
    pub scale: Vec<f64>,
}

impl Scaling {
    /// The value in its own units for the standardised value `z` of a column.
    ///
    /// ```
    /// let scaling = partita_run::data::Scaling { center: vec![10.0], scale: vec![2.0] };
    /// assert_eq!(scaling.restore(0, 1.5), 13.0);
    /// ```
    pub fn restore(&self, column: usize, z: f64) -> f64 {
        self.center[column] + self.scale[column] * z
    }

    /// The standardised value for a value `x` of a column in its own units; infinite on overflow.
    ///
    /// ```
    /// let scaling = partita_run::data::Scaling { center: vec![10.0], scale: vec![2.0] };
    /// assert_eq!(scaling.standardize(0, 13.0), 1.5);
    /// ```
    pub fn standardize(&self, column: usize, x: f64) -> f64 {
        let (center, scale) = (self.center[column], self.scale[column]);
        let offset = x - center;
        // The difference of two numbers may overflow where that of their multiples of the scale does not.
        if offset.is_infinite() { x / scale - center / scale } else { offset / scale }
    }
}

impl Table {
    /// Brings every column to mean 0 and standard deviation 1, the usual z-score.
    ///
    /// The denominator of the variance is the number of rows. Missing values (NaN) stay missing and do not
    /// count. A constant column has no scale and is an error; the table is then left unchanged. Counts and
    /// categories are left alone. The fingerprint stays that of the data as read.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("partita-standardize-{}", std::process::id()));
    /// # std::fs::write(&path, "mass,height\n1,10\n3,30\n").unwrap();
    /// use partita_run::data::{ReadOptions, Table};
    ///
    /// let mut table = Table::read(&path, &ReadOptions::default())?;
    /// let scaling = table.standardize()?;
    /// assert_eq!(table.values, [-1.0, -1.0, 1.0, 1.0]);
    /// assert_eq!(scaling.center, [2.0, 20.0]);
    /// assert_eq!(scaling.scale, [1.0, 10.0]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), partita_run::data::DataError>(())
    /// ```
    pub fn standardize(&mut self) -> Result<Scaling, DataError> {
        let moments = self.moments()?;
        for row in self.values.chunks_exact_mut(self.columns) {
            for (value, moments) in row.iter_mut().zip(&moments) {
                *value = (*value / moments.unit - moments.mean) / moments.deviation;
            }
        }
        Ok(Scaling {
            center: moments.iter().map(|moments| moments.mean * moments.unit).collect(),
            scale: moments.iter().map(|moments| moments.deviation * moments.unit).collect(),
        })
    }

    /// Mean and standard deviation of each column, in passes over the rows.
    fn moments(&self) -> Result<Vec<Moments>, DataError> {
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); self.columns];
        let mut numbers = vec![0u64; self.columns];
        for row in self.values.chunks_exact(self.columns) {
            for ((range, number), &value) in ranges.iter_mut().zip(&mut numbers).zip(row) {
                // Both comparisons pass over NaN.
                *range = (range.0.min(value), range.1.max(value));
                *number += u64::from(!value.is_nan());
            }
        }
        let left_alone = |column: usize| matches!(self.kinds[column], Some(Kind::Count | Kind::Category));
        let constant = |at: &usize| !left_alone(*at) && ranges[*at].0 == ranges[*at].1;
        let constants: Vec<String> =
            (0..self.columns).filter(constant).map(|at| self.names[at].clone()).collect();
        if constants.len() > 1 {
            return Err(DataError::Constants { file: self.source.clone(), columns: constants });
        }
        for (at, (&(least, most), name)) in ranges.iter().zip(&self.names).enumerate() {
            let (file, column) = (self.source.clone(), name.clone());
            if left_alone(at) {
                continue;
            } else if least > most {
                return Err(DataError::NoValues { file, column });
            } else if least == most {
                return Err(DataError::Constant { file, column, value: least.to_string() });
            }
        }
        let units: Vec<f64> = ranges.iter().map(unit).collect();
        let average = |term: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
            let mut sums = vec![0.0; self.columns];
            for row in self.values.chunks_exact(self.columns) {
                for (column, (sum, &value)) in sums.iter_mut().zip(row).enumerate() {
                    if !value.is_nan() {
                        *sum += term(column, value / units[column]);
                    }
                }
            }
            sums.iter().zip(&numbers).map(|(sum, &number)| sum / number as f64).collect()
        };
        let rough = average(&|_, value| value);
        let rest = average(&|column, value| value - rough[column]);
        let means: Vec<f64> = rough.iter().zip(&rest).map(|(rough, rest)| rough + rest).collect();
        let variances = average(&|column, value| (value - means[column]).powi(2));
        let columns = units.into_iter().zip(means).zip(variances).enumerate();
        let moments = columns.map(|(column, ((unit, mean), variance))| match left_alone(column) {
            true => Moments { unit: 1.0, mean: 0.0, deviation: 1.0 },
            false => Moments { unit, mean, deviation: variance.sqrt() },
        });
        Ok(moments.collect())
    }
}

/// A power of two near the largest value of a column: dividing by it is exact, and sums of squares
/// neither overflow nor vanish.
fn unit((least, most): &(f64, f64)) -> f64 {
    let exponent = least.abs().max(most.abs()).to_bits() & f64::INFINITY.to_bits();
    f64::from_bits(exponent).max(f64::MIN_POSITIVE)
}

/// Mean and standard deviation of a column in multiples of a unit.
struct Moments {
    unit: f64,
    mean: f64,
    deviation: f64,
}
