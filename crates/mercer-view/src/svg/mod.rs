//! The SVG renderer.
//!
//! `canvas` writes elements, `text` measures and breaks lines, `ticks` chooses the numbers of a scale, `matrix`
//! makes the embedded images, `groups` places what is known about the rows; `scale_bar`, `panel` and `heat_map` put them
//! together. Nothing here computes anything a reader could not read off the view.

mod canvas;
mod groups;
mod heat_map;
mod matrix;
mod palette;
mod panel;
mod scale_bar;
mod text;
mod ticks;
