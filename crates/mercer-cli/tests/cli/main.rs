//! The `mercer` command as a user meets it: what it prints, what it refuses, what it leaves on the disk.
//!
//! Texts are snapshots (insta): a difference fails, `INSTA_UPDATE=always cargo test -p mercer-cli` or `cargo insta
//! review` takes it over. Numbers that are rounding alone are written `~0`, so that snapshots hold on any machine.

#![allow(clippy::unwrap_used)]

mod auto;
mod check;
mod explain;
mod features;
mod files;
mod fit;
mod forecast;
mod gram;
mod hostile;
mod libsvm;
mod lists;
mod misfits;
mod path;
mod plot;
mod predict;
mod probabilities;
mod run;
mod shell;
mod show;
mod signals;
mod stream;
mod streams;
mod tune;
mod witness;
