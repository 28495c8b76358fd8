//! Logistic: log(1 + e^{−m}), m = y·f. The loss whose scores are log-odds.

use super::{Loss, Quadratic, Target, within};

/// log(1 + exp(−y·f)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Logistic;

impl Logistic {
    /// 1/(1+e^{−t}), without overflow.
    pub(crate) fn sigmoid(t: f64) -> f64 {
        if t >= 0.0 {
            1.0 / (1.0 + (-t).exp())
        } else {
            let e = t.exp();
            e / (1.0 + e)
        }
    }
}

impl Loss for Logistic {
    fn target(&self) -> Target {
        Target::Labels
    }

    fn value(&self, y: f64, f: f64) -> f64 {
        let m = y * f;
        (-m).max(0.0) + (-m.abs()).exp().ln_1p()
    }

    fn slopes(&self, y: f64, f: f64) -> (f64, f64) {
        let u = self.slope(y, f);
        (u, u)
    }

    fn slope(&self, y: f64, f: f64) -> f64 {
        -y * Self::sigmoid(-y * f)
    }

    fn conjugate(&self, y: f64, u: f64) -> f64 {
        if !within(u, self.domain(y)) {
            return f64::INFINITY;
        }
        let q = (-y * u).clamp(0.0, 1.0);
        let entropy = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
        entropy(q) + if q < 1.0 { (1.0 - q) * (-q).ln_1p() } else { 0.0 }
    }

    fn domain(&self, y: f64) -> (f64, f64) {
        ((-y).min(0.0), (-y).max(0.0))
    }

    fn curvature(&self, y: f64, f: f64) -> Option<f64> {
        let p = Self::sigmoid(y * f);
        Some(p * Self::sigmoid(-y * f))
    }

    fn proximal(&self, _: f64, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn quadratic(&self, _: f64) -> Option<Quadratic> {
        None
    }

    fn scores(&self, y: f64, u: f64) -> (f64, f64) {
        let q = (-y * u).clamp(0.0, 1.0);
        let f = y * ((-q).ln_1p() - q.ln());
        (f, f)
    }

    fn kinks(&self, _: f64) -> Vec<f64> {
        Vec::new()
    }
}
