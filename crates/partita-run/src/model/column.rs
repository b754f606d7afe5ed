//! The kinds of columns of a mixed table, each with one home: its likelihood with the prior, and how pictures show it.
//!
//! A new kind is a file here, a line in the table below, and a word for it in [`Kind`].

mod category;
mod count;
mod normal;

use crate::data::{Kind, Table};
use partita::likelihood;

/// One column of a table.
struct Column<'a> {
    name: &'a str,
    levels: &'a [String],
    /// The cells, NaN where one is missing.
    cells: Vec<f64>,
    /// How many columns of the table hold real numbers, as far as they count.
    normal: usize,
}

impl Column<'_> {
    /// Mean and variance of the cells that are there.
    fn moments(&self) -> (f64, f64) {
        let there: Vec<f64> = self.cells.iter().copied().filter(|value| !value.is_nan()).collect();
        let number = there.len().max(1) as f64;
        let mean = there.iter().sum::<f64>() / number;
        let variance = there.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / number;
        (mean, variance)
    }

    /// The cells with the mean where one is missing.
    fn filled(&self, mean: f64) -> impl Iterator<Item = f64> + '_ {
        self.cells.iter().map(move |value| if value.is_nan() { mean } else { *value })
    }
}

/// What makes a kind of column what it is.
struct Holder {
    /// The likelihood of a column with its weakly informative prior.
    likelihood: fn(&Column) -> likelihood::Column,
    /// The column in numbers alone: named columns of a picture.
    picture: fn(&Column) -> Vec<Shown>,
}

/// A column of a picture: its name and its cells.
type Shown = (String, Vec<f64>);

fn holder(kind: Kind) -> &'static Holder {
    match kind {
        Kind::Normal => &normal::HOLDER,
        Kind::Count => &count::HOLDER,
        Kind::Category => &category::HOLDER,
    }
}

fn columns<'a>(
    table: &'a Table,
    kinds: &'a [Kind],
    normal: usize,
) -> impl Iterator<Item = (&'static Holder, Column<'a>)> {
    kinds.iter().enumerate().map(move |(column, kind)| {
        let cells = table.values.iter().skip(column).step_by(table.columns).copied().collect();
        let (name, levels) = (&*table.names[column], &*table.levels[column]);
        (holder(*kind), Column { name, levels, cells, normal })
    })
}

/// How many columns hold real numbers.
pub(super) fn real(kinds: &[Kind]) -> usize {
    kinds.iter().filter(|kind| **kind == Kind::Normal).count()
}

/// The likelihood of every column, with its prior; `normal` is how many columns of real numbers count.
pub(super) fn likelihoods(table: &Table, kinds: &[Kind], normal: usize) -> Vec<likelihood::Column> {
    columns(table, kinds, normal).map(|(holder, column)| (holder.likelihood)(&column)).collect()
}

/// A table in numbers alone, for pictures and for k-means: what is missing is in the middle, counts are
/// standardised, and a category is a yes or no for each level.
pub(super) fn picture(table: &Table, kinds: &[Kind]) -> Table {
    let gaps = table.values.iter().any(|value| value.is_nan());
    if !gaps && kinds.iter().all(|kind| *kind == Kind::Normal) {
        return table.clone();
    }
    let shown: Vec<Shown> =
        columns(table, kinds, real(kinds)).flat_map(|(holder, column)| (holder.picture)(&column)).collect();
    let values = (0..table.rows).flat_map(|row| shown.iter().map(move |(_, cells)| cells[row])).collect();
    Table {
        columns: shown.len(),
        values,
        kinds: vec![None; shown.len()],
        levels: vec![Vec::new(); shown.len()],
        names: shown.into_iter().map(|(name, _)| name).collect(),
        gap: None,
        ..table.clone()
    }
}
