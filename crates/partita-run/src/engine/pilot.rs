//! The pilot: finds lag, burn-in and sweeps from pairs that are then thrown away.
//!
//! Pairs start over-dispersed, half of them from a second law, because pairs that start together may
//! meet before either has left (the trap of the common start). The lag is raised, at least doubled,
//! until no pilot pair needs longer to meet than the lag itself: then the first chain has forgotten
//! its start when the second one begins, and what the pilot has seen of meetings is what the run
//! will see. The burn-in is a multiple of the longest wait, so that corrections are rare: an estimate
//! whose own variance is tiny would otherwise be at the mercy of a few late pairs. Stages are planned by
//! operations, not by a clock: the same pilot on every machine. All stages together have a budget; where a
//! problem is too large for it, pairs are fewer and traces shorter, and the user is told.

use crate::Failure;
use crate::engine::{self, Executor, Job, Output, PilotPairs, Work};
use crate::model::Model;
use partita::Schedule;
use partita::tuning::{Trace, asymptotic_variance, safe_burn_in};
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What a pilot has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pilot {
    /// The lag.
    pub lag: u64,
    /// The burn-in.
    pub burn_in: u64,
    /// The sweeps.
    pub sweeps: u64,
    /// Pilot pairs that had not met when they were cut.
    pub unmet: u64,
    /// Pilot pairs of the last lag.
    pub pairs: u64,
    /// Asymptotic variance of one long chain, a summary each.
    pub asymptotic_variance: Vec<f64>,
    /// Mean kernel calls of one replicate of this schedule.
    pub replicate_calls: f64,
    /// Wall time of one kernel call on one processor.
    pub seconds_per_call: f64,
    /// Wall time of the pilot.
    pub seconds: f64,
    /// Kernel calls of the pilot.
    pub kernel_calls: u64,
}

/// What was given and need not be found.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Given {
    pub lag: Option<u64>,
    pub burn_in: Option<u64>,
    pub sweeps: Option<u64>,
    pub max_sweeps: Option<u64>,
}

/// Operations a stage of a pilot costs if its pairs take 300 sweeps.
const WORK: f64 = 3e9;

/// Operations of all stages together: about two minutes of one processor.
pub(crate) const BUDGET: f64 = 1.2e11;

/// A pair is cut after this many times as long: then the pilot says that meetings are slow.
const PATIENCE: f64 = 6.0;

/// How often a pair may wait longer than the burn-in: rarer than any run has replicates that matter.
const RARE: f64 = 1e-4;

/// Lags below this are not worth their saving.
const SHORTEST_LAG: u64 = 10;

/// A longest wait this close above the lag needs no further stage.
const NEAR_ENOUGH: f64 = 1.25;

struct Stage {
    traces: Vec<Trace>,
    seconds: f64,
}

impl Stage {
    /// How long each pair took from the moment both chains moved.
    fn waits(&self) -> Vec<u64> {
        self.traces.iter().map(|t| t.tau.unwrap_or(t.sweeps()) - t.lag).collect()
    }

    fn unmet(&self) -> u64 {
        self.traces.iter().filter(|t| t.tau.is_none()).count() as u64
    }

    fn kernel_calls(&self) -> u64 {
        let calls = |t: &Trace| {
            let met = t.tau.unwrap_or(t.sweeps());
            t.sweeps() + (met - t.lag)
        };
        self.traces.iter().map(calls).sum()
    }
}

/// Runs the pilot. `say` is told about each stage.
pub(crate) fn run(
    model: &dyn Model,
    seed: u64,
    given: Given,
    executor: &dyn Executor,
    interrupted: &AtomicBool,
    say: &mut dyn FnMut(String),
) -> Result<Pilot, Failure> {
    let begin = Instant::now();
    let mut calls = 0;
    let mut busy = 0.0;
    let mut first_pair = 0;
    let mut stage = |pairs: u64, lag: u64, horizon: u64, cap: u64| -> Result<Stage, Failure> {
        let started = Instant::now();
        let mut traces = Vec::new();
        let work = Work::PilotPairs(PilotPairs { seed, lag, horizon, max_sweeps: cap });
        let numbers = first_pair..first_pair + pairs;
        first_pair += pairs;
        let job = Job { chains: model, work: &work };
        let done = engine::run(executor, &job, numbers, interrupted, |number, output| {
            if let Output::Pilot(trace) = output {
                traces.push((number, trace));
            }
            Ok(())
        })?;
        if !done {
            return Err(Failure::Interrupted("interrupted during the pilot: nothing was kept".into()));
        }
        traces.sort_by_key(|(number, _)| *number);
        let traces: Vec<Trace> = traces.into_iter().map(|(_, trace)| trace).collect();
        let stage = Stage { traces, seconds: started.elapsed().as_secs_f64() };
        calls += stage.kernel_calls();
        busy += stage.seconds * executor.width() as f64;
        Ok(stage)
    };

    // How many pairs and sweeps the work allows: 120 pairs of 300 sweeps, or fewer of large problems.
    let sweep = model.sweep_work();
    let budget = (BUDGET / sweep) as u64;
    let pairs = ((WORK / (300.0 * sweep)) as u64).clamp(12, 120) / 2 * 2;
    let cap = ((PATIENCE * WORK / (pairs as f64 * sweep)) as u64).clamp(300, 100_000);
    // A stage whose pairs all wait until they are cut may take half of the budget.
    let fewer = (budget / 2 / (2 * cap)).clamp(4, pairs) / 2 * 2;
    let shorter = (budget / 2 / (2 * fewer)).clamp(20, cap);
    if fewer < pairs || shorter < cap {
        say(format!(
            "pilot: the problem is large, so that only {fewer} pairs are tried, for {shorter} sweeps at most; \
             `lag`, `burn_in` and `sweeps` would spare the pilot its search"
        ));
    }
    let pairs = fewer;
    let cap = given.max_sweeps.map_or(shorter, |given| given.min(shorter));

    // Stage after stage, the lag grows until no pair waits longer than the lag.
    let mut lag = given.lag.unwrap_or(SHORTEST_LAG);
    let mut last = stage(pairs, lag, lag, cap + lag)?;
    let mut spent = last.kernel_calls();
    while given.lag.is_none() && last.unmet() == 0 {
        let longest = last.waits().into_iter().max().unwrap_or(1);
        if longest as f64 <= NEAR_ENOUGH * lag as f64 {
            lag = lag.max(longest);
            break;
        }
        lag = longest.max(2 * lag);
        // A third of the budget is for the long traces at the end.
        let wanted = spent + pairs * lag + 2 * last.waits().iter().sum::<u64>();
        if lag > cap || wanted > budget / 3 * 2 {
            say(format!(
                "pilot: a pair took {longest} sweeps to meet, and whether a lag of {lag} is enough is more than \
                 the pilot can afford to see: the run goes on with it"
            ));
            break;
        }
        say(format!("pilot: a pair took {longest} sweeps to meet; trying a lag of {lag}"));
        last = stage(pairs, lag, lag, cap + lag)?;
        spent += last.kernel_calls();
    }
    if given.lag.is_none() && last.unmet() > 0 {
        // Not all meet: the best that can be done is to say so and to go on with what was seen.
        let waits = last.waits();
        lag = lag.max(waits.iter().copied().max().unwrap_or(lag) / 10);
    }

    // The two start laws alternate: their waits should have the same tail.
    if model.has_second_start() {
        let of_law = |second: usize| {
            let mut waits: Vec<u64> = last.waits().into_iter().skip(second).step_by(2).collect();
            waits.sort_unstable();
            waits.get(waits.len() * 9 / 10).copied().unwrap_or(1).max(1)
        };
        let (first, second) = (of_law(0), of_law(1));
        if first.max(second) > 3 * first.min(second) {
            say(format!(
                "pilot: meetings hinge on the start: nine in ten pairs meet after {first} sweeps from one \
                 start law, {second} from another; the schedule allows for the slower"
            ));
        }
    }

    // A correction enters where a pair waits longer than the burn-in.
    let safe = safe_burn_in(last.waits().into_iter().max().unwrap_or(1), pairs, RARE);
    let burn_in = given.burn_in.unwrap_or_else(|| {
        let wanted = safe.max(SHORTEST_LAG);
        given.sweeps.map_or(wanted, |m| wanted.min(m / 2))
    });
    // Where one replicate is so much work, many short ones are better than few long ones.
    let times = if 5 * burn_in > budget / 10 { 2 } else { 5 };
    let sweeps = given.sweeps.unwrap_or_else(|| (times * burn_in).max(times * lag).max(100));
    let schedule = Schedule::new(lag, burn_in, sweeps)?;

    // A few long traces: what a long chain's variance is, and what a sweep costs after the meeting.
    let long = (pairs / 10).clamp(2, 8);
    let horizon = sweeps.min((budget.saturating_sub(spent) / long).max(20));
    let traces = stage(long, lag, horizon, (cap + lag).max(horizon))?;
    let settled = burn_in.min(horizon / 2);
    let width = model.quantities().len();
    let variance = (0..width)
        .map(|j| {
            let each: Vec<f64> = traces
                .traces
                .iter()
                .filter_map(|trace| {
                    let series: Vec<f64> = (settled..=trace.sweeps()).map(|t| trace.x(t)[j]).collect();
                    asymptotic_variance(&series)
                })
                .collect();
            each.iter().sum::<f64>() / each.len().max(1) as f64
        })
        .collect();
    let waits = last.waits();
    let mean_cost =
        waits.iter().map(|w| schedule.cost(lag + w) as f64).sum::<f64>() / waits.len().max(1) as f64;
    Ok(Pilot {
        lag,
        burn_in,
        sweeps,
        unmet: last.unmet(),
        pairs: last.traces.len() as u64,
        asymptotic_variance: variance,
        replicate_calls: mean_cost,
        seconds_per_call: busy / calls.max(1) as f64,
        seconds: begin.elapsed().as_secs_f64(),
        kernel_calls: calls,
    })
}
