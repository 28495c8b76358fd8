//! Hinge: max(0, 1−m), m = y·f. The loss of support vector machines.

use super::{Loss, Quadratic, Target, within};

/// max(0, 1 − y·f).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hinge;

impl Loss for Hinge {
    fn target(&self) -> Target {
        Target::Labels
    }

    fn value(&self, y: f64, f: f64) -> f64 {
        (1.0 - y * f).max(0.0)
    }

    fn slopes(&self, y: f64, f: f64) -> (f64, f64) {
        let m = y * f;
        match m.total_cmp(&1.0) {
            std::cmp::Ordering::Less => (-y, -y),
            std::cmp::Ordering::Equal => ((-y).min(0.0), (-y).max(0.0)),
            std::cmp::Ordering::Greater => (0.0, 0.0),
        }
    }

    fn slope(&self, y: f64, f: f64) -> f64 {
        if y * f < 1.0 { -y } else { 0.0 }
    }

    fn conjugate(&self, y: f64, u: f64) -> f64 {
        if within(u, self.domain(y)) { y * u } else { f64::INFINITY }
    }

    fn domain(&self, y: f64) -> (f64, f64) {
        ((-y).min(0.0), (-y).max(0.0))
    }

    fn curvature(&self, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn proximal(&self, y: f64, z: f64, t: f64) -> Option<f64> {
        let z = y * z;
        let m = if z >= 1.0 { z } else { (z + t).min(1.0) };
        Some(y * m)
    }

    fn quadratic(&self, y: f64) -> Option<Quadratic> {
        Some(Quadratic { linear: y, kink: 0.0, curvature: 0.0 })
    }

    fn kinks(&self, y: f64) -> Vec<f64> {
        vec![y]
    }
}
