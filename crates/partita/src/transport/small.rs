//! Problems of at most eight lines a side, which most are: cells sorted once, and trees as sets of arcs.
//!
//! The greedy in general searches for the best open cell step by step, and each search waits for the
//! step before it. Few cells can be sorted all at once instead, by counting for each how many come
//! before it, and then be walked through without a branch that follows the masses. What is rare is
//! left to the general solver: negative gains, masses so nearly equal that rounding could decide, and
//! pivots in which two arcs block. That choice depends on the problem alone, as a plan must.

use super::{Cell, HARMLESS};

/// The most lines a side.
pub(super) const SIDE: usize = 8;
const LINES: usize = 2 * SIDE;
/// The arcs of a tree, and room for one more.
const ARCS: usize = LINES;
/// The lowest bits of a key hold its cell; all set are the first one.
const FIRST_CELL: u32 = (SIDE * SIDE) as u32 - 1;
/// Keys are compared so many at a time.
const LANES: usize = 8;
/// Far more pivots than there are.
const MOST_PIVOTS: u64 = 256;
/// The dual of a line without mass: it covers every gain.
const COVERS_ALL: i64 = 1 << 60;

/// An optimal plan as a spanning tree of the lines that carry mass, rooted at a column.
///
/// Lines are the rows and then, from [`SIDE`] on, the columns.
#[derive(Debug, Clone)]
pub(super) struct Small {
    gains: [[i64; SIDE]; SIDE],
    keys: [i32; SIDE * SIDE],
    arcs: [Arc; ARCS],
    flows: [f64; ARCS],
    /// How many arcs there are.
    count: usize,
    /// The line that hangs by an arc is a row, a bit an arc.
    hangs_row: u32,
    duals: [i64; LINES],
    pivots: u64,
}

/// [`Small::solve`] for the widest registers of the machine.
pub(super) struct Solve<'a, G> {
    pub(super) small: &'a mut Small,
    pub(super) a: &'a [f64],
    pub(super) b: &'a [f64],
    pub(super) gain: G,
}

impl<G: Fn(usize, usize) -> i64> pulp::NullaryFnOnce for Solve<'_, G> {
    type Output = Option<()>;

    #[inline(always)]
    fn call(self) -> Option<()> {
        self.small.solve(self.a, self.b, self.gain)
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Arc {
    row: u8,
    column: u8,
}

impl Default for Small {
    fn default() -> Self {
        Small {
            gains: [[0; SIDE]; SIDE],
            keys: [0; SIDE * SIDE],
            arcs: [Arc::default(); ARCS],
            flows: [0.0; ARCS],
            count: 0,
            hangs_row: 0,
            duals: [0; LINES],
            pivots: 0,
        }
    }
}

impl Small {
    /// Finds an optimal plan, if the problem has no difficulty that the general solver is there for.
    #[inline(always)]
    pub(super) fn solve(&mut self, a: &[f64], b: &[f64], gain: impl Fn(usize, usize) -> i64) -> Option<()> {
        let count = self.set_gains(a.len(), b.len(), gain)?;
        let cells = self.sort(count);
        self.walk(a, b, &cells[..count])?;
        self.set_duals();
        self.pivots = 0;
        match self.entering(a.len()) {
            None => Some(()),
            Some(cell) => self.repair(a.len(), cell),
        }
    }

    /// Takes over the gains and makes keys of those that are positive; `None` if one is negative.
    ///
    /// A key has the order of the gains, as far as 18 bits of them tell (the order may cost pivots but is
    /// no error), and the cell in its lowest bits. Positive `f32` have the order of their bits.
    #[inline(always)]
    fn set_gains(
        &mut self,
        rows: usize,
        columns: usize,
        gain: impl Fn(usize, usize) -> i64,
    ) -> Option<usize> {
        let (mut count, mut all) = (0, 0);
        for (i, row) in self.gains[..rows].iter_mut().enumerate() {
            for (j, cell) in row[..columns].iter_mut().enumerate() {
                let gain = gain(i, j);
                *cell = gain;
                all |= gain;
                let key = ((gain as f32).to_bits() | FIRST_CELL) ^ (i * SIDE + j) as u32;
                self.keys[count % (SIDE * SIDE)] = key as i32;
                count += usize::from(gain > 0);
            }
        }
        self.keys[count..count.next_multiple_of(LANES)].fill(0);
        (all >= 0).then_some(count)
    }

    /// The cells of the keys, the highest first: each goes where as many are before it.
    #[inline(always)]
    fn sort(&mut self, count: usize) -> [u8; SIDE * SIDE] {
        let mut cells = [0; SIDE * SIDE];
        for group in self.keys.as_chunks::<LANES>().0[..count.div_ceil(LANES)].iter() {
            let mut places = [0_i32; LANES];
            // All keys of whole groups: how many there are is easier to foresee.
            for &other in &self.keys[..count.next_multiple_of(LANES)] {
                for (place, &key) in places.iter_mut().zip(group) {
                    *place += i32::from(other > key);
                }
            }
            for (&place, &key) in places.iter().zip(group) {
                cells[place as usize % (SIDE * SIDE)] = (!key as u32 & FIRST_CELL) as u8;
            }
        }
        cells
    }

    /// The greedy plan: each cell takes what its lines have left and closes one of them.
    #[inline(always)]
    fn walk(&mut self, a: &[f64], b: &[f64], cells: &[u8]) -> Option<()> {
        let ((mut rows, open_rows), (mut columns, open_columns)) = (open(a), open(b));
        let mut grown = Grown { open_rows, open_columns, count: 0, hangs_row: 0, near_tie: false };
        let is_single = |open: u32| open & open.wrapping_sub(1) == 0;
        for &cell in cells {
            if is_single(grown.open_rows) | is_single(grown.open_columns) {
                break;
            }
            let (i, j) = (usize::from(cell) / SIDE % SIDE, usize::from(cell) % SIDE);
            let (x, y) = (&mut rows[i], &mut columns[j]);
            let both_open = grown.open_rows >> i & grown.open_columns >> j & 1 == 1;
            let closes_row = x.left < y.left;
            grown.near_tie |= both_open & is_near_tie(*x, *y);
            self.put(&mut grown, (i, x), (j, y), closes_row, both_open);
        }
        // What is left gains nothing, or has to go to the last line of a side. The heaviest come last,
        // because they bear the rounding best.
        let last_row = heaviest(&rows, grown.open_rows);
        let last_column = heaviest(&columns, grown.open_columns);
        loop {
            let other_rows = grown.open_rows & !(1 << last_row);
            let other_columns = grown.open_columns & !(1 << last_column);
            if other_rows | other_columns == 0 {
                break;
            }
            let i = if other_rows == 0 { last_row } else { other_rows.trailing_zeros() as usize % SIDE };
            let j =
                if other_columns == 0 { last_column } else { other_columns.trailing_zeros() as usize % SIDE };
            let (x, y) = (&mut rows[i], &mut columns[j]);
            let free = other_rows != 0 && other_columns != 0;
            let closes_row = if free { x.left < y.left } else { other_columns == 0 };
            grown.near_tie |= free & is_near_tie(*x, *y);
            self.put(&mut grown, (i, x), (j, y), closes_row, true);
        }
        let (x, y) = (rows[last_row], columns[last_column]);
        let (row, column) = ((last_row, &mut rows[last_row]), (last_column, &mut columns[last_column]));
        self.put(&mut grown, row, column, x.mass < y.mass, true);
        let mass = self.flows[grown.count - 1];
        // The root is the column of the last arc.
        self.hangs_row = grown.hangs_row | 1 << (grown.count - 1);
        self.count = grown.count;
        let is_sound = |line: Line| (line.left - mass).abs() <= HARMLESS * line.mass;
        (!grown.near_tie && mass >= 0.0 && is_sound(x) && is_sound(y)).then_some(())
    }

    /// Puts what a row or a column has left on their cell and closes it. Nothing happens unless both are open:
    /// a closed line has nothing left.
    #[inline(always)]
    fn put(
        &mut self,
        grown: &mut Grown,
        (i, x): (usize, &mut Line),
        (j, y): (usize, &mut Line),
        closes_row: bool,
        both_open: bool,
    ) {
        let mass = if closes_row { x.left } else { y.left };
        (x.left, y.left) = (x.left - mass, y.left - mass);
        let arc = grown.count % ARCS;
        self.arcs[arc] = Arc { row: i as u8, column: j as u8 };
        self.flows[arc] = mass;
        grown.open_rows &= !(u32::from(both_open & closes_row) << i);
        grown.open_columns &= !(u32::from(both_open & !closes_row) << j);
        grown.hangs_row |= u32::from(both_open & closes_row) << arc;
        grown.count += usize::from(both_open);
    }

    /// Duals that make the arcs tight: backwards, because the line that closed with an arc hangs from
    /// a line that closed later.
    #[inline(always)]
    fn set_duals(&mut self) {
        self.duals = [COVERS_ALL; LINES];
        let root = self.arcs[self.count - 1].column;
        self.duals[SIDE + usize::from(root)] = 0;
        for arc in (0..self.count).rev() {
            let (child, parent) = self.ends(arc);
            let Arc { row, column } = self.arcs[arc];
            let gain = self.gains[usize::from(row)][usize::from(column)];
            self.duals[child] = gain - self.duals[parent];
        }
    }

    /// The line that hangs by an arc, and the line it hangs from.
    #[inline(always)]
    fn ends(&self, arc: usize) -> (usize, usize) {
        let Arc { row, column } = self.arcs[arc];
        let (row, column) = (usize::from(row) % SIDE, SIDE + usize::from(column) % SIDE);
        if self.hangs_row >> arc & 1 == 1 { (row, column) } else { (column, row) }
    }

    /// The cell that exceeds its duals most, if one does.
    #[inline(always)]
    fn entering(&self, rows: usize) -> Option<(usize, usize)> {
        let columns: [i64; SIDE] = std::array::from_fn(|j| self.duals[SIDE + j]);
        let (mut least, mut at) = ([0_i64; SIDE], [0_i64; SIDE]);
        for (i, (gains, &dual)) in self.gains[..rows].iter().zip(&self.duals).enumerate() {
            for j in 0..SIDE {
                let slack = dual + columns[j] - gains[j];
                at[j] = if slack < least[j] { i as i64 } else { at[j] };
                least[j] = if slack < least[j] { slack } else { least[j] };
            }
        }
        if least.iter().fold(0, |all, slack| all | slack) >= 0 {
            return None;
        }
        let mut worst = 0;
        for j in 1..SIDE {
            worst = if least[j] < least[worst] { j } else { worst };
        }
        Some((at[worst] as usize % SIDE, worst))
    }

    /// Pivots to an optimum; see `simplex`. The way of a line to the root is a set of arcs, a bit each:
    /// the cycle that a new arc closes is where the ways of its ends differ, and hanging a subtree up
    /// by another line changes all its ways in the same arcs.
    #[inline(always)]
    fn repair(&mut self, rows: usize, mut cell: (usize, usize)) -> Option<()> {
        let mut ways = [0_u32; LINES];
        for arc in (0..self.count).rev() {
            let (child, parent) = self.ends(arc);
            ways[child] = ways[parent] | 1 << arc;
        }
        for pivot in 1..=MOST_PIVOTS {
            self.pivots = pivot;
            self.pivot(cell, &mut ways)?;
            match self.entering(rows) {
                Some(next) => cell = next,
                None => return Some(()),
            }
        }
        None
    }

    /// Brings a cell into the tree; `None` if two arcs block.
    #[inline(always)]
    fn pivot(&mut self, (i, j): (usize, usize), ways: &mut [u32; LINES]) -> Option<()> {
        let (from_row, from_column) = (ways[i] & !ways[SIDE + j], ways[SIDE + j] & !ways[i]);
        let falls = from_row & self.hangs_row | from_column & !self.hangs_row;
        let rises = (from_row | from_column) & !falls;
        // What does not fall blocks nothing.
        let (mut moved, mut blocking) = (f64::INFINITY, 0_u32);
        for arc in bits(falls) {
            let flow = self.flows[arc % ARCS];
            let bit = 1_u32 << arc;
            blocking = if flow < moved { bit } else { blocking | if flow == moved { bit } else { 0 } };
            moved = if flow < moved { flow } else { moved };
        }
        if !blocking.is_power_of_two() {
            return None;
        }
        let leaving = blocking.trailing_zeros() as usize % ARCS;
        bits(falls).for_each(|arc| self.flows[arc % ARCS] -= moved);
        bits(rises).for_each(|arc| self.flows[arc % ARCS] += moved);
        // The part cut off hangs by its end of the new arc, so arcs on the way from there to the
        // leaving one turn round.
        let cut_at_row = from_row >> leaving & 1 == 1;
        let (end, other) = if cut_at_row { (i, SIDE + j) } else { (SIDE + j, i) };
        let (top, _) = self.ends(leaving);
        self.hangs_row ^= ways[end] & !ways[top];
        self.hangs_row = self.hangs_row & !(1 << leaving) | u32::from(cut_at_row) << leaving;
        let excess = self.gains[i][j] - self.duals[i] - self.duals[SIDE + j];
        let (row_shift, column_shift) = if cut_at_row { (excess, -excess) } else { (-excess, excess) };
        let (turn, above) = (ways[end], ways[other] | 1 << leaving);
        for (line, (way, dual)) in ways.iter_mut().zip(&mut self.duals).enumerate() {
            let cut_off = *way >> leaving & 1 == 1;
            let shift = if line < SIDE { row_shift } else { column_shift };
            *dual += if cut_off { shift } else { 0 };
            *way = if cut_off { (*way ^ turn) | above } else { *way };
        }
        // The new arc takes the place of the leaving one.
        self.arcs[leaving] = Arc { row: i as u8, column: j as u8 };
        self.flows[leaving] = moved;
        Some(())
    }

    /// The plan.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> {
        let arcs = self.arcs[..self.count].iter().zip(&self.flows);
        let cell = |(arc, &mass): (&Arc, &f64)| Cell { row: arc.row.into(), column: arc.column.into(), mass };
        arcs.map(cell).filter(|cell| cell.mass > 0.0)
    }

    /// The duals of lines that carry mass, by row and by column.
    pub(super) fn duals(&self) -> (&[i64], &[i64]) {
        self.duals.split_at(SIDE)
    }

    pub(super) fn pivots(&self) -> u64 {
        self.pivots
    }
}

/// A line while the greedy runs.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    left: f64,
    mass: f64,
}

/// The tree while the greedy runs.
struct Grown {
    /// A bit a line.
    open_rows: u32,
    open_columns: u32,
    count: usize,
    hangs_row: u32,
    near_tie: bool,
}

/// Whether rounding could decide which of two lines closes.
#[inline(always)]
fn is_near_tie(x: Line, y: Line) -> bool {
    let heavier = if x.mass > y.mass { x.mass } else { y.mass };
    (x.left - y.left).abs() <= HARMLESS * heavier
}

/// The lines of one side, and those that carry mass, a bit each.
#[inline(always)]
fn open(masses: &[f64]) -> ([Line; SIDE], u32) {
    let (mut lines, mut open) = ([Line::default(); SIDE], 0);
    for (k, (line, &mass)) in lines.iter_mut().zip(masses).enumerate() {
        *line = Line { left: mass, mass };
        open |= u32::from(mass > 0.0) << k;
    }
    (lines, open)
}

#[inline(always)]
fn heaviest(lines: &[Line; SIDE], open: u32) -> usize {
    let (mut heaviest, mut most) = (0, 0.0);
    for (k, line) in lines.iter().enumerate() {
        let heavier = (open >> k & 1 == 1) & (line.mass > most);
        heaviest = if heavier { k } else { heaviest };
        most = if heavier { line.mass } else { most };
    }
    heaviest
}

/// The places of the bits that are set.
#[inline(always)]
fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (set != 0).then_some(set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(place)
    })
}
