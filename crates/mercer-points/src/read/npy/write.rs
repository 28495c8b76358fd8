//! Writing a matrix row by row, so that it is never held twice.

use std::io::{self, Write};

/// The types of elements that can be written: `f32` and `f64`.
pub trait NpyFloat: Copy + Default + private::Sealed {
    /// NumPy's spelling of the type.
    const DESCR: &'static str;

    /// Appends the bytes of the value.
    fn append(self, bytes: &mut Vec<u8>);
}

mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl NpyFloat for f32 {
    const DESCR: &'static str = "<f4";

    fn append(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }
}

impl NpyFloat for f64 {
    const DESCR: &'static str = "<f8";

    fn append(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }
}

/// Writes a matrix as a NumPy array; `fill(i, row)` is called once for each row, in order.
///
/// ```
/// use mercer_points::{Format, Points, ReadOptions, read_from, write_npy};
/// let mut file = Vec::new();
/// write_npy(&mut file, 2, 3, |i, row: &mut [f32]| row.fill(i as f32))?;
/// let table = read_from(file.as_slice(), "k.npy", Format::Npy, &ReadOptions::default()).unwrap();
/// assert_eq!(table.len(), 2);
/// # std::io::Result::Ok(())
/// ```
pub fn write_npy<T: NpyFloat>(
    mut writer: impl Write,
    rows: usize,
    columns: usize,
    mut fill: impl FnMut(usize, &mut [T]),
) -> io::Result<()> {
    let dictionary =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}", T::DESCR);
    // Ten bytes come before; with the line end the header is padded to a multiple of 64.
    let length = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
    writer.write_all(b"\x93NUMPY\x01\x00")?;
    writer.write_all(&(length as u16).to_le_bytes())?;
    writeln!(writer, "{dictionary:<width$}", width = length - 1)?;
    let mut row = vec![T::default(); columns];
    let mut bytes = Vec::new();
    for i in 0..rows {
        fill(i, &mut row);
        bytes.clear();
        row.iter().for_each(|value| value.append(&mut bytes));
        writer.write_all(&bytes)?;
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_as_numpy_writes_it() {
        let mut file = Vec::new();
        write_npy(&mut file, 3, 2, |i, row: &mut [f64]| row.copy_from_slice(&[i as f64, -1.0])).unwrap();
        let dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }";
        let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        expected.extend_from_slice(format!("{dictionary:<117}\n").as_bytes());
        assert_eq!(&file[..128], expected.as_slice());
        assert_eq!(file.len(), 128 + 48);
        assert_eq!(&file[128 + 16..128 + 24], &1f64.to_le_bytes());
    }

    #[test]
    fn matrices_without_rows_or_columns_are_written() {
        for (rows, columns) in [(0, 3), (3, 0)] {
            let mut file = Vec::new();
            write_npy(&mut file, rows, columns, |_, _: &mut [f32]| {}).unwrap();
            assert_eq!(file.len() % 64, 0);
        }
    }
}
