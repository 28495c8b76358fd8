//! A machine as its penalty grows weaker: the metric on training rows and on held-out rows, and its support.

use serde::{Deserialize, Serialize};

use crate::plot::{Axis, Dot, Figure, Key, Look, Mark, Plot, Ring, Shape, Swatch, Tone};

/// The machine of one strength.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The strength.
    pub strength: f64,
    /// The metric on the training rows.
    pub training: f64,
    /// The mean of the metric on held-out rows, and its standard error where it is known.
    pub held_out: Option<(f64, Option<f64>)>,
    /// Rows with a coefficient.
    pub support: usize,
}

/// A machine along its strengths.
///
/// ```
/// use mercer_view::{Look, Path, Step, View};
///
/// let steps = [0.1, 1.0, 10.0].map(|strength| Step { strength, training: 0.9, held_out: None, support: 12 });
/// let view = Path { title: "A path".into(), strength: "C".into(), steps: steps.to_vec(), ..Path::default() };
/// assert!(view.figure(Look::default()).svg()?.contains("support vectors"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// The heading.
    pub title: String,
    /// The kernel, the name of the data.
    pub subtitle: String,
    /// The name of the strength: C or lambda.
    pub strength: String,
    /// What is measured.
    pub metric: String,
    /// In any order.
    pub steps: Vec<Step>,
    /// The best on held-out rows.
    pub best: Option<usize>,
    /// Remarks.
    pub notes: Vec<String>,
}

impl Path {
    /// The metric and the support against the strength.
    pub fn figure(&self, look: Look) -> Figure {
        let mut steps: Vec<&Step> = self.steps.iter().collect();
        steps.sort_by(|a, b| a.strength.total_cmp(&b.strength));
        let x = || Axis::logarithmic(&self.strength, steps.iter().map(|step| step.strength));
        let training: Vec<[f64; 2]> = steps.iter().map(|step| [step.strength, step.training]).collect();
        let held_out: Vec<[f64; 2]> =
            steps.iter().filter_map(|step| Some([step.strength, step.held_out?.0])).collect();
        let band: Vec<[f64; 3]> = steps
            .iter()
            .filter_map(|step| {
                let (mean, error) = step.held_out?;
                Some([step.strength, mean - error?, mean + error?])
            })
            .collect();
        let heights = training.iter().chain(&held_out).map(|at| at[1]);
        let y = Axis::around(&self.metric, heights.chain(band.iter().flat_map(|at| [at[1], at[2]])));
        let mut legend = vec![Key::line(0, "training rows")];
        let mut marks =
            vec![Mark::Band { points: band.clone(), tone: Tone::Series(1) }, Mark::line(training, 0)];
        if !held_out.is_empty() {
            marks.push(Mark::line(held_out, 1));
            legend.push(Key::line(1, "held-out rows"));
        }
        if !band.is_empty() {
            legend.push(Key {
                swatch: Swatch::Area { tone: Tone::Series(1) },
                text: "one standard error".to_owned(),
            });
        }
        let best =
            self.best.and_then(|best| self.steps.get(best)).and_then(|step| Some((step, step.held_out?.0)));
        if let Some((step, mean)) = best {
            let swatch = (Shape::Disc, Tone::Series(1), 4.5, Ring::Outline);
            let (shape, tone, size, ring) = swatch;
            marks.push(Mark::Dots(vec![Dot { at: [step.strength, mean], shape, tone, size, ring }]));
            legend.push(Key {
                swatch: Swatch::Dot { shape, tone, size, ring },
                text: "best held out".to_owned(),
            });
        }
        let support = steps.iter().map(|step| [step.strength, step.support as f64]).collect();
        let most = steps.iter().map(|step| step.support).max().unwrap_or(1).max(1) as f64;
        let plots = vec![
            Plot { marks, ..Plot::new(x(), y) },
            Plot {
                marks: vec![Mark::line(support, 2)],
                ..Plot::new(x(), Axis::new("support vectors", 0.0, 1.06 * most))
            },
        ];
        Figure {
            subtitle: self.subtitle.clone(),
            legend,
            notes: self.notes.clone(),
            ..Figure::new(&self.title, plots, look)
        }
    }
}
