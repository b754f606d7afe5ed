//! A target with all that runs on it, behind one small face: number in, replicate row out.

mod choices;
mod density;
mod table;

pub use table::{Input, load};

use crate::config;
use choices::{AnyCoupling, AnyKernel, AnyStart};
use partita::atoms::{Atom, Atoms};
use partita::rng::Purpose;
use partita::tuning::{Trace, Tracer};
use partita::{
    Ending, Estimator, Moment, Observer, Outcome, Pair, Schedule, Start, Stop, Stream, Summary, Target, Wish,
};
use std::time::Instant;

/// One replicate as the run directory keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its number: with the seed, its address.
    pub replicate: u64,
    /// The meeting time; none if the pair was censored.
    pub tau: Option<u64>,
    /// Sweeps that X made.
    pub sweeps: u64,
    /// Sweeps of single chains.
    pub kernel_calls: u64,
    /// Wall time.
    pub seconds: f64,
    /// One estimate a column.
    pub values: Vec<f64>,
}

/// What is common to the replicates of a run.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The seed.
    pub seed: u64,
    /// Lag, burn-in, sweeps.
    pub schedule: Schedule,
    /// The cap on sweeps.
    pub max_sweeps: u64,
    /// Atoms kept of each replicate.
    pub keep_draws: usize,
    /// Replicates from this number on keep none, so that what is kept stays bounded.
    pub keep_until: u64,
}

/// A problem that can be run: what the pool and the pilot see.
pub trait Model: Sync {
    /// Items to cluster.
    fn items(&self) -> usize;

    /// The names of the summaries asked for; their values come first in a row.
    fn names(&self) -> &[String];

    /// The names of the columns behind them: the distribution of the number of clusters.
    fn count_names(&self) -> &[String];

    /// Rough floating-point operations of one sweep, to plan a pilot without a clock.
    fn sweep_work(&self) -> f64;

    /// Runs one replicate; none if `stop` said so before it ended.
    fn replicate(
        &self,
        number: u64,
        settings: &Settings,
        stop: &dyn Fn() -> bool,
    ) -> Option<(Row, Vec<Atom>)>;

    /// Runs one pilot pair and remembers at least `horizon` sweeps of it.
    fn pilot(&self, number: u64, seed: u64, pilot: &PilotPair, stop: &dyn Fn() -> bool) -> Option<Trace>;

    /// Whether there is a second law to start from, to see that meetings do not hinge on the first.
    fn has_second_start(&self) -> bool;

    /// The predictive density of kept atoms on a grid, for models of one column: one row an atom.
    fn densities(&self, atoms: &[&Atom], grid: &[f64]) -> Option<Vec<Vec<f64>>>;
}

/// How a pilot pair is run.
#[derive(Debug, Clone, Copy)]
pub struct PilotPair {
    /// The lag.
    pub lag: u64,
    /// Sweeps to remember.
    pub horizon: u64,
    /// The cap.
    pub max_sweeps: u64,
    /// Start from the second law.
    pub second_start: bool,
}

/// The one implementation, for any target.
pub(crate) struct Problem<T: Target> {
    target: T,
    kernel: AnyKernel,
    coupling: AnyCoupling,
    start: AnyStart,
    second_start: Option<AnyStart>,
    summaries: Vec<Box<dyn Summary<T> + Sync>>,
    names: Vec<String>,
    count_names: Vec<String>,
    sweep_work: f64,
    densities: Densities<T>,
}

/// How to find predictive densities, where the target has them.
type Densities<T> = Option<fn(&T, &[&Atom], &[f64]) -> Vec<Vec<f64>>>;

/// Ends a pair when asked to.
struct Brake<'a>(&'a dyn Fn() -> bool);

impl<T: Target> Observer<T> for Brake<'_> {
    fn observe(&mut self, _: &Moment<T>) -> Wish {
        if (self.0)() { Wish::Stop } else { Wish::Enough }
    }
}

/// Whether the brake ended a pair before it met.
fn was_stopped(outcome: &Outcome) -> bool {
    matches!(outcome.ending, Ending::Censored { why: Stop::Observer, .. })
}

impl<T: Target> Problem<T> {
    fn pair(
        &self,
        stream: &Stream,
        start: &AnyStart,
        lag: u64,
        max_sweeps: u64,
        observer: &mut impl Observer<T>,
    ) -> Outcome {
        let x = start.draw(&mut stream.sequence(Purpose::StartX, 0));
        let y = start.draw(&mut stream.sequence(Purpose::StartY, 0));
        let pair = Pair::new(&self.target, &self.kernel, self.coupling.clone(), lag);
        pair.expect("a schedule has a lag").cap(max_sweeps).run(x, y, stream, observer)
    }
}

impl<T: Target> Model for Problem<T> {
    fn items(&self) -> usize {
        self.target.len()
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn count_names(&self) -> &[String] {
        &self.count_names
    }

    fn sweep_work(&self) -> f64 {
        self.sweep_work
    }

    fn has_second_start(&self) -> bool {
        self.second_start.is_some()
    }

    fn replicate(
        &self,
        number: u64,
        settings: &Settings,
        stop: &dyn Fn() -> bool,
    ) -> Option<(Row, Vec<Atom>)> {
        let begin = Instant::now();
        let stream = Stream::new(settings.seed, number);
        let schedule = settings.schedule;
        let estimator = Estimator::new(schedule, &self.summaries[..]);
        let keeps = settings.keep_draws > 0 && number < settings.keep_until;
        let atoms = keeps.then(|| Atoms::new(schedule, settings.keep_draws, &stream));
        let mut observers = (estimator, (atoms, Brake(stop)));
        let outcome = self.pair(&stream, &self.start, schedule.lag(), settings.max_sweeps, &mut observers);
        let (estimator, (atoms, _)) = observers;
        let tau = outcome.ending.tau();
        let stopped = was_stopped(&outcome);
        // A pair that met may also have been stopped short of its sweeps.
        if stopped || (tau.is_some() && outcome.sweeps < schedule.sweeps()) {
            return None;
        }
        let row = Row {
            replicate: number,
            tau,
            sweeps: outcome.sweeps,
            kernel_calls: outcome.kernel_calls,
            seconds: begin.elapsed().as_secs_f64(),
            values: estimator.values().to_vec(),
        };
        Some((row, atoms.map_or(Vec::new(), Atoms::into_atoms)))
    }

    fn pilot(&self, number: u64, seed: u64, pilot: &PilotPair, stop: &dyn Fn() -> bool) -> Option<Trace> {
        let stream = Stream::new(seed, number).pilot();
        let start = self.second_start.as_ref().filter(|_| pilot.second_start).unwrap_or(&self.start);
        let mut observers = (Tracer::new(&self.summaries[..], pilot.lag, pilot.horizon), Brake(stop));
        let outcome = self.pair(&stream, start, pilot.lag, pilot.max_sweeps, &mut observers);
        let stopped = was_stopped(&outcome);
        (!stopped).then(|| observers.0.into_trace(outcome.ending.tau()))
    }

    fn densities(&self, atoms: &[&Atom], grid: &[f64]) -> Option<Vec<Vec<f64>>> {
        self.densities.map(|densities| densities(&self.target, atoms, grid))
    }
}

/// The numbers of clusters with a column of their own.
const COUNTED: usize = 20;

/// The summaries asked for, then the distribution of the number of clusters.
fn summaries<T: Target>(
    wanted: &[config::Summary],
    items: usize,
    reference: Option<partita::Partition>,
) -> partita::Result<Vec<Box<dyn Summary<T> + Sync>>> {
    use partita::summary::{Clusters, CoClustering, Entropy, Reference, TopShares};
    let mut list: Vec<Box<dyn Summary<T> + Sync>> = Vec::new();
    for summary in wanted {
        list.push(match summary {
            config::Summary::Clusters => Box::new(Clusters),
            config::Summary::Top(r) => Box::new(TopShares(*r)),
            config::Summary::Co(i, j) => Box::new(CoClustering::new(vec![(*i, *j)], items)?),
            config::Summary::Entropy => Box::new(Entropy),
        });
    }
    if let Some(partition) = reference {
        list.push(Box::new(Reference { partition }));
    }
    Ok(list)
}
