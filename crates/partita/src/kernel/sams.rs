//! The sequentially allocated merge-split move (Dahl 2003; Dahl, Newcomb 2022): a split is built item by item.

use super::anchors::{Law, Neighbors};
use super::sides::{Member, Sides, choose, decide, sides};
use super::{Chains, Kernel, Workspace};
use crate::chance::{Chance, Source};
use crate::coupling::Coupling;
use crate::rng::Purpose;
use crate::target::{State, Target};
use pulp::{Arch, NullaryFnOnce};
use std::sync::Arc;

/// One sequentially allocated merge-split move. Two items `i` and `j` are drawn. If they share a cluster, a split is
/// proposed: each gets a cluster of its own, and the other items follow in random order, each by its predictive given those
/// on the two sides so far. If they do not, a merge of their clusters is proposed; its reverse has the probability of
/// dividing the items, in a random order, as they are divided now. It makes one pass over the items of the two clusters,
/// where [`SplitMerge`](super::SplitMerge) makes several.
///
/// Two chains share the two items, the order, one uniform number per item and the acceptance. The move should be combined
/// with a Gibbs sweep:
///
/// ```
/// use partita::Gibbs;
/// use partita::kernel::{Sams, Then, Times};
/// let kernel = Then(Times(Sams, 5), Gibbs);
/// # let _ = kernel;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sams;

/// The same move, but in four of five moves the two items are near each other: the second is then drawn uniformly from the
/// neighbours of the first. With many clusters, most pairs of items are in clusters that will never merge; between near
/// items there is something to decide. It panics on a target whose number of items differs from that of the neighbours.
///
/// ```
/// use partita::Gibbs;
/// use partita::kernel::{Neighbors, SamsNear, Then, Times};
/// let near = Neighbors::nearest(&[0.0, 5.1, 0.1, 5.0, 5.3], 1, 2)?;
/// let kernel = Then(Times(SamsNear(near.into()), 5), Gibbs);
/// # let _ = kernel;
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamsNear(pub Arc<Neighbors>);

/// The same move, but all clusters are equally likely to have the first of the two items, which is a uniform member of one.
/// The second is mostly near the first, if neighbours are known. With any two items, a small cluster of a large table would
/// hardly ever be split or merged: here it is tried as often as a large one, and costs less. As the law of the two items
/// depends on the state, the acceptance has its ratio, `K n / (K' n')` with `n` items in the cluster of the first item and
/// `K` clusters. Two chains share the two items as often as the law allows; otherwise each has a move of its own.
///
/// ```
/// use partita::Gibbs;
/// use partita::kernel::{SamsEven, Then, Times};
/// let kernel = Then(Times(SamsEven(None), 5), Gibbs);
/// # let _ = kernel;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SamsEven(pub Option<Arc<Neighbors>>);

/// One move of one chain, or of two that share all random numbers; returns whether a chain has moved. Compiled like the
/// loops of [`Gibbs`](super::Gibbs).
struct Run<'a, 'b, T: Target, C> {
    sides: &'a mut [Sides<'b, T>],
    members: &'a mut [Member],
    /// Whether the law of the two items depends on the state.
    even: bool,
    chance: &'a mut C,
}

impl<T: Target, C: Chance> NullaryFnOnce for Run<'_, '_, T, C> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Run { sides, members, even, chance } = self;
        for side in sides.iter_mut() {
            side.open();
            side.isolate(members);
        }
        for at in 0..members.len() {
            // A random order of all items is a random order of each chain's.
            let other = at + chance.below(members.len() - at);
            members.swap(at, other);
            let member = &mut members[at];
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
        for side in sides.iter_mut() {
            side.go_back(members);
            if even {
                side.weigh_anchors(members);
            }
            side.let_the_larger_stay(members);
        }
        decide(sides, members, chance)
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
    let chance = &mut source.sequence(Purpose::Sams);
    let pairs = law.draw(states.each_ref().map(|state| state.partition()), chance);
    let even = law.is_even();
    let mut run = |sides: &mut [Sides<T>], members: &mut [Member]| {
        Arch::new().dispatch(Run { sides, members, even, chance: &mut *chance })
    };
    if pairs.iter().all(|pair| *pair == pairs[0]) {
        let (mut sides, members, _) = sides(target, states, pairs[0], work);
        return run(&mut sides, members);
    }
    let mut moved = false;
    for (state, pair) in states.into_iter().zip(pairs) {
        let (mut sides, members, _) = sides(target, [state], pair, work);
        moved |= run(&mut sides, members);
    }
    moved
}

/// A kernel of moves of two clusters whose chains share all random numbers, with the law of the two items.
macro_rules! kernel {
    ($kernel:ty, |$of:tt| $law:expr, $moves:ident) => {
        impl<T: Target> Kernel<T> for $kernel {
            fn step(
                &self,
                target: &T,
                state: &mut State<T>,
                source: &mut impl Source,
                work: &mut Workspace<T>,
            ) {
                let $of = self;
                $moves($law, target, [state], source, work);
            }

            fn coupled_step(
                &self,
                target: &T,
                chains: &mut Chains<T>,
                coupling: &mut impl Coupling,
                source: &mut impl Source,
                work: &mut Workspace<T>,
            ) {
                let $of = self;
                if coupling.is_faithful() && chains.have_met() {
                    // One step for both: slots of equal chains may differ, and with them the order of additions.
                    if $moves($law, target, [&mut chains.x], source, work) {
                        chains.merge();
                    }
                } else if $moves($law, target, [&mut chains.x, &mut chains.y], source, work) {
                    chains.recount();
                }
            }
        }
    };
}

pub(super) use kernel;

kernel!(Sams, |_| Law::Uniform, moves);
kernel!(SamsNear, |near| Law::Near(&near.0), moves);
kernel!(SamsEven, |even| Law::Even(even.0.as_deref()), moves);
