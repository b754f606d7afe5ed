//! What a chain samples: a law over partitions, known through its leave-one-out conditionals.

mod coloring;
mod mixture;

pub use coloring::{Coloring, Graph};
pub use mixture::{Mixture, MixtureStats};

use crate::math::{LANES, exponentiate, normalize};
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

    /// The statistics of a state, from scratch.
    fn stats(&self, z: &Partition) -> Self::Stats;

    /// The log weight, up to a constant common to all slots, of `item` in `slot` given the rest.
    /// For an item that is alone, its own slot means a new cluster; `slot == z.clusters()` is
    /// never asked then.
    fn log_weight(&self, stats: &Self::Stats, z: &Partition, item: usize, slot: usize) -> f64;

    /// Follows a move that `z` has already made.
    fn relocate(&self, stats: &mut Self::Stats, z: &Partition, step: Move);

    /// The log probability of a partition up to a constant, from scratch: for tests and starts.
    fn log_probability(&self, z: &Partition) -> f64;

    /// True if there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All log weights of `item` at once: one a slot and one for a new cluster. Where `out` is longer
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

    /// Called at the end of every sweep: the place to rebuild statistics that drift by rounding.
    fn refresh(&self, _stats: &mut Self::Stats, _z: &Partition) {}
}

/// A state of one chain: a partition and the statistics the target keeps of it, always in step.
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

    /// The leave-one-out conditional of `item`: a probability for each slot and a new cluster.
    pub fn conditional(&self, target: &T, item: usize) -> Vec<f64> {
        let mut room = Vec::new();
        self.conditional_in(target, item, &mut room).to_vec()
    }

    /// The same in memory that is reused.
    #[inline]
    pub fn conditional_in<'a>(&self, target: &T, item: usize, room: &'a mut Vec<f64>) -> &'a [f64] {
        pulp::Arch::new().dispatch(Conditional { target, state: self, item, room })
    }

    /// The log weights of `item`, with as many of minus infinity behind them as make whole registers.
    #[inline(always)]
    pub(crate) fn log_weights_in(&self, target: &T, item: usize, room: &mut Vec<f64>) {
        let length = self.whole_registers();
        if room.len() < length {
            room.resize(length, 0.0);
        }
        let out = &mut room[..length];
        out[length - LANES..].copy_from_slice(&[f64::NEG_INFINITY; LANES]);
        target.log_weights(&self.stats, &self.partition, item, out);
    }

    /// Turns log weights made by this state into weights, the highest being 1: all that a draw needs.
    #[inline(always)]
    pub(crate) fn weights_of<'a>(&self, room: &'a mut [f64]) -> &'a [f64] {
        exponentiate(&mut room[..self.whole_registers()]);
        &room[..=self.partition.clusters()]
    }

    /// The choices of an item, rounded up.
    #[inline(always)]
    fn whole_registers(&self) -> usize {
        (self.partition.clusters() / LANES + 1) * LANES
    }

    /// Rebuilds what drifts by rounding.
    pub(crate) fn refresh(&mut self, target: &T) {
        target.refresh(&mut self.stats, &self.partition);
    }
}

/// The inner loop of coupled chains, compiled once more for each width of registers a machine may
/// have and chosen at run time (as far as it is inlined: hence the attributes down to the arithmetic).
///
/// Only registers get wider: additions stay in the order they are written and no multiplication is
/// fused with an addition, so that the bits are the same on every machine.
struct Conditional<'a, 'r, T: Target> {
    target: &'a T,
    state: &'a State<T>,
    item: usize,
    room: &'r mut Vec<f64>,
}

impl<'r, T: Target> pulp::NullaryFnOnce for Conditional<'_, 'r, T> {
    type Output = &'r [f64];

    #[inline(always)]
    fn call(self) -> &'r [f64] {
        self.state.log_weights_in(self.target, self.item, self.room);
        normalize(&mut self.room[..self.state.whole_registers()]);
        &self.room[..=self.state.partition.clusters()]
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
