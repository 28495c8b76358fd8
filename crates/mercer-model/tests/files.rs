//! Files: golden, hostile, cut, on a full disk.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use common::{Set, set, training};
use mercer_kernel::Registry;
use mercer_model::{Learner, Model, ModelError, Setting, Spec, fit};
use mercer_points::{Column, ColumnData, Points, Sparse, Table};
use mercer_solve::Regularization;
use proptest::prelude::*;
use safetensors::SafeTensors;

fn moons_model(n: usize) -> Model {
    let moons = set(&format!("@moons(n={n})"));
    let mut spec = Spec::new("rbf(sigma=0.3)@standardize".parse().unwrap(), Learner::Smo);
    spec.regularization = Regularization::C(10.0);
    fit(&spec, &training(&moons, &Registry::new()), &Setting::default()).unwrap()
}

/// A model of every kind of column, small, as bytes.
fn bytes() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let names = ["gat", "tag", "cat"];
        let mut table = Table::new();
        table.push("x", ColumnData::Numbers((0..12).map(|i| f64::from(i * i % 7)).collect())).unwrap();
        let rows = (0..12).map(|i| vec![(i % 4, 1.0), (4 + i % 3, 2.5)]);
        table.push("s", ColumnData::Sparse(Sparse::from_rows(9, rows).unwrap())).unwrap();
        table.push("t", ColumnData::Texts((0..12).map(|i| names[i * i % 3]).collect())).unwrap();
        table.push("c", ColumnData::Categories((0..12).map(|i| names[i % 3]).collect())).unwrap();
        let label = ColumnData::Categories((0..12).map(|i| if i % 2 == 0 { "no" } else { "yes" }).collect());
        let set = Set { table, target: Column { name: "label".into(), data: label } };
        let kernel = "rbf[x]@standardize + linear[s] + spectrum(k=1)[t] * delta[c]".parse().unwrap();
        let spec = Spec::new(kernel, Learner::Smo);
        let model = fit(&spec, &training(&set, &Registry::new()), &Setting::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        model.save(&path).unwrap();
        assert_eq!(Model::load(&path).unwrap(), model);
        std::fs::read(&path).unwrap()
    })
}

fn load(bytes: &[u8]) -> Result<Model, ModelError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    Model::load(file.path())
}

fn reason(bytes: &[u8]) -> String {
    match load(bytes).unwrap_err() {
        ModelError::Corrupt { reason, .. } => reason,
        other => panic!("{other}"),
    }
}

#[test]
fn the_same_model_is_the_same_bytes_and_a_valid_file_of_its_format() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let model = moons_model(40);
    model.save(&a).unwrap();
    Model::load(&a).unwrap().save(&b).unwrap();
    let bytes = std::fs::read(&a).unwrap();
    assert_eq!(bytes, std::fs::read(&b).unwrap());
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(tensors.tensor("coefficients").unwrap().shape(), [1, model.support()]);
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    let metadata = header.metadata().clone().unwrap();
    assert_eq!(metadata["format"], "mercer/1");
    assert_eq!(metadata["spec"].parse::<Spec>().unwrap(), *model.spec());
    assert_eq!(metadata["kernel"], model.kernel().to_string());
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Scores of the golden model on rows that it was not trained on.
fn golden_scores(model: &Model) -> Vec<f64> {
    model.predict(&set("@moons(n=20, seed=7)").table).unwrap().scores
}

#[test]
fn files_of_the_first_version_are_read() {
    let (path, scores) = (golden("moons-v1.mercer"), golden("moons-v1.scores"));
    if std::env::var_os("MERCER_GOLDEN").is_some() {
        let model = moons_model(30);
        model.save(&path).unwrap();
        let lines: Vec<String> = golden_scores(&model).iter().map(|score| format!("{score:?}")).collect();
        std::fs::write(&scores, lines.join("\n") + "\n").unwrap();
    }
    let model = Model::load(&path).unwrap();
    assert!(model.certified());
    let known: Vec<f64> =
        std::fs::read_to_string(&scores).unwrap().lines().map(|v| v.parse().unwrap()).collect();
    let found = golden_scores(&model);
    assert_eq!(found.len(), known.len());
    for (a, b) in found.iter().zip(&known) {
        // Instruction sets differ in the last digits of exp.
        assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} {b}");
    }
}

/// The file with its header changed as text; offsets and checksum stay as they were.
fn with_header(change: impl Fn(String) -> String) -> Vec<u8> {
    let bytes = bytes();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header = change(String::from_utf8(bytes[8..8 + length].to_vec()).unwrap());
    let mut changed = (header.len() as u64).to_le_bytes().to_vec();
    changed.extend_from_slice(header.as_bytes());
    changed.extend_from_slice(&bytes[8 + length..]);
    changed
}

#[test]
fn a_later_version_is_named() {
    let later = with_header(|header| header.replace("\"mercer/1\"", "\"mercer/2\""));
    let error = load(&later).unwrap_err();
    assert!(matches!(&error, ModelError::Newer { found, .. } if found == "mercer/2"), "{error}");
    let other = with_header(|header| header.replace("\"mercer/1\"", "\"somebody\""));
    assert!(reason(&other).contains("not one of Mercer's"), "{}", reason(&other));
}

#[test]
fn changes_are_found_by_the_checksum() {
    let kernel = with_header(|header| header.replace("spectrum(k=1", "spectrum(k=2"));
    assert!(reason(&kernel).contains("checksum"), "{}", reason(&kernel));
    let mut data = bytes().to_vec();
    let last = data.len() - 3;
    data[last] ^= 1;
    assert!(reason(&data).contains("checksum"));
}

#[test]
fn a_claim_of_a_million_million_support_points_is_refused_at_once() {
    let started = std::time::Instant::now();
    for claim in ["1000000000000", "18446744073709551615"] {
        let huge = with_header(|header| header.replacen("\"shape\":[1,", &format!("\"shape\":[{claim},"), 1));
        assert!(!reason(&huge).is_empty());
    }
    // A header that claims to be longer than the file, or than memory.
    for length in [u64::MAX, 1 << 40, 99_999_999] {
        let mut long = bytes().to_vec();
        long[..8].copy_from_slice(&length.to_le_bytes());
        assert!(!reason(&long).is_empty());
    }
    assert!(started.elapsed().as_secs() < 5);
}

#[test]
fn files_that_are_no_models() {
    assert!(matches!(Model::load(Path::new("/no/such/file")), Err(ModelError::File { verb: "read", .. })));
    assert!(matches!(Model::load(Path::new("/")), Err(ModelError::Corrupt { .. })));
    assert!(reason(b"").len() > 3 && reason(b"kernel: rbf\n").len() > 3);
    let plain =
        safetensors::serialize(HashMap::<String, safetensors::tensor::TensorView<'_>>::new(), None).unwrap();
    assert!(reason(&plain).contains("no format"));
}

#[test]
fn a_file_that_is_cut_short_is_called_so() {
    let whole = bytes();
    let header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    for (length, what) in [
        (8, "its header does"),
        (header - 1, "its header does"),
        (header, "its tensors do"),
        (whole.len() - 1, "its tensors do"),
    ] {
        assert_eq!(reason(&whole[..length]), format!("the file ends before {what}; it is cut short"));
    }
    let long = [whole, &[0]].concat();
    assert!(
        !reason(&long).contains("cut short") && !reason(b"a file of some other kind").contains("cut short")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_is_found(cut in proptest::option::of(any::<prop::sample::Index>()),
                       changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)) {
        let mut damaged = bytes().to_vec();
        for (at, value) in &changes {
            let place = at.index(damaged.len());
            damaged[place] = *value;
        }
        if let Some(cut) = cut {
            damaged.truncate(cut.index(damaged.len()));
        }
        match load(&damaged) {
            // What changes nothing of the content is no damage.
            Ok(model) => prop_assert_eq!(model, load(bytes()).unwrap()),
            Err(ModelError::Corrupt { reason, .. }) => prop_assert!(!reason.is_empty()),
            Err(ModelError::Newer { .. }) => {}
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn every_bit_counts(at in any::<prop::sample::Index>(), bit in 0..8u8) {
        let mut flipped = bytes().to_vec();
        let place = at.index(flipped.len());
        flipped[place] ^= 1 << bit;
        if let Ok(model) = load(&flipped) {
            prop_assert_eq!(model, load(bytes()).unwrap());
        }
    }
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let model = moons_model(30);
    let path = folder.path().join("no/model");
    let error = model.save(&path).unwrap_err();
    assert!(matches!(error, ModelError::File { verb: "write", .. }));
    // Neither the temporary file nor the system's number for the error.
    assert_eq!(error.to_string(), format!("cannot write '{}': No such file or directory", path.display()));
    assert!(matches!(model.save(folder.path()), Err(ModelError::File { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// What the test below runs in a process that may write no more than a few hundred bytes to a file.
#[test]
fn child_that_saves() {
    let Some(path) = std::env::var_os("MERCER_SAVE_HERE") else { return };
    let error = moons_model(60).save(Path::new(&path)).unwrap_err();
    assert!(matches!(error, ModelError::File { verb: "write", .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    moons_model(30).save(&path).unwrap();
    let before = std::fs::read(&path).unwrap();
    // The signal of the limit is ignored, so that writing fails as it does on a full disk.
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    let done = std::process::Command::new("sh")
        .args(["-c", limited])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_saves", "--test-threads=1"])
        .env("MERCER_SAVE_HERE", &path)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(Model::load(&path).unwrap().points().len(), Model::load(&path).unwrap().support());
}
