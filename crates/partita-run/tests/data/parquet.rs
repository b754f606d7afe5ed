//! Parquet files, in builds that read them.

use std::sync::Arc;

use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;

use super::*;

/// Three rows in two row groups; the second number of the second row may be missing.
fn parquet(missing: bool) -> Vec<u8> {
    let schema = "message table {
        REQUIRED INT64 count;
        OPTIONAL DOUBLE mass;
        REQUIRED BYTE_ARRAY kind (UTF8);
        REQUIRED BYTE_ARRAY __index_level_0__ (UTF8);
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let compression = ::parquet::basic::Compression::SNAPPY;
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, properties).unwrap();
    for rows in [0..2usize, 2..3] {
        let mut group = writer.next_row_group().unwrap();
        let counts: Vec<i64> = rows.clone().map(|row| [1, -2, 3][row]).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&counts, None, None).unwrap();
        column.close().unwrap();
        let levels: Vec<i16> = rows.clone().map(|row| i16::from(!(missing && row == 1))).collect();
        let present = rows.clone().filter(|&row| !(missing && row == 1));
        let masses: Vec<f64> = present.map(|row| [0.5, 1.5, 2.5][row]).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&masses, Some(&levels), None).unwrap();
        column.close().unwrap();
        for words in [["red", "blue", "red"], ["ann", "bob", "cy"]] {
            let words: Vec<ByteArray> = rows.clone().map(|row| words[row].into()).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&words, None, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    file
}

fn labelled() -> ReadOptions {
    ReadOptions { label_column: Some("kind".into()), ..ReadOptions::default() }
}

#[test]
fn parquet_is_read() {
    let table = Fixture::new("data", parquet(false)).read(&labelled()).unwrap();
    assert_eq!(table.names, ["count", "mass"]);
    assert_eq!(table.values, [1.0, 0.5, -2.0, 1.5, 3.0, 2.5]);
    assert_eq!(table.ids.unwrap(), ["ann", "bob", "cy"]);
    assert_eq!(table.labels.unwrap().index, [Some(0), Some(1), Some(0)]);
    let columns = Some(strings(&["mass", "count"]));
    let options = ReadOptions { columns, id_column: Some("kind".into()), ..Default::default() };
    let table = Fixture::new("data", parquet(false)).read(&options).unwrap();
    assert_eq!(table.values, [0.5, 1.0, 1.5, -2.0, 2.5, 3.0]);
    assert_eq!(table.ids.unwrap(), ["red", "blue", "red"]);
}

/// Names beyond the whole numbers of doubles stay apart, and a label that is null is missing.
#[test]
fn parquet_names_and_labels_are_exact() {
    let schema = "message table { REQUIRED INT64 id; OPTIONAL INT64 kind; REQUIRED DOUBLE mass; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = Vec::new();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(&mut file, schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let large = 9_007_199_254_740_992_i64;
    let columns: [(&[i64], Option<&[i16]>); 2] =
        [(&[large, large + 1, -large, 4], None), (&[large, large + 1, large], Some(&[1, 1, 0, 1]))];
    for (values, present) in columns {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(values, present, None).unwrap();
        column.close().unwrap();
    }
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<DoubleType>().write_batch(&[0.5, 1.5, 2.5, 3.5], None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let options =
        ReadOptions { id_column: Some("id".into()), label_column: Some("kind".into()), ..Default::default() };
    let table = Fixture::new("data", file).read(&options).unwrap();
    assert_eq!(table.ids.unwrap(), ["9007199254740992", "9007199254740993", "-9007199254740992", "4"]);
    let labels = table.labels.unwrap();
    assert_eq!(labels.names, ["9007199254740992", "9007199254740993"]);
    assert_eq!(labels.index, [Some(0), Some(1), None, Some(0)]);
}

#[track_caller]
fn sentence(bytes: &[u8], options: &ReadOptions) -> String {
    let fixture = Fixture::new("data.parquet", bytes);
    let path = fixture.0.display().to_string();
    fixture.read(options).unwrap_err().to_string().replace(&path, "data.parquet")
}

#[test]
fn a_missing_parquet_cell() {
    assert_eq!(
        sentence(&parquet(true), &labelled()),
        "data.parquet, row 2, column \"mass\": the cell is missing (\"null\"); fill it in, remove the row, or leave the column out with `drop = mass`"
    );
    let options = ReadOptions { missing: Missing::Keep, ..labelled() };
    let table = Fixture::new("data", parquet(true)).read(&options).unwrap();
    assert!(table.values[3].is_nan());
}

#[test]
fn a_parquet_column_of_words() {
    assert_eq!(
        sentence(&parquet(false), &ReadOptions::default()),
        "data.parquet, row 1, column \"kind\": \"red\" is not a number; correct the cell or remove the row, leave the column out with `drop = kind`, or use it as `id_column = kind` or `label_column = kind`"
    );
}

#[test]
fn damaged_parquet_never_panics() {
    let whole = parquet(false);
    assert!(sentence(&whole[..whole.len() - 10], &labelled()).contains("readable Parquet file"));
    assert!(sentence(b"a,b\n1,2\n", &labelled()).contains("readable Parquet file"));
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x15;
        let _ = Fixture::new("data.parquet", &bytes).read(&labelled());
    }
}
