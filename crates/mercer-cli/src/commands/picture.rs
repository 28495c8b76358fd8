//! Gram matrices as a picture: ordered by label, beside the ideal one, with the alignment under each.

use mercer::gram::{Alignment, Ideal, Shape, Stored};
use mercer::view::{Grid, Group, HeatMap, Panel, Theme};

/// One matrix to draw.
pub(crate) struct Drawn<'a> {
    pub(crate) title: String,
    pub(crate) gram: &'a Stored<f32>,
    pub(crate) alignment: Option<Alignment>,
    pub(crate) shape: Shape,
}

/// A panel of a matrix: rows with equal labels side by side.
pub(crate) fn panel(drawn: &Drawn<'_>, order: &[usize]) -> Panel {
    let grid = Grid::symmetric(order.len(), |i, j| f64::from(drawn.gram.row(order[i])[order[j]]));
    let mut panel = Panel::new(drawn.title.clone(), grid);
    if let Some(alignment) = drawn.alignment {
        panel.captions.push(format!("alignment {:.3}", alignment.plain));
        panel.captions.push(format!("centred {:.3}", alignment.centered));
    }
    panel.captions.push(drawn.shape.to_string());
    panel
}

/// The whole picture; the ideal matrix comes last.
pub(crate) fn heat_map(title: String, subtitle: String, mut panels: Vec<Panel>, ideal: Option<&Ideal>, dark: bool) -> HeatMap {
    let groups: Vec<Group> =
        ideal.map_or_else(Vec::new, |ideal| ideal.groups().into_iter().map(|(name, count)| Group::new(name, count)).collect());
    if let Some(ideal) = ideal {
        let order = ideal.order();
        let mut panel = Panel::new("ideal", Grid::symmetric(order.len(), |i, j| ideal.value(order[i], order[j])));
        panel.captions.push("y y^T".to_owned());
        panels.push(panel);
    }
    let mut map = HeatMap::new(title, panels);
    map.subtitle = subtitle;
    map.groups = groups;
    map.theme = if dark { Theme::Dark } else { Theme::Light };
    map
}
