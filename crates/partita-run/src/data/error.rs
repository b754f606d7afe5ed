//! The sentences a user sees if a file cannot be read as a table: what is wrong, where, and what to do.

use std::fmt;

use super::value::decimal_comma;
use crate::words;

/// Why a file could not be opened or decompressed, whatever it was meant to hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// There is no such file.
    #[error("{file} does not exist; check the path")]
    NotFound {
        /// The path as given.
        file: String,
    },
    /// The path is that of a directory.
    #[error("{file} is a directory; give the path of a file")]
    Directory {
        /// The path as given.
        file: String,
    },
    /// The system refused to open or read the file.
    #[error("{file} cannot be read ({reason}); check its permissions and its disk")]
    Unreadable {
        /// The path as given.
        file: String,
        /// What the system said.
        reason: String,
    },
    /// The file is empty, or contains only blanks.
    #[error("{file} is empty; give a file with data")]
    Empty {
        /// The path as given.
        file: String,
    },
    /// The gzip stream is truncated, or its checksum is wrong.
    #[error("{file} is a damaged gzip file ({reason}); copy or compress it again")]
    Gzip {
        /// The path as given.
        file: String,
        /// What the decompressor said.
        reason: String,
    },
    /// The name ends in `.gz`, but the content is something else.
    #[error("{file} is named .gz but is not compressed with gzip; rename or compress it")]
    NotGzip {
        /// The path as given.
        file: String,
    },
}

/// Where in a file a row lies: by line for text, by row for binary formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The line number a text editor shows, from 1.
    Line(u64),
    /// The row number, from 1, in a format without lines.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// Why a file could not be read as a [`Table`](super::Table): one sentence each, with what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file could not be opened or decompressed.
    #[error(transparent)]
    File(#[from] FileError),
    /// Columns in memory that are not of the same length.
    #[error(
        "{file}: column {} has {rows} {}, but {} has {expected}; give all columns the same length",
        quote(.column), if *.rows == 1 { "row" } else { "rows" }, quote(.first)
    )]
    UnequalColumns {
        /// What the table is called.
        file: String,
        /// The column.
        column: String,
        /// Its rows.
        rows: usize,
        /// The first column.
        first: String,
        /// The rows of that.
        expected: usize,
    },
    /// The content is in a known format that cannot be read here.
    #[error("{file} is {kind}, which partita cannot read; save the data as CSV, TSV, XLSX or NPY")]
    Foreign {
        /// The path as given.
        file: String,
        /// What the content was recognised as.
        kind: &'static str,
    },
    /// The workbook is damaged, or something else.
    #[error("{file} is not a readable workbook ({reason}); save it again, or save the sheet as CSV")]
    Workbook {
        /// The path as given.
        file: String,
        /// What the reader said.
        reason: String,
    },
    /// A sheet was asked for that the workbook does not have.
    #[error("{file} has no sheet {}; its sheets, numbered from 1, are {sheets}", quote(.asked))]
    UnknownSheet {
        /// The path as given.
        file: String,
        /// What was asked for.
        asked: String,
        /// The sheets there are.
        sheets: String,
    },
    /// A sheet holds nothing.
    #[error("{file}: sheet {} is empty; choose another with `sheet`: {others}", quote(.sheet))]
    NoCells {
        /// The path as given.
        file: String,
        /// The sheet.
        sheet: String,
        /// The others.
        others: String,
    },
    /// A table that has no such principal components.
    #[error("{file}: {problem}")]
    NotRotated {
        /// The path as given.
        file: String,
        /// What is wrong, and what to do about it.
        problem: String,
    },
    /// A Parquet file met a build without the `parquet` feature.
    #[error(
        "{file}: this build cannot read Parquet; rebuild with --features parquet or convert the \
         file to CSV"
    )]
    NoParquet {
        /// The path as given.
        file: String,
    },
    /// The Parquet file is damaged, or uses an unsupported feature.
    #[error("{file} is not a readable Parquet file ({reason}); write it again or convert it to CSV")]
    Parquet {
        /// The path as given.
        file: String,
        /// What the reader said.
        reason: String,
    },
    /// The NPY header is damaged or describes something that is not a table of numbers.
    #[error(
        "{file} is not a readable NPY table ({reason}); save a 1-D or 2-D array of real numbers \
         with numpy.save"
    )]
    Npy {
        /// The path as given.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Not a table that was saved with a run.
    #[error("{file} is not a table stored by partita ({reason}); save the run again")]
    Kept {
        /// The path as given.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The NPY shape and the bytes that follow do not agree.
    #[error(
        "{file} declares {rows} x {columns} numbers of {size} bytes but {found} follow its header; \
         copy the file again or save it again with numpy.save"
    )]
    NpySize {
        /// The path as given.
        file: String,
        /// Declared rows.
        rows: u64,
        /// Declared columns.
        columns: u64,
        /// Bytes of one number.
        size: usize,
        /// What was found instead, in words.
        found: String,
    },
    /// The file ends after its header.
    #[error("{file} has a header but no rows; add rows, or use `header = false` if line 1 is data")]
    HeaderOnly {
        /// The path as given.
        file: String,
    },
    /// There is nothing to cluster.
    #[error("{file} has {} of data, but clustering needs at least two; add rows", count(*.rows as u64, "row"))]
    TooFewRows {
        /// The path as given.
        file: String,
        /// Rows found.
        rows: usize,
    },
    /// Two columns share a name.
    #[error("{file}: columns {first} and {second} are both named {}; rename one", quote(.name))]
    DuplicateName {
        /// The path as given.
        file: String,
        /// The shared name.
        name: String,
        /// Number of the first such column, from 1.
        first: usize,
        /// Number of the second such column, from 1.
        second: usize,
    },
    /// A column was asked for that the file does not have.
    #[error("{file} has no column {}; {hint}", quote(.asked))]
    UnknownColumn {
        /// The path as given.
        file: String,
        /// What was asked for.
        asked: String,
        /// The nearest name, or the names there are.
        hint: String,
    },
    /// Every column was dropped or has another role.
    #[error(
        "{file} has no data columns left; use fewer in `drop`, `id_column` and `label_column`, or name some in \
         `columns`"
    )]
    NoColumns {
        /// The path as given.
        file: String,
    },
    /// The file is a graph.
    #[error(
        "{file} is a graph in DIMACS format, not a table; use `blocks({file})` or `color({file}, colors = Q)`, or \
         `meet` with `edge_prior = 1,1` or `colors = Q`"
    )]
    Graph {
        /// The path as given.
        file: String,
    },
    /// It was said what a column holds that is not among the data.
    #[error(
        "{file}: `column_type` gives a type for column {}, which is not among the data columns; leave that type out, \
         or use the column",
        quote(.column)
    )]
    UnusedKind {
        /// The path as given.
        file: String,
        /// The column.
        column: String,
    },
    /// A row is longer or shorter than the others.
    #[error(
        "{file}, line {line}: the row has {} but {like} has {expected}; correct or remove the \
         row, or give the separator with `delimiter`",
        count(*.cells as u64, "cell")
    )]
    Ragged {
        /// The path as given.
        file: String,
        /// Line of the row.
        line: u64,
        /// Cells in this row.
        cells: usize,
        /// Cells expected.
        expected: usize,
        /// What set the expectation: the header or the first row.
        like: &'static str,
    },
    /// Most rows have another number of cells than the first: something stands above the table.
    #[error(
        "{file}, line {first}: this line has {} but most rows have {usual}, from line {from} on; remove what stands above the \
         table, or give the separator with `delimiter`",
        count(*.cells as u64, "cell")
    )]
    Above {
        /// The path as given.
        file: String,
        /// The first line.
        first: u64,
        /// Cells in it.
        cells: usize,
        /// The first line with as many cells as most rows.
        from: u64,
        /// Cells in most rows.
        usual: usize,
    },
    /// A quote is open at the end of the file.
    #[error(
        "{file}, line {line}: a quote (\") in the row that starts here is never closed; close or remove it"
    )]
    OpenQuote {
        /// The path as given.
        file: String,
        /// Line on which the row starts.
        line: u64,
    },
    /// A word stands where a number should be.
    #[error("{file}, {place}, column {}: {cell} is not a number; {way_out}", quote(.column))]
    NotANumber {
        /// The path as given.
        file: String,
        /// Where the row lies.
        place: Place,
        /// Name of the column.
        column: String,
        /// The cell, quoted and cut short.
        cell: String,
        /// What to do about it.
        way_out: String,
    },
    /// A cell holds nothing, or a word for nothing.
    #[error(
        "{file}, {place}, column {}: the cell is {}; fill it in, remove the row, or leave the \
         column out with `drop = {}`",
        quote(.column),
        missing(.cell),
        argument(.column)
    )]
    MissingCell {
        /// The path as given.
        file: String,
        /// Where the row lies.
        place: Place,
        /// Name of the column.
        column: String,
        /// The cell as written; empty when it is empty.
        cell: String,
    },
    /// Too few rows have a known label.
    #[error(
        "{file}, column {}: {}, so there is nothing to compare the clusters with; leave `label_column` out, or name \
         another column",
        quote(.column),
        if *.labels == 0 { "every label is missing" } else { "only one row has a label" }
    )]
    NoLabels {
        /// The path as given.
        file: String,
        /// Name of the column.
        column: String,
        /// Labels that are there: none or one.
        labels: usize,
    },
    /// A row has no name.
    #[error(
        "{file}, {place}, column {}: the row has no name; fill it in or remove the row",
        quote(.column)
    )]
    MissingName {
        /// The path as given.
        file: String,
        /// Where the row lies.
        place: Place,
        /// Name of the column.
        column: String,
    },
    /// A column cannot be what it is taken for.
    #[error("{file}{}, column {}: {problem}", at(.place), quote(.column))]
    Unfit {
        /// The path as given.
        file: String,
        /// Where the row lies, if it is one row.
        place: Option<Place>,
        /// Name of the column.
        column: String,
        /// What is wrong, and what to do about it.
        problem: String,
    },
    /// A number is infinite or too large for double precision.
    #[error(
        "{file}, {place}, column {}: {cell} is not a finite number; correct the cell or remove the \
         row",
        quote(.column)
    )]
    Infinite {
        /// The path as given.
        file: String,
        /// Where the row lies.
        place: Place,
        /// Name of the column.
        column: String,
        /// The cell, quoted and cut short.
        cell: String,
    },
    /// The text is in another encoding.
    #[error("{file}, line {line}: the text is not UTF-8; save the file as UTF-8 text")]
    NotUtf8 {
        /// The path as given.
        file: String,
        /// Line of the row.
        line: u64,
    },
    /// A row does not end within reason.
    #[error(
        "{file}, line {line}: the row that starts here does not end within 64 MiB or a million \
         cells; perhaps a quote (\") was not closed"
    )]
    LongRow {
        /// The path as given.
        file: String,
        /// Line on which the row starts.
        line: u64,
    },
    /// A column holds one value only and has no scale.
    #[error(
        "{file}, column {}: every value is {value}, so the column cannot be standardised; leave it \
         out with `drop = {}` or use `standardize = false`",
        quote(.column),
        argument(.column)
    )]
    Constant {
        /// The path as given.
        file: String,
        /// Name of the column.
        column: String,
        /// The value it always has.
        value: String,
    },
    /// Several columns hold one value each.
    #[error(
        "{file}: columns {} are constant, so they cannot be standardised; leave them out with `drop = {}` or use \
         `standardize = false`",
        list(.columns),
        .columns.iter().map(|name| argument(name)).collect::<Vec<_>>().join(",")
    )]
    Constants {
        /// The path as given.
        file: String,
        /// Names of the columns.
        columns: Vec<String>,
    },
    /// Every cell of a column is missing.
    #[error(
        "{file}, column {}: every value is missing, so the column cannot be standardised; leave it \
         out with `drop = {}`",
        quote(.column),
        argument(.column)
    )]
    NoValues {
        /// The path as given.
        file: String,
        /// Name of the column.
        column: String,
    },
}

impl DataError {
    /// A [`DataError::NotANumber`] with the way out that fits the cell.
    pub(super) fn not_a_number(file: &str, place: Place, column: &str, cell: &str, headless: bool) -> Self {
        let name = argument(column);
        let mut way_out = String::new();
        if decimal_comma(cell) {
            way_out.push_str("write decimals with a point");
        } else {
            if headless && matches!(place, Place::Line(_)) {
                way_out.push_str("use `header = true` if this line holds the column names; otherwise ");
            }
            way_out.push_str(&format!(
                "correct the cell or remove the row, leave the column out with `drop = {name}`, take row names or known labels from it with \
                 `id_column = {name}` or `label_column = {name}`, or treat it as a category with `column_type = {name}=category`"
            ));
        }
        DataError::NotANumber {
            file: file.to_owned(),
            place,
            column: column.to_owned(),
            cell: quote(cell),
            way_out,
        }
    }
}

/// `one cell`, `4 cells`.
fn count(number: u64, noun: &str) -> String {
    match number {
        0 => format!("no {noun}"),
        1 => format!("one {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// `, line 7`, or nothing.
fn at(place: &Option<Place>) -> String {
    place.map_or(String::new(), |place| format!(", {place}"))
}

/// How a missing cell reads in a sentence.
fn missing(cell: &str) -> String {
    if cell.is_empty() { "empty".to_owned() } else { format!("missing ({})", quote(cell)) }
}

/// Text in double quotes on one line, cut after 40 characters.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    let mut rest = text.chars();
    for c in rest.by_ref().take(40) {
        if c == '\'' || c == '"' {
            quoted.push(c);
        } else {
            quoted.extend(c.escape_debug());
        }
    }
    if rest.next().is_some() {
        quoted.push('…');
    }
    quoted.push('"');
    quoted
}

/// The first few of some names, quoted, and how many more there are.
pub(super) fn list(names: &[String]) -> String {
    const LISTED: usize = 8;
    let mut listed: Vec<String> = names.iter().take(LISTED).map(|name| quote(name)).collect();
    if names.len() > LISTED {
        listed.push(format!("and {} more", names.len() - LISTED));
    }
    listed.join(", ")
}

/// A name as one writes it on a command line; `NUMBER` where the name is better not typed.
pub(crate) fn argument(name: &str) -> String {
    if name.chars().any(char::is_control) || name.chars().count() > 100 {
        "NUMBER".to_owned()
    } else {
        words::typed(name)
    }
}
