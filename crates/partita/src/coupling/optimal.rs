//! The optimal coupling: exact transport in the space of partitions.

use super::{Cell, Coupling, Step};
use crate::chance::Chance;
use crate::partition::{Gains, Metric};
use crate::transport::{Solution, Transport};
use std::hint::select_unpredictable;

/// Minimises the expected distance of the two partitions after the step (the paper's `psi^OT`).
///
/// For metrics of the form `sum phi(|A|) + sum phi(|B|) - 2 sum phi(|A ∩ B|)` that is to maximise
/// the expected gain of the overlap; see [`Metric`].
///
/// Only a *sample* of the plan is needed. `X` draws its row from its own law, as it would alone; then
/// only this row of the plan is of interest, and only until `Y`'s draw is decided:
///
/// 1. What the other columns cannot take of the row must go to the heaviest, whatever the plan: a glance at
///    `Y`'s law, which is often concentrated.
/// 2. A cell `(i, j)` *dominates* if `M[i][j] + M[k][l] > M[i][l] + M[k][j]` for all other `k` and `l`:
///    moving mass into it always wins, so it carries all the mass it can, `min(a[i], b[j])`, in every
///    optimal plan. The best cell of the row is often seen to dominate at a glance. Where some `k`
///    *object*, they alone share the column with the row, or else the row is all in it: the cell
///    carries at least `min(a[i], b[j] - a(those k))`, and likewise `min(b[j], a[i] - b(those l))`. If the
///    cell dominates and fills its column, the next best cell of the row is looked at, and then 1. again
///    without these columns.
/// 3. Only then is the transport problem solved.
///
/// The looks see what all optimal plans share, so the law of the draw is that of the solver's plan.
#[derive(Debug, Clone)]
pub struct Optimal {
    gains: Gains,
    transport: Transport,
    /// Cells of the drawn row, less what the looks have seen of them.
    cells: Vec<Cell>,
    tally: Tally,
}

/// How draws ended that the looks did not decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// By the solver, whose greedy plan was optimal.
    pub greedy: u64,
    /// By the solver, after pivots.
    pub pivoted: u64,
}

/// The row that was drawn, and what of it has been offered.
struct Drawn {
    row: usize,
    /// Mass of the row outside of its closed columns.
    left: f64,
    stage: Stage,
    /// Columns that the row fills, a bit each; only one of the first 64 can be closed.
    closed: u64,
    /// Columns and masses seen, in the order of the stages.
    seen: [Option<(usize, f64)>; LOOKS + 2],
}

/// How many cells of a row are looked at for dominance.
const LOOKS: usize = 2;
/// Beyond the last cell: the row is used up.
const NONE: usize = usize::MAX;

#[derive(Clone, Copy)]
enum Stage {
    First,
    /// At the best cell of the row outside of so many closed columns.
    Look(usize),
    Unavoidable,
    Solve,
    /// The row is written down; the next cell.
    Written(usize),
}

impl Drawn {
    /// What has been seen of a column.
    fn seen_at(&self, column: usize) -> f64 {
        self.seen.iter().flatten().filter(|(seen, _)| *seen == column).map(|(_, mass)| mass).sum()
    }
}

impl Optimal {
    /// The optimal coupling under `metric` for partitions of `items` items.
    pub fn new(metric: Metric, items: usize) -> Self {
        let (transport, cells, tally) = (Transport::new(), Vec::new(), Tally::default());
        Optimal { gains: metric.gains(items), transport, cells, tally }
    }

    /// How the draws so far ended that the looks did not decide.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The next column of the drawn row with its mass, or part of it.
    #[inline(always)]
    fn next(&mut self, step: &Step, drawn: &mut Drawn) -> Option<(usize, f64)> {
        if let Stage::First = drawn.stage {
            drawn.stage = Stage::Look(0);
            let (column, mass) = unavoidable(step.b, 0, drawn.left);
            if mass > 0.0 {
                drawn.seen[0] = Some((column, mass));
                return drawn.seen[0];
            }
        }
        self.look_closely(step, drawn)
    }

    /// The same after the first glance.
    #[inline(never)]
    fn look_closely(&mut self, step: &Step, drawn: &mut Drawn) -> Option<(usize, f64)> {
        while let Stage::Look(n) = drawn.stage {
            drawn.stage = Stage::Unavoidable;
            let Some((column, mass, dominates)) = self.look(step, drawn) else { break };
            if dominates && column < 64 {
                drawn.left -= mass;
                if drawn.left <= 0.0 {
                    drawn.stage = Stage::Written(NONE);
                } else {
                    drawn.closed |= 1 << column;
                    drawn.stage = if n + 1 < LOOKS { Stage::Look(n + 1) } else { Stage::Unavoidable };
                }
            }
            let mass = mass - drawn.seen_at(column);
            if mass > 0.0 {
                drawn.seen[n + 1] = Some((column, mass));
                return drawn.seen[n + 1];
            }
        }
        if let Stage::Unavoidable = drawn.stage {
            drawn.stage = Stage::Solve;
            let (column, mass) = unavoidable(step.b, drawn.closed, drawn.left);
            let mass = mass - drawn.seen_at(column);
            if mass > 0.0 {
                drawn.seen[LOOKS + 1] = Some((column, mass));
                return drawn.seen[LOOKS + 1];
            }
        }
        if let Stage::Solve = drawn.stage {
            drawn.stage = Stage::Written(0);
            self.write(step, drawn);
        }
        let Stage::Written(at) = drawn.stage else { return None };
        drawn.stage = Stage::Written(at.saturating_add(1));
        self.cells.get(at).map(|cell| (cell.column as usize, cell.mass))
    }

    /// Writes down the drawn row, less what has been seen of it.
    #[inline(never)]
    fn write(&mut self, step: &Step, drawn: &Drawn) {
        let (row, p) = (drawn.row as u32, step.a[drawn.row]);
        let solution = solve(&mut self.transport, &self.gains, step);
        let ended = if solution.pivots() > 0 { &mut self.tally.pivoted } else { &mut self.tally.greedy };
        *ended += 1;
        self.cells.clear();
        self.cells.extend(solution.cells().iter().filter(|cell| cell.row == row));
        for &(column, mass) in drawn.seen.iter().flatten() {
            let seen = self.cells.iter_mut().find(|cell| cell.column as usize == column);
            seen.into_iter().for_each(|cell| cell.mass -= mass);
        }
        self.cells.retain(|cell| cell.mass > 0.0);
        if self.cells.is_empty() && drawn.seen == [None; LOOKS + 2] {
            // A row as light as rounding may get nothing: any possible column.
            let (column, _) = unavoidable(step.b, 0, p);
            self.cells.push(Cell { row, column: column as u32, mass: p });
        }
    }

    /// The best cell of the row outside of its closed columns, if ties do not matter: its column, what
    /// it carries at least and whether it dominates.
    #[inline]
    fn look(&self, step: &Step, drawn: &Drawn) -> Option<(usize, f64, bool)> {
        let (overlap, row) = (step.overlap, drawn.row);
        // Gains grow with the overlap: the best is that of the largest overlap.
        let (mut best, mut second) = (0, 0);
        for (j, &shared) in overlap.row(row).iter().enumerate() {
            let key = u64::from(shared) << 32 | j as u64;
            let key = select_unpredictable(is_closed(drawn.closed, j), 0, key);
            let better = key > best;
            let loser = select_unpredictable(better, best, key);
            second = select_unpredictable(loser > second, loser, second);
            best = select_unpredictable(better, key, best);
        }
        let column = best as u32 as usize;
        let mut other = 0;
        for k in 0..=overlap.shape().0 {
            let shared = select_unpredictable(k == row, 0, overlap.shared(k, column));
            other = select_unpredictable(shared > other, shared, other);
        }
        let gap = self.gains.of((best >> 32) as u32) - self.gains.of((second >> 32) as u32);
        let (a, b) = (drawn.left, step.b[column]);
        // Since gains are not negative, only rows that gain more than this in the column can object.
        if self.gains.of(other) < gap {
            return Some((column, a.min(b), true));
        }
        if gap == 0 {
            return None;
        }
        let [rows, columns] = self.objections(step, drawn, column, gap);
        Some((column, a.min(b - rows).max(b.min(a - columns)), rows == 0.0))
    }

    /// The mass of the rows for which moving mass into the cell does not always win, and that of the
    /// columns it might come from.
    #[inline(never)]
    fn objections(&self, step: &Step, drawn: &Drawn, column: usize, gap: i64) -> [f64; 2] {
        let own = step.overlap.row(drawn.row);
        let best = self.gains.of(own[column]);
        // A bit a column; all from the 64th on share theirs, which can only make the answer larger.
        let bit = |column: usize| 1_u64 << column.min(63);
        let (mut rows, mut columns) = (0.0, 0);
        for (k, &mass) in step.a.iter().enumerate() {
            let other = step.overlap.row(k);
            let offer = self.gains.of(other[column]);
            if k == drawn.row || offer < gap || mass == 0.0 {
                continue;
            }
            let mut objects = 0;
            for (l, (&m, &n)) in own.iter().zip(other).enumerate() {
                let loses = best + self.gains.of(n) <= self.gains.of(m) + offer;
                objects |= if loses && l != column && !is_closed(drawn.closed, l) { bit(l) } else { 0 };
            }
            rows += if objects != 0 { mass } else { 0.0 };
            columns |= objects;
        }
        let mass = |(l, &mass): (usize, &f64)| if columns & bit(l) != 0 { mass } else { 0.0 };
        [rows, step.b.iter().enumerate().map(mass).sum()]
    }
}

fn solve<'a>(transport: &'a mut Transport, gains: &Gains, step: &Step) -> Solution<'a> {
    transport.solve(step.a, step.b, |i, j| gains.of(step.overlap.shared(i, j)))
}

#[inline(always)]
fn is_closed(closed: u64, column: usize) -> bool {
    column < 64 && closed >> column & 1 == 1
}

/// The heaviest column but the closed ones, and what every plan gives it of a mass `p` that does not go
/// to those: what is left when all others are full.
#[inline]
fn unavoidable(b: &[f64], closed: u64, p: f64) -> (usize, f64) {
    let (mut column, mut most, mut others) = (0, 0.0, 0.0);
    for (j, &mass) in b.iter().enumerate() {
        let mass = if is_closed(closed, j) { 0.0 } else { mass };
        let heavier = mass > most;
        others += if heavier { most } else { mass };
        column = if heavier { j } else { column };
        most = if heavier { mass } else { most };
    }
    (column, p - others)
}

impl Coupling for Optimal {
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>) {
        plan.clear();
        plan.extend_from_slice(solve(&mut self.transport, &self.gains, step).cells());
    }

    #[inline(always)]
    fn draw(&mut self, step: &Step, chance: &mut impl Chance) -> (usize, usize) {
        let row = chance.pick(step.a.iter().copied());
        let (stage, left) = (Stage::First, step.a[row]);
        let mut drawn = Drawn { row, left, stage, closed: 0, seen: [None; LOOKS + 2] };
        let column = chance.pick_lazily(step.a[row], || self.next(step, &mut drawn));
        (row, column)
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

    /// Draws a given row, and in it the n-th column that is offered.
    struct Offer {
        row: usize,
        nth: usize,
        /// That of the offer, or zero if there were not so many.
        mass: f64,
    }

    impl Chance for Offer {
        fn uniform(&mut self) -> f64 {
            unreachable!("the coupling draws a row and then a column")
        }

        fn pick(&mut self, _: impl Iterator<Item = f64> + Clone) -> usize {
            self.row
        }

        fn pick_lazily<O>(&mut self, _: f64, next: impl FnMut() -> Option<(O, f64)>) -> O {
            let mut offers: Vec<_> = std::iter::from_fn(next).take(self.nth + 1).collect();
            let enough = offers.len() > self.nth;
            let (outcome, mass) = offers.pop().expect("a row has a column");
            self.mass = if enough { mass } else { 0.0 };
            outcome
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// The plan has the right margins and the largest gain, and the looks draw from it.
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
                // Draws have the law of the plan, row by row, however they are decided.
                for (row, &p) in a.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                    let mut law = vec![0.0; b.len()];
                    for cell in plan.iter().filter(|cell| cell.row as usize == row) {
                        law[cell.column as usize] += cell.mass;
                    }
                    for nth in 0.. {
                        let mut offer = Offer { row, nth, mass: 0.0 };
                        let step = Step { item: 0, x: &x, y: &y, overlap: &overlap, a: &a, b: &b };
                        let (_, column) = coupling.draw(&step, &mut offer);
                        if offer.mass == 0.0 {
                            break;
                        }
                        prop_assert!(b[column] > 0.0);
                        law[column] -= offer.mass;
                    }
                    prop_assert!(law.iter().all(|mass| mass.abs() < 1e-12), "{} {} {:?}", row, p, law);
                }
            }
        }
    }
}
