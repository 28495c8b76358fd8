//! The two precisions of a kernel entry, and the functions that entries go through.
//!
//! 2^t is computed as 2^k·2^f with k = round(t) and a polynomial for 2^f on [−½, ½] that is 1 at 0
//! (degree 5 in `f32`, 12 in `f64`; about one unit in the last place), all in registers: no table, no branch.

use crate::arch::Arch;

/// Where there are registers of 512 bits, what they do with a precision. No other type is one.
#[cfg(target_arch = "x86_64")]
pub(crate) use crate::wide_pairs::Wide as Lanes;
#[cfg(not(target_arch = "x86_64"))]
pub trait Lanes {}
#[cfg(not(target_arch = "x86_64"))]
impl Lanes for f32 {}
#[cfg(not(target_arch = "x86_64"))]
impl Lanes for f64 {}

/// `f32` or `f64`: a kernel entry.
pub trait Real:
    Copy
    + Send
    + Sync
    + Default
    + PartialOrd
    + std::fmt::Debug
    + bytemuck::Pod
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::AddAssign
    + std::ops::MulAssign
    + Lanes
    + 'static
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// Distance from 1 to the next number, halved: the relative error of one rounding.
    const ROUNDING: f64;

    /// The nearest value to a `f64`.
    fn of(value: f64) -> Self;
    /// The same number in `f64`.
    fn f64(self) -> f64;
    /// a·b + c, in one rounding if `FUSED`.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// The larger of two.
    fn larger(self, other: Self) -> Self;
    /// The smaller of two.
    fn smaller(self, other: Self) -> Self;
    /// |x|.
    fn magnitude(self) -> Self;
    /// √x.
    fn root(self) -> Self;
    /// 2^t, 0 below the normal range, infinite above it.
    fn exp2_fast<const FUSED: bool>(self) -> Self;
    /// 2^t for t ≤ 0, 0 below the normal range: one comparison less.
    fn exp2_falling<const FUSED: bool>(self) -> Self;
    /// log₂ x for normal x > 0.
    fn log2_fast<const FUSED: bool>(self) -> Self;
}

/// a·b + c in one instruction where there is one, in two roundings where there is not.
#[inline(always)]
pub(crate) fn fma<T: Real, const FUSED: bool>(a: T, b: T, c: T) -> T {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
pub(crate) fn fused<T: Real, A: Arch>(a: T, b: T, c: T) -> T {
    if A::FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// A polynomial, highest coefficient first, by Horner's rule.
#[inline(always)]
fn horner<T: Real, const FUSED: bool, const N: usize>(x: T, coefficients: [f64; N]) -> T {
    let mut sum = T::of(coefficients[0]);
    for &c in &coefficients[1..] {
        sum = fma::<T, FUSED>(sum, x, T::of(c));
    }
    sum
}

/// The polynomial of degree 5 with value 1 at 0 that is nearest to 2^f on [−½, ½] in relative terms: 9.1e-8.
pub(crate) const EXP2_F32: [f64; 6] = [
    0.0013264726899040458,
    0.0096715126605601,
    0.05550733744244579,
    0.2402224208491925,
    0.6931469775984711,
    1.0,
];

/// In `f64` the Taylor polynomial of degree 12 is good enough: 1.7e-16.
pub(crate) const EXP2_F64: [f64; 13] = exp2_taylor();

/// Taylor coefficients lnᵏ2/k! for k = N−1 … 0.
const fn exp2_taylor<const N: usize>() -> [f64; N] {
    let mut out = [0.0; N];
    let (mut term, mut k) = (1.0, 0);
    while k < N {
        out[N - 1 - k] = term;
        k += 1;
        term *= std::f64::consts::LN_2 / k as f64;
    }
    out
}

/// Coefficients 2/(2k+1)·log₂e for k = N−1 … 0 of log₂((1+s)/(1−s))/s in powers of s².
const fn log2_series<const N: usize>() -> [f64; N] {
    let mut out = [0.0; N];
    let mut k = 0;
    while k < N {
        out[N - 1 - k] = 2.0 * std::f64::consts::LOG2_E / (2 * k + 1) as f64;
        k += 1;
    }
    out
}

macro_rules! real {
    ($t:ty, $bits:ty, $mantissa:literal, $bias:literal, $low:literal, $high:literal, $exp:expr, $log:literal) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const ROUNDING: f64 = <$t>::EPSILON as f64 / 2.0;

            #[inline(always)]
            fn of(value: f64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                <$t>::mul_add(self, b, c)
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn exp2_fast<const FUSED: bool>(self) -> Self {
                self.smaller($high).exp2_falling::<FUSED>()
            }
            #[inline(always)]
            fn exp2_falling<const FUSED: bool>(self) -> Self {
                // Adding 1.5·2^mantissa rounds to a whole number and leaves it in the low bits.
                const MAGIC: $t = 1.5 * ((1 as $bits) << $mantissa) as $t;
                let t = self.larger($low);
                let shifted = t + MAGIC;
                let f = t - (shifted - MAGIC);
                let p = horner::<$t, FUSED, _>(f, $exp);
                // k + bias in the exponent field; k = −bias gives 0, k = bias + 1 gives infinity.
                let scale = <$t>::from_bits(shifted.to_bits().wrapping_add($bias) << $mantissa);
                p * scale
            }
            #[inline(always)]
            fn log2_fast<const FUSED: bool>(self) -> Self {
                // x = 2^k·m with m in [√½, √2): the exponent of x·√2 is k.
                let bits = self.to_bits();
                let root_half = (std::f64::consts::FRAC_1_SQRT_2 as $t).to_bits();
                let k = (bits.wrapping_sub(root_half) as <$bits as Signed>::Int) >> $mantissa;
                let m = <$t>::from_bits(bits.wrapping_sub((k as $bits) << $mantissa));
                let s = (m - 1.0) / (m + 1.0);
                let p = horner::<$t, FUSED, $log>(s * s, const { log2_series::<$log>() });
                fma::<$t, FUSED>(s, p, k as $t)
            }
        }
    };
}

/// The signed twin of an unsigned integer.
trait Signed {
    type Int;
}
impl Signed for u32 {
    type Int = i32;
}
impl Signed for u64 {
    type Int = i64;
}

real!(f32, u32, 23, 127, -127.0, 128.0, EXP2_F32, 5);
real!(f64, u64, 52, 1023, -1023.0, 1024.0, EXP2_F64, 12);

#[cfg(test)]
mod tests {
    use super::*;

    fn worst<T: Real>(low: f64, high: f64, f: impl Fn(T) -> T, exact: impl Fn(f64) -> f64) -> f64 {
        let steps = 100_003;
        (0..=steps).fold(0.0, |worst, i| {
            let x = T::of(low + (high - low) * i as f64 / steps as f64);
            let want = exact(x.f64());
            f64::max(worst, (f(x).f64() - want).abs() / want.abs().max(1e-30))
        })
    }

    #[test]
    fn exp2_is_good_to_rounding() {
        assert!(worst::<f32>(-126.0, 127.0, |x| x.exp2_fast::<true>(), f64::exp2) < 2.0e-7);
        assert!(worst::<f32>(-126.0, 127.0, |x| x.exp2_fast::<false>(), f64::exp2) < 2.5e-7);
        assert!(worst::<f64>(-60.0, 60.0, |x| x.exp2_fast::<true>(), f64::exp2) < 4e-16);
        assert!(worst::<f64>(-60.0, 60.0, |x| x.exp2_fast::<false>(), f64::exp2) < 5e-16);
    }

    #[test]
    fn exp2_at_its_ends() {
        assert_eq!(0f32.exp2_fast::<true>(), 1.0);
        assert_eq!((-1e30f32).exp2_fast::<true>(), 0.0);
        assert_eq!(1e30f32.exp2_fast::<true>(), f32::INFINITY);
        assert_eq!(0f64.exp2_fast::<true>(), 1.0);
        assert_eq!((-1e300f64).exp2_fast::<true>(), 0.0);
        assert_eq!(1e300f64.exp2_fast::<true>(), f64::INFINITY);
    }

    #[test]
    fn log2_is_good_to_rounding() {
        let relative = |low, high| worst::<f32>(low, high, |x| x.log2_fast::<true>(), f64::log2);
        assert!(relative(1.5, 1e6) < 3e-7);
        assert!(worst::<f64>(1.5, 1e6, |x| x.log2_fast::<true>(), f64::log2) < 1e-15);
        assert!((1.0f64 + 1e-9).log2_fast::<true>() > 0.0);
        assert_eq!(1f32.log2_fast::<true>(), 0.0);
    }
}
