//! Exact, without randomness: the code that runs is walked through all its decisions on small cases.
//!
//! Every kernel and coupling decides through `Chance`. Here an enumerator stands in for the random
//! numbers: it replays a run with every possible series of decisions and multiplies their
//! probabilities, so the transition matrices below are those of the very code, to rounding.

mod support;

use partita::coupling::{CommonUniform, Independent, Labels, Maximal, Nugget, Optimal};
use partita::kernel::{Alignment, Chains, Workspace};
use partita::partition::Metric;
use partita::{Coupling, Gibbs, Kernel, SplitMerge, State, Target};
use std::collections::HashMap;
use support::{Enumerator, Family, Law, MoveOnly, families, probabilities, states, step_law, with_target};

fn check_invariance<T: Target>(name: &str, target: &T, kernel: &impl Kernel<T>) {
    let states = states(target);
    let p = probabilities(target, &states);
    let mut after: Law = HashMap::new();
    for (z, p) in states.iter().zip(&p) {
        let law = step_law(target, kernel, z);
        let total: f64 = law.values().sum();
        assert!((total - 1.0).abs() < 1e-12, "{name}: a step has total probability {total}");
        for (to, q) in law {
            *after.entry(to).or_default() += p * q;
        }
    }
    for (z, p) in states.iter().zip(&p) {
        let q = after.remove(&z.canonical_labels()).unwrap_or(0.0);
        assert!((p - q).abs() < 1e-10, "{name}: {:?} has {p}, after a step {q}", z.canonical_labels());
    }
    assert!(after.values().all(|q| *q < 1e-300), "{name}: a step leaves the support");
}

/// The target is invariant under the Gibbs sweep, on 5 items (6 for colourings).
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
            with_target!(family, |name, target| if target.len() <= 5 {
                check_invariance(&name, &target, &MoveOnly(kernel));
            });
        }
    }
}

/// With the paper's five scans on three items, and the sweep that follows the move.
#[test]
fn split_merge_as_in_the_paper_with_its_sweep() {
    for family in families(3) {
        let kernel = SplitMerge { scans: 5, alignment: Alignment::Independent };
        if !matches!(family, Family::Coloring(..)) {
            with_target!(family, |name, target| check_invariance(&name, &target, &kernel));
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
                check_margins(&name, &target, &MoveOnly(kernel), || Independent, every);
            });
        }
        for family in families(3) {
            if !matches!(family, Family::Coloring(..)) {
                let every = if matches!(family, Family::Mixture(..)) { 5 } else { 11 };
                with_target!(family, |name, target| check_all_couplings(&name, &target, &kernel, every));
            }
        }
    }
}
