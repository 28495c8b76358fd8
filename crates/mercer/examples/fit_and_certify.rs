//! Two learners on one problem: what each proves, and that they agree.
#![allow(clippy::print_stdout)] // An example speaks.

use mercer::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut table = read("@heart", &ReadOptions::default())?;
    let label = table.remove("label")?;
    let training = Training::new(&table, &label);
    let mut bounds = Vec::new();
    for learner in [Learner::Smo, Learner::Qp] {
        let kernel: KernelExpr = "rbf(sigma=3)@standardize".parse()?;
        let spec = Spec { regularization: Regularization::C(1.0), ..Spec::new(kernel, learner) };
        let model = fit(&spec, &training, &Setting::default())?;
        let machine = &model.machines()[0];
        let certificate = machine.certificate.as_ref().ok_or("a fit has a certificate")?;
        println!(
            "{learner}: objective {:.9}, at most {:.1e} above the best; {} support vectors",
            certificate.primal,
            certificate.gap,
            model.support()
        );
        bounds.push((certificate.dual, certificate.primal));
    }
    // The optimum lies in both intervals, so they overlap.
    assert!(bounds[0].0 <= bounds[1].1 && bounds[1].0 <= bounds[0].1);
    Ok(())
}
