//! What each cluster of the point estimate is like: posterior expectations of its columns, with error bars.
//!
//! Of a state `z` and a cluster `C` of the point estimate, the profile of a column is the mean over the members of `C` of
//! what the column is like in the cluster of `z` that holds the member. That is a function of the state, so the kept states
//! give an unbiased estimate of its expectation. If the model saw principal components, the columns are still those of
//! the file: a mean over rows needs no model. See `docs/answers.md`.

use super::point::{Point, judges};
use super::units::Unit;
use crate::data::{Kind, Table};
use crate::model::Input;
use crate::results::{CorrelationLine, ProfileLine};
use partita::Partition;
use partita::aggregate::Moments;
use partita::partition::Overlap;

/// Columns of numbers up to which correlations are told: their pairs grow with the square.
const MOST_CORRELATED: usize = 12;

/// Cells looked at, over all states: seconds of work. Only tables of more than a hundred columns have more.
const MOST_CELLS: f64 = 2e9;
/// Fewer units make no error bars.
const FEWEST_UNITS: usize = 64;

/// So many of the units are enough where the table is very wide. The number depends on all units alike, so that the mean over the
/// first of them is as unbiased as that over all.
fn enough(table: &Table, judges: &[&Unit]) -> usize {
    let states: usize = judges.iter().map(|unit| unit.atoms.len()).sum();
    let cells = states as f64 * table.values.len() as f64;
    let share = (MOST_CELLS / cells).min(1.0);
    ((judges.len() as f64 * share) as usize).max(FEWEST_UNITS).min(judges.len())
}

/// What is told of a column in a set of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// The mean of the cells that are there.
    Mean(usize),
    /// The frequency of a level among the cells that are there.
    Level(usize, usize),
    /// The correlation of two columns over the rows that have both.
    Correlation(usize, usize),
}

/// The profiles of a clustering.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Profiles {
    pub lines: Vec<ProfileLine>,
    pub correlations: Vec<CorrelationLine>,
}

/// The profiles of the point estimate; empty for graphs. Correlations are told where `correlated`.
pub(crate) fn profiles(units: &[Unit], point: &Point, input: &Input, correlated: bool) -> Profiles {
    let Some((table, kinds, scaling)) = input.file_columns() else { return Profiles::default() };
    let rows = Rows::new(table, &kinds, correlated);
    let judges = judges(units);
    let expected = rows.expectations(&point.partition, &judges[..enough(table, &judges)]);
    let mut found = Profiles::default();
    for (at, moments) in expected.iter().enumerate() {
        let (cluster, entry) = ((at / rows.entries.len()) as u64, at % rows.entries.len());
        let estimate = moments.estimate();
        let known = estimate.as_ref().filter(|_| moments.count() > 1);
        let (mean, overall) = (moments.mean().unwrap_or(f64::NAN), rows.overall[entry]);
        let se = known.and_then(|e| super::finite(e.se));
        let name = |column: usize| table.names[column].clone();
        match rows.entries[entry] {
            Entry::Correlation(one, other) => found.correlations.push(CorrelationLine {
                cluster,
                column: name(one),
                other: name(other),
                mean,
                se,
                overall,
            }),
            Entry::Mean(column) | Entry::Level(column, _) => {
                let level = match rows.entries[entry] {
                    Entry::Level(_, level) => Some(table.levels[column][level].clone()),
                    _ => None,
                };
                // Frequencies are as they are; means go back to the units of the file.
                let scaling = scaling.filter(|_| level.is_none());
                let restore = |v: f64| scaling.map_or(v, |s| s.restore(column, v));
                found.lines.push(ProfileLine {
                    cluster,
                    column: name(column),
                    level,
                    mean: restore(mean),
                    se: se.map(|se| se * scaling.map_or(1.0, |s| s.scale[column])),
                    ci95: known.and_then(super::interval).map(|ends| ends.map(restore)),
                    overall: restore(overall),
                });
            }
        }
    }
    found
}

/// A table and what is told of sets of its rows.
struct Rows<'a> {
    table: &'a Table,
    entries: Vec<Entry>,
    /// The entries of the whole table.
    overall: Vec<f64>,
}

/// The sums behind one entry of one set of rows.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Sums {
    fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.x / self.count)
    }

    /// The correlation; 0 where one of the two does not vary, as in fewer than two rows.
    fn correlation(&self) -> f64 {
        let over = |xy: f64, x: f64, y: f64| xy - x * y / self.count;
        let product = over(self.xx, self.x, self.x) * over(self.yy, self.y, self.y);
        let scale = self.xx * self.yy;
        if product > 1e-20 * scale && scale > 0.0 {
            (over(self.xy, self.x, self.y) / product.sqrt()).clamp(-1.0, 1.0)
        } else {
            0.0
        }
    }
}

impl<'a> Rows<'a> {
    fn new(table: &'a Table, kinds: &[Kind], correlated: bool) -> Self {
        let mut entries = Vec::new();
        for (column, kind) in kinds.iter().enumerate() {
            match kind {
                Kind::Category => {
                    entries.extend((0..table.levels[column].len()).map(|level| Entry::Level(column, level)));
                }
                _ => entries.push(Entry::Mean(column)),
            }
        }
        let normal: Vec<usize> = (0..kinds.len()).filter(|&column| kinds[column] == Kind::Normal).collect();
        if correlated && normal.len() <= MOST_CORRELATED {
            let pairs =
                normal.iter().enumerate().flat_map(|(i, &a)| normal[i + 1..].iter().map(move |&b| (a, b)));
            entries.extend(pairs.map(|(a, b)| Entry::Correlation(a, b)));
        }
        let mut rows = Rows { table, overall: vec![0.0; entries.len()], entries };
        let everything = Partition::one_cluster(table.rows).expect("a table has rows");
        rows.overall = rows.of_clusters(&everything);
        rows
    }

    /// What is told of each cluster of a state, cluster after cluster. Of a cluster without a cell in a column nothing is
    /// known there: it counts as the whole table.
    fn of_clusters(&self, z: &Partition) -> Vec<f64> {
        let width = self.entries.len();
        let mut sums = vec![Sums::default(); z.clusters() * width];
        for (row, slot) in z.slots().enumerate() {
            let cells = self.table.row(row);
            for (sums, entry) in sums[slot * width..][..width].iter_mut().zip(&self.entries) {
                let (x, y) = match *entry {
                    Entry::Mean(column) => (cells[column], 0.0),
                    Entry::Level(column, _) if cells[column].is_nan() => (f64::NAN, 0.0),
                    Entry::Level(column, level) => (f64::from(u8::from(cells[column] == level as f64)), 0.0),
                    Entry::Correlation(one, other) => (cells[one], cells[other]),
                };
                if x.is_nan() || y.is_nan() {
                    continue;
                }
                sums.count += 1.0;
                sums.x += x;
                if let Entry::Correlation(..) = entry {
                    (sums.y, sums.xx, sums.yy, sums.xy) =
                        (sums.y + y, sums.xx + x * x, sums.yy + y * y, sums.xy + x * y);
                }
            }
        }
        let told = |(at, sums): (usize, &Sums)| match self.entries[at % width] {
            Entry::Correlation(..) => sums.correlation(),
            _ => sums.mean().unwrap_or(self.overall[at % width]),
        };
        sums.iter().enumerate().map(told).collect()
    }

    /// The expectation of every entry of every cluster, cluster after cluster: one value per unit.
    ///
    /// The weights of a unit come to 1 on average only; `b + sum w (f - b)` has the same expectation for any `b` known
    /// beforehand. Here `b` is what the cluster itself is like: it comes from the other half of the replicates.
    fn expectations(&self, partition: &Partition, judges: &[&Unit]) -> Vec<Moments> {
        let (base, width) = (self.of_clusters(partition), self.entries.len());
        let mut expected = vec![Moments::new(); base.len()];
        for unit in judges {
            let mut values = base.clone();
            for (weight, z) in &unit.atoms {
                let (overlap, told) = (Overlap::new(partition, z), self.of_clusters(z));
                for (cluster, &size) in partition.sizes().iter().enumerate() {
                    let (values, base) =
                        (&mut values[cluster * width..][..width], &base[cluster * width..][..width]);
                    for (slot, &shared) in
                        overlap.row(cluster).iter().enumerate().filter(|(_, shared)| **shared > 0)
                    {
                        let share = weight * f64::from(shared) / f64::from(size);
                        let told = &told[slot * width..][..width];
                        for ((value, told), base) in values.iter_mut().zip(told).zip(base) {
                            *value += share * (told - base);
                        }
                    }
                }
            }
            expected.iter_mut().zip(&values).for_each(|(moments, value)| moments.push(*value));
        }
        expected
    }
}

#[cfg(test)]
mod tests;
