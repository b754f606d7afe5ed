//! The maximal coupling of labels: the baseline that suffers from label switching.

use super::{Cell, Coupling, Step, probabilities};
use crate::partition::Partition;

/// How clusters are labelled, for couplings that look at labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Labels {
    /// Contiguous from 0; a removed cluster shifts the later labels down, a new one gets the next.
    /// This is what the published curves use.
    #[default]
    ByOpening,
    /// Relabelled at each step by the smallest member other than the item; a new cluster gets the next label.
    BySmallestMember,
}

impl Labels {
    /// The slot of each label, the new cluster last.
    pub(super) fn slots(self, z: &Partition, item: usize, out: &mut Vec<u32>) {
        match self {
            Labels::ByOpening => z.label_order(item, out),
            Labels::BySmallestMember => z.smallest_member_order(item, out),
        }
        out.push(if z.is_alone(item) { z.slot(item) } else { z.clusters() } as u32);
    }
}

/// Makes the two labels equal as often as the two laws allow; the rest is independent.
///
/// ```
/// use partita::coupling::{Labels, Maximal};
/// let published = Maximal::new(Labels::ByOpening);
/// let relabelled = Maximal::new(Labels::BySmallestMember);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Maximal {
    labels: Labels,
    x: Vec<u32>,
    y: Vec<u32>,
}

impl Maximal {
    /// The maximal coupling under a labelling.
    pub fn new(labels: Labels) -> Self {
        Maximal { labels, ..Maximal::default() }
    }
}

impl Coupling for Maximal {
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>) {
        self.labels.slots(step.x, step.item, &mut self.x);
        self.labels.slots(step.y, step.item, &mut self.y);
        let (a, b) = (probabilities(step.a), probabilities(step.b));
        plan.clear();
        for (&row, &column) in self.x.iter().zip(&self.y) {
            let mass = a[row as usize].min(b[column as usize]);
            if mass > 0.0 {
                plan.push(Cell { row, column, mass });
            }
        }
        // The residuals of X and of Y have the same total and never share a label.
        let rest = |own: &[u32], p: &[f64], other: &[u32], q: &[f64]| -> Vec<(u32, f64)> {
            own.iter()
                .enumerate()
                .map(|(label, &slot)| {
                    let met = other.get(label).map_or(0.0, |&s| q[s as usize]);
                    (slot, (p[slot as usize] - met).max(0.0))
                })
                .filter(|&(_, mass)| mass > 0.0)
                .collect()
        };
        let rows = rest(&self.x, &a, &self.y, &b);
        let columns = rest(&self.y, &b, &self.x, &a);
        let total: f64 = rows.iter().map(|r| r.1).sum();
        for &(row, p) in &rows {
            for &(column, q) in &columns {
                plan.push(Cell { row, column, mass: p * q / total });
            }
        }
    }

    fn is_faithful(&self) -> bool {
        self.labels == Labels::BySmallestMember
    }
}
