//! Huber: ½r² for small r = f − y, linear beyond δ. Squared loss that outliers cannot pull far.

use super::{Loss, Quadratic, Target, within};

/// ½r² where |r| ≤ δ, else δ|r| − δ²/2, with r = f − y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Huber {
    /// Where the parabola turns into lines.
    pub delta: f64,
}

impl Loss for Huber {
    fn target(&self) -> Target {
        Target::Numbers
    }

    fn value(&self, y: f64, f: f64) -> f64 {
        let size = (f - y).abs();
        if size <= self.delta { 0.5 * size * size } else { self.delta * (size - 0.5 * self.delta) }
    }

    fn slopes(&self, y: f64, f: f64) -> (f64, f64) {
        let u = self.slope(y, f);
        (u, u)
    }

    fn slope(&self, y: f64, f: f64) -> f64 {
        (f - y).clamp(-self.delta, self.delta)
    }

    fn conjugate(&self, y: f64, u: f64) -> f64 {
        if within(u, self.domain(y)) { u * y + 0.5 * u * u } else { f64::INFINITY }
    }

    fn domain(&self, _: f64) -> (f64, f64) {
        (-self.delta, self.delta)
    }

    fn curvature(&self, y: f64, f: f64) -> Option<f64> {
        Some(if (f - y).abs() <= self.delta { 1.0 } else { 0.0 })
    }

    fn proximal(&self, y: f64, z: f64, t: f64) -> Option<f64> {
        let r = z - y;
        let step =
            if r.abs() <= self.delta * (1.0 + t) { r / (1.0 + t) } else { r - t * self.delta.copysign(r) };
        Some(y + step)
    }

    fn quadratic(&self, y: f64) -> Option<Quadratic> {
        Some(Quadratic { linear: y, kink: 0.0, curvature: 1.0 })
    }

    fn kinks(&self, y: f64) -> Vec<f64> {
        vec![y - self.delta, y + self.delta]
    }
}
