//! The truth that estimates are held against: ten long chains as in the paper, or all partitions.

use super::Workbench;
use super::definition::Truth;
use partita::aggregate::Moments;
use partita_run::Failure;
use partita_run::engine::{self, Job, Output, Work};
use partita_run::model::Model;

/// A true value, and how well it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Known {
    pub(super) value: f64,
    /// Standard error over chains; 0 where the value is exact.
    pub(super) se: f64,
}

/// The expectation of every summary of the model.
pub(super) fn truth(model: &dyn Model, truth: &Truth, bench: &mut Workbench) -> Result<Vec<Known>, Failure> {
    if truth.exact {
        let values = model.enumerate().ok_or_else(|| {
            Failure::BadInput("[truth] exact sums over all partitions, which is for 12 items at most".into())
        })?;
        return Ok(values.into_iter().map(|value| Known { value, se: 0.0 }).collect());
    }
    // A small scale needs no fine truth, but the burn-in must stay.
    let share = bench.scale.clamp(0.1, 1.0);
    let kept = (((truth.sweeps - truth.discard) as f64 * share) as u64).max(1);
    let end = truth.discard + kept;
    let work = Work::Averages { seed: bench.seed, discard: truth.discard, end };
    let mut chains = Vec::new();
    let job = Job { chains: model, work: &work };
    let all = engine::run(bench.executor, &job, 0..truth.chains, bench.interrupted, |number, output| {
        if let Output::Average(values) = output {
            chains.push((number, values));
        }
        Ok(())
    })?;
    if !all {
        return Err(bench.interruption());
    }
    chains.sort_by_key(|(number, _)| *number);
    let known = (0..model.quantities().len()).map(|i| {
        let moments: Moments = chains.iter().map(|(_, values)| values[i]).collect();
        let variance = moments.variance().unwrap_or(f64::NAN);
        Known { value: moments.mean().unwrap_or(f64::NAN), se: (variance / truth.chains as f64).sqrt() }
    });
    Ok(known.collect())
}
