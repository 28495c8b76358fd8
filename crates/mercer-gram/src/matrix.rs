//! Is a matrix that somebody computed elsewhere a Gram matrix? Answered fast, with a witness where it is not
//! (`docs/maths.md` §1.4).
//!
//! ```text
//! finite?  symmetric?  K_ii ≥ 0?  K_ij² ≤ K_ii·K_jj?  K + τI = LLᵀ?     the first "no" is the answer
//! ```
//!
//! What single precision rounds is forgiven: τ covers it. A factorisation that breaks down at pivot p gives the
//! witness: v = (−A₁₁⁻¹a, 1) for the rows before p has vᵀ(K + τI)v = pivot ≤ 0.

use std::time::{Duration, Instant};

use mercer_linalg::{CholeskyError, cholesky, cholesky_solve, eigenvalues};
use rayon::prelude::*;

use crate::spectrum::lanczos;
use crate::{Gram, Precision};

/// Up to this many rows a factorisation decides; beyond, Lanczos looks for a witness as long as there is time.
const FACTORED: usize = 4000;

/// Up to this many rows the whole spectrum of a refuted matrix is told.
const SMALL: usize = 300;

/// How long Lanczos may look.
const PATIENCE: Duration = Duration::from_millis(700);

/// What is found.
#[derive(Debug, Clone, PartialEq)]
pub enum MatrixVerdict {
    /// K + τI is positive definite: nothing is below −τ.
    Psd,
    /// Nothing was found against it, but not everything was looked at.
    NotRefuted,
    /// An entry is no finite number.
    NotFinite {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// An entry and its mirror image differ by more than rounding.
    NotSymmetric {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// The entry.
        there: f64,
        /// Its mirror image.
        back: f64,
    },
    /// vᵀKv < 0 for a unit vector v.
    Refuted {
        /// Rows at which v is not zero, counted from 0.
        rows: Vec<usize>,
        /// v at these rows.
        vector: Vec<f64>,
        /// vᵀKv.
        value: f64,
    },
}

/// What is known of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixCheck {
    /// The answer.
    pub verdict: MatrixVerdict,
    /// Largest |K_ij − K_ji|.
    pub asymmetry: f64,
    /// τ: eigenvalues above −τ are taken for rounding.
    pub tolerance: f64,
    /// An estimate of the largest eigenvalue, from below.
    pub largest: f64,
    /// The smallest eigenvalue and how many are below −τ; of small refuted matrices only.
    pub spectrum: Option<(f64, usize)>,
}

/// Looks at an n×n matrix, given row after row, whose entries were computed or stored in some precision: what its rounding
/// alone may do is forgiven. `None` if `poll` said to stop.
///
/// # Panics
/// If there are not n·n entries.
///
/// ```
/// use mercer_gram::{MatrixVerdict, Precision, check_matrix};
/// let found = check_matrix(2, &[1.0, 2.0, 2.0, 1.0], Precision::Double, &|| false).unwrap();
/// let MatrixVerdict::Refuted { value, .. } = found.verdict else { panic!("1 - 2 is an eigenvalue") };
/// assert!((value + 1.0).abs() < 1e-12);
/// ```
pub fn check_matrix(
    n: usize,
    entries: &[f64],
    precision: Precision,
    poll: &(dyn Fn() -> bool + Sync),
) -> Option<MatrixCheck> {
    assert_eq!(entries.len(), n * n, "a square matrix of {n} rows");
    let (mut found, scale) = match plainly(n, entries) {
        Ok(0.0) => return Some(MatrixCheck::of(MatrixVerdict::Psd)),
        Ok(scale) => (MatrixCheck::of(MatrixVerdict::Psd), scale),
        Err(verdict) => return Some(MatrixCheck::of(verdict)),
    };
    let matrix = Matrix { n, entries };
    let (asymmetry, (row, column)) = matrix.asymmetry();
    found.asymmetry = asymmetry;
    if asymmetry > 1e-5 * scale {
        let (there, back) = (matrix.entry(row, column), matrix.entry(column, row));
        found.verdict = MatrixVerdict::NotSymmetric { row, column, there, back };
        return Some(found);
    }
    found.largest = matrix.largest();
    let (share, rounding) = match precision {
        Precision::Single => (1e-6, f64::from(f32::EPSILON)),
        Precision::Double => (1e-10, f64::EPSILON),
    };
    found.tolerance = share * found.largest + 4.0 * (n as f64).sqrt() * rounding * scale;
    if let Some(verdict) = matrix.small_minor(found.tolerance) {
        found.verdict = verdict;
    } else if n <= FACTORED {
        found.verdict = matrix.factored(found.tolerance, poll)?;
    } else {
        found.verdict = matrix.sought(found.tolerance);
    }
    if matches!(found.verdict, MatrixVerdict::Refuted { .. }) && n <= SMALL {
        let below = |values: &Vec<f64>| values.iter().filter(|v| **v < -found.tolerance).count();
        found.spectrum =
            eigenvalues(n, entries).ok().and_then(|values| Some((*values.first()?, below(&values))));
    }
    Some(found)
}

impl MatrixCheck {
    fn of(verdict: MatrixVerdict) -> Self {
        Self { verdict, asymmetry: 0.0, tolerance: 0.0, largest: 0.0, spectrum: None }
    }

    /// Whether nothing was found against the matrix.
    pub fn holds(&self) -> bool {
        matches!(self.verdict, MatrixVerdict::Psd | MatrixVerdict::NotRefuted)
    }
}

/// The largest |K_ij| of a finite matrix.
fn plainly(n: usize, entries: &[f64]) -> Result<f64, MatrixVerdict> {
    let scale = entries.par_chunks(1 << 16).map(|part| {
        part.iter().fold(0.0, |most: f64, v| if v.is_finite() { most.max(v.abs()) } else { f64::INFINITY })
    });
    let scale = scale.reduce(|| 0.0, f64::max);
    if scale.is_finite() {
        return Ok(scale);
    }
    let at = entries.iter().position(|v| !v.is_finite()).unwrap_or(0);
    Err(MatrixVerdict::NotFinite { row: at / n, column: at % n, value: entries[at] })
}

/// A symmetric matrix of somebody else's.
struct Matrix<'a> {
    n: usize,
    entries: &'a [f64],
}

impl Matrix<'_> {
    fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.n..(i + 1) * self.n]
    }

    /// The largest |K_ij − K_ji| and where, tile by tile so that both sides stay in cache.
    fn asymmetry(&self) -> (f64, (usize, usize)) {
        const TILE: usize = 64;
        let tiles = self.n.div_ceil(TILE);
        let of_strip = |strip: usize| {
            let mut worst = (0.0, (0, 0));
            for tile in 0..=strip {
                for i in strip * TILE..((strip + 1) * TILE).min(self.n) {
                    for j in tile * TILE..((tile + 1) * TILE).min(i) {
                        let off = (self.entries[i * self.n + j] - self.entries[j * self.n + i]).abs();
                        if off > worst.0 {
                            worst = (off, (i, j));
                        }
                    }
                }
            }
            worst
        };
        let all: Vec<_> = (0..tiles).into_par_iter().map(of_strip).collect();
        // The first of equals, whatever the order in which threads came.
        all.into_iter().fold((0.0, (0, 0)), |worst, next| if next.0 > worst.0 { next } else { worst })
    }

    /// A few steps of the power method, and what the diagonal says: never above the largest eigenvalue.
    fn largest(&self) -> f64 {
        let n = self.n.max(1) as f64;
        let (mut vector, mut product) = (vec![1.0 / n.sqrt(); self.n], vec![0.0; self.n]);
        let mut most = (0..self.n).fold(0.0, |most: f64, i| most.max(self.entry(i, i)));
        for _ in 0..6 {
            self.apply(&vector, &mut product);
            most = most.max(dot(&vector, &product));
            let length = dot(&product, &product).sqrt();
            if length == 0.0 || !length.is_finite() {
                break;
            }
            vector.iter_mut().zip(&product).for_each(|(v, p)| *v = p / length);
        }
        most
    }

    /// K_ii < 0, or K_ij² > K_ii·K_jj: a witness of one row or two that anyone can check by hand.
    fn small_minor(&self, tolerance: f64) -> Option<MatrixVerdict> {
        let diagonal: Vec<f64> = (0..self.n).map(|i| self.entry(i, i)).collect();
        let lowest = |i: usize, j: usize| {
            let (a, b, c) = (diagonal[i], self.entry(i, j), diagonal[j]);
            (a + c) / 2.0 - ((a - c) / 2.0).hypot(b)
        };
        // λ_min < −τ just where (a + τ)(c + τ) < b² or a + τ < 0: a look without roots at most pairs.
        let of_row = |i: usize| {
            let (own, mut worst) = (diagonal[i] + tolerance, (diagonal[i], i, i));
            for (j, (&b, &c)) in self.row(i)[..i].iter().zip(&diagonal).enumerate() {
                if b * b > own * (c + tolerance) && lowest(i, j) < worst.0 {
                    worst = (lowest(i, j), i, j);
                }
            }
            worst
        };
        let all: Vec<_> = (0..self.n).into_par_iter().map(of_row).collect();
        let (value, i, j) = all.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        if value >= -tolerance {
            return None;
        }
        if i == j {
            return Some(MatrixVerdict::Refuted { rows: vec![i], vector: vec![1.0], value });
        }
        // (K_ij, value − K_ii) is the eigenvector of the 2 × 2 matrix.
        let (x, y) = (self.entry(i, j), value - diagonal[i]);
        let length = x.hypot(y);
        self.witness(vec![i, j], &[x / length, y / length])
    }

    /// Whether K + τI has a factor; `None` if it was stopped.
    fn factored(&self, tolerance: f64, poll: &(dyn Fn() -> bool + Sync)) -> Option<MatrixVerdict> {
        let mut factor = self.entries.to_vec();
        (0..self.n).for_each(|i| factor[i * self.n + i] += tolerance);
        let pivot = match cholesky(self.n, self.n, &mut factor, poll) {
            Ok(()) => return Some(MatrixVerdict::Psd),
            Err(CholeskyError::Pivot { row, .. }) => row,
            Err(_) => return None,
        };
        let before: Vec<f64> =
            factor.chunks_exact(self.n).take(pivot).flat_map(|row| &row[..pivot]).copied().collect();
        let mut vector: Vec<f64> = self.row(pivot)[..pivot].iter().map(|v| -v).collect();
        cholesky_solve(pivot, pivot, &before, &mut vector, poll).ok()?;
        vector.push(1.0);
        normalize(&mut vector);
        Some(self.witness((0..=pivot).collect(), &vector).unwrap_or(MatrixVerdict::NotRefuted))
    }

    /// The lowest eigenvalue that Lanczos finds in the time there is.
    fn sought(&self, tolerance: f64) -> MatrixVerdict {
        let started = Instant::now();
        match lanczos(self, &|| started.elapsed() > PATIENCE) {
            Ok(found) if found.values.first().is_some_and(|lowest| *lowest < -tolerance) => {
                let verdict = self.witness((0..self.n).collect(), &found.lowest);
                verdict.unwrap_or(MatrixVerdict::NotRefuted)
            }
            _ => MatrixVerdict::NotRefuted,
        }
    }

    /// vᵀKv from the entries, if it is below zero by more than its own rounding.
    fn witness(&self, rows: Vec<usize>, vector: &[f64]) -> Option<MatrixVerdict> {
        let (mut value, mut size) = (0.0, 0.0);
        for (&i, v) in rows.iter().zip(vector) {
            for (&j, w) in rows.iter().zip(vector) {
                let term = v * self.entry(i, j) * w;
                value += term;
                size += f64::abs(term);
            }
        }
        let bound = size * f64::EPSILON * (8.0 + 2.0 * rows.len() as f64);
        (value < -bound).then(|| MatrixVerdict::Refuted { rows, vector: vector.to_vec(), value })
    }
}

impl Gram for Matrix<'_> {
    fn len(&self) -> usize {
        self.n
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.n + j]
    }

    fn diagonal(&self, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, out)| *out = self.entry(i, i));
    }

    fn rows_single(&self, rows: &[usize], out: &mut [f32]) {
        for (&i, out) in rows.iter().zip(out.chunks_exact_mut(self.n.max(1))) {
            out.iter_mut().zip(self.row(i)).for_each(|(out, entry)| *out = *entry as f32);
        }
    }

    fn rows_double(&self, rows: &[usize], out: &mut [f64]) {
        for (&i, out) in rows.iter().zip(out.chunks_exact_mut(self.n.max(1))) {
            out.copy_from_slice(self.row(i));
        }
    }

    fn apply(&self, vectors: &[f64], out: &mut [f64]) {
        for (vector, out) in vectors.chunks_exact(self.n.max(1)).zip(out.chunks_exact_mut(self.n.max(1))) {
            out.par_iter_mut().enumerate().for_each(|(i, out)| *out = dot(self.row(i), vector));
        }
    }
}

/// ⟨a,b⟩ in eight partial sums, which is an order that vectorises.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    lanes.iter().sum::<f64>() + rest
}

fn normalize(vector: &mut [f64]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|v| *v /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::check_gram;
    use crate::{Lazy, Stored};
    use mercer_linalg::{Budget, eigh};
    use mercer_points::{ReadOptions, read};
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn on(n: usize, entries: &[f64]) -> MatrixCheck {
        check_matrix(n, entries, Precision::Single, &|| false).unwrap()
    }

    fn random(n: usize, seed: u64) -> Vec<f64> {
        let mut random = Pcg64::seed_from_u64(seed);
        let half: Vec<f64> = (0..n * n).map(|_| random.random_range(-1.0..1.0)).collect();
        (0..n * n).map(|at| half[at] + half[at % n * n + at / n]).collect()
    }

    /// Orthogonal vectors of a random matrix with these eigenvalues.
    fn with_spectrum(values: &[f64]) -> Vec<f64> {
        let n = values.len();
        let (_, vectors) = eigh(n, &random(n, 3)).unwrap();
        let mut entries = vec![0.0; n * n];
        for (vector, value) in vectors.chunks(n).zip(values) {
            for i in 0..n {
                for j in 0..=i {
                    entries[i * n + j] += value * vector[i] * vector[j];
                }
            }
        }
        (0..n).for_each(|i| (0..i).for_each(|j| entries[j * n + i] = entries[i * n + j]));
        entries
    }

    fn form(n: usize, entries: &[f64], verdict: &MatrixVerdict) -> f64 {
        let MatrixVerdict::Refuted { rows, vector, value } = verdict else { panic!("{verdict:?}") };
        let mut full = vec![0.0; n];
        rows.iter().zip(vector).for_each(|(&i, v)| full[i] = *v);
        assert!((full.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-9, "a unit vector");
        let by_hand: f64 = (0..n * n).map(|at| full[at / n] * entries[at] * full[at % n]).sum();
        assert!((by_hand - value).abs() <= 1e-9 * value.abs(), "{by_hand} and {value}");
        by_hand
    }

    #[test]
    fn grams_of_kernels_pass_in_both_precisions() {
        let table = read("@moons(n=300)", &ReadOptions::default()).unwrap();
        for kernel in ["rbf", "rbf(sigma=1e-3)", "rbf(sigma=100)", "linear", "poly(degree=5)", "constant"] {
            let lazy = Lazy::new(&kernel.parse().unwrap(), &table).unwrap();
            let single = Stored::<f32>::new(&lazy, Budget::default()).unwrap();
            let double = Stored::<f64>::new(&lazy, Budget::default()).unwrap();
            let single: Vec<f64> = single.entries().iter().map(|&v| f64::from(v)).collect();
            assert_eq!(on(300, &single).verdict, MatrixVerdict::Psd, "{kernel} in f32");
            assert_eq!(on(300, double.entries()).verdict, MatrixVerdict::Psd, "{kernel} in f64");
        }
        assert_eq!(on(0, &[]).verdict, MatrixVerdict::Psd);
        assert_eq!(on(2, &[0.0; 4]).verdict, MatrixVerdict::Psd);
    }

    #[test]
    fn what_is_not_finite_or_not_symmetric_is_named() {
        let found = on(2, &[1.0, 0.0, f64::NAN, 1.0]);
        assert!(
            matches!(found.verdict, MatrixVerdict::NotFinite { row: 1, column: 0, value } if value.is_nan())
        );
        let n = 150;
        let mut entries: Vec<f64> = (0..n * n).map(|at| f64::from(u8::from(at % (n + 1) == 0))).collect();
        entries[140 * n + 3] = 0.25;
        entries[5 * n + 4] = 0.125;
        let verdict = on(n, &entries).verdict;
        assert_eq!(verdict, MatrixVerdict::NotSymmetric { row: 140, column: 3, there: 0.25, back: 0.0 });
        entries[140 * n + 3] = 1e-7;
        entries[5 * n + 4] = 0.0;
        let found = on(n, &entries);
        assert_eq!((found.verdict, found.asymmetry), (MatrixVerdict::Psd, 1e-7));
    }

    #[test]
    fn an_indefinite_matrix_has_a_witness() {
        for n in [2, 7, 60, 130] {
            let entries = random(n, n as u64);
            let found = on(n, &entries);
            let value = form(n, &entries, &found.verdict);
            let (smallest, below) = found.spectrum.unwrap();
            assert!(smallest <= value && value < 0.0 && below >= 1, "{n}: {smallest} {value}");
        }
        // No minor of two rows shows it, and the pivot is beyond the first block of columns.
        let mut values = vec![1.0; 200];
        values[0] = -1e-3;
        let entries = with_spectrum(&values);
        let found = on(200, &entries);
        let value = form(200, &entries, &found.verdict);
        assert!((-1e-3 - 1e-9..0.0).contains(&value), "{value}");
        assert!((found.spectrum.unwrap().0 + 1e-3).abs() < 1e-9 && found.spectrum.unwrap().1 == 1);
    }

    #[test]
    fn a_negative_diagonal_is_a_witness_of_one_row() {
        let entries = [2.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0];
        let verdict = MatrixVerdict::Refuted { rows: vec![1], vector: vec![1.0], value: -1.0 };
        assert_eq!(on(3, &entries).verdict, verdict);
    }

    #[test]
    fn lanczos_refutes_what_is_too_large_to_factor() {
        let mut values = vec![1.0; 150];
        values[0] = -0.5;
        let entries = with_spectrum(&values);
        let matrix = Matrix { n: 150, entries: &entries };
        let value = form(150, &entries, &matrix.sought(1e-6));
        assert!((value + 0.5).abs() < 1e-6, "{value}");
        values[0] = 0.5;
        let entries = with_spectrum(&values);
        assert_eq!(Matrix { n: 150, entries: &entries }.sought(1e-6), MatrixVerdict::NotRefuted);
    }

    #[test]
    fn it_is_a_gram_and_can_be_stopped() {
        let entries = with_spectrum(&(0..130).map(f64::from).collect::<Vec<_>>());
        check_gram(&Matrix { n: 130, entries: &entries }, 1e-6);
        assert_eq!(check_matrix(130, &entries, Precision::Single, &|| true), None);
    }
}
