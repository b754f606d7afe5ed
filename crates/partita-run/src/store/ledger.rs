//! A file of rows that only grows: what is finished is kept, whatever happens.

use super::{broken, rows, write_whole};
use crate::Failure;
use crate::engine::Row;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Rows in a CSV file with the columns of `replicates.csv`.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    names: Vec<String>,
    file: File,
}

impl Ledger {
    /// Opens the file, or creates it; returns the rows in it, sorted.
    pub fn open(path: &Path, names: &[String]) -> Result<(Self, Vec<Row>), Failure> {
        if !path.exists() {
            write_whole(path, rows::header(names).as_bytes())?;
        }
        let there = rows::read_rows(path, names)?;
        let mut ledger = Self::at(path, names)?;
        // A half-written last line goes, so that the next row begins a line.
        ledger.rewrite(&there)?;
        Ok((ledger, there))
    }

    fn at(path: &Path, names: &[String]) -> Result<Self, Failure> {
        let file = OpenOptions::new().append(true).open(path).map_err(|e| broken("be opened", path, &e))?;
        Ok(Ledger { path: path.to_path_buf(), names: names.to_vec(), file })
    }

    /// Appends one row.
    pub fn append(&mut self, row: &Row) -> Result<(), Failure> {
        let line = rows::format_row(row);
        self.file.write_all(line.as_bytes()).map_err(|e| broken("be written", &self.path, &e))
    }

    /// Rewrites the whole file.
    pub fn rewrite(&mut self, all: &[Row]) -> Result<(), Failure> {
        let mut text = rows::header(&self.names);
        all.iter().for_each(|row| text.push_str(&rows::format_row(row)));
        write_whole(&self.path, text.as_bytes())?;
        *self = Self::at(&self.path, &self.names)?;
        Ok(())
    }
}
