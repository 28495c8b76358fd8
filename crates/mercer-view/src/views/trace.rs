//! Primal and dual objective against iterations: the optimum lies between them, and what is shaded is what is not yet
//! known (`docs/maths.md` §3, §7).

use serde::{Deserialize, Serialize};

use crate::plot::{Axis, Figure, Key, Look, Mark, Plot, Swatch, Tone, hull};

/// Where a solver was after so many iterations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visited {
    /// Iterations done.
    pub iteration: f64,
    /// The primal objective, where it was known.
    pub primal: Option<f64>,
    /// The dual objective, where it was known.
    pub dual: Option<f64>,
}

/// How a solver came to its solution.
///
/// ```
/// use mercer_view::{Look, Trace, View, Visited};
///
/// let points = (0..40).map(f64::from).map(|k| Visited {
///     iteration: k,
///     primal: Some(1.0 + 2.0 * (-0.2 * k).exp()),
///     dual: Some(1.0 - (-0.3 * k).exp()),
/// });
/// let view = Trace { title: "A solver".into(), points: points.collect(), ..Trace::default() };
/// assert!(view.figure(Look::default()).svg()?.contains("gap"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The heading.
    pub title: String,
    /// The problem.
    pub subtitle: String,
    /// In the order of the iterations.
    pub points: Vec<Visited>,
    /// Remarks, such as what was certified in the end.
    pub notes: Vec<String>,
}

impl Trace {
    /// The objectives, and the gap by itself where both are known.
    pub fn figure(&self, look: Look) -> Figure {
        let line = |value: fn(&Visited) -> Option<f64>| -> Vec<[f64; 2]> {
            self.points.iter().filter_map(|point| Some([point.iteration, value(point)?])).collect()
        };
        let (primal, dual) = (line(|point| point.primal), line(|point| point.dual));
        let iterations = || Axis::around("iteration", self.points.iter().map(|point| point.iteration));
        let both = self.points.iter().filter_map(|point| Some([point.iteration, point.dual?, point.primal?]));
        let both: Vec<[f64; 3]> = both.collect();
        let mut marks = Vec::new();
        let mut legend = Vec::new();
        if !both.is_empty() {
            marks.push(Mark::Band { points: both.clone(), tone: Tone::Quiet });
        }
        for (number, (points, name)) in
            [(&primal, "primal: what the machine costs"), (&dual, "dual: no machine costs less")]
                .into_iter()
                .enumerate()
        {
            if !points.is_empty() {
                marks.push(Mark::line(points.clone(), 1 - number));
                legend.push(Key::line(1 - number, name));
            }
        }
        if !both.is_empty() {
            legend.push(Key {
                swatch: Swatch::Area { tone: Tone::Quiet },
                text: "the gap between them".to_owned(),
            });
        }
        let mut plots = Vec::new();
        if !legend.is_empty() {
            let y = heights(&primal, &dual);
            plots.push(Plot { marks, title: "objective".to_owned(), ..Plot::new(iterations(), y) });
        }
        let gaps: Vec<[f64; 2]> =
            both.iter().map(|&[x, dual, primal]| [x, primal - dual]).filter(|gap| gap[1] > 0.0).collect();
        if gaps.len() > 1 {
            let y = Axis::logarithmic("gap", gaps.iter().map(|gap| gap[1]));
            let marks =
                vec![Mark::Line { points: gaps, tone: Tone::Strong, width: 1.6, dash: Default::default() }];
            plots.push(Plot { marks, title: "gap".to_owned(), ..Plot::new(iterations(), y) });
        }
        Figure {
            subtitle: self.subtitle.clone(),
            legend,
            notes: self.notes.clone(),
            ..Figure::new(&self.title, plots, look)
        }
    }
}

/// The heights that matter: a primal objective may begin far above where it ends, and would press all else flat.
fn heights(primal: &[[f64; 2]], dual: &[[f64; 2]]) -> Axis {
    let values =
        |line: &[[f64; 2]]| -> Vec<f64> { line.iter().map(|at| at[1]).filter(|v| v.is_finite()).collect() };
    let mut above = values(primal);
    above.sort_by(f64::total_cmp);
    let low = hull(values(dual).into_iter().chain(above.iter().copied())).map_or(0.0, |found| found.0);
    let last = primal.last().or(dual.last()).map_or(1.0, |at| at[1]);
    let most = above.get(above.len() * 9 / 10).copied().unwrap_or(last);
    let first = primal.first().map_or(most, |at| at[1]);
    Axis::around("objective", [low, most.max(last), first.min(3.0 * last.abs().max(most)), last])
}
