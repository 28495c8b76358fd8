//! A picture of one or more plots.

use serde::Serialize;

use super::{Axis, Bar, Key, Look, Mark};

/// One pair of axes and what stands on them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// What sets it apart from its neighbours.
    pub title: String,
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from bottom to top.
    pub y: Axis,
    /// What is drawn, the first at the back.
    pub marks: Vec<Mark>,
    /// Lines under it.
    pub captions: Vec<String>,
    /// Whether it is as high as it is wide.
    pub square: bool,
}

impl Plot {
    /// Axes with nothing on them.
    pub fn new(x: Axis, y: Axis) -> Self {
        Self { title: String::new(), x, y, marks: Vec::new(), captions: Vec::new(), square: false }
    }
}

/// Plots side by side, with a legend under them that covers no data.
///
/// ```
/// use mercer_view::{Axis, Figure, Key, Look, Mark, Plot, View};
///
/// let line = Mark::line(vec![[0.0, 0.0], [1.0, 2.0]], 0);
/// let plot = Plot { marks: vec![line], ..Plot::new(Axis::new("x", 0.0, 1.0), Axis::new("2x", 0.0, 2.0)) };
/// let figure = Figure { legend: vec![Key::line(0, "twice")], ..Figure::new("Twice as much", vec![plot], Look::default()) };
/// assert!(figure.svg()?.contains("twice"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The heading: what is shown.
    pub title: String,
    /// A second, quieter line: the kernel, the name of the data.
    pub subtitle: String,
    /// The plots, in reading order.
    pub plots: Vec<Plot>,
    /// What the colours and forms mean.
    pub legend: Vec<Key>,
    /// What the colours of images mean, where they are numbers.
    pub bar: Option<Bar>,
    /// Remarks at the foot.
    pub notes: Vec<String>,
    /// Whether all plots have the same axes, so that numbers at the outer ones are enough.
    pub shared: bool,
    /// Theme and width.
    pub look: Look,
}

impl Figure {
    /// Plots without a legend.
    pub fn new(title: impl Into<String>, plots: Vec<Plot>, look: Look) -> Self {
        Self {
            title: title.into(),
            subtitle: String::new(),
            plots,
            legend: Vec::new(),
            bar: None,
            notes: Vec::new(),
            shared: false,
            look,
        }
    }
}
