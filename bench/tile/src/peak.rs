//! The machine's peak: multiply-adds on registers, with nothing to load or store.

use std::hint::black_box;

/// Independent sums: two units of latency four need eight, and sixteen registers hold no more than twelve
/// beside the operands.
const SUMS: usize = 12;
/// `f32` lanes of a register.
const LANES: usize = 8;
/// Steps of one call.
const STEPS: usize = 1 << 18;

/// Floating-point operations of one call of [`run`].
pub(crate) const FLOP: f64 = (2 * SUMS * LANES * STEPS) as f64;

/// Multiply-adds with AVX2 where the machine has it, as Mercer's own tile does.
pub(crate) fn run() {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the two features that the function is compiled for were found just now.
        #[allow(unsafe_code)]
        return unsafe { avx2() };
    }
    chains::<{ cfg!(target_arch = "aarch64") }>();
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
