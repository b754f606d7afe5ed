//! Reading NumPy's NPY files: 1-D and 2-D arrays of real numbers, in either byte and memory order.

use std::io::{self, BufReader, Read};

use super::builder::Builder;
use super::error::{DataError, Place, quote};
use super::open::Source;
use super::plan::Plan;
use super::{ReadOptions, Table, default_names};

/// How every NPY file starts.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// The header of a 2-D array of real numbers is shorter than this.
const MOST_HEADER: usize = 64 * 1024;

/// A table with more columns is a damaged header.
const MOST_COLUMNS: u64 = 1 << 20;

/// One number from its bytes, least significant first.
type Decode = fn(&[u8]) -> f64;

/// Whether whole numbers may be below zero.
#[derive(Debug, Clone, Copy)]
enum Sign {
    Signed,
    Unsigned,
}

/// What the header says.
#[derive(Debug)]
struct Header {
    size: usize,
    decode: Decode,
    /// For whole numbers that doubles cannot tell apart.
    whole: Option<Sign>,
    big_endian: bool,
    fortran: bool,
    rows: u64,
    columns: u64,
}

/// Reads a table from an NPY file.
pub(super) fn read(mut source: Source, options: &ReadOptions) -> Result<Table, DataError> {
    if source.most_bytes().is_none() {
        source = source.load()?;
    }
    let most = source.most_bytes().unwrap_or(0);
    let file = source.file.clone();
    let mut reader = BufReader::new(source);
    let text = header_text(&file, &mut reader)?;
    let header = parse(&text).map_err(|reason| DataError::Npy { file: file.clone(), reason })?;
    let wanted = header.rows.checked_mul(header.columns);
    let wanted = wanted.and_then(|numbers| numbers.checked_mul(header.size as u64));
    if wanted.is_none_or(|wanted| wanted > most) {
        return Err(header.wrong_size(&file, "fewer bytes"));
    }
    if header.rows < 2 && !(options.one_row && header.rows == 1) {
        return Err(DataError::TooFewRows { file, rows: header.rows as usize });
    }
    if header.columns > MOST_COLUMNS {
        let reason = format!("it has {} columns, more than {MOST_COLUMNS}", header.columns);
        return Err(DataError::Npy { file, reason });
    }
    let columns = header.columns as usize;
    let plan = Plan::new(&file, default_names(columns), None, options)?;
    let mut builder = Builder::new(&file, plan, options);
    if header.fortran && header.columns > 1 {
        by_column(&mut reader, &header, &mut builder, &file)?;
    } else {
        by_row(&mut reader, &header, &mut builder, &file)?;
    }
    let extra = reader.read(&mut [0]).map_err(|error| reader.get_ref().failed(&error))?;
    if extra > 0 {
        return Err(header.wrong_size(&file, "more bytes"));
    }
    builder.finish()
}

/// Reads numbers in the order they lie in a C array.
fn by_row(
    reader: &mut BufReader<Source>,
    header: &Header,
    builder: &mut Builder,
    file: &str,
) -> Result<(), DataError> {
    let mut bytes = vec![0; header.columns as usize * header.size];
    for row in 1..=header.rows {
        if !fill(reader, &mut bytes)? {
            return Err(header.wrong_size(file, "fewer bytes"));
        }
        let number = |column: usize| header.number(&bytes[column * header.size..]);
        let text = |column: usize| header.text(&bytes[column * header.size..]);
        let place = Place::Row(row);
        for at in 0..builder.plan.data.len() {
            let column = builder.plan.data[at];
            let value = builder.checked(number(column), place, at)?;
            builder.values.push(value);
        }
        if let Some(column) = builder.plan.id {
            builder.push_id(place, column, &text(column))?;
        }
        if let Some(column) = builder.plan.label {
            builder.push_label(&text(column));
        }
    }
    Ok(())
}

/// Reads numbers in the order they lie in a Fortran array.
fn by_column(
    reader: &mut BufReader<Source>,
    header: &Header,
    builder: &mut Builder,
    file: &str,
) -> Result<(), DataError> {
    let width = builder.plan.data.len();
    // The size was held against the length of the file above, and zeroed memory is only claimed
    // from the system as it is written.
    builder.values = vec![0.0; header.rows as usize * width];
    let mut bytes = vec![0; header.size];
    for column in 0..header.columns as usize {
        let at = builder.plan.data.iter().position(|&data| data == column);
        for row in 0..header.rows as usize {
            if !fill(reader, &mut bytes)? {
                return Err(header.wrong_size(file, "fewer bytes"));
            }
            let number = header.number(&bytes);
            let place = Place::Row(row as u64 + 1);
            if let Some(at) = at {
                builder.values[row * width + at] = builder.checked(number, place, at)?;
            } else if builder.plan.id == Some(column) {
                builder.push_id(place, column, &header.text(&bytes))?;
            }
            if builder.plan.label == Some(column) {
                builder.push_label(&header.text(&bytes));
            }
        }
    }
    Ok(())
}

impl Header {
    /// The number whose bytes come first in `bytes`.
    fn number(&self, bytes: &[u8]) -> f64 {
        (self.decode)(&self.little_endian(bytes)[..self.size])
    }

    /// The same as text: exactly, where a double would not do.
    fn text(&self, bytes: &[u8]) -> String {
        match self.whole {
            Some(Sign::Signed) => i64::from_le_bytes(self.little_endian(bytes)).to_string(),
            Some(Sign::Unsigned) => u64::from_le_bytes(self.little_endian(bytes)).to_string(),
            None => self.number(bytes).to_string(),
        }
    }

    /// The bytes of the number that comes first in `bytes`, least significant first, and zeros.
    fn little_endian(&self, bytes: &[u8]) -> [u8; 8] {
        let mut ordered = [0; 8];
        ordered[..self.size].copy_from_slice(&bytes[..self.size]);
        if self.big_endian {
            ordered[..self.size].reverse();
        }
        ordered
    }

    /// The sentence for a shape that the bytes do not fit.
    fn wrong_size(&self, file: &str, found: &str) -> DataError {
        DataError::NpySize {
            file: file.to_owned(),
            rows: self.rows,
            columns: self.columns,
            size: self.size,
            found: found.to_owned(),
        }
    }
}

/// Fills `bytes` from the file; false when a well-formed file ends before.
fn fill(reader: &mut BufReader<Source>, bytes: &mut [u8]) -> Result<bool, DataError> {
    let mut filled = 0;
    while filled < bytes.len() {
        match reader.read(&mut bytes[filled..]) {
            Ok(0) => return Ok(false),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(reader.get_ref().failed(&error).into()),
        }
    }
    Ok(true)
}

/// The dictionary in the header, as text.
fn header_text(file: &str, reader: &mut BufReader<Source>) -> Result<String, DataError> {
    let broken = |reason: &str| DataError::Npy { file: file.to_owned(), reason: reason.to_owned() };
    let mut bytes = |length: usize| {
        let mut bytes = vec![0; length];
        match fill(reader, &mut bytes)? {
            true => Ok(bytes),
            false => Err(broken("the header is cut short")),
        }
    };
    let start: Vec<u8> = bytes(8)?;
    let length = match start[6] {
        1 => bytes(2)?,
        2 | 3 => bytes(4)?,
        version => return Err(broken(&format!("format version {version} is not known"))),
    };
    let length = length.iter().rev().fold(0, |sum, &byte| (sum << 8) | usize::from(byte));
    if length > MOST_HEADER {
        return Err(broken(&format!("a header of {length} bytes is not that of a table")));
    }
    String::from_utf8(bytes(length)?).map_err(|_| broken("the header is not text"))
}

/// Reads the dictionary of the header.
fn parse(text: &str) -> Result<Header, String> {
    let entry = |key: &str| {
        let mut quoted = [format!("'{key}'"), format!("\"{key}\"")].into_iter();
        let rest = quoted.find_map(|key| text.split_once(key.as_str()).map(|(_, rest)| rest));
        let rest = rest.and_then(|rest| rest.trim_start().strip_prefix(':'));
        rest.map(str::trim_start).ok_or_else(|| format!("the header does not give its {key}"))
    };
    let shape = entry("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let shape = shape.ok_or("the shape is not closed")?.0;
    let lengths: Result<Vec<u64>, _> =
        shape.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::parse).collect();
    let lengths = lengths.map_err(|_| format!("the shape {} is not made of whole numbers", quote(shape)))?;
    let (rows, columns) = match lengths[..] {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => return Err(format!("the array has {} dimensions", lengths.len())),
    };
    let fortran = match entry("fortran_order")? {
        rest if rest.starts_with("True") => true,
        rest if rest.starts_with("False") => false,
        _ => return Err("the memory order is neither True nor False".to_owned()),
    };
    let rest = entry("descr")?;
    let descr = match rest.chars().next() {
        Some(mark @ ('\'' | '"')) => rest[1..].split_once(mark).map(|(descr, _)| descr),
        Some('[') => return Err("the array is a record array".to_owned()),
        _ => None,
    };
    let descr = descr.ok_or("the type of the numbers is not given")?;
    let (big_endian, kind) = match descr.chars().next() {
        Some('<' | '|' | '=') => (false, &descr[1..]),
        Some('>') => (true, &descr[1..]),
        _ => (false, descr),
    };
    let (size, decode) =
        decoder(kind).ok_or_else(|| format!("numbers of type {} are not supported", quote(descr)))?;
    // Shorter whole numbers are doubles.
    let whole = match kind {
        "i8" => Some(Sign::Signed),
        "u8" => Some(Sign::Unsigned),
        _ => None,
    };
    Ok(Header { size, decode, whole, big_endian, fortran, rows, columns })
}

/// Size and meaning of a type of numbers.
fn decoder(kind: &str) -> Option<(usize, Decode)> {
    macro_rules! little {
        ($type:ty) => {
            (size_of::<$type>(), |bytes| {
                bytes.try_into().map_or(f64::NAN, |bytes| <$type>::from_le_bytes(bytes) as f64)
            })
        };
    }
    Some(match kind {
        "f8" => little!(f64),
        "f4" => little!(f32),
        "i1" => little!(i8),
        "i2" => little!(i16),
        "i4" => little!(i32),
        "i8" => little!(i64),
        "u1" => little!(u8),
        "u2" => little!(u16),
        "u4" => little!(u32),
        "u8" => little!(u64),
        "b1" => (1, |bytes| f64::from(u8::from(*bytes != [0]))),
        _ => return None,
    })
}
