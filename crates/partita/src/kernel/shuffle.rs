//! The shuffle of two clusters: their items are divided anew between two clusters.

use super::anchors::{Law, Neighbors};
use super::sams::kernel;
use super::sides::{Member, Sides, accept, choose, sides};
use super::{Chains, Kernel, Workspace};
use crate::chance::{Chance, Source};
use crate::coupling::Coupling;
use crate::rng::Purpose;
use crate::target::{State, Target};
use pulp::{Arch, NullaryFnOnce};
use std::sync::Arc;

/// One shuffle of two clusters. Two items are drawn. If they are in different clusters, the other items of these two
/// clusters are divided anew as in [`Sams`](super::Sams): in random order, each by its predictive given those on the two
/// sides so far. The reverse move has the probability of dividing them, in the same order, as they are divided now. If the
/// two items share a cluster, nothing happens. A group of items that may belong to either of two clusters moves in one step,
/// where a split and a merge would have to pass through a state with the group on its own.
///
/// Two chains share the two items, the order, one uniform number per item and the acceptance. The move keeps the number of
/// clusters, so it must be combined with others:
///
/// ```
/// use partita::Gibbs;
/// use partita::kernel::{Sams, Shuffle, Then};
/// let kernel = Then(Sams, Then(Shuffle, Gibbs));
/// # let _ = kernel;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shuffle;

/// The same move, but in four of five moves the two items are near each other, as in [`SamsNear`](super::SamsNear).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShuffleNear(pub Arc<Neighbors>);

/// One move of the chains that have the two items in different clusters, with shared random numbers; returns whether one
/// has moved.
struct Run<'a, 'b, T: Target, C> {
    sides: &'a mut [Sides<'b, T>],
    members: &'a mut [Member],
    chance: &'a mut C,
}

impl<T: Target, C: Chance> NullaryFnOnce for Run<'_, '_, T, C> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Run { sides, members, chance } = self;
        for at in 0..members.len() {
            members.swap(at, at + chance.below(members.len() - at));
        }
        let mut log_back = [0.0; 2];
        for retraces in [true, false] {
            for (side, log_back) in sides.iter_mut().zip(&mut log_back) {
                if !retraces {
                    *log_back = side.log_split;
                }
                (side.retraces, side.log_split) = (retraces, 0.0);
                side.isolate(members);
            }
            for member in members.iter_mut() {
                let choice = choose(
                    sides,
                    member,
                    true,
                    chance,
                    #[inline(always)]
                    |side| side.chance_of_i_for_arrival(member),
                );
                for (side, to_i) in sides.iter_mut().zip(choice) {
                    side.seat(member, to_i);
                }
            }
        }
        let mut p = [0.0; 2];
        for ((side, p), log_back) in sides.iter_mut().zip(&mut p).zip(log_back) {
            side.go_back(members);
            *p = side.propose_exchange(members, log_back);
        }
        accept(sides, members, p, chance)
    }
}

fn moves<T: Target, const N: usize>(
    law: Law,
    target: &T,
    states: [&mut State<T>; N],
    source: &mut impl Source,
    work: &mut Workspace<T>,
) -> bool {
    if target.len() == 1 {
        return false;
    }
    let chance = &mut source.sequence(Purpose::Shuffle);
    let [(i, j)] = law.draw([states[0].partition()], chance);
    let apart = states.each_ref().map(|state| !state.partition().together(i, j));
    if apart.iter().all(|apart| !apart) {
        return false;
    }
    let (mut sides, members, _) = sides(target, states, (i, j), work);
    let first = apart.iter().position(|apart| *apart).expect("one is apart");
    let last = apart.iter().rposition(|apart| *apart).expect("one is apart");
    Arch::new().dispatch(Run { sides: &mut sides[first..=last], members, chance })
}

kernel!(Shuffle, |_| Law::Uniform, moves);
kernel!(ShuffleNear, |near| Law::Near(&near.0), moves);
