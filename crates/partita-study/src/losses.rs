//! How the error of an aggregate falls with the number of processes: batches of individual estimates.

use partita::aggregate::{Moments, quantile, trimmed_mean};

/// How the estimates of a batch become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Aggregate {
    Mean,
    /// A trimmed mean; the total fraction cut.
    Trimmed(f64),
}

impl Aggregate {
    pub(super) fn of(self, batch: &[f64]) -> f64 {
        match self {
            Aggregate::Mean => batch.iter().sum::<f64>() / batch.len() as f64,
            Aggregate::Trimmed(fraction) => trimmed_mean(batch, fraction).map_or(f64::NAN, |e| e.value),
        }
    }
}

/// The errors of one kind of aggregate of `processes` estimates, over batches, as shares of the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Loss {
    pub(super) processes: u64,
    pub(super) batches: usize,
    /// Roots of the 20 % quantile, the median and the 80 % quantile of the squared error.
    pub(super) low: f64,
    pub(super) median: f64,
    pub(super) high: f64,
    pub(super) rmse: f64,
    /// The standard error of the root mean squared error over batches.
    pub(super) rmse_se: f64,
    /// The share of batches whose mean ± 2 standard errors covers the truth.
    pub(super) coverage: f64,
}

/// Fewer batches than this say little about their spread.
const ENOUGH: u64 = 20;

/// The numbers of processes of which there are enough batches, or else the smallest ones with two.
pub(super) fn feasible(processes: &[u64], estimates: u64) -> Vec<u64> {
    let with =
        |batches: u64| processes.iter().copied().filter(|j| estimates / j >= batches).collect::<Vec<_>>();
    let enough = with(ENOUGH);
    if enough.is_empty() { with(2).into_iter().take(3).collect() } else { enough }
}

/// The losses of `aggregate` for one number of processes.
pub(super) fn loss(estimates: &[f64], truth: f64, processes: u64, aggregate: Aggregate) -> Loss {
    let batches: Vec<&[f64]> = estimates.chunks_exact(processes as usize).collect();
    let mut squares: Vec<f64> = batches.iter().map(|b| ((aggregate.of(b) - truth) / truth).powi(2)).collect();
    squares.sort_by(f64::total_cmp);
    let root = |q: f64| quantile(&squares, q).unwrap_or(f64::NAN).sqrt();
    let moments: Moments = squares.iter().copied().collect();
    let mean = moments.mean().unwrap_or(f64::NAN);
    let mean_se = (moments.variance().unwrap_or(f64::NAN) / batches.len() as f64).sqrt();
    let covered = batches.iter().filter(|b| covers(b, truth)).count();
    Loss {
        processes,
        batches: batches.len(),
        low: root(0.2),
        median: root(0.5),
        high: root(0.8),
        rmse: mean.sqrt(),
        rmse_se: mean_se / (2.0 * mean.sqrt()),
        coverage: covered as f64 / batches.len() as f64,
    }
}

/// Mean and standard error as the paper takes them, `sqrt(Var / (J - 1))`.
pub(super) fn mean_and_error(batch: &[f64]) -> (f64, f64) {
    let moments: Moments = batch.iter().copied().collect();
    let variance = moments.variance().unwrap_or(f64::NAN);
    (moments.mean().unwrap_or(f64::NAN), (variance / batch.len() as f64).sqrt())
}

fn covers(batch: &[f64], truth: f64) -> bool {
    let (mean, error) = mean_and_error(batch);
    (mean - truth).abs() <= 2.0 * error
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita::Stream;
    use partita::rng::Purpose;

    /// Normal estimates around 2 with standard deviation 1: RMSE 1 / (2 sqrt J), coverage 0.9545.
    #[test]
    fn losses_of_normal_estimates_are_known() {
        let mut chance = Stream::new(7, 0).sequence(Purpose::Data, 0);
        let estimates: Vec<f64> = (0..200_000).map(|_| 2.0 + chance.normal()).collect();
        for (aggregate, efficiency) in [(Aggregate::Mean, 1.0), (Aggregate::Trimmed(0.1), 0.97)] {
            let loss = loss(&estimates, 2.0, 100, aggregate);
            assert_eq!(loss.batches, 2000);
            let expected = 0.05 / f64::sqrt(efficiency);
            // Five standard errors: false alarm below 1e-6, and the seed is fixed.
            assert!((loss.rmse - expected).abs() < 5.0 * loss.rmse_se, "{loss:?}");
            assert!(loss.rmse_se < 0.002 && loss.low < loss.median && loss.median < loss.high);
            assert!((loss.median - 0.6745 * expected).abs() < 0.004, "{loss:?}");
            assert!((loss.coverage - 0.9545).abs() < 0.024, "{loss:?}");
        }
    }

    #[test]
    fn a_bias_stays() {
        let mut chance = Stream::new(8, 0).sequence(Purpose::Data, 0);
        let estimates: Vec<f64> = (0..100_000).map(|_| 2.2 + 0.1 * chance.normal()).collect();
        let loss = loss(&estimates, 2.0, 1000, Aggregate::Mean);
        assert!((loss.rmse - 0.1).abs() < 0.001 && loss.coverage == 0.0, "{loss:?}");
    }

    #[test]
    fn small_scales_keep_small_numbers_of_processes() {
        assert_eq!(feasible(&[10, 100, 1000], 180_000), [10, 100, 1000]);
        assert_eq!(feasible(&[10, 100, 1000], 2500), [10, 100]);
        assert_eq!(feasible(&[10, 100, 1000], 40), [10]);
    }
}
