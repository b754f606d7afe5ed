//! The first basis: cells in order of descending gain (the matrix-maximum method).

use std::hint::{black_box, select_unpredictable};

use super::HARMLESS;
use super::problem::{Arc, Gains, Mass};
use super::wide::Wide;

/// Relative rounding of a sum of a few hundred residuals.
const ROUNDING: f64 = 1e-14;

/// What is left of every row and column while the greedy runs.
///
/// Of two equal residuals that of the row stays, at zero. So an open column that is not the last
/// one has something left, hence a flow can be zero only where a row closes, and the tree that
/// hangs from the last column is strongly feasible: see `simplex`.
pub(super) trait Ledger<M> {
    /// Puts mass on the cell `(i, j)` and closes one of its lines, neither being the last of its
    /// side; returns the mass and whether it was the row that closed.
    fn settle(&mut self, i: usize, j: usize) -> (M, bool);
    /// Closes row `i` into the last column.
    fn close_row(&mut self, i: usize, j: usize) -> M;
    /// Closes column `j` into the last row.
    fn close_column(&mut self, i: usize, j: usize) -> M;
    /// Closes the last row and the last column.
    fn close_both(&mut self, i: usize, j: usize) -> M;
}

/// Exact residuals of totals that agree exactly.
#[derive(Debug)]
pub(super) struct ExactLedger {
    rows: Vec<Wide>,
    columns: Vec<Wide>,
}

impl ExactLedger {
    /// Totals differ by rounding: the heaviest line of the lighter side takes the difference.
    pub(super) fn balanced(a: &[f64], b: &[f64]) -> Self {
        let widen = |masses: &[f64]| masses.iter().map(|&m| Wide::from_f64(m)).collect();
        let total = |masses: &[Wide]| masses.iter().fold(Wide::ZERO, |sum, &m| sum.plus(m));
        let add_to_heaviest = |masses: &mut [Wide], extra: Wide| {
            let mut heaviest = 0;
            for k in 1..masses.len() {
                if masses[k] > masses[heaviest] {
                    heaviest = k;
                }
            }
            masses[heaviest] = masses[heaviest].plus(extra);
        };
        let (mut rows, mut columns): (Vec<Wide>, Vec<Wide>) = (widen(a), widen(b));
        let (supply, demand) = (total(&rows), total(&columns));
        if supply > demand {
            add_to_heaviest(&mut columns, supply.minus(demand));
        } else {
            add_to_heaviest(&mut rows, demand.minus(supply));
        }
        Self { rows, columns }
    }
}

impl Ledger<Wide> for ExactLedger {
    fn settle(&mut self, i: usize, j: usize) -> (Wide, bool) {
        if self.rows[i] < self.columns[j] {
            (self.close_row(i, j), true)
        } else {
            (self.close_column(i, j), false)
        }
    }

    fn close_row(&mut self, i: usize, j: usize) -> Wide {
        let mass = self.rows[i];
        (self.rows[i], self.columns[j]) = (Wide::ZERO, self.columns[j].minus(mass));
        mass
    }

    fn close_column(&mut self, i: usize, j: usize) -> Wide {
        let mass = self.columns[j];
        (self.rows[i], self.columns[j]) = (self.rows[i].minus(mass), Wide::ZERO);
        mass
    }

    fn close_both(&mut self, i: usize, j: usize) -> Wide {
        debug_assert!(self.rows[i] == self.columns[j], "totals agree");
        self.rows[i]
    }
}

/// Residuals in `f64`. Each subtraction is exact relative to the mass of its line, so only the
/// sign of a residual that ought to be zero is in danger: it decides which line stays open, and
/// a feather-weight line must not be left to absorb the rounding of a heavy one.
#[derive(Debug)]
pub(super) struct RoundedLedger<'a> {
    a: &'a [f64],
    b: &'a [f64],
    rows: &'a mut [f64],
    columns: &'a mut [f64],
    sound: bool,
}

impl<'a> RoundedLedger<'a> {
    /// For masses `a` and `b`, which `rows` and `columns` hold copies of.
    pub(super) fn new(a: &'a [f64], b: &'a [f64], rows: &'a mut [f64], columns: &'a mut [f64]) -> Self {
        Self { a, b, rows, columns, sound: true }
    }

    /// Whether every line got its mass to `HARMLESS`; to be asked at the end.
    pub(super) fn is_sound(&self) -> bool {
        self.sound
    }

    /// A near tie: what the other open lines leave unbalanced tells, far more precisely than
    /// the difference of the two residuals, which line must stay open and with how much. The
    /// heavier line absorbs the correction. `None` if it would be too much for it.
    #[inline(never)]
    fn rebalance(&mut self, i: usize, j: usize) -> Option<(f64, bool)> {
        let (x, y) = (self.rows[i], self.columns[j]);
        // Closed lines have nothing left, so they drop out of the sums.
        (self.rows[i], self.columns[j]) = (0.0, 0.0);
        let supply: f64 = self.rows.iter().sum();
        let demand: f64 = self.columns.iter().sum();
        (self.rows[i], self.columns[j]) = (x, y);
        let mut surplus = demand - supply;
        if surplus.abs() <= ROUNDING * (demand + supply) {
            surplus = 0.0;
        }
        let row_is_heavier = self.a[i] >= self.b[j];
        let heavier = if row_is_heavier { self.a[i] } else { self.b[j] };
        if (x - y - surplus).abs() > HARMLESS * heavier {
            return None;
        }
        if surplus < 0.0 {
            let mass = if row_is_heavier { y + surplus } else { x };
            if mass < 0.0 {
                return None;
            }
            (self.rows[i], self.columns[j]) = (0.0, -surplus);
            Some((mass, true))
        } else {
            let mass = if row_is_heavier { y } else { x - surplus };
            if mass <= 0.0 {
                return None;
            }
            (self.rows[i], self.columns[j]) = (surplus, 0.0);
            Some((mass, false))
        }
    }
}

impl Ledger<f64> for RoundedLedger<'_> {
    #[inline]
    fn settle(&mut self, i: usize, j: usize) -> (f64, bool) {
        let (x, y) = (self.rows[i], self.columns[j]);
        if (x - y).abs() <= HARMLESS * larger(self.a[i], self.b[j])
            && let Some(settled) = self.rebalance(i, j)
        {
            return settled;
        }
        let mass = if x < y { x } else { y };
        (self.rows[i], self.columns[j]) = (x - mass, y - mass);
        (mass, x < y)
    }

    fn close_row(&mut self, i: usize, j: usize) -> f64 {
        let mass = self.rows[i];
        self.columns[j] -= mass;
        mass
    }

    fn close_column(&mut self, i: usize, j: usize) -> f64 {
        let mass = self.columns[j];
        self.rows[i] -= mass;
        mass
    }

    fn close_both(&mut self, i: usize, j: usize) -> f64 {
        let (x, y) = (self.rows[i], self.columns[j]);
        let mass = if self.a[i] >= self.b[j] { y } else { x }.max(0.0);
        self.sound = (x - mass).abs() <= HARMLESS * self.a[i] && (y - mass).abs() <= HARMLESS * self.b[j];
        mass
    }
}

/// Below every key.
const CLOSED: f64 = f64::NEG_INFINITY;

/// Reusable scratch space of the greedy. What is searched is padded to whole groups, which
/// compilers turn into vector code.
#[derive(Debug, Clone, Default)]
pub(super) struct Greedy {
    /// A key per cell, padded like the gains.
    keys: Vec<f64>,
    /// The largest key among the open columns of each row, or a larger one that is out of date;
    /// `CLOSED` if the row is.
    best: Vec<f64>,
    /// To be added to the keys of each column: zero, or `CLOSED`.
    penalties: Vec<f64>,
}

impl Greedy {
    /// Fills `arcs` and `flows` with a spanning tree of as many cells as there are lines less
    /// one, in the order in which they were found; `a` and `b` are masses.
    pub(super) fn run<M: Mass>(
        &mut self,
        gains: &Gains,
        a: &[f64],
        b: &[f64],
        ledger: &mut impl Ledger<M>,
        arcs: &mut Vec<Arc>,
        flows: &mut Vec<M>,
    ) {
        arcs.resize(a.len() + b.len() - 1, Arc::default());
        flows.resize(a.len() + b.len() - 1, M::ZERO);
        let mut slots = arcs.iter_mut().zip(flows.iter_mut());
        let mut put = |i: usize, j: usize, mass: M, closes_row: bool| {
            if let Some((arc, flow)) = slots.next() {
                *arc = Arc { row: i as u32, column: j as u32, closes_row };
                *flow = mass;
            }
        };
        let stride = gains.stride;
        let layout = Layout::new(a.len(), stride);
        self.open_all(gains, a.len(), layout);
        let Self { keys, best, penalties } = self;

        // Which line closes cannot be predicted: a look-up, kept from becoming a branch.
        let closed_if = black_box([0.0, CLOSED]);
        let (mut open_rows, mut open_columns) = (a.len(), b.len());
        let mut key = largest_below(f64::INFINITY, best);
        while open_rows > 1 && open_columns > 1 {
            let (i, j) = layout.cell(key);
            let row = &keys[i * stride..][..stride];
            // Keys are distinct, so this is the best of the other rows.
            let other = largest_below(key, best);
            if penalties[j] != 0.0 {
                // Another row closed this column.
                best[i] = largest_open_below(key, row, penalties);
                key = larger(other, best[i]);
                continue;
            }
            // What comes next in this row is found, in case it stays open, while the masses are
            // still being compared.
            let next = largest_open_below(key, row, penalties);
            let (mass, closes_row) = ledger.settle(i, j);
            put(i, j, mass, closes_row);
            penalties[j] = closed_if[usize::from(!closes_row)];
            best[i] = next + closed_if[usize::from(closes_row)];
            key = larger(other, best[i]);
            open_rows -= usize::from(closes_row);
            open_columns -= usize::from(!closes_row);
        }

        // One side is down to one line, which all lines of the other close into. The heaviest
        // comes last, because it is the one that bears the rounding best.
        let last_row = heaviest(a, |k| best[k] != CLOSED);
        let last_column = heaviest(b, |k| penalties[k] == 0.0);
        if open_rows > 1 {
            for i in (0..a.len()).filter(|&k| k != last_row && best[k] != CLOSED) {
                put(i, last_column, ledger.close_row(i, last_column), true);
            }
        } else if open_columns > 1 {
            for j in (0..b.len()).filter(|&k| k != last_column && penalties[k] == 0.0) {
                put(last_row, j, ledger.close_column(last_row, j), false);
            }
        }
        put(last_row, last_column, ledger.close_both(last_row, last_column), true);
    }

    fn open_all(&mut self, gains: &Gains, rows: usize, layout: Layout) {
        self.keys.resize(gains.values.len(), CLOSED);
        self.penalties.clear();
        self.penalties.resize(gains.stride, 0.0);
        self.best.clear();
        self.best.resize(rows.next_multiple_of(Gains::GROUP), CLOSED);
        let keys = self.keys.chunks_exact_mut(gains.stride);
        let lines = keys.zip(gains.values.chunks_exact(gains.stride)).zip(&mut self.best);
        for (i, ((keys, gains), best)) in (0..).zip(lines) {
            let mut most = CLOSED;
            for (j, (key, &gain)) in (0..).zip(keys.iter_mut().zip(gains)) {
                *key = layout.key(gain, i, j);
                most = larger(most, *key);
            }
            *best = most;
        }
    }
}

/// How a gain and its cell make a key: a number with the order of gains whose lowest bits hold
/// row and column, so that the search for the best cell is a maximum and free of branches. It is
/// an `f64` because processors at large have no maximum of 64-bit integers.
///
/// Large gains, from 2^34 for 400 lines a side and 2^46 for 8, lose their lowest bits to the
/// cell. The order of cells is then only nearly that of gains, which may cost pivots but is no
/// error.
#[derive(Debug, Clone, Copy)]
struct Layout {
    column_bits: u32,
    mask: u64,
}

impl Layout {
    fn new(rows: usize, stride: usize) -> Self {
        let bits = |count: usize| count.next_power_of_two().trailing_zeros();
        let column_bits = bits(stride);
        Self { column_bits, mask: (1 << (bits(rows) + column_bits)) - 1 }
    }

    #[inline]
    fn key(self, gain: i64, row: u64, column: u64) -> f64 {
        // Odd, hence never zero, whose mantissa is not free to be used. On equal gains the first
        // cell, having the largest code, comes first (the last, if they are negative).
        let bits = ((2 * gain + 1) as f64).to_bits();
        let cell = (row << self.column_bits) | column;
        f64::from_bits((bits | self.mask) ^ cell)
    }

    #[inline]
    fn cell(self, key: f64) -> (usize, usize) {
        let cell = !key.to_bits() & self.mask;
        let row = cell >> self.column_bits;
        (row as usize, (cell ^ (row << self.column_bits)) as usize)
    }
}

/// One instruction, unlike `f64::max`, which looks after NaN.
#[inline]
fn larger(x: f64, y: f64) -> f64 {
    if y > x { y } else { x }
}

/// The largest key below a bound.
#[inline]
fn largest_below(bound: f64, keys: &[f64]) -> f64 {
    let mut most = [CLOSED; Gains::GROUP];
    for keys in keys.chunks_exact(Gains::GROUP) {
        for (most, &key) in most.iter_mut().zip(keys) {
            *most = larger(*most, if key < bound { key } else { CLOSED });
        }
    }
    larger(larger(most[0], most[1]), larger(most[2], most[3]))
}

/// The largest key below a bound among the open columns of a row.
#[inline]
fn largest_open_below(bound: f64, row: &[f64], penalties: &[f64]) -> f64 {
    let mut most = [CLOSED; Gains::GROUP];
    for (keys, penalties) in row.chunks_exact(Gains::GROUP).zip(penalties.chunks_exact(Gains::GROUP)) {
        for (most, (key, penalty)) in most.iter_mut().zip(keys.iter().zip(penalties)) {
            let key = key + penalty;
            *most = larger(*most, if key < bound { key } else { CLOSED });
        }
    }
    larger(larger(most[0], most[1]), larger(most[2], most[3]))
}

/// The heaviest open line.
fn heaviest(masses: &[f64], open: impl Fn(usize) -> bool) -> usize {
    let (mut line, mut most) = (0, 0);
    for (k, mass) in masses.iter().enumerate() {
        // Positive numbers have the order of their bits.
        let weight = select_unpredictable(open(k), mass.to_bits(), 0);
        line = select_unpredictable(weight > most, k, line);
        most = select_unpredictable(weight > most, weight, most);
    }
    line
}
