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

const TYPES: [(&str, SvmType); 5] = [
    ("c_svc", SvmType::CSvc),
    ("nu_svc", SvmType::NuSvc),
    ("one_class", SvmType::OneClass),
    ("epsilon_svr", SvmType::EpsilonSvr),
    ("nu_svr", SvmType::NuSvr),
];
const KERNELS: [&str; 4] = ["linear", "polynomial", "rbf", "sigmoid"];
const IGNORED: [&str; 3] = ["probA", "probB", "prob_density_marks"];
const KEYS: [&str; 10] =
    ["svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho", "label", "nr_sv"];

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

/// The lines before `SV`: for each key the line where it stands and the words after it.
struct Header<'a> {
    entries: [Option<(usize, &'a str)>; KEYS.len()],
    probabilities: bool,
    /// The line with `SV`.
    end: usize,
}

fn wrong(line: usize, reason: impl Into<String>) -> TextError {
    TextError { line, reason: reason.into() }
}

impl<'a> Header<'a> {
    fn read(lines: &mut impl Iterator<Item = (usize, &'a str)>) -> Result<Self, TextError> {
        let mut header = Self { entries: [None; KEYS.len()], probabilities: false, end: 0 };
        let mut last = 0;
        for (number, line) in lines {
            last = number;
            let line = line.trim_ascii();
            let (key, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            if key == "SV" {
                header.end = number;
                return Ok(header);
            }
            if IGNORED.contains(&key) {
                header.probabilities = true;
                continue;
            }
            let at = KEYS.iter().position(|known| *known == key);
            let at = at.ok_or_else(|| {
                wrong(number, format!("no line of a LIBSVM model begins with {}", shown(key)))
            })?;
            if header.entries[at].replace((number, rest)).is_some() {
                return Err(wrong(number, format!("'{key}' is given twice")));
            }
        }
        Err(wrong(last + 1, "the file ends before 'SV'"))
    }

    /// Where a key stands, and the words after it.
    fn entry(&self, key: &str) -> Result<(usize, &'a str), TextError> {
        let entry = KEYS.iter().position(|known| *known == key).and_then(|at| self.entries[at]);
        entry.ok_or_else(|| wrong(self.end, format!("'SV' begins and there was no '{key}'")))
    }

    fn svm_type(&self) -> Result<SvmType, TextError> {
        let (line, word) = self.entry("svm_type")?;
        let found = TYPES.iter().find(|(name, _)| *name == word.trim());
        let known = TYPES.map(|(name, _)| name).join(", ");
        found.map(|(_, value)| *value).ok_or_else(|| {
            wrong(line, format!("there is no svm_type {}; there are {known}", shown(word.trim())))
        })
    }

    fn kernel(&self) -> Result<LibsvmKernel, TextError> {
        let (line, word) = self.entry("kernel_type")?;
        match word.trim() {
            "linear" => Ok(LibsvmKernel::Linear),
            "polynomial" => Ok(LibsvmKernel::Polynomial {
                degree: self.whole("degree").and_then(|degree| {
                    u32::try_from(degree).map_err(|_| wrong(line, format!("degree {degree} is too large")))
                })?,
                gamma: self.number("gamma")?,
                coef0: self.number("coef0")?,
            }),
            "rbf" => Ok(LibsvmKernel::Rbf { gamma: self.number("gamma")? }),
            "sigmoid" => {
                Ok(LibsvmKernel::Sigmoid { gamma: self.number("gamma")?, coef0: self.number("coef0")? })
            }
            "precomputed" => Err(wrong(
                line,
                "a precomputed kernel: such a model holds row numbers and no points to predict from",
            )),
            other => {
                let known = KERNELS.join(", ");
                Err(wrong(line, format!("there is no kernel_type {}; there are {known}", shown(other))))
            }
        }
    }

    /// How many classes; so few that their pairs can be counted.
    fn classes(&self, svm_type: SvmType) -> Result<u64, TextError> {
        let (line, _) = self.entry("nr_class")?;
        match self.whole("nr_class")? {
            2 => Ok(2),
            count if !svm_type.has_classes() => {
                Err(wrong(line, format!("{svm_type} has nr_class 2, not {count}")))
            }
            count @ 2..=1_000_000 => Ok(count),
            count => Err(wrong(line, format!("nr_class is {count}; there must be two classes or more"))),
        }
    }

    fn labels(&self, svm_type: SvmType, classes: usize) -> Result<Vec<i32>, TextError> {
        if !svm_type.has_classes() {
            return Ok(Vec::new());
        }
        let (line, words) = self.entry("label")?;
        let labels = list(line, "label", words, classes, |word| word.parse::<i32>().ok())?;
        let mut sorted = labels.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(wrong(line, format!("the label {} is given twice", pair[0]))),
            None => Ok(labels),
        }
    }

    fn counts(&self, svm_type: SvmType, classes: usize, total: u64) -> Result<Vec<usize>, TextError> {
        if !svm_type.has_classes() {
            return Ok(Vec::new());
        }
        let (line, words) = self.entry("nr_sv")?;
        let counts = list(line, "nr_sv", words, classes, |word| word.parse::<u32>().ok())?;
        let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if sum != total {
            return Err(wrong(line, format!("nr_sv adds up to {sum}, total_sv is {total}")));
        }
        Ok(counts.into_iter().map(|count| count as usize).collect())
    }

    fn numbers(&self, key: &'static str, count: usize) -> Result<Vec<f64>, TextError> {
        let (line, words) = self.entry(key)?;
        list(line, key, words, count, finite)
    }

    fn number(&self, key: &'static str) -> Result<f64, TextError> {
        self.numbers(key, 1).map(|numbers| numbers[0])
    }

    fn whole(&self, key: &'static str) -> Result<u64, TextError> {
        let (line, words) = self.entry(key)?;
        list(line, key, words, 1, |word| word.parse::<u64>().ok()).map(|numbers| numbers[0])
    }
}

/// So many values after a key, no more and no fewer.
fn list<T>(
    line: usize,
    key: &str,
    words: &str,
    count: usize,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, TextError> {
    let mut values = Vec::new();
    for word in words.split_ascii_whitespace() {
        if values.len() == count {
            return Err(wrong(line, format!("'{key}' has more than the {count} values that belong there")));
        }
        let value = read(word);
        values.push(value.ok_or_else(|| wrong(line, format!("{} is no value of '{key}'", shown(word))))?);
    }
    if values.len() < count {
        return Err(wrong(line, format!("'{key}' has {} of {count} values", values.len())));
    }
    Ok(values)
}

fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|value: &f64| value.is_finite())
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

/// A word of a file for a message: quoted, short, harmless.
fn shown(word: &str) -> String {
    let short: String = word.chars().take(40).flat_map(char::escape_debug).collect();
    if word.is_empty() { "nothing".to_owned() } else { format!("'{short}'") }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
