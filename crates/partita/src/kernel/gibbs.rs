//! The systematic Gibbs sweep: every item, in index order, is placed given all the others.

use super::{Chains, Kernel, Workspace};
use crate::chance::{Chance as _, Items, Source};
use crate::coupling::{Coupling, Step};
use crate::rng::Purpose;
use crate::target::{Ahead, State, Target};
use pulp::{Arch, NullaryFnOnce};
use std::ops::Range;

/// One sweep places each item once, from its leave-one-out conditional (the paper's algorithms
/// "Single Gibbs Sweep" and "Coupled Gibbs Sweep").
#[derive(Debug, Clone, Copy, Default)]
pub struct Gibbs;

/// Places some items of one chain, one after the other: the innermost loop, compiled for each width of registers that a
/// machine may have and chosen at run time. That covers only what is inlined, hence the attributes down to the arithmetic.
///
/// Only registers get wider: additions stay in the order in which they are written, and no multiplication is fused with an
/// addition, so the bits are the same on every machine.
struct Place<'a, T: Target, I> {
    target: &'a T,
    state: &'a mut State<T>,
    items: Range<usize>,
    chance: &'a mut I,
    ahead: &'a mut Ahead,
}

impl<T: Target, I: Items> NullaryFnOnce for Place<'_, T, I> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Place { target, state, items, chance, ahead } = self;
        for item in items.clone() {
            let weights = ahead.weights(target, state, item, items.end);
            let slot = chance.item(item).pick(weights.iter().copied());
            ahead.advance(state.place(target, item, slot).is_some());
        }
    }
}

/// Places items of both chains until the chains are equal, and returns the items that are left: the inner loop of pairs,
/// compiled like [`Place`].
struct PlaceBoth<'a, T: Target, C, I> {
    target: &'a T,
    chains: &'a mut Chains<T>,
    coupling: &'a mut C,
    chance: &'a mut I,
    work: &'a mut Workspace<T>,
}

impl<T: Target, C: Coupling, I: Items> NullaryFnOnce for PlaceBoth<'_, T, C, I> {
    type Output = Range<usize>;

    #[inline(always)]
    fn call(self) -> Range<usize> {
        let PlaceBoth { target, chains, coupling, chance, work } = self;
        let faithful = coupling.is_faithful();
        let mut items = 0..target.len();
        // Once equal, faithful chains make the same choices: only X is moved, Y follows at the end.
        while !(faithful && chains.have_met())
            && let Some(item) = items.next()
        {
            let Chains { x, y, overlap } = &mut *chains;
            let a = work.a.weights(target, x, item, items.end);
            let b = work.b.weights(target, y, item, items.end);
            overlap.take(x.partition().slot(item), y.partition().slot(item));
            let step = Step { item, x: x.partition(), y: y.partition(), overlap, a, b };
            let (to_x, to_y) = coupling.draw(&step, &mut chance.item(item));
            let moved_x = x.place(target, item, to_x);
            let moved_y = y.place(target, item, to_y);
            work.a.advance(moved_x.is_some());
            work.b.advance(moved_y.is_some());
            overlap.follow(moved_x, moved_y);
            overlap.add(x.partition().slot(item), y.partition().slot(item));
        }
        items
    }
}

impl<T: Target> Kernel<T> for Gibbs {
    fn step(&self, target: &T, state: &mut State<T>, source: &mut impl Source, work: &mut Workspace<T>) {
        let (items, chance) = (0..target.len(), &mut source.items(Purpose::Gibbs));
        work.a.restart();
        Arch::new().dispatch(Place { target, state, items, chance, ahead: &mut work.a });
        state.refresh(target);
    }

    fn coupled_step(
        &self,
        target: &T,
        chains: &mut Chains<T>,
        coupling: &mut impl Coupling,
        source: &mut impl Source,
        work: &mut Workspace<T>,
    ) {
        work.a.restart();
        work.b.restart();
        let chance = &mut source.items(Purpose::Gibbs);
        let items = Arch::new().dispatch(PlaceBoth { target, chains, coupling, chance, work });
        Arch::new().dispatch(Place { target, state: &mut chains.x, items, chance, ahead: &mut work.a });
        chains.x.refresh(target);
        if coupling.is_faithful() && chains.have_met() {
            chains.merge();
        } else {
            chains.y.refresh(target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::normalize;
    use crate::{Gaussian, Mixture, Partition, Prior, Stream};

    /// One item after the other, with nothing prepared, in registers that every machine has.
    fn plainly<T: Target>(target: &T, state: &mut State<T>, source: &mut impl Source) {
        let mut chance = source.items(Purpose::Gibbs);
        for item in 0..target.len() {
            let mut ahead = Ahead::default();
            let weights = ahead.weights(target, state, item, item + 1);
            let slot = chance.item(item).pick(weights.iter().copied());
            state.place(target, item, slot);
        }
    }

    /// Chains that prepare steps in wide registers have the same bits as plain ones.
    #[test]
    fn a_sweep_is_its_steps_one_by_one() {
        for (items, dimension) in [(40, 1), (40, 7), (300, 7), (30, 20), (400, 20)] {
            let mut chance = Stream::new(1, 0).sequence(Purpose::Data, 0);
            let values = (0..items * dimension).map(|_| chance.normal()).collect();
            let data = Gaussian::isotropic(values, dimension, 0.8, 0.9).unwrap();
            let target = Mixture::new(Prior::dirichlet(2.0).unwrap(), data);
            let mut fast = State::new(&target, Partition::one_cluster(items).unwrap());
            let mut plain = fast.clone();
            for t in 1..=30 {
                Gibbs.step(&target, &mut fast, &mut Stream::new(2, 0).sweep(t), &mut Workspace::new());
                plainly(&target, &mut plain, &mut Stream::new(2, 0).sweep(t));
                assert_eq!(fast.partition().canonical_labels(), plain.partition().canonical_labels());
            }
            for item in 0..items {
                let (mut a, mut b) = (Ahead::default(), Ahead::default());
                let plainly = a.log_weights(&target, &plain, item, item + 1);
                normalize(plainly);
                let wide = b.conditional(&target, &fast, item, item + 1);
                assert_eq!(wide, &plainly[..wide.len()]);
            }
        }
    }
}
