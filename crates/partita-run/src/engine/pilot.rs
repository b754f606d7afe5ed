//! The pilot: chooses moves and starts, then finds lag, burn-in and sweeps, from pairs that are then thrown away.
//!
//! Pairs start over-dispersed, half of them from a second law, because pairs that start together may
//! meet before either has left (the trap of the common start). The lag is raised, at least doubled,
//! until no pilot pair needs longer to meet than the lag itself: then the first chain has forgotten
//! its start when the second one begins, and what the pilot has seen of meetings is what the run
//! will see. The burn-in is a multiple of the longest wait, so that corrections are rare: an estimate
//! whose own variance is tiny would otherwise be at the mercy of a few late pairs. It is less where replicates would be
//! too few for an interval. All is planned by operations, not by a clock: the same pilot on every machine.

mod choose;
mod models;
mod schedule;

pub use choose::Tried;
pub(crate) use choose::{Contender, Patience, choose, screen};
pub use models::ScoredModel;
pub(crate) use models::{
    Entry, in_words as models_in_words, is_safest, most_met_in_trial, name as model_name, passed_over,
    score as score_models, take,
};
pub(crate) use schedule::{Given, find};

use super::{Executor, Job, Output, PilotPair, PilotPairs, Work};
use crate::Failure;
use crate::config::resolve::LEAST;
use crate::model::Model;
use crate::session::Watch;
use crate::summary::Quantity;
use partita::aggregate::Moments;
use partita::modes::Trail;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What a pilot has found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// Asymptotic variance of one long chain, one number per summary.
    pub asymptotic_variance: Vec<f64>,
    /// Mean kernel calls of one replicate of this schedule.
    pub replicate_calls: f64,
    /// Wall time of one kernel call on one processor.
    pub seconds_per_call: f64,
    /// Wall time of the pilot.
    pub seconds: f64,
    /// Kernel calls of the pilot.
    pub kernel_calls: u64,
    /// What the pilot cost, in replicates of this schedule, counted in operations.
    #[serde(default)]
    pub cost_in_replicates: f64,
    /// What was tried, where moves and starts were left open; what was taken is marked.
    #[serde(default)]
    pub tried: Vec<Tried>,
    /// The models that were scored, if the model was left open; what was taken is marked.
    #[serde(default)]
    pub models: Vec<ScoredModel>,
    /// Whether moves were left open, but a race of them would have taken too long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub too_dear: bool,
    /// If some pairs did not meet: the mean wait, assuming that waits are exponential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_wait: Option<f64>,
    /// Whether so many pairs did not meet that a run could not wait for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// Whether pairs take so long that a plain run takes longer than others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub slow: bool,
    /// If some pairs did not meet: where every chain was. Not kept with the run.
    #[serde(skip)]
    pub(crate) chains: Vec<Trail>,
}

impl Pilot {
    /// Whether moves were left to the pilot; otherwise they were given.
    pub(crate) fn raced(&self) -> bool {
        !self.tried.is_empty() || self.too_dear
    }
}

/// Where one in so many pairs has not met, they may stay apart for good.
const APART: u64 = 4;

/// Kernel calls of a replicate, in units of the expected wait: two chains until they meet, and sweeps after that.
const CALLS: f64 = 4.0;

/// Operations that two processors do in about a second.
const SECOND: f64 = 2e9;

/// Operations of a pilot: about twenty seconds of two processors, a third of a plain run.
pub(crate) const BUDGET: f64 = 20.0 * SECOND;

/// Operations of the replicates of a plain run, for which schedules are made.
const RUN: f64 = 40.0 * SECOND;

/// Where pairs are slow, a run may take so many times as long, and the pilot has a second round, longer than the first.
pub(crate) const PATIENCE: f64 = 10.0;
const SECOND_ROUND: f64 = 3.0;

/// Kernel calls of a replicate of pairs that are slow: about half of them until they meet.
const SLOW: f64 = 1500.0;

/// Where pilots run, and who is told.
pub(crate) struct Room<'a> {
    pub executor: &'a dyn Executor,
    pub interrupted: &'a AtomicBool,
    pub watch: &'a mut dyn Watch,
    pub seed: u64,
    /// Operations that may be spent.
    pub budget: f64,
    /// Operations of the replicates that follow.
    run: f64,
    begin: Instant,
    /// The number of the next pair: no two stages share random numbers.
    next: u64,
    calls: u64,
    /// Operations of these calls: calls of different moves have different prices.
    spent: f64,
    /// Operations of all calls: what was spent is forgotten where a part of the pilot has a budget of its own.
    total: f64,
    /// Clusters in the chains of the last stage.
    clusters: f64,
    /// Whether a race was left out as too dear.
    too_dear: bool,
    /// Where the clock counts.
    clock: Option<Clock>,
}

/// The time of a pilot that was given one.
struct Clock {
    /// What it may take.
    seconds: f64,
    /// How much longer operations take than they were thought to.
    pace: f64,
}

/// The share of the time of a pilot that a stage has, when there is none left.
const LAST_LOOK: f64 = 0.1;

/// The number of clusters that models think of when they say what a sweep costs.
const USUAL_CLUSTERS: f64 = 8.0;

/// Pairs that ran together.
struct Stage {
    pairs: Vec<PilotPair>,
    /// Wall time times what ran at once.
    busy: f64,
}

impl<'a> Room<'a> {
    /// `seconds` is the time that a pilot may take, where that was said.
    pub fn new(
        executor: &'a dyn Executor,
        interrupted: &'a AtomicBool,
        watch: &'a mut dyn Watch,
        seed: u64,
        seconds: Option<f64>,
    ) -> Self {
        // With a clock in the question, results differ from machine to machine anyway.
        let in_time = |seconds: f64| 0.7 * seconds * SECOND / 2.0 * executor.width() as f64;
        let budget = seconds.map_or(BUDGET, |seconds| in_time(seconds).min(BUDGET));
        Room {
            executor,
            interrupted,
            watch,
            seed,
            budget,
            run: RUN,
            begin: Instant::now(),
            next: 0,
            calls: 0,
            spent: 0.0,
            total: 0.0,
            clusters: 0.0,
            too_dear: false,
            clock: seconds.map(|seconds| Clock { seconds, pace: 1.0 }),
        }
    }

    /// Whether so many pairs did not meet that a run could not wait for them; `wait` is their expected wait, in sweeps of so
    /// many operations.
    fn stay_apart(&self, (unmet, pairs): (u64, u64), wait: f64, sweep: f64) -> bool {
        APART * unmet >= pairs && LEAST as f64 * CALLS * wait * sweep > self.run
    }

    /// The same of a contender that has raced.
    pub fn stayed_apart(&self, contender: &Contender, tried: &Tried) -> bool {
        let sweep = self.sweep(contender, tried.price);
        self.stay_apart((tried.unmet, tried.pairs), tried.expected_wait(), sweep)
    }

    /// Whether it has more time than other pilots.
    pub fn is_patient(&self) -> bool {
        self.run > RUN
    }

    /// Takes more time for a model whose pairs have not met, if replicates of slow pairs could be afforded then; whether it
    /// does. Where the time is given there is no more of it.
    pub fn wait_longer(&mut self, contender: &Contender) -> bool {
        let slow = LEAST as f64 * SLOW * self.sweep(contender, 1.0);
        if self.is_patient() || self.clock.is_some() || slow > PATIENCE * RUN {
            return false;
        }
        (self.budget, self.run) = (SECOND_ROUND * BUDGET, PATIENCE * RUN);
        (self.spent, self.too_dear) = (0.0, false);
        true
    }

    /// Whether the time is over, where there is one.
    fn is_over(&self) -> bool {
        self.clock.as_ref().is_some_and(|clock| self.begin.elapsed().as_secs_f64() > clock.seconds)
    }

    /// What each of so many pairs may take, where the clock counts; enough to see a few sweeps, when it is over.
    fn seconds_each(&self, pairs: u64) -> Option<f64> {
        let in_turn = pairs.div_ceil(self.executor.width() as u64) as f64;
        let left = |clock: &Clock| clock.seconds - self.begin.elapsed().as_secs_f64();
        self.clock.as_ref().map(|clock| left(clock).max(LAST_LOOK * clock.seconds) / in_turn)
    }

    /// The next stage has about so many clusters.
    pub fn expect_clusters(&mut self, clusters: f64) {
        self.clusters = clusters;
    }

    /// Operations of a sweep at this price. Many clusters make it dearer than a model knows, few cheaper, a busy machine
    /// longer.
    fn sweep(&self, contender: &Contender, price: f64) -> f64 {
        let crowd =
            if self.clusters > 0.0 { ((self.clusters + 1.0) / (USUAL_CLUSTERS + 1.0)).max(0.4) } else { 1.0 };
        contender.model.sweep_work() * price * crowd * self.clock.as_ref().map_or(1.0, |clock| clock.pace)
    }

    /// Operations that are left, or this share of all where hardly any are: what comes last must be long enough to tell
    /// something.
    fn left(&self, at_least: f64) -> f64 {
        (self.budget - self.spent).max(at_least * self.budget)
    }

    /// Runs pairs until they meet or are cut.
    fn stage(
        &mut self,
        contender: &Contender,
        what: &str,
        pairs: u64,
        lag: u64,
        horizon: u64,
        cap: u64,
    ) -> Result<Stage, Failure> {
        let how =
            PilotPairs { seed: self.seed, lag, horizon, max_sweeps: cap, score_from: None, seconds: None };
        self.run(contender, what, pairs, how)
    }

    /// Two pairs for a moment, to see how many clusters there are, and how much of a sweep a look at two of them is. Their
    /// random numbers are those of no other stage.
    fn look(&mut self, contender: &Contender) -> Result<f64, Failure> {
        let next = std::mem::replace(&mut self.next, 1 << 40);
        let looked = self.stage(contender, "a first look", 2, 1, 0, 4);
        self.next = next;
        looked.map(|stage| stage.touched())
    }

    /// Runs pairs whose states are scored in the second half of their sweeps.
    fn scored_stage(
        &mut self,
        contender: &Contender,
        what: &str,
        pairs: u64,
        sweeps: u64,
    ) -> Result<Stage, Failure> {
        let (lag, score_from) = (1, Some(sweeps / 2));
        let how = PilotPairs {
            seed: self.seed,
            lag,
            horizon: sweeps,
            max_sweeps: sweeps,
            score_from,
            seconds: None,
        };
        self.run(contender, what, pairs, how)
    }

    /// Runs pairs, and tells how far they are.
    fn run(
        &mut self,
        contender: &Contender,
        what: &str,
        pairs: u64,
        how: PilotPairs,
    ) -> Result<Stage, Failure> {
        let how = PilotPairs { seconds: self.seconds_each(pairs), ..how };
        let started = Instant::now();
        let mut found: Vec<(u64, PilotPair)> = Vec::new();
        let work = Work::PilotPairs(how);
        let numbers = self.next..self.next + pairs;
        self.next += pairs;
        let job = Job { chains: &*contender.model, work: &work };
        let watch = &mut *self.watch;
        watch.stage(&format!("pilot: {what}"));
        let done = super::run(self.executor, &job, numbers, self.interrupted, |number, output| {
            if let Output::Pilot(pair) = output {
                found.push((number, pair));
            }
            watch.stage(&format!("pilot: {what}, {} of {pairs} pairs", found.len()));
            Ok(())
        })?;
        if !done {
            return Err(Failure::Interrupted("interrupted during the pilot: nothing was kept".into()));
        }
        found.sort_by_key(|(number, _)| *number);
        let pairs: Vec<PilotPair> = found.into_iter().map(|(_, pair)| pair).collect();
        let stage = Stage { pairs, busy: started.elapsed().as_secs_f64() * self.executor.width() as f64 };
        self.calls += stage.kernel_calls();
        self.clusters = stage.clusters();
        let thought = stage.kernel_calls() as f64 * self.sweep(contender, contender.price(stage.touched()));
        self.total += thought;
        self.spent += match &mut self.clock {
            None => thought,
            Some(clock) => {
                let took = stage.busy * SECOND / 2.0;
                clock.pace *= took / thought.max(1.0);
                took
            }
        };
        Ok(stage)
    }
}

/// The mean of exponential waits of which some were cut, by their mean as far as they got.
fn expected_wait(mean: f64, unmet: u64, pairs: u64) -> f64 {
    mean * pairs as f64 / ((pairs - unmet) as f64).max(0.5)
}

impl Stage {
    /// How long each pair took from the moment both chains moved.
    fn waits(&self) -> Vec<u64> {
        let end = |p: &PilotPair| p.trace.tau.unwrap_or(p.trace.sweeps());
        self.pairs.iter().map(|p| end(p).saturating_sub(p.trace.lag)).collect()
    }

    /// The waits of many more pairs, as far as these tell: pairs that were cut wait on, and now and then one waits longer than
    /// the longest here, if the tail falls like an exponential.
    fn waits_of_many(&self) -> Vec<u64> {
        let further = self.expected_wait() as u64;
        let unmet = self.pairs.iter().map(|pair| pair.trace.tau.is_none());
        let mut waits: Vec<u64> = self
            .waits()
            .into_iter()
            .zip(unmet)
            .map(|(wait, unmet)| wait + u64::from(unmet) * further)
            .collect();
        let longest = waits.iter().copied().max().unwrap_or(1) as f64;
        waits.push((longest * (1.0 + 1.0 / (waits.len().max(2) as f64).ln())) as u64);
        waits
    }

    /// The largest variance of a quantity over pairs, in units of the squared width that is two digits of it.
    fn spread_in_digits(&self, model: &dyn Model) -> f64 {
        let of = |(at, quantity): (usize, &Quantity)| {
            let ends = self.pairs.iter().map(|pair| pair.trace.x(pair.trace.sweeps())[at]);
            ends.collect::<Moments>().variance().unwrap_or(0.0) / quantity.two_digits / quantity.two_digits
        };
        model.quantities().iter().enumerate().map(of).fold(0.0, f64::max)
    }

    fn longest(&self) -> u64 {
        self.waits().into_iter().max().unwrap_or(1).max(1)
    }

    /// The wait that a share of the pairs does not exceed.
    fn quantile(&self, share: f64) -> u64 {
        let mut waits = self.waits();
        waits.sort_unstable();
        let at = ((waits.len() as f64 * share).ceil() as usize).clamp(1, waits.len().max(1)) - 1;
        waits.get(at).copied().unwrap_or(1).max(1)
    }

    fn mean_wait(&self) -> f64 {
        self.waits().iter().sum::<u64>() as f64 / self.pairs.len().max(1) as f64
    }

    /// The mean wait if waits are exponential, pairs that were cut allowed for.
    fn expected_wait(&self) -> f64 {
        expected_wait(self.mean_wait(), self.unmet(), self.pairs.len() as u64)
    }

    fn unmet(&self) -> u64 {
        self.pairs.iter().filter(|p| p.trace.tau.is_none()).count() as u64
    }

    fn kernel_calls(&self) -> u64 {
        let calls = |p: &PilotPair| {
            let met = p.trace.tau.unwrap_or(p.trace.sweeps());
            p.trace.sweeps() + met.saturating_sub(p.trace.lag)
        };
        self.pairs.iter().map(calls).sum()
    }

    /// The mean number of clusters in the chains, at their end.
    fn clusters(&self) -> f64 {
        let last =
            || self.pairs.iter().flat_map(|pair| &pair.chains).map(|chain| chain.end().clusters() as f64);
        last().sum::<f64>() / last().count().max(1) as f64
    }

    /// The share of a Gibbs sweep's weights in one look at the clusters of two random items, on average.
    fn touched(&self) -> f64 {
        self.pairs.iter().map(|p| p.touched).sum::<f64>() / self.pairs.len().max(1) as f64
    }
}
