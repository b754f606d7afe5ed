//! How the columns of a file were understood, besides the data: row names, dates, what was left out, how numbers are
//! written.

use serde::{Deserialize, Serialize};

use super::error::{argument, quote};
use crate::words;

/// The role of a column of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Data.
    Data,
    /// Names of the rows.
    Names,
    /// The known clustering.
    Labels,
    /// Dates or times, which are left out.
    Date,
    /// Identifiers, some of them repeated, which are left out.
    Identifiers,
    /// A constant column, which carries no information and is left out.
    Constant,
    /// Left out on request, or because another column already names the rows.
    Dropped,
}

/// A column of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileColumn {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// How many of its cells are missing; for data columns, see the table.
    pub missing: usize,
    /// Whether the role was inferred from its cells, not specified.
    pub found: bool,
}

/// How a file was understood.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Understood {
    /// Every column, in the order of the file.
    pub columns: Vec<FileColumn>,
    /// How numbers and missing values are written, if this is unusual: one sentence each.
    pub writing: Vec<String>,
}

impl Understood {
    /// What was inferred, in sentences; empty if there is nothing unusual.
    ///
    /// ```
    /// use partita_run::data::{FileColumn, Role, Understood};
    /// let column = |name: &str, role| FileColumn { name: name.into(), role, missing: 0, found: true };
    /// let columns = vec![column("name", Role::Names), column("born", Role::Date), column("mass", Role::Data)];
    /// let understood = Understood { columns, writing: Vec::new() };
    /// assert_eq!(
    ///     understood.sentences(),
    ///     [
    ///         "row names taken from column \"name\"",
    ///         "left out: \"born\" (dates or times); `column_type = born=category` would use it anyway",
    ///     ]
    /// );
    /// ```
    pub fn sentences(&self) -> Vec<String> {
        let found =
            |role: Role| self.columns.iter().filter(move |column| column.found && column.role == role);
        let mut said: Vec<String> = found(Role::Names)
            .map(|column| format!("row names taken from column {}", quote(&column.name)))
            .collect();
        let left: Vec<(&FileColumn, &str)> = found(Role::Date)
            .map(|column| (column, "dates or times"))
            .chain(found(Role::Identifiers).map(|column| (column, "identifiers, some repeated")))
            .chain(found(Role::Constant).map(|column| (column, "constant")))
            .chain(found(Role::Dropped).map(|column| (column, "also row names")))
            .collect();
        if let Some((first, _)) = left.first() {
            let (it, example) = (if left.len() == 1 { "it" } else { "that one" }, argument(&first.name));
            let list = left.iter().map(|(column, why)| format!("{} ({why})", quote(&column.name)));
            let list: Vec<String> = list.collect();
            said.push(format!(
                "left out: {}; `column_type = {example}=category` would use {it} anyway",
                words::and(&list)
            ));
        }
        said.extend(self.writing.iter().cloned());
        said
    }
}
