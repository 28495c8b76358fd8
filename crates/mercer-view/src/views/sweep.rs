//! One machine for several values of a parameter, side by side on the same axes.

use serde::{Deserialize, Serialize};

use super::Boundary;
use super::spot::repeated;
use crate::plot::{Figure, Look, Plot};

/// Boundaries for several values of a parameter.
///
/// ```
/// use mercer_view::{Boundary, Field, Ground, Look, Sweep, View};
///
/// let panel = |radius: f64| {
///     let field = Field::from_fn((-2.0, 2.0), (-2.0, 2.0), 20, 20, |x, y| x.hypot(y) - radius);
///     (format!("radius = {radius}"), Boundary::new("", ["x", "y"], Ground::Scores(field)))
/// };
/// let view = Sweep { title: "Circles".into(), panels: vec![panel(0.5), panel(1.5)], ..Sweep::default() };
/// assert!(view.figure(Look::wide(400.0)).svg()?.contains("radius = 1.5"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The heading.
    pub title: String,
    /// The kernel, the name of the data.
    pub subtitle: String,
    /// What sets each apart, and the boundary.
    pub panels: Vec<(String, Boundary)>,
    /// Remarks.
    pub notes: Vec<String>,
}

impl Sweep {
    /// The pictures on axes.
    pub fn figure(&self, look: Look) -> Figure {
        let plots =
            self.panels.iter().map(|(title, view)| Plot { title: title.clone(), ..view.plot(look.theme) });
        let mut legend = Vec::new();
        for key in self.panels.iter().flat_map(|(_, view)| view.legend()) {
            if !legend.contains(&key) {
                legend.push(key);
            }
        }
        let mut notes = self.notes.clone();
        notes.extend(self.panels.first().and_then(|(_, view)| repeated(&view.classes)));
        let ends =
            |view: &Boundary| (view.ground.field().x, view.ground.field().y, view.x.clone(), view.y.clone());
        let shared = self.panels.windows(2).all(|pair| ends(&pair[0].1) == ends(&pair[1].1));
        Figure {
            subtitle: self.subtitle.clone(),
            legend,
            notes,
            shared,
            ..Figure::new(&self.title, plots.collect(), look)
        }
    }
}
