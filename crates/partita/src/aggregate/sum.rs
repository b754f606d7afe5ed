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

/// The skewness of the values over the root of their number, `sum d^3 / (sum d^2)^(3/2)`: between -1 and 1, and 0 where
/// all are equal.
pub(super) fn lean(values: &[f64], centre: f64, squares: f64) -> f64 {
    let unit = squares.sqrt();
    if !(unit > 0.0 && unit.is_finite()) {
        return 0.0;
    }
    let cubes: Vec<f64> = values.iter().map(|v| (v - centre) / unit).map(|d| d * d * d).collect();
    sum(&cubes).clamp(-1.0, 1.0)
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
    fn values_lean_to_the_side_of_their_tail() {
        // Deviations -1, -1, -1, 3: cubes 24, squares 12.
        let expected = 24.0 / 12.0_f64.powf(1.5);
        for (scale, shift) in [(1.0, 0.0), (1e-100, 0.0), (1e150, 0.0), (1.0, 1e6)] {
            let values = [0.0, 0.0, 0.0, 4.0].map(|v| v * scale + shift);
            let (centre, squares) = (scale + shift, 12.0 * scale * scale);
            assert!((lean(&values, centre, squares) - expected).abs() < 1e-9, "{scale} {shift}");
        }
        assert_eq!(lean(&[2.0, 2.0], 2.0, 0.0), 0.0);
    }
}
