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

use crate::info::{KernelInfo, MapInfo};
use crate::signature::Call;

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
}
