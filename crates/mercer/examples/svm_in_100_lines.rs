//! A whole kernel machine in 100 lines that uses nothing, not even Mercer: to see that there is no magic in it.
//!
//! ```text
//! minimise ½‖f‖² + C Σ_i max(0, 1 − y_i(f(x_i)+b)) ,      f(x) = Σ_j α_j k(x_j, x) ,   0 ≤ y_i α_i ≤ C ,   Σ_i α_i = 0
//! ```
//!
//! by sequential minimal optimisation with second-order choice of pairs (Fan, Chen and Lin 2005). Run it with
//! `cargo run --example svm_in_100_lines`, or alone: `rustc -O svm_in_100_lines.rs`.

#![allow(clippy::print_stdout)]

type Point = [f64; 2];

/// The kernel. A machine for anything else needs another function here, and nothing more.
fn rbf(x: &Point, z: &Point) -> f64 {
    let squares = (x[0] - z[0]).powi(2) + (x[1] - z[1]).powi(2);
    (-squares / (2.0 * 0.4_f64.powi(2))).exp()
}

/// Two half moons, one for each label, with uniform noise from a linear congruential generator.
fn moons(n: usize, mut seed: u64) -> (Vec<Point>, Vec<f64>) {
    let mut uniform = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut point = |i: usize| {
        let (y, angle) = (if i % 2 == 1 { -1.0 } else { 1.0 }, std::f64::consts::PI * uniform());
        let noise = [0.8 * (uniform() - 0.5), 0.8 * (uniform() - 0.5)];
        ([y * angle.cos() + 0.5 - 0.5 * y + noise[0], y * angle.sin() + 0.25 - 0.25 * y + noise[1]], y)
    };
    (0..n).map(&mut point).unzip()
}

struct Machine {
    support: Vec<(Point, f64)>,
    bias: f64,
}

impl Machine {
    fn score(&self, x: &Point) -> f64 {
        self.support.iter().map(|(z, alpha)| alpha * rbf(z, x)).sum::<f64>() + self.bias
    }
}

/// Trains until the optimality conditions hold to `tolerance`; also gives the primal and the dual objective.
fn train(x: &[Point], y: &[f64], c: f64, tolerance: f64) -> (Machine, f64, f64, usize) {
    let n = x.len();
    let kernel: Vec<Vec<f64>> = x.iter().map(|a| x.iter().map(|b| rbf(a, b)).collect()).collect();
    let mut alpha = vec![0.0; n];
    // How far each score is above its label; without coefficients all scores are zero.
    let mut excess: Vec<f64> = y.iter().map(|y| -y).collect();
    // αᵢ lies in [0, C] for label +1 and in [−C, 0] for label −1.
    let (low, high): (Vec<f64>, Vec<f64>) = y.iter().map(|y| ((c * y).min(0.0), (c * y).max(0.0))).unzip();
    let mut steps = 0;
    let bias = loop {
        // i can go up and gains most by it; if no j that can go down loses more, nothing is left to gain.
        let up = (0..n).filter(|&i| alpha[i] < high[i]).min_by(|&i, &j| excess[i].total_cmp(&excess[j]));
        let down = (0..n).filter(|&j| alpha[j] > low[j]).max_by(|&i, &j| excess[i].total_cmp(&excess[j]));
        let (Some(i), Some(worst)) = (up, down) else { break 0.0 };
        if excess[worst] - excess[i] <= tolerance {
            break -0.5 * (excess[worst] + excess[i]);
        }
        // αᵢ + t and αⱼ − t keep the sum. At its best t the dual grows by gain/2, so the best j has the most gain.
        let curvature = |j: usize| (kernel[i][i] + kernel[j][j] - 2.0 * kernel[i][j]).max(1e-12);
        let gain = |j: usize| (excess[j] - excess[i]).powi(2) / curvature(j);
        let useful = (0..n).filter(|&j| alpha[j] > low[j] && excess[j] > excess[i]);
        let j = useful.max_by(|&a, &b| gain(a).total_cmp(&gain(b))).unwrap_or(worst);
        let best = (excess[j] - excess[i]) / curvature(j);
        let (room_up, room_down) = (high[i] - alpha[i], alpha[j] - low[j]);
        let t = best.min(room_up).min(room_down);
        // Ends of boxes are hit exactly: a sum with rounding in it might fall short for ever.
        alpha[i] = if t == room_up { high[i] } else { alpha[i] + t };
        alpha[j] = if t == room_down { low[j] } else { alpha[j] - t };
        for (row, excess) in excess.iter_mut().enumerate() {
            *excess += t * (kernel[i][row] - kernel[j][row]);
        }
        steps += 1;
    };
    // f(xᵢ) = excessᵢ + yᵢ, so that ‖f‖² = Σᵢ αᵢ f(xᵢ) needs no further kernel value.
    let norm2: f64 = (0..n).map(|i| alpha[i] * (excess[i] + y[i])).sum();
    let slack: f64 = (0..n).map(|i| (-y[i] * (excess[i] + bias)).max(0.0)).sum();
    let total: f64 = alpha.iter().zip(y).map(|(alpha, y)| alpha * y).sum();
    let support = x.iter().copied().zip(alpha).filter(|(_, alpha)| *alpha != 0.0).collect();
    (Machine { support, bias }, 0.5 * norm2 + c * slack, total - 0.5 * norm2, steps)
}

fn main() {
    let (x, y) = moons(400, 1);
    let (machine, primal, dual, steps) = train(&x, &y, 10.0, 1e-6);
    let (fresh, labels) = moons(10_000, 2);
    let right = fresh.iter().zip(&labels).filter(|(x, y)| machine.score(x) * **y > 0.0).count();
    println!("{} of {} points are support vectors, after {steps} steps", machine.support.len(), x.len());
    println!("{:.2} % of {} fresh points are classified correctly", right as f64 / 100.0, fresh.len());
    println!("primal {primal:.9}, dual {dual:.9}: within {:.1e} of the optimum", (primal - dual) / primal);
}
