//! Reading Parquet files: flat columns of numbers, and columns of text for row names and labels.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::Type;

use super::builder::Builder;
use super::error::{DataError, Place};
use super::plan::{Plan, header_names};
use super::{ReadOptions, Table};

/// The name under which pandas keeps row names.
const PANDAS_INDEX: &str = "__index_level_0__";

/// Reads a table from a Parquet file.
pub(super) fn read(path: &Path, file: &str, options: &ReadOptions) -> Result<Table, DataError> {
    // The decoder does not promise to return from damaged input, so a panic in it is damage too.
    let attempt = std::panic::catch_unwind(|| read_rows(path, file, options));
    attempt.unwrap_or_else(|_| Err(broken(file, "its content is damaged")))
}

/// The sentence for a file its reader gives up on.
fn broken(file: &str, reason: &str) -> DataError {
    DataError::Parquet { file: file.to_owned(), reason: reason.to_owned() }
}

/// Reads the rows of the columns that have a role.
fn read_rows(path: &Path, file: &str, options: &ReadOptions) -> Result<Table, DataError> {
    let failed = |error: ParquetError| broken(file, &error.to_string());
    let handle = File::open(path).map_err(|error| broken(file, &error.to_string()))?;
    let reader = SerializedFileReader::new(handle).map_err(failed)?;
    let schema = reader.metadata().file_metadata().schema();
    let fields = schema.get_fields();
    let names = fields.iter().map(|field| field.name().to_owned()).collect();
    let names = header_names(file, names)?;
    let index = names.iter().position(|name| name == PANDAS_INDEX).filter(|_| names.len() > 1);
    let plan = Plan::new(file, names, index, options)?;

    let mut used: Vec<usize> = plan.data.iter().copied().chain(plan.id).chain(plan.label).collect();
    used.sort_unstable();
    used.dedup();
    let kept = used.iter().map(|&column| Arc::clone(&fields[column])).collect();
    let projection = Type::group_type_builder(schema.name()).with_fields(kept).build().map_err(failed)?;
    let place_in_row = |column: usize| used.partition_point(|&other| other < column);

    let mut builder = Builder::new(file, plan, options);
    let rows = reader.get_row_iter(Some(projection)).map_err(failed)?;
    for (number, row) in (1..).zip(rows) {
        let place = Place::Row(number);
        let row = row.map_err(failed)?.into_columns();
        let field = |column: usize| row.get(place_in_row(column)).map(|(_, field)| field);
        for at in 0..builder.plan.data.len() {
            let column = builder.plan.data[at];
            let field = field(column).ok_or_else(|| broken(file, "a row is short"))?;
            let value = match number_of(field) {
                Some(number) => builder.checked(number, place, at)?,
                None if *field == Field::Null => builder.missing(place, column, "null")?,
                None => {
                    let text = text_of(Some(field));
                    match builder.word(place, at, &text) {
                        Some(level) => level?,
                        None => {
                            let name = &builder.plan.names[column];
                            return Err(DataError::not_a_number(file, place, name, &text, false));
                        }
                    }
                }
            };
            builder.values.push(value);
        }
        if let Some(column) = builder.plan.id {
            builder.push_id(place, column, &text_of(field(column)))?;
        }
        if let Some(column) = builder.plan.label {
            builder.push_label(&text_of(field(column)));
        }
    }
    builder.finish()
}

/// The number in a field, if it is one.
fn number_of(field: &Field) -> Option<f64> {
    Some(match *field {
        Field::Bool(value) => f64::from(u8::from(value)),
        Field::Byte(value) => f64::from(value),
        Field::Short(value) => f64::from(value),
        Field::Int(value) => f64::from(value),
        Field::Long(value) => value as f64,
        Field::UByte(value) => f64::from(value),
        Field::UShort(value) => f64::from(value),
        Field::UInt(value) => f64::from(value),
        Field::ULong(value) => value as f64,
        Field::Float16(value) => f64::from(value),
        Field::Float(value) => f64::from(value),
        Field::Double(value) => value,
        Field::Decimal(_) => return field.to_string().parse().ok(),
        _ => return None,
    })
}

/// A field as text, empty when there is nothing.
fn text_of(field: Option<&Field>) -> String {
    match field {
        None | Some(Field::Null) => String::new(),
        Some(Field::Str(text)) => text.clone(),
        Some(Field::Bytes(bytes)) => String::from_utf8_lossy(bytes.data()).into_owned(),
        // Exactly, where a double would not do.
        Some(Field::Long(value)) => value.to_string(),
        Some(Field::ULong(value)) => value.to_string(),
        Some(field) => match number_of(field) {
            Some(number) if !matches!(field, Field::Bool(_)) => number.to_string(),
            _ => field.to_string(),
        },
    }
}
