//! The concentration of a Dirichlet process integrated out, by one-dimensional quadrature.

use crate::math::{ln, ln_gamma};

/// Where `alpha` is so small that `Gamma(alpha + 1) / Gamma(alpha + n)` no longer depends on it.
const PURE: f64 = -45.0;

/// `V(n, k) = ∫ alpha^k Gamma(alpha) / Gamma(alpha + n) p(alpha) d alpha` with a Gamma density `p`.
///
/// With `t = ln alpha` the integrand is analytic and falls off exponentially on both sides, where
/// the trapezoidal rule converges exponentially fast. The grid is centred at the mode and reaches
/// until the integrand has dropped by `e^-50`.
///
/// Below `ln alpha = PURE` the integrand is `exp((k + shape - 1) t)` to rounding, however slowly
/// that falls for a small shape; the grid is continued there in closed form.
pub(super) struct AlphaIntegral {
    shape: f64,
    rate: f64,
    n: f64,
    k: f64,
    peak: f64,
    height: f64,
    step: f64,
}

#[cfg(test)]
thread_local! {
    /// Integrals so far: what must not be made again and again is counted, not timed.
    pub(super) static INTEGRALS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

impl AlphaIntegral {
    pub(super) fn new(shape: f64, rate: f64, n: usize, k: usize) -> Self {
        #[cfg(test)]
        INTEGRALS.set(INTEGRALS.get() + 1);
        let mut integral =
            AlphaIntegral { shape, rate, n: n as f64, k: k as f64, peak: 0.0, height: 0.0, step: 0.0 };
        // The log integrand is unimodal in t: golden-section over a range that surely holds the mode,
        // or the end of the part that is not yet a pure exponential.
        let (mut low, mut high) = (PURE, ln(integral.n + shape / rate) + 60.0);
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        while high - low > 1e-6 {
            let (a, b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
            if integral.log_integrand(a) < integral.log_integrand(b) { low = a } else { high = b }
        }
        integral.peak = 0.5 * (low + high);
        integral.height = integral.log_integrand(integral.peak);
        // Curvature at the mode sets the step: a twelfth of the standard deviation of the bump.
        let h = 1e-3;
        let bend = (integral.log_integrand(integral.peak + h) + integral.log_integrand(integral.peak - h)
            - 2.0 * integral.height)
            / (h * h);
        integral.step = (1.0 / (-bend).max(1e-6).sqrt()).min(3.0) / 12.0;
        integral
    }

    fn log_integrand(&self, t: f64) -> f64 {
        let alpha = libm::exp(t);
        // ln Gamma(alpha) = ln Gamma(alpha + 1) - t keeps its precision when alpha is tiny.
        (self.k + self.shape - 1.0) * t - self.rate * alpha + ln_gamma(alpha + 1.0) - ln_gamma(alpha + self.n)
    }

    /// `(sum, sum of alpha)` over the grid, relative to the height of the mode.
    fn sums(&self) -> (f64, f64) {
        let (mut sum, mut weighted) = (1.0, libm::exp(self.peak));
        for direction in [-1.0, 1.0] {
            let mut i = 1.0;
            loop {
                let t = self.peak + direction * i * self.step;
                let drop = self.log_integrand(t) - self.height;
                if drop < -50.0 {
                    break;
                }
                let value = libm::exp(drop);
                if t < PURE {
                    // From here on alpha is nothing but a power: the rest of the grid is a geometric series.
                    let rate = self.k + self.shape - 1.0;
                    sum += value / -libm::expm1(-rate * self.step);
                    weighted += value * libm::exp(t) / -libm::expm1(-(rate + 1.0) * self.step);
                    break;
                }
                sum += value;
                weighted += value * libm::exp(t);
                i += 1.0;
            }
        }
        (sum, weighted)
    }

    pub(super) fn log_value(&self) -> f64 {
        let density = self.shape * ln(self.rate) - ln_gamma(self.shape);
        density + self.height + ln(self.sums().0 * self.step)
    }

    /// `V(n, k+1) / V(n, k)` is the mean of alpha under the normalised integrand: no cancellation.
    pub(super) fn log_mean_alpha(&self) -> f64 {
        let (sum, weighted) = self.sums();
        ln(weighted / sum)
    }
}
