//! What a run says about new rows: the object of `predict --json`, and its table.

use serde::{Deserialize, Serialize};

/// What a run says about new rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Predictions {
    /// Clusters of the point estimate, numbered from 0 by size as in `clustering.csv`.
    pub clusters: u64,
    /// One per row.
    pub predictions: Vec<Prediction>,
    /// All rows as a test set.
    pub score: Score,
}

/// What a run says about one new row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Its name, or its number from 0.
    pub row: String,
    /// The log of the unbiased estimate of its predictive density, in the units of the file; `None` if that
    /// estimate is not positive, or its log is below the range of doubles.
    pub log_density: Option<f64>,
    /// The standard error of that, by the delta method.
    pub log_density_se: Option<f64>,
    /// The cluster it joins with the largest expected probability; `None` for a new one.
    pub cluster: Option<u64>,
    /// The expected probability that it shares a cluster with a member of each cluster, averaged over the
    /// members; and last, that it opens a new one.
    pub joins: Vec<f64>,
    /// Their standard errors.
    pub joins_se: Vec<Option<f64>>,
}

/// How well a run predicts a test set: larger is better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Rows.
    pub rows: u64,
    /// Rows whose density has no positive estimate: then there is no score.
    pub unknown: u64,
    /// Those of them whose density is so small that double precision cannot hold its logarithm.
    #[serde(default)]
    pub beyond: u64,
    /// The sum of the log densities.
    pub sum: Option<f64>,
    /// Its 95% interval, for the error of the run but not for the choice of rows.
    pub sum_ci95: Option<[f64; 2]>,
    /// The mean of the log densities.
    pub mean: Option<f64>,
    /// Its 95% interval.
    pub mean_ci95: Option<[f64; 2]>,
}

impl Predictions {
    /// As CSV: `row,log_density,log_density_se,cluster,p0,...,new,p0_se,...,new_se`.
    pub fn csv(&self) -> String {
        let names: Vec<String> = (0..self.clusters).map(|c| format!("p{c}")).chain(["new".into()]).collect();
        let errors: Vec<String> = names.iter().map(|name| format!("{name}_se")).collect();
        let mut text =
            format!("row,log_density,log_density_se,cluster,{},{}\n", names.join(","), errors.join(","));
        let number = |value: &Option<f64>| value.map_or(String::new(), |v| format!("{v:?}"));
        for p in &self.predictions {
            let mut cells =
                vec![crate::words::csv_cell(&p.row), number(&p.log_density), number(&p.log_density_se)];
            cells.push(p.cluster.map_or("new".into(), |cluster| cluster.to_string()));
            cells.extend(p.joins.iter().map(|p| format!("{p:?}")));
            cells.extend(p.joins_se.iter().map(number));
            text += &(cells.join(",") + "\n");
        }
        text
    }
}
