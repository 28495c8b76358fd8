//! Σ_t c_t β^t of a vector that changes in one place at a time, in O(1) a step (`docs/maths.md` §4.7).
//!
//! With S_t = c_1 + … + c_t, a change δ of β_i after step s counts in all later terms, with weight S_T − S_s. Hence
//! Σ_t c_t β^t = S_T·β − κ where κ_i gathers δ·S_s. With c_t = 1/t these are the harmonic numbers of kernel Pegasos, with
//! c_t = 1 the counts of the averaged perceptron (Freund and Schapire 1999).

/// A weighted sum of all the vectors that a changing vector has been.
#[derive(Debug, Clone, Default)]
pub(in crate::solvers) struct RunningSum {
    weight: f64,
    kappa: Vec<f64>,
}

impl RunningSum {
    /// Of a vector of so many numbers.
    pub(in crate::solvers) fn new(length: usize) -> Self {
        Self { weight: 0.0, kappa: vec![0.0; length] }
    }

    /// Of a vector that is `now`, and whose terms so far sum to `sums` with weights that sum to `weight`.
    pub(in crate::solvers) fn resumed(weight: f64, sums: &[f64], now: &[f64]) -> Self {
        Self { weight, kappa: now.iter().zip(sums).map(|(now, sum)| weight * now - sum).collect() }
    }

    /// S_t: the sum of weights so far.
    pub(in crate::solvers) fn weight(&self) -> f64 {
        self.weight
    }

    /// Counts the vector as it is now, with a weight.
    pub(in crate::solvers) fn count(&mut self, weight: f64) {
        self.weight += weight;
    }

    /// Notes that number i changes by δ.
    pub(in crate::solvers) fn change(&mut self, i: usize, delta: f64) {
        self.kappa[i] += delta * self.weight;
    }

    /// Notes that every number i changes by δ·direction_i.
    pub(in crate::solvers) fn change_all(&mut self, delta: f64, direction: &[f64]) {
        let delta = delta * self.weight;
        self.kappa.iter_mut().zip(direction).for_each(|(kappa, direction)| *kappa += delta * direction);
    }

    /// A further number, of value δ after all that was counted.
    pub(in crate::solvers) fn push(&mut self, delta: f64) {
        self.kappa.push(delta * self.weight);
    }

    /// Forgets number i altogether.
    pub(in crate::solvers) fn remove(&mut self, i: usize) {
        self.kappa.remove(i);
    }

    /// Σ_t c_t β^t of number i, which is `now` at present.
    pub(in crate::solvers) fn sum_at(&self, i: usize, now: f64) -> f64 {
        self.weight * now - self.kappa[i]
    }

    /// factor·Σ_t c_t β^t; `now` is β at present.
    pub(in crate::solvers) fn scaled(&self, factor: f64, now: &[f64]) -> Vec<f64> {
        now.iter().enumerate().map(|(i, &now)| factor * self.sum_at(i, now)).collect()
    }

    /// Starts a new unit: what was counted stays, the vector may be rescaled at once. `now` is β before that.
    pub(in crate::solvers) fn settle(&mut self, now: &[f64]) {
        for (kappa, now) in self.kappa.iter_mut().zip(now) {
            *kappa -= self.weight * now;
        }
        self.weight = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes in odd places and weights 1/t, against the sum written out.
    #[test]
    fn the_sum_in_constant_time_is_the_sum() {
        let (mut beta, mut naive, mut sum) = (vec![0.0; 5], vec![0.0; 5], RunningSum::new(5));
        for t in 1..=400_u32 {
            let weight = 1.0 / f64::from(t);
            naive.iter_mut().zip(&beta).for_each(|(naive, beta)| *naive += weight * beta);
            sum.count(weight);
            let (i, delta) = ((t * t % 7 % 5) as usize, f64::from(t % 3) - 1.0);
            beta[i] += delta;
            sum.change(i, delta);
            if t == 200 {
                sum.settle(&beta);
                // In the new unit the vector is twice what it was.
                sum.change_all(1.0, &beta);
                beta.iter_mut().for_each(|beta| *beta *= 2.0);
            }
        }
        for (fast, naive) in sum.scaled(1.0, &beta).iter().zip(&naive) {
            assert!((fast - naive).abs() < 1e-12 * (1.0 + naive.abs()), "{fast} and {naive}");
        }
    }
}
