//! A kernel that is not one: refuted by rows that anyone can recompute, then its matrix made valid.
#![allow(clippy::print_stdout)] // An example speaks.

use mercer::gram::{Repair, Verdict, repair};
use mercer::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut table = read("@circles(n=200)", &ReadOptions::default())?;
    table.remove("label")?;
    let kernel: KernelExpr = "sigmoid(gamma=1, offset=0)".parse()?;
    println!("before any data: {}", kernel.mercer().status);

    let found = check(&kernel, &table, &Registry::new(), CheckOptions::default())?;
    println!("smallest eigenvalue {:.4} ± {:.1e}", found.spectrum.smallest(), found.spectrum.error);
    if let Verdict::Refuted(witness) = &found.verdict {
        println!("v^T K v = {:.4} for rows {:?} and v = {:.4?}", witness.value, witness.rows, witness.vector);
    }

    let gram = Stored::<f64>::new(&Lazy::new(&kernel, &table)?, Budget::default())?;
    for how in [Repair::Clip, Repair::Flip, Repair::Shift] {
        let fixed = repair(gram.len(), gram.entries(), how, Budget::default())?;
        println!("{how:5} moved the matrix by {:.2} % of its norm", 100.0 * fixed.relative);
    }
    Ok(())
}
