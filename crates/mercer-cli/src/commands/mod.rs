//! One file a command.

pub(crate) mod check;
pub(crate) mod data;
pub(crate) mod demo;
pub(crate) mod features;
pub(crate) mod gram;
pub(crate) mod kernels;
pub(crate) mod maps;
pub(crate) mod picture;
pub(crate) mod shell;
