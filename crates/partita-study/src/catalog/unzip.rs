//! One file out of a zip archive: that is how the UCI repository gives its data sets out.

use std::io::{Cursor, ErrorKind, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Beginning of a zip archive.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

/// A file of these archives is never larger; what is larger is not ours.
const MOST: u64 = 64 << 20;

/// The content of the file of that name, in whatever folder; or what is wrong, in words.
pub(super) fn member(archive: &[u8], name: &str) -> Result<Vec<u8>, String> {
    let wrong = |error: ZipError| match error {
        ZipError::Io(error) if error.kind() != ErrorKind::Unsupported => "the zip archive is damaged".into(),
        ZipError::InvalidArchive(_) => "the zip archive is damaged".into(),
        _ => format!("{name} is compressed in a way that is not read here"),
    };
    let mut archive = ZipArchive::new(Cursor::new(archive)).map_err(wrong)?;
    let is_it = |path: &[u8]| path.rsplit(|&byte| byte == b'/').next() == Some(name.as_bytes());
    let Some(at) = archive.file_names_raw().position(is_it) else {
        return Err(format!("the zip archive has no {name}"));
    };
    let mut content = Vec::new();
    let file = archive.by_index(at).map_err(wrong)?;
    file.take(MOST + 1).read_to_end(&mut content).map_err(|error| wrong(error.into()))?;
    if content.len() as u64 > MOST {
        return Err(format!("{name} is far larger than the data set"));
    }
    Ok(content)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    /// An archive of some files, compressed or not, sizes behind their content, as streams have them.
    pub fn zip(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
        let mut archive = ZipWriter::new_stream(Vec::new());
        for (name, content, deflate) in files {
            let method = if *deflate { CompressionMethod::Deflated } else { CompressionMethod::Stored };
            archive.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
            archive.write_all(content).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    /// Changes a byte of both headers of the only file of an archive, the local one and that of the directory.
    fn change(mut archive: Vec<u8>, local: usize, change: impl Fn(u8) -> u8) -> Vec<u8> {
        let directory = archive.windows(4).rposition(|mark| mark == b"PK\x01\x02").unwrap();
        for at in [local, directory + local + 2] {
            archive[at] = change(archive[at]);
        }
        archive
    }

    #[test]
    fn a_file_comes_out_as_it_went_in() {
        let long = b"1,2,3\n".repeat(1000);
        let archive = zip(&[("Index", b"x", false), ("folder/abalone.data", &long, true)]);
        assert_eq!(member(&archive, "abalone.data").unwrap(), long);
        assert_eq!(member(&archive, "Index").unwrap(), b"x");
        assert_eq!(member(&archive, "data").unwrap_err(), "the zip archive has no data");
    }

    #[test]
    fn what_surrounds_an_archive_does_not_matter() {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file("a", SimpleFileOptions::default()).unwrap();
        archive.write_all(b"content").unwrap();
        // The mark of the directory's end.
        archive.set_comment("see PK\u{5}\u{6} in the books, and what comes after it").unwrap();
        let archive = archive.finish().unwrap().into_inner();
        assert_eq!(member(&archive, "a").unwrap(), b"content");
        assert_eq!(member(&[&MAGIC.repeat(30), &archive[..]].concat(), "a").unwrap(), b"content");
    }

    #[test]
    fn what_is_not_read_is_said() {
        let archive = || zip(&[("a", &b"some content ".repeat(20), true)]);
        let other = "a is compressed in a way that is not read here";
        let bzip2 = change(archive(), 8, |_| 12);
        assert_eq!(member(&bzip2, "a").unwrap_err(), other);
        let locked = change(archive(), 6, |flags| flags | 1);
        assert_eq!(member(&locked, "a").unwrap_err(), other);
        let bomb = zip(&[("a", &vec![0; MOST as usize + 1], true)]);
        assert!(bomb.len() < 200_000);
        assert_eq!(member(&bomb, "a").unwrap_err(), "a is far larger than the data set");
    }

    #[test]
    fn damage_is_noticed() {
        let archive = zip(&[("a", &b"some content ".repeat(20), true)]);
        for cut in 0..archive.len() - 2 {
            assert!(member(&archive[..cut], "a").is_err(), "{cut}");
        }
        for at in 0..archive.len() {
            // Whatever byte is wrong, nothing wrong comes out, and nothing panics.
            let mut wrong = archive.clone();
            wrong[at] ^= 0x55;
            if let Ok(content) = member(&wrong, "a") {
                assert_eq!(content, b"some content ".repeat(20), "{at}");
            }
        }
    }
}
