//! Lag, burn-in and sweeps: what was said, and what a pilot finds where something was left open.

use super::Watch;
use crate::config::resolve::{LEAST, SEED};
use crate::config::{Options, Setup};
use crate::engine::Executor;
use crate::engine::pilot::{self, Given, Pilot};
use crate::model::{Model, advice};
use crate::{Failure, words};
use partita::Schedule;
use std::sync::atomic::AtomicBool;

/// A run that takes longer than this, in seconds, is announced.
const LONG_RUN: f64 = 300.0;

/// The schedule of a run, by a pilot where it was left open, or where it is not known how long a replicate takes.
pub(super) fn schedule(
    model: &dyn Model,
    setup: &Setup,
    options: &Options,
    executor: &dyn Executor,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<(Schedule, Option<Pilot>), Failure> {
    let timed = options.replicates.is_none();
    if let (Some(lag), Some(burn_in), Some(sweeps), false) =
        (options.lag, options.burn_in, options.sweeps, timed)
    {
        return Ok((Schedule::new(lag, burn_in, sweeps)?, None));
    }
    watch.say("pilot: pairs from over-dispersed starts, to find lag, burn-in and sweeps");
    let given = Given {
        lag: options.lag,
        burn_in: options.burn_in,
        sweeps: options.sweeps,
        max_sweeps: options.max_sweeps,
    };
    let mut say = |sentence: String| watch.say(&sentence);
    let found = pilot::run(model, options.seed.unwrap_or(SEED), given, executor, interrupted, &mut say)?;
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
            advice(setup)
        ));
    }
    let one = found.replicate_calls * found.seconds_per_call;
    if timed && options.time.is_none() && LEAST as f64 * one / executor.width() as f64 > LONG_RUN {
        watch.say(&format!(
            "pilot: one replicate takes about {} of one processor, and a run makes at least {LEAST}; `time` or \
             fewer `replicates` end sooner, and {} may speed it up",
            words::duration(one),
            advice(setup)
        ));
    }
    Ok((Schedule::new(found.lag, found.burn_in, found.sweeps)?, Some(found)))
}
