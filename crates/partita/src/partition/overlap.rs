//! How many items each pair of clusters of two partitions shares, kept up to date step by step.

use super::{Move, Partition};

/// The contingency table `M[k][k']` of two partitions `X` (rows) and `Y` (columns), by slot.
///
/// Moving an item costs O(1); opening or closing a cluster costs one row or column.
///
/// ```
/// use partita::Partition;
/// use partita::partition::Overlap;
/// let x = Partition::from_labels(&[0, 0, 1, 1])?;
/// let y = Partition::from_labels(&[0, 1, 1, 1])?;
/// let overlap = Overlap::new(&x, &y);
/// assert_eq!(overlap.shared(1, 1), 2);
/// assert!(!overlap.is_matching());
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Overlap {
    cells: Vec<u32>,
    /// Allocated columns: a power of two, so that opening a column rarely moves memory.
    stride: usize,
    rows: usize,
    columns: usize,
    nonzero: usize,
}

impl Overlap {
    /// The overlap of two partitions of the same items.
    ///
    /// # Panics
    /// If the partitions differ in length.
    pub fn new(x: &Partition, y: &Partition) -> Self {
        let mut overlap = Overlap { cells: Vec::new(), stride: 8, rows: 0, columns: 0, nonzero: 0 };
        overlap.rebuild(x, y);
        overlap
    }

    /// Recounts everything, reusing memory.
    pub fn rebuild(&mut self, x: &Partition, y: &Partition) {
        assert_eq!(x.len(), y.len(), "two partitions of the same items");
        self.rows = x.clusters();
        self.columns = y.clusters();
        self.stride = self.stride.max((self.columns + 1).next_power_of_two());
        self.cells.clear();
        self.cells.resize(self.stride * (self.rows + 1), 0);
        self.nonzero = 0;
        for (i, j) in x.slots().zip(y.slots()) {
            self.add(i, j);
        }
    }

    /// Items shared by cluster `row` of `X` and cluster `column` of `Y`.
    ///
    /// The row and the column after the last can be read and are zero: the new clusters.
    #[inline]
    pub fn shared(&self, row: usize, column: usize) -> u32 {
        debug_assert!(row <= self.rows && column <= self.columns);
        self.cells[row * self.stride + column]
    }

    /// One row of the table, with the zero of a new cluster of `Y` at its end.
    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.cells[row * self.stride..row * self.stride + self.columns + 1]
    }

    /// The largest cell of a column but for one row.
    #[inline]
    pub(crate) fn largest_in_column(&self, column: usize, without: usize) -> u32 {
        let mut largest = 0;
        for (k, row) in self.cells.chunks_exact(self.stride).enumerate() {
            let shared = if k == without { 0 } else { row[column] };
            largest = if shared > largest { shared } else { largest };
        }
        largest
    }

    /// The number of clusters of `X` and of `Y`.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Whether the clusters match one to one, that is, whether the partitions are equal.
    ///
    /// Every row and column has a non-zero cell, so they match if there are as many such cells as rows and as columns.
    #[inline]
    pub fn is_matching(&self) -> bool {
        self.nonzero == self.rows && self.nonzero == self.columns
    }

    /// Counts one more item in a cell.
    #[inline]
    pub(crate) fn add(&mut self, row: usize, column: usize) {
        let cell = &mut self.cells[row * self.stride + column];
        self.nonzero += usize::from(*cell == 0);
        *cell += 1;
    }

    /// Takes one item out of a cell.
    #[inline]
    pub(crate) fn take(&mut self, row: usize, column: usize) {
        let cell = &mut self.cells[row * self.stride + column];
        *cell -= 1;
        self.nonzero -= usize::from(*cell == 0);
    }

    /// Follows the changed slots of `X` and `Y` after an item that had been taken out was placed.
    ///
    /// The item's own counts are not here: call [`take`](Self::take) before and [`add`](Self::add) after.
    #[inline]
    pub(crate) fn follow(&mut self, x: Option<Move>, y: Option<Move>) {
        if let Some(step) = x {
            if step.opened {
                self.rows += 1;
                self.cells.resize(self.stride * (self.rows + 1), 0);
            }
            if step.closed {
                self.close_row(step.from);
            }
        }
        if let Some(step) = y {
            if step.opened {
                self.open_column();
            }
            if step.closed {
                self.close_column(step.from);
            }
        }
    }

    /// Follows a move of one item in `X` alone; `column` is the item's cluster in `Y`.
    pub fn move_in_x(&mut self, step: Move, column: usize) {
        self.take(step.from, column);
        if step.opened {
            self.rows += 1;
            self.cells.resize(self.stride * (self.rows + 1), 0);
        }
        self.add(step.to, column);
        if step.closed {
            self.close_row(step.from);
        }
    }

    /// Follows a move of one item in `Y` alone; `row` is the item's cluster in `X`.
    pub fn move_in_y(&mut self, step: Move, row: usize) {
        self.take(row, step.from);
        if step.opened {
            self.open_column();
        }
        self.add(row, step.to);
        if step.closed {
            self.close_column(step.from);
        }
    }

    /// The last row takes the place of an emptied one.
    fn close_row(&mut self, row: usize) {
        let last = self.rows - 1;
        let (start, length) = (last * self.stride, self.columns);
        self.cells.copy_within(start..start + length, row * self.stride);
        self.cells[start..start + length].fill(0);
        self.rows = last;
    }

    fn close_column(&mut self, column: usize) {
        let last = self.columns - 1;
        for row in self.cells.chunks_exact_mut(self.stride).take(self.rows) {
            row[column] = row[last];
            row[last] = 0;
        }
        self.columns = last;
    }

    fn open_column(&mut self) {
        self.columns += 1;
        if self.columns + 1 > self.stride {
            let wider = self.stride * 2;
            let mut cells = vec![0; wider * (self.rows + 1)];
            for (new, old) in cells.chunks_exact_mut(wider).zip(self.cells.chunks_exact(self.stride)) {
                new[..self.stride].copy_from_slice(old);
            }
            self.cells = cells;
            self.stride = wider;
        }
    }
}

impl PartialEq for Overlap {
    fn eq(&self, other: &Self) -> bool {
        self.shape() == other.shape()
            && self.nonzero == other.nonzero
            && (0..=self.rows).all(|r| self.row(r) == other.row(r))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn kept_up_to_date_equals_counted_anew(
            labels in prop::collection::vec((0usize..14, 0usize..14), 1..20),
            steps in prop::collection::vec((0usize..20, 0usize..20, 0usize..20, 0u8..3), 0..80),
        ) {
            let (a, b): (Vec<_>, Vec<_>) = labels.into_iter().unzip();
            let (mut x, mut y) = (Partition::from_labels(&a).unwrap(), Partition::from_labels(&b).unwrap());
            let mut overlap = Overlap::new(&x, &y);
            for (item, to_x, to_y, how) in steps {
                let item = item % x.len();
                let (to_x, to_y) = (to_x % (x.clusters() + 1), to_y % (y.clusters() + 1));
                match how {
                    0 => {
                        let column = y.slot(item);
                        if let Some(step) = x.place(item, to_x) { overlap.move_in_x(step, column); }
                    }
                    1 => {
                        let row = x.slot(item);
                        if let Some(step) = y.place(item, to_y) { overlap.move_in_y(step, row); }
                    }
                    _ => {
                        overlap.take(x.slot(item), y.slot(item));
                        let (moved_x, moved_y) = (x.place(item, to_x), y.place(item, to_y));
                        overlap.follow(moved_x, moved_y);
                        overlap.add(x.slot(item), y.slot(item));
                    }
                }
                prop_assert_eq!(&overlap, &Overlap::new(&x, &y));
                prop_assert_eq!(overlap.is_matching(), x == y);
            }
        }
    }
}
