//! Means, trimmed means and medians of means, worked out by hand; whether their intervals cover is in `coverage`.

use crate::{SplitMix, binomial_error, covers, near};
use partita::aggregate::{BLOCKS, Estimate, Moments, mean, mean_at, median_of_means, quantile, trimmed_mean};
use proptest::prelude::*;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// `value ± t se` at 95%.
fn student(e: &Estimate, freedom: f64) -> (f64, f64) {
    let half = StudentsT::new(0.0, 1.0, freedom).unwrap().inverse_cdf(0.975) * e.se;
    (e.value - half, e.value + half)
}

/// Share of `runs` normal samples of the given size (mean 3) whose interval covers 3.
fn coverage(seed: u64, size: usize, runs: usize, estimate: impl Fn(&[f64]) -> Estimate) -> f64 {
    let mut rng = SplitMix(seed);
    let covered = (0..runs)
        .filter(|_| {
            let values: Vec<f64> = (0..size).map(|_| 3.0 + rng.normal()).collect();
            covers(&estimate(&values), 3.0)
        })
        .count();
    covered as f64 / runs as f64
}

#[test]
fn mean_by_hand() {
    // Mean 5, squared deviations 9+1+1+1+0+0+4+16 = 32, cubed ones -27-1-1-1+0+0+8+64 = 42.
    let e = mean(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
    let (se, t) = ((32.0_f64 / 7.0 / 8.0).sqrt(), 2.3646242515927844);
    assert_eq!(e.value, 5.0);
    assert!(near(e.se, se, 1e-15));
    assert!(near(e.interval.0, 5.0 - t * se, 1e-9));
    // The tail is on the right: the upper end is where Hall's transformation of (mean - end) / se is -t.
    let (a, end) = (42.0 / 32.0_f64.powf(1.5), (5.0 - e.interval.1) / se);
    assert!(near(end + a * end * end / 3.0 + a * a * end * end * end / 27.0 + a / 6.0, -t, 1e-9));
    assert!(end < -t - 0.5);
    // Turned round, everything is.
    let mirrored = mean(&[-2.0, -4.0, -4.0, -4.0, -5.0, -5.0, -7.0, -9.0]).unwrap();
    assert_eq!(mirrored.interval, (-e.interval.1, -e.interval.0));
    // No skewness: Student's interval.
    let e = mean(&[1.0, 2.0, 4.0, 5.0]).unwrap();
    assert!(
        near(e.interval.1, 3.0 + 3.182446305283709 * e.se, 1e-9)
            && near(e.interval.0, 6.0 - e.interval.1, 1e-12)
    );
}

#[test]
fn too_little_is_said_to_be_too_little() {
    let whole_line = (f64::NEG_INFINITY, f64::INFINITY);
    assert!(mean(&[]).is_none() && trimmed_mean(&[], 0.1).is_none() && median_of_means(&[], 5).is_none());
    assert_eq!(median_of_means(&[2.0], 5), Some(2.0));
    for e in [mean(&[2.0]), trimmed_mean(&[2.0], 0.9)] {
        let e = e.unwrap();
        assert_eq!((e.value, e.se, e.interval), (2.0, f64::INFINITY, whole_line));
    }
    // All but the median trimmed: one value left, and no spread to speak of.
    let e = trimmed_mean(&[1.0, 2.0, 4.0], 0.99).unwrap();
    assert_eq!((e.value, e.se, e.interval), (2.0, f64::INFINITY, whole_line));
}

#[test]
fn what_is_no_number_is_not_trimmed_away() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut values = vec![1.0; 1000];
        values[500] = bad;
        for e in [mean(&values), trimmed_mean(&values, 0.1)] {
            let e = e.unwrap();
            assert!(e.value.is_nan() && e.half_width() == f64::INFINITY);
        }
        assert!(median_of_means(&values, BLOCKS).unwrap().is_nan());
    }
}

#[test]
fn trimmed_mean_by_hand() {
    // 20% in all: 1 and 100 go. Kept 2..=9, mean 5.5, h = 8. Winsorised 2,2,3,..,8,9,9 about 5.5:
    // 2 (3.5^2 + 3.5^2 + 2.5^2 + 1.5^2 + 0.5^2) = 66.5.
    let values = [100.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0];
    let e = trimmed_mean(&values, 0.2).unwrap();
    assert_eq!(e.value, 5.5);
    assert!(near(e.se, (66.5_f64 / 56.0).sqrt(), 1e-15));
    // The interval holds that of the mean, 14.5, and the trimmed mean's own, 5.5 ± 2.36 se.
    let (plain, own) = (mean(&values).unwrap(), student(&e, 7.0));
    assert_eq!(e.interval, plain.interval);
    assert!(e.interval.0 < own.0 && own.1 < e.interval.1);
    // Where the cut ones pull little, the own ends are the outer ones.
    let even: Vec<f64> = (0..400).map(|i| f64::from(i % 20)).collect();
    let (e, plain) = (trimmed_mean(&even, 0.2).unwrap(), mean(&even).unwrap());
    let own = student(&e, 319.0);
    assert!(near(e.interval.0, own.0, 1e-9) && near(e.interval.1, own.1, 1e-9));
    assert!(own.0 < plain.interval.0 && plain.interval.1 < own.1);
    // Just under one value a side is none.
    assert_eq!(trimmed_mean(&values, 0.199), mean(&values));
    // 0.58 * 100 rounds to below 58, but 29 per side is what was asked for.
    let mut squares: Vec<f64> = (0..100).map(|i| f64::from(i * i)).collect();
    let kept: f64 = squares[29..71].iter().sum();
    squares.reverse();
    assert!(near(trimmed_mean(&squares, 0.58).unwrap().value, kept / 42.0, 1e-14));
}

#[test]
fn blocks_are_cut_in_order() {
    // 7 values in 3 blocks: 0..2, 2..4, 4..7.
    assert_eq!(median_of_means(&[0.0, 2.0, 10.0, 20.0, 3.0, 4.0, 5.0], 3), Some(4.0));
    assert_eq!(median_of_means(&[0.0, 10.0, 2.0, 20.0, 3.0, 4.0, 5.0], 3), Some(5.0));
    // Even number of blocks: the middle of the two middle ones.
    assert_eq!(median_of_means(&[1.0, 2.0, 4.0, 50.0], 4), Some(3.0));
    assert_eq!(median_of_means(&[], 4), None);
}

#[test]
fn long_sums_keep_their_digits() {
    let values: Vec<f64> = (0..200_000).map(|i| 1e9 + f64::from(i % 2)).collect();
    let e = mean(&values).unwrap();
    assert_eq!(e.value, 1e9 + 0.5);
    let (j, spread) = (200_000.0_f64, 0.25 * 200_000.0);
    assert!((e.se / (spread / (j - 1.0) / j).sqrt() - 1.0).abs() < 1e-12);
    let running = Moments::from_iter(values);
    assert!((running.estimate().unwrap().se / e.se - 1.0).abs() < 1e-6);
}

#[test]
fn standard_errors_are_students_on_symmetric_data() {
    // Five values: a normal instead of Student quantile would cover 87.8%.
    let (p, runs) = (0.95, 20_000);
    let own = |e: Estimate, freedom: f64| Estimate { interval: student(&e, freedom), ..e };
    let share = coverage(1, 5, runs, |v| own(mean(v).unwrap(), 4.0));
    assert!((share - p).abs() < binomial_error(p, runs), "{share}");
    // With the variance of the kept values instead of the winsorised one, 20% trimming would cover 86%. The law is
    // Student's only nearly: half a percent is allowed for that.
    for (seed, size, fraction, cut) in [(3, 60, 0.2, 6), (4, 200, 0.01, 1), (5, 41, 0.4, 8)] {
        let freedom = (size - 2 * cut - 1) as f64;
        let share = coverage(seed, size, runs, |v| own(trimmed_mean(v, fraction).unwrap(), freedom));
        assert!((share - p).abs() < binomial_error(p, runs) + 0.005, "{fraction}: {share}");
    }
}

#[test]
fn another_level_is_kept_too() {
    let (p, runs) = (0.8, 20_000);
    let share = coverage(2, 50, runs, |v| mean_at(v, p).unwrap());
    assert!((share - p).abs() < binomial_error(p, runs) + 0.005, "{share}");
}

proptest! {
    #[test]
    fn sorted_estimators_forget_the_order(
        (values, shuffled) in prop::collection::vec(-1e3..1e3, 1..80)
            .prop_flat_map(|v| (Just(v.clone()), Just(v).prop_shuffle())),
        fraction in 0.0..0.99,
    ) {
        let (a, b) = (mean(&values).unwrap(), mean(&shuffled).unwrap());
        prop_assert!(near(a.value, b.value, 1e-12));
        prop_assert!(a.se == b.se || near(a.se, b.se, 1e-12));
        if values.len() as f64 * fraction >= 2.0 {
            prop_assert_eq!(trimmed_mean(&values, fraction), trimmed_mean(&shuffled, fraction));
        }
    }

    #[test]
    fn a_trimmed_mean_lies_between_the_quantiles_that_it_keeps(
        values in prop::collection::vec(-1e3..1e3, 3..80), fraction in 0.0..0.99,
    ) {
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let e = trimmed_mean(&values, fraction).unwrap();
        let low = quantile(&sorted, 0.0).unwrap();
        let high = quantile(&sorted, 1.0).unwrap();
        prop_assert!(low - 1e-9 <= e.value && e.value <= high + 1e-9);
        prop_assert!(e.interval.0 <= e.value && e.value <= e.interval.1);
        // The slow twin: sort, cut, add.
        let cut = (values.len() as f64 * fraction / 2.0 + 1e-9).floor() as usize;
        let kept = &sorted[cut..values.len() - cut];
        prop_assert!(near(e.value, kept.iter().sum::<f64>() / kept.len() as f64, 1e-12));
    }

    #[test]
    fn merged_moments_are_those_of_the_whole(
        left in prop::collection::vec(-1e3..1e3, 0..50), right in prop::collection::vec(-1e3..1e3, 0..50),
    ) {
        let mut merged: Moments = left.iter().copied().collect();
        merged.merge(&right.iter().copied().collect());
        let all: Vec<f64> = left.into_iter().chain(right).collect();
        prop_assert_eq!(merged.count(), all.len());
        match (merged.estimate(), mean(&all)) {
            (None, None) => {}
            (Some(a), Some(b)) => {
                prop_assert!(near(a.value, b.value, 1e-12));
                prop_assert!(a.se == b.se || near(a.se, b.se, 1e-10));
                if a.se.is_finite() {
                    prop_assert!(near(a.interval.0, b.interval.0, 1e-9) && near(a.interval.1, b.interval.1, 1e-9));
                }
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }
}
