//! Posterior expectations by a sum over all partitions: the truth, for a few items.

use crate::partition::{Partition, Partitions};
use crate::summary::Summary;
use crate::target::{State, Target};

/// The exact expectations of a summary. There are 4,213,597 partitions of 12 items, and the number grows very quickly.
///
/// ```
/// use partita::summary::Clusters;
/// use partita::{Gaussian, Mixture, Prior, exact};
/// let rows = Gaussian::isotropic(vec![0.0, 0.0], 1, 1.0, 1.0)?;
/// let target = Mixture::new(Prior::dirichlet(1.0)?, rows);
/// // Together with odds 2 / sqrt(3) to 1.
/// let apart = 3_f64.sqrt() / (2.0 + 3_f64.sqrt());
/// assert!((exact::expectations(&target, &Clusters)[0] - 1.0 - apart).abs() < 1e-12);
/// # Ok::<(), partita::Error>(())
/// ```
pub fn expectations<T: Target, S: Summary<T> + ?Sized>(target: &T, summary: &S) -> Vec<f64> {
    let all: Vec<(f64, Partition)> = Partitions::of(target.len())
        .map(|z| (target.log_probability(&z), z))
        .filter(|(log, _)| *log > f64::NEG_INFINITY)
        .collect();
    let most = all.iter().map(|(log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
    let (mut total, mut sums) = (0.0, vec![0.0; summary.len()]);
    let mut values = sums.clone();
    for (log, z) in all {
        let weight = libm::exp(log - most);
        summary.evaluate(target, &State::new(target, z), &mut values);
        total += weight;
        sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += weight * value);
    }
    sums.iter().map(|sum| sum / total).collect()
}
