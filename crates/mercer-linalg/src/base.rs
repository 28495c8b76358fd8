//! What is accumulated over the coordinates of two points.

use crate::Real;
use crate::arch::Arch;
use crate::real::fused;

/// A sum or product over coordinates; kernels on vectors are functions of one of these (`docs/maths.md` §1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Base {
    /// ⟨x,z⟩ = Σ x·z.
    Dot,
    /// ‖x−z‖² = Σ (x−z)².
    SquaredDistance,
    /// ‖x−z‖₁ = Σ |x−z|.
    Manhattan,
    /// The number of coordinates that differ.
    Hamming,
    /// Σ min(x,z).
    Minimum,
    /// Σ (x−z)²/(x+z), with 0/0 = 0.
    ChiSquared,
    /// Σ 2xz/(x+z), with 0/0 = 0.
    Harmonic,
    /// Π (1 + x·z).
    Subsets,
    /// Σ over monomials of degree at most p of x^J·z^J.
    Monomials(u8),
}

/// The largest degree of [`Base::Monomials`].
pub(crate) const MONOMIAL_DEGREE: usize = 32;

impl Base {
    /// The definition, in `f64`.
    ///
    /// ```
    /// use mercer_linalg::Base;
    /// assert_eq!(Base::SquaredDistance.pair(&[1.0, 2.0], &[4.0, 6.0]), 25.0);
    /// assert_eq!(Base::Monomials(2).pair(&[2.0], &[1.0]), 7.0);
    /// ```
    pub fn pair(self, x: &[f64], z: &[f64]) -> f64 {
        let both = x.iter().copied().zip(z.iter().copied());
        match self {
            Self::Dot => both.map(|(a, b)| a * b).sum(),
            Self::SquaredDistance => both.map(|(a, b)| (a - b) * (a - b)).sum(),
            Self::Manhattan => both.map(|(a, b)| (a - b).abs()).sum(),
            Self::Hamming => both.filter(|(a, b)| a != b).count() as f64,
            Self::Minimum => both.map(|(a, b)| a.min(b)).sum(),
            Self::ChiSquared => {
                both.map(|(a, b)| if a + b > 0.0 { (a - b) * (a - b) / (a + b) } else { 0.0 }).sum()
            }
            Self::Harmonic => both.map(|(a, b)| if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 }).sum(),
            Self::Subsets => both.map(|(a, b)| 1.0 + a * b).product(),
            Self::Monomials(degree) => {
                let mut h = [0.0; MONOMIAL_DEGREE + 1];
                h[0] = 1.0;
                for (a, b) in both {
                    (1..=usize::from(degree)).for_each(|r| h[r] += a * b * h[r - 1]);
                }
                h[..=usize::from(degree)].iter().sum()
            }
        }
    }
}

/// One coordinate's step, statically known inside a tile. `step(acc, v, 0)` of the sparse form is covered by
/// [`Step::ZERO_IS_NEUTRAL`]: where it is false, [`Step::against_zero`] is what a zero would have added.
pub(crate) trait Step<T: Real> {
    const START: T;
    /// Whether a coordinate where one point is zero leaves the accumulator as it is.
    const ZERO_IS_NEUTRAL: bool;

    fn step<A: Arch>(acc: T, x: T, z: T) -> T;
    /// What coordinate value `x` adds against a zero.
    fn against_zero(x: T) -> T;
    /// Joins the accumulators of two ranges of coordinates.
    #[inline(always)]
    fn join(a: T, b: T) -> T {
        a + b
    }
}

macro_rules! step {
    ($name:ident, $start:expr, $neutral:literal, |$acc:ident, $x:ident, $z:ident| $body:expr, |$v:ident| $zero:expr $(, join |$a:ident, $b:ident| $join:expr)?) => {
        pub(crate) struct $name;
        impl<T: Real> Step<T> for $name {
            const START: T = $start;
            const ZERO_IS_NEUTRAL: bool = $neutral;
            #[inline(always)]
            fn step<A: Arch>($acc: T, $x: T, $z: T) -> T {
                $body
            }
            #[inline(always)]
            fn against_zero($v: T) -> T {
                $zero
            }
            $(#[inline(always)]
            fn join($a: T, $b: T) -> T {
                $join
            })?
        }
    };
}

step!(Dot, T::ZERO, true, |acc, x, z| fused::<T, A>(x, z, acc), |_x| T::ZERO);
step!(
    Squared,
    T::ZERO,
    false,
    |acc, x, z| {
        let d = x - z;
        fused::<T, A>(d, d, acc)
    },
    |x| x * x
);
step!(Manhattan, T::ZERO, false, |acc, x, z| acc + (x - z).magnitude(), |x| x.magnitude());
step!(
    Hamming,
    T::ZERO,
    false,
    |acc, x, z| acc + if x != z { T::ONE } else { T::ZERO },
    |x| if x != T::ZERO { T::ONE } else { T::ZERO }
);
step!(Minimum, T::ZERO, true, |acc, x, z| acc + x.smaller(z), |_x| T::ZERO);
step!(
    ChiSquared,
    T::ZERO,
    false,
    |acc, x, z| {
        let (d, s) = (x - z, x + z);
        let q = d * (d / s); // exactly x against a zero, so that sparse and swapped points agree to the bit
        acc + if s > T::ZERO { q } else { T::ZERO }
    },
    |x| x
);
step!(
    Harmonic,
    T::ZERO,
    true,
    |acc, x, z| {
        let s = x + z;
        let q = (x + x) * z / s;
        acc + if s > T::ZERO { q } else { T::ZERO }
    },
    |_x| T::ZERO
);
step!(Subsets, T::ONE, true, |acc, x, z| acc * fused::<T, A>(x, z, T::ONE), |_x| T::ONE, join | a, b | a * b);
