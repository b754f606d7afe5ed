//! The split-merge move (Jain, Neal 2004): a whole cluster comes apart, or two become one.

use super::{Chains, Kernel, Workspace};
use crate::chance::{Chance, Source};
use crate::coupling::Coupling;
use crate::rng::Purpose;
use crate::target::{State, Target};

/// How the split-merge moves of two chains are coupled. Both share the pair of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alignment {
    /// As in the paper: given the pair of items the two chains move independently.
    Independent,
    /// The two items align the sides of the chains: the launch is shared, every restricted choice
    /// and the acceptance are coupled maximally.
    #[default]
    Aligned,
}

/// One split-merge move. It moves items of at most two clusters, so it wants a Gibbs sweep beside it:
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
    /// Restricted Gibbs scans that make the launch state.
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

/// One chain's attempt to split the cluster of items `i` and `j`, or to merge their two clusters.
struct Attempt<'a, T: Target> {
    target: &'a T,
    current: &'a mut State<T>,
    /// The launch state, in which restricted scans run.
    launch: State<T>,
    i: usize,
    j: usize,
    splits: bool,
    /// Log probability of the last restricted scan's choices.
    log_scan: f64,
}

impl<'a, T: Target> Attempt<'a, T> {
    fn new(
        target: &'a T,
        current: &'a mut State<T>,
        (i, j): (usize, usize),
        work: &mut Workspace<T>,
    ) -> Self {
        let mut launch = copy(current, work);
        let splits = current.partition().together(i, j);
        if splits {
            let new = launch.partition().clusters();
            launch.place(target, j, new);
        }
        Attempt { target, current, launch, i, j, splits, log_scan: 0.0 }
    }

    /// Whether an item is moved between the two sides.
    fn holds(&self, item: usize) -> bool {
        let z = self.current.partition();
        item != self.i && item != self.j && (z.together(item, self.i) || z.together(item, self.j))
    }

    /// Sends an item of the launch state to the side of `i`, or to that of `j`.
    fn send(&mut self, item: usize, to_i: bool) {
        let slot = self.launch.partition().slot(if to_i { self.i } else { self.j });
        self.launch.place(self.target, item, slot);
    }

    /// The restricted conditional probability of the side of `i`.
    fn chance_of_i(&self, item: usize) -> f64 {
        let (z, stats) = (self.launch.partition(), self.launch.stats());
        let with_i = self.target.log_weight(stats, z, item, z.slot(self.i));
        let with_j = self.target.log_weight(stats, z, item, z.slot(self.j));
        if with_i == f64::NEG_INFINITY && with_j == f64::NEG_INFINITY {
            // A launch state may be impossible under the target; any fixed rule keeps the move valid.
            return 0.5;
        }
        1.0 / (1.0 + libm::exp(with_j - with_i))
    }

    /// The probability of accepting, once the last scan has been made, and the proposed state.
    fn propose(&self, work: &mut Workspace<T>) -> (f64, State<T>) {
        let mut proposed = copy(self.current, work);
        let items = 0..self.target.len();
        // The ratio of target probabilities, as a walk of single moves from current to proposed.
        let log_ratio = if self.splits {
            let new = proposed.partition().clusters();
            let mut log_ratio = self.walk(&mut proposed, self.j, |_| new);
            for item in items.filter(|&item| self.holds(item)) {
                if self.launch.partition().together(item, self.j) {
                    log_ratio += self.walk(&mut proposed, item, |z| z.partition().slot(self.j));
                }
            }
            log_ratio
        } else {
            items
                .filter(|&item| self.current.partition().together(item, self.j))
                .map(|item| self.walk(&mut proposed, item, |z| z.partition().slot(self.i)))
                .sum()
        };
        let log_accept = if self.splits { log_ratio - self.log_scan } else { log_ratio + self.log_scan };
        // An impossible proposal makes minus infinity, or NaN where it is impossible twice over.
        let accept = if log_accept.is_nan() { 0.0 } else { libm::exp(log_accept.min(0.0)) };
        (accept, proposed)
    }

    /// Moves one item and returns the log ratio of the probabilities after and before.
    fn walk(&self, state: &mut State<T>, item: usize, to: impl Fn(&State<T>) -> usize) -> f64 {
        let slot = to(state);
        let weight = |slot| self.target.log_weight(state.stats(), state.partition(), item, slot);
        let ratio = weight(slot) - weight(state.partition().slot(item));
        state.place(self.target, item, slot);
        ratio
    }
}

/// A copy of a state in memory of an earlier one.
fn copy<T: Target>(state: &State<T>, work: &mut Workspace<T>) -> State<T> {
    match work.copies.pop() {
        Some(mut copy) => {
            copy.clone_from(state);
            copy
        }
        None => state.clone(),
    }
}

/// Runs one attempt, or two with shared chance: each binary choice of both uses one uniform.
fn run<T: Target>(
    attempts: &mut [Attempt<T>],
    scans: usize,
    chance: &mut impl Chance,
    work: &mut Workspace<T>,
) {
    let n = attempts[0].target.len();
    for item in 0..n {
        if attempts.iter().any(|a| a.holds(item)) {
            let to_i = chance.event(0.5);
            for attempt in attempts.iter_mut().filter(|a| a.holds(item)) {
                attempt.send(item, to_i);
            }
        }
    }
    for scan in 0..=scans {
        let last = scan == scans;
        for item in 0..n {
            restricted_choice(attempts, item, last, chance);
        }
    }
    let proposals: Vec<_> = attempts.iter().map(|attempt| attempt.propose(work)).collect();
    let accepted = match proposals[..] {
        [(p, _)] => [chance.event(p), false],
        [(p, _), (q, _)] => chance.two_events(p, q).into(),
        _ => unreachable!("one attempt or two"),
    };
    for ((attempt, (_, mut proposed)), accepted) in attempts.iter_mut().zip(proposals).zip(accepted) {
        if accepted {
            std::mem::swap(attempt.current, &mut proposed);
        }
        work.copies.push(proposed);
    }
}

/// One item of one restricted scan. In the last scan a merging chain retraces its own state, to
/// find how probable the opposite split would be.
fn restricted_choice<T: Target>(
    attempts: &mut [Attempt<T>],
    item: usize,
    last: bool,
    chance: &mut impl Chance,
) {
    let probability = |a: &Attempt<T>| a.holds(item).then(|| a.chance_of_i(item));
    let mut p = [None; 2];
    for (p, attempt) in p.iter_mut().zip(attempts.iter()) {
        *p = probability(attempt);
    }
    let retraces = |a: &Attempt<T>| last && !a.splits;
    // A chain that retraces takes no part in the choice.
    let free = |i: usize| p[i].filter(|_| attempts.get(i).is_some_and(|a| !retraces(a)));
    let mut choice = match (free(0), free(1)) {
        (Some(p), Some(q)) => chance.two_events(p, q).into(),
        (Some(p), None) => [chance.event(p), false],
        (None, Some(q)) => [false, chance.event(q)],
        (None, None) => [false, false],
    };
    for (i, attempt) in attempts.iter_mut().enumerate() {
        let Some(p) = p[i] else { continue };
        if last && !attempt.splits {
            choice[i] = attempt.current.partition().together(item, attempt.i);
        }
        if last {
            attempt.log_scan += libm::log(if choice[i] { p } else { 1.0 - p });
        }
        attempt.send(item, choice[i]);
    }
}

/// A uniform pair of different items.
fn anchors(items: usize, chance: &mut impl Chance) -> (usize, usize) {
    let i = chance.below(items);
    let j = chance.below(items - 1);
    (i, j + usize::from(j >= i))
}

impl<T: Target> Kernel<T> for SplitMerge {
    fn step(&self, target: &T, state: &mut State<T>, source: &mut impl Source, work: &mut Workspace<T>) {
        if target.len() > 1 {
            let pair = anchors(target.len(), &mut source.sequence(Purpose::SplitMerge));
            let mut attempt = [Attempt::new(target, state, pair, work)];
            run(&mut attempt, self.scans, &mut source.sequence(Purpose::SplitMergeX), work);
            work.copies.extend(attempt.into_iter().map(|a| a.launch));
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
        if coupling.is_faithful() && chains.have_met() {
            // The paper's independent moves would part them: equal chains make one step for both.
            self.step(target, &mut chains.x, source, work);
            chains.merge();
        } else if target.len() > 1 {
            let pair = anchors(target.len(), &mut source.sequence(Purpose::SplitMerge));
            let x = Attempt::new(target, &mut chains.x, pair, work);
            let y = Attempt::new(target, &mut chains.y, pair, work);
            let mut attempts = [x, y];
            let mut chance = source.sequence(Purpose::SplitMergeX);
            match self.alignment {
                Alignment::Aligned => run(&mut attempts, self.scans, &mut chance, work),
                Alignment::Independent => {
                    run(&mut attempts[..1], self.scans, &mut chance, work);
                    let mut chance = source.sequence(Purpose::SplitMergeY);
                    run(&mut attempts[1..], self.scans, &mut chance, work);
                }
            }
            work.copies.extend(attempts.into_iter().map(|a| a.launch));
            chains.recount();
        }
    }
}
