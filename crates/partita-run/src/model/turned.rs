//! A table turned to its leading principal components, as a model beside others of the same table: clusters differ along these,
//! and along the axes left out all rows are one normal population.

use super::{Input, column};
use crate::Failure;
use crate::config::Pca;
use crate::data::Kind;
use partita::Likelihood;
use partita::likelihood::{Column, Mixed, NormalInverseGamma};

/// A table with fewer columns has room for a covariance matrix in each cluster.
const FEWEST: usize = 11;

/// A table turned to its leading components.
pub(crate) struct Turned {
    /// The components, as `pca` gives them.
    pub input: Input,
    /// What turns the log density of the components of a row into that of the row itself, given all other rows: the units of
    /// the components, and the axes left out.
    pub beyond: Vec<f64>,
}

/// The leading components of a table of many real numbers; none where there are few, a cell is missing, a column follows from
/// others, or the components that stand out are too few or too many to help.
pub(crate) fn turned(input: &Input) -> Result<Option<Turned>, Failure> {
    let Some(table) = &input.table else { return Ok(None) };
    let (rows, columns) = (table.rows, table.columns);
    let real =
        input.kinds.iter().all(|kind| *kind == Kind::Normal) && !table.values.iter().any(|x| x.is_nan());
    if !real || columns < FEWEST || rows <= columns || input.rotation.is_some() || input.scaling.is_none() {
        return Ok(None);
    }
    let mut all = table.clone();
    let axes = all.rotate(Pca::Components(columns), None)?;
    // An axis without variance: some column follows from others.
    let flat = axes.explained.last().is_none_or(|last| *last < 1e-12);
    let components = Pca::Auto.components(&axes.explained);
    if flat || components < 2 || components == columns {
        return Ok(None);
    }
    let left_out: Vec<f64> = (0..rows).flat_map(|row| all.row(row)[components..].to_vec()).collect();
    let normal = Column::Normal(NormalInverseGamma::weak(1));
    let one = Mixed::new(&left_out, &vec![normal; columns - components])?;
    let mut everybody = one.empty();
    (0..rows).for_each(|row| one.insert(&mut everybody, row));

    let mut turned = table.clone();
    let rotation = turned.rotate(Pca::Components(components), input.scaling.clone())?;
    let scaling = turned.standardize()?;
    let units: f64 = scaling.scale.iter().map(|scale| scale.ln()).sum();
    let beyond = (0..rows).map(|row| one.log_predictive_without(&everybody, row) - units).collect();
    let kinds = vec![Kind::Normal; components];
    let input = Input {
        picture: Some(column::picture(&turned, &kinds)),
        table: Some(turned),
        kinds,
        scaling: Some(scaling),
        rotation: Some(rotation),
        original: Some(table.clone()),
        ..input.clone()
    };
    Ok(Some(Turned { input, beyond }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Options, Task};
    use crate::data::Cells;
    use crate::model::{Given, load_given};

    /// Columns that are mixtures of two, and a little noise: a table with two leading components.
    fn columns(rows: usize) -> Vec<(String, Cells)> {
        let wave = |i: usize, of: f64| (i as f64 * of).sin();
        let cell = |row: usize, column: usize| {
            let noise = wave((row * 31 + column * 17) % 101, 1.7 * (row + column) as f64) * 0.05;
            3.0 * wave(row, 0.9) * wave(column, 2.1) + 2.0 * wave(row, 2.3) * wave(column, 0.7) + noise
        };
        let one = |column| Cells::Numbers((0..rows).map(|row| cell(row, column)).collect());
        (0..FEWEST).map(|column| (format!("x{column}"), one(column))).collect()
    }

    fn input(columns: &[(String, Cells)], pca: Option<Pca>) -> Input {
        let options = &Options { data: Some("points".into()), pca, ..Options::default() };
        let given = Given::Columns("points".into(), columns.to_vec());
        let (loaded, _) = load_given(Task::Fit, options, Some(&given)).unwrap();
        std::sync::Arc::unwrap_or_clone(loaded.input)
    }

    #[test]
    fn the_components_are_those_of_the_option() {
        let columns = columns(40);
        let plain = input(&columns, None);
        let turned = turned(&plain).unwrap().unwrap();
        let asked = input(&columns, Some(Pca::Components(2)));
        assert_eq!(turned.input.table, asked.table);
        assert_eq!((turned.input.rotation, turned.input.scaling), (asked.rotation, asked.scaling));
        assert_eq!((turned.input.original, plain.table), (asked.original.clone(), asked.original));
        assert!(super::turned(&input(&columns[1..], None)).unwrap().is_none(), "few columns");
        let copy = (columns[0].0.clone() + "again", columns[0].1.clone());
        let doubled = [&columns[..], &[copy]].concat();
        assert!(super::turned(&input(&doubled, None)).unwrap().is_none(), "a copy");
    }

    /// The factors hold the axes left out, each a Student density given the other rows, and the units of the components.
    #[test]
    fn densities_are_of_rows() {
        let plain = input(&columns(30), None);
        let Turned { input, beyond } = turned(&plain).unwrap().unwrap();
        let table = plain.table.as_ref().unwrap();
        let mut all = table.clone();
        all.rotate(Pca::Components(FEWEST), None).unwrap();
        let units: f64 = input.scaling.unwrap().scale.iter().map(|scale| scale.ln()).sum();
        let NormalInverseGamma { kappa, shape, rate, .. } = NormalInverseGamma::weak(1);
        for left_out in [0, 7, 29] {
            let mut log = -units;
            for axis in 2..FEWEST {
                let others: Vec<f64> =
                    (0..30).filter(|&row| row != left_out).map(|row| all.row(row)[axis]).collect();
                let n = others.len() as f64;
                let mean = others.iter().sum::<f64>() / n;
                let squares: f64 = others.iter().map(|x| (x - mean).powi(2)).sum();
                let (k, a) = (kappa + n, shape + n / 2.0);
                let b = rate + 0.5 * squares + 0.5 * kappa * n / k * mean * mean;
                let (center, spread) = (n * mean / k, 2.0 * b * (k + 1.0) / k);
                let x = all.row(left_out)[axis] - center;
                // Gamma(a + 1/2) / Gamma(a), from a = 1 on, where it is sqrt(pi) / 2.
                let ratio: f64 = (1..a as usize).map(|j| (j as f64 + 0.5) / j as f64).product();
                let ratio = ratio * std::f64::consts::PI.sqrt() / 2.0;
                log += ratio.ln()
                    - 0.5 * (std::f64::consts::PI * spread).ln()
                    - (a + 0.5) * (x * x / spread).ln_1p();
            }
            assert!((log - beyond[left_out]).abs() < 1e-9, "{log} {}", beyond[left_out]);
        }
    }
}
