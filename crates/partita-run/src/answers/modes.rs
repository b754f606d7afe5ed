//! The parts of a target that chains did not cross between: what they are, and what would determine their weights.

use super::point::by_size;
use crate::config::{Law, Limit, Plan};
use crate::model::{Model, crossing};
use crate::results::{Mode, Results};
use crate::words;
use partita::Partition;

/// The parts of the target in which chains were, the one with the most chains first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Modes {
    /// What is told of each.
    pub found: Vec<Mode>,
    /// The state that stands for each; slots by size, the largest first.
    pub states: Vec<Partition>,
}

/// Groups chains by the parts of the target they are in: of each an earlier state and the last.
pub(crate) fn modes(model: &dyn Model, chains: &[(Partition, Partition)]) -> Modes {
    let mut modes = Modes::default();
    for mode in partita::modes::modes(chains) {
        let state = by_size(&chains[mode.representative].1);
        modes.found.push(Mode {
            clusters: state.clusters() as u64,
            sizes: state.sizes().iter().map(|&size| u64::from(size)).collect(),
            log_probability: model.log_probability(&state),
            chains: mode.chains.len() as u64,
        });
        modes.states.push(state);
    }
    modes
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
    let Mode { clusters, sizes, log_probability, chains } = mode;
    let chains = if *chains == 1 { "1 chain".into() } else { format!("{chains} chains") };
    let clusters =
        if *clusters == 1 { "1 cluster of size".into() } else { format!("{clusters} clusters of sizes") };
    let sizes = words::sizes(sizes, TOLD_SIZES);
    format!("{clusters} {sizes}, log probability {log_probability:.1} ({chains})")
}

/// What that means for the other answers, and what would determine the weights.
pub(super) fn note(modes: &[Mode], plan: &Plan, raced: bool) -> Option<String> {
    let parts = modes.len();
    (parts > 1).then(|| {
        format!(
            "This run does not determine the relative weights of the {parts} parts between which chains did not cross: \
             where the parts differ, means, intervals and the point estimate may be further off than they suggest. Chains \
             need more time to cross, as in {}{} with the other options of this run; or try {}.",
            longer(plan),
            in_place_of(&plan.limit),
            crossing(&plan.setup, raced)
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
