//! Nanoseconds per item-step of single and coupled sweeps, and per transport solve.
//!
//! `cargo bench -p partita` prints two tables; `cargo bench -p partita -- single gene` only the
//! single steps of the cases whose name holds `gene`. Ratios within one run are what counts:
//! machines are noisy, so each figure is the median of several rounds that take turns.

use partita::chance::Chance;
use partita::coupling::{Nugget, Optimal};
use partita::kernel::{Chains, Workspace};
use partita::partition::Metric;
use partita::rng::{Purpose, Sequence};
use partita::transport::Transport;
use partita::{Gaussian, Gibbs, Kernel, Mixture, Partition, Prior, State, Stream};
use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUNDS: usize = 7;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A generated mixture: `components` centres, noise around them.
fn generated(items: usize, dimension: usize, components: usize, center_sd: f64, noise_sd: f64) -> Vec<f64> {
    let mut chance = Stream::new(1, 0).sequence(Purpose::Data, 0);
    let centers: Vec<f64> = (0..components * dimension).map(|_| center_sd * chance.normal()).collect();
    let row = |item: usize, chance: &mut Sequence| -> Vec<f64> {
        let center = &centers[item % components * dimension..][..dimension];
        center.iter().map(|c| c + noise_sd * chance.normal()).collect()
    };
    (0..items).flat_map(|item| row(item, &mut chance)).collect()
}

struct Case {
    name: &'static str,
    target: Mixture<Gaussian>,
    items: usize,
}

impl Case {
    /// Time of one item-step of one chain, after a burn-in.
    fn single(&self) -> f64 {
        let mut state = State::new(&self.target, Partition::one_cluster(self.items).unwrap());
        let mut work = Workspace::new();
        let stream = Stream::new(2, 0);
        let mut sweep = 0;
        self.time(1, || {
            sweep += 1;
            Gibbs.step(&self.target, &mut state, &mut stream.sweep(sweep), &mut work);
        })
    }

    /// Time of one item-step of two chains that have not met: pairs are restarted when they do.
    fn coupled(&self, metric: Metric) -> f64 {
        let fresh = |replicate: u64| {
            // From singletons and from one cluster, 20 sweeps each: apart, but no longer at the start.
            let mut states = [Partition::one_cluster(self.items), Partition::singletons(self.items)]
                .map(|z| State::new(&self.target, z.unwrap()));
            let mut work = Workspace::new();
            for (i, state) in states.iter_mut().enumerate() {
                let stream = Stream::new(3 + i as u64, replicate);
                (1..=20).for_each(|t| Gibbs.step(&self.target, state, &mut stream.sweep(t), &mut work));
            }
            let [x, y] = states;
            Chains::new(x, y)
        };
        let mut coupling = Nugget::new(Optimal::new(metric, self.items), 1e-5).unwrap();
        let mut work = Workspace::new();
        let (mut spent, mut sweeps) = (Duration::ZERO, 0u32);
        for replicate in 0.. {
            let mut chains = fresh(replicate);
            let stream = Stream::new(5, replicate);
            let mut t = 0;
            while !chains.have_met() && t < 200 {
                t += 1;
                let start = Instant::now();
                Gibbs.coupled_step(&self.target, &mut chains, &mut coupling, &mut stream.sweep(t), &mut work);
                let took = start.elapsed();
                // The sweep in which chains meet is half single: leave it out.
                if !chains.have_met() {
                    spent += took;
                    sweeps += 1;
                }
            }
            if spent > Duration::from_millis(150) {
                break;
            }
        }
        spent.as_nanos() as f64 / f64::from(sweeps) / self.items as f64
    }

    fn time(&self, calls: u32, mut run: impl FnMut()) -> f64 {
        (0..30).for_each(|_| run());
        let (start, mut sweeps) = (Instant::now(), 0);
        while start.elapsed() < Duration::from_millis(100) {
            run();
            sweeps += 1;
        }
        start.elapsed().as_nanos() as f64 / f64::from(sweeps * calls) / self.items as f64
    }
}

fn transport_times() {
    println!("\n{:>8}  {:>12}  {:>8}", "clusters", "ns per solve", "pivots");
    for k in [4, 8, 16, 32, 64] {
        let mut chance = Stream::new(6, k as u64).sequence(Purpose::Data, 0);
        // Like a real step: overlaps near a permutation, a zero row and column, few large masses.
        let problems: Vec<(Vec<f64>, Vec<f64>, Vec<i64>)> = (0..64)
            .map(|_| {
                let mut law = || {
                    let raw: Vec<f64> = (0..k).map(|_| (-12.0 * chance.uniform()).exp()).collect();
                    let total: f64 = raw.iter().sum();
                    raw.iter().map(|p| p / total).collect::<Vec<_>>()
                };
                let (a, b) = (law(), law());
                let gains = (0..k * k)
                    .map(|cell| {
                        let (i, j) = (cell / k, cell % k);
                        let most = if i == j { 40 } else { 6 };
                        if i == k - 1 || j == k - 1 { 0 } else { chance.below(most) as i64 }
                    })
                    .collect();
                (a, b, gains)
            })
            .collect();
        let mut transport = Transport::new();
        let mut pivots = 0;
        let times = (0..ROUNDS)
            .map(|_| {
                let (start, mut solves) = (Instant::now(), 0u32);
                while start.elapsed() < Duration::from_millis(40) {
                    pivots = 0;
                    for (a, b, gains) in &problems {
                        let solution = transport.solve(a, b, |i, j| gains[i * k + j]);
                        pivots += black_box(solution.pivots());
                        solves += 1;
                    }
                }
                start.elapsed().as_nanos() as f64 / f64::from(solves)
            })
            .collect();
        println!("{k:>8}  {:>12.0}  {:>8.2}", median(times), pivots as f64 / problems.len() as f64);
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let only_single = words.iter().any(|word| word == "single");
    let wanted = |name: &str| words.iter().all(|word| word == "single" || name.contains(word.as_str()));
    let case = |name, values: Vec<f64>, dimension, prior_sd, noise_sd, alpha| {
        let items = values.len() / dimension;
        let likelihood = Gaussian::isotropic(values, dimension, prior_sd, noise_sd).unwrap();
        Case { name, target: Mixture::new(Prior::dirichlet(alpha).unwrap(), likelihood), items }
    };
    let mut cases = vec![
        case("300 x 2", generated(300, 2, 4, 0.8, 0.5), 2, 0.8, 0.7, 0.2),
        case("200 x 50", generated(200, 50, 5, 0.5, 1.3), 50, 0.5, 1.3, 1.0),
    ];
    for (name, prior_sd, noise_sd) in [("gene", 0.5, 1.3), ("seed", 1.0, 1.0), ("abalone", 2.0, 2.0)] {
        let found = partita_testing::paper_table(name);
        cases.extend(found.map(|(values, d)| case(name, values, d, prior_sd, noise_sd, 1.0)));
    }
    cases.retain(|case| wanted(case.name));
    if only_single {
        println!("nanoseconds per item-step of one chain");
        for case in &cases {
            println!("{:>10}  {:>8.1}", case.name, median((0..ROUNDS).map(|_| case.single()).collect()));
        }
        return;
    }
    println!("nanoseconds per item-step (coupled: of the pair)");
    println!(
        "{:>10}  {:>8}  {:>8}  {:>10}  {:>16}  {:>12}",
        "mixture", "single", "coupled", "coupled VI", "coupled/2 single", "VI / Hamming"
    );
    for case in &cases {
        let rounds: Vec<[f64; 3]> = (0..ROUNDS)
            .map(|_| [case.single(), case.coupled(Metric::Hamming), case.coupled(Metric::Vi)])
            .collect();
        let [single, hamming, vi] = [0, 1, 2].map(|i| median(rounds.iter().map(|r| r[i]).collect()));
        println!(
            "{:>10}  {single:>8.0}  {hamming:>8.0}  {vi:>10.0}  {:>16.2}  {:>12.2}",
            case.name,
            hamming / (2.0 * single),
            vi / hamming
        );
    }
    transport_times();
}
