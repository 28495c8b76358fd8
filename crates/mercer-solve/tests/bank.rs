//! Every solver on the bank of problems with known answers.
#![allow(clippy::unwrap_used)]

use mercer_solve::loss::{EpsilonInsensitive, Hinge, Huber, Logistic, Loss, Pinball, Squared, SquaredHinge};
use mercer_solve::solvers::{
    Cholesky, ConjugateGradients, Eigen, Gradient, Newton, NuSvr, OneClass, PrimalQp, Qp, Smo,
};
use mercer_solve::testkit::{Suits, check_solver};
use mercer_solve::{Objective, Solver};

fn on(solver: &(dyn Solver + Sync), losses: &[&dyn Loss], suits: Suits) {
    losses.iter().for_each(|loss| check_solver(solver, Objective::Risk(*loss), suits));
}

#[test]
fn decomposition() {
    let losses: [&dyn Loss; 6] = [
        &Hinge,
        &SquaredHinge,
        &Squared,
        &EpsilonInsensitive { epsilon: 0.1 },
        &Huber { delta: 0.5 },
        &Pinball { tau: 0.8 },
    ];
    on(&Smo::default(), &losses, Suits::default());
}

#[test]
fn quadratic_programs() {
    on(&Qp::default(), &[&Hinge, &SquaredHinge, &Squared, &Pinball { tau: 0.3 }], Suits::default());
    on(&PrimalQp::default(), &[&Hinge], Suits { gap: 1e-5, ..Suits::default() });
}

#[test]
fn linear_systems() {
    on(&Cholesky::default(), &[&Squared], Suits::default());
    on(&ConjugateGradients::default(), &[&Squared], Suits::default());
    on(&Eigen::default(), &[&Squared], Suits { weights: false, ..Suits::default() });
}

#[test]
fn smooth_losses() {
    on(&Newton::default(), &[&SquaredHinge, &Squared, &Huber { delta: 1.0 }], Suits::default());
    // With an offset and rows of one class alone, which the bank has, the logistic loss has no minimum.
    on(&Newton::default(), &[&Logistic], Suits { offset: false, ..Suits::default() });
    let suits = Suits { gap: 1e-4, ..Suits::default() };
    on(&Gradient { iterations: 20_000, ..Gradient::default() }, &[&Squared], suits);
    on(
        &Gradient { iterations: 20_000, ..Gradient::default() },
        &[&Logistic],
        Suits { offset: false, ..suits },
    );
}

#[test]
fn levels() {
    check_solver(
        &NuSvr::default(),
        Objective::NuRegression { nu: 0.4 },
        Suits { plain: false, ..Suits::default() },
    );
    check_solver(
        &OneClass::default(),
        Objective::OneClass { nu: 0.4 },
        Suits { plain: false, ..Suits::default() },
    );
}
