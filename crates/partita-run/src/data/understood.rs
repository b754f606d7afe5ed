//! What was made of the columns of a file, beside the data: row names, dates, what was left out, how numbers are written.

use serde::{Deserialize, Serialize};

use super::error::{argument, quote};
use crate::words;

/// What a column of a file serves for.
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
    /// Identifiers that come more than once, which are left out.
    Identifiers,
    /// One value in every row, which tells nothing and is left out.
    Constant,
    /// Left out: somebody said so, or another column names the rows already.
    Dropped,
}

/// A column of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileColumn {
    /// Its name.
    pub name: String,
    /// What it serves for.
    pub role: Role,
    /// How many of its cells are missing; of data, see the table.
    pub missing: usize,
    /// Whether that was found out from its cells, and not said.
    pub found: bool,
}

/// What was made of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Understood {
    /// Every column, in the order of the file.
    pub columns: Vec<FileColumn>,
    /// How numbers and missing values are written, where that is unusual: a sentence each.
    pub writing: Vec<String>,
}

impl Understood {
    /// What was found out, in sentences: nothing where all is as usual.
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
            let (it, example) = (if left.len() == 1 { "it" } else { "one" }, argument(&first.name));
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
