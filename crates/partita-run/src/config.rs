//! What a run does: what the user chose ([`Options`]) and what was decided ([`Plan`]).
//!
//! Every option may be left out. Names are the same everywhere: `--burn-in 30` on the command line is `burn_in = 30` in
//! a TOML file.

mod choice;
mod model;
mod pca;
mod plan;
pub(crate) mod resolve;
mod sampler;
mod uses;

pub use crate::model::Covariance;
pub use crate::summary::{Grid, Summary};
pub use choice::{Coupling, Device, Duration, Float, Loss, Metric, Shard, Start, Task};
pub(crate) use choice::{as_text, words};
pub use model::{Alpha, ColumnType, CovariancePrior, EdgePrior, ModelChoice, Prior};
pub use pca::Pca;
pub use plan::{
    ClusterPrior, Law, Limit, MixtureLaw, Pairing, PartitionPrior, Plan, Reading, Setup, StoppingRule,
};
pub use resolve::{Facts, default_in_words};
pub use sampler::{Move, Sampler};

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Declares the options once: as fields that may be left open, by name, and one set over another.
macro_rules! options {
    ($($(#[doc = $doc:literal])* $(#[serde(alias = $alias:literal)])? $field:ident: $kind:ty,)*) => {
        /// Everything that can be chosen; the program decides what is `None`.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Options { $($(#[doc = $doc])* $(#[serde(alias = $alias)])? pub $field: Option<$kind>,)* }

        impl Options {
            /// The names of all options, as a TOML file writes them.
            pub const KEYS: &'static [&'static str] = &[$(stringify!($field)),*];

            /// Other names that a TOML file may use, each with the option it stands for.
            pub const ALIASES: &'static [(&'static str, &'static str)] = &[$($(($alias, stringify!($field)),)?)*];

            /// For each option, in the order of [`KEYS`](Options::KEYS): its type, and what it is, in a sentence.
            ///
            /// ```
            /// use partita_run::config::Options;
            /// let at = Options::KEYS.iter().position(|key| *key == "nugget").unwrap();
            /// assert_eq!(Options::ABOUT[at], ("f64", "The probability of an independent draw while the chains differ."));
            /// ```
            pub const ABOUT: &'static [(&'static str, &'static str)] =
                &[$((stringify!($kind), concat!($($doc),*).trim_ascii())),*];

            /// These options, with those left open taken from `other`.
            pub fn or(self, other: Options) -> Options {
                Options { $($field: self.$field.or(other.$field)),* }
            }
        }
    };
}

options! {
    /// The file to analyse; by default the built-in penguins.
    data: PathBuf,
    /// The character that separates cells.
    delimiter: char,
    /// Whether the first row holds the column names.
    header: bool,
    /// The columns to use.
    columns: Vec<String>,
    /// The columns to leave out.
    drop: Vec<String>,
    /// The column that holds the row names.
    id_column: String,
    /// The column with known labels to compare the clusters with.
    label_column: String,
    /// Whether numeric columns are standardised to mean 0 and standard deviation 1.
    standardize: bool,
    /// The types of columns, where they should not be guessed.
    column_type: Vec<ColumnType>,
    /// The model: auto, known, shared, shared-columns, diagonal or full.
    #[serde(alias = "covariance")]
    model: ModelChoice,
    /// The standard deviation of cluster centres.
    prior_sd: f64,
    /// The standard deviation of items around their cluster centre.
    noise_sd: f64,
    /// The prior on partitions.
    prior: Prior,
    /// The concentration of the Dirichlet process.
    alpha: Alpha,
    /// The number of colours.
    colors: usize,
    /// The beta prior of the edge probability between two blocks.
    edge_prior: EdgePrior,
    /// The moves of a sweep.
    sampler: Sampler,
    /// The coupling of the two chains.
    coupling: Coupling,
    /// The metric of the optimal coupling.
    metric: Metric,
    /// The probability of an independent draw while the chains differ.
    nugget: f64,
    /// The initial states of the chains.
    start: Start,
    /// The sweeps by which the first chain is ahead of the second.
    lag: u64,
    /// The sweeps to discard.
    burn_in: u64,
    /// The least number of sweeps per pair.
    sweeps: u64,
    /// The most sweeps per pair: a pair that has not met by then is censored.
    max_sweeps: u64,
    /// The number of replicates.
    replicates: u64,
    /// The wall time of the whole run.
    time: Duration,
    /// Stop once every 95% interval is narrower than this.
    precision: f64,
    /// The random seed.
    seed: u64,
    /// The summaries to estimate.
    summary: Vec<Summary>,
    /// The states to keep per replicate, for the clustering and later questions.
    keep_draws: usize,
    /// The loss that the point estimate minimises.
    loss: Loss,
    /// The number of worker threads; results do not depend on it.
    threads: usize,
    /// Where replicates run: cpu, cuda (an NVIDIA GPU) or auto; results do not depend on it.
    device: Device,
    /// The precision on a GPU: f64, whose results are those of the processors, or f32, which is faster.
    float: Float,
    /// The share of the replicates to run.
    shard: Shard,
    /// The run directory.
    out: PathBuf,
    /// The prior of the clusters' covariance matrices.
    cluster_prior: CovariancePrior,
    /// The sheet of a workbook, by name or by number from 1.
    sheet: String,
    /// Cluster this many principal components, or as many as explain a share of the variance.
    pca: Pca,
}

/// What is wrong with a configuration, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A key that does not exist.
    #[error("{file}: there is no option `{key}`{}", nearest(.closest))]
    UnknownKey {
        /// The file.
        file: String,
        /// The key.
        key: String,
        /// The nearest real one.
        closest: Option<String>,
    },
    /// Not TOML, or a value of the wrong kind.
    #[error("{file}: {problem}")]
    Malformed {
        /// The file.
        file: String,
        /// What is wrong, with the line.
        problem: String,
    },
    /// The file cannot be read.
    #[error("{file} cannot be read: {problem}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        problem: String,
    },
    /// A value outside its range, or options that cannot be combined.
    #[error("{0}")]
    Value(String),
}

/// More than any machine will ever do, and small enough that sums and products of options stay whole numbers.
const MOST: u64 = 1_000_000_000_000_000;
/// Replicates below 2^40; the numbers above are those of other streams.
const MOST_REPLICATES: u64 = 1_000_000_000_000;

/// What a reader of TOML expected, in words a user knows.
fn in_words(message: &str) -> String {
    [
        ("u64", "a whole number"),
        ("usize", "a whole number"),
        ("f64", "a number"),
        ("a boolean", "true or false"),
    ]
    .into_iter()
    .find_map(|(kind, words)| message.strip_suffix(&format!("expected {kind}")).map(|m| (m, words)))
    .map_or(message.to_string(), |(message, words)| format!("{message}expected {words}"))
}

fn nearest(closest: &Option<String>) -> String {
    closest.as_ref().map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

impl Options {
    /// Reads options from a TOML file; an unknown key is refused, and the nearest real one suggested.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|e| ConfigError::Unreadable { file: file.clone(), problem: crate::words::plain(&e) })?;
        Self::parse(&text, &file)
    }

    /// Reads options from the text of a TOML file; `file` is its name in error sentences.
    ///
    /// ```
    /// use partita_run::config::Options;
    /// let options = Options::parse("lag = 5\nburn_in = 10", "my.toml")?;
    /// assert_eq!(options.lag, Some(5));
    /// let wrong = Options::parse("burnin = 10", "my.toml").unwrap_err();
    /// assert_eq!(wrong.to_string(), "my.toml: there is no option `burnin`; did you mean `burn_in`?");
    /// # Ok::<(), partita_run::config::ConfigError>(())
    /// ```
    pub fn parse(text: &str, file: &str) -> Result<Self, ConfigError> {
        let malformed = |e: toml::de::Error| {
            let line =
                e.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let what = in_words(e.message());
            ConfigError::Malformed { file: file.into(), problem: format!("line {line}: {what}") }
        };
        let table: toml::Table = text.parse().map_err(malformed)?;
        for key in table.keys() {
            if let Some((alias, name)) = Self::ALIASES.iter().find(|(alias, _)| alias == key) {
                if table.contains_key(*name) {
                    let problem =
                        format!("`{alias}` and `{name}` are two names for the same option: give one of them");
                    return Err(ConfigError::Malformed { file: file.into(), problem });
                }
            } else if !Self::KEYS.contains(&key.as_str()) {
                let closest = crate::words::closest(key, Self::KEYS.iter().copied());
                return Err(ConfigError::UnknownKey { file: file.into(), key: key.clone(), closest });
            }
        }
        toml::from_str(text).map_err(malformed)
    }

    /// Refuses values outside their range and options that contradict each other.
    pub fn check(&self) -> Result<(), ConfigError> {
        let refuse = |sentence: String| Err(ConfigError::Value(sentence));
        for (name, value) in
            [("`prior_sd`", self.prior_sd), ("`noise_sd`", self.noise_sd), ("`precision`", self.precision)]
        {
            if let Some(value) = value.filter(|v| !(*v > 0.0 && v.is_finite())) {
                return refuse(format!("{name} must be a positive number, but is {value}"));
            }
        }
        // Beyond this, squares of squares leave the range of floating point.
        for (name, value) in [("`prior_sd`", self.prior_sd), ("`noise_sd`", self.noise_sd)] {
            if let Some(value) = value.filter(|v| !(1e-30..=1e30).contains(v)) {
                return refuse(format!("{name} must be between 1e-30 and 1e30, but is {value:e}"));
            }
        }
        if let Some(eta) = self.nugget.filter(|eta| !(0.0..=1.0).contains(eta)) {
            return refuse(format!("`nugget` is a probability and must be between 0 and 1, but is {eta}"));
        }
        for (name, value) in [
            ("`lag`", self.lag),
            ("`replicates`", self.replicates),
            ("`max_sweeps`", self.max_sweeps),
            ("`threads`", self.threads.map(|t| t as u64)),
            ("`colors`", self.colors.map(|c| c as u64)),
        ] {
            if value == Some(0) {
                return refuse(format!("{name} must be at least 1"));
            }
        }
        for (name, value, most) in [
            ("`lag`", self.lag, MOST),
            ("`burn_in`", self.burn_in, MOST),
            ("`sweeps`", self.sweeps, MOST),
            ("`max_sweeps`", self.max_sweeps, MOST),
            ("`replicates`", self.replicates, MOST_REPLICATES),
            ("`shard`", self.shard.map(|s| s.of), MOST),
            ("`colors`", self.colors.map(|c| c as u64), MOST),
            ("`keep_draws`", self.keep_draws.map(|n| n as u64), 1_000_000),
            ("`threads`", self.threads.map(|t| t as u64), 1024),
        ] {
            if let Some(value) = value.filter(|v| *v > most) {
                return refuse(format!("{name} must be at most {most}, but is {value}"));
            }
        }
        for (name, path) in [("the data", &self.data), ("`out`", &self.out)] {
            if let Some(path) = path.as_ref().filter(|p| p.to_str().is_none()) {
                return refuse(format!(
                    "{name}: the name {} is not UTF-8 and cannot be stored in run.toml: rename it",
                    path.display()
                ));
            }
        }
        if let (Some(k), Some(m)) = (self.burn_in, self.sweeps)
            && m < k
        {
            return refuse(format!(
                "`sweeps` ({m}) must be at least `burn_in` ({k}): raise `sweeps` or lower `burn_in`"
            ));
        }
        if let (Some(cap), Some(m)) = (self.max_sweeps, self.sweeps)
            && cap < m
        {
            return refuse(format!(
                "`max_sweeps` ({cap}) would censor pairs before they have made their `sweeps` ({m}): raise it"
            ));
        }
        if let (Some(cap), Some(lag)) = (self.max_sweeps, self.lag)
            && cap <= lag
        {
            return refuse(format!(
                "`max_sweeps` ({cap}) would censor every pair before its second chain has moved (`lag = {lag}`): \
                 raise it"
            ));
        }
        let stops = [self.replicates.is_some(), self.time.is_some(), self.precision.is_some()];
        if stops.iter().filter(|s| **s).count() > 1 {
            return refuse(
                "`replicates`, `time` and `precision` each say when to stop: give only one of them".into(),
            );
        }
        if self.shard.is_some() && self.replicates.is_none() {
            return refuse(
                "`shard` needs `replicates`, the total over all shards, so that each knows its share".into(),
            );
        }
        if let (Some(shard), Some(replicates)) = (self.shard, self.replicates)
            && shard.of > replicates
        {
            return refuse(format!(
                "`shard = {shard}`: there are fewer replicates ({replicates}) than shards; use at most \
                 {replicates} shards"
            ));
        }
        if self.precision.is_some() && self.summary.as_ref().is_some_and(Vec::is_empty) {
            return refuse(
                "`precision` needs a summary to estimate, and there is none: use `replicates` or `time`"
                    .into(),
            );
        }
        Ok(())
    }
}
