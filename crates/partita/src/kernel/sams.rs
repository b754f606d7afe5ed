//! The sequentially allocated merge-split move (Dahl 2003; Dahl, Newcomb 2022): a split is built item by item.

use super::anchors::{Neighbors, anchors};
use super::sides::{Member, Sides, choose, decide, sides};
use super::{Chains, Kernel, Workspace};
use crate::chance::{Chance, Source};
use crate::coupling::Coupling;
use crate::rng::Purpose;
use crate::target::{State, Target};
use pulp::{Arch, NullaryFnOnce};
use std::sync::Arc;

/// One sequentially allocated merge-split move. Two items `i` and `j` are drawn. Where they share a cluster each gets one
/// of its own, and the other items follow in random order, each by its predictive given those on the two sides so far;
/// where they do not, their clusters are to become one, and the probability of the way back is that of dividing the items
/// in a random order as they are divided. One pass over the items of the two clusters, where [`SplitMerge`](super::SplitMerge)
/// makes several.
///
/// Two chains share the items, the order, one uniform an item and the acceptance. It wants a Gibbs sweep beside it:
///
/// ```
/// use partita::Gibbs;
/// use partita::kernel::{Sams, Then, Times};
/// let kernel = Then(Times(Sams, 5), Gibbs);
/// # let _ = kernel;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sams;

/// The same move with two items that are near each other in four of five moves: the second is then a uniform one of the
/// neighbours of the first. Where clusters are many, most pairs of items are in clusters that never become one; near ones
/// are where something is to be decided. On a target of other items than the neighbours are of, it panics.
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

/// One move of one chain, or of two with shared chance; says whether a chain has moved. Compiled like the loops of
/// [`Gibbs`](super::Gibbs).
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
        for side in sides.iter_mut() {
            side.open();
            side.isolate(members);
        }
        for at in 0..members.len() {
            // A random order of all is one of each chain's.
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
            side.let_the_larger_stay(members);
        }
        decide(sides, members, chance)
    }
}

fn moves<T: Target, const N: usize>(
    near: Option<&Neighbors>,
    target: &T,
    states: [&mut State<T>; N],
    source: &mut impl Source,
    work: &mut Workspace<T>,
) -> bool {
    if target.len() == 1 {
        return false;
    }
    let chance = &mut source.sequence(Purpose::Sams);
    let pair = anchors(near, target.len(), chance);
    let (mut sides, members, _) = sides(target, states, pair, work);
    Arch::new().dispatch(Run { sides: &mut sides, members, chance })
}

/// The kernel of moves of two clusters that share all chance, with the neighbours of a law of the two items.
macro_rules! kernel {
    ($law:ty, |$of:tt| $near:expr, $moves:ident) => {
        impl<T: Target> Kernel<T> for $law {
            fn step(
                &self,
                target: &T,
                state: &mut State<T>,
                source: &mut impl Source,
                work: &mut Workspace<T>,
            ) {
                let $of = self;
                $moves($near, target, [state], source, work);
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
                    if $moves($near, target, [&mut chains.x], source, work) {
                        chains.merge();
                    }
                } else if $moves($near, target, [&mut chains.x, &mut chains.y], source, work) {
                    chains.recount();
                }
            }
        }
    };
}

pub(super) use kernel;

kernel!(Sams, |_| None, moves);
kernel!(SamsNear, |near| Some(&*near.0), moves);
