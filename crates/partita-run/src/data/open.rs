//! Opening a file once for every reader: path errors, gzip by its magic bytes, a look at the head.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use encoding_rs::{Encoding, UTF_8};
use flate2::read::MultiGzDecoder;

use super::error::FileError;

/// Bytes of content held in memory to recognise the format.
const HEAD: u64 = 64 * 1024;

/// Deflate cannot shrink its input by more than this factor.
const DEFLATE_FACTOR: u64 = 1032;

/// An open file, decompressed on the way, whose first bytes are known.
pub(crate) struct Source {
    /// The path, for sentences.
    pub file: String,
    /// The name without directory and `.gz`, in lower case.
    pub stem: String,
    head: Vec<u8>,
    at: usize,
    rest: Box<dyn Read>,
    gzip: bool,
    length: Option<u64>,
    /// Where it can be opened again; none for pipes and what is in memory.
    path: Option<PathBuf>,
}

/// The path that means standard input, and its name in sentences.
pub(crate) const STANDARD_INPUT: &str = "-";
const IN_WORDS: &str = "standard input";

/// How a path is called in sentences.
pub(crate) fn called(path: &Path) -> String {
    if path.as_os_str() == STANDARD_INPUT { IN_WORDS.into() } else { path.display().to_string() }
}

/// All of standard input, read at the first call.
fn standard_input() -> &'static Result<Vec<u8>, String> {
    static BYTES: OnceLock<Result<Vec<u8>, String>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes).map_err(|error| error.to_string())
    })
}

impl Source {
    /// Opens `path`; a file without content is an error. `-` is standard input, which is read once and stays in memory.
    pub fn open(path: &Path) -> Result<Source, FileError> {
        if path.as_os_str() == STANDARD_INPUT {
            let bytes = standard_input()
                .as_ref()
                .map_err(|reason| FileError::Unreadable { file: IN_WORDS.into(), reason: reason.clone() })?;
            return Source::held(IN_WORDS, "", bytes.clone());
        }
        let file = path.display().to_string();
        let unreadable = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => FileError::NotFound { file: file.clone() },
            _ => FileError::Unreadable { file: file.clone(), reason: error.to_string() },
        };
        let metadata = fs::metadata(path).map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(FileError::Directory { file });
        }
        let raw = File::open(path).map_err(unreadable)?;
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
        let length = metadata.is_file().then_some(metadata.len());
        let source = Source::begin(file, &name.unwrap_or_default(), Box::new(raw), length)?;
        Ok(Source { path: metadata.is_file().then(|| path.to_owned()), ..source })
    }

    /// Content that is in memory; `file` is what sentences call it, `name` what tells its format.
    pub fn held(file: &str, name: &str, bytes: Vec<u8>) -> Result<Source, FileError> {
        let length = Some(bytes.len() as u64);
        Source::begin(file.to_owned(), name, Box::new(io::Cursor::new(bytes)), length)
    }

    /// Looks at the beginning of what is read.
    fn begin(
        file: String,
        name: &str,
        mut raw: Box<dyn Read>,
        length: Option<u64>,
    ) -> Result<Source, FileError> {
        let mut magic = Vec::new();
        raw.by_ref()
            .take(2)
            .read_to_end(&mut magic)
            .map_err(|error| FileError::Unreadable { file: file.clone(), reason: error.to_string() })?;
        if magic.is_empty() {
            return Err(FileError::Empty { file });
        }
        let gzip = magic == [0x1f, 0x8b];
        let stem = name.strip_suffix(".gz").unwrap_or(name).to_owned();
        if stem.len() < name.len() && !gzip {
            return Err(FileError::NotGzip { file });
        }
        let whole = io::Cursor::new(magic).chain(raw);
        let rest: Box<dyn Read> =
            if gzip { Box::new(MultiGzDecoder::new(BufReader::new(whole))) } else { Box::new(whole) };
        let mut source = Source { file, stem, head: Vec::new(), at: 0, rest, gzip, length, path: None };
        let mut head = Vec::new();
        let read = source.rest.by_ref().take(HEAD).read_to_end(&mut head);
        read.map_err(|error| source.failed(&error))?;
        if head.is_empty() {
            return Err(FileError::Empty { file: source.file });
        }
        source.head = head;
        Ok(source)
    }

    /// The first bytes of the content, up to 64 KiB.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Passes over the mark that some programs put before UTF-8 text.
    pub fn skip_byte_order_mark(&mut self) {
        if self.at == 0 && self.head.starts_with(b"\xef\xbb\xbf") {
            self.head.drain(..3);
        }
    }

    /// The same text in UTF-8, where it begins with the mark of UTF-16, in which Excel saves "Unicode text".
    pub fn in_utf8(self) -> Result<Source, FileError> {
        let marked = Encoding::for_bom(&self.head).filter(|(encoding, _)| *encoding != UTF_8);
        let Some((encoding, _)) = marked else { return Ok(self) };
        let source = self.load()?;
        let head = encoding.decode(&source.head).0.into_owned().into_bytes();
        Ok(Source { length: Some(head.len() as u64), head, path: None, ..source })
    }

    /// No more bytes than this can follow from the start; `None` for a pipe.
    pub fn most_bytes(&self) -> Option<u64> {
        let factor = if self.gzip { DEFLATE_FACTOR } else { 1 };
        self.length.map(|length| length.saturating_mul(factor))
    }

    /// Holds what is left in memory, so that [`most_bytes`](Self::most_bytes) is known for a pipe.
    pub fn load(mut self) -> Result<Source, FileError> {
        let mut head = std::mem::take(&mut self.head);
        let read = self.rest.read_to_end(&mut head);
        read.map_err(|error| self.failed(&error))?;
        Ok(Source { length: Some(head.len() as u64), gzip: false, head, rest: Box::new(io::empty()), ..self })
    }

    /// The same content twice; what cannot be opened again is held in memory for it.
    pub fn twice(self) -> Result<(Source, Source), FileError> {
        if let Some(path) = &self.path {
            return Ok((Source::open(path)?, self));
        }
        let source = self.load()?;
        let (file, stem, head) = (source.file.clone(), source.stem.clone(), source.head.clone());
        Ok((Source { file, stem, head, rest: Box::new(io::empty()), path: None, ..source }, source))
    }

    /// The sentence for a failed read.
    pub fn failed(&self, error: &io::Error) -> FileError {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        let (file, reason) = (self.file.clone(), error.to_string());
        if self.gzip && matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof) {
            FileError::Gzip { file, reason }
        } else {
            FileError::Unreadable { file, reason }
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = &self.head[self.at..];
        if left.is_empty() {
            return self.rest.read(buffer);
        }
        let taken = left.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&left[..taken]);
        self.at += taken;
        Ok(taken)
    }
}
