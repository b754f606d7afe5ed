//! What the tests share: small targets of every family, the enumerator of all decisions, exact laws of steps.
#![allow(dead_code, unused_macros, unused_imports, reason = "each test file uses its part")]

use partita::chance::{Chance, Items, Source};
use partita::kernel::{Neighbors, Workspace};
use partita::likelihood::{
    Beside, Column, Covariance, Dirichlet, GammaPoisson, NormalInverseGamma, NormalInverseWishart,
};
use partita::partition::Partitions;
use partita::prior::Components;
use partita::rng::{Purpose, Sequence};
use partita::target::{EdgePrior, SharedPrior, Sharing};
use partita::{
    Blocks, Coloring, Full, Gaussian, Graph, Kernel, Mixed, Mixture, Partition, Prior, SharedVariance, State,
    Stream, Target,
};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// A target of one of the families.
#[allow(clippy::large_enum_variant, reason = "there are a few of each")]
pub enum Family {
    Mixture(String, Mixture<Gaussian>),
    Columns(String, Mixture<Mixed>),
    Full(String, Mixture<Full>),
    Beside(String, Mixture<Beside<Full, Mixed>>),
    Shared(String, SharedVariance),
    Blocks(String, Blocks),
    Coloring(String, Coloring),
}

/// Runs the same code for a target of any family.
macro_rules! with_target {
    ($family:expr, |$name:ident, $target:ident| $body:expr) => {
        match $family {
            Family::Mixture($name, $target) => $body,
            Family::Columns($name, $target) => $body,
            Family::Full($name, $target) => $body,
            Family::Beside($name, $target) => $body,
            Family::Shared($name, $target) => $body,
            Family::Blocks($name, $target) => $body,
            Family::Coloring($name, $target) => $body,
        }
    };
}
pub(crate) use with_target;

/// The kinds of columns, with hyperparameters that have nothing round about them.
pub fn columns() -> [Column; 4] {
    [
        Column::Normal(NormalInverseGamma { mean: 0.1, kappa: 0.4, shape: 1.3, rate: 0.5 }),
        Column::Count(GammaPoisson { shape: 0.8, rate: 0.3 }),
        Column::Category(Dirichlet { concentrations: vec![0.5, 0.9, 0.4] }),
        Column::Category(Dirichlet::beta(0.7, 1.2)),
    ]
}

/// The model families beyond known covariances: with gaps where there may be some.
fn more_families(items: usize, plane: &[f64]) -> Vec<Family> {
    let dp = Prior::dirichlet(0.9).unwrap();
    let two = || plane[..2 * items].to_vec();
    let mut gaps = two();
    (gaps[2], gaps[5]) = (f64::NAN, f64::NAN);
    let [normal, count, category, yes] = columns();
    let counts = [0.0, 3.0, 1.0, 12.0, f64::NAN, 7.0, 2.0, 0.0, 5.0, 9.0, 1.0, f64::NAN];
    let levels = [0.0, 1.0, 2.0, 1.0, f64::NAN, 0.0, 2.0, f64::NAN, 2.0, 1.0, 0.0, 0.0];
    let mixed: Vec<f64> =
        (0..items).flat_map(|i| [gaps[2 * i], counts[2 * i], levels[2 * i], levels[2 * i + 1]]).collect();
    let tables = [
        ("normal columns with gaps", Mixed::new(&gaps, &[normal.clone(), normal.clone()])),
        ("counts with gaps", Mixed::new(&counts[..2 * items], &[count.clone(), count.clone()])),
        ("categories with gaps", Mixed::new(&levels[..2 * items], &[category.clone(), yes.clone()])),
        ("mixed columns", Mixed::new(&mixed, &[normal, count, category, yes])),
    ];
    let wishart = NormalInverseWishart {
        mean: vec![0.2, -0.1],
        kappa: 0.4,
        degrees: 3.3,
        scale: vec![0.8, 0.2, 0.2, 0.5],
    };
    // The second row of the block is missing.
    let mut block = two();
    block[2..4].fill(f64::NAN);
    let block = Full::new(block, &wishart).unwrap();
    let rest: Vec<f64> = (0..items).flat_map(|i| [counts[2 * i], levels[2 * i + 1]]).collect();
    let rest = Mixed::new(&rest, &[columns()[1].clone(), columns()[3].clone()]).unwrap();
    let beside = Beside::new((block, &[0, 2]), (rest, &[1, 3])).unwrap();
    let shared = |sharing| {
        let variance = SharedPrior { kappa: 0.3, shape: 1.4, rate: 0.6 };
        SharedVariance::new(dp, two(), &[0.1, 0.2], variance, sharing).unwrap()
    };
    let edges: Vec<_> = (1..items).map(|v| (v / 2, v)).chain([(1, 2), (0, 3)]).collect();
    let edges: Vec<_> = edges.into_iter().filter(|(u, v)| u.max(v) < &items).collect();
    let graph = Graph::new(items, &edges).unwrap();
    let edge = EdgePrior { present: 0.6, absent: 1.7 };
    let columns = tables
        .into_iter()
        .map(|(name, table)| Family::Columns(name.into(), Mixture::new(dp, table.unwrap())));
    columns
        .chain([
            Family::Full("full covariance".into(), Mixture::new(dp, Full::new(two(), &wishart).unwrap())),
            Family::Beside("a block beside columns".into(), Mixture::new(dp, beside)),
            Family::Shared("shared variance".into(), shared(Sharing::Everything)),
            Family::Shared("a shared variance a column".into(), shared(Sharing::EachColumn)),
            Family::Blocks("blocks".into(), Blocks::new(dp, graph, edge).unwrap()),
        ])
        .collect()
}

/// Targets of every family on about `items` items: every prior, every shape of covariance, graphs.
pub fn families(items: usize) -> Vec<Family> {
    let plane = [0.3, -1.2, 0.4, -0.9, -1.1, 0.8, 1.7, 0.2, -0.6, 0.1, 0.5, 1.4];
    let values = || plane[..2 * items].to_vec();
    let isotropic = || Gaussian::isotropic(values(), 2, 1.1, 0.6).unwrap();
    let prior = Covariance::Dense { matrix: vec![1.5, 0.4, 0.4, 0.7] };
    let noise = Covariance::Dense { matrix: vec![0.5, -0.2, -0.2, 0.4] };
    let dense = Gaussian::new(values(), &[0.2, -0.1], &prior, &noise).unwrap();
    let prior = Covariance::Diagonal { sd: vec![0.8, 1.4] };
    let noise = Covariance::Diagonal { sd: vec![0.5, 0.9] };
    let diagonal = Gaussian::new(values(), &[0.0, 0.3], &prior, &noise).unwrap();
    let dp = Prior::dirichlet(0.9).unwrap();
    let mixtures = [
        ("Dirichlet process, isotropic", dp, isotropic()),
        ("Dirichlet process, diagonal", dp, diagonal),
        ("Dirichlet process, dense", dp, dense),
        ("alpha integrated out", Prior::dirichlet_gamma(2.0, 4.0).unwrap(), isotropic()),
        ("Pitman-Yor", Prior::pitman_yor(0.35, 0.4).unwrap(), isotropic()),
        (
            "finite mixture, Poisson",
            Prior::finite_mixture(0.8, Components::Poisson { rate: 1.0 }).unwrap(),
            isotropic(),
        ),
        (
            "finite mixture, exactly 2",
            Prior::finite_mixture(1.5, Components::Exactly(2)).unwrap(),
            isotropic(),
        ),
    ];
    let path: Vec<_> = (1..items).map(|v| (v - 1, v)).collect();
    let colorings = [
        ("path, 3 colours", Coloring::new(Graph::new(items, &path).unwrap(), 3).unwrap()),
        ("octahedron, 4 colours", Coloring::new(Graph::octahedron(), 4).unwrap()),
    ];
    let mixtures = mixtures
        .into_iter()
        // With two components at most, more clusters than two have probability zero: states differ.
        .map(|(name, prior, likelihood)| Family::Mixture(name.into(), Mixture::new(prior, likelihood)));
    let colorings = colorings.into_iter().map(|(name, c)| Family::Coloring(name.into(), c));
    mixtures.chain(more_families(items, &plane)).chain(colorings).collect()
}

/// Random numbers for data.
pub fn sequence(seed: u64) -> Sequence {
    Stream::new(seed, 0).sequence(Purpose::Data, 0)
}

/// Neighbours that are not mutual: the first item has none, each other one has one or two before it.
pub fn lopsided(items: usize) -> Arc<Neighbors> {
    let lists: Vec<Vec<usize>> = (0..items).map(|item| (item.saturating_sub(2)..item).collect()).collect();
    Arc::new(Neighbors::new(&lists).unwrap())
}

/// Columns of all kinds, more of them than lanes, and cells of which a share is missing.
pub fn random_table(items: usize, missing: f64, chance: &mut Sequence) -> (Vec<Column>, Vec<f64>) {
    let mut columns = Vec::new();
    for _ in 0..2 {
        columns.extend(self::columns());
        columns.push(Column::Normal(NormalInverseGamma::weak(1)));
        columns.push(Column::Normal(NormalInverseGamma { kappa: 2.0, shape: 0.7, mean: -1.0, rate: 3.0 }));
        columns.push(Column::Count(GammaPoisson::around(4.0)));
        columns.push(Column::Category(Dirichlet::weak(5)));
    }
    let mut values = Vec::new();
    for _ in 0..items {
        for column in &columns {
            let value = match column {
                Column::Normal(_) => 2.0 * chance.normal(),
                Column::Count(_) => {
                    let most = if chance.event(0.1) { 4000 } else { 9 };
                    chance.below(most) as f64
                }
                Column::Category(p) => chance.below(p.levels()) as f64,
                other => unreachable!("{other:?}"),
            };
            values.push(if chance.event(missing) { f64::NAN } else { value });
        }
    }
    (columns, values)
}

/// Every edge with probability `p`.
pub fn random_graph(n: usize, p: f64, chance: &mut Sequence) -> Graph {
    let mut edges = Vec::new();
    for u in 0..n {
        for v in u + 1..n {
            if chance.event(p) {
                edges.push((u, v));
            }
        }
    }
    Graph::new(n, &edges).unwrap()
}

/// Replays a function with every series of decisions it can make.
///
/// A decision is a list of probabilities. The script says which branch each decision takes; behind
/// the script's end the first branch of positive probability is taken and remembered. Then the last
/// decision that has another branch is advanced, until there is none.
#[derive(Clone, Default)]
pub struct Enumerator(Rc<RefCell<Script>>);

#[derive(Default)]
struct Script {
    /// Branch taken and probabilities of each decision made so far.
    decisions: Vec<(usize, Vec<f64>)>,
    /// The next decision to make.
    next: usize,
    probability: f64,
}

impl Enumerator {
    /// Runs `run` for every series of decisions; `each` gets the result and its probability.
    pub fn each<R>(mut run: impl FnMut(&mut Enumerator) -> R, mut each: impl FnMut(R, f64)) {
        let mut chance = Enumerator::default();
        loop {
            {
                let mut script = chance.0.borrow_mut();
                script.next = 0;
                script.probability = 1.0;
            }
            let result = run(&mut chance);
            let mut script = chance.0.borrow_mut();
            assert_eq!(script.next, script.decisions.len(), "a replay made fewer decisions");
            each(result, script.probability);
            // Advance the last decision with another branch of positive probability.
            while let Some((taken, masses)) = script.decisions.pop() {
                if let Some(next) = (taken + 1..masses.len()).find(|&i| masses[i] > 0.0) {
                    script.decisions.push((next, masses));
                    break;
                }
            }
            if script.decisions.is_empty() {
                return;
            }
        }
    }

    fn decide(&mut self, masses: Vec<f64>) -> usize {
        let mut script = self.0.borrow_mut();
        let at = script.next;
        script.next += 1;
        if at == script.decisions.len() {
            let first = masses.iter().position(|m| *m > 0.0).expect("a positive mass");
            script.decisions.push((first, masses));
        }
        let (taken, masses) = &script.decisions[at];
        let (taken, factor) = (*taken, masses[*taken] / masses.iter().sum::<f64>());
        script.probability *= factor;
        taken
    }
}

impl Chance for Enumerator {
    fn uniform(&mut self) -> f64 {
        unreachable!("kernels and couplings decide between finitely many branches")
    }

    fn pick(&mut self, masses: impl Iterator<Item = f64> + Clone) -> usize {
        self.decide(masses.collect())
    }

    fn pick_lazily<O>(&mut self, _: f64, mut next: impl FnMut() -> Option<(O, f64)>) -> O {
        let (mut outcomes, masses): (Vec<O>, Vec<f64>) = std::iter::from_fn(&mut next).unzip();
        outcomes.swap_remove(self.decide(masses))
    }

    fn event(&mut self, p: f64) -> bool {
        self.decide(vec![p, 1.0 - p]) == 0
    }

    fn below(&mut self, n: usize) -> usize {
        self.decide(vec![1.0; n])
    }

    fn two_events(&mut self, p: f64, q: f64) -> (bool, bool) {
        // One uniform: below both, between them, above both.
        let branches = [(true, true), (p > q, q > p), (false, false)];
        branches[self.decide(vec![p.min(q), (p - q).abs(), 1.0 - p.max(q)])]
    }
}

impl Source for Enumerator {
    type Items = Enumerator;
    type Sequence = Enumerator;

    fn items(&mut self, _: Purpose) -> Enumerator {
        self.clone()
    }

    fn sequence(&mut self, _: Purpose) -> Enumerator {
        self.clone()
    }
}

impl Items for Enumerator {
    type Item = Enumerator;

    fn item(&mut self, _: usize) -> Enumerator {
        self.clone()
    }
}

/// Probabilities of partitions, by their labels.
pub type Law = HashMap<Vec<usize>, f64>;

/// The partitions of positive probability.
pub fn states<T: Target>(target: &T) -> Vec<Partition> {
    Partitions::of(target.len()).filter(|z| target.log_probability(z) > f64::NEG_INFINITY).collect()
}

/// The enumerated target, normalised.
pub fn probabilities<T: Target>(target: &T, states: &[Partition]) -> Vec<f64> {
    let logs: Vec<f64> = states.iter().map(|z| target.log_probability(z)).collect();
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|l| (l - highest).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| w / total).collect()
}

/// The law of one step from `start`.
pub fn step_law<T: Target>(target: &T, kernel: &impl Kernel<T>, start: &Partition) -> Law {
    let mut law = Law::new();
    Enumerator::each(
        |chance| {
            let mut state = State::new(target, start.clone());
            kernel.step(target, &mut state, chance, &mut Workspace::new());
            state.partition().canonical_labels()
        },
        |result, p| *law.entry(result).or_default() += p,
    );
    law
}

/// Random numbers of a replicate that remember every draw: an address used twice gives the same number twice.
#[derive(Clone)]
pub struct Checking<C> {
    chance: C,
    seen: Rc<RefCell<HashSet<u64>>>,
}

impl Checking<partita::rng::Sweep> {
    /// The chance of one sweep, among those of a replicate whose draws are in `seen`.
    pub fn new(stream: &Stream, sweep: u64, seen: &Rc<RefCell<HashSet<u64>>>) -> Self {
        Checking { chance: stream.sweep(sweep), seen: seen.clone() }
    }
}

impl<C> Checking<C> {
    fn with<D>(&self, chance: D) -> Checking<D> {
        Checking { chance, seen: self.seen.clone() }
    }
}

impl<C: Source> Source for Checking<C> {
    type Items = Checking<C::Items>;
    type Sequence = Checking<C::Sequence>;

    fn items(&mut self, purpose: Purpose) -> Self::Items {
        let items = self.chance.items(purpose);
        self.with(items)
    }

    fn sequence(&mut self, purpose: Purpose) -> Self::Sequence {
        let sequence = self.chance.sequence(purpose);
        self.with(sequence)
    }
}

impl<C: Items> Items for Checking<C> {
    type Item = Checking<C::Item>;

    fn item(&mut self, item: usize) -> Self::Item {
        let chance = self.chance.item(item);
        self.with(chance)
    }
}

impl<C: Chance> Chance for Checking<C> {
    fn uniform(&mut self) -> f64 {
        let uniform = self.chance.uniform();
        assert!(self.seen.borrow_mut().insert(uniform.to_bits()), "an address was used twice");
        uniform
    }
}
