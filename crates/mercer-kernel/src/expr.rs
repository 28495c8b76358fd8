//! A kernel as a value: what the language writes, and what a model file stores.
//!
//! ```text
//! expr   := term ('+' term)*
//! term   := number '*' factors | factors
//! factors:= power ('*' power)*
//! power  := mapped ('^' integer)?
//! mapped := atom ( '[' column, … ']' | '@' map )*
//! atom   := name args? | number | '(' expr ')' | 'normalize(' expr ')' | 'exp(' expr ')'
//!         | 'outer(' map ')' | label ':' atom
//! ```
//!
//! Printing is canonical: `parse(print(e)) == e` for every expression (a property test and a fuzz target).

use mercer_points::nearest;

use crate::KernelError;
use crate::info::{KernelInfo, MapInfo};
use crate::signature::{Call, Value};

/// A kernel expression (`docs/maths.md` §1.2 for the leaves, §1.3 for the algebra).
///
/// Build one by parsing; a value that exists is well formed.
///
/// ```
/// use mercer_kernel::KernelExpr;
/// let k: KernelExpr = "0.5 * rbf(sigma=1) + poly(degree=3)".parse().unwrap();
/// assert_eq!(k.to_string(), "0.5*rbf(sigma=1) + poly(degree=3, gamma=1, offset=1)");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum KernelExpr {
    /// A named kernel with its parameters.
    Leaf(Leaf),
    /// A function that the user registered under this name.
    User(String),
    /// `a*k` with a ≥ 0.
    Scale(f64, Box<KernelExpr>),
    /// `k1 + k2 + …`, at least two, none of them a sum.
    Sum(Vec<KernelExpr>),
    /// `k1*k2*…`, at least two, none of them a product.
    Product(Vec<KernelExpr>),
    /// `k^p` with p ≥ 1.
    Power(Box<KernelExpr>, u32),
    /// `normalize(k)`: k(x,z)/√(k(x,x)·k(z,z)).
    Normalize(Box<KernelExpr>),
    /// `exp(k)`.
    Exp(Box<KernelExpr>),
    /// `outer(f)`: f(x)·f(z) for a map into the line, ⟨f(x), f(z)⟩ for any other.
    Outer(MapExpr),
    /// `k[a, b]`: k on these columns of a table.
    On(Box<KernelExpr>, Vec<String>),
    /// `k@f`: k(f(x), f(z)).
    Mapped(Box<KernelExpr>, MapExpr),
    /// `name: k`, the same kernel under a name of the user's.
    Label(String, Box<KernelExpr>),
}

/// A named kernel with its parameters.
#[derive(Debug, Clone)]
pub struct Leaf {
    pub(crate) info: &'static KernelInfo,
    pub(crate) call: Call,
}

impl Leaf {
    /// Its row in the table of kernels.
    pub fn info(&self) -> &'static KernelInfo {
        self.info
    }

    /// Its parameters.
    pub fn call(&self) -> &Call {
        &self.call
    }
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Self) -> bool {
        self.call == other.call
    }
}

/// A named feature map with its parameters (`docs/maths.md` §1.1).
///
/// ```
/// use mercer_kernel::MapExpr;
/// let map: MapExpr = "polynomial(degree=2)".parse().unwrap();
/// assert_eq!(map.to_string(), "polynomial(degree=2, offset=1)");
/// ```
#[derive(Debug, Clone)]
pub struct MapExpr {
    pub(crate) info: &'static MapInfo,
    pub(crate) call: Call,
}

impl MapExpr {
    /// Its row in the table of maps.
    pub fn info(&self) -> &'static MapInfo {
        self.info
    }

    /// Its parameters.
    pub fn call(&self) -> &Call {
        &self.call
    }
}

impl PartialEq for MapExpr {
    fn eq(&self, other: &Self) -> bool {
        self.call == other.call
    }
}

impl KernelExpr {
    /// The sum of two kernels; sums inside are opened, so that a sum prints and parses as one list.
    #[allow(clippy::should_implement_trait)]
    pub fn add(self, other: Self) -> Self {
        let mut terms = match self {
            Self::Sum(terms) => terms,
            single => vec![single],
        };
        match other {
            Self::Sum(more) => terms.extend(more),
            single => terms.push(single),
        }
        Self::Sum(terms)
    }

    /// The product of two kernels; products inside are opened.
    #[allow(clippy::should_implement_trait)]
    pub fn mul(self, other: Self) -> Self {
        let mut factors = match self {
            Self::Product(factors) => factors,
            single => vec![single],
        };
        match other {
            Self::Product(more) => factors.extend(more),
            single => factors.push(single),
        }
        Self::Product(factors)
    }

    /// Whether a kernel of this canonical name is part of the expression.
    pub fn uses(&self, name: &str) -> bool {
        match self {
            Self::Leaf(leaf) => leaf.call().signature().name == name,
            Self::User(user) => user == name,
            Self::Outer(_) => false,
            Self::Sum(children) | Self::Product(children) => children.iter().any(|child| child.uses(name)),
            Self::Scale(_, child)
            | Self::Power(child, _)
            | Self::Normalize(child)
            | Self::Exp(child)
            | Self::On(child, _)
            | Self::Mapped(child, _)
            | Self::Label(_, child) => child.uses(name),
        }
    }

    /// The same expression with one parameter set to a number in every kernel that has it; where it is one spelling
    /// of several (`gamma`, `sigma`, `width`), the others give way.
    ///
    /// ```
    /// use mercer_kernel::KernelExpr;
    /// let k: KernelExpr = "rbf(gamma=2) + linear".parse().unwrap();
    /// assert_eq!(k.with_parameter("sigma", 0.5).unwrap().to_string(), "rbf(sigma=0.5) + linear");
    /// assert!(k.with_parameter("degree", 3.0).is_err());
    /// ```
    pub fn with_parameter(&self, name: &str, value: f64) -> Result<Self, KernelError> {
        let mut found = false;
        let set = self.map_leaves(&mut |leaf| {
            let has =
                leaf.call.signature().params.iter().find(|p| p.name == name || p.aliases.contains(&name));
            found |= has.is_some();
            let call = has
                .map_or(leaf.call.clone(), |param| leaf.call.clone().with(param.name, Value::Number(value)));
            Leaf { info: leaf.info, call }
        });
        if !found {
            return Err(KernelError::Unfit(format!(
                "no kernel in {self} has a parameter '{name}'{}",
                self.parameters_near(name)
            )));
        }
        // The parser knows every range; what it reads back is well formed. Its places are those of a text that nobody
        // typed, so only the fact is told.
        let text = set.to_string();
        text.parse().map_err(|errors: crate::ParseErrors| {
            KernelError::Unfit(
                errors.errors().first().map_or_else(|| errors.to_string(), ToString::to_string),
            )
        })
    }

    /// The parameter nearest to a name that none has, as a hint, or all there are.
    fn parameters_near(&self, name: &str) -> String {
        let mut known: Vec<&str> = Vec::new();
        self.map_leaves(&mut |leaf| {
            known.extend(leaf.call.signature().params.iter().map(|param| param.name));
            leaf.clone()
        });
        known.sort_unstable();
        known.dedup();
        match nearest(name, known.iter().copied()) {
            Some(near) => format!("; did you mean '{near}'?"),
            None if known.is_empty() => "; it has none".to_owned(),
            None => format!("; there are: {}", known.join(", ")),
        }
    }

    /// The same tree with other leaves.
    pub(crate) fn map_leaves(&self, change: &mut impl FnMut(&Leaf) -> Leaf) -> Self {
        let mut all = |children: &[Self]| children.iter().map(|child| child.map_leaves(change)).collect();
        match self {
            Self::Sum(children) => Self::Sum(all(children)),
            Self::Product(children) => Self::Product(all(children)),
            Self::Leaf(leaf) => Self::Leaf(change(leaf)),
            Self::Scale(a, child) => Self::Scale(*a, Box::new(child.map_leaves(change))),
            Self::Power(child, p) => Self::Power(Box::new(child.map_leaves(change)), *p),
            Self::Normalize(child) => Self::Normalize(Box::new(child.map_leaves(change))),
            Self::Exp(child) => Self::Exp(Box::new(child.map_leaves(change))),
            Self::On(child, columns) => Self::On(Box::new(child.map_leaves(change)), columns.clone()),
            Self::Mapped(child, map) => Self::Mapped(Box::new(child.map_leaves(change)), map.clone()),
            Self::Label(name, child) => Self::Label(name.clone(), Box::new(child.map_leaves(change))),
            Self::User(_) | Self::Outer(_) => self.clone(),
        }
    }
}
