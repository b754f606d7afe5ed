//! What a run does, with nothing left open: resolved once from the options, the data and the pilot.
//!
//! [`Setup`] is what a model is built from, besides the data; [`Plan`] is the whole run. Both can be
//! written as [`Options`], which resolve to the same plan: that is how `run.toml` stores it.

use super::{
    Alpha, ColumnType, Coupling, Covariance, CovariancePrior, Duration, EdgePrior, Float, Loss, Metric,
    ModelChoice, Options, Pca, Prior, Sampler, Shard, Start, Summary, Task,
};
use partita::Schedule;
use partita::likelihood::TablePrior;
use partita::prior::Components;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// What a model is built from, besides the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// What chains sample.
    pub law: Law,
    /// How they move.
    pub sampler: Sampler,
    /// How two of them are coupled.
    pub pairing: Pairing,
    /// Where they start.
    pub start: Start,
    /// What is estimated, each once.
    pub summaries: Vec<Summary>,
    /// The precision, which only a GPU can lower.
    pub float: Float,
}

/// What chains sample.
#[derive(Debug, Clone, PartialEq)]
pub enum Law {
    /// Clusterings of the rows of a table.
    Mixture(MixtureLaw),
    /// Proper colourings of a graph, all equally likely.
    Colorings {
        /// How many colours may be used.
        colors: usize,
    },
    /// Blocks of the vertices of a graph.
    Blocks {
        /// The prior law of partitions.
        prior: PartitionPrior,
        /// The prior of edge probabilities.
        edges: EdgePrior,
    },
}

/// A mixture model of the rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct MixtureLaw {
    /// Whether columns of real numbers are standardised.
    pub standardize: bool,
    /// What is known about the clusters' covariance.
    pub covariance: Covariance,
    /// The prior of what clusters are like.
    pub clusters: ClusterPrior,
    /// The prior law of partitions.
    pub prior: PartitionPrior,
}

/// The prior of what clusters are like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClusterPrior {
    /// Known spreads.
    Spreads {
        /// Standard deviation of cluster centres.
        prior_sd: f64,
        /// Standard deviation of items around their centre.
        noise_sd: f64,
    },
    /// Weakly informative, as the family makes it from the shape of the table.
    Weak,
    /// About a share of the table's own covariance, or of the variances of its columns.
    Like(TablePrior),
}

/// The prior law of partitions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PartitionPrior {
    /// A Dirichlet process with this concentration.
    Dirichlet(Alpha),
    /// A Pitman-Yor process with discount and strength.
    PitmanYor(f64, f64),
    /// A finite mixture: concentration of the weights, Poisson rate of the number of components beyond the first.
    Finite(f64, f64),
}

impl PartitionPrior {
    /// The law itself.
    pub fn law(&self) -> partita::Result<partita::Prior> {
        match *self {
            PartitionPrior::Dirichlet(Alpha::Fixed(alpha)) => partita::Prior::dirichlet(alpha),
            PartitionPrior::Dirichlet(Alpha::Gamma(shape, rate)) => {
                partita::Prior::dirichlet_gamma(shape, rate)
            }
            PartitionPrior::PitmanYor(discount, strength) => partita::Prior::pitman_yor(discount, strength),
            PartitionPrior::Finite(gamma, rate) => {
                partita::Prior::finite_mixture(gamma, Components::Poisson { rate })
            }
        }
    }

    fn say(&self, options: &mut Options) {
        options.prior = Some(match *self {
            PartitionPrior::Dirichlet(alpha) => {
                options.alpha = Some(alpha);
                Prior::Dirichlet
            }
            PartitionPrior::PitmanYor(discount, strength) => Prior::PitmanYor(discount, strength),
            PartitionPrior::Finite(gamma, rate) => Prior::Finite(gamma, rate),
        });
    }
}

impl fmt::Display for PartitionPrior {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            PartitionPrior::Dirichlet(alpha) => write!(f, "Dirichlet process (alpha {alpha})"),
            PartitionPrior::PitmanYor(discount, strength) => {
                write!(f, "Pitman-Yor process (discount {discount}, strength {strength})")
            }
            PartitionPrior::Finite(gamma, rate) => {
                write!(f, "finite mixture (Dirichlet weights {gamma}, components 1 + Poisson {rate})")
            }
        }
    }
}

/// How two chains are coupled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pairing {
    /// The coupling.
    pub coupling: Coupling,
    /// Its metric, which only the optimal one has.
    pub metric: Metric,
    /// Probability of an independent draw; unused by the independent coupling.
    pub nugget: f64,
}

impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.coupling)?;
        if self.coupling == Coupling::Optimal {
            write!(f, " ({})", self.metric)?;
        }
        if self.coupling != Coupling::Independent {
            write!(f, ", nugget {:e}", self.nugget)?;
        }
        Ok(())
    }
}

/// How a table is read, as far as this was specified; the rest is inferred from the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// The character between cells.
    pub delimiter: Option<char>,
    /// Whether the first row holds names.
    pub header: Option<bool>,
    /// The columns to use; `None` for all.
    pub columns: Option<Vec<String>>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// A column of row names.
    pub id_column: Option<String>,
    /// A column with a known clustering.
    pub label_column: Option<String>,
    /// What columns hold.
    pub column_type: Vec<ColumnType>,
    /// The sheet of a workbook.
    pub sheet: Option<String>,
    /// How many principal components take the place of the columns; `None` keeps the columns.
    pub pca: Option<Pca>,
}

/// When to stop, as far as this was specified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// Not specified.
    Unsaid,
    /// After a number of replicates.
    Replicates(u64),
    /// After a wall time.
    Time(Duration),
    /// Once every interval is narrower than this.
    Precision(f64),
}

/// When a run is complete.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "lowercase")]
pub enum StoppingRule {
    /// After a number of replicates.
    Replicates {
        /// How many.
        replicates: u64,
    },
    /// Once every 95% interval is narrower than a width, checked after rounds of fixed sizes, up to a number of
    /// replicates.
    Precision {
        /// The width.
        width: f64,
        /// The fewest, and the first look.
        at_least: u64,
        /// The most.
        at_most: u64,
    },
    /// Once the number of clusters, its distribution and the summaries are known to two digits, checked in the same
    /// way.
    Digits {
        /// The fewest, and the first look.
        at_least: u64,
        /// The most.
        at_most: u64,
        /// Where replicates take long: from so many on, intervals two and a half times as wide will do, and those of
        /// probabilities five times as wide.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        coarser_from: Option<u64>,
    },
    /// After a time, by the unbiased rule: workers run one after another on each processor, each
    /// for its share of the time.
    Time {
        /// Workers.
        workers: u64,
        /// Seconds of each worker.
        seconds: f64,
        /// Workers that were added when the run was made longer.
        #[serde(default, skip_serializing_if = "is_zero")]
        further: u64,
    },
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A whole run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The file to analyse; `None` for the built-in data.
    pub data: Option<PathBuf>,
    /// How it is read.
    pub reading: Reading,
    /// What the model is built from.
    pub setup: Setup,
    /// The seed.
    pub seed: u64,
    /// Lag, burn-in and sweeps.
    pub schedule: Schedule,
    /// The cap: a pair that has not met by then is censored.
    pub max_sweeps: u64,
    /// The limit that was specified.
    pub limit: Limit,
    /// When to stop.
    pub stop: StoppingRule,
    /// States kept of each replicate.
    pub keep_draws: usize,
    /// The loss that the point estimate minimises.
    pub loss: Loss,
    /// Worker threads, if specified; this depends on the machine and does not change results.
    pub threads: Option<usize>,
    /// Which share of the replicates to run.
    pub shard: Shard,
    /// The run directory.
    pub out: PathBuf,
}

impl Setup {
    /// What kind of run it is.
    pub fn task(&self) -> Task {
        match self.law {
            Law::Mixture(_) => Task::Fit,
            Law::Colorings { .. } => Task::Color,
            Law::Blocks { .. } => Task::Blocks,
        }
    }

    /// The same as options, which resolve to this setup whatever the data.
    pub fn options(&self) -> Options {
        let mut options = Options {
            sampler: Some(self.sampler.clone()),
            coupling: Some(self.pairing.coupling),
            // What a coupling has no use for is not said of it.
            metric: (self.pairing.coupling == Coupling::Optimal).then_some(self.pairing.metric),
            nugget: (self.pairing.coupling != Coupling::Independent).then_some(self.pairing.nugget),
            start: Some(self.start),
            summary: Some(self.summaries.clone()),
            // What nearly all runs have need not be said.
            float: (self.float != Float::F64).then_some(self.float),
            ..Options::default()
        };
        match &self.law {
            Law::Mixture(mixture) => {
                options.standardize = Some(mixture.standardize);
                options.model = Some(ModelChoice::Named(mixture.covariance));
                match mixture.clusters {
                    ClusterPrior::Spreads { prior_sd, noise_sd } => {
                        options.prior_sd = Some(prior_sd);
                        options.noise_sd = Some(noise_sd);
                    }
                    // What a family does by itself need not be said.
                    ClusterPrior::Weak => (),
                    ClusterPrior::Like(prior) => options.cluster_prior = Some(CovariancePrior::Like(prior)),
                }
                mixture.prior.say(&mut options);
            }
            Law::Colorings { colors } => options.colors = Some(*colors),
            Law::Blocks { prior, edges } => {
                options.edge_prior = Some(*edges);
                prior.say(&mut options);
            }
        }
        options
    }
}

impl Plan {
    /// The same as options: what `run.toml` stores, and what repeats the run.
    pub fn options(&self) -> Options {
        let Reading { delimiter, header, columns, drop, id_column, label_column, column_type, sheet, pca } =
            self.reading.clone();
        let unless_empty = |list: Vec<String>| (!list.is_empty()).then_some(list);
        Options {
            data: self.data.clone(),
            delimiter,
            header,
            columns,
            drop: unless_empty(drop),
            id_column,
            label_column,
            column_type: (!column_type.is_empty()).then_some(column_type),
            sheet,
            pca,
            seed: Some(self.seed),
            lag: Some(self.schedule.lag()),
            burn_in: Some(self.schedule.burn_in()),
            sweeps: Some(self.schedule.sweeps()),
            max_sweeps: Some(self.max_sweeps),
            replicates: if let Limit::Replicates(replicates) = self.limit { Some(replicates) } else { None },
            time: if let Limit::Time(time) = self.limit { Some(time) } else { None },
            precision: if let Limit::Precision(width) = self.limit { Some(width) } else { None },
            keep_draws: Some(self.keep_draws),
            loss: (self.keep_draws > 0).then_some(self.loss),
            threads: self.threads,
            shard: (self.shard != Shard::WHOLE).then_some(self.shard),
            out: Some(self.out.clone()),
            ..self.setup.options()
        }
    }

    /// Worker threads: as specified, or all processors of this machine.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(crate::session::processors)
    }
}
