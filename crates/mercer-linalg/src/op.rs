//! What turns base values into kernel values: short programs over a block.

use crate::Real;
use crate::arch::{Arch, Isa, dispatch};
use crate::dense::exp2;
use crate::real::fused;

/// One elementwise step; [`Op::scalar`] is its definition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Op {
    /// a·v + b.
    Affine(f64, f64),
    /// v^p by repeated squaring.
    Power(u32),
    /// v^p for v > 0.
    RealPower(f64),
    /// e^(a·v).
    Exp(f64),
    /// tanh v.
    Tanh,
    /// √v, with negative v taken as 0.
    Root,
    /// 1 + v + … + v^p.
    Geometric(u32),
    /// (1 + v)·e^(−v): Matérn 3/2 of v = √3·r.
    MaternThree,
    /// (1 + v + v²/3)·e^(−v): Matérn 5/2 of v = √5·r.
    MaternFive,
    /// s + t − 2v, not below 0: a squared distance from an inner product.
    Distance,
    /// v/√(s·t), where s and t are the values of the two points with themselves.
    Cosine,
    /// v/(s + t − v), and 1 where that is 0/0.
    Tanimoto,
}

/// The base values of the block's points with themselves: rows, and columns.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a, T> {
    /// One value a row.
    pub rows: &'a [T],
    /// One value a column.
    pub columns: &'a [T],
}

impl Op {
    /// The definition, in `f64`; `s` and `t` are the base values of the two points with themselves.
    ///
    /// ```
    /// use mercer_linalg::Op;
    /// assert_eq!(Op::Geometric(2).scalar(3.0, 0.0, 0.0), 13.0);
    /// ```
    pub fn scalar(self, v: f64, s: f64, t: f64) -> f64 {
        match self {
            Self::Affine(a, b) => a * v + b,
            Self::Power(p) => (0..p).fold(1.0, |product, _| product * v),
            Self::RealPower(p) => v.powf(p),
            Self::Exp(a) => (a * v).exp(),
            Self::Tanh => v.tanh(),
            Self::Root => v.max(0.0).sqrt(),
            Self::Geometric(p) => (0..p).fold(1.0, |sum, _| sum * v + 1.0),
            Self::MaternThree => (1.0 + v) * (-v).exp(),
            Self::MaternFive => (1.0 + v + v * v / 3.0) * (-v).exp(),
            Self::Distance => (s + t - 2.0 * v).max(0.0),
            // One root where the product allows it, so that a point is exactly like itself.
            Self::Cosine if (s * t).is_normal() => v / (s * t).sqrt(),
            Self::Cosine => v / (s.sqrt() * t.sqrt()),
            Self::Tanimoto if s + t - v == 0.0 => 1.0,
            Self::Tanimoto => v / (s + t - v),
        }
    }

    /// Applies the step to each row of a block in place.
    pub fn apply<T: Real>(
        self,
        isa: Isa,
        block: &mut [T],
        stride: usize,
        columns: usize,
        sides: Sides<'_, T>,
    ) {
        for (row, &s) in block.chunks_exact_mut(stride).zip(sides.rows) {
            row_op(isa, self, &mut row[..columns], s, sides.columns);
        }
    }
}

dispatch! {
    /// a ← a + b, entry by entry.
    pub fn add_into<T: Real>(isa, a: &mut [T], b: &[T]) = add_body
}

#[inline(always)]
fn add_body<T: Real, A: Arch>(a: &mut [T], b: &[T]) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a += b;
    }
}

dispatch! {
    /// a ← a·b, entry by entry.
    pub fn mul_into<T: Real>(isa, a: &mut [T], b: &[T]) = mul_body
}

#[inline(always)]
fn mul_body<T: Real, A: Arch>(a: &mut [T], b: &[T]) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a *= b;
    }
}

/// Each value by an expression: a loop, since a closure need not be compiled for its caller's registers.
macro_rules! each {
    ($row:ident, |$v:ident| $value:expr) => {
        for slot in $row {
            let $v = *slot;
            *slot = $value;
        }
    };
}

dispatch! {
    fn row_op<T: Real>(isa, op: Op, row: &mut [T], s: T, columns: &[T]) = row_body
}

#[inline(always)]
fn row_body<T: Real, A: Arch>(op: Op, row: &mut [T], s: T, columns: &[T]) {
    let log2e = std::f64::consts::LOG2_E;
    match op {
        Op::Affine(a, b) => {
            let (a, b) = (T::of(a), T::of(b));
            each!(row, |v| fused::<T, A>(a, v, b));
        }
        Op::Power(2) => each!(row, |v| v * v),
        Op::Power(3) => each!(row, |v| v * v * v),
        Op::Power(p) => each!(row, |v| power(v, p)),
        Op::RealPower(p) => {
            let p = T::of(p);
            each!(row, |v| exp2::<T, A>(p * log2::<T, A>(v)));
        }
        Op::Exp(a) => {
            let a = T::of(a * log2e);
            each!(row, |v| exp2::<T, A>(a * v));
        }
        // tanh v = 1 − 2/(e^{2v} + 1) loses relative accuracy near 0, where the absolute one is what counts.
        Op::Tanh => each!(row, |v| {
            let e = exp2::<T, A>(T::of(2.0 * log2e) * v);
            T::ONE - T::of(2.0) / (e + T::ONE)
        }),
        Op::Root => each!(row, |v| v.larger(T::ZERO).root()),
        Op::Geometric(p) => each!(row, |v| {
            let mut sum = T::ONE;
            for _ in 0..p {
                sum = fused::<T, A>(sum, v, T::ONE);
            }
            sum
        }),
        Op::MaternThree => each!(row, |v| (T::ONE + v) * exp2::<T, A>(T::of(-log2e) * v)),
        Op::MaternFive => each!(row, |v| {
            let polynomial = fused::<T, A>(fused::<T, A>(v, T::of(1.0 / 3.0), T::ONE), v, T::ONE);
            polynomial * exp2::<T, A>(T::of(-log2e) * v)
        }),
        Op::Distance => {
            for (v, &t) in row.iter_mut().zip(columns) {
                *v = fused::<T, A>(T::of(-2.0), *v, s + t).larger(T::ZERO);
            }
        }
        Op::Cosine => {
            for (v, &t) in row.iter_mut().zip(columns) {
                *v = *v / (s.root() * t.root());
            }
        }
        Op::Tanimoto => {
            for (v, &t) in row.iter_mut().zip(columns) {
                let below = s + t - *v;
                *v = if below == T::ZERO { T::ONE } else { *v / below };
            }
        }
    }
}

#[inline(always)]
fn log2<T: Real, A: Arch>(v: T) -> T {
    if A::FUSED { v.log2_fast::<true>() } else { v.log2_fast::<false>() }
}

#[inline(always)]
fn power<T: Real>(v: T, p: u32) -> T {
    let (mut square, mut product, mut left) = (v, T::ONE, p);
    while left > 0 {
        if left & 1 == 1 {
            product *= square;
        }
        square = square * square;
        left >>= 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_is_its_definition() {
        use Op::*;
        let ops = [
            Affine(0.5, -1.0),
            Power(1),
            Power(2),
            Power(3),
            Power(7),
            RealPower(-1.5),
            Exp(-0.7),
            Tanh,
            Root,
            Geometric(4),
            MaternThree,
            MaternFive,
            Distance,
            Cosine,
            Tanimoto,
        ];
        let values: Vec<f64> = (0..37).map(|i| 0.01 + f64::from(i) * 0.11).collect();
        let columns = vec![4.5; 37];
        for isa in Isa::available() {
            for op in ops {
                let mut block = values.clone();
                op.apply(isa, &mut block, 37, 37, Sides { rows: &[5.0], columns: &columns });
                let mut single: Vec<f32> = values.iter().map(|&v| v as f32).collect();
                let narrow: Vec<f32> = columns.iter().map(|&v| v as f32).collect();
                op.apply(isa, &mut single, 37, 37, Sides { rows: &[5.0], columns: &narrow });
                for ((&v, &double), &single) in values.iter().zip(&block).zip(&single) {
                    let want = op.scalar(v, 5.0, 4.5);
                    assert!(
                        (double - want).abs() <= 2e-15 * want.abs().max(1.0),
                        "{isa:?} {op:?}({v}): {double} {want}"
                    );
                    let want = op.scalar(f64::from(v as f32), 5.0, 4.5);
                    assert!(
                        (f64::from(single) - want).abs() <= 2e-6 * want.abs().max(1.0),
                        "{isa:?} {op:?}({v})"
                    );
                }
            }
        }
    }
}
