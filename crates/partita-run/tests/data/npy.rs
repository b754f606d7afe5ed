//! NPY files of every supported type and order, and the sentences for those that are damaged.

use super::*;

/// An NPY file with this header and content.
pub(super) fn npy(version: u8, dictionary: &str, content: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    let width = if version == 1 { 2 } else { 4 };
    let padding = 63 - (file.len() + width + dictionary.len()) % 64;
    let header = format!("{dictionary}{}\n", " ".repeat(padding));
    file.extend(&(header.len() as u32).to_le_bytes()[..width]);
    file.extend(header.as_bytes());
    file.extend(content);
    file
}

pub(super) fn dictionary(descr: &str, fortran: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}")
}

fn read_npy(bytes: impl AsRef<[u8]>) -> Result<Table, DataError> {
    Fixture::new("data.npy", bytes).read(&ReadOptions::default())
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn both_memory_orders_are_read() {
    let rows = npy(1, &dictionary("<f8", "False", "(2, 3)"), &doubles(&[1., 2., 3., 4., 5., 6.]));
    let columns = npy(1, &dictionary("<f8", "True", "(2, 3)"), &doubles(&[1., 4., 2., 5., 3., 6.]));
    let expected = read("x1,x2,x3\n1,2,3\n4,5,6\n");
    for file in [&rows, &columns, &gzip(&rows), &gzip(&columns)] {
        let table = Fixture::new("data", file).read(&ReadOptions::default()).unwrap();
        assert_eq!(table.values, expected.values);
        assert_eq!(table.names, ["x1", "x2", "x3"]);
        assert_eq!(table.fingerprint, expected.fingerprint);
        let options = ReadOptions {
            columns: Some(strings(&["3", "x1"])),
            id_column: Some("x2".into()),
            label_column: Some("x2".into()),
            ..ReadOptions::default()
        };
        let table = Fixture::new("data", file).read(&options).unwrap();
        assert_eq!(table.values, [3.0, 1.0, 6.0, 4.0]);
        assert_eq!(table.ids.unwrap(), ["2", "5"]);
        assert_eq!(table.labels.unwrap().names, ["2", "5"]);
    }
}

/// Names and labels that are whole numbers beyond those of doubles stay apart; NaN is a missing label.
#[test]
fn names_and_labels_are_exact() {
    let options = ReadOptions {
        columns: Some(strings(&["1"])),
        id_column: Some("2".into()),
        label_column: Some("3".into()),
        ..ReadOptions::default()
    };
    let large = 9_007_199_254_740_992_i64;
    let rows = [[1, large, -large], [2, large + 1, -large - 1], [3, 7, -large]];
    let by_row: Vec<i64> = rows.concat();
    let by_column: Vec<i64> = (0..3).flat_map(|column| rows.map(|row| row[column])).collect();
    for (order, values) in [("False", &by_row), ("True", &by_column)] {
        let little: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let big: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
        for (kind, bytes) in [("<i8", little), (">i8", big)] {
            let file = npy(1, &dictionary(kind, order, "(3, 3)"), &bytes);
            let table = Fixture::new("data", file).read(&options).unwrap();
            assert_eq!(table.ids.unwrap(), ["9007199254740992", "9007199254740993", "7"]);
            let labels = table.labels.unwrap();
            assert_eq!(labels.names, ["-9007199254740992", "-9007199254740993"]);
            assert_eq!(labels.index, [Some(0), Some(1), Some(0)]);
        }
    }
    let unsigned: Vec<u8> =
        [u64::MAX, 1, u64::MAX - 1, 2].iter().flat_map(|value| value.to_be_bytes()).collect();
    let file = npy(1, &dictionary(">u8", "False", "(2, 2)"), &unsigned);
    let options = ReadOptions { id_column: Some("1".into()), ..ReadOptions::default() };
    let table = Fixture::new("data", file).read(&options).unwrap();
    assert_eq!(table.ids.unwrap(), ["18446744073709551615", "18446744073709551614"]);
    let file = npy(1, &dictionary("<f8", "False", "(3, 2)"), &doubles(&[1., 2., 3., f64::NAN, 5., 4.]));
    let options = ReadOptions { label_column: Some("2".into()), ..ReadOptions::default() };
    let labels = Fixture::new("data", file).read(&options).unwrap().labels.unwrap();
    assert_eq!((labels.names, labels.index), (strings(&["2", "4"]), vec![Some(0), None, Some(1)]));
}

#[test]
fn every_type_and_byte_order_is_read() {
    macro_rules! check {
        ($name:literal, $type:ty, $values:expr) => {
            let values: [$type; 3] = $values;
            let expected: Vec<f64> = values.iter().map(|&value| value as f64).collect();
            let little: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            let big: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
            let orders = [("<", &little), (">", &big), ("|", &little), ("=", &little)];
            for (mark, content) in orders {
                let descr = format!("{mark}{}", $name);
                let file = npy(1, &dictionary(&descr, "False", "(3,)"), content);
                assert_eq!(read_npy(file).unwrap().values, expected, "{descr}");
            }
        };
    }
    check!("f8", f64, [1.5, -2e300, 5e-324]);
    check!("f4", f32, [1.5, -2e30, 1e-45]);
    check!("i1", i8, [i8::MIN, 0, i8::MAX]);
    check!("i2", i16, [i16::MIN, 258, i16::MAX]);
    check!("i4", i32, [i32::MIN, 66051, i32::MAX]);
    check!("i8", i64, [-(1 << 53), 72623859790382856, 1 << 53]);
    check!("u1", u8, [0, 1, u8::MAX]);
    check!("u2", u16, [0, 258, u16::MAX]);
    check!("u4", u32, [0, 66051, u32::MAX]);
    check!("u8", u64, [0, 1, u64::MAX]);
    let file = npy(1, &dictionary("|b1", "False", "(3,)"), &[1, 0, 1]);
    assert_eq!(read_npy(file).unwrap().values, [1.0, 0.0, 1.0]);
}

#[test]
fn every_header_version_is_read() {
    for version in 1..=3 {
        let header = r#"{"descr":"<f8","fortran_order":False,"shape":(2,1)}"#;
        let table = read_npy(npy(version, header, &doubles(&[1.0, 2.0]))).unwrap();
        assert_eq!((table.rows, table.columns), (2, 1));
        assert_eq!(table.values, [1.0, 2.0]);
    }
}

#[test]
fn missing_numbers_are_kept_when_asked() {
    let file = npy(1, &dictionary("<f8", "False", "(2,)"), &doubles(&[1.0, f64::NAN]));
    let options = ReadOptions { missing: Missing::Keep, ..ReadOptions::default() };
    assert!(Fixture::new("data.npy", file).read(&options).unwrap().values[1].is_nan());
}

#[track_caller]
fn sentence(bytes: impl AsRef<[u8]>) -> String {
    let fixture = Fixture::new("data.npy", bytes);
    let path = fixture.0.display().to_string();
    let error = fixture.read(&ReadOptions::default()).unwrap_err();
    error.to_string().replace(&path, "data.npy")
}

/// The sentence for six doubles under this header.
#[track_caller]
fn sentence_under(dictionary: &str) -> String {
    sentence(npy(1, dictionary, &doubles(&[1., 2., 3., 4., 5., 6.])))
}

#[test]
fn a_missing_number() {
    assert_eq!(
        sentence(npy(1, &dictionary("<f8", "False", "(2,)"), &doubles(&[1.0, f64::NAN]))),
        "data.npy, row 2, column \"x1\": the cell is missing (\"NaN\"); fill it in, remove the row, or leave the column out with `drop = x1`"
    );
}

#[test]
fn an_infinite_number() {
    assert_eq!(
        sentence(npy(1, &dictionary("<f8", "True", "(2, 1)"), &doubles(&[1.0, f64::INFINITY]))),
        "data.npy, row 2, column \"x1\": \"inf\" is not a finite number; correct the cell or remove the row"
    );
}

#[test]
fn another_kind_of_file() {
    assert_eq!(
        sentence("1,2\n3,4\n"),
        "data.npy is not a readable NPY table (it does not start as one); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}

#[test]
fn a_header_cut_short() {
    assert_eq!(
        sentence(&npy(1, &dictionary("<f8", "False", "(2,)"), &[])[..40]),
        "data.npy is not a readable NPY table (the header is cut short); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}

#[test]
fn an_unknown_version() {
    assert_eq!(
        sentence(npy(9, &dictionary("<f8", "False", "(2,)"), &[])),
        "data.npy is not a readable NPY table (format version 9 is not known); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}

#[test]
fn a_huge_header() {
    assert_eq!(
        sentence(b"\x93NUMPY\x02\0\xff\xff\xff\xff"),
        "data.npy is not a readable NPY table (a header of 4294967295 bytes is not that of a table); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}

#[test]
fn too_few_numbers() {
    assert_eq!(
        sentence_under(&dictionary("<f8", "False", "(4, 2)")),
        "data.npy declares 4 x 2 numbers of 8 bytes but fewer bytes follow its header; copy the file again or save it again with numpy.save"
    );
}

#[test]
fn too_few_numbers_after_gzip() {
    assert_eq!(
        sentence(gzip(npy(1, &dictionary("<f8", "True", "(4, 2)"), &doubles(&[1.0])))),
        "data.npy declares 4 x 2 numbers of 8 bytes but fewer bytes follow its header; copy the file again or save it again with numpy.save"
    );
}

#[test]
fn too_many_numbers() {
    assert_eq!(
        sentence_under(&dictionary("<f8", "False", "(5,)")),
        "data.npy declares 5 x 1 numbers of 8 bytes but more bytes follow its header; copy the file again or save it again with numpy.save"
    );
}

#[test]
fn a_huge_shape() {
    assert_eq!(
        sentence_under(&dictionary("<f8", "True", "(18446744073709551615, 4294967296)")),
        "data.npy declares 18446744073709551615 x 4294967296 numbers of 8 bytes but fewer bytes follow its header; copy the file again or save it again with numpy.save"
    );
}

#[test]
fn a_huge_empty_shape() {
    assert_eq!(
        sentence_under(&dictionary("<f8", "True", "(0, 18446744073709551615)")),
        "data.npy has no row of data, but clustering needs at least two; add rows"
    );
}

#[test]
fn no_columns() {
    assert_eq!(
        sentence(npy(1, &dictionary("<f8", "True", "(18446744073709551615, 0)"), &[])),
        "data.npy has no data columns left; use fewer in `drop`, `id_column` and `label_column`, or name some in `columns`"
    );
}

#[test]
fn too_many_columns() {
    assert_eq!(
        sentence(npy(1, &dictionary("|u1", "False", "(2, 2000000)"), &vec![0; 4_000_000])),
        "data.npy is not a readable NPY table (it has 2000000 columns, more than 1048576); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}

#[test]
fn a_third_dimension() {
    assert_eq!(
        sentence_under(&dictionary("<f8", "False", "(2, 3, 1)")),
        "data.npy is not a readable NPY table (the array has 3 dimensions); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}

#[test]
fn no_dimension() {
    assert_eq!(
        sentence_under(&dictionary("<f8", "False", "()")),
        "data.npy is not a readable NPY table (the array has 0 dimensions); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}

#[test]
fn a_shape_of_words() {
    assert_eq!(
        sentence_under(&dictionary("<f8", "False", "(2, x)")),
        "data.npy is not a readable NPY table (the shape \"2, x\" is not made of whole numbers); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}

#[test]
fn complex_numbers() {
    assert_eq!(
        sentence_under(&dictionary("<c16", "False", "(3,)")),
        "data.npy is not a readable NPY table (numbers of type \"<c16\" are not supported); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}

#[test]
fn records() {
    assert_eq!(
        sentence_under("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}"),
        "data.npy is not a readable NPY table (the array is a record array); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}

#[test]
fn no_memory_order() {
    assert_eq!(
        sentence_under(&dictionary("<f8", "Maybe", "(6,)")),
        "data.npy is not a readable NPY table (the memory order is neither True nor False); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}

#[test]
fn no_shape() {
    assert_eq!(
        sentence_under("{'descr': '<f8', 'fortran_order': False}"),
        "data.npy is not a readable NPY table (the header does not give its shape); save a 1-D or 2-D array of real numbers with numpy.save"
    );
}
