//! Files whose checksum is right and whose content lies: whoever can write a file can also compute its checksum.

use std::sync::OnceLock;

use mercer_kernel::Registry;
use mercer_points::{Column, ColumnData, Dense, Sparse, Table};
use proptest::prelude::*;

use super::decode::{decode, open};
use super::encode::{Metadata, Tensor, checksum, encode, file};
use crate::{Calibration, Learner, Setting, Spec, Training, fit};

fn table() -> Table {
    let names = ["gat", "tag", "cat"];
    let mut table = Table::new();
    table.push("x", ColumnData::Numbers((0..12).map(|i| f64::from(i * i % 7)).collect())).unwrap();
    let rows = (0..12).map(|i| vec![(i % 4, 1.0), (4 + i % 3, 2.5)]);
    table.push("s", ColumnData::Sparse(Sparse::from_rows(9, rows).unwrap())).unwrap();
    let block = Dense::new(12, 2, (0..24).map(|i| f64::from(i % 5)).collect()).unwrap();
    table.push("d", ColumnData::Dense(block, vec!["1".into(), "2".into()])).unwrap();
    table.push("t", ColumnData::Texts((0..12).map(|i| names[i * i % 3]).collect())).unwrap();
    table.push("c", ColumnData::Categories((0..12).map(|i| names[i % 3]).collect())).unwrap();
    table
}

/// Small models of different kernels, as bytes.
fn files() -> &'static [Vec<u8>] {
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    FILES.get_or_init(|| {
        let label = ColumnData::Categories((0..12).map(|i| if i % 2 == 0 { "no" } else { "yes" }).collect());
        let (table, target, registry) = (table(), Column { name: "y".into(), data: label }, Registry::new());
        let kernels = [
            "rbf[x]@standardize + linear[s] + spectrum(k=1)[t] * delta[c]",
            "normalize(linear@nystrom(m=4) + 1)[x, d]",
            "rbf(sigma=2)[x, c]",
            "(linear@polynomial(degree=2))[s] + rbf[d]",
        ];
        let made = kernels.map(|kernel| {
            let mut spec = Spec::new(kernel.parse().unwrap(), Learner::Smo);
            spec.scaling = if kernel.contains('s') { crate::Scaling::None } else { crate::Scaling::MinMax };
            spec.probabilities =
                Some(if kernel.starts_with("rbf") { Calibration::Isotonic } else { Calibration::Platt });
            let training = Training { registry: &registry, source: "", ..Training::new(&table, &target) };
            let model =
                fit(&spec, &training, &Setting::default()).unwrap_or_else(|e| panic!("{kernel}: {e}"));
            encode(model.parts()).unwrap()
        });
        made.to_vec()
    })
}

fn sealed(mut metadata: Metadata, tensors: &[Tensor]) -> Vec<u8> {
    let seen = tensors.iter().map(|t| (t.name.as_str(), t.dtype, t.shape.as_slice(), t.bytes.as_slice()));
    let sum = checksum(&metadata, seen);
    metadata.insert("checksum".to_owned(), sum);
    file(&metadata, tensors).unwrap()
}

/// What is done to a file before it is sealed again.
#[derive(Debug, Clone)]
enum Lie {
    /// A letter of the metadata.
    Letter(prop::sample::Index, prop::sample::Index, char),
    /// A number of a tensor.
    Number(prop::sample::Index, prop::sample::Index, f64),
    /// A byte of a tensor.
    Byte(prop::sample::Index, prop::sample::Index, u8),
    /// A tensor that is not there.
    Without(prop::sample::Index),
    /// A tensor that is shorter, in its shape as well.
    Shorter(prop::sample::Index),
}

fn lie() -> impl Strategy<Value = Lie> {
    let index = any::<prop::sample::Index>;
    let letters = prop::sample::select("0123459-+.*@[](){}\",:_axeNs".chars().collect::<Vec<_>>());
    let numbers = prop::sample::select(vec![0.0, -1.0, 1e300, -1e300, 5e-324, f64::NAN, f64::INFINITY, 3.0]);
    prop_oneof![
        4 => (index(), index(), letters).prop_map(|(key, at, letter)| Lie::Letter(key, at, letter)),
        2 => (index(), index(), numbers).prop_map(|(name, at, number)| Lie::Number(name, at, number)),
        1 => (index(), index(), any::<u8>()).prop_map(|(name, at, byte)| Lie::Byte(name, at, byte)),
        1 => index().prop_map(Lie::Without),
        1 => index().prop_map(Lie::Shorter),
    ]
}

fn tell(lie: &Lie, metadata: &mut Metadata, tensors: &mut Vec<Tensor>) {
    match lie {
        Lie::Letter(key, at, letter) => {
            let value = key.get(&metadata.keys().cloned().collect::<Vec<_>>()).clone();
            let text = metadata.get_mut(&value).unwrap();
            let mut letters: Vec<char> = text.chars().collect();
            if !letters.is_empty() {
                let place = at.index(letters.len());
                letters[place] = *letter;
            }
            *text = letters.into_iter().collect();
        }
        Lie::Number(name, at, number) => {
            let count = tensors.len();
            let bytes = &mut tensors[name.index(count)].bytes;
            if bytes.len() >= 8 {
                let place = 8 * at.index(bytes.len() / 8);
                bytes[place..place + 8].copy_from_slice(&number.to_le_bytes());
            }
        }
        Lie::Byte(name, at, byte) => {
            let count = tensors.len();
            let bytes = &mut tensors[name.index(count)].bytes;
            if !bytes.is_empty() {
                let place = at.index(bytes.len());
                bytes[place] = *byte;
            }
        }
        Lie::Without(name) => _ = tensors.remove(name.index(tensors.len())),
        Lie::Shorter(name) => {
            let count = tensors.len();
            let tensor = &mut tensors[name.index(count)];
            if let Some(first) = tensor.shape.first_mut().filter(|first| **first > 0) {
                let row = tensor.bytes.len() / *first;
                *first -= 1;
                tensor.bytes.truncate(tensor.bytes.len() - row);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_sealed_lie_is_an_error_or_a_model_that_can_be_asked(
        which in 0..4usize,
        lies in proptest::collection::vec(lie(), 1..3),
    ) {
        let (mut metadata, known) = open(&files()[which]).unwrap();
        metadata.remove("checksum");
        let mut tensors: Vec<Tensor> = known
            .0
            .iter()
            .map(|(name, (dtype, shape, bytes))| Tensor {
                name: name.clone(),
                dtype: *dtype,
                shape: shape.clone(),
                bytes: bytes.to_vec(),
            })
            .collect();
        lies.iter().for_each(|lie| tell(lie, &mut metadata, &mut tensors));
        if let Ok(model) = decode(&sealed(metadata, &tensors), &Registry::new()) {
            let _ = model.predict(&table());
            let _ = model.probabilities(&table());
            let _ = model.explain(&table(), 2);
            let _ = encode(model.parts());
        }
    }
}

#[test]
fn what_is_sealed_unchanged_is_read() {
    for bytes in files() {
        let (metadata, known) = open(bytes).unwrap();
        let tensors: Vec<Tensor> = known
            .0
            .iter()
            .map(|(name, (dtype, shape, bytes))| Tensor {
                name: name.clone(),
                dtype: *dtype,
                shape: shape.clone(),
                bytes: bytes.to_vec(),
            })
            .collect();
        assert_eq!(&sealed(metadata, &tensors), bytes);
        assert!(decode(bytes, &Registry::new()).is_ok());
    }
}
