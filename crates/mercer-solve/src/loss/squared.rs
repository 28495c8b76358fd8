//! Squared: ½r², r = f − y. The loss of ridge regression.

use super::{Loss, Quadratic, Target};

/// ½(f − y)².
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Squared;

impl Loss for Squared {
    fn target(&self) -> Target {
        Target::Numbers
    }

    fn value(&self, y: f64, f: f64) -> f64 {
        0.5 * (f - y) * (f - y)
    }

    fn slopes(&self, y: f64, f: f64) -> (f64, f64) {
        (f - y, f - y)
    }

    fn slope(&self, y: f64, f: f64) -> f64 {
        f - y
    }

    fn conjugate(&self, y: f64, u: f64) -> f64 {
        u * y + 0.5 * u * u
    }

    fn domain(&self, _: f64) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }

    fn curvature(&self, _: f64, _: f64) -> Option<f64> {
        Some(1.0)
    }

    fn proximal(&self, y: f64, z: f64, t: f64) -> Option<f64> {
        Some(y + (z - y) / (1.0 + t))
    }

    fn quadratic(&self, y: f64) -> Option<Quadratic> {
        Some(Quadratic { linear: y, kink: 0.0, curvature: 1.0 })
    }

    fn kinks(&self, y: f64) -> Vec<f64> {
        vec![y]
    }
}
