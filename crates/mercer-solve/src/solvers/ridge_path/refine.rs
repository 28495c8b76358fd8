//! (A + μI)x = t for many μ by conjugate gradients, all systems side by side,
//!
//! ```text
//! z = M⁻¹r ,   p ← z + βp ,   β = −a·zᵀAp/r'ᵀz' ,   x ← x + ap ,   r ← r − a(A+μI)p ,   a = rᵀp/pᵀ(A+μI)p ,
//! ```
//!
//! r' and z' being those of the step before: the form that forgives an M⁻¹ which rounding makes a little unsymmetric
//! (Notay, 2000). rᵀz is nearly the square of the error of x in the norm of A + μI, which is that of the function and
//! of √μ·x together, and understates it at most as often as M lifts the smallest eigenvalue; the error ends at 10⁻¹⁰ of the
//! norm of x itself, or where nothing but rounding is left of r.

use mercer_linalg::symmetric_product;
use rayon::prelude::*;

use super::super::portions::dot;
use super::{Near, Scaled};
use crate::Run;

/// Errors in the norm of A + μI that are small enough, of the norm of the answer.
const SMALL: f64 = 1e-10;

/// What is allowed of a residual that is computed anew: of the norm of the answer for the error that it stands for, and
/// of the norm of the target for itself, where the answer does not get better.
const TRUE: f64 = 1e-8;

/// What is allowed of a residual of which nothing but rounding is left, of the norm of the target.
const ROUNDED: f64 = 5e-8;

/// One system (A + shift)x = target, as far as it is solved.
pub(super) struct Column {
    /// Which of the shifts.
    which: usize,
    shift: f64,
    /// Which of the targets.
    aim: usize,
    x: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    /// (A + shift)·direction.
    image: Vec<f64>,
    /// a and rᵀz of the step before; none before the first.
    last: Option<(f64, f64)>,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// There is no answer.
    Unknown,
    /// It is being solved.
    Open,
    /// There is an answer, which does not get better.
    Stuck,
    /// It is solved.
    Solved,
}

impl Column {
    pub(super) fn new(which: usize, shift: f64, aim: usize) -> Self {
        let (x, residual, direction, image) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { which, shift, aim, x, residual, direction, image, last: None, state: State::Unknown }
    }

    pub(super) fn is_solved(&self) -> bool {
        self.state == State::Solved
    }

    pub(super) fn answer(&self) -> Option<&[f64]> {
        (self.state != State::Unknown).then_some(&self.x[..])
    }

    /// Takes a first answer.
    fn begin(&mut self, x: Vec<f64>, product: &[f64], target: &[f64]) {
        (self.x, self.last) = (x, None);
        self.renew(product, target);
        let is_finite = self.residual.iter().all(|r| r.is_finite());
        self.state = if is_finite { State::Open } else { State::Unknown };
    }

    /// The residual of the answer itself, given its product with A.
    fn renew(&mut self, product: &[f64], target: &[f64]) {
        self.residual = (0..target.len()).map(|i| target[i] - product[i] - self.shift * self.x[i]).collect();
    }

    /// Whether it is solved, by the residual itself and the norms of the columns of A: of a positive semi-definite A no
    /// error is larger than ‖r‖/√μ, and where nothing but rounding is left of r, no other route would leave less of it.
    fn confirm(&mut self, target: &[f64], norms: &[f64]) {
        let left = dot(&self.residual, &self.residual);
        let is_true = left <= TRUE * TRUE * self.shift * dot(target, &self.x).abs();
        let sums = (0.5 * target.len() as f64).sqrt();
        let is_rounding =
            left <= (sums * self.rounding(norms)).powi(2) && left <= ROUNDED * ROUNDED * dot(target, target);
        self.state = if is_true || is_rounding { State::Solved } else { State::Stuck };
    }

    /// Whether it is solved after all, given M⁻¹r of the residual itself, which tells the error better than ‖r‖/√μ.
    fn confirm_by(&mut self, z: &[f64], target: &[f64], slack: f64) {
        let error = slack * dot(&self.residual, z).abs();
        if error <= TRUE * TRUE * dot(target, &self.x).abs() {
            self.state = State::Solved;
        }
    }

    /// What rounding every a_ij·x_j once makes of the residual, 2⁻⁵³(Σ_j (‖A_j‖+μ)²x_j²)^½. Sums of n of them make of it up
    /// to √(n/2) times that (`docs/maths.md` §4.9).
    fn rounding(&self, norms: &[f64]) -> f64 {
        let squares = self.x.iter().zip(norms).map(|(x, norm)| ((norm + self.shift) * x).powi(2));
        0.5 * f64::EPSILON * squares.sum::<f64>().sqrt()
    }

    /// Whether it is an answer after all, by the residual itself.
    fn settle(&mut self, target: &[f64]) {
        let is_true = dot(&self.residual, &self.residual) <= TRUE * TRUE * dot(target, target);
        self.state = if is_true { State::Stuck } else { State::Unknown };
    }

    /// The next direction from z = M⁻¹r, unless there is no need of one: the square of the error is at most so many
    /// times rᵀz, and a residual that is rounding does not get smaller.
    fn aim_by(&mut self, z: &[f64], target: &[f64], slack: f64, norms: &[f64]) {
        let left = dot(&self.residual, z);
        let whole = dot(target, &self.x).abs();
        // What steps take off a residual below rounding is not there.
        let is_rounding = dot(&self.residual, &self.residual) <= self.rounding(norms).powi(2);
        if slack * left.abs() <= SMALL * SMALL * whole || is_rounding {
            self.state = State::Solved;
        } else if !(left > 0.0 && left.is_finite()) {
            self.state = State::Stuck;
        } else if let Some((step, before)) = self.last {
            let beta = -step * dot(z, &self.image) / before;
            self.direction.iter_mut().zip(z).for_each(|(p, z)| *p = z + beta * *p);
        } else {
            self.direction = z.to_vec();
        }
        self.last = Some((0.0, left));
    }

    /// A step along the direction, given its product with A.
    fn step(&mut self, product: &[f64]) {
        self.image = product.iter().zip(&self.direction).map(|(a, p)| a + self.shift * p).collect();
        let curvature = dot(&self.direction, &self.image);
        let step = dot(&self.residual, &self.direction) / curvature;
        if !(curvature > 0.0 && step.is_finite()) {
            self.state = State::Stuck;
            return;
        }
        self.x.iter_mut().zip(&self.direction).for_each(|(x, p)| *x += step * p);
        self.residual.iter_mut().zip(&self.image).for_each(|(r, q)| *r -= step * q);
        self.last = self.last.map(|(_, left)| (step, left));
    }
}

/// Solves what is not solved yet, from the beginning; `false` of a run that is stopped.
pub(super) fn refine(
    system: &Scaled,
    near: &dyn Near,
    aims: &[Vec<f64>],
    columns: &mut [Column],
    rounds: usize,
    run: &Run<'_>,
) -> bool {
    let n = system.n;
    // What a route before this one did not solve counts for nothing.
    columns.iter_mut().filter(|column| !column.is_solved()).for_each(|column| column.state = State::Unknown);
    let fits = |column: &&mut Column| !column.is_solved() && near.has(column.which);
    let mut open: Vec<&mut Column> = columns.iter_mut().filter(fits).collect();
    let mut solved: Vec<&mut Column> = Vec::new();
    begin(system, near, aims, &mut open);
    for _ in 0..rounds {
        if run.stop().is_some() {
            return false;
        }
        open.retain(|column| column.state == State::Open);
        let steps = inverse(near, &open);
        let each = open.par_iter_mut().zip(steps.par_chunks(n));
        each.for_each(|(column, z)| {
            column.aim_by(z, &aims[column.aim], near.slack(column.which), &system.norms)
        });
        solved.extend(open.extract_if(.., |column| column.is_solved()));
        open.retain(|column| column.state == State::Open);
        if open.is_empty() {
            break;
        }
        let directions: Vec<f64> = open.iter().flat_map(|column| column.direction.iter().copied()).collect();
        let products = symmetric_product(n, &system.entries, &directions);
        open.par_iter_mut().zip(products.par_chunks(n)).for_each(|(column, product)| column.step(product));
    }
    open.iter_mut().for_each(|column| column.state = State::Stuck);
    confirm(system, near, aims, solved);
    true
}

/// Takes back what is not solved. Steps keep a residual up to date, and where x is large their rounding adds up to more
/// than is left of it: rows that are there twice do that with a small shift (`docs/maths.md` §4.9).
fn confirm(system: &Scaled, near: &dyn Near, aims: &[Vec<f64>], mut solved: Vec<&mut Column>) {
    renew(system, aims, &mut solved);
    solved.par_iter_mut().for_each(|column| column.confirm(&aims[column.aim], &system.norms));
    solved.retain(|column| !column.is_solved());
    let steps = inverse(near, &solved);
    let each = solved.par_iter_mut().zip(steps.par_chunks(system.n));
    each.for_each(|(column, z)| column.confirm_by(z, &aims[column.aim], near.slack(column.which)));
}

/// Takes back what is no answer. What the last route could not make better either may be all that `f64` can say, or
/// the end of a walk into a matrix that is singular but for rounding: its residual tells (`docs/maths.md` §4.9).
pub(super) fn settle(system: &Scaled, aims: &[Vec<f64>], columns: &mut [Column]) {
    let mut stuck: Vec<&mut Column> =
        columns.iter_mut().filter(|column| column.state == State::Stuck).collect();
    renew(system, aims, &mut stuck);
    stuck.iter_mut().for_each(|column| column.settle(&aims[column.aim]));
}

/// The residuals of answers themselves.
fn renew(system: &Scaled, aims: &[Vec<f64>], columns: &mut [&mut Column]) {
    let answers: Vec<f64> = columns.iter().flat_map(|column| column.x.iter().copied()).collect();
    let products = symmetric_product(system.n, &system.entries, &answers);
    let each = columns.par_iter_mut().zip(products.par_chunks(system.n));
    each.for_each(|(column, product)| column.renew(product, &aims[column.aim]));
}

/// M⁻¹r of every residual.
fn inverse(near: &dyn Near, columns: &[&mut Column]) -> Vec<f64> {
    let residuals: Vec<f64> = columns.iter().flat_map(|column| column.residual.iter().copied()).collect();
    let which: Vec<usize> = columns.iter().map(|column| column.which).collect();
    near.outward(near.inward(&residuals), &residuals, &which)
}

/// First answers, M⁻¹t: the step that does not know the shift is done once for each target.
fn begin(system: &Scaled, near: &dyn Near, aims: &[Vec<f64>], open: &mut [&mut Column]) {
    let n = system.n;
    let turned: Vec<Vec<f64>> = aims.iter().map(|target| near.inward(target)).collect();
    let inward: Vec<f64> = open.iter().flat_map(|column| turned[column.aim].iter().copied()).collect();
    let targets: Vec<f64> = open.iter().flat_map(|column| aims[column.aim].iter().copied()).collect();
    let which: Vec<usize> = open.iter().map(|column| column.which).collect();
    let first = near.outward(inward, &targets, &which);
    let products = symmetric_product(n, &system.entries, &first);
    let each = open.par_iter_mut().zip(first.par_chunks(n)).zip(products.par_chunks(n));
    each.for_each(|((column, x), product)| column.begin(x.to_vec(), product, &aims[column.aim]));
}
