//! Square matrices as `.npy`: a header and the numbers, which every tool of the field opens.

use crate::Failure;
use crate::store::broken;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A symmetric matrix of single precision that is written tile by tile and appears whole.
#[derive(Debug)]
pub(crate) struct Square {
    path: PathBuf,
    part: PathBuf,
    file: File,
    side: usize,
    start: u64,
}

/// The header of a matrix in the NPY format, version 1.
fn header(side: usize) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({side}, {side}), }}");
    // Magic, version and length take ten bytes; the data must start at a multiple of 64.
    let padding = 64 - (10 + header.len() + 1) % 64;
    header.extend(std::iter::repeat_n(' ', padding % 64));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes
}

impl Square {
    /// Begins a matrix under another name.
    pub fn create(path: &Path, side: usize) -> Result<Self, Failure> {
        let part = path.with_extension("npy.part");
        let header = header(side);
        let begin = || {
            let mut file = File::create(&part)?;
            file.write_all(&header)?;
            Ok(file)
        };
        let file = begin().map_err(|e| broken("be written", path, &e))?;
        let start = header.len() as u64;
        Ok(Square { path: path.to_path_buf(), part, file, side, start })
    }

    /// Writes a tile whose first cell is at (`row`, `column`), and its mirror image.
    pub fn write_tile(
        &mut self,
        row: usize,
        column: usize,
        width: usize,
        tile: &[f32],
    ) -> Result<(), Failure> {
        let height = tile.len() / width;
        let mut mirrored = vec![0f32; tile.len()];
        for (r, cells) in tile.chunks_exact(width).enumerate() {
            cells.iter().enumerate().for_each(|(c, cell)| mirrored[c * height + r] = *cell);
        }
        let mut write = || {
            self.put(column, row, height, &mirrored)?;
            self.put(row, column, width, tile)
        };
        write().map_err(|e| broken("be written", &self.path, &e))
    }

    fn put(&mut self, row: usize, column: usize, width: usize, cells: &[f32]) -> io::Result<()> {
        for (r, cells) in cells.chunks_exact(width).enumerate() {
            let at = ((row + r) * self.side + column) as u64;
            let bytes: Vec<u8> = cells.iter().flat_map(|cell| cell.to_le_bytes()).collect();
            self.file.seek(SeekFrom::Start(self.start + 4 * at))?;
            self.file.write_all(&bytes)?;
        }
        Ok(())
    }

    /// Gives the matrix its name.
    pub fn finish(self) -> Result<(), Failure> {
        let end = || {
            self.file.sync_all()?;
            fs::rename(&self.part, &self.path)
        };
        end().map_err(|e| broken("be written", &self.path, &e))
    }
}

impl Drop for Square {
    /// What was not finished goes.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_by_the_table_reader() {
        assert_eq!(header(2).len() % 64, 0);
        let path = std::env::temp_dir().join(format!("partita-npy-{}.npy", std::process::id()));
        let mut square = Square::create(&path, 3).unwrap();
        square.write_tile(0, 0, 2, &[1.0, 0.25, 0.25, 1.0]).unwrap();
        square.write_tile(2, 0, 2, &[0.5, -0.5]).unwrap();
        square.write_tile(2, 2, 1, &[1.0]).unwrap();
        square.finish().unwrap();
        let table = crate::data::Table::read(&path, &crate::data::ReadOptions::default()).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!((table.rows, table.columns), (3, 3));
        assert_eq!(table.values, [1.0, 0.25, 0.5, 0.25, 1.0, -0.5, 0.5, -0.5, 1.0]);
    }
}
