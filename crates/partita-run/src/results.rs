//! What a run has found: the object of `--json` and `summary.json`, and what the report page shows.
//!
//! Field names are the contract of the command; outside programs read them.

mod comparison;
mod predictions;
mod profiles;

pub use comparison::{Compared, Comparison, Difference};
pub use predictions::{Prediction, Predictions, Score};
pub use profiles::{Card, CardColumn, CorrelationLine, Doubt, ProfileLine};

use serde::{Deserialize, Serialize};

/// The answers of a run: printed by `--json`, kept as `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Finished replicates, including censored ones.
    pub replicates: u64,
    /// Censored replicates: their chains had not met at the largest number of sweeps.
    pub censored: u64,
    /// The seed.
    pub seed: u64,
    /// The lag `L`.
    pub lag: u64,
    /// The burn-in `k`.
    pub burn_in: u64,
    /// The sweeps `m`.
    pub sweeps: u64,
    /// The moves of a sweep.
    #[serde(default)]
    pub sampler: String,
    /// The initial states of the chains.
    #[serde(default)]
    pub start: String,
    /// The pilot; `None` if there was none.
    #[serde(default)]
    pub pilot: Option<PilotLine>,
    /// The model of a table; `None` for graphs.
    #[serde(default)]
    pub model: Option<String>,
    /// The models scored by the pilot, if it chose the model.
    #[serde(default)]
    pub candidates: Vec<CandidateLine>,
    /// Wall time of the replicates alone, without pilot, reading and report.
    pub seconds: f64,
    /// Single-chain sweeps: a coupled sweep counts as two.
    pub kernel_calls: u64,
    /// One line per summary.
    pub summaries: Vec<Line>,
    /// Meeting times.
    pub meeting: Meeting,
    /// Bound on the total variation distance to the target after so many sweeps of one chain.
    pub tv_bound: Vec<(u64, f64)>,
    /// Whether all pairs met, so that the whole bound is known; otherwise its tail is unknown.
    pub tv_bound_complete: bool,
    /// Sweeps after which the bound is at most 0.01; `None` if it is not known to get there.
    pub tv_sweeps: Option<u64>,
    /// Estimated probability of each number of clusters.
    pub cluster_count: Vec<CountLine>,
    /// The point estimate, with what is known about it; `None` if no states were kept.
    #[serde(default)]
    pub clustering: Option<Clustering>,
    /// The coupled pairs that gave the asymptotic variances of one long chain; `None` if none ran.
    #[serde(default)]
    pub variance_pairs: Option<VariancePairs>,
    /// Whether the chains can get from every state to every other; `None` if that is not known.
    #[serde(default)]
    pub connected: Option<bool>,
    /// The parts of the target visited by the chains, the one with the most chains first: more than one only if chains did
    /// not cross between them, empty if this was not checked.
    #[serde(default)]
    pub modes: Vec<Mode>,
    /// What each cluster of the point estimate is like, column by column; empty for graphs, and if no states were kept.
    #[serde(default)]
    pub profiles: Vec<ProfileLine>,
    /// Correlations within each cluster, where the model has a covariance matrix per cluster.
    #[serde(default)]
    pub correlations: Vec<CorrelationLine>,
    /// Whether the answers can be relied on, in one sentence.
    #[serde(default)]
    pub reliability: String,
    /// How intervals were made: `mean` (all replicates planned beforehand) or `deadline` (the
    /// unbiased rule over workers).
    pub rule: String,
    /// Warnings: censoring, a risky start, slow meeting.
    pub notes: Vec<String>,
}

impl Results {
    /// In words, that chains stayed apart; `None` if they did not.
    pub fn apart(&self) -> Option<String> {
        let parts = self.modes.len();
        let all: u64 = self.modes.iter().map(|mode| mode.chains).sum();
        let crossed = match Mode::crossed(&self.modes) {
            0 => "did not cross between them in this run".into(),
            some => format!("seldom crossed between them: {some} of {all} chains did"),
        };
        (parts > 1).then(|| format!("The chains found {parts} separate parts of the posterior and {crossed}"))
    }

    /// How the asymptotic variance of one long chain was found; `None` if it is not known.
    pub fn yardstick(&self) -> Option<String> {
        let by =
            |way: Yardstick| self.summaries.iter().filter_map(|l| l.long_chain.as_ref()).any(|c| c.by == way);
        let rough = "batch means of the pilot, which are rough";
        match (self.variance_pairs.filter(|_| by(Yardstick::CoupledPairs)), by(Yardstick::BatchMeans)) {
            (Some(v), false) => Some(format!("{} coupled pairs", v.pairs)),
            (Some(v), true) => {
                Some(format!("{} coupled pairs; where no error is given, from {rough}", v.pairs))
            }
            (None, true) => Some(rough.into()),
            (None, false) => None,
        }
    }
}

/// A part of the target visited by chains, represented by one of their states; its labels are in `modes.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mode {
    /// Clusters of that state.
    pub clusters: u64,
    /// Their sizes, the largest first.
    pub sizes: Vec<u64>,
    /// The log probability of that state, up to a constant common to all states.
    pub log_probability: f64,
    /// Chains that were in this part.
    pub chains: u64,
    /// Those of them that came from another part.
    #[serde(default)]
    pub crossed: u64,
}

impl Mode {
    /// Chains that came from another part, of all parts.
    pub(crate) fn crossed(modes: &[Mode]) -> u64 {
        modes.iter().map(|mode| mode.crossed).sum()
    }
}

/// What the pilot took and found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PilotLine {
    /// Its wall time.
    pub seconds: f64,
    /// Pairs at the last lag.
    pub pairs: u64,
    /// How many of them were censored.
    pub unmet: u64,
}

/// A model that a pilot scored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CandidateLine {
    /// The model.
    pub model: String,
    /// The principal components that take the place of the columns, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pca: Option<usize>,
    /// Its prior, where the model has several.
    pub prior: Option<String>,
    /// The log density of a row given all others, averaged over rows; `None` if it was not tried.
    pub score: Option<f64>,
    /// Its standard error, as if rows were a sample of many.
    pub se: Option<f64>,
    /// Wall time of its trial.
    pub seconds: f64,
    /// The share of its pairs of chains that met in that time; `None` if none ran.
    pub met: Option<f64>,
    /// Whether it was taken.
    pub taken: bool,
    /// Why it was passed over although it scored better, or was not tried.
    pub left: Option<String>,
}

/// The estimates of one summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its name: `clusters`, `top:1`, `co:0,21`.
    pub name: String,
    /// What it is, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// The mean over replicates: unbiased unless replicates were censored.
    pub mean: f64,
    /// Its standard error; `None` for a single replicate.
    pub se: Option<f64>,
    /// The 95% interval for the posterior expectation, longer on the side of the long tail if the estimates are
    /// skewed; `None` for a single replicate.
    pub ci95: Option<[f64; 2]>,
    /// The trimmed mean (biased where the sample is skewed).
    pub trimmed: f64,
    /// A 95% interval for the posterior expectation: it contains `ci95` and the trimmed mean's own interval.
    pub trimmed_ci95: Option<[f64; 2]>,
    /// The median of means, for comparison; it has no interval.
    pub median_of_means: f64,
    /// Cost relative to one long chain: `E[cost] * Var(H)` over its asymptotic variance; `None` if unknown.
    pub inefficiency: Option<f64>,
    /// Its standard error; `None` if that of the asymptotic variance is not known.
    #[serde(default)]
    pub inefficiency_se: Option<f64>,
    /// The long chain it is compared with.
    #[serde(default)]
    pub long_chain: Option<LongChain>,
}

/// What averages along one long chain would give.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LongChain {
    /// The asymptotic variance: of the mean of `n` states of one chain, times `n`.
    pub variance: f64,
    /// Its standard error, where it is known.
    pub se: Option<f64>,
    /// How it was found.
    pub by: Yardstick,
}

/// How an asymptotic variance was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Yardstick {
    /// Unbiased, from coupled pairs started at kept states (Douc, Jacob, Lee, Vats 2022).
    CoupledPairs,
    /// Roughly, by overlapping batch means of the pilot's traces.
    BatchMeans,
}

/// The coupled pairs behind the asymptotic variances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariancePairs {
    /// How many.
    pub pairs: u64,
    /// Their kernel calls, which are not among those of the run.
    pub kernel_calls: u64,
}

/// The point estimate of the clustering: found with half of the replicates, assessed on the other half.
///
/// Its labels are in `clustering.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clustering {
    /// The loss it minimises: `vi` (in nats) or `binder` (share of ordered pairs).
    pub loss: String,
    /// Its expected loss, unbiased; `None` for a single replicate.
    pub expected_loss: Option<f64>,
    /// The standard error of that.
    pub se: Option<f64>,
    /// The 95% interval of that.
    pub ci95: Option<[f64; 2]>,
    /// The sizes of the clusters, the largest first.
    pub sizes: Vec<u64>,
    /// The mean certainty of the items of each cluster.
    pub certainty: Vec<f64>,
    /// The 95% credible ball around it.
    pub ball: Ball,
    /// Its adjusted Rand index with the known labels, where there are any.
    pub reference_ari: Option<f64>,
    /// Its variation of information to them, in nats.
    pub reference_vi: Option<f64>,
    /// The rows without a known label, which are left out of both.
    #[serde(default)]
    pub reference_missing: Option<u64>,
}

impl Clustering {
    /// The rows with known labels, if not all have one: ` over the 5 of 8 rows that have a label`.
    pub fn compared_rows(&self) -> Option<String> {
        let missing = self.reference_missing.filter(|missing| *missing > 0)?;
        let rows: u64 = self.sizes.iter().sum();
        Some(format!(" over the {} of {rows} rows that have a label", rows - missing))
    }

    /// The certainty of the average item, between 0 and 1. Of so few pairs that the unbiased estimate is no probability at
    /// all, none.
    pub(crate) fn average_certainty(&self) -> Option<f64> {
        let items: u64 = self.sizes.iter().sum();
        let sum: f64 =
            self.sizes.iter().zip(&self.certainty).map(|(size, certainty)| *size as f64 * certainty).sum();
        let average = sum / items as f64;
        (-0.05..=1.05).contains(&average).then_some(average.clamp(0.0, 1.0))
    }
}

/// A credible ball and the kept states that bound it (Wade, Ghahramani 2018), which are in `credible_ball.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ball {
    /// The smallest distance within which 95% of the posterior lies.
    pub radius: f64,
    /// Clusters of the upper vertical bound: the fewest in the ball.
    pub upper: Option<u64>,
    /// Clusters of the lower vertical bound: the most.
    pub lower: Option<u64>,
    /// Distance of the horizontal bound: the farthest state.
    pub horizontal: Option<f64>,
}

/// The probability of one number of clusters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountLine {
    /// `3`, or `>20` for the rest.
    pub clusters: String,
    /// Unbiased, so it can fall outside [0, 1] by chance.
    pub probability: f64,
    /// The 95% interval.
    pub ci95: Option<[f64; 2]>,
}

/// Meeting times of the pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meeting {
    /// Pairs that met.
    pub met: u64,
    /// Mean of the meeting times; `None` if a pair was censored.
    pub mean: Option<f64>,
    /// The Kaplan-Meier median; `None` if censoring hides it, as for the other quantiles.
    pub median: Option<u64>,
    /// The 95% quantile.
    pub q95: Option<u64>,
    /// The 99% quantile.
    pub q99: Option<u64>,
    /// The largest meeting time seen.
    pub max: Option<u64>,
    /// The Kaplan-Meier curve `P(tau > t)` at the times where it steps.
    pub survival: Vec<(u64, f64)>,
}

/// Everything that the report page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// What was analysed, e.g. `seed.csv` or `Palmer penguins (built in)`.
    pub title: String,
    /// The model and the run, in a sentence or two.
    pub question: String,
    /// The answer in words with intervals, one sentence each.
    pub answer: Vec<String>,
    /// The numbers.
    pub summary: Results,
    /// The meeting curve with its interval: (time, survival, low, high).
    pub survival: Vec<(u64, f64, f64, f64)>,
    /// Times at which pairs were censored.
    pub censored_at: Vec<u64>,
    /// The individual estimates of each summary, at most a few thousand.
    pub estimates: Vec<Estimates>,
    /// The co-clustering matrix; `None` if no states were kept.
    pub co_clustering: Option<CoClustering>,
    /// The data as points with cluster colours; `None` for graphs and one-column data.
    pub scatter: Option<Scatter>,
    /// The clusters of the point estimate, the largest first.
    #[serde(default)]
    pub cards: Vec<Card>,
    /// The items in doubt, the least certain first, up to a limit.
    #[serde(default)]
    pub doubts: Vec<Doubt>,
    /// The states that bound the credible ball.
    #[serde(default)]
    pub bounds: Vec<Bound>,
    /// The known labels against the clusters, where there are any.
    #[serde(default)]
    pub known: Option<KnownLabels>,
    /// The predictive density, for one-column data.
    pub density: Option<Density>,
    /// How to repeat the run: (what, value).
    pub provenance: Vec<(String, String)>,
    /// The command that repeats it.
    pub command: String,
}

/// Individual estimates of one summary, in replicate order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimates {
    /// The summary's name.
    pub name: String,
    /// The replicate numbers.
    pub replicates: Vec<u64>,
    /// The estimates.
    pub values: Vec<f64>,
    /// Whether each was censored.
    pub censored: Vec<bool>,
}

/// A co-clustering matrix, items ordered by a clustering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoClustering {
    /// Names of the items, in the order shown.
    pub names: Vec<String>,
    /// The cluster of each item shown, for marks along the axes.
    pub clusters: Vec<usize>,
    /// Row by row, not clipped: estimated co-clustering probabilities.
    pub matrix: Vec<f64>,
    /// A note, if not all items are shown.
    pub note: Option<String>,
}

/// Points in two coordinates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scatter {
    /// Names of the axes: two columns, or two principal axes with the share they explain.
    pub axes: [String; 2],
    /// Names of the items.
    pub names: Vec<String>,
    /// First coordinates.
    pub x: Vec<f64>,
    /// Second coordinates.
    pub y: Vec<f64>,
    /// The cluster of each point.
    pub clusters: Vec<usize>,
    /// Whether each is in doubt.
    #[serde(default)]
    pub doubtful: Vec<bool>,
    /// What principal axes are made of, in words; empty for plain columns.
    #[serde(default)]
    pub loadings: Vec<String>,
    /// A note, if not all points are shown.
    pub note: Option<String>,
}

/// A state that bounds the credible ball.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// `upper`, `lower` or `horizontal`.
    pub name: String,
    /// The sizes of its clusters, the largest first.
    pub sizes: Vec<u64>,
    /// The cluster of each point shown, numbered as the clusters of the point estimate that they share most items with.
    pub clusters: Vec<usize>,
}

/// Known labels against the clusters of the point estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownLabels {
    /// The labels.
    pub labels: Vec<String>,
    /// For each label, the rows of each cluster that have it.
    pub counts: Vec<Vec<u64>>,
}

/// A predictive density on a grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Density {
    /// The name of the column.
    pub axis: String,
    /// Where.
    pub x: Vec<f64>,
    /// The estimate.
    pub value: Vec<f64>,
    /// The 95% interval's lower end; empty where there is none.
    pub low: Vec<f64>,
    /// The 95% interval's upper end; empty where there is none.
    pub high: Vec<f64>,
    /// The data, for a rug.
    pub data: Vec<f64>,
}
