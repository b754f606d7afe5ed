//! What a number can stand for, and its output.

use partita::Partition;
use partita::Schedule;
use partita::atoms::Atom;
use partita::modes::Trail;
use partita::poisson::draw;
use partita::rng::{Purpose, Stream};
use partita::score::LeaveOneOut;
use partita::survival::Observed;
use partita::tuning::Trace;
use serde::{Deserialize, Serialize};

/// Streams of random numbers beside those of replicates, which are below 2^40: nothing is used twice.
#[derive(Debug)]
pub struct Streams;

impl Streams {
    /// Uncoupled chains, for comparison with coupled estimates.
    pub const NAIVE_CHAINS: u64 = 1 << 40;
    /// Long chains for the truth.
    pub const LONG_CHAINS: u64 = 2 << 40;
    /// Pairs that are watched until they meet.
    pub const MEETINGS: u64 = 3 << 40;
    /// Replicates drawn for a study of outliers.
    pub const OUTLIERS: u64 = 4 << 40;
    /// Pairs for the asymptotic variance.
    pub const VARIANCE: u64 = 5 << 40;
    /// Chains whose states score a model.
    pub const SCORES: u64 = 6 << 40;
}

/// What the numbers of a job stand for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Work {
    /// Replicates: coupled pairs, each an unbiased estimate.
    Replicates(Settings),
    /// Workers of a timed run: worker `w` of `workers` runs the replicates `w`, `w + workers`, ... for a number of
    /// seconds.
    Workers {
        /// Of all replicates.
        settings: Settings,
        /// How many workers there are.
        workers: u64,
        /// The time of each.
        seconds: f64,
    },
    /// Pairs of a pilot.
    PilotPairs(PilotPairs),
    /// Coupled pairs between kept states, for the asymptotic variance of one long chain.
    VariancePairs(Starts),
    /// Pairs that are watched until they meet.
    Meetings {
        /// The seed.
        seed: u64,
        /// The lag.
        lag: u64,
        /// The cap on sweeps.
        cap: u64,
        /// Sweeps of which the distance between the chains is kept.
        distances: u64,
    },
    /// Averages of the summaries over one long chain each.
    Averages {
        /// The seed.
        seed: u64,
        /// Sweeps that do not count.
        discard: u64,
        /// The last sweep.
        end: u64,
    },
    /// Replicates, each with an ordinary chain of the same cost beside it.
    Against(Against),
    /// How well the model predicts its own rows, by states of one ordinary chain each.
    Scores {
        /// The seed.
        seed: u64,
        /// Sweeps that do not count.
        discard: u64,
        /// The last sweep.
        end: u64,
        /// Of the sweeps that count, one in so many is looked at.
        every: u64,
    },
}

/// Settings shared by the replicates of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The seed.
    pub seed: u64,
    /// Lag, burn-in, sweeps.
    pub schedule: Schedule,
    /// The cap on sweeps.
    pub max_sweeps: u64,
    /// Atoms kept per replicate.
    pub keep_draws: usize,
    /// Replicates from this number on keep none, so that what is kept stays bounded.
    pub keep_until: u64,
}

/// How the pairs of a pilot are run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PilotPairs {
    /// The seed.
    pub seed: u64,
    /// The lag.
    pub lag: u64,
    /// Sweeps to record.
    pub horizon: u64,
    /// The cap.
    pub max_sweeps: u64,
    /// The sweep after which states are scored by how well they predict each row from the others; `None` if they are
    /// not.
    pub score_from: Option<u64>,
    /// The time of each pair, where the clock counts: it is cut after so many seconds.
    #[serde(default)]
    pub seconds: Option<f64>,
}

/// A pair of a pilot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PilotPair {
    /// Its trace.
    pub trace: Trace,
    /// The share of a Gibbs sweep's weights in one look at the clusters of two random items, on average.
    pub touched: f64,
    /// Where the first chain was, and the second where they have not met.
    pub chains: Vec<Trail>,
    /// How well states of the first chain predict each row from the others, where that was asked for.
    pub score: Option<LeaveOneOut>,
}

/// Where pairs for the asymptotic variance start: number `n` stands for the pairs between states of two units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Starts {
    /// The seed.
    pub seed: u64,
    /// The cap on sweeps.
    pub cap: u64,
    /// Coupled pairs between the states of two units.
    pub each: u64,
    /// The weighted states of the two units of each number.
    pub units: Vec<[Vec<Atom>; 2]>,
}

/// Two chains that start together from states of two units.
#[derive(Debug, Clone, Copy)]
pub struct Abreast<'a> {
    /// The number of their stream.
    pub number: u64,
    /// Their random numbers.
    pub stream: Stream,
    /// Where they start.
    pub states: [&'a Partition; 2],
    /// The weight of their term of the variance.
    pub weight: f64,
}

impl Starts {
    /// The pairs that a number stands for.
    pub fn pairs(&self, number: u64) -> impl Iterator<Item = Abreast<'_>> {
        let two = &self.units[number as usize];
        (number * self.each..(number + 1) * self.each).map(move |pair| {
            let number = Streams::VARIANCE | pair;
            let stream = Stream::new(self.seed, number);
            let mut chance = stream.sequence(Purpose::Atoms, 0);
            let [(x, weight_x), (y, weight_y)] = two.each_ref().map(|atoms| {
                let (atom, weight) = draw(atoms.iter().map(|atom| atom.weight), &mut chance);
                (&atoms[atom].partition, weight)
            });
            Abreast { number, stream, states: [x, y], weight: weight_x * weight_y / self.each as f64 }
        })
    }
}

impl Between {
    /// Empty, for this many summaries.
    pub fn new(summaries: usize) -> Self {
        Between { variances: vec![0.0; summaries], kernel_calls: 0 }
    }

    /// Adds the terms of one pair.
    pub fn add(&mut self, weight: f64, terms: impl Iterator<Item = f64>, kernel_calls: u64) {
        self.kernel_calls += kernel_calls;
        self.variances.iter_mut().zip(terms).for_each(|(mean, term)| *mean += weight * term);
    }
}

/// Replicates against ordinary chains.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// The settings of the replicates.
    pub settings: Settings,
    /// How long the ordinary chain runs.
    pub budget: Budget,
    /// The share of its sweeps that does not count.
    pub discard: f64,
}

/// What an ordinary chain gets the same amount of as the replicate it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Budget {
    /// Time on a processor.
    Time,
    /// Sweeps: kernel calls.
    Sweeps,
}

/// The output of a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Output {
    /// Of [`Work::Replicates`].
    Replicate(Replicate),
    /// Of [`Work::Workers`]: the replicates that the worker completed in its time.
    Worker(Vec<Replicate>),
    /// Of [`Work::PilotPairs`].
    Pilot(PilotPair),
    /// Of [`Work::VariancePairs`]; `None` if a pair was censored.
    Variance(Option<Between>),
    /// Of [`Work::Meetings`]: when, and how far apart the chains were after each sweep.
    Meeting(Observed, Vec<f64>),
    /// Of [`Work::Averages`].
    Average(Vec<f64>),
    /// Of [`Work::Against`]: a row whose values are the estimates, the sweeps of the chain, and its averages.
    Against(Row),
    /// Of [`Work::Scores`].
    Scored(Scores),
}

/// How well a model predicts its own rows, by states of one chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Leave-one-out densities of the rows, in the model's units; without states if the model has no rows of numbers.
    pub leave_one_out: LeaveOneOut,
    /// The averages of the summaries over all sweeps that count.
    pub averages: Vec<f64>,
    /// Wall time.
    pub seconds: f64,
}

/// One replicate: its row and the states kept of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replicate {
    /// The row.
    pub row: Row,
    /// The states.
    pub atoms: Vec<Atom>,
}

/// One replicate as the run directory keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its number: with the seed, its address.
    pub replicate: u64,
    /// The meeting time; `None` if the pair was censored.
    pub tau: Option<u64>,
    /// Sweeps that X made.
    pub sweeps: u64,
    /// Single-chain sweeps.
    pub kernel_calls: u64,
    /// Wall time.
    pub seconds: f64,
    /// One estimate per column.
    pub values: Vec<f64>,
}

/// The result of the pairs between two units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Between {
    /// One unbiased value of the asymptotic variance per summary.
    pub variances: Vec<f64>,
    /// Single-chain sweeps.
    pub kernel_calls: u64,
}
