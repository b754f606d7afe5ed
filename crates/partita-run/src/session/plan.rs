//! What is left open is decided: lag, burn-in and sweeps by a pilot, when to stop, how much to keep.

use super::Watch;
use crate::config::Options;
use crate::directory::Stop;
use crate::engine::Executor;
use crate::model::{Model, advice};
use crate::pilot::{self, Given};
use crate::{Failure, words};
use std::sync::atomic::AtomicBool;

/// Wall time that a run takes when nothing says when to stop.
const DEFAULT_SECONDS: f64 = 45.0;
/// The interval width at which it stops earlier.
const DEFAULT_PRECISION: f64 = 0.01;
/// The first look at the precision, and how rounds grow.
const FIRST_ROUND: u64 = 64;
/// Fills in lag, burn-in and sweeps, by a pilot where one of them was left open.
pub(super) fn tune(
    model: &dyn Model,
    options: &mut Options,
    executor: &dyn Executor,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Option<pilot::Findings>, Failure> {
    let open = options.lag.is_none() || options.burn_in.is_none() || options.sweeps.is_none();
    let timed = options.replicates.is_none();
    let pilot = if open || timed {
        watch.say("pilot: pairs from over-dispersed starts, to find lag, burn-in and sweeps");
        let given = Given {
            lag: options.lag,
            burn_in: options.burn_in,
            sweeps: options.sweeps,
            max_sweeps: options.max_sweeps,
        };
        let seed = options.seed.unwrap_or(1);
        let mut say = |sentence: String| watch.say(&sentence);
        let found = pilot::run(model, seed, given, executor, interrupted, &mut say)?;
        watch.say(&format!(
            "pilot: lag {}, burn-in {}, sweeps {} ({})",
            found.lag,
            found.burn_in,
            found.sweeps,
            words::duration(found.seconds)
        ));
        if found.unmet > 0 {
            watch.say(&format!(
                "pilot: {} of {} pairs did not meet in time: chains seldom move between parts of this \
                 target; expect long runs, and try {}",
                found.unmet,
                found.pairs,
                advice(options)
            ));
        }
        let one = found.replicate_calls * found.seconds_per_call;
        if timed && options.time.is_none() && LEAST as f64 * one / executor.width() as f64 > LONG_RUN {
            watch.say(&format!(
                "pilot: one replicate takes about {} of one processor, and a run makes at least {LEAST}; --time or \
                 fewer --replicates end sooner, and {} may speed it up",
                words::duration(one),
                advice(options)
            ));
        }
        options.lag = Some(found.lag);
        options.burn_in = Some(found.burn_in);
        options.sweeps = Some(found.sweeps);
        Some(found)
    } else {
        None
    };
    let longest = options.sweeps.max(options.lag).unwrap_or(0);
    options.max_sweeps.get_or_insert((20 * longest).max(20_000));
    options.check()?;
    Ok(pilot)
}

/// A run that takes longer than this, in seconds, is announced.
const LONG_RUN: f64 = 300.0;

/// A run makes at least so many replicates.
const LEAST: u64 = 20;

/// When to stop, where nothing was said: a fixed number of replicates that takes about a minute with
/// the pilot, or fewer if all intervals are narrow before.
pub(super) fn stop_rule(
    options: &Options,
    pilot: Option<&pilot::Findings>,
    threads: usize,
    meetings: bool,
) -> Stop {
    let seconds = pilot.map_or(0.01, |p| p.replicate_calls * p.seconds_per_call).max(1e-7);
    let affordable = |budget: f64| (budget * threads as f64 / seconds) as u64;
    if let Some(replicates) = options.replicates {
        return Stop::Replicates { replicates };
    }
    if let Some(time) = options.time {
        // About 25 replicates a worker, so that little is dropped and the workers' means are not skewed by
        // slow first ones; at least four workers a thread, for an interval.
        let shares = ((time.seconds() / (25.0 * seconds)) as u64).clamp(4, 25);
        return Stop::Time { workers: shares * threads as u64, seconds: time.seconds() / shares as f64 };
    }
    // The pilot must stay small beside the run: at least five times its work, counted in kernel calls.
    let five_pilots =
        pilot.map_or(0, |p| (5.0 * p.kernel_calls as f64 / p.replicate_calls.max(1.0)).ceil() as u64);
    let at_most = affordable(DEFAULT_SECONDS).max(five_pilots).clamp(LEAST, 100_000);
    match options.precision {
        Some(width) => Stop::Precision { width, at_least: FIRST_ROUND, at_most: u64::MAX },
        None if meetings => Stop::Replicates { replicates: at_most.min(1000) },
        None => Stop::Precision { width: DEFAULT_PRECISION, at_least: FIRST_ROUND.max(five_pilots), at_most },
    }
}

/// Labels kept at most in `draws.csv`: about 60 MB of text.
const KEPT_LABELS: u64 = 20_000_000;

/// States kept at most: enough for any picture.
const KEPT_STATES: u64 = 50_000;

/// How many states of so many items can be kept.
fn states(items: usize) -> u64 {
    (KEPT_LABELS / items as u64).min(KEPT_STATES)
}

/// States to keep of each replicate, where nothing was said.
pub(super) fn keep_draws(items: usize, replicates: u64) -> usize {
    (states(items) / replicates.max(1)).clamp(1, 10) as usize
}

/// Replicates from this number on keep no states.
pub(super) fn keep_until(items: usize, keep_draws: usize) -> u64 {
    (states(items) / keep_draws.max(1) as u64).max(20)
}
