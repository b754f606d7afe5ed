//! Guessing what a text file does not say: the character between cells, and whether it has a header.

use super::number::{Decimal, figure};
use super::records::Record;
use super::value::{Cell, parse};

/// Lines looked at to find the separator.
const LINES: usize = 50;

/// The separators tried, the most telling first: a semicolon leaves the comma to decimals.
const DELIMITERS: [u8; 5] = *b"\t;|, ";

/// The separator that splits the most lines of `head` into one same number of cells.
///
/// A space stands for any run of spaces and tabs. Without any separator there is one column, and
/// the comma is as good as another.
pub(super) fn delimiter(head: &[u8]) -> u8 {
    let mut lines: Vec<&[u8]> = head.split(|&byte| byte == b'\n' || byte == b'\r').collect();
    if lines.len() > 2 {
        lines.pop();
    }
    lines.retain(|line| !line.trim_ascii().is_empty());
    lines.truncate(LINES);
    let mut best = (0, b',');
    for delimiter in DELIMITERS {
        let mut counts: Vec<usize> = lines.iter().map(|line| separators(line, delimiter)).collect();
        counts.sort_unstable();
        let agreeing = counts.chunk_by(|a, b| a == b).filter(|chunk| chunk[0] > 0);
        let agreeing = agreeing.map(<[usize]>::len).max().unwrap_or(0);
        if agreeing > best.0 {
            best = (agreeing, delimiter);
        }
    }
    best.1
}

/// How often `delimiter` stands outside quotes in a line; runs of blanks count once.
fn separators(line: &[u8], delimiter: u8) -> usize {
    let blanks = delimiter == b' ';
    let (mut quoted, mut count, mut inside_run) = (false, 0, false);
    for &byte in line.trim_ascii() {
        quoted ^= byte == b'"';
        let separates = byte == delimiter || (blanks && byte == b'\t');
        count += usize::from(separates && !quoted && !(blanks && inside_run));
        inside_run = separates;
    }
    count
}

/// Whether the first row names the columns.
///
/// It does when a column that was asked for by name is there, when it holds words only (the first
/// cell may be empty, over row names), or when a
/// word stands over a number and words outnumber numbers, or when its numbers are years, one after the other. Any other
/// first row that is mostly numbers is data, so that one mistyped number is reported and never becomes the name of a
/// column.
pub(super) fn header<'a>(
    first: &Record,
    second: Option<&Record>,
    asked: impl IntoIterator<Item = &'a String>,
) -> bool {
    let is_number =
        |text: &str| [Decimal::Point, Decimal::Comma].iter().any(|mark| figure(text, *mark).is_some());
    let is_word = |cell: &[u8]| parse(cell) == Cell::Word && !std::str::from_utf8(cell).is_ok_and(is_number);
    let words = first.cells().filter(|cell| is_word(cell)).count();
    if words == 0 {
        return false;
    }
    let mut asked = asked.into_iter();
    if asked.any(|name| first.cells().any(|cell| is_word(cell) && cell == name.as_bytes())) {
        return true;
    }
    let unnamed = usize::from(first.get(0).is_empty());
    if words + unnamed == first.len() {
        return true;
    }
    let Some(second) = second else { return false };
    let shift = usize::from(second.len() == first.len() + 1);
    let over_number = (0..first.len().min(second.len() - shift))
        .any(|cell| is_word(first.get(cell)) && !is_word(second.get(cell + shift)));
    (over_number && 2 * words > first.len()) || (are_years(first) && !are_years(second))
}

/// Whether the numbers of a row are three years or more, one after the other.
fn are_years(row: &Record) -> bool {
    let numbers = row.cells().filter_map(|cell| match parse(cell) {
        Cell::Number(number) => Some(number),
        _ => None,
    });
    let numbers: Vec<f64> = numbers.collect();
    let whole = numbers.first().is_some_and(|year| year.fract() == 0.0 && (1000.0..3000.0).contains(year));
    numbers.len() > 2 && whole && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1.0)
}
