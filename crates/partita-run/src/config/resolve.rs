//! Where everything left open is decided, once: from the options, the data and the pilot. All defaults are here.

use super::plan::{
    ClusterPrior, Law, Limit, MixtureLaw, Pairing, PartitionPrior, Plan, Reading, Setup, StoppingRule,
};
use super::{
    Alpha, ConfigError, Coupling, Covariance, CovariancePrior, Device, EdgePrior, Float, Loss, Metric,
    ModelChoice, Options, Prior, Sampler, Shard, Start, Summary, Task,
};
use crate::engine::pilot::{PATIENCE, Pilot};
use crate::summary::{Clusters, Top};
use partita::Schedule;
use std::path::PathBuf;

/// The seed: any will do, and the same one every time makes runs repeatable.
pub(crate) const SEED: u64 = 1;
/// Exact transport meets soonest; see the paper's comparison.
const COUPLING: Coupling = Coupling::Optimal;
/// The metric of the paper.
const METRIC: Metric = Metric::Hamming;
/// Rare enough to cost nothing, and enough that no two states keep chains apart forever.
const NUGGET: f64 = 1e-5;
/// Over-dispersed, so that meeting times tell the truth.
const START: Start = Start::Prior;
/// Every chain from a colouring of its own, for the same reason.
const COLORING_START: Start = Start::Random;
/// A few expected clusters for tables of any length, and the data decide: shape and rate of alpha's gamma law.
const ALPHA: Alpha = Alpha::Gamma(2.0, 4.0);
/// Uniform.
const EDGES: EdgePrior = EdgePrior { present: 1.0, absent: 1.0 };
/// The losses agree on clear data; this one does not favour many small clusters.
const LOSS: Loss = Loss::Vi;
/// The model that takes counts, categories and missing values, and finds its scales in the data.
const COVARIANCE: Covariance = Covariance::Diagonal;
/// Standard deviation of cluster centres on standardised columns.
const PRIOR_SD: f64 = 0.5;

/// Standard deviation of the noise on standardised columns: 1, and more from 16 columns on, since every column adds
/// to what separates two items. A fixed noise much smaller than what is in the data shatters clusters, and chains then
/// seldom meet.
fn noise_sd(columns: usize) -> f64 {
    ((columns as f64 / 16.0).powf(0.25) * 100.0).round().max(100.0) / 100.0
}

/// What can be asked of any clustering.
fn summaries() -> Vec<Summary> {
    vec![Clusters.into(), Top(3).into()]
}

/// Wall time that a run takes when nothing says when to stop.
const SECONDS: f64 = 45.0;
/// The first look at the precision.
const FIRST_ROUND: u64 = 64;
/// A run makes at least so many replicates: fewer, and intervals need not hold their level.
pub(crate) const LEAST: u64 = 64;
/// Where chains stay apart no number of replicates gives an interval: so many tell in which parts they are.
const LEAST_APART: u64 = 16;
/// The fewest after which a plain run gives up two digits: two rounds beyond the first.
const TWO_ROUNDS_MORE: u64 = 144;
/// The replicates of a plain run cost at least so many times its pilot.
const PER_PILOT: f64 = 2.2;
/// And at most so many when nothing is said.
const MOST: u64 = 100_000;
/// The part of a time-limited run that is for the answers, and seconds on top.
const ANSWERS_SHARE: f64 = 0.06;
const ANSWERS: f64 = 0.3;
/// Enough for any meeting curve.
const MEETINGS: u64 = 1000;

/// What the defaults depend on, besides the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facts {
    /// Facts about a table.
    Table {
        /// Its columns.
        columns: usize,
    },
    /// Facts about a graph.
    Graph {
        /// Most neighbours of a vertex.
        largest_degree: usize,
    },
}

/// The default of an option in a kind of run, as shown in the help; `None` if there is none, or no short description of
/// it.
///
/// ```
/// use partita_run::config::{Task, default_in_words};
/// assert_eq!(default_in_words("seed", Task::Fit).as_deref(), Some("1"));
/// assert_eq!(default_in_words("start", Task::Color).as_deref(), Some("random"));
/// ```
pub fn default_in_words(key: &str, task: Task) -> Option<String> {
    let coloring = task == Task::Color;
    Some(match key {
        "delimiter" | "column_type" => "guessed from the file".into(),
        "sheet" => "the first one".into(),
        "model" => format!("{}; {COVARIANCE} if lag, burn-in and sweeps are given", ModelChoice::Auto),
        "prior_sd" => PRIOR_SD.to_string(),
        "noise_sd" => format!("{}; larger above 16 columns", noise_sd(1)),
        "prior" => Prior::Dirichlet.to_string(),
        "alpha" => ALPHA.to_string(),
        "edge_prior" => EDGES.to_string(),
        "cluster_prior" => CovariancePrior::Weak.to_string(),
        "sampler" if coloring => {
            format!("{}; {} if there are few colours", Sampler::gibbs(), Sampler::kempe())
        }
        "sampler" => format!("{}; a pilot may choose others", Sampler::gibbs()),
        "coupling" => COUPLING.to_string(),
        "metric" => METRIC.to_string(),
        "nugget" => format!("{NUGGET:e}"),
        "start" if coloring => COLORING_START.to_string(),
        "start" => format!("{START}; sequential if a pilot chooses the moves"),
        "lag" | "burn_in" | "sweeps" => "set by a pilot run".into(),
        "replicates" => "as many as needed, for at most about a minute".into(),
        "threads" => "all processors".into(),
        "device" => Device::Cpu.to_string(),
        "float" => Float::F64.to_string(),
        "seed" => SEED.to_string(),
        "summary" => summaries().iter().map(Summary::to_string).collect::<Vec<_>>().join(", "),
        "loss" => LOSS.to_string(),
        "out" => "partita-NAME-1, or the next free number".into(),
        _ => return None,
    })
}

/// What is known of the clusters' covariance: the file is read accordingly.
pub(crate) fn covariance(options: &Options) -> Covariance {
    let spreads = options.prior_sd.is_some() || options.noise_sd.is_some();
    options.model.and_then(ModelChoice::named).unwrap_or(match options.cluster_prior {
        // Only this model has spreads to be given.
        _ if spreads => Covariance::Known,
        // And only this one has matrices with a prior.
        Some(_) => Covariance::Full,
        None => COVARIANCE,
    })
}

/// Columns are standardised, so that units do not matter.
pub(crate) fn standardize(options: &Options) -> bool {
    options.standardize.unwrap_or(true)
}

/// How a table is read.
pub(crate) fn reading(options: &Options) -> Reading {
    Reading {
        delimiter: options.delimiter,
        header: options.header,
        columns: options.columns.clone(),
        drop: options.drop.clone().unwrap_or_default(),
        id_column: options.id_column.clone(),
        label_column: options.label_column.clone(),
        column_type: options.column_type.clone().unwrap_or_default(),
        sheet: options.sheet.clone(),
        pca: options.pca,
    }
}

fn partition_prior(options: &Options) -> PartitionPrior {
    match options.prior.unwrap_or(Prior::Dirichlet) {
        Prior::Dirichlet => PartitionPrior::Dirichlet(options.alpha.unwrap_or(ALPHA)),
        Prior::PitmanYor(discount, strength) => PartitionPrior::PitmanYor(discount, strength),
        Prior::Finite(gamma, rate) => PartitionPrior::Finite(gamma, rate),
    }
}

fn mixture(options: &Options, columns: usize) -> MixtureLaw {
    let covariance = covariance(options);
    MixtureLaw {
        standardize: standardize(options),
        covariance,
        clusters: match covariance {
            Covariance::Known => ClusterPrior::Spreads {
                prior_sd: options.prior_sd.unwrap_or(PRIOR_SD),
                noise_sd: options.noise_sd.unwrap_or(noise_sd(columns)),
            },
            _ => match options.cluster_prior.unwrap_or(CovariancePrior::Weak) {
                CovariancePrior::Weak => ClusterPrior::Weak,
                CovariancePrior::Like(prior) => ClusterPrior::Like(prior),
            },
        },
        prior: partition_prior(options),
    }
}

/// What was asked for twice is estimated once; the shares of ten clusters hold those of three.
fn once(wanted: Vec<Summary>) -> Vec<Summary> {
    let most = wanted.iter().filter_map(|s| if let Summary::Top(Top(r)) = s { Some(*r) } else { None }).max();
    let mut seen = Vec::new();
    for summary in wanted {
        let summary = match (summary, most) {
            (Summary::Top(_), Some(most)) => Top(most).into(),
            (other, _) => other,
        };
        if !seen.contains(&summary) {
            seen.push(summary);
        }
    }
    seen
}

impl Setup {
    /// Decides what a model is built from.
    ///
    /// ```
    /// use partita_run::config::{Covariance, Facts, Law, Options, Setup, Task};
    /// let options = Options { data: Some("my.csv".into()), ..Options::default() };
    /// let setup = Setup::resolve(Task::Fit, &options, Facts::Table { columns: 3 })?;
    /// let Law::Mixture(mixture) = &setup.law else { unreachable!() };
    /// assert_eq!(mixture.covariance, Covariance::Diagonal);
    /// assert!(mixture.standardize);
    /// # Ok::<(), partita_run::config::ConfigError>(())
    /// ```
    pub fn resolve(task: Task, options: &Options, facts: Facts) -> Result<Self, ConfigError> {
        let law = match (task, facts) {
            (Task::Fit, Facts::Table { columns }) => Law::Mixture(mixture(options, columns)),
            (Task::Fit, Facts::Graph { .. }) => Law::Mixture(mixture(options, 1)),
            (Task::Color, _) => Law::Colorings {
                colors: options.colors.ok_or_else(|| {
                    ConfigError::Value("`colors` is required: the number of colours".into())
                })?,
            },
            (Task::Blocks, _) => {
                Law::Blocks { prior: partition_prior(options), edges: options.edge_prior.unwrap_or(EDGES) }
            }
        };
        let sampler = match (&law, facts) {
            // With fewer colours, moves of single vertices need not lead from every colouring to every other.
            (Law::Colorings { colors }, Facts::Graph { largest_degree }) if *colors < largest_degree + 2 => {
                Sampler::kempe()
            }
            _ => Sampler::gibbs(),
        };
        let coupling = options.coupling.unwrap_or(COUPLING);
        Ok(Setup {
            sampler: options.sampler.clone().unwrap_or(sampler),
            pairing: Pairing {
                coupling,
                metric: options.metric.unwrap_or(METRIC),
                nugget: options.nugget.unwrap_or(if coupling == Coupling::Independent {
                    0.0
                } else {
                    NUGGET
                }),
            },
            start: options.start.unwrap_or(if task == Task::Color { COLORING_START } else { START }),
            summaries: once(options.summary.clone().unwrap_or_else(summaries)),
            float: options.float.unwrap_or(Float::F64),
            law,
        })
    }
}

impl Options {
    /// The same for meeting times alone: nothing is estimated or kept, and no sweep need follow the meeting.
    pub(crate) fn of_meetings(self) -> Self {
        let burn_in = self.burn_in.unwrap_or(0);
        Options {
            summary: Some(Vec::new()),
            keep_draws: Some(0),
            burn_in: Some(burn_in),
            sweeps: self.sweeps.or(Some(burn_in)),
            ..self
        }
    }
}

/// Whether the model is for a pilot to choose: nothing was said that only one model has.
pub(crate) fn model_is_open(options: &Options) -> bool {
    let named = options.model.is_some_and(|choice| choice.named().is_some());
    let implied = options.prior_sd.is_some() || options.noise_sd.is_some() || options.cluster_prior.is_some();
    !named && !implied
}

/// The same with moves that serve most models, and a start to go with them.
pub(crate) fn usual_moves(setup: &Setup, options: &Options) -> Setup {
    let start = options.start.unwrap_or(Start::Sequential);
    Setup { sampler: "sams+gibbs".parse().expect("a sampler"), start, ..setup.clone() }
}

/// Moves of two clusters of rows that are near each other.
const NEAR: &str = "sams-even*2+shuffle-near*3+gibbs";

/// What a pilot tries where moves were left open, the simplest first. A start that was named stays; moves that were named are
/// the only ones, from the start that was said or the default.
pub(crate) fn contenders(setup: &Setup, options: &Options) -> Vec<Setup> {
    if options.sampler.is_some() || matches!(setup.law, Law::Colorings { .. }) {
        return Vec::new();
    }
    // Over-dispersed and yet not absurd: a chain need not first find its way out of nowhere.
    let start = options.start.unwrap_or(Start::Sequential);
    let one = |moves: &str| {
        let sampler = moves.parse().expect("a sampler");
        Setup { sampler, start, ..setup.clone() }
    };
    // Rows of a table have near ones.
    let moves = match setup.law {
        Law::Mixture(_) => {
            &["gibbs", "sams-even+gibbs", "sams-even*5+gibbs", "sams+shuffle*3+gibbs", NEAR][..]
        }
        _ => &["gibbs", "sams+gibbs", "sams*5+gibbs", "sams+shuffle*3+gibbs"],
    };
    moves.iter().map(|moves| one(moves)).collect()
}

/// One in a hundred million exponential waits is so many times as long as their mean.
const SLOWEST: f64 = 18.0;

/// The cap on sweeps: far beyond what any pair of this schedule should need. Where pairs of the pilot did not meet, others
/// will not either, and wait for nothing.
fn max_sweeps(schedule: &Schedule, pilot: Option<&Pilot>) -> u64 {
    let longest = schedule.sweeps().max(schedule.lag());
    match pilot {
        Some(pilot) if pilot.apart => (2 * longest).max(100),
        // Pairs that are only slow meet before that, and a few that never do cost no more than the others together.
        Some(Pilot { expected_wait: Some(wait), .. }) => ((SLOWEST * wait) as u64).max(3 * longest).max(1000),
        _ => (20 * longest).max(20_000),
    }
}

pub(crate) fn limit(options: &Options) -> Limit {
    match (options.replicates, options.time, options.precision) {
        (Some(replicates), ..) => Limit::Replicates(replicates),
        (_, Some(time), _) => Limit::Time(time),
        (.., Some(width)) => Limit::Precision(width),
        _ => Limit::Unsaid,
    }
}

/// A replicate may take so many times as long as the pilot thinks: pairs that were cut wait longer.
const LATE: f64 = 1.5;

/// When to stop. Where nothing was said: when the number of clusters and its distribution are known to two digits and the
/// pilot was a third of the work at most, or after as many replicates as take about a minute with the pilot. Where the fewest take
/// longer than that, a coarser answer will do, and there are several minutes for it.
fn stop(limit: Limit, found: Found) -> StoppingRule {
    // Where chains stay apart, both go on to the cap.
    let calls = |pilot: &Pilot| match pilot.apart {
        true => 2.0 * max_sweeps(&found.schedule, Some(pilot)) as f64,
        false => pilot.replicate_calls,
    };
    let seconds = found.pilot.map_or(0.01, |p| calls(p) * p.seconds_per_call).max(1e-7);
    let within = |time: f64| (time * found.width as f64 / seconds) as u64;
    let apart = found.pilot.is_some_and(|pilot| pilot.apart);
    let slow = found.pilot.is_some_and(|pilot| pilot.slow) && !apart;
    let affordable = within(if slow { PATIENCE * SECONDS } else { SECONDS });
    let least = if apart { LEAST_APART } else { LEAST };
    match limit {
        Limit::Replicates(replicates) => StoppingRule::Replicates { replicates },
        Limit::Time(time) => {
            let total = time.seconds();
            // What is left after reading and the pilot, without what the answers take.
            let left = (total - found.spent - ANSWERS_SHARE * total - ANSWERS).max(0.1 * total);
            // About 25 replicates per worker, so that little is dropped and the workers' means are not skewed by
            // slow first ones; at least four workers per thread, for an interval. But every worker finishes its first
            // replicate, so that there are no more than the time has room for.
            let room = (left / (LATE * seconds)) as u64;
            let shares = ((left / (25.0 * seconds)) as u64).clamp(4, 25).min(room).max(1);
            let (workers, seconds) = (shares * found.width as u64, left / shares as f64);
            StoppingRule::Time { workers, seconds, further: 0 }
        }
        Limit::Precision(width) => {
            StoppingRule::Precision { width, at_least: FIRST_ROUND, at_most: u64::MAX }
        }
        Limit::Unsaid if found.meetings_only => {
            StoppingRule::Replicates { replicates: affordable.clamp(least, MEETINGS) }
        }
        Limit::Unsaid => {
            let fewest = if apart { LEAST_APART } else { TWO_ROUNDS_MORE };
            let worth_it = found.pilot.map_or(0, |pilot| (PER_PILOT * pilot.cost_in_replicates) as u64);
            // Pairs are slow to meet, or the table is large.
            let takes_long = slow || (found.pilot.is_some() && !apart && within(SECONDS) < LEAST);
            let affordable = if takes_long { within(PATIENCE * SECONDS) } else { affordable };
            // A pilot that took long is worth a run that takes longer, if it ends in an interval.
            let longer = if apart { affordable } else { worth_it.clamp(affordable, affordable / 2 * 3) };
            let at_most = longer.clamp(fewest, MOST);
            let at_least = FIRST_ROUND.max(worth_it).min(at_most);
            StoppingRule::Digits { at_least, at_most, coarser_from: takes_long.then(|| within(SECONDS)) }
        }
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

/// States to keep of each replicate.
fn keep_draws(stop: &StoppingRule, items: usize) -> usize {
    let replicates = match *stop {
        StoppingRule::Replicates { replicates } => replicates,
        StoppingRule::Precision { at_most, .. } | StoppingRule::Digits { at_most, .. } => at_most,
        StoppingRule::Time { .. } => 1000,
    };
    (states(items) / replicates.max(1)).clamp(1, 10) as usize
}

/// What a plan needs beside options and setup.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<'a> {
    pub schedule: Schedule,
    pub pilot: Option<&'a Pilot>,
    /// Items of the model.
    pub items: usize,
    /// Threads, or whatever runs at once.
    pub width: usize,
    pub meetings_only: bool,
    /// Seconds since the beginning.
    pub spent: f64,
}

impl Plan {
    /// Decides what is still open once the pilot has run.
    pub(crate) fn resolve(options: &Options, setup: Setup, out: PathBuf, found: Found) -> Self {
        let limit = limit(options);
        let stop = stop(limit, found);
        let keep_draws = options.keep_draws.unwrap_or_else(|| keep_draws(&stop, found.items));
        let max_sweeps = options.max_sweeps.unwrap_or_else(|| max_sweeps(&found.schedule, found.pilot));
        let options =
            Options { max_sweeps: Some(max_sweeps), keep_draws: Some(keep_draws), ..options.clone() };
        Self::with_stop(&options, setup, out, found.schedule, stop)
    }

    /// The plan that options kept in `run.toml` tell, with nothing left open.
    pub(crate) fn restore(task: Task, options: &Options, stop: StoppingRule) -> Result<Self, ConfigError> {
        let missing = |key: &str| ConfigError::Value(format!("the option `{key}` of the run is missing"));
        let setup = Setup::resolve(task, options, Facts::Graph { largest_degree: 0 })?;
        let whole = |key: &str, value: Option<u64>| value.ok_or_else(|| missing(key));
        let (lag, burn_in) = (whole("lag", options.lag)?, whole("burn_in", options.burn_in)?);
        let schedule = Schedule::new(lag, burn_in, whole("sweeps", options.sweeps)?)
            .map_err(|error| ConfigError::Value(error.to_string()))?;
        let out = options.out.clone().ok_or_else(|| missing("out"))?;
        if options.keep_draws.is_none() {
            return Err(missing("keep_draws"));
        }
        Ok(Self::with_stop(options, setup, out, schedule, stop))
    }

    fn with_stop(
        options: &Options,
        setup: Setup,
        out: PathBuf,
        schedule: Schedule,
        stop: StoppingRule,
    ) -> Self {
        Plan {
            data: options.data.clone(),
            reading: reading(options),
            setup,
            seed: options.seed.unwrap_or(SEED),
            max_sweeps: options.max_sweeps.unwrap_or_else(|| max_sweeps(&schedule, None)),
            schedule,
            limit: limit(options),
            stop,
            keep_draws: options.keep_draws.unwrap_or(0),
            loss: options.loss.unwrap_or(LOSS),
            threads: options.threads,
            shard: options.shard.unwrap_or(Shard::WHOLE),
            out,
        }
    }

    /// Replicates from this number on keep no states.
    pub(crate) fn keep_until(&self, items: usize) -> u64 {
        (states(items) / self.keep_draws.max(1) as u64).max(20)
    }
}

#[cfg(test)]
mod tests;
