//! Exact, without randomness: the code that runs is walked through all its decisions on small cases.
//!
//! Every kernel and coupling decides through `Chance`. Here an enumerator stands in for the random
//! numbers: it replays a run with every possible series of decisions and multiplies their
//! probabilities, so the transition matrices below are those of the very code, to rounding.

mod support;

use partita::coupling::{CommonUniform, Independent, Labels, Maximal, Nugget, Optimal};
use partita::kernel::{
    Alignment, Chains, Kempe, Sams, SamsEven, SamsNear, Shuffle, ShuffleNear, Then, Times, Workspace,
};
use partita::partition::Metric;
use partita::target::ColorMoves;
use partita::{Coloring, Coupling, Gibbs, Graph, Kernel, SplitMerge, State, Stream, Target};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use support::{
    Checking, Enumerator, Family, Law, families, lopsided, probabilities, random_graph, sequence, states,
    step_law, with_target,
};

/// Whether the steps lead from every state to every other, and whether some state may stay as it is (else
/// chains might go round in step and never meet).
fn is_irreducible(laws: &HashMap<Vec<usize>, Law>) -> bool {
    let reach = |next: &dyn Fn(&Vec<usize>) -> Vec<Vec<usize>>| {
        let first = laws.keys().min().expect("there is a state").clone();
        let (mut seen, mut open) = (HashSet::from([first.clone()]), vec![first]);
        while let Some(z) = open.pop() {
            open.extend(next(&z).into_iter().filter(|to| seen.insert(to.clone())));
        }
        seen.len() == laws.len()
    };
    let mut back: HashMap<&Vec<usize>, Vec<Vec<usize>>> = HashMap::new();
    for (z, law) in laws {
        law.iter().filter(|(_, p)| **p > 0.0).for_each(|(to, _)| back.entry(to).or_default().push(z.clone()));
    }
    let forth =
        |z: &Vec<usize>| laws[z].iter().filter(|(_, p)| **p > 0.0).map(|(to, _)| to.clone()).collect();
    let stays = laws.iter().any(|(z, law)| law.get(z).is_some_and(|p| *p > 0.0));
    stays && reach(&forth) && reach(&|z| back.get(z).cloned().unwrap_or_default())
}

fn check_invariance<T: Target>(name: &str, target: &T, kernel: &impl Kernel<T>) {
    assert!(check_laws(name, target, kernel), "{name}: some states cannot be reached");
}

/// The target is invariant; says whether every state can be reached.
fn check_laws<T: Target>(name: &str, target: &T, kernel: &impl Kernel<T>) -> bool {
    let states = states(target);
    let p = probabilities(target, &states);
    let mut after: Law = HashMap::new();
    let laws: HashMap<_, _> =
        states.iter().map(|z| (z.canonical_labels(), step_law(target, kernel, z))).collect();
    for (z, p) in states.iter().zip(&p) {
        let law = &laws[&z.canonical_labels()];
        let total: f64 = law.values().sum();
        assert!((total - 1.0).abs() < 1e-12, "{name}: a step has total probability {total}");
        for (to, q) in law {
            *after.entry(to.clone()).or_default() += p * q;
        }
    }
    for (z, p) in states.iter().zip(&p) {
        let q = after.remove(&z.canonical_labels()).unwrap_or(0.0);
        assert!((p - q).abs() < 1e-10, "{name}: {:?} has {p}, after a step {q}", z.canonical_labels());
    }
    assert!(after.values().all(|q| *q < 1e-300), "{name}: a step leaves the support");
    is_irreducible(&laws)
}

/// The target is invariant under the Gibbs sweep, on 5 items (6 for colourings), and every state is reached.
#[test]
fn gibbs_leaves_every_target_invariant() {
    for family in families(5) {
        with_target!(family, |name, target| check_invariance(&name, &target, &Gibbs));
    }
}

/// The target is invariant under split-merge: none and one restricted scan on 5 items, two on 4 (the
/// octahedron, of 6, would take too many paths).
#[test]
fn split_merge_leaves_every_target_invariant() {
    for (items, scans) in [(5, 0), (5, 1), (4, 2)] {
        let kernel = SplitMerge { scans, alignment: Alignment::Aligned };
        for family in families(items) {
            // Colourings that differ in more than one split or merge need the sweep beside the move.
            let reaches_all = !matches!(family, Family::Coloring(..));
            with_target!(family, |name, target| if target.len() <= 5 {
                assert!(
                    check_laws(&name, &target, &kernel) || !reaches_all,
                    "{name}: states are not reached"
                );
            });
        }
    }
}

/// The target is invariant under the sequentially allocated move, with any two items, near ones and evenly from all
/// clusters, on 5 items.
#[test]
fn sams_leaves_every_target_invariant() {
    for family in families(5) {
        // As for split-merge; the octahedron, of 6, is left to compositions.
        let reaches_all = !matches!(family, Family::Coloring(..));
        with_target!(family, |name, target| if target.len() <= 5 {
            assert!(check_laws(&name, &target, &Sams) || !reaches_all, "{name}: states are not reached");
            let near = SamsNear(lopsided(target.len()));
            assert!(
                check_laws(&name, &target, &near) || !reaches_all,
                "{name}, near: states are not reached"
            );
            for even in [SamsEven(None), SamsEven(Some(lopsided(target.len())))] {
                assert!(
                    check_laws(&name, &target, &even) || !reaches_all,
                    "{name}, even: states are not reached"
                );
            }
        });
    }
}

/// The target is invariant under the shuffle of two clusters, with any two items and with near ones, on 5 items.
#[test]
fn shuffle_leaves_every_target_invariant() {
    for family in families(5) {
        // As for split-merge.
        with_target!(family, |name, target| if target.len() <= 5 {
            let near = ShuffleNear(lopsided(target.len()));
            for reaches_all in [check_laws(&name, &target, &Shuffle), check_laws(&name, &target, &near)] {
                assert!(!reaches_all, "{name}: a shuffle changes the number of clusters");
            }
        });
    }
}

/// Seven vertices and three colours: moves of single vertices do not connect the colourings.
fn seven() -> Coloring {
    let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5), (5, 6)];
    Coloring::new(Graph::new(7, &edges).unwrap(), 3).unwrap()
}

/// The colourings are invariant under Kempe moves, alone and with the sweep; where single vertices are stuck,
/// Kempe chains are not.
#[test]
fn kempe_moves_leave_colorings_invariant_and_reach_them_all() {
    for family in families(5) {
        if let Family::Coloring(name, target) = family {
            check_invariance(&name, &target, &Kempe);
        }
    }
    let square = Coloring::new(Graph::new(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]).unwrap(), 2).unwrap();
    let triangle = Coloring::new(Graph::new(3, &[(0, 1), (1, 2), (2, 0)]).unwrap(), 7).unwrap();
    for (name, target) in [("square", square), ("triangle", triangle)] {
        check_invariance(name, &target, &Kempe);
        check_invariance(name, &target, &Then(Kempe, Gibbs));
    }
    check_invariance("seven", &seven(), &Kempe);
    assert!(!check_laws("seven", &seven(), &Gibbs), "single vertices connect what they cannot");
}

/// What is said about connectedness is what the enumerated steps show, on random graphs.
#[test]
fn connectedness_is_that_of_the_steps() {
    let mut chance = sequence(12);
    let mut stuck = 0;
    for case in 0..240 {
        let (n, colors) = (4 + case % 3, 2 + case % 2);
        let graph = random_graph(n, 0.5, &mut chance);
        let Ok(target) = Coloring::new(graph, colors) else { continue };
        let steps = check_laws("random graph", &target, &Gibbs);
        assert_eq!(target.is_connected(ColorMoves::Single), Some(steps));
        stuck += usize::from(!steps);
        if n <= 5 {
            let steps = check_laws("random graph", &target, &Kempe);
            assert_eq!(target.is_connected(ColorMoves::Kempe), Some(steps));
        }
    }
    assert!(stuck >= 3, "{stuck} graphs on which single vertices are stuck");
}

/// Kernels from kernels, the same one twice among them.
#[test]
fn compositions_leave_every_target_invariant() {
    let split_merge = SplitMerge { scans: 0, alignment: Alignment::Aligned };
    for family in families(3) {
        if matches!(family, Family::Mixture(..) | Family::Columns(..)) {
            with_target!(family, |name, target| {
                check_invariance(&name, &target, &Then(split_merge, Times(Gibbs, 2)));
            });
        }
    }
    for family in families(3) {
        if !matches!(family, Family::Coloring(..)) {
            with_target!(family, |name, target| {
                check_invariance(&name, &target, &Then(Times(Sams, 2), Gibbs));
                check_invariance(&name, &target, &Then(Sams, Then(SamsNear(lopsided(3)), Gibbs)));
                check_invariance(&name, &target, &Then(Sams, Then(Times(Shuffle, 2), Gibbs)));
                check_invariance(&name, &target, &Then(SamsEven(Some(lopsided(3))), Gibbs));
            });
        }
    }
}

/// No random number serves twice within a replicate, whatever kernels are made of. Draws have 53 bits: among the
/// 40,000 of a replicate here two are equal by chance with probability below 1e-7.
#[test]
fn no_address_is_used_twice() {
    fn check<T: Target>(target: &T, kernel: &impl Kernel<T>) {
        for coupling in [true, false] {
            let (stream, seen) = (Stream::new(5, 3), Rc::new(RefCell::new(HashSet::new())));
            let states = states(target);
            let state = |i: usize| State::new(target, states[i % states.len()].clone());
            let mut chains = Chains::new(state(0), state(1));
            let mut work = Workspace::new();
            for t in 1..=100 {
                let source = &mut Checking::new(&stream, t, &seen);
                if coupling {
                    kernel.coupled_step(target, &mut chains, &mut Independent, source, &mut work);
                } else {
                    let mut x = chains.x().clone();
                    kernel.step(target, &mut x, source, &mut work);
                }
            }
            assert!(seen.borrow().len() >= 100, "the kernel draws");
        }
    }
    let aligned = SplitMerge::default();
    let apart = SplitMerge { alignment: Alignment::Independent, ..aligned };
    let Family::Mixture(_, mixture) = families(5).swap_remove(0) else { unreachable!() };
    check(&mixture, &Gibbs);
    check(&mixture, &Then(Times(aligned, 5), Gibbs));
    check(&mixture, &Times(Then(apart, Times(Gibbs, 2)), 3));
    check(&mixture, &vec![Times(Gibbs, 1), Times(Gibbs, 3)]);
    check(&mixture, &Then(Times(Then(Sams, aligned), 4), Gibbs));
    check(&mixture, &Then(Times(Then(Sams, SamsNear(lopsided(5))), 4), Gibbs));
    check(&mixture, &Then(Times(Then(Sams, Then(Shuffle, ShuffleNear(lopsided(5)))), 4), Gibbs));
    check(&mixture, &Then(Times(Then(Sams, SamsEven(Some(lopsided(5)))), 4), Gibbs));
    check(&seven(), &Then(Times(Kempe, 3), Then(Gibbs, Kempe)));
}

/// With the paper's five scans on three items, and the sweep that follows the move.
#[test]
fn split_merge_as_in_the_paper_with_its_sweep() {
    for family in families(3) {
        let kernel = SplitMerge { scans: 5, alignment: Alignment::Independent };
        if !matches!(family, Family::Coloring(..)) {
            with_target!(family, |name, target| check_invariance(&name, &target, &Then(kernel, Gibbs)));
        }
    }
}

/// Each margin of a coupled step has exactly the law of the single step, from every pair of states.
fn check_margins<T: Target, K: Kernel<T>, C: Coupling>(
    name: &str,
    target: &T,
    kernel: &K,
    coupling: impl Fn() -> C,
    every: usize,
) {
    let states = states(target);
    let single: Vec<Law> = states.iter().map(|z| step_law(target, kernel, z)).collect();
    for (i, x) in states.iter().enumerate() {
        for (j, y) in states.iter().enumerate() {
            if !(i * states.len() + j).is_multiple_of(every) {
                continue;
            }
            let (mut margin_x, mut margin_y) = (Law::new(), Law::new());
            let mut stayed_equal = true;
            Enumerator::each(
                |chance| {
                    let mut chains =
                        Chains::new(State::new(target, x.clone()), State::new(target, y.clone()));
                    kernel.coupled_step(target, &mut chains, &mut coupling(), chance, &mut Workspace::new());
                    let (x, y) = (chains.x().partition(), chains.y().partition());
                    assert_eq!(chains.have_met(), x == y);
                    (x.canonical_labels(), y.canonical_labels())
                },
                |(to_x, to_y), p| {
                    stayed_equal &= to_x == to_y;
                    *margin_x.entry(to_x).or_default() += p;
                    *margin_y.entry(to_y).or_default() += p;
                },
            );
            for (margin, single, side) in [(margin_x, &single[i], "X"), (margin_y, &single[j], "Y")] {
                assert_eq!(margin.len(), single.len(), "{name}: support of {side}");
                for (to, p) in single {
                    let q = margin.get(to).copied().unwrap_or(0.0);
                    assert!((p - q).abs() < 1e-12, "{name}, {side}: {p} alone, {q} coupled");
                }
            }
            if coupling().is_faithful() && i == j {
                assert!(stayed_equal, "{name}: equal chains came apart");
            }
        }
    }
}

fn check_all_couplings<T: Target, K: Kernel<T>>(name: &str, target: &T, kernel: &K, every: usize) {
    let n = target.len();
    // A nugget that is often seen: its probability is exact under the enumerator.
    let nugget = |inner| Nugget::new(inner, 0.125).unwrap();
    check_margins(
        &format!("{name}, optimal Hamming"),
        target,
        kernel,
        || Optimal::new(Metric::Hamming, n),
        every,
    );
    check_margins(&format!("{name}, optimal VI"), target, kernel, || Optimal::new(Metric::Vi, n), every);
    check_margins(&format!("{name}, maximal"), target, kernel, || Maximal::new(Labels::ByOpening), every);
    check_margins(
        &format!("{name}, relabelled"),
        target,
        kernel,
        || Maximal::new(Labels::BySmallestMember),
        every,
    );
    check_margins(&format!("{name}, common"), target, kernel, CommonUniform::new, every);
    check_margins(&format!("{name}, independent"), target, kernel, || Independent, every * 17);
    check_margins(
        &format!("{name}, nugget"),
        target,
        kernel,
        || nugget(Optimal::new(Metric::Hamming, n)),
        every * 5,
    );
}

#[test]
fn coupled_gibbs_has_the_right_margins() {
    for (i, family) in families(4).into_iter().enumerate() {
        // All 225 pairs of states for the first target, every so many of the others'.
        let every = match family {
            Family::Mixture(..) if i == 0 => 1,
            Family::Mixture(..) | Family::Coloring(..) => 11,
            _ => 31,
        };
        with_target!(family, |name, target| check_all_couplings(&name, &target, &Gibbs, every));
    }
}

/// Both ways of coupling split-merge, on 4 items (the move alone) and 3 (with the sweep).
#[test]
fn coupled_split_merge_has_the_right_margins() {
    for alignment in [Alignment::Aligned, Alignment::Independent] {
        let kernel = SplitMerge { scans: 1, alignment };
        for family in families(4) {
            let every = match family {
                Family::Mixture(..) => 13,
                Family::Coloring(..) => 5,
                _ => 47,
            };
            with_target!(family, |name, target| if target.len() <= 4 {
                check_margins(&name, &target, &kernel, || Independent, every);
            });
        }
        for family in families(3) {
            if !matches!(family, Family::Coloring(..)) {
                let every = if matches!(family, Family::Mixture(..)) { 5 } else { 11 };
                with_target!(family, |name, target| {
                    check_all_couplings(&name, &target, &Then(kernel, Gibbs), every);
                });
            }
        }
    }
}

/// The sequentially allocated move, alone on 4 items and with the sweep on 3.
#[test]
fn coupled_sams_has_the_right_margins() {
    for family in families(4) {
        let every = if matches!(family, Family::Mixture(..) | Family::Coloring(..)) { 3 } else { 11 };
        with_target!(family, |name, target| if target.len() <= 4 {
            check_margins(&name, &target, &Sams, || Independent, every);
            check_margins(&name, &target, &Sams, || Optimal::new(Metric::Hamming, 4), every);
            check_margins(&name, &target, &SamsNear(lopsided(target.len())), || Independent, every);
            check_margins(&name, &target, &SamsEven(None), || Independent, every);
            let even = SamsEven(Some(lopsided(target.len())));
            check_margins(&name, &target, &even, || Optimal::new(Metric::Hamming, 4), 2 * every);
        });
    }
    for family in families(3) {
        if !matches!(family, Family::Coloring(..)) {
            let every = if matches!(family, Family::Mixture(..)) { 5 } else { 11 };
            with_target!(family, |name, target| {
                check_all_couplings(&name, &target, &Then(SamsEven(Some(lopsided(3))), Gibbs), every);
                check_all_couplings(&name, &target, &Then(Times(Sams, 2), Gibbs), every);
                check_all_couplings(&name, &target, &Then(SamsNear(lopsided(3)), Gibbs), every);
            });
        }
    }
}

/// The shuffle of two clusters, alone on 4 items and with other moves on 3.
#[test]
fn coupled_shuffle_has_the_right_margins() {
    for family in families(4) {
        let every = if matches!(family, Family::Mixture(..) | Family::Coloring(..)) { 3 } else { 11 };
        with_target!(family, |name, target| if target.len() <= 4 {
            check_margins(&name, &target, &Shuffle, || Independent, every);
            check_margins(&name, &target, &Shuffle, || Optimal::new(Metric::Hamming, 4), every);
            check_margins(&name, &target, &ShuffleNear(lopsided(target.len())), || Independent, every);
        });
    }
    for family in families(3) {
        if !matches!(family, Family::Coloring(..)) {
            let every = if matches!(family, Family::Mixture(..)) { 5 } else { 11 };
            with_target!(family, |name, target| {
                check_all_couplings(&name, &target, &Then(Sams, Then(Shuffle, Gibbs)), every);
                check_all_couplings(&name, &target, &Then(ShuffleNear(lopsided(3)), Gibbs), every);
            });
        }
    }
}

#[test]
fn coupled_kempe_moves_have_the_right_margins() {
    // A kite: a triangle with a tail, three and four colours; Kempe chains of one to three vertices.
    for (colors, every) in [(3, 1), (4, 3)] {
        let kite = Graph::new(4, &[(0, 1), (1, 2), (2, 0), (1, 3)]).unwrap();
        check_all_couplings("kite", &Coloring::new(kite, colors).unwrap(), &Kempe, every);
    }
    let octahedron = Coloring::new(Graph::octahedron(), 4).unwrap();
    check_margins("octahedron", &octahedron, &Kempe, || Optimal::new(Metric::Hamming, 6), 5);
    let path = Coloring::new(Graph::new(3, &[(0, 1), (1, 2)]).unwrap(), 3).unwrap();
    check_all_couplings("path of three", &path, &Then(Kempe, Gibbs), 1);
}
