//! Heat maps on axes, for those who draw with another library than this one; [`HeatMap`]'s own picture has more room for
//! the names of groups.

use crate::plot::{Axis, Bar, Dash, Figure, Image, Look, Mark, Plot, Tone};
use crate::{HeatMap, Panel, Scale};

impl HeatMap {
    /// The matrices as images on axes: row r of n stands at height n − r, as in the matrix written down.
    ///
    /// ```
    /// use mercer_view::{Grid, Group, HeatMap, Look, Panel};
    ///
    /// let groups = vec![Group::new("ham", 2), Group::new("spam", 1)];
    /// let gram = Panel::new("linear", Grid::from_fn(3, |i, j| (i * j) as f64));
    /// let view = HeatMap { groups: groups.clone(), ..HeatMap::new("Mails", vec![gram, Panel::ideal(&groups)]) };
    /// assert_eq!(view.figure(Look::default()).plots.len(), 2);
    /// ```
    pub fn figure(&self, look: Look) -> Figure {
        let plots = self.panels.iter().map(|panel| self.plot(panel)).collect();
        let shared = self.panels.iter().any(|panel| panel.scale == Scale::Shared);
        let only = self.panels.iter().all(|panel| panel.scale == Scale::Shared);
        let label = if only { "entries" } else { "entries (some panels have their own scale)" };
        Figure {
            subtitle: self.subtitle.clone(),
            bar: shared.then(|| Bar { label: label.to_owned(), range: self.range.drawable() }),
            notes: self.notes(),
            shared: true,
            ..Figure::new(&self.title, plots, Look { theme: self.theme, ..look })
        }
    }

    fn plot(&self, panel: &Panel) -> Plot {
        let (grid, range) = (&panel.matrix, self.range_of(panel));
        let rows = grid.rows().max(1) as f64;
        let reach = (grid.side() * grid.block()) as f64;
        let pixel = |cell: &f32| cell.is_finite().then(|| range.colour(f64::from(*cell)));
        let image = Image {
            x: (0.0, reach),
            y: (rows - reach, rows),
            columns: grid.side(),
            pixels: grid.cells().iter().map(pixel).collect(),
            sharp: true,
        };
        let mut marks = vec![Mark::Image(image)];
        let mut before = 0;
        for group in self.groups.iter().take(self.groups.len().saturating_sub(1)) {
            before += group.count;
            let at = before as f64;
            for points in [vec![[at, 0.0], [at, rows]], vec![[0.0, rows - at], [rows, rows - at]]] {
                marks.push(Mark::Line { points, tone: Tone::Paper, width: 0.8, dash: Dash::Solid });
            }
        }
        Plot {
            title: panel.title.clone(),
            marks,
            captions: panel.captions.clone(),
            square: true,
            ..Plot::new(Axis::new("", 0.0, rows), Axis::new("", 0.0, rows))
        }
    }
}
