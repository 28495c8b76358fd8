//! How well scores rank: true against false positives, and precision against recall.

use serde::{Deserialize, Serialize};

use crate::plot::{Axis, Figure, Key, Look, Mark, Plot};

/// How scores rank one class before the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The class that is to come first.
    pub name: String,
    /// False positives and true positives, as shares, from (0,0) to (1,1).
    pub roc: Vec<[f64; 2]>,
    /// The area under it.
    pub area: f64,
    /// Recall and precision.
    pub precision: Vec<[f64; 2]>,
    /// The mean precision over the rows of the class.
    pub average: f64,
    /// The share of the rows that are of the class: the precision of scores that say nothing.
    pub share: f64,
}

/// Rankings of one or more classes.
///
/// ```
/// use mercer_view::{Look, Ranking, Roc, View};
///
/// let ranking = Ranking {
///     name: "spam".into(),
///     roc: vec![[0.0, 0.0], [0.0, 0.8], [1.0, 1.0]],
///     area: 0.9,
///     ..Ranking::default()
/// };
/// let view = Roc { title: "Mails".into(), rankings: vec![ranking], ..Roc::default() };
/// assert!(view.figure(Look::default()).svg()?.contains("area 0.900"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Roc {
    /// The heading.
    pub title: String,
    /// The model, the name of the data.
    pub subtitle: String,
    /// One for each class, or one for the second of two.
    pub rankings: Vec<Ranking>,
    /// Remarks.
    pub notes: Vec<String>,
}

/// Rankings that are drawn at most: more colours cannot be told apart.
const MOST: usize = 8;

impl Roc {
    /// Both curves side by side.
    pub fn figure(&self, look: Look) -> Figure {
        let unit = |label: &str| Axis::new(label, -0.02, 1.02);
        let mut roc = vec![Mark::guide(vec![[0.0, 0.0], [1.0, 1.0]])];
        let mut precision = Vec::new();
        let mut legend = Vec::new();
        for (number, ranking) in self.rankings.iter().take(MOST).enumerate() {
            roc.push(Mark::line(ranking.roc.clone(), number));
            precision.push(Mark::guide(vec![[0.0, ranking.share], [1.0, ranking.share]]));
            precision.push(Mark::line(ranking.precision.clone(), number));
            let said =
                format!("{}: area {:.3}, mean precision {:.3}", ranking.name, ranking.area, ranking.average);
            legend.push(Key::line(number, said));
        }
        legend.push(Key::guide("scores that say nothing"));
        let mut notes = self.notes.clone();
        if self.rankings.len() > MOST {
            notes.push(format!("the first {MOST} of {} classes", self.rankings.len()));
        }
        let plot = |title: &str, x: &str, y: &str, marks| Plot {
            title: title.to_owned(),
            marks,
            square: true,
            ..Plot::new(unit(x), unit(y))
        };
        let plots = vec![
            plot("true against false positives", "false positives", "true positives", roc),
            plot("precision against recall", "recall", "precision", precision),
        ];
        Figure { subtitle: self.subtitle.clone(), legend, notes, ..Figure::new(&self.title, plots, look) }
    }
}
