//! Which width of the Gaussian kernel sees the two moons? Five Gram matrices, in numbers and as a picture.
#![allow(clippy::print_stdout)] // An example speaks.

use mercer::prelude::*;
use mercer::view::{Grid, Group, HeatMap, Panel, write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut table = read("@moons(n=200)", &ReadOptions::default())?;
    let label = table.remove("label")?;
    let ideal = Ideal::of("label", &label.data)?;
    let order = ideal.order();
    let rbf: KernelExpr = "rbf".parse()?;
    let mut panels = Vec::new();
    for sigma in [0.1, 0.2, 0.5, 1.0, 5.0] {
        let kernel = rbf.with_parameter("sigma", sigma)?;
        let gram = Stored::<f32>::new(&Lazy::new(&kernel, &table)?, Budget::default())?;
        let aligned = alignment(&gram, |i, j| ideal.value(i, j));
        let found = statistics(&gram);
        println!(
            "{kernel}: alignment {:.3}, centred {:.3}, {}",
            aligned.plain, aligned.centered, found.shape
        );
        let entry = |i: usize, j: usize| f64::from(gram.row(order[i])[order[j]]);
        panels.push(Panel::new(kernel.to_string(), Grid::symmetric(order.len(), entry)));
    }
    let mut picture = HeatMap::new("Gram matrices of @moons, rows ordered by label", panels);
    picture.groups = ideal.groups().into_iter().map(|(name, count)| Group::new(name, count)).collect();
    let path = std::env::temp_dir().join("mercer-gram-sweep.svg");
    write(&path, &picture)?;
    println!("drawn: {}", path.display());
    Ok(())
}
