//! Reading workbooks (Excel, OpenDocument): one sheet, as if it were a text whose lines are its rows.

use std::io::{Cursor, Read};

use calamine::{CellErrorType, Data, Reader, open_workbook_auto_from_rs};

use super::error::{DataError, Place, list, quote};
use super::open::Source;
use super::{ReadOptions, Table, text};

/// How names of workbooks end.
pub(crate) const ENDINGS: [&str; 5] = [".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"];

/// A character that no cell holds sets the cells apart.
const SEPARATOR: u8 = 0x1f;

/// Reads a table from a sheet of a workbook.
pub(super) fn read(mut source: Source, options: &ReadOptions) -> Result<Table, DataError> {
    let file = source.file.clone();
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(|error| source.failed(&error))?;
    let broken = |reason: String| DataError::Workbook { file: file.clone(), reason };
    let mut workbook =
        open_workbook_auto_from_rs(Cursor::new(&bytes[..])).map_err(|error| broken(error.to_string()))?;
    let sheets = workbook.sheet_names();
    let sheet = chosen(&file, &sheets, options.sheet.as_deref())?;
    let range = workbook.worksheet_range(sheet).map_err(|error| broken(error.to_string()))?;
    let Some((above, _)) = range.start() else {
        return Err(DataError::NoCells { file, sheet: sheet.to_owned(), others: others(&sheets, sheet) });
    };
    // Rows above the first that is used, so that rows have the numbers that the program shows.
    let mut content = vec![b'\n'; above as usize];
    for row in range.rows() {
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                content.push(SEPARATOR);
            }
            write(&mut content, &words(cell));
        }
        content.push(b'\n');
    }
    let options = ReadOptions { delimiter: Some(SEPARATOR), ..options.clone() };
    let mut table = text::read(Source::held(&file, "", content)?, &options, Place::Row)?;
    if options.sheet.is_none() && sheets.len() > 1 {
        let sentence =
            format!("read from sheet {}; other sheets (`sheet`): {}", quote(sheet), others(&sheets, sheet));
        table.understood.writing.insert(0, sentence);
    }
    Ok(table)
}

/// The sheet that was asked for, by name or else by number from 1; the first where none was.
fn chosen<'a>(file: &str, sheets: &'a [String], asked: Option<&str>) -> Result<&'a str, DataError> {
    let found = match asked {
        None => sheets.first(),
        Some(asked) => sheets.iter().find(|name| *name == asked).or_else(|| {
            let number: usize = asked.parse().ok()?;
            sheets.get(number.checked_sub(1)?)
        }),
    };
    found.map(String::as_str).ok_or_else(|| DataError::UnknownSheet {
        file: file.to_owned(),
        asked: asked.unwrap_or("1").to_owned(),
        sheets: list(sheets),
    })
}

/// The other sheets in words.
fn others(sheets: &[String], sheet: &str) -> String {
    let others: Vec<String> = sheets.iter().filter(|name| *name != sheet).cloned().collect();
    if others.is_empty() { "no other".into() } else { list(&others) }
}

/// A cell as it would stand in a text.
fn words(cell: &Data) -> String {
    match cell {
        Data::Int(number) => number.to_string(),
        Data::Float(number) => number.to_string(),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
        Data::Bool(yes) => yes.to_string(),
        Data::DateTime(when) => {
            let (year, month, day, hour, minute, second, _) = when.to_ymd_hms_milli();
            let time = format!("{hour:02}:{minute:02}:{second:02}");
            match when.as_f64() {
                days if days < 1.0 || when.is_duration() => time,
                _ => format!("{year:04}-{month:02}-{day:02} {time}"),
            }
        }
        // What could not be computed is not there.
        Data::Error(CellErrorType::NA) | Data::Empty => String::new(),
        Data::Error(error) => error.to_string(),
    }
}

/// Adds a cell to a text: on one line, in quotes where it must be.
fn write(content: &mut Vec<u8>, cell: &str) {
    let cell = cell.trim();
    if !cell.contains(['"', '\n', '\r', SEPARATOR as char]) {
        content.extend(cell.as_bytes());
        return;
    }
    content.push(b'"');
    for c in cell.chars() {
        match c {
            '"' => content.extend(b"\"\""),
            '\n' | '\r' => content.push(b' '),
            c => content.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    content.push(b'"');
}
