//! One test per sentence: what a user reads when a file cannot be used.

use super::*;
use partita_run::data::Guess;

/// The sentence for a file of this content, which goes by the name of `data.csv`.
#[track_caller]
fn sentence_with(content: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    sentence_of("data.csv", content, options)
}

#[track_caller]
fn sentence_of(name: &str, content: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let fixture = Fixture::new(name, content);
    let path = fixture.0.display().to_string();
    let error = fixture.read(options).unwrap_err();
    error.to_string().replace(&path, name)
}

#[track_caller]
fn sentence(content: impl AsRef<[u8]>) -> String {
    sentence_with(content, &ReadOptions::default())
}

fn columns(names: &[&str]) -> ReadOptions {
    ReadOptions { columns: Some(strings(names)), ..ReadOptions::default() }
}

#[test]
fn a_word_for_a_number() {
    assert_eq!(
        sentence("mass,sepal length\n1,2\n3,oops\n"),
        "data.csv, line 3, column \"sepal length\": \"oops\" is not a number; correct the cell or remove the row, leave the column out with `drop = 'sepal length'`, take row names or known labels from it with `id_column = 'sepal length'` or `label_column = 'sepal length'`, or treat it as a category with `column_type = 'sepal length'=category`"
    );
}

#[test]
fn a_column_of_words() {
    assert_eq!(
        sentence("mass,kind\n1,red\n3,blue\n"),
        "data.csv, line 2, column \"kind\": \"red\" is not a number; correct the cell or remove the row, leave the column out with `drop = kind`, take row names or known labels from it with `id_column = kind` or `label_column = kind`, or treat it as a category with `column_type = kind=category`"
    );
}

#[test]
fn a_word_below_blank_lines_and_long_cells() {
    assert_eq!(
        sentence("a,\"b\nb\"\r\n\r\n1,\"2\"\r\n\r\n\r\n3,x\r\n"),
        "data.csv, line 7, column \"b\\nb\": \"x\" is not a number; correct the cell or remove the row, leave the column out with `drop = NUMBER`, take row names or known labels from it with `id_column = NUMBER` or `label_column = NUMBER`, or treat it as a category with `column_type = NUMBER=category`"
    );
}

#[test]
fn a_first_line_of_numbers_with_a_word() {
    assert_eq!(
        sentence("1,oops,3\n4,5,6\n"),
        "data.csv, line 1, column \"x2\": \"oops\" is not a number; use `header = true` if this line holds the column names; otherwise correct the cell or remove the row, leave the column out with `drop = x2`, take row names or known labels from it with `id_column = x2` or `label_column = x2`, or treat it as a category with `column_type = x2=category`"
    );
}

#[test]
fn a_decimal_comma() {
    assert_eq!(
        sentence("a;b\n1,5;2\n3;4\n"),
        "data.csv, line 2, column \"a\": \"1,5\" is not a number; write decimals with a point"
    );
}

#[test]
fn decimal_commas_between_semicolons() {
    assert_eq!(
        sentence("1,5;2,5\n3,5;4,5\n"),
        "data.csv, line 1, column \"x1\": \"1,5\" is not a number; write decimals with a point"
    );
}

#[test]
fn a_separator_too_many_at_the_end_of_each_row() {
    assert_eq!(
        sentence("a,b\n1,2,\n3,4,5\n"),
        "data.csv, line 3: the row has 3 cells but the header has 2; correct or remove the row, or give the \
         separator with `delimiter`"
    );
    // An empty cell after the last one is none.
    assert_eq!(read("a,b\n1,2,\n3,4,\n").values, [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn lines_above_the_table() {
    let guess = ReadOptions { guess: Guess::All, ..ReadOptions::default() };
    for (above, cells, from) in [
        ("My measurements\n\n", "one cell", 3),
        ("# one\n# two, of 2020\n", "one cell", 3),
        ("2,3,names\n", "3 cells", 2),
    ] {
        assert_eq!(
            sentence_with(format!("{above}a,b,c,d\n1,2,3,4\n3,4,5,6\n5,6,7,7\n"), &guess),
            format!(
                "data.csv, line 1: this line has {cells} but most rows have 4, from line {from} on; remove what \
                     stands above the table, or give the separator with `delimiter`"
            )
        );
    }
}

#[test]
fn a_quote_that_swallows_the_rest() {
    assert_eq!(
        sentence("a,b\n1,2\n3,\"4\n5,6\n7,8\n"),
        "data.csv, line 3: a quote (\") in the row that starts here is never closed; close or remove it"
    );
    // Inches, and a cell of several lines, are fine.
    assert_eq!(read("a,b\n1,2\n3,\"4\n\"\n5,6\n").rows, 3);
}

#[test]
fn what_is_no_table() {
    for (content, kind) in [
        (&b"[{\"a\": 1}, {\"a\": 2}]"[..], "a JSON file"),
        (b"{\n  \"a\": [1, 2]\n}", "a JSON file"),
        (b"\n<!DOCTYPE html>\n<html></html>", "a web page"),
        (b"<?xml version=\"1.0\"?>", "an XML file"),
        (b"%PDF-1.7", "a PDF document"),
        (b"a,b\n1,\x00\n", "binary data"),
    ] {
        assert_eq!(
            sentence(content),
            format!("data.csv is {kind}, which partita cannot read; save the data as CSV, TSV, XLSX or NPY")
        );
    }
    // Astronomers have such columns.
    assert_eq!(read("[Fe/H],mass\n1,2\n3,4\n").names, ["[Fe/H]", "mass"]);
}

#[test]
fn a_long_cell() {
    assert_eq!(
        sentence("a,b\n1,2\n3,\"one\ttwo three four five six seven eight nine ten\"\n"),
        "data.csv, line 3, column \"b\": \"one\\ttwo three four five six seven eight …\" is not a number; correct the cell or remove the row, leave the column out with `drop = b`, take row names or known labels from it with `id_column = b` or `label_column = b`, or treat it as a category with `column_type = b=category`"
    );
}

#[test]
fn an_empty_cell() {
    assert_eq!(
        sentence("a,b\n1,2\n3,\n"),
        "data.csv, line 3, column \"b\": the cell is empty; fill it in, remove the row, or leave the column out with `drop = b`"
    );
}

#[test]
fn a_missing_cell() {
    assert_eq!(
        sentence("a,b\n1,2\nNA,4\n"),
        "data.csv, line 3, column \"a\": the cell is missing (\"NA\"); fill it in, remove the row, or leave the column out with `drop = a`"
    );
}

#[test]
fn a_missing_row_name() {
    assert_eq!(
        sentence_with("a,b\nx,2\n,4\n", &ReadOptions { id_column: Some("a".into()), ..Default::default() }),
        "data.csv, line 3, column \"a\": the row has no name; fill it in or remove the row"
    );
}

#[test]
fn an_infinite_value() {
    assert_eq!(
        sentence("a,b\n1,2\n3,-inf\n"),
        "data.csv, line 3, column \"b\": \"-inf\" is not a finite number; correct the cell or remove the row"
    );
}

#[test]
fn a_number_out_of_range() {
    assert_eq!(
        sentence("a,b\n1,2\n3,1e999\n"),
        "data.csv, line 3, column \"b\": \"1e999\" is not a finite number; correct the cell or remove the row"
    );
}

#[test]
fn a_short_row() {
    assert_eq!(
        sentence("a,b,c\n1,2,3\n4,5\n"),
        "data.csv, line 3: the row has 2 cells but the header has 3; correct or remove the row, or give the separator with `delimiter`"
    );
}

#[test]
fn a_long_row() {
    assert_eq!(
        sentence("1,2,3\n4,5,6\n7,8,9,10\n"),
        "data.csv, line 3: the row has 4 cells but the first row has 3; correct or remove the row, or give the separator with `delimiter`"
    );
}

#[test]
fn a_row_of_one_cell() {
    assert_eq!(
        sentence("1,2,3\n4,5,6\n7\n"),
        "data.csv, line 3: the row has one cell but the first row has 3; correct or remove the row, or give the separator with `delimiter`"
    );
}

#[test]
fn an_empty_file() {
    assert_eq!(sentence(""), "data.csv is empty; give a file with data");
}

#[test]
fn a_file_of_blanks() {
    assert_eq!(sentence("\n  \n\n"), "data.csv is empty; give a file with data");
}

#[test]
fn an_empty_gzip_file() {
    assert_eq!(sentence(gzip("")), "data.csv is empty; give a file with data");
}

#[test]
fn a_header_only() {
    assert_eq!(
        sentence("a,b,c\n"),
        "data.csv has a header but no rows; add rows, or use `header = false` if line 1 is data"
    );
}

#[test]
fn one_row() {
    assert_eq!(
        sentence("a,b\n1,2\n"),
        "data.csv has one row of data, but clustering needs at least two; add rows"
    );
}

#[test]
fn one_row_without_a_header() {
    assert_eq!(
        sentence("1,2\n"),
        "data.csv has one row of data, but clustering needs at least two; add rows"
    );
}

#[test]
fn a_name_twice() {
    assert_eq!(
        sentence("a,b,a\n1,2,3\n4,5,6\n"),
        "data.csv: columns 1 and 3 are both named \"a\"; rename one"
    );
}

#[test]
fn an_unknown_column_near_a_known_one() {
    assert_eq!(
        sentence_with("mass,height\n1,2\n3,4\n", &columns(&["hieght"])),
        "data.csv has no column \"hieght\"; the closest name is \"height\""
    );
}

#[test]
fn an_unknown_column() {
    assert_eq!(
        sentence_with("mass,height\n1,2\n3,4\n", &columns(&["species"])),
        "data.csv has no column \"species\"; its columns, numbered from 1, are \"mass\", \"height\""
    );
}

#[test]
fn a_column_number_out_of_range() {
    assert_eq!(
        sentence_with("1,2,3,4,5,6,7,8,9\n1,2,3,4,5,6,7,8,9\n", &columns(&["10"])),
        "data.csv has no column \"10\"; its columns, numbered from 1, are \"x1\", \"x2\", \"x3\", \"x4\", \"x5\", \"x6\", \"x7\", \"x8\", and 1 more"
    );
}

#[test]
fn no_columns_left() {
    assert_eq!(
        sentence_with("a,b\n1,2\n3,4\n", &ReadOptions { drop: strings(&["a", "b"]), ..Default::default() }),
        "data.csv has no data columns left; use fewer in `drop`, `id_column` and `label_column`, or name some in `columns`"
    );
}

#[test]
fn text_that_is_not_utf8() {
    assert_eq!(
        sentence(b"a,b\n1,2\n3,\xe9t\xe9\n"),
        "data.csv, line 3: the text is not UTF-8; save the file as UTF-8 text"
    );
}

#[test]
fn a_header_that_is_not_utf8() {
    assert_eq!(
        sentence(b"a,\xe9\n1,2\n3,4\n"),
        "data.csv, line 1: the text is not UTF-8; save the file as UTF-8 text"
    );
}

#[test]
fn a_quote_left_open() {
    assert_eq!(
        sentence(gzip([b"a,b\n1,2\n3,\"".to_vec(), vec![b'x'; 70 << 20]].concat())),
        "data.csv, line 3: the row that starts here does not end within 64 MiB or a million cells; perhaps a quote (\") was not closed"
    );
}

#[test]
fn gzip_cut_short() {
    assert_eq!(
        sentence(&gzip("a,b\n1,2\n3,4\n".repeat(100))[..30]),
        "data.csv is a damaged gzip file (incomplete deflate stream); copy or compress it again"
    );
}

#[test]
fn gzip_with_a_wrong_check_sum() {
    assert_eq!(
        sentence(flipped(gzip("a,b\n1,2\n3,4\n"), 8)),
        "data.csv is a damaged gzip file (corrupt gzip stream does not have a matching checksum); copy or compress it again"
    );
}

#[test]
fn a_gz_name_without_gzip() {
    assert_eq!(
        sentence_of("data.csv.gz", "a,b\n1,2\n3,4\n", &ReadOptions::default()),
        "data.csv.gz is named .gz but is not compressed with gzip; rename or compress it"
    );
}

#[test]
fn a_zip_archive() {
    assert_eq!(
        sentence_of("data.npz", b"PK\x03\x04rest", &ReadOptions::default()),
        "data.npz is an archive (as .npz files are), which partita cannot read; save the data as CSV, TSV, XLSX or NPY"
    );
}

/// The bytes with one of them changed, counted from the end.
fn flipped(mut bytes: Vec<u8>, from_end: usize) -> Vec<u8> {
    let at = bytes.len() - from_end;
    bytes[at] ^= 0x40;
    bytes
}

#[test]
fn no_such_file() {
    let error = Table::read("no/such/file.csv", &ReadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "no/such/file.csv does not exist; check the path");
}

#[test]
fn a_directory() {
    let error = Table::read(env!("CARGO_TARGET_TMPDIR"), &ReadOptions::default()).unwrap_err();
    let sentence = error.to_string().replace(env!("CARGO_TARGET_TMPDIR"), "tmp");
    assert_eq!(sentence, "tmp is a directory; give the path of a file");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_opened() {
    // A name with a file for its directory cannot be opened, whoever asks.
    let fixture = Fixture::new("data.csv", "1,2");
    let error = Table::read(fixture.0.join("x"), &ReadOptions::default()).unwrap_err();
    let sentence = error.to_string().replace(&fixture.0.display().to_string(), "data.csv");
    assert_eq!(
        sentence,
        "data.csv/x cannot be read (Not a directory (os error 20)); check its permissions and its disk"
    );
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_in_a_build_without_it() {
    for (name, content) in [("data.parquet", "a,b"), ("data", "PAR1")] {
        let sentence = sentence_of(name, content, &ReadOptions::default());
        assert_eq!(
            sentence.replacen(name, "data.parquet", 1),
            "data.parquet: this build cannot read Parquet; rebuild with --features parquet or convert the file to CSV"
        );
    }
}

#[test]
fn a_constant_column() {
    let mut table = read("a,sepal length\n0.1,5\n0.2,5\n0.3,5\n");
    let before = table.clone();
    let sentence = table.standardize().unwrap_err().to_string();
    assert_eq!(
        sentence.replace(&table.source, "data.csv"),
        "data.csv, column \"sepal length\": every value is 5, so the column cannot be standardised; leave it out with `drop = 'sepal length'` or use `standardize = false`"
    );
    assert_eq!(table, before);
}

#[test]
fn several_constant_columns() {
    let sentence = read("a,b b,c\n1,5,2\n1,5,3\n").standardize().unwrap_err().to_string();
    assert!(
        sentence.ends_with(
            "data.csv: columns \"a\", \"b b\" are constant, so they cannot be standardised; leave them out with \
             `drop = a,'b b'` or use `standardize = false`"
        ),
        "{sentence}"
    );
}

#[test]
fn a_column_without_values() {
    let options = ReadOptions { missing: Missing::Keep, ..ReadOptions::default() };
    let mut table = read_with("a,b\n1,NA\n2,NA\n", &options);
    let sentence = table.standardize().unwrap_err().to_string();
    assert_eq!(
        sentence.replace(&table.source, "data.csv"),
        "data.csv, column \"b\": every value is missing, so the column cannot be standardised; leave it out with `drop = b`"
    );
}
