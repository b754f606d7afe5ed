//! The one implementation of a model, for any target: a target with all that runs on it.

use super::choices::{AnyCoupling, AnyMove, AnyStart, kernel};
use super::{Joining, Model, Questions};
use crate::Failure;
use crate::config::{self, Setup};
use crate::engine::Origin;
use partita::atoms::Atom;
use partita::summary::{ClusterCount, Reference};
use partita::{Kernel, Partition, Summary, Target};

/// A target with a kernel, a coupling, starts and summaries.
pub(crate) struct Problem<T: Target, K> {
    pub(super) target: T,
    pub(super) kernel: K,
    pub(super) coupling: AnyCoupling,
    pub(super) start: AnyStart,
    pub(super) second_start: Option<AnyStart>,
    pub(super) summaries: Vec<AnySummary<T>>,
    pub(super) names: Vec<String>,
    count_names: Vec<String>,
    densities: Option<Densities<T>>,
    joinings: Option<Joinings<T>>,
    connected: Option<bool>,
    pub(super) origin: Option<Origin>,
}

/// How to find what a state says about new rows.
type Joinings<T> = fn(&T, &Partition, &[&[f64]]) -> Vec<Joining>;

/// How to find predictive densities of kept atoms.
type Densities<T> = fn(&T, &[&Atom], &[f64]) -> Vec<Vec<f64>>;

pub(crate) type AnySummary<T> = Box<dyn Summary<T> + Sync>;

impl<T: Target, K: Kernel<T>> Problem<T, K> {
    /// The summaries asked for: the last of all is the distribution of the number of clusters.
    pub(super) fn asked_for(&self) -> &[AnySummary<T>] {
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
        self.target.sweep_work()
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
        (self.items() <= ENUMERATED).then(|| partita::exact::expectations(&self.target, self.asked_for()))
    }
}

/// Items up to which a sum over all partitions is affordable: four million of them.
const ENUMERATED: usize = 12;

/// The numbers of clusters with a column of their own.
const COUNTED: usize = 20;

/// What differs between targets, for [`problem`].
pub(super) struct Parts<T, D> {
    pub target: T,
    pub start: AnyStart,
    pub second_start: Option<AnyStart>,
    pub reference: Option<Reference>,
    pub densities: Option<Densities<T>>,
    pub joinings: Option<Joinings<T>>,
    /// Makes the summary of predictive densities on a grid, where the target has any.
    pub density: D,
}

impl<T: Target> Parts<T, fn(&config::Grid) -> Option<AnySummary<T>>> {
    /// A target whose items are no rows of numbers.
    pub fn new(target: T, start: AnyStart, second_start: Option<AnyStart>) -> Self {
        Parts {
            target,
            start,
            second_start,
            reference: None,
            densities: None,
            joinings: None,
            density: |_| None,
        }
    }
}

/// A target with everything that runs on it.
pub(super) fn problem<T: Target + 'static>(
    setup: &Setup,
    parts: Parts<T, impl Fn(&config::Grid) -> Option<AnySummary<T>>>,
) -> Result<Box<dyn Model>, Failure> {
    let kernel = kernel(&setup.sampler, AnyMove::new).ok_or_else(|| {
        Failure::bad(format!(
            "--sampler {}: Kempe moves are for colourings of graphs; use gibbs or split-merge",
            setup.sampler
        ))
    })?;
    // Every partition has a positive probability, and every item may go anywhere.
    problem_with(setup, kernel, Some(true), parts)
}

/// The same with a kernel of the target's own; `connected` as [`Model::connected`] says.
pub(super) fn problem_with<T: Target + 'static>(
    setup: &Setup,
    kernel: impl Kernel<T> + 'static,
    connected: Option<bool>,
    parts: Parts<T, impl Fn(&config::Grid) -> Option<AnySummary<T>>>,
) -> Result<Box<dyn Model>, Failure> {
    let items = parts.target.len();
    let mut list = summaries::<T>(&setup.summaries, items, parts.reference, parts.density)?;
    let names: Vec<String> = list[..].names();
    let counts = ClusterCount { max: COUNTED.min(items) };
    let count_names = Summary::<T>::names(&counts);
    list.push(Box::new(counts));
    Ok(Box::new(Problem {
        target: parts.target,
        kernel,
        coupling: AnyCoupling::new(&setup.pairing, items)?,
        start: parts.start,
        second_start: parts.second_start,
        summaries: list,
        names,
        count_names,
        densities: parts.densities,
        joinings: parts.joinings,
        connected,
        origin: None,
    }))
}

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
