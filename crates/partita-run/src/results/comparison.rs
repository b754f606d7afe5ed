//! Models compared on held-out rows: the object of `compare --json`.

use serde::{Deserialize, Serialize};

/// Models compared on held-out rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Rows that the models were fitted to.
    pub rows: u64,
    /// Rows held out.
    pub held_out: u64,
    /// The position of the model with the largest score.
    pub best: u64,
    /// One per model, in the order given.
    pub models: Vec<Compared>,
}

/// One model on held-out rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The model.
    pub model: String,
    /// Its prior, where it is not the default.
    pub prior: Option<String>,
    /// The log predictive density per row, in the units of the file; `None` if that of a row is not known.
    pub score: Option<f64>,
    /// Its standard error, for the choice of rows and for the error of the run.
    pub se: Option<f64>,
    /// The part due to the run alone.
    pub own_se: Option<f64>,
    /// Rows whose density has no positive estimate: then there is no score.
    pub unknown: u64,
    /// Replicates of its run.
    pub replicates: u64,
    /// Those of them that were censored.
    pub censored: u64,
    /// How far it is behind the best; `None` for the best itself, and if a score is not known.
    pub behind: Option<Difference>,
}

/// The mean over rows of the difference between two models, row by row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub se: f64,
    /// Its 95% interval.
    pub ci95: [f64; 2],
}
