//! The Poisson equation: estimates of its solution and of the asymptotic variance against dense algebra.
//!
//! The transition matrix is that of the very code, walked through all its decisions; the truth comes from solving
//! the equation with it. Each test judges all its z-scores together (Bonferroni) at a false-alarm probability of
//! 5e-5. Seeds are fixed.

mod support;

use nalgebra::{DMatrix, DVector};
use partita::aggregate::{self, Moments};
use partita::atoms::{Atom, Atoms};
use partita::coupling::{Nugget, Optimal};
use partita::kernel::{Alignment, Then};
use partita::partition::Metric;
use partita::poisson::{Fishy, draw};
use partita::rng::Purpose;
use partita::start::{FromPrior, Start};
use partita::summary::{Clusters, CoClustering, Summary, TopShares};
use partita::{Gibbs, Kernel, Pair, Partition, Prior, Schedule, SplitMerge, State, Stream, Target};
use support::{Family, families, probabilities, states, step_law, with_target};

const ITEMS: usize = 5;

fn summaries() -> ((Clusters, TopShares), CoClustering) {
    ((Clusters, TopShares(1)), CoClustering::new(vec![(0, 1)], ITEMS).unwrap())
}

fn coupling() -> Nugget<Optimal> {
    Nugget::new(Optimal::new(Metric::Hamming, ITEMS), 1e-3).unwrap()
}

/// The split-merge move; with the sweep after it, the second kernel.
const MOVE: SplitMerge = SplitMerge { scans: 1, alignment: Alignment::Aligned };

fn split_merge() -> Then<SplitMerge, Gibbs> {
    Then(MOVE, Gibbs)
}

/// The transition matrix of a kernel on the enumerated states.
fn matrix<T: Target>(target: &T, states: &[Partition], kernel: &impl Kernel<T>) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(states.len(), states.len());
    for (i, z) in states.iter().enumerate() {
        let law = step_law(target, kernel, z);
        for (j, to) in states.iter().enumerate() {
            matrix[(i, j)] = law.get(&to.canonical_labels()).copied().unwrap_or(0.0);
        }
    }
    matrix
}

/// What is true of one target and kernel: states, and a value of each summary on each, a column per summary.
struct Truth {
    states: Vec<Partition>,
    /// The solution `g` with mean zero.
    g: DMatrix<f64>,
    /// The asymptotic variances, equation (1) of `partita::poisson`.
    variance: Vec<f64>,
}

impl Truth {
    fn new<T: Target>(target: &T, transition: impl Fn(&[Partition]) -> DMatrix<f64>) -> Truth {
        let states = states(target);
        let p = DVector::from_vec(probabilities(target, &states));
        let summary = summaries();
        let width = Summary::<T>::len(&summary);
        let mut h = DMatrix::zeros(states.len(), width);
        let mut values = vec![0.0; width];
        for (i, z) in states.iter().enumerate() {
            summary.evaluate(target, &State::new(target, z.clone()), &mut values);
            (0..width).for_each(|j| h[(i, j)] = values[j]);
        }
        let mean = h.transpose() * &p;
        (0..width).for_each(|j| h.column_mut(j).add_scalar_mut(-mean[j]));
        // (I - P + 1 p') g = h0 has the one solution of the Poisson equation with p' g = 0.
        let n = states.len();
        let transition = transition(&states);
        let singular = DMatrix::identity(n, n) - transition + DVector::from_element(n, 1.0) * p.transpose();
        let g = singular.lu().solve(&h).expect("the chain has one invariant law");
        let product = |a: &DMatrix<f64>, b: &DMatrix<f64>, j| {
            a.column(j).iter().zip(b.column(j).iter()).zip(p.iter()).map(|((a, b), p)| p * a * b).sum::<f64>()
        };
        let variance = (0..width).map(|j| 2.0 * product(&h, &g, j) - product(&h, &h, j)).collect();
        Truth { states, g, variance }
    }
}

fn truth_of_gibbs<T: Target>(target: &T) -> Truth {
    Truth::new(target, |states| matrix(target, states, &Gibbs))
}

/// A move, then a sweep: the product of the two matrices.
fn truth_of_split_merge<T: Target>(target: &T) -> Truth {
    Truth::new(target, |states| matrix(target, states, &MOVE) * matrix(target, states, &Gibbs))
}

#[derive(Default)]
struct Scores(Vec<(String, f64)>);

impl Scores {
    fn add(&mut self, name: String, values: &[f64], truth: f64) -> aggregate::Estimate {
        let mean = aggregate::mean(values).unwrap();
        assert!(mean.se > 0.0, "{name}");
        self.0.push((name, (mean.value - truth) / mean.se));
        mean
    }

    /// Fails where the largest z-score is beyond what chance allows once in 20,000 tests.
    fn judge(self) {
        use statrs::distribution::{ContinuousCDF, Normal};
        let bar = -Normal::standard().inverse_cdf(5e-5 / 2.0 / self.0.len() as f64);
        let (name, worst) = self.0.iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).unwrap();
        println!("{} scores, largest {worst:.2} ({name}), allowed {bar:.2}", self.0.len());
        assert!(worst.abs() < bar, "{name}: z = {worst:.2}, allowed {bar:.2}");
    }
}

/// Targets of five items: known covariance, a table of all kinds of columns, blocks, a colouring.
fn targets() -> Vec<Family> {
    let wanted = ["Dirichlet process, isotropic", "Pitman-Yor", "mixed columns", "blocks", "path, 3 colours"];
    let named = |family: &Family| with_target!(family, |name, _target| wanted.contains(&&name[..]));
    let targets: Vec<Family> = families(ITEMS).into_iter().filter(named).collect();
    assert_eq!(targets.len(), wanted.len());
    targets
}

/// The mean of `G_y(x)` is `g(x) - g(y)`, for pairs of states far and near.
fn check_solution<T: Target, K: Kernel<T>>(
    scores: &mut Scores,
    name: &str,
    target: &T,
    kernel: &K,
    truth: &Truth,
) {
    let n = truth.states.len();
    for (x, y) in [(0, n - 1), (n / 2, 0), (n - 1, n - 2)] {
        let mut pair = Pair::abreast(target, kernel, coupling());
        let solutions: Vec<Vec<f64>> = (0..4000)
            .map(|number| {
                let mut fishy = Fishy::new(summaries());
                let [from, to] = [x, y].map(|i| truth.states[i].clone());
                let outcome = pair.run(from, to, &Stream::new(31, number), &mut fishy);
                assert_eq!(Some(outcome.kernel_calls), outcome.ending.tau().map(|tau| 2 * tau));
                fishy.solution().to_vec()
            })
            .collect();
        for j in 0..truth.g.ncols() {
            let each: Vec<f64> = solutions.iter().map(|s| s[j]).collect();
            if each.iter().any(|v| *v != each[0]) {
                let expected = truth.g[(x, j)] - truth.g[(y, j)];
                scores.add(format!("{name}, {x} to {y}, value {j}"), &each, expected);
            }
        }
    }
}

#[test]
fn coupled_pairs_solve_the_poisson_equation() {
    let mut scores = Scores::default();
    for family in targets() {
        with_target!(family, |name, target| {
            check_solution(&mut scores, &name, &target, &Gibbs, &truth_of_gibbs(&target));
            if name == "Pitman-Yor" {
                let truth = truth_of_split_merge(&target);
                check_solution(&mut scores, &format!("{name}, split-merge"), &target, &split_merge(), &truth);
            }
        });
    }
    scores.judge();
}

/// One replicate's kept atoms, under a schedule so short that weights of both signs are common.
fn replicate<T: Target, K: Kernel<T>>(target: &T, kernel: &K, start: &impl Start, number: u64) -> Vec<Atom> {
    let schedule = Schedule::new(2, 1, 6).unwrap();
    let stream = Stream::new(32, number);
    let mut atoms = Atoms::new(schedule, 3, &stream);
    let x = start.draw(&mut stream.sequence(Purpose::StartX, 0));
    let y = start.draw(&mut stream.sequence(Purpose::StartY, 0));
    Pair::new(target, kernel, coupling(), 2).unwrap().run(x, y, &stream, &mut atoms);
    atoms.into_atoms()
}

/// The mean over pairs of replicates is the asymptotic variance: by equation (3) of `partita::poisson`, and by the
/// paper's formula with `y` fixed, written out, which is also held against it.
fn check_variance<T: Target, K: Kernel<T>>(
    scores: &mut Scores,
    name: &str,
    target: &T,
    kernel: &K,
    start: &impl Start,
    truth: &Truth,
) {
    let width = truth.variance.len();
    let fixed = truth.states[0].clone();
    let (mut ours, mut papers) = (vec![Vec::new(); width], vec![Vec::new(); width]);
    let mut signs = 0;
    for pair in 0..4000 {
        let stream = Stream::new(33, pair);
        let mut chance = stream.sequence(Purpose::Atoms, 0);
        let measures = [2 * pair, 2 * pair + 1].map(|number| replicate(target, kernel, start, number));
        let drawn = measures.each_ref().map(|atoms| {
            let (atom, weight) = draw(atoms.iter().map(|atom| atom.weight), &mut chance);
            signs += usize::from(weight < 0.0);
            (weight, &atoms[atom].partition)
        });
        let [(weight_x, x), (weight_y, y)] = drawn;
        let mut fishy = Fishy::new(summaries());
        Pair::abreast(target, kernel, coupling()).run(x.clone(), y.clone(), &stream, &mut fishy);
        for (ours, term) in ours.iter_mut().zip(fishy.variances()) {
            ours.push(weight_x * weight_y * term);
        }

        // The paper: -[(p1(h²) + p2(h²)) / 2 - p1(h) p2(h)] + the mean over both orders of 2 w (h(x) - p2(h)) G_y(x).
        let value = |z: &Partition| {
            let mut values = vec![0.0; width];
            summaries().evaluate(target, &State::new(target, z.clone()), &mut values);
            values
        };
        let integral = |atoms: &[Atom], j: usize, power: i32| -> f64 {
            atoms.iter().map(|atom| atom.weight * value(&atom.partition)[j].powi(power)).sum()
        };
        let solutions = drawn.map(|(_, from)| {
            let mut fishy = Fishy::new(summaries());
            let stream = Stream::new(34, pair);
            Pair::abreast(target, kernel, coupling()).run(from.clone(), fixed.clone(), &stream, &mut fishy);
            fishy.solution().to_vec()
        });
        for (j, papers) in papers.iter_mut().enumerate() {
            let [one, two] = measures.each_ref().map(|atoms| integral(atoms, j, 1));
            let squares = (integral(&measures[0], j, 2) + integral(&measures[1], j, 2)) / 2.0;
            let order = |i: usize, other: f64| {
                let (weight, from) = drawn[i];
                weight * (value(from)[j] - other) * solutions[i][j]
            };
            papers.push(-(squares - one * two) + order(0, two) + order(1, one));
        }
    }
    assert!(signs > 100, "{name}: {signs} weights below zero do not show much");
    for (j, truth) in truth.variance.iter().enumerate() {
        let by_paper = scores.add(format!("{name}, the paper's, value {j}"), &papers[j], *truth);
        let by_ours = scores.add(format!("{name}, value {j}"), &ours[j], *truth);
        let times = (by_paper.se / by_ours.se).powi(2);
        println!(
            "{name}, value {j}: v = {truth:.4}, found {:.4} ± {:.4}, variance 1/{times:.1}",
            by_ours.value, by_ours.se
        );
    }
}

#[test]
fn the_asymptotic_variance_is_estimated_without_bias() {
    let mut scores = Scores::default();
    for family in targets() {
        let prior = Prior::dirichlet(1.5).unwrap();
        with_target!(family, |name, target| {
            if name == "path, 3 colours" {
                continue;
            }
            let start = FromPrior { prior, items: ITEMS };
            check_variance(&mut scores, &name, &target, &Gibbs, &start, &truth_of_gibbs(&target));
            if name == "Pitman-Yor" {
                let truth = truth_of_split_merge(&target);
                let name = format!("{name}, split-merge");
                check_variance(&mut scores, &name, &target, &split_merge(), &start, &truth);
            }
        });
    }
    scores.judge();
}

/// Draws from a signed measure integrate as the measure does.
#[test]
fn draws_keep_integrals() {
    let (weights, values) = ([0.7, -0.4, 1.1, -0.1, 0.0], [1.0, 5.0, -2.0, 3.0, 100.0]);
    let truth: f64 = weights.iter().zip(values).map(|(w, v)| w * v).sum();
    let mut chance = Stream::new(5, 0).sequence(Purpose::Atoms, 0);
    let mut moments = Moments::new();
    for _ in 0..100_000 {
        let (atom, weight) = draw(weights.iter().copied(), &mut chance);
        moments.push(weight * values[atom]);
    }
    let z = (moments.mean().unwrap() - truth) / (moments.variance().unwrap() / moments.count() as f64).sqrt();
    assert!(z.abs() < 4.1, "z = {z:.2}, beyond 4.1 once in 20,000");
}
