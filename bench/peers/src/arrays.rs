//! NumPy's files: the arrays of a problem and the solution for `svm/judge.py`.

use std::fs::File;
use std::path::Path;

use ndarray::{Array, Array1, Array2, Dimension};
use ndarray_npy::{NpzWriter, ReadNpyError, read_npy};

use crate::Failure;

/// Training rows and targets, test rows and targets.
pub(crate) struct Problem {
    pub(crate) x: Array2<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) x_test: Array2<f64>,
    pub(crate) y_test: Vec<f64>,
}

/// Support rows and their coefficients in LIBSVM's arrangement, with the classes in the order of their numbers.
pub(crate) struct Solution {
    pub(crate) support: Vec<usize>,
    /// One row for two classes or for numbers, k − 1 for k classes.
    pub(crate) coefficients: Vec<Vec<f64>>,
    /// Support rows of each class.
    pub(crate) counts: Vec<usize>,
}

impl Problem {
    /// The four arrays of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Problem, Failure> {
        Ok(Problem {
            x: floats(&folder.join("x.npy"))?,
            y: floats(&folder.join("y.npy"))?.to_vec(),
            x_test: floats(&folder.join("x_test.npy"))?,
            y_test: floats(&folder.join("y_test.npy"))?.to_vec(),
        })
    }

    /// The classes, in the order of their numbers.
    pub(crate) fn classes(&self) -> Vec<f64> {
        let mut classes = self.y.clone();
        classes.sort_by(f64::total_cmp);
        classes.dedup();
        classes
    }

    /// The two classes of a problem that has no more, for libraries that know nothing else.
    pub(crate) fn two_classes(&self) -> Result<[f64; 2], Failure> {
        let classes = self.classes();
        <[f64; 2]>::try_from(classes)
            .map_err(|classes| format!("two classes only, here are {}", classes.len()).into())
    }
}

/// Store what was found.
pub(crate) fn write(file: &Path, solution: &Solution) -> Result<(), Failure> {
    let rows = solution.coefficients.len();
    let whole = |values: &[usize]| values.iter().map(|&value| value as i64).collect::<Array1<_>>();
    let mut archive = NpzWriter::new(File::create(file)?);
    archive.add_array("support", &whole(&solution.support))?;
    archive.add_array(
        "coefficients",
        &Array2::from_shape_vec((rows, solution.support.len()), solution.coefficients.concat())?,
    )?;
    archive.add_array("counts", &whole(&solution.counts))?;
    archive.finish()?;
    Ok(())
}

/// An array of f64, f32 or i64, as f64.
fn floats<D: Dimension>(file: &Path) -> Result<Array<f64, D>, Failure> {
    let named = |error: ReadNpyError| format!("{}: {error}", file.display());
    match read_npy::<_, Array<f64, D>>(file) {
        Err(ReadNpyError::WrongDescriptor(_)) => {}
        read => return Ok(read.map_err(named)?),
    }
    match read_npy::<_, Array<f32, D>>(file) {
        Err(ReadNpyError::WrongDescriptor(_)) => {}
        read => return Ok(read.map_err(named)?.mapv(f64::from)),
    }
    Ok(read_npy::<_, Array<i64, D>>(file).map_err(named)?.mapv(|value| value as f64))
}
