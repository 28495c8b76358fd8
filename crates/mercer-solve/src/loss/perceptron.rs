//! Perceptron: max(0, −m), m = y·f. Only mistakes cost.

use super::{Loss, Quadratic, Target, within};

/// max(0, −y·f).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Perceptron;

impl Loss for Perceptron {
    fn target(&self) -> Target {
        Target::Labels
    }

    fn value(&self, y: f64, f: f64) -> f64 {
        (-y * f).max(0.0)
    }

    fn slopes(&self, y: f64, f: f64) -> (f64, f64) {
        let m = y * f;
        if m < 0.0 {
            (-y, -y)
        } else if m == 0.0 {
            self.domain(y)
        } else {
            (0.0, 0.0)
        }
    }

    fn slope(&self, y: f64, f: f64) -> f64 {
        if y * f < 0.0 { -y } else { 0.0 }
    }

    fn conjugate(&self, y: f64, u: f64) -> f64 {
        if within(u, self.domain(y)) { 0.0 } else { f64::INFINITY }
    }

    fn domain(&self, y: f64) -> (f64, f64) {
        ((-y).min(0.0), (-y).max(0.0))
    }

    fn curvature(&self, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn proximal(&self, y: f64, z: f64, t: f64) -> Option<f64> {
        let z = y * z;
        let m = if z >= 0.0 { z } else { (z + t).min(0.0) };
        Some(y * m)
    }

    fn quadratic(&self, _: f64) -> Option<Quadratic> {
        Some(Quadratic { linear: 0.0, kink: 0.0, curvature: 0.0 })
    }

    fn kinks(&self, _: f64) -> Vec<f64> {
        vec![0.0]
    }
}
