//! Categories: one of several levels, with unknown probabilities.

use super::{Column, Holder, Shown};
use partita::likelihood::{self, Dirichlet};

/// A category with more levels than this has no place in a picture.
const PICTURED_LEVELS: usize = 20;

pub(super) const HOLDER: Holder = Holder {
    likelihood: |column| likelihood::Column::Category(Dirichlet::weak(column.levels.len().max(1))),
    picture,
};

fn picture(column: &Column) -> Vec<Shown> {
    let pictured = column.levels.iter().enumerate().filter(|_| column.levels.len() <= PICTURED_LEVELS);
    let is =
        |number: usize| column.cells.iter().map(move |v| f64::from(u8::from(*v == number as f64))).collect();
    pictured.map(|(number, level)| (format!("{}={level}", column.name), is(number))).collect()
}
