//! The reference laws that intervals are read from: normal, Student, and what skewness does to them.

use super::check_level;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

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

/// The `T` that Hall's transformation takes to `y`: `T + a T^2 / 3 + a^2 T^3 / 27 + a / 6 = y` with `a` the skewness
/// over the root of the number of values (Hall 1992). It rises with `y`, and is `y` where `a` is 0.
pub(super) fn without_skewness(y: f64, a: f64) -> f64 {
    // The left side is ((1 + a T / 3)^3 - 1) / a + a / 6.
    let x = a * (y - a / 6.0);
    if a == 0.0 {
        y
    } else if x > -0.5 {
        // Without cancellation where a is small.
        3.0 / a * libm::expm1(libm::log1p(x) / 3.0)
    } else {
        3.0 / a * (libm::cbrt(1.0 + x) - 1.0)
    }
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
    fn skewness_is_undone() {
        for a in [-1.0, -0.3, -1e-3, -1e-9, 1e-300, 1e-9, 1e-3, 0.3, 1.0] {
            for y in [-12.7, -1.96, -0.1, 0.0, 0.1, 1.96, 12.7] {
                let t = without_skewness(y, a);
                let back = t + a * t * t / 3.0 + a * a * t * t * t / 27.0 + a / 6.0;
                assert!((back - y).abs() < 1e-11 * (1.0 + f64::abs(y)), "{a} {y}: {t} {back}");
            }
        }
        assert_eq!(without_skewness(1.96, 0.0), 1.96);
    }
}
