//! Exact masses, for the rare problem in which rounding could decide an answer.

use super::problem::Mass;

/// 18 x 64 bits hold every multiple of 2^-1074 (the smallest `f64`) up to 2^77.
const LIMBS: usize = 18;
const SMALLEST_EXPONENT: usize = 1074;

/// A non-negative fixed-point number in units of the smallest positive `f64`: sums and
/// differences of masses are exact. The most significant limb comes first, so that the derived
/// order is the numerical one.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Wide([u64; LIMBS]);

impl Wide {
    /// The exact value of a finite, non-negative mass below 2^64.
    pub(super) fn from_f64(mass: f64) -> Self {
        assert!((0.0..18_446_744_073_709_551_616.0).contains(&mass), "masses are finite and non-negative");
        let bits = mass.to_bits();
        let (exponent, fraction) = ((bits >> 52) as usize, bits & ((1 << 52) - 1));
        let (mantissa, shift) = match exponent {
            0 => (fraction, 0),
            _ => (fraction | (1 << 52), exponent - 1),
        };
        let spread = u128::from(mantissa) << (shift % 64);
        let mut limbs = [0; LIMBS];
        let lowest = LIMBS - 1 - shift / 64;
        limbs[lowest] = spread as u64;
        limbs[lowest - 1] = (spread >> 64) as u64;
        Self(limbs)
    }

    /// The value to within one unit in the last place.
    pub(super) fn to_f64(self) -> f64 {
        let mut value = 0.0;
        for (place, &limb) in self.0.iter().rev().enumerate() {
            // 2^(64 place - 1074), built from its bits because it may be subnormal.
            let exponent = 64 * place;
            let unit = match exponent.checked_sub(SMALLEST_EXPONENT - 1022) {
                Some(above) => f64::from_bits((above as u64 + 1) << 52),
                None => f64::from_bits(1 << exponent),
            };
            // Smallest limbs first: each addition rounds what the next one dwarfs.
            value += limb as f64 * unit;
        }
        value
    }
}

impl Mass for Wide {
    const ZERO: Self = Self([0; LIMBS]);

    fn plus(self, other: Self) -> Self {
        let mut sum = self;
        let mut carry = false;
        for (limb, &more) in sum.0.iter_mut().zip(&other.0).rev() {
            let (partial, over) = limb.overflowing_add(more);
            let (total, over_again) = partial.overflowing_add(u64::from(carry));
            (*limb, carry) = (total, over | over_again);
        }
        debug_assert!(!carry, "a sum of masses fits");
        sum
    }

    fn minus(self, other: Self) -> Self {
        let mut difference = self;
        let mut borrow = false;
        for (limb, &less) in difference.0.iter_mut().zip(&other.0).rev() {
            let (partial, under) = limb.overflowing_sub(less);
            let (total, under_again) = partial.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (total, under | under_again);
        }
        debug_assert!(!borrow, "masses stay non-negative");
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [f64; 9] = [0.0, 5e-324, 1e-310, 1e-300, f64::MIN_POSITIVE, 1e-17, 0.1, 1.0, 123_456.789];

    #[test]
    fn conversion_is_lossless_and_keeps_the_order() {
        for &x in &SAMPLES {
            assert_eq!(Wide::from_f64(x).to_f64(), x);
            for &y in &SAMPLES {
                assert_eq!(Wide::from_f64(x).partial_cmp(&Wide::from_f64(y)), x.partial_cmp(&y));
            }
        }
    }

    #[test]
    fn a_sum_forgets_nothing() {
        for &x in &SAMPLES {
            for &y in &SAMPLES {
                let (wide_x, wide_y) = (Wide::from_f64(x), Wide::from_f64(y));
                assert_eq!(wide_x.plus(wide_y).minus(wide_x), wide_y);
                let rounded = wide_x.plus(wide_y).to_f64();
                assert!((rounded - (x + y)).abs() <= f64::EPSILON * (x + y));
            }
        }
    }
}
