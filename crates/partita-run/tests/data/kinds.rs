//! Columns of words, counts and numbers: what is taken for what, and what stays a mistake.

use super::*;
use partita_run::data::{Kind, Words};

fn levels() -> ReadOptions {
    ReadOptions { words: Words::Levels, missing: Missing::Keep, ..ReadOptions::default() }
}

fn refused(content: &str, options: &ReadOptions) -> String {
    Fixture::new("data.csv", content).read(options).unwrap_err().to_string()
}

#[test]
fn words_are_levels_by_name() {
    let table = read_with("x,kind\n1,b\n2,?\n3,a\n4,b\n", &levels());
    assert_eq!(table.levels, [vec![], vec!["b".to_owned(), "a".to_owned()]]);
    assert_eq!(table.kinds, [None, Some(Kind::Category)]);
    assert_eq!([table.row(0)[1], table.row(2)[1], table.row(3)[1]], [0.0, 1.0, 0.0]);
    assert!(table.row(1)[1].is_nan() && table.gap.is_some());
    // Numbers among words are words; the order of rows is that of the levels.
    let mixed = read_with("kind,x\nb,1\n7,2\nb,3\n7,4\n", &levels());
    assert_eq!(mixed.levels[0], ["b", "7"]);
    // Other names are other data.
    let other = read_with("x,kind\n1,b\n2,?\n3,c\n4,b\n", &levels());
    assert_ne!(other.fingerprint, table.fingerprint);
}

#[test]
fn what_was_a_mistake_stays_one() {
    assert!(refused("x,y\n1,2\n3,red\n5,6\n", &levels()).contains("\"red\" is not a number"));
    assert!(refused("x;y\n1;2,5\n3;1,5\n", &levels()).contains("write decimals with a point"));
    assert!(refused("x,y\n1,a\n3,b\n5,a\n", &ReadOptions::default()).contains("\"a\" is not a number"));
    // A name above numbers in a file whose first row is mostly numbers.
    let first = refused("year,1,2,3\n2001,5,6,7\n2002,8,9,7\n", &levels());
    assert!(first.contains("use `header = true` if this line holds the column names"), "{first}");
}

#[test]
fn what_is_said_of_a_column_holds() {
    let said = |kind| ReadOptions { kinds: vec![("n".into(), kind)], ..levels() };
    let table = read_with("n,x\n1,0.5\n2,1\n1,3\n", &said(Kind::Category));
    assert_eq!(table.levels[0], ["1", "2"]);
    let mut counts = read_with("n,x\n1,0.5\n2,1\n1,3\n", &said(Kind::Count));
    assert_eq!(counts.settle_kinds(), [Kind::Count, Kind::Normal]);
    let scaling = counts.standardize().unwrap();
    assert_eq!((counts.row(1)[0], scaling.restore(0, 2.0)), (2.0, 2.0), "counts are left alone");
    assert!(refused("n,x\n1,2\n-2,1\n", &said(Kind::Count)).contains("\"-2\" is not a count"));
    let mixed = read_with("n,x\n1,0.5\nred,1\n1,3\n", &said(Kind::Category));
    assert_eq!(mixed.levels[0], ["1", "red"]);
}

/// Every whole number that a double holds exactly, and none beyond.
#[test]
fn counts_have_a_limit_and_it_is_told() {
    let said = ReadOptions { kinds: vec![("n".into(), Kind::Count)], ..levels() };
    let table = read_with("n,x\n4294967295,0.5\n9007199254740991,1\n1e15,3\n", &said);
    assert_eq!(
        [table.row(0)[0], table.row(1)[0], table.row(2)[0]],
        [4_294_967_295.0, 9_007_199_254_740_991.0, 1e15]
    );
    for cell in ["9007199254740992", "9007199254740993", "1e16", "1e300"] {
        let sentence = refused(&format!("n,x\n1,2\n{cell},1\n"), &said);
        assert!(
            sentence.ends_with(&format!(
                "line 3, column \"n\": \"{cell}\" is above 9007199254740991, the largest count that double \
                 precision holds exactly; correct the cell, or use `column_type = n=normal`"
            )),
            "{sentence}"
        );
    }
    for cell in ["-1", "0.5", "1.5e0", "-1e16"] {
        let sentence = refused(&format!("n,x\n1,2\n{cell},1\n"), &said);
        assert!(
            sentence.contains("is not a count (a non-negative whole number); correct the cell, or use"),
            "{sentence}"
        );
    }
}

/// A level may be written otherwise, but not so that another number is meant.
#[test]
fn levels_are_found_by_their_number() {
    let known = |names: &[&str]| ReadOptions {
        kinds: vec![("n".into(), Kind::Category)],
        levels: vec![("n".into(), strings(names))],
        one_row: true,
        ..levels()
    };
    let found = read_with("n,x\n1.0,1\n2e0,1\nred,1\n", &known(&["red", "1", "2"]));
    assert_eq!([found.row(0)[0], found.row(1)[0], found.row(2)[0]], [1.0, 2.0, 0.0]);
    let large = known(&["9007199254740992", "1"]);
    assert_eq!(read_with("n,x\n9007199254740992,1\n", &large).row(0)[0], 0.0);
    assert!(refused("n,x\n9007199254740993,1\n", &large).contains("is not one of the known levels"));
}

#[test]
fn kinds_are_guessed_with_care() {
    let rows: String = (0..40u32)
        .map(|i| {
            let count = [0, 0, 1, 1, 2, 3, 5, 9][i as usize % 8];
            format!("{count},{},{},{},{}\n", 1 + i % 5, i % 2, 1980 + i % 3, f64::from(i) / 8.0)
        })
        .collect();
    let mut table = read_with(format!("calls,score,yes,year,mass\n{rows}"), &levels());
    let (normal, kinds) = (Kind::Normal, table.settle_kinds());
    assert_eq!(kinds, [Kind::Count, normal, Kind::Category, normal, normal]);
    assert_eq!(table.levels[2], ["0", "1"]);
}

/// With the levels known, a cell is one of them and has its number, whatever comes first in the file.
#[test]
fn known_levels_close_a_column() {
    let known = |names: &[&str]| ReadOptions {
        kinds: vec![("kind".into(), Kind::Category)],
        levels: vec![("kind".into(), names.iter().map(|name| name.to_string()).collect())],
        one_row: true,
        ..levels()
    };
    let table = read_with("x,kind\n1,b\n2,?\n3,a\n", &known(&["a", "b", "c"]));
    assert_eq!((table.row(0)[1], table.row(2)[1]), (1.0, 0.0));
    assert!(table.row(1)[1].is_nan());
    assert_eq!(table.levels[1], ["a", "b", "c"]);
    // A number is the same however it is written.
    let table = read_with("x,kind\n1,1.0\n2,0\n", &known(&["0", "1"]));
    assert_eq!((table.row(0)[1], table.row(1)[1]), (1.0, 0.0));
    let content = "x,kind\n1,b\n2,d\n";
    let sentence = Fixture::new("data.csv", content).read(&known(&["a", "b"])).unwrap_err().to_string();
    assert!(
        sentence.ends_with(
            "line 3, column \"kind\": \"d\" is not one of the known levels, \"a\", \"b\"; correct the cell, or \
             leave it empty, as a missing value"
        ),
        "{sentence}"
    );
}
