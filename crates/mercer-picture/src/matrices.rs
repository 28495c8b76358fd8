//! Gram matrices as a picture: ordered by label, beside the ideal one, with the alignment under each.

use mercer_gram::{Alignment, Gram, Ideal, Shape, Stored};
use mercer_linalg::eigh;
use mercer_view::{Grid, Group, HeatMap, Panel, Range, Scale};

/// One matrix to draw.
#[derive(Debug, Clone)]
pub struct Drawn<'a> {
    /// What sets it apart: the kernel, or the value of a parameter.
    pub title: String,
    /// Its entries.
    pub gram: &'a Stored<f32>,
    /// How well it agrees with the labels.
    pub alignment: Option<Alignment>,
    /// What its entries look like.
    pub shape: Shape,
}

/// Rows of equal label side by side, and within a label in spectral order, so that structure can be seen.
///
/// ```
/// use mercer_gram::{Ideal, Lazy, Stored, alignment, statistics};
/// use mercer_picture::{Drawn, matrices, panel, seriate};
///
/// let mut table = mercer_points::read("@moons(n=40)", &Default::default()).unwrap();
/// let label = table.remove("label").unwrap();
/// let ideal = Ideal::of("label", &label.data).unwrap();
/// let lazy = Lazy::new(&"rbf(sigma=0.5)".parse().unwrap(), &table).unwrap();
/// let gram = Stored::<f32>::new(&lazy, Default::default()).unwrap();
/// let order = seriate(&gram, Some(&ideal));
/// let drawn = Drawn {
///     title: "sigma = 0.5".to_owned(),
///     gram: &gram,
///     alignment: Some(alignment(&lazy, |i, j| ideal.value(i, j))),
///     shape: statistics(&lazy).shape,
/// };
/// let view = matrices("Two moons", "rbf", vec![panel(&drawn, &order)], Some((&ideal, &order)));
/// assert_eq!(view.panels.len(), 2);
/// ```
pub fn seriate(gram: &Stored<f32>, ideal: Option<&Ideal>) -> Vec<usize> {
    let mut rows = ideal.map_or_else(|| (0..gram.len()).collect(), Ideal::order);
    let whole = [("", gram.len())];
    let groups = ideal.map_or_else(Vec::new, Ideal::groups);
    let groups = if ideal.is_none() { whole.as_slice() } else { groups.as_slice() };
    let mut first = 0;
    for &(_, count) in groups {
        spectral_order(gram, &mut rows[first..first + count]);
        first += count;
    }
    rows
}

/// By the second eigenvector of the normalised likeness D^(-1/2) K D^(-1/2): neighbours come to stand side by side.
/// Groups that are too large for it stay as they are.
fn spectral_order(gram: &Stored<f32>, rows: &mut [usize]) {
    let n = rows.len();
    if !(3..=1000).contains(&n) {
        return;
    }
    let like = |i: usize, j: usize| f64::from(gram.row(i)[j]).max(0.0);
    let degree: Vec<f64> = rows
        .iter()
        .map(|&i| rows.iter().map(|&j| like(i, j)).sum::<f64>().max(f64::MIN_POSITIVE).sqrt())
        .collect();
    let entry = |at: usize| like(rows[at / n], rows[at % n]) / (degree[at / n] * degree[at % n]);
    let Ok((_, vectors)) = eigh(n, &(0..n * n).map(entry).collect::<Vec<_>>()) else { return };
    let second = &vectors[(n - 2) * n..(n - 1) * n];
    let place: Vec<f64> = second.iter().zip(&degree).map(|(v, d)| v / d).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| place[a].total_cmp(&place[b]));
    let sorted: Vec<usize> = order.iter().map(|&at| rows[at]).collect();
    rows.copy_from_slice(&sorted);
}

/// A panel of a matrix: rows with equal labels side by side.
pub fn panel(drawn: &Drawn<'_>, order: &[usize]) -> Panel {
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
pub fn matrices(
    title: impl Into<String>,
    subtitle: impl Into<String>,
    mut panels: Vec<Panel>,
    ideal: Option<(&Ideal, &[usize])>,
) -> HeatMap {
    let groups: Vec<Group> = ideal.map_or_else(Vec::new, |(ideal, _)| {
        ideal.groups().into_iter().map(|(name, count)| Group::new(name, count)).collect()
    });
    if let Some((ideal, order)) = ideal {
        let mut panel =
            Panel::new("ideal", Grid::symmetric(order.len(), |i, j| ideal.value(order[i], order[j])));
        panel.captions.push("y y^T".to_owned());
        // Its own scale: the kernels keep theirs, which has no other side where no entry is negative.
        panel.scale = Scale::Own(Range::new(-1.0, 1.0));
        panels.push(panel);
    }
    HeatMap { subtitle: subtitle.into(), groups, ..HeatMap::new(title, panels) }
}
