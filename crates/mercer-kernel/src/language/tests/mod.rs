//! Tests of the language as a whole: each rule, each error, how errors print, hostile texts, random ones.

mod display;
mod errors;
mod hostile;
mod random;
mod rules;
mod tables;
