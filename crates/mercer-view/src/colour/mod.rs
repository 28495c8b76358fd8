//! Colours that mean numbers: maps even to the eye, in the OKLab space.

mod map;
mod oklab;

pub use map::{ColourMap, Rgb};
pub(crate) use map::{STEPS, step};
