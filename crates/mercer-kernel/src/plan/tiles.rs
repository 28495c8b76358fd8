//! Blocks of kernel entries: the one code through which training and prediction evaluate a kernel.
//!
//! [`Tiles`] decides once, for a pair of collections, how each leaf is computed; leaves that need the inner products
//! of the same points share them. A block is then a walk over the tree with a stack of small buffers that stay in
//! cache. Entry (i,j) has the same bits in every block that contains it, and the same as (j,i).

use std::ops::Range;
use std::sync::Arc;

use mercer_linalg::{
    Base, Finish, Isa, Op, PANEL, Real, RowPack, SPARSE_PANEL, Sides, SparseRows, SparseTable, add_into,
    longest_part, mul_into,
};

use super::packs::{ColumnPack, HasPackings, Pack, Wanted};
use super::route::{FEW, Route, fits, route, sparse_fits};
use super::view::View;
use super::{LeafKernel, Node, Plan, Ready};

/// A precision that tiles are made in: `f32` or `f64`.
pub trait Entry: HasPackings {}
impl Entry for f32 {}
impl Entry for f64 {}

/// Kernel entries between the points of two prepared collections.
#[derive(Debug)]
pub struct Tiles<'a, T: Entry> {
    plan: &'a Plan,
    x: &'a Ready,
    z: &'a Ready,
    isa: Isa,
    steps: Vec<Step<'a, T>>,
    packs: Vec<Pack<'a, T>>,
    /// Points whose inner products `f32` has exactly, in half the time.
    exact: Vec<Pack<'a, f32>>,
    shared: Vec<usize>,
    sparse: bool,
    dim: usize,
    wide: Option<Box<Tiles<'a, f64>>>,
}

/// How one leaf is computed.
#[derive(Debug)]
enum Step<'a, T> {
    /// A base of its own, finished in registers as far as possible, then the remaining steps.
    Dense { pack: usize, base: Base, finish: Finish, rest: Vec<Op> },
    /// The shared inner products, then all steps.
    Shared { slot: usize, pack: usize, ops: Vec<Op> },
    /// Inner products in `f32` that are exact, then all steps.
    Exact { pack: usize, ops: Vec<Op> },
    /// Sparse rows.
    Sparse {
        x: &'a SparseRows<T>,
        z: &'a SparseRows<T>,
        sums: (Arc<Vec<T>>, Arc<Vec<T>>),
        base: Base,
        finish: Finish,
        rest: Vec<Op>,
    },
    /// Another kind of points.
    Foreign,
}

/// What a thread packs, and computes, of columns whose inner products are exact.
#[derive(Debug, Default)]
struct Exact {
    columns: ColumnPack<f32>,
    block: Vec<f32>,
}

/// Rows of blocks, packed: many threads may use them.
#[derive(Debug)]
pub struct Chosen<T: Entry> {
    rows: Vec<usize>,
    is_sorted: bool,
    packs: Vec<RowPack<T>>,
    exact: Vec<RowPack<f32>>,
    sums: Vec<Vec<T>>,
    wide: Option<Arc<Chosen<f64>>>,
}

impl<T: Entry> Default for Chosen<T> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            is_sorted: true,
            packs: Vec::new(),
            exact: Vec::new(),
            sums: Vec::new(),
            wide: None,
        }
    }
}

/// The memory of one thread, used again for every block.
#[derive(Debug)]
pub struct Scratch<T: Entry> {
    chosen: Arc<Chosen<T>>,
    columns: Range<usize>,
    columns_of: Vec<ColumnPack<T>>,
    exact: Vec<Exact>,
    shared: Vec<Vec<T>>,
    buffers: Vec<Vec<T>>,
    foreign: Vec<f64>,
    sides: (Vec<T>, Vec<T>),
    table: Option<SparseTable<T>>,
    wide: Option<Box<Scratch<f64>>>,
}

impl<'a, T: Entry> Tiles<'a, T> {
    /// Decides how every leaf is computed between these collections, on the best instruction set there is.
    pub fn new(plan: &'a Plan, x: &'a Ready, z: &'a Ready) -> Self {
        Self::on(Isa::detect(), plan, x, z)
    }

    /// The same on a given instruction set.
    pub fn on(isa: Isa, plan: &'a Plan, x: &'a Ready, z: &'a Ready) -> Self {
        let mut tiles = Self {
            plan,
            x,
            z,
            isa,
            steps: Vec::new(),
            packs: Vec::new(),
            exact: Vec::new(),
            shared: Vec::new(),
            sparse: false,
            dim: 0,
            wide: None,
        };
        let mut wide = size_of::<T>() == 4 && (x.is_extreme || z.is_extreme);
        for leaf in 0..plan.leaves.len() {
            match tiles.step(leaf) {
                Some(step) => tiles.steps.push(step),
                None => wide = true,
            }
        }
        if wide {
            // Rare, and then every leaf is wanted in f64 anyway.
            let inner = Tiles::<f64>::on(isa, plan, x, z);
            (tiles.sparse, tiles.dim) = (inner.sparse, inner.dim);
            tiles.wide = Some(Box::new(inner));
        } else {
            tiles.share();
        }
        tiles
    }

    fn step(&mut self, leaf: usize) -> Option<Step<'a, T>> {
        let LeafKernel::Vector { lowered, tile_view, .. } = &self.plan.leaves[leaf].kernel else {
            return Some(Step::Foreign);
        };
        let (x, z) = (self.x.ready_view(*tile_view), self.z.ready_view(*tile_view));
        if !fits::<T>(x, z, lowered) {
            return None;
        }
        let ops = lowered.ops.as_slice();
        let falling = match ops.first() {
            Some(Op::Exp(a)) if *a < 0.0 => Some(-a),
            _ => None,
        };
        if let (View::Sparse(points), View::Sparse(others)) = (&x.view, &z.view) {
            self.sparse = true;
            self.dim = self.dim.max(points.dim()).max(others.dim());
            let gemm = lowered.is_distance();
            if gemm && !sparse_fits::<T>(x, z, lowered.steepness) {
                return None;
            }
            let base = if gemm { Base::Dot } else { lowered.base };
            let (finish, rest) = match (gemm, falling) {
                (true, Some(gamma)) => (Finish::DistanceExp(gamma), &ops[1..]),
                (true, None) => (Finish::Distance, ops),
                (false, Some(gamma)) => (Finish::Exp(gamma), &ops[1..]),
                (false, None) => (Finish::Plain, ops),
            };
            let sums = (x.sparse_sums::<T>(base), z.sparse_sums::<T>(base));
            return Some(Step::Sparse {
                x: x.sparse_rows(),
                z: z.sparse_rows(),
                sums,
                base,
                finish,
                rest: rest.to_vec(),
            });
        }
        let View::Dense(points) = &x.view else { unreachable!("vector kernels see vectors of one form") };
        let is_exact = size_of::<T>() == 8 && x.exact && z.exact && points.dim() > FEW;
        if is_exact && (lowered.is_distance() && lowered.steepness.is_finite() || lowered.base == Base::Dot) {
            let distance = lowered.is_distance().then_some(Op::Distance);
            self.exact.push(Pack::new(self.x, self.z, *tile_view, false));
            let ops = distance.into_iter().chain(ops.iter().copied()).collect();
            return Some(Step::Exact { pack: self.exact.len() - 1, ops });
        }
        let all = longest_part::<T>();
        let (base, centered, longest) = if lowered.is_distance() {
            match route::<T>(x, z, points.dim(), lowered, self.wants_dot(*tile_view)) {
                Route::Products { centered, longest } => (Base::Dot, centered, longest),
                Route::Direct => (Base::SquaredDistance, true, all),
                Route::Wider => return None,
            }
        } else {
            (lowered.base, lowered.base == Base::Manhattan, all)
        };
        let finish = match (lowered.is_distance() && base == Base::Dot, falling) {
            (true, Some(gamma)) => Finish::DistanceExp(gamma),
            (true, None) => Finish::Distance,
            (false, Some(gamma)) if base.fuses(Finish::Exp(gamma)) => Finish::Exp(gamma),
            (false, _) => Finish::Plain,
        };
        let rest = match finish {
            Finish::Exp(_) | Finish::DistanceExp(_) => &ops[1..],
            Finish::Plain | Finish::Distance => ops,
        };
        let pack = self.pack(*tile_view, centered, longest);
        Some(Step::Dense { pack, base, finish, rest: rest.to_vec() })
    }

    /// Whether some leaf is a function of the inner product on this view.
    fn wants_dot(&self, view: usize) -> bool {
        self.plan.leaves.iter().any(|leaf| match &leaf.kernel {
            LeafKernel::Vector { lowered, tile_view, .. } => *tile_view == view && lowered.base == Base::Dot,
            LeafKernel::Foreign(_) => false,
        })
    }

    /// The points in one form, whose sums are made in parts that are short enough for every leaf that sees them.
    fn pack(&mut self, view: usize, centered: bool, longest: usize) -> usize {
        let known = self.packs.iter().position(|pack| pack.view == view && pack.centered == centered);
        let at = known.unwrap_or_else(|| {
            self.packs.push(Pack::new(self.x, self.z, view, centered));
            self.packs.len() - 1
        });
        let pack = &mut self.packs[at];
        pack.longest = pack.longest.min(longest);
        at
    }

    /// Leaves that want inner products of the same packed points share them.
    fn share(&mut self) {
        let dots = |pack: usize, steps: &[Step<'_, T>]| {
            let wants = |step: &&Step<'_, T>| matches!(step, Step::Dense { pack: p, base: Base::Dot, .. } if *p == pack);
            steps.iter().filter(wants).count()
        };
        for pack in (0..self.packs.len()).filter(|&pack| dots(pack, &self.steps) > 1).collect::<Vec<_>>() {
            let slot = self.shared.len();
            self.shared.push(pack);
            for step in &mut self.steps {
                let Step::Dense { pack: p, base: Base::Dot, finish, rest } = step else { continue };
                if *p == pack {
                    let mut ops = match finish {
                        Finish::Plain => vec![],
                        Finish::Distance => vec![Op::Distance],
                        Finish::DistanceExp(gamma) | Finish::Exp(gamma) => {
                            vec![Op::Distance, Op::Exp(-*gamma)]
                        }
                    };
                    ops.append(rest);
                    *step = Step::Shared { slot, pack, ops };
                }
            }
        }
    }

    /// How many row points there are.
    pub fn rows(&self) -> usize {
        self.x.len()
    }

    /// How many column points there are.
    pub fn columns(&self) -> usize {
        self.z.len()
    }

    /// Whether rows and columns are the same points, so that the matrix is symmetric.
    pub fn is_symmetric(&self) -> bool {
        self.x.is_same(self.z)
    }

    /// Rows and columns of a block that suits the caches.
    pub fn shape(&self) -> (usize, usize) {
        if self.sparse {
            return (1024, self.stride());
        }
        let heights = self.packs.iter().map(Pack::height).chain(self.exact.iter().map(Pack::height));
        (heights.min().unwrap_or(48), self.stride())
    }

    /// Whether rows are gone through by what they store.
    pub fn is_sparse(&self) -> bool {
        self.sparse
    }

    /// How many coordinates are gone through for an entry; none where that is not known.
    pub fn coordinates(&self) -> usize {
        if self.steps.iter().any(|step| matches!(step, Step::Foreign)) {
            return 0;
        }
        let own = self.packs.iter().map(Pack::dim).chain(self.exact.iter().map(Pack::dim)).sum();
        self.wide.as_ref().map_or(own, |wide| wide.coordinates())
    }

    /// Whether all of them may be gone through in registers of 512 bits.
    pub fn is_wide(&self) -> bool {
        self.wide.is_none()
            && self.steps.iter().all(|step| match step {
                Step::Dense { base, .. } => base.is_wide(self.isa),
                Step::Shared { .. } | Step::Exact { .. } => Base::Dot.is_wide(self.isa),
                Step::Sparse { .. } | Step::Foreign => false,
            })
    }

    /// Whether every entry is computed in this precision, and by tiles.
    pub fn is_pure(&self) -> bool {
        self.wide.is_none() && !self.steps.iter().any(|step| matches!(step, Step::Foreign))
    }

    /// Memory for one thread.
    pub fn scratch(&self) -> Scratch<T> {
        Scratch {
            chosen: Arc::default(),
            columns: 0..0,
            columns_of: self.packs.iter().map(|_| ColumnPack::default()).collect(),
            exact: self.exact.iter().map(|_| Exact::default()).collect(),
            shared: vec![Vec::new(); self.shared.len()],
            buffers: Vec::new(),
            foreign: Vec::new(),
            sides: (Vec::new(), Vec::new()),
            table: self.sparse.then(|| SparseTable::new(self.dim)),
            wide: self.wide.as_ref().map(|wide| Box::new(wide.scratch())),
        }
    }

    /// Chooses the rows of the blocks that follow: at most as many as [`shape`](Tiles::shape) says, in any order.
    pub fn choose_rows(&self, scratch: &mut Scratch<T>, rows: &[usize]) {
        // Rows that others use too stay theirs.
        if Arc::get_mut(&mut scratch.chosen).is_none() {
            scratch.chosen = Arc::default();
        }
        let chosen = Arc::get_mut(&mut scratch.chosen).expect("nobody else has it");
        self.prepare(chosen, rows);
        if let (Some(inner), Some(wide)) = (&mut scratch.wide, &chosen.wide) {
            inner.chosen = wide.clone();
        }
    }

    /// Rows for [`choose`](Tiles::choose), packed once for many blocks of many threads.
    pub fn packed_rows(&self, rows: &[usize]) -> Arc<Chosen<T>> {
        let mut chosen = Chosen::default();
        self.prepare(&mut chosen, rows);
        Arc::new(chosen)
    }

    /// Chooses rows that are packed already.
    pub fn choose(&self, scratch: &mut Scratch<T>, chosen: &Arc<Chosen<T>>) {
        scratch.chosen = chosen.clone();
        if let (Some(inner), Some(wide)) = (&mut scratch.wide, &chosen.wide) {
            inner.chosen = wide.clone();
        }
    }

    fn prepare(&self, chosen: &mut Chosen<T>, rows: &[usize]) {
        chosen.rows.clear();
        chosen.rows.extend_from_slice(rows);
        chosen.is_sorted = rows.is_sorted();
        if let Some(wide) = &self.wide {
            chosen.wide = Some(wide.packed_rows(rows));
            return;
        }
        chosen.packs.resize_with(self.packs.len(), RowPack::default);
        for (pack, packed) in self.packs.iter().zip(&mut chosen.packs) {
            pack.choose_rows(rows, packed);
        }
        chosen.exact.resize_with(self.exact.len(), RowPack::default);
        for (pack, packed) in self.exact.iter().zip(&mut chosen.exact) {
            pack.choose_rows(rows, packed);
        }
        chosen.sums.resize_with(self.steps.len(), Vec::new);
        for (step, sums) in self.steps.iter().zip(&mut chosen.sums) {
            if let Step::Sparse { sums: (x, _), .. } = step {
                sums.clear();
                sums.extend(rows.iter().map(|&row| x[row]));
            }
        }
    }

    /// Values from one row of a block to the next in [`Tiles::block`]'s answer.
    pub fn stride(&self) -> usize {
        if self.sparse { SPARSE_PANEL } else { 128 }
    }

    /// Computes the block of the chosen rows and these columns, at most as many as [`shape`](Tiles::shape) says,
    /// starting at a multiple of 16. Row r of it starts at r·[`stride`](Tiles::stride).
    pub fn block<'s>(&self, scratch: &'s mut Scratch<T>, columns: Range<usize>) -> &'s [T] {
        debug_assert!(columns.start.is_multiple_of(PANEL) && columns.len() <= self.stride());
        let size = scratch.chosen.rows.len().next_multiple_of(6) * self.stride();
        if let (Some(wide), Some(inner)) = (&self.wide, &mut scratch.wide) {
            let entries = wide.block(inner, columns);
            let out = buffer(&mut scratch.buffers, 0, size);
            out.iter_mut().zip(entries).for_each(|(slot, &entry)| *slot = T::of(entry));
            return out;
        }
        scratch.columns = columns;
        for (slot, &pack) in self.shared.iter().enumerate() {
            scratch.shared[slot].resize(size, T::ZERO);
            let wanted = self.wanted(Base::Dot, Finish::Plain, scratch.columns.clone());
            let (x, space) = (&scratch.chosen.packs[pack], &mut scratch.columns_of[pack]);
            self.packs[pack].block(wanted, x, space, &mut scratch.shared[slot]);
        }
        self.node(&self.plan.root, scratch, 0, size);
        if self.is_symmetric() {
            let (stride, columns) = (self.stride(), scratch.columns.clone());
            let chosen = &scratch.chosen;
            // Rows in their order are found without a look at all of them.
            let among = match chosen.is_sorted {
                true => {
                    chosen.rows.partition_point(|&row| row < columns.start)
                        ..chosen.rows.partition_point(|&row| row < columns.end)
                }
                false => 0..chosen.rows.len(),
            };
            for (at, &row) in among.clone().zip(&chosen.rows[among]).filter(|(_, row)| columns.contains(row))
            {
                scratch.buffers[0][at * stride + row - columns.start] = T::of(self.x.diagonal()[row]);
            }
        }
        &scratch.buffers[0]
    }

    /// Leaves the value of a node in buffer `depth`; deeper buffers are free for its children.
    fn node(&self, node: &Node, scratch: &mut Scratch<T>, depth: usize, size: usize) {
        buffer(&mut scratch.buffers, depth, size);
        match node {
            Node::Leaf(leaf) => self.leaf(*leaf, scratch, depth),
            Node::Constant(value) => scratch.buffers[depth].fill(T::of(*value)),
            Node::Scale(a, child) => self.then(child, Op::Affine(*a, 0.0), scratch, depth, size),
            Node::Power(child, p) => self.then(child, Op::Power(*p), scratch, depth, size),
            Node::Exp(child) => self.then(child, Op::Exp(1.0), scratch, depth, size),
            Node::Sum(children) => self.fold(children, add_into, scratch, depth, size),
            Node::Product(children) => self.fold(children, mul_into, scratch, depth, size),
            Node::Normalize(child, number) => {
                self.node(child, scratch, depth, size);
                let (x, z) = (self.x.normalizer(*number), self.z.normalizer(*number));
                let rows: Vec<T> = scratch.chosen.rows.iter().map(|&row| T::of(x[row])).collect();
                let columns: Vec<T> = z[scratch.columns.clone()].iter().map(|&v| T::of(v)).collect();
                let sides = Sides { rows: &rows, columns: &columns };
                Op::Cosine.apply(self.isa, &mut scratch.buffers[depth], self.stride(), columns.len(), sides);
            }
        }
    }

    fn then(&self, child: &Node, op: Op, scratch: &mut Scratch<T>, depth: usize, size: usize) {
        self.node(child, scratch, depth, size);
        self.apply(&[op], scratch, depth);
    }

    fn fold(
        &self,
        children: &[Node],
        join: fn(Isa, &mut [T], &[T]),
        scratch: &mut Scratch<T>,
        depth: usize,
        size: usize,
    ) {
        for (number, child) in children.iter().enumerate() {
            self.node(child, scratch, depth + usize::from(number > 0), size);
            if number > 0 {
                let (sum, term) = scratch.buffers.split_at_mut(depth + 1);
                join(self.isa, &mut sum[depth], &term[0]);
            }
        }
    }

    /// Steps that do not look at the points.
    fn apply(&self, ops: &[Op], scratch: &mut Scratch<T>, depth: usize) {
        let (rows, columns) = (&mut scratch.sides.0, &mut scratch.sides.1);
        rows.resize(scratch.chosen.rows.len(), T::ZERO);
        columns.resize(scratch.columns.len(), T::ZERO);
        for op in ops {
            let sides = Sides { rows, columns };
            op.apply(self.isa, &mut scratch.buffers[depth], self.stride(), scratch.columns.len(), sides);
        }
    }

    fn wanted(&self, base: Base, finish: Finish, columns: Range<usize>) -> Wanted {
        Wanted { isa: self.isa, base, finish, columns, stride: self.stride() }
    }

    fn leaf(&self, leaf: usize, scratch: &mut Scratch<T>, depth: usize) {
        let (stride, columns) = (self.stride(), scratch.columns.clone());
        let out = &mut scratch.buffers[depth];
        match &self.steps[leaf] {
            Step::Dense { pack, base, finish, rest } => {
                let (x, space) = (&scratch.chosen.packs[*pack], &mut scratch.columns_of[*pack]);
                self.packs[*pack].block(self.wanted(*base, *finish, columns.clone()), x, space, out);
                let sides = Sides {
                    rows: &x.squares()[..scratch.chosen.rows.len()],
                    columns: self.packs[*pack].column_squares(columns.clone(), space),
                };
                rest.iter().for_each(|op| op.apply(self.isa, out, stride, columns.len(), sides));
            }
            Step::Shared { slot, pack, ops } => {
                out.copy_from_slice(&scratch.shared[*slot]);
                let (x, space) = (&scratch.chosen.packs[*pack], &scratch.columns_of[*pack]);
                let sides = Sides {
                    rows: &x.squares()[..scratch.chosen.rows.len()],
                    columns: self.packs[*pack].column_squares(columns.clone(), space),
                };
                ops.iter().for_each(|op| op.apply(self.isa, out, stride, columns.len(), sides));
            }
            Step::Exact { pack, ops } => {
                let (rows, Exact { columns: space, block }) =
                    (&scratch.chosen.exact[*pack], &mut scratch.exact[*pack]);
                block.resize(out.len(), 0.0);
                let wanted = self.wanted(Base::Dot, Finish::Plain, columns.clone());
                self.exact[*pack].block(wanted, rows, space, block);
                out.iter_mut().zip(&*block).for_each(|(slot, &entry)| *slot = T::of(entry.into()));
                let widen = |from: &[f32], to: &mut Vec<T>| {
                    to.clear();
                    to.extend(from.iter().map(|&square| T::of(square.into())));
                };
                let (row_squares, column_squares) = (&mut scratch.sides.0, &mut scratch.sides.1);
                widen(&rows.squares()[..scratch.chosen.rows.len()], row_squares);
                widen(self.exact[*pack].column_squares(columns.clone(), space), column_squares);
                let sides = Sides { rows: row_squares, columns: column_squares };
                ops.iter().for_each(|op| op.apply(self.isa, out, stride, columns.len(), sides));
            }
            Step::Sparse { x, z, sums, base, finish, rest } => {
                let sides = Sides { rows: &scratch.chosen.sums[leaf], columns: &sums.1[columns.clone()] };
                let table = scratch.table.as_mut().expect("sparse tiles have a table");
                table.block(
                    self.isa,
                    *base,
                    (x, &scratch.chosen.rows),
                    (z, columns.clone()),
                    sides,
                    *finish,
                    out,
                    stride,
                );
                rest.iter().for_each(|op| op.apply(self.isa, out, stride, columns.len(), sides));
            }
            Step::Foreign => {
                let LeafKernel::Foreign(kernel) = &self.plan.leaves[leaf].kernel else {
                    unreachable!("the step of a foreign leaf")
                };
                scratch.foreign.resize(out.len(), 0.0);
                let (x, z) =
                    ((self.x.foreign(leaf), scratch.chosen.rows.as_slice()), (self.z.foreign(leaf), columns));
                kernel.tile(x, z, &mut scratch.foreign, stride);
                out.iter_mut().zip(&scratch.foreign).for_each(|(slot, &entry)| *slot = T::of(entry));
            }
        }
    }
}

fn buffer<T: Real>(buffers: &mut Vec<Vec<T>>, depth: usize, size: usize) -> &mut Vec<T> {
    if buffers.len() <= depth {
        buffers.resize(depth + 1, Vec::new());
    }
    buffers[depth].resize(size, T::ZERO);
    &mut buffers[depth]
}
