//! Which model: candidates are scored on the table itself, by how well they predict each row from the others.

use super::choose::{Contender, UNKNOWN};
use super::{Room, Stage};
use crate::Failure;
use crate::config::{Covariance, CovariancePrior, Setup};
use crate::model::Input;
use partita::score::{LeaveOneOut, Scored};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

/// A model that may suit a table, and its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoredModel {
    /// The model.
    pub model: Covariance,
    /// The principal components that replace the columns, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pca: Option<usize>,
    /// Its prior, where the model has several.
    #[serde(default)]
    pub prior: Option<CovariancePrior>,
    /// The mean over rows of the log density of a row given all others; none if it was not tried.
    #[serde(default)]
    pub score: Option<f64>,
    /// Its standard error, with rows as a sample from many.
    #[serde(default)]
    pub se: Option<f64>,
    /// Wall time.
    pub seconds: f64,
    /// Pairs of chains that ran, briefly.
    pub pairs: u64,
    /// Those of them that met.
    pub met: u64,
    /// The mean number of clusters in their last states.
    #[serde(default)]
    pub clusters: f64,
    /// Whether it was taken.
    pub taken: bool,
    /// Why it was passed over although it scored best, or why it was not scored at all.
    #[serde(default)]
    pub left: Option<String>,
}

impl ScoredModel {
    /// The model, and what it is a model of.
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
    /// Where that is the principal components of the table: what makes densities of the scored rows out of theirs.
    pub beyond: Option<Vec<f64>>,
    pub setup: Setup,
    /// What is scored: the model, of all rows or of a sample of them.
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
        let mut trial = None;
        if sweep * *SWEEPS.start() as f64 <= OVERDRAWN * share {
            let sweeps = ((share / sweep) as u64).clamp(*SWEEPS.start(), *SWEEPS.end());
            let what = format!("scoring {}", name(&found));
            let stage = room.scored_stage(&entry.contender, &what, PAIRS, sweeps)?;
            trial = Trial::new(&stage, entry.beyond.as_deref());
            found.pairs = PAIRS;
            found.met = PAIRS - stage.unmet();
            found.clusters = stage.clusters();
            found.seconds = begin.elapsed().as_secs_f64();
        }
        match &trial {
            Some(trial) => {
                let score = trial.densities.score();
                found.score = Some(score.mean);
                found.se = Some(score.se.hypot(trial.between));
            }
            None => found.left = Some("the table is too large to try it within the pilot".into()),
        }
        known.push(found);
        trials.push(trial);
    }
    // What follows has a budget of its own.
    room.spent = 0.0;
    Ok((order(&known, &trials), known))
}

impl Trial {
    /// Of pairs that were scored; none if most were cut before.
    fn new(stage: &Stage, beyond: Option<&[f64]>) -> Option<Self> {
        let scored = stage.pairs.iter().filter_map(|pair| pair.score.as_ref());
        let all: Vec<&LeaveOneOut> = scored.filter(|score| score.states() > 0).collect();
        if all.len() < 2 {
            return None;
        }
        let mut densities = all[0].clone();
        all[1..].iter().for_each(|score| densities.merge(score));
        beyond.into_iter().for_each(|factors| densities.scale(factors));
        let scores: Vec<f64> = all.iter().map(|score| score.score().mean).collect();
        Some(Trial { densities, between: Scored::of(&scores).se })
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

/// The order in which models should be taken: the larger score first. But of those within the error of the best, one of which
/// half of the pairs met in its trial comes first, then the simplest family, then the prior with the fewest clusters.
fn order(known: &[ScoredModel], trials: &[Option<Trial>]) -> Vec<usize> {
    let score = |at: usize| known[at].score.unwrap_or(f64::NEG_INFINITY);
    let mut left: Vec<usize> = (0..known.len()).filter(|&at| trials[at].is_some()).collect();
    left.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    let trial = |at: usize| trials[at].as_ref().expect("it was scored");
    let ease = |at: usize| {
        let family = known.iter().position(|other| other.family() == known[at].family());
        (!most_met_in_trial(&known[at]), family)
    };
    let easier = |a: usize, b: usize| {
        ease(a).cmp(&ease(b)).then(known[a].clusters.total_cmp(&known[b].clusters)).then(a.cmp(&b))
    };
    let mut order = Vec::new();
    while let Some(&first) = left.first() {
        let near = left.iter().copied().filter(|&at| at == first || trial(at).is_near(trial(first)));
        let next = near.min_by(|&a, &b| easier(a, b)).expect("the first is near itself");
        left.retain(|&at| at != next);
        order.push(next);
    }
    if order.is_empty() { vec![0] } else { order }
}

/// Whether at least half of the pairs of its trial met.
pub(crate) fn most_met_in_trial(found: &ScoredModel) -> bool {
    2 * found.met >= found.pairs
}

/// Whether chains of no other candidate of the same family should meet sooner: most pairs of its trial met, and it has the
/// fewest clusters of those.
pub(crate) fn is_safest(known: &[ScoredModel], at: usize) -> bool {
    let of_family = known.iter().filter(|other| other.family() == known[at].family());
    let ease = |found: &ScoredModel| (found.met, -found.clusters);
    of_family.map(ease).all(|other| other <= ease(&known[at]))
}

/// Says of those that scored better than the one that is taken why they were left; of the best of them in a sentence, unless
/// that was said.
pub(crate) fn passed_over(known: &mut [ScoredModel], said: &[usize]) -> Option<String> {
    let taken = known.iter().find(|found| found.taken)?.score;
    let mut best: Option<(f64, String)> = None;
    for (at, found) in known.iter_mut().enumerate().filter(|(_, found)| found.score > taken) {
        let why =
            found.left.get_or_insert("a simpler model predicts as well, within the error".into()).clone();
        let score = found.score.expect("it is larger than another");
        if best.as_ref().is_none_or(|(other, _)| score > *other) && !said.contains(&at) {
            best = Some((score, format!("pilot: {} scored {score:.2}, but {why}", name(found))));
        }
    }
    best.map(|(_, sentence)| sentence)
}

/// Marks the one that is taken.
pub(crate) fn take(known: &mut [ScoredModel], at: usize) {
    known.iter_mut().enumerate().for_each(|(i, found)| found.taken = i == at);
}

/// The scores and what was taken, in one line: `diagonal -3.88, full -3.49; using full`.
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
        // Of the family that is taken, the one that is.
        let told_of = if family == taken.family() { taken.score } else { best };
        told.push(match told_of {
            Some(score) => format!("{family} {score:.2}"),
            None => format!("{family} not tried"),
        });
        families.push(family);
    }
    Some(format!("pilot: log predictive density per row: {}; using {}", told.join(", "), name(taken)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(model: Covariance, met: u64, clusters: f64) -> ScoredModel {
        ScoredModel {
            model,
            pca: None,
            prior: None,
            score: Some(-1.0),
            se: Some(0.1),
            seconds: 0.0,
            pairs: PAIRS,
            met,
            clusters,
            taken: false,
            left: None,
        }
    }

    #[test]
    fn what_scored_better_than_the_model_that_is_taken_is_told() {
        let mut known = [found(Covariance::Diagonal, 6, 1.0), found(Covariance::Full, 2, 9.0)];
        take(&mut known, 0);
        known[1].score = Some(-0.5);
        assert_eq!(
            in_words(&known).as_deref(),
            Some("pilot: log predictive density per row: diagonal -1.00, full -0.50; using diagonal")
        );
        let why = "4 of 16 pairs did not meet within the pilot";
        known[1].left = Some(why.into());
        let sentence = passed_over(&mut known, &[]);
        assert_eq!(sentence, Some(format!("pilot: full scored -0.50, but {why}")));
        assert_eq!(known[1].left.as_deref(), Some(why));
        assert_eq!((passed_over(&mut known, &[1]), &known[0].left), (None, &None));
        known[1].left = None;
        assert!(passed_over(&mut known, &[]).is_some_and(|sentence| sentence.contains("a simpler model")));
    }

    /// Two rows that are predicted with this density, in each of two pairs.
    fn trial(densities: [f64; 2]) -> Option<Trial> {
        let mut all = LeaveOneOut::new(2);
        (0..2).for_each(|_| all.add(&densities));
        Some(Trial { densities: all, between: 0.01 })
    }

    /// By score; but within the error a simpler family, and of a family what has fewer clusters, comes before.
    #[test]
    fn the_order_is_by_score_and_within_the_error_by_simplicity() {
        let mut known = [
            found(Covariance::Diagonal, 6, 9.0),
            found(Covariance::Full, 0, 12.0),
            found(Covariance::Full, 6, 4.0),
            found(Covariance::Full, 6, 6.0),
        ];
        let by = |known: &mut [ScoredModel], scores: [f64; 4]| {
            let trials = scores.map(|score| trial([score, score]));
            known.iter_mut().zip(scores).for_each(|(found, score)| found.score = Some(score));
            order(known, &trials)
        };
        assert_eq!(by(&mut known, [-4.0, -1.0, -3.0, -2.0]), [1, 3, 2, 0]);
        assert_eq!(by(&mut known, [-4.0, -1.0, -1.001, -1.002]), [2, 3, 1, 0]);
        assert_eq!(by(&mut known, [-1.003, -1.0, -1.001, -3.0]), [0, 2, 1, 3]);
        // Of the first, few pairs met.
        known[0].met = 1;
        assert_eq!(by(&mut known, [-1.003, -1.0, -1.001, -3.0]), [2, 0, 1, 3]);
        let trials = [trial([-4.0, -4.0]), None, None, None];
        assert_eq!(order(&known, &trials), [0]);
        assert_eq!(order(&known, &[None, None, None, None]), [0]);
    }

    #[test]
    fn the_safest_of_a_family_has_most_meetings_and_then_fewest_clusters() {
        let known = [
            found(Covariance::Diagonal, 6, 1.0),
            found(Covariance::Full, 3, 2.0),
            found(Covariance::Full, 5, 7.0),
            found(Covariance::Full, 5, 4.0),
        ];
        let safest: Vec<usize> = (0..known.len()).filter(|&at| is_safest(&known, at)).collect();
        assert_eq!(safest, [0, 3]);
    }
}
