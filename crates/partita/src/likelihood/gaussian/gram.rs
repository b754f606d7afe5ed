//! Distances from inner products: where rows are long and few, a step need not look at coordinates.
//!
//! `|y - c S|^2 = |y|^2 - 2 c y.S + c^2 |S|^2`. A cluster that keeps `y_n.S` for *every* item `n`
//! answers a step with three multiplications whatever the dimension; a move adds one row of the
//! matrix of all inner products. Steps are many and moves are few.

use super::distance::product;
use pulp::{Arch, NullaryFnOnce};

/// The inner products of all pairs of rows.
#[derive(Debug, Clone)]
pub(super) struct Gram {
    items: usize,
    products: Vec<f64>,
    /// The diagonal.
    squares: Vec<f64>,
}

/// What a cluster keeps instead of its mean.
#[derive(Debug, Default)]
pub(super) struct Products {
    /// `y_n.S` for every item `n`.
    with_sum: Vec<f64>,
    /// `2 c`.
    twice_shrink: f64,
    /// `c^2 |S|^2`.
    square: f64,
}

impl Products {
    /// `|y - c S|^2` of an item, given its `|y|^2`.
    #[inline(always)]
    pub(super) fn square_distance(&self, square: f64, item: usize) -> f64 {
        square - self.twice_shrink * self.with_sum[item] + self.square
    }
}

impl Clone for Products {
    fn clone(&self) -> Self {
        Products { with_sum: self.with_sum.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        self.with_sum.clone_from(&source.with_sum);
        (self.twice_shrink, self.square) = (source.twice_shrink, source.square);
    }
}

/// More items than this make a matrix (8 MiB) that falls out of a core's caches: then a move waits
/// for memory.
const MOST_ITEMS: usize = 1024;

/// With a move in three to eight steps, a move's row of `N` numbers is paid for by what steps save
/// where rows are no shorter than about a twelfth of it (see docs/performance.md).
const ITEMS_PER_COORDINATE: usize = 12;

/// Products of a row with all others that sum up to this: no `y_n.S` is ever larger, so an update of
/// one errs by at most 1e-11 in a log density, and by about 3e-9 after the 2^16 moves that a mixture
/// allows before it counts anew.
const LARGEST_SUM: f64 = 1e5;

impl Gram {
    /// The matrix, where it pays and where rounding allows it.
    pub(super) fn if_worthwhile(rows: &[f64], stride: usize, dimension: usize) -> Option<Self> {
        let items = rows.len() / stride;
        let pays = items <= MOST_ITEMS.min(ITEMS_PER_COORDINATE * dimension);
        pays.then(|| Self::new(rows, stride)).filter(|gram| gram.largest_sum() <= LARGEST_SUM)
    }

    pub(super) fn new(rows: &[f64], stride: usize) -> Self {
        let rows = || rows.chunks_exact(stride);
        let products = rows().flat_map(|a| rows().map(move |b| product(a, b))).collect();
        Gram { items: rows().len(), products, squares: rows().map(|y| product(y, y)).collect() }
    }

    /// A bound of all `y_n.S`, whatever items `S` sums.
    fn largest_sum(&self) -> f64 {
        let rows = self.products.chunks_exact(self.items);
        rows.map(|row| row.iter().map(|product| product.abs()).sum()).fold(0.0, f64::max)
    }

    pub(super) fn empty(&self) -> Products {
        Products { with_sum: vec![0.0; self.items], ..Products::default() }
    }

    /// Adds `sign` times an item to the sum.
    #[inline]
    pub(super) fn add(&self, products: &mut Products, item: usize, sign: f64) {
        let row = &self.products[item * self.items..][..self.items];
        Arch::new().dispatch(AddRow { sign, row, to: &mut products.with_sum });
    }

    /// Brings what depends on the sum's coordinates up to date.
    #[inline(always)]
    pub(super) fn follow(&self, products: &mut Products, shrink: f64, sum: &[f64]) {
        products.twice_shrink = 2.0 * shrink;
        products.square = shrink * shrink * product(sum, sum);
    }

    pub(super) fn clear(&self, products: &mut Products) {
        products.with_sum.fill(0.0);
    }

    /// All of them, row by row.
    pub(super) fn products(&self) -> &[f64] {
        &self.products
    }

    /// `|y|^2` of an item.
    #[inline(always)]
    pub(super) fn square(&self, item: usize) -> f64 {
        self.squares[item]
    }
}

/// Compiled once more for each width of registers, as chains are.
struct AddRow<'a> {
    sign: f64,
    row: &'a [f64],
    to: &'a mut [f64],
}

impl NullaryFnOnce for AddRow<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (to, y) in self.to.iter_mut().zip(self.row) {
            *to += self.sign * y;
        }
    }
}
