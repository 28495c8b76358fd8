//! Numbers that were answered against those that are true, and what is left over.

use serde::{Deserialize, Serialize};

use crate::plot::{Axis, Dot, Figure, Key, Look, Mark, Plot};

/// Answers and truth, row by row.
///
/// ```
/// use mercer_view::{Look, Residuals, View};
///
/// let view = Residuals {
///     title: "Heights".into(),
///     target: "height".into(),
///     predicted: vec![1.0, 2.0],
///     truth: vec![1.1, 1.8],
///     ..Residuals::default()
/// };
/// assert!(view.figure(Look::default()).svg()?.contains("predicted height"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Residuals {
    /// The heading.
    pub title: String,
    /// The model, the name of the data.
    pub subtitle: String,
    /// The name of what is predicted.
    pub target: String,
    /// What was answered.
    pub predicted: Vec<f64>,
    /// What is true.
    pub truth: Vec<f64>,
    /// Remarks.
    pub notes: Vec<String>,
}

impl Residuals {
    /// Truth and residual against the answer.
    pub fn figure(&self, look: Look) -> Figure {
        let rows = || self.predicted.iter().copied().zip(self.truth.iter().copied());
        let x = || Axis::around(format!("predicted {}", self.target), self.predicted.iter().copied());
        let truth = Axis::around(format!("true {}", self.target), self.truth.iter().copied());
        let rest =
            Axis::around("residual (predicted − true)", rows().map(|(found, y)| found - y).chain([0.0]));
        let dots = |height: fn(f64, f64) -> f64| {
            Mark::Dots(
                rows()
                    .map(|(found, y)| Dot { size: 2.4, ..Dot::new([found, height(found, y)], 0) })
                    .collect(),
            )
        };
        let ends = x();
        let (low, high) = (ends.low.min(truth.low), ends.high.max(truth.high));
        let first = vec![Mark::guide(vec![[low, low], [high, high]]), dots(|_, y| y)];
        let second = vec![Mark::guide(vec![[ends.low, 0.0], [ends.high, 0.0]]), dots(|found, y| found - y)];
        let plots = vec![
            Plot { marks: first, ..Plot::new(x(), truth) },
            Plot { marks: second, ..Plot::new(x(), rest) },
        ];
        Figure {
            subtitle: self.subtitle.clone(),
            legend: vec![Key::class(0, "rows"), Key::guide("no error")],
            notes: self.notes.clone(),
            ..Figure::new(&self.title, plots, look)
        }
    }
}
