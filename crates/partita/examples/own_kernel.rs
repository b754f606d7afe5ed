//! A kernel of one's own: it composes with the others, and coupled chains stay together.
//!
//! Run it with `cargo run -p partita --example own_kernel`.

use partita::chance::{Chance, Source};
use partita::coupling::{Nugget, Optimal};
use partita::kernel::{Chains, SplitMerge, Then, Times, Workspace};
use partita::partition::Metric;
use partita::rng::Purpose;
use partita::{Coupling, Gaussian, Gibbs, Kernel, Mixture, Pair, Partition, Prior, State, Stream, Target};

/// Makes the step of another kernel with some probability, and else stays: it leaves invariant what the other does.
struct Sometimes<K> {
    kernel: K,
    probability: f64,
}

impl<T: Target, K: Kernel<T>> Kernel<T> for Sometimes<K> {
    fn step(&self, target: &T, state: &mut State<T>, source: &mut impl Source, work: &mut Workspace<T>) {
        // Whatever is opened has random numbers of its own: no address has to be thought of.
        if source.sequence(Purpose::SplitMerge).event(self.probability) {
            self.kernel.step(target, state, source, work);
        }
    }

    fn coupled_step(
        &self,
        target: &T,
        chains: &mut Chains<T>,
        coupling: &mut impl Coupling,
        source: &mut impl Source,
        work: &mut Workspace<T>,
    ) {
        // One coin for both chains: each margin is right, and equal chains stay equal.
        if source.sequence(Purpose::SplitMerge).event(self.probability) {
            self.kernel.coupled_step(target, chains, coupling, source, work);
        }
    }
}

/// Runs five pairs.
pub fn main() -> Result<(), partita::Error> {
    let data = vec![-2.1, -1.9, -2.0, 1.8, 2.2, 2.0];
    let items = data.len();
    let target = Mixture::new(Prior::dirichlet(1.0)?, Gaussian::isotropic(data, 1, 2.0, 0.5)?);
    // Three split-merge moves that are made every other time, then a sweep.
    let moves = Sometimes { kernel: SplitMerge::default(), probability: 0.5 };
    let kernel = Then(Times(moves, 3), Gibbs);
    let start = Partition::one_cluster(items)?;
    for replicate in 0..5 {
        let coupling = Nugget::new(Optimal::new(Metric::Hamming, items), 1e-5)?;
        let mut pair = Pair::new(&target, &kernel, coupling, 1)?;
        let outcome = pair.run(start.clone(), start.clone(), &Stream::new(1, replicate), &mut ());
        println!("pair {replicate} met after {} sweeps", outcome.ending.tau().expect("no cap, so it met"));
    }
    Ok(())
}
