//! One set of points and the Gram matrices on it.

use std::error::Error;

use mercer_gram::Lazy;
use mercer_points::{ColumnData, Dense, Points, ReadOptions, Table, read};

/// Points of one dimension, with the kernels that are measured on them.
pub(crate) struct Case {
    pub(crate) n: usize,
    pub(crate) d: usize,
    /// The rate of the Gaussian kernel, 1/d.
    pub(crate) gamma: f64,
    /// The coordinates row after row, for the contestants that are not Mercer.
    pub(crate) values: Vec<f32>,
    pub(crate) table: Table,
    pub(crate) rbf: Lazy,
    pub(crate) linear: Lazy,
    /// What the matrices are multiplied with.
    pub(crate) vector: Vec<f64>,
}

impl Case {
    /// The usual cases: rows are chosen so that a round takes a few seconds.
    pub(crate) fn drawn(quick: bool) -> Result<Vec<Self>, Box<dyn Error>> {
        let sizes =
            if quick { [(3000, 8), (2000, 54), (1000, 784)] } else { [(8000, 8), (6000, 54), (3000, 784)] };
        let mut draw = Draw(7);
        let case =
            |(n, d)| Self::new(Dense::new(n, d, (0..n * d).map(|_| draw.normal() as f32 as f64).collect())?);
        sizes.into_iter().map(case).collect()
    }

    /// Points from a file, one a row.
    pub(crate) fn read(file: &str) -> Result<Self, Box<dyn Error>> {
        let table = read(file, &ReadOptions::default())?;
        match table.columns() {
            [column] => match &column.data {
                ColumnData::Dense(points, _) => Self::new(points.clone()),
                other => Err(format!("{file} holds {}, not dense vectors", other.kind()).into()),
            },
            columns => Err(format!("{file} has {} columns, not one block of vectors", columns.len()).into()),
        }
    }

    fn new(points: Dense<f64>) -> Result<Self, Box<dyn Error>> {
        let (n, d) = (points.len(), points.dim());
        let gamma = 1.0 / d as f64;
        let values = points.values().iter().map(|&v| v as f32).collect();
        let mut table = Table::new();
        table.push("x", ColumnData::Dense(points, (1..=d).map(|j| j.to_string()).collect()))?;
        let rbf = Lazy::new(&rbf(gamma).parse()?, &table)?;
        let linear = Lazy::new(&"linear".parse()?, &table)?;
        let mut draw = Draw(11);
        let vector = (0..n).map(|_| draw.normal()).collect();
        Ok(Self { n, d, gamma, values, table, rbf, linear, vector })
    }

    /// The Gaussian kernel's Gram matrix, prepared anew from the table.
    pub(crate) fn prepare(&self) -> Lazy {
        Lazy::new(&rbf(self.gamma).parse().expect("it parsed before"), &self.table)
            .expect("it compiled before")
    }
}

fn rbf(gamma: f64) -> String {
    format!("rbf(gamma={gamma})")
}

/// SplitMix64 with the Box–Muller transform: enough for a benchmark, and the same everywhere.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A number below `n`; the bias of a product with a 53-bit fraction does not matter here.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }
}
