//! Joint laws for the two chains' choices in one step: each chain keeps its own law exactly.
//!
//! A coupling is a *plan*: masses on pairs of choices whose row sums are the law of `X` and whose
//! column sums the law of `Y`. Every coupling can write its plan down; drawing from it is shared
//! code in this file, and the exact tests use the plans themselves.

mod common;
mod independent;
mod maximal;
mod nugget;
mod optimal;

pub use common::CommonUniform;
pub use independent::Independent;
pub use maximal::{Labels, Maximal};
pub use nugget::Nugget;
pub use optimal::{Optimal, Tally};

use crate::chance::Chance;
use crate::partition::{Overlap, Partition};
pub use crate::transport::Cell;

/// One coupled item-step: two leave-one-out conditionals, and the overlap of the two partitions.
///
/// Slots are those of the partitions with the item in place, the slot after the last meaning a new
/// cluster; an item that is alone opens a new cluster in its own slot (see [`crate::Target`]).
#[derive(Debug)]
pub struct Step<'a> {
    /// The item that is placed.
    pub item: usize,
    /// The chain ahead.
    pub x: &'a Partition,
    /// The chain behind.
    pub y: &'a Partition,
    /// Numbers of items shared by their clusters, without `item`.
    pub overlap: &'a Overlap,
    /// The law of `X` up to a constant: a weight per slot, and one for a new cluster.
    pub a: &'a [f64],
    /// The law of `Y`, likewise.
    pub b: &'a [f64],
}

/// A way of coupling one item-step of two chains.
///
/// Implementations own scratch memory, so a coupling belongs to one pair.
pub trait Coupling {
    /// Writes the joint law: cells of positive mass with margins `step.a` and `step.b`, as probabilities.
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>);

    /// Draws a slot for `X` and a slot for `Y` from the joint law.
    fn draw(&mut self, step: &Step, chance: &mut impl Chance) -> (usize, usize) {
        let mut plan = Vec::new();
        self.plan(step, &mut plan);
        let cell = plan[chance.pick(plan.iter().map(|cell| cell.mass))];
        (cell.row as usize, cell.column as usize)
    }

    /// Whether chains that are equal as partitions make equal choices, whatever their labels: then
    /// they stay equal from the step at which they become equal.
    fn is_faithful(&self) -> bool;
}

/// The total of weights, in their order.
#[inline(always)]
fn total(weights: &[f64]) -> f64 {
    weights.iter().sum()
}

/// Weights as probabilities.
fn probabilities(weights: &[f64]) -> Vec<f64> {
    let total = total(weights);
    weights.iter().map(|weight| weight / total).collect()
}
