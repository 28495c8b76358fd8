//! The lines of a LIBSVM model before its support vectors: a key and its values each, in any order.

use super::text::{LibsvmKernel, SvmType, TextError};

pub(super) const TYPES: [(&str, SvmType); 5] = [
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

/// The lines before `SV`: for each key the line where it stands and the words after it.
pub(super) struct Header<'a> {
    entries: [Option<(usize, &'a str)>; KEYS.len()],
    pub(super) probabilities: bool,
    /// The line with `SV`.
    pub(super) end: usize,
}

/// An error at a line.
pub(super) fn wrong(line: usize, reason: impl Into<String>) -> TextError {
    TextError { line, reason: reason.into() }
}

impl<'a> Header<'a> {
    pub(super) fn read(lines: &mut impl Iterator<Item = (usize, &'a str)>) -> Result<Self, TextError> {
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

    pub(super) fn svm_type(&self) -> Result<SvmType, TextError> {
        let (line, word) = self.entry("svm_type")?;
        let found = TYPES.iter().find(|(name, _)| *name == word.trim());
        let known = TYPES.map(|(name, _)| name).join(", ");
        found.map(|(_, value)| *value).ok_or_else(|| {
            wrong(line, format!("there is no svm_type {}; there are {known}", shown(word.trim())))
        })
    }

    pub(super) fn kernel(&self) -> Result<LibsvmKernel, TextError> {
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
    pub(super) fn classes(&self, svm_type: SvmType) -> Result<u64, TextError> {
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

    pub(super) fn labels(&self, svm_type: SvmType, classes: usize) -> Result<Vec<i32>, TextError> {
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

    pub(super) fn counts(
        &self,
        svm_type: SvmType,
        classes: usize,
        total: u64,
    ) -> Result<Vec<usize>, TextError> {
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

    pub(super) fn numbers(&self, key: &'static str, count: usize) -> Result<Vec<f64>, TextError> {
        let (line, words) = self.entry(key)?;
        list(line, key, words, count, finite)
    }

    fn number(&self, key: &'static str) -> Result<f64, TextError> {
        self.numbers(key, 1).map(|numbers| numbers[0])
    }

    pub(super) fn whole(&self, key: &'static str) -> Result<u64, TextError> {
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

/// A number that is one.
pub(super) fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A word of a file for a message: quoted, short, harmless.
pub(super) fn shown(word: &str) -> String {
    let short: String = word.chars().take(40).flat_map(char::escape_debug).collect();
    if word.is_empty() { "nothing".to_owned() } else { format!("'{short}'") }
}
