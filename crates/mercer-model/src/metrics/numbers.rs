//! RMSE, MAE, R² and the pinball loss (`docs/maths.md` §6.1).

use mercer_solve::loss::{Loss, Pinball};

use super::weights::{BEYOND, Undefined, mean, unit};

/// True and answered numbers, all finite.
#[derive(Debug)]
pub(super) struct Pairs<'a> {
    pub(super) truth: &'a [f64],
    pub(super) predicted: &'a [f64],
}

impl Pairs<'_> {
    /// √ of the mean of r².
    pub(super) fn rmse(&self, weights: &[f64]) -> Result<f64, Undefined> {
        let unit = self.unit(weights)?;
        Ok(mean(weights, |row| (self.residual(row) / unit).powi(2)).sqrt() * unit)
    }

    /// The mean of |r|.
    pub(super) fn mae(&self, weights: &[f64]) -> Result<f64, Undefined> {
        let unit = self.unit(weights)?;
        Ok(mean(weights, |row| self.residual(row).abs() / unit) * unit)
    }

    /// The mean of max(−τ·r, (1−τ)·r).
    pub(super) fn pinball(&self, weights: &[f64], tau: f64) -> Result<f64, Undefined> {
        let (loss, unit) = (Pinball { tau }, self.unit(weights)?);
        Ok(mean(weights, |row| loss.value(self.truth[row], self.predicted[row]) / unit) * unit)
    }

    /// 1 − Σ r² / Σ (y − ȳ)².
    pub(super) fn r2(&self, weights: &[f64]) -> Result<f64, Undefined> {
        let counted = || self.truth.iter().zip(weights).filter(|&(_, &weight)| weight > 0.0).map(|(&y, _)| y);
        let (least, most) =
            (counted().fold(f64::INFINITY, f64::min), counted().fold(-f64::INFINITY, f64::max));
        // Not by the sum of squares: rounding of the mean would make a constant vary.
        if least >= most {
            return Err(Undefined("the target is the same for all rows"));
        }
        self.unit(weights)?;
        if !(most - least).is_finite() {
            return Err(BEYOND);
        }
        let unit = unit(most - least);
        let above = |row: usize| (self.truth[row] - least) / unit;
        let middle = mean(weights, above);
        let spread = mean(weights, |row| (above(row) - middle).powi(2));
        Ok(1.0 - mean(weights, |row| (self.residual(row) / unit).powi(2)) / spread)
    }

    fn residual(&self, row: usize) -> f64 {
        self.predicted[row] - self.truth[row]
    }

    /// What to divide residuals by.
    fn unit(&self, weights: &[f64]) -> Result<f64, Undefined> {
        let counted = (0..weights.len()).filter(|&row| weights[row] > 0.0);
        let largest = counted.map(|row| self.residual(row).abs()).fold(0.0, f64::max);
        if largest.is_finite() { Ok(unit(largest)) } else { Err(BEYOND) }
    }
}
