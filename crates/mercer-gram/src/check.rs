//! Does the kernel keep its promise on these points? Measured, with a witness where it does not (`docs/maths.md` §1.4).

use mercer_kernel::{KernelExpr, Mercer, Plan, Registry, row_keys};
use mercer_linalg::{Budget, eigh};
use mercer_points::{Column, ColumnData, Points, Table};
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_pcg::Pcg64;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::spectrum::spectrum_and_lowest;
use crate::{Gram, GramError, Lazy, Precision, Spectrum};

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckOptions {
    /// Rows at most; more are sampled, since a kernel is valid only if it is so on every subset.
    pub rows: usize,
    /// Seed of the sample.
    pub seed: u64,
    /// Memory for whole matrices; beyond it only the extreme eigenvalues are computed.
    pub budget: Budget,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { rows: 4_000, seed: 0, budget: Budget::default() }
    }
}

/// What the measurement says.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// No eigenvalue is below zero by more than the error.
    Holds,
    /// vᵀKv < 0: the kernel is not positive semi-definite.
    Refuted(Witness),
    /// k(x,z) ≠ k(z,x) for these rows (counted from 1): not a kernel at all.
    NotSymmetric(usize, usize),
}

/// Rows and a vector with vᵀKv < 0, which anyone can recompute.
#[derive(Debug, Clone, PartialEq)]
pub struct Witness {
    /// Rows of the table, counted from 0.
    pub rows: Vec<usize>,
    /// The vector.
    pub vector: Vec<f64>,
    /// vᵀKv, every entry by the definition in `f64`.
    pub value: f64,
    /// How far rounding can have moved the value; it is below minus this.
    pub bound: f64,
}

/// The result of a check.
#[derive(Debug, Clone)]
pub struct MercerCheck {
    /// The kernel, with its words resolved.
    pub kernel: KernelExpr,
    /// What is known without data, with its proof.
    pub proof: Mercer,
    /// Rows of the table.
    pub rows: usize,
    /// Rows that were measured.
    pub measured: usize,
    /// Largest |K_ij − K_ji|, by the definition, of at most 1 000 rows.
    pub asymmetry: f64,
    /// The spectrum on the measured rows.
    pub spectrum: Spectrum,
    /// Rows (counted from 1) that repeat an earlier one, with the first such row.
    pub duplicates: Vec<(usize, usize)>,
    /// The verdict.
    pub verdict: Verdict,
}

impl MercerCheck {
    /// Whether nothing was found against the kernel.
    pub fn holds(&self) -> bool {
        self.verdict == Verdict::Holds
    }

    /// Why the matrix is not of full rank, in words; `None` where it is.
    pub fn deficiency(&self) -> Option<String> {
        let missing = self.measured.checked_sub(self.spectrum.rank).filter(|&missing| missing > 0)?;
        if matches!(self.spectrum.method, crate::Method::Lanczos(_)) {
            return (!self.duplicates.is_empty())
                .then(|| format!("at least {} by repeated rows", self.duplicates.len()));
        }
        let repeated = self.duplicates.len();
        Some(match repeated {
            0 => "no row repeats another, so the features span no more or eigenvalues are lost in rounding"
                .to_owned(),
            r if r >= missing => "repeated rows".to_owned(),
            r => format!(
                "{r} by repeated rows, the others since the features span no more or eigenvalues are lost in rounding"
            ),
        })
    }
}

/// Measures a kernel on the rows of a table (without the target).
///
/// ```
/// use mercer_gram::{CheckOptions, check};
/// use mercer_kernel::Registry;
/// use mercer_points::{ReadOptions, read};
/// let mut table = read("@circles(n=60)", &ReadOptions::default()).unwrap();
/// table.remove("label").unwrap();
/// let sigmoid = "sigmoid(gamma=1, offset=-1)".parse().unwrap();
/// let found = check(&sigmoid, &table, &Registry::new(), CheckOptions::default()).unwrap();
/// assert!(!found.holds());
/// ```
pub fn check(
    kernel: &KernelExpr,
    table: &Table,
    registry: &Registry,
    options: CheckOptions,
) -> Result<MercerCheck, GramError> {
    if table.is_empty() {
        return Err(GramError::Invalid("there is no row to check the kernel on".to_owned()));
    }
    // Words such as `scale` mean what they mean on all rows, also where only a sample is measured.
    let plan = Plan::compile(kernel, table, registry)?;
    let kernel = plan.expr().clone();
    let chosen = sampled(table.len(), options);
    let part = table.select(&chosen);
    let gram = Lazy::with(&kernel, &part, registry).map_err(|error| match error {
        GramError::NotSymmetric { row, column, there, back } => {
            GramError::NotSymmetric { row: chosen[row - 1] + 1, column: chosen[column - 1] + 1, there, back }
        }
        other => other,
    })?;
    let gram = gram.in_precision(Precision::Double);
    let (asymmetry, at) = gram.asymmetry(chosen.len().div_ceil(1000).max(1));
    let (spectrum, lowest) = spectrum_and_lowest(&gram, true, options.budget)?;
    let verdict = match at {
        Some((i, j)) if gram.is_skew(asymmetry) => Verdict::NotSymmetric(chosen[i] + 1, chosen[j] + 1),
        _ => match witness(&gram, &spectrum, &lowest, options.budget) {
            Some(found) => {
                Verdict::Refuted(Witness { rows: found.rows.iter().map(|&i| chosen[i]).collect(), ..found })
            }
            None => Verdict::Holds,
        },
    };
    Ok(MercerCheck {
        proof: kernel.mercer(),
        kernel,
        rows: table.len(),
        measured: chosen.len(),
        asymmetry,
        spectrum,
        duplicates: duplicates(&part, &chosen),
        verdict,
    })
}

fn sampled(n: usize, options: CheckOptions) -> Vec<usize> {
    if n <= options.rows {
        return (0..n).collect();
    }
    let mut rows = sample(&mut Pcg64::seed_from_u64(options.seed), n, options.rows).into_vec();
    rows.sort_unstable();
    rows
}

/// A small set of rows, grown from where the lowest eigenvector is largest, on which the form is plainly negative: by
/// a tenth of what the lowest eigenvalue comes to a row. Where none is, the first on which it is negative at all.
fn witness(gram: &Lazy, spectrum: &Spectrum, lowest: &[f64], budget: Budget) -> Option<Witness> {
    // A Ritz value is a Rayleigh quotient, so it lies above the smallest eigenvalue whatever its residual.
    if spectrum.smallest() >= -spectrum.rounding {
        return None;
    }
    let plain = 0.1 * spectrum.smallest() / gram.len() as f64;
    let mut first: Option<Witness> = None;
    let mut order: Vec<usize> = (0..gram.len()).collect();
    let diagonal = gram.points().diagonal();
    // One row alone may do: k(x,x) < 0.
    if let Some(row) = (0..gram.len()).min_by(|&a, &b| diagonal[a].total_cmp(&diagonal[b])) {
        match form(gram, &[row], &[1.0]) {
            Some(found) if found.value <= plain => return Some(found),
            slight => first = slight,
        }
    }
    order.sort_by(|&a, &b| lowest[b].abs().total_cmp(&lowest[a].abs()));
    let mut size = 2;
    while size <= gram.len().min(crate::FULL_SPECTRUM) && budget.allows(4 * 8 * size as u128 * size as u128) {
        let rows = &order[..size];
        let entries: Vec<f64> = rows
            .iter()
            .flat_map(|&i| rows.iter().map(move |&j| (i, j)))
            .map(|(i, j)| gram.entry(i, j))
            .collect();
        if let Ok((_, vectors)) = eigh(size, &entries) {
            match form(gram, rows, &vectors[..size]) {
                Some(found) if found.value <= plain => return Some(found),
                slight => first = first.or(slight),
            }
        }
        size = if size < 8 { size + 1 } else { (size * 3 / 2).min(gram.len().max(size + 1)) };
    }
    let few = gram.len() <= 2 * crate::FULL_SPECTRUM;
    first.or_else(|| few.then(|| form(gram, &(0..gram.len()).collect::<Vec<_>>(), lowest)).flatten())
}

/// vᵀKv by the definition, if it is below zero by more than its own rounding.
fn form(gram: &Lazy, rows: &[usize], vector: &[f64]) -> Option<Witness> {
    let (mut value, mut size) = (0.0, 0.0);
    for (&i, v) in rows.iter().zip(vector) {
        for (&j, w) in rows.iter().zip(vector) {
            let term = v * gram.entry(i, j) * w;
            value += term;
            size += f64::abs(term);
        }
    }
    // Every entry is good to some tens of roundings, the sum to one a term at the worst.
    let bound = size * f64::EPSILON * (64.0 + (rows.len() * rows.len()) as f64);
    (value < -bound).then(|| Witness { rows: rows.to_vec(), vector: vector.to_vec(), value, bound })
}

fn duplicates(table: &Table, chosen: &[usize]) -> Vec<(usize, usize)> {
    let mut first = HashMap::new();
    let mut repeated = Vec::new();
    for (at, key) in keys(table).into_iter().enumerate() {
        match first.get(&key) {
            Some(&before) => repeated.push((chosen[at] + 1, before)),
            None => _ = first.insert(key, chosen[at] + 1),
        }
    }
    repeated
}

/// One key a row; rows of a precomputed matrix are the same where all their entries are.
fn keys(table: &Table) -> Vec<u128> {
    let [Column { data: ColumnData::Indices(rows), .. }] = table.columns() else { return row_keys(table) };
    let key = |i: usize| {
        let mut hasher = DefaultHasher::new();
        rows.matrix().point(rows.point(i)).iter().for_each(|v| (v + 0.0).to_bits().hash(&mut hasher));
        u128::from(hasher.finish())
    };
    (0..rows.len()).map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_kernel::Status;
    use mercer_points::{Dense, Indices, ReadOptions, read};

    fn circles() -> Table {
        let mut table = read("@circles(n=80)", &ReadOptions::default()).unwrap();
        table.remove("label").unwrap();
        table
    }

    fn on(kernel: &str, table: &Table) -> Result<MercerCheck, GramError> {
        check(&kernel.parse().unwrap(), table, &Registry::new(), CheckOptions::default())
    }

    fn matrix(n: usize, values: &[f64]) -> Table {
        let mut table = Table::new();
        let matrix = Dense::new(n, n, values.to_vec()).unwrap();
        table.push("k", ColumnData::Indices(Indices::all(matrix).unwrap())).unwrap();
        table
    }

    #[test]
    fn what_is_proved_holds() {
        for kernel in ["rbf", "linear", "0.5*rbf(sigma=1) + poly(degree=3)", "laplace*matern", "white"] {
            let found = on(kernel, &circles()).unwrap();
            assert!(found.holds(), "{kernel}: {:?}", found.verdict);
            assert_eq!(found.proof.status, Status::Psd);
        }
    }

    #[test]
    fn a_refutation_can_be_recomputed_by_hand() {
        let table = circles();
        let found = on("sigmoid(gamma=1, offset=-1)", &table).unwrap();
        let Verdict::Refuted(witness) = &found.verdict else { panic!("{found:?}") };
        let column = |name: &str| match &table.column(name).unwrap().data {
            ColumnData::Numbers(values) => values.clone(),
            _ => unreachable!(),
        };
        let (x1, x2) = (column("x1"), column("x2"));
        let mut form = 0.0;
        for (&i, v) in witness.rows.iter().zip(&witness.vector) {
            for (&j, w) in witness.rows.iter().zip(&witness.vector) {
                form += v * w * (x1[i] * x1[j] + x2[i] * x2[j] - 1.0).tanh();
            }
        }
        assert!(form < 0.0 && (form - witness.value).abs() <= witness.bound, "{form} {witness:?}");
    }

    #[test]
    fn an_indefinite_matrix_needs_two_rows_and_an_asymmetric_one_is_an_error() {
        let found = on("precomputed", &matrix(3, &[1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0])).unwrap();
        let Verdict::Refuted(witness) = found.verdict else { panic!("eigenvalue -1") };
        assert_eq!(witness.rows.len(), 2);
        assert!((witness.value + 1.0).abs() < 1e-12);
        let error = on("precomputed", &matrix(2, &[1.0, 2.0, 2.5, 1.0])).unwrap_err();
        assert!(
            error.to_string().contains("not symmetric: entry (2, 1) is 2.5, entry (1, 2) is 2"),
            "{error}"
        );
    }

    #[test]
    fn every_entry_of_a_matrix_is_held_against_its_mirror_image() {
        let n = 1200;
        let mut entries: Vec<f64> = (0..n * n).map(|at| f64::from(u8::from(at % (n + 1) == 0))).collect();
        entries[n] = 0.5;
        let table = matrix(n, &entries);
        let error = Lazy::new(&"precomputed".parse().unwrap(), &table).unwrap_err().to_string();
        assert!(error.contains("entry (2, 1) is 0.5, entry (1, 2) is 0"), "{error}");
        assert_eq!(on("precomputed", &table).unwrap_err().to_string(), error);
    }

    #[test]
    fn a_matrix_is_measured_on_some_of_its_rows_and_columns() {
        let options = CheckOptions { rows: 2, ..CheckOptions::default() };
        let table = matrix(3, &[2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
        let found = check(&"precomputed".parse().unwrap(), &table, &Registry::new(), options).unwrap();
        assert_eq!((found.measured, found.rows, found.holds()), (2, 3, true));
        assert_eq!(on("precomputed", &table).unwrap().duplicates, [(3, 1)]);
    }

    #[test]
    fn repeated_rows_are_named_as_the_cause() {
        let mut table = Table::new();
        table.push("x", ColumnData::Numbers(vec![1.0, 2.0, 1.0, 3.0])).unwrap();
        let found = on("rbf(sigma=0.1)", &table).unwrap();
        assert_eq!((found.spectrum.rank, found.duplicates.as_slice()), (3, [(3, 1)].as_slice()));
        assert_eq!(found.deficiency().as_deref(), Some("repeated rows"));
    }

    #[test]
    fn a_function_that_is_not_symmetric_is_refuted() {
        let mut registry = Registry::new();
        registry.vectors("lopsided", |x, z| x[0] + 2.0 * z[0]).unwrap();
        let kernel = registry.parse("lopsided").unwrap();
        let found = check(&kernel, &circles(), &registry, CheckOptions::default()).unwrap();
        assert!(matches!(found.verdict, Verdict::NotSymmetric(..)));
    }

    #[test]
    fn beyond_the_full_spectrum_lanczos_refutes_too() {
        let mut table = read("@circles(n=2500)", &ReadOptions::default()).unwrap();
        table.remove("label").unwrap();
        assert!(!on("sigmoid(gamma=1, offset=-1)", &table).unwrap().holds());
        assert!(on("rbf(sigma=0.5)", &table).unwrap().holds());
    }
}
