//! The tables of kernels and of maps: one row each, from which everything a user reads is generated.

use std::fmt;
use std::sync::Arc;

use crate::kernels::Built;
use crate::signature::{Call, Signature};
use mercer_points::FeatureMap;

/// One row of the table of kernels.
pub struct KernelInfo {
    /// Name and parameters.
    pub signature: Signature,
    /// k(x,z) in plain characters.
    pub formula: &'static str,
    /// What it is evaluated on.
    pub domain: Domain,
    /// What it is for, in a sentence.
    pub about: &'static str,
    /// Whether it is positive semi-definite, and why (`docs/maths.md` §1.4).
    pub mercer: fn(&Call) -> Evidence,
    /// The kernel itself, once every word such as `scale` has become a number.
    pub build: fn(&Call) -> Built,
}

/// One row of the table of feature maps.
pub struct MapInfo {
    /// Name and parameters.
    pub signature: Signature,
    /// The features of x in plain characters.
    pub formula: &'static str,
    /// How many features there are for d columns.
    pub dimension: &'static str,
    /// The kernel that it induces.
    pub kernel: &'static str,
    /// What it is for, in a sentence.
    pub about: &'static str,
    /// The map itself, not yet fitted.
    pub build: fn(&Call) -> Result<Arc<dyn FeatureMap>, crate::KernelError>,
}

/// What a kernel is evaluated on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Vectors of numbers, dense or sparse.
    Vectors,
    /// Vectors of numbers that are zero or more.
    NonNegative,
    /// Texts.
    Texts,
    /// Categories.
    Categories,
    /// Rows of a precomputed matrix.
    Precomputed,
    /// Points of any kind.
    Any,
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vectors => "vectors",
            Self::NonNegative => "non-negative vectors",
            Self::Texts => "texts",
            Self::Categories => "categories",
            Self::Precomputed => "a precomputed matrix",
            Self::Any => "anything",
        })
    }
}

/// What is known of a leaf before any data is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Positive semi-definite, and the reason.
    Psd(&'static str),
    /// Positive semi-definite under a condition: the condition, the reason.
    When(&'static str, &'static str),
    /// Not positive semi-definite in general, and the reason.
    Not(&'static str),
    /// Nothing is known, and why.
    Unknown(&'static str),
}

impl KernelInfo {
    /// What is known with the default parameters.
    pub fn evidence(&self) -> Evidence {
        match crate::parse(self.signature.name) {
            Ok(crate::KernelExpr::Leaf(leaf)) => (self.mercer)(leaf.call()),
            _ => Evidence::Unknown("it has no default parameters"),
        }
    }
}

impl Evidence {
    /// Whether it is positive semi-definite, in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Psd(_) => "yes",
            Self::When(..) => "where defined",
            Self::Not(_) => "no",
            Self::Unknown(_) => "measured",
        }
    }
}

impl fmt::Debug for KernelInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KernelInfo({})", self.signature.name)
    }
}

impl fmt::Debug for MapInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MapInfo({})", self.signature.name)
    }
}
