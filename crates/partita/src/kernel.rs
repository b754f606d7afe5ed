//! Moves that leave the target invariant: a step of one chain, and a coupled step of two.

mod anchors;
mod compose;
mod gibbs;
mod kempe;
mod sams;
mod shuffle;
mod sides;
mod split_merge;

pub use anchors::Neighbors;
pub use compose::{Then, Times};
pub use gibbs::Gibbs;
pub use kempe::Kempe;
pub(crate) use kempe::{KempeChain, exchange};
pub use sams::{Sams, SamsEven, SamsNear};
pub use shuffle::{Shuffle, ShuffleNear};
pub use split_merge::{Alignment, SplitMerge};

use crate::chance::Source;
use crate::coupling::Coupling;
use crate::partition::Overlap;
use crate::target::{Ahead, State, Target};

/// A Markov kernel on partitions, with the coupled version of its step.
///
/// Each margin of a coupled step has exactly the law of the single step; the tests enumerate it.
pub trait Kernel<T: Target>: Sync {
    /// One sweep of one chain.
    fn step(&self, target: &T, state: &mut State<T>, source: &mut impl Source, work: &mut Workspace<T>);

    /// One sweep of two chains. Under a faithful coupling, chains that are equal as partitions before it are equal after
    /// it.
    fn coupled_step(
        &self,
        target: &T,
        chains: &mut Chains<T>,
        coupling: &mut impl Coupling,
        source: &mut impl Source,
        work: &mut Workspace<T>,
    );
}

/// The two chains of a pair and the overlap of their clusters, kept in step.
#[derive(Debug)]
pub struct Chains<T: Target> {
    pub(crate) x: State<T>,
    pub(crate) y: State<T>,
    pub(crate) overlap: Overlap,
}

impl<T: Target> Chains<T> {
    /// Two chains in the states given.
    pub fn new(x: State<T>, y: State<T>) -> Self {
        let overlap = Overlap::new(x.partition(), y.partition());
        Chains { x, y, overlap }
    }

    /// The chain ahead.
    pub fn x(&self) -> &State<T> {
        &self.x
    }

    /// The chain behind.
    pub fn y(&self) -> &State<T> {
        &self.y
    }

    /// Shared items of the clusters of `X` and `Y`.
    pub fn overlap(&self) -> &Overlap {
        &self.overlap
    }

    /// Whether the chains are equal as partitions.
    #[inline]
    pub fn have_met(&self) -> bool {
        self.overlap.is_matching()
    }

    /// Makes `Y` a copy of `X`.
    pub(crate) fn merge(&mut self) {
        self.y.clone_from(&self.x);
        self.recount();
    }

    /// Counts the overlap anew after moves that did not keep it.
    pub(crate) fn recount(&mut self) {
        self.overlap.rebuild(self.x.partition(), self.y.partition());
    }

    /// Returns the chain ahead and drops the rest.
    pub fn into_x(self) -> State<T> {
        self.x
    }
}

/// Memory that kernels reuse from sweep to sweep.
#[derive(Debug)]
pub struct Workspace<T: Target> {
    pub(crate) a: Ahead,
    pub(crate) b: Ahead,
    pub(crate) sides: sides::SidesWork<T>,
    pub(crate) kempe: kempe::KempeWork,
}

impl<T: Target> Workspace<T> {
    /// An empty workspace.
    pub fn new() -> Self {
        Workspace {
            a: Ahead::default(),
            b: Ahead::default(),
            sides: Default::default(),
            kempe: Default::default(),
        }
    }
}

impl<T: Target> Default for Workspace<T> {
    fn default() -> Self {
        Self::new()
    }
}
