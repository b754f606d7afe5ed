//! A table while it is being read: values, row names and labels, closed by checks and a fingerprint.

use std::collections::HashMap;

use partita::likelihood::LARGEST_COUNT;
use sha2::{Digest, Sha256};

use super::error::{DataError, Place};
use super::plan::Plan;
use super::value::is_missing;
use super::{Kind, Labels, Missing, ReadOptions, Table, Understood, Words};

/// The parts of a table so far.
pub(super) struct Builder {
    file: String,
    /// Roles of the columns.
    pub plan: Plan,
    /// Values so far, row-major.
    pub values: Vec<f64>,
    keep_missing: bool,
    least_rows: usize,
    words: Words,
    kinds: Vec<Option<Kind>>,
    levels: Vec<Levels>,
    /// Whether a column has all its levels from the beginning.
    closed: Vec<bool>,
    gap: Option<DataError>,
    ids: Vec<String>,
    labels: Levels,
    index: Vec<Option<u32>>,
}

/// Texts numbered in order of first appearance.
#[derive(Debug, Clone, Default)]
struct Levels {
    names: Vec<String>,
    seen: HashMap<String, u32>,
}

impl Levels {
    fn new(names: &[String]) -> Levels {
        let mut levels = Levels::default();
        for name in names {
            levels.number(name);
        }
        levels
    }

    /// The number of a level that is there, however its number is written.
    fn find(&self, text: &str) -> Option<u32> {
        // From 2^53 on different numbers read as the same one.
        let number =
            |text: &str| text.parse::<f64>().ok().filter(|number| number.abs() <= LARGEST_COUNT as f64);
        let asked = number(text);
        let same = |name: &String| asked.is_some() && number(name) == asked;
        self.seen.get(text).copied().or_else(|| self.names.iter().position(same).map(|at| at as u32))
    }

    fn number(&mut self, text: &str) -> u32 {
        match self.seen.get(text) {
            Some(&number) => number,
            None => {
                let number = self.names.len() as u32;
                self.names.push(text.to_owned());
                self.seen.insert(text.to_owned(), number);
                number
            }
        }
    }
}

/// A way out for rows to predict.
const OR_EMPTY: &str = "leave it empty, as a missing value";

/// A category may have so many levels.
pub(super) const MOST_LEVELS: usize = 1000;

impl Builder {
    /// An empty table with the columns of `plan`.
    pub fn new(file: &str, plan: Plan, options: &ReadOptions) -> Builder {
        Builder {
            file: file.to_owned(),
            values: Vec::new(),
            keep_missing: options.missing == Missing::Keep,
            least_rows: if options.one_row { 1 } else { 2 },
            words: options.words,
            kinds: plan.kinds.clone(),
            levels: plan.levels.iter().map(|known| Levels::new(known.as_deref().unwrap_or(&[]))).collect(),
            closed: plan.levels.iter().map(Option::is_some).collect(),
            gap: None,
            ids: Vec::new(),
            labels: Levels::default(),
            index: Vec::new(),
            plan,
        }
    }

    /// What a missing value becomes; `cell` is how it was written.
    pub fn missing(&mut self, place: Place, column: usize, cell: &str) -> Result<f64, DataError> {
        if self.keep_missing && self.gap.is_some() {
            return Ok(f64::NAN);
        }
        let sentence = DataError::MissingCell {
            file: self.file.clone(),
            place,
            column: self.plan.names[column].clone(),
            cell: cell.to_owned(),
        };
        if !self.keep_missing {
            return Err(sentence);
        }
        self.gap = Some(sentence);
        Ok(f64::NAN)
    }

    /// Passes a number of a binary format on if it can be data; `at` is its column in the table.
    pub fn checked(&mut self, number: f64, place: Place, at: usize) -> Result<f64, DataError> {
        if number.is_finite() {
            if self.is_plain(at) { Ok(number) } else { self.special(place, at, number, &number.to_string()) }
        } else if number.is_nan() {
            self.missing(place, self.plan.data[at], "NaN")
        } else {
            Err(self.infinite(place, self.plan.data[at], &number.to_string()))
        }
    }

    /// Whether any finite number will do in a column.
    pub fn is_plain(&self, at: usize) -> bool {
        !matches!(self.kinds[at], Some(Kind::Count | Kind::Category))
    }

    /// What a number becomes in a column of counts or categories; `cell` is how it was written.
    pub fn special(&mut self, place: Place, at: usize, number: f64, cell: &str) -> Result<f64, DataError> {
        match self.kinds[at] {
            Some(Kind::Category) => self.level(place, at, cell),
            Some(Kind::Count) if number < 0.0 || number.fract() != 0.0 || number > LARGEST_COUNT as f64 => {
                let cell = super::error::quote(cell);
                let problem = match number > LARGEST_COUNT as f64 {
                    true => format!(
                        "is above {LARGEST_COUNT}, the largest count that double precision holds exactly"
                    ),
                    false => "is not a count (a non-negative whole number)".into(),
                };
                // Of rows to predict it is settled what they hold.
                let settled = self.least_rows == 1;
                Err(self.unfit(Some(place), at, |name| {
                    let otherwise = match settled {
                        true => OR_EMPTY.into(),
                        false => format!("use `column_type = {name}=normal`"),
                    };
                    format!("{cell} {problem}; correct the cell, or {otherwise}")
                }))
            }
            _ => Ok(number),
        }
    }

    /// The number of a word's level, if the column holds categories, or has held nothing yet and may.
    pub fn word(&mut self, place: Place, at: usize, text: &str) -> Option<Result<f64, DataError>> {
        if self.kinds[at].is_none() && self.words == Words::Levels {
            let nothing_yet = self.values.iter().skip(at).step_by(self.plan.data.len()).all(|v| v.is_nan());
            self.kinds[at] = nothing_yet.then_some(Kind::Category);
        }
        (self.kinds[at] == Some(Kind::Category)).then(|| self.level(place, at, text))
    }

    fn level(&mut self, place: Place, at: usize, text: &str) -> Result<f64, DataError> {
        if self.closed[at] {
            return self.levels[at].find(text).map(f64::from).ok_or_else(|| {
                let (cell, levels) = (super::error::quote(text), super::error::list(&self.levels[at].names));
                self.unfit(Some(place), at, |_| {
                    format!(
                        "{cell} is not one of the known levels, {levels}; correct the cell, or {OR_EMPTY}"
                    )
                })
            });
        }
        let number = self.levels[at].number(text);
        if number as usize >= MOST_LEVELS {
            return Err(self.unfit(Some(place), at, |name| {
                format!(
                    "this is level number {} of the category, so the column more likely holds names; take row names from \
                     it with `id_column = {name}`, or leave it out with `drop = {name}`",
                    MOST_LEVELS + 1
                )
            }));
        }
        Ok(f64::from(number))
    }

    /// The sentence for a column that cannot be what it is taken for; `problem` is told its name.
    fn unfit(&self, place: Option<Place>, at: usize, problem: impl Fn(&str) -> String) -> DataError {
        let column = self.name(at);
        let problem = problem(&super::error::argument(&column));
        DataError::Unfit { file: self.file.clone(), place, column, problem }
    }

    /// Refuses texts that are hardly ever the same: those are names, unless somebody said otherwise.
    fn check_levels(&self) -> Result<(), DataError> {
        let like_names: Vec<(usize, usize, usize)> = (0..self.plan.data.len())
            .filter(|&at| self.plan.kinds[at].is_none())
            .map(|at| {
                let cells = self.values.iter().skip(at).step_by(self.plan.data.len());
                (at, self.levels[at].names.len(), cells.filter(|value| !value.is_nan()).count())
            })
            .filter(|(_, levels, cells)| *levels > 2 && 2 * levels > *cells)
            .collect();
        let Some(&(at, levels, cells)) = like_names.first() else { return Ok(()) };
        let others: Vec<String> = like_names[1..].iter().map(|other| self.name(other.0)).collect();
        if self.levels[at].names.iter().all(|level| level.parse::<f64>().is_ok()) {
            return Err(self.unfit(None, at, |name| {
                format!(
                    "its cells are numbers written as texts; make numbers of them, read them as such with \
                     `column_type = {name}=normal`, or leave the column out with `drop = {name}`"
                )
            }));
        }
        Err(self.unfit(None, at, |name| {
            let what = format!("{levels} different words in {cells} rows are more likely names than categories");
            if others.is_empty() {
                return format!(
                    "{what}; take row names from the column with `id_column = {name}`, leave it out with `drop = {name}`, \
                     or treat it as a category with `column_type = {name}=category`"
                );
            }
            let all: Vec<String> = others.iter().map(|other| super::error::argument(other)).collect();
            format!(
                "{what}, and so are those of {}; leave them out with `drop = {name},{}`, or give their types, as in \
                 `column_type = {name}=category`",
                super::error::list(&others),
                all.join(",")
            )
        }))
    }

    /// The name of a column of data.
    fn name(&self, at: usize) -> String {
        self.plan.names[self.plan.data[at]].clone()
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

    /// Adds the name of a row; an empty one is refused, unless missing cells are kept.
    pub fn push_id(&mut self, place: Place, column: usize, id: &str) -> Result<(), DataError> {
        if id.is_empty() && !self.keep_missing {
            let column = self.plan.names[column].clone();
            return Err(DataError::MissingName { file: self.file.clone(), place, column });
        }
        self.ids.push(id.to_owned());
        Ok(())
    }

    /// Adds the known label of a row, or that it is missing.
    pub fn push_label(&mut self, label: &str) {
        let known = !is_missing(label.as_bytes());
        self.index.push(known.then(|| self.labels.number(label)));
    }

    /// Refuses labels of which too few are there for a comparison.
    fn check_labels(&self) -> Result<(), DataError> {
        let Some(column) = self.plan.label else { return Ok(()) };
        match self.index.iter().flatten().count() {
            labels @ 0..2 => {
                let column = self.plan.names[column].clone();
                Err(DataError::NoLabels { file: self.file.clone(), column, labels })
            }
            _ => Ok(()),
        }
    }

    /// Closes the table.
    pub fn finish(mut self) -> Result<Table, DataError> {
        let columns = self.plan.data.len();
        let rows = self.values.len() / columns;
        if rows < self.least_rows {
            return Err(DataError::TooFewRows { file: self.file, rows });
        }
        self.check_levels()?;
        self.check_labels()?;
        self.values.shrink_to_fit();
        let mut table = Table {
            source: self.file,
            rows,
            columns,
            values: self.values,
            names: self.plan.data_names(),
            kinds: self.kinds,
            levels: self.levels.into_iter().map(|levels| levels.names).collect(),
            gap: self.gap,
            ids: self.plan.id.map(|_| self.ids),
            labels: self.plan.label.map(|_| Labels { names: self.labels.names, index: self.index }),
            understood: Understood { columns: self.plan.columns(), writing: Vec::new() },
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
    if table.levels.iter().any(|levels| !levels.is_empty()) {
        table.levels.iter().for_each(|levels| hash.texts(levels));
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
