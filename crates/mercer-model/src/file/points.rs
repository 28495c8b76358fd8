//! Support points as tensors, a few for each column.

use mercer_points::{Categories, ColumnData, Dense, Points, Sparse, Table, Texts};
use safetensors::Dtype;

use super::decode::Tensors;
use super::encode::Tensor;
use super::json::PointsText;
use crate::ColumnKind;

fn name(column: usize, part: &str) -> String {
    format!("points.{column}.{part}")
}

/// The columns of a table, described and as tensors.
pub(super) fn encode(table: &Table, tensors: &mut Vec<Tensor>) -> Result<Vec<PointsText>, String> {
    let mut described = Vec::new();
    for (at, column) in table.columns().iter().enumerate() {
        described.push(PointsText { name: column.name.clone(), kind: ColumnKind::of(&column.data) });
        let mut push = |part: &str, shape: Vec<usize>, dtype: Dtype, bytes: Vec<u8>| {
            tensors.push(Tensor { name: name(at, part), dtype, shape, bytes });
        };
        let reals = |values: &[f64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let wholes =
            |values: &[usize]| values.iter().flat_map(|&v| (v as u64).to_le_bytes()).collect::<Vec<u8>>();
        let shorts = |values: &[u32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        match &column.data {
            ColumnData::Numbers(values) => push("numbers", vec![values.len()], Dtype::F64, reals(values)),
            ColumnData::Dense(points, _) => {
                push("dense", vec![points.len(), points.dim()], Dtype::F64, reals(points.values()));
            }
            ColumnData::Single(points, _) => {
                let bytes = points.values().iter().flat_map(|v| v.to_le_bytes()).collect();
                push("dense", vec![points.len(), points.dim()], Dtype::F32, bytes);
            }
            ColumnData::Sparse(points) => {
                push("starts", vec![points.starts().len()], Dtype::U64, wholes(points.starts()));
                push("indices", vec![points.stored()], Dtype::U32, shorts(points.indices()));
                push("values", vec![points.stored()], Dtype::F64, reals(points.values()));
            }
            ColumnData::Texts(texts) => {
                let bytes: Vec<u8> = texts.iter().flat_map(str::bytes).collect();
                let ends: Vec<usize> = texts
                    .iter()
                    .scan(0, |end, text| {
                        *end += text.len();
                        Some(*end)
                    })
                    .collect();
                push("ends", vec![ends.len()], Dtype::U64, wholes(&ends));
                push("texts", vec![bytes.len()], Dtype::U8, bytes);
            }
            ColumnData::Categories(names) => {
                push("codes", vec![names.len()], Dtype::U32, shorts(names.codes()));
            }
            ColumnData::Indices(_) => return Err("rows of a matrix cannot be stored as points".to_owned()),
        }
    }
    Ok(described)
}

/// The table again; an error where tensors and descriptions do not fit together.
pub(super) fn decode(described: Vec<PointsText>, tensors: &Tensors<'_>) -> Result<Table, String> {
    let mut table = Table::new();
    for (at, PointsText { name: column, kind }) in described.into_iter().enumerate() {
        let data = match kind {
            ColumnKind::Numbers => ColumnData::Numbers(tensors.reals(&name(at, "numbers"))?),
            ColumnKind::Dense(names) => {
                let tensor = name(at, "dense");
                let &[rows, dim] = tensors.shape(&tensor)? else {
                    return Err(format!("the points of column '{column}' are no matrix"));
                };
                if dim != names.len() {
                    return Err(format!("column '{column}' has {dim} coordinates and {} names", names.len()));
                }
                if tensors.is_single(&tensor) {
                    ColumnData::Single(Dense::new(rows, dim, tensors.singles(&tensor)?).map_err(said)?, names)
                } else {
                    ColumnData::Dense(Dense::new(rows, dim, tensors.reals(&tensor)?).map_err(said)?, names)
                }
            }
            ColumnKind::Sparse(dim) => {
                let starts = tensors.wholes(&name(at, "starts"))?;
                let (indices, values) =
                    (tensors.shorts(&name(at, "indices"))?, tensors.reals(&name(at, "values"))?);
                if dim > 1 << 32 {
                    return Err(format!("column '{column}' has {dim} coordinates"));
                }
                ColumnData::Sparse(Sparse::new(dim, starts, indices, values).map_err(said)?)
            }
            ColumnKind::Texts => ColumnData::Texts(texts(
                tensors.bytes(&name(at, "texts"))?,
                &tensors.wholes(&name(at, "ends"))?,
            )?),
            ColumnKind::Categories(levels) => ColumnData::Categories(
                Categories::new(levels, tensors.shorts(&name(at, "codes"))?).map_err(said)?,
            ),
            ColumnKind::Matrix(_) => return Err("rows of a matrix cannot be stored as points".to_owned()),
        };
        table.push(column, data).map_err(said)?;
    }
    Ok(table)
}

fn texts(bytes: &[u8], ends: &[usize]) -> Result<Texts, String> {
    let text = std::str::from_utf8(bytes).map_err(said)?;
    let mut start = 0;
    let mut found = Vec::new();
    for &end in ends {
        found.push(text.get(start..end).ok_or("texts do not end where the file says")?);
        start = end;
    }
    if start != text.len() {
        return Err("there is text after the last one".to_owned());
    }
    Ok(found.into_iter().collect())
}

fn said(error: impl ToString) -> String {
    error.to_string()
}
