//! Two clusters of one chain that a move splits or merges in place.
//!
//! A move tries out a split in the state itself, restores the state to the bit, and walks from there to what it proposes:
//! the work depends on the items of the two clusters alone, and a rejected move leaves no trace.

mod quick;

pub(super) use quick::{Draws, run as run_quickly};

use super::Workspace;
use crate::chance::Chance;
use crate::target::{State, Target};

/// An item of the two clusters, in one chain or in both; flags are by chain.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Member {
    item: u32,
    /// Whether it is in the chain's two clusters.
    held: [bool; 2],
    /// Whether it was with `i`, where it was with one of two.
    was_with_i: [bool; 2],
    /// Whether the split puts it with `i`.
    with_i: [bool; 2],
    /// Whether it was with `i` before the last scan.
    scanned_with_i: [bool; 2],
}

impl Member {
    #[inline(always)]
    pub(super) fn item(&self) -> usize {
        self.item as usize
    }
}

/// Memory for such moves.
#[derive(Debug)]
pub(crate) struct SidesWork<T: Target> {
    members: Vec<Member>,
    /// What the two clusters of each chain were.
    kept: [Option<T::Stats>; 2],
    /// Where they are divided beside the state.
    rooms: [Option<T::Stats>; 2],
    draws: Draws,
}

impl<T: Target> Default for SidesWork<T> {
    fn default() -> Self {
        SidesWork { members: Vec::new(), kept: [None, None], rooms: [None, None], draws: Draws::default() }
    }
}

/// One chain's attempt to split the cluster of items `i` and `j`, or to merge their two clusters.
pub(super) struct Sides<'a, T: Target> {
    target: &'a T,
    state: &'a mut State<T>,
    /// What the clusters in two slots were.
    kept: ([usize; 2], &'a T::Stats),
    /// Where they are divided beside the state.
    room: &'a mut Option<T::Stats>,
    i: usize,
    j: usize,
    /// The slots of `i` and `j` before the move.
    slots: [usize; 2],
    /// Which of the chains this is.
    chain: usize,
    /// Whether one cluster is to become two; else two are to become one.
    pub(super) splits: bool,
    /// Whether items go where they were instead of where they are drawn.
    pub(super) retraces: bool,
    /// Log probability of the split, the one proposed or the one that is there, among those a split might propose.
    pub(super) log_split: f64,
    /// The log probability of drawing the two items in the proposed state, less that in this one.
    log_anchors: f64,
    /// The last item of `j`'s cluster, which moves once the merge is accepted.
    last: Option<usize>,
}

/// The sides of one chain or of two, and all items of their clusters but the two, in the order of items.
pub(super) fn sides<'a, T: Target, const N: usize>(
    target: &'a T,
    states: [&'a mut State<T>; N],
    (i, j): (usize, usize),
    work: &'a mut Workspace<T>,
) -> ([Sides<'a, T>; N], &'a mut [Member], &'a mut Draws) {
    let SidesWork { members, kept, rooms, draws } = &mut work.sides;
    members.clear();
    members.reserve(target.len());
    draws.make_room(target.len());
    {
        let places = states.each_ref().map(|state| state.partition().either(i, j));
        for item in 0..target.len() {
            let mut member = Member { item: item as u32, ..Member::default() };
            let mut any = false;
            for (chain, place) in places.iter().enumerate() {
                if let Some(with_i) = place(item) {
                    (member.held[chain], member.was_with_i[chain]) = (true, with_i);
                    any = true;
                }
            }
            if any && item != i && item != j {
                members.push(member);
            }
        }
    }
    let (mut kept, mut rooms) = (kept.iter_mut(), rooms.iter_mut());
    let mut chain = 0;
    let sides = states.map(|state| {
        let (z, kept) = (state.partition(), kept.next().expect("room for two chains"));
        let room = rooms.next().expect("room for two chains");
        let slots = [z.slot(i), z.slot(j)];
        target.keep(state.stats(), slots, kept);
        let kept = kept.as_ref().expect("it was just kept");
        chain += 1;
        let (splits, chain) = (z.together(i, j), chain - 1);
        let (kept, retraces) = ((slots, kept), !splits);
        let (log_split, log_anchors, last) = (0.0, 0.0, None);
        Sides {
            target,
            state,
            kept,
            room,
            i,
            j,
            slots,
            chain,
            splits,
            retraces,
            log_split,
            log_anchors,
            last,
        }
    });
    (sides, members, draws)
}

impl<T: Target> Sides<'_, T> {
    /// Whether the item is one of those to divide.
    #[inline(always)]
    pub(super) fn holds(&self, member: &Member) -> bool {
        member.held[self.chain]
    }

    /// Whether the item is with `i` before the move.
    #[inline(always)]
    pub(super) fn was_with_i(&self, member: &Member) -> bool {
        member.was_with_i[self.chain]
    }

    /// Gives `j` a cluster of its own, if it has none but with `i`.
    pub(super) fn open(&mut self) {
        if self.splits {
            let new = self.state.partition().clusters();
            self.state.place(self.target, self.j, new);
        }
    }

    /// Leaves `i` and `j` alone in a cluster each; all others are absent.
    pub(super) fn isolate(&mut self, members: &[Member]) {
        let chain = self.chain;
        let held = |with_i: bool| {
            let wanted = move |m: &&Member| m.held[chain] && m.was_with_i[chain] == with_i;
            members.iter().filter(wanted).map(Member::item)
        };
        self.state.isolate(self.target, self.i, held(true));
        if !self.splits {
            self.state.isolate(self.target, self.j, held(false));
        }
    }

    #[inline(always)]
    fn slot(&self, with_i: bool) -> usize {
        self.state.partition().slot(if with_i { self.i } else { self.j })
    }

    /// Sends an item, if it is one to divide, to the side of `i` or to that of `j`.
    #[inline(always)]
    pub(super) fn send(&mut self, member: &mut Member, to_i: bool) {
        if self.holds(member) {
            member.with_i[self.chain] = to_i;
            self.state.place(self.target, member.item(), self.slot(to_i));
        }
    }

    /// The same for an item that is absent.
    #[inline(always)]
    pub(super) fn seat(&mut self, member: &mut Member, to_i: bool) {
        if self.holds(member) {
            member.with_i[self.chain] = to_i;
            self.state.arrive(self.target, member.item(), self.slot(to_i));
        }
    }

    /// The conditional probability of the side of `i` given that it is one of the two.
    #[inline(always)]
    pub(super) fn chance_of_i(&self, member: &Member) -> f64 {
        let (z, stats) = (self.state.partition(), self.state.stats());
        let slots = [self.slot(true), self.slot(false)];
        let_one_win(self.target.log_weights_of_two(stats, z, member.item(), slots))
    }

    /// The same for an item that is absent, given the items that are not.
    #[inline(always)]
    pub(super) fn chance_of_i_for_arrival(&self, member: &Member) -> f64 {
        let (z, stats, item) = (self.state.partition(), self.state.stats(), member.item());
        let with_i = self.target.log_weight_of_arrival(stats, z, item, self.slot(true));
        let with_j = self.target.log_weight_of_arrival(stats, z, item, self.slot(false));
        let_one_win([with_i, with_j])
    }

    /// Brings back the state from which the move set out.
    pub(super) fn go_back(&mut self, members: &[Member]) {
        for member in members.iter().filter(|m| m.held[self.chain]) {
            let slot = self.slots[usize::from(!member.was_with_i[self.chain])];
            self.state.put_back(member.item(), slot);
        }
        self.state.put_back(self.j, self.slots[1]);
        self.state.restore(self.target, self.kept.0, self.kept.1);
    }

    /// Allows for a law of the two items under which `i` is a uniform member of a uniform cluster; the first state is back.
    pub(super) fn weigh_anchors(&mut self, members: &[Member]) {
        let z = self.state.partition();
        let [with_i, with_j] = self.slots.map(|slot| f64::from(z.sizes()[slot]));
        let clusters = z.clusters() as f64;
        let after = if self.splits {
            let on_its_side = |m: &&Member| m.held[self.chain] && m.with_i[self.chain];
            (clusters + 1.0) * (1 + members.iter().filter(on_its_side).count()) as f64
        } else {
            (clusters - 1.0) * (with_i + with_j)
        };
        self.log_anchors = libm::log(clusters * with_i / after);
    }

    /// Lets `i` and `j` change their parts if that makes `j`'s side the smaller one, which is walked.
    pub(super) fn let_the_larger_stay(&mut self, members: &mut [Member]) {
        let held = || members.iter().filter(|m| m.held[self.chain]);
        if 2 * held().filter(|m| m.with_i[self.chain]).count() < held().count() {
            std::mem::swap(&mut self.i, &mut self.j);
            self.slots.swap(0, 1);
            for member in members {
                member.was_with_i[self.chain] ^= true;
                member.with_i[self.chain] ^= true;
            }
        }
    }

    /// Walks from the first state to the proposed one, item by item; returns the probability of accepting it.
    #[inline(always)]
    pub(super) fn propose(&mut self, members: &[Member]) -> f64 {
        let log_ratio = self.walk(members);
        self.acceptance(log_ratio)
    }

    #[inline(always)]
    fn walk(&mut self, members: &[Member]) -> f64 {
        if self.splits { self.walk_apart(members) } else { self.walk_together(members) }
    }

    /// The probability of accepting a proposal of which the walk has told the log ratio.
    #[inline(always)]
    fn acceptance(&self, log_ratio: f64) -> f64 {
        let log_split = if self.splits { -self.log_split } else { self.log_split };
        acceptance(log_ratio + log_split + self.log_anchors)
    }

    /// The same where two clusters stay two: only items that change sides are walked.
    #[inline(always)]
    pub(super) fn propose_exchange(&mut self, members: &[Member], log_back: f64) -> f64 {
        let chain = self.chain;
        let mut log_ratio = 0.0;
        for member in members.iter().filter(|m| m.held[chain] && m.with_i[chain] != m.was_with_i[chain]) {
            log_ratio += self.step(member.item(), if member.with_i[chain] { self.i } else { self.j });
        }
        acceptance(log_ratio + log_back - self.log_split)
    }

    /// Ends the move: where it is accepted the proposed state is complete, else the first one is back.
    pub(super) fn conclude(&mut self, members: &[Member], accepted: bool) {
        if !accepted {
            self.go_back(members);
        } else if let Some(last) = self.last {
            self.state.place(self.target, last, self.slot(true));
        }
    }

    #[inline(always)]
    fn walk_apart(&mut self, members: &[Member]) -> f64 {
        let new = self.state.partition().clusters();
        let mut log_ratio = self.log_ratio(self.j, new);
        self.state.place(self.target, self.j, new);
        let chain = self.chain;
        for member in members.iter().filter(|m| m.held[chain] && !m.with_i[chain]) {
            log_ratio += self.step(member.item(), self.j);
        }
        log_ratio
    }

    /// The last item stays, so that no cluster closes before it is known that it shall.
    #[inline(always)]
    fn walk_together(&mut self, members: &[Member]) -> f64 {
        let chain = self.chain;
        let with_j = |m: &&Member| m.held[chain] && !m.was_with_i[chain];
        let (before, after) = members.split_at(members.partition_point(|m| m.item() < self.j));
        let [before, after] = [before, after].map(|part| part.iter().filter(with_j).map(Member::item));
        let mut items = before.chain([self.j]).chain(after);
        let (mut log_ratio, mut at_hand) = (0.0, items.next().expect("j is one of them"));
        for next in items {
            log_ratio += self.step(at_hand, self.i);
            at_hand = next;
        }
        self.last = Some(at_hand);
        log_ratio + self.log_ratio(at_hand, self.slot(true))
    }

    /// Moves one item to the cluster of another; returns the log ratio of the probabilities after and before.
    #[inline(always)]
    fn step(&mut self, item: usize, beside: usize) -> f64 {
        let slot = self.state.partition().slot(beside);
        let ratio = self.log_ratio(item, slot);
        self.state.place(self.target, item, slot);
        ratio
    }

    /// The log ratio of the probabilities with an item in `slot` and where it is.
    #[inline(always)]
    fn log_ratio(&self, item: usize, slot: usize) -> f64 {
        let (z, stats) = (self.state.partition(), self.state.stats());
        let [there, here] = self.target.log_weights_of_two(stats, z, item, [slot, z.slot(item)]);
        there - here
    }
}

/// The probability of accepting a proposal. An impossible one makes minus infinity, or NaN where it is impossible twice over.
#[inline(always)]
fn acceptance(log_ratio: f64) -> f64 {
    if log_ratio.is_nan() { 0.0 } else { libm::exp(log_ratio.min(0.0)) }
}

/// The probability of the first of two log weights.
#[inline(always)]
fn let_one_win([first, second]: [f64; 2]) -> f64 {
    if first == f64::NEG_INFINITY && second == f64::NEG_INFINITY {
        // A split may be impossible under the target; any fixed rule keeps the move valid.
        return 0.5;
    }
    1.0 / (1.0 + libm::exp(second - first))
}

/// A choice between the two sides for an item of one chain or of both, with one uniform: whether it goes to `i`. In
/// a merge that retraces the split that is there nothing is chosen. Adds up the log probability of the split.
#[inline(always)]
pub(super) fn choose<T: Target>(
    sides: &mut [Sides<T>],
    member: &Member,
    last: bool,
    chance: &mut impl Chance,
    probability: impl Fn(&Sides<T>) -> f64,
) -> [bool; 2] {
    let mut p = [None; 2];
    for (p, side) in p.iter_mut().zip(sides.iter()) {
        if side.holds(member) {
            *p = Some(probability(side));
        }
    }
    // A chain that retraces takes no part in the choice.
    let free = |at: usize| p[at].filter(|_| sides.get(at).is_some_and(|side| !side.retraces || !last));
    let mut choice = match (free(0), free(1)) {
        (Some(p), Some(q)) => chance.two_events(p, q).into(),
        (Some(p), None) => [chance.event(p), false],
        (None, Some(q)) => [false, chance.event(q)],
        (None, None) => [false, false],
    };
    if last {
        for ((side, p), choice) in sides.iter_mut().zip(p).zip(&mut choice) {
            let Some(p) = p else { continue };
            if side.retraces {
                *choice = side.was_with_i(member);
            }
            side.log_split += libm::log(if *choice { p } else { 1.0 - p });
        }
    }
    choice
}

/// From the first states: proposes, accepts or rejects, with one uniform; says whether any chain has moved.
#[inline(always)]
pub(super) fn decide<T: Target>(
    sides: &mut [Sides<T>],
    members: &[Member],
    chance: &mut impl Chance,
) -> bool {
    let p = [0, 1].map(|at| sides.get_mut(at).map_or(0.0, |side| side.propose(members)));
    accept(sides, members, p, chance)
}

/// Accepts or rejects what is proposed, with one uniform; says whether any chain has moved.
#[inline(always)]
pub(super) fn accept<T: Target>(
    sides: &mut [Sides<T>],
    members: &[Member],
    p: [f64; 2],
    chance: &mut impl Chance,
) -> bool {
    let accepted = match sides.len() {
        1 => [chance.event(p[0]), false],
        _ => chance.two_events(p[0], p[1]).into(),
    };
    for (side, accepted) in sides.iter_mut().zip(accepted) {
        side.conclude(members, accepted);
    }
    accepted[0] || accepted[1]
}
