//! Workbooks, written here by hand: a zip archive without compression, with as little in it as the format allows.

use super::*;
use partita_run::data::{Guess, Role, Words};

/// A zip archive of these files.
fn zip(files: &[(&str, String)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut crc = flate2::Crc::new();
        crc.update(content.as_bytes());
        let (offset, size) = (archive.len() as u32, content.len() as u32);
        let mut header = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        header.extend(crc.sum().to_le_bytes());
        header.extend(size.to_le_bytes());
        header.extend(size.to_le_bytes());
        header.extend((name.len() as u16).to_le_bytes());
        header.extend([0, 0]);
        archive.extend(b"PK\x03\x04");
        archive.extend(&header);
        archive.extend(name.as_bytes());
        archive.extend(content.as_bytes());
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&header);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (offset, size) = (archive.len() as u32, directory.len() as u32);
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend((files.len() as u16).to_le_bytes());
    archive.extend((files.len() as u16).to_le_bytes());
    archive.extend(size.to_le_bytes());
    archive.extend(offset.to_le_bytes());
    archive.extend([0, 0]);
    archive
}

/// A workbook of sheets: each a name, the row of its first cells, and rows of cells. A cell is a number, a day in the
/// numbers of the program (`day:36922`), nothing, or a text.
fn workbook(sheets: &[(&str, usize, &[&[&str]])]) -> Vec<u8> {
    let each = |part: &dyn Fn(usize) -> String| (1..=sheets.len()).map(part).collect::<String>();
    let cell = |text: &str| match text.strip_prefix("day:") {
        Some(day) => format!("<c s=\"1\"><v>{day}</v></c>"),
        None if text.is_empty() => "<c/>".into(),
        None if text.parse::<f64>().is_ok() => format!("<c><v>{text}</v></c>"),
        None => format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>"),
    };
    let sheet = |(_, first, rows): &(&str, usize, &[&[&str]])| {
        let row = |(at, cells): (usize, &&[&str])| {
            let number = first + at;
            let cells = cells.iter().enumerate().map(|(column, text)| {
                let place = format!("<c r=\"{}{number}\"", (b'B' + column as u8) as char);
                cell(text).replacen("<c", &place, 1)
            });
            format!("<row r=\"{number}\">{}</row>", cells.collect::<String>())
        };
        let rows: String = rows.iter().enumerate().map(row).collect();
        format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>")
    };
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const RELATION: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
    let list = each(&|n| format!("<sheet name=\"{}\" sheetId=\"{n}\" r:id=\"r{n}\"/>", sheets[n - 1].0));
    let relations = each(&|n| {
        format!(
            "<Relationship Id=\"r{n}\" Type=\"{RELATION}/worksheet\" Target=\"worksheets/sheet{n}.xml\"/>"
        )
    });
    let styles = format!(
        "<styleSheet xmlns=\"{MAIN}\"><cellXfs count=\"2\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>"
    );
    let mut files = vec![
        ("[Content_Types].xml", format!("<Types xmlns=\"{PACKAGE}/content-types\"/>")),
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"a\" Type=\"{RELATION}/officeDocument\" \
                 Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!("<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATION}\"><sheets>{list}</sheets></workbook>"),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships xmlns=\"{PACKAGE}/relationships\">{relations}<Relationship Id=\"s\" Type=\"{RELATION}/styles\" \
                 Target=\"styles.xml\"/></Relationships>"
            ),
        ),
        ("xl/styles.xml", styles),
    ];
    let names: Vec<String> = (1..=sheets.len()).map(|n| format!("xl/worksheets/sheet{n}.xml")).collect();
    files.extend(names.iter().zip(sheets).map(|(name, content)| (name.as_str(), sheet(content))));
    zip(&files)
}

fn open() -> ReadOptions {
    ReadOptions { words: Words::Levels, missing: Missing::Keep, guess: Guess::All, ..ReadOptions::default() }
}

const BIRDS: &[&[&str]] = &[
    &["who", "born", "mass", "coat"],
    &["ann", "day:36922", "1.5", "red"],
    &["bob", "day:36923", "", "blue"],
    &["cy", "day:36924", "0.1", "red"],
    &["dee", "day:36925", "4", "blue"],
];

#[test]
fn a_sheet_is_a_table() {
    let table = Fixture::new("birds.xlsx", workbook(&[("Birds", 1, BIRDS)])).read(&open()).unwrap();
    assert_eq!(table.names, ["mass", "coat"]);
    assert_eq!(table.ids.as_deref(), Some(&strings(&["ann", "bob", "cy", "dee"])[..]));
    assert_eq!(table.row(2), [0.1, 0.0]);
    assert!(table.row(1)[0].is_nan());
    assert_eq!(table.understood.columns[1].role, Role::Date);
    // The same as the text.
    let text = "who,born,mass,coat\nann,2001-01-31,1.5,red\nbob,2001-02-01,,blue\ncy,2001-02-02,0.1,red\ndee,2001-02-03,4,blue\n";
    assert_eq!(table.fingerprint, read_with(text, &open()).fingerprint);
}

#[test]
fn sheets_are_chosen_by_name_or_number() {
    let other: &[&[&str]] = &[&["a", "b"], &["1", "2"], &["3", "4.5"]];
    let fixture =
        Fixture::new("book.xlsx", workbook(&[("Birds", 1, BIRDS), ("Other", 1, other), ("Empty", 1, &[])]));
    let with = |sheet: &str| fixture.read(&ReadOptions { sheet: Some(sheet.into()), ..open() });
    assert_eq!(with("Other").unwrap().values, [1.0, 2.0, 3.0, 4.5]);
    assert_eq!(with("2").unwrap().values, [1.0, 2.0, 3.0, 4.5]);
    let first = fixture.read(&open()).unwrap().understood.sentences();
    assert!(
        first
            .contains(&"read from sheet \"Birds\"; other sheets (`sheet`): \"Other\", \"Empty\"".to_string()),
        "{first:?}"
    );
    let file = fixture.0.display().to_string();
    let sentence = |sheet: &str| with(sheet).unwrap_err().to_string().replace(&file, "book.xlsx");
    assert_eq!(
        sentence("4"),
        "book.xlsx has no sheet \"4\"; its sheets, numbered from 1, are \"Birds\", \"Other\", \"Empty\""
    );
    assert_eq!(
        sentence("Empty"),
        "book.xlsx: sheet \"Empty\" is empty; choose another with `sheet`: \"Birds\", \"Other\""
    );
}

/// Rows have the numbers that the program shows, wherever the table stands on its sheet.
#[test]
fn mistakes_are_told_by_row() {
    let rows: &[&[&str]] = &[&["a", "b"], &["1", "2"], &["3", "oops"]];
    let error = Fixture::new("book.xlsx", workbook(&[("S", 5, rows)])).read(&open()).unwrap_err().to_string();
    assert!(error.contains("book.xlsx, row 7, column \"b\": \"oops\" is not a number"), "{error}");
    let broken = Fixture::new("book.xlsx", b"PK\x03\x04rest").read(&open()).unwrap_err().to_string();
    assert!(broken.contains("is not a readable workbook"), "{broken}");
}
