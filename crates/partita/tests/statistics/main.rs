//! Proof that estimates, intervals and survival curves are what they claim: worked examples, properties, coverage.
//!
//! Statistical tests have fixed seeds and allow 5.5 standard errors, a false-alarm probability of 4e-8 each and below
//! 1e-6 in all, had the seeds been drawn anew.

mod averages;
mod coverage;
mod deadlines;
mod survival;

use partita::aggregate::Estimate;

const SIGMAS: f64 = 5.5;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct SplitMix(u64);

impl SplitMix {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in (0, 1).
    fn uniform(&mut self) -> f64 {
        ((self.word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    fn normal(&mut self) -> f64 {
        (2.0 * self.exponential()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + b.abs())
}

fn covers(e: &Estimate, truth: f64) -> bool {
    e.interval.0 <= truth && truth <= e.interval.1
}

fn binomial_error(p: f64, runs: usize) -> f64 {
    SIGMAS * (p * (1.0 - p) / runs as f64).sqrt()
}
