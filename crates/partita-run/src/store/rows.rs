//! Rows of the run directory as text, and back to the same bits.

use crate::engine::{Draw, Row};
use crate::{Failure, words};
use partita::Partition;
use partita::atoms::Atom;
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

/// Columns before the summaries.
const FIXED: [&str; 6] = ["replicate", "met", "tau", "sweeps", "kernel_calls", "seconds"];

/// The header of `replicates.csv`.
pub(super) fn header(names: &[String]) -> String {
    let quoted = names.iter().map(|name| words::csv_cell(name));
    let columns: Vec<String> = FIXED.iter().map(ToString::to_string).chain(quoted).collect();
    columns.join(",") + "\n"
}

/// One line of `replicates.csv`; floats in the shortest form that reads back to the same bits.
pub(super) fn format_row(row: &Row) -> String {
    let tau = row.tau.map_or(String::new(), |tau| tau.to_string());
    let mut line = format!(
        "{},{},{tau},{},{},{:?}",
        row.replicate,
        row.tau.is_some(),
        row.sweeps,
        row.kernel_calls,
        row.seconds
    );
    for value in &row.values {
        write!(line, ",{value:?}").expect("a string takes what it is given");
    }
    line.push('\n');
    line
}

fn parse_row(line: &str, width: usize) -> Option<Row> {
    let mut cells = line.split(',');
    let replicate = cells.next()?.parse().ok()?;
    let met: bool = cells.next()?.parse().ok()?;
    let tau = cells.next()?;
    let tau = if met { Some(tau.parse().ok()?) } else { None };
    let sweeps = cells.next()?.parse().ok()?;
    let kernel_calls = cells.next()?.parse().ok()?;
    let seconds = cells.next()?.parse().ok()?;
    let values: Vec<f64> = cells.map(str::parse).collect::<Result<_, _>>().ok()?;
    (values.len() == width).then_some(Row { replicate, tau, sweeps, kernel_calls, seconds, values })
}

/// The text of a file up to its last whole line: what was being written when power went does not count.
fn whole_lines(path: &Path) -> Result<String, Failure> {
    let mut text = std::fs::read_to_string(path)
        .map_err(|e| Failure::Failed(format!("{}: cannot be read: {}", path.display(), words::plain(&e))))?;
    text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
    Ok(text)
}

pub(super) fn read_rows(path: &Path, names: &[String]) -> Result<Vec<Row>, Failure> {
    let text = whole_lines(path)?;
    let expected = header(names);
    if !text.starts_with(&expected) {
        return Err(Failure::run(
            path,
            "row 1: the columns are not those of run.toml: was the file changed?",
        ));
    }
    let mut rows = Vec::new();
    for (number, line) in text[expected.len()..].lines().enumerate() {
        let row = parse_row(line, names.len()).ok_or_else(|| {
            Failure::run(path, format!("row {} is not a replicate: delete that line and resume", number + 2))
        })?;
        rows.push(row);
    }
    rows.sort_by_key(|row| row.replicate);
    if let Some(twice) = rows.windows(2).find(|pair| pair[0].replicate == pair[1].replicate) {
        return Err(Failure::run(
            path,
            format!("replicate {} appears twice: delete one of its lines", twice[0].replicate),
        ));
    }
    Ok(rows)
}

/// The header of `draws.csv`.
pub(super) fn draws_header(items: usize) -> String {
    let mut text = String::from("replicate,weight");
    (0..items).for_each(|i| write!(text, ",z{i}").expect("a string takes what it is given"));
    text + "\n"
}

pub(super) fn format_draws(replicate: u64, atoms: &[Atom]) -> String {
    let mut text = String::new();
    for atom in atoms {
        write!(text, "{replicate},{:?}", atom.weight).expect("a string takes what it is given");
        for label in atom.partition.canonical_labels() {
            write!(text, ",{label}").expect("a string takes what it is given");
        }
        text.push('\n');
    }
    text
}

pub(super) fn read_draws(path: &Path, rows: &[Row]) -> Result<Vec<Draw>, Failure> {
    let known: HashSet<u64> = rows.iter().map(|row| row.replicate).collect();
    let text = whole_lines(path)?;
    let mut draws = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1) {
        let parse = || {
            let mut cells = line.split(',');
            let replicate = cells.next()?.parse().ok()?;
            let weight = cells.next()?.parse().ok()?;
            let labels: Vec<usize> = cells.map(str::parse).collect::<Result<_, _>>().ok()?;
            let partition = Partition::from_labels(&labels).ok()?;
            Some(Draw { replicate, atom: Atom { weight, partition } })
        };
        let draw: Draw = parse().ok_or_else(|| {
            Failure::run(path, format!("row {} is not a kept state: delete that line", number + 1))
        })?;
        if known.contains(&draw.replicate) {
            draws.push(draw);
        }
    }
    // Stable: the atoms of one replicate keep their order.
    draws.sort_by_key(|draw| draw.replicate);
    Ok(draws)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn rows_read_back_to_the_same_bits(
            replicate: u64,
            tau in prop::option::of(any::<u64>()),
            sweeps: u64,
            kernel_calls: u64,
            seconds in 0f64..1e9,
            values in prop::collection::vec(any::<f64>().prop_filter("finite", |v| v.is_finite()), 0..6),
        ) {
            let row = Row { replicate, tau, sweeps, kernel_calls, seconds, values };
            let line = format_row(&row);
            let back = parse_row(line.trim_end(), row.values.len()).unwrap();
            prop_assert_eq!(&back, &row);
            for (a, b) in back.values.iter().zip(&row.values) {
                prop_assert_eq!(a.to_bits(), b.to_bits());
            }
        }

        #[test]
        fn no_line_makes_the_reader_panic(line in ".*", width in 0usize..4) {
            let _ = parse_row(&line, width);
        }
    }

    #[test]
    fn names_with_commas_are_quoted() {
        let header = header(&["clusters".into(), "co:0,21".into()]);
        assert_eq!(header, "replicate,met,tau,sweeps,kernel_calls,seconds,clusters,\"co:0,21\"\n");
    }
}
