//! ε-insensitive: max(0, |r|−ε), r = f − y. Small errors are free: the loss of support vector regression.

use super::{Loss, Quadratic, Target, within};

/// max(0, |f − y| − ε).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpsilonInsensitive {
    /// Half the width of the tube in which errors are free.
    pub epsilon: f64,
}

impl Loss for EpsilonInsensitive {
    fn target(&self) -> Target {
        Target::Numbers
    }

    fn value(&self, y: f64, f: f64) -> f64 {
        ((f - y).abs() - self.epsilon).max(0.0)
    }

    fn slopes(&self, y: f64, f: f64) -> (f64, f64) {
        let r = f - y;
        let low = if r <= -self.epsilon {
            -1.0
        } else if r > self.epsilon {
            1.0
        } else {
            0.0
        };
        let high = if r >= self.epsilon {
            1.0
        } else if r < -self.epsilon {
            -1.0
        } else {
            0.0
        };
        (low, high)
    }

    fn slope(&self, y: f64, f: f64) -> f64 {
        let r = f - y;
        if r.abs() > self.epsilon { r.signum() } else { 0.0 }
    }

    fn conjugate(&self, y: f64, u: f64) -> f64 {
        if within(u, self.domain(y)) { u * y + self.epsilon * u.abs() } else { f64::INFINITY }
    }

    fn domain(&self, _: f64) -> (f64, f64) {
        (-1.0, 1.0)
    }

    fn curvature(&self, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn proximal(&self, y: f64, z: f64, t: f64) -> Option<f64> {
        let r = z - y;
        let size = r.abs();
        let step = if size <= self.epsilon { size } else { (size - t).max(self.epsilon) };
        Some(y + step.copysign(r))
    }

    fn quadratic(&self, y: f64) -> Option<Quadratic> {
        Some(Quadratic { linear: y, kink: self.epsilon, curvature: 0.0 })
    }

    fn kinks(&self, y: f64) -> Vec<f64> {
        vec![y - self.epsilon, y + self.epsilon]
    }
}
