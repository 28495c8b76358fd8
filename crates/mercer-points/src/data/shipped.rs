//! The real sets, packed into the library. Sources and terms are in `data/README.md` of this crate.

use crate::Table;
use crate::read::{Format, ReadOptions, read_from};

macro_rules! packed {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../../data/", $name, ".csv.gz")))),*]
    };
}

static PACKED: [(&str, &[u8]); 12] = packed![
    "breast-cancer",
    "concrete",
    "glass",
    "heart",
    "ionosphere",
    "iris",
    "promoter",
    "sms",
    "sonar",
    "splice",
    "vowel",
    "yacht",
];

/// Unpacks the set of that name.
pub(super) fn table(name: &str) -> Table {
    let (_, bytes) =
        PACKED.iter().find(|(n, _)| *n == name).expect("a test loads every set of the catalogue");
    let options = ReadOptions { header: Some(true), delimiter: Some(b','), ..ReadOptions::default() };
    read_from(*bytes, name, Format::Csv, &options).expect("a test loads every set of the catalogue")
}
