//! Categorical columns: the probabilities of the levels, per cluster and column, are integrated out.
//!
//! With `Dirichlet(c_1, ..., c_L)` and `n` cells seen, `n_l` of them at level `l`, one more cell has
//! level `l` with probability `(c_l + n_l) / (sum c + n)`: two table look-ups by count. Two levels
//! are the beta-Bernoulli model. Counts are whole numbers, so statistics never drift.

use crate::error::{Error, Result, positive};
use crate::outline::CategoryColumns;
use crate::special::shared_tables;

/// The prior of a categorical column: a Dirichlet law over the probabilities of its levels.
///
/// ```
/// use partita::likelihood::{Column, Dirichlet, Mixed};
/// let columns = [Column::Category(Dirichlet::weak(3)), Column::Category(Dirichlet::beta(1.0, 1.0))];
/// let data = Mixed::new(&[2.0, 0.0, 1.0, f64::NAN], &columns)?; // levels are numbered from 0
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dirichlet {
    /// The concentration of each level: the prior is worth this many cells of it.
    pub concentrations: Vec<f64>,
}

impl Dirichlet {
    /// The same concentration for each of `levels` levels.
    pub fn symmetric(levels: usize, concentration: f64) -> Self {
        Dirichlet { concentrations: vec![concentration; levels] }
    }

    /// Weakly informative: `1 / levels` for each level (Perks), so that the prior is worth one cell
    /// however many levels there are, and listing unused levels changes little. With 1 per level, a
    /// column of many levels would smooth small clusters away.
    pub fn weak(levels: usize) -> Self {
        Self::symmetric(levels, 1.0 / levels as f64)
    }

    /// A yes-or-no column (1 or 0) whose probability of yes is `Beta(yes, no)`.
    pub fn beta(yes: f64, no: f64) -> Self {
        Dirichlet { concentrations: vec![no, yes] }
    }

    /// The number of levels.
    pub fn levels(&self) -> usize {
        self.concentrations.len()
    }

    pub(super) fn checked(&self) -> Result<()> {
        if self.concentrations.is_empty() {
            let (name, range) = ("the number of levels", "at least 1");
            return Err(Error::OutOfRange { name, range, value: 0.0 });
        }
        self.concentrations.iter().try_for_each(|c| positive("the concentration", *c).map(drop))
    }
}

const MISSING: u32 = u32::MAX;

/// How often something was seen, and the logarithm of that plus its concentration.
#[derive(Debug, Clone, Copy)]
struct Tally {
    count: u32,
    log: f64,
}

/// A cluster's statistics in all categorical columns.
#[derive(Debug, Clone, Default)]
pub(super) struct CategoryCluster {
    /// The levels of the first column, then of the next.
    levels: Vec<Tally>,
    /// The cells seen in each column.
    totals: Vec<Tally>,
}

impl CategoryCluster {
    pub(super) fn copy_from(&mut self, source: &Self) {
        self.levels.clone_from(&source.levels);
        self.totals.clone_from(&source.totals);
    }
}

/// All categorical columns of a table.
#[derive(Debug, Clone)]
pub(super) struct Categories {
    priors: Vec<Dirichlet>,
    /// The place of each cell's level among all levels of all columns.
    cells: Vec<u32>,
    /// Where the levels of each column begin.
    firsts: Vec<usize>,
    /// Logarithms by count, and where those of each level, then of each total, start.
    logs: Vec<f64>,
    level_starts: Vec<usize>,
    total_starts: Vec<usize>,
}

impl Categories {
    /// `values` has a row of `priors.len()` level numbers for each item, NaN where one is missing.
    pub(super) fn new(priors: Vec<Dirichlet>, values: &[f64], items: usize) -> Self {
        let width = priors.len();
        let mut firsts = vec![0];
        for prior in &priors {
            firsts.push(firsts.last().expect("not empty") + prior.levels());
        }
        let cells = values
            .iter()
            .enumerate()
            .map(|(at, x)| if x.is_nan() { MISSING } else { (firsts[at % width] + *x as usize) as u32 });
        let levels = priors.iter().flat_map(|prior| prior.concentrations.iter().copied());
        let totals = priors.iter().map(|prior| prior.concentrations.iter().sum::<f64>());
        let (logs, mut level_starts) =
            shared_tables(levels.chain(totals), items + 1, |c, n| crate::math::ln(c + n));
        let total_starts = level_starts.split_off(*firsts.last().expect("not empty"));
        Categories { cells: cells.collect(), firsts, logs, level_starts, total_starts, priors }
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.total_starts.is_empty()
    }

    pub(super) fn empty(&self) -> CategoryCluster {
        let tallies = |starts: &[usize]| -> Vec<Tally> {
            starts.iter().map(|&start| Tally { count: 0, log: self.logs[start] }).collect()
        };
        CategoryCluster { levels: tallies(&self.level_starts), totals: tallies(&self.total_starts) }
    }

    #[inline(always)]
    fn row(&self, item: usize) -> &[u32] {
        let width = self.total_starts.len();
        &self.cells[item * width..(item + 1) * width]
    }

    #[inline]
    pub(super) fn insert(&self, cluster: &mut CategoryCluster, item: usize) {
        self.change(cluster, item, |tally| tally.count += 1);
    }

    #[inline]
    pub(super) fn remove(&self, cluster: &mut CategoryCluster, item: usize) {
        self.change(cluster, item, |tally| tally.count -= 1);
    }

    #[inline(always)]
    fn change(&self, cluster: &mut CategoryCluster, item: usize, change: impl Fn(&mut Tally)) {
        let update = |tally: &mut Tally, start: usize| {
            change(tally);
            tally.log = self.logs[start + tally.count as usize];
        };
        for (column, &cell) in self.row(item).iter().enumerate() {
            if cell != MISSING {
                update(&mut cluster.levels[cell as usize], self.level_starts[cell as usize]);
                update(&mut cluster.totals[column], self.total_starts[column]);
            }
        }
    }

    /// The log probability of an item given a cluster that does not hold it.
    #[inline(always)]
    pub(super) fn score(&self, cluster: &CategoryCluster, item: usize) -> f64 {
        let mut sum = 0.0;
        for (total, &cell) in cluster.totals.iter().zip(self.row(item)) {
            if cell != MISSING {
                sum += cluster.levels[cell as usize].log - total.log;
            }
        }
        sum
    }

    /// The log probability of an item given the other items of the cluster that holds it.
    #[inline(always)]
    pub(super) fn score_without(&self, cluster: &CategoryCluster, item: usize) -> f64 {
        let before = |tally: &Tally, start: usize| self.logs[start + tally.count as usize - 1];
        let mut sum = 0.0;
        for (column, &cell) in self.row(item).iter().enumerate() {
            if cell != MISSING {
                let level = before(&cluster.levels[cell as usize], self.level_starts[cell as usize]);
                sum += level - before(&cluster.totals[column], self.total_starts[column]);
            }
        }
        sum
    }

    pub(super) fn outline(&self) -> CategoryColumns {
        CategoryColumns {
            cells: self.cells.iter().map(|&cell| (cell != MISSING).then_some(cell)).collect(),
            logs: self.logs.clone(),
            level_starts: self.level_starts.clone(),
            total_starts: self.total_starts.clone(),
        }
    }

    /// The log probability of one cell; minus infinity where `x` is no level.
    pub(super) fn density(&self, cluster: &CategoryCluster, column: usize, x: f64) -> f64 {
        if !is_level(x, self.priors[column].levels()) {
            return f64::NEG_INFINITY;
        }
        cluster.levels[self.firsts[column] + x as usize].log - cluster.totals[column].log
    }

    /// The posterior mean of the probability of level 1 of two; more levels have no mean.
    pub(super) fn center(&self, cluster: &CategoryCluster, column: usize) -> f64 {
        match self.priors[column].levels() {
            2 => libm::exp(self.density(cluster, column, 1.0)),
            _ => f64::NAN,
        }
    }
}

/// Whether a number is that of a level.
pub(super) fn is_level(x: f64, levels: usize) -> bool {
    x >= 0.0 && x < levels as f64 && x.fract() == 0.0
}
