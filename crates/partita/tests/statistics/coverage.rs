//! Intervals cover what they say, of skewed values too: laws with a known mean, many samples of each.
//!
//! The laws are those of estimates from coupled chains: nearly normal, or near one number with a few far out on one
//! side. 10,000 samples; 5.5 binomial standard errors are 1.2%.

use crate::{SplitMix, binomial_error, covers};
use partita::aggregate::{TRIMMED_FRACTION, mean, trimmed_mean};

struct Law {
    name: &'static str,
    mean: f64,
    draw: fn(&mut SplitMix) -> f64,
}

const LAWS: [Law; 6] = [
    Law { name: "normal", mean: 0.0, draw: SplitMix::normal },
    Law { name: "exponential", mean: 1.0, draw: SplitMix::exponential },
    Law { name: "lognormal", mean: 1.648_721_270_700_128, draw: |rng| rng.normal().exp() },
    // Two modes: one replicate in ten is in the other, which is a little less or much less sharp.
    Law {
        name: "two modes",
        mean: 0.1,
        draw: |rng| if rng.uniform() < 0.1 { 1.0 + 0.3 * rng.normal() } else { 0.1 * rng.normal() },
    },
    Law {
        name: "two modes, one wide",
        mean: 0.3,
        draw: |rng| if rng.uniform() < 0.1 { 3.0 * rng.exponential() } else { 0.1 * rng.normal() },
    },
    // Heavy on both sides: Student's law with three degrees of freedom.
    Law {
        name: "heavy tails",
        mean: 0.0,
        draw: |rng| {
            let chi: f64 = (0..3).map(|_| rng.normal().powi(2)).sum();
            rng.normal() / (chi / 3.0).sqrt()
        },
    },
];

const RUNS: usize = 10_000;

/// What was found of samples of one size.
struct Found {
    /// Share of the means' intervals that cover the mean of the law.
    mean: f64,
    /// Of the trimmed means' intervals.
    trimmed: f64,
    /// Width of the former over that of `±1.96 se`, on average.
    width: f64,
}

fn found(law: &Law, seed: u64, size: usize) -> Found {
    let mut rng = SplitMix(seed);
    let (mut plain, mut trimmed, mut width) = (0, 0, 0.0);
    for _ in 0..RUNS {
        let values: Vec<f64> = (0..size).map(|_| (law.draw)(&mut rng)).collect();
        let e = mean(&values).unwrap();
        plain += usize::from(covers(&e, law.mean));
        width += e.half_width() / (1.959_964 * e.se);
        trimmed += usize::from(covers(&trimmed_mean(&values, TRIMMED_FRACTION).unwrap(), law.mean));
    }
    let share = |n: usize| n as f64 / RUNS as f64;
    Found { mean: share(plain), trimmed: share(trimmed), width: width / RUNS as f64 }
}

#[test]
fn intervals_cover_the_mean_of_skewed_laws() {
    let least = 0.95 - binomial_error(0.95, RUNS);
    for (i, law) in LAWS.iter().enumerate() {
        for size in [64, 100, 400] {
            let found = found(law, 100 * i as u64 + size as u64, size);
            assert!(found.mean > least, "{}, mean of {size}: {}", law.name, found.mean);
            assert!(found.trimmed >= found.mean, "{}, trimmed mean of {size}: {}", law.name, found.trimmed);
        }
    }
}

#[test]
fn little_is_paid_for_it_where_nothing_is_skewed() {
    for (size, most) in [(20, 1.12), (64, 1.04), (400, 1.01)] {
        let normal = found(&LAWS[0], size as u64, size);
        assert!(normal.mean < 0.96 + binomial_error(0.96, RUNS), "{size}: {}", normal.mean);
        assert!(normal.width < most, "{size}: {} times ±1.96 se", normal.width);
    }
}

/// The limit that no interval made of a sample can pass: a mode that one replicate in fifty is in is missed by all 64
/// with probability 0.98^64 = 0.274, and then the interval knows nothing of it.
#[test]
fn what_no_value_has_shown_is_not_in_the_interval() {
    let rare = Law { name: "a rare mode", mean: 0.02, draw: |rng| f64::from(u8::from(rng.uniform() < 0.02)) };
    let missed = 0.98_f64.powi(64);
    let few = found(&rare, 1, 64).mean;
    assert!((few - (1.0 - missed)).abs() < binomial_error(missed, RUNS) + 0.005, "{few}");
    let many = found(&rare, 2, 400).mean;
    assert!(many > 0.95, "{many}");
}
