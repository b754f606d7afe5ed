//! Which model: candidates are scored on this very table, by how well they predict each row from the others.

use super::choose::{Contender, UNKNOWN};
use super::{Room, Stage};
use crate::Failure;
use crate::config::{Covariance, CovariancePrior};
use crate::model::Input;
use partita::score::{LeaveOneOut, Scored};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

/// A model that may suit a table, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoredModel {
    /// The model.
    pub model: Covariance,
    /// The principal components that take the place of the columns, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pca: Option<usize>,
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
    /// Clusters in their last states, a mean.
    #[serde(default)]
    pub clusters: f64,
    /// Whether it was taken.
    pub taken: bool,
    /// Why it was left although it scored best, or was not scored at all.
    #[serde(default)]
    pub left: Option<String>,
}

impl ScoredModel {
    /// The model, and what it is of.
    pub(crate) fn family(&self) -> String {
        match self.pca {
            Some(components) => format!("{} on {components} principal components", self.model),
            None => self.model.to_string(),
        }
    }
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
    /// The table that it is a model of.
    pub input: Arc<Input>,
    /// Where that is the principal components of the table: what makes densities of rows out of theirs.
    pub beyond: Option<Vec<f64>>,
    pub contender: Contender,
}

impl Entry {
    fn components(&self) -> Option<usize> {
        self.beyond.as_ref().and(self.input.table.as_ref()).map(|table| table.columns)
    }
}

/// A candidate's densities by row, and how far the chains that gave them disagree.
struct Trial {
    densities: LeaveOneOut,
    /// The standard error of the score, by its scatter between pairs.
    between: f64,
}

/// Scores candidates, the simplest first; those too large to try are left out. Returns them in the order in which they should be
/// taken, by their numbers, and what is known of each.
pub(crate) fn score(entries: &[Entry], room: &mut Room) -> Result<(Vec<usize>, Vec<ScoredModel>), Failure> {
    let share = SHARE * room.budget / entries.len() as f64;
    let mut known = Vec::new();
    let mut trials: Vec<Option<Trial>> = Vec::new();
    for entry in entries {
        let begin = Instant::now();
        room.clusters = 0.0;
        let sweep = CALLS * PAIRS as f64 * room.sweep(&entry.contender, entry.contender.price(UNKNOWN));
        let mut found = ScoredModel {
            model: entry.model,
            pca: entry.components(),
            prior: entry.prior,
            score: None,
            se: None,
            seconds: 0.0,
            pairs: 0,
            met: 0,
            clusters: 0.0,
            taken: false,
            left: None,
        };
        if sweep * *SWEEPS.start() as f64 > OVERDRAWN * share {
            found.left = Some("the table is too large to try it within the pilot".into());
            known.push(found);
            trials.push(None);
            continue;
        }
        let sweeps = ((share / sweep) as u64).clamp(*SWEEPS.start(), *SWEEPS.end());
        let stage =
            room.scored_stage(&entry.contender, &format!("scoring {}", name(&found)), PAIRS, sweeps)?;
        let trial = Trial::new(&stage, entry.beyond.as_deref());
        let score = trial.densities.score();
        found.score = Some(score.mean);
        found.se = Some(score.se.hypot(trial.between));
        found.pairs = PAIRS;
        found.met = PAIRS - stage.unmet();
        found.clusters = stage.clusters();
        found.seconds = begin.elapsed().as_secs_f64();
        known.push(found);
        trials.push(Some(trial));
    }
    // What follows has a budget of its own.
    room.spent = 0.0;
    Ok((order(&known, &trials), known))
}

impl Trial {
    fn new(stage: &Stage, beyond: Option<&[f64]>) -> Self {
        let all: Vec<&LeaveOneOut> = stage.pairs.iter().filter_map(|pair| pair.score.as_ref()).collect();
        let mut densities = all.first().copied().expect("pairs were scored").clone();
        all[1..].iter().for_each(|score| densities.merge(score));
        beyond.into_iter().for_each(|factors| densities.scale(factors));
        let scores: Vec<f64> = all.iter().map(|score| score.score().mean).collect();
        Trial { densities, between: Scored::of(&scores).se }
    }

    /// Whether another is ahead by no more than the error of that.
    fn is_near(&self, other: &Trial) -> bool {
        let ahead = other.densities.less(&self.densities);
        ahead.mean <= ahead.se.hypot(self.between).hypot(other.between)
    }
}

/// The model, with its prior where there is one.
pub(crate) fn name(found: &ScoredModel) -> String {
    match found.prior {
        Some(prior) => format!("{} ({prior})", found.family()),
        None => found.family(),
    }
}

/// The order in which models should be taken. Those with pairs that met soon come before those whose chains may never
/// cross; then the larger score counts. But a simpler family within the error comes before it.
fn order(known: &[ScoredModel], trials: &[Option<Trial>]) -> Vec<usize> {
    let key =
        |at: usize| (2 * known[at].met >= known[at].pairs, known[at].score.unwrap_or(f64::NEG_INFINITY));
    let mut left: Vec<usize> = (0..known.len()).filter(|&at| trials[at].is_some()).collect();
    // Stable: the simpler first where all is equal.
    left.sort_by(|&a, &b| key(b).0.cmp(&key(a).0).then(key(b).1.total_cmp(&key(a).1)));
    let trial = |at: usize| trials[at].as_ref().expect("it was scored");
    let mut order = Vec::new();
    while let Some(&first) = left.first() {
        let simpler = |at: usize| {
            at < first && known[at].family() != known[first].family() && key(at).0 >= key(first).0
        };
        let simpler = left.iter().copied().find(|&at| simpler(at) && trial(at).is_near(trial(first)));
        let next = simpler.unwrap_or(first);
        left.retain(|&at| at != next);
        order.push(next);
    }
    if order.is_empty() { vec![0] } else { order }
}

/// Marks the one that is taken.
pub(crate) fn take(known: &mut [ScoredModel], at: usize) {
    known.iter_mut().enumerate().for_each(|(i, found)| found.taken = i == at);
}

/// The scores and what was taken, in a line: `diagonal -3.88, full -3.49 per row: full`.
pub(crate) fn in_words(known: &[ScoredModel]) -> Option<String> {
    let taken = known.iter().find(|found| found.taken)?;
    let mut told: Vec<String> = Vec::new();
    let mut families: Vec<String> = Vec::new();
    for found in known {
        let family = found.family();
        if families.contains(&family) {
            continue;
        }
        let of_family = known.iter().filter(|other| other.family() == family);
        let best = of_family.filter_map(|other| other.score).max_by(f64::total_cmp);
        told.push(match best {
            Some(score) => format!("{family} {score:.2}"),
            None => format!("{family} not tried"),
        });
        families.push(family);
    }
    Some(format!("pilot: log predictive density per row: {}: {}", told.join(", "), name(taken)))
}
