//! Principal components: a table with many columns, rotated so that a few carry most of the variance.

use nalgebra::{DMatrix, SymmetricEigen};
use serde::{Deserialize, Serialize};

use super::error::{argument, list};
use super::understood::Understood;
use super::{DataError, Kind, Scaling, Table};
use crate::config::Pca;

/// How a table was rotated; new rows are transformed in the same way.
///
/// Component `k` of a row is the sum of its standardised values, less their means, times the weights of that component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rotation {
    /// The columns as they were.
    pub names: Vec<String>,
    /// How they were standardised, if they were.
    pub scaling: Option<Scaling>,
    /// What was subtracted from each column before the rotation.
    pub center: Vec<f64>,
    /// The weights: for each component, one per column.
    pub weights: Vec<Vec<f64>>,
    /// The share of the variance that each component explains.
    pub explained: Vec<f64>,
    /// Cells that were missing: each counts as the mean of its column.
    pub filled: usize,
}

impl Rotation {
    /// A row, standardised as the table was, as its components; what is missing counts as the mean.
    pub fn turn(&self, row: &[f64]) -> Vec<f64> {
        let offset = |(value, center): (&f64, &f64)| if value.is_nan() { 0.0 } else { value - center };
        let row: Vec<f64> = row.iter().zip(&self.center).map(offset).collect();
        let component =
            |weights: &Vec<f64>| weights.iter().zip(&row).map(|(weight, value)| weight * value).sum();
        self.weights.iter().map(component).collect()
    }

    /// What was done, in a sentence.
    pub fn sentence(&self) -> String {
        let (columns, components) = (self.names.len(), self.weights.len());
        let share = 100.0 * self.explained.iter().sum::<f64>();
        let filled = match self.filled {
            0 => String::new(),
            1 => "; 1 missing value was replaced by the mean of its column".into(),
            cells => format!("; {cells} missing values were replaced by the means of their columns"),
        };
        let what = if components == 1 { "component, which explains" } else { "components, which explain" };
        format!(
            "{columns} columns reduced to {components} principal {what} {share:.0}% of the variance{filled}"
        )
    }
}

/// The name of a component.
fn name(component: usize) -> String {
    format!("pc{}", component + 1)
}

impl Table {
    /// Replaces the columns of a numeric table by its leading principal components, as many as `pca` says. The
    /// fingerprint stays that of the data as read.
    ///
    /// ```
    /// use partita_run::config::Pca;
    /// use partita_run::data::{Cells, ReadOptions, Table};
    /// let columns = [
    ///     ("x".to_string(), Cells::Numbers(vec![1.0, -1.0, 0.0, 0.0])),
    ///     ("y".to_string(), Cells::Numbers(vec![1.0, -1.0, 0.0, 0.0])),
    /// ];
    /// let mut table = Table::from_columns("points", &columns, &ReadOptions::default())?;
    /// let rotation = table.rotate(Pca::Components(1), None)?;
    /// assert_eq!((table.columns, &table.names[0][..]), (1, "pc1"));
    /// assert!((table.values[0].abs() - 2f64.sqrt()).abs() < 1e-12);
    /// assert!((rotation.explained[0] - 1.0).abs() < 1e-12);
    /// # Ok::<(), partita_run::data::DataError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a column holds categories, or there are not that many components.
    pub fn rotate(&mut self, pca: Pca, scaling: Option<Scaling>) -> Result<Rotation, DataError> {
        let words: Vec<String> = (0..self.columns)
            .filter(|&column| self.kinds[column] == Some(Kind::Category))
            .map(|column| self.names[column].clone())
            .collect();
        if !words.is_empty() {
            let drop: Vec<String> = words.iter().map(|name| argument(name)).collect();
            return Err(DataError::NotRotated {
                file: self.source.clone(),
                problem: format!(
                    "principal components need numbers, but {} {} categories; leave {} out with `drop = {}`",
                    list(&words),
                    if words.len() == 1 { "holds" } else { "hold" },
                    if words.len() == 1 { "it" } else { "them" },
                    drop.join(",")
                ),
            });
        }
        let most = (self.rows - 1).min(self.columns);
        if let Pca::Components(asked) = pca
            && asked > most
        {
            return Err(DataError::NotRotated {
                file: self.source.clone(),
                problem: format!(
                    "{} rows of {} columns have at most {most} principal components, but `pca = {asked}` asks for more",
                    self.rows, self.columns
                ),
            });
        }
        let filled = self.values.iter().filter(|value| value.is_nan()).count();
        let center = self.means();
        let offset = |row: usize, column: usize| {
            let value = self.values[row * self.columns + column];
            if value.is_nan() { 0.0 } else { value - center[column] }
        };
        let data = DMatrix::from_fn(self.rows, self.columns, offset);
        let (variances, axes) = axes(&data);
        let total: f64 = variances.iter().map(|variance| variance.max(0.0)).sum();
        let shares: Vec<f64> = variances.iter().map(|variance| variance.max(0.0) / total).collect();
        let kept = pca.components(&shares).min(most);
        let rotation = Rotation {
            names: std::mem::take(&mut self.names),
            scaling,
            center,
            weights: axes.into_iter().take(kept).collect(),
            explained: shares[..kept].to_vec(),
            filled,
        };
        self.values = (0..self.rows).flat_map(|row| rotation.turn(self.row(row))).collect();
        self.columns = kept;
        self.names = (0..kept).map(name).collect();
        self.kinds = vec![Some(Kind::Normal); kept];
        self.levels = vec![Vec::new(); kept];
        self.gap = None;
        self.understood = Understood::default();
        Ok(rotation)
    }

    /// The mean of each column over the cells that are there; 0 where none is.
    fn means(&self) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.columns];
        for (at, value) in self.values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            let (sum, number) = &mut sums[at % self.columns];
            (*sum, *number) = (*sum + value, *number + 1.0);
        }
        sums.into_iter().map(|(sum, number): (f64, f64)| sum / number.max(1.0)).collect()
    }
}

/// Variances along the principal axes, the largest first, and the axes, each of length 1 with its largest weight
/// positive. Of rows and columns the fewer make the matrix that is taken apart.
fn axes(data: &DMatrix<f64>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let (rows, columns) = data.shape();
    let wide = columns > rows;
    let gram = if wide { data * data.transpose() } else { data.transpose() * data };
    let eigen = SymmetricEigen::new(gram);
    let mut order: Vec<usize> = (0..rows.min(columns)).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let axis = |&at: &usize| {
        let vector = eigen.eigenvectors.column(at);
        let axis = if wide { data.transpose() * vector } else { vector.into_owned() };
        let length = axis.norm().max(f64::MIN_POSITIVE);
        let largest = axis.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(1.0);
        axis.iter().map(|weight| weight * largest.signum() / length).collect()
    };
    let axes = order.iter().map(axis).collect();
    (order.iter().map(|&at| eigen.eigenvalues[at] / rows as f64).collect(), axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cells, Missing, ReadOptions};

    fn table(columns: &[&[f64]]) -> Table {
        let named = |(at, cells): (usize, &&[f64])| (format!("c{at}"), Cells::Numbers(cells.to_vec()));
        let columns: Vec<_> = columns.iter().enumerate().map(named).collect();
        let options = ReadOptions { missing: Missing::Keep, ..ReadOptions::default() };
        Table::from_columns("t", &columns, &options).unwrap()
    }

    /// Distances between rows stay as they were where all components are kept, wide or tall.
    #[test]
    fn turning_keeps_distances() {
        let a: &[f64] = &[1.0, 2.0, -1.0, 0.5];
        let b: &[f64] = &[0.0, 3.0, 1.0, -2.0];
        let c: &[f64] = &[5.0, 1.0, 1.0, 1.0];
        let d: &[f64] = &[0.3, 0.1, -7.0, 2.0];
        let e: &[f64] = &[1.0, 4.0, 2.0, 2.5];
        for columns in [&[a, b][..], &[a, b, c, d, e]] {
            let before = table(columns);
            let mut after = before.clone();
            let rotation = after.rotate(Pca::Components(3.min(columns.len())), None).unwrap();
            let distance = |table: &Table, i: usize, j: usize| -> f64 {
                table.row(i).iter().zip(table.row(j)).map(|(x, y)| (x - y).powi(2)).sum()
            };
            for (i, j) in [(0, 1), (0, 3), (2, 3)] {
                assert!((distance(&before, i, j) - distance(&after, i, j)).abs() < 1e-9);
            }
            // New rows go the same way.
            let turned = rotation.turn(before.row(2));
            assert!(turned.iter().zip(after.row(2)).all(|(x, y)| (x - y).abs() < 1e-12));
            assert!((rotation.explained.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(rotation.explained.windows(2).all(|pair| pair[0] >= pair[1]));
        }
    }

    #[test]
    fn a_share_of_the_variance_decides_how_many() {
        let rows: &[&[f64]] = &[&[10.0, -10.0, 0.0, 0.0], &[0.0, 0.0, 1.0, -1.0], &[0.1, 0.1, -0.1, -0.1]];
        for (share, components) in [(50.0, 1), (98.0, 1), (99.9, 2), (100.0, 3)] {
            let mut table = table(rows);
            table.rotate(Pca::Share(share), None).unwrap();
            assert_eq!(table.columns, components, "{share}%");
        }
    }

    #[test]
    fn gaps_count_as_the_mean_and_are_told() {
        let mut gaps = table(&[&[1.0, f64::NAN, 3.0], &[1.0, 5.0, 0.0]]);
        let rotation = gaps.rotate(Pca::Components(2), None).unwrap();
        assert!(gaps.values.iter().all(|value| value.is_finite()));
        assert_eq!(
            rotation.sentence(),
            "2 columns reduced to 2 principal components, which explain 100% of the variance; 1 missing value was \
             replaced by the mean of its column"
        );
    }

    #[test]
    fn what_cannot_be_turned() {
        let more = table(&[&[1.0, 2.0, 3.0], &[1.0, 5.0, 0.0]]).rotate(Pca::Components(3), None);
        assert!(more.unwrap_err().to_string().contains("have at most 2 principal components"));
        let texts = Cells::Texts(["a", "b", "a", "b"].map(|t| Some(t.to_string())).to_vec());
        let columns = [("kind".to_string(), texts), ("x".into(), Cells::Numbers(vec![1.0, 2.0, 3.0, 5.0]))];
        let options = ReadOptions { words: crate::data::Words::Levels, ..ReadOptions::default() };
        let mut table = Table::from_columns("t", &columns, &options).unwrap();
        assert_eq!(
            table.rotate(Pca::Components(1), None).unwrap_err().to_string(),
            "t: principal components need numbers, but \"kind\" holds categories; leave it out with `drop = kind`"
        );
    }
}
