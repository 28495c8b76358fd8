//! The eigenvalues of a Gram matrix, the largest first, on a logarithmic scale: how many dimensions of feature space the
//! rows fill, and whether any is negative.

use serde::{Deserialize, Serialize};

use crate::plot::{Axis, Dot, Figure, Key, Look, Mark, Plot, Shape, Tone};

/// The spectrum of a matrix.
///
/// ```
/// use mercer_view::{Look, Spectrum, View};
///
/// let view = Spectrum { title: "Three".into(), values: vec![2.0, 0.5, -0.1], ..Spectrum::default() };
/// assert!(view.figure(Look::default()).svg()?.contains("negative"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// The heading.
    pub title: String,
    /// The kernel, the name of the data.
    pub subtitle: String,
    /// The eigenvalues, the largest first.
    pub values: Vec<f64>,
    /// How far they may be off; smaller ones are zero for all that is known.
    pub error: f64,
    /// Remarks, such as the rank.
    pub notes: Vec<String>,
}

impl Spectrum {
    /// The eigenvalues on axes.
    pub fn figure(&self, look: Look) -> Figure {
        let finite: Vec<(usize, f64)> = self
            .values
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, value)| value.is_finite() && *value != 0.0)
            .collect();
        let largest = finite.iter().map(|(_, value)| value.abs()).fold(0.0, f64::max);
        // Below rounding the numbers mean nothing; a tenth of it is the floor of the picture.
        let floor = (0.1 * self.error).max(1e-18 * largest).max(f64::MIN_POSITIVE);
        let heights = finite.iter().map(|(_, value)| value.abs().max(floor));
        let y = Axis::logarithmic("eigenvalue", heights.chain((self.error > 0.0).then_some(self.error)));
        let x = Axis::around("number", [1.0, self.values.len().max(1) as f64]);
        let dots = |negative: bool| -> Vec<Dot> {
            let own = finite.iter().filter(|(_, value)| (*value < 0.0) == negative);
            let dot = |&(place, value): &(usize, f64)| {
                let at = [place as f64 + 1.0, value.abs().max(floor)];
                Dot {
                    shape: Shape::of(usize::from(negative)),
                    size: 2.2,
                    ..Dot::new(at, usize::from(negative))
                }
            };
            own.map(dot).collect()
        };
        let (above, below) = (dots(false), dots(true));
        let mut legend = vec![Key::class(0, "positive")];
        if !below.is_empty() {
            legend.push(Key::class(1, "negative, by its size"));
        }
        let mut marks = Vec::new();
        if self.error > 0.0 {
            let points = vec![[x.low, self.error], [x.high, self.error]];
            marks.push(Mark::guide(points));
            legend.push(Key::guide("below: rounding"));
        }
        marks.extend([Mark::Dots(above), Mark::Dots(below)]);
        if finite.is_empty() {
            let at = [0.5 * (x.low + x.high), 1.0];
            marks = vec![Mark::Words { at, text: "all zero".to_owned(), tone: Tone::Quiet }];
        }
        let plot = Plot { marks, ..Plot::new(x, y) };
        Figure {
            subtitle: self.subtitle.clone(),
            legend,
            notes: self.notes.clone(),
            ..Figure::new(&self.title, vec![plot], look)
        }
    }
}
