//! The truth that estimates are held against: ten long chains as in the paper, or all partitions.

use super::definition::Truth;
use super::{LONG_CHAINS, Setting};
use partita::Stream;
use partita::aggregate::Moments;
use partita_run::Failure;
use partita_run::model::Model;
use partita_run::pool;

/// A true value, and how well it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Known {
    pub(super) value: f64,
    /// Standard error over chains; 0 where the value is exact.
    pub(super) se: f64,
}

/// The expectation of every summary of the model.
pub(super) fn truth(model: &dyn Model, truth: &Truth, setting: &mut Setting) -> Result<Vec<Known>, Failure> {
    if truth.exact {
        let values = model.enumerate().ok_or_else(|| {
            Failure::BadInput("[truth] exact sums over all partitions, which is for 12 items at most".into())
        })?;
        return Ok(values.into_iter().map(|value| Known { value, se: 0.0 }).collect());
    }
    // A small scale needs no fine truth, but the burn-in must stay.
    let share = setting.scale.clamp(0.1, 1.0);
    let kept = (((truth.sweeps - truth.discard) as f64 * share) as u64).max(1);
    let end = truth.discard + kept;
    let seed = setting.seed;
    let job = |number: u64, send: &dyn Fn((u64, Vec<f64>)), stop: &dyn Fn() -> bool| {
        let mut sums = vec![0.0; model.names().len()];
        let mut ended = false;
        model.chain(&Stream::new(seed, LONG_CHAINS | number), &mut |t, values| {
            if t > truth.discard {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
            ended = t >= end;
            !ended && !stop()
        });
        if ended {
            sums.iter_mut().for_each(|sum| *sum /= kept as f64);
            send((number, sums));
        }
        ended
    };
    let mut chains = Vec::new();
    let all = pool::run(setting.threads, 0..truth.chains, setting.interrupted, job, |chain| {
        chains.push(chain);
        Ok(())
    })?;
    if !all {
        return Err(setting.interruption());
    }
    chains.sort_by_key(|(number, _)| *number);
    let known = (0..model.names().len()).map(|i| {
        let moments: Moments = chains.iter().map(|(_, values)| values[i]).collect();
        let variance = moments.variance().unwrap_or(f64::NAN);
        Known { value: moments.mean().unwrap_or(f64::NAN), se: (variance / truth.chains as f64).sqrt() }
    });
    Ok(known.collect())
}
