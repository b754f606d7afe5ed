//! The systematic Gibbs sweep: every item in index order is placed given all the others.

use super::{Chains, Kernel, Workspace};
use crate::chance::{Chance, Source};
use crate::coupling::{Coupling, Step};
use crate::target::{State, Target};

/// One sweep places each item once, from its leave-one-out conditional (the paper's algorithms
/// "Single Gibbs Sweep" and "Coupled Gibbs Sweep").
#[derive(Debug, Clone, Copy, Default)]
pub struct Gibbs;

/// Places one item of one chain.
#[inline]
fn place<T: Target>(
    target: &T,
    state: &mut State<T>,
    item: usize,
    chance: &mut impl Chance,
    a: &mut Vec<f64>,
) {
    state.conditional_into(target, item, a);
    let slot = chance.pick(a.iter().copied());
    state.place(target, item, slot);
}

/// Places one item of both chains.
#[inline]
fn place_both<T: Target>(
    target: &T,
    chains: &mut Chains<T>,
    item: usize,
    coupling: &mut impl Coupling,
    chance: &mut impl Chance,
    work: &mut Workspace<T>,
) {
    let Chains { x, y, overlap } = chains;
    x.conditional_into(target, item, &mut work.a);
    y.conditional_into(target, item, &mut work.b);
    overlap.take(x.partition().slot(item), y.partition().slot(item));
    let step = Step { item, x: x.partition(), y: y.partition(), overlap, a: &work.a, b: &work.b };
    let (to_x, to_y) = coupling.draw(&step, chance);
    let moved_x = x.place(target, item, to_x);
    let moved_y = y.place(target, item, to_y);
    overlap.follow(moved_x, moved_y);
    overlap.add(x.partition().slot(item), y.partition().slot(item));
}

impl<T: Target> Kernel<T> for Gibbs {
    fn step(&self, target: &T, state: &mut State<T>, source: &mut impl Source, work: &mut Workspace<T>) {
        for item in 0..target.len() {
            place(target, state, item, &mut source.item(item), &mut work.a);
        }
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
        // Once equal, faithful chains make the same choices: only X is moved, Y follows at the end.
        let mut equal = coupling.is_faithful() && chains.have_met();
        for item in 0..target.len() {
            let mut chance = source.item(item);
            if equal {
                place(target, &mut chains.x, item, &mut chance, &mut work.a);
            } else {
                place_both(target, chains, item, coupling, &mut chance, work);
                equal = coupling.is_faithful() && chains.have_met();
            }
        }
        chains.x.refresh(target);
        if equal {
            chains.merge();
        } else {
            chains.y.refresh(target);
        }
    }
}
