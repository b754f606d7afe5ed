//! Lag, burn-in and sweeps for the moves that were chosen.

use super::choose::{UNKNOWN, in_words};
use super::{Contender, Pilot, Room, Stage, Tried};
use crate::config::resolve::LEAST;
use crate::model::Model;
use crate::{Failure, words};
use partita::Schedule;
use partita::tuning::{asymptotic_variance, relative_variance, safe_burn_in};

/// What was given and need not be found.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Given {
    pub lag: Option<u64>,
    pub burn_in: Option<u64>,
    pub sweeps: Option<u64>,
    pub max_sweeps: Option<u64>,
}

/// Operations of a stage whose pairs wait as long as expected.
const STAGE: f64 = 6e9;

/// Pairs of a stage; fewer where that lets them run for so many sweeps, since pairs that are cut tell nothing.
const PAIRS: std::ops::RangeInclusive<u64> = 24..=60;
const FEWEST_PAIRS: u64 = 8;
const LONG_ENOUGH: f64 = 150.0;

/// How many budgets the fewest pairs may use to run that long, if none of them meets.
const OVERDRAWN: f64 = 3.0;

/// Pairs are expected to take so many times what those of the race waited: two chains move, and tails are longer.
const PATIENCE: f64 = 3.0;

/// How often a pair may wait longer than the burn-in: rarer than any run has replicates that matter.
const RARE: f64 = 1e-4;

/// Shorter lags save too little to be worth it.
const SHORTEST_LAG: u64 = 10;

/// A longest wait this close above the lag needs no further stage.
const NEAR_ENOUGH: f64 = 1.25;

/// Replicates for which long schedules are made.
const ENOUGH: f64 = 150.0;

/// Replicates of variance 1 that bring an interval of 95% to width 1.
const FOR_WIDTH: f64 = 4.0 * 1.96 * 1.96;

/// The share of the budget that there is for the first stage and for the long traces, whatever the race took.
const LEAST_FOR_LAG: f64 = 0.2;
const LEAST_FOR_TRACES: f64 = 0.1;

/// Finds the schedule for moves that are settled.
pub(crate) fn find(
    contender: &Contender,
    tried: Vec<Tried>,
    given: Given,
    room: &mut Room,
) -> Result<Pilot, Failure> {
    if let Some(sentence) = in_words(&tried) {
        room.watch.say(&sentence);
    }
    let model = &*contender.model;
    let known = tried.iter().find(|tried| tried.taken);
    let price = match known {
        Some(taken) => taken.price,
        // It did not race, because that would have been too dear: the more it pays to know what a sweep costs.
        None if room.too_dear => contender.price(room.look(contender)?),
        None => contender.price(UNKNOWN),
    };
    let sweep = room.sweep(contender, price);
    let left = room.left(LEAST_FOR_LAG) / sweep;
    // How many pairs the work allows, if they wait as long as those of the race; or as 300 sweeps.
    let (wait, first) = known.map_or((300.0, SHORTEST_LAG), |taken| (taken.mean_wait, taken.longest_wait));
    let lag = given.lag.unwrap_or(first.max(SHORTEST_LAG));
    let expected = lag as f64 + PATIENCE * wait;
    let pairs = ((STAGE / (expected * sweep)) as u64).clamp(*PAIRS.start(), *PAIRS.end());
    let pairs = pairs.min(((left / LONG_ENOUGH) as u64).max(FEWEST_PAIRS)) / 2 * 2;
    // If half of the pairs were cut, that would be all that is left: the longest waits are what is looked for.
    // A cap close to the longest wait of the race would cut pairs for certain.
    let longest = if room.clock.is_some() { 0.0 } else { OVERDRAWN * room.budget / sweep };
    let least = LONG_ENOUGH.min(longest / (2 * pairs) as f64) as u64;
    let shorter = ((left / pairs as f64) as u64).clamp(least.max(20), 100_000).max(2 * first);
    let cap = given.max_sweeps.map_or(shorter, |given| given.min(shorter));
    if left / (2.0 * expected) < pairs as f64 {
        room.watch.say(
            "pilot: there is little time to search for a schedule; give `lag`, `burn_in` and `sweeps` to skip the search",
        );
    }

    // Stage after stage, the lag grows until no pair waits longer than the lag.
    let mut lag = lag.min(cap);
    let mut last = room.stage(contender, "finding the lag", pairs, lag, lag, cap + lag)?;
    let (mut busy, mut calls) = (last.busy, last.kernel_calls());
    while given.lag.is_none() && last.unmet() == 0 {
        let longest = last.longest();
        if longest as f64 <= NEAR_ENOUGH * lag as f64 {
            lag = lag.max(longest);
            break;
        }
        lag = longest.max(2 * lag);
        // A third of the budget is for the long traces at the end.
        let wanted = pairs * lag + 2 * last.waits().iter().sum::<u64>();
        if lag > cap || wanted as f64 * sweep > room.left(0.0) / 3.0 * 2.0 {
            room.watch.say(&format!(
                "pilot: a pair took {longest} sweeps to meet; the pilot has no time to check whether a lag of {lag} is enough"
            ));
            break;
        }
        room.watch.say(&format!("pilot: a pair took {longest} sweeps to meet; trying a lag of {lag}"));
        last = room.stage(contender, "finding the lag", pairs, lag, lag, cap + lag)?;
        busy += last.busy;
        calls += last.kernel_calls();
    }
    if given.lag.is_none() && last.unmet() > 0 {
        // Not all meet: the best that can be done is to say so and to go on with what was seen.
        lag = lag.max(last.longest() / 10);
    }
    hinges_on_start(model, &last, room);

    let sweep = room.sweep(contender, contender.price(last.touched()));
    let apart = room.stay_apart((last.unmet(), last.pairs.len() as u64), last.expected_wait(), sweep);
    let schedule = lengths(model, &last, lag, given, room.run / sweep, apart)?;
    let (lag, burn_in, sweeps) = (schedule.lag(), schedule.burn_in(), schedule.sweeps());

    // A few long traces: what a long chain's variance is, and what a sweep costs after the meeting.
    let long = (pairs / 10).clamp(2, 8);
    let left = room.left(LEAST_FOR_TRACES) / sweep;
    let horizon = sweeps.min(((left / long as f64) as u64).max(20));
    let traces = room.stage(contender, "long traces", long, lag, horizon, (cap + lag).max(horizon))?;
    busy += traces.busy;
    calls += traces.kernel_calls();
    let settled = burn_in.min(horizon / 2);
    let variance = |j: usize| {
        let series = traces.pairs.iter().map(|pair| {
            let trace = &pair.trace;
            (settled..=trace.sweeps()).map(|t| trace.x(t)[j]).collect::<Vec<f64>>()
        });
        let each: Vec<f64> = series.filter_map(|series| asymptotic_variance(&series)).collect();
        each.iter().sum::<f64>() / each.len().max(1) as f64
    };
    let expected_wait = (last.unmet() > 0).then(|| last.expected_wait());
    let waits = last.waits();
    let costs = waits.iter().map(|wait| schedule.cost(lag + wait) as f64);
    let replicate_calls = costs.sum::<f64>() / waits.len().max(1) as f64;
    Ok(Pilot {
        lag,
        burn_in,
        sweeps,
        unmet: last.unmet(),
        pairs: last.pairs.len() as u64,
        asymptotic_variance: (0..model.quantities().len()).map(variance).collect(),
        replicate_calls,
        cost_in_replicates: room.total / (replicate_calls * sweep),
        seconds_per_call: busy / calls.max(1) as f64,
        seconds: room.begin.elapsed().as_secs_f64(),
        kernel_calls: room.calls,
        chains: match last.unmet() {
            0 => Vec::new(),
            _ => last.pairs.into_iter().flat_map(|pair| pair.chains).collect(),
        },
        tried,
        models: Vec::new(),
        too_dear: room.too_dear,
        slow: room.is_patient(),
        expected_wait,
        apart,
    })
}

/// The schedule for a lag that is long enough. A correction enters where a pair waits longer than the burn-in: that should be
/// rare, and the sweeps five times the burn-in. Where replicates are dear, few with rare corrections come before many with
/// frequent ones. Where so few cannot be afforded either, it is the schedule that should bring two digits with the least
/// work: the shorter the replicates, the more of them it takes.
fn lengths(
    model: &dyn Model,
    last: &Stage,
    lag: u64,
    given: Given,
    affordable: f64,
    apart: bool,
) -> Result<Schedule, Failure> {
    let (longest, pairs) = (last.longest(), last.pairs.len() as u64);
    let schedule = |lag: u64, burn_in: u64, times: u64| {
        // A cap that was given leaves half of the sweeps to pairs that are late.
        let room = given.max_sweeps.map_or(u64::MAX, |cap| (cap / 2).max(1));
        let lag = given.lag.unwrap_or(lag.min(room));
        let longest = given.sweeps.map_or(room, |m| m / 2);
        let burn_in = given.burn_in.unwrap_or(burn_in.min(longest));
        let sweeps = (times * burn_in).max(times * lag).max(100).min(room).max(burn_in);
        let sweeps = given.sweeps.unwrap_or(sweeps);
        Schedule::new(lag, burn_in, sweeps)
    };
    // A lag as long as the burn-in costs nothing then, and late pairs enter with the smallest weights.
    let short = |burn_in: u64| schedule(burn_in.max(SHORTEST_LAG), burn_in.max(SHORTEST_LAG), 2);
    // Where many never meet, no schedule makes them.
    if apart {
        return Ok(short(last.quantile(0.5))?);
    }
    let safe = safe_burn_in(longest, pairs, RARE).max(SHORTEST_LAG);
    let long = |times: u64| schedule(lag, safe, times);
    let fewest = LEAST as f64;
    let ways = [(long(5), ENOUGH), (long(3), ENOUGH), (short(safe), fewest), (short(longest), fewest)];
    for (schedule, replicates) in ways {
        let schedule = schedule?;
        if affordable / (schedule.sweeps() as f64 + 2.0 * last.expected_wait()) >= replicates {
            return Ok(schedule);
        }
    }
    let spread = last.spread_in_digits(model);
    let waits = last.waits_of_many();
    let work = |schedule: &Schedule| {
        let calls = waits.iter().map(|wait| schedule.cost(schedule.lag() + wait) as f64);
        let calls = calls.sum::<f64>() / waits.len() as f64;
        calls * (FOR_WIDTH * spread * relative_variance(schedule, &waits)).max(LEAST as f64)
    };
    let ways = [safe, longest, last.quantile(0.9), last.quantile(0.75)];
    let schedules = ways.into_iter().map(short).collect::<Result<Vec<_>, _>>()?;
    let least = schedules.into_iter().min_by(|a, b| work(a).total_cmp(&work(b)));
    Ok(least.expect("there are several"))
}

/// The two start laws alternate: their waits should have the same tail.
fn hinges_on_start(model: &dyn Model, last: &Stage, room: &mut Room) {
    if !model.has_second_start() {
        return;
    }
    let of_law = |second: usize| {
        let mut waits: Vec<u64> = last.waits().into_iter().skip(second).step_by(2).collect();
        waits.sort_unstable();
        waits.get(waits.len() * 9 / 10).copied().unwrap_or(1).max(1)
    };
    let (first, second) = (of_law(0), of_law(1));
    if first.max(second) > 3 * first.min(second) && first.max(second) > SHORTEST_LAG {
        room.watch.say(&format!(
            "pilot: meeting times depend on the start: 90% of pairs meet within {} from one kind of start and within \
             {second} from the other; the schedule allows for the slower one",
            words::count(first, "sweep")
        ));
    }
}
