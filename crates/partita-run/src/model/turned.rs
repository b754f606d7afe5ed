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
        ..input.clone()
    };
    Ok(Some(Turned { input, beyond }))
}
