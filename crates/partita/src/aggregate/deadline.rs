//! Estimates from workers that stop at a deadline, without favouring replicates that happen to be quick.
//!
//! Each of `W` workers completes independent replicates one after another. Pooling what is complete at the deadline is
//! **wrong**: slow replicates are the ones still in flight, and they are the ones with large corrections. More workers
//! do not help: the bias stays while the interval shrinks around it. Two rules are right (Glynn, Heidelberger 1990, 1991):
//!
//! - [`unbiased`]: the mean over workers of each worker's own mean, where a worker with nothing complete waits for its
//!   first. Exactly unbiased at any deadline: given how many a worker completed, those are exchangeable, so its mean
//!   has the law's mean where the first is complete, and its first supplies the rest.
//! - [`consistent`]: every replicate in flight finishes, and all are pooled. The sum and the count of a worker have
//!   means in the ratio of the truth (Wald's identity, the first completion after the deadline being a stopping time),
//!   so the pooled ratio is biased by the order of 1/(completions of all workers) only.
//!
//! Both assume that no worker ran out of replicates before the deadline. A run that ended because all planned
//! replicates were done was not stopped by a deadline: pass them all to [`mean`](super::mean).

use super::sum::{Shape, sum, sum_of_squares_about};
use super::{Estimate, LEVEL, mean_at, standard_error};

/// One replicate completed by one worker.
///
/// ```
/// use partita::aggregate::deadline::Completion;
/// let quick = Completion { worker: 0, at: 1.5, value: 0.3 };
/// assert!(quick.at < 2.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Completion {
    /// The worker that completed it, counted from 0.
    pub worker: usize,
    /// When, on the same scale as the deadline.
    pub at: f64,
    /// The estimate of this replicate.
    pub value: f64,
}

/// A replicate that must be waited for is not among the completions: leaving it out would be the very bias that the
/// rules here avoid.
///
/// ```
/// use partita::aggregate::deadline::{Completion, Missing, unbiased};
/// let of_one = [Completion { worker: 0, at: 1.0, value: 0.3 }];
/// assert_eq!(unbiased(&of_one, 2, 5.0), Err(Missing::First { worker: 1 }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Missing {
    /// There are no workers, so there is nothing to estimate from.
    #[error("no worker, no estimate")]
    Workers,
    /// A worker has completed nothing at all.
    #[error("worker {worker} has completed no replicate yet; its first must be waited for")]
    First {
        /// Who.
        worker: usize,
    },
    /// The replicate that a worker had in flight at the deadline has not finished.
    #[error("worker {worker} has not finished the replicate it had in flight at the deadline")]
    InFlight {
        /// Who.
        worker: usize,
    },
}

/// What one worker has to show at the deadline.
#[derive(Default)]
struct Record {
    /// Values completed by the deadline, in the order given.
    done: Vec<f64>,
    /// The earliest completion after it, the one in flight: when, and its value.
    in_flight: Option<(f64, f64)>,
}

/// The unbiased rule: the mean over workers of each worker's mean of what it completed by the deadline; a
/// worker that completed nothing contributes its first completion after it. Everything else in flight is
/// dropped.
///
/// The workers are `0..workers`, and their completions may be interleaved in any way. The interval is that of the
/// [`mean`](super::mean) over the workers' means, so that of a single worker is infinite. If workers complete only a
/// few replicates each, the mean over workers, some of which waited for a slow first one, is doubly skewed, and the
/// interval covers less than its level: with four replicates per worker 0.88 to 0.94, with 25 its level (see
/// `docs/tuning.md`).
///
/// # Errors
/// [`Missing::First`] if a worker has no completion at all, [`Missing::Workers`] if there is none.
///
/// # Panics
/// If a completion names a worker outside `0..workers`, or a time is NaN.
///
/// ```
/// use partita::aggregate::deadline::{Completion, unbiased};
/// let completions = [
///     Completion { worker: 0, at: 1.0, value: 1.0 },
///     Completion { worker: 0, at: 3.0, value: 2.0 },
///     Completion { worker: 0, at: 9.0, value: 6.0 }, // in flight at the deadline, dropped
///     Completion { worker: 1, at: 8.0, value: 8.0 }, // its first, waited for
/// ];
/// assert_eq!(unbiased(&completions, 2, 5.0).unwrap().value, (1.5 + 8.0) / 2.0);
/// ```
pub fn unbiased(completions: &[Completion], workers: usize, deadline: f64) -> Result<Estimate, Missing> {
    unbiased_at(completions, workers, deadline, LEVEL)
}

/// [`unbiased`] with an interval at another level; the same errors and panics.
///
/// ```
/// use partita::aggregate::deadline::{Completion, unbiased_at};
/// let completions = [
///     Completion { worker: 0, at: 1.0, value: 1.0 },
///     Completion { worker: 1, at: 2.0, value: 2.0 },
/// ];
/// assert_eq!(unbiased_at(&completions, 2, 5.0, 0.9).unwrap().level, 0.9);
/// ```
pub fn unbiased_at(
    completions: &[Completion],
    workers: usize,
    deadline: f64,
    level: f64,
) -> Result<Estimate, Missing> {
    let means = records(completions, workers, deadline)
        .into_iter()
        .enumerate()
        .map(|(worker, record)| match (record.done.len(), record.in_flight) {
            (0, None) => Err(Missing::First { worker }),
            (0, Some((_, first))) => Ok(first),
            (count, _) => Ok(sum(&record.done) / count as f64),
        })
        .collect::<Result<Vec<f64>, Missing>>()?;
    mean_at(&means, level).ok_or(Missing::Workers)
}

/// The consistent rule: everything completed by the deadline and, for each worker, the replicate in flight at the
/// deadline (its first completion after it), pooled: sum over count.
///
/// The standard error is that of a ratio estimator across workers (Cochran 1977, section 6.4): `se^2 = sum_w (S_w - R
/// C_w)^2 / (W (W - 1) mean(C)^2)` with `S_w`, `C_w` the sum and count of a worker and `R` the estimate; the interval
/// is computed like that of a [`mean`](super::mean), with the shape of these residuals. Later completions are left
/// out.
///
/// # Errors
/// [`Missing::First`] if a worker has no completion at all, [`Missing::InFlight`] if it has none after the deadline,
/// [`Missing::Workers`] if there is none.
///
/// # Panics
/// If a completion names a worker outside `0..workers`, or a time is NaN.
///
/// ```
/// use partita::aggregate::deadline::{Completion, consistent};
/// let completions = [
///     Completion { worker: 0, at: 1.0, value: 1.0 },
///     Completion { worker: 0, at: 3.0, value: 2.0 },
///     Completion { worker: 0, at: 9.0, value: 6.0 }, // in flight at the deadline, pooled
///     Completion { worker: 1, at: 8.0, value: 8.0 }, // in flight too
/// ];
/// assert_eq!(consistent(&completions, 2, 5.0).unwrap().value, (1.0 + 2.0 + 6.0 + 8.0) / 4.0);
/// ```
pub fn consistent(completions: &[Completion], workers: usize, deadline: f64) -> Result<Estimate, Missing> {
    consistent_at(completions, workers, deadline, LEVEL)
}

/// [`consistent`] with an interval at another level; the same errors and panics.
///
/// ```
/// use partita::aggregate::deadline::{Completion, consistent_at};
/// let completions = [
///     Completion { worker: 0, at: 6.0, value: 1.0 },
///     Completion { worker: 1, at: 7.0, value: 2.0 },
/// ];
/// assert_eq!(consistent_at(&completions, 2, 5.0, 0.9).unwrap().level, 0.9);
/// ```
pub fn consistent_at(
    completions: &[Completion],
    workers: usize,
    deadline: f64,
    level: f64,
) -> Result<Estimate, Missing> {
    if workers == 0 {
        return Err(Missing::Workers);
    }
    let mut sums = Vec::with_capacity(workers);
    let mut counts = Vec::with_capacity(workers);
    for (worker, mut record) in records(completions, workers, deadline).into_iter().enumerate() {
        let (_, last) = record.in_flight.ok_or(match record.done.len() {
            0 => Missing::First { worker },
            _ => Missing::InFlight { worker },
        })?;
        record.done.push(last);
        sums.push(sum(&record.done));
        counts.push(record.done.len() as f64);
    }
    let total: f64 = counts.iter().sum();
    let value = sum(&sums) / total;
    // The residuals S_w - R C_w sum to zero, so their spread about zero is their spread about their mean.
    let residuals: Vec<f64> = sums.iter().zip(&counts).map(|(s, c)| s - value * c).collect();
    let squares = sum_of_squares_about(&residuals, 0.0);
    let se = standard_error(squares, workers) / (total / workers as f64);
    Ok(Estimate::student(value, se, workers, Shape::of(&residuals, 0.0, squares), level))
}

/// Sorts the completions by worker into what is done and what is in flight at the deadline.
fn records(completions: &[Completion], workers: usize, deadline: f64) -> Vec<Record> {
    assert!(!deadline.is_nan(), "the deadline is not a number");
    let mut records: Vec<Record> = (0..workers).map(|_| Record::default()).collect();
    for &Completion { worker, at, value } in completions {
        assert!(!at.is_nan(), "a completion of worker {worker} has no time");
        assert!(worker < workers, "worker {worker} does not exist: there are {workers}");
        let record = &mut records[worker];
        if at <= deadline {
            record.done.push(value);
        } else if record.in_flight.is_none_or(|(earliest, _)| at < earliest) {
            record.in_flight = Some((at, value));
        }
    }
    records
}
