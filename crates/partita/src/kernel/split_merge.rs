//! The split-merge move (Jain, Neal 2004): one cluster is split into two, or two are merged.

use super::anchors::Law;
use super::sides::{Member, Sides, choose, decide, run_quickly, sides};
use super::{Chains, Kernel, Workspace};
use crate::chance::{Chance, Source};
use crate::coupling::Coupling;
use crate::rng::Purpose;
use crate::target::{State, Target};
use pulp::{Arch, NullaryFnOnce};

/// How the split-merge moves of two chains are coupled. Both share the pair of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alignment {
    /// As in the paper: given the pair of items the two chains move independently.
    Independent,
    /// The two items align the sides of the chains: the launch state is shared, and every restricted choice and the
    /// acceptance are coupled maximally.
    #[default]
    Aligned,
}

/// One split-merge move. It moves items of at most two clusters, so it should be combined with a Gibbs sweep:
///
/// ```
/// use partita::Gibbs;
/// use partita::kernel::{Alignment, SplitMerge, Then, Times};
/// let paper = Then(SplitMerge { scans: 5, alignment: Alignment::Independent }, Gibbs);
/// let more = Then(Times(SplitMerge::default(), 5), Gibbs);
/// # let _ = (paper, more);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitMerge {
    /// Restricted Gibbs scans that produce the launch state.
    pub scans: usize,
    /// How two chains are coupled.
    pub alignment: Alignment,
}

impl Default for SplitMerge {
    /// Five restricted scans as in the paper, aligned.
    fn default() -> Self {
        SplitMerge { scans: 5, alignment: Alignment::Aligned }
    }
}

/// Makes one attempt, or two with shared random numbers: each binary choice of both uses one uniform number. Returns
/// whether a chain has moved. Compiled like the loops of [`Gibbs`](super::Gibbs).
struct Run<'a, 'b, T: Target, C> {
    sides: &'a mut [Sides<'b, T>],
    members: &'a mut [Member],
    scans: usize,
    chance: &'a mut C,
}

impl<T: Target, C: Chance> NullaryFnOnce for Run<'_, '_, T, C> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Run { sides, members, scans, chance } = self;
        for side in sides.iter_mut() {
            side.open();
        }
        for member in members.iter_mut() {
            let to_i = chance.event(0.5);
            for side in sides.iter_mut() {
                side.send(member, to_i);
            }
        }
        for scan in 0..=scans {
            for member in members.iter_mut() {
                // In the last scan a merging chain retraces its own state, to find how probable that split would be.
                let last = scan == scans;
                let choice = choose(
                    sides,
                    member,
                    last,
                    chance,
                    #[inline(always)]
                    |side| side.chance_of_i(member),
                );
                for (side, to_i) in sides.iter_mut().zip(choice) {
                    side.send(member, to_i);
                }
            }
        }
        for side in sides.iter_mut() {
            side.go_back(members);
        }
        decide(sides, members, chance)
    }
}

impl SplitMerge {
    /// One move of all chains given, which share all random numbers; returns whether one has moved.
    fn moves<T: Target, const N: usize>(
        &self,
        target: &T,
        states: [&mut State<T>; N],
        pair: (usize, usize),
        chance: &mut impl Chance,
        work: &mut Workspace<T>,
    ) -> bool {
        let (mut sides, members, draws) = sides(target, states, pair, work);
        if let Some(trial) = target.trial()
            && chance.compares()
        {
            return run_quickly(&trial, &mut sides, members, self.scans, chance, draws);
        }
        Arch::new().dispatch(Run { sides: &mut sides, members, scans: self.scans, chance })
    }

    /// One move of one chain; returns whether it has moved.
    fn move_one<T: Target>(
        &self,
        target: &T,
        state: &mut State<T>,
        source: &mut impl Source,
        work: &mut Workspace<T>,
    ) -> bool {
        let [pair] = Law::Uniform.draw([state.partition()], &mut source.sequence(Purpose::SplitMerge));
        self.moves(target, [state], pair, &mut source.sequence(Purpose::SplitMergeX), work)
    }
}

impl<T: Target> Kernel<T> for SplitMerge {
    fn step(&self, target: &T, state: &mut State<T>, source: &mut impl Source, work: &mut Workspace<T>) {
        if target.len() > 1 {
            self.move_one(target, state, source, work);
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
        if target.len() == 1 {
            return;
        }
        if coupling.is_faithful() && chains.have_met() {
            // The paper's independent moves would separate them: equal chains make one step for both.
            if self.move_one(target, &mut chains.x, source, work) {
                chains.merge();
            }
            return;
        }
        let x = chains.x.partition();
        let [pair] = Law::Uniform.draw([x], &mut source.sequence(Purpose::SplitMerge));
        let Chains { x, y, .. } = chains;
        let mut chance = source.sequence(Purpose::SplitMergeX);
        let moved = match self.alignment {
            Alignment::Aligned => self.moves(target, [x, y], pair, &mut chance, work),
            Alignment::Independent => {
                let of_x = self.moves(target, [x], pair, &mut chance, work);
                let mut chance = source.sequence(Purpose::SplitMergeY);
                self.moves(target, [y], pair, &mut chance, work) | of_x
            }
        };
        if moved {
            chains.recount();
        }
    }
}
