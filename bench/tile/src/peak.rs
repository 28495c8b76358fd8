//! The machine's peak: multiply-adds on registers, with nothing to load or store.

use std::hint::black_box;
use std::time::Instant;

/// Independent sums: two units of latency four need eight, and sixteen registers hold no more than twelve
/// beside the operands.
const SUMS: usize = 12;
/// `f32` lanes of registers of 256 bits.
const LANES: usize = 8;
/// Steps of one call.
const STEPS: usize = 1 << 18;
/// Calls of [`run`] whose best is the peak.
const CALLS: usize = 50;

/// `f32` lanes of the widest registers that Mercer's own tile uses.
fn lanes() -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        return 2 * LANES;
    }
    LANES
}

/// Floating-point operations of one call of [`run`].
pub(crate) fn flop() -> f64 {
    (2 * SUMS * lanes() * STEPS) as f64
}

/// Operations a second, by so many threads at once.
pub(crate) fn measured(threads: usize) -> f64 {
    let turn = || {
        let start = Instant::now();
        drop(rayon::broadcast(|_| run()));
        threads as f64 * flop() / start.elapsed().as_secs_f64()
    };
    (0..CALLS).map(|_| turn()).fold(0.0, f64::max)
}

/// Multiply-adds with AVX-512 or AVX2 where the machine has it, as Mercer's own tile does.
pub(crate) fn run() {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the feature that the function is compiled for was found just now.
        #[allow(unsafe_code)]
        return unsafe { avx512() };
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the two features that the function is compiled for were found just now.
        #[allow(unsafe_code)]
        return unsafe { avx2() };
    }
    chains::<{ cfg!(target_arch = "aarch64") }>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512() {
    use std::arch::x86_64::{_mm512_fmadd_ps, _mm512_set1_ps};
    // By hand: of arrays of sixteen the compiler makes single numbers.
    let (factor, term) = (_mm512_set1_ps(black_box(0.999)), _mm512_set1_ps(black_box(0.001)));
    let mut sums = [_mm512_set1_ps(black_box(1.0)); SUMS];
    for _ in 0..STEPS {
        sums.iter_mut().for_each(|sum| *sum = _mm512_fmadd_ps(*sum, factor, term));
    }
    black_box(sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2() {
    chains::<true>();
}

#[inline(always)]
fn chains<const FUSED: bool>() {
    let (factor, term) = (black_box([0.999_f32; LANES]), black_box([0.001_f32; LANES]));
    let mut sums: [[f32; LANES]; SUMS] = black_box([[1.0; LANES]; SUMS]);
    for _ in 0..STEPS {
        for sum in &mut sums {
            for lane in 0..LANES {
                let (a, b) = (factor[lane], term[lane]);
                sum[lane] = if FUSED { sum[lane].mul_add(a, b) } else { sum[lane] * a + b };
            }
        }
    }
    black_box(sums);
}
