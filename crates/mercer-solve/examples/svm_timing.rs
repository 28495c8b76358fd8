//! How long a support vector machine takes on a file, and what its answer is worth.
//!
//! ```sh
//! cargo run --release -p mercer-solve --example svm_timing -- a9a.gz "rbf(gamma=0.00813)" 1 4e9
//! ```
//!
//! The target is the column `label`, or the first; arguments are the file, the kernel, C and the bytes for kernel rows.

use std::error::Error;
use std::io::Write;
use std::time::Instant;

use mercer_gram::Lazy;
use mercer_linalg::Budget;
use mercer_points::ColumnData;
use mercer_solve::{Objective, Problem, Run, Solver, Tolerance, certify, loss::Hinge, solvers::Smo};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, kernel, c, bytes] = &arguments[..] else {
        return Err("usage: svm_timing FILE KERNEL C BYTES".into());
    };
    let mut table = mercer_points::read(path, &Default::default())?;
    let first = table.columns()[0].name.clone();
    let name = table.column("label").map_or(first, |column| column.name.clone());
    let y = labels(&table.remove(&name)?.data);
    let gram = Lazy::new(&kernel.parse()?, &table)?;
    let lambda = 1.0 / (c.parse::<f64>()? * y.len() as f64);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), lambda, true)?;
    let solver = Smo { budget: Budget::of_bytes(bytes.parse::<f64>()? as u64) };
    let mut out = std::io::stdout().lock();
    for tolerance in
        [Tolerance { gap: None, violation: Some(1e-3) }, Tolerance { gap: Some(1e-6), violation: None }]
    {
        let started = Instant::now();
        let solution = solver.solve(&problem, None, &mut Run::quiet(tolerance))?;
        let seconds = started.elapsed().as_secs_f64();
        let certificate = certify(&problem, &solution);
        writeln!(out, "{tolerance:?}: {:?} in {seconds:.2} s", solution.status)?;
        writeln!(
            out,
            "  {} steps, {} blocks, {:.0} kernel rows, {} support rows ({} at bound)",
            solution.iterations,
            solution.trace.len(),
            solution.entries as f64 / y.len() as f64,
            certificate.support,
            certificate.bound
        )?;
        writeln!(
            out,
            "  violation {:.2e}, relative gap {:.2e}, C-scaled dual {:.6}",
            certificate.violation,
            certificate.relative_gap,
            certificate.dual / lambda
        )?;
    }
    Ok(())
}

/// −1 for the first label met, +1 for others.
fn labels(column: &ColumnData) -> Vec<f64> {
    match column {
        ColumnData::Numbers(values) => values.iter().map(|v| if *v > 0.0 { 1.0 } else { -1.0 }).collect(),
        ColumnData::Categories(names) => {
            let codes = names.codes();
            codes.iter().map(|code| if *code == codes[0] { -1.0 } else { 1.0 }).collect()
        }
        _ => Vec::new(),
    }
}
