//! Split-merge moves that work on two clusters in place make, bit for bit, the moves of a plain one on copies of states.

mod support;

use partita::chance::{Chance, Source};
use partita::coupling::{Independent, Labels, Maximal};
use partita::kernel::{Alignment, Chains, Sams, SamsEven, Shuffle, Workspace};
use partita::rng::Purpose;
use partita::{Gibbs, Kernel, Partition, SplitMerge, State, Stream, Target};
use support::{Family, families, with_target};

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
    fn new(target: &'a T, current: &'a mut State<T>, (i, j): (usize, usize)) -> Self {
        let mut launch = current.clone();
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
    fn propose(&self) -> (f64, State<T>) {
        let mut proposed = self.current.clone();
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

/// Runs one attempt, or two with shared chance: each binary choice of both uses one uniform.
fn run<T: Target>(attempts: &mut [Attempt<T>], scans: usize, chance: &mut impl Chance) {
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
    let proposals: Vec<_> = attempts.iter().map(|attempt| attempt.propose()).collect();
    let accepted = match proposals[..] {
        [(p, _)] => [chance.event(p), false],
        [(p, _), (q, _)] => chance.two_events(p, q).into(),
        _ => unreachable!("one attempt or two"),
    };
    for ((attempt, (_, mut proposed)), accepted) in attempts.iter_mut().zip(proposals).zip(accepted) {
        if accepted {
            std::mem::swap(attempt.current, &mut proposed);
        }
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

/// All log weights of a state, as bits.
fn bits<T: Target>(target: &T, state: &State<T>) -> Vec<u64> {
    let (z, mut out) = (state.partition(), Vec::new());
    for item in 0..target.len() {
        let slots = 0..z.clusters() + usize::from(!z.is_alone(item));
        out.extend(slots.map(|slot| target.log_weight(state.stats(), z, item, slot).to_bits()));
    }
    out
}

fn slots<T: Target>(state: &State<T>) -> Vec<usize> {
    state.partition().slots().collect()
}

/// A first state: classes by turns where the target has them, else one that is possible.
fn first<T: Target>(target: &T, clusters: usize) -> State<T> {
    let labels: Vec<usize> = (0..target.len()).map(|item| item % clusters).collect();
    let z = Partition::from_labels(&labels).unwrap();
    let possible = || support::states(target).swap_remove(0);
    State::new(target, if target.log_probability(&z) > f64::NEG_INFINITY { z } else { possible() })
}

#[test]
fn single_moves_are_those_on_copies() {
    let mut moved = 0;
    for family in families(6) {
        with_target!(family, |name, target| for clusters in 1..=3 {
            let (mut fast, mut work) = (first(&target, clusters), Workspace::new());
            let mut plain = fast.clone();
            for t in 1..=300 {
                let stream = Stream::new(3, clusters as u64);
                let before = slots(&fast);
                SplitMerge::default().step(&target, &mut fast, &mut stream.sweep(t), &mut work);
                let mut source = stream.sweep(t);
                let pair = anchors(target.len(), &mut source.sequence(Purpose::SplitMerge));
                let mut attempt = [Attempt::new(&target, &mut plain, pair)];
                run(&mut attempt, 5, &mut source.sequence(Purpose::SplitMergeX));
                assert_eq!(slots(&fast), slots(&plain), "{name}, move {t}");
                assert_eq!(bits(&target, &fast), bits(&target, &plain), "{name}, move {t}");
                moved += usize::from(slots(&fast) != before);
            }
        });
    }
    assert!(moved > 1000, "moves are accepted, not {moved} alone");
}

#[test]
fn coupled_moves_are_those_on_copies() {
    for family in families(6) {
        with_target!(family, |name, target| for alignment in [Alignment::Aligned, Alignment::Independent] {
            let (mut x, mut y) = (first(&target, 1), first(&target, 3));
            let mut chains = Chains::new(x.clone(), y.clone());
            let (kernel, mut work) = (SplitMerge { scans: 2, alignment }, Workspace::new());
            for t in 1..=200 {
                let stream = Stream::new(4, 0);
                kernel.coupled_step(&target, &mut chains, &mut Independent, &mut stream.sweep(t), &mut work);
                let mut source = stream.sweep(t);
                let pair = anchors(target.len(), &mut source.sequence(Purpose::SplitMerge));
                let mut attempts = [Attempt::new(&target, &mut x, pair), Attempt::new(&target, &mut y, pair)];
                let mut chance = source.sequence(Purpose::SplitMergeX);
                if alignment == Alignment::Aligned {
                    run(&mut attempts, 2, &mut chance);
                } else {
                    run(&mut attempts[..1], 2, &mut chance);
                    run(&mut attempts[1..], 2, &mut source.sequence(Purpose::SplitMergeY));
                }
                for (fast, plain) in [(chains.x(), &x), (chains.y(), &y)] {
                    assert_eq!(slots(fast), slots(plain), "{name}, {alignment:?}, move {t}");
                    assert_eq!(bits(&target, fast), bits(&target, plain), "{name}, {alignment:?}, move {t}");
                }
                assert_eq!(chains.have_met(), x.partition() == y.partition());
                // The order in which clusters were opened is the same, too: a coupling by it makes the same sweep.
                let mut copies = Chains::new(x, y);
                for chains in [&mut chains, &mut copies] {
                    let mut coupling = Maximal::new(Labels::ByOpening);
                    Gibbs.coupled_step(&target, chains, &mut coupling, &mut stream.sweep(t), &mut work);
                }
                (x, y) = (copies.x().clone(), copies.y().clone());
                assert_eq!(slots(chains.x()), slots(&x), "{name}, {alignment:?}, sweep {t}");
                assert_eq!(slots(chains.y()), slots(&y), "{name}, {alignment:?}, sweep {t}");
            }
        });
    }
}

/// A move that is rejected leaves no trace in the statistics.
#[test]
fn a_rejected_move_leaves_the_very_bits() {
    fn check<T: Target>(name: &str, target: &T, kernel: &impl Kernel<T>) {
        let (mut state, mut work, mut rejected) = (first(target, 2), Workspace::new(), 0);
        for t in 1..=300 {
            let (before, weights) = (slots(&state), bits(target, &state));
            kernel.step(target, &mut state, &mut Stream::new(5, 0).sweep(t), &mut work);
            if slots(&state) == before {
                assert_eq!(bits(target, &state), weights, "{name}, move {t}");
                rejected += 1;
            }
        }
        assert!(rejected > 10, "{name}: {rejected} moves were rejected");
    }
    for family in families(6) {
        with_target!(family, |name, target| {
            check(&name, &target, &Sams);
            check(&name, &target, &SamsEven(None));
            check(&name, &target, &Shuffle);
        });
    }
}
