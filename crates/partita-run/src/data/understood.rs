//! How the columns of a file were understood, besides the data: row names, dates, what was left out, how numbers are
//! written.

use serde::{Deserialize, Serialize};

use super::error::{argument, list as list_of, quote};
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
    /// A column without any value, which is left out.
    Empty,
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
        let reasons = [
            (Role::Date, "dates or times"),
            (Role::Identifiers, "identifiers, some repeated"),
            (Role::Constant, "constant"),
            (Role::Dropped, "also row names"),
            (Role::Empty, "no values"),
        ];
        let names = |role| found(role).map(|column| column.name.clone()).collect::<Vec<_>>();
        let groups = reasons.map(|(role, why)| (names(role), why));
        let left: Vec<&String> = groups.iter().flat_map(|(names, _)| names).collect();
        if let Some(first) = left.first() {
            let all = |names: &[String]| match names.len() {
                0..=3 => words::and(&names.iter().map(|name| quote(name)).collect::<Vec<_>>()),
                _ => list_of(names),
            };
            let list = groups.iter().filter(|(names, _)| !names.is_empty());
            let list: Vec<String> = list.map(|(names, why)| format!("{} ({why})", all(names))).collect();
            // There is nothing to use in a column without values.
            let anyway = match (left.len(), found(Role::Empty).count()) {
                (all, empty) if all == empty => String::new(),
                (all, _) => format!(
                    "; `column_type = {}=category` would use {} anyway",
                    argument(first),
                    if all == 1 { "it" } else { "that one" }
                ),
            };
            said.push(format!("left out: {}{anyway}", list.join(", ")));
        }
        said.extend(self.writing.iter().cloned());
        // The names of the rows come first, whether their column has a name or not.
        said.sort_by_key(|sentence| !sentence.starts_with("row names"));
        said
    }
}
