//! What a machine answers everywhere in a plane: the boundary with its margins, the regions of several classes, or the
//! surface of a number; and the rows that it was made from (`docs/maths.md` §7).

use serde::{Deserialize, Serialize};

use super::spot::{Spot, keys, repeated};
use crate::colour::{ground, series};
use crate::plot::{
    Axis, Bar, Dash, Field, Figure, Image, Key, Look, Mark, Plot, Swatch, Tone, contours, hull,
};
use crate::{Range, Rgb, Theme};

/// What a machine answers in a plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ground {
    /// The score of two classes: the boundary is at 0, the margins are at −1 and 1, and the second class is above 0.
    Scores(Field),
    /// The class, counted from 0.
    Regions(Field),
    /// A number.
    Numbers(Field),
}

impl Ground {
    /// The values.
    pub fn field(&self) -> &Field {
        match self {
            Self::Scores(field) | Self::Regions(field) | Self::Numbers(field) => field,
        }
    }
}

/// A machine in a plane, with rows of data.
///
/// ```
/// use mercer_view::{Boundary, Field, Ground, Look, Spot, View};
///
/// let field = Field::from_fn((-2.0, 2.0), (-2.0, 2.0), 50, 50, |x, y| x * x + y * y - 1.0);
/// let view = Boundary {
///     classes: vec!["inside".into(), "outside".into()],
///     spots: vec![Spot::new([0.0, 0.5], Some(0)), Spot::new([1.5, 1.5], Some(1))],
///     ..Boundary::new("A circle", ["x", "y"], Ground::Scores(field))
/// };
/// assert!(view.figure(Look::wide(400.0)).svg()?.contains("inside"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Boundary {
    /// The heading.
    pub title: String,
    /// The kernel, the name of the data.
    pub subtitle: String,
    /// What runs from left to right.
    pub x: String,
    /// What runs from bottom to top.
    pub y: String,
    /// What the machine answers.
    pub ground: Ground,
    /// What the answered number is, where it is one.
    pub target: String,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// Rows of data.
    pub spots: Vec<Spot>,
    /// Lines under the plot.
    pub captions: Vec<String>,
    /// Remarks, such as which slice it is.
    pub notes: Vec<String>,
}

impl Boundary {
    /// A picture without rows.
    pub fn new(title: impl Into<String>, [x, y]: [&str; 2], ground: Ground) -> Self {
        Self {
            title: title.into(),
            subtitle: String::new(),
            x: x.to_owned(),
            y: y.to_owned(),
            ground,
            target: String::new(),
            classes: Vec::new(),
            spots: Vec::new(),
            captions: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The picture on axes.
    pub fn figure(&self, look: Look) -> Figure {
        let mut notes = self.notes.clone();
        notes.extend(repeated(&self.classes));
        let bar = match &self.ground {
            Ground::Numbers(field) => Some(Bar { label: self.target.clone(), range: range(field) }),
            _ => None,
        };
        Figure {
            subtitle: self.subtitle.clone(),
            legend: self.legend(),
            bar,
            notes,
            ..Figure::new(&self.title, vec![self.plot(look.theme)], look)
        }
    }

    /// What its colours and lines mean.
    pub(super) fn legend(&self) -> Vec<Key> {
        let mut legend = keys(&self.classes, &self.spots);
        if let Ground::Scores(field) = &self.ground {
            let line = |tone, width, dash, text: &str| Key {
                swatch: Swatch::Line { tone, width, dash },
                text: text.to_owned(),
            };
            if crosses(field, 0.0) {
                legend.push(line(Tone::Strong, 2.0, Dash::Solid, "boundary (score 0)"));
            }
            if crosses(field, -1.0) || crosses(field, 1.0) {
                legend.push(line(Tone::Strong, 1.1, Dash::Dashed, "margin (score ±1)"));
            }
        }
        legend
    }

    /// The plot alone.
    pub(super) fn plot(&self, theme: Theme) -> Plot {
        let field = self.ground.field();
        let mut marks = vec![Mark::Image(image(&self.ground, theme))];
        if let Ground::Scores(field) = &self.ground {
            for (level, width, dash) in
                [(-1.0, 1.1, Dash::Dashed), (1.0, 1.1, Dash::Dashed), (0.0, 2.0, Dash::Solid)]
            {
                let lines = if crosses(field, level) { contours(field, level) } else { Vec::new() };
                let lines = lines.into_iter();
                marks.extend(lines.map(|points| Mark::Line { points, tone: Tone::Strong, width, dash }));
            }
        }
        // Rows that the machine leans on come last, so that others do not hide them.
        let mut spots: Vec<&Spot> = self.spots.iter().collect();
        spots.sort_by_key(|spot| spot.support as usize);
        marks.push(Mark::Dots(spots.into_iter().map(Spot::dot).collect()));
        Plot {
            marks,
            captions: self.captions.clone(),
            square: true,
            ..Plot::new(Axis::new(&self.x, field.x.0, field.x.1), Axis::new(&self.y, field.y.0, field.y.1))
        }
    }
}

/// Whether a field is below a level somewhere and above it elsewhere, by more than rounding: one that is the same
/// everywhere would be full of lines.
fn crosses(field: &Field, level: f64) -> bool {
    hull(field.values.iter().copied()).is_some_and(|(low, high)| {
        let rounding = 1e-5 * low.abs().max(high.abs());
        low < level && level <= high && high - low > rounding
    })
}

fn range(field: &Field) -> Range {
    let (low, high) = hull(field.values.iter().copied()).unwrap_or((0.0, 1.0));
    Range::new(low, high).drawable()
}

/// The ground in pixels: a pixel stands around its crossing, so the image is half a step wider on all sides.
fn image(ground: &Ground, theme: Theme) -> Image {
    let field = ground.field();
    let (right, up) = field.steps();
    let colour = painter(ground, theme);
    let rows = (0..field.rows).rev();
    let pixels = rows.flat_map(|row| (0..field.columns).map(move |column| (column, row)));
    Image {
        x: (field.x.0 - 0.5 * right, field.x.1 + 0.5 * right),
        y: (field.y.0 - 0.5 * up, field.y.1 + 0.5 * up),
        columns: field.columns,
        pixels: pixels.map(|(column, row)| colour(field.at(column, row))).collect(),
        sharp: false,
    }
}

/// From values to colours. Scores tint the paper, the more the surer they are, and are as strong as they get at 2.
fn painter(what: &Ground, theme: Theme) -> Box<dyn Fn(f64) -> Option<Rgb>> {
    let paper = ground(theme);
    let deep = match theme {
        Theme::Light => 1.0,
        Theme::Dark => 1.35,
    };
    let tint = move |class: usize, strength: f64| paper.towards(series(theme, class), strength * deep);
    match what {
        Ground::Scores(_) => Box::new(move |score| {
            let sure = (score.abs() / 2.0).min(1.0);
            score.is_finite().then(|| tint(usize::from(score > 0.0), 0.06 + 0.26 * sure))
        }),
        Ground::Regions(_) => {
            Box::new(move |code| code.is_finite().then(|| tint(code.max(0.0) as usize, 0.24)))
        }
        Ground::Numbers(field) => {
            let range = range(field);
            Box::new(move |value| value.is_finite().then(|| range.colour(value)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_has_no_lines() {
        let noise = |x: f64, _: f64| 1.0 + 1e-7 * (1e5 * x).sin();
        let flat = Field::from_fn((0.0, 1.0), (0.0, 1.0), 50, 50, noise);
        let view = Boundary::new("", ["x", "y"], Ground::Scores(flat));
        assert!(view.legend().is_empty());
        assert!(!view.plot(Theme::Light).marks.iter().any(|mark| matches!(mark, Mark::Line { .. })));
    }
}
