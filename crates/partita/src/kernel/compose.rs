//! Kernels made of kernels: one after the other, or the same one several times.
//!
//! Each part leaves the target invariant and keeps equal chains equal, so their composition does, too.
//! Random numbers cannot collide: a purpose that is opened again yields another part of it ([`Source`]).

use super::{Chains, Kernel, Workspace};
use crate::chance::Source;
use crate::coupling::Coupling;
use crate::target::{State, Target};

/// The first kernel, then the second.
///
/// ```
/// use partita::kernel::{SplitMerge, Then};
/// use partita::{Gibbs, Kernel, Mixture, Gaussian};
/// fn is_a_kernel(_: &impl Kernel<Mixture<Gaussian>>) {}
/// is_a_kernel(&Then(SplitMerge::default(), Gibbs));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Then<A, B>(
    /// The first.
    pub A,
    /// The second.
    pub B,
);

impl<T: Target, A: Kernel<T>, B: Kernel<T>> Kernel<T> for Then<A, B> {
    fn step(&self, target: &T, state: &mut State<T>, source: &mut impl Source, work: &mut Workspace<T>) {
        self.0.step(target, state, source, work);
        self.1.step(target, state, source, work);
    }

    fn coupled_step(
        &self,
        target: &T,
        chains: &mut Chains<T>,
        coupling: &mut impl Coupling,
        source: &mut impl Source,
        work: &mut Workspace<T>,
    ) {
        self.0.coupled_step(target, chains, coupling, source, work);
        self.1.coupled_step(target, chains, coupling, source, work);
    }
}

/// A kernel repeated so many times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times<K>(
    /// The kernel.
    pub K,
    /// How many times.
    pub usize,
);

impl<T: Target, K: Kernel<T>> Kernel<T> for Times<K> {
    fn step(&self, target: &T, state: &mut State<T>, source: &mut impl Source, work: &mut Workspace<T>) {
        for _ in 0..self.1 {
            self.0.step(target, state, source, work);
        }
    }

    fn coupled_step(
        &self,
        target: &T,
        chains: &mut Chains<T>,
        coupling: &mut impl Coupling,
        source: &mut impl Source,
        work: &mut Workspace<T>,
    ) {
        for _ in 0..self.1 {
            self.0.coupled_step(target, chains, coupling, source, work);
        }
    }
}

/// Kernels of one type, one after the other: a composition chosen at run time.
impl<T: Target, K: Kernel<T>> Kernel<T> for Vec<K> {
    fn step(&self, target: &T, state: &mut State<T>, source: &mut impl Source, work: &mut Workspace<T>) {
        for kernel in self {
            kernel.step(target, state, source, work);
        }
    }

    fn coupled_step(
        &self,
        target: &T,
        chains: &mut Chains<T>,
        coupling: &mut impl Coupling,
        source: &mut impl Source,
        work: &mut Workspace<T>,
    ) {
        for kernel in self {
            kernel.coupled_step(target, chains, coupling, source, work);
        }
    }
}
