//! A target with all that runs on it, behind one small face: number in, replicate row out.

mod chains;
mod choices;
mod density;
mod family;
mod graphs;
mod looks;
mod predict;
mod table;
mod words;

pub use predict::Joining;
pub(crate) use table::TAKES_ALL;
pub(crate) use table::build;
pub use table::{Input, load};
pub(crate) use words::{advice, question, unreachable};

use crate::engine::{Chains, Origin};
use crate::{Failure, config};
use choices::{AnyCoupling, AnyStart};
use partita::atoms::Atom;
use partita::partition::Partitions;
use partita::summary::Reference;
use partita::{Kernel, Partition, State, Summary, Target};

/// A problem that can be run, and asked about what came of it.
pub trait Model: Chains + Questions {
    /// Items to cluster.
    fn items(&self) -> usize;

    /// The names of the summaries asked for; their values come first in a row.
    fn names(&self) -> &[String];

    /// The names of the columns behind them: the distribution of the number of clusters.
    fn count_names(&self) -> &[String];

    /// Rough floating-point operations of one sweep, to plan a pilot without a clock.
    fn sweep_work(&self) -> f64;

    /// Whether the sampler's moves lead from every state to every other; none where that is not known.
    fn connected(&self) -> Option<bool>;

    /// Whether there is a second law to start from, to see that meetings do not hinge on the first.
    fn has_second_start(&self) -> bool;

    /// Remembers what the model was built from.
    fn set_origin(&mut self, origin: Origin);
}

/// What can be asked about states of a model, without chains.
pub trait Questions {
    /// The predictive density of kept atoms on a grid, for models of one column: one row an atom.
    fn densities(&self, atoms: &[&Atom], grid: &[f64]) -> Option<Vec<Vec<f64>>>;

    /// What a state says about new rows, in the model's units; none for models without rows of numbers.
    fn predict(&self, z: &Partition, rows: &[&[f64]]) -> Option<Vec<Joining>>;

    /// The expectation of the summaries asked for by a sum over all partitions, for a few items.
    fn enumerate(&self) -> Option<Vec<f64>>;
}

/// The one implementation, for any target.
pub(crate) struct Problem<T: Target, K> {
    target: T,
    kernel: K,
    coupling: AnyCoupling,
    start: AnyStart,
    second_start: Option<AnyStart>,
    summaries: Vec<AnySummary<T>>,
    names: Vec<String>,
    count_names: Vec<String>,
    sweep_work: f64,
    densities: Option<Densities<T>>,
    joinings: Option<Joinings<T>>,
    connected: Option<bool>,
    origin: Option<Origin>,
}

/// How to find what a state says about new rows.
type Joinings<T> = fn(&T, &Partition, &[&[f64]]) -> Vec<Joining>;

/// How to find predictive densities of kept atoms.
type Densities<T> = fn(&T, &[&Atom], &[f64]) -> Vec<Vec<f64>>;

type AnySummary<T> = Box<dyn Summary<T> + Sync>;

impl<T: Target, K: Kernel<T>> Problem<T, K> {
    /// The summaries asked for: the last of all is the distribution of the number of clusters.
    fn asked_for(&self) -> &[AnySummary<T>] {
        &self.summaries[..self.summaries.len() - 1]
    }
}

impl<T: Target, K: Kernel<T>> Model for Problem<T, K> {
    fn items(&self) -> usize {
        self.target.len()
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn count_names(&self) -> &[String] {
        &self.count_names
    }

    fn sweep_work(&self) -> f64 {
        self.sweep_work
    }

    fn connected(&self) -> Option<bool> {
        self.connected
    }

    fn has_second_start(&self) -> bool {
        self.second_start.is_some()
    }

    fn set_origin(&mut self, origin: Origin) {
        self.origin = Some(origin);
    }
}

impl<T: Target, K: Kernel<T>> Questions for Problem<T, K> {
    fn densities(&self, atoms: &[&Atom], grid: &[f64]) -> Option<Vec<Vec<f64>>> {
        self.densities.map(|densities| densities(&self.target, atoms, grid))
    }

    fn predict(&self, z: &Partition, rows: &[&[f64]]) -> Option<Vec<Joining>> {
        self.joinings.map(|joinings| joinings(&self.target, z, rows))
    }

    fn enumerate(&self) -> Option<Vec<f64>> {
        if self.items() > 12 {
            return None;
        }
        let all: Vec<(f64, Partition)> = Partitions::of(self.items())
            .map(|z| (self.target.log_probability(&z), z))
            .filter(|(log, _)| *log > f64::NEG_INFINITY)
            .collect();
        let most = all.iter().map(|(log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut sums) = (0.0, vec![0.0; self.names.len()]);
        let mut values = sums.clone();
        for (log, z) in all {
            let weight = (log - most).exp();
            self.asked_for().evaluate(&self.target, &State::new(&self.target, z), &mut values);
            total += weight;
            sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += weight * value);
        }
        Some(sums.iter().map(|sum| sum / total).collect())
    }
}

/// The numbers of clusters with a column of their own.
const COUNTED: usize = 20;

/// The summaries asked for; `density` makes those of predictive densities, where the target has any.
fn summaries<T: Target>(
    wanted: &[config::Summary],
    items: usize,
    reference: Option<Reference>,
    density: impl Fn(&config::Grid) -> Option<AnySummary<T>>,
) -> Result<Vec<AnySummary<T>>, Failure> {
    use partita::summary::{Clusters, CoClustering, Entropy, TopShares};
    let mut list: Vec<AnySummary<T>> = Vec::new();
    for summary in wanted {
        list.push(match summary {
            config::Summary::Clusters => Box::new(Clusters),
            config::Summary::Top(r) => Box::new(TopShares(*r)),
            config::Summary::Co(i, j) => {
                Box::new(CoClustering::new(vec![(*i, *j)], items).map_err(|e| match e {
                    partita::Error::NoSuchItem { item, last } => Failure::bad(format!(
                        "--summary asks for item {item}, but the items are numbered 0 to {last}"
                    )),
                    other => other.into(),
                })?)
            }
            config::Summary::Entropy => Box::new(Entropy),
            config::Summary::Density(grid) => density(grid).ok_or_else(|| {
                Failure::bad(format!(
                    "--summary {summary} is for tables of one column of numbers: choose one by --columns"
                ))
            })?,
        });
    }
    if let Some(reference) = reference {
        list.push(Box::new(reference));
    }
    Ok(list)
}
