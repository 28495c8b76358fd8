//! Exact counting of features, and how a huge count is written.

use num_bigint::BigUint;

/// The binomial coefficient C(n, k).
pub(super) fn binomial(n: u64, k: u64) -> BigUint {
    if k > n {
        return BigUint::ZERO;
    }
    // Each quotient is exact: after step i the product is C(n-k+i, i).
    let k = k.min(n - k);
    (1..=k).fold(BigUint::from(1u32), |product, i| product * (n - k + i) / i)
}

/// All digits where there are at most 30, else a power of ten: 2^10000 needs no page.
pub(super) fn in_words(count: &BigUint) -> String {
    if count.bits() <= 100 {
        return count.to_string();
    }
    let shift = count.bits() - 53;
    let top = (count >> shift).iter_u64_digits().next().unwrap_or(1) as f64;
    let log10 = top.log10() + shift as f64 * std::f64::consts::LOG10_2;
    format!("about 10^{log10:.0}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials_are_those_of_pascals_triangle() {
        for n in 0..40u64 {
            for k in 0..n {
                assert_eq!(binomial(n + 1, k + 1), binomial(n, k) + binomial(n, k + 1));
            }
            assert_eq!(binomial(n, 0), BigUint::from(1u32));
            assert_eq!(binomial(n, n + 1), BigUint::ZERO);
        }
    }

    #[test]
    fn huge_counts_are_rounded_to_a_power_of_ten() {
        assert_eq!(in_words(&BigUint::from(314_457_495u64)), "314457495");
        assert_eq!(in_words(&BigUint::from(10u32).pow(40)), "about 10^40");
        assert_eq!(in_words(&(BigUint::from(1u32) << 10_000)), "about 10^3010");
    }
}
