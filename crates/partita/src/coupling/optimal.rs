//! The optimal coupling: exact transport in the space of partitions.

use super::{Cell, Coupling, Step, draw_cell};
use crate::chance::Chance;
use crate::partition::Metric;
use crate::transport::Transport;

/// Minimises the expected distance of the two partitions after the step (the paper's `psi^OT`).
///
/// For metrics of the form `sum phi(|A|) + sum phi(|B|) - 2 sum phi(|A ∩ B|)` that is to maximise
/// the expected gain of the overlap; see [`Metric`].
#[derive(Debug, Clone)]
pub struct Optimal {
    gains: crate::partition::Gains,
    transport: Transport,
}

impl Optimal {
    /// The optimal coupling under `metric` for partitions of `items` items.
    pub fn new(metric: Metric, items: usize) -> Self {
        Optimal { gains: metric.gains(items), transport: Transport::new() }
    }
}

impl Coupling for Optimal {
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>) {
        let gain = |i, j| self.gains.of(step.overlap.shared(i, j));
        plan.clear();
        plan.extend_from_slice(self.transport.solve(step.a, step.b, gain).cells());
    }

    #[inline]
    fn draw(&mut self, step: &Step, chance: &mut impl Chance) -> (usize, usize) {
        let gain = |i, j| self.gains.of(step.overlap.shared(i, j));
        draw_cell(self.transport.solve(step.a, step.b, gain).cells(), chance)
    }

    fn is_faithful(&self) -> bool {
        true
    }
}
