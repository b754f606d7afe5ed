//! Logarithms and gamma ratios of the model families: quick in a row, and exact where they nearly cancel.

use crate::math::{ln, ln_gamma};

/// `ln(x)` for a positive, normal, finite `x`; absolute error below 2.5e-16 times `max(1, |ln x|)`.
///
/// Our own, and without branches, so that a loop over columns vectorises. `x = 2^k m` with `m` in
/// `[sqrt(1/2), sqrt(2))`, then `ln m = 2 artanh(s)`, `s = (m - 1) / (m + 1)`, by its Taylor series.
#[inline(always)]
pub(crate) fn log(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3FE6_A09E_667F_3BCD;
    const ONE: u64 = 0x3FF0_0000_0000_0000;
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    debug_assert!(x.is_normal() && x > 0.0, "log({x})");
    let shifted = x.to_bits() + (ONE - SQRT_HALF);
    // An integer below 2^52 becomes a number by the bits of 2^52.
    let k = f64::from_bits((shifted >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    let m = f64::from_bits((shifted & 0x000F_FFFF_FFFF_FFFF) + SQRT_HALF);
    let f = m - 1.0;
    let s = f / (f + 2.0);
    let z = s * s;
    let z2 = z * z;
    let z4 = z2 * z2;
    let low = (2.0 / 3.0 + z * (2.0 / 5.0)) + z2 * (2.0 / 7.0 + z * (2.0 / 9.0));
    let high = (2.0 / 11.0 + z * (2.0 / 13.0)) + z2 * (2.0 / 15.0 + z * (2.0 / 17.0));
    let series = low + z4 * (high + z4 * (2.0 / 19.0));
    k * LN2_HIGH + (2.0 * s + (s * z * series + k * LN2_LOW))
}

/// `ln(a + factor * sum e^2)` for positive `a` and `factor`, wherever the `e` are: beyond about 1e154 squares
/// overflow, and everything is taken in units of the largest `e`.
pub(crate) fn ln_with_squares(a: f64, factor: f64, e: impl Iterator<Item = f64> + Clone) -> f64 {
    let plain = a + factor * e.clone().map(|e| e * e).sum::<f64>();
    if plain.is_finite() {
        return ln(plain);
    }
    let most = e.clone().fold(0.0, |most, e| if e.abs() > most { e.abs() } else { most });
    if most == f64::INFINITY {
        return most;
    }
    let squares: f64 = e.map(|e| (e / most) * (e / most)).sum();
    2.0 * ln(most) + ln(factor * squares + a / most / most)
}

/// `ln Gamma(z + x) - ln Gamma(z)` without the cancellation that two large logarithms would suffer:
/// the difference of two Stirling series.
pub(crate) fn ln_rising(z: f64, x: f64) -> f64 {
    if z < 1e3 {
        return ln_gamma(z + x) - ln_gamma(z);
    }
    let correction = |z: f64| (1.0 / 12.0 - 1.0 / (360.0 * z * z)) / z;
    let top = z + x;
    (z - 0.5) * libm::log1p(x / z) + x * (libm::log(top) - 1.0) + (correction(top) - correction(z))
}

/// The log probability of `x` under the negative binomial law of size `a` and odds `b`,
/// `G(a + x) / (G(a) x!) * (b / (b + 1))^a * (b + 1)^-x`, for `x > 0` of any size.
///
/// Its logarithms of gammas and powers are of the order of `x ln x` and cancel; in terms of deviances (Loader 2000,
/// "Fast and accurate computation of binomial probabilities") nothing large is left to cancel.
pub(crate) fn ln_negative_binomial(x: f64, a: f64, b: f64) -> f64 {
    let n = a + x;
    let (failures, successes) = (n * (b / (b + 1.0)), n / (b + 1.0));
    let corrections = stirling_error(n) - stirling_error(a) - stirling_error(x);
    let deviances = deviance(a, failures) + deviance(x, successes);
    corrections - deviances + 0.5 * ln(a / n / x / std::f64::consts::TAU)
}

/// `ln G(x + 1) - ln(sqrt(2 pi x) (x / e)^x)`.
fn stirling_error(x: f64) -> f64 {
    if x < 20.0 {
        return ln_gamma(x + 1.0) - (x + 0.5) * ln(x) + x - 0.5 * ln(std::f64::consts::TAU);
    }
    let y = 1.0 / (x * x);
    (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y * (1.0 / 1188.0))))) / x
}

/// `x ln(x / mean) + mean - x`; near the mean by a series in `v = (x - mean) / (x + mean)`.
fn deviance(x: f64, mean: f64) -> f64 {
    let v = (x - mean) / (x + mean);
    if v.abs() >= 0.1 {
        return x * ln(x / mean) + mean - x;
    }
    // x ln(x / mean) = 2 x artanh(v)
    let (mut sum, mut term) = ((x - mean) * v, 2.0 * x * v);
    for j in 1.. {
        term *= v * v;
        let next = sum + term / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// `ln Gamma(shape + j)` for whole `j`, tabulated as far as is cheap: the differences are what counts
/// of successes and failures need.
#[derive(Debug, Clone)]
pub(crate) struct LnRising {
    shape: f64,
    most: u64,
    table: Vec<f64>,
}

/// At the end of the table `ln Gamma` is about 7e5, so that a difference is still good to 1e-10.
pub(crate) const TABULATED: u64 = 1 << 16;

impl LnRising {
    /// For counts up to `most`; beyond the table values are computed.
    pub(crate) fn new(shape: f64, most: u64) -> Self {
        let table = (0..=most.min(TABULATED)).map(|j| ln_gamma(shape + j as f64)).collect();
        LnRising { shape, most, table }
    }

    /// The values of all counts; none where some are beyond the table.
    pub(crate) fn whole_table(&self) -> Option<&[f64]> {
        (self.most <= TABULATED).then_some(&self.table)
    }

    /// `ln Gamma(shape + to) - ln Gamma(shape + from)` for `from <= to`.
    #[inline]
    pub(crate) fn between(&self, from: u64, to: u64) -> f64 {
        match self.table.get(to as usize) {
            Some(high) => high - self.table[from as usize],
            None => ln_rising(self.shape + from as f64, (to - from) as f64),
        }
    }
}

/// Tables of `length` values that columns with equal keys share, one after the other, and where each
/// column's begins.
pub(crate) fn shared_tables<K: PartialEq + Copy>(
    keys: impl Iterator<Item = K>,
    length: usize,
    value: impl Fn(K, f64) -> f64,
) -> (Vec<f64>, Vec<usize>) {
    let (mut known, mut tables): (Vec<K>, Vec<f64>) = Default::default();
    let starts = keys
        .map(|key| {
            let at = known.iter().position(|other| *other == key).unwrap_or_else(|| {
                known.push(key);
                tables.extend((0..length).map(|n| value(key, n as f64)));
                known.len() - 1
            });
            at * length
        })
        .collect();
    (tables, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_agrees_with_libm() {
        let mut x = 1e-300;
        while x < 1e300 {
            let error = (log(x) - libm::log(x)).abs();
            assert!(error <= 2.5e-16 * libm::log(x).abs().max(1.0), "log({x}): {error}");
            x *= 1.003_7;
        }
        for x in [1.0, 1.0 + 1e-15, 1.0 - 1e-15, 0.5, 2.0, 1.5] {
            assert!((log(x) - libm::log(x)).abs() <= 1.2e-16, "{x}");
        }
        assert_eq!(log(1.0), 0.0);
    }

    /// Against the same in units that keep all squares within reach, a power of two apart: exact but for rounding.
    #[test]
    fn squares_of_any_size_have_a_logarithm() {
        for unit in [0, 100, 400, 500, 520, 600, 900, 1000, 1020] {
            for (a, e) in [(0.3, [1.0, -2.5, 0.0]), (7.0, [0.0, 0.0, 1.7]), (1e-200, [1.9, 1.9, -1.9])] {
                // a + factor sum e^2 with e = e' 2^unit and, where that is no more than rounding, a = a' 2^(2 unit).
                let far = e.map(|e| libm::scalbn(e, unit));
                let found = ln_with_squares(a, 0.7, far.into_iter());
                let scaled = libm::scalbn(a, -2 * unit);
                let near = ln(scaled + 0.7 * e.iter().map(|e| e * e).sum::<f64>());
                let expected = near + 2.0 * f64::from(unit) * std::f64::consts::LN_2;
                assert!(
                    (found - expected).abs() < 1e-15 * expected.abs().max(2.0),
                    "{unit}: {found} {expected}"
                );
            }
        }
        // The first term counts where the squares overflow only just, or because of the factor.
        let found = ln_with_squares(1.5e308, 1.0, [1e154, 1e154].into_iter());
        assert!((found - (308.0 * std::f64::consts::LN_10 + ln(3.5))).abs() < 1e-12, "{found}");
        assert_eq!(ln_with_squares(1.0, 1.0, [f64::INFINITY].into_iter()), f64::INFINITY);
    }

    /// Against the product it stands for, summed in logarithms.
    #[test]
    fn rising_factorials_of_large_numbers_do_not_cancel() {
        for z in [0.3, 7.5, 999.0, 1e3, 12_345.6, 1e9, 3e12] {
            for x in [0u32, 1, 2, 40] {
                let expected: f64 = (0..x).map(|i| libm::log(z + f64::from(i))).sum();
                let found = ln_rising(z, f64::from(x));
                assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{z} {x}");
            }
        }
        let rising = LnRising::new(0.7, 1 << 40);
        for (from, to) in [(0, 5), (65_530, 65_536), (65_530, 65_545), (1 << 33, (1 << 33) + 3)] {
            let expected: f64 = (from..to).map(|j| libm::log(0.7 + j as f64)).sum();
            assert!((rising.between(from, to) - expected).abs() < 4e-10, "{from} {to}");
        }
    }

    /// Against a product of ratios near 1, each exact but for rounding, from the mode outwards.
    #[test]
    fn negative_binomials_of_large_numbers_do_not_cancel() {
        for (a, b) in [(0.3, 0.2), (1.0, 1e-9), (7.5, 3.0), (2e5, 1.0), (3e10, 2.0), (5e14, 1.0), (1e15, 4.5)]
        {
            // The law at its mean by Stirling's formula alone: ln G(a + x) and ln x! are of the order of 1 / a and
            // 1 / x from it, and a + x = x (b + 1) there.
            let x = libm::round(a / b);
            if a > 1e4 {
                let variance = a / b * (1.0 + 1.0 / b);
                let expected = -0.5 * ln(std::f64::consts::TAU * variance);
                let found = ln_negative_binomial(x, a, b);
                assert!((found - expected).abs() < 1.0 / a + 1.0 / x + 1e-7, "{a} {b}: {found} {expected}");
            }
            // p(y + 1) / p(y) = (a + y) / (y + 1) / (b + 1)
            let (mut log, from) = (0.0, x.max(70_000.0));
            for step in 1..=1000 {
                let y = from + f64::from(step - 1);
                log += libm::log1p(((a - 1.0) - b * (y + 1.0)) / ((y + 1.0) * (b + 1.0)));
                if step % 250 == 0 {
                    let found = ln_negative_binomial(y + 1.0, a, b) - ln_negative_binomial(from, a, b);
                    let tolerance = 1e-10 * log.abs().max(1.0);
                    assert!((found - log).abs() < tolerance, "{a} {b} {y}: {found} {log}");
                }
            }
        }
        // Where gammas do not cancel yet they agree.
        for (x, a, b) in [(1.0, 0.3, 0.2), (5.0, 40.0, 3.0), (300.0, 1.5, 0.01), (12.0, 0.8, 7.0)] {
            let plain = ln_gamma(a + x)
                - ln_gamma(a)
                - ln_gamma(x + 1.0)
                - a * libm::log1p(1.0 / b)
                - x * ln(b + 1.0);
            assert!(
                (ln_negative_binomial(x, a, b) - plain).abs() < 1e-11 * plain.abs().max(1.0),
                "{x} {a} {b}"
            );
        }
    }

    #[test]
    fn equal_keys_share_a_table() {
        let (tables, starts) = shared_tables([2.0, 3.0, 2.0].into_iter(), 2, |k, n| k + n);
        assert_eq!((tables, starts), (vec![2.0, 3.0, 3.0, 4.0], vec![0, 2, 0]));
    }
}
