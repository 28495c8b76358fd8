//! What a certificate says is so: against optima found by an oracle that shares nothing with it.
#![allow(clippy::unwrap_used)]

mod extremes;
mod kit;
mod margin;
mod norm;
mod nu;
mod offset;
#[path = "../oracle/mod.rs"]
mod oracle;
mod risk;
mod setting;
