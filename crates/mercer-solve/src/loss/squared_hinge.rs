//! Squared hinge: max(0, 1−m)², m = y·f. As the hinge, but smooth, and far mistakes cost more.

use super::{Loss, Quadratic, Target, within};

/// max(0, 1 − y·f)².
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SquaredHinge;

impl Loss for SquaredHinge {
    fn target(&self) -> Target {
        Target::Labels
    }

    fn value(&self, y: f64, f: f64) -> f64 {
        let slack = (1.0 - y * f).max(0.0);
        slack * slack
    }

    fn slopes(&self, y: f64, f: f64) -> (f64, f64) {
        let u = self.slope(y, f);
        (u, u)
    }

    fn slope(&self, y: f64, f: f64) -> f64 {
        -2.0 * y * (1.0 - y * f).max(0.0)
    }

    fn conjugate(&self, y: f64, u: f64) -> f64 {
        let v = y * u;
        if within(u, self.domain(y)) { v + v * v / 4.0 } else { f64::INFINITY }
    }

    fn domain(&self, y: f64) -> (f64, f64) {
        if y > 0.0 { (f64::NEG_INFINITY, 0.0) } else { (0.0, f64::INFINITY) }
    }

    fn curvature(&self, y: f64, f: f64) -> Option<f64> {
        Some(if y * f < 1.0 { 2.0 } else { 0.0 })
    }

    fn proximal(&self, y: f64, z: f64, t: f64) -> Option<f64> {
        let z = y * z;
        let m = if z >= 1.0 { z } else { (z + 2.0 * t) / (1.0 + 2.0 * t) };
        Some(y * m)
    }

    fn quadratic(&self, y: f64) -> Option<Quadratic> {
        Some(Quadratic { linear: y, kink: 0.0, curvature: 0.5 })
    }

    fn kinks(&self, y: f64) -> Vec<f64> {
        vec![y]
    }
}
