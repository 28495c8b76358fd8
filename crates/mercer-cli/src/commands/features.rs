//! `mercer features`: an explicit feature map, counted or built.

use std::io;

use mercer::kernel::vectors;
use mercer::points::{Points, build};

use crate::args::Features;
use crate::input::{budget, load, map};
use crate::output::{Answer, matrix, print, write_csv};

pub(crate) fn run(options: &Features) -> anyhow::Result<Answer> {
    let expr = map(&options.map)?;
    let data = load(&options.input)?;
    let (points, names) = vectors(&data.table)?;
    let map = expr.build()?;
    if options.count {
        let kernel = map.kernel_hint().unwrap_or_else(|| expr.info().kernel.to_owned());
        let dimension = map.dimension(points.dim());
        print(&format!("{expr}: {} columns to {dimension} features; kernel: {kernel}\n", points.dim()))?;
        return Ok(Answer::Yes);
    }
    let (fitted, features) = build(&*map, &points, budget(options.memory).bytes())?;
    let header = fitted.names(&names);
    let row = |i: usize| features.point(i).to_vec();
    match &options.out {
        Some(path) => matrix(path, (features.len(), features.dim()), Some(&header), row)?,
        None => write_csv(&mut io::BufWriter::new(io::stdout().lock()), features.len(), Some(&header), row)?,
    }
    Ok(Answer::Yes)
}
