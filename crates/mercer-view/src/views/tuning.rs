//! What a search found: a cell for each kernel and strength, the chosen one, and those that are as good for all that is
//! known, within one standard error of it.

use serde::{Deserialize, Serialize};

use crate::Range;
use crate::plot::{
    Axis, Bar, Dash, Dot, Figure, Image, Key, Look, Mark, Plot, Ring, Shape, Swatch, Tone, hull,
};

/// How a candidate did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Which kernel.
    pub kernel: usize,
    /// Which strength.
    pub strength: usize,
    /// The mean of the metric.
    #[serde(deserialize_with = "known")]
    pub mean: f64,
    /// Its standard error, where it is known.
    pub error: Option<f64>,
    /// Whether it is within one standard error of the best.
    pub near: bool,
}

/// A number; none, as JSON has what is no number, is not one either.
fn known<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// A search.
///
/// ```
/// use mercer_view::{Look, Trial, Tuning, View};
///
/// let trial = |kernel, strength, mean| Trial { kernel, strength, mean, error: None, near: mean > 0.85 };
/// let view = Tuning {
///     title: "A search".into(),
///     kernels: vec!["0.1".into(), "1".into()],
///     strengths: vec!["1".into(), "10".into()],
///     trials: vec![trial(0, 0, 0.7), trial(0, 1, 0.9), trial(1, 0, 0.8), trial(1, 1, 0.6)],
///     best: Some(1),
///     ..Tuning::default()
/// };
/// assert!(view.figure(Look::default()).svg()?.contains("best"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// The heading.
    pub title: String,
    /// The data, the learner.
    pub subtitle: String,
    /// What the kernels differ by.
    pub parameter: String,
    /// The kernels, by their parameter.
    pub kernels: Vec<String>,
    /// The name of the strength: C or lambda.
    pub strength: String,
    /// The strengths.
    pub strengths: Vec<String>,
    /// What was tried.
    pub trials: Vec<Trial>,
    /// What candidates were judged by, with what is better.
    pub metric: String,
    /// The best trial.
    pub best: Option<usize>,
    /// The one with the strongest penalty of those near the best.
    pub simplest: Option<usize>,
    /// Remarks.
    pub notes: Vec<String>,
}

impl Tuning {
    /// A map of cells; of one kernel or one strength, a line with its errors.
    pub fn figure(&self, look: Look) -> Figure {
        let figure =
            if self.kernels.len() > 1 && self.strengths.len() > 1 { self.map(look) } else { self.line(look) };
        Figure { subtitle: self.subtitle.clone(), notes: self.notes.clone(), ..figure }
    }

    fn map(&self, look: Look) -> Figure {
        let (columns, rows) = (self.strengths.len(), self.kernels.len());
        let (low, high) = hull(self.trials.iter().map(|trial| trial.mean)).unwrap_or((0.0, 1.0));
        let range = Range::new(low, high).drawable();
        let mut pixels = vec![None; columns * rows];
        for trial in self.trials.iter().filter(|trial| trial.mean.is_finite()) {
            if let Some(pixel) =
                pixels.get_mut((rows - 1 - trial.kernel.min(rows - 1)) * columns + trial.strength)
            {
                *pixel = Some(range.colour(trial.mean));
            }
        }
        let ends = |count: usize| (-0.5, count as f64 - 0.5);
        let image = Image { x: ends(columns), y: ends(rows), columns, pixels, sharp: true };
        let mut marks = vec![Mark::Image(image)];
        let outline = self.outline();
        for (tone, width) in [(Tone::Paper, 4.0), (Tone::Strong, 1.8)] {
            marks.push(Mark::Line { points: outline.clone(), tone, width, dash: Dash::Solid });
        }
        marks.push(Mark::Dots(self.chosen(|trial| [trial.strength as f64, trial.kernel as f64])));
        let x = Axis::names(&self.strength, self.strengths.clone());
        let y = Axis::names(&self.parameter, self.kernels.clone());
        let mut legend = self.keys();
        if !outline.is_empty() {
            let swatch = Swatch::Frame { tone: Tone::Strong, width: 1.8 };
            legend.push(Key { swatch, text: "within one standard error of the best".to_owned() });
        }
        Figure {
            legend,
            bar: Some(Bar { label: self.metric.clone(), range }),
            ..Figure::new(&self.title, vec![Plot { marks, ..Plot::new(x, y) }], look)
        }
    }

    fn line(&self, look: Look) -> Figure {
        let by_kernel = self.kernels.len() > 1;
        let place = |trial: &Trial| if by_kernel { trial.kernel as f64 } else { trial.strength as f64 };
        let (label, names) =
            if by_kernel { (&self.parameter, &self.kernels) } else { (&self.strength, &self.strengths) };
        let mut sorted: Vec<&Trial> = self.trials.iter().collect();
        sorted.sort_by(|a, b| place(a).total_cmp(&place(b)));
        let band: Vec<[f64; 3]> = sorted
            .iter()
            .filter_map(|trial| Some([place(trial), trial.mean - trial.error?, trial.mean + trial.error?]))
            .collect();
        let heights = sorted.iter().flat_map(|trial| {
            let error = trial.error.unwrap_or(0.0);
            [trial.mean - error, trial.mean + error]
        });
        let y = Axis::around(&self.metric, heights);
        let mut legend = vec![Key::line(0, "mean over the splits")];
        if !band.is_empty() {
            let swatch = Swatch::Area { tone: Tone::Series(0) };
            legend.push(Key { swatch, text: "one standard error".to_owned() });
        }
        legend.extend(self.keys());
        let marks = vec![
            Mark::Band { points: band, tone: Tone::Series(0) },
            Mark::line(sorted.iter().map(|trial| [place(trial), trial.mean]).collect(), 0),
            Mark::Dots(self.chosen(|trial| [place(trial), trial.mean])),
        ];
        let plot = Plot { marks, ..Plot::new(Axis::names(label, names.clone()), y) };
        Figure { legend, ..Figure::new(&self.title, vec![plot], look) }
    }

    /// The best and the simplest trial as dots.
    fn chosen(&self, place: impl Fn(&Trial) -> [f64; 2]) -> Vec<Dot> {
        let dot = |at: Option<usize>, shape: Shape, series: usize| {
            let trial = self.trials.get(at?)?;
            Some(Dot { shape, tone: Tone::Series(series), size: 4.5, ring: Ring::Outline, at: place(trial) })
        };
        let simplest = self.simplest.filter(|_| self.simplest != self.best);
        [dot(simplest, Shape::Diamond, 3), dot(self.best, Shape::Disc, 1)].into_iter().flatten().collect()
    }

    fn keys(&self) -> Vec<Key> {
        let key = |shape: Shape, series: usize, text: &str| Key {
            swatch: Swatch::Dot { shape, tone: Tone::Series(series), size: 4.5, ring: Ring::Outline },
            text: text.to_owned(),
        };
        let mut keys = Vec::new();
        keys.extend(self.best.map(|_| key(Shape::Disc, 1, "best")));
        let simplest = self.simplest.filter(|_| self.simplest != self.best);
        keys.extend(simplest.map(|_| key(Shape::Diamond, 3, "simplest within one standard error")));
        keys
    }

    /// The edges between cells that are near the best and those that are not.
    fn outline(&self) -> Vec<[f64; 2]> {
        let near = |kernel: i64, strength: i64| {
            let same = |trial: &&Trial| trial.kernel as i64 == kernel && trial.strength as i64 == strength;
            self.trials.iter().find(same).is_some_and(|trial| trial.near)
        };
        let mut points = Vec::new();
        let mut edge = |from: [f64; 2], to: [f64; 2]| points.extend([from, to, [f64::NAN, f64::NAN]]);
        for trial in self.trials.iter().filter(|trial| trial.near) {
            let (kernel, strength) = (trial.kernel as i64, trial.strength as i64);
            let (x, y) = (trial.strength as f64, trial.kernel as f64);
            let (left, right, bottom, top) = (x - 0.5, x + 0.5, y - 0.5, y + 0.5);
            for (is_edge, from, to) in [
                (!near(kernel, strength - 1), [left, bottom], [left, top]),
                (!near(kernel, strength + 1), [right, bottom], [right, top]),
                (!near(kernel - 1, strength), [left, bottom], [right, bottom]),
                (!near(kernel + 1, strength), [left, top], [right, top]),
            ] {
                if is_edge {
                    edge(from, to);
                }
            }
        }
        points
    }
}
