//! The rest of an optimal plan: what the first look at the drawn row has left open.

use super::{Cell, Step};
use crate::partition::Gains;
use crate::transport::Transport;

/// The difference of residuals that agree to this part of their lines' masses has lost digits.
const NEARLY: f64 = 1e-3;
/// Relative rounding of a sum of residuals.
const ROUNDING: f64 = 1e-14;

/// How draws ended that the first look did not decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// By peeling, or by a look at what peeling left.
    pub peeled: u64,
    /// By the solver, whose greedy plan was optimal.
    pub greedy: u64,
    /// By the solver, after pivots.
    pub pivoted: u64,
}

/// A transport problem that shrinks as cells are peeled off it.
///
/// Cells are peeled until none dominates. That always ends with the same lines and masses, whatever
/// the order: ties of gains are broken (see [`Rest::open`]), so two dominant cells share no line, and
/// peeling one leaves the other as it was. Hence the plan does not depend on the row that was drawn,
/// though the search begins there and ends as soon as that row is written down.
#[derive(Debug, Clone, Default)]
pub(super) struct Rest {
    /// The mass left of each row and column; a line without any is closed.
    a: Vec<f64>,
    b: Vec<f64>,
    open_rows: Vec<usize>,
    open_columns: usize,
    /// For each column all ones, or zero if it is closed.
    mask: Vec<i64>,
    /// By rows of `mask.len()` cells, a multiple of `LANES`.
    gains: Vec<i64>,
    /// The gains of each column, summed over the open rows.
    sums: Vec<i64>,
    /// Rows found to have no dominant cell since the last one was peeled.
    tried: Vec<bool>,
    transport: Transport,
    pub(super) tally: Tally,
}

/// Columns handled together: loops of a fixed length are unrolled and need no remainder.
const LANES: usize = 8;

impl Rest {
    /// Writes cells of an optimal plan of the step to `plan`, peeling until all cells of the row
    /// `wanted` are written or none dominates; true if lines are left for [`Rest::solve`].
    pub(super) fn peel(
        &mut self,
        step: &Step,
        gains: &Gains,
        wanted: Option<usize>,
        plan: &mut Vec<Cell>,
    ) -> bool {
        plan.clear();
        self.open(step, gains);
        self.tally.peeled += 1;
        while self.open_rows.len() > 1 && self.open_columns > 1 {
            let start = wanted.unwrap_or(self.open_rows[0]);
            let Some((row, column)) = self.next_dominant(start) else { return true };
            plan.push(self.take(row, column, step));
            if wanted.is_some_and(|row| self.a[row] <= 0.0) {
                return false;
            }
        }
        self.write_last_line(step, plan);
        false
    }

    /// The cells of the lines that are left.
    #[cold]
    pub(super) fn solve(&mut self, step: &Step, gains: &Gains) -> &[Cell] {
        let gain = |i, j| gains.of(step.overlap.shared(i, j));
        let solution = self.transport.solve(&self.a, &self.b, gain);
        self.tally.peeled -= 1;
        let ended = if solution.pivots() > 0 { &mut self.tally.pivoted } else { &mut self.tally.greedy };
        *ended += 1;
        solution.cells()
    }

    /// What is left of the mass of each row and of each column.
    pub(super) fn left(&self) -> (&[f64], &[f64]) {
        (&self.a, &self.b)
    }

    /// Takes up the gains with ties broken: `i j` is added to gains scaled so that it decides between
    /// `M[i][j] + M[k][l]` and `M[i][l] + M[k][j]` only if they are equal.
    fn open(&mut self, step: &Step, gains: &Gains) {
        let Step { a, b, overlap, .. } = step;
        self.a.clear();
        self.a.extend_from_slice(a);
        self.b.clear();
        self.b.extend_from_slice(b);
        self.open_rows.clear();
        self.open_rows.extend((0..a.len()).filter(|&row| a[row] > 0.0));
        let stride = b.len().next_multiple_of(LANES);
        self.mask.clear();
        self.mask.extend(b.iter().map(|&mass| -i64::from(mass > 0.0)));
        self.open_columns = self.mask.iter().map(|open| -open).sum::<i64>() as usize;
        self.mask.resize(stride, 0);
        self.sums.clear();
        self.sums.resize(stride, 0);
        self.gains.resize(a.len() * stride, 0);
        let scale = (a.len() * b.len()).ilog2() + 1;
        for &i in &self.open_rows {
            let mut tie = 0;
            let row = self.gains[i * stride..][..stride].iter_mut().zip(&mut self.sums);
            for ((out, sum), &shared) in row.zip(overlap.row(i)) {
                *out = (gains.of(shared) << scale) + tie;
                *sum += *out;
                tie += i as i64;
            }
        }
    }

    fn gains(&self, row: usize) -> &[i64] {
        &self.gains[row * self.mask.len()..][..self.mask.len()]
    }

    /// A dominant cell: of the row `start` if it has one, else of a row in its way, else of any.
    fn next_dominant(&mut self, start: usize) -> Option<(usize, usize)> {
        self.tried.clear();
        self.tried.resize(self.a.len(), false);
        let mut row = start;
        loop {
            let objector = match self.dominant(row) {
                Ok(column) => return Some((row, column)),
                Err(objector) => objector,
            };
            self.tried[row] = true;
            row = objector;
            if self.tried[row] {
                row = self.open_rows.iter().copied().find(|&row| !self.tried[row])?;
            }
        }
    }

    /// The column whose cell in `row` carries all the mass it can in the optimal plan, if there is
    /// one: the cell `(i, j)` with `M[i][j] + M[k][l] >= M[i][l] + M[k][j]` for all `k` and `l`, so
    /// that moving mass into it never loses. Else a row that objects.
    ///
    /// For each `k`, then, `l = j` minimises `M[k][l] - M[i][l]`; hence it minimises the sum over
    /// `k`, and the column that minimises the sum will do if any will.
    fn dominant(&self, row: usize) -> Result<usize, usize> {
        let (own, count) = (self.gains(row), self.open_rows.len() as i64);
        let (mut column, mut best) = (0, i64::MIN);
        for (j, ((gain, sum), mask)) in own.iter().zip(&self.sums).zip(&self.mask).enumerate() {
            let score = if *mask == 0 { i64::MIN } else { count * gain - sum };
            (column, best) = if score > best { (j, score) } else { (column, best) };
        }
        let objects = |&k: &usize| {
            let other = self.gains(k);
            let excess = own[column] - other[column];
            let mut signs = [0; LANES];
            let lanes = own.chunks_exact(LANES).zip(other.chunks_exact(LANES));
            for ((own, other), mask) in lanes.zip(self.mask.chunks_exact(LANES)) {
                for (lane, sign) in signs.iter_mut().enumerate() {
                    *sign |= (excess + other[lane] - own[lane]) & mask[lane];
                }
            }
            signs.iter().fold(0, |all, sign| all | sign) < 0
        };
        self.open_rows.iter().copied().find(objects).map_or(Ok(column), Err)
    }

    /// Puts all the mass it can on a cell and closes the lines that are done.
    ///
    /// Nearly equal residuals are equal but for rounding, or differ by what light lines are still to
    /// get: then the other lines tell what must be left, and the heavier line bears the rounding.
    fn take(&mut self, row: usize, column: usize, step: &Step) -> Cell {
        let (x, y) = (self.a[row], self.b[column]);
        let (mut left, mut mass) = (x - y, x.min(y));
        let (row_mass, column_mass) = (step.a[row], step.b[column]);
        if left.abs() <= NEARLY * row_mass.max(column_mass) {
            left = self.surplus(row, column);
            mass = if row_mass >= column_mass { y + left.min(0.0) } else { x - left.max(0.0) };
        }
        self.a[row] = left.max(0.0);
        self.b[column] = (-left).max(0.0);
        if left <= 0.0 {
            self.open_rows.retain(|&open| open != row);
            for (sum, gain) in self.sums.iter_mut().zip(&self.gains[row * self.mask.len()..]) {
                *sum -= gain;
            }
        }
        if left >= 0.0 {
            self.mask[column] = 0;
            self.open_columns -= 1;
        }
        Cell { row: row as u32, column: column as u32, mass: mass.max(0.0) }
    }

    /// What must be left of a row, or if negative of a column, for the other lines to come out even.
    #[cold]
    fn surplus(&self, row: usize, column: usize) -> f64 {
        let others =
            |masses: &[f64], line: usize| masses[..line].iter().chain(&masses[line + 1..]).sum::<f64>();
        let (supply, demand) = (others(&self.a, row), others(&self.b, column));
        let surplus = demand - supply;
        if surplus.abs() <= ROUNDING * (demand + supply) { 0.0 } else { surplus }
    }

    /// Where one line of a side is left, it gets all that is left of the other side; the heaviest
    /// line of all bears the rounding.
    fn write_last_line(&self, step: &Step, plan: &mut Vec<Cell>) {
        let start = plan.len();
        let mut heaviest = (start, 0.0, 0.0);
        if let &[row] = &self.open_rows[..] {
            let left: f64 = self.b.iter().sum();
            for (column, &mass) in self.b.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
                if step.b[column] > heaviest.1 {
                    heaviest = (plan.len(), step.b[column], self.a[row] - (left - mass));
                }
                plan.push(Cell { row: row as u32, column: column as u32, mass });
            }
            if heaviest.1 > step.a[row] {
                plan[heaviest.0].mass = heaviest.2.max(0.0);
            }
        } else if self.open_columns == 1 {
            let column = self.mask.iter().position(|&open| open != 0).unwrap_or(0);
            let left: f64 = self.a.iter().sum();
            for &row in &self.open_rows {
                if step.a[row] > heaviest.1 {
                    heaviest = (plan.len(), step.a[row], self.b[column] - (left - self.a[row]));
                }
                plan.push(Cell { row: row as u32, column: column as u32, mass: self.a[row] });
            }
            if heaviest.1 > step.b[column] {
                plan[heaviest.0].mass = heaviest.2.max(0.0);
            }
        }
    }
}
