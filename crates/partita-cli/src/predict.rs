//! Predictions as a person or a program wants them: CSV, a score in words, or JSON.

use crate::screen;
use partita_run::Failure;
use partita_run::results::{Predictions, Score};
use partita_run::words;
use std::path::Path;

/// Results to standard output, or to a file.
pub fn show(found: &Predictions, score: bool, json: bool, out: Option<&Path>) -> Result<(), Failure> {
    let text = match (json, score) {
        (true, true) => serde_json::to_string(&found.score).expect("a score is JSON") + "\n",
        (true, false) => serde_json::to_string(found).expect("predictions are JSON") + "\n",
        (false, true) => sentence(&found.score),
        (false, false) => found.csv(),
    };
    let Score { rows, unknown, beyond, .. } = found.score;
    if beyond > 0 {
        screen::say(&format!(
            "{beyond} of {rows} rows have no log density: they lie so far from the data that it is below the range of \
             double precision (their clusters are still right)"
        ));
    }
    if unknown > beyond {
        screen::say(&format!(
            "{} of {rows} rows have no log density: the unbiased estimate of their density is not positive; more \
             replicates or a longer --burn-in would help",
            unknown - beyond
        ));
    }
    match out {
        None => screen::print(&text),
        Some(path) => std::fs::write(path, text).map_err(|e| {
            Failure::BadInput(format!("{}: cannot be written ({e}): choose another --out", path.display()))
        }),
    }
}

fn sentence(score: &Score) -> String {
    let rows = if score.rows == 1 { "row" } else { "rows" };
    let part = |name: &str, value: Option<f64>, interval: Option<[f64; 2]>| {
        let Some(value) = value else { return format!("{name} unknown") };
        let half = interval.map_or(f64::INFINITY, |[low, high]| (high - low) / 3.92);
        let ends = interval.map_or(String::new(), |[low, high]| {
            format!(" (95% interval {} to {})", words::rounded(low, half), words::rounded(high, half))
        });
        format!("{name} {}{ends}", words::rounded(value, half))
    };
    screen::wrap(&format!(
        "log predictive density of {} {rows}, in the units of the file: {}; {}",
        score.rows,
        part("mean", score.mean, score.mean_ci95),
        part("sum", score.sum, score.sum_ci95)
    ))
}
