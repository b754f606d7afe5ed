//! Exact optimal transport of small dense problems: the plan each coupled Gibbs step draws from.
//!
//! A problem has a mass per row, a mass per column and an integer gain per cell. A *plan* spreads
//! the mass over cells so that every row and every column gets its own; an *optimal* plan has the
//! largest total gain. Because gains are integers, so are the dual variables, and optimality is
//! proved without a tolerance: duals that are feasible everywhere and tight on every cell of the
//! plan are a certificate, which [`Solution::is_certified`] checks from scratch.
//!
//! Most problems are solved by the greedy (largest gain first) and need no more than the check that its duals
//! are feasible. The others are repaired by transportation simplex pivots. Small problems have a solver of
//! their own for both (`small`), which leaves difficult cases to the general one.

mod greedy;
mod problem;
mod simplex;
mod small;
mod wide;

use std::mem;

use greedy::{ExactLedger, Greedy, RoundedLedger};
use problem::{Arc, Gains, Lines};
use pulp::Arch;
use simplex::Tree;
use small::{SIDE, Small, Solve};
use wide::Wide;

/// The largest absolute gain a problem may have: duals, which are sums of up to one gain per line,
/// then fit into an `i64` with room to spare.
pub const MAX_GAIN: i64 = 1 << 50;

/// What a line may be off by, relative to its own mass, without harm.
const HARMLESS: f64 = 1e-10;

/// Far more than the repair takes: only a loop due to rounding would get there.
const PIVOTS_PER_LINE: u64 = 64;

/// One cell of a plan: `mass` goes to `row` and `column` together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Index of the row.
    pub row: u32,
    /// Index of the column.
    pub column: u32,
    /// Mass, that is the joint probability of the row and the column.
    pub mass: f64,
}

/// A solver with its work space: once it has seen the largest size it no longer allocates, except
/// for the rare problem in which rounding could decide and masses have to be exact.
///
/// ```
/// use partita::transport::Transport;
///
/// let overlap = [[3, 0, 0], [1, 2, 0], [0, 0, 0]];
/// let mut transport = Transport::new();
/// let plan = transport.solve(&[0.5, 0.25, 0.25], &[0.25, 0.5, 0.25], |i, j| overlap[i][j]);
///
/// assert!(plan.is_certified(|i, j| overlap[i][j]));
/// assert_eq!(plan.objective(), 0.25 * 3.0 + 0.25 * 2.0);
/// let second_row: f64 = plan.cells().iter().filter(|c| c.row == 1).map(|c| c.mass).sum();
/// assert_eq!(second_row, 0.25);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Transport {
    // Which lines carry mass, where not all do.
    rows: Lines,
    columns: Lines,
    // The problem without its massless lines.
    gains: Gains,
    row_left: Vec<f64>,
    column_left: Vec<f64>,
    small: Small,
    greedy: Greedy,
    tree: Tree,
    arcs: Vec<Arc>,
    flows: Vec<f64>,
    // The answer.
    cells: Vec<Cell>,
    /// Rows first.
    duals: Vec<i64>,
    pivots: u64,
}

impl Transport {
    /// A solver with an empty work space.
    ///
    /// ```
    /// let mut transport = partita::transport::Transport::new();
    /// assert_eq!(transport.solve(&[1.0], &[1.0], |_, _| 7).objective(), 7.0);
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// An optimal plan between row masses `a` and column masses `b` for `gain(row, column)`.
    ///
    /// Masses are finite and non-negative, and both sides have the same positive total up to
    /// rounding. Each line gets its mass to relative rounding however light it is, except that
    /// heavy lines absorb the difference of the totals. Gains are at most [`MAX_GAIN`] in size;
    /// `gain` must always return the same value for the same cell.
    ///
    /// ```
    /// # use partita::transport::Transport;
    /// let mut transport = Transport::new();
    /// let plan = transport.solve(&[0.5, 0.5], &[0.5, 0.5], |i, j| if i == j { 1 } else { 0 });
    /// let cells: Vec<_> = plan.cells().iter().map(|c| (c.row, c.column, c.mass)).collect();
    /// assert_eq!(cells, [(0, 0, 0.5), (1, 1, 0.5)]);
    /// ```
    pub fn solve(&mut self, a: &[f64], b: &[f64], gain: impl Fn(usize, usize) -> i64) -> Solution<'_> {
        let in_range = |mass: &f64| (0.0..f64::INFINITY).contains(mass);
        debug_assert!(a.iter().chain(b).all(in_range), "masses are finite and non-negative");
        if !self.solve_small(a, b, &gain) {
            return self.solve_large(a, b, gain);
        }
        self.cells.clear();
        self.cells.extend(self.small.cells());
        self.pivots = self.small.pivots();
        let (u, v) = self.small.duals();
        self.duals.clear();
        self.duals.extend(u[..a.len()].iter().chain(&v[..b.len()]));
        let (u, v) = self.duals.split_at_mut(a.len());
        cover_massless(u, a, v, b, &gain);
        self.solution(a.len())
    }

    /// Solves a problem of any size.
    fn solve_large(&mut self, a: &[f64], b: &[f64], gain: impl Fn(usize, usize) -> i64) -> Solution<'_> {
        // No short cut, so no branch.
        let no_zeros = |masses: &[f64]| masses.iter().fold(true, |all, &mass| all & (mass > 0.0));
        if no_zeros(a) && no_zeros(b) {
            self.gains.set(a.len(), b.len(), gain);
            self.optimise(a, b, PIVOTS_PER_LINE);
        } else {
            self.solve_without_zeros(a, b, gain);
        }
        self.solution(a.len())
    }

    /// Adds the cells of one row of the plan that [`solve`](Self::solve) would give, and says how many
    /// pivots it took.
    pub(crate) fn solve_row(
        &mut self,
        a: &[f64],
        b: &[f64],
        gain: impl Fn(usize, usize) -> i64,
        row: u32,
        cells: &mut Vec<Cell>,
    ) -> u64 {
        if self.solve_small(a, b, &gain) {
            cells.extend(self.small.cells().filter(|cell| cell.row == row));
            return self.small.pivots();
        }
        let solution = self.solve_large(a, b, gain);
        cells.extend(solution.cells().iter().filter(|cell| cell.row == row));
        solution.pivots
    }

    /// Solves a problem of few lines if it has no difficulty, and says whether that is so.
    #[inline(always)]
    fn solve_small(&mut self, a: &[f64], b: &[f64], gain: impl Fn(usize, usize) -> i64) -> bool {
        let is_small = a.len() <= SIDE && b.len() <= SIDE;
        is_small && Arch::new().dispatch(Solve { small: &mut self.small, a, b, gain }).is_some()
    }

    fn solution(&self, rows: usize) -> Solution<'_> {
        let (row_duals, column_duals) = self.duals.split_at(rows);
        Solution { cells: &self.cells, row_duals, column_duals, pivots: self.pivots }
    }

    /// Leaves the massless lines out, then gives them the least feasible duals.
    fn solve_without_zeros(&mut self, a: &[f64], b: &[f64], gain: impl Fn(usize, usize) -> i64) {
        let (mut rows, mut columns) = (mem::take(&mut self.rows), mem::take(&mut self.columns));
        rows.reset(a);
        columns.reset(b);
        self.gains.set(rows.index.len(), columns.index.len(), |i, j| {
            gain(rows.index[i] as usize, columns.index[j] as usize)
        });
        self.optimise(&rows.mass, &columns.mass, PIVOTS_PER_LINE);
        for cell in &mut self.cells {
            cell.row = rows.index[cell.row as usize];
            cell.column = columns.index[cell.column as usize];
        }
        let (u, v) = self.duals.split_at(rows.index.len());
        rows.spread(u, a.len());
        columns.spread(v, b.len());
        cover_massless(&mut rows.dual, a, &mut columns.dual, b, &gain);
        self.duals.clear();
        self.duals.extend(rows.dual.iter().chain(&columns.dual));
        (self.rows, self.columns) = (rows, columns);
    }

    /// Solves a problem without massless lines, whose gains are set: with exact masses where
    /// `f64` will not do, because the greedy could not give a light line its due or because
    /// `pivots_per_line` are not enough.
    fn optimise(&mut self, a: &[f64], b: &[f64], pivots_per_line: u64) {
        debug_assert!(self.gains.are_in_range(b.len()));
        self.cells.clear();
        self.pivots = 0;
        self.duals.clear();
        self.duals.resize(a.len() + b.len(), 0);
        if a.is_empty() || b.is_empty() {
            return;
        }
        self.row_left.clear();
        self.row_left.extend_from_slice(a);
        self.column_left.clear();
        self.column_left.extend_from_slice(b);
        let mut ledger = RoundedLedger::new(a, b, &mut self.row_left, &mut self.column_left);
        self.greedy.run(&self.gains, a, b, &mut ledger, &mut self.arcs, &mut self.flows);
        if ledger.is_sound() {
            self.set_duals(a.len());
            let (u, v) = self.duals.split_at(a.len());
            if !self.gains.are_covered(u, v) {
                self.repair(a.len(), b.len(), pivots_per_line);
            }
        } else {
            self.solve_exactly(a, b);
        }
        for (arc, &mass) in self.arcs.iter().zip(&self.flows) {
            if mass > 0.0 {
                self.cells.push(Cell { row: arc.row, column: arc.column, mass });
            }
        }
    }

    /// Duals that make the greedy's arcs tight: backwards, because the line that closed with an
    /// arc hangs from a line that closed later. The root, the last column, is in the last arc.
    fn set_duals(&mut self, rows: usize) {
        if let Some(last) = self.arcs.last() {
            self.duals[rows + last.column as usize] = 0;
        }
        for arc in self.arcs.iter().rev() {
            let gain = self.gains.at(arc.row as usize, arc.column as usize);
            let (child, parent) = arc.ends(rows);
            self.duals[child] = gain - self.duals[parent];
        }
    }

    /// Pivots to an optimum from the greedy's arcs, flows and duals.
    #[cold]
    fn repair(&mut self, rows: usize, columns: usize, pivots_per_line: u64) {
        let limit = pivots_per_line * (rows + columns) as u64;
        self.tree.rebuild(rows, columns, &self.arcs);
        let (u, v) = self.duals.split_at_mut(rows);
        self.pivots = self.tree.optimise(&self.gains, u, v, &mut self.arcs, &mut self.flows, limit);
        if self.pivots == limit {
            self.finish_exactly(rows, self.flows.iter().map(|&flow| Wide::from_f64(flow)).collect());
        }
    }

    /// Starts again with exact masses.
    #[cold]
    fn solve_exactly(&mut self, a: &[f64], b: &[f64]) {
        let mut flows = Vec::new();
        let mut ledger = ExactLedger::balanced(a, b);
        self.greedy.run(&self.gains, a, b, &mut ledger, &mut self.arcs, &mut flows);
        self.set_duals(a.len());
        self.tree.rebuild(a.len(), b.len(), &self.arcs);
        self.finish_exactly(a.len(), flows);
    }

    /// Pivots to an optimum from the current tree and duals and these flows.
    fn finish_exactly(&mut self, rows: usize, mut flows: Vec<Wide>) {
        let (u, v) = self.duals.split_at_mut(rows);
        self.pivots += self.tree.optimise(&self.gains, u, v, &mut self.arcs, &mut flows, u64::MAX);
        self.flows.clear();
        self.flows.extend(flows.iter().map(|flow| flow.to_f64()));
    }
}

/// Gives lines without mass the least feasible duals.
fn cover_massless(u: &mut [i64], a: &[f64], v: &mut [i64], b: &[f64], gain: &impl Fn(usize, usize) -> i64) {
    for (i, (u, _)) in u.iter_mut().zip(a).enumerate().filter(|(_, (_, mass))| **mass == 0.0) {
        let massive = (0..b.len()).filter(|&j| b[j] > 0.0);
        *u = massive.map(|j| gain(i, j) - v[j]).max().unwrap_or(0);
    }
    for (j, (v, _)) in v.iter_mut().zip(b).enumerate().filter(|(_, (_, mass))| **mass == 0.0) {
        *v = u.iter().enumerate().map(|(i, u)| gain(i, j) - u).max().unwrap_or(0);
    }
}

/// An optimal plan with its proof; borrowed from the [`Transport`] that found it.
///
/// ```
/// # use partita::transport::Transport;
/// // The greedy takes the 10 and must then take the 0: a pivot moves to 9 + 9.
/// let gain = |i: usize, j: usize| [[10, 9], [9, 0]][i][j];
/// let mut transport = Transport::new();
/// let plan = transport.solve(&[0.5, 0.5], &[0.5, 0.5], gain);
/// assert_eq!((plan.objective(), plan.pivots()), (9.0, 1));
/// for cell in plan.cells() {
///     let (i, j) = (cell.row as usize, cell.column as usize);
///     assert_eq!(plan.row_duals()[i] + plan.column_duals()[j], gain(i, j));
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Solution<'a> {
    cells: &'a [Cell],
    row_duals: &'a [i64],
    column_duals: &'a [i64],
    pivots: u64,
}

impl<'a> Solution<'a> {
    /// The plan: cells of positive mass, each at most once, at most one fewer than there are lines.
    /// They come in the order in which the greedy found them, largest gain first, except that a
    /// cell brought in by a pivot takes the place of the cell it replaced.
    pub fn cells(&self) -> &'a [Cell] {
        self.cells
    }

    /// The dual variable of every row, those without mass included.
    pub fn row_duals(&self) -> &'a [i64] {
        self.row_duals
    }

    /// The dual variable of every column: with that of a row, at least the gain of their cell.
    pub fn column_duals(&self) -> &'a [i64] {
        self.column_duals
    }

    /// The total gain of the plan.
    pub fn objective(&self) -> f64 {
        // Duals are tight on the plan, so their sum is the gain of a cell.
        let gain = |c: &Cell| self.row_duals[c.row as usize] + self.column_duals[c.column as usize];
        self.cells.iter().map(|c| c.mass * gain(c) as f64).sum()
    }

    /// How many simplex pivots the greedy plan needed; 0 if it was optimal as it stood.
    pub fn pivots(&self) -> u64 {
        self.pivots
    }

    /// Whether the duals prove the plan optimal for its own margins: feasible on every cell, and
    /// tight on every cell of the plan. It compares integers, so there is no tolerance.
    ///
    /// ```
    /// # use partita::transport::Transport;
    /// let mut transport = Transport::new();
    /// let plan = transport.solve(&[0.5, 0.5], &[0.5, 0.5], |i, j| (i * j) as i64);
    /// assert!(plan.is_certified(|i, j| (i * j) as i64));
    /// assert!(!plan.is_certified(|i, j| (i + 2 * j) as i64));
    /// ```
    pub fn is_certified(&self, gain: impl Fn(usize, usize) -> i64) -> bool {
        let slack = |i: usize, j: usize| self.row_duals[i] + self.column_duals[j] - gain(i, j);
        let feasible =
            (0..self.row_duals.len()).all(|i| (0..self.column_duals.len()).all(|j| slack(i, j) >= 0));
        let tight = |cell: &Cell| slack(cell.row as usize, cell.column as usize) == 0;
        feasible && self.cells.iter().all(|cell| cell.mass > 0.0 && tight(cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact masses take over from `f64` at any pivot: the optimum is the same.
    #[test]
    fn exact_masses_continue_where_rounded_ones_stop() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 33
        };
        let mut exact = Transport::new();
        let mut most_pivots = 0;
        for n in 2..30 {
            let masses = |count: u64| vec![1.0 / count as f64; count as usize];
            let (a, b) = (masses(n), masses(n + random() % 3));
            let gains: Vec<i64> = a.iter().flat_map(|_| &b).map(|_| (random() % 9) as i64).collect();
            let gain = |i: usize, j: usize| gains[i * b.len() + j];
            let mut transport = Transport::new();
            let expected = transport.solve(&a, &b, gain).objective();
            most_pivots = most_pivots.max(transport.pivots);

            exact.gains.set(a.len(), b.len(), gain);
            exact.optimise(&a, &b, 0);
            let solution = exact.solution(a.len());
            assert!(solution.is_certified(gain));
            assert!((solution.objective() - expected).abs() <= 1e-12 * expected);
        }
        assert!(most_pivots > 1, "the comparison is of repaired plans");
    }

    /// Few lines or many, it is the same problem: the two solvers agree, pivots or not.
    #[test]
    fn small_problems_are_solved_as_large_ones() {
        let mut state = 7_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let (mut small, mut large) = (Transport::new(), Transport::new());
        let (mut taken, mut pivoted) = (0, 0);
        for case in 0..20_000 {
            // Masses over many powers of ten, some missing; gains with ties, zeros and long ones.
            let mut law = |lines: u64| -> Vec<f64> {
                let mass = |n: u64| if n == 0 { 0.0 } else { 10_f64.powf(-(n as f64) / 100.0) };
                let masses: Vec<f64> = (0..lines).map(|_| mass(random([900, 40][case % 2]))).collect();
                let total: f64 = 1.0 + masses.iter().sum::<f64>();
                masses.iter().map(|mass| mass / total).chain([1.0 / total]).collect()
            };
            let (a, b) = (law(case as u64 % 8), law(case as u64 / 8 % 8));
            let unit = [1, 1 << 38][case / 4 % 2];
            let most = [3, 200][case / 2 % 2];
            let gains: Vec<i64> =
                (0..64).map(|_| random(most).saturating_sub(most / 3) as i64 * unit).collect();
            let gain = |i: usize, j: usize| gains[i * 8 + j];
            let expected = large.solve_large(&a, &b, gain);
            assert!(expected.is_certified(gain));
            let expected = expected.objective();
            taken += usize::from(small.solve_small(&a, &b, gain));
            let solution = small.solve(&a, &b, gain);
            assert!(solution.is_certified(gain));
            assert!((solution.objective() - expected).abs() <= 1e-12 * expected, "case {case}");
            pivoted += usize::from(solution.pivots() > 0);
            let rows = a.iter().enumerate().map(|(i, &mass)| (i, mass, false));
            for (line, mass, is_column) in rows.chain(b.iter().enumerate().map(|(j, &mass)| (j, mass, true)))
            {
                let of_line =
                    |cell: &&Cell| (if is_column { cell.column } else { cell.row }) as usize == line;
                let got: f64 = solution.cells().iter().filter(of_line).map(|cell| cell.mass).sum();
                assert!((got - mass).abs() <= 1e-9 * mass, "case {case}, line {line}: {got} of {mass}");
            }
        }
        assert!(taken > 15_000 && taken < 20_000, "{taken} had no difficulty");
        assert!(pivoted > 2_000, "{pivoted} were repaired");
    }
}
