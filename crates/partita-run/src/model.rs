//! A target with all that runs on it, behind one small face: number in, replicate row out.

mod choices;
mod density;
mod family;
mod graphs;
mod looks;
mod predict;
mod table;
mod words;

pub use predict::Joining;
pub(crate) use table::TAKES_ALL;
pub use table::{Input, load};
pub(crate) use words::{advice, question};

use crate::{Failure, config};
use choices::{AnyCoupling, AnyKernel, AnyStart};
use partita::atoms::{Atom, Atoms};
use partita::partition::{Metric, Partitions};
use partita::poisson::Fishy;
use partita::rng::Purpose;
use partita::tuning::{Trace, Tracer};
use partita::{
    Ending, Estimator, Moment, Observer, Outcome, Pair, Partition, Schedule, Start, State, Stop, Stream,
    Summary, Target, Wish,
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

    /// What a state says about new rows, in the model's units; none for models without rows of numbers.
    fn predict(&self, z: &Partition, rows: &[&[f64]]) -> Option<Vec<Joining>>;

    /// Runs two chains that set out from the states given until they meet, `cap` is reached or `stop` says so: the
    /// terms of the asymptotic variance of each summary asked for, for weights of 1 ([`partita::poisson`]).
    fn poisson(
        &self,
        x: &Partition,
        y: &Partition,
        stream: &Stream,
        cap: u64,
        stop: &dyn Fn() -> bool,
    ) -> (Vec<f64>, Outcome);

    /// The expectation of the summaries asked for by a sum over all partitions, for a few items.
    fn enumerate(&self) -> Option<Vec<f64>>;

    /// Runs one ordinary chain. `see` is told the time and the summaries asked for, from the start
    /// (time 0) on, after every sweep; the chain ends when it says false.
    fn chain(&self, stream: &Stream, see: &mut dyn FnMut(u64, &[f64]) -> bool);

    /// Runs one pair until it meets or `cap` is reached. `see` is told the time and, while the chains
    /// differ, the Hamming distance between them (ordered pairs of items on which they disagree); the
    /// pair is cut when it says false.
    fn meet(
        &self,
        stream: &Stream,
        lag: u64,
        cap: u64,
        see: &mut dyn FnMut(u64, Option<f64>) -> bool,
    ) -> Ending;
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
    summaries: Vec<AnySummary<T>>,
    names: Vec<String>,
    count_names: Vec<String>,
    sweep_work: f64,
    densities: Option<Densities<T>>,
    joinings: Option<Joinings<T>>,
}

/// How to find what a state says about new rows.
type Joinings<T> = fn(&T, &Partition, &[&[f64]]) -> Vec<Joining>;

/// How to find predictive densities of kept atoms.
type Densities<T> = fn(&T, &[&Atom], &[f64]) -> Vec<Vec<f64>>;

type AnySummary<T> = Box<dyn Summary<T> + Sync>;

/// Ends a pair when asked to.
struct Brake<'a>(&'a dyn Fn() -> bool);

impl<T: Target> Observer<T> for Brake<'_> {
    fn observe(&mut self, _: &Moment<T>) -> Wish {
        if (self.0)() { Wish::Stop } else { Wish::Enough }
    }
}

/// Shows the states of one chain, as its summaries.
struct Chain<'a, T> {
    summaries: &'a [AnySummary<T>],
    values: Vec<f64>,
    see: &'a mut dyn FnMut(u64, &[f64]) -> bool,
}

impl<T: Target> Observer<T> for Chain<'_, T> {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        self.summaries.evaluate(moment.target, moment.x, &mut self.values);
        if (self.see)(moment.t, &self.values) { Wish::More } else { Wish::Stop }
    }
}

/// Shows how far apart two chains are.
struct Apart<'a>(&'a mut dyn FnMut(u64, Option<f64>) -> bool);

impl<T: Target> Observer<T> for Apart<'_> {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        let distance = moment
            .y
            .zip(moment.overlap)
            .map(|(y, overlap)| Metric::Hamming.distance_with(moment.x.partition(), y.partition(), overlap));
        if (self.0)(moment.t, distance) { Wish::Enough } else { Wish::Stop }
    }
}

/// Whether the brake ended a pair before it met.
fn was_stopped(outcome: &Outcome) -> bool {
    matches!(outcome.ending, Ending::Censored { why: Stop::Observer, .. })
}

impl<T: Target> Problem<T> {
    /// The summaries asked for: the last of all is the distribution of the number of clusters.
    fn asked_for(&self) -> &[AnySummary<T>] {
        &self.summaries[..self.summaries.len() - 1]
    }

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

    fn predict(&self, z: &Partition, rows: &[&[f64]]) -> Option<Vec<Joining>> {
        self.joinings.map(|joinings| joinings(&self.target, z, rows))
    }

    fn poisson(
        &self,
        x: &Partition,
        y: &Partition,
        stream: &Stream,
        cap: u64,
        stop: &dyn Fn() -> bool,
    ) -> (Vec<f64>, Outcome) {
        let mut observers = (Fishy::new(self.asked_for()), Brake(stop));
        let pair = Pair::abreast(&self.target, &self.kernel, self.coupling.clone());
        let outcome = pair.cap(cap).run(x.clone(), y.clone(), stream, &mut observers);
        (observers.0.variances().collect(), outcome)
    }

    fn enumerate(&self) -> Option<Vec<f64>> {
        if self.items() > 12 {
            return None;
        }
        let all: Vec<(f64, Partition)> = Partitions::of(self.items())
            .map(|z| (self.target.log_probability(&z), z))
            .filter(|(log, _)| *log > f64::NEG_INFINITY)
            .collect();
        let most = all.iter().map(|(log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut sums) = (0.0, vec![0.0; self.names.len()]);
        let mut values = sums.clone();
        for (log, z) in all {
            let weight = (log - most).exp();
            self.asked_for().evaluate(&self.target, &State::new(&self.target, z), &mut values);
            total += weight;
            sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += weight * value);
        }
        Some(sums.iter().map(|sum| sum / total).collect())
    }

    fn chain(&self, stream: &Stream, see: &mut dyn FnMut(u64, &[f64]) -> bool) {
        let mut observer = Chain { summaries: self.asked_for(), values: vec![0.0; self.names.len()], see };
        // A chain is a pair whose second chain never sets out.
        self.pair(stream, &self.start, u64::MAX, u64::MAX, &mut observer);
    }

    fn meet(
        &self,
        stream: &Stream,
        lag: u64,
        cap: u64,
        see: &mut dyn FnMut(u64, Option<f64>) -> bool,
    ) -> Ending {
        self.pair(stream, &self.start, lag, cap, &mut Apart(see)).ending
    }
}

/// The numbers of clusters with a column of their own.
const COUNTED: usize = 20;

/// The summaries asked for; `density` makes those of predictive densities, where the target has any.
fn summaries<T: Target>(
    wanted: &[config::Summary],
    items: usize,
    reference: Option<Partition>,
    density: impl Fn(&config::Grid) -> Option<AnySummary<T>>,
) -> Result<Vec<AnySummary<T>>, Failure> {
    use partita::summary::{Clusters, CoClustering, Entropy, Reference, TopShares};
    let mut list: Vec<AnySummary<T>> = Vec::new();
    for summary in wanted {
        list.push(match summary {
            config::Summary::Clusters => Box::new(Clusters),
            config::Summary::Top(r) => Box::new(TopShares(*r)),
            config::Summary::Co(i, j) => {
                Box::new(CoClustering::new(vec![(*i, *j)], items).map_err(|e| match e {
                    partita::Error::NoSuchItem { item, last } => Failure::bad(format!(
                        "--summary asks for item {item}, but the items are numbered 0 to {last}"
                    )),
                    other => other.into(),
                })?)
            }
            config::Summary::Entropy => Box::new(Entropy),
            config::Summary::Density(grid) => density(grid).ok_or_else(|| {
                Failure::bad(format!(
                    "--summary {summary} is for tables of one column of numbers: choose one by --columns"
                ))
            })?,
        });
    }
    if let Some(partition) = reference {
        list.push(Box::new(Reference { partition }));
    }
    Ok(list)
}
