//! The optimal coupling: exact transport in the space of partitions.

use super::{Cell, Coupling, Step};
use crate::chance::Chance;
use crate::partition::{Gains, Metric};
use crate::transport::Transport;

/// Minimises the expected distance of the two partitions after the step (the paper's `psi^OT`).
///
/// For metrics of the form `sum phi(|A|) + sum phi(|B|) - 2 sum phi(|A ∩ B|)` that is to maximise
/// the expected gain of the overlap; see [`Metric`].
///
/// Only a *sample* of the plan is needed. A cell whose gain is at least the largest other gain of its
/// row plus the largest other gain of its column carries all the mass it can in some optimal plan:
/// moving mass out of it always gives up at least what it wins (exchange argument). Such cells are
/// peeled off, heaviest row first, and only if the draw falls outside of them is the transport
/// problem of the remaining masses solved. The plan is the same optimal one, written down lazily.
#[derive(Debug, Clone)]
pub struct Optimal {
    gains: Gains,
    transport: Transport,
    a: Vec<f64>,
    b: Vec<f64>,
    rest: Vec<Cell>,
}

/// What of the plan has been written down.
enum Stage {
    /// The masses are whole.
    Whole,
    /// Some cells have been peeled; the remaining masses are in the scratch vectors.
    Peeling,
    /// The rest is solved; the next of its cells.
    Solved(usize),
}

impl Optimal {
    /// The optimal coupling under `metric` for partitions of `items` items.
    pub fn new(metric: Metric, items: usize) -> Self {
        Optimal {
            gains: metric.gains(items),
            transport: Transport::new(),
            a: Vec::new(),
            b: Vec::new(),
            rest: Vec::new(),
        }
    }

    /// The next cell of the plan.
    #[inline]
    fn next(&mut self, step: &Step, stage: &mut Stage) -> Option<Cell> {
        match stage {
            Stage::Whole => {
                self.a.clear();
                self.a.extend_from_slice(step.a);
                self.b.clear();
                self.b.extend_from_slice(step.b);
                *stage = Stage::Peeling;
                self.peel_or_solve(step, stage)
            }
            Stage::Peeling => self.peel_or_solve(step, stage),
            Stage::Solved(next) => {
                let cell = self.rest.get(*next).copied();
                *next += 1;
                cell
            }
        }
    }

    #[inline]
    fn peel_or_solve(&mut self, step: &Step, stage: &mut Stage) -> Option<Cell> {
        if let Some(cell) = self.peel(step) {
            return Some(cell);
        }
        let (gains, overlap) = (&self.gains, step.overlap);
        self.rest.clear();
        if self.a.iter().any(|m| *m > 0.0) && self.b.iter().any(|m| *m > 0.0) {
            let solution = self.transport.solve(&self.a, &self.b, |i, j| gains.of(overlap.shared(i, j)));
            self.rest.extend_from_slice(solution.cells());
        }
        *stage = Stage::Solved(1);
        self.rest.first().copied()
    }

    /// Takes the best cell of the heaviest row out of the remaining masses, if it dominates.
    #[inline]
    fn peel(&mut self, step: &Step) -> Option<Cell> {
        let mut row = 0;
        for (i, mass) in self.a.iter().enumerate() {
            row = if *mass > self.a[row] { i } else { row };
        }
        if self.a[row] <= 0.0 {
            return None;
        }
        // Largest and second largest of the row; a column without mass left cannot take any.
        let (mut column, mut best, mut second) = (usize::MAX, -1, 0);
        for (j, (shared, mass)) in step.overlap.row(row).iter().zip(&self.b).enumerate() {
            let gain = self.gains.of(*shared);
            if *mass > 0.0 && gain > best {
                second = best.max(0);
                (column, best) = (j, gain);
            } else if *mass > 0.0 {
                second = second.max(gain);
            }
        }
        if column == usize::MAX {
            return None;
        }
        let mut other = 0;
        for (i, mass) in self.a.iter().enumerate() {
            let gain = self.gains.of(step.overlap.shared(i, column));
            other = if i != row && *mass > 0.0 { other.max(gain) } else { other };
        }
        if best < second + other {
            return None;
        }
        let mass = self.a[row].min(self.b[column]);
        self.a[row] -= mass;
        self.b[column] -= mass;
        Some(Cell { row: row as u32, column: column as u32, mass })
    }
}

impl Coupling for Optimal {
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>) {
        let mut stage = Stage::Whole;
        plan.clear();
        while let Some(cell) = self.next(step, &mut stage) {
            plan.push(cell);
        }
    }

    #[inline]
    fn draw(&mut self, step: &Step, chance: &mut impl Chance) -> (usize, usize) {
        let mut stage = Stage::Whole;
        // Both laws are normalised, so that the masses of the plan come to 1.
        let cell = chance.pick_lazily(1.0, || self.next(step, &mut stage).map(|cell| (cell, cell.mass)));
        (cell.row as usize, cell.column as usize)
    }

    fn is_faithful(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::{Overlap, Partition};
    use proptest::prelude::*;

    fn law(raw: &[f64]) -> Vec<f64> {
        let total: f64 = raw.iter().sum();
        raw.iter().map(|p| p / total).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// The peeled plan has the right margins and the gain of the plan solved at once.
        #[test]
        fn peeling_keeps_the_plan_optimal(
            labels in prop::collection::vec((0usize..6, 0usize..6), 2..30),
            mix in prop::collection::vec(any::<bool>(), 30),
            raw_a in prop::collection::vec((0.0f64..40.0).prop_map(|e| (-e * e / 2.0).exp()), 7),
            raw_b in prop::collection::vec((0.0f64..40.0).prop_map(|e| (-e * e / 2.0).exp()), 7),
        ) {
            // Half of the items have the same label in both: overlaps near a permutation.
            let (x, y): (Vec<_>, Vec<_>) =
                labels.iter().zip(&mix).map(|(&(i, j), same)| if *same { (i, i) } else { (i, j) }).unzip();
            let (x, y) = (Partition::from_labels(&x).unwrap(), Partition::from_labels(&y).unwrap());
            let overlap = Overlap::new(&x, &y);
            // A massive first entry, so that the laws never underflow to nothing.
            let pad = |raw: &[f64], k: usize| law(&raw[..k + 1].iter().enumerate().map(|(i, p)| p + f64::from(u8::from(i == 0))).collect::<Vec<_>>());
            let (a, b) = (pad(&raw_a, x.clusters()), pad(&raw_b, y.clusters()));
            for metric in [Metric::Hamming, Metric::Vi] {
                let mut coupling = Optimal::new(metric, labels.len() + 1);
                let mut plan = Vec::new();
                coupling.plan(&Step { item: 0, x: &x, y: &y, overlap: &overlap, a: &a, b: &b }, &mut plan);
                let (mut rows, mut columns, mut gain) = (vec![0.0; a.len()], vec![0.0; b.len()], 0.0);
                for cell in &plan {
                    let (i, j) = (cell.row as usize, cell.column as usize);
                    rows[i] += cell.mass;
                    columns[j] += cell.mass;
                    gain += cell.mass * coupling.gains.of(overlap.shared(i, j)) as f64;
                }
                for (margin, law) in [(&rows, &a), (&columns, &b)] {
                    for (m, p) in margin.iter().zip(law) {
                        prop_assert!((m - p).abs() < 1e-12);
                    }
                }
                let gains = coupling.gains.clone();
                let best = Transport::new().solve(&a, &b, |i, j| gains.of(overlap.shared(i, j))).objective();
                prop_assert!((gain - best).abs() <= 1e-9 * best.max(1.0), "{} {}", gain, best);
            }
        }
    }
}
