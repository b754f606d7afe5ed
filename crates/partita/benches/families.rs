//! Nanoseconds per item-step of single sweeps for each model family on generated data of 200 x 10.
//!
//! `cargo bench -p partita --bench families` prints a table. Machines are noisy: medians of rounds that
//! take turns, in time on the processor where the system tells it, and only ratios within one run count.

use partita::chance::Chance;
use partita::kernel::Workspace;
use partita::likelihood::{Column, Dirichlet, GammaPoisson, NormalInverseGamma, NormalInverseWishart};
use partita::rng::Purpose;
use partita::target::{EdgePrior, SharedPrior, Sharing};
use partita::{
    Blocks, Full, Gaussian, Gibbs, Graph, Kernel, Mixed, Mixture, Partition, Prior, SharedVariance, State,
    Stream, Target,
};
use std::time::{Duration, Instant};

const ROUNDS: usize = 7;
const ITEMS: usize = 200;
const COLUMNS: usize = 10;
const COMPONENTS: usize = 5;

/// Nanoseconds this thread has been on a processor (Linux), so that busy machines can be measured on.
fn on_processor() -> Option<f64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// One round: nanoseconds per item-step and the mean number of clusters.
type Round<'a> = Box<dyn Fn() -> (f64, f64) + 'a>;

fn round<T: Target>(target: &T) -> (f64, f64) {
    let labels: Vec<usize> = (0..ITEMS).map(|item| item % COMPONENTS).collect();
    let mut state = State::new(target, Partition::from_labels(&labels).unwrap());
    let (mut work, stream) = (Workspace::new(), Stream::new(2, 0));
    (1..=30).for_each(|t| Gibbs.step(target, &mut state, &mut stream.sweep(t), &mut work));
    let (mut sweeps, mut clusters) = (0, 0.0);
    let (start, on_start) = (Instant::now(), on_processor());
    while start.elapsed() < Duration::from_millis(100) {
        sweeps += 1;
        Gibbs.step(target, &mut state, &mut stream.sweep(30 + sweeps), &mut work);
        clusters += state.partition().clusters() as f64;
    }
    let wall = start.elapsed().as_nanos() as f64;
    let time = on_start.and_then(|start| Some(on_processor()? - start)).unwrap_or(wall);
    let sweeps = sweeps as f64;
    (time / sweeps / ITEMS as f64, clusters / sweeps)
}

fn main() {
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
        ("known covariances", Box::new(|| round(&known))),
        ("normal columns", Box::new(|| round(&diagonal))),
        ("normal columns, gaps", Box::new(|| round(&gaps))),
        ("full covariance", Box::new(|| round(&full))),
        ("shared variance", Box::new(|| round(&everything))),
        ("shared, each column", Box::new(|| round(&each))),
        ("counts", Box::new(|| round(&counts))),
        ("categories", Box::new(|| round(&levels))),
        ("mixed columns", Box::new(|| round(&mixed))),
        ("blocks", Box::new(|| round(&blocks))),
    ];
    let mut times = vec![Vec::new(); cases.len()];
    let mut clusters = vec![0.0; cases.len()];
    for _ in 0..ROUNDS {
        for (i, (_, run)) in cases.iter().enumerate() {
            let (time, mean) = run();
            times[i].push(time);
            clusters[i] = mean;
        }
    }
    println!("{:>22}  {:>16}  {:>8}", "family", "ns per item-step", "clusters");
    for ((name, _), (mut times, clusters)) in cases.iter().zip(times.into_iter().zip(clusters)) {
        times.sort_by(f64::total_cmp);
        println!("{name:>22}  {:>16.0}  {clusters:>8.1}", times[ROUNDS / 2]);
    }
}
