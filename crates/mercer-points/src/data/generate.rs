//! The generated sets.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use super::BuiltIn;
use super::spec::Parameters;
use crate::draw::Draw;
use crate::{ColumnData, Table};

/// Half the gap that `separable` keeps open.
const MARGIN: f64 = 0.2;

/// Makes the set; the same parameters give the same table.
pub(super) fn table(set: &BuiltIn, parameters: &Parameters) -> Table {
    let mut draw = Draw::new(parameters.seed);
    let noise = |default: f64| parameters.noise.unwrap_or(default);
    let n = parameters.n;
    match set.name {
        "moons" => plane(n, |y| blur(moon(y, &mut draw), noise(0.1), &mut draw)),
        "circles" => plane(n, |y| blur(circle(y, &mut draw), noise(0.05), &mut draw)),
        "spirals" => plane(n, |y| blur(spiral(y, &mut draw), noise(0.02), &mut draw)),
        "xor" => plane(n, |y| blur(quarter(y, &mut draw), noise(0.05), &mut draw)),
        "chessboard" => plane(n, |y| blur(field(y, &mut draw), noise(0.0), &mut draw)),
        "separable" => plane(n, |y| cloud(y, noise(0.5), &mut draw)),
        "sinc" => sinc(n, noise(0.1), &mut draw),
        other => unreachable!("'{other}' is in the catalogue as generated but is not generated"),
    }
}

/// Columns `x1`, `x2` and `label` from a function that gives a point of the class −1 or +1.
fn plane(n: usize, mut point: impl FnMut(f64) -> [f64; 2]) -> Table {
    let (mut x1, mut x2, mut label) = (Vec::with_capacity(n), Vec::with_capacity(n), Vec::with_capacity(n));
    for i in 0..n {
        let y = if i % 2 == 0 { -1.0 } else { 1.0 };
        let [a, b] = point(y);
        x1.push(a);
        x2.push(b);
        label.push(y);
    }
    columns([("x1", x1), ("x2", x2), ("label", label)])
}

fn columns<const D: usize>(columns: [(&str, Vec<f64>); D]) -> Table {
    let mut table = Table::new();
    for (name, values) in columns {
        table.push(name, ColumnData::Numbers(values)).expect("names differ and lengths are equal");
    }
    table
}

fn blur([a, b]: [f64; 2], noise: f64, draw: &mut Draw) -> [f64; 2] {
    [a + noise * draw.normal(), b + noise * draw.normal()]
}

/// The upper half circle around the origin, and the lower one around (1, ½).
fn moon(y: f64, draw: &mut Draw) -> [f64; 2] {
    let (sin, cos) = draw.between(0.0, PI).sin_cos();
    if y < 0.0 { [cos, sin] } else { [1.0 - cos, 0.5 - sin] }
}

/// Radius 1 and radius ½.
fn circle(y: f64, draw: &mut Draw) -> [f64; 2] {
    let (sin, cos) = draw.between(0.0, 2.0 * PI).sin_cos();
    let radius = if y < 0.0 { 1.0 } else { 0.5 };
    [radius * cos, radius * sin]
}

/// Radius in proportion to the angle, evenly along the arm; the other class is turned by half a turn.
fn spiral(y: f64, draw: &mut Draw) -> [f64; 2] {
    let share = draw.uniform().sqrt();
    let (sin, cos) = (3.0 * PI * share).sin_cos();
    [y * share * cos, y * share * sin]
}

/// The square [−1, 1]² where the product of the coordinates has the sign of the class.
fn quarter(y: f64, draw: &mut Draw) -> [f64; 2] {
    let (a, b) = (draw.between(-1.0, 1.0), draw.uniform());
    [a, if (a < 0.0) == (y < 0.0) { b } else { -b }]
}

/// The square [0, 4]² where the fields of one class are those with an even sum of row and column.
fn field(y: f64, draw: &mut Draw) -> [f64; 2] {
    let row = draw.below(4);
    let parity = usize::from(y < 0.0);
    let column = 2 * draw.below(2) + (row + parity) % 2;
    [row as f64 + draw.uniform(), column as f64 + draw.uniform()]
}

/// A normal cloud around ±(1.5, 1.5), drawn again until it is on its side of the gap.
fn cloud(y: f64, noise: f64, draw: &mut Draw) -> [f64; 2] {
    loop {
        let [a, b] = blur([1.5 * y, 1.5 * y], noise, draw);
        if y * (a + b) * FRAC_1_SQRT_2 >= MARGIN {
            return [a, b];
        }
    }
}

/// `label` = sin(πx)/(πx) + noise for `x` in [−5, 5].
fn sinc(n: usize, noise: f64, draw: &mut Draw) -> Table {
    let (mut x, mut label) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for _ in 0..n {
        let at = draw.between(-5.0, 5.0);
        let height = if at == 0.0 { 1.0 } else { (PI * at).sin() / (PI * at) };
        x.push(at);
        label.push(height + noise * draw.normal());
    }
    columns([("x", x), ("label", label)])
}

#[cfg(test)]
mod tests {
    use crate::data::{builtin, load};
    use crate::{ColumnData, Points, Table};

    fn numbers<'a>(table: &'a Table, name: &str) -> &'a [f64] {
        match &table.column(name).unwrap().data {
            ColumnData::Numbers(values) => values,
            other => panic!("{}", other.kind()),
        }
    }

    fn points(spec: &str) -> Vec<(f64, f64, f64)> {
        let table = load(spec).unwrap();
        let names: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["x1", "x2", "label"]);
        let (x1, x2, y) = (numbers(&table, "x1"), numbers(&table, "x2"), numbers(&table, "label"));
        (0..table.len()).map(|i| (x1[i], x2[i], y[i])).collect()
    }

    #[test]
    fn the_seed_decides() {
        for set in builtin().iter().filter(|set| set.generated) {
            let seeded = |seed: u64| load(&format!("{}(n=20, seed={seed})", set.name)).unwrap();
            assert_eq!(seeded(3), seeded(3));
            assert_ne!(seeded(3), seeded(4));
            let huge_noise = load(&format!("{}(n=11, noise=1000)", set.name)).unwrap();
            assert_eq!(huge_noise.len(), 11);
        }
    }

    #[test]
    fn without_noise_the_figures_are_exact() {
        for (a, b, y) in points("moons(noise=0)") {
            let (a, b) = if y < 0.0 { (a, b) } else { (1.0 - a, 0.5 - b) };
            assert!((a.hypot(b) - 1.0).abs() < 1e-12 && b >= -1e-12);
        }
        for (a, b, y) in points("circles(noise=0)") {
            assert!((a.hypot(b) - if y < 0.0 { 1.0 } else { 0.5 }).abs() < 1e-12);
        }
        for (a, b, y) in points("spirals(noise=0)") {
            let radius = a.hypot(b);
            let (sin, cos) = (3.0 * std::f64::consts::PI * radius).sin_cos();
            assert!((a - y * radius * cos).abs() < 1e-9 && (b - y * radius * sin).abs() < 1e-9);
        }
        for (a, b, y) in points("xor(noise=0)") {
            assert!(a * b * y >= 0.0 && a.abs() <= 1.0 && b.abs() <= 1.0);
        }
        for (a, b, y) in points("chessboard") {
            let even = (a.floor() + b.floor()) % 2.0 == 0.0;
            assert!(even == (y > 0.0) && (0.0..4.0).contains(&a) && (0.0..4.0).contains(&b));
        }
    }

    #[test]
    fn separable_is_separable_at_any_noise() {
        for spec in ["separable", "separable(noise=50, seed=9)"] {
            assert!(points(spec).iter().all(|(a, b, y)| y * (a + b) / 2f64.sqrt() >= 0.2));
        }
    }

    #[test]
    fn sinc_is_a_curve() {
        let table = load("sinc(n=50, noise=0)").unwrap();
        for (x, y) in numbers(&table, "x").iter().zip(numbers(&table, "label")) {
            let t = std::f64::consts::PI * x;
            assert!((y * t - t.sin()).abs() < 1e-12);
        }
    }
}
