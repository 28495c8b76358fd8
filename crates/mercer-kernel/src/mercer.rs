//! Whether an expression is a valid kernel, with the chain of rules that shows it (`docs/maths.md` §1.3, §1.4).

use std::fmt;

use crate::KernelExpr;
use crate::info::Evidence;

/// What is known of an expression before any data is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Positive semi-definite by construction.
    Psd,
    /// Positive semi-definite where these conditions hold.
    Conditional(Vec<String>),
    /// Not positive semi-definite in general, and why.
    NotPsd(String),
    /// Nothing is known, and why.
    Unknown(String),
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Psd => f.write_str("positive semi-definite by construction"),
            Self::Conditional(conditions) => {
                write!(f, "positive semi-definite where {}", conditions.join(" and "))
            }
            Self::NotPsd(why) => write!(f, "not positive semi-definite in general: {why}"),
            Self::Unknown(why) => write!(f, "not known: {why}"),
        }
    }
}

impl Status {
    /// What is known of a whole of which every part must hold.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::NotPsd(why), _) | (_, Self::NotPsd(why)) => Self::NotPsd(why),
            (Self::Unknown(why), _) | (_, Self::Unknown(why)) => Self::Unknown(why),
            (Self::Conditional(mut all), Self::Conditional(more)) => {
                all.extend(more.into_iter().filter(|condition| !all.contains(condition)).collect::<Vec<_>>());
                Self::Conditional(all)
            }
            (conditional @ Self::Conditional(_), Self::Psd) | (Self::Psd, conditional) => conditional,
        }
    }
}

/// A status with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mercer {
    /// What is known.
    pub status: Status,
    /// The rules, from the leaves to the whole; each line may use those before it.
    pub proof: Vec<Step>,
}

/// One line of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The part of the expression that the line is about.
    pub part: String,
    /// The rule that it follows by, or the reason why nothing follows.
    pub rule: String,
    /// Earlier lines that the rule uses, counted from 1.
    pub uses: Vec<usize>,
    /// What the line says of the part.
    pub status: Status,
}

impl fmt::Display for Mercer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.proof.iter().enumerate() {
            let verdict = match step.status {
                Status::Psd | Status::Conditional(_) => "is a kernel",
                Status::NotPsd(_) => "is not a kernel in general",
                Status::Unknown(_) => "is not known to be a kernel",
            };
            write!(f, "  {}. {} {verdict}: {}", number + 1, step.part, step.rule)?;
            if !step.uses.is_empty() {
                let uses: Vec<String> = step.uses.iter().map(usize::to_string).collect();
                write!(f, " ({})", uses.join(", "))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl KernelExpr {
    /// Whether this is a valid kernel, with the chain of rules as proof.
    ///
    /// ```
    /// use mercer_kernel::{KernelExpr, Status};
    /// let k: KernelExpr = "rbf(sigma=1) * chi2".parse().unwrap();
    /// assert!(matches!(k.mercer().status, Status::Conditional(_)));
    /// assert_eq!(k.mercer().proof.len(), 3);
    /// ```
    pub fn mercer(&self) -> Mercer {
        let mut proof = Vec::new();
        let (status, _) = prove(self, &mut proof);
        Mercer { status, proof }
    }
}

/// Adds the lines for an expression; returns its status and the number of its last line.
fn prove(expr: &KernelExpr, proof: &mut Vec<Step>) -> (Status, usize) {
    let (status, rule, uses) = match expr {
        KernelExpr::Leaf(leaf) => {
            let (status, rule) = evidence((leaf.info().mercer)(leaf.call()));
            (status, rule, Vec::new())
        }
        KernelExpr::User(name) => {
            let why = format!("'{name}' is a function of the user's; it is measured on the data");
            (Status::Unknown(why.clone()), why, Vec::new())
        }
        KernelExpr::Outer(_) => {
            (Status::Psd, "the inner product of explicit features".to_owned(), Vec::new())
        }
        KernelExpr::Scale(a, child) => of(proof, [&**child], &format!("a kernel times {a} ≥ 0"), *a > 0.0),
        KernelExpr::Sum(children) => {
            of(proof, children, "a sum of kernels: their features side by side", false)
        }
        KernelExpr::Product(children) => {
            of(proof, children, "a product of kernels (Schur): their features multiplied pairwise", false)
        }
        KernelExpr::Power(child, p) => {
            of(proof, [&**child], &format!("a product of {p} equal kernels (Schur)"), false)
        }
        KernelExpr::Normalize(child) => {
            of(proof, [&**child], "a kernel times f(x)f(z) with f(x) = 1/√k(x,x)", false)
        }
        KernelExpr::Exp(child) => {
            of(proof, [&**child], "a limit of sums of powers of a kernel with weights 1/n! ≥ 0", false)
        }
        KernelExpr::On(child, _) => {
            of(proof, [&**child], "a kernel after a selection of columns, which is a map", true)
        }
        KernelExpr::Mapped(child, map) => {
            of(proof, [&**child], &format!("a kernel after the map {}", map.call().signature().name), false)
        }
        KernelExpr::Label(_, child) => return prove(child, proof),
    };
    proof.push(Step { part: expr.to_string(), rule, uses, status: status.clone() });
    (status, proof.len())
}

/// A rule over parts. What is not a kernel in general may become one as a part of something (`poly(1, offset=-1) + 1`
/// is the linear kernel); only where the rule `keeps` a counterexample is the whole known not to be one.
fn of<'a>(
    proof: &mut Vec<Step>,
    children: impl IntoIterator<Item = &'a KernelExpr>,
    rule: &str,
    keeps: bool,
) -> (Status, String, Vec<usize>) {
    let (mut status, mut uses) = (Status::Psd, Vec::new());
    for child in children {
        let (of_child, line) = prove(child, proof);
        status = status.and(of_child);
        uses.push(line);
    }
    let rule = match &status {
        Status::Psd | Status::Conditional(_) => rule.to_owned(),
        _ => "a part of it is not".to_owned(),
    };
    if let (Status::NotPsd(why), false) = (&status, keeps) {
        status = Status::Unknown(format!("a part of it is not positive semi-definite in general: {why}"));
    }
    (status, rule, uses)
}

fn evidence(evidence: Evidence) -> (Status, String) {
    match evidence {
        Evidence::Psd(why) => (Status::Psd, why.to_owned()),
        Evidence::When(condition, why) => {
            (Status::Conditional(vec![condition.to_owned()]), format!("{why} (where {condition})"))
        }
        Evidence::Not(why) => (Status::NotPsd(why.to_owned()), why.to_owned()),
        Evidence::Unknown(why) => (Status::Unknown(why.to_owned()), why.to_owned()),
    }
}
