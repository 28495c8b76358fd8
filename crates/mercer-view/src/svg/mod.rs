//! The SVG renderer.
//!
//! `figure` lays plots out, with `axes`, `marks` and `legend`; `heat_map` does the same for matrices. Below them `canvas` writes elements, `text` measures and breaks lines, `ticks` chooses the numbers of a scale, `matrix`
//! makes the embedded images, `groups` places what is known about the rows; `scale_bar`, `panel` and `heat_map` put them
//! together. Nothing here computes anything a reader could not read off the view.

mod axes;
mod canvas;
mod figure;
mod groups;
mod heat_map;
mod legend;
mod marks;
mod matrix;
mod palette;
mod panel;
mod scale_bar;
mod text;
mod ticks;

pub(crate) use canvas::escape;
