//! Functions of a partition whose posterior expectations people ask for.
//!
//! Each is a vector of numbers; a list of summaries is also a summary. Estimated expectations are
//! integrals against a signed measure: an estimated probability can fall outside `[0, 1]`.

mod reference;

pub use reference::Reference;

use crate::error::{Error, Result};
use crate::math::ln;
use crate::target::{Predictive, State, Target};

/// A vector-valued function of a state.
///
/// ```
/// use partita::summary::{Clusters, Summary, TopShares};
/// use partita::{Coloring, Graph, State};
/// let target = Coloring::new(Graph::octahedron(), 4)?;
/// let state = State::new(&target, target.known_coloring());
/// let both = (Clusters, TopShares(2));
/// let mut values = [0.0; 3];
/// both.evaluate(&target, &state, &mut values);
/// assert_eq!(values, [3.0, 1.0 / 3.0, 2.0 / 3.0]);
/// assert_eq!(Summary::<Coloring>::names(&both), ["clusters", "top:1", "top:2"]);
/// # Ok::<(), partita::Error>(())
/// ```
pub trait Summary<T: Target> {
    /// The number of values.
    fn len(&self) -> usize;

    /// The names of the values, as tables and files show them.
    fn names(&self) -> Vec<String>;

    /// Writes the values of `state` to `out`, which has length `len`.
    fn evaluate(&self, target: &T, state: &State<T>, out: &mut [f64]);

    /// True if there are no values.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Target, S: Summary<T> + ?Sized> Summary<T> for &S {
    fn len(&self) -> usize {
        (**self).len()
    }
    fn names(&self) -> Vec<String> {
        (**self).names()
    }
    fn evaluate(&self, target: &T, state: &State<T>, out: &mut [f64]) {
        (**self).evaluate(target, state, out);
    }
}

impl<T: Target, S: Summary<T> + ?Sized> Summary<T> for Box<S> {
    fn len(&self) -> usize {
        (**self).len()
    }
    fn names(&self) -> Vec<String> {
        (**self).names()
    }
    fn evaluate(&self, target: &T, state: &State<T>, out: &mut [f64]) {
        (**self).evaluate(target, state, out);
    }
}

impl<T: Target, A: Summary<T>, B: Summary<T>> Summary<T> for (A, B) {
    fn len(&self) -> usize {
        self.0.len() + self.1.len()
    }
    fn names(&self) -> Vec<String> {
        [self.0.names(), self.1.names()].concat()
    }
    fn evaluate(&self, target: &T, state: &State<T>, out: &mut [f64]) {
        let (a, b) = out.split_at_mut(self.0.len());
        self.0.evaluate(target, state, a);
        self.1.evaluate(target, state, b);
    }
}

impl<T: Target, S: Summary<T>> Summary<T> for [S] {
    fn len(&self) -> usize {
        self.iter().map(Summary::len).sum()
    }
    fn names(&self) -> Vec<String> {
        self.iter().flat_map(Summary::names).collect()
    }
    fn evaluate(&self, target: &T, state: &State<T>, mut out: &mut [f64]) {
        for summary in self {
            let (here, rest) = out.split_at_mut(summary.len());
            summary.evaluate(target, state, here);
            out = rest;
        }
    }
}

/// The number of clusters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clusters;

impl<T: Target> Summary<T> for Clusters {
    fn len(&self) -> usize {
        1
    }
    fn names(&self) -> Vec<String> {
        vec!["clusters".into()]
    }
    fn evaluate(&self, _: &T, state: &State<T>, out: &mut [f64]) {
        out[0] = state.partition().clusters() as f64;
    }
}

/// The distribution of the number of clusters: `P(K = 1), ..., P(K = max)`, and `P(K > max)`.
#[derive(Debug, Clone, Copy)]
pub struct ClusterCount {
    /// The largest number with a value of its own.
    pub max: usize,
}

impl<T: Target> Summary<T> for ClusterCount {
    fn len(&self) -> usize {
        self.max + 1
    }
    fn names(&self) -> Vec<String> {
        (1..=self.max).map(|k| format!("clusters={k}")).chain([format!("clusters>{}", self.max)]).collect()
    }
    fn evaluate(&self, _: &T, state: &State<T>, out: &mut [f64]) {
        out.fill(0.0);
        out[(state.partition().clusters() - 1).min(self.max)] = 1.0;
    }
}

/// The share of the items in the `1, 2, ..., r` largest clusters, cumulative; the first is the
/// paper's LCP.
#[derive(Debug, Clone, Copy)]
pub struct TopShares(
    /// `r`.
    pub usize,
);

impl<T: Target> Summary<T> for TopShares {
    fn len(&self) -> usize {
        self.0
    }
    fn names(&self) -> Vec<String> {
        (1..=self.0).map(|r| format!("top:{r}")).collect()
    }
    fn evaluate(&self, _: &T, state: &State<T>, out: &mut [f64]) {
        // An insertion into the few largest, without memory of its own.
        out.fill(0.0);
        for &size in state.partition().sizes() {
            let mut size = f64::from(size);
            for place in out.iter_mut() {
                if size > *place {
                    std::mem::swap(place, &mut size);
                }
            }
        }
        let mut total = 0.0;
        for value in out {
            total += *value;
            *value = total / state.partition().len() as f64;
        }
    }
}

/// Whether given pairs of items share a cluster: the paper's CC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoClustering {
    pairs: Vec<(usize, usize)>,
}

impl CoClustering {
    /// Pairs among `items` items.
    pub fn new(pairs: Vec<(usize, usize)>, items: usize) -> Result<Self> {
        match pairs.iter().flat_map(|&(i, j)| [i, j]).find(|&i| i >= items) {
            Some(item) => Err(Error::NoSuchItem { item, last: items - 1 }),
            None => Ok(CoClustering { pairs }),
        }
    }
}

impl<T: Target> Summary<T> for CoClustering {
    fn len(&self) -> usize {
        self.pairs.len()
    }
    fn names(&self) -> Vec<String> {
        self.pairs.iter().map(|(i, j)| format!("co:{i},{j}")).collect()
    }
    fn evaluate(&self, _: &T, state: &State<T>, out: &mut [f64]) {
        for (out, &(i, j)) in out.iter_mut().zip(&self.pairs) {
            *out = f64::from(u8::from(state.partition().together(i, j)));
        }
    }
}

/// The whole co-clustering matrix, its strict upper triangle row by row. `O(N^2)` per evaluation:
/// for many sweeps keep [`Atoms`](crate::atoms::Atoms) instead.
#[derive(Debug, Clone, Copy)]
pub struct CoClusteringMatrix {
    /// The number of items.
    pub items: usize,
}

impl<T: Target> Summary<T> for CoClusteringMatrix {
    fn len(&self) -> usize {
        self.items * (self.items - 1) / 2
    }
    fn names(&self) -> Vec<String> {
        let n = self.items;
        (0..n).flat_map(|i| (i + 1..n).map(move |j| format!("co:{i},{j}"))).collect()
    }
    fn evaluate(&self, _: &T, state: &State<T>, out: &mut [f64]) {
        let slots: Vec<usize> = state.partition().slots().collect();
        let pairs = (0..slots.len()).flat_map(|i| slots[i + 1..].iter().map(move |s| (i, *s)));
        for (out, (i, other)) in out.iter_mut().zip(pairs) {
            *out = f64::from(u8::from(slots[i] == other));
        }
    }
}

/// The entropy of the cluster sizes, in nats.
#[derive(Debug, Clone, Copy, Default)]
pub struct Entropy;

impl<T: Target> Summary<T> for Entropy {
    fn len(&self) -> usize {
        1
    }
    fn names(&self) -> Vec<String> {
        vec!["entropy".into()]
    }
    fn evaluate(&self, _: &T, state: &State<T>, out: &mut [f64]) {
        let n = state.partition().len() as f64;
        out[0] = -state.partition().sizes().iter().map(|&s| f64::from(s) / n).map(|p| p * ln(p)).sum::<f64>();
    }
}

/// The posterior mean of the centre of the cluster that holds an item (the paper's appendix on
/// functions of interest).
#[derive(Debug, Clone, Copy)]
pub struct Center {
    /// The item.
    pub item: usize,
    /// The number of coordinates.
    pub dimension: usize,
}

impl<T: Predictive> Summary<T> for Center {
    fn len(&self) -> usize {
        self.dimension
    }
    fn names(&self) -> Vec<String> {
        (0..self.dimension).map(|d| format!("center:{},{d}", self.item)).collect()
    }
    fn evaluate(&self, target: &T, state: &State<T>, out: &mut [f64]) {
        let z = state.partition();
        out.copy_from_slice(&target.center(state.stats(), z, z.slot(self.item)));
    }
}

/// The posterior predictive density at given points (the paper's appendix on predictive densities).
#[derive(Debug, Clone)]
pub struct PredictiveDensity {
    points: Vec<f64>,
    dimension: usize,
}

impl PredictiveDensity {
    /// Points of `dimension` coordinates each, one after the other.
    pub fn new(points: Vec<f64>, dimension: usize) -> Result<Self> {
        if dimension == 0 || !points.len().is_multiple_of(dimension) {
            let expected = points.len() / dimension.max(1) * dimension;
            return Err(Error::WrongLength { name: "the points", expected, found: points.len() });
        }
        Ok(PredictiveDensity { points, dimension })
    }
}

impl<T: Predictive> Summary<T> for PredictiveDensity {
    fn len(&self) -> usize {
        self.points.len() / self.dimension
    }
    fn names(&self) -> Vec<String> {
        self.points
            .chunks_exact(self.dimension)
            .map(|x| format!("density:{}", x.iter().map(f64::to_string).collect::<Vec<_>>().join(",")))
            .collect()
    }
    fn evaluate(&self, target: &T, state: &State<T>, out: &mut [f64]) {
        let (stats, z) = (state.stats(), state.partition());
        target.predictive_densities(stats, z, &self.points, self.dimension, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coloring, Gaussian, Graph, Mixture, Partition, Prior};

    fn values(summary: &dyn Summary<Coloring>, labels: &[usize]) -> Vec<f64> {
        let target = Coloring::new(Graph::new(labels.len(), &[]).unwrap(), 9).unwrap();
        let state = State::new(&target, Partition::from_labels(labels).unwrap());
        let mut out = vec![f64::NAN; summary.len()];
        summary.evaluate(&target, &state, &mut out);
        assert_eq!(summary.names().len(), summary.len());
        out
    }

    #[test]
    fn summaries_of_a_partition() {
        let z = [0, 0, 1, 2, 0, 2];
        assert_eq!(values(&Clusters, &z), [3.0]);
        assert_eq!(values(&ClusterCount { max: 4 }, &z), [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(values(&ClusterCount { max: 2 }, &z), [0.0, 0.0, 1.0]);
        assert_eq!(values(&TopShares(4), &z), [0.5, 5.0 / 6.0, 1.0, 1.0]);
        let pairs = CoClustering::new(vec![(0, 4), (0, 2)], 6).unwrap();
        assert_eq!(values(&pairs, &z), [1.0, 0.0]);
        let matrix = values(&CoClusteringMatrix { items: 4 }, &[0, 1, 0, 1]);
        assert_eq!(matrix, [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
        let entropy = values(&Entropy, &[0, 0, 1, 1])[0];
        assert!((entropy - 2f64.ln()).abs() < 1e-15);
        let reference = Reference::new(Partition::from_labels(&z).unwrap());
        assert_eq!(values(&reference, &z), [0.0, 0.0, 1.0]);
        assert!(CoClustering::new(vec![(0, 6)], 6).is_err());
    }

    /// The predictive density integrates to one, and is what the mixture says by hand.
    #[test]
    fn the_predictive_density_is_a_density() {
        let data = vec![-1.0, 0.5, 3.0];
        for prior in [Prior::dirichlet(0.7), Prior::dirichlet_gamma(2.0, 4.0), Prior::pitman_yor(0.3, 0.5)] {
            let target =
                Mixture::new(prior.unwrap(), Gaussian::isotropic(data.clone(), 1, 2.0, 0.7).unwrap());
            let state = State::new(&target, Partition::from_labels(&[0, 0, 1]).unwrap());
            let step = 0.01;
            let grid: Vec<f64> = (-3000..3000).map(|i| f64::from(i) * step).collect();
            let density = PredictiveDensity::new(grid, 1).unwrap();
            let mut out = vec![0.0; Summary::<Mixture<Gaussian>>::len(&density)];
            density.evaluate(&target, &state, &mut out);
            let integral: f64 = out.iter().sum::<f64>() * step;
            assert!((integral - 1.0).abs() < 1e-9, "{integral}");
        }
        let target =
            Mixture::new(Prior::dirichlet(0.5).unwrap(), Gaussian::isotropic(data, 1, 2.0, 0.7).unwrap());
        let state = State::new(&target, Partition::one_cluster(3).unwrap());
        let normal = |x: f64, m: f64, v: f64| {
            (-(x - m) * (x - m) / (2.0 * v)).exp() / (std::f64::consts::TAU * v).sqrt()
        };
        let precision = 3.0 / 0.49 + 1.0 / 4.0;
        let mean = 2.5 / 0.49 / precision;
        let expected =
            3.0 / 3.5 * normal(1.0, mean, 0.49 + 1.0 / precision) + 0.5 / 3.5 * normal(1.0, 0.0, 4.49);
        let density = target.predictive_density(state.stats(), state.partition(), &[1.0]);
        assert!((density - expected).abs() < 1e-13);
        let mut center = [0.0];
        Center { item: 2, dimension: 1 }.evaluate(&target, &state, &mut center);
        assert!((center[0] - mean).abs() < 1e-13);
    }
}
