//! Whether probabilities are what they say: of answers given with probability p, the share p should be right.

use serde::{Deserialize, Serialize};

use crate::plot::{Axis, Dot, Figure, Key, Look, Mark, Plot, Shape, Swatch, Tone};

/// Answers of about the same probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The least probability among them.
    pub from: f64,
    /// The largest.
    pub to: f64,
    /// The mean.
    pub probability: f64,
    /// The share that is right.
    pub correct: f64,
    /// Their share of all answers.
    pub weight: f64,
}

/// Probabilities against what came true.
///
/// ```
/// use mercer_view::{Look, Reliability, Share, View};
///
/// let share = Share { from: 0.8, to: 0.9, probability: 0.84, correct: 0.8, weight: 1.0 };
/// let view = Reliability { title: "Forecasts".into(), shares: vec![share], ..Reliability::default() };
/// assert!(view.figure(Look::default()).svg()?.contains("share that is right"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// The heading.
    pub title: String,
    /// The model, the name of the data.
    pub subtitle: String,
    /// In the order of the probabilities.
    pub shares: Vec<Share>,
    /// Remarks, such as the expected calibration error.
    pub notes: Vec<String>,
}

impl Reliability {
    /// The diagram, and how the answers are spread.
    pub fn figure(&self, look: Look) -> Figure {
        let least = self.shares.iter().map(|share| share.from).fold(1.0, f64::min);
        let low = if least >= 0.5 { 0.5 } else { 0.0 };
        let x = || Axis::new("probability of the answer", low - 0.02, 1.02);
        let points: Vec<[f64; 2]> =
            self.shares.iter().map(|share| [share.probability, share.correct]).collect();
        let dots = self.shares.iter().map(|share| Dot {
            size: 2.5 + 7.0 * share.weight.clamp(0.0, 1.0).sqrt(),
            shape: Shape::Disc,
            ..Dot::new([share.probability, share.correct], 0)
        });
        // From each dot to the diagonal: what the probabilities are off by.
        let off = self.shares.iter().map(|share| Mark::Line {
            points: vec![[share.probability, share.probability], [share.probability, share.correct]],
            tone: Tone::Series(1),
            width: 1.4,
            dash: Default::default(),
        });
        let mut marks = vec![Mark::guide(vec![[0.0, 0.0], [1.0, 1.0]])];
        marks.extend(off);
        marks.extend([Mark::line(points, 0), Mark::Dots(dots.collect())]);
        let diagram =
            Plot { marks, square: true, ..Plot::new(x(), Axis::new("share that is right", -0.02, 1.02)) };
        let boxes = self.shares.iter().map(|share| [share.from, share.to, 0.0, share.weight]).collect();
        let highest = self.shares.iter().map(|share| share.weight).fold(0.0, f64::max);
        let spread = Plot {
            marks: vec![Mark::Boxes { boxes, tone: Tone::Series(0), filled: true, width: 0.0 }],
            square: true,
            ..Plot::new(x(), Axis::new("share of the answers", 0.0, 1.05 * highest.max(0.01)))
        };
        let line = |tone, text: &str| Key {
            swatch: Swatch::Line { tone, width: 1.8, dash: Default::default() },
            text: text.to_owned(),
        };
        let legend = vec![
            line(Tone::Series(0), "answers; larger dots are more of them"),
            line(Tone::Series(1), "off by"),
            Key::guide("as it should be"),
        ];
        Figure {
            subtitle: self.subtitle.clone(),
            legend,
            notes: self.notes.clone(),
            ..Figure::new(&self.title, vec![diagram, spread], look)
        }
    }
}
