//! Unbiased estimates of the asymptotic variance of one long chain, by the Poisson equation: no batch size to choose.
//!
//! After Douc, Jacob, Lee and Vats, *Solving the Poisson equation using coupled Markov chains* (2022).
//! For a kernel `P` that leaves `π` invariant, a function `h` and `h₀ = h - π(h)`, a solution `g` of the
//! Poisson equation `g - P g = h₀` gives the variance of the limit theorem for averages along one chain,
//!
//! ```text
//! v(P, h) = -var_π(h) + 2 π(h₀ g).                                               (1)
//! ```
//!
//! One solution, for any state `y`, is `g_y(x) = Σ_{t≥0} [Pᵗh(x) - Pᵗh(y)]`. Two coupled chains that start
//! from `x` and `y` ([`Pair::abreast`](crate::Pair::abreast)) give an unbiased estimate,
//!
//! ```text
//! G_y(x) = Σ_{t≥0} [h(X_t) - h(Y_t)],                                            (2)
//! ```
//!
//! a finite sum, as they are one chain once they have met: [`Fishy`]. Since `π(h₀) = 0`, a constant may be added
//! to `g`, and (1) is `π(h₀ f)` with `f = 2g - h`. That is the covariance of `h` and `f` under `π`, so half the mean
//! product of their differences between two independent draws `x` and `y`, and
//! `f(x) - f(y) = 2 g_y(x) - [h(x) - h(y)]`:
//!
//! ```text
//! v(P, h) = E [h(x) - h(y)] { G_y(x) - [h(x) - h(y)] / 2 },     x, y ~ π independent.       (3)
//! ```
//!
//! Draws from `π` are not available, but two independent replicates are unbiased signed measures, so that an
//! atom drawn from each ([`draw`]), with the product of their weights, has the same expectation. This is the
//! paper's estimator with `y` taken from the second measure: both orders of the two measures share one coupled
//! pair, and no estimate of `π(h)` is left in it. The mean over pairs of replicates is unbiased, its spread the
//! error.
//!
//! ```
//! use partita::atoms::Atoms;
//! use partita::coupling::Optimal;
//! use partita::partition::Metric;
//! use partita::poisson::{Fishy, draw};
//! use partita::rng::Purpose;
//! use partita::summary::Clusters;
//! use partita::{Coloring, Gibbs, Graph, Pair, Schedule, Stream, aggregate};
//!
//! let target = Coloring::new(Graph::octahedron(), 4)?;
//! let coupling = || Optimal::new(Metric::Hamming, 6);
//! // Two atoms kept of each replicate, in pairs of replicates.
//! let schedule = Schedule::new(1, 5, 20)?;
//! let replicate = |number| {
//!     let stream = Stream::new(1, number);
//!     let mut atoms = Atoms::new(schedule, 2, &stream);
//!     let start = target.known_coloring();
//!     Pair::new(&target, &Gibbs, coupling(), 1)?.run(start.clone(), start, &stream, &mut atoms);
//!     Ok::<_, partita::Error>(atoms.into_atoms())
//! };
//! let mut terms = Vec::new();
//! for pair in 0..500 {
//!     let stream = Stream::new(2, pair);
//!     let mut chance = stream.sequence(Purpose::Atoms, 0);
//!     let (x, y) = (replicate(2 * pair)?, replicate(2 * pair + 1)?);
//!     let (i, weight_x) = draw(x.iter().map(|atom| atom.weight), &mut chance);
//!     let (j, weight_y) = draw(y.iter().map(|atom| atom.weight), &mut chance);
//!     let mut fishy = Fishy::new(Clusters);
//!     let mut abreast = Pair::abreast(&target, &Gibbs, coupling());
//!     abreast.run(x[i].partition.clone(), y[j].partition.clone(), &stream, &mut fishy);
//!     terms.extend(fishy.variances().map(|term| weight_x * weight_y * term));
//! }
//! // Colourings of the octahedron have 3 or 4 clusters, the latter with probability 3/4.
//! let v = aggregate::mean(&terms).unwrap();
//! assert!(v.value > 0.1 && v.value < 1.0, "{v:?}");
//! # Ok::<(), partita::Error>(())
//! ```

use crate::chance::Chance;
use crate::pair::{Moment, Observer, Wish};
use crate::summary::Summary;
use crate::target::Target;

/// Watches two chains that start together and sums the differences of a summary between them: the
/// estimate (2) of a solution of the Poisson equation. See [the module](self).
///
/// The values of a pair that was stopped before it met are *not* unbiased.
#[derive(Debug, Clone)]
pub struct Fishy<S> {
    summary: S,
    first: Vec<f64>,
    sum: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl<S> Fishy<S> {
    /// An observer for a pair [abreast](crate::Pair::abreast).
    pub fn new(summary: S) -> Self {
        Fishy { summary, first: Vec::new(), sum: Vec::new(), x: Vec::new(), y: Vec::new() }
    }

    /// `G_y(x)`, equation (2), for each value of the summary.
    pub fn solution(&self) -> &[f64] {
        &self.sum
    }

    /// The term of the asymptotic variance, equation (3), for each value of the summary; to be multiplied by the
    /// weights of the two states.
    pub fn variances(&self) -> impl Iterator<Item = f64> + '_ {
        self.first.iter().zip(&self.sum).map(|(first, sum)| variance_term(*first, *sum))
    }
}

/// The term of the asymptotic variance, equation (3), from the first difference and the sum of all.
pub fn variance_term(first: f64, sum: f64) -> f64 {
    first * (sum - first / 2.0)
}

impl<T: Target, S: Summary<T>> Observer<T> for Fishy<S> {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        let width = self.summary.len();
        for values in [&mut self.first, &mut self.sum, &mut self.x, &mut self.y] {
            values.resize(width, 0.0);
        }
        if let Some(y) = moment.y {
            self.summary.evaluate(moment.target, moment.x, &mut self.x);
            self.summary.evaluate(moment.target, y, &mut self.y);
            for ((sum, x), y) in self.sum.iter_mut().zip(&self.x).zip(&self.y) {
                *sum += x - y;
            }
            if moment.t == 0 {
                self.first.copy_from_slice(&self.sum);
            }
        }
        Wish::Enough
    }
}

/// An atom of a signed measure at random, with probability proportional to the size of its weight, and the weight
/// that keeps every integral unbiased: the sum of all sizes, with the sign of the atom.
///
/// ```
/// use partita::poisson::draw;
/// use partita::rng::{Purpose, Stream};
/// let weights = [0.5, -0.25, 0.75];
/// let (atom, weight) = draw(weights.iter().copied(), &mut Stream::new(1, 0).sequence(Purpose::Atoms, 0));
/// assert_eq!(weight, if atom == 1 { -1.5 } else { 1.5 });
/// ```
///
/// # Panics
/// If all weights are zero.
pub fn draw(weights: impl Iterator<Item = f64> + Clone, chance: &mut impl Chance) -> (usize, f64) {
    let sizes = weights.clone().map(f64::abs);
    let atom = chance.pick(sizes.clone());
    let weight = weights.clone().nth(atom).expect("an atom that was picked is there");
    (atom, sizes.sum::<f64>().copysign(weight))
}
