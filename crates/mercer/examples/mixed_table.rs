//! One kernel on numbers, categories and texts: each part names its columns.
#![allow(clippy::print_stdout)] // An example speaks.

use mercer::points::{Format, read_from};
use mercer::prelude::*;

const WINES: &str = "\
name,country,price,alcohol,good
Rioja Reserva,ES,14.5,13.5,yes
Ribera Reserva,ES,22,14,yes
Rioja Joven,ES,6,12.5,no
Chianti Riserva,IT,19,13,yes
Chianti,IT,8.5,12.5,no
Soave,IT,7,12,no
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = ReadOptions { target: Some("good".into()), ..ReadOptions::default() };
    let mut table = read_from(WINES.as_bytes(), "wines", Format::Csv, &options)?;
    let good = table.remove("good")?;
    for column in table.columns() {
        println!("{:8} {}", column.name, column.data.kind());
    }
    let text =
        "rbf(sigma=1)@standardize[price, alcohol] + 0.5*delta[country] + normalize(spectrum(k=3))[name]";
    let kernel: KernelExpr = text.parse()?;
    println!("{}", kernel.mercer().status);

    let gram = Lazy::new(&kernel, &table)?;
    for i in 0..gram.len() {
        let row: Vec<String> = (0..gram.len()).map(|j| format!("{:.2}", gram.entry(i, j))).collect();
        println!("{}", row.join(" "));
    }
    let ideal = Ideal::of("good", &good.data)?;
    println!("centred alignment {:.3}", alignment(&gram, |i, j| ideal.value(i, j)).centered);
    Ok(())
}
