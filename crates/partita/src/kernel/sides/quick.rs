//! The split-merge move on copies of two clusters, with every decision made as soon as it is certain.
//!
//! The state changes only if the move is accepted, and then by the steps of the plain move. A choice compares a uniform `u`
//! with `1 / (1 + exp(odds))`, which is to compare `odds` with `ln((1 - u) / u)`. The latter is known beforehand, so odds
//! that differ from it by more than their error need not be known better. Otherwise everything is computed as the plain
//! move does, so the two always decide alike.

use super::{Member, Sides, let_one_win};
use crate::chance::Chance;
use crate::math::exp;
use crate::special::log;
use crate::target::{Target, Trial};
use pulp::{Arch, NullaryFnOnce};

/// More than the rounding of a probability can shift the mark that odds are compared with.
const ROUNDING: f64 = 1e-8;

/// One chain's trial.
struct Try<'a, 'b, T: Target> {
    side: &'a mut Sides<'b, T>,
    /// Items on the two sides now, and before the last scan.
    sizes: [usize; 2],
    sizes_before: [usize; 2],
    /// The odds against the split so far: `log_split` is that of the odds before. And how wrong both may be.
    against: f64,
    log_split: f64,
    error: f64,
    /// Whether the split may be less probable than that by any factor.
    at_most: bool,
}

/// One move of one chain, or of two with shared chance; says whether a chain has moved. As
/// [`SplitMerge`](crate::SplitMerge) makes it, bit for bit.
pub(in crate::kernel) fn run<T: Target, R: Trial<T::Stats>, C: Chance>(
    trial: &R,
    sides: &mut [Sides<T>],
    members: &mut [Member],
    scans: usize,
    chance: &mut C,
    draws: &mut Draws,
) -> bool {
    Arch::new().dispatch(Run { trial, sides, members, scans, chance, draws })
}

struct Run<'a, 'b, T: Target, R, C> {
    trial: &'a R,
    sides: &'a mut [Sides<'b, T>],
    members: &'a mut [Member],
    scans: usize,
    chance: &'a mut C,
    draws: &'a mut Draws,
}

impl<T: Target, R: Trial<T::Stats>, C: Chance> NullaryFnOnce for Run<'_, '_, T, R, C> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Run { trial, sides, members, scans, chance, draws } = self;
        match sides {
            [x] => run_all(trial, [Try::new(trial, x)], members, scans, chance, draws),
            [x, y] => {
                let tries = [Try::new(trial, x), Try::new(trial, y)];
                run_all(trial, tries, members, scans, chance, draws)
            }
            _ => unreachable!("one chain or two"),
        }
    }
}

#[inline(always)]
fn run_all<T: Target, C: Chance, const N: usize>(
    trial: &impl Trial<T::Stats>,
    mut tries: [Try<T>; N],
    members: &mut [Member],
    scans: usize,
    chance: &mut C,
    draws: &mut Draws,
) -> bool {
    let slack = trial.slack() + ROUNDING;
    draws.fill(chance, members.len());
    for (member, u) in members.iter_mut().zip(&draws.uniforms) {
        for side in &mut tries {
            side.launch(trial, member, *u < 0.5);
        }
    }
    for side in &mut tries {
        trial.settle(side.room());
    }
    for _ in 0..scans {
        draws.fill(chance, members.len());
        draws.mark();
        for (member, (&u, &mark)) in members.iter_mut().zip(draws.uniforms.iter().zip(&draws.marks)) {
            for side in &mut tries {
                if side.side.holds(member) {
                    let (to_i, _) = side.choose(trial, member, u, mark, slack);
                    side.send(trial, member, to_i);
                }
            }
        }
    }
    for side in &mut tries {
        side.sizes_before = side.sizes;
        trial.keep(side.room());
    }
    // A merging chain retraces its own state, to find how probable that split would be: it takes no part in the choice.
    let splits = tries.each_ref().map(|side| (side.side.splits, side.side.chain));
    let is_free = |member: &Member| splits.iter().any(|&(splits, chain)| splits && member.held[chain]);
    draws.fill(chance, members.iter().filter(|member| is_free(member)).count());
    draws.mark();
    let mut choices = draws.uniforms.iter().zip(&draws.marks);
    for member in members.iter_mut() {
        let choice = if is_free(member) { choices.next() } else { None };
        let (&u, &mark) = choice.unwrap_or((&0.5, &0.0));
        for side in &mut tries {
            if side.side.holds(member) {
                side.scan_at_last(trial, member, u, mark, slack);
            }
        }
    }
    let u = chance.uniform();
    let mut moved = false;
    for side in &mut tries {
        moved |= side.decide(trial, members, u);
    }
    moved
}

/// The chance of a scan: a uniform for each choice and its mark.
#[derive(Debug, Default)]
pub(in crate::kernel) struct Draws {
    uniforms: Vec<f64>,
    marks: Vec<f64>,
}

impl Draws {
    /// For as many as there are items, so that no later move allocates.
    pub(super) fn make_room(&mut self, items: usize) {
        self.uniforms.clear();
        self.marks.clear();
        self.uniforms.reserve(items);
        self.marks.reserve(items);
    }

    #[inline(always)]
    fn fill(&mut self, chance: &mut impl Chance, wanted: usize) {
        self.uniforms.resize(wanted, 0.0);
        chance.uniforms(&mut self.uniforms);
    }

    #[inline(always)]
    fn mark(&mut self) {
        self.marks.resize(self.uniforms.len(), 0.0);
        for (out, &u) in self.marks.iter_mut().zip(&self.uniforms) {
            *out = mark(u);
        }
    }
}

/// Log odds below this let the event happen that a uniform `u` decides; NaN, which nothing is below or above, where
/// rounding is not far below [`ROUNDING`].
#[inline(always)]
fn mark(u: f64) -> f64 {
    let is_plain = (u > 1e-6) & (u < 1.0 - 1e-6);
    let plain = if is_plain { u } else { 0.5 };
    let mark = log((1.0 - plain) / plain);
    if is_plain { mark } else { f64::NAN }
}

impl<'a, 'b, T: Target> Try<'a, 'b, T> {
    fn new(trial: &impl Trial<T::Stats>, side: &'a mut Sides<'b, T>) -> Self {
        let (z, leaves) = (side.state.partition(), side.splits.then_some(side.j));
        let sizes = side.slots.map(|slot| z.sizes()[slot] as usize);
        trial.begin(side.state.stats(), side.slots, leaves, side.room);
        let sizes = if side.splits { [sizes[0] - 1, 1] } else { sizes };
        Try { side, sizes, sizes_before: sizes, against: 1.0, log_split: 0.0, error: 0.0, at_most: false }
    }

    #[inline(always)]
    fn room(&mut self) -> &mut T::Stats {
        self.side.room.as_mut().expect("a trial has begun")
    }

    #[inline(always)]
    fn with_i(&self, member: &Member) -> bool {
        member.with_i[self.side.chain]
    }

    /// Sends an item without settling.
    #[inline(always)]
    fn shift(&mut self, trial: &impl Trial<T::Stats>, item: usize, to_i: bool) {
        trial.shift(self.room(), item, to_i);
        let (to, from) = if to_i { (0, 1) } else { (1, 0) };
        self.sizes[to] += 1;
        self.sizes[from] -= 1;
    }

    /// The first division, from where the item was.
    #[inline(always)]
    fn launch(&mut self, trial: &impl Trial<T::Stats>, member: &mut Member, to_i: bool) {
        if self.side.holds(member) {
            member.with_i[self.side.chain] = to_i;
            if self.side.was_with_i(member) != to_i {
                self.shift(trial, member.item(), to_i);
            }
        }
    }

    #[inline(always)]
    fn send(&mut self, trial: &impl Trial<T::Stats>, member: &mut Member, to_i: bool) {
        if self.with_i(member) != to_i {
            member.with_i[self.side.chain] = to_i;
            self.shift(trial, member.item(), to_i);
            trial.settle(self.room());
        }
    }

    /// Whether an item goes to `i`, and its log odds, wrong by less than the slack.
    #[inline(always)]
    fn choose(
        &mut self,
        trial: &impl Trial<T::Stats>,
        member: &Member,
        u: f64,
        mark: f64,
        slack: f64,
    ) -> (bool, f64) {
        let (item, with_i, sizes) = (member.item(), self.with_i(member), self.sizes);
        if let Some(odds) = trial.quick_log_odds(self.room(), sizes, item, with_i)
            && (odds - mark).abs() > slack
        {
            return (odds < mark, odds);
        }
        let weights = trial.log_weights(self.room(), sizes, item, with_i);
        let odds = weights[1] - weights[0];
        (if (odds - mark).abs() > ROUNDING { odds < mark } else { u < let_one_win(weights) }, odds)
    }

    #[inline(always)]
    fn scan_at_last(
        &mut self,
        trial: &impl Trial<T::Stats>,
        member: &mut Member,
        u: f64,
        mark: f64,
        slack: f64,
    ) {
        // Whoever retraces wants the odds alone: no mark is far enough from infinity.
        let mark = if self.side.splits { mark } else { f64::INFINITY };
        let (mut to_i, odds) = self.choose(trial, member, u, mark, slack);
        if !self.side.splits {
            to_i = self.side.was_with_i(member);
        }
        self.count(if to_i { odds } else { -odds }, to_i, slack);
        member.scanned_with_i[self.side.chain] = self.with_i(member);
        self.send(trial, member, to_i);
    }

    /// Adds a choice, of the given log odds against it, to the probability of the split.
    #[inline(always)]
    fn count(&mut self, against: f64, to_i: bool, slack: f64) {
        // The plain move takes the probability of `j` from 1: digits get lost where it is small.
        if against < 30.0 {
            let odds = 1.0 + if against < 0.0 { exp(against) } else { 1.0 / exp(-against) };
            self.against *= odds;
            self.error += slack + if to_i { 0.0 } else { 1e-15 * odds };
        } else if to_i && against < 600.0 {
            self.log_split -= against;
            self.error += slack;
        } else if against >= 30.0 {
            // Nearly nothing is left of 1, or nothing.
            self.log_split -= 29.0;
            self.at_most = true;
        } else {
            self.error = f64::INFINITY;
        }
        if self.against > 1e250 {
            self.log_split -= log(self.against);
            self.against = 1.0;
        }
    }

    /// From the last scan: proposes, accepts or rejects, and says whether the chain has moved.
    #[inline(always)]
    fn decide(&mut self, trial: &impl Trial<T::Stats>, members: &[Member], u: f64) -> bool {
        let log_split = self.log_split - log(self.against);
        let clusters = self.side.state.partition().clusters() - usize::from(!self.side.splits);
        let sizes = self.sizes;
        let (log_ratio, error, walked) = match trial.quick_split(self.room(), sizes, clusters) {
            Some((split, error)) => (if self.side.splits { split } else { -split }, error, None),
            None => {
                let log_ratio = self.side.walk(members);
                (log_ratio, 0.0, Some(log_ratio))
            }
        };
        let log_accept = if self.side.splits { log_ratio - log_split } else { log_ratio + log_split };
        let beyond = log_accept - if u > 1e-12 { log(u) } else { f64::NAN };
        let error = self.error + error + ROUNDING + 1e-12 * (log_ratio.abs() + log_split.abs());
        // A merge is no more probable than the way back; of a split that says nothing.
        let is_certain =
            if self.at_most { !self.side.splits && beyond < -error } else { beyond.abs() > error };
        if is_certain {
            let accepted = beyond > 0.0;
            match walked {
                Some(_) => self.side.conclude(members, accepted),
                None if accepted => self.side.move_plainly(members),
                None => (),
            }
            return accepted;
        }
        self.side.log_split = self.log_split_exactly(trial, members);
        let log_ratio = walked.unwrap_or_else(|| self.side.walk(members));
        let accepted = u < self.side.acceptance(log_ratio);
        self.side.conclude(members, accepted);
        accepted
    }

    /// Makes the last scan again, to the last bit.
    #[cold]
    fn log_split_exactly(&mut self, trial: &impl Trial<T::Stats>, members: &[Member]) -> f64 {
        trial.bring_back(self.room());
        self.sizes = self.sizes_before;
        let (chain, mut log_split) = (self.side.chain, 0.0);
        for member in members.iter().filter(|m| m.held[chain]) {
            let (item, sizes, with_i) = (member.item(), self.sizes, member.scanned_with_i[chain]);
            let p = let_one_win(trial.log_weights(self.room(), sizes, item, with_i));
            let to_i = member.with_i[chain];
            log_split += libm::log(if to_i { p } else { 1.0 - p });
            if to_i != with_i {
                self.shift(trial, item, to_i);
            }
        }
        log_split
    }
}

impl<T: Target> Sides<'_, T> {
    /// The steps of the walk, without their weights, to the end.
    fn move_plainly(&mut self, members: &[Member]) {
        let chain = self.chain;
        if self.splits {
            let new = self.state.partition().clusters();
            self.state.place(self.target, self.j, new);
            for member in members.iter().filter(|m| m.held[chain] && !m.with_i[chain]) {
                self.state.place(self.target, member.item(), self.slot(false));
            }
            return;
        }
        let (before, after) = members.split_at(members.partition_point(|m| m.item() < self.j));
        let with_j = |m: &&Member| m.held[chain] && !m.was_with_i[chain];
        let [before, after] = [before, after].map(|part| part.iter().filter(with_j).map(Member::item));
        for item in before.chain([self.j]).chain(after) {
            self.state.place(self.target, item, self.slot(true));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::chance::{Chance, Source};
    use crate::coupling::Independent;
    use crate::kernel::{Chains, Workspace};
    use crate::likelihood::{Column, Dirichlet, GammaPoisson, NormalInverseGamma, NormalInverseWishart};
    use crate::rng::{Purpose, Sequence, Stream, Sweep};
    use crate::{Full, Gibbs, Kernel, Mixed, Mixture, Partition, Prior, SplitMerge, State, Target};
    use proptest::prelude::*;

    /// The same numbers without leave to compare them: the plain move.
    struct Plain(Sweep);
    struct PlainSequence(Sequence);

    impl Chance for PlainSequence {
        fn uniform(&mut self) -> f64 {
            self.0.uniform()
        }
    }

    impl Source for Plain {
        type Items = <Sweep as Source>::Items;
        type Sequence = PlainSequence;

        fn items(&mut self, purpose: Purpose) -> Self::Items {
            self.0.items(purpose)
        }

        fn sequence(&mut self, purpose: Purpose) -> PlainSequence {
            PlainSequence(self.0.sequence(purpose))
        }
    }

    fn agree<T: Target>(target: &T, seed: u64) -> Result<(), TestCaseError> {
        let labels = |k: usize| (0..target.len()).map(|item| item % k).collect::<Vec<_>>();
        let state = |k: usize| State::new(target, Partition::from_labels(&labels(k)).unwrap());
        let (mut quick, mut plain) = (Chains::new(state(2), state(5)), Chains::new(state(2), state(5)));
        let (mut work, mut same, move_one) = (Workspace::new(), Workspace::new(), SplitMerge::default());
        let stream = Stream::new(seed, 0);
        for t in 1..=40 {
            let (mut a, mut b) = (stream.sweep(t), Plain(stream.sweep(t)));
            if t % 4 == 0 {
                Gibbs.coupled_step(target, &mut quick, &mut Independent, &mut a, &mut work);
                Gibbs.coupled_step(target, &mut plain, &mut Independent, &mut b, &mut same);
            } else if t % 4 == 1 {
                move_one.step(target, &mut quick.x, &mut a, &mut work);
                move_one.step(target, &mut plain.x, &mut b, &mut same);
                quick.recount();
                plain.recount();
            } else {
                move_one.coupled_step(target, &mut quick, &mut Independent, &mut a, &mut work);
                move_one.coupled_step(target, &mut plain, &mut Independent, &mut b, &mut same);
            }
            for (a, b) in [(quick.x(), plain.x()), (quick.y(), plain.y())] {
                prop_assert_eq!(a.partition().canonical_labels(), b.partition().canonical_labels());
                // A copy has no closed clusters, which may differ.
                prop_assert_eq!(format!("{:?}", a.stats().clone()), format!("{:?}", b.stats().clone()));
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

        /// Every state has the very bits that the plain move leaves, in models with quick odds and without.
        #[test]
        fn quick_moves_are_plain_moves(
            columns in 1usize..14,
            gap in prop::sample::select(vec![0.0, 1.0, 3.0, 1e4]),
            seed in 0u64..1 << 40,
        ) {
            let (items, prior) = (60, Prior::dirichlet(1.0).unwrap());
            let mut chance = Stream::new(seed, 1).sequence(Purpose::Data, 0);
            let cell = |at: usize| gap * (at / columns % 3) as f64 + chance.normal();
            let values: Vec<f64> = (0..items * columns).map(cell).collect();
            let weak = NormalInverseGamma::weak(columns);
            agree(&Mixture::new(prior, Mixed::diagonal(values.clone(), columns, weak).unwrap()), seed)?;
            let kinds: Vec<Column> = (0..columns)
                .map(|column| match column % 3 {
                    0 => Column::Normal(weak),
                    1 => Column::Count(GammaPoisson::around(2.0)),
                    _ => Column::Category(Dirichlet::weak(3)),
                })
                .collect();
            let kind = |(at, x): (usize, &f64)| match at % columns % 3 {
                0 => *x,
                1 => x.abs().floor(),
                _ => x.abs().floor().min(2.0),
            };
            let mixed: Vec<f64> = values.iter().enumerate().map(kind).collect();
            agree(&Mixture::new(prior, Mixed::new(&mixed, &kinds).unwrap()), seed)?;
            let wishart = NormalInverseWishart::weak(columns);
            agree(&Mixture::new(prior, Full::new(values, &wishart).unwrap()), seed)?;
        }
    }

    /// Numbers drawn together are those drawn one by one, wherever one is left over.
    #[test]
    fn numbers_come_in_the_same_order() {
        let sequence = || Stream::new(5, 3).sequence(Purpose::Data, 0);
        let (mut one_by_one, mut together) = (sequence(), sequence());
        for wanted in [0, 1, 0, 7, 8, 9, 1, 16, 17, 33, 2] {
            let mut numbers = vec![0.0; wanted];
            together.uniforms(&mut numbers);
            assert!(numbers.iter().all(|u| *u == one_by_one.uniform()));
        }
    }
}
