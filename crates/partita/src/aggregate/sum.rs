//! Sums that keep their digits over hundreds of thousands of replicates.

/// The sum in the order given, compensated after Neumaier (1974): the error does not grow with the number of values,
/// and a small value survives beside a large one.
pub(super) fn sum(values: &[f64]) -> f64 {
    let (mut total, mut lost) = (0.0_f64, 0.0_f64);
    for &v in values {
        let next = total + v;
        lost += if total.abs() >= v.abs() { (total - next) + v } else { (v - next) + total };
        total = next;
    }
    total + lost
}

/// The sum of squared deviations about `centre`, a rounded mean; the second term takes out what the rounding adds
/// (Chan, Golub, LeVeque 1983, the corrected two-pass algorithm).
pub(super) fn sum_of_squares_about(values: &[f64], centre: f64) -> f64 {
    let deviations: Vec<f64> = values.iter().map(|v| v - centre).collect();
    let squares: Vec<f64> = deviations.iter().map(|d| d * d).collect();
    let drift = sum(&deviations);
    (sum(&squares) - drift * drift / values.len() as f64).max(0.0)
}

/// How far values are from normal ones, by the sums of the third and fourth powers of their deviations, each divided by
/// the root of the sum of squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    /// Skewness over the root of the number of values: between -1 and 1, positive where the long tail is on the right.
    pub lean: f64,
    /// Kurtosis over the number of values: at most 1, and 1 where one value makes all the spread.
    pub peak: f64,
}

impl Shape {
    /// That of normal values, as far as intervals go.
    pub const NORMAL: Self = Shape { lean: 0.0, peak: 0.0 };

    /// The shape of values about their mean; `squares` is the sum of their squared deviations.
    pub fn of(values: &[f64], mean: f64, squares: f64) -> Self {
        let unit = squares.sqrt();
        let cubes: Vec<f64> = values.iter().map(|v| (v - mean) / unit).map(|d| d * d * d).collect();
        let fourths: Vec<f64> = values.iter().map(|v| (v - mean) / unit).map(|d| d * d * d * d).collect();
        Self::checked(sum(&cubes), sum(&fourths))
    }

    /// Sums that are no numbers, as of values that are all equal or overflow, tell nothing.
    pub fn checked(lean: f64, peak: f64) -> Self {
        if lean.is_finite() && peak.is_finite() {
            Shape { lean: lean.clamp(-1.0, 1.0), peak: peak.clamp(0.0, 1.0) }
        } else {
            Self::NORMAL
        }
    }

    /// Degrees of freedom of the variance of so many values: one fewer than them, or `2 J / (K - 1)`.
    pub fn freedom(&self, count: usize) -> f64 {
        let (n, excess) = (count as f64, self.peak - 1.0 / count as f64);
        if excess > 0.0 { (2.0 / excess).min(n - 1.0) } else { n - 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_values_survive_beside_large_ones() {
        assert_eq!(sum(&[1.0, 1e100, 1.0, -1e100]), 2.0);
        assert_eq!(sum(&vec![0.1; 1_000_000]), 100_000.0);
        assert_eq!(sum(&[]), 0.0);
    }

    #[test]
    fn the_spread_survives_a_far_centre() {
        let values = [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0];
        assert_eq!(sum_of_squares_about(&values, 1e9 + 10.0), 90.0);
        assert!((sum_of_squares_about(&values, 1e9 + 10.5) - 90.0).abs() < 1e-9);
    }

    #[test]
    fn shapes_are_those_of_the_textbook() {
        // Deviations -1, -1, -1, 3: squares 12, cubes 24, fourth powers 84.
        let (lean, peak) = (24.0 / 12.0_f64.powf(1.5), 84.0 / 144.0);
        for (scale, shift) in [(1.0, 0.0), (1e-100, 0.0), (1e150, 0.0), (1.0, 1e6)] {
            let values = [0.0, 0.0, 0.0, 4.0].map(|v| v * scale + shift);
            let shape = Shape::of(&values, scale + shift, 12.0 * scale * scale);
            assert!((shape.lean - lean).abs() < 1e-9 && (shape.peak - peak).abs() < 1e-9, "{scale} {shift}");
        }
        assert_eq!(Shape::of(&[2.0, 2.0], 2.0, 0.0), Shape::NORMAL);
        // Kurtosis 7/3: 2 J / (K - 1) = 6, more than 3. One of a hundred alone has kurtosis 98.01.
        assert_eq!(Shape { lean, peak }.freedom(4), 3.0);
        let mut one = [0.0; 100];
        one[7] = 100.0;
        let freedom = Shape::of(&one, 1.0, 9900.0).freedom(100);
        assert!((freedom - 200.0 / (98.0 + 1.0 / 99.0 - 1.0)).abs() < 1e-9, "{freedom}");
    }
}
