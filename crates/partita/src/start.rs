//! Where chains start. Both chains of a pair draw from the same law, independently.

use crate::chance::Chance;
use crate::error::{Error, Result};
use crate::kernel::{KempeChain, exchange};
use crate::math::exponentiate;
use crate::partition::Partition;
use crate::prior::Prior;
use crate::rng::Sequence;
use crate::target::{Coloring, State, Target};
use std::ops::RangeInclusive;

/// A law of the initial state of a chain.
pub trait Start: Sync {
    /// Draws an initial state.
    fn draw(&self, chance: &mut Sequence) -> Partition;
}

/// Always the same partition: one cluster, a greedy colouring, one k-means clustering for all.
///
/// A common start has a pitfall: if chains take long to leave it, pairs meet before either has
/// left, and the variance of the estimate comes from rare pairs that a pilot never sees.
#[derive(Debug, Clone)]
pub struct Fixed(
    /// The partition.
    pub Partition,
);

impl Start for Fixed {
    fn draw(&self, _: &mut Sequence) -> Partition {
        self.0.clone()
    }
}

/// A draw from the partition prior: an over-dispersed start.
#[derive(Debug, Clone, Copy)]
pub struct FromPrior {
    /// The prior.
    pub prior: Prior,
    /// The number of items, at least one.
    pub items: usize,
}

impl Start for FromPrior {
    fn draw(&self, chance: &mut Sequence) -> Partition {
        self.prior.draw(self.items, chance).expect("there is at least one item")
    }
}

/// Items arrive in random order, each placed by its predictive given those before it: one pass, near the posterior and
/// still dispersed, as the order and every choice differ from chain to chain.
///
/// For mixtures, shared variances and blocks; in a colouring a vertex may find no colour left: see [`RandomColoring`].
///
/// ```
/// use partita::start::{Sequential, Start};
/// use partita::{Gaussian, Mixture, Prior, Stream, rng::Purpose};
/// let data = Gaussian::isotropic(vec![-5.0, 5.0, -5.1, 5.1], 1, 5.0, 0.3)?;
/// let target = Mixture::new(Prior::dirichlet(1.0)?, data);
/// let z = Sequential(&target).draw(&mut Stream::new(1, 0).sequence(Purpose::StartX, 0));
/// assert!(z.together(0, 2) && z.together(1, 3) && !z.together(0, 1));
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug)]
pub struct Sequential<'a, T>(
    /// The target.
    pub &'a T,
);

impl<T: Target> Sequential<'_, T> {
    /// Draws an initial state with any source of random numbers.
    ///
    /// # Panics
    /// If an item has nowhere to go.
    pub fn draw_by(&self, chance: &mut impl Chance) -> Partition {
        let target = self.0;
        let mut order: Vec<usize> = (0..target.len()).collect();
        let (mut state, mut weights) = (State::nobody(target), Vec::new());
        for at in 0..order.len() {
            let other = at + chance.below(order.len() - at);
            order.swap(at, other);
            let (item, z) = (order[at], state.partition());
            weights.clear();
            let weight = |slot| target.log_weight_of_arrival(state.stats(), z, item, slot);
            weights.extend((0..=z.clusters()).map(weight));
            exponentiate(&mut weights);
            state.arrive(target, item, chance.pick(weights.iter().copied()));
        }
        state.into_partition()
    }
}

impl<T: Target> Start for Sequential<'_, T> {
    fn draw(&self, chance: &mut Sequence) -> Partition {
        self.draw_by(chance)
    }
}

/// A random proper colouring for each chain: random colours, vertex by vertex in random order.
///
/// If that gets stuck, the most constrained vertex comes first; if that gets stuck as well, Kempe moves lead away
/// from a known colouring. Meeting times of chains that start from distant colourings show whether the moves
/// connect them.
///
/// ```
/// use partita::start::{RandomColoring, Start};
/// use partita::{Coloring, Graph, Stream, rng::Purpose};
/// let target = Coloring::new(Graph::octahedron(), 4)?;
/// let z = RandomColoring(target.clone()).draw(&mut Stream::new(1, 0).sequence(Purpose::StartX, 0));
/// assert!(target.is_proper(&z));
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RandomColoring(
    /// The colourings.
    pub Coloring,
);

impl Start for RandomColoring {
    fn draw(&self, chance: &mut Sequence) -> Partition {
        let target = &self.0;
        let (graph, colors) = (target.graph(), target.colors());
        if let Some(labels) = graph.random_coloring(colors, chance) {
            return Partition::from_labels(&labels).expect("a graph has a vertex");
        }
        let (mut state, mut chain) = (State::new(target, target.known_coloring()), KempeChain::default());
        for _ in 0..graph.vertices() {
            let (vertex, to) = (chance.below(graph.vertices()), chance.below(state.partition().clusters()));
            exchange(target, &mut state, vertex, to, &mut chain, |_| ());
        }
        state.partition().clone()
    }
}

/// k-means from k-means++ seeds, drawn anew for every chain, with `k` uniform in a range.
///
/// ```
/// use partita::start::{KMeans, Start};
/// use partita::{Stream, rng::Purpose};
/// let values = [0.0, 0.1, 5.0, 5.1];
/// let start = KMeans::new(&values, 1, 2..=2)?;
/// let z = start.draw(&mut Stream::new(1, 0).sequence(Purpose::StartX, 0));
/// assert!(z.together(0, 1) && z.together(2, 3) && !z.together(0, 2));
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KMeans<'a> {
    values: &'a [f64],
    dimension: usize,
    clusters: RangeInclusive<usize>,
}

/// Lloyd iterations at most; a start need not be a perfect local optimum.
const ITERATIONS: usize = 50;

impl<'a> KMeans<'a> {
    /// Rows of `dimension` values and a range of `k`, from 1 to the number of rows.
    pub fn new(values: &'a [f64], dimension: usize, clusters: RangeInclusive<usize>) -> Result<Self> {
        let rows = values.len() / dimension.max(1);
        if rows == 0 {
            return Err(Error::NoItems);
        }
        let (low, high) = (*clusters.start(), *clusters.end());
        if low == 0 || high > rows || low > high {
            let (name, range) = ("k of k-means", "between 1 and the number of items");
            let value = if low == 0 { low } else { high } as f64;
            return Err(Error::OutOfRange { name, range, value });
        }
        Ok(KMeans { values, dimension, clusters })
    }

    fn row(&self, item: usize) -> &[f64] {
        &self.values[item * self.dimension..(item + 1) * self.dimension]
    }

    fn square_distance(&self, item: usize, center: &[f64]) -> f64 {
        self.row(item).iter().zip(center).map(|(x, c)| (x - c) * (x - c)).sum()
    }

    /// k-means++ (Arthur, Vassilvitskii 2007): each centre with probability as its squared distance.
    fn seeds(&self, k: usize, chance: &mut Sequence) -> Vec<f64> {
        let items = self.values.len() / self.dimension;
        let mut centers = self.row(chance.below(items)).to_vec();
        let mut nearest = vec![f64::INFINITY; items];
        while centers.len() < k * self.dimension {
            let newest = &centers[centers.len() - self.dimension..];
            for (item, nearest) in nearest.iter_mut().enumerate() {
                *nearest = nearest.min(self.square_distance(item, newest));
            }
            // Fewer distinct rows than clusters: any row will do.
            let chosen = if nearest.iter().any(|&d| d > 0.0) {
                chance.pick(nearest.iter().copied())
            } else {
                chance.below(items)
            };
            centers.extend_from_slice(self.row(chosen));
        }
        centers
    }
}

impl Start for KMeans<'_> {
    fn draw(&self, chance: &mut Sequence) -> Partition {
        let d = self.dimension;
        let items = self.values.len() / d;
        let k = self.clusters.start() + chance.below(self.clusters.end() - self.clusters.start() + 1);
        let mut centers = self.seeds(k, chance);
        let mut labels = vec![usize::MAX; items];
        for _ in 0..ITERATIONS {
            let mut changed = false;
            for (item, label) in labels.iter_mut().enumerate() {
                let distances = centers.chunks_exact(d).map(|c| self.square_distance(item, c));
                let nearest = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
                let (nearest, _) = nearest.expect("there is a centre");
                changed |= *label != nearest;
                *label = nearest;
            }
            if !changed {
                break;
            }
            let mut sums = vec![0.0; k * d];
            let mut counts = vec![0.0; k];
            for (item, &label) in labels.iter().enumerate() {
                counts[label] += 1.0;
                for (sum, x) in sums[label * d..(label + 1) * d].iter_mut().zip(self.row(item)) {
                    *sum += x;
                }
            }
            for (c, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
                for i in c * d..(c + 1) * d {
                    centers[i] = sums[i] / count;
                }
            }
        }
        Partition::from_labels(&labels).expect("there is at least one item")
    }
}
