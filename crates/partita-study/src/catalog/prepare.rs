//! From the raw file of a repository to the data set of the paper, to the last bit.

use std::fmt::Write;

/// What stands between the cells of a raw file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// Any run of blanks: rows of the seeds have two tabs here and there.
    Blanks,
    /// One comma.
    Commas,
}

/// How a raw file becomes a data set: some columns, each brought to mean 0 and variance 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Recipe {
    /// What stands between cells.
    pub separator: Separator,
    /// Cells of each row.
    pub cells: usize,
    /// The first column that is kept, from 0; as many are kept as there are names.
    pub first: usize,
    /// The names of the columns that are kept.
    pub names: &'static [&'static str],
}

impl Recipe {
    /// The CSV file of the data set; or why the raw file is not what it should be, in words.
    pub fn apply(&self, raw: &[u8], items: usize) -> Result<String, String> {
        let text = std::str::from_utf8(raw).map_err(|_| "it is not text".to_string())?;
        let mut columns = vec![Vec::with_capacity(items); self.names.len()];
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        for (number, line) in lines {
            let cells: Vec<&str> = match self.separator {
                Separator::Blanks => line.split_whitespace().collect(),
                Separator::Commas => line.split(',').map(str::trim).collect(),
            };
            let (number, found, expected) = (number + 1, cells.len(), self.cells);
            if found != expected {
                return Err(format!("line {number} has {found} cells where {expected} belong"));
            }
            for (column, cell) in columns.iter_mut().zip(&cells[self.first..]) {
                match cell.parse::<f64>() {
                    Ok(value) if value.is_finite() => column.push(value),
                    _ => return Err(format!("line {number} has {cell:?} where a number belongs")),
                }
            }
        }
        let rows = columns[0].len();
        if rows != items {
            return Err(format!("it has {rows} rows where {items} belong"));
        }
        columns.iter_mut().for_each(|column| standardize(column));
        let mut text = self.names.join(",") + "\n";
        for row in 0..items {
            for (i, column) in columns.iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                write!(text, "{comma}{:?}", column[row]).expect("a string takes everything");
            }
            text.push('\n');
        }
        Ok(text)
    }
}

/// Mean 0 and variance 1, with the number of values as denominator.
///
/// The sums are taken in the order NumPy takes them in, so that the numbers, and with them the
/// fingerprint of every run, are those of the authors' files to the last bit.
fn standardize(column: &mut [f64]) {
    let n = column.len() as f64;
    let mean = sum(column) / n;
    column.iter_mut().for_each(|value| *value -= mean);
    let squares: Vec<f64> = column.iter().map(|value| value * value).collect();
    let deviation = (sum(&squares) / n).sqrt();
    column.iter_mut().for_each(|value| *value /= deviation);
}

/// The sum of values by halves, down to runs of at most 128 that are summed in eight strands.
fn sum(values: &[f64]) -> f64 {
    if values.len() > 128 {
        let half = values.len() / 2;
        let (left, right) = values.split_at(half - half % 8);
        return sum(left) + sum(right);
    }
    let mut chunks = values.chunks_exact(8);
    // With fewer than eight there are no strands.
    let Some(first) = chunks.next() else {
        return values.iter().sum();
    };
    let mut strands: [f64; 8] = first.try_into().expect("a chunk has eight");
    for chunk in chunks.by_ref() {
        strands.iter_mut().zip(chunk).for_each(|(strand, value)| *strand += value);
    }
    let [a, b, c, d, e, f, g, h] = strands;
    let strands = ((a + b) + (c + d)) + ((e + f) + (g + h));
    chunks.remainder().iter().fold(strands, |total, value| total + value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: Recipe = Recipe { separator: Separator::Blanks, cells: 3, first: 1, names: &["a", "b"] };

    #[test]
    fn columns_are_picked_and_standardised() {
        // Two tabs, returns before line feeds, blank lines, no line feed at the end.
        let raw = b"7\t1\t\t10\r\n\n7\t3\t30\r\n";
        assert_eq!(RECIPE.apply(raw, 2).unwrap(), "a,b\n-1.0,-1.0\n1.0,1.0\n");
        let commas = Recipe { separator: Separator::Commas, ..RECIPE };
        assert_eq!(commas.apply(b"M,1,10\nF, 3,30", 2).unwrap(), "a,b\n-1.0,-1.0\n1.0,1.0\n");
    }

    #[test]
    fn a_raw_file_that_is_not_right_is_described() {
        let about = |raw: &[u8]| RECIPE.apply(raw, 2).unwrap_err();
        assert_eq!(about(b"1 2 3\n1 2\n"), "line 2 has 2 cells where 3 belong");
        assert_eq!(about(b"1 2 3\n1 2 x\n"), "line 2 has \"x\" where a number belongs");
        assert_eq!(about(b"1 2 3\n1 2 inf\n"), "line 2 has \"inf\" where a number belongs");
        assert_eq!(about(b"1 2 3\n"), "it has 1 rows where 2 belong");
        assert_eq!(about(b""), "it has 0 rows where 2 belong");
        assert_eq!(about(b"\xff\xfe"), "it is not text");
    }

    #[test]
    fn sums_are_sums() {
        for n in [0, 1, 7, 8, 9, 127, 128, 129, 1000, 4177] {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            assert_eq!(sum(&values), f64::from(n) * (f64::from(n) - 1.0) / 2.0, "{n}");
        }
    }
}
