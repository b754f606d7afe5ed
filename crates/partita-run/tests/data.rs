//! Tables read from each format come out as they were written, and every failure is a clear sentence.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use partita_run::data::{DataError, Missing, ReadOptions, Table};

#[path = "data/errors.rs"]
mod errors;
#[path = "data/kinds.rs"]
mod kinds;
#[path = "data/memory.rs"]
mod memory;
#[path = "data/npy.rs"]
mod npy;
#[cfg(feature = "parquet")]
#[path = "data/parquet.rs"]
mod parquet;
#[path = "data/properties.rs"]
mod properties;
#[path = "data/real.rs"]
mod real;
#[path = "data/workbook.rs"]
mod workbook;

/// A file of its own for one test.
struct Fixture(PathBuf);

impl Fixture {
    fn new(name: &str, content: impl AsRef<[u8]>) -> Fixture {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("data-{}-{number}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join(name);
        fs::write(&path, content).unwrap();
        Fixture(path)
    }

    fn read(&self, options: &ReadOptions) -> Result<Table, DataError> {
        Table::read(&self.0, options)
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.parent().unwrap());
    }
}

fn gzip(content: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content.as_ref()).unwrap();
    encoder.finish().unwrap()
}

fn read_with(content: impl AsRef<[u8]>, options: &ReadOptions) -> Table {
    Fixture::new("data.csv", content).read(options).unwrap()
}

fn read(content: impl AsRef<[u8]>) -> Table {
    read_with(content, &ReadOptions::default())
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// The table that most texts below spell out.
#[track_caller]
fn assert_plain(table: &Table) {
    assert_eq!((table.rows, table.columns), (2, 3));
    assert_eq!(table.names, ["a", "b", "c"]);
    assert_eq!(table.values, [1.0, -2.5, 3e10, 4.0, 0.5, 6.0]);
    assert_eq!(table.ids, None);
    assert_eq!(table.labels, None);
}

#[test]
fn separators_are_found() {
    let comma = read("a,b,c\n1,-2.5,3e10\n4,.5,6\n");
    assert_plain(&comma);
    for separator in ["\t", ";", "|", " ", "   ", " \t ", ", "] {
        let text = "a,b,c\n1,-2.5,3e10\n4,.5,6\n".replace(',', separator);
        let table = read(text);
        assert_plain(&table);
        assert_eq!(table.fingerprint, comma.fingerprint);
    }
}

#[test]
fn aligned_columns_of_blanks_are_read() {
    assert_plain(&read("  a     b     c\n  1  -2.5  3e10  \n\n  4    .5     6\n   \n"));
}

#[test]
fn line_ends_marks_and_blank_lines_do_not_matter() {
    assert_plain(&read("a,b,c\r\n1,-2.5,3e10\r\n4,.5,6\r\n\r\n\r\n"));
    assert_plain(&read("a,b,c\r1,-2.5,3e10\r4,.5,6"));
    assert_plain(&read("\u{feff}a,b,c\n1,-2.5,3e10\n4,.5,6"));
    assert_plain(&read("\n\na,b,c\n\n1,-2.5,3e10\n  \n4,.5,6\n\n"));
}

#[test]
fn quoted_cells_are_read() {
    let table = read("\"a, \"\"x\"\"\",\"b\nb\"\n\"1\",\"2\"\n3,4\n");
    assert_eq!(table.names, ["a, \"x\"", "b\nb"]);
    assert_eq!(table.values, [1.0, 2.0, 3.0, 4.0]);
    let table = read("\"a b\" c\n\"1\" 2\n3 4\n");
    assert_eq!(table.names, ["a b", "c"]);
}

#[test]
fn gzip_is_known_by_content_whatever_the_name() {
    let text = "a,b,c\n1,-2.5,3e10\n4,.5,6\n";
    for name in ["data.csv.gz", "data.csv"] {
        let table = Fixture::new(name, gzip(text)).read(&ReadOptions::default()).unwrap();
        assert_plain(&table);
    }
    let parts = [gzip("a,b,c\n1,-2.5"), gzip(",3e10\n4,.5,6\n")].concat();
    assert_plain(&read(parts));
}

#[test]
fn headers_are_found() {
    assert_eq!(read("1,2\n3,4\n").names, ["x1", "x2"]);
    assert_eq!(read("1\n2\n").names, ["x1"]);
    assert_eq!(read("mass\n1\n2\n").names, ["mass"]);
    assert_eq!(read("year,other,2001\n1,2,3\n4,5,6\n").names, ["year", "other", "2001"]);
    let headed = ReadOptions { header: Some(true), ..ReadOptions::default() };
    let table = read_with("2001,2002\n1,2\n3,4\n", &headed);
    assert_eq!(table.names, ["2001", "2002"]);
    assert_eq!(table.rows, 2);
    let named = ReadOptions { id_column: Some("who".into()), ..ReadOptions::default() };
    let table = read_with("who,2001,2002\nann,1,2\nbob,3,4\n", &named);
    assert_eq!(table.names, ["2001", "2002"]);
    let headless = ReadOptions { header: Some(false), ..ReadOptions::default() };
    assert_eq!(read_with("1,2\n3,4\n", &headless).rows, 2);
}

#[test]
fn row_names_without_a_name_are_ids() {
    for text in [
        "\"\",a,b\n1,10,20\n2,30,40\n",
        "\"a\" \"b\"\n\"1\" 10 20\n\"2\" 30 40\n",
        ",a,b\n1,10,20\n2,30,40\n",
    ] {
        let table = read(text);
        assert_eq!(table.names, ["a", "b"]);
        assert_eq!(table.ids.unwrap(), ["1", "2"]);
        assert_eq!(table.values, [10.0, 20.0, 30.0, 40.0]);
    }
    let columns = Some(strings(&["1", "b"]));
    let table = read_with(",a,b\n1,10,20\n2,30,40\n", &ReadOptions { columns, ..Default::default() });
    assert_eq!(table.names, ["x1", "b"]);
    assert_eq!(table.ids, None);
}

#[test]
fn columns_have_the_roles_asked_for() {
    let text = "who,a,b,c,kind\nann,1,2,3,red\nbob,4,5,6,blue\ncy,7,8,9,red\n";
    let options = ReadOptions {
        columns: Some(strings(&["c", "2", "who", "c", "b"])),
        drop: strings(&["b"]),
        id_column: Some("who".into()),
        label_column: Some("5".into()),
        ..ReadOptions::default()
    };
    let table = read_with(text, &options);
    assert_eq!(table.names, ["c", "a"]);
    assert_eq!(table.values, [3.0, 1.0, 6.0, 4.0, 9.0, 7.0]);
    assert_eq!(table.row(1), [6.0, 4.0]);
    assert_eq!(table.ids.unwrap(), ["ann", "bob", "cy"]);
    let labels = table.labels.unwrap();
    assert_eq!(labels.names, ["red", "blue"]);
    assert_eq!(labels.index, [Some(0), Some(1), Some(0)]);
}

#[test]
fn the_separator_can_be_given() {
    let text = "a;b,c;d\n1;2,3;4\n5;6,7;8\n";
    let options = ReadOptions { delimiter: Some(b','), header: Some(true), ..Default::default() };
    let error = Fixture::new("data.csv", text).read(&options).unwrap_err();
    assert!(error.to_string().contains("\"1;2\" is not a number"), "{error}");
    let table = read_with("a:b\n1:2\n3:4", &ReadOptions { delimiter: Some(b':'), ..Default::default() });
    assert_eq!(table.values, [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn missing_cells_are_kept_when_asked() {
    let options = ReadOptions { missing: Missing::Keep, ..ReadOptions::default() };
    let words = ["", "NA", "N/A", "NaN", "nan", "?", "null", "NULL", "None", ".", "\"\"", "-nan"];
    for word in words {
        let table = read_with(format!("a,b\n1,{word}\n3,4\n"), &options);
        assert!(table.values[1].is_nan(), "{word}");
        assert_eq!([table.values[0], table.values[2], table.values[3]], [1.0, 3.0, 4.0]);
    }
}

#[test]
fn the_fingerprint_sees_values_shape_and_names_only() {
    let options = |id: &str| ReadOptions { id_column: Some(id.into()), ..ReadOptions::default() };
    let base = read("a,b\n1,2\n3,4\n").fingerprint;
    assert_eq!(base.len(), 32);
    assert!(base.bytes().all(|digit| digit.is_ascii_hexdigit()));
    assert_eq!(base, read("a;b\r\n1.0;2e0\r\n3;4.000\r\n").fingerprint);
    assert_eq!(base, "856df8c187dd7adbee2200b489a10017");
    let label = ReadOptions { label_column: Some("l".into()), ..ReadOptions::default() };
    assert_eq!(base, read_with("a,b,l\n1,2,x\n3,4,y\n", &label).fingerprint);
    let others = [
        read("a,c\n1,2\n3,4\n").fingerprint,
        read("ab,b\n1,2\n3,4\n").fingerprint,
        read("a,b\n1,2\n3,5\n").fingerprint,
        read("a,b\n3,4\n1,2\n").fingerprint,
        read("a\n1\n2\n3\n4\n").fingerprint,
        read_with("i,a,b\nu,1,2\nv,3,4\n", &options("i")).fingerprint,
        read_with("i,a,b\nu,1,2\nw,3,4\n", &options("i")).fingerprint,
    ];
    for (at, other) in others.iter().enumerate() {
        assert_ne!(*other, base);
        assert!(!others[..at].contains(other));
    }
}

#[test]
fn a_long_file_is_read_whole() {
    let mut text = String::from("c1,c2,c3,c4,c5,c6,c7,c8,c9,c10\n");
    let value = |row: usize, column: usize| (row * 10 + column) as f64 / 7.0 - 3.0;
    for row in 0..200_000 {
        for column in 0..10 {
            let end = if column == 9 { '\n' } else { ',' };
            text.push_str(&format!("{}{end}", value(row, column)));
        }
    }
    let table = read(&text);
    assert_eq!((table.rows, table.columns), (200_000, 10));
    assert_eq!(table.values.capacity(), table.values.len());
    for (at, &read) in table.values.iter().enumerate() {
        assert_eq!(read, value(at / 10, at % 10));
    }
    let cut = text.len() - 3;
    let cell = text[..cut].rfind(',').unwrap() + 1;
    text.replace_range(cell.., "x\n");
    let fixture = Fixture::new("data.csv", text);
    let error = fixture.read(&ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("line 200001, column \"c10\""), "{error}");
}

/// Every mark of a missing value is one in a column of labels, too, whatever is done with missing cells.
#[test]
fn missing_labels_are_no_class() {
    for missing in [Missing::Refuse, Missing::Keep] {
        let options = ReadOptions { label_column: Some("kind".into()), missing, ..ReadOptions::default() };
        for mark in ["", "NA", "na", "N/A", "null", "None", "?", ".", "NaN", "nan", "  "] {
            let table = read_with(format!("x,kind\n1,b\n2,{mark}\n3,a\n4,{mark}\n5,b\n"), &options);
            let labels = table.labels.unwrap();
            assert_eq!(labels.names, ["b", "a"], "{mark:?}");
            assert_eq!(labels.index, [Some(0), None, Some(1), None, Some(0)], "{mark:?}");
            assert_eq!(labels.known(), (vec![0, 2, 4], vec![0, 1, 0]));
            assert!(table.gap.is_none(), "a label is no cell");
        }
        for (content, problem) in [
            ("x,kind\n1,NA\n2,\n3,?\n", "every label is missing"),
            ("x,kind\n1,NA\n2,red\n3,?\n", "only one row has a label"),
        ] {
            let error = Fixture::new("data.csv", content).read(&options).unwrap_err().to_string();
            let expected = format!(
                ", column \"kind\": {problem}, so there is nothing to compare the clusters with; leave \
                 `label_column` out, or name another column"
            );
            assert!(error.ends_with(&expected), "{error}");
        }
    }
}

#[test]
fn standardized_columns_have_mean_zero_and_deviation_one() {
    let mut table = read("a,b,c\n1,1e308,5e-324\n2,-1e308,0\n3,1e308,0\n6,-1e308,5e-324\n");
    let before = table.clone();
    let scaling = table.standardize().unwrap();
    assert_eq!(scaling.center[0], 3.0);
    assert_eq!(scaling.scale[0], 3.5f64.sqrt());
    let z: Vec<f64> = table.values.iter().step_by(3).copied().collect();
    let root = 3.5f64.sqrt();
    assert_eq!(z, [-2.0 / root, -1.0 / root, 0.0, 3.0 / root]);
    assert_eq!(table.values[1], 1.0);
    assert_eq!(table.values[4], -1.0);
    assert_eq!((table.values[2], table.values[5]), (1.0, -1.0));
    assert_eq!(table.fingerprint, before.fingerprint);
    for (at, &old) in before.values.iter().enumerate() {
        let back = scaling.restore(at % 3, table.values[at]);
        assert!((back - old).abs() <= 1e-15 * old.abs() || at % 3 == 2, "{back} {old}");
    }
}

#[test]
fn standardizing_passes_over_missing_values() {
    let options = ReadOptions { missing: Missing::Keep, ..ReadOptions::default() };
    let mut table = read_with("a,b\n1,NA\nNA,5\n3,7\n", &options);
    let scaling = table.standardize().unwrap();
    assert_eq!((scaling.center, scaling.scale), (vec![2.0, 6.0], vec![1.0, 1.0]));
    assert!(table.values[1].is_nan() && table.values[2].is_nan());
    assert_eq!([table.values[0], table.values[3], table.values[4], table.values[5]], [-1.0, -1.0, 1.0, 1.0]);
}
