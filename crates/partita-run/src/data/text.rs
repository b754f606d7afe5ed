//! Reading delimited text: CSV, TSV and their relatives, with or without a header.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::builder::Builder;
use super::error::{DataError, FileError, Place};
use super::open::Source;
use super::plan::{Plan, header_names};
use super::records::{Record, Records};
use super::survey::{Column, Findings};
use super::value::{self, Cell, decimal_comma, parse};
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

/// What a survey found, and the number of cells in most rows with the line of the first such row.
type Surveyed = (Findings, Option<(usize, u64)>);

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
            (Some(second), true) => with_row_names(&file, texts(&file, &first, options.guess)?, second)?,
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

    /// Looks at all cells, and at how many there are in most rows.
    fn survey(self, options: &ReadOptions) -> Result<Surveyed, DataError> {
        let (plan, delimiter, expected) = (self.plan(options)?, self.delimiter, self.names.len());
        let mut columns: Vec<Column> = self.names.iter().map(|name| Column::new(name)).collect();
        if self.headed {
            let names = self.first.cells().zip(columns.iter_mut());
            names.for_each(|(cell, column)| column.see_header(cell));
        }
        // By number of cells: the first line with so many, and the number of such rows.
        let mut lengths: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
        let mut rows = 0;
        self.each_row(|row| {
            columns.iter_mut().zip(row.cells()).for_each(|(column, cell)| column.see(cell));
            let cells = row.len() - usize::from(ends_with_separator(row, expected));
            lengths.entry(cells).or_insert((row.line, 0)).1 += 1;
            rows += 1;
            Ok(())
        })?;
        let usual = lengths.into_iter().find(|(_, (_, number))| 2 * number > rows);
        let findings = Findings::new(&columns, &plan.said(options), delimiter, options.guess == Guess::All);
        Ok((findings, usual.map(|(cells, (line, _))| (cells, line))))
    }

    /// Reads the table.
    fn table(
        self,
        findings: Option<Surveyed>,
        options: &ReadOptions,
        place: fn(u64) -> Place,
    ) -> Result<Table, DataError> {
        let (mut plan, file, headed) = (self.plan(options)?, self.file.clone(), self.headed);
        let headless = !headed && options.header.is_none();
        let is_number = |cell: &[u8]| matches!(parse(cell), Cell::Number(_));
        let below = self.second.as_ref().filter(|_| headless).map(|row| row.cells().map(is_number).collect());
        if let Some((findings, _)) = &findings {
            plan.adopt(&findings.understood);
        }
        let mut rows = Rows {
            like: if headed { "the header" } else { "the first row" },
            headless,
            below: below.unwrap_or_default(),
            first_line: self.first.line,
            first_cells: self.first.len(),
            usual: findings.as_ref().and_then(|(_, usual)| *usual),
            place,
            builder: Builder::new(&file, plan, options),
            findings: findings.map(|(findings, _)| findings),
            guess: options.guess,
            file,
        };
        let expected = rows.builder.plan.names.len();
        if rows.usual.is_some_and(|(usual, _)| usual != expected) {
            return Err(rows.ragged(rows.first_line, expected, expected));
        }
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

/// Whether a row of so many cells has a separator after the last one.
fn ends_with_separator(row: &Record, cells: usize) -> bool {
    row.len() == cells + 1 && row.get(cells).is_empty()
}

/// The cells of a row as text.
fn texts(file: &str, record: &Record, guess: Guess) -> Result<Vec<String>, DataError> {
    record.cells().map(|cell| text(file, record, cell, guess).map(Cow::into_owned)).collect()
}

/// A cell as text, in UTF-8 unless other ways of writing may be guessed.
fn text<'a>(file: &str, record: &Record, cell: &'a [u8], guess: Guess) -> Result<Cow<'a, str>, DataError> {
    match value::text(cell) {
        Cow::Owned(_) if guess == Guess::Nothing => {
            Err(DataError::NotUtf8 { file: file.to_owned(), line: record.line })
        }
        text => Ok(text),
    }
}

/// The rows on their way into the table.
struct Rows {
    file: String,
    like: &'static str,
    headless: bool,
    /// For each column, whether its second row is a number, so that the first may hold names.
    below: Vec<bool>,
    first_line: u64,
    first_cells: usize,
    /// The number of cells that more than half of the rows have, where there is one, and the line of the first such row.
    usual: Option<(usize, u64)>,
    /// How a row is called in sentences: by its line, or by its number.
    place: fn(u64) -> Place,
    builder: Builder,
    /// What a survey found, where there was one.
    findings: Option<Findings>,
    guess: Guess,
}

impl Rows {
    /// Adds one row.
    fn push(&mut self, record: &Record) -> Result<(), DataError> {
        let expected = self.builder.plan.names.len();
        if record.len() != expected && !ends_with_separator(record, expected) {
            return Err(self.ragged(record.line, record.len(), expected));
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
            let id = text(&self.file, record, record.get(column), self.guess)?;
            self.builder.push_id(place, column, &id)?;
        }
        if let Some(column) = self.builder.plan.label {
            let label = text(&self.file, record, record.get(column), self.guess)?;
            self.builder.push_label(&label);
        }
        Ok(())
    }

    /// The sentence for a row that is longer or shorter than expected; where most rows are, the first one is odd.
    #[cold]
    fn ragged(&self, line: u64, cells: usize, expected: usize) -> DataError {
        let file = self.file.clone();
        match self.usual {
            Some((usual, from)) if usual != expected => {
                DataError::Above { file, first: self.first_line, cells: self.first_cells, from, usual }
            }
            _ => DataError::Ragged { file, line, cells, expected, like: self.like },
        }
    }

    /// What becomes of a cell that is not a finite number, or not in a column of such.
    #[cold]
    fn other(&mut self, cell: Cell, record: &Record, at: usize) -> Result<f64, DataError> {
        let (place, column) = ((self.place)(record.line), self.builder.plan.data[at]);
        let text = &*text(&self.file, record, record.get(column), self.guess)?;
        match cell {
            Cell::Number(number) => self.builder.special(place, at, number, text),
            Cell::Missing => self.builder.missing(place, column, text),
            Cell::Infinite => Err(self.builder.infinite(place, column, text)),
            Cell::Word => {
                let first = self.headless && record.line == self.first_line;
                let header = first && self.below.get(column) == Some(&true);
                let numeric = self.findings.as_ref().is_some_and(|findings| findings.is_numeric(column));
                let mistake = header || (numeric && self.builder.is_plain(at)) || decimal_comma(text);
                let level = if mistake { None } else { self.builder.word(place, at, text) };
                level.unwrap_or_else(|| {
                    let name = &self.builder.plan.names[column];
                    Err(DataError::not_a_number(&self.file, place, name, text, first))
                })
            }
        }
    }
}
