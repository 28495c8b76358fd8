//! One file a command.

mod aligned;
pub(crate) mod auto;
pub(crate) mod check;
pub(crate) mod data;
pub(crate) mod demo;
pub(crate) mod explain;
pub(crate) mod features;
pub(crate) mod fit;
mod forecast;
pub(crate) mod gram;
pub(crate) mod kernels;
pub(crate) mod learners;
pub(crate) mod maps;
pub(crate) mod path;
pub(crate) mod plot;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod shell;
pub(crate) mod show;
pub(crate) mod stream;
pub(crate) mod svm_data;
pub(crate) mod svm_predict;
pub(crate) mod svm_scale;
pub(crate) mod svm_train;
pub(crate) mod tune;
