//! Modes of chains that really run: one where they mix, several where Gibbs sweeps cannot cross.

use partita::kernel::Workspace;
use partita::modes::{Trail, modes};
use partita::partition::adjusted_rand;
use partita::prior::Components;
use partita::rng::Purpose;
use partita::start::{FromPrior, Start};
use partita::{Gaussian, Gibbs, Kernel, Mixture, Partition, Prior, State, Stream};

const ITEMS: usize = 60;

/// Chains from starts by the prior, each at sweep 100 and at sweep 200.
fn chains(prior: Prior, rows: Gaussian) -> Vec<Trail> {
    let target = Mixture::new(prior, rows);
    let chain = |number| {
        let stream = Stream::new(5, number);
        let start = FromPrior { prior, items: ITEMS }.draw(&mut stream.sequence(Purpose::StartX, 0));
        let (mut state, mut work) = (State::new(&target, start), Workspace::new());
        let mut run = |sweeps: std::ops::Range<u64>| {
            sweeps.for_each(|t| Gibbs.step(&target, &mut state, &mut stream.sweep(t), &mut work));
            state.partition().clone()
        };
        let earlier = run(0..100);
        Trail::of_two(earlier, run(100..200))
    };
    (0..24).map(chain).collect()
}

/// Four groups of fifteen numbers, evenly spread over one unit each: clear, overlapping, or broken up by small noise.
#[test]
fn chains_that_mix_are_in_one_mode() {
    for (apart, noise_sd) in [(10.0, 0.6), (1.0, 0.5), (2.0, 0.2), (10.0, 0.15)] {
        let data = (0..ITEMS).map(|i| apart * (i / 15) as f64 + (i % 15) as f64 / 14.0).collect();
        let chains =
            chains(Prior::dirichlet(1.0).unwrap(), Gaussian::isotropic(data, 1, 10.0, noise_sd).unwrap());
        assert_eq!(modes(&chains, 0).len(), 1, "{apart} apart, noise {noise_sd}");
    }
}

/// The corners of a square, and two clusters for them: side by side, or one above the other. Both are alike likely, and
/// no way between them is.
#[test]
fn chains_that_cannot_cross_are_in_the_modes_there_are() {
    let corner = |i: usize| [(i / 30) as f64, (i / 15 % 2) as f64];
    let near = |i: usize, x: f64| 4.0 * x + (i % 15) as f64 / 14.0;
    let data = (0..ITEMS).flat_map(|i| corner(i).map(|x| near(i, x))).collect();
    let prior = Prior::finite_mixture(1.0, Components::Exactly(2)).unwrap();
    let chains = chains(prior, Gaussian::isotropic(data, 2, 10.0, 1.0).unwrap());
    let found = modes(&chains, 0);
    let sides = |axis: usize| (0..ITEMS).map(|i| corner(i)[axis] as usize).collect::<Vec<_>>();
    let truth = [0, 1].map(|axis| Partition::from_labels(&sides(axis)).unwrap());
    assert_eq!(found.len(), 2, "{found:?}");
    for mode in &found {
        let side = truth.iter().find(|z| *z == chains[mode.representative].end());
        let side = side.expect("the state in the middle is one of the two");
        assert!(mode.chains.iter().all(|&i| adjusted_rand(side, chains[i].end()) > 0.8));
    }
    assert_ne!(chains[found[0].representative].end(), chains[found[1].representative].end());
    println!("{} and {} chains", found[0].chains.len(), found[1].chains.len());
}
