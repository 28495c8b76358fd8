//! Colours that mean numbers, maps even to the eye in the OKLab space; and colours that tell classes apart.

mod map;
mod oklab;
mod series;

pub use map::{ColourMap, Rgb};
pub(crate) use map::{STEPS, step};
pub(crate) use series::{ground, series};
