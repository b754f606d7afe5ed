//! One file out of a small zip archive: that is how the UCI repository gives its data sets out.

use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::io::Read;

/// Beginning of a zip archive.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

/// A file of these archives is never larger; what claims to be is not ours.
const MOST: usize = 64 << 20;

/// The content of the file of that name, in whatever folder; or what is wrong, in words.
pub(super) fn member(archive: &[u8], name: &str) -> Result<Vec<u8>, String> {
    let damaged = || "the zip archive is damaged".to_string();
    // The directory is at the end, and says where it begins.
    let end = find_last(archive, b"PK\x05\x06").ok_or_else(damaged)?;
    let entries = number(archive, end + 10, 2).ok_or_else(damaged)?;
    let mut at = number(archive, end + 16, 4).ok_or_else(damaged)?;
    for _ in 0..entries {
        let field = |offset, bytes| number(archive, at + offset, bytes).ok_or_else(damaged);
        let (method, crc, packed, size) = (field(10, 2)?, field(16, 4)?, field(20, 4)?, field(24, 4)?);
        let (name_size, extra, comment, local) = (field(28, 2)?, field(30, 2)?, field(32, 2)?, field(42, 4)?);
        let path = archive.get(at + 46..at + 46 + name_size).ok_or_else(damaged)?;
        at += 46 + name_size + extra + comment;
        if path.rsplit(|&byte| byte == b'/').next() != Some(name.as_bytes()) {
            continue;
        }
        let skipped = |offset| number(archive, local + offset, 2).ok_or_else(damaged);
        let start = local + 30 + skipped(26)? + skipped(28)?;
        let stored = archive.get(start..start + packed).ok_or_else(damaged)?;
        let mut content = Vec::new();
        match method {
            0 => content.extend_from_slice(stored),
            8 if size <= MOST => {
                let decoder = DeflateDecoder::new(stored);
                decoder.take(MOST as u64).read_to_end(&mut content).map_err(|_| damaged())?;
            }
            _ => return Err(format!("{name} is compressed in a way that is not read here")),
        }
        let mut sum = Crc::new();
        sum.update(&content);
        return if (sum.sum() as usize, content.len()) == (crc, size) { Ok(content) } else { Err(damaged()) };
    }
    Err(format!("the zip archive has no {name}"))
}

/// A number of two or four bytes, the lowest first.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}

fn find_last(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).rposition(|window| window == mark)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use std::io::Write;

    /// An archive of some files, compressed or not, sizes in the directory only, as streams have them.
    pub fn zip(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
        let (mut archive, mut directory) = (Vec::new(), Vec::new());
        for (name, content, deflate) in files {
            let mut crc = Crc::new();
            crc.update(content);
            let stored = if *deflate {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
                encoder.write_all(content).unwrap();
                encoder.finish().unwrap()
            } else {
                content.to_vec()
            };
            let two = |n: usize| (n as u16).to_le_bytes();
            let four = |n: usize| (n as u32).to_le_bytes();
            let local = archive.len();
            archive.extend(MAGIC);
            archive.extend([0; 22]);
            archive.extend([two(name.len()), two(0)].concat());
            archive.extend(name.bytes());
            archive.extend(&stored);
            directory.extend(b"PK\x01\x02");
            directory.extend([0; 6]);
            directory.extend([two(if *deflate { 8 } else { 0 }), two(0), two(0)].concat());
            directory.extend([four(crc.sum() as usize), four(stored.len()), four(content.len())].concat());
            directory.extend([two(name.len()), two(0), two(0)].concat());
            directory.extend([0; 8]);
            directory.extend(four(local));
            directory.extend(name.bytes());
        }
        let start = archive.len();
        archive.extend(&directory);
        archive.extend(b"PK\x05\x06\0\0\0\0");
        archive.extend((files.len() as u16).to_le_bytes().repeat(2));
        archive.extend((directory.len() as u32).to_le_bytes());
        archive.extend((start as u32).to_le_bytes());
        archive.extend([0; 2]);
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
