//! A table while it is being read: values, row names and labels, closed by checks and a fingerprint.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::error::{DataError, Place};
use super::plan::Plan;
use super::{Labels, Missing, ReadOptions, Table};

/// The parts of a table so far.
pub(super) struct Builder {
    file: String,
    /// Roles of the columns.
    pub plan: Plan,
    /// Values so far, row-major.
    pub values: Vec<f64>,
    keep_missing: bool,
    least_rows: usize,
    ids: Vec<String>,
    labels: Labels,
    seen: HashMap<String, u32>,
}

impl Builder {
    /// An empty table with the columns of `plan`.
    pub fn new(file: &str, plan: Plan, options: &ReadOptions) -> Builder {
        Builder {
            file: file.to_owned(),
            plan,
            values: Vec::new(),
            keep_missing: options.missing == Missing::Keep,
            least_rows: if options.one_row { 1 } else { 2 },
            ids: Vec::new(),
            labels: Labels { names: Vec::new(), index: Vec::new() },
            seen: HashMap::new(),
        }
    }

    /// What a missing value becomes; `cell` is how it was written.
    pub fn missing(&self, place: Place, column: usize, cell: &str) -> Result<f64, DataError> {
        if self.keep_missing {
            return Ok(f64::NAN);
        }
        Err(DataError::MissingCell {
            file: self.file.clone(),
            place,
            column: self.plan.names[column].clone(),
            cell: cell.to_owned(),
        })
    }

    /// Passes a number of a binary format on if it can be data.
    pub fn checked(&self, number: f64, place: Place, column: usize) -> Result<f64, DataError> {
        if number.is_finite() {
            Ok(number)
        } else if number.is_nan() {
            self.missing(place, column, "NaN")
        } else {
            Err(self.infinite(place, column, &number.to_string()))
        }
    }

    /// The sentence for an infinite value.
    pub fn infinite(&self, place: Place, column: usize, cell: &str) -> DataError {
        DataError::Infinite {
            file: self.file.clone(),
            place,
            column: self.plan.names[column].clone(),
            cell: super::error::quote(cell),
        }
    }

    /// Refuses an empty name or label, unless missing cells are kept.
    fn filled(&self, place: Place, column: usize, text: &str) -> Result<(), DataError> {
        if self.keep_missing || !text.is_empty() {
            return Ok(());
        }
        let column = self.plan.names[column].clone();
        Err(DataError::MissingName { file: self.file.clone(), place, column })
    }

    /// Adds the name of a row.
    pub fn push_id(&mut self, place: Place, column: usize, id: &str) -> Result<(), DataError> {
        self.filled(place, column, id)?;
        self.ids.push(id.to_owned());
        Ok(())
    }

    /// Adds the known label of a row.
    pub fn push_label(&mut self, place: Place, column: usize, label: &str) -> Result<(), DataError> {
        self.filled(place, column, label)?;
        let index = match self.seen.get(label) {
            Some(&index) => index,
            None => {
                let index = self.labels.names.len() as u32;
                self.labels.names.push(label.to_owned());
                self.seen.insert(label.to_owned(), index);
                index
            }
        };
        self.labels.index.push(index);
        Ok(())
    }

    /// Closes the table.
    pub fn finish(mut self) -> Result<Table, DataError> {
        let columns = self.plan.data.len();
        let rows = self.values.len() / columns;
        if rows < self.least_rows {
            return Err(DataError::TooFewRows { file: self.file, rows });
        }
        self.values.shrink_to_fit();
        let mut table = Table {
            source: self.file,
            rows,
            columns,
            values: self.values,
            names: self.plan.data_names(),
            ids: self.plan.id.map(|_| self.ids),
            labels: self.plan.label.map(|_| self.labels),
            fingerprint: String::new(),
        };
        table.fingerprint = fingerprint(&table);
        Ok(table)
    }
}

/// Hashes shape, names, row names and the bits of every value.
fn fingerprint(table: &Table) -> String {
    let mut hash = Hash::new(b"partita table 1");
    hash.number(table.rows as u64);
    hash.number(table.columns as u64);
    hash.texts(&table.names);
    hash.number(u64::from(table.ids.is_some()));
    if let Some(ids) = &table.ids {
        hash.texts(ids);
    }
    let mut bytes = Vec::with_capacity(8 * 1024);
    for values in table.values.chunks(1024) {
        bytes.clear();
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        hash.bytes(&bytes);
    }
    hash.finish()
}

/// SHA-256 over parts that cannot run into one another, written as 32 hexadecimal digits.
pub(crate) struct Hash(Sha256);

impl Hash {
    /// Starts with the kind of what is hashed.
    pub fn new(kind: &[u8]) -> Hash {
        let mut hash = Hash(Sha256::new());
        hash.number(kind.len() as u64);
        hash.bytes(kind);
        hash
    }

    /// Adds a number.
    pub fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    /// Adds texts, each with its length.
    pub fn texts(&mut self, texts: &[String]) {
        self.number(texts.len() as u64);
        for text in texts {
            self.number(text.len() as u64);
            self.bytes(text.as_bytes());
        }
    }

    /// Adds bytes whose number is known from what came before.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The first half of the hash in hexadecimal digits.
    pub fn finish(self) -> String {
        self.0.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}
