//! Matrices as `.npy`: a header and the numbers, which every tool of the field opens.

/// A square matrix in the NPY format, version 1.
pub(crate) fn square(values: &[f64], side: usize) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({side}, {side}), }}");
    // Magic, version and length take ten bytes; the data must start at a multiple of 64.
    let padding = 64 - (10 + header.len() + 1) % 64;
    header.extend(std::iter::repeat_n(' ', padding % 64));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_written_is_read_by_the_table_reader() {
        let bytes = super::square(&[1.0, 0.25, 0.25, 1.0], 2);
        assert_eq!((bytes.len() - 32) % 64, 0);
        let path = std::env::temp_dir().join(format!("partita-npy-{}.npy", std::process::id()));
        std::fs::write(&path, &bytes).unwrap();
        let table = crate::data::Table::read(&path, &crate::data::ReadOptions::default()).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!((table.rows, table.columns, table.values), (2, 2, vec![1.0, 0.25, 0.25, 1.0]));
    }
}
