//! The one implementation of a model, for any target: a target with all that runs on it.

use super::choices::{AnyCoupling, AnyMove, AnyStart, kernel};
use super::{Joining, Model, Questions};
use crate::Failure;
use crate::config::{self, Setup};
use crate::engine::Origin;
use crate::summary::{self, AnySummary, Context, Count, Quantity};
use partita::atoms::Atom;
use partita::kernel::Neighbors;
use partita::summary::{ClusterCount, Reference};
use partita::{Kernel, Partition, State, Target};
use std::sync::Arc;

/// A target with a kernel, a coupling, starts and summaries.
pub(crate) struct Problem<T: Target, K> {
    pub(super) target: T,
    pub(super) kernel: K,
    pub(super) coupling: AnyCoupling,
    pub(super) start: AnyStart,
    pub(super) second_start: Option<AnyStart>,
    pub(super) near: Option<Arc<Neighbors>>,
    pub(super) summaries: Vec<AnySummary<T>>,
    pub(super) quantities: Vec<Quantity>,
    counts: Vec<Count>,
    densities: Option<Densities<T>>,
    joinings: Option<Joinings<T>>,
    pub(super) leave_one_out: Option<LeaveOneOut<T>>,
    connected: Option<bool>,
    pub(super) origin: Option<Origin>,
}

/// How to find what a state says about new rows.
type Joinings<T> = fn(&T, &Partition, &[&[f64]]) -> Vec<Joining>;

/// How to find the density of each row given all others.
pub(super) type LeaveOneOut<T> = fn(&T, &State<T>) -> Vec<f64>;

/// How to find predictive densities of kept atoms.
type Densities<T> = fn(&T, &[&Atom], &[f64]) -> Vec<Vec<f64>>;

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

    fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    fn counts(&self) -> &[Count] {
        &self.counts
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

    fn leave_one_out(&self, z: &Partition) -> Option<Vec<f64>> {
        self.leave_one_out.map(|of| of(&self.target, &State::new(&self.target, z.clone())))
    }

    fn enumerate(&self) -> Option<Vec<f64>> {
        (self.items() <= ENUMERATED).then(|| partita::exact::expectations(&self.target, self.asked_for()))
    }

    fn log_probability(&self, z: &Partition) -> f64 {
        self.target.log_probability(z)
    }
}

/// Items up to which a sum over all partitions is affordable: four million of them.
const ENUMERATED: usize = 12;

/// The numbers of clusters with a column of their own.
const COUNTED: usize = 20;

/// What differs between targets, for [`problem`].
pub(super) struct Parts<T: Target, D> {
    pub target: T,
    pub start: AnyStart,
    pub second_start: Option<AnyStart>,
    /// What is near each item, where a move asks for it.
    pub near: Option<Arc<Neighbors>>,
    pub reference: Option<Reference>,
    pub densities: Option<Densities<T>>,
    pub joinings: Option<Joinings<T>>,
    pub leave_one_out: Option<LeaveOneOut<T>>,
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
            near: None,
            reference: None,
            densities: None,
            joinings: None,
            leave_one_out: None,
            density: |_| None,
        }
    }
}

/// A target with everything that runs on it.
pub(super) fn problem<T: Target + 'static>(
    setup: &Setup,
    parts: Parts<T, impl Fn(&config::Grid) -> Option<AnySummary<T>>>,
) -> Result<Box<dyn Model>, Failure> {
    let kernel = kernel(&setup.sampler, |kind| AnyMove::new(kind, parts.near.as_ref()))?;
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
    let context = Context { items, density: &parts.density };
    let mut summaries =
        setup.summaries.iter().map(|summary| summary.build::<T>(&context)).collect::<Result<Vec<_>, _>>()?;
    let mut quantities: Vec<Quantity> =
        setup.summaries.iter().flat_map(config::Summary::quantities).collect();
    if let Some(reference) = parts.reference {
        summaries.push(Box::new(reference));
        quantities.extend(summary::of_reference());
    }
    let most = COUNTED.min(items);
    summaries.push(Box::new(ClusterCount { max: most }));
    Ok(Box::new(Problem {
        target: parts.target,
        kernel,
        coupling: AnyCoupling::new(&setup.pairing, items)?,
        start: parts.start,
        second_start: parts.second_start,
        near: parts.near,
        summaries,
        quantities,
        counts: Count::up_to(most),
        densities: parts.densities,
        joinings: parts.joinings,
        leave_one_out: parts.leave_one_out,
        connected,
        origin: None,
    }))
}
