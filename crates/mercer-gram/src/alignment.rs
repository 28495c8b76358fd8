//! How well a Gram matrix agrees with labels (`docs/maths.md` §2).

use crate::Gram;

/// A(K, T) = ⟨K,T⟩/(‖K‖·‖T‖), plain and with both matrices centred.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alignment {
    /// As they are.
    pub plain: f64,
    /// After H = I − 11ᵀ/n on both sides; 0 when either vanishes.
    pub centered: f64,
}

/// The alignment of a Gram matrix with the ideal one, in one pass over rows and without holding it.
///
/// For two classes the ideal is yyᵀ with y = ±1; for more, +1 within a class and −1 between classes; for numbers to be
/// predicted, yyᵀ of the values less their mean.
///
/// ```
/// use mercer_gram::{Stored, alignment};
/// use mercer_linalg::Budget;
/// let y = [1.0, -1.0, 1.0];
/// let ideal: Vec<f64> = (0..9).map(|at| y[at / 3] * y[at % 3]).collect();
/// let gram = Stored::<f64>::from_entries(3, &ideal, Budget::default()).unwrap();
/// assert!((alignment(&gram, |i, j| y[i] * y[j]).plain - 1.0).abs() < 1e-12);
/// ```
pub fn alignment(gram: &dyn Gram, ideal: impl Fn(usize, usize) -> f64 + Sync) -> Alignment {
    let n = gram.len();
    const FEW: usize = 64;
    let mut buffer = vec![0.0; FEW * n];
    // Sums over the matrices and their products, and row sums for the centred form.
    let (mut kk, mut tt, mut kt) = (0.0, 0.0, 0.0);
    let (mut k_rows, mut t_rows) = (vec![0.0; n], vec![0.0; n]);
    let all: Vec<usize> = (0..n).collect();
    for rows in all.chunks(FEW) {
        gram.rows_double(rows, &mut buffer[..rows.len() * n]);
        for (&i, row) in rows.iter().zip(buffer.chunks_exact(n)) {
            for (j, &k) in row.iter().enumerate() {
                let t = ideal(i, j);
                kk += k * k;
                tt += t * t;
                kt += k * t;
                k_rows[i] += k;
                t_rows[i] += t;
            }
        }
    }
    let plain = ratio(kt, kk, tt);
    // ⟨HKH, HTH⟩ = ⟨K,T⟩ − (2/n)⟨K1,T1⟩ + (1ᵀK1)(1ᵀT1)/n².
    let size = n as f64;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (k_all, t_all) = (k_rows.iter().sum::<f64>(), t_rows.iter().sum::<f64>());
    let center = |plain: f64, a: &[f64], b: &[f64], a_all: f64, b_all: f64| {
        let centered = plain - 2.0 / size * product(a, b) + a_all * b_all / (size * size);
        // What is left of a matrix that centring removes is rounding.
        if centered.abs() <= 1e-13 * plain.abs() { 0.0 } else { centered }
    };
    let kk = center(kk, &k_rows, &k_rows, k_all, k_all);
    let tt = center(tt, &t_rows, &t_rows, t_all, t_all);
    let kt = center(kt, &k_rows, &t_rows, k_all, t_all);
    Alignment { plain, centered: ratio(kt, kk, tt) }
}

fn ratio(product: f64, a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { product / (a.sqrt() * b.sqrt()) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lazy;
    use mercer_points::{ReadOptions, read};

    fn moons(kernel: &str) -> (Lazy, Vec<f64>) {
        let mut table = read("@moons(n=200, noise=0.1)", &ReadOptions::default()).unwrap();
        let label = table.remove("label").unwrap();
        let mercer_points::ColumnData::Numbers(y) = label.data else { panic!("moons have numeric labels") };
        (Lazy::new(&kernel.parse().unwrap(), &table).unwrap(), y)
    }

    #[test]
    fn a_vanishing_width_aligns_like_the_identity_with_any_labels() {
        let (gram, y) = moons("rbf(sigma=1e-6)");
        let found = alignment(&gram, |i, j| y[i] * y[j]);
        assert!((found.plain - 1.0 / 200f64.sqrt()).abs() < 1e-9, "{found:?}");
        let alternating = alignment(&gram, |i, j| if (i + j) % 2 == 0 { 1.0 } else { -1.0 });
        assert!((alternating.plain - 1.0 / 200f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn an_infinite_width_makes_all_alike() {
        let (gram, y) = moons("rbf(sigma=1e6)");
        let mut row = vec![0.0; 200];
        gram.rows_double(&[17], &mut row);
        assert!(row.iter().all(|k| (k - 1.0).abs() < 1e-9));
        let balance = y.iter().sum::<f64>() / 200.0;
        assert!((alignment(&gram, |i, j| y[i] * y[j]).plain - balance * balance).abs() < 1e-6);
    }

    #[test]
    fn the_centred_form_is_that_of_centred_matrices() {
        let (gram, y) = moons("rbf(sigma=0.4)");
        let n = 200;
        let mut k = vec![0.0; n * n];
        gram.rows_double(&(0..n).collect::<Vec<_>>(), &mut k);
        let t: Vec<f64> = (0..n * n).map(|at| y[at / n] * y[at % n]).collect();
        let center = |m: &[f64]| -> Vec<f64> {
            let rows: Vec<f64> = m.chunks(n).map(|r| r.iter().sum::<f64>() / n as f64).collect();
            let all = rows.iter().sum::<f64>() / n as f64;
            (0..n * n).map(|at| m[at] - rows[at / n] - rows[at % n] + all).collect()
        };
        let (k, t) = (center(&k), center(&t));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let want = dot(&k, &t) / (dot(&k, &k) * dot(&t, &t)).sqrt();
        assert!((alignment(&gram, |i, j| y[i] * y[j]).centered - want).abs() < 1e-10);
    }
}
