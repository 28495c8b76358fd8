//! Pinball: max(−τ·r, (1−τ)·r), r = f − y. Its minimiser is the τ-quantile.

use super::{Loss, Quadratic, Target, within};

/// max(−τ·(f−y), (1−τ)·(f−y)).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pinball {
    /// The quantile, between 0 and 1.
    pub tau: f64,
}

impl Loss for Pinball {
    fn target(&self) -> Target {
        Target::Numbers
    }

    fn value(&self, y: f64, f: f64) -> f64 {
        let r = f - y;
        (-self.tau * r).max((1.0 - self.tau) * r)
    }

    fn slopes(&self, y: f64, f: f64) -> (f64, f64) {
        let r = f - y;
        (if r <= 0.0 { -self.tau } else { 1.0 - self.tau }, if r >= 0.0 { 1.0 - self.tau } else { -self.tau })
    }

    fn slope(&self, y: f64, f: f64) -> f64 {
        let r = f - y;
        if r < 0.0 {
            -self.tau
        } else if r > 0.0 {
            1.0 - self.tau
        } else {
            0.0
        }
    }

    fn conjugate(&self, y: f64, u: f64) -> f64 {
        if within(u, self.domain(y)) { u * y } else { f64::INFINITY }
    }

    fn domain(&self, _: f64) -> (f64, f64) {
        (-self.tau, 1.0 - self.tau)
    }

    fn curvature(&self, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn proximal(&self, y: f64, z: f64, t: f64) -> Option<f64> {
        let r = z - y;
        let (down, up) = (t * (1.0 - self.tau), t * self.tau);
        let step = if r > down { r - down } else { (r + up).min(0.0) };
        Some(y + step)
    }

    fn quadratic(&self, y: f64) -> Option<Quadratic> {
        Some(Quadratic { linear: y, kink: 0.0, curvature: 0.0 })
    }

    fn kinks(&self, y: f64) -> Vec<f64> {
        vec![y]
    }
}
