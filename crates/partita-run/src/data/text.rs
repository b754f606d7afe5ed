//! Reading delimited text: CSV, TSV and their relatives, with or without a header.

use super::builder::Builder;
use super::error::{DataError, FileError, Place};
use super::open::Source;
use super::plan::{Plan, header_names};
use super::records::{Record, Records};
use super::survey::{Column, Findings};
use super::value::{Cell, decimal_comma, parse};
use super::{Guess, ReadOptions, Table, default_names, detect};

/// Reads a table from text; `place` is how a row is called by its line.
pub(super) fn read(
    mut source: Source,
    options: &ReadOptions,
    place: fn(u64) -> Place,
) -> Result<Table, DataError> {
    let mut findings = None;
    if options.guess != Guess::Nothing {
        let (first, second) = source.twice()?;
        findings = Some(Beginning::new(first, options)?.survey(options)?);
        source = second;
    }
    Beginning::new(source, options)?.table(findings, options, place)
}

/// A text whose first rows were read.
struct Beginning {
    file: String,
    delimiter: u8,
    records: Records,
    first: Record,
    /// The second row, if there is one.
    second: Option<Record>,
    headed: bool,
    names: Vec<String>,
    /// The column of row names, if the header leaves it unnamed.
    index: Option<usize>,
}

impl Beginning {
    fn new(mut source: Source, options: &ReadOptions) -> Result<Beginning, DataError> {
        source.skip_byte_order_mark();
        let file = source.file.clone();
        let delimiter = options.delimiter.unwrap_or_else(|| detect::delimiter(source.head()));
        let mut records = Records::new(source, delimiter);
        let (mut first, mut row) = (Record::default(), Record::default());
        if !records.read(&mut first)? {
            return Err(FileError::Empty { file }.into());
        }
        let second = records.read(&mut row)?.then_some(row);
        let headed =
            options.header.unwrap_or_else(|| detect::header(&first, second.as_ref(), options.asked()));
        let (names, index) = match (&second, headed) {
            (Some(second), true) => with_row_names(&file, utf8_cells(&file, &first)?, second)?,
            (None, true) => return Err(DataError::HeaderOnly { file }),
            (_, false) => (default_names(first.len()), None),
        };
        Ok(Beginning { file, delimiter, records, first, second, headed, names, index })
    }

    fn plan(&self, options: &ReadOptions) -> Result<Plan, DataError> {
        Plan::new(&self.file, self.names.clone(), self.index, options)
    }

    /// Every row of data.
    fn each_row(mut self, mut see: impl FnMut(&Record) -> Result<(), DataError>) -> Result<(), DataError> {
        if !self.headed {
            see(&self.first)?;
        }
        let Some(mut row) = self.second.take() else { return Ok(()) };
        loop {
            see(&row)?;
            if !self.records.read(&mut row)? {
                return Ok(());
            }
        }
    }

    /// Looks at all cells.
    fn survey(self, options: &ReadOptions) -> Result<Findings, DataError> {
        let (plan, delimiter) = (self.plan(options)?, self.delimiter);
        let mut columns: Vec<Column> = self.names.iter().map(|name| Column::new(name)).collect();
        self.each_row(|row| {
            columns.iter_mut().zip(row.cells()).for_each(|(column, cell)| column.see(cell));
            Ok(())
        })?;
        Ok(Findings::new(&columns, &plan.said(options), delimiter, options.guess == Guess::All))
    }

    /// Reads the table.
    fn table(
        self,
        findings: Option<Findings>,
        options: &ReadOptions,
        place: fn(u64) -> Place,
    ) -> Result<Table, DataError> {
        let (mut plan, file, headed) = (self.plan(options)?, self.file.clone(), self.headed);
        let headless = !headed && options.header.is_none();
        let is_number = |cell: &[u8]| matches!(parse(cell), Cell::Number(_));
        let below = self.second.as_ref().filter(|_| headless).map(|row| row.cells().map(is_number).collect());
        if let Some(findings) = &findings {
            plan.adopt(&findings.understood);
        }
        let mut rows = Rows {
            like: if headed { "the header" } else { "the first row" },
            headless,
            below: below.unwrap_or_default(),
            first_line: self.first.line,
            place,
            builder: Builder::new(&file, plan, options),
            findings,
            file,
        };
        self.each_row(|row| rows.push(row))?;
        let understood = rows.findings.map(|findings| findings.understood);
        let table = rows.builder.finish()?;
        Ok(Table { understood: understood.unwrap_or_default(), ..table })
    }
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
    /// For each column, whether its second row is a number, so that the first may hold names.
    below: Vec<bool>,
    first_line: u64,
    /// How a row is called in sentences: by its line, or by its number.
    place: fn(u64) -> Place,
    builder: Builder,
    /// What a survey found, where there was one.
    findings: Option<Findings>,
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
        let place = (self.place)(record.line);
        for at in 0..self.builder.plan.data.len() {
            let column = self.builder.plan.data[at];
            let cell = record.get(column);
            let said = match &self.findings {
                Some(findings) => findings.cell(column, cell),
                None => parse(cell),
            };
            let value = match said {
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
        let (place, column) = ((self.place)(record.line), self.builder.plan.data[at]);
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
