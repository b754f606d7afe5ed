//! Sweeps allocate nothing, as long as no new maximum of clusters is reached.
//!
//! Chains start at as many clusters as there are items, so that no later sweep can reach more; what the
//! first descent from there takes is taken in a warm-up. Counts are of this thread alone.

use partita::coupling::{Independent, Nugget, Optimal};
use partita::kernel::{Chains, Sams, SamsEven, Shuffle, SplitMerge, Then, Times, Workspace};
use partita::likelihood::{
    Beside, Column, Dirichlet, Full, GammaPoisson, Mixed, NormalInverseGamma, NormalInverseWishart,
};
use partita::partition::Metric;
use partita::rng::Purpose;
use partita::{Coupling, Gaussian, Gibbs, Kernel, Likelihood, Mixture, Partition, Prior, State, Stream};

type Target = Mixture<Gaussian>;

/// Points around four centres that overlap; the spread of the centres falls with the dimension, so that
/// chains stay in doubt.
fn target(items: usize, dimension: usize) -> Target {
    let mut chance = Stream::new(1, 0).sequence(Purpose::Data, 0);
    let sd = 1.6 / (dimension as f64).sqrt();
    let centers: Vec<f64> = (0..4 * dimension).map(|_| sd * chance.normal()).collect();
    let mut values = Vec::new();
    for item in 0..items {
        let center = &centers[item % 4 * dimension..][..dimension];
        values.extend(center.iter().map(|c| c + 0.7 * chance.normal()));
    }
    let likelihood = Gaussian::isotropic(values, dimension, sd, 0.7).unwrap();
    Mixture::new(Prior::dirichlet(1.0).unwrap(), likelihood)
}

/// By coordinates, few and many columns, and by inner products (rows long and few).
fn targets() -> [(&'static str, Target, usize); 3] {
    [
        ("coordinates", target(100, 2), 100),
        ("coordinates, 20 columns", target(300, 20), 300),
        ("inner products", target(100, 20), 100),
    ]
}

/// Allocations during some work.
fn allocations(work: impl FnOnce()) -> u64 {
    allocation_counter::measure(work).count_total
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1, 2, 3]))), 1);
    assert_eq!(allocations(|| ()), 0);
}

#[test]
fn single_sweeps_allocate_nothing() {
    for (name, target, items) in targets() {
        let mut state = State::new(&target, Partition::singletons(items).unwrap());
        let mut work = Workspace::new();
        let stream = Stream::new(2, 0);
        let mut moved = 0;
        let mut sweep = |t: u64| {
            let before = state.partition().canonical_labels();
            let count = allocations(|| Gibbs.step(&target, &mut state, &mut stream.sweep(t), &mut work));
            moved += usize::from(before != state.partition().canonical_labels());
            count
        };
        let warm_up: u64 = (1..=20).map(&mut sweep).sum();
        let later: Vec<u64> = (21..=320).map(&mut sweep).collect();
        assert!(warm_up > 0, "{name}: the descent keeps closed clusters");
        assert!(moved > 250, "{name}: items move in most sweeps, not in {moved} alone");
        assert_eq!(later.iter().sum::<u64>(), 0, "{name}: allocations by sweep {later:?}");
    }
}

/// Two chains from labels of their items.
fn chains(target: &Target, items: usize, x: fn(usize) -> usize, y: fn(usize) -> usize) -> Chains<Target> {
    let state = |label: fn(usize) -> usize| {
        let labels: Vec<usize> = (0..items).map(label).collect();
        State::new(target, Partition::from_labels(&labels).unwrap())
    };
    Chains::new(state(x), state(y))
}

/// Sweeps of a pair until it has met and ten more: the allocations of each, and how many began apart.
fn run(
    target: &Target,
    chains: &mut Chains<Target>,
    coupling: &mut impl Coupling,
    work: &mut Workspace<Target>,
    stream: &Stream,
) -> (Vec<u64>, usize) {
    let (mut counts, mut apart) = (Vec::new(), 0);
    for t in 1..300 {
        let mut source = stream.sweep(t);
        apart += usize::from(!chains.have_met());
        counts.push(allocations(|| Gibbs.coupled_step(target, chains, coupling, &mut source, work)));
        if counts.len() > apart + 10 {
            break;
        }
    }
    (counts, apart)
}

#[test]
fn coupled_sweeps_allocate_nothing() {
    for metric in [Metric::Hamming, Metric::Vi] {
        for (name, target, items) in targets() {
            let mut coupling = Nugget::new(Optimal::new(metric, items), 1e-5).unwrap();
            let mut work = Workspace::new();
            // What pairs share is taken by a first pair, with half as many clusters as items on each side.
            let mut first = chains(&target, items, |item| item / 2, |item| item.div_ceil(2));
            run(&target, &mut first, &mut coupling, &mut work, &Stream::new(3, 0));
            let (mut counts, mut apart) = (Vec::new(), 0);
            for replicate in 1..=20 {
                // A pair takes its own memory on the way down from the top: independently, so that its
                // chains are apart when the optimal coupling takes over.
                let mut chains = chains(&target, items, |item| item.max(1), |item| item);
                let down = Stream::new(4, replicate);
                for t in 1..=5 {
                    Gibbs.coupled_step(&target, &mut chains, &mut Independent, &mut down.sweep(t), &mut work);
                }
                let stream = Stream::new(3, replicate);
                let (more, sweeps) = run(&target, &mut chains, &mut coupling, &mut work, &stream);
                counts.push(more);
                apart += sweeps;
            }
            assert!(apart > 50, "{metric:?}, {name}: chains apart in {apart} sweeps alone");
            let all: u64 = counts.iter().flatten().sum();
            assert_eq!(all, 0, "{metric:?}, {name}: allocations by pair and sweep {counts:?}");
        }
    }
}

/// Two columns that go together beside the others.
fn beside(items: usize) -> Mixture<Beside<Full, Mixed>> {
    let mut chance = Stream::new(2, 0).sequence(Purpose::Data, 0);
    let mut values = Vec::new();
    for item in 0..items {
        let (group, along) = ((item % 4) as f64, chance.normal());
        values.extend([0.6 * group + along, along + 0.3 * chance.normal()]);
    }
    let block = Full::new(values, &NormalInverseWishart::weak(2)).unwrap();
    let others = mixed(items).likelihood().clone();
    let both = Beside::new((block, &[0, 1]), (others, &[2, 3, 4])).unwrap();
    Mixture::new(Prior::dirichlet(1.0).unwrap(), both)
}

/// Columns of every kind, in four groups that overlap.
fn mixed(items: usize) -> Mixture<Mixed> {
    let mut chance = Stream::new(1, 0).sequence(Purpose::Data, 0);
    let columns = [
        Column::Normal(NormalInverseGamma::weak(1)),
        Column::Count(GammaPoisson::around(3.0)),
        Column::Category(Dirichlet::weak(4)),
    ];
    let mut values = Vec::new();
    for item in 0..items {
        let group = (item % 4) as f64;
        let count = (2.0 * group + chance.normal()).round().max(0.0);
        values.extend([0.5 * group + 0.5 * chance.normal(), count, group]);
    }
    Mixture::new(Prior::dirichlet(1.0).unwrap(), Mixed::new(&values, &columns).unwrap())
}

/// Moves of two clusters, single and coupled, before and after the meeting: nothing once memory is warm.
fn check_moves<L: Likelihood>(name: &str, target: &Mixture<L>, items: usize) {
    let kernel =
        Then(Times(Then(SplitMerge::default(), Then(Then(Sams, SamsEven(None)), Shuffle)), 3), Gibbs);
    let (mut work, mut coupling) =
        (Workspace::new(), Nugget::new(Optimal::new(Metric::Hamming, items), 1e-5).unwrap());
    let state = |labels: fn(usize) -> usize| {
        let labels: Vec<usize> = (0..items).map(labels).collect();
        State::new(target, Partition::from_labels(&labels).unwrap())
    };
    // As above: what pairs share is taken by a first pair, and each takes its own on the way down from the top.
    let mut first = Chains::new(state(|item| item / 2), state(|item| item.div_ceil(2)));
    for t in 1..=60 {
        kernel.coupled_step(target, &mut first, &mut coupling, &mut Stream::new(3, 0).sweep(t), &mut work);
    }
    let (mut counts, mut apart, mut moved) = (Vec::new(), 0, 0);
    for replicate in 1..=8 {
        let mut chains = Chains::new(state(|item| item.max(1)), state(|item| item));
        let down = Stream::new(4, replicate);
        for t in 1..=5 {
            kernel.coupled_step(target, &mut chains, &mut Independent, &mut down.sweep(t), &mut work);
        }
        for t in 1..=60 {
            let before = chains.x().partition().canonical_labels();
            apart += usize::from(!chains.have_met());
            let source = &mut Stream::new(5, replicate).sweep(t);
            let count =
                allocations(|| kernel.coupled_step(target, &mut chains, &mut coupling, source, &mut work));
            moved += usize::from(before != chains.x().partition().canonical_labels());
            counts.push(count);
        }
        let mut x = chains.into_x();
        for t in 61..=90 {
            let source = &mut Stream::new(5, replicate).sweep(t);
            let count = allocations(|| kernel.step(target, &mut x, source, &mut work));
            counts.push(count);
        }
    }
    assert!(apart > 8 && moved > 100, "{name}: {apart} sweeps apart, {moved} moved");
    assert_eq!(counts.iter().sum::<u64>(), 0, "{name}: allocations by sweep {counts:?}");
}

#[test]
fn moves_of_two_clusters_allocate_nothing() {
    for (name, target, items) in targets() {
        check_moves(name, &target, items);
    }
    check_moves("mixed columns", &mixed(80), 80);
    check_moves("a block beside columns", &beside(80), 80);
}
