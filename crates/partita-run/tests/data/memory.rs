//! Tables from columns in memory are those of a file with the same cells, errors included.

use partita_run::data::{Cells, Kind, Words};

use super::*;

fn lenient() -> ReadOptions {
    ReadOptions { missing: Missing::Keep, words: Words::Levels, ..ReadOptions::default() }
}

fn some(texts: &[&str]) -> Cells {
    Cells::Texts(texts.iter().map(|text| (!text.is_empty()).then(|| text.to_string())).collect())
}

fn columns() -> Vec<(String, Cells)> {
    [
        ("who", some(&["ann", "bob", "cy", "dee", "eve", "flo"])),
        ("mass", Cells::Numbers(vec![1.5, f64::NAN, 3.25, -4.0, 0.1, 2.0])),
        ("eggs", Cells::Counts(vec![Some(2), Some(0), None, Some(7), Some(1), Some(1)])),
        ("coat", some(&["red", "blue", "red", "", "blue", "red"])),
        ("kind", some(&["x", "y", "x", "x", "y", "y"])),
    ]
    .map(|(name, cells)| (name.to_string(), cells))
    .to_vec()
}

const FILE: &str = "who,mass,eggs,coat,kind\nann,1.5,2,red,x\nbob,,0,blue,y\ncy,3.25,,red,x\ndee,-4.0,7,,x\n\
                    eve,0.1,1,blue,y\nflo,2.0,1,red,y\n";

#[test]
fn columns_in_memory_are_those_of_the_file() {
    let mut options =
        ReadOptions { id_column: Some("who".into()), label_column: Some("kind".into()), ..lenient() };
    let found = Table::from_columns("birds", &columns(), &options).unwrap();
    options.kinds = vec![("eggs".into(), Kind::Count)];
    let read = read_with(FILE, &options);
    assert_eq!(found.fingerprint, read.fingerprint);
    assert_eq!((found.rows, found.columns, &found.names), (read.rows, read.columns, &read.names));
    assert_eq!((&found.kinds, &found.levels), (&read.kinds, &read.levels));
    assert_eq!((&found.ids, &found.labels), (&read.ids, &read.labels));
    let bits = |table: &Table| table.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&found), bits(&read));
}

#[test]
fn levels_that_no_cell_has_are_kept() {
    let codes = vec![Some(2), None, Some(0)];
    let levels = ["a", "b", "c"].map(String::from).to_vec();
    let columns = [("coat".to_string(), Cells::Categories { codes, levels: levels.clone() })];
    let table = Table::from_columns("birds", &columns, &lenient()).unwrap();
    assert_eq!(table.levels, [levels]);
    assert_eq!((table.values[0], table.values[2]), (2.0, 0.0));
    assert!(table.values[1].is_nan());
}

/// Texts are words, whatever they look like, until somebody says that they are numbers.
#[test]
fn texts_are_numbers_where_that_is_said() {
    let mass = some(&["1.5", "2.5", "", "-3e2", "7"]);
    let columns =
        [("mass".to_string(), mass), ("wing".to_string(), Cells::Numbers(vec![1.0, 2.0, 3.0, 4.0, 5.0]))];
    let sentence = Table::from_columns("birds", &columns, &lenient()).unwrap_err().to_string();
    assert!(sentence.contains("column \"mass\": its cells are numbers written as texts"), "{sentence}");
    assert!(sentence.contains("`column_type = mass=normal`"), "{sentence}");
    let said = ReadOptions { kinds: vec![("mass".into(), Kind::Normal)], ..lenient() };
    let table = Table::from_columns("birds", &columns, &said).unwrap();
    let mass: Vec<f64> = table.values.iter().step_by(2).copied().collect();
    assert_eq!([mass[0], mass[1], mass[3], mass[4]], [1.5, 2.5, -300.0, 7.0]);
    assert!(mass[2].is_nan());
    let word = [("mass".to_string(), some(&["1.5", "heavy"]))];
    assert!(
        Table::from_columns("birds", &word, &said)
            .unwrap_err()
            .to_string()
            .contains("\"heavy\" is not a number")
    );
}

/// The sentences speak of the row, not of a line, and of no file.
#[test]
fn mistakes_get_the_sentences_of_the_readers() {
    let refused = |columns: &[(&str, Cells)], options: &ReadOptions| {
        let columns: Vec<_> = columns.iter().map(|(name, cells)| (name.to_string(), cells.clone())).collect();
        Table::from_columns("the table", &columns, options).unwrap_err().to_string()
    };
    let strict = ReadOptions::default();
    let numbers = |values: &[f64]| Cells::Numbers(values.to_vec());
    let cases = [
        (refused(&[("x", numbers(&[1.0, f64::NAN]))], &strict), "the table, row 2, column \"x\""),
        (refused(&[("x", numbers(&[1.0, f64::INFINITY]))], &lenient()), "the table, row 2, column \"x\""),
        (refused(&[("x", some(&["a", "b"]))], &strict), "the table, row 1, column \"x\""),
        (refused(&[("x", numbers(&[1.0]))], &strict), "the table"),
        (refused(&[], &strict), "the table"),
        (refused(&[("x", numbers(&[1.0, 2.0])), ("x", numbers(&[1.0, 2.0]))], &strict), "the table"),
    ];
    for (sentence, beginning) in cases {
        assert!(sentence.starts_with(beginning), "{sentence}");
        assert!(!sentence.contains("line"), "{sentence}");
    }
}
