//! Sums of densities on the log scale, of either sign.

/// A sum of weighted densities in units of the largest of them, so that nothing overflows or vanishes.
///
/// ```
/// use partita::aggregate::Scaled;
/// let mut sum = Scaled::ZERO;
/// sum.add(2.0, -5000.0);
/// sum.add(-0.5, -1200.0);
/// sum.add(3.0, -1200.0);
/// assert_eq!((sum.log_unit(), sum.over(-1200.0)), (-1200.0, 2.5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled {
    log_unit: f64,
    value: f64,
}

impl Scaled {
    /// Nothing added yet.
    pub const ZERO: Scaled = Scaled { log_unit: f64::NEG_INFINITY, value: 0.0 };

    /// The log of the unit: the largest log density so far.
    pub fn log_unit(&self) -> f64 {
        self.log_unit
    }

    /// Adds a density with a weight.
    pub fn add(&mut self, weight: f64, log_density: f64) {
        if log_density > self.log_unit {
            *self = Scaled { log_unit: log_density, value: self.over(log_density) };
        }
        if log_density > f64::NEG_INFINITY {
            self.value += weight * (log_density - self.log_unit).exp();
        }
    }

    /// The sum in units of `exp(log_unit)`, which must not be smaller than its own.
    pub fn over(&self, log_unit: f64) -> f64 {
        if self.log_unit == f64::NEG_INFINITY { 0.0 } else { self.value * (self.log_unit - log_unit).exp() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Densities hundreds of orders of magnitude apart, of either sign, in any order: their sum is in the unit of the
    /// largest, and one that is below the range of doubles changes nothing.
    #[test]
    fn sums_of_densities_neither_overflow_nor_vanish() {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let parts = [(2.0, -5000.0), (-0.5, -1200.0), (3.0, -1200.0), (7.0, f64::NEG_INFINITY)];
            let mut sum = Scaled::ZERO;
            order.iter().for_each(|&at| sum.add(parts[at].0, parts[at].1));
            assert_eq!(sum, Scaled { log_unit: -1200.0, value: 2.5 });
            assert_eq!(sum.over(-1200.0), 2.5);
            assert!((sum.over(-1199.0) - 2.5 / std::f64::consts::E).abs() < 1e-15);
        }
        assert_eq!(Scaled::ZERO.over(f64::NEG_INFINITY), 0.0);
    }
}
