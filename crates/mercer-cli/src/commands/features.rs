//! `mercer features`: an explicit feature map, counted or built.

use mercer::kernel::vectors;
use mercer::points::{Points, build};

use crate::args::Features;
use crate::input::{budget, coordinates, load, map};
use crate::output::{Answer, check_matrix_file, count, matrix, print, to_stdout, write_csv};

pub(crate) fn run(options: &Features) -> anyhow::Result<Answer> {
    let expr = map(&options.map)?;
    check_matrix_file(options.out.as_deref())?;
    let data = load(&options.input, None)?;
    let map = expr.build()?;
    if options.count {
        let kernel = map.kernel_hint().unwrap_or_else(|| expr.info().kernel.to_owned());
        let columns = data.table.columns().iter().map(|column| coordinates(&column.data)).sum();
        let dimension = map.dimension(columns);
        print(&format!("{expr}: {} to {dimension} features; kernel: {kernel}\n", count(columns, "column")))?;
        return Ok(Answer::Yes);
    }
    let (points, names) = vectors(&data.table)?;
    let (fitted, features) = build(&*map, &points, budget(options.memory).bytes())?;
    let header = fitted.names(&names);
    let row = |i: usize| features.point(i).to_vec();
    match &options.out {
        Some(path) => matrix(path, (features.len(), features.dim()), Some(&header), row)?,
        None => to_stdout(|writer| write_csv(writer, features.len(), Some(&header), row))?,
    }
    Ok(Answer::Yes)
}
