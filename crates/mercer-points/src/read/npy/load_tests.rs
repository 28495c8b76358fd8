use proptest::prelude::*;

use crate::read::{Format, Missing, NpyProblem, ReadError, ReadOptions, read_from, write_npy};
use crate::{ColumnData, Dense, Table};

/// A file of the given version, dictionary and elements.
fn file(version: u8, dictionary: &str, elements: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend_from_slice(&[version, 0]);
    match version {
        1 => bytes.extend_from_slice(&(dictionary.len() as u16).to_le_bytes()),
        _ => bytes.extend_from_slice(&(dictionary.len() as u32).to_le_bytes()),
    }
    bytes.extend_from_slice(dictionary.as_bytes());
    bytes.extend_from_slice(elements);
    bytes
}

fn dictionary(descr: &str, fortran: bool, shape: &str) -> String {
    let order = if fortran { "True" } else { "False" };
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n")
}

fn bytes(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn read(bytes: &[u8]) -> Result<Table, ReadError> {
    read_from(bytes, "k.npy", Format::Npy, &ReadOptions::default())
}

fn block(table: &Table) -> (&Dense<f64>, &[String]) {
    match &table.column("features").unwrap().data {
        ColumnData::Dense(rows, names) => (rows, names),
        other => panic!("{}", other.kind()),
    }
}

fn problem(bytes: &[u8]) -> NpyProblem {
    match read(bytes).unwrap_err() {
        ReadError::Npy { problem, .. } => problem,
        other => panic!("{other}"),
    }
}

#[test]
fn versions_and_orders() {
    let elements = bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    for version in 1..=3 {
        let table = read(&file(version, &dictionary("<f8", false, "(3, 2)"), &elements)).unwrap();
        let (rows, names) = block(&table);
        assert_eq!(rows, &Dense::from_rows(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]));
        assert_eq!(names, ["1", "2"]);
        let table = read(&file(version, &dictionary("<f8", true, "(3, 2)"), &elements)).unwrap();
        assert_eq!(block(&table).0, &Dense::from_rows(&[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]));
        let table = read(&file(version, &dictionary("<f8", false, "(6,)"), &elements)).unwrap();
        assert_eq!(block(&table).0.dim(), 1);
    }
    let table = read(&file(1, &dictionary("|u1", false, "(2, 1)"), &[3, 255])).unwrap();
    assert_eq!(block(&table).0.values(), &[3.0, 255.0]);
}

#[test]
fn files_that_lie() {
    let good = file(1, &dictionary("<f8", false, "(2, 1)"), &bytes(&[1.0, 2.0]));
    for end in 0..good.len() {
        assert!(read(&good[..end]).is_err(), "{end}");
    }
    let short = NpyProblem::Length { needed: 16, found: "there are only 15".into() };
    assert_eq!(problem(&good[..good.len() - 1]), short);
    let long = NpyProblem::Length { needed: 16, found: "there are more".into() };
    assert_eq!(problem(&[good.as_slice(), &[0]].concat()), long);
    let huge = file(1, &dictionary("<f8", false, "(100000, 5000)"), &[]);
    assert!(matches!(problem(&huge), NpyProblem::Length { .. }));
    assert_eq!(problem(b"not an array"), NpyProblem::Magic);
    assert_eq!(problem(&file(4, "", &[])), NpyProblem::Version(4));
    assert!(matches!(problem(b"\x93NUMPY\x02\0\xff\xff\xff\xff"), NpyProblem::Header(_)));
    assert!(matches!(problem(&file(1, &dictionary(">f8", false, "(1,)"), &[0; 8])), NpyProblem::Type(_)));
    assert!(matches!(problem(&file(1, &dictionary("|O", false, "(1,)"), &[0; 8])), NpyProblem::Type(_)));
    assert!(matches!(problem(&file(1, &dictionary("<f8", false, "(1, 1, 1)"), &[])), NpyProblem::Shape(_)));
    let inexact = file(
        1,
        &dictionary("<i8", true, "(1, 2)"),
        &[[1, 0, 0, 0, 0, 0, 0, 0], [255, 255, 255, 255, 255, 255, 255, 127]].concat(),
    );
    let value = i64::MAX.to_string();
    assert_eq!(problem(&inexact), NpyProblem::Inexact { row: 1, column: 2, value });
}

#[test]
fn too_large_and_empty() {
    for shape in ["(99999999999, 99999999999)", "(4294967296, 4294967296)", "(100000, 100000)"] {
        let error = read(&file(1, &dictionary("<f8", false, shape), &[])).unwrap_err();
        assert!(matches!(error, ReadError::TooLarge { .. }), "{error}");
    }
    let empty = read(&file(1, &dictionary("<f8", false, "(0, 3)"), &[])).unwrap_err();
    assert_eq!(empty, ReadError::Empty { file: "k.npy".into() });
}

#[test]
fn missing_and_infinite_elements() {
    let array = |last: f64| file(1, &dictionary("<f8", false, "(2, 2)"), &bytes(&[1.0, 2.0, 3.0, last]));
    let error = read(&array(f64::INFINITY)).unwrap_err().to_string();
    assert_eq!(error, "k.npy, row 2, column '2': 'inf' is not a finite number; correct it or leave it empty");
    let error = read(&array(f64::NAN)).unwrap_err().to_string();
    assert!(error.starts_with("k.npy, row 2, column '2': the value is missing"), "{error}");
    let with = |missing| {
        let options = ReadOptions { missing, ..ReadOptions::default() };
        read_from(array(f64::NAN).as_slice(), "k.npy", Format::Npy, &options).unwrap()
    };
    assert_eq!(block(&with(Missing::Drop)).0.values(), &[1.0, 2.0]);
    assert_eq!(block(&with(Missing::Mean)).0.values(), &[1.0, 2.0, 3.0, 2.0]);
}

proptest! {
    #[test]
    fn what_is_written_is_read(rows in 1usize..20, columns in 1usize..20, scale in -1e9f32..1e9) {
        let value = |i: usize, j: usize| scale * (i * columns + j) as f32;
        let (mut single, mut double) = (Vec::new(), Vec::new());
        write_npy(&mut single, rows, columns, |i, row: &mut [f32]| {
            row.iter_mut().enumerate().for_each(|(j, v)| *v = value(i, j));
        }).unwrap();
        write_npy(&mut double, rows, columns, |i, row: &mut [f64]| {
            row.iter_mut().enumerate().for_each(|(j, v)| *v = value(i, j).into());
        }).unwrap();
        let (single, double) = (read(&single).unwrap(), read(&double).unwrap());
        prop_assert_eq!(&single, &double);
        prop_assert_eq!(block(&single).0.values()[rows * columns - 1], f64::from(value(rows - 1, columns - 1)));
    }

    #[test]
    fn no_header_makes_it_panic(
        text in "[{}'(),: <f8descrshaptunoFalTe0-9]{0,80}",
        data in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let _ = read(&file(1, &text, &data));
    }
}
