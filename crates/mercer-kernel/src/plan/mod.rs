//! From an expression to something that runs: which columns each leaf sees, in what form, and one tree of steps.
//!
//! [`Plan::compile`] reads the training table once: it finds the columns, fits the maps and turns words such as
//! `scale` into numbers, so that the plan gives the same kernel on any other table. [`Plan::ready`] works out what
//! tiles need of a collection; [`Tiles`] fills blocks; [`Plan::pair`] is the definition, one pair at a time.

mod block;
mod bytes;
mod columns;
mod compile;
mod keys;
mod packs;
mod picked;
mod ready;
mod resolve;
mod route;
mod state;
mod tiles;
mod view;

pub use bytes::PointBytes;
pub use columns::vectors;
pub use keys::row_keys;
pub use ready::Ready;
pub use state::{PlanState, ViewState};
pub use tiles::{Entry, Scratch, Tiles};

use std::sync::Arc;

use crate::kernels::{Lowered, Registry, VectorKernel};
use crate::{KernelError, KernelExpr};
use mercer_linalg::{Budget, Op};
use mercer_points::{Dense, Table};

use view::{View, ViewSpec};

/// A kernel expression bound to the columns of a table.
///
/// ```
/// use mercer_kernel::{KernelExpr, Plan, Registry};
/// use mercer_points::{ColumnData, Table};
/// let mut table = Table::new();
/// table.push("x", ColumnData::Numbers(vec![0.0, 1.0, 3.0])).unwrap();
/// let kernel: KernelExpr = "rbf(width=1) + 1".parse().unwrap();
/// let plan = Plan::compile(&kernel, &table, &Registry::new()).unwrap();
/// let points = plan.ready(&table).unwrap();
/// assert!((plan.pair(&points, 0, &points, 1) - (1.0 + (-1f64).exp())).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct Plan {
    expr: KernelExpr,
    resolved: Vec<f64>,
    root: Node,
    views: Vec<ViewSpec>,
    leaves: Vec<LeafPlan>,
    normalized: Vec<(Node, String)>,
}

/// The tree of an expression, its leaves by number.
#[derive(Debug, Clone)]
enum Node {
    Leaf(usize),
    Constant(f64),
    Scale(f64, Box<Node>),
    Sum(Vec<Node>),
    Product(Vec<Node>),
    Power(Box<Node>, u32),
    Exp(Box<Node>),
    /// The child, and its number among the normalised ones.
    Normalize(Box<Node>, usize),
}

/// A leaf with the view that it sees.
#[derive(Debug, Clone)]
struct LeafPlan {
    view: usize,
    kernel: LeafKernel,
}

#[derive(Debug, Clone)]
enum LeafKernel {
    /// On vectors; `tile_view` is where the lowered base is taken, which is another view after features.
    Vector { kernel: Arc<dyn VectorKernel>, lowered: Lowered, tile_view: usize, name: String },
    /// On points of another kind, behind one interface.
    Foreign(Arc<dyn ready::Foreign>),
}

impl Plan {
    /// Binds an expression to a training table. What the kernel is to leave out (a target) must not be in it.
    pub fn compile(expr: &KernelExpr, table: &Table, registry: &Registry) -> Result<Self, KernelError> {
        compile::compile(expr, table, registry)
    }

    /// The expression with every word turned into the number that the training table gave.
    pub fn expr(&self) -> &KernelExpr {
        &self.expr
    }

    /// The numbers that words became, in the order of the expression.
    pub fn resolved(&self) -> &[f64] {
        &self.resolved
    }

    /// How many dense coordinates a prepared point has, over all views.
    pub fn coordinates(&self) -> usize {
        self.views.iter().map(|view| view.center.len()).sum()
    }

    /// Works out what the kernel needs of a collection.
    pub fn ready(&self, table: &Table) -> Result<Ready, KernelError> {
        Ready::new(self, table)
    }

    /// Some points of a prepared collection, in the given order: entries between them are those of the whole.
    pub fn part(&self, points: &Ready, rows: &[usize]) -> Ready {
        points.part(self, rows)
    }

    /// Whether points of a collection can be put at places of a part of it: where all leaves see dense vectors.
    pub fn can_put(&self, part: &Ready) -> bool {
        part.can_put()
    }

    /// Puts points of a collection at some places of a part of it, each a place and a row of the whole; false, and nothing, where
    /// that [cannot be](Plan::can_put).
    pub fn put(&self, part: &mut Ready, whole: &Ready, changes: &[(usize, usize)]) -> bool {
        part.put(whole, changes)
    }

    /// The features whose inner product the kernel is, where it is `linear` after maps and selections and nothing else.
    pub fn features(&self, points: &Ready, budget: Budget) -> Result<Option<Dense<f64>>, KernelError> {
        let Node::Leaf(leaf) = self.root else { return Ok(None) };
        let LeafPlan { view, kernel: LeafKernel::Vector { name, .. } } = &self.leaves[leaf] else {
            return Ok(None);
        };
        if name != "linear" {
            return Ok(None);
        }
        Ok(match points.view(*view) {
            View::Dense(points) => Some(points.double()?),
            View::Sparse(points) => Some(columns::dense(points, budget)?),
            _ => None,
        })
    }

    /// The definition: k between point i of x and point j of z, in `f64`.
    pub fn pair(&self, x: &Ready, i: usize, z: &Ready, j: usize) -> f64 {
        self.value(&self.root, x, i, z, j)
    }

    fn value(&self, node: &Node, x: &Ready, i: usize, z: &Ready, j: usize) -> f64 {
        let value = |child: &Node| self.value(child, x, i, z, j);
        match node {
            Node::Leaf(leaf) => self.leaf_value(*leaf, x, i, z, j),
            Node::Constant(c) => *c,
            Node::Scale(a, child) => a * value(child),
            Node::Sum(children) => children.iter().map(value).sum(),
            Node::Product(children) => children.iter().map(value).product(),
            Node::Power(child, p) => value(child).powi(*p as i32),
            Node::Exp(child) => value(child).exp(),
            // k(x,x) is kept with the points: worked out here it would cost three times the child at every level.
            Node::Normalize(child, number) => {
                Op::Cosine.scalar(value(child), x.normalizer(*number)[i], z.normalizer(*number)[j])
            }
        }
    }

    fn leaf_value(&self, leaf: usize, x: &Ready, i: usize, z: &Ready, j: usize) -> f64 {
        let LeafPlan { view, kernel } = &self.leaves[leaf];
        match kernel {
            LeafKernel::Vector { kernel, .. } => {
                ready::both((x.view(*view), i), (z.view(*view), j), |x, z| kernel.eval(x, z))
            }
            LeafKernel::Foreign(kernel) => kernel.eval((x.view(*view), i), (z.view(*view), j)),
        }
    }
}
