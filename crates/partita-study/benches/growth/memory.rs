//! Bytes that a pair holds, by the counting allocator.

use crate::shape::Shape;
use allocation_counter::measure;
use partita::coupling::{Nugget, Optimal};
use partita::kernel::{Chains, Workspace};
use partita::partition::Metric;
use partita::{Gibbs, Kernel, Partition, State, Stream};

/// Bytes that a pair holds at most while it runs, and the target that all pairs share.
fn bytes(shape: Shape, metric: Metric) -> [u64; 2] {
    let mut target = None;
    let shared = measure(|| target = Some(shape.target())).bytes_current as u64;
    let target = target.unwrap();
    let truth = shape.truth();
    let mut labels: Vec<usize> = truth.slots().collect();
    // A hundredth of the items elsewhere: the chains are apart.
    labels.iter_mut().step_by(100).for_each(|label| *label = (*label + 1) % shape.clusters);
    let other = Partition::from_labels(&labels).unwrap();
    let pair = measure(|| {
        let (x, y) = (State::new(&target, truth.clone()), State::new(&target, other.clone()));
        let mut chains = Chains::new(x, y);
        let mut coupling = Nugget::new(Optimal::new(metric, shape.items), 1e-5).unwrap();
        let mut work = Workspace::new();
        for t in 1..=3 {
            let mut source = Stream::new(5, 0).sweep(t);
            Gibbs.coupled_step(&target, &mut chains, &mut coupling, &mut source, &mut work);
        }
    });
    [pair.bytes_max, shared]
}

pub fn table() {
    println!("\nbytes of a pair (at most, while it runs) and of the target that all pairs share\n");
    println!("| items | columns | clusters | pair, Hamming | pair, VI | target | distances from |");
    println!("|---|---|---|---|---|---|---|");
    for [items, dimension, clusters] in [
        [1_000, 2, 4],
        [10_000, 2, 4],
        [100_000, 2, 4],
        [1_000_000, 2, 4],
        [2_000, 32, 4],
        [2_000, 512, 4],
        [4_000, 2, 50],
        [4_000, 2, 100],
        [4_000, 2, 200],
        [200, 50, 4],
        [200, 128, 4],
        [500, 100, 4],
        [200, 512, 4],
    ] {
        let shape = Shape { items, dimension, clusters };
        let ([hamming, target], [vi, _]) = (bytes(shape, Metric::Hamming), bytes(shape, Metric::Vi));
        println!(
            "| {items} | {dimension} | {clusters} | {hamming} | {vi} | {target} | {} |",
            shape.distances()
        );
    }
}
