//! The text of a LIBSVM model, as a value: read with every count checked, printed so that LIBSVM reads it.
//!
//! ```text
//! svm_type c_svc | nu_svc | one_class | epsilon_svr | nu_svr
//! kernel_type linear | polynomial | rbf | sigmoid
//! degree, gamma, coef0        where the kernel has them
//! nr_class k                  2 for regression and one class
//! total_sv l
//! rho …                       k(k−1)/2 numbers, for the pairs (0,1), (0,2), …, (1,2), …
//! label …                     k whole numbers, classification only
//! nr_sv …                     k counts that add up to l, classification only
//! SV
//! coefficient × (k−1) index:value index:value …       l lines, the rows of class 0 first
//! ```
//!
//! A row of class i has its coefficient in the machine of the pair (i,j) in column j−1 where i < j and in column j where
//! j < i. The decision value of the pair is Σ coefficient·k(x,·) − rho, positive for i. No count is believed: memory
//! grows with what is there, not with what is claimed. Lines about probabilities are passed over: models here score.

use std::fmt;

use mercer_points::{Points, Sparse};

use super::General;
use super::header::{Header, TYPES, finite, shown, wrong};

/// What a LIBSVM model is a model of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SvmType {
    /// Classes, with C.
    CSvc,
    /// Classes, with ν.
    NuSvc,
    /// Inside or outside.
    OneClass,
    /// Numbers, with ε.
    EpsilonSvr,
    /// Numbers, with ν.
    NuSvr,
}

/// The kernels of LIBSVM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LibsvmKernel {
    /// ⟨u,v⟩.
    Linear,
    /// (γ⟨u,v⟩ + c)^d.
    Polynomial {
        /// d.
        degree: u32,
        /// γ.
        gamma: f64,
        /// c.
        coef0: f64,
    },
    /// exp(−γ‖u−v‖²).
    Rbf {
        /// γ.
        gamma: f64,
    },
    /// tanh(γ⟨u,v⟩ + c).
    Sigmoid {
        /// γ.
        gamma: f64,
        /// c.
        coef0: f64,
    },
}

/// All that stands in a LIBSVM model file.
///
/// ```
/// use mercer_model::libsvm::LibsvmModel;
/// let text = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n\
///             0.5 1:1 2:1 \n-0.5 1:-1 2:-1 \n";
/// let model = LibsvmModel::parse(text).unwrap();
/// assert_eq!(model.coefficients, [[0.5, -0.5]]);
/// assert_eq!(model.to_string(), text);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LibsvmModel {
    /// What it is a model of.
    pub svm_type: SvmType,
    /// The kernel.
    pub kernel: LibsvmKernel,
    /// ρ of every pair of classes; one number where there are no classes.
    pub rho: Vec<f64>,
    /// The classes in LIBSVM's order; empty where there are none.
    pub labels: Vec<i32>,
    /// Support vectors of each class; empty where there are none.
    pub counts: Vec<usize>,
    /// k−1 columns (one where there are no classes), in each a coefficient for every support vector.
    pub coefficients: Vec<Vec<f64>>,
    /// The support vectors.
    pub vectors: Sparse,
    /// Whether there were lines about probabilities, which are not kept.
    pub probabilities: bool,
}

/// Why a text is not a LIBSVM model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct TextError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl SvmType {
    /// Whether it knows classes.
    pub fn has_classes(self) -> bool {
        matches!(self, Self::CSvc | Self::NuSvc)
    }
}

impl fmt::Display for SvmType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = TYPES.iter().find(|(_, value)| value == self);
        f.write_str(found.map_or("", |(name, _)| name))
    }
}

impl LibsvmModel {
    /// How many classes LIBSVM counts: two where there are none.
    pub fn class_count(&self) -> usize {
        if self.svm_type.has_classes() { self.labels.len() } else { 2 }
    }

    /// Reads the text of a model file.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
        let header = Header::read(&mut lines)?;
        let svm_type = header.svm_type()?;
        let kernel = header.kernel()?;
        let classes = header.classes(svm_type)?;
        let rho = header.numbers("rho", (classes * (classes - 1) / 2) as usize)?;
        let labels = header.labels(svm_type, classes as usize)?;
        let total = header.whole("total_sv")?;
        let counts = header.counts(svm_type, classes as usize, total)?;
        let (coefficients, vectors) = vectors(lines, classes as usize - 1, total, header.end)?;
        let probabilities = header.probabilities;
        Ok(Self { svm_type, kernel, rho, labels, counts, coefficients, vectors, probabilities })
    }
}

impl fmt::Display for LibsvmModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "svm_type {}", self.svm_type)?;
        match self.kernel {
            LibsvmKernel::Linear => writeln!(f, "kernel_type linear")?,
            LibsvmKernel::Rbf { gamma } => {
                writeln!(f, "kernel_type rbf\ngamma {}", General::exact(gamma))?;
            }
            LibsvmKernel::Polynomial { degree, gamma, coef0 } => {
                writeln!(f, "kernel_type polynomial\ndegree {degree}\ngamma {}", General::exact(gamma))?;
                writeln!(f, "coef0 {}", General::exact(coef0))?;
            }
            LibsvmKernel::Sigmoid { gamma, coef0 } => {
                writeln!(f, "kernel_type sigmoid\ngamma {}", General::exact(gamma))?;
                writeln!(f, "coef0 {}", General::exact(coef0))?;
            }
        }
        writeln!(f, "nr_class {}\ntotal_sv {}", self.class_count(), self.vectors.len())?;
        write_list(f, "rho", self.rho.iter().map(|&rho| General::exact(rho)))?;
        if self.svm_type.has_classes() {
            write_list(f, "label", &self.labels)?;
            write_list(f, "nr_sv", &self.counts)?;
        }
        writeln!(f, "SV")?;
        for i in 0..self.vectors.len() {
            for column in &self.coefficients {
                write!(f, "{} ", General::exact(column[i]))?;
            }
            let row = self.vectors.point(i);
            for (&index, &value) in row.indices.iter().zip(row.values) {
                write!(f, "{}:{} ", u64::from(index) + 1, General::exact(value))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn write_list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    key: &str,
    values: impl IntoIterator<Item = T>,
) -> fmt::Result {
    f.write_str(key)?;
    for value in values {
        write!(f, " {value}")?;
    }
    writeln!(f)
}

/// The lines after `SV`: coefficients by column, and points.
fn vectors<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    columns: usize,
    total: u64,
    end: usize,
) -> Result<(Vec<Vec<f64>>, Sparse), TextError> {
    let mut coefficients: Vec<Vec<f64>> = vec![Vec::new(); columns];
    let mut points = Rows { starts: vec![0], ..Rows::default() };
    let mut last = end;
    for (number, line) in lines {
        if line.trim_ascii().is_empty() {
            continue;
        }
        last = number;
        if points.len() as u64 == total {
            return Err(wrong(number, format!("more than the {total} support vectors of total_sv")));
        }
        let mut words = line.split_ascii_whitespace();
        for (i, column) in coefficients.iter_mut().enumerate() {
            let word = words.next().unwrap_or("");
            let value = finite(word);
            let place = || format!("{} where coefficient {} of {columns} belongs", shown(word), i + 1);
            column.push(value.ok_or_else(|| wrong(number, place()))?);
        }
        points.push(words).map_err(|reason| wrong(number, reason))?;
    }
    if (points.len() as u64) < total {
        return Err(wrong(
            last + 1,
            format!("the file ends after {} of {total} support vectors", points.len()),
        ));
    }
    let Rows { starts, indices, values, dim } = points;
    let sparse = Sparse::new(dim, starts, indices, values).map_err(|error| wrong(last, error.to_string()))?;
    Ok((coefficients, sparse))
}

/// Compressed rows while they are read.
#[derive(Default)]
struct Rows {
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    dim: usize,
}

impl Rows {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn push<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let mut previous = 0;
        for word in words {
            let (index, value) =
                word.split_once(':').ok_or_else(|| format!("{} is not index:value", shown(word)))?;
            let number = index.parse::<u32>().ok().filter(|&number| number > 0);
            let number = number.ok_or_else(|| format!("{} is no index; they count from 1", shown(index)))?;
            if number <= previous {
                return Err(format!("the index {number} comes after {previous}; they must ascend"));
            }
            previous = number;
            let value = finite(value).ok_or_else(|| format!("{} is not a finite number", shown(value)))?;
            if value != 0.0 {
                self.indices.push(number - 1);
                self.values.push(value);
            }
        }
        self.dim = self.dim.max(previous as usize);
        self.starts.push(self.indices.len());
        Ok(())
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
