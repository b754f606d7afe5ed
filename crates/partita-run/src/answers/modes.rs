//! The parts of a target that chains did not cross between: what they are, and what would determine their weights.

use super::point::by_size;
use crate::config::{Law, Limit, Plan};
use crate::engine::pilot::Pilot;
use crate::engine::{Draw, Sample};
use crate::model::{Model, advice, crossing};
use crate::results::{Mode, Results};
use crate::words;
use partita::Partition;
use partita::modes::Trail;
use std::collections::{BTreeMap, HashSet};

/// The parts of the target in which chains were, the one with the most chains first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Modes {
    /// What is told of each.
    pub found: Vec<Mode>,
    /// The state that stands for each; slots by size, the largest first.
    pub states: Vec<Partition>,
}

/// Fewer chains may be in one part and not near each other by chance.
const FEWEST: usize = 8;
/// More would take long to compare, and tell no more.
const MOST: usize = 64;
/// Where no more than one chain in so many crossed between parts, they are parts.
const SELDOM: usize = 8;

/// Groups chains by the parts of the target they are in: those of the pilot and those of the pairs that were censored, if nearly
/// as many of their states are known.
pub(crate) fn modes(model: &dyn Model, pilot: &[Trail], sample: &Sample) -> Modes {
    let mut modes = Modes::default();
    let known = pilot.iter().map(Trail::states).min().unwrap_or(0);
    let censored = censored(sample).into_iter().filter(|chain| 3 * chain.states() >= known);
    let chains: Vec<Trail> = pilot.iter().cloned().chain(censored).take(MOST).collect();
    if pilot.is_empty() && chains.len() < FEWEST {
        return modes;
    }
    // Where a pair was censored, crossing may be possible, and yet too rare to wait for.
    let is_censored = sample.rows.iter().any(|row| row.tau.is_none());
    let crossings = if is_censored { chains.len() / SELDOM } else { 0 };
    for mode in partita::modes::modes(&chains, crossings) {
        let state = by_size(chains[mode.representative].end());
        modes.found.push(Mode {
            clusters: state.clusters() as u64,
            sizes: state.sizes().iter().map(|&size| u64::from(size)).collect(),
            log_probability: model.log_probability(&state),
            chains: mode.chains.len() as u64,
            crossed: mode.crossed.len() as u64,
        });
        modes.states.push(state);
    }
    modes
}

/// Where the chains of the pairs that were censored were, as far as their states were kept: weights are positive for states of
/// the first chain and negative for those of the second.
fn censored(sample: &Sample) -> Vec<Trail> {
    let unmet: HashSet<u64> =
        sample.rows.iter().filter(|row| row.tau.is_none()).map(|row| row.replicate).collect();
    let mut chains: BTreeMap<(u64, bool), Vec<Partition>> = BTreeMap::new();
    for Draw { replicate, atom } in sample.draws.iter().filter(|draw| unmet.contains(&draw.replicate)) {
        chains.entry((*replicate, atom.weight < 0.0)).or_default().push(atom.partition.clone());
    }
    // A chain of which one state was kept does not tell how far it moves.
    let halves = |mut states: Vec<Partition>| {
        let last = states.split_off(states.len().div_ceil(2));
        (!last.is_empty()).then_some(Trail { earlier: states, last })
    };
    chains.into_values().filter_map(halves).collect()
}

/// Parts told in a sentence at most; the table has all.
const TOLD: usize = 4;
/// Sizes told of each.
const TOLD_SIZES: usize = 5;

/// What the chains found, where they stayed apart.
pub(super) fn finding(summary: &Results) -> Option<String> {
    let modes = &summary.modes;
    let mut parts: Vec<String> = modes.iter().take(TOLD).map(one).collect();
    if modes.len() > TOLD {
        parts.push(format!("and {} more", modes.len() - TOLD));
    }
    let apart = summary.apart()?;
    Some(format!("{apart}: {}. This run does not determine their relative weights.", parts.join("; ")))
}

fn one(mode: &Mode) -> String {
    let Mode { clusters, sizes, log_probability, chains, .. } = mode;
    let chains = if *chains == 1 { "1 chain".into() } else { format!("{chains} chains") };
    let clusters =
        if *clusters == 1 { "1 cluster of size".into() } else { format!("{clusters} clusters of sizes") };
    let sizes = words::sizes(sizes, TOLD_SIZES);
    format!("{clusters} {sizes}, log probability {log_probability:.1} ({chains})")
}

/// What that means for the other answers, and what would determine the weights.
pub(super) fn note(modes: &[Mode], plan: &Plan, pilot: Option<&Pilot>, censored: u64) -> Option<String> {
    let raced = pilot.is_some_and(Pilot::raced);
    match modes.len() {
        0 => None,
        1 => slow(plan, pilot.filter(|pilot| pilot.unmet > 0)?, censored),
        parts => {
            let crossed = if Mode::crossed(modes) == 0 { "did not cross" } else { "seldom crossed" };
            let (longer, in_place) = (longer(plan), in_place_of(&plan.limit));
            let crossing = crossing(&plan.setup, raced);
            Some(format!(
                "This run does not determine the relative weights of the {parts} parts between which chains {crossed}: \
                 where the parts differ, means, intervals and the point estimate may be further off than they suggest. \
                 Chains need more time to cross, as in {longer}{in_place} with the other options of this run; or try \
                 {crossing}."
            ))
        }
    }
}

/// Where pairs did not meet although all chains were in one part.
fn slow(plan: &Plan, pilot: &Pilot, censored: u64) -> Option<String> {
    (censored > 0).then(|| {
        format!(
            "{} of {} pilot pairs had not met either. All chains were in one part of the posterior and moved within it, so \
             that pairs are slow to meet rather than stuck: they need more time, as in {}{} with the other options of this \
             run; or try {}.",
            pilot.unmet,
            pilot.pairs,
            longer(plan),
            in_place_of(&plan.limit),
            advice(&plan.setup, pilot.raced())
        )
    })
}

/// The option that a time replaces.
fn in_place_of(limit: &Limit) -> &'static str {
    match limit {
        Limit::Unsaid | Limit::Time(_) => "",
        Limit::Replicates(_) => " (in place of `replicates`)",
        Limit::Precision(_) => " (in place of `precision`)",
    }
}

/// Minutes that a longer run should have at least.
const LONGER: f64 = 30.0;

/// The call of a run like this with more time: half an hour, or ten times what this one had.
fn longer(plan: &Plan) -> String {
    let setup = &plan.setup;
    // A run that estimates nothing looks at meetings alone.
    let call = if setup.summaries.is_empty() { "meet".into() } else { setup.task().to_string() };
    let minutes = match plan.limit {
        Limit::Time(time) => (time.seconds() / 6.0).ceil().max(LONGER),
        _ => LONGER,
    };
    let data = plan.data.as_ref().map(|path| words::typed(&path.to_string_lossy()));
    let colors =
        if let Law::Colorings { colors } = setup.law { Some(format!("colors = {colors}")) } else { None };
    let arguments = [data, colors, Some(format!("time = {minutes}m"))].into_iter().flatten();
    format!("`{call}({})`", arguments.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests;
