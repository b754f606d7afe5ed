//! The few elementary functions the chains need, the same bits on every platform.
//!
//! The standard library's `exp` and `ln` are the platform's and may differ in the last bit, which
//! would break the promise that a replicate is a pure function of its address. Logarithms come
//! from the pure-Rust `libm`; the exponential, the one on the hot path, is our own so that the
//! compiler can vectorise it.

pub(crate) use libm::{lgamma as ln_gamma, log as ln};

/// `ln(exp(a) + exp(b))` without overflow.
pub(crate) fn ln_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY {
        return high;
    }
    high + libm::log1p(libm::exp(low - high))
}

/// Below this `exp` is returned as zero; `exp(-708)` is about 3e-308, the last normal numbers.
const LOWEST: f64 = -708.0;

/// `exp(x)` for `x <= 0` (and small positive x), relative error below 5e-16; 0 below -708.
///
/// Cody-Waite reduction `x = k ln 2 + r`, `|r| <= ln(2)/2`, then the Taylor polynomial of degree
/// 13 in Estrin's form.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    const LOG2_E: f64 = std::f64::consts::LOG2_E;
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let clamped = if x > LOWEST { x } else { LOWEST };
    let shifted = clamped * LOG2_E + ROUNDER;
    let k = shifted - ROUNDER;
    let r = (clamped - k * LN2_HIGH) - k * LN2_LOW;
    let r2 = r * r;
    let r4 = r2 * r2;
    let r8 = r4 * r4;
    let p01 = 1.0 + r;
    let p23 = 1.0 / 2.0 + r * (1.0 / 6.0);
    let p45 = 1.0 / 24.0 + r * (1.0 / 120.0);
    let p67 = 1.0 / 720.0 + r * (1.0 / 5_040.0);
    let p89 = 1.0 / 40_320.0 + r * (1.0 / 362_880.0);
    let pab = 1.0 / 3_628_800.0 + r * (1.0 / 39_916_800.0);
    let pcd = 1.0 / 479_001_600.0 + r * (1.0 / 6_227_020_800.0);
    let polynomial = (p01 + r2 * p23) + r4 * (p45 + r2 * p67) + r8 * ((p89 + r2 * pab) + r4 * pcd);
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    // All ones where x is in range: a mask, not a branch, so that a loop over a slice vectorises.
    let mask = u64::from(x > LOWEST).wrapping_neg();
    f64::from_bits((polynomial * power).to_bits() & mask)
}

/// Numbers handled together, as many as a wide register holds.
pub(crate) const LANES: usize = 4;

/// Turns log weights into weights in place, the highest of them 1.
///
/// # Panics
/// If no weight is above minus infinity: the target gives an item nowhere to go.
#[inline(always)]
pub(crate) fn exponentiate(log_weights: &mut [f64]) {
    let (chunks, rest) = log_weights.as_chunks_mut::<LANES>();
    let mut lanes = [f64::NEG_INFINITY; LANES];
    for chunk in chunks.iter() {
        for (highest, &w) in lanes.iter_mut().zip(chunk) {
            *highest = if w > *highest { w } else { *highest };
        }
    }
    let higher = |a: f64, b: f64| if a > b { a } else { b };
    let mut highest = higher(higher(lanes[0], lanes[2]), higher(lanes[1], lanes[3]));
    for &w in rest.iter() {
        highest = higher(w, highest);
    }
    assert!(highest > f64::NEG_INFINITY, "every choice has probability zero");
    for chunk in chunks {
        for w in chunk {
            *w = exp(*w - highest);
        }
    }
    for w in rest {
        *w = exp(*w - highest);
    }
}

/// Turns unnormalised log weights into probabilities in place.
///
/// # Panics
/// As [`exponentiate`].
#[inline(always)]
pub(crate) fn normalize(log_weights: &mut [f64]) {
    exponentiate(log_weights);
    let scale = 1.0 / log_weights.iter().sum::<f64>();
    for w in log_weights.iter_mut() {
        *w *= scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_libm() {
        let mut x = -707.9;
        while x < 0.35 {
            let (ours, theirs) = (exp(x), libm::exp(x));
            assert!(((ours - theirs) / theirs).abs() < 5e-16, "exp({x}): {ours} {theirs}");
            x += 0.000_713;
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp(-800.0), 0.0);
    }

    #[test]
    fn normalize_survives_extremes() {
        let mut w = [-1e6, -1e6 - 690.0, f64::NEG_INFINITY];
        normalize(&mut w);
        assert_eq!(w[0], 1.0);
        assert!(w[1] > 0.0 && w[1] < 1e-299);
        assert_eq!(w[2], 0.0);
    }

    #[test]
    fn ln_add_is_the_logarithm_of_the_sum() {
        assert!((ln_add(0.0, 0.0) - 2.0f64.ln()).abs() < 1e-15);
        assert_eq!(ln_add(f64::NEG_INFINITY, -3.0), -3.0);
    }
}
