//! Functions of one variable beside the rows that they were learned from: kernel ridge for several λ, a score along the
//! only feature (`docs/maths.md` §7).

use serde::{Deserialize, Serialize};

use super::spot::{Spot, keys, repeated};
use crate::plot::{Axis, Figure, Key, Look, Mark, Plot, Swatch, Tone, hull};

/// A function as a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Its points.
    pub points: Vec<[f64; 2]>,
    /// Half the width of a tube around it, within which nothing costs.
    pub tube: Option<f64>,
}

/// Functions of one variable.
///
/// ```
/// use mercer_view::{Curve, Curves, Look, Spot, View};
///
/// let points = (0..50).map(|k| 0.1 * f64::from(k)).map(|x| [x, x.sin()]).collect();
/// let view = Curves {
///     title: "A wave".into(),
///     x: "time".into(),
///     y: "height".into(),
///     curves: vec![Curve { name: "sine".into(), points, tube: Some(0.1) }],
///     spots: vec![Spot::new([1.0, 0.9], None)],
///     ..Curves::default()
/// };
/// assert!(view.figure(Look::default()).svg()?.contains("height"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curves {
    /// The heading.
    pub title: String,
    /// The kernel, the name of the data.
    pub subtitle: String,
    /// The variable.
    pub x: String,
    /// What depends on it.
    pub y: String,
    /// The functions.
    pub curves: Vec<Curve>,
    /// Rows of data.
    pub spots: Vec<Spot>,
    /// The names of the classes of the rows; none for numbers.
    pub classes: Vec<String>,
    /// Heights that matter, such as 0 and ±1 of a score.
    pub levels: Vec<f64>,
    /// Remarks.
    pub notes: Vec<String>,
}

impl Curves {
    /// The curves on axes.
    pub fn figure(&self, look: Look) -> Figure {
        // Colours of curves come after those of the classes, so that no curve looks like a class.
        let first = self.classes.len();
        let of_curves = || self.curves.iter().flat_map(|curve| &curve.points);
        let x =
            Axis::around(&self.x, of_curves().chain(self.spots.iter().map(|spot| &spot.at)).map(|at| at[0]));
        let tubes = self.curves.iter().flat_map(|curve| {
            let tube = curve.tube.unwrap_or(0.0);
            curve.points.iter().flat_map(move |at| [at[1] - tube, at[1] + tube])
        });
        let heights = tubes.chain(self.spots.iter().map(|spot| spot.at[1]));
        let y = Axis::around(&self.y, heights.chain(self.levels.iter().copied()));
        let x = match hull(of_curves().map(|at| at[0])) {
            Some((low, high)) if high > low => Axis::new(&self.x, low.min(x.low), high.max(x.high)),
            _ => x,
        };
        let mut marks = Vec::new();
        for level in &self.levels {
            marks.push(Mark::guide(vec![[x.low, *level], [x.high, *level]]));
        }
        marks.push(Mark::Dots(self.spots.iter().map(Spot::dot).collect()));
        let mut legend = keys(&self.classes, &self.spots);
        if self.classes.is_empty() && !self.spots.is_empty() {
            let dot = Spot::new([0.0, 0.0], None).dot();
            let swatch = Swatch::Dot { shape: dot.shape, tone: dot.tone, size: dot.size, ring: dot.ring };
            legend.insert(0, Key { swatch, text: "rows".to_owned() });
        }
        for (number, curve) in self.curves.iter().enumerate() {
            let series = first + number;
            if let Some(tube) = curve.tube {
                let points = curve.points.iter().map(|&[x, y]| [x, y - tube, y + tube]).collect();
                marks.push(Mark::Band { points, tone: Tone::Series(series) });
            }
            marks.push(Mark::line(curve.points.clone(), series));
            legend.push(Key::line(series, &curve.name));
        }
        let mut notes = self.notes.clone();
        notes.extend(repeated(&self.classes));
        let plot = Plot { marks, ..Plot::new(x, y) };
        Figure {
            subtitle: self.subtitle.clone(),
            legend,
            notes,
            ..Figure::new(&self.title, vec![plot], look)
        }
    }
}
