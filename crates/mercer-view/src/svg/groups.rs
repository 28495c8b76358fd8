//! Where the groups of rows lie along a panel, and which of their labels fit.

use super::text::Font;
use crate::{Grid, Group};

/// The type of group labels.
pub(super) const LABEL: Font = Font::new(11.5);

/// The widest label at the left, before it is shortened.
const WIDEST: f64 = 92.0;

/// Groups narrower than this, on average, get ticks at the edge instead of lines across the matrix.
const NARROW: f64 = 12.0;

/// What is drawn along the sides of a panel.
#[derive(Debug, PartialEq)]
pub(super) struct Sides {
    /// Where one group ends and the next begins.
    pub(super) boundaries: Vec<f64>,
    /// Groups from one tick to the next: ticks closer than four units would look like a bar.
    pub(super) stride: usize,
    /// Whether the boundaries run across the matrix.
    pub(super) across: bool,
    /// Labels at the left: middle, text, whole text.
    pub(super) left: Vec<Label>,
    /// Labels at the top.
    pub(super) top: Vec<Label>,
}

/// The label of a group at the middle of its extent.
#[derive(Debug, PartialEq)]
pub(super) struct Label {
    pub(super) middle: f64,
    pub(super) shown: String,
    pub(super) full: String,
}

impl Sides {
    /// The most room that labels at the left need.
    pub(super) const MOST: f64 = WIDEST + 7.0;

    /// The sides of a matrix drawn `side` wide.
    pub(super) fn new(groups: &[Group], grid: &Grid, side: f64) -> Self {
        let spans = spans(groups, grid, side);
        if spans.is_empty() {
            return Self::none();
        }
        let boundaries = spans.iter().skip(1).map(|&(_, start, _)| start).collect();
        let mean = side / spans.len() as f64;
        let (across, stride) = (mean >= NARROW, (4.0 / mean).ceil().max(1.0) as usize);
        let left =
            |label: &str, extent: f64| (extent >= LABEL.line() - 2.0).then(|| LABEL.shorten(label, WIDEST));
        let top = |label: &str, extent: f64| {
            let shown = LABEL.shorten(label, extent - 6.0);
            (shown == label || shown.chars().count() > 4).then_some(shown)
        };
        Self { boundaries, stride, across, left: labels(&spans, left), top: labels(&spans, top) }
    }

    /// Sides without groups.
    pub(super) fn none() -> Self {
        Self { boundaries: Vec::new(), stride: 1, across: true, left: Vec::new(), top: Vec::new() }
    }

    /// The room the labels need at the left.
    pub(super) fn gutter(&self) -> f64 {
        let widest = self.left.iter().map(|label| LABEL.width(&label.shown)).fold(0.0, f64::max);
        match (self.left.is_empty(), self.across) {
            (false, _) => (widest + 7.0).ceil(),
            (true, false) => 6.0,
            (true, true) => 0.0,
        }
    }

    /// The room the labels need at the top.
    pub(super) fn headroom(&self) -> f64 {
        match (self.top.is_empty(), self.across) {
            (false, _) => LABEL.line() + 1.0,
            (true, false) => 6.0,
            (true, true) => 0.0,
        }
    }

    /// The boundaries that get a tick: every `stride`-th.
    pub(super) fn ticks(&self) -> impl Iterator<Item = f64> {
        self.boundaries.iter().copied().skip(self.stride - 1).step_by(self.stride)
    }
}

/// Label, start and end of each group that has rows.
fn spans<'a>(groups: &'a [Group], grid: &Grid, side: f64) -> Vec<(&'a str, f64, f64)> {
    let mut start = 0;
    let mut spans = Vec::new();
    for group in groups.iter().filter(|group| group.count > 0) {
        let end = start + group.count;
        spans.push((group.label.as_str(), side * grid.place(start), side * grid.place(end)));
        start = end;
    }
    spans
}

/// The labels that fit, or none if that would leave most groups unnamed.
fn labels(spans: &[(&str, f64, f64)], fit: impl Fn(&str, f64) -> Option<String>) -> Vec<Label> {
    let place = |&(label, start, end): &(&str, f64, f64)| {
        let shown = fit(label, end - start)?;
        Some(Label { middle: 0.5 * (start + end), shown, full: label.to_owned() })
    };
    let fitting: Vec<Label> = spans.iter().filter_map(place).collect();
    if 2 * fitting.len() > spans.len() { fitting } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(counts: &[usize]) -> Sides {
        let groups: Vec<Group> = counts
            .iter()
            .enumerate()
            .map(|(label, &count)| Group::new(format!("class {label}"), count))
            .collect();
        Sides::new(&groups, &Grid::from_fn(counts.iter().sum(), |_, _| 0.0), 200.0)
    }

    #[test]
    fn few_groups_are_named() {
        let sides = sides(&[5, 0, 15]);
        assert_eq!(sides.boundaries, [50.0]);
        assert!(sides.across);
        assert_eq!(sides.left.iter().map(|label| label.middle).collect::<Vec<_>>(), [25.0, 125.0]);
        assert_eq!(sides.left[1].shown, "class 2");
    }

    #[test]
    fn many_groups_become_ticks() {
        let sides = sides(&[2; 200]);
        assert!(!sides.across && sides.left.is_empty() && sides.top.is_empty());
        assert_eq!(sides.boundaries.len(), 199);
        assert_eq!(sides.ticks().next(), Some(4.0));
        assert_eq!(sides.ticks().count(), 49);
        assert_eq!(sides.gutter(), 6.0);
    }

    #[test]
    fn no_groups_take_no_room() {
        assert_eq!(Sides::new(&[], &Grid::from_fn(3, |_, _| 0.0), 200.0), Sides::none());
        assert_eq!((Sides::none().gutter(), Sides::none().headroom()), (0.0, 0.0));
    }
}
