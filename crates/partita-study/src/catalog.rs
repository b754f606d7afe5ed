//! The data sets of the paper: where each comes from, whether it is present, and how to get it.
//!
//! The files are not part of partita. They are kept in a data directory, by default the user's cache,
//! and are used only after their numbers have passed a [checksum](DataSet::checksum).

mod checksum;
mod download;
mod error;
mod fetch;
mod place;
mod prepare;
mod sets;
mod unzip;

pub use error::CatalogError;
use partita_run::data::{ReadOptions, Table};
use partita_run::words;
use serde::Serialize;
pub use sets::{DataSet, SETS};
use std::path::{Path, PathBuf};

/// A data directory and the data sets it may contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    directory: PathBuf,
    /// Whether the user named the directory: then the way out of an error names it as well.
    named: bool,
}

/// A data set and the state of its file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// What is known about the data set, wherever its file is.
    #[serde(flatten)]
    pub set: &'static DataSet,
    /// Where its file is, or would be.
    pub path: PathBuf,
    /// Whether the file is present and its numbers are correct.
    pub present: bool,
    /// What is wrong with a file that is present, in a sentence.
    pub problem: Option<String>,
}

impl Catalog {
    /// The given data directory, or else that of the environment variable `PARTITA_DATA`, or else
    /// the user's cache (`~/.cache/partita` on Linux). It need not exist.
    pub fn at(directory: Option<PathBuf>) -> Catalog {
        match directory {
            Some(directory) => Catalog { directory, named: true },
            None => Catalog { directory: place::usual(), named: false },
        }
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The path of a data set, after its numbers have passed the checksum.
    ///
    /// # Errors
    ///
    /// One sentence: what is missing or wrong, where it was looked for, and what to do.
    ///
    /// ```
    /// use partita_study::catalog::Catalog;
    ///
    /// let error = Catalog::at(Some("nowhere".into())).find("gene").unwrap_err();
    /// assert!(error.to_string().starts_with("the data set gene is missing: "), "{error}");
    /// ```
    pub fn find(&self, name: &str) -> Result<PathBuf, CatalogError> {
        self.look(named(name)?)
    }

    fn look(&self, set: &'static DataSet) -> Result<PathBuf, CatalogError> {
        let path = self.path(set);
        if !path.exists() {
            return Err(CatalogError::Missing { name: set.name, path, call: self.call(set) });
        }
        match check(set, &path) {
            Ok(()) => Ok(path),
            Err(reason) => Err(CatalogError::Wrong { name: set.name, path, reason, call: self.call(set) }),
        }
    }

    /// Every data set, in the order of the paper.
    pub fn entries(&self) -> Vec<Entry> {
        SETS.iter().map(|set| self.entry(set.name).expect("its own name is known")).collect()
    }

    /// One data set.
    ///
    /// # Errors
    ///
    /// There is no data set with that name. A missing or wrong file is not an error here.
    pub fn entry(&self, name: &str) -> Result<Entry, CatalogError> {
        let set = named(name)?;
        let found = self.find(name);
        let problem = match &found {
            Err(error @ CatalogError::Wrong { .. }) => Some(error.to_string()),
            _ => None,
        };
        Ok(Entry { set, path: self.path(set), present: found.is_ok(), problem })
    }

    fn path(&self, set: &DataSet) -> PathBuf {
        self.directory.join(set.file())
    }

    /// The arguments of `data` that bring a data set here.
    fn call(&self, set: &DataSet) -> String {
        let directory =
            if self.named { format!(", data_dir = {}", self.directory.display()) } else { String::new() };
        format!("download = {}{directory}", set.name)
    }
}

/// The data set of a name.
fn named(name: &str) -> Result<&'static DataSet, CatalogError> {
    SETS.iter().find(|set| set.name == name).ok_or_else(|| CatalogError::Unknown {
        name: name.to_string(),
        closest: words::closest(name, SETS.iter().map(|set| set.name)),
    })
}

/// Whether a file holds the numbers of a data set; if not, why, in words for a bracket.
fn check(set: &DataSet, path: &Path) -> Result<(), String> {
    let table = Table::read(path, &ReadOptions::default()).map_err(|error| {
        let sentence = error.to_string();
        let file = path.display().to_string();
        // The sentence around this one names the file, and has its own way out.
        let rest = sentence.strip_prefix(&file).unwrap_or(&sentence).trim_start_matches([',', ':', ' ']);
        rest.split(';').next().unwrap_or(rest).to_string()
    })?;
    let (rows, columns) = (table.rows, table.columns);
    if (rows, columns) != (set.items, set.columns) {
        return Err(format!("{rows} x {columns} numbers where {} x {} belong", set.items, set.columns));
    }
    let found = checksum::of(&table);
    if found != set.checksum {
        return Err(format!("checksum {} where {} belongs", short(&found), short(set.checksum)));
    }
    Ok(())
}

/// The beginning of a checksum, enough to tell two apart.
fn short(checksum: &str) -> &str {
    checksum.get(..12).unwrap_or(checksum)
}

#[cfg(test)]
mod tests;
