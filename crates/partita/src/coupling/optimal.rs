//! The optimal coupling: exact transport in the space of partitions.

use super::{Cell, Coupling, Step, total};
use crate::chance::Chance;
use crate::partition::{Gains, Metric};
use crate::transport::Transport;
use std::hint::select_unpredictable;

/// Minimises the expected distance of the two partitions after the step (the paper's `psi^OT`).
///
/// For metrics of the form `sum phi(|A|) + sum phi(|B|) - 2 sum phi(|A ∩ B|)` this means maximising
/// the expected gain of the overlap; see [`Metric`].
///
/// Only a *sample* of the plan is needed. `X` draws its row from its own law, as it would alone; then
/// only this row of the plan matters, and only until `Y`'s draw is decided:
///
/// 1. *Unavoidable* mass: what the other columns cannot take of the row must go to the heaviest, whatever the plan.
///    `Y`'s law is often concentrated, so that this alone decides most draws.
/// 2. A cell `(i, j)` *dominates* if `M[i][j] + M[k][l] > M[i][l] + M[k][j]` for all other `k` and `l`:
///    moving mass into it always wins, so it carries all the mass it can, `min(a[i], b[j])`, in every
///    optimal plan. The best cell of the row often does. Where some `k`
///    *object*, they alone share the column with the row, or else the row is all in it: the cell
///    carries at least `min(a[i], b[j] - a(those k))`, and likewise `min(b[j], a[i] - b(those l))`. Then the
///    next best cell of the row has its turn.
/// 3. Unavoidable mass of the next heaviest column.
/// 4. Only then is the transport problem *solved*.
///
/// The first three establish what all optimal plans share, so the law of the draw is that of the solver's plan.
#[derive(Debug, Clone)]
pub struct Optimal {
    gains: Gains,
    transport: Transport,
    /// The two laws in the same units, for the solver.
    a: Vec<f64>,
    b: Vec<f64>,
    /// Cells of the drawn row, less what was established of them before.
    cells: Vec<Cell>,
    /// Gains of the drawn row, to find who objects to a cell.
    own: Vec<i64>,
    tally: Tally,
}

/// Counts of how the draws that needed the solver ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Draws for which the greedy plan was optimal.
    pub greedy: u64,
    /// Draws that needed pivots.
    pub pivoted: u64,
}

/// The row that was drawn, and what was established of it. Masses are in units in which both laws have the
/// same total: each law is taken times the total of the other.
struct Drawn {
    row: usize,
    totals: [f64; 2],
    /// Mass of the row outside of its closed columns.
    left: f64,
    stage: Stage,
    /// The column of the last candidate for dominance.
    candidate: usize,
    /// Columns of cells that dominate: the row fills them.
    closed: [usize; CANDIDATES],
    /// Columns and masses established, in the order of the stages.
    established: [(usize, f64); CANDIDATES + 2],
}

/// How many cells of a row are tried for dominance. The second try leaves out the cell of the first; a third
/// would have to leave out both.
const CANDIDATES: usize = 2;
/// The gain of a cell that no mass can come from.
const NEVER: i64 = -(1 << 60);
/// No column; and beyond the last cell of a row that is used up.
const NONE: usize = usize::MAX;

#[derive(Clone, Copy)]
enum Stage {
    /// What no plan can avoid of the heaviest column.
    Unavoidable,
    /// Whether a cell dominates, after so many others.
    Dominance(usize),
    /// What no plan can avoid of the next heaviest column.
    UnavoidableNext,
    /// The transport problem.
    Solver,
    /// The row of the solver's plan is written down; the next cell.
    Solved(usize),
}

impl Drawn {
    /// What was established of a column.
    #[inline(always)]
    fn established_at(&self, column: usize) -> f64 {
        self.established.iter().map(|&(at, mass)| if at == column { mass } else { 0.0 }).sum()
    }

    /// The mass of a column.
    #[inline(always)]
    fn b(&self, step: &Step, column: usize) -> f64 {
        step.b[column] * self.totals[0]
    }
}

impl Optimal {
    /// The optimal coupling under `metric` for partitions of `items` items.
    pub fn new(metric: Metric, items: usize) -> Self {
        Optimal {
            gains: metric.gains(items),
            transport: Transport::new(),
            a: Vec::new(),
            b: Vec::new(),
            cells: Vec::new(),
            own: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// How the draws that needed the solver have ended so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Writes both laws down in the same units.
    #[inline(always)]
    fn scale(&mut self, step: &Step, totals: [f64; 2]) {
        self.a.clear();
        self.a.extend(step.a.iter().map(|mass| mass * totals[1]));
        self.b.clear();
        self.b.extend(step.b.iter().map(|mass| mass * totals[0]));
    }

    /// The next column of the drawn row with its mass, or part of it, after the first stage.
    #[inline(never)]
    fn next_cell(&mut self, step: &Step, drawn: &mut Drawn) -> Option<(usize, f64)> {
        while let Stage::Dominance(n) = drawn.stage {
            drawn.stage = Stage::UnavoidableNext;
            let Some((column, mass, dominates)) = self.dominance(step, drawn) else { break };
            drawn.candidate = column;
            if dominates {
                drawn.left -= mass;
                drawn.closed[n] = column;
            }
            drawn.stage = match n + 1 {
                _ if drawn.left <= 0.0 => Stage::Solved(NONE),
                CANDIDATES => Stage::UnavoidableNext,
                next => Stage::Dominance(next),
            };
            let mass = mass - drawn.established_at(column);
            if mass > 0.0 {
                drawn.established[n + 1] = (column, mass);
                return Some((column, mass));
            }
        }
        if let Stage::UnavoidableNext = drawn.stage {
            drawn.stage = Stage::Solver;
            let offer = unavoidable_next(step, drawn);
            if offer.1 > 0.0 {
                drawn.established[CANDIDATES + 1] = offer;
                return Some(offer);
            }
        }
        if let Stage::Solver = drawn.stage {
            drawn.stage = Stage::Solved(0);
            self.solve(step, drawn);
        }
        let Stage::Solved(at) = drawn.stage else { return None };
        drawn.stage = Stage::Solved(at.saturating_add(1));
        self.cells.get(at).map(|cell| (cell.column as usize, cell.mass))
    }

    /// Solves the problem and writes down the drawn row, less what was established of it.
    #[inline(never)]
    fn solve(&mut self, step: &Step, drawn: &Drawn) {
        self.scale(step, drawn.totals);
        let Optimal { gains, transport, a, b, cells, tally, .. } = self;
        let row = drawn.row as u32;
        cells.clear();
        let gain = |i, j| gains.of(step.overlap.shared(i, j));
        let pivots = transport.solve_row(a, b, gain, row, cells);
        *if pivots > 0 { &mut tally.pivoted } else { &mut tally.greedy } += 1;
        for cell in cells.iter_mut() {
            cell.mass -= drawn.established_at(cell.column as usize);
        }
        cells.retain(|cell| cell.mass > 0.0);
        if cells.is_empty() && drawn.established.iter().all(|&(column, _)| column == NONE) {
            // A row as light as rounding may get nothing: any possible column.
            let (column, mass) = (highest(b).0 as u32, a[drawn.row]);
            cells.push(Cell { row, column, mass });
        }
    }

    /// The best cell of the row, or the second best after it, unless it gains nothing: its column, what it
    /// carries at least and whether it dominates.
    #[inline(always)]
    fn dominance(&mut self, step: &Step, drawn: &Drawn) -> Option<(usize, f64, bool)> {
        // Gains grow with the overlap: the best is that of the largest overlap.
        let own = step.overlap.row(drawn.row);
        let (column, best, second) = best_two(own, drawn.candidate);
        if best == 0 {
            return None;
        }
        // A candidate before that is not closed gains more than this one. Before the first try both are `NONE`.
        let is_open = drawn.candidate != drawn.closed[0];
        let rival = if is_open { own[drawn.candidate] } else { second };
        let other = step.overlap.largest_in_column(column, drawn.row);
        let gap = self.gains.of(best) - self.gains.of(rival);
        let (a, b) = (drawn.left, drawn.b(step, column));
        // Since gains are not negative, only rows that gain more than this in the column can object.
        if self.gains.of(other) < gap {
            return Some((column, a.min(b), true));
        }
        let [rows, columns] = self.objections(step, drawn, column, gap);
        Some((column, a.min(b - rows).max(b.min(a - columns)), rows == 0.0))
    }

    /// The mass of the rows for which moving mass into the cell does not always win, and that of the
    /// columns it might come from.
    #[inline(never)]
    fn objections(&mut self, step: &Step, drawn: &Drawn, column: usize, gap: i64) -> [f64; 2] {
        let Optimal { gains, own, .. } = self;
        own.clear();
        own.extend(step.overlap.row(drawn.row).iter().map(|&shared| gains.of(shared)));
        let best = own[column];
        own[column] = NEVER;
        for closed in drawn.closed {
            if let Some(own) = own.get_mut(closed) {
                *own = NEVER;
            }
        }
        // A bit a column; all from the 64th on share theirs, which can only make the answer larger.
        let bit = |column: usize| 1_u64 << column.min(63);
        let (mut rows, mut columns) = (0.0, 0);
        for (first, masses) in step.a.chunks(64).enumerate().map(|(n, masses)| (64 * n, masses)) {
            // Which rows have enough to offer is hard to foresee: a set first, a bit a row.
            let mut rivals = 0_u64;
            for (k, &mass) in masses.iter().enumerate() {
                let offers = gains.of(step.overlap.shared(first + k, column)) >= gap;
                rivals |= u64::from(offers & (first + k != drawn.row) & (mass > 0.0)) << k;
            }
            while rivals != 0 {
                let k = rivals.trailing_zeros() as usize;
                rivals &= rivals - 1;
                let other = step.overlap.row(first + k);
                let least = gains.of(other[column]) - best;
                let mut objects = 0;
                for (l, (&own, &shared)) in own.iter().zip(other).enumerate() {
                    objects |= if gains.of(shared) - own <= least { bit(l) } else { 0 };
                }
                rows += if objects != 0 { masses[k] } else { 0.0 };
                columns |= objects;
            }
        }
        let mass = |(l, &mass): (usize, &f64)| if columns & bit(l) != 0 { mass } else { 0.0 };
        let columns: f64 = step.b.iter().enumerate().map(mass).sum();
        [rows * drawn.totals[1], columns * drawn.totals[0]]
    }
}

/// The heaviest column but that of the first stage, and what no plan can avoid of it: what is left
/// of the row when all others but the closed ones are full.
#[inline(always)]
fn unavoidable_next(step: &Step, drawn: &Drawn) -> (usize, f64) {
    let (mut column, mut most, mut others) = (0, 0.0, 0.0);
    for (j, &mass) in step.b.iter().enumerate() {
        let mass = if drawn.closed.contains(&j) { 0.0 } else { mass };
        let heavier = mass > most && j != drawn.established[0].0;
        others += if heavier { most } else { mass };
        column = if heavier { j } else { column };
        most = if heavier { mass } else { most };
    }
    (column, drawn.left - others * drawn.totals[0] - drawn.established_at(column))
}

/// The column of the largest overlap in a row, without one column; and the two largest.
#[inline(always)]
fn best_two(row: &[u32], without: usize) -> (usize, u32, u32) {
    // Overlap and column in one number.
    let (mut best, mut second) = (0, 0);
    for (j, &shared) in row.iter().enumerate() {
        let key = u64::from(shared) << 32 | j as u64;
        let key = select_unpredictable(j == without, 0, key);
        let lower = key.min(best);
        best = key.max(best);
        second = lower.max(second);
    }
    (best as u32 as usize, (best >> 32) as u32, (second >> 32) as u32)
}

/// The heaviest column and its mass.
#[inline(always)]
fn highest(b: &[f64]) -> (usize, f64) {
    let (mut column, mut highest) = (0, 0.0);
    for (j, &mass) in b.iter().enumerate() {
        column = if mass > highest { j } else { column };
        highest = if mass > highest { mass } else { highest };
    }
    (column, highest)
}

impl Coupling for Optimal {
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>) {
        let totals = [total(step.a), total(step.b)];
        self.scale(step, totals);
        let whole = totals[0] * totals[1];
        let solution =
            self.transport.solve(&self.a, &self.b, |i, j| self.gains.of(step.overlap.shared(i, j)));
        plan.clear();
        plan.extend(solution.cells().iter().map(|cell| Cell { mass: cell.mass / whole, ..*cell }));
    }

    #[inline(always)]
    fn draw(&mut self, step: &Step, chance: &mut impl Chance) -> (usize, usize) {
        let totals = [total(step.a), total(step.b)];
        let row = chance.pick_of(totals[0], step.a.iter().copied());
        let (column, highest) = highest(step.b);
        let left = step.a[row] * totals[1];
        let unavoidable = left - totals[0] * (totals[1] - highest);
        let established = [(NONE, 0.0); CANDIDATES + 2];
        let mut drawn = Drawn {
            row,
            totals,
            left,
            stage: Stage::Unavoidable,
            candidate: NONE,
            closed: [NONE; CANDIDATES],
            established,
        };
        let column = chance.pick_lazily(left, || {
            if let Stage::Unavoidable = drawn.stage {
                drawn.stage = Stage::Dominance(0);
                if unavoidable > 0.0 {
                    drawn.established[0] = (column, unavoidable);
                    return Some((column, unavoidable));
                }
            }
            self.next_cell(step, &mut drawn)
        });
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

        /// The plan has the right margins and the largest gain, and all stages together draw from it.
        #[test]
        fn the_stages_draw_from_an_optimal_plan(
            labels in prop::collection::vec((0usize..6, 0usize..6), 2..30),
            mix in prop::collection::vec(any::<bool>(), 30),
            raw_a in prop::collection::vec((0.0f64..40.0).prop_map(|e| (-e * e / 2.0).exp()), 7),
            raw_b in prop::collection::vec((0.0f64..40.0).prop_map(|e| (-e * e / 2.0).exp()), 7),
        ) {
            // Half of the items have the same label in both: overlaps near a permutation.
            let (x, y): (Vec<_>, Vec<_>) =
                labels.iter().zip(&mix).map(|(&(i, j), same)| if *same { (i, i) } else { (i, j) }).unzip();
            let (x, y) = (Partition::from_labels(&x).unwrap(), Partition::from_labels(&y).unwrap());
            // A massive first entry, so that the laws never underflow to nothing.
            let pad = |raw: &[f64], k: usize| law(&raw[..k + 1].iter().enumerate().map(|(i, p)| p + f64::from(u8::from(i == 0))).collect::<Vec<_>>());
            let (a, b) = (pad(&raw_a, x.clusters()), pad(&raw_b, y.clusters()));
            check(&x, &y, &a, &b);
        }
    }

    /// More columns than a set has bits.
    #[test]
    fn so_they_do_with_many_clusters() {
        use crate::Stream;
        use crate::rng::Purpose;
        for case in 0..6 {
            let mut chance = Stream::new(case, 0).sequence(Purpose::Data, 0);
            let x: Vec<usize> = (0..400).map(|_| chance.below(80)).collect();
            let y: Vec<usize> =
                x.iter().map(|&i| if chance.event(0.6) { 79 - i } else { chance.below(80) }).collect();
            let (x, y) = (Partition::from_labels(&x).unwrap(), Partition::from_labels(&y).unwrap());
            assert!(x.clusters() > 70 && y.clusters() > 70);
            let mut weights = |n: usize| law(&(0..n).map(|_| chance.uniform().powi(8)).collect::<Vec<_>>());
            let (a, b) = (weights(x.clusters() + 1), weights(y.clusters() + 1));
            check(&x, &y, &a, &b);
        }
    }

    /// The plan has the right margins and the largest gain, and draws have its law.
    fn check(x: &Partition, y: &Partition, a: &[f64], b: &[f64]) {
        let overlap = Overlap::new(x, y);
        for metric in [Metric::Hamming, Metric::Vi] {
            let mut coupling = Optimal::new(metric, x.len() + 1);
            let mut plan = Vec::new();
            coupling.plan(&Step { item: 0, x, y, overlap: &overlap, a, b }, &mut plan);
            let (mut rows, mut columns, mut gain) = (vec![0.0; a.len()], vec![0.0; b.len()], 0.0);
            for cell in &plan {
                let (i, j) = (cell.row as usize, cell.column as usize);
                rows[i] += cell.mass;
                columns[j] += cell.mass;
                gain += cell.mass * coupling.gains.of(overlap.shared(i, j)) as f64;
            }
            for (margin, law) in [(&rows, a), (&columns, b)] {
                for (m, p) in margin.iter().zip(law) {
                    assert!((m - p).abs() < 1e-12);
                }
            }
            let gains = coupling.gains.clone();
            let best = Transport::new().solve(a, b, |i, j| gains.of(overlap.shared(i, j))).objective();
            assert!((gain - best).abs() <= 1e-9 * best.max(1.0), "{} {}", gain, best);
            // Draws have the law of the plan, row by row, however they are decided.
            for (row, &p) in a.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                let mut law = vec![0.0; b.len()];
                for cell in plan.iter().filter(|cell| cell.row as usize == row) {
                    law[cell.column as usize] += cell.mass;
                }
                for nth in 0.. {
                    let mut offer = Offer { row, nth, mass: 0.0 };
                    let step = Step { item: 0, x, y, overlap: &overlap, a, b };
                    let (_, column) = coupling.draw(&step, &mut offer);
                    if offer.mass == 0.0 {
                        break;
                    }
                    assert!(b[column] > 0.0);
                    law[column] -= offer.mass;
                }
                assert!(law.iter().all(|mass| mass.abs() < 1e-12), "{} {} {:?}", row, p, law);
            }
        }
    }
}
