//! A look at all cells of a text before it is read: which columns name the rows or hold dates, how numbers are written,
//! and what stands for a missing value. Nothing is decided by one cell.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::builder::MOST_LEVELS;
use super::error::{list, quote};
use super::number::{Decimal, Figure, figure};
use super::plan::Said;
use super::understood::{FileColumn, Role, Understood};
use super::value::{Cell, is_marker, parse, text};
use super::{identifier, when};
use crate::words;

/// What is known of a column so far.
#[derive(Debug, Default)]
pub(super) struct Column {
    name: String,
    identifier: bool,
    cells: u64,
    missing: u64,
    /// Cells that are not in UTF-8.
    recoded: u64,
    /// Plain numbers.
    numbers: u64,
    /// Those of them that are zero, as 0 % may be written.
    zeros: u64,
    /// Words that may stand for a missing value among numbers, and how often.
    markers: BTreeMap<String, u64>,
    /// Numbers written in an unusual way: with thousands set apart, with a sign, and all of them.
    grouped: u64,
    signs: BTreeMap<char, u64>,
    figures: u64,
    /// Cells that are numbers only if the point, or the comma, is the decimal mark.
    points: u64,
    commas: u64,
    /// Cells that are other numbers if the comma is the decimal mark: those with a comma, and those with a point.
    either: u64,
    dotted: u64,
    words: u64,
    dates: u64,
    /// Eight digits that are a day.
    compact: u64,
    /// Every cell is a whole number.
    whole: bool,
    /// Every cell is the number of its row, from 0 or 1 on.
    counting: bool,
    first: Option<u64>,
    /// The first cell that is there, and whether another says something else.
    value: Option<String>,
    varied: bool,
    /// Hashes of the cells, while it matters how many are different.
    seen: Option<HashSet<u64>>,
}

impl Column {
    pub fn new(name: &str) -> Column {
        let (name, identifier) = (name.to_owned(), identifier::is(name));
        Column {
            name,
            identifier,
            whole: true,
            counting: true,
            seen: Some(HashSet::new()),
            ..Column::default()
        }
    }

    /// Takes note of a cell of the header.
    pub fn see_header(&mut self, cell: &[u8]) {
        self.recoded += u64::from(matches!(text(cell), Cow::Owned(_)));
    }

    /// Takes note of a cell.
    pub fn see(&mut self, cell: &[u8]) {
        self.cells += 1;
        let text = text(cell);
        self.recoded += u64::from(matches!(text, Cow::Owned(_)));
        let text = &*text;
        match parse(cell) {
            Cell::Missing => {
                self.missing += 1;
                self.counting = false;
                return;
            }
            Cell::Number(number) => self.see_number(text, number),
            Cell::Infinite => (self.whole, self.counting) = (false, false),
            Cell::Word => self.see_word(text),
        }
        match &self.value {
            None => self.value = Some(text.to_owned()),
            Some(value) => self.varied |= value != text,
        }
        // Numbers name rows only where the column is called so.
        if self.words == 0 && !self.identifier && !(self.counting && self.first.is_some()) {
            self.seen = None;
        }
        if let Some(seen) = &mut self.seen {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            if !seen.insert(hasher.finish()) && !self.identifier {
                self.seen = None;
            }
        }
    }

    fn see_number(&mut self, text: &str, number: f64) {
        self.numbers += 1;
        self.zeros += u64::from(number == 0.0);
        self.whole &= number.fract() == 0.0;
        let first = *self.first.get_or_insert(number as u64);
        self.counting &= first <= 1 && number == (first + self.cells - 1) as f64;
        self.compact += u64::from(when::is_compact(text));
        if text.contains('.') {
            match figure(text, Decimal::Comma) {
                Some(_) => self.dotted += 1,
                None => self.points += 1,
            }
        }
    }

    fn see_word(&mut self, text: &str) {
        (self.whole, self.counting) = (false, false);
        if is_marker(text) {
            *self.markers.entry(text.to_owned()).or_default() += 1;
            return;
        }
        let (point, comma) = (figure(text, Decimal::Point), figure(text, Decimal::Comma));
        match (point, comma) {
            (None, None) => {
                self.words += 1;
                self.dates += u64::from(when::is_date(text));
            }
            (Some(figure), other) | (other, Some(figure)) => {
                self.figures += 1;
                match other {
                    Some(other) if other.value != figure.value && text.contains(',') => self.either += 1,
                    Some(other) if other.value != figure.value => self.dotted += 1,
                    _ => self.grouped += u64::from(figure.grouped),
                }
                if let Some(sign) = figure.sign {
                    *self.signs.entry(sign).or_default() += 1;
                }
                let marked = |figure: Option<Figure>| figure.is_some_and(|f| f.grouped || f.fraction);
                self.points += u64::from(comma.is_none() && marked(point));
                self.commas += u64::from(point.is_none() && marked(comma));
            }
        }
    }

    /// Whether it holds numbers, however they are written: words among them are then mistakes.
    fn is_numeric(&self) -> bool {
        let signed: u64 = self.signs.values().sum();
        let numbers = self.numbers + self.figures;
        let of_one_unit = match self.signs.keys().next() {
            // 12 % and 0.12 in one column: who knows.
            Some('%') => self.signs.len() == 1 && signed + self.zeros >= numbers,
            Some(_) => self.signs.len() == 1,
            None => true,
        };
        numbers > self.words && of_one_unit
    }

    fn is_date(&self) -> bool {
        let there = self.cells - self.missing;
        let named = self.name.to_lowercase().contains("date");
        there > 0 && (self.dates == there || (named && self.compact == there))
    }

    /// Whether no cell says anything, where so many are marked as missing by the file.
    fn is_empty(&self, marked: u64) -> bool {
        self.cells > 1 && self.missing + marked == self.cells
    }

    /// Whether all cells that are there say the same, so that it tells nothing.
    fn is_constant(&self) -> bool {
        self.cells - self.missing > 1 && !self.varied
    }

    /// Cells that are different from each other, where that is known.
    fn different(&self) -> u64 {
        self.seen.as_ref().map_or(0, |seen| seen.len() as u64)
    }

    /// Whether it holds identifiers that come more than once, as of people who were seen twice. Of few words it is a
    /// category, and a number can be called an index.
    fn is_identifiers(&self) -> bool {
        let (whole, different) = (self.whole && self.numbers > 0, self.different());
        let many = 2 * different > self.cells || different > MOST_LEVELS as u64;
        let numbered = whole && different > 2 && identifier::is_id(&self.name);
        self.identifier && (numbered || (many && (whole || self.words > self.numbers)))
    }

    /// Whether it may name the rows: no cell is missing, no two are the same, and they are words, or whole numbers in a
    /// column that is called so, or that numbers the rows under the name that R gives such a column.
    fn is_names(&self) -> bool {
        let unique = self.different() == self.cells && self.cells > 1;
        let words = 2 * self.words > self.cells && (self.cells > 2 || self.identifier);
        let whole = self.whole && self.numbers == self.cells;
        unique
            && (words
                || (whole && (self.identifier || (self.counting && identifier::is_stand_in(&self.name)))))
    }
}

/// What was found out about a text.
#[derive(Debug, Default)]
pub(super) struct Findings {
    decimal: Decimal,
    /// Words that stand for a missing value in this file.
    markers: Vec<String>,
    /// Columns of numbers.
    numeric: Vec<bool>,
    /// What was made of each column.
    pub understood: Understood,
}

impl Findings {
    /// Decides, from all cells; `said` is what is known of each column beforehand, `roles` whether others may be found out.
    pub fn new(columns: &[Column], said: &[Said], delimiter: u8, roles: bool) -> Findings {
        let is_numeric = |(column, said): (&Column, &Said)| *said == Said::Numbers || column.is_numeric();
        let numeric: Vec<bool> = columns.iter().zip(said).map(is_numeric).collect();
        let of_numbers =
            || columns.iter().zip(&numeric).filter(|(_, numeric)| **numeric).map(|(column, _)| column);
        let sum = |of: fn(&Column) -> u64| of_numbers().map(of).sum::<u64>();
        // Where nothing else tells, semicolons do: they leave the comma to decimals.
        let undecided = if delimiter == b';' { Decimal::Comma } else { Decimal::Point };
        let decimal = match (sum(|column| column.points), sum(|column| column.commas)) {
            (0, 0) if sum(|column| column.either) > 0 => undecided,
            (0, 1..) => Decimal::Comma,
            _ => Decimal::Point,
        };
        let mut markers: BTreeMap<String, u64> = BTreeMap::new();
        for (marker, number) in of_numbers().flat_map(|column| &column.markers) {
            *markers.entry(marker.clone()).or_default() += number;
        }
        // What is missing in one column is so in all.
        for (column, _) in columns.iter().zip(&numeric).filter(|(_, numeric)| !**numeric) {
            for (marker, number) in &column.markers {
                markers.entry(marker.clone()).and_modify(|all| *all += number);
            }
        }
        let mut findings = Findings {
            decimal,
            markers: markers.keys().cloned().collect(),
            numeric,
            understood: Understood { columns: Vec::new(), writing: Vec::new() },
        };
        findings.understood.columns = findings.columns(columns, said, roles);
        findings.understood.writing = findings.writing(columns, &markers);
        let recoded: u64 = columns.iter().map(|column| column.recoded).sum();
        if recoded > 0 {
            let cells = words::count(recoded, "cell");
            let sentence =
                format!("the text is not UTF-8; {cells} with other characters are read as Windows-1252");
            findings.understood.writing.push(sentence);
        }
        let index = said.iter().position(|said| *said == Said::Index);
        if index.is_some_and(|at| findings.understood.columns[at].role == Role::Names) {
            findings
                .understood
                .writing
                .insert(0, "row names taken from the first column, which has no name".into());
        }
        findings
    }

    /// What each column serves for.
    fn columns(&self, columns: &[Column], said: &[Said], roles: bool) -> Vec<FileColumn> {
        let mut found: Vec<FileColumn> = columns
            .iter()
            .zip(said)
            .map(|(column, said)| {
                let open = roles && *said == Said::Nothing;
                let role = match said {
                    Said::Role(role) => *role,
                    Said::Index => Role::Names,
                    _ if open && column.is_empty(self.marked(column)) => Role::Empty,
                    _ if open && column.is_date() => Role::Date,
                    _ if open && column.is_names() => Role::Names,
                    _ if open && column.is_identifiers() => Role::Identifiers,
                    _ if open && column.is_constant() => Role::Constant,
                    _ => Role::Data,
                };
                let missing = column.missing + self.marked(column);
                FileColumn {
                    name: column.name.clone(),
                    role,
                    missing: missing as usize,
                    found: open && role != Role::Data,
                }
            })
            .collect();
        let names: Vec<usize> = (0..found.len()).filter(|&at| found[at].role == Role::Names).collect();
        // What was said comes first; then the first column that does more than number the rows.
        let given = names.iter().find(|&&at| said[at] == Said::Role(Role::Names));
        let telling = names.iter().find(|&&at| !columns[at].counting);
        if let Some(&kept) = given.or(telling).or(names.first()) {
            for at in names.into_iter().filter(|&at| at != kept) {
                found[at].role = Role::Dropped;
            }
        }
        // Where hardly any column would be left, it is a mistake that is told.
        if found.iter().filter(|column| column.role == Role::Data).count() < 2 {
            for column in found.iter_mut().filter(|column| column.role == Role::Constant) {
                (column.role, column.found) = (Role::Data, false);
            }
        }
        // A table of nothing but names is better told as such.
        if found.iter().all(|column| column.role != Role::Data) {
            for column in found.iter_mut().filter(|column| column.found) {
                (column.role, column.found) = (Role::Data, false);
            }
        }
        found
    }

    /// Cells of a column that the file marks as missing.
    fn marked(&self, column: &Column) -> u64 {
        self.markers.iter().filter_map(|marker| column.markers.get(marker)).sum()
    }

    /// How numbers and missing values are written, where that is unusual.
    fn writing(&self, columns: &[Column], markers: &BTreeMap<String, u64>) -> Vec<String> {
        let data: Vec<&Column> = columns
            .iter()
            .zip(&self.numeric)
            .zip(&self.understood.columns)
            .filter(|((_, numeric), column)| **numeric && column.role == Role::Data)
            .map(|((column, _), _)| column)
            .collect();
        let told = |what: &str, of: &dyn Fn(&Column) -> u64| {
            let with: Vec<&&Column> = data.iter().filter(|column| of(column) > 0).collect();
            let cells: u64 = with.iter().map(|column| of(column)).sum();
            let names: Vec<String> = with.iter().map(|column| column.name.clone()).collect();
            (cells > 0).then(|| format!("{what} in {} ({})", words::count(cells, "cell"), list(&names)))
        };
        let comma = self.decimal == Decimal::Comma;
        let mut said: Vec<String> = Vec::new();
        let commas = |column: &Column| if comma { column.commas + column.either } else { 0 };
        said.extend(told("decimal commas", &commas));
        let other = |column: &Column| if comma { column.dotted } else { column.either };
        said.extend(told("thousands separators", &|column| column.grouped + other(column)));
        let signs: HashSet<char> = data.iter().flat_map(|column| column.signs.keys().copied()).collect();
        let mut signs: Vec<char> = signs.into_iter().collect();
        signs.sort_unstable();
        said.extend(signs.iter().filter_map(|sign| {
            told(&format!("{sign} signs"), &|column| column.signs.get(sign).copied().unwrap_or(0))
        }));
        let mut sentences = Vec::new();
        if !said.is_empty() {
            sentences.push(format!("numbers are read with {}", words::and(&said)));
        }
        if !markers.is_empty() {
            let list = markers
                .iter()
                .map(|(marker, cells)| format!("{} ({})", quote(marker), words::count(*cells, "cell")));
            let list: Vec<String> = list.collect();
            sentences.push(format!("read as missing values: {}", words::and(&list)));
        }
        sentences
    }

    /// Whether a column holds numbers, so that a word in it is a mistake.
    pub fn is_numeric(&self, column: usize) -> bool {
        self.numeric.get(column).copied().unwrap_or(false)
    }

    /// What a cell says in this file.
    pub fn cell(&self, column: usize, cell: &[u8]) -> Cell {
        let plain = parse(cell);
        let usual = match plain {
            Cell::Number(_) => self.decimal == Decimal::Point,
            Cell::Word => false,
            _ => true,
        };
        if usual {
            return plain;
        }
        let text = text(cell);
        if self.markers.iter().any(|marker| *marker == text) {
            return Cell::Missing;
        }
        match self.is_numeric(column).then(|| figure(&text, self.decimal)) {
            Some(Some(figure)) => Cell::Number(figure.value),
            _ => plain,
        }
    }
}
