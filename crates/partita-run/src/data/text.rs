//! Reading delimited text: CSV, TSV and their relatives, with or without a header.

use super::builder::Builder;
use super::error::{DataError, FileError, Place};
use super::open::Source;
use super::plan::{Plan, header_names};
use super::records::{Record, Records};
use super::value::{Cell, decimal_comma, parse};
use super::{ReadOptions, Table, default_names, detect};

/// Reads a table from text.
pub(super) fn read(mut source: Source, options: &ReadOptions) -> Result<Table, DataError> {
    source.skip_byte_order_mark();
    let file = source.file.clone();
    let delimiter = options.delimiter.unwrap_or_else(|| detect::delimiter(source.head()));
    let mut records = Records::new(source, delimiter);
    let (mut first, mut row) = (Record::default(), Record::default());
    if !records.read(&mut first)? {
        return Err(FileError::Empty { file }.into());
    }
    let second = records.read(&mut row)?.then_some(&row);
    let headed = options.header.unwrap_or_else(|| detect::header(&first, second, options.asked()));
    let (names, index) = if headed {
        let names = utf8_cells(&file, &first)?;
        let Some(second) = second else {
            return Err(DataError::HeaderOnly { file });
        };
        with_row_names(&file, names, second)?
    } else {
        (default_names(first.len()), None)
    };
    let headless = !headed && options.header.is_none();
    let is_number = |cell: &[u8]| matches!(parse(cell), Cell::Number(_));
    let below = second.filter(|_| headless).map(|row| row.cells().map(is_number).collect());
    let mut rows = Rows {
        like: if headed { "the header" } else { "the first row" },
        headless,
        below: below.unwrap_or_default(),
        first_line: first.line,
        builder: Builder::new(&file, Plan::new(&file, names, index, options)?, options),
        file,
    };
    let mut more = second.is_some();
    if !headed {
        rows.push(&first)?;
    }
    while more {
        rows.push(&row)?;
        more = records.read(&mut row)?;
    }
    rows.builder.finish()
}

/// Names of the columns, and the column of row names if the header leaves it unnamed.
///
/// Programs write row names under an empty name, or under none at all: then the rows have one cell
/// more than the header.
fn with_row_names(
    file: &str,
    mut names: Vec<String>,
    row: &Record,
) -> Result<(Vec<String>, Option<usize>), DataError> {
    let last_is_full = !row.get(row.len() - 1).is_empty();
    if row.len() == names.len() + 1 && last_is_full {
        names.insert(0, String::new());
    }
    let index = (names.len() > 1 && names[0].is_empty()).then_some(0);
    Ok((header_names(file, names)?, index))
}

/// The cells of a row as text.
fn utf8_cells(file: &str, record: &Record) -> Result<Vec<String>, DataError> {
    let cells = record.cells().map(|cell| utf8(file, record, cell).map(str::to_owned));
    cells.collect()
}

/// A cell as text.
fn utf8<'a>(file: &str, record: &Record, cell: &'a [u8]) -> Result<&'a str, DataError> {
    std::str::from_utf8(cell).map_err(|_| DataError::NotUtf8 { file: file.to_owned(), line: record.line })
}

/// The rows on their way into the table.
struct Rows {
    file: String,
    like: &'static str,
    headless: bool,
    /// Whether a number stands in the second row, a column each, where the first may hold names.
    below: Vec<bool>,
    first_line: u64,
    builder: Builder,
}

impl Rows {
    /// Adds one row.
    fn push(&mut self, record: &Record) -> Result<(), DataError> {
        let expected = self.builder.plan.names.len();
        if record.len() != expected {
            return Err(DataError::Ragged {
                file: self.file.clone(),
                line: record.line,
                cells: record.len(),
                expected,
                like: self.like,
            });
        }
        let place = Place::Line(record.line);
        for at in 0..self.builder.plan.data.len() {
            let column = self.builder.plan.data[at];
            let cell = record.get(column);
            let value = match parse(cell) {
                Cell::Number(number) if self.builder.is_plain(at) => number,
                other => self.other(other, record, at)?,
            };
            self.builder.values.push(value);
        }
        if let Some(column) = self.builder.plan.id {
            let id = utf8(&self.file, record, record.get(column))?;
            self.builder.push_id(place, column, id)?;
        }
        if let Some(column) = self.builder.plan.label {
            let label = utf8(&self.file, record, record.get(column))?;
            self.builder.push_label(label);
        }
        Ok(())
    }

    /// What becomes of a cell that is not a finite number, or not in a column of such.
    #[cold]
    fn other(&mut self, cell: Cell, record: &Record, at: usize) -> Result<f64, DataError> {
        let (place, column) = (Place::Line(record.line), self.builder.plan.data[at]);
        let text = utf8(&self.file, record, record.get(column))?;
        match cell {
            Cell::Number(number) => self.builder.special(place, at, number, text),
            Cell::Missing => self.builder.missing(place, column, text),
            Cell::Infinite => Err(self.builder.infinite(place, column, text)),
            Cell::Word => {
                let first = self.headless && record.line == self.first_line;
                let header = first && self.below.get(column) == Some(&true);
                let level =
                    if header || decimal_comma(text) { None } else { self.builder.word(place, at, text) };
                level.unwrap_or_else(|| {
                    let name = &self.builder.plan.names[column];
                    Err(DataError::not_a_number(&self.file, place, name, text, first))
                })
            }
        }
    }
}
