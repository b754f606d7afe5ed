//! Tables from the files people have: CSV and its relatives, workbooks, NPY, Parquet, gzipped or not.

mod builder;
mod detect;
mod error;
mod excel;
mod identifier;
pub(crate) mod kept;
mod kind;
mod memory;
mod npy;
mod number;
mod open;
#[cfg(feature = "parquet")]
mod parquet;
mod plan;
mod records;
mod rotate;
mod standardize;
mod survey;
mod text;
mod understood;
mod value;
mod when;

use serde::{Deserialize, Serialize};
use std::path::Path;

pub(crate) use builder::Hash;
pub use error::{DataError, FileError, Place};
pub(crate) use error::{argument, quote};
pub(crate) use excel::ENDINGS as WORKBOOKS;
pub use kind::Kind;
pub use memory::Cells;
pub(crate) use open::{STANDARD_INPUT, Source, called};
pub use rotate::Rotation;
pub use standardize::Scaling;
pub use understood::{FileColumn, Role, Understood};

/// A table, with what is known about its rows and columns.
///
/// Cells are numbers; a category is stored as the position of its level in [`levels`](Table::levels).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The path it was read from, as shown in error messages.
    pub source: String,
    /// Number of rows: at least two, unless one is declared to be enough.
    pub rows: usize,
    /// Number of columns, at least one.
    pub columns: usize,
    /// The values, row after row; NaN where a cell is missing.
    pub values: Vec<f64>,
    /// Name of each column; `x1`, `x2`, … where the file names none.
    pub names: Vec<String>,
    /// What each column holds, if this was specified or is clear from the words in it.
    pub kinds: Vec<Option<Kind>>,
    /// The levels of each categorical column, in order of first appearance; empty for others.
    pub levels: Vec<Vec<String>>,
    /// The message about the first missing cell, if missing cells were kept.
    #[serde(skip)]
    pub gap: Option<DataError>,
    /// Name of each row.
    pub ids: Option<Vec<String>>,
    /// The known clustering of the rows.
    pub labels: Option<Labels>,
    /// How the columns of its file were understood.
    #[serde(skip)]
    pub understood: Understood,
    /// Thirty-two hexadecimal digits that depend on the shape, the values, the column names and the
    /// row names, and on nothing else: neither the format nor the labels.
    pub fingerprint: String,
}

/// A known clustering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// The labels, in order of first appearance.
    pub names: Vec<String>,
    /// For each row, the position of its label in `names`; `None` if it is missing.
    pub index: Vec<Option<u32>>,
}

impl Labels {
    /// The rows that have a label, and their clustering by label.
    ///
    /// ```
    /// let labels = partita_run::data::Labels {
    ///     names: vec!["red".into(), "blue".into()],
    ///     index: vec![Some(0), None, Some(1), Some(0)],
    /// };
    /// let (rows, clustering) = labels.known();
    /// assert_eq!(rows, [0, 2, 3]);
    /// assert_eq!(clustering, [0, 1, 0]);
    /// ```
    pub fn known(&self) -> (Vec<usize>, Vec<usize>) {
        let rows = self.index.iter().enumerate();
        rows.filter_map(|(row, label)| label.map(|label| (row, label as usize))).unzip()
    }
}

/// What to do with missing cells: empty ones and `NA`, `N/A`, `NaN`, `null`, `None`, `?` and `.`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Refuse the file.
    #[default]
    Refuse,
    /// Store them as NaN.
    Keep,
}

/// What to do with columns of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Words {
    /// Refuse the file.
    #[default]
    Refuse,
    /// A column whose first cell is a word holds categories, and every text in it names a level.
    Levels,
}

/// What to infer about columns that were not specified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Guess {
    /// Nothing: every column is data, and numbers are written plainly.
    #[default]
    Nothing,
    /// How numbers and missing values are written: `1,234`, `1,5`, `12 %`, `$99`, `*`.
    Numbers,
    /// The same, and which columns name the rows or hold dates and are therefore not data.
    All,
}

/// How to read a table; what is left out is inferred from the file.
///
/// Columns are given by name or, if no column has that name, by number from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// The character between cells of a text file; a space stands for any run of spaces and tabs.
    pub delimiter: Option<u8>,
    /// Whether the first row of a text file names the columns.
    pub header: Option<bool>,
    /// The columns of data, in this order; all of them when left out.
    pub columns: Option<Vec<String>>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// The column that names the rows; it is not data.
    pub id_column: Option<String>,
    /// The column that holds the known clustering; it is not data.
    pub label_column: Option<String>,
    /// What to do with missing cells.
    pub missing: Missing,
    /// Whether one row is enough, as for rows to predict.
    pub one_row: bool,
    /// What to do with columns of words.
    pub words: Words,
    /// What columns hold, if known.
    pub kinds: Vec<(String, Kind)>,
    /// The levels of categorical columns, if known: a cell must then be one of these.
    pub levels: Vec<(String, Vec<String>)>,
    /// What to infer about columns that were not specified.
    pub guess: Guess,
    /// The sheet of a workbook, by name or number from 1; the first when left out.
    pub sheet: Option<String>,
}

impl ReadOptions {
    /// Every column that is asked for.
    fn asked(&self) -> impl Iterator<Item = &String> {
        let data = self.columns.iter().flatten().chain(&self.drop);
        let kinds = self.kinds.iter().map(|(column, _)| column);
        let levels = self.levels.iter().map(|(column, _)| column);
        data.chain(&self.id_column).chain(&self.label_column).chain(kinds).chain(levels)
    }
}

/// Beginnings of workbooks: that of a zip archive, which may be something else, and that of old ones.
const WORKBOOK: [&[u8]; 2] = [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"];

/// Beginnings of files that are taken for tables at times and are not.
const FOREIGN: [(&[u8], &str); 10] = [
    (b"\x89HDF", "an HDF5 file"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"\xfd7zXZ", "compressed with xz"),
    (b"BZh91AY", "compressed with bzip2"),
    (b"RDX", "an R data file"),
    (b"X\n\0\0\0", "an R data file"),
    (b"%PDF", "a PDF document"),
    (b"<!", "a web page"),
    (b"<html", "a web page"),
    (b"<?xml", "an XML file"),
];

/// What a file is by its beginning, if it is no table.
fn foreign(head: &[u8]) -> Option<&'static str> {
    let head = head.trim_ascii_start();
    let known = FOREIGN.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, kind)| *kind);
    // A column may be called [Fe/H].
    let mut marks = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    let json = match marks.next() {
        Some(b'{') => marks.next() == Some(&b'"'),
        Some(b'[') => matches!(marks.next(), Some(b'{' | b'[' | b'"')),
        _ => false,
    };
    let binary = head.contains(&0);
    known.or(json.then_some("a JSON file")).or(binary.then_some("binary data"))
}

impl Table {
    /// Reads a table from a file.
    ///
    /// The format is recognised by the content: NPY, Parquet (in builds with the `parquet` feature), a workbook of
    /// Excel or OpenDocument, or delimited text, any but Parquet also gzipped. The path `-` is standard input. The
    /// separator of a text file and its header are inferred unless `options` specifies them. A first column without a
    /// name in the header, as R and pandas write it, holds row names.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("partita-read-{}.csv", std::process::id()));
    /// # std::fs::write(&path, "name,mass,height,kind\nann,1.5,2,a\nbob,3,4.25,b\n").unwrap();
    /// use partita_run::data::{ReadOptions, Table};
    ///
    /// // name,mass,height,kind
    /// // ann,1.5,2,a
    /// // bob,3,4.25,b
    /// let options = ReadOptions {
    ///     id_column: Some("name".into()),
    ///     label_column: Some("kind".into()),
    ///     ..ReadOptions::default()
    /// };
    /// let table = Table::read(&path, &options)?;
    /// assert_eq!((table.rows, table.columns), (2, 2));
    /// assert_eq!(table.names, ["mass", "height"]);
    /// assert_eq!(table.row(1), [3.0, 4.25]);
    /// assert_eq!(table.ids.unwrap(), ["ann", "bob"]);
    /// assert_eq!(table.labels.unwrap().index, [Some(0), Some(1)]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), partita_run::data::DataError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Every error is one sentence that says what is wrong, where, and what to do about it.
    pub fn read(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Table, DataError> {
        let path = path.as_ref();
        let source = Source::open(path)?.in_utf8()?;
        let head = source.head();
        if head.starts_with(kept::TABLE) {
            return kept::read_table(source);
        }
        if head.starts_with(npy::MAGIC) {
            return npy::read(source, options);
        }
        if head.starts_with(b"PAR1") || source.stem.ends_with(".parquet") {
            return read_parquet(path, source.file, options);
        }
        if source.stem.ends_with(".npy") {
            let reason = "it does not start as one".to_owned();
            return Err(DataError::Npy { file: source.file, reason });
        }
        let workbook = WORKBOOK.iter().any(|magic| head.starts_with(magic));
        if workbook {
            let named = excel::ENDINGS.iter().any(|ending| source.stem.ends_with(ending));
            return match excel::read(source, options) {
                Err(DataError::Workbook { file, .. }) if !named => {
                    Err(DataError::Foreign { file, kind: "an archive (as .npz files are)" })
                }
                read => read,
            };
        }
        if let Some(kind) = foreign(head) {
            return Err(DataError::Foreign { file: source.file, kind });
        }
        if crate::graph::is_dimacs(head) {
            return Err(DataError::Graph { file: source.file });
        }
        text::read(source, options, Place::Line)
    }

    /// The values of one row, counted from 0.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }
}

#[cfg(feature = "parquet")]
fn read_parquet(path: &Path, file: String, options: &ReadOptions) -> Result<Table, DataError> {
    parquet::read(path, &file, options)
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(_: &Path, file: String, _: &ReadOptions) -> Result<Table, DataError> {
    Err(DataError::NoParquet { file })
}

/// `x1`, `x2`, …
fn default_names(columns: usize) -> Vec<String> {
    (1..=columns).map(|column| format!("x{column}")).collect()
}
