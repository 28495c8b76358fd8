//! Losses against the margin y·f, and against the residual f − y (`docs/maths.md` §7).

use serde::{Deserialize, Serialize};

use super::Curve;
use crate::plot::{Axis, Dash, Figure, Key, Look, Mark, Plot, Swatch, Tone};

/// What a wrong score costs, by several losses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// The heading.
    pub title: String,
    /// Losses of the margin.
    pub margins: Vec<Curve>,
    /// Losses of the residual.
    pub residuals: Vec<Curve>,
    /// The highest loss shown.
    pub highest: f64,
}

impl Losses {
    /// The losses on axes: a plot for each kind that there is.
    pub fn figure(&self, look: Look) -> Figure {
        let mut plots = Vec::new();
        let mut legend = Vec::new();
        for (title, label, curves, first) in [
            ("classes", "margin y·f", &self.margins, 0),
            ("numbers", "residual f − y", &self.residuals, self.margins.len()),
        ] {
            if curves.is_empty() {
                continue;
            }
            let abscissae = curves.iter().flat_map(|curve| curve.points.iter().map(|at| at[0]));
            let x = Axis::around(label, abscissae);
            let y = Axis::new("loss", -0.04 * self.highest, self.highest);
            let mut marks = Vec::new();
            if first == 0 {
                // The step that every loss of classes stands in for.
                let step = vec![[x.low, 1.0], [0.0, 1.0], [0.0, 0.0], [x.high, 0.0]];
                marks.push(Mark::guide(step));
                legend.push(Key::guide("mistake or not"));
            }
            for (number, curve) in curves.iter().enumerate() {
                let dash = [Dash::Solid, Dash::Dashed, Dash::Dotted][(first + number) / 8 % 3];
                let (tone, width) = (Tone::Series(first + number), 1.9);
                marks.push(Mark::Line { points: curve.points.clone(), tone, width, dash });
                legend.push(Key { swatch: Swatch::Line { tone, width, dash }, text: curve.name.clone() });
            }
            plots.push(Plot { title: title.to_owned(), marks, ..Plot::new(x, y) });
        }
        Figure { legend, ..Figure::new(&self.title, plots, look) }
    }
}
