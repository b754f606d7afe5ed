//! What a chain samples: a law over partitions, known through its leave-one-out conditionals.

mod ahead;
mod blocks;
mod coloring;
mod mixture;
mod shared_variance;
mod trial;

pub use crate::graph::Graph;
pub(crate) use ahead::Ahead;
pub use blocks::{BlockStats, Blocks, EdgePrior};
pub use coloring::{ColorMoves, Coloring};
pub use mixture::{Mixture, MixtureStats};
pub use shared_variance::{SharedPrior, SharedStats, SharedVariance, Sharing};
pub use trial::{NoTrial, Trial};

use crate::likelihood::Predict;
use crate::math::{exp, ln_add};
use crate::outline::Outline;
use crate::partition::{Move, Partition};

/// A law over partitions of `len` items, up to a constant.
///
/// A kernel asks where one item may go while everything else stays. Slots are those of `z` *with*
/// the item in place; the slot after the last means a new cluster. An item that is alone opens a
/// new cluster by staying: then its own slot carries the weight of a new cluster and the slot after
/// the last carries none.
pub trait Target: Sync {
    /// What one state must remember about its clusters.
    type Stats: Clone + std::fmt::Debug + Send;

    /// The number of items.
    fn len(&self) -> usize;

    /// The statistics of a state, from scratch: of the items that are in clusters, [`Partition::places`].
    fn stats(&self, z: &Partition) -> Self::Stats;

    /// The log weight, up to a constant common to all slots, of `item` in `slot` given the rest.
    /// For an item that is alone, its own slot means a new cluster; `slot == z.clusters()` is
    /// never asked then.
    fn log_weight(&self, stats: &Self::Stats, z: &Partition, item: usize, slot: usize) -> f64;

    /// Follows a move that `z` has already made.
    fn relocate(&self, stats: &mut Self::Stats, z: &Partition, step: Move);

    /// The log weight of `item`, which `z` does not hold, in `slot`, given only the items that `z` holds (others may
    /// also be absent; see [`Partition::slot_if_present`]): the predictive, up to a constant common to all slots.
    fn log_weight_of_arrival(&self, stats: &Self::Stats, z: &Partition, item: usize, slot: usize) -> f64;

    /// Follows the arrival of `item`, which `z` already holds: the last slot may be new.
    fn arrive(&self, stats: &mut Self::Stats, z: &Partition, item: usize);

    /// Follows the departure of `item` from the slot `from`, which holds other items; `z` is without it already.
    fn depart(&self, stats: &mut Self::Stats, z: &Partition, item: usize, from: usize);

    /// The log probability of a partition up to a constant, from scratch: for tests and starts.
    fn log_probability(&self, z: &Partition) -> f64;

    /// True if there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All log weights of `item` at once: one per slot, and one for a new cluster. If `out` is longer
    /// (kernels round it up to whole registers), the rest is minus infinity and stays so.
    fn log_weights(&self, stats: &Self::Stats, z: &Partition, item: usize, out: &mut [f64]) {
        let k = z.clusters();
        for (slot, out) in out[..=k].iter_mut().enumerate() {
            *out = if slot == k && z.is_alone(item) {
                f64::NEG_INFINITY
            } else {
                self.log_weight(stats, z, item, slot)
            };
        }
    }

    /// Rough floating-point operations of a Gibbs sweep, to plan work without a clock.
    fn sweep_work(&self) -> f64 {
        sweep_work(self.len(), 20.0)
    }

    /// The log weights of `item` in two slots, as in [`log_weight`](Self::log_weight): worth overriding if they
    /// share work.
    #[inline(always)]
    fn log_weights_of_two(
        &self,
        stats: &Self::Stats,
        z: &Partition,
        item: usize,
        [a, b]: [usize; 2],
    ) -> [f64; 2] {
        [self.log_weight(stats, z, item, a), self.log_weight(stats, z, item, b)]
    }

    /// Leaves `item` alone in `slot`, removing all others there at once, and returns true; or does nothing and returns
    /// false if [`depart`](Self::depart) must be called for each.
    fn isolate(&self, _stats: &mut Self::Stats, _item: usize, _slot: usize) -> bool {
        false
    }

    /// Saves in `kept` whatever moves between the clusters in `slots`, or into a new cluster opened from them, may
    /// change. By default, everything.
    fn keep(&self, stats: &Self::Stats, _slots: [usize; 2], kept: &mut Option<Self::Stats>) {
        match kept {
            Some(kept) => kept.clone_from(stats),
            None => *kept = Some(stats.clone()),
        }
    }

    /// Restores exactly what [`keep`](Self::keep) saved; `z` is again as it was then.
    fn restore(&self, stats: &mut Self::Stats, _z: &Partition, _slots: [usize; 2], kept: &Self::Stats) {
        stats.clone_from(kept);
    }

    /// Two clusters beside a state, to be divided in other ways without changing the state; none where the rest of the
    /// state has a part in it.
    #[inline(always)]
    fn trial(&self) -> Option<impl Trial<Self::Stats>> {
        None::<NoTrial>
    }

    /// The target in plain numbers, for another kind of engine; `None` if no other engine supports it.
    fn outline(&self) -> Option<Outline> {
        None
    }

    /// Called at the end of every sweep: the place to rebuild statistics that drift by rounding.
    fn refresh(&self, _stats: &mut Self::Stats, _z: &Partition) {}
}

/// Operations of a sweep over items whose weight of one cluster takes so many: about eight clusters are there.
fn sweep_work(items: usize, weight: f64) -> f64 {
    items as f64 * (60.0 + 8.0 * weight)
}

/// A target whose data are rows of numbers, so that new points can be scored.
///
/// ```
/// use partita::target::{Predictive, SharedPrior, SharedVariance, Sharing};
/// use partita::{Partition, Prior, State};
/// let (prior, data) = (Prior::dirichlet(1.0)?, vec![-1.0, -1.1, 1.0]);
/// let target = SharedVariance::new(prior, data, &[0.0], SharedPrior::weak(), Sharing::Everything)?;
/// let state = State::new(&target, Partition::from_labels(&[0, 0, 1])?);
/// let at = |x: f64| target.predictive_density(state.stats(), state.partition(), &[x]);
/// assert!(at(-1.0) > at(3.0));
/// assert!(target.center(state.stats(), state.partition(), 0)[0] < 0.0);
/// # Ok::<(), partita::Error>(())
/// ```
pub trait Predictive: Target {
    /// The log prior probability that one more item joins each slot of `z`; that of a new cluster last.
    fn log_places(&self, z: &Partition) -> Vec<f64>;

    /// The log density at `x`, an item that is not among the data, in each slot; in a new cluster last.
    fn log_densities(&self, stats: &Self::Stats, z: &Partition, x: &[f64]) -> Vec<f64>;

    /// The posterior mean of the centre of the cluster in `slot`, in the units of the data.
    fn center(&self, stats: &Self::Stats, z: &Partition, slot: usize) -> Vec<f64>;

    /// The log density of `item` given all other items and the clusters they are in: a sum over all places where it
    /// could be, including its own.
    ///
    /// [`LeaveOneOut`](crate::score::LeaveOneOut) turns these into a score of the model.
    fn leave_one_out(&self, stats: &Self::Stats, z: &Partition, item: usize) -> f64;

    /// The log predictive density at `x`: the prior's rule for one more item times the densities.
    fn log_predictive_density(&self, stats: &Self::Stats, z: &Partition, x: &[f64]) -> f64 {
        log_sum(&self.log_places(z), &self.log_densities(stats, z, x))
    }

    /// The predictive density at `x`.
    fn predictive_density(&self, stats: &Self::Stats, z: &Partition, x: &[f64]) -> f64 {
        density(self.log_predictive_density(stats, z, x))
    }

    /// The predictive densities at points of `dimension` coordinates each, one after the other.
    fn predictive_densities(
        &self,
        stats: &Self::Stats,
        z: &Partition,
        points: &[f64],
        dimension: usize,
        out: &mut [f64],
    ) {
        let places = self.log_places(z);
        for (out, x) in out.iter_mut().zip(points.chunks_exact(dimension)) {
            *out = density(log_sum(&places, &self.log_densities(stats, z, x)));
        }
    }
}

/// The log predictive density from prior places and densities there; a new cluster comes last.
fn log_sum(places: &[f64], densities: &[f64]) -> f64 {
    let mut joins = places.iter().zip(densities).map(|(place, density)| place + density);
    let new = joins.next_back().expect("a new cluster is always possible");
    joins.fold(new, ln_add)
}

/// The logarithm of the sum of all weights of an item.
fn log_of_weights<T: Target>(target: &T, stats: &T::Stats, z: &Partition, item: usize) -> f64 {
    let mut weights = vec![f64::NEG_INFINITY; z.clusters() + 1];
    target.log_weights(stats, z, item, &mut weights);
    weights
        .into_iter()
        .filter(|weight| *weight > f64::NEG_INFINITY)
        .reduce(ln_add)
        .expect("a place for the item")
}

fn density(log: f64) -> f64 {
    if log > 0.0 { libm::exp(log) } else { exp(log) }
}

impl<L: Predict> Predictive for Mixture<L> {
    fn log_places(&self, z: &Partition) -> Vec<f64> {
        self.table().log_places_of_one_more(z)
    }

    fn log_densities(&self, stats: &Self::Stats, _z: &Partition, x: &[f64]) -> Vec<f64> {
        let (likelihood, empty) = (self.likelihood(), self.likelihood().empty());
        stats.clusters().iter().chain([&empty]).map(|cluster| likelihood.log_density(cluster, x)).collect()
    }

    fn center(&self, stats: &Self::Stats, _z: &Partition, slot: usize) -> Vec<f64> {
        self.likelihood().center(&stats.clusters()[slot])
    }

    fn leave_one_out(&self, stats: &Self::Stats, z: &Partition, item: usize) -> f64 {
        log_of_weights(self, stats, z, item) - self.table().log_total_without(z, item)
    }
}

/// A state of one chain: a partition and the target's statistics of it, always consistent.
///
/// ```
/// use partita::{Gaussian, Mixture, Partition, Prior, State};
/// let data = Gaussian::isotropic(vec![0.0, 0.1, 5.0], 1, 1.0, 0.5)?;
/// let target = Mixture::new(Prior::dirichlet(1.0)?, data);
/// let mut state = State::new(&target, Partition::one_cluster(3)?);
/// let weights = state.conditional(&target, 2);
/// assert!(weights[1] > 0.9, "the point at 5 wants a cluster of its own");
/// state.place(&target, 2, 1);
/// assert_eq!(state.partition().clusters(), 2);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug)]
pub struct State<T: Target> {
    partition: Partition,
    stats: T::Stats,
}

impl<T: Target> State<T> {
    /// The state of `partition`.
    ///
    /// # Panics
    /// If the partition is not one of the target's items.
    pub fn new(target: &T, partition: Partition) -> Self {
        assert_eq!(target.len(), partition.len(), "a partition of the target's items");
        let stats = target.stats(&partition);
        State { partition, stats }
    }

    /// The partition.
    #[inline]
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// What the target remembers of the partition.
    #[inline]
    pub fn stats(&self) -> &T::Stats {
        &self.stats
    }

    /// Puts `item` into `slot` (the one after the last opens a cluster).
    #[inline(always)]
    pub fn place(&mut self, target: &T, item: usize, slot: usize) -> Option<Move> {
        let step = self.partition.place(item, slot);
        if let Some(step) = step {
            target.relocate(&mut self.stats, &self.partition, step);
        }
        step
    }

    /// Moves an item without telling the statistics, which are restored afterwards.
    #[inline]
    pub(crate) fn put_back(&mut self, item: usize, slot: usize) {
        // An item that is alone and stays would count as newly opened.
        if self.partition.slot(item) != slot {
            self.partition.place(item, slot);
        }
    }

    /// Brings back the statistics that `kept` holds of two clusters, for a partition that is as it was.
    pub(crate) fn restore(&mut self, target: &T, slots: [usize; 2], kept: &T::Stats) {
        target.restore(&mut self.stats, &self.partition, slots, kept);
    }

    /// A state of nobody: items are to arrive.
    pub(crate) fn nobody(target: &T) -> Self {
        let partition = Partition::nobody(target.len());
        let stats = target.stats(&partition);
        State { partition, stats }
    }

    /// Puts an absent item into `slot` (the one after the last opens a cluster).
    #[inline(always)]
    pub(crate) fn arrive(&mut self, target: &T, item: usize, slot: usize) {
        self.partition.arrive(item, slot);
        target.arrive(&mut self.stats, &self.partition, item);
    }

    /// Takes all `others` out of the cluster of `item`: nobody else is in it.
    pub(crate) fn isolate(&mut self, target: &T, item: usize, others: impl Iterator<Item = usize>) {
        let slot = self.partition.slot(item);
        let at_once = target.isolate(&mut self.stats, item, slot);
        for other in others {
            self.partition.depart(other);
            if !at_once {
                target.depart(&mut self.stats, &self.partition, other, slot);
            }
        }
    }

    /// The partition, all items being in it.
    pub(crate) fn into_partition(self) -> Partition {
        self.partition
    }

    /// The leave-one-out conditional of `item`: a probability for each slot and a new cluster.
    pub fn conditional(&self, target: &T, item: usize) -> Vec<f64> {
        Ahead::default().conditional(target, self, item, item + 1).to_vec()
    }

    /// Rebuilds what drifts by rounding.
    pub(crate) fn refresh(&mut self, target: &T) {
        target.refresh(&mut self.stats, &self.partition);
    }
}

impl<T: Target> Clone for State<T> {
    fn clone(&self) -> Self {
        State { partition: self.partition.clone(), stats: self.stats.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.partition.clone_from(&source.partition);
        self.stats.clone_from(&source.stats);
    }
}
