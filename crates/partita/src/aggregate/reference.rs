//! The reference laws that intervals are read from: normal, Student, and the order statistics of a median.

use super::check_level;
use super::sum::sum;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use statrs::function::beta::beta_reg;

/// The `z` of a two-sided standard normal interval.
pub(crate) fn normal_quantile(level: f64) -> f64 {
    check_level(level);
    Normal::standard().inverse_cdf(0.5 + level / 2.0)
}

/// The `t` of a two-sided interval at `level` with `freedom` degrees of freedom.
pub(super) fn student_quantile(freedom: f64, level: f64) -> f64 {
    // Up to 1000 degrees of freedom the library's inverse is good to ten digits. Beyond it loses them (the fifth is wrong
    // at a million) and at last does not return. The expansion of Cornish and Fisher (Abramowitz, Stegun 26.7.5) has them
    // all there: its next term is of order freedom^-4.
    if freedom > 1000.0 {
        let z = normal_quantile(level);
        let z2 = z * z;
        let first = z * (z2 + 1.0) / 4.0;
        let second = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
        let third = z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
        return z + (first + (second + third / freedom) / freedom) / freedom;
    }
    StudentsT::new(0.0, 1.0, freedom).expect("positive degrees of freedom").inverse_cdf(0.5 + level / 2.0)
}

/// The largest rank `r` with `P(Bin(B, 1/2) < r) <= (1 - level) / 2`, if any.
pub(super) fn sign_test_rank(blocks: usize, level: f64) -> Option<usize> {
    let tail = (1.0 - level) / 2.0 * (1.0 + 1e-12);
    let b = blocks as f64;
    let log_choose = |i: f64| libm::lgamma(b + 1.0) - libm::lgamma(i + 1.0) - libm::lgamma(b - i + 1.0);
    let mut below = 0.0;
    (1..=blocks / 2)
        .take_while(|&rank| {
            below += libm::exp(log_choose(rank as f64 - 1.0) - b * std::f64::consts::LN_2);
            below <= tail
        })
        .last()
}

/// Standard error of a sample median: the spread of the bootstrap's median, in closed form (Maritz, Jarrett 1978).
pub(super) fn median_standard_error(sorted: &[f64]) -> f64 {
    if sorted.len() < 2 {
        return f64::INFINITY;
    }
    let b = sorted.len() as f64;
    let shape = (b + 1.0) / 2.0;
    let mut below = 0.0;
    let weights: Vec<f64> = (1..=sorted.len())
        .map(|i| {
            let upto = beta_reg(shape, shape, i as f64 / b);
            let weight = upto - below;
            below = upto;
            weight
        })
        .collect();
    let centre = sum(&weights.iter().zip(sorted).map(|(w, x)| w * x).collect::<Vec<_>>());
    let spread: Vec<f64> = weights.iter().zip(sorted).map(|(w, x)| w * (x - centre) * (x - centre)).collect();
    sum(&spread).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_quantiles_are_those_of_the_tables() {
        let table = [
            (1.0, 12.706204736174698),
            (2.0, 4.302652729749464),
            (5.0, 2.570581835636314),
            (10.0, 2.228138851986274),
            (30.0, 2.0422724563012373),
            (100.0, 1.983971518523552),
            (1000.0, 1.962339080825944),
        ];
        for (freedom, t) in table {
            assert!((student_quantile(freedom, 0.95) - t).abs() < 1e-11 * t, "{freedom}");
        }
        assert!((normal_quantile(0.95) - 1.959963984540054).abs() < 1e-12);
    }

    #[test]
    fn the_expansion_joins_the_exact_quantile() {
        for level in [0.5, 0.95, 0.999, 1.0 - 1e-6] {
            let (exact, expanded) = (student_quantile(1000.0, level), student_quantile(1000.000001, level));
            assert!((exact - expanded).abs() < 1e-7 * exact, "{level}: {exact} {expanded}");
        }
    }

    #[test]
    fn many_degrees_of_freedom_are_nearly_normal() {
        // Reference values to 12 digits by numerical integration of the density.
        for (freedom, t) in [(1e4, 1.960201239890626), (1e5, 1.95998770753461), (1e6, 1.959966356814107)] {
            assert!((student_quantile(freedom, 0.95) - t).abs() < 1e-11, "{freedom}");
        }
        assert!((student_quantile(1e15, 0.95) - normal_quantile(0.95)).abs() < 1e-14);
    }

    #[test]
    fn sign_test_ranks_are_those_of_the_tables() {
        // Order-statistic intervals for a median at 95 %, standard tables.
        let table = [
            (5, None),
            (6, Some(1)),
            (8, Some(1)),
            (9, Some(2)),
            (17, Some(5)),
            (20, Some(6)),
            (25, Some(8)),
        ];
        for (blocks, rank) in table {
            assert_eq!(sign_test_rank(blocks, 0.95), rank, "{blocks}");
        }
    }

    #[test]
    fn the_error_of_a_median_follows_its_sampling_law() {
        // For three values the bootstrap median is x_1, x_2, x_3 with 7/27, 13/27, 7/27.
        let expected = (14.0_f64 / 27.0).sqrt();
        assert!((median_standard_error(&[-1.0, 0.0, 1.0]) - expected).abs() < 1e-12);
    }
}
