//! The work whose instructions `scripts/instructions.py` counts: so many sweeps, and nothing printed.
//!
//! Arguments: the data (`gene`, `seed`, `abalone`, `synthetic`), the kind of sweeps, their number, and the
//! number `M` that everything is prepared for. Run with `S, M = 2 S` and with `2 S, M = 2 S`: what is done
//! besides is the same in both, so the difference is `S` sweeps.
//!
//! - `single`: one chain that has run for a while, as after a meeting;
//! - `coupled`, `coupled-vi`: pairs of lag 1 from one cluster, the sweeps before the one they meet in;
//! - `twice`: those sweeps of two chains that run alone, what `coupled` is measured against.

use partita::coupling::{Nugget, Optimal};
use partita::kernel::{Chains, Workspace};
use partita::partition::Metric;
use partita::rng::Purpose;
use partita::{Gaussian, Gibbs, Kernel, Mixture, Partition, Prior, State, Stream};
use std::hint::black_box;

type Target = Mixture<Gaussian>;

/// The paper's synthetic data: four centres (±0.8, ±0.8), noise 0.5.
fn synthetic() -> Vec<f64> {
    let mut chance = Stream::new(1, 1).sequence(Purpose::Data, 0);
    let mut value = |bit: usize| 0.8 * (1.0 - 2.0 * bit as f64) + 0.5 * chance.normal();
    (0..300usize).flat_map(|item| [item & 1, item >> 1 & 1]).map(&mut value).collect()
}

/// Target and number of items.
fn target(name: &str) -> (Target, usize) {
    let read = |name| partita_testing::paper_table(name).expect("the script asks for data that are there");
    let ((values, dimension), prior_sd, noise_sd, alpha) = match name {
        "gene" => (read(name), 0.5, 1.3, 1.0),
        "seed" => (read(name), 1.0, 1.0, 1.0),
        "abalone" => (read(name), 2.0, 2.0, 1.0),
        "synthetic" => ((synthetic(), 2), 0.75, 0.7, 0.2),
        _ => panic!("data is gene, seed, abalone or synthetic, not {name}"),
    };
    let items = values.len() / dimension;
    let likelihood = Gaussian::isotropic(values, dimension, prior_sd, noise_sd).unwrap();
    (Mixture::new(Prior::dirichlet(alpha).unwrap(), likelihood), items)
}

/// Sweeps of one chain after its first hundred.
fn single(target: &Target, items: usize, sweeps: u64) {
    let mut state = State::new(target, Partition::one_cluster(items).unwrap());
    let mut work = Workspace::new();
    let stream = Stream::new(2, 0);
    (1..=100 + sweeps).for_each(|t| Gibbs.step(target, &mut state, &mut stream.sweep(t), &mut work));
    black_box(state.partition().clusters());
}

/// A pair of lag 1 at the time of its first coupled sweep.
struct Pair {
    stream: Stream,
    x: State<Target>,
    y: State<Target>,
    /// Coupled sweeps to make: those before the one it meets in.
    sweeps: u64,
}

impl Pair {
    fn new(target: &Target, items: usize, replicate: u64) -> Self {
        let stream = Stream::new(1, replicate);
        let [mut x, y] = [(); 2].map(|()| State::new(target, Partition::one_cluster(items).unwrap()));
        Gibbs.step(target, &mut x, &mut stream.sweep(1), &mut Workspace::new());
        Pair { stream, x, y, sweeps: 0 }
    }

    /// Coupled sweeps, at most so many; how many before the one that the chains met in.
    fn coupled(self, target: &Target, coupling: &mut Nugget<Optimal>, most: u64) -> u64 {
        let mut work = Workspace::new();
        let mut chains = Chains::new(self.x, self.y);
        for sweep in 0..most {
            let mut source = self.stream.sweep(sweep + 2);
            Gibbs.coupled_step(target, &mut chains, coupling, &mut source, &mut work);
            if chains.have_met() {
                return sweep;
            }
        }
        most
    }

    /// So many sweeps of each chain alone.
    fn twice(self, target: &Target, sweeps: u64) {
        let mut work = Workspace::new();
        for (mut state, first) in [(self.x, 2), (self.y, 1)] {
            for t in first..first + sweeps {
                Gibbs.step(target, &mut state, &mut self.stream.sweep(t), &mut work);
            }
            black_box(state.partition().clusters());
        }
    }
}

/// Pairs that make `sweeps` sweeps in all before they meet.
fn plan(target: &Target, items: usize, coupling: &mut Nugget<Optimal>, sweeps: u64) -> Vec<Pair> {
    let (mut pairs, mut found) = (Vec::new(), 0);
    for replicate in 0.. {
        let trial = Pair::new(target, items, replicate);
        let sweeps_here = trial.coupled(target, coupling, sweeps - found);
        pairs.push(Pair { sweeps: sweeps_here, ..Pair::new(target, items, replicate) });
        found += sweeps_here;
        if found == sweeps {
            break;
        }
    }
    pairs
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [data, kind, sweeps, most] = words.as_slice() else {
        return println!(
            "the work of scripts/instructions.py: DATA single|coupled|coupled-vi|twice SWEEPS MOST"
        );
    };
    let [sweeps, most] = [sweeps, most].map(|number| number.parse::<u64>().expect("a number of sweeps"));
    let (target, items) = target(data);
    if kind == "single" {
        return single(&target, items, sweeps);
    }
    let metric = if kind == "coupled-vi" { Metric::Vi } else { Metric::Hamming };
    let mut coupling = Nugget::new(Optimal::new(metric, items), 1e-5).unwrap();
    let mut left = sweeps;
    for pair in plan(&target, items, &mut coupling, most) {
        let now = pair.sweeps.min(left);
        left -= now;
        match kind.as_str() {
            "twice" => pair.twice(&target, now),
            _ => assert_eq!(pair.coupled(&target, &mut coupling, now), now, "no meeting before the plan's"),
        }
    }
}
