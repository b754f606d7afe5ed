//! Counts: Poisson with an unknown rate.

use super::{Column, Holder, Shown};
use partita::likelihood::{self, GammaPoisson};

pub(super) const HOLDER: Holder = Holder { likelihood, picture };

fn likelihood(column: &Column) -> likelihood::Column {
    let (mut sum, mut cells) = (0.0, 0.0);
    for value in column.cells.iter().filter(|value| !value.is_nan()) {
        sum += value;
        cells += 1.0;
    }
    // All zero, or none there: any rate will do.
    likelihood::Column::Count(GammaPoisson::around(if sum > 0.0 { sum / cells } else { 1.0 }))
}

fn picture(column: &Column) -> Vec<Shown> {
    let (mean, variance) = column.moments();
    if variance > 0.0 {
        let scaled = column.filled(mean).map(|value| (value - mean) / variance.sqrt());
        return vec![(format!("{} (standardised)", column.name), scaled.collect())];
    }
    vec![(column.name.to_string(), column.filled(mean).collect())]
}
