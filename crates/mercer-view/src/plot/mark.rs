//! What stands on axes: lines, bands, dots, images, boxes and words, in the units of the data.

use serde::Serialize;

use crate::{Range, Rgb};

/// A colour by what it is for; the theme says which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Tone {
    /// As strong as titles.
    Strong,
    /// As quiet as other text.
    Quiet,
    /// As faint as frames.
    Faint,
    /// That of the paper, for what has to stand out from pixels.
    Paper,
    /// The colour of a class or of a series, which colour-blind readers can tell apart (Okabe and Ito, *Color universal
    /// design*, 2008); after eight they repeat.
    Series(usize),
}

/// How a line is broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Dash {
    /// Not at all.
    #[default]
    Solid,
    /// Long pieces.
    Dashed,
    /// Short pieces.
    Dotted,
}

/// The form of a dot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Shape {
    /// A disc.
    #[default]
    Disc,
    /// A triangle on its base.
    Triangle,
    /// A square on its side.
    Square,
    /// A square on its corner.
    Diamond,
    /// An oblique cross.
    Cross,
}

impl Shape {
    /// The form of a class, so that colour is not all that tells classes apart.
    pub fn of(class: usize) -> Self {
        [Self::Disc, Self::Triangle, Self::Square, Self::Diamond, Self::Cross][class % 5]
    }
}

/// What surrounds a dot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Ring {
    /// Nothing but a hair of paper.
    #[default]
    None,
    /// An outline.
    Outline,
    /// An outline, and a circle around it.
    Halo,
}

/// One dot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Dot {
    /// Where it stands.
    pub at: [f64; 2],
    /// Its form.
    pub shape: Shape,
    /// Its colour.
    pub tone: Tone,
    /// Half its width, in units of the picture.
    pub size: f64,
    /// What surrounds it.
    pub ring: Ring,
}

impl Dot {
    /// A small dot of a series.
    pub fn new(at: [f64; 2], series: usize) -> Self {
        Self { at, shape: Shape::of(series), tone: Tone::Series(series), size: 2.8, ring: Ring::None }
    }
}

/// A picture in pixels over a rectangle of the plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Image {
    /// From where to where along x.
    pub x: (f64, f64),
    /// From where to where along y.
    pub y: (f64, f64),
    /// Pixels across.
    pub columns: usize,
    /// Row after row from the top; none lets the paper show.
    pub pixels: Vec<Option<Rgb>>,
    /// Whether pixels are cells with edges, rather than samples of something smooth.
    pub sharp: bool,
}

/// Something drawn on axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Mark {
    /// From point to point; a point that is not finite breaks it.
    Line {
        /// The points.
        points: Vec<[f64; 2]>,
        /// Its colour.
        tone: Tone,
        /// Its width in units of the picture.
        width: f64,
        /// How it is broken.
        dash: Dash,
    },
    /// Between two lines: x, the lower y, the upper y.
    Band {
        /// The points.
        points: Vec<[f64; 3]>,
        /// Its colour, drawn thinly.
        tone: Tone,
    },
    /// Boxes from x to x and from y to y.
    Boxes {
        /// x, x, y, y.
        boxes: Vec<[f64; 4]>,
        /// The colour.
        tone: Tone,
        /// Whether they are filled rather than outlined.
        filled: bool,
        /// The width of the outline.
        width: f64,
    },
    /// Dots.
    Dots(Vec<Dot>),
    /// Pixels.
    Image(Image),
    /// A surface with straight edges.
    Surface {
        /// Its corners.
        points: Vec<[f64; 2]>,
        /// Its colour, drawn thinly.
        tone: Tone,
    },
    /// Words around a point.
    Words {
        /// The middle of their foot.
        at: [f64; 2],
        /// The words.
        text: String,
        /// Their colour.
        tone: Tone,
    },
}

impl Mark {
    /// A solid line of a series.
    pub fn line(points: Vec<[f64; 2]>, series: usize) -> Self {
        Self::Line { points, tone: Tone::Series(series), width: 1.8, dash: Dash::Solid }
    }

    /// A thin line that others are compared with.
    pub fn guide(points: Vec<[f64; 2]>) -> Self {
        Self::Line { points, tone: Tone::Quiet, width: 1.0, dash: Dash::Dashed }
    }
}

/// What a word of the legend looks like in the plots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Swatch {
    /// A dot.
    Dot {
        /// Its form.
        shape: Shape,
        /// Its colour.
        tone: Tone,
        /// Half its width.
        size: f64,
        /// What surrounds it.
        ring: Ring,
    },
    /// A line.
    Line {
        /// Its colour.
        tone: Tone,
        /// Its width.
        width: f64,
        /// How it is broken.
        dash: Dash,
    },
    /// A thinly filled area.
    Area {
        /// Its colour.
        tone: Tone,
    },
    /// An outlined box.
    Frame {
        /// Its colour.
        tone: Tone,
        /// The width of the outline.
        width: f64,
    },
}

/// An entry of the legend.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Key {
    /// What it looks like.
    pub swatch: Swatch,
    /// What it is.
    pub text: String,
}

impl Key {
    /// The key of a class.
    pub fn class(class: usize, text: impl Into<String>) -> Self {
        let swatch =
            Swatch::Dot { shape: Shape::of(class), tone: Tone::Series(class), size: 4.0, ring: Ring::None };
        Self { swatch, text: text.into() }
    }

    /// The key of a line of a series.
    pub fn line(series: usize, text: impl Into<String>) -> Self {
        let swatch = Swatch::Line { tone: Tone::Series(series), width: 1.8, dash: Dash::Solid };
        Self { swatch, text: text.into() }
    }

    /// The key of a guide.
    pub fn guide(text: impl Into<String>) -> Self {
        let swatch = Swatch::Line { tone: Tone::Quiet, width: 1.0, dash: Dash::Dashed };
        Self { swatch, text: text.into() }
    }
}

/// The bar that says which colour of an image is which number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bar {
    /// What the numbers are.
    pub label: String,
    /// From where to where.
    pub range: Range,
}
