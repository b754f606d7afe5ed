//! The optimal coupling: exact transport in the space of partitions.

use super::{Cell, Coupling, Step};
use crate::chance::Chance;
use crate::partition::{Gains, Metric, Overlap};
use crate::transport::{Solution, Transport};

/// Minimises the expected distance of the two partitions after the step (the paper's `psi^OT`).
///
/// For metrics of the form `sum phi(|A|) + sum phi(|B|) - 2 sum phi(|A ∩ B|)` that is to maximise
/// the expected gain of the overlap; see [`Metric`].
///
/// Only a *sample* of the plan is needed. `X` draws its row from its own law, as it would alone; then
/// only this row of the plan is of interest, and only until `Y`'s draw is decided:
///
/// 1. A cell `(i, j)` *dominates* if `M[i][j] + M[k][l] > M[i][l] + M[k][j]` for all other `k` and `l`:
///    moving mass into it always wins, so it carries all the mass it can, `min(a[i], b[j])`, in every
///    optimal plan. The best cell of the row is often seen to dominate at a glance.
/// 2. What the other columns cannot take of the row must go to the heaviest, whatever the plan.
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
    stage: Stage,
    /// Columns and masses seen by the two looks.
    seen: [Option<(usize, f64)>; 2],
}

#[derive(Clone, Copy)]
enum Stage {
    FirstLook,
    SecondLook,
    Solve,
    /// The row is written down; the next cell.
    Written(usize),
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
    #[inline]
    fn next(&mut self, step: &Step, drawn: &mut Drawn) -> Option<(usize, f64)> {
        let p = step.a[drawn.row];
        if let Stage::FirstLook = drawn.stage {
            drawn.stage = Stage::SecondLook;
            if let Some(column) = self.dominant(step.overlap, drawn.row)
                && step.b[column] > 0.0
            {
                drawn.seen[0] = Some((column, p.min(step.b[column])));
                return drawn.seen[0];
            }
        }
        if let Stage::SecondLook = drawn.stage {
            drawn.stage = Stage::Solve;
            let (except, mass) = drawn.seen[0].unwrap_or((usize::MAX, 0.0));
            if mass >= p {
                return None;
            }
            drawn.seen[1] = unavoidable(step.b, except, p - mass);
            if drawn.seen[1].is_some() {
                return drawn.seen[1];
            }
        }
        if let Stage::Solve = drawn.stage {
            drawn.stage = Stage::Written(0);
            self.write(step, drawn);
        }
        let Stage::Written(at) = drawn.stage else { return None };
        drawn.stage = Stage::Written(at + 1);
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
        if self.cells.is_empty() && drawn.seen == [None; 2] {
            // A row as light as rounding may get nothing: any possible column.
            let heaviest = unavoidable(step.b, usize::MAX, f64::INFINITY);
            let column = heaviest.map_or(0, |(column, _)| column as u32);
            self.cells.push(Cell { row, column, mass: p });
        }
    }

    /// The column of the dominant cell of a row, if its best cell is one and ties do not matter.
    #[inline]
    fn dominant(&self, overlap: &Overlap, row: usize) -> Option<usize> {
        // Gains grow with the overlap: the best is that of the largest overlap.
        let (mut best, mut second) = (0, 0);
        for (j, &shared) in overlap.row(row).iter().enumerate() {
            let key = u64::from(shared) << 32 | j as u64;
            second = second.max(best.min(key));
            best = best.max(key);
        }
        let column = best as u32 as usize;
        let mut other = 0;
        for k in 0..=overlap.shape().0 {
            other = other.max(if k == row { 0 } else { overlap.shared(k, column) });
        }
        let gap = self.gains.of((best >> 32) as u32) - self.gains.of((second >> 32) as u32);
        // Since gains are not negative, only rows that gain more than this in the column can object.
        (self.gains.of(other) < gap || self.nobody_objects(overlap, row, column, gap)).then_some(column)
    }

    /// Whether moving mass into the cell always wins.
    #[inline(never)]
    fn nobody_objects(&self, overlap: &Overlap, row: usize, column: usize, gap: i64) -> bool {
        let (own, best) = (overlap.row(row), self.gains.of(overlap.shared(row, column)));
        gap > 0
            && (0..=overlap.shape().0).filter(|&k| k != row).all(|k| {
                let other = overlap.row(k);
                let offer = self.gains.of(other[column]);
                let mut cells = own.iter().zip(other).enumerate().filter(|(j, _)| *j != column);
                offer < gap || cells.all(|(_, (m, n))| best + self.gains.of(*n) > self.gains.of(*m) + offer)
            })
    }
}

fn solve<'a>(transport: &'a mut Transport, gains: &Gains, step: &Step) -> Solution<'a> {
    transport.solve(step.a, step.b, |i, j| gains.of(step.overlap.shared(i, j)))
}

/// The heaviest column but one, and what every plan gives it of a mass `p` that does not go to that
/// one: what is left when all others are full.
#[inline]
fn unavoidable(b: &[f64], except: usize, p: f64) -> Option<(usize, f64)> {
    let (mut column, mut most, mut others) = (0, 0.0, 0.0);
    for (j, &mass) in b.iter().enumerate() {
        let mass = if j == except { 0.0 } else { mass };
        let heavier = mass > most;
        others += if heavier { most } else { mass };
        column = if heavier { j } else { column };
        most = if heavier { mass } else { most };
    }
    (p > others).then_some((column, p - others))
}

impl Coupling for Optimal {
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>) {
        plan.clear();
        plan.extend_from_slice(solve(&mut self.transport, &self.gains, step).cells());
    }

    #[inline]
    fn draw(&mut self, step: &Step, chance: &mut impl Chance) -> (usize, usize) {
        let row = chance.pick(step.a.iter().copied());
        let mut drawn = Drawn { row, stage: Stage::FirstLook, seen: [None; 2] };
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
    use crate::partition::Partition;
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
