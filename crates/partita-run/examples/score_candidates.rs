//! Which model suits a table: leave-one-out scores of the candidates, by three chains each.
//!
//! `cargo run --release -p partita-run --example score_candidates -- iris.csv [--labels COLUMN] [--seconds 1.5] [--prior PRIOR]...`
//! prints one line of JSON a candidate; with `--prior` the covariance matrices have these priors instead of the grid's.

use partita_run::Failure;
use partita_run::config::{Covariance, CovariancePrior, Options, Task};
use partita_run::engine::{Output, Work};
use partita_run::model::{Candidate, build, candidates, load};
use std::path::PathBuf;

/// What is to be scored.
pub struct Question {
    /// The table.
    pub data: PathBuf,
    /// Its column with a known clustering.
    pub labels: Option<String>,
    /// Seconds of a chain, about.
    pub seconds: f64,
    /// Priors instead of the grid's.
    pub priors: Vec<CovariancePrior>,
}

/// One candidate with its score.
#[derive(Debug)]
pub struct Answer {
    /// The model.
    pub name: String,
    /// The score by row, and its standard error over rows.
    pub score: f64,
    /// That error.
    pub se: f64,
    /// The scores of the single chains.
    pub chains: Vec<f64>,
    /// The summaries, by name.
    pub averages: Vec<(String, f64)>,
    /// Milliseconds of a sweep.
    pub sweep: f64,
}

/// Scores all candidates of a table.
pub fn score(question: &Question) -> Result<Vec<Answer>, Failure> {
    let base = Options {
        data: Some(question.data.clone()),
        label_column: question.labels.clone(),
        sampler: Some("sams*5+gibbs".parse().map_err(Failure::BadInput)?),
        start: Some("sequential".parse().map_err(Failure::BadInput)?),
        ..Options::default()
    };
    let read = load(Task::Fit, &base)?;
    let mut all = candidates(&read.input);
    if !question.priors.is_empty() {
        let full = all.iter().find(|one| one.covariance == Covariance::Full).cloned();
        let with = |prior: &CovariancePrior| {
            let mut one = full.clone()?;
            (one.prior, one.options.cluster_prior) = (Some(*prior), Some(*prior));
            Some(one)
        };
        all = question.priors.iter().filter_map(with).collect();
    }
    all.iter().map(|one| answer(question, &base, one)).collect()
}

fn answer(question: &Question, base: &Options, one: &Candidate) -> Result<Answer, Failure> {
    let read = load(Task::Fit, &one.options.clone().or(base.clone()))?;
    let model = build(&read.setup, &read.input)?;
    let run = |number, end: u64| {
        let work = Work::Scores { seed: 1, discard: end * 2 / 5, end, every: (end / 40).max(1) };
        match model.run(&work, number, &|| false) {
            Some(Output::Scored(scores)) => scores,
            other => unreachable!("{other:?}"),
        }
    };
    let sweep = run(0, 30).seconds / 30.0;
    let end = ((question.seconds / sweep) as u64).clamp(30, 20_000);
    let mut chains = (0..3).map(|number| run(number, end));
    let first = chains.next().expect("three chains");
    let (mut all, mut sums) = (first.leave_one_out.clone(), first.averages);
    let mut single = vec![first.leave_one_out.score().mean];
    for chain in chains {
        all.merge(&chain.leave_one_out);
        single.push(chain.leave_one_out.score().mean);
        sums.iter_mut().zip(&chain.averages).for_each(|(sum, value)| *sum += value);
    }
    let names = model.quantities().iter().map(|quantity| quantity.name.to_string());
    let prior = one.prior.map_or(String::new(), |prior| format!(" {prior}"));
    Ok(Answer {
        name: format!("{}{prior}", one.covariance),
        score: all.score().mean,
        se: all.score().se,
        chains: single,
        averages: names.zip(sums.iter().map(|sum| sum / 3.0)).collect(),
        sweep: 1e3 * sweep,
    })
}

fn main() -> Result<(), Failure> {
    let mut question = Question { data: PathBuf::new(), labels: None, seconds: 1.5, priors: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| Failure::BadInput(format!("{word} needs a value")));
        match word.as_str() {
            "--labels" => question.labels = Some(value()?),
            "--seconds" => {
                question.seconds =
                    value()?.parse().map_err(|e| Failure::BadInput(format!("--seconds: {e}")))?;
            }
            "--prior" => question.priors.push(value()?.parse().map_err(Failure::BadInput)?),
            _ => question.data = word.into(),
        }
    }
    for answer in score(&question)? {
        let averages: Vec<String> =
            answer.averages.iter().map(|(name, x)| format!("\"{name}\": {x:.4}")).collect();
        let chains: Vec<String> = answer.chains.iter().map(|x| format!("{x:.3}")).collect();
        println!(
            "{{\"model\": \"{}\", \"score\": {:.4}, \"se\": {:.4}, \"chains\": [{}], \"ms\": {:.3}, {}}}",
            answer.name,
            answer.score,
            answer.se,
            chains.join(", "),
            answer.sweep,
            averages.join(", ")
        );
    }
    Ok(())
}
