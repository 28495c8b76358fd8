//! A loss of one's own: value, slopes, conjugate and domain are all that the certificate needs.
#![allow(clippy::print_stdout)] // An example speaks.

use mercer::prelude::*;
use mercer::solve::loss::{Quadratic, Target};
use mercer::solve::solvers::Smo;
use mercer::solve::{Objective, Run, Solver};

/// max(0, 1−m) for one class, three times that for the other: a missed alarm costs more than a false one.
#[derive(Debug)]
struct Alarm;

impl Alarm {
    fn cost(y: f64) -> f64 {
        if y > 0.0 { 3.0 } else { 1.0 }
    }
}

impl Loss for Alarm {
    fn target(&self) -> Target {
        Target::Labels
    }

    fn value(&self, y: f64, f: f64) -> f64 {
        Self::cost(y) * (1.0 - y * f).max(0.0)
    }

    fn slopes(&self, y: f64, f: f64) -> (f64, f64) {
        let (m, u) = (y * f, -y * Self::cost(y));
        if m < 1.0 {
            (u, u)
        } else if m > 1.0 {
            (0.0, 0.0)
        } else {
            (u.min(0.0), u.max(0.0))
        }
    }

    fn slope(&self, y: f64, f: f64) -> f64 {
        if y * f < 1.0 { -y * Self::cost(y) } else { 0.0 }
    }

    fn conjugate(&self, y: f64, u: f64) -> f64 {
        let (low, high) = self.domain(y);
        if u >= low - 1e-12 && u <= high + 1e-12 { y * u } else { f64::INFINITY }
    }

    fn domain(&self, y: f64) -> (f64, f64) {
        let u = -y * Self::cost(y);
        (u.min(0.0), u.max(0.0))
    }

    fn curvature(&self, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn proximal(&self, _: f64, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn quadratic(&self, y: f64) -> Option<Quadratic> {
        Some(Quadratic { linear: y, kink: 0.0, curvature: 0.0 })
    }

    fn kinks(&self, y: f64) -> Vec<f64> {
        vec![y]
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    mercer::solve::testkit::check_loss(&Alarm);
    let mut table = read("@moons(n=200, noise=0.4)", &ReadOptions::default())?;
    let label = table.remove("label")?;
    let strata = mercer::points::Strata::of(&label.data);
    println!("{} classes", strata.count());
    let y: Vec<f64> = match &label.data {
        ColumnData::Numbers(values) => values.iter().map(|&v| if v > 0.0 { 1.0 } else { -1.0 }).collect(),
        ColumnData::Categories(names) => {
            names.codes().iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect()
        }
        _ => return Err("labels are numbers or names".into()),
    };
    let gram = Lazy::new(&"rbf(sigma=0.3)".parse()?, &table)?;
    let problem = Problem::new(&gram, &y, Objective::Risk(&Alarm), 0.01, true)?;
    let solution = Smo::default().solve(&problem, None, &mut Run::quiet(Tolerance::default()))?;
    let certificate = certify(&problem, &solution);
    println!("objective {:.6}, relative gap {:.1e}", certificate.primal, certificate.relative_gap);
    assert!(certificate.relative_gap <= 1e-6);
    Ok(())
}
