//! The words of LIBSVM's own commands: one letter, then its value, then the files; `-w3 2` sets the weight of class 3.
//!
//! These are parsed by hand, since such letters are not the grammar of the other commands.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{ArgAction, Args};
use mercer::model::libsvm::{LibsvmKernel, SvmType};

/// `svm-train`
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    override_usage = "mercer svm-train [options] training_set_file [model_file]",
    after_help = "Options of LIBSVM:\n  \
    -s type    0 C-SVC (default), 1 nu-SVC, 2 one-class SVM, 3 epsilon-SVR, 4 nu-SVR\n  \
    -t kernel  0 linear, 1 polynomial, 2 radial basis function (default), 3 sigmoid\n  \
    -d degree  of the polynomial (default 3)\n  \
    -g gamma   of the kernel (default 1/number of features)\n  \
    -r coef0   of the polynomial and the sigmoid (default 0)\n  \
    -c cost    C of C-SVC, epsilon-SVR and nu-SVR (default 1)\n  \
    -n nu      of nu-SVC, one-class SVM and nu-SVR (default 0.5)\n  \
    -p epsilon half the width of the tube of epsilon-SVR (default 0.1)\n  \
    -e epsilon largest violation of the optimality conditions (default 0.001)\n  \
    -wi weight C of class i is weight*C, for C-SVC (default 1)\n  \
    -v n       n-fold cross validation instead of a model\n  \
    -m -h      read and not needed: the cache looks after itself\n  \
    -b 0       probabilities are not estimated\n  \
    -q         print nothing\n\n\
    The model file is 'training_set_file.model' in this folder if it is not named."
)]
pub(crate) struct SvmTrain {
    /// Options with their values, then the files.
    #[arg(value_name = "WORDS", trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub(crate) words: Vec<String>,
    /// Print help.
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
}

/// `svm-predict`
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    override_usage = "mercer svm-predict [options] test_file model_file output_file",
    after_help = "Options of LIBSVM:\n  \
    -b 0       probabilities are not estimated\n  \
    -q         print nothing\n  \
    -d file    also write decision values, for each row those of all pairs (not in LIBSVM)\n\n\
    The model is a file of LIBSVM or of mercer."
)]
pub(crate) struct SvmPredict {
    /// Options with their values, then the files.
    #[arg(value_name = "WORDS", trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub(crate) words: Vec<String>,
    /// Print help.
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
}

/// `svm-scale`
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    override_usage = "mercer svm-scale [options] data_file",
    after_help = "Options of LIBSVM:\n  \
    -l lower   smallest value of a feature (default -1)\n  \
    -u upper   largest value of a feature (default 1)\n  \
    -y lo up   scale the target too (default: not)\n  \
    -s file    save how it was scaled\n  \
    -r file    scale as was saved"
)]
pub(crate) struct SvmScale {
    /// Options with their values, then the file.
    #[arg(value_name = "WORDS", trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub(crate) words: Vec<String>,
    /// Print help.
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
}

/// What `svm-train` is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrainOptions {
    pub(crate) svm_type: SvmType,
    /// γ is 0 where it was not given: it then depends on the data.
    pub(crate) kernel: LibsvmKernel,
    pub(crate) cost: f64,
    pub(crate) nu: f64,
    pub(crate) epsilon: f64,
    pub(crate) tolerance: f64,
    pub(crate) weights: Vec<(i32, f64)>,
    pub(crate) folds: Option<usize>,
    pub(crate) quiet: bool,
    pub(crate) data: String,
    pub(crate) model: PathBuf,
}

/// What `svm-predict` is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PredictOptions {
    pub(crate) quiet: bool,
    pub(crate) scores: Option<PathBuf>,
    pub(crate) data: String,
    pub(crate) model: PathBuf,
    pub(crate) output: PathBuf,
}

/// What `svm-scale` is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScaleOptions {
    pub(crate) x: (f64, f64),
    pub(crate) y: Option<(f64, f64)>,
    pub(crate) save: Option<PathBuf>,
    pub(crate) restore: Option<PathBuf>,
    pub(crate) data: String,
}

impl SvmTrain {
    pub(crate) fn options(&self) -> anyhow::Result<TrainOptions> {
        let mut words = Words::new(&self.words);
        let (mut svm_type, mut kernel, mut degree, mut gamma, mut coef0) = (0, 2, 3, 0.0, 0.0);
        let mut options = TrainOptions {
            svm_type: SvmType::CSvc,
            kernel: LibsvmKernel::Linear,
            cost: 1.0,
            nu: 0.5,
            epsilon: 0.1,
            tolerance: 1e-3,
            weights: Vec::new(),
            folds: None,
            quiet: false,
            data: String::new(),
            model: PathBuf::new(),
        };
        while let Some(letter) = words.option() {
            match letter {
                "-q" => options.quiet = true,
                "-s" => svm_type = words.whole(0, 4)?,
                "-t" => kernel = words.whole(0, 4)?,
                "-d" => degree = words.whole(1, 64)?,
                "-g" => gamma = words.number("above 0", |v| v > 0.0)?,
                "-r" => coef0 = words.number("a number", |_| true)?,
                "-c" => options.cost = words.number("above 0", |v| v > 0.0)?,
                "-n" => options.nu = words.number("above 0 and at most 1", |v| v > 0.0 && v <= 1.0)?,
                "-p" => options.epsilon = words.number("0 or more", |v| v >= 0.0)?,
                "-e" => options.tolerance = words.number("above 0", |v| v > 0.0)?,
                "-m" => drop(words.number("above 0", |v| v > 0.0)?),
                "-h" => drop(words.whole(0, 1)?),
                "-b" => words.no_probabilities()?,
                "-v" => options.folds = Some(words.whole(2, u32::MAX)? as usize),
                _ if letter.starts_with("-w") => options.weights.push(words.weight(letter)?),
                _ => return words.unknown(letter, "-s -t -d -g -r -c -n -p -m -e -h -b -wi -v -q"),
            }
        }
        options.svm_type =
            [SvmType::CSvc, SvmType::NuSvc, SvmType::OneClass, SvmType::EpsilonSvr, SvmType::NuSvr]
                [svm_type as usize];
        options.kernel = match kernel {
            0 => LibsvmKernel::Linear,
            1 => LibsvmKernel::Polynomial { degree, gamma, coef0 },
            2 => LibsvmKernel::Rbf { gamma },
            3 => LibsvmKernel::Sigmoid { gamma, coef0 },
            _ => bail!("-t 4: precomputed kernels are read by 'mercer fit --kernel precomputed', not here"),
        };
        let files = words.files(1, 2, "training_set_file [model_file]")?;
        options.data = files[0].clone();
        options.model = files.get(1).map_or_else(|| default_model(&files[0]), PathBuf::from);
        Ok(options)
    }
}

impl SvmPredict {
    pub(crate) fn options(&self) -> anyhow::Result<PredictOptions> {
        let mut words = Words::new(&self.words);
        let (mut quiet, mut scores) = (false, None);
        while let Some(letter) = words.option() {
            match letter {
                "-q" => quiet = true,
                "-b" => words.no_probabilities()?,
                "-d" => scores = Some(words.value()?.into()),
                _ => return words.unknown(letter, "-b -q -d"),
            }
        }
        let files = words.files(3, 3, "test_file model_file output_file")?;
        let [data, model, output] = files else { bail!("test_file model_file output_file") };
        Ok(PredictOptions { quiet, scores, data: data.clone(), model: model.into(), output: output.into() })
    }
}

impl SvmScale {
    pub(crate) fn options(&self) -> anyhow::Result<ScaleOptions> {
        let mut words = Words::new(&self.words);
        let mut options =
            ScaleOptions { x: (-1.0, 1.0), y: None, save: None, restore: None, data: String::new() };
        while let Some(letter) = words.option() {
            match letter {
                "-l" => options.x.0 = words.number("a number", |_| true)?,
                "-u" => options.x.1 = words.number("a number", |_| true)?,
                "-y" => {
                    let lower = words.number("two numbers", |_| true)?;
                    options.y = Some((lower, words.number("two numbers", |_| true)?));
                }
                "-s" => options.save = Some(words.value()?.into()),
                "-r" => options.restore = Some(words.value()?.into()),
                _ => return words.unknown(letter, "-l -u -y -s -r"),
            }
        }
        for (letters, limits) in [("-l and -u", Some(options.x)), ("-y", options.y)] {
            if let Some((lower, upper)) = limits.filter(|(lower, upper)| lower >= upper) {
                bail!("{letters}: the lower limit {lower} is not below the upper limit {upper}");
            }
        }
        if options.save.is_some() && options.restore.is_some() {
            bail!("-s and -r: either save or restore");
        }
        options.data = words.files(1, 1, "data_file")?[0].clone();
        Ok(options)
    }
}

/// The name of the data without its folder, in this folder.
fn default_model(data: &str) -> PathBuf {
    let name = Path::new(data)
        .file_name()
        .map_or_else(|| data.to_owned(), |name| name.to_string_lossy().into_owned());
    PathBuf::from(format!("{name}.model"))
}

/// Words from left to right.
struct Words<'a> {
    left: &'a [String],
    /// The option whose value comes next, for messages.
    current: &'a str,
}

impl<'a> Words<'a> {
    fn new(words: &'a [String]) -> Self {
        Self { left: words, current: "" }
    }

    fn take(&mut self) -> Option<&'a str> {
        let (first, left) = self.left.split_first()?;
        self.left = left;
        Some(first)
    }

    /// The next word, if it is an option.
    fn option(&mut self) -> Option<&'a str> {
        let word = self.left.first().filter(|word| word.len() > 1 && word.starts_with('-'))?;
        self.current = word;
        self.take()
    }

    fn value(&mut self) -> anyhow::Result<&'a str> {
        let option = self.current;
        self.take().with_context(|| format!("{option}: its value is missing"))
    }

    fn number(&mut self, wanted: &str, fits: impl Fn(f64) -> bool) -> anyhow::Result<f64> {
        let word = self.value()?;
        let number = word.parse().ok().filter(|value: &f64| value.is_finite() && fits(*value));
        number.with_context(|| format!("{}: give {wanted}, not '{word}'", self.current))
    }

    fn whole(&mut self, least: u32, most: u32) -> anyhow::Result<u32> {
        let word = self.value()?;
        let number = word.parse().ok().filter(|value| (least..=most).contains(value));
        let wanted = || match most {
            u32::MAX => format!("a whole number, {least} or more"),
            _ => format!("a whole number from {least} to {most}"),
        };
        number.with_context(|| format!("{}: give {}, not '{word}'", self.current, wanted()))
    }

    fn weight(&mut self, letter: &str) -> anyhow::Result<(i32, f64)> {
        let class = letter.trim_start_matches("-w").parse();
        let class = class
            .ok()
            .with_context(|| format!("{letter}: write -w, the class and its weight, as in -w1 2"))?;
        Ok((class, self.number("a weight of 0 or more", |v| v >= 0.0)?))
    }

    fn no_probabilities(&mut self) -> anyhow::Result<()> {
        if self.whole(0, 1)? == 1 {
            bail!("-b 1: probabilities are not estimated here; leave it out to have scores and labels");
        }
        Ok(())
    }

    fn unknown<T>(&self, letter: &str, known: &str) -> anyhow::Result<T> {
        bail!("there is no option '{letter}'; there are {known}")
    }

    /// What is left, which must be so many names.
    fn files(&self, least: usize, most: usize, wanted: &str) -> anyhow::Result<&'a [String]> {
        if (least..=most).contains(&self.left.len()) {
            return Ok(self.left);
        }
        bail!("after the options come {wanted}; there are {} words", self.left.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn train(line: &str) -> Result<TrainOptions, String> {
        SvmTrain { words: words(line), help: None }.options().map_err(|error| error.to_string())
    }

    #[test]
    fn letters_and_defaults() {
        let plain = train("folder/heart").unwrap();
        assert_eq!(plain.model, PathBuf::from("heart.model"));
        assert_eq!(plain.kernel, LibsvmKernel::Rbf { gamma: 0.0 });
        assert_eq!((plain.svm_type, plain.cost, plain.nu, plain.epsilon), (SvmType::CSvc, 1.0, 0.5, 0.1));
        let all = train("-s 4 -t 1 -d 2 -g 0.5 -r -1 -c 10 -n 0.2 -p 0 -m 40 -e 1e-5 -h 0 -b 0 -w-1 2 -w3 0.5 -v 5 -q a b").unwrap();
        assert_eq!(all.kernel, LibsvmKernel::Polynomial { degree: 2, gamma: 0.5, coef0: -1.0 });
        assert_eq!((all.svm_type, all.cost, all.nu, all.epsilon), (SvmType::NuSvr, 10.0, 0.2, 0.0));
        assert_eq!(all.weights, [(-1, 2.0), (3, 0.5)]);
        assert_eq!((all.folds, all.quiet, all.tolerance), (Some(5), true, 1e-5));
        assert_eq!((all.data.as_str(), all.model), ("a", PathBuf::from("b")));
    }

    #[test]
    fn each_mistake_is_named() {
        for (line, message) in [
            ("-s 5 a", "-s: give a whole number from 0 to 4, not '5'"),
            ("-t 4 a", "-t 4: precomputed kernels"),
            ("-c -1 a", "-c: give above 0, not '-1'"),
            ("-c nan a", "-c: give above 0, not 'nan'"),
            ("-n 1.5 a", "-n: give above 0 and at most 1"),
            ("-v 1 a", "-v: give a whole number, 2 or more, not '1'"),
            ("-wx 1 a", "-wx: write -w, the class and its weight"),
            ("-w1", "-w1: its value is missing"),
            ("-b 1 a", "-b 1: probabilities"),
            ("-z 1 a", "there is no option '-z'"),
            ("-q", "after the options come training_set_file [model_file]; there are 0 words"),
            ("a b c", "after the options come training_set_file [model_file]; there are 3 words"),
        ] {
            let said = train(line).unwrap_err();
            assert!(said.starts_with(message), "{line}: {said}");
        }
        let scale = |line| SvmScale { words: words(line), help: None }.options().map_err(|e| e.to_string());
        assert_eq!(scale("-l 0 -y -2 2 -s r a").unwrap().y, Some((-2.0, 2.0)));
        assert!(scale("-l 1 a").unwrap_err().contains("1 is not below the upper limit 1"));
        assert!(scale("-s a -r b c").unwrap_err().contains("either save or restore"));
        let predict =
            |line| SvmPredict { words: words(line), help: None }.options().map_err(|e| e.to_string());
        assert_eq!(predict("-q a b c").unwrap().output, PathBuf::from("c"));
        assert!(predict("a b").unwrap_err().ends_with("there are 2 words"));
    }
}
