//! Which model: candidates are scored on this very table, by how well they predict each row from the others.

use super::choose::{Contender, UNKNOWN};
use super::{Room, Stage};
use crate::Failure;
use crate::config::{Covariance, CovariancePrior};
use partita::score::LeaveOneOut;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// A model that may suit a table, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoredModel {
    /// The model.
    pub model: Covariance,
    /// Its prior, where the model has several.
    #[serde(default)]
    pub prior: Option<CovariancePrior>,
    /// The log density of a row given all others, a mean over rows; none where it was not tried.
    #[serde(default)]
    pub score: Option<f64>,
    /// Its standard error, as if rows were a sample of many.
    #[serde(default)]
    pub se: Option<f64>,
    /// Wall time.
    pub seconds: f64,
    /// Pairs of chains that ran, briefly.
    pub pairs: u64,
    /// Those of them that met.
    pub met: u64,
    /// Whether it was taken.
    pub taken: bool,
    /// Why it was left although it scored best, or was not scored at all.
    #[serde(default)]
    pub left: Option<String>,
}

/// The share of a pilot's budget for scores.
const SHARE: f64 = 0.3;
/// Pairs of each candidate.
const PAIRS: u64 = 6;
/// Sweeps of each.
const SWEEPS: std::ops::RangeInclusive<u64> = 20..=120;
/// A candidate may take so many times its share before it is left out.
const OVERDRAWN: f64 = 3.0;
/// Kernel calls of a pair in units of its sweeps: the second chain stops when it meets the first.
const CALLS: f64 = 1.7;

/// A candidate ready to run.
pub(crate) struct Entry {
    pub model: Covariance,
    pub prior: Option<CovariancePrior>,
    pub contender: Contender,
}

/// Scores candidates, the simplest first; those too large to try are left out. Returns them in the order in which they should be
/// taken, by their numbers, and what is known of each.
pub(crate) fn score(entries: &[Entry], room: &mut Room) -> Result<(Vec<usize>, Vec<ScoredModel>), Failure> {
    let share = SHARE * room.budget / entries.len() as f64;
    let mut known = Vec::new();
    let mut scores: Vec<Option<LeaveOneOut>> = Vec::new();
    for entry in entries {
        let begin = Instant::now();
        let sweep = CALLS * PAIRS as f64 * entry.contender.sweep_work(UNKNOWN);
        let mut found = ScoredModel {
            model: entry.model,
            prior: entry.prior,
            score: None,
            se: None,
            seconds: 0.0,
            pairs: 0,
            met: 0,
            taken: false,
            left: None,
        };
        if sweep * *SWEEPS.start() as f64 > OVERDRAWN * share {
            found.left = Some("the table is too large to try it in the time of a pilot".into());
            known.push(found);
            scores.push(None);
            continue;
        }
        let sweeps = ((share / sweep) as u64).clamp(*SWEEPS.start(), *SWEEPS.end());
        let stage =
            room.scored_stage(&entry.contender, &format!("scoring {}", name(&found)), PAIRS, sweeps)?;
        let score = total(&stage);
        let mean = score.score();
        found.score = Some(mean.mean);
        found.se = Some(mean.se);
        found.pairs = PAIRS;
        found.met = PAIRS - stage.unmet();
        found.seconds = begin.elapsed().as_secs_f64();
        known.push(found);
        scores.push(Some(score));
    }
    // What follows has a budget of its own.
    room.spent = 0.0;
    Ok((order(&known, &scores), known))
}

fn total(stage: &Stage) -> LeaveOneOut {
    let mut all = stage.pairs.iter().filter_map(|pair| pair.score.as_ref());
    let mut total = all.next().expect("pairs were scored").clone();
    all.for_each(|score| total.merge(score));
    total
}

/// The model, with its prior where there is one.
pub(crate) fn name(found: &ScoredModel) -> String {
    match found.prior {
        Some(prior) => format!("{} ({prior})", found.model),
        None => found.model.to_string(),
    }
}

/// The order in which models should be taken. Of each family the prior that scores best; of the families the simplest
/// that is within the error of the best, then all others by their scores. Priors that are second best come last.
fn order(known: &[ScoredModel], scores: &[Option<LeaveOneOut>]) -> Vec<usize> {
    let score = |at: usize| known[at].score.unwrap_or(f64::NEG_INFINITY);
    let mut all: Vec<usize> = (0..known.len()).filter(|&at| scores[at].is_some()).collect();
    // Stable: the simpler first where scores are equal.
    all.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    let Some(&best) = all.first() else { return vec![0] };
    let is_first =
        |&at: &usize| all.iter().find(|&&other| known[other].model == known[at].model) == Some(&at);
    let mut firsts: Vec<usize> = all.iter().copied().filter(is_first).collect();
    let behind = |at: usize| {
        let both = scores[best].as_ref().zip(scores[at].as_ref());
        both.map(|(best, other)| best.less(other)).expect("both were scored")
    };
    let simplest = firsts.iter().copied().filter(|&at| at == best || behind(at).mean <= behind(at).se).min();
    let simplest = simplest.unwrap_or(best);
    firsts.retain(|&at| at != simplest);
    firsts.insert(0, simplest);
    firsts
}

/// Marks the one that is taken.
pub(crate) fn take(known: &mut [ScoredModel], at: usize) {
    known.iter_mut().enumerate().for_each(|(i, found)| found.taken = i == at);
}

/// The scores and what was taken, in a line: `diagonal -3.88, full -3.49 per row: full`.
pub(crate) fn in_words(known: &[ScoredModel]) -> Option<String> {
    let taken = known.iter().find(|found| found.taken)?;
    let mut told: Vec<String> = Vec::new();
    let mut families: Vec<Covariance> = Vec::new();
    for found in known {
        if families.contains(&found.model) {
            continue;
        }
        families.push(found.model);
        let of_family = known.iter().filter(|other| other.model == found.model);
        let best = of_family.filter_map(|other| other.score).max_by(f64::total_cmp);
        told.push(match best {
            Some(score) => format!("{} {score:.2}", found.model),
            None => format!("{} not tried", found.model),
        });
    }
    Some(format!("pilot: log predictive density per row: {}: {}", told.join(", "), name(taken)))
}
