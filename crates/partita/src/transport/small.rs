//! Problems of at most eight lines a side, which most are: cells sorted once, and trees as sets of arcs.
//!
//! The greedy in general searches for the best open cell step by step, and each search waits for the
//! step before it. Few cells can be sorted all at once instead, by counting for each how many come
//! before it, and then be walked through without a branch that follows the masses. What is rare is
//! left to the general solver: negative gains, masses so nearly equal that rounding could decide, and
//! pivots in which two arcs block. That choice depends on the problem alone, as a plan must.

use super::HARMLESS;

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
        self.walk(padded(a), padded(b), &cells[..count])?;
        self.set_duals();
        self.pivots = 0;
        if self.is_covered(a.len()) { Some(()) } else { self.repair(a.len()) }
    }

    /// Takes over the gains and makes keys of those that are positive; `None` if one is negative.
    ///
    /// A key has the order of the gains, as far as 18 bits of them tell (the order may cost pivots but is
    /// no error), and the cell in its lowest bits. Positive `f32` have the order of their bits.
    #[inline(always)]
    fn set_gains(&mut self, rows: usize, columns: usize, gain: impl Fn(usize, usize) -> i64) -> Option<usize> {
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
            for &other in &self.keys[..count] {
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
    fn walk(&mut self, a: [f64; SIDE], b: [f64; SIDE], cells: &[u8]) -> Option<()> {
        let mut tree = Growing { rows: a, columns: b, count: 0, hangs_row: 0, rests: [0.0; ARCS] };
        let (mut rows, mut columns) = (open(&a).count_ones(), open(&b).count_ones());
        for &cell in cells {
            if rows <= 1 || columns <= 1 {
                break;
            }
            let closed = self.put(&mut tree, usize::from(cell) / SIDE, usize::from(cell));
            (rows, columns) = (rows - closed.0, columns - closed.1);
        }
        // What is left gains nothing.
        while rows > 1 && columns > 1 {
            let (row, column) = (open(&tree.rows).trailing_zeros(), open(&tree.columns).trailing_zeros());
            let closed = self.put(&mut tree, row as usize, column as usize);
            if closed == (0, 0) {
                return None;
            }
            (rows, columns) = (rows - closed.0, columns - closed.1);
        }
        let near_tie = |(arc, &rest): (&Arc, &f64)| {
            let (p, q) = (a[usize::from(arc.row)], b[usize::from(arc.column)]);
            rest <= HARMLESS * if p > q { p } else { q }
        };
        if self.arcs.iter().zip(&tree.rests).take(tree.count).fold(false, |all, arc| all | near_tie(arc)) {
            return None;
        }
        // All lines of one side close into the last of the other. The heaviest comes last, because
        // it is the one that bears the rounding best.
        let (open_rows, open_columns) = (open(&tree.rows), open(&tree.columns));
        let (i, j) = (heaviest(&a, open_rows), heaviest(&b, open_columns));
        let Growing { rows, columns, mut count, mut hangs_row, .. } = tree;
        let (mut x, mut y) = (rows[i], columns[j]);
        for row in bits(open_rows & !(1 << i)) {
            self.arcs[count % ARCS] = Arc { row: row as u8, column: j as u8 };
            self.flows[count % ARCS] = rows[row];
            y -= rows[row];
            hangs_row |= 1 << count;
            count += 1;
        }
        for column in bits(open_columns & !(1 << j)) {
            self.arcs[count % ARCS] = Arc { row: i as u8, column: column as u8 };
            self.flows[count % ARCS] = columns[column];
            x -= columns[column];
            count += 1;
        }
        let mass = if a[i] >= b[j] { y } else { x };
        self.arcs[count % ARCS] = Arc { row: i as u8, column: j as u8 };
        self.flows[count % ARCS] = mass;
        self.hangs_row = hangs_row | 1 << count;
        self.count = count + 1;
        let sound = (x - mass).abs() <= HARMLESS * a[i] && (y - mass).abs() <= HARMLESS * b[j];
        (sound && mass >= 0.0).then_some(())
    }

    /// Puts mass on a cell and closes its row or its column, which is returned as a number of each. A
    /// closed line has nothing left and an open one something (unless there is a tie), so nothing happens
    /// where one is closed.
    #[inline(always)]
    fn put(&mut self, tree: &mut Growing, row: usize, column: usize) -> (u32, u32) {
        let (i, j, arc) = (row % SIDE, column % SIDE, tree.count % ARCS);
        let (x, y) = (tree.rows[i], tree.columns[j]);
        let closes_row = x < y;
        let mass = if closes_row { x } else { y };
        (tree.rows[i], tree.columns[j]) = (x - mass, y - mass);
        tree.rests[arc] = (x - y).abs();
        self.arcs[arc] = Arc { row: i as u8, column: j as u8 };
        self.flows[arc] = mass;
        let (open, closes_row) = (u32::from(mass > 0.0), u32::from(closes_row));
        tree.hangs_row |= (open & closes_row) << arc;
        tree.count += open as usize;
        (open & closes_row, open & !closes_row)
    }

    /// Duals that make the arcs tight: backwards, because the line that closed with an arc hangs from
    /// a line that closed later. The root is the column of the last arc.
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

    /// What a cell gains less than its duals.
    #[inline(always)]
    fn slacks(&self, row: usize) -> [i64; SIDE] {
        let u = self.duals[row];
        std::array::from_fn(|j| u + self.duals[SIDE + j] - self.gains[row][j])
    }

    fn is_covered(&self, rows: usize) -> bool {
        let signs = (0..rows).fold([0; SIDE], |signs, row| {
            let slacks = self.slacks(row);
            std::array::from_fn(|j| signs[j] | slacks[j])
        });
        signs.iter().fold(0, |all, sign| all | sign) >= 0
    }

    /// Pivots to an optimum; see `simplex`. The way of a line to the root is a set of arcs, a bit each:
    /// the cycle that a new arc closes is where the ways of its ends differ, and hanging a subtree up
    /// by another line changes all its ways in the same arcs.
    #[cold]
    fn repair(&mut self, rows: usize) -> Option<()> {
        let mut ways = [0_u32; LINES];
        for arc in (0..self.count).rev() {
            let (child, parent) = self.ends(arc);
            ways[child] = ways[parent] | 1 << arc;
        }
        let mut start = 0;
        while let Some((i, j)) = self.entering(rows, start) {
            start = i + 1;
            self.pivots += 1;
            if self.pivots > MOST_PIVOTS {
                return None;
            }
            let (from_row, from_column) = (ways[i] & !ways[SIDE + j], ways[SIDE + j] & !ways[i]);
            let falls = from_row & self.hangs_row | from_column & !self.hangs_row;
            let rises = (from_row | from_column) & !falls;
            let (mut leaving, mut moved, mut tie) = (0, f64::INFINITY, false);
            for arc in bits(falls) {
                let flow = self.flows[arc];
                tie = flow == moved || tie && flow > moved;
                leaving = if flow < moved { arc } else { leaving };
                moved = if flow < moved { flow } else { moved };
            }
            if tie {
                return None;
            }
            bits(falls).for_each(|arc| self.flows[arc] -= moved);
            bits(rises).for_each(|arc| self.flows[arc] += moved);
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
        }
        Some(())
    }

    /// The cell that exceeds its duals most in the first row, from `start` on and round, that has one.
    fn entering(&self, rows: usize, start: usize) -> Option<(usize, usize)> {
        let exceeds = |&row: &usize| self.slacks(row).iter().fold(0, |all, slack| all | slack) < 0;
        let start = start.min(rows);
        let row = (start..rows).chain(0..start).find(exceeds)?;
        let slacks = self.slacks(row);
        let mut worst = 0;
        for column in 1..SIDE {
            worst = if slacks[column] < slacks[worst] { column } else { worst };
        }
        Some((row, worst))
    }

    /// The arcs with their flows: row, column, mass.
    pub(super) fn arcs(&self) -> impl Iterator<Item = (u32, u32, f64)> {
        let arcs = self.arcs[..self.count].iter().zip(&self.flows);
        arcs.map(|(arc, &mass)| (u32::from(arc.row), u32::from(arc.column), mass))
    }

    /// The duals of lines that carry mass, by row and by column.
    pub(super) fn duals(&self) -> (&[i64], &[i64]) {
        self.duals.split_at(SIDE)
    }

    pub(super) fn pivots(&self) -> u64 {
        self.pivots
    }
}

/// The tree while the greedy runs.
struct Growing {
    /// What lines have left of their masses.
    rows: [f64; SIDE],
    columns: [f64; SIDE],
    count: usize,
    hangs_row: u32,
    /// What the line that stayed open at each arc had left.
    rests: [f64; ARCS],
}

#[inline(always)]
fn padded(masses: &[f64]) -> [f64; SIDE] {
    let mut padded = [0.0; SIDE];
    padded[..masses.len()].copy_from_slice(masses);
    padded
}

/// The lines that have something left, a bit each.
#[inline(always)]
fn open(left: &[f64; SIDE]) -> u32 {
    left.iter().enumerate().fold(0, |set, (k, &left)| set | u32::from(left > 0.0) << k)
}

#[inline(always)]
fn heaviest(masses: &[f64; SIDE], open: u32) -> usize {
    let (mut heaviest, mut most) = (0, 0.0);
    for (k, &mass) in masses.iter().enumerate() {
        let heavier = open >> k & 1 == 1 && mass > most;
        heaviest = if heavier { k } else { heaviest };
        most = if heavier { mass } else { most };
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
