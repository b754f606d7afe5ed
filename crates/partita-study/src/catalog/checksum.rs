//! A checksum of numbers, not of bytes: how a file is written does not matter, what it says does.

use partita_run::data::Table;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Numbers that differ by less are the same number, unless a border of the grid lies between them.
const STEP: f64 = 1e-6;

/// Numbers written with a few decimals lie on borders of the plain grid; they lie on none of one that
/// is shifted by a third of a step.
const SHIFT: f64 = 1.0 / 3.0;

/// SHA-256 of the shape and of every value, rounded down to a grid of millionths, row after row.
///
/// Names of columns and rows, the separator and further digits do not count. Sixty-four hexadecimal
/// digits.
pub(super) fn of(table: &Table) -> String {
    let mut hash = Sha256::new();
    for size in [table.rows, table.columns] {
        hash.update((size as u64).to_le_bytes());
    }
    for value in &table.values {
        hash.update(cell(*value).to_le_bytes());
    }
    hash.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}

/// The cell of the grid a value lies in.
fn cell(value: f64) -> i64 {
    (value / STEP + SHIFT).floor() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_with_nine_decimals_is_far_from_a_border() {
        // Its thousandths of a step are whole, and a border lies at two thirds of a step.
        for thousandths in -5000i64..5000 {
            let value = thousandths as f64 * 1e-9;
            for nudge in [-3e-10, 3e-10] {
                assert_eq!(cell(value), cell(value + nudge), "{value}");
            }
        }
        assert_ne!(cell(0.1), cell(0.100_001));
    }
}
