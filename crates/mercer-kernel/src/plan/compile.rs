//! Walking an expression from the outside in, collecting views and leaves.

use std::sync::Arc;

use mercer_points::Table;

use super::ready::{Equal, Foreign, OnTexts, OnVectors, Stored};
use super::resolve;
use super::view::{Change, View, ViewSpec, Wanted};
use super::{LeafKernel, LeafPlan, Node, Plan, PlanState, ViewState};
use crate::info::Domain;
use crate::kernels::{Built, EachPair, Features, Registry, UserKernel};
use crate::signature::Value;
use crate::{KernelError, KernelExpr, Leaf, MapExpr};

pub(super) fn compile(expr: &KernelExpr, table: &Table, registry: &Registry) -> Result<Plan, KernelError> {
    walk(expr, table, registry, None)
}

/// The same from what was learned before: no row of the table is looked at.
pub(super) fn restore(
    expr: &KernelExpr,
    table: &Table,
    registry: &Registry,
    state: &PlanState,
) -> Result<Plan, KernelError> {
    let plan = walk(expr, table, registry, Some(&state.views))?;
    if plan.views.len() != state.views.len() {
        let (needed, found) = (plan.views.len(), state.views.len());
        return Err(KernelError::Unfit(format!("{expr} has {needed} views of its points, not {found}")));
    }
    Ok(plan)
}

fn walk(
    expr: &KernelExpr,
    table: &Table,
    registry: &Registry,
    learned: Option<&[ViewState]>,
) -> Result<Plan, KernelError> {
    if maps_within_maps(expr) > MAPS_WITHIN_MAPS {
        return Err(KernelError::Unfit(format!(
            "the kernel of a feature map has a feature map with a kernel, and so on, more than {MAPS_WITHIN_MAPS} deep; \
             use fewer maps inside maps"
        )));
    }
    let mut compiler = Compiler {
        table,
        registry,
        learned,
        views: Vec::new(),
        leaves: Vec::new(),
        normalized: Vec::new(),
        resolved: Vec::new(),
    };
    let root = compiler.node(expr, &mut Vec::new())?;
    let expr = expr.with_resolved(&compiler.resolved);
    let views = compiler.views.into_iter().map(|(spec, _)| spec).collect();
    Ok(Plan {
        expr,
        resolved: compiler.resolved,
        root,
        views,
        leaves: compiler.leaves,
        normalized: compiler.normalized,
    })
}

/// How deep maps made from kernels may stand inside each other. Every level is fitted some three times as often as the
/// one around it, so that a deep text would never end.
const MAPS_WITHIN_MAPS: usize = 4;

fn maps_within_maps(expr: &KernelExpr) -> usize {
    let of_map = |map: &MapExpr| match map.call().value("kernel") {
        Some(Value::Kernel(kernel)) => 1 + maps_within_maps(kernel),
        _ => 0,
    };
    match expr {
        KernelExpr::Leaf(_) | KernelExpr::User(_) => 0,
        KernelExpr::Outer(map) => of_map(map),
        KernelExpr::Mapped(child, map) => maps_within_maps(child).max(of_map(map)),
        KernelExpr::Sum(children) | KernelExpr::Product(children) => {
            children.iter().map(maps_within_maps).max().unwrap_or(0)
        }
        KernelExpr::Scale(_, child)
        | KernelExpr::Power(child, _)
        | KernelExpr::Normalize(child)
        | KernelExpr::Exp(child)
        | KernelExpr::On(child, _)
        | KernelExpr::Label(_, child) => maps_within_maps(child),
    }
}

struct Compiler<'a> {
    table: &'a Table,
    registry: &'a Registry,
    /// What the views had learned, where they are not to learn again.
    learned: Option<&'a [ViewState]>,
    /// With the training points as they see them, where there are any.
    views: Vec<(ViewSpec, Option<View>)>,
    leaves: Vec<LeafPlan>,
    normalized: Vec<(Node, String)>,
    resolved: Vec<f64>,
}

impl Compiler<'_> {
    fn node(&mut self, expr: &KernelExpr, changes: &mut Vec<Change>) -> Result<Node, KernelError> {
        Ok(match expr {
            KernelExpr::Leaf(leaf) => self.leaf(leaf, changes)?,
            KernelExpr::User(name) => self.user(name, changes)?,
            KernelExpr::Scale(a, child) => Node::Scale(*a, Box::new(self.node(child, changes)?)),
            KernelExpr::Sum(children) => Node::Sum(self.nodes(children, changes)?),
            KernelExpr::Product(children) => Node::Product(self.nodes(children, changes)?),
            KernelExpr::Power(child, p) => Node::Power(Box::new(self.node(child, changes)?), *p),
            KernelExpr::Exp(child) => Node::Exp(Box::new(self.node(child, changes)?)),
            KernelExpr::Label(_, child) => self.node(child, changes)?,
            KernelExpr::Normalize(child) => {
                let node = self.node(child, changes)?;
                self.normalized.push((node.clone(), expr.to_string()));
                Node::Normalize(Box::new(node), self.normalized.len() - 1)
            }
            KernelExpr::Outer(map) => self.outer(map, changes)?,
            KernelExpr::On(child, columns) => {
                self.changed(child, changes, Change::Columns(columns.clone()))?
            }
            KernelExpr::Mapped(child, map) => self.changed(child, changes, Change::Map(map.clone()))?,
        })
    }

    fn nodes(
        &mut self,
        children: &[KernelExpr],
        changes: &mut Vec<Change>,
    ) -> Result<Vec<Node>, KernelError> {
        children.iter().map(|child| self.node(child, changes)).collect()
    }

    /// A selection or a map around `child` happens to the data before anything inside it.
    fn changed(
        &mut self,
        child: &KernelExpr,
        changes: &mut Vec<Change>,
        change: Change,
    ) -> Result<Node, KernelError> {
        changes.push(change);
        let node = self.node(child, changes);
        changes.pop();
        node
    }

    /// f(x)·f(z) is the inner product after the map.
    fn outer(&mut self, map: &MapExpr, changes: &mut Vec<Change>) -> Result<Node, KernelError> {
        let linear: KernelExpr = "linear".parse().expect("a name of the table");
        self.changed(&linear, changes, Change::Map(map.clone()))
    }

    fn leaf(&mut self, leaf: &Leaf, changes: &[Change]) -> Result<Node, KernelError> {
        let name = leaf.call().signature().name;
        let wanted = match leaf.info().domain {
            Domain::Vectors | Domain::NonNegative => Wanted::Vectors,
            Domain::Texts => Wanted::Texts,
            Domain::Categories => Wanted::Category,
            Domain::Precomputed => Wanted::Indices,
            Domain::Any => Wanted::Keys,
        };
        let call = match leaf.call().word("gamma") {
            None => leaf.call().clone(),
            Some(word) => {
                let view = self.view(name, wanted, changes, None)?;
                let Some(points) = &self.views[view].1 else {
                    let said = format!(
                        "{name}(gamma={word}) is to be worked out on training rows, and there are none"
                    );
                    return Err(KernelError::Unfit(said));
                };
                let gamma = resolve::gamma(word, points);
                self.resolved.push(gamma);
                leaf.call().clone().with("gamma", Value::Number(gamma))
            }
        };
        let built = (leaf.info().build)(&call);
        if let Built::Constant(value) = built {
            return Ok(Node::Constant(value));
        }
        let view = self.view(name, wanted, changes, None)?;
        let foreign = |kernel: Arc<dyn Foreign>| LeafKernel::Foreign(kernel);
        let kernel = match built {
            Built::Vector(kernel) => {
                let lowered = kernel.lower();
                let tile_view = match &lowered.features {
                    None => view,
                    Some(features) => self.view(name, wanted, changes, Some(features.clone()))?,
                };
                LeafKernel::Vector { kernel, lowered, tile_view, name: name.to_owned() }
            }
            Built::Spectrum(kernel) => foreign(Arc::new(OnTexts(kernel))),
            Built::Equality => foreign(Arc::new(Equal)),
            Built::Precomputed => foreign(Arc::new(Stored)),
            Built::Constant(_) => unreachable!("constants have no view"),
        };
        Ok(self.push(view, kernel))
    }

    fn user(&mut self, name: &str, changes: &[Change]) -> Result<Node, KernelError> {
        let kernel = self.registry.find(name).ok_or_else(|| KernelError::NotRegistered(name.to_owned()))?;
        let (wanted, kernel): (_, Arc<dyn Foreign>) = match kernel {
            UserKernel::Vectors(f) => (Wanted::DenseVectors, Arc::new(OnVectors(EachPair(f.clone())))),
            UserKernel::Texts(f) => (Wanted::Texts, Arc::new(OnTexts(EachPair(f.clone())))),
        };
        let view = self.view(name, wanted, changes, None)?;
        Ok(self.push(view, LeafKernel::Foreign(kernel)))
    }

    fn push(&mut self, view: usize, kernel: LeafKernel) -> Node {
        self.leaves.push(LeafPlan { view, kernel });
        Node::Leaf(self.leaves.len() - 1)
    }

    /// The number of a view; leaves on the same columns after the same maps share one.
    fn view(
        &mut self,
        kernel: &str,
        wanted: Wanted,
        changes: &[Change],
        features: Option<Features>,
    ) -> Result<usize, KernelError> {
        let same =
            |spec: &ViewSpec| spec.wanted == wanted && spec.changes == changes && spec.features.is_none();
        if features.is_none()
            && let Some(known) = self.views.iter().position(|(spec, _)| same(spec))
        {
            return Ok(known);
        }
        let made = match self.learned {
            None => {
                let (spec, view) = ViewSpec::fit(kernel, wanted, changes, features, self.table)?;
                (spec, Some(view))
            }
            Some(learned) => {
                let state = learned.get(self.views.len()).ok_or_else(|| {
                    KernelError::Unfit(format!("nothing is stored of what {kernel} learned of its points"))
                })?;
                (ViewSpec::restore(kernel, wanted, changes, features, state)?, None)
            }
        };
        self.views.push(made);
        Ok(self.views.len() - 1)
    }
}

impl KernelExpr {
    /// The same expression with its words turned into these numbers, in the order in which they stand.
    pub(crate) fn with_resolved(&self, numbers: &[f64]) -> KernelExpr {
        let mut left = numbers.iter().copied();
        self.map_leaves(&mut |leaf| match leaf.call().word("gamma").and_then(|_| left.next()) {
            Some(gamma) => {
                Leaf { info: leaf.info(), call: leaf.call().clone().with("gamma", Value::Number(gamma)) }
            }
            None => leaf.clone(),
        })
    }
}
