//! Gram matrices of two moons under an RBF kernel of growing width, and the ideal one.
//!
//! ```sh
//! cargo run -p mercer-view --example moons -- folder
//! ```

use std::env;
use std::f64::consts::PI;
use std::path::PathBuf;

use mercer_view::{Error, Grid, Group, HeatMap, Panel, Theme, write};

const EACH: usize = 100;

fn main() -> Result<(), Error> {
    let folder = env::args_os().nth(1).map_or_else(env::temp_dir, PathBuf::from);
    let points = moons();
    let groups = vec![Group::new("upper", EACH), Group::new("lower", EACH)];
    let mut panels: Vec<Panel> = [0.1, 0.2, 0.5, 1.0, 5.0].map(|sigma| rbf(&points, sigma)).into();
    panels.push(Panel { captions: vec!["alignment 1.00".into()], ..Panel::ideal(&groups) });
    let view = HeatMap {
        subtitle: "exp(−‖x − z‖² / 2σ²) on two moons, 200 points ordered by label".into(),
        groups,
        ..HeatMap::new("Gram matrices of the RBF kernel", panels)
    };
    for (name, theme, columns) in [
        ("moons-light.svg", Theme::Light, None),
        ("moons-light.png", Theme::Light, None),
        ("moons-dark.svg", Theme::Dark, None),
        ("moons-dark.png", Theme::Dark, None),
        ("moons-row.png", Theme::Light, Some(6)),
    ] {
        write(folder.join(name), &HeatMap { theme, columns, ..view.clone() })?;
    }
    Ok(())
}

/// Two half circles that reach into each other, jittered by a fixed rule instead of a random one.
fn moons() -> Vec<[f64; 2]> {
    let point = |place: usize| {
        let turn = PI * (place % EACH) as f64 / (EACH - 1) as f64;
        let jitter = |step: f64| 0.2 * ((place as f64 * step).fract() - 0.5);
        let (x, y) =
            if place < EACH { (turn.cos(), turn.sin()) } else { (1.0 - turn.cos(), 0.5 - turn.sin()) };
        [x + jitter(0.618_034), y + jitter(0.754_878)]
    };
    (0..2 * EACH).map(point).collect()
}

fn rbf(points: &[[f64; 2]], sigma: f64) -> Panel {
    let kernel = |i: usize, j: usize| {
        let [x, z] = [points[i], points[j]];
        let square = (x[0] - z[0]).powi(2) + (x[1] - z[1]).powi(2);
        (-square / (2.0 * sigma * sigma)).exp()
    };
    let alignment = alignment(points.len(), kernel);
    Panel {
        captions: vec![format!("alignment {alignment:.2}")],
        ..Panel::new(format!("sigma = {sigma}"), Grid::symmetric(points.len(), kernel))
    }
}

/// ⟨K, K*⟩ / (‖K‖ ‖K*‖) with the ideal kernel K*.
fn alignment(n: usize, kernel: impl Fn(usize, usize) -> f64) -> f64 {
    let (mut inner, mut own, mut ideal) = (0.0, 0.0, 0.0);
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let same = f64::from(u8::from((i < EACH) == (j < EACH)));
        inner += same * kernel(i, j);
        own += kernel(i, j).powi(2);
        ideal += same;
    }
    inner / (own * ideal).sqrt()
}
