//! Model files of LIBSVM, read and written (Chang & Lin 2011).
//!
//! [`LibsvmModel`] is the text as a value and knows nothing of a [`Model`](crate::Model); `convert` goes from one to the
//! other and says what one of them cannot express. Numbers are written with 17 digits, so that scores survive.

mod general;
mod text;

pub use general::General;
pub use text::{LibsvmKernel, LibsvmModel, SvmType, TextError};
