//! The two colour maps.
//!
//! Both are paths through OKLab along which lightness is *exactly linear* before rounding to 8 bits, so equal
//! steps of a value look like equal steps, the order survives grey printing, and no kind of colour blindness
//! loses it. Hue follows control points: the sequential map runs from dark violet over teal to yellow, the
//! diverging one from blue over white to orange, with the same lightness on both sides of zero.

use std::fmt;
use std::sync::LazyLock;

use serde::Serialize;

use super::oklab::Oklab;

/// Colours in a map: odd, so that a diverging map has a middle; with one more for missing cells, a PNG palette.
pub(crate) const STEPS: usize = 255;

/// A colour of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rgb {
    /// Red, sRGB.
    pub red: u8,
    /// Green, sRGB.
    pub green: u8,
    /// Blue, sRGB.
    pub blue: u8,
}

impl Rgb {
    /// So far from this colour to another one, in equal steps of the screen's values.
    pub(crate) fn towards(self, other: Self, part: f64) -> Self {
        let mixed = |from: u8, to: u8| {
            (f64::from(from) + (f64::from(to) - f64::from(from)) * part.clamp(0.0, 1.0)).round() as u8
        };
        Self {
            red: mixed(self.red, other.red),
            green: mixed(self.green, other.green),
            blue: mixed(self.blue, other.blue),
        }
    }
}

impl fmt::Display for Rgb {
    /// As in HTML: #rrggbb.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

/// A way from numbers to colours.
///
/// ```
/// use mercer_view::{ColourMap, Rgb};
///
/// let middle = ColourMap::Diverging.colour(0.5);
/// assert!([middle.red, middle.green, middle.blue].iter().all(|&part| part > 240));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark violet, teal, yellow: for values of one sign.
    Sequential,
    /// Blue, white, orange: for values of both signs, white is zero.
    Diverging,
}

impl ColourMap {
    /// The colour at a fraction of the way, held to 0…1.
    pub fn colour(self, fraction: f64) -> Rgb {
        self.table()[usize::from(step(fraction))]
    }

    /// All colours of the map, from its low end to its high end.
    pub(crate) fn table(self) -> &'static [Rgb; STEPS] {
        static SEQUENTIAL: LazyLock<[Rgb; STEPS]> = LazyLock::new(|| table(sequential));
        static DIVERGING: LazyLock<[Rgb; STEPS]> = LazyLock::new(|| table(diverging));
        match self {
            Self::Sequential => &SEQUENTIAL,
            Self::Diverging => &DIVERGING,
        }
    }
}

/// The place in a table of a fraction of the way.
pub(crate) fn step(fraction: f64) -> u8 {
    (fraction.clamp(0.0, 1.0) * (STEPS - 1) as f64).round() as u8
}

fn table(path: fn(f64) -> Oklab) -> [Rgb; STEPS] {
    std::array::from_fn(|step| path(step as f64 / (STEPS - 1) as f64).to_rgb())
}

/// The a and b axes at even steps along the sequential map, after viridis.
const SEQUENTIAL_POINTS: [(f64, f64); 6] =
    [(0.085, -0.095), (0.035, -0.125), (-0.030, -0.085), (-0.095, -0.005), (-0.125, 0.100), (-0.045, 0.185)];

/// Lightness at the ends of the sequential map.
const SEQUENTIAL_LIGHTNESS: (f64, f64) = (0.24, 0.915);

fn sequential(fraction: f64) -> Oklab {
    let (low, high) = SEQUENTIAL_LIGHTNESS;
    let (a, b) = spline(&SEQUENTIAL_POINTS, fraction);
    Oklab { lightness: low + (high - low) * fraction, a, b }
}

/// Lightness at the middle and at both ends of the diverging map.
const DIVERGING_LIGHTNESS: (f64, f64) = (0.975, 0.5);

fn diverging(fraction: f64) -> Oklab {
    let (middle, end) = DIVERGING_LIGHTNESS;
    let away = (2.0 * fraction - 1.0).abs();
    // Hues 256° (blue) and 58° (orange); the chroma rises quickly, so that small values have a colour already.
    let (hue, most): (f64, f64) = if fraction < 0.5 { (256.0, 0.17) } else { (58.0, 0.16) };
    let chroma = most * (1.0 - (1.0 - away).powi(2));
    let (sine, cosine) = hue.to_radians().sin_cos();
    Oklab { lightness: middle + (end - middle) * away, a: chroma * cosine, b: chroma * sine }
}

/// The Catmull–Rom curve through evenly spaced points.
fn spline(points: &[(f64, f64)], fraction: f64) -> (f64, f64) {
    let place = fraction.clamp(0.0, 1.0) * (points.len() - 1) as f64;
    let start = (place as usize).min(points.len() - 2);
    let t = place - start as f64;
    let point = |offset: usize| points[(start + offset).saturating_sub(1).min(points.len() - 1)];
    let blend = |p: f64, q: f64, r: f64, s: f64| {
        q + 0.5 * t * (r - p + t * (2.0 * p - 5.0 * q + 4.0 * r - s + t * (3.0 * (q - r) + s - p)))
    };
    let (p, q, r, s) = (point(0), point(1), point(2), point(3));
    (blend(p.0, q.0, r.0, s.0), blend(p.1, q.1, r.1, s.1))
}

#[cfg(test)]
mod tests {
    use super::super::oklab::tests::{linear, seen};
    use super::*;

    fn lightness(map: ColourMap) -> Vec<f64> {
        map.table().iter().map(|&colour| seen(linear(colour)).lightness).collect()
    }

    #[test]
    fn sequential_lightness_rises_in_a_straight_line() {
        let lightness = lightness(ColourMap::Sequential);
        let (low, high) = SEQUENTIAL_LIGHTNESS;
        for (step, pair) in lightness.windows(2).enumerate() {
            assert!(pair[1] > pair[0] - 1e-4, "step {step}");
        }
        for (step, found) in lightness.iter().enumerate() {
            let expected = low + (high - low) * step as f64 / (STEPS - 1) as f64;
            assert!((found - expected).abs() < 0.004, "step {step}: {found} for {expected}");
        }
    }

    #[test]
    fn diverging_lightness_is_the_same_on_both_sides() {
        let lightness = lightness(ColourMap::Diverging);
        let (middle, end) = DIVERGING_LIGHTNESS;
        for step in 0..=STEPS / 2 {
            let expected = end + (middle - end) * step as f64 / (STEPS / 2) as f64;
            for found in [lightness[step], lightness[STEPS - 1 - step]] {
                assert!((found - expected).abs() < 0.004, "step {step}: {found} for {expected}");
            }
        }
        let white = seen(linear(ColourMap::Diverging.colour(0.5)));
        assert!(white.a.hypot(white.b) < 0.003);
    }

    /// Linear light as people without red or green cones see it (Machado, Oliveira and Fernandes, 2009).
    #[test]
    fn colour_blind_readers_keep_the_order() {
        let protan = [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ];
        let deutan = [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ];
        for cones in [protan, deutan] {
            let perceived = |colour: Rgb| {
                let light = linear(colour);
                seen(cones.map(|row| row.iter().zip(light).map(|(weight, part)| weight * part).sum()))
            };
            let table = ColourMap::Sequential.table();
            for pair in table.chunks_exact(8).collect::<Vec<_>>().windows(2) {
                assert!(perceived(pair[1][0]).lightness > perceived(pair[0][0]).lightness + 0.005);
            }
            let ends = [0.0, 1.0].map(|end| perceived(ColourMap::Diverging.colour(end)));
            assert!((ends[0].a - ends[1].a).hypot(ends[0].b - ends[1].b) > 0.15);
        }
    }

    #[test]
    fn no_step_jumps() {
        for map in [ColourMap::Sequential, ColourMap::Diverging] {
            for pair in map.table().windows(2) {
                let (one, two) = (seen(linear(pair[0])), seen(linear(pair[1])));
                let apart = (one.lightness - two.lightness).hypot(one.a - two.a).hypot(one.b - two.b);
                assert!(apart < 0.014, "{pair:?}");
            }
        }
    }
}
