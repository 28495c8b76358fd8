//! Gram matrices as heat maps, side by side.
//!
//! The rows of all panels are the same points in the same order, usually ordered by label: then the groups make
//! a good kernel show as bright blocks on the diagonal, and the last panel may be the kernel one wishes for, the
//! ideal yyᵀ (Cristianini and others, *On kernel-target alignment*, 2001).

use serde::Serialize;

use crate::{Grid, Range, Scale};

/// The most panels a row of a [`HeatMap`] holds.
pub const MOST_COLUMNS: usize = 6;

/// One or more square matrices drawn with colours, small multiples of one size.
///
/// All fields are open; [`HeatMap::new`] fills in what is not said.
///
/// ```
/// use mercer_view::{Grid, Group, HeatMap, Panel, Theme, View};
///
/// let groups = vec![Group::new("ham", 2), Group::new("spam", 1)];
/// let gram = Grid::symmetric(3, |i, j| if i == j { 1.0 } else { 0.2 });
/// let panel = Panel { captions: vec!["alignment 0.62".into()], ..Panel::new("sigma = 0.5", gram) };
/// let view = HeatMap {
///     subtitle: "rbf(sigma = 0.5) on mails".into(),
///     groups: groups.clone(),
///     theme: Theme::Dark,
///     ..HeatMap::new("Gram matrix", vec![panel, Panel::ideal(&groups)])
/// };
/// assert!(view.svg()?.contains("spam"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeatMap {
    /// The heading.
    pub title: String,
    /// A second, quieter line: the kernel expression and the name of the data.
    pub subtitle: String,
    /// The matrices, in reading order.
    pub panels: Vec<Panel>,
    /// The runs of rows that share a label, in order; together they hold every row. Empty: no groups are drawn.
    pub groups: Vec<Group>,
    /// What the shared colour scale spans.
    pub range: Range,
    /// A remark at the foot, such as "every 3rd row of 1 500 shown". [`HeatMap::notes`] adds to it.
    pub note: String,
    /// The colours of everything but the matrices.
    pub theme: Theme,
    /// Panels a row, 1 to [`MOST_COLUMNS`]; `None` lets the number of panels decide.
    pub columns: Option<usize>,
    /// The most that the picture is wide, in units; `None` lets the panels decide. Type keeps its size.
    pub width: Option<f64>,
}

impl HeatMap {
    /// A light picture whose shared scale fits the panels that share it.
    pub fn new(title: impl Into<String>, panels: Vec<Panel>) -> Self {
        let sharing = panels.iter().filter(|panel| panel.scale == Scale::Shared);
        let range = Range::of(sharing.map(|panel| &panel.matrix));
        Self {
            title: title.into(),
            subtitle: String::new(),
            panels,
            groups: Vec::new(),
            range,
            note: String::new(),
            theme: Theme::default(),
            columns: None,
            width: None,
        }
    }

    /// The remarks at the foot: the note, and what a reader of the matrices must know (averaged blocks, cells
    /// beyond the scale, entries that are not finite).
    ///
    /// ```
    /// use mercer_view::{Grid, HeatMap, Panel};
    ///
    /// let view = HeatMap::new("", vec![Panel::new("", Grid::from_fn(1_000, |_, _| 1.0))]);
    /// assert_eq!(view.notes(), ["each cell is the mean of 3 × 3 entries of 1000 × 1000"]);
    /// ```
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.note.is_empty() {
            notes.push(self.note.clone());
        }
        let mut averaged: Vec<(usize, usize)> = Vec::new();
        for grid in self.panels.iter().map(|panel| &panel.matrix).filter(|grid| grid.block() > 1) {
            if !averaged.contains(&(grid.block(), grid.rows())) {
                averaged.push((grid.block(), grid.rows()));
            }
        }
        for (block, rows) in averaged {
            notes.push(format!("each cell is the mean of {block} × {block} entries of {rows} × {rows}"));
        }
        let missing: usize = self.panels.iter().map(|panel| panel.matrix.missing()).sum();
        match missing {
            0 => {}
            1 => notes.push("1 entry is not finite (hatched)".into()),
            _ => notes.push(format!("{missing} entries are not finite (hatched)")),
        }
        if self.panels.iter().any(|panel| self.range_of(panel).cuts(&panel.matrix)) {
            notes.push("values beyond the scale take the colour of its end".into());
        }
        notes
    }

    /// The range that colours a panel, made drawable.
    pub(crate) fn range_of(&self, panel: &Panel) -> Range {
        match panel.scale {
            Scale::Shared => self.range.drawable(),
            Scale::Own(range) => range.drawable(),
        }
    }
}

/// One matrix of a [`HeatMap`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Panel {
    /// The matrix.
    pub matrix: Grid,
    /// What sets this panel apart: "sigma = 0.5".
    pub title: String,
    /// Lines under the matrix: "alignment 0.62".
    pub captions: Vec<String>,
    /// Which scale colours it.
    pub scale: Scale,
}

impl Panel {
    /// A panel on the shared scale, without captions.
    pub fn new(title: impl Into<String>, matrix: Grid) -> Self {
        Self { matrix, title: title.into(), captions: Vec::new(), scale: Scale::Shared }
    }

    /// The ideal kernel of these groups: 1 between points of one group, 0 otherwise (yyᵀ with one-hot labels).
    ///
    /// Its scale is its own, from 0 to 1.
    ///
    /// ```
    /// use mercer_view::{Group, Panel};
    ///
    /// let ideal = Panel::ideal(&[Group::new("a", 1), Group::new("b", 1)]);
    /// assert_eq!(ideal.matrix.cells(), [1.0, 0.0, 0.0, 1.0]);
    /// ```
    pub fn ideal(groups: &[Group]) -> Self {
        let counts = groups.iter().enumerate();
        let labels: Vec<usize> = counts.flat_map(|(label, group)| vec![label; group.count]).collect();
        let matrix = Grid::symmetric(labels.len(), |i, j| f64::from(u8::from(labels[i] == labels[j])));
        Self { scale: Scale::Own(Range::new(0.0, 1.0)), ..Self::new("ideal", matrix) }
    }
}

/// A run of rows that share a label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The label.
    pub label: String,
    /// The rows of the matrix that carry it.
    pub count: usize,
}

impl Group {
    /// `count` rows labelled `label`.
    pub fn new(label: impl Into<String>, count: usize) -> Self {
        Self { label: label.into(), count }
    }

    /// The runs of equal labels among ordered rows.
    ///
    /// ```
    /// use mercer_view::Group;
    ///
    /// assert_eq!(Group::runs(["ham", "ham", "spam"]), [Group::new("ham", 2), Group::new("spam", 1)]);
    /// ```
    pub fn runs<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for label in labels.into_iter().map(Into::into) {
            match groups.last_mut() {
                Some(last) if last.label == label => last.count += 1,
                _ => groups.push(Self { label, count: 1 }),
            }
        }
        groups
    }
}

/// The colours of paper and ink; the matrices look the same in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Theme {
    /// Dark ink on white.
    #[default]
    Light,
    /// Light ink on near-black.
    Dark,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_tell_what_the_matrices_hide() {
        let spoilt = Panel::new("", Grid::from_fn(2, |i, _| if i == 0 { f64::NAN } else { 3.0 }));
        let view =
            HeatMap { range: Range::new(0.0, 1.0), note: "a".into(), ..HeatMap::new("", vec![spoilt]) };
        let expected =
            ["a", "2 entries are not finite (hatched)", "values beyond the scale take the colour of its end"];
        assert_eq!(view.notes(), expected);
    }

    #[test]
    fn the_ideal_panel_does_not_widen_the_shared_scale() {
        let linear = Panel::new("", Grid::from_fn(2, |_, _| 40.0));
        let ideal = Panel::ideal(&[Group::new("a", 2)]);
        assert_eq!(HeatMap::new("", vec![linear, ideal]).range, Range::new(40.0, 40.0));
    }
}
