//! What the steps of the solver work on: the lines and gains of a problem, arcs and masses.

use std::hint::select_unpredictable;

use super::MAX_GAIN;

/// No dual variable is as low as this.
pub(super) const UNSET: i64 = i64::MIN;

/// The lines of one side that carry mass.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    pub(super) index: Vec<u32>,
    pub(super) mass: Vec<f64>,
    /// Duals of all lines.
    pub(super) dual: Vec<i64>,
}

impl Lines {
    pub(super) fn reset(&mut self, masses: &[f64]) {
        self.index.clear();
        self.mass.clear();
        for (k, &mass) in masses.iter().enumerate() {
            if mass > 0.0 {
                self.index.push(k as u32);
                self.mass.push(mass);
            }
        }
    }

    /// Takes over the duals of these lines among all `count`; the others are `UNSET`.
    pub(super) fn spread(&mut self, duals: &[i64], count: usize) {
        self.dual.clear();
        self.dual.resize(count, UNSET);
        for (&k, &dual) in self.index.iter().zip(duals) {
            self.dual[k as usize] = dual;
        }
    }
}

/// Gains by rows, each padded to `stride` cells with gains that no plan would choose.
#[derive(Debug, Clone, Default)]
pub(super) struct Gains {
    pub(super) values: Vec<i64>,
    pub(super) stride: usize,
}

impl Gains {
    /// Rows are padded to a multiple of this.
    pub(super) const GROUP: usize = 4;
    /// Worse than any gain.
    const PADDING: i64 = -(1 << 60);

    pub(super) fn set(&mut self, rows: usize, columns: usize, gain: impl Fn(usize, usize) -> i64) {
        self.stride = columns.max(1).next_multiple_of(Self::GROUP);
        self.values.clear();
        self.values.resize(rows * self.stride, Self::PADDING);
        for (i, row) in self.values.chunks_exact_mut(self.stride).enumerate() {
            for (j, value) in row[..columns].iter_mut().enumerate() {
                *value = gain(i, j);
            }
        }
    }

    pub(super) fn row(&self, i: usize) -> &[i64] {
        &self.values[i * self.stride..][..self.stride]
    }

    #[inline]
    pub(super) fn at(&self, i: usize, j: usize) -> i64 {
        self.values[i * self.stride + j]
    }

    pub(super) fn are_in_range(&self, columns: usize) -> bool {
        let mut rows = self.values.chunks_exact(self.stride);
        rows.all(|row| row[..columns].iter().all(|gain| gain.abs() <= MAX_GAIN))
    }

    /// Whether no cell gains more than its duals. The sign bit of the union is set if that of
    /// some slack is, so the common case has no branch but the loops.
    pub(super) fn are_covered(&self, u: &[i64], v: &[i64]) -> bool {
        let mut signs = 0;
        for (row, &u) in self.values.chunks_exact(self.stride).zip(u) {
            for (&gain, &v) in row.iter().zip(v) {
                signs |= u + v - gain;
            }
        }
        signs >= 0
    }
}

/// A basic cell, in indices of the lines that carry mass.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Arc {
    pub(super) row: u32,
    pub(super) column: u32,
    /// Whether the row hangs from the column in the tree, or the column from the row.
    pub(super) closes_row: bool,
}

impl Arc {
    /// The child and the parent, where the nodes are the rows and then the columns.
    #[inline]
    pub(super) fn ends(self, rows: usize) -> (usize, usize) {
        let (row, column) = (self.row as usize, rows + self.column as usize);
        let child = select_unpredictable(self.closes_row, row, column);
        (child, row ^ column ^ child)
    }
}

/// Numbers that masses are computed with.
pub(super) trait Mass: Copy + PartialOrd {
    const ZERO: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
}

impl Mass for f64 {
    const ZERO: Self = 0.0;
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn minus(self, other: Self) -> Self {
        self - other
    }
}
