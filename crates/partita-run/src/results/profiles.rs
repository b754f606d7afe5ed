//! What sets each cluster of the point estimate apart, and who is typical of it or in doubt.

use serde::{Deserialize, Serialize};

/// A posterior expectation about one column in one cluster of the point estimate: a row of `profiles.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileLine {
    /// The cluster, numbered from 0 by size.
    pub cluster: u64,
    /// The column.
    pub column: String,
    /// The level whose frequency this is; `None` for a column of numbers or counts, whose mean it is.
    pub level: Option<String>,
    /// The expected mean or frequency, in the units of the file; unbiased, so a frequency can fall outside [0, 1] by chance.
    pub mean: f64,
    /// Its standard error; `None` for a single replicate.
    pub se: Option<f64>,
    /// Its 95% interval; `None` for a single replicate.
    #[serde(default)]
    pub ci95: Option<[f64; 2]>,
    /// The same over the whole table.
    pub overall: f64,
}

/// The expected correlation of two columns within a cluster: a row of `correlations.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrelationLine {
    /// The cluster, numbered from 0 by size.
    pub cluster: u64,
    /// A column of numbers.
    pub column: String,
    /// Another.
    pub other: String,
    /// The expected correlation.
    pub mean: f64,
    /// Its standard error; `None` for a single replicate.
    pub se: Option<f64>,
    /// The correlation over the whole table.
    pub overall: f64,
}

/// A cluster as the report page introduces it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The cluster.
    pub cluster: u64,
    /// How many items it has.
    pub size: u64,
    /// The mean certainty of its items.
    pub certainty: f64,
    /// Its columns, those that set it apart most first; all levels of a categorical column together.
    pub columns: Vec<CardColumn>,
    /// How many columns are not shown.
    pub more_columns: u64,
    /// Its strongest correlations.
    pub correlations: Vec<CorrelationLine>,
    /// Names of typical members.
    pub typical: Vec<String>,
}

/// A column on a card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CardColumn {
    /// How far the cluster is from the whole table, in standard deviations of the table.
    pub apart: f64,
    /// The standard deviation of the column in the table; `None` for categories.
    pub sd: Option<f64>,
    /// Its mean, or the frequencies of its levels.
    pub lines: Vec<ProfileLine>,
}

/// An item whose cluster is in doubt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Doubt {
    /// Its name.
    pub item: String,
    /// Its cluster in the point estimate.
    pub cluster: u64,
    /// The probability that it shares a cluster with the other members of its own; for an item alone, that it is alone.
    pub certainty: f64,
    /// The standard error of that.
    pub se: Option<f64>,
    /// The other cluster with whose members it is most often together, and the probability; `None` if there is no
    /// other.
    pub alternative: Option<(u64, f64)>,
}
