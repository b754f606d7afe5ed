//! Optimal plans are checked against an independent solver, by enumeration and by duality.
//!
//! `microlp` may miss each margin by an absolute tolerance, so it is the judge of objectives only
//! where masses are moderate. Where masses are extreme the judge is duality: a plan with the right
//! margins and nonnegative masses is optimal if feasible duals are tight on it, and integer duals
//! leave no room for a tolerance.

use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOptions, SolveOutcome};
use partita::transport::{Solution, Transport};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(cases: u32, seed: u64) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(seed), failure_persistence: None, ..Default::default() }
}

/// Masses, masses and row-major gains.
#[derive(Debug, Clone)]
struct Instance {
    a: Vec<f64>,
    b: Vec<f64>,
    gains: Vec<i64>,
}

impl Instance {
    fn gain(&self, i: usize, j: usize) -> i64 {
        self.gains[i * self.b.len() + j]
    }
}

fn normalised(weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| w / total).collect()
}

/// Instances of up to `size` lines a side from a strategy for weights and one for gains.
fn instances(
    size: usize,
    weight: impl Strategy<Value = f64> + Clone + 'static,
    gain: impl Strategy<Value = i64> + Clone + 'static,
) -> impl Strategy<Value = Instance> {
    (1..=size, 1..=size).prop_flat_map(move |(p, q)| {
        let side = |n| {
            prop::collection::vec(weight.clone(), n).prop_map(|mut weights| {
                if weights.iter().all(|&w| w == 0.0) {
                    weights[0] = 1.0;
                }
                normalised(&weights)
            })
        };
        (side(p), side(q), prop::collection::vec(gain.clone(), p * q)).prop_map(|(a, b, gains)| Instance {
            a,
            b,
            gains,
        })
    })
}

/// Everything that makes the plan optimal: certificate, sparsity, and margins to 1e-12 of the
/// total and to 1e-9 of each line.
fn check(instance: &Instance, plan: Solution<'_>) {
    let Instance { a, b, .. } = instance;
    assert!(plan.is_certified(|i, j| instance.gain(i, j)));
    assert_eq!((plan.row_duals().len(), plan.column_duals().len()), (a.len(), b.len()));
    for i in 0..a.len() {
        for j in 0..b.len() {
            assert!(plan.row_duals()[i] + plan.column_duals()[j] >= instance.gain(i, j));
        }
    }
    let (mut rows, mut columns) = (vec![0.0; a.len()], vec![0.0; b.len()]);
    let mut seen = vec![false; a.len() * b.len()];
    for cell in plan.cells() {
        let (i, j) = (cell.row as usize, cell.column as usize);
        assert!(cell.mass > 0.0);
        assert_eq!(plan.row_duals()[i] + plan.column_duals()[j], instance.gain(i, j));
        assert!(!std::mem::replace(&mut seen[i * b.len() + j], true), "cell {i}, {j} comes twice");
        rows[i] += cell.mass;
        columns[j] += cell.mass;
    }
    let lines = a.iter().chain(b).filter(|&&m| m > 0.0).count();
    assert!(plan.cells().len() < lines, "a basic plan is a forest");
    for (sum, mass) in rows.iter().zip(a).chain(columns.iter().zip(b)) {
        assert!((sum - mass).abs() <= 1e-12, "{sum} instead of {mass}");
        assert!((sum - mass).abs() <= 1e-9 * mass, "{sum} instead of {mass}");
    }
}

/// Masses are scaled up in front of the solver, which brings its absolute tolerance down to 1e-14
/// of the total.
const SCALE: f64 = 1e4;

fn objective_of_microlp(instance: &Instance) -> f64 {
    let Instance { a, b, .. } = instance;
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let variables: Vec<_> =
        instance.gains.iter().map(|&g| problem.add_var(g as f64, (0.0, f64::INFINITY))).collect();
    for (i, &mass) in a.iter().enumerate() {
        let row = (0..b.len()).map(|j| (variables[i * b.len() + j], 1.0));
        problem.add_constraint(row, ComparisonOp::Eq, SCALE * mass);
    }
    // The last column is implied, and as an equation it would contradict the rest by rounding.
    for (j, &mass) in b.iter().enumerate().take(b.len() - 1) {
        let column = (0..a.len()).map(|i| (variables[i * b.len() + j], 1.0));
        problem.add_constraint(column, ComparisonOp::Eq, SCALE * mass);
    }
    let mut options = SolveOptions::default();
    options.tolerances.feasibility = 1e-10;
    match problem.solve_with(options).expect("a transport problem has an optimum") {
        SolveOutcome::Solution(solution) => solution.objective() / SCALE,
        SolveOutcome::Interrupted(_) => unreachable!("there is no limit to reach"),
    }
}

fn check_against_microlp(instance: &Instance) {
    let mut transport = Transport::new();
    let plan = transport.solve(&instance.a, &instance.b, |i, j| instance.gain(i, j));
    check(instance, plan);
    let expected = objective_of_microlp(instance);
    let tolerance = 1e-9 * expected.abs().max(1.0);
    assert!((plan.objective() - expected).abs() <= tolerance, "{} is not {expected}", plan.objective());
}

proptest! {
    #![proptest_config(config(400, 1))]

    #[test]
    fn random_problems_agree_with_microlp(
        instance in instances(40, 0.0..1.0_f64, -1_000_000..1_000_000_i64)
    ) {
        check_against_microlp(&instance);
    }

    /// Equal masses, multiples of 1/k and few distinct gains: ties everywhere.
    #[test]
    fn degenerate_problems_agree_with_microlp(
        instance in instances(25, (1..4_u8).prop_map(f64::from), 0..3_i64)
    ) {
        check_against_microlp(&instance);
    }

    #[test]
    fn problems_with_many_zeros_agree_with_microlp(
        instance in instances(
            30,
            prop_oneof![3 => Just(0.0), 1 => 0.0..1.0_f64, 1 => Just(0.5)],
            prop_oneof![4 => Just(0_i64), 1 => 0..20_i64],
        )
    ) {
        check_against_microlp(&instance);
    }
}

/// Masses from 1e-300 to 1, drawn so that often one line has nearly everything.
fn extreme_weight() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![
        Just(1.0),
        Just(1e-17),
        Just(1e-300),
        Just(0.0),
        0.0..1.0_f64,
        (-300.0..0.0_f64).prop_map(|x| 10_f64.powf(x)),
        (-20.0..0.0_f64).prop_map(|x| 10_f64.powf(x)),
    ]
}

proptest! {
    #![proptest_config(config(10_000, 2))]

    /// By duality: `microlp` takes masses below its tolerance for nothing.
    #[test]
    fn extreme_masses_reach_every_line(
        instance in instances(12, extreme_weight(), prop_oneof![0..4_i64, -1000..1000_i64])
    ) {
        let mut transport = Transport::new();
        check(&instance, transport.solve(&instance.a, &instance.b, |i, j| instance.gain(i, j)));
    }

    /// What coupled Gibbs steps ask for: overlaps with a dominant diagonal and without gain in
    /// the last line, and nearly the same few heavy clusters on both sides.
    #[test]
    fn a_work_space_can_be_used_again(
        batch in prop::collection::vec(
            (instances(9, extreme_weight(), 0..6_i64), 20..90_i64), 1..6
        )
    ) {
        let mut transport = Transport::new();
        for (mut instance, diagonal) in batch {
            let (p, q) = (instance.a.len(), instance.b.len());
            for i in 0..p {
                for j in 0..q {
                    let gain = &mut instance.gains[i * q + j];
                    *gain = if i + 1 == p || j + 1 == q { 0 } else if i == j { diagonal + *gain } else { *gain };
                }
            }
            let gain = |i: usize, j: usize| instance.gain(i, j);
            let plan = transport.solve(&instance.a, &instance.b, gain);
            check(&instance, plan);
            let (cells, duals) = (plan.cells().to_vec(), plan.row_duals().to_vec());
            let mut fresh = Transport::new();
            let same = fresh.solve(&instance.a, &instance.b, gain);
            prop_assert_eq!(same.cells(), &cells[..]);
            prop_assert_eq!(same.row_duals(), &duals[..]);
        }
    }
}

proptest! {
    #![proptest_config(config(60, 3))]

    #[test]
    fn large_problems_are_certified(
        instance in instances(300, prop_oneof![0.0..1.0_f64, extreme_weight()], -(1_i64 << 50)..1 << 50)
    ) {
        let mut transport = Transport::new();
        check(&instance, transport.solve(&instance.a, &instance.b, |i, j| instance.gain(i, j)));
    }

    #[test]
    fn large_assignment_problems_are_certified(
        n in 2..200_usize, gains in prop::collection::vec(0..50_i64, 200 * 200)
    ) {
        let instance = Instance { a: vec![1.0 / n as f64; n], b: vec![1.0 / n as f64; n], gains: gains[..n * n].to_vec() };
        let mut transport = Transport::new();
        check(&instance, transport.solve(&instance.a, &instance.b, |i, j| instance.gain(i, j)));
    }
}

/// The best assignment, by trying all.
fn best_assignment(instance: &Instance, row: usize, free: &mut Vec<usize>) -> i64 {
    if row == instance.a.len() {
        return 0;
    }
    let mut best = i64::MIN;
    for k in 0..free.len() {
        let column = free.swap_remove(k);
        best = best.max(instance.gain(row, column) + best_assignment(instance, row + 1, free));
        free.push(column);
        let last = free.len() - 1;
        free.swap(k, last);
    }
    best
}

proptest! {
    #![proptest_config(config(2_000, 4))]

    /// With equal masses some optimum is an assignment (Birkhoff).
    #[test]
    fn equal_masses_give_the_best_assignment(n in 1..=5_usize, gains in prop::collection::vec(-9..10_i64, 25)) {
        let instance = Instance { a: vec![1.0 / n as f64; n], b: vec![1.0 / n as f64; n], gains: gains[..n * n].to_vec() };
        let mut transport = Transport::new();
        let plan = transport.solve(&instance.a, &instance.b, |i, j| instance.gain(i, j));
        check(&instance, plan);
        let best = best_assignment(&instance, 0, &mut (0..n).collect());
        prop_assert!((plan.objective() * n as f64 - best as f64).abs() <= 1e-12 * 9.0 * n as f64);
    }
}

#[test]
fn a_wrong_greedy_plan_is_repaired() {
    // Greedy: 10 + 0 on the diagonal; the optimum is 9 + 9 off it.
    let instance = Instance { a: vec![0.5; 2], b: vec![0.5; 2], gains: vec![10, 9, 9, 0] };
    let mut transport = Transport::new();
    let plan = transport.solve(&instance.a, &instance.b, |i, j| instance.gain(i, j));
    check(&instance, plan);
    assert_eq!(plan.objective(), 9.0);
    assert!(plan.pivots() > 0);
}

#[test]
fn an_optimal_greedy_plan_needs_no_pivot() {
    let instance = Instance { a: vec![0.6, 0.4], b: vec![0.5, 0.5], gains: vec![7, 0, 0, 5] };
    let mut transport = Transport::new();
    let plan = transport.solve(&instance.a, &instance.b, |i, j| instance.gain(i, j));
    check(&instance, plan);
    assert_eq!((plan.pivots(), plan.cells().len()), (0, 3));
    assert!((plan.objective() - (0.5 * 7.0 + 0.4 * 5.0)).abs() < 1e-15);
}

#[test]
fn a_degenerate_basis_is_left() {
    // Every greedy step exhausts a row and a column at once, so half of the basic cells are
    // empty; the cyclic shift (gain 3 each) beats the greedy's diagonal (4 + 3 + 0 + 0).
    let gains = vec![4, 3, 0, 0, 0, 3, 3, 0, 0, 0, 0, 3, 3, 0, 0, 0];
    let instance = Instance { a: vec![0.25; 4], b: vec![0.25; 4], gains };
    let mut transport = Transport::new();
    let plan = transport.solve(&instance.a, &instance.b, |i, j| instance.gain(i, j));
    check(&instance, plan);
    assert_eq!(plan.objective(), 3.0);
    assert_eq!(plan.cells().len(), 4);
    assert!(plan.pivots() > 0);
}

#[test]
fn light_lines_keep_their_mass_where_heavy_ones_round() {
    // In `f64` the heavy lines agree exactly and there is nothing left for the light ones, in
    // any order; the light row must still share itself out between both columns.
    for gains in [vec![9, 0, 0, 5], vec![9, 0, 0, 0], vec![0, 9, 5, 0], vec![0; 4], vec![0, 1, 2, 3]] {
        for (a, b) in
            [([1.0, 1e-20], [1.0, 1e-25]), ([1e-25, 1.0], [1.0, 1e-20]), ([1.0, 1e-300], [1e-17, 1.0])]
        {
            let instance = Instance { a: a.to_vec(), b: b.to_vec(), gains: gains.clone() };
            let mut transport = Transport::new();
            check(&instance, transport.solve(&a, &b, |i, j| instance.gain(i, j)));
        }
    }
}

#[test]
fn massless_lines_and_empty_problems_have_duals() {
    let gain = |i: usize, j: usize| (3 * i) as i64 - (i as i64 - j as i64).pow(2);
    let mut transport = Transport::new();
    let plan = transport.solve(&[0.0, 1.0, 0.0], &[0.0, 0.25, 0.0, 0.75], gain);
    assert!(plan.is_certified(gain));
    let cells: Vec<_> = plan.cells().iter().map(|c| (c.row, c.column, c.mass)).collect();
    assert_eq!(cells, [(1, 1, 0.25), (1, 3, 0.75)]);

    for (a, b) in [(&[][..], &[][..]), (&[0.0, 0.0][..], &[0.0][..]), (&[][..], &[0.0][..])] {
        let plan = transport.solve(a, b, gain);
        assert!(plan.cells().is_empty() && plan.is_certified(gain));
        assert_eq!((plan.row_duals().len(), plan.column_duals().len()), (a.len(), b.len()));
    }
}

#[test]
fn the_certificate_rejects_other_gains() {
    let gain = |i: usize, j: usize| [[5, 1], [2, 4]][i][j];
    let mut transport = Transport::new();
    let plan = transport.solve(&[0.5, 0.5], &[0.5, 0.5], gain);
    assert!(plan.is_certified(gain));
    // One more off the plan makes the duals infeasible; one less on it makes them slack.
    let dearer = |i: usize, j: usize| gain(i, j) + if (i, j) == (0, 1) { 9 } else { 0 };
    assert!(!plan.is_certified(dearer));
    let slack = |i: usize, j: usize| gain(i, j) - i64::from((i, j) == (1, 1));
    assert!(!plan.is_certified(slack));
}
