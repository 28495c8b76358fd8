use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;
use crate::read::NpyProblem;
use crate::{ColumnData, Points};

const CSV: &str = "a,label\n1,2\n3,4\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn sniffed(bytes: &[u8]) -> Result<Table, ReadError> {
    Input::new(bytes, "f")?.read(None, &ReadOptions::default())
}

/// A folder of its own for each test, removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mercer-points-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.0.join(name), bytes).unwrap();
        self.path(name)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn formats_come_from_names_and_content() {
    let folder = Folder::new("formats");
    let options = ReadOptions::default();
    let kind = |name: &str, bytes: &[u8], column: &str| {
        let table = read(&folder.file(name, bytes), &options).unwrap();
        table.column(column).unwrap().data.kind()
    };
    assert_eq!(kind("a.csv", CSV.as_bytes(), "a"), "numbers");
    assert_eq!(kind("a.tsv", b"a, b\tlabel\n1\t2\n", "a, b"), "numbers");
    assert_eq!(kind("a.svm", b"1\n2\n", "features"), "sparse vectors");
    assert_eq!(kind("a9a", b"-1 3:1 11:1\n+1 5:1\n", "features"), "sparse vectors");
    assert_eq!(kind("a.data", b"1 2\n3 4\n", "c2"), "numbers");
    assert_eq!(kind("a.csv.gz", &gzip(CSV.as_bytes()), "a"), "numbers");
    let mut array = Vec::new();
    crate::write_npy(&mut array, 2, 2, |i, row: &mut [f64]| row.fill(i as f64)).unwrap();
    assert_eq!(kind("a.bin", &array, "features"), "dense vectors");
    assert_eq!(kind("a.npy.gz", &gzip(&array), "features"), "dense vectors");
}

#[test]
fn absent_files_and_folders() {
    let folder = Folder::new("absent");
    folder.file("train.csv", b"1");
    let options = ReadOptions::default();
    let error = read(&folder.path("trian.csv"), &options).unwrap_err().to_string();
    assert!(error.ends_with(&format!("did you mean '{}'?", folder.path("train.csv"))), "{error}");
    let error = read(&folder.path("zzz"), &options).unwrap_err().to_string();
    assert!(error.ends_with("check the path, or name a built-in set (such as @iris)"), "{error}");
    let error = read("moons", &options).unwrap_err().to_string();
    assert_eq!(error, "no file 'moons'; did you mean '@moons'?");
    let error = read(folder.0.to_str().unwrap(), &options).unwrap_err();
    assert!(matches!(error, ReadError::Directory { .. }));
    assert!(read("a\0b", &options).is_err());
    assert!(read("", &options).is_err());
}

#[test]
fn gzip_in_one_or_more_members_and_cut_short() {
    let whole = gzip(CSV.as_bytes());
    assert_eq!(sniffed(&whole).unwrap().len(), 2);
    let two = [whole.as_slice(), &gzip(b"5,6\n")].concat();
    assert_eq!(sniffed(&two).unwrap().len(), 3);
    for end in 3..whole.len() {
        let error = sniffed(&whole[..end]).unwrap_err();
        assert!(matches!(error, ReadError::Gzip { .. }), "{end}: {error}");
    }
    let mut damaged = whole.clone();
    let at = damaged.len() - 6;
    damaged[at] ^= 1;
    assert!(sniffed(&damaged).unwrap_err().to_string().starts_with("'f' is damaged or cut short gzip data"));
}

#[test]
fn large_and_foreign_sources_are_refused() {
    let bomb = gzip(&vec![b'1'; 1 << 20]);
    let options = ReadOptions { max_bytes: 1000, ..ReadOptions::default() };
    for format in [Format::Csv, Format::Tsv, Format::Libsvm] {
        let error = read_from(bomb.as_slice(), "f", format, &options).unwrap_err();
        assert_eq!(error, ReadError::TooLarge { file: "f".into(), limit: 1000 });
    }
    assert!(sniffed(b"PK\x03\x04").unwrap_err().to_string().starts_with("'f' is zip"));
    assert!(sniffed(b"\x28\xb5\x2f\xfd12345").unwrap_err().to_string().starts_with("'f' is zstd"));
    assert_eq!(sniffed(b""), Err(ReadError::Empty { file: "f".into() }));
}

#[test]
fn targets_must_exist() {
    let options = ReadOptions { target: Some("lable".into()), ..ReadOptions::default() };
    let error = read_from(CSV.as_bytes(), "f", Format::Csv, &options).unwrap_err().to_string();
    assert_eq!(error, "f: no column 'lable'; did you mean 'label'?");
    let error = read("@iris", &options).unwrap_err().to_string();
    assert_eq!(error, "@iris: no column 'lable'; did you mean 'label'?");
    let table = sniffed(CSV.as_bytes()).unwrap();
    assert_eq!(default_target(&table), Some("label"));
    assert_eq!(default_target(&Table::new()), None);
}

#[test]
fn built_in_sets_are_sources() {
    let table = read("@moons(n=6, seed=2)", &ReadOptions::default()).unwrap();
    assert_eq!(table.len(), 6);
    assert!(matches!(read("@", &ReadOptions::default()), Err(ReadError::Data(_))));
}

#[test]
fn a_failing_reader_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is on fire"))
        }
    }
    let error = read_from(Broken, "f", Format::Csv, &ReadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "cannot read 'f': the disk is on fire");
}

#[test]
fn an_array_with_a_wrong_name_says_so() {
    let error = read_from(CSV.as_bytes(), "f", Format::Npy, &ReadOptions::default()).unwrap_err();
    assert_eq!(error, ReadError::Npy { file: "f".into(), problem: NpyProblem::Magic });
}

proptest! {
    #[test]
    fn no_bytes_make_any_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), which in 0..4) {
        let format = [Format::Csv, Format::Tsv, Format::Libsvm, Format::Npy][which as usize];
        let _ = read_from(bytes.as_slice(), "f", format, &ReadOptions::default());
        let _ = sniffed(&bytes);
        let _ = sniffed(&[&[0x1f, 0x8b, 8], bytes.as_slice()].concat());
    }

    #[test]
    fn nothing_like_libsvm_makes_it_panic(text in "[0-9a:. #\n+-]{0,60}") {
        let table = read_from(text.as_bytes(), "f", Format::Libsvm, &ReadOptions::default());
        if let Some(ColumnData::Sparse(rows)) = table.ok().map(|mut t| t.remove("features").unwrap().data) {
            prop_assert!(rows.check_finite().is_ok());
        }
    }
}
