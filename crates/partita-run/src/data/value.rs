//! What one cell of text says: a number, nothing, or a word.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

/// A cell once read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell {
    /// A finite number.
    Number(f64),
    /// A number out of the range of double precision, or the word for infinity.
    Infinite,
    /// An empty cell or one of the words for a missing value.
    Missing,
    /// Anything else.
    Word,
}

/// Words for a missing value, in any case.
const MISSING: [&[u8]; 6] = [b"NA", b"N/A", b"null", b"None", b"?", b"."];

/// Words that stand for a missing value among numbers, in any case; elsewhere they may mean something.
const MARKERS: [&str; 24] = [
    "*",
    "**",
    "-",
    "--",
    "---",
    "–",
    "—",
    "..",
    "...",
    "…",
    "unknown",
    "unk",
    "missing",
    "n.a.",
    "n.a",
    "n.d.",
    "#N/A",
    "#NA",
    "<NA>",
    "#VALUE!",
    "#DIV/0!",
    "not available",
    "no data",
    "NaT",
];

/// Whether a cell among numbers can stand for a missing value.
pub(super) fn is_marker(cell: &str) -> bool {
    MARKERS.iter().any(|marker| marker.eq_ignore_ascii_case(cell))
}

/// A cell as text: in UTF-8, or else in Windows-1252, in which spreadsheets save CSV files.
pub(super) fn text(cell: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(cell) {
        Ok(text) => text.into(),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(cell).0,
    }
}

/// Whether a cell that has no blanks around it says nothing.
pub(super) fn is_missing(cell: &[u8]) -> bool {
    parse(cell) == Cell::Missing
}

/// Reads a cell that has no blanks around it.
pub(super) fn parse(cell: &[u8]) -> Cell {
    match std::str::from_utf8(cell).ok().and_then(|text| text.parse::<f64>().ok()) {
        Some(number) if number.is_finite() => Cell::Number(number),
        Some(number) if number.is_nan() => Cell::Missing,
        Some(_) => Cell::Infinite,
        None if cell.is_empty() => Cell::Missing,
        None if MISSING.iter().any(|word| cell.eq_ignore_ascii_case(word)) => Cell::Missing,
        None => Cell::Word,
    }
}

/// Whether a cell is a number but for a comma in the place of its point.
pub(super) fn decimal_comma(cell: &str) -> bool {
    cell.matches(',').count() == 1 && cell.replace(',', ".").parse::<f64>().is_ok()
}
