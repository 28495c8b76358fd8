//! The list of built-in sets.

/// A built-in set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name, without the `@`.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// How many rows it has; for a generated set, by default.
    pub rows: usize,
    /// What its label asks for.
    pub task: Task,
    /// Whether it is generated and takes `n`, `noise` and `seed`.
    pub generated: bool,
    /// Where it comes from.
    pub source: &'static str,
    /// Under which terms it may be used.
    pub terms: &'static str,
}

/// What a label asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Two classes.
    Binary,
    /// More than two classes.
    Multiclass,
    /// A number.
    Regression,
}

/// All built-in sets, generated ones first.
///
/// ```
/// let names: Vec<&str> = mercer_points::data::builtin().iter().map(|set| set.name).collect();
/// assert!(names.contains(&"moons") && names.contains(&"iris"));
/// ```
pub fn builtin() -> &'static [BuiltIn] {
    &SETS
}

const UCI: &str = "CC BY 4.0";

const fn generated(name: &'static str, about: &'static str, rows: usize, task: Task) -> BuiltIn {
    BuiltIn { name, about, rows, task, generated: true, source: "generated here", terms: "free" }
}

const fn real(
    name: &'static str,
    about: &'static str,
    rows: usize,
    task: Task,
    source: &'static str,
) -> BuiltIn {
    BuiltIn { name, about, rows, task, generated: false, source, terms: UCI }
}

static SETS: [BuiltIn; 19] = [
    generated("moons", "two interleaved half circles", 400, Task::Binary),
    generated("circles", "a circle around a smaller one", 400, Task::Binary),
    generated("spirals", "two spirals of one and a half turns", 400, Task::Binary),
    generated("xor", "a square in four quarters, opposite ones alike", 400, Task::Binary),
    generated("chessboard", "a board of 4 x 4 fields", 1000, Task::Binary),
    generated("separable", "two clouds with a gap of 0.4 between them", 200, Task::Binary),
    generated("sinc", "sin(pi x)/(pi x) with noise, one input", 200, Task::Regression),
    real("iris", "three species of iris by four lengths", 150, Task::Multiclass, "UCI Iris (Fisher 1936)"),
    real(
        "breast-cancer",
        "benign (-1) or malignant (+1) by nine scores of cells",
        683,
        Task::Binary,
        "UCI Breast Cancer Wisconsin (Original)",
    ),
    real(
        "heart",
        "heart disease (+1), 13 columns scaled to [-1, 1]",
        270,
        Task::Binary,
        "UCI Statlog (Heart)",
    ),
    real("ionosphere", "radar returns, good (+1) or bad (-1)", 351, Task::Binary, "UCI Ionosphere"),
    real(
        "sonar",
        "sonar echoes of mines (-1) and rocks (+1), 60 bands scaled to [-1, 1]",
        208,
        Task::Binary,
        "UCI Connectionist Bench (Sonar)",
    ),
    real(
        "glass",
        "six types of glass by index and oxides",
        214,
        Task::Multiclass,
        "UCI Glass Identification",
    ),
    real(
        "vowel",
        "eleven vowels by speaker and nine numbers of the spectrum",
        990,
        Task::Multiclass,
        "UCI Vowel (Deterding)",
    ),
    real(
        "promoter",
        "57 bases of DNA, promoter (+) or not (-)",
        106,
        Task::Binary,
        "UCI Molecular Biology (Promoter Gene Sequences)",
    ),
    real(
        "splice",
        "60 bases of DNA around a splice junction: EI, IE or N",
        3190,
        Task::Multiclass,
        "UCI Molecular Biology (Splice-junction Gene Sequences)",
    ),
    real("sms", "text messages, ham or spam (the first 1000)", 1000, Task::Binary, "UCI SMS Spam Collection"),
    real(
        "concrete",
        "strength of concrete by its mixture and age",
        1030,
        Task::Regression,
        "UCI Concrete Compressive Strength",
    ),
    real(
        "yacht",
        "resistance of a yacht by the form of its hull, centred",
        308,
        Task::Regression,
        "UCI Yacht Hydrodynamics",
    ),
];
