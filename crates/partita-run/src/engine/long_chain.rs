//! What one long chain would give: its asymptotic variance, by coupled pairs between kept states.
//!
//! The pairs start from states of two independent replicates (or workers), and their estimate is unbiased
//! ([`partita::poisson`]). How many run is decided before the first one, from the meetings that the run has seen:
//! stopping when a budget is spent would favour the quick pairs.

use crate::answers::{self, LongChains};
use crate::config::StoppingRule;
use crate::engine::pilot;
use crate::engine::{self, Between, Executor, Job, Output, Row, Sample, Starts, Work};
use crate::model::Model;
use crate::results::{LongChain, Results, VariancePairs, Yardstick};
use crate::session::{self, Watch};
use crate::store::{Directory, Run};
use crate::{Failure, words};
use partita::aggregate::Means;
use partita::atoms::Atom;
use std::sync::atomic::AtomicBool;

/// Kernel calls of all pairs, against those of the replicates; of a timed run, which is to end in time.
const SHARE: f64 = 0.1;
const TIMED_SHARE: f64 = 0.02;

/// With so many pairs the variance is known well enough.
const MOST: u64 = 2000;

/// With fewer pairs of replicates, the spread between them says little.
const LEAST: u64 = 10;

/// From here on, in seconds, the user is told.
const LONG: f64 = 5.0;

/// How many pairs run: so many between each two units.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plan {
    /// Pairs of units.
    units: u64,
    /// Coupled pairs between the states of two units.
    each: u64,
    /// Kernel calls to be expected.
    calls: f64,
}

/// Plans pairs for so many units, of a share of the run's work and no more than a pilot's; none where too few can be
/// afforded or are there, or where pairs of the run itself were cut, so that more would be.
fn plan(stop: &StoppingRule, rows: &[Row], lag: u64, units: usize, sweep_work: f64) -> Option<Plan> {
    let waits: Vec<u64> = rows.iter().map(|row| row.tau.map(|tau| tau - lag)).collect::<Option<_>>()?;
    let share = if matches!(stop, StoppingRule::Time { .. }) { TIMED_SHARE } else { SHARE };
    let ran = rows.iter().map(|row| row.kernel_calls).sum::<u64>();
    let budget = (share * ran as f64).min(pilot::BUDGET / sweep_work);
    // Two chains move until they meet, which takes at least a sweep unless they set out as one.
    let calls = 2.0 * (waits.iter().sum::<u64>() as f64 / waits.len().max(1) as f64).max(1.0);
    let pairs = ((budget / calls) as u64).min(MOST);
    let units = (units as u64 / 2).min(pairs);
    let each = pairs / units.max(1);
    (units >= LEAST).then_some(Plan { units, each, calls: (units * each) as f64 * calls })
}

/// What an earlier look at the same rows has found, and wrote into the directory.
pub(crate) fn known_of(directory: &Directory, sample: &Sample) -> Option<LongChains> {
    let summary = session::known(directory.path())?;
    let same = (sample.rows.len() as u64, sample.kernel_calls());
    known(&summary).filter(|_| (summary.replicates, summary.kernel_calls) == same)
}

pub(crate) fn known(summary: &Results) -> Option<LongChains> {
    let chains = summary
        .summaries
        .iter()
        .map(|line| line.long_chain.clone().filter(|chain| chain.by == Yardstick::CoupledPairs));
    Some(LongChains { chains: chains.collect(), pairs: summary.variance_pairs? })
}

/// The pairs that [`measure`] would run on this sample.
fn planned(run: &Run, model: &dyn Model, sample: &Sample, units: usize) -> Option<Plan> {
    let lag = run.plan.schedule.lag();
    let plan = plan(&run.plan.stop, &sample.rows, lag, units, model.sweep_work());
    plan.filter(|_| !model.quantities().is_empty())
}

/// Whether there is anything for [`measure`] to run.
pub(crate) fn affordable(run: &Run, model: &dyn Model, sample: &Sample) -> bool {
    planned(run, model, sample, answers::units(&run.plan.stop, &sample.draws).len()).is_some()
}

/// Runs the pairs. None where there are too few, or where one of them was cut.
pub(crate) fn measure(
    run: &Run,
    model: &dyn Model,
    sample: &Sample,
    executor: &dyn Executor,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Option<LongChains>, Failure> {
    let (rows, units) = (&sample.rows, answers::units(&run.plan.stop, &sample.draws));
    let width = model.quantities().len();
    let Some(plan) = planned(run, model, sample, units.len()) else { return Ok(None) };
    let (busy, calls) = rows.iter().fold((0.0, 0), |(s, n), row| (s + row.seconds, n + row.kernel_calls));
    let seconds = plan.calls * busy / calls.max(1) as f64 / executor.width() as f64;
    if seconds > LONG {
        watch.say(&format!(
            "{} coupled pairs more, to hold the run against one long chain (about {})",
            plan.units * plan.each,
            words::duration(seconds)
        ));
    }
    let (seed, cap) = (run.plan.seed, run.plan.max_sweeps);
    let states = |unit: u64| {
        let atoms = units[unit as usize].atoms.iter();
        atoms.map(|(weight, partition)| Atom { weight: *weight, partition: (*partition).clone() }).collect()
    };
    let units = (0..plan.units).map(|pair| [states(2 * pair), states(2 * pair + 1)]).collect();
    let work = Work::VariancePairs(Starts { seed, cap, each: plan.each, units });
    let mut found: Vec<(u64, Option<Between>)> = Vec::new();
    let job = Job { chains: model, work: &work };
    let done = engine::run(executor, &job, 0..plan.units, interrupted, |pair, output| {
        if let Output::Variance(between) = output {
            found.push((pair, between));
        }
        Ok(())
    })?;
    if !done {
        return Err(Failure::Interrupted("interrupted before the answers were written".into()));
    }
    // In the order of the units, whatever the threads.
    found.sort_by_key(|(pair, _)| *pair);
    let Some(found) = found.into_iter().map(|(_, found)| found).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let mut means = Means::new(width);
    found.iter().for_each(|between| means.push(&between.variances));
    let chain = |j: usize| {
        let (variance, se) = (means.mean()[j], means.se(j));
        // An error as large as half the value would leave the ratio unknown.
        let clear = variance > 0.0 && se <= variance / 2.0;
        clear.then_some(LongChain { variance, se: Some(se), by: Yardstick::CoupledPairs })
    };
    let kernel_calls = found.iter().map(|between| between.kernel_calls).sum();
    Ok(Some(LongChains {
        chains: (0..width).map(chain).collect(),
        pairs: VariancePairs { pairs: plan.units * plan.each, kernel_calls },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: u64, tau: Option<u64>) -> Vec<Row> {
        let row = |replicate| Row {
            replicate,
            tau,
            sweeps: 1000,
            kernel_calls: 1000,
            seconds: 1.0,
            values: vec![],
        };
        (0..count).map(row).collect()
    }

    #[test]
    fn pairs_take_a_tenth_of_the_run_or_less() {
        let stop = StoppingRule::Replicates { replicates: 100 };
        let planned = |rows: &[Row], units| plan(&stop, rows, 5, units, 1.0).map(|p| (p.units, p.each));
        // A hundred replicates of 1,000 calls afford 10,000 calls: 100 pairs that take 50 sweeps.
        assert_eq!(planned(&rows(100, Some(55)), 100), Some((50, 2)));
        assert_eq!(planned(&rows(100, Some(55)), 20), Some((10, 10)));
        // Slow meetings: 20 pairs, then too few.
        assert_eq!(planned(&rows(100, Some(255)), 100), Some((20, 1)));
        assert_eq!(planned(&rows(100, Some(605)), 100), None);
        // Too few units, a pair that was cut, nothing at all.
        assert_eq!(planned(&rows(100, Some(55)), 19), None);
        assert_eq!(planned(&rows(100, None), 100), None);
        assert_eq!(planned(&[], 0), None);
        // Meetings at once, and very many of them.
        assert_eq!(planned(&rows(10_000, Some(5)), 10_000), Some((2000, 1)));
        // Sweeps so long that the budget is smaller: 5,000 calls.
        let large = plan(&stop, &rows(100, Some(55)), 5, 100, pilot::BUDGET / 5000.0);
        assert_eq!(large, Some(Plan { units: 50, each: 1, calls: 5000.0 }));
        // A timed run has less to spare.
        let timed = StoppingRule::Time { workers: 20, seconds: 1.0, further: 0 };
        assert_eq!(
            plan(&timed, &rows(100, Some(55)), 5, 20, 1.0),
            Some(Plan { units: 10, each: 2, calls: 2000.0 })
        );
    }
}
