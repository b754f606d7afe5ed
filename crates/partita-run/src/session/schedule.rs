//! Moves, starts, lag, burn-in and sweeps: what was said, and what a pilot finds where something was left open.

use super::Watch;
use crate::config::resolve::{self, LEAST, SEED};
use crate::config::{Limit, Options, Setup};
use crate::engine::Executor;
use crate::engine::pilot::{self, Candidate, Given, Pilot, Room};
use crate::model::{Input, Loaded, Model, advice, build};
use crate::{Failure, words};
use partita::Schedule;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A run that takes longer than this, in seconds, is announced.
const LONG_RUN: f64 = 300.0;

/// The share of a time-limited run that the pilot may take.
const PILOT_SHARE: f64 = 1.0 / 3.0;

/// A run whose moves, starts and schedule are settled.
pub(super) struct Scheduled {
    pub setup: Setup,
    pub model: Box<dyn Model>,
    pub input: Arc<Input>,
    pub schedule: Schedule,
    pub pilot: Option<Pilot>,
}

/// Settles what was left open, by a pilot where it takes one, or where it is not known how long a replicate takes.
pub(super) fn schedule(
    Loaded { setup, model, input }: Loaded,
    options: &Options,
    executor: &dyn Executor,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Scheduled, Failure> {
    let timed = options.replicates.is_none();
    let said = options.lag.zip(options.burn_in).zip(options.sweeps);
    if let (Some(((lag, burn_in), sweeps)), false) = (said, timed) {
        let schedule = Schedule::new(lag, burn_in, sweeps)?;
        return Ok(Scheduled { setup, model, input, schedule, pilot: None });
    }
    watch.say("pilot: pairs from over-dispersed starts, to find lag, burn-in and sweeps");
    let given = Given {
        lag: options.lag,
        burn_in: options.burn_in,
        sweeps: options.sweeps,
        max_sweeps: options.max_sweeps,
    };
    let seconds = match resolve::limit(options) {
        Limit::Time(time) => Some(PILOT_SHARE * time.seconds()),
        _ => None,
    };
    let seed = options.seed.unwrap_or(SEED);
    let mut room = Room::new(executor, interrupted, watch, seed, seconds);
    // A schedule is made for moves: whoever has one for Gibbs sweeps does not want others.
    let open = if said.is_some() { vec![] } else { resolve::candidates(&setup, options) };
    let other = |setup: Setup| Ok(Candidate { model: build(&setup, &input)?, setup });
    let candidates = match open.is_empty() {
        true => vec![Candidate { setup, model }],
        false => open.into_iter().map(other).collect::<Result<Vec<_>, Failure>>()?,
    };
    let (candidate, tried) = pilot::choose(candidates, &mut room)?;
    let found = pilot::find(&candidate, tried, given, &mut room)?;
    let Candidate { setup, model } = candidate;
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
             target; try {}",
            found.unmet,
            found.pairs,
            advice(&setup, found.raced())
        ));
    }
    let one = found.replicate_calls * found.seconds_per_call;
    if timed && options.time.is_none() && LEAST as f64 * one / executor.width() as f64 > LONG_RUN {
        watch.say(&format!(
            "pilot: one replicate takes about {} of one processor, and a run makes at least {LEAST}; `time` or \
             fewer `replicates` end sooner, and {} may speed it up",
            words::duration(one),
            advice(&setup, found.raced())
        ));
    }
    let schedule = Schedule::new(found.lag, found.burn_in, found.sweeps)?;
    Ok(Scheduled { setup, model, input, schedule, pilot: Some(found) })
}
