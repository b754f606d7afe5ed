//! Nanoseconds per item-step of single sweeps for each model family on generated data of 200 x 10, and what moves of two
//! clusters cost by the sweep.
//!
//! `cargo bench -p partita --bench families` prints a table; `-- quakes.csv` that of a file of numbers instead, as normal
//! columns and with full covariances; `-- widths` those two on generated data of 400 rows in 8 clusters and 5, 13 and 30
//! columns. Machines are noisy: medians of rounds that take turns, in time on the processor where
//! the system tells it, and only ratios within one run count.

use partita::chance::Chance;
use partita::coupling::{Nugget, Optimal};
use partita::kernel::{Chains, Sams, Workspace};
use partita::likelihood::{Column, Dirichlet, GammaPoisson, NormalInverseGamma, NormalInverseWishart};
use partita::partition::Metric;
use partita::rng::Purpose;
use partita::target::{EdgePrior, SharedPrior, Sharing};
use partita::{
    Blocks, Full, Gaussian, Gibbs, Graph, Kernel, Mixed, Mixture, Partition, Prior, SharedVariance,
    SplitMerge, State, Stream, Target,
};
use std::time::{Duration, Instant};

const ROUNDS: usize = 7;
const ITEMS: usize = 200;
const COLUMNS: usize = 10;
const COMPONENTS: usize = 5;
/// Sweeps from the first state, which knows the components, to one of the posterior.
const BURN_IN: u64 = 200;

/// Nanoseconds this thread has been on a processor (Linux), so that busy machines can be measured on.
fn on_processor() -> Option<f64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// What one round measures.
#[derive(Clone, Copy)]
struct Figures {
    /// Nanoseconds per item-step of a single sweep.
    step: f64,
    clusters: f64,
    /// Moves by the sweep: split-merge and sams of one chain, then of two that are apart.
    moves: [f64; 4],
}

type Round<'a> = Box<dyn Fn() -> Figures + 'a>;

/// Steps of one chain, which stays in the posterior.
fn single<T: Target>(target: &T, state: &mut State<T>, kernel: &impl Kernel<T>, seed: u64) -> (f64, f64) {
    let (mut work, stream, mut t, mut clusters) = (Workspace::new(), Stream::new(seed, 0), 0, 0.0);
    let (start, on_start) = (Instant::now(), on_processor());
    while start.elapsed() < Duration::from_millis(60) {
        t += 1;
        kernel.step(target, state, &mut stream.sweep(t), &mut work);
        clusters += state.partition().clusters() as f64;
    }
    let wall = start.elapsed().as_nanos() as f64;
    let time = on_start.and_then(|start| Some(on_processor()? - start)).unwrap_or(wall);
    (time / t as f64, clusters / t as f64)
}

/// First coupled steps of two chains that are apart, always the same two; copies are made beforehand.
fn coupled<T: Target>(target: &T, [x, y]: &[State<T>; 2], kernel: &impl Kernel<T>) -> f64 {
    let mut coupling = Nugget::new(Optimal::new(Metric::Hamming, target.len()), 1e-5).unwrap();
    let (mut work, stream, mut t) = (Workspace::new(), Stream::new(4, 0), 0);
    let (start, mut spent) = (Instant::now(), Duration::ZERO);
    while start.elapsed() < Duration::from_millis(80) {
        let mut chains = Chains::new(x.clone(), y.clone());
        t += 1;
        let begin = Instant::now();
        kernel.coupled_step(target, &mut chains, &mut coupling, &mut stream.sweep(t), &mut work);
        spent += begin.elapsed();
    }
    spent.as_nanos() as f64 / t as f64
}

fn round<T: Target>(target: &T, components: usize) -> Figures {
    let labels: Vec<usize> = (0..target.len()).map(|item| item % components).collect();
    let first = State::new(target, Partition::from_labels(&labels).unwrap());
    let mut states = [first.clone(), first];
    for (state, seed) in states.iter_mut().zip([2, 3]) {
        let (mut work, stream) = (Workspace::new(), Stream::new(seed, 0));
        (1..=BURN_IN).for_each(|t| Gibbs.step(target, state, &mut stream.sweep(t), &mut work));
    }
    let (sweep, clusters) = single(target, &mut states[0], &Gibbs, 5);
    let (split_merge, _) = single(target, &mut states[0], &SplitMerge::default(), 6);
    let (sams, _) = single(target, &mut states[0], &Sams, 7);
    let both = coupled(target, &states, &Gibbs);
    let moves = [
        split_merge / sweep,
        sams / sweep,
        coupled(target, &states, &SplitMerge::default()) / both,
        coupled(target, &states, &Sams) / both,
    ];
    Figures { step: sweep / target.len() as f64, clusters, moves }
}

/// A table of numbers with a head, its columns standardised.
fn table_of(path: &str) -> (Vec<f64>, usize) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let cells =
        |line: &str| -> Vec<f64> { line.split(',').map(|cell| cell.parse().expect("a number")).collect() };
    let mut rows: Vec<Vec<f64>> = text.lines().skip(1).map(cells).collect();
    let (n, columns) = (rows.len() as f64, rows[0].len());
    for column in 0..columns {
        let mean = rows.iter().map(|row| row[column]).sum::<f64>() / n;
        let sd = (rows.iter().map(|row| (row[column] - mean).powi(2)).sum::<f64>() / n).sqrt();
        rows.iter_mut().for_each(|row| row[column] = (row[column] - mean) / sd);
    }
    (rows.concat(), columns)
}

fn main() {
    match std::env::args().skip(1).find(|word| !word.starts_with('-')).as_deref() {
        Some("widths") => return [5, 13, 30].into_iter().for_each(of_width),
        Some(path) => return of_file(path),
        None => (),
    }
    let mut chance = Stream::new(1, 0).sequence(Purpose::Data, 0);
    let centers: Vec<f64> = (0..COMPONENTS * COLUMNS).map(|_| 0.85 * chance.normal()).collect();
    let center = |at: usize| centers[at / COLUMNS % COMPONENTS * COLUMNS + at % COLUMNS];
    let cells = ITEMS * COLUMNS;
    let values: Vec<f64> = (0..cells).map(|at| center(at) + 0.5 * chance.normal()).collect();
    let mut gaps = values.clone();
    gaps.iter_mut().for_each(|x| {
        if chance.event(0.1) {
            *x = f64::NAN
        }
    });
    // Counts about exp(center) * 4 by adding up exponential waiting times; levels by rounding.
    let mut poisson = |mean: f64| {
        let (mut waited, mut events) = (0.0, 0.0);
        loop {
            waited -= (1.0 - chance.uniform()).ln();
            if waited > mean {
                return events;
            }
            events += 1.0;
        }
    };
    let counts: Vec<f64> = (0..cells).map(|at| poisson(4.0 * center(at).exp())).collect();
    let levels: Vec<f64> = values.iter().map(|x| (1.5 + x).floor().clamp(0.0, 3.0)).collect();
    let kinds: Vec<Column> = (0..COLUMNS)
        .map(|column| match column % 3 {
            0 => Column::Normal(NormalInverseGamma::weak(1)),
            1 => Column::Count(GammaPoisson::around(5.0)),
            _ => Column::Category(Dirichlet::weak(4)),
        })
        .collect();
    let kind = |at: usize| [&values, &counts, &levels][at % COLUMNS % 3][at];
    let mixed: Vec<f64> = (0..cells).map(kind).collect();
    let mut edges = Vec::new();
    for u in 0..ITEMS {
        for v in u + 1..ITEMS {
            if chance.event(if u % COMPONENTS == v % COMPONENTS { 0.3 } else { 0.05 }) {
                edges.push((u, v));
            }
        }
    }
    let graph = Graph::new(ITEMS, &edges).unwrap();

    let prior = Prior::dirichlet(1.0).unwrap();
    let known = Mixture::new(prior, Gaussian::isotropic(values.clone(), COLUMNS, 0.85, 0.5).unwrap());
    let table = |columns: Result<Mixed, partita::Error>| Mixture::new(prior, columns.unwrap());
    let diagonal = table(Mixed::diagonal(values.clone(), COLUMNS, NormalInverseGamma::weak(1)));
    let gaps = table(Mixed::diagonal(gaps, COLUMNS, NormalInverseGamma::weak(1)));
    let counts = table(Mixed::counts(counts, COLUMNS, GammaPoisson::around(5.0)));
    let levels = table(Mixed::categories(levels, &[4; COLUMNS]));
    let mixed = table(Mixed::new(&mixed, &kinds));
    let wishart = NormalInverseWishart::weak(COLUMNS);
    let full = Mixture::new(prior, Full::new(values.clone(), &wishart).unwrap());
    let shared = |sharing| {
        SharedVariance::new(prior, values.clone(), &[0.0; COLUMNS], SharedPrior::weak(), sharing).unwrap()
    };
    let (everything, each) = (shared(Sharing::Everything), shared(Sharing::EachColumn));
    let blocks = Blocks::new(prior, graph, EdgePrior::uniform()).unwrap();

    let cases: [(&str, Round); 10] = [
        ("known covariances", Box::new(|| round(&known, COMPONENTS))),
        ("normal columns", Box::new(|| round(&diagonal, COMPONENTS))),
        ("normal columns, gaps", Box::new(|| round(&gaps, COMPONENTS))),
        ("full covariance", Box::new(|| round(&full, COMPONENTS))),
        ("shared variance", Box::new(|| round(&everything, COMPONENTS))),
        ("shared, each column", Box::new(|| round(&each, COMPONENTS))),
        ("counts", Box::new(|| round(&counts, COMPONENTS))),
        ("categories", Box::new(|| round(&levels, COMPONENTS))),
        ("mixed columns", Box::new(|| round(&mixed, COMPONENTS))),
        ("blocks", Box::new(|| round(&blocks, COMPONENTS))),
    ];
    print(&cases);
}

/// The file's table in two models.
fn of_file(path: &str) {
    let (values, columns) = table_of(path);
    two_models(values, columns, COMPONENTS);
}

/// Eight clusters far apart, in two models.
fn of_width(columns: usize) {
    const CLUSTERS: usize = 8;
    let mut chance = Stream::new(11, columns as u64).sequence(Purpose::Data, 0);
    let centers: Vec<f64> = (0..CLUSTERS * columns).map(|_| chance.normal()).collect();
    let center = |at: usize| centers[at / columns % CLUSTERS * columns + at % columns];
    let values = (0..400 * columns).map(|at| center(at) + 0.15 * chance.normal()).collect();
    println!("{columns} columns");
    two_models(values, columns, CLUSTERS);
}

fn two_models(values: Vec<f64>, columns: usize, components: usize) {
    let prior = Prior::dirichlet_gamma(2.0, 4.0).unwrap();
    let weak = NormalInverseGamma::weak(columns);
    let diagonal = Mixture::new(prior, Mixed::diagonal(values.clone(), columns, weak).unwrap());
    let full = Mixture::new(prior, Full::new(values, &NormalInverseWishart::weak(columns)).unwrap());
    print(&[
        ("normal columns", Box::new(|| round(&diagonal, components))),
        ("full covariance", Box::new(|| round(&full, components))),
    ]);
}

fn print(cases: &[(&str, Round)]) {
    let mut figures = vec![Vec::new(); cases.len()];
    for _ in 0..ROUNDS {
        for (figures, (_, run)) in figures.iter_mut().zip(cases) {
            figures.push(run());
        }
    }
    println!(
        "{:>31}  {:>8}  {:>23}  {:>23}",
        "one sweep, ns", "", "a move of one, by sweep", "a move of two, by sweep"
    );
    println!(
        "{:>22}  {:>7}  {:>8}  {:>11}  {:>10}  {:>11}  {:>10}",
        "family", "an item", "clusters", "split-merge", "sams", "split-merge", "sams"
    );
    for ((name, _), figures) in cases.iter().zip(figures) {
        let median = |figure: &dyn Fn(&Figures) -> f64| {
            let mut values: Vec<f64> = figures.iter().map(figure).collect();
            values.sort_by(f64::total_cmp);
            values[ROUNDS / 2]
        };
        let (step, clusters) = (median(&|f| f.step), median(&|f| f.clusters));
        let [a, b, c, d] = [0, 1, 2, 3].map(|at| median(&|f| f.moves[at]));
        println!("{name:>22}  {step:>7.0}  {clusters:>8.1}  {a:>11.2}  {b:>10.2}  {c:>11.2}  {d:>10.2}");
    }
}
