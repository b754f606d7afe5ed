//! Rows of delimited text, one at a time in reused memory, each with the line it starts on.

use std::io::Read;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::error::{DataError, FileError};
use super::open::Source;

/// A row may not be longer than this: a quote left open would swallow the file.
const MOST_BYTES: usize = 64 << 20;

/// A row may not have more cells than this.
const MOST_CELLS: usize = 1 << 20;

/// The cells of one row.
#[derive(Clone, Default)]
pub(super) struct Record {
    text: Vec<u8>,
    ends: Vec<usize>,
    cells: usize,
    /// The line the row starts on, from 1.
    pub line: u64,
}

impl Record {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells
    }

    /// One cell without the blanks around it.
    pub fn get(&self, cell: usize) -> &[u8] {
        let start = if cell == 0 { 0 } else { self.ends[cell - 1] };
        self.text[start..self.ends[cell]].trim_ascii()
    }

    /// Every cell in order.
    pub fn cells(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.cells).map(|cell| self.get(cell))
    }

    /// Forgets empty cells: between words set apart by runs of blanks there are none.
    fn drop_empty(&mut self) {
        let (mut kept, mut last) = (0, 0);
        for cell in 0..self.cells {
            let end = self.ends[cell];
            if end > last {
                self.ends[kept] = end;
                kept += 1;
                last = end;
            }
        }
        self.cells = kept;
    }

    /// Whether the row holds nothing, as a line of blanks does.
    fn is_blank(&self) -> bool {
        self.cells == 0 || (self.cells == 1 && self.get(0).is_empty())
    }
}

/// The rows of a text file.
pub(super) struct Records {
    source: Source,
    core: Reader,
    blanks: bool,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    line: u64,
    after_return: bool,
}

impl Records {
    /// Splits `source` at `delimiter`; a space stands for any run of spaces and tabs.
    pub fn new(source: Source, delimiter: u8) -> Records {
        Records {
            source,
            core: ReaderBuilder::new().delimiter(delimiter).build(),
            blanks: delimiter == b' ',
            buffer: vec![0; 64 * 1024],
            start: 0,
            end: 0,
            line: 1,
            after_return: false,
        }
    }

    /// The path, for sentences.
    pub fn file(&self) -> &str {
        &self.source.file
    }

    /// Reads the next row that is not blank; false at the end of the file.
    pub fn read(&mut self, record: &mut Record) -> Result<bool, DataError> {
        while self.read_any(record)? {
            if self.blanks {
                record.drop_empty();
            }
            if !record.is_blank() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads the next row, blank or not.
    fn read_any(&mut self, record: &mut Record) -> Result<bool, DataError> {
        let (mut bytes, mut cells) = (0, 0);
        let (mut begun, mut quotes) = (false, 0);
        record.line = self.line;
        loop {
            if self.start == self.end {
                self.fill()?;
            }
            let at_end = self.start == self.end;
            let (result, read, written, ended) = self.core.read_record(
                &self.buffer[self.start..self.end],
                &mut record.text[bytes..],
                &mut record.ends[cells..],
            );
            self.count_lines(read, &mut begun, &mut record.line);
            let consumed = &self.buffer[self.start..self.start + read];
            quotes += consumed.iter().filter(|&&byte| byte == b'"').count();
            self.start += read;
            bytes += written;
            cells += ended;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    self.grow(&mut record.text, MOST_BYTES, record.line)?;
                }
                ReadRecordResult::OutputEndsFull => {
                    self.grow(&mut record.ends, MOST_CELLS, record.line)?;
                }
                // It would have swallowed the rest of the file.
                ReadRecordResult::Record if at_end && quotes % 2 == 1 && self.line > record.line + 1 => {
                    return Err(DataError::OpenQuote { file: self.file().to_owned(), line: record.line });
                }
                ReadRecordResult::Record => {
                    record.cells = cells;
                    return Ok(true);
                }
                ReadRecordResult::End => return Ok(false),
            }
        }
    }

    /// Takes in the next bytes; none are there at the end of the file.
    fn fill(&mut self) -> Result<(), FileError> {
        let read = loop {
            match self.source.read(&mut self.buffer) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.source.failed(&error)),
                Ok(read) => break read,
            }
        };
        (self.start, self.end) = (0, read);
        if self.blanks {
            for byte in &mut self.buffer[..read] {
                if *byte == b'\t' {
                    *byte = b' ';
                }
            }
        }
        Ok(())
    }

    /// Moves the line count over bytes just consumed; a row starts past the line ends before it.
    fn count_lines(&mut self, read: usize, begun: &mut bool, record_line: &mut u64) {
        let consumed = &self.buffer[self.start..self.start + read];
        let mut before = 0;
        if !*begun {
            let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
            before = consumed.iter().take_while(is_end).count();
            *begun = before < read;
        }
        for (part, starts_row) in [(&consumed[..before], true), (&consumed[before..], false)] {
            // A return and a line feed together end one line.
            let feeds = part.iter().filter(|&&byte| byte == b'\n').count();
            let (mut returns, mut pairs) = (0, 0);
            if part.contains(&b'\r') {
                returns = part.iter().filter(|&&byte| byte == b'\r').count();
                pairs = part.windows(2).filter(|pair| *pair == b"\r\n").count();
            }
            pairs += usize::from(self.after_return && part.first() == Some(&b'\n'));
            self.line += (feeds + returns - pairs) as u64;
            self.after_return = part.last().map_or(self.after_return, |&last| last == b'\r');
            if starts_row && !part.is_empty() {
                *record_line = self.line;
            }
        }
    }

    /// Doubles a buffer of the record, up to its limit.
    fn grow<T: Clone + Default>(&self, buffer: &mut Vec<T>, most: usize, line: u64) -> Result<(), DataError> {
        if buffer.len() >= most {
            return Err(DataError::LongRow { file: self.file().to_owned(), line });
        }
        buffer.resize((2 * buffer.len()).clamp(256, most), T::default());
        Ok(())
    }
}
