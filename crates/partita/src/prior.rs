//! Gibbs-type priors over partitions: one type, one weight rule.
//!
//! All of them have the form `p(z) = V(N, K) * prod_j (1 - sigma)_(n_j - 1)` (rising factorials),
//! so an item joins a cluster of size `n_j` with weight `n_j - sigma` and opens a new one with
//! weight `V(N, K+1) / V(N, K)`, `K` counted without the item.

mod alpha;
mod table;

pub use table::PriorTable;

use crate::chance::Chance;
use crate::error::{Error, Result, positive};
use crate::math::{ln, ln_add, ln_gamma};
use crate::partition::Partition;
use crate::rng::Sequence;
use alpha::AlphaIntegral;

/// A law of the number of components of a finite mixture.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Components {
    /// `k - 1 ~ Poisson(rate)`.
    Poisson {
        /// The mean of `k - 1`.
        rate: f64,
    },
    /// `p(k) = p (1 - p)^(k - 1)`.
    Geometric {
        /// The probability of stopping.
        p: f64,
    },
    /// Exactly this many components.
    Exactly(usize),
}

/// A Gibbs-type prior over partitions.
///
/// ```
/// use partita::{Partition, Prior};
/// let prior = Prior::dirichlet(1.0)?;
/// let z = Partition::from_labels(&[0, 0, 1])?;
/// assert!((prior.log_probability(&z) - (1.0f64 / 6.0).ln()).abs() < 1e-12);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    law: Law,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Law {
    Dirichlet { alpha: f64 },
    DirichletGamma { shape: f64, rate: f64 },
    PitmanYor { discount: f64, strength: f64 },
    FiniteMixture { gamma: f64, components: Components },
}

impl Prior {
    /// Dirichlet process with concentration `alpha`.
    pub fn dirichlet(alpha: f64) -> Result<Self> {
        Ok(Prior { law: Law::Dirichlet { alpha: positive("alpha", alpha)? } })
    }

    /// Dirichlet process with `alpha ~ Gamma(shape, rate)` integrated out: no `alpha` in the chain.
    pub fn dirichlet_gamma(shape: f64, rate: f64) -> Result<Self> {
        for (name, value) in [("the shape of alpha", shape), ("the rate of alpha", rate)] {
            // Beyond these a Gamma law puts all its mass where doubles cannot tell alpha from 0 or infinity.
            if !(1e-4..=1e6).contains(&value) {
                return Err(Error::OutOfRange { name, range: "between 1e-4 and 1e6", value });
            }
        }
        Ok(Prior { law: Law::DirichletGamma { shape, rate } })
    }

    /// Pitman-Yor process with `discount` in [0, 1) and `strength > -discount`.
    pub fn pitman_yor(discount: f64, strength: f64) -> Result<Self> {
        if !(0.0..1.0).contains(&discount) {
            let range = "in [0, 1)";
            return Err(Error::OutOfRange { name: "the discount", range, value: discount });
        }
        if !(strength > -discount && strength.is_finite()) {
            let range = "a finite number above minus the discount";
            return Err(Error::OutOfRange { name: "the strength", range, value: strength });
        }
        Ok(Prior { law: Law::PitmanYor { discount, strength } })
    }

    /// Finite mixture with a prior on the number of components and symmetric Dirichlet(`gamma`)
    /// weights (Miller, Harrison 2018).
    pub fn finite_mixture(gamma: f64, components: Components) -> Result<Self> {
        positive("gamma", gamma)?;
        match components {
            Components::Poisson { rate } => drop(positive("the Poisson rate", rate)?),
            Components::Geometric { p } if !(p > 0.0 && p < 1.0) => {
                let (name, range) = ("the geometric probability", "in (0, 1)");
                return Err(Error::OutOfRange { name, range, value: p });
            }
            Components::Exactly(0) => {
                let (name, range) = ("the number of components", "at least 1");
                return Err(Error::OutOfRange { name, range, value: 0.0 });
            }
            _ => {}
        }
        Ok(Prior { law: Law::FiniteMixture { gamma, components } })
    }

    /// `sigma` of the Gibbs-type form.
    pub fn sigma(&self) -> f64 {
        match self.law {
            Law::Dirichlet { .. } | Law::DirichletGamma { .. } => 0.0,
            Law::PitmanYor { discount, .. } => discount,
            Law::FiniteMixture { gamma, .. } => -gamma,
        }
    }

    /// `ln V(n, k)` for `1 <= k <= n`.
    pub fn log_v(&self, n: usize, k: usize) -> f64 {
        debug_assert!(1 <= k && k <= n);
        let (nf, kf) = (n as f64, k as f64);
        match self.law {
            Law::Dirichlet { alpha } => kf * ln(alpha) + ln_gamma(alpha) - ln_gamma(alpha + nf),
            Law::DirichletGamma { shape, rate } => AlphaIntegral::new(shape, rate, n, k).log_value(),
            Law::PitmanYor { discount, strength } => {
                // prod_{i=1}^{k-1} (strength + i discount) / (strength + 1)_(n-1)
                let product: f64 = (1..k).map(|i| ln(strength + i as f64 * discount)).sum();
                product - (ln_gamma(strength + nf) - ln_gamma(strength + 1.0))
            }
            Law::FiniteMixture { gamma, components } => {
                kf * ln(gamma) + log_component_sum(gamma, components, n, k)
            }
        }
    }

    /// `ln [V(n, k+1) / V(n, k)]`: the weight of a new cluster beside `k` others, of `n` items with
    /// the one to place. `k = 0` is allowed: a new cluster is then certain, its weight arbitrary.
    pub fn log_open(&self, n: usize, k: usize) -> f64 {
        if k == 0 {
            return 0.0;
        }
        match self.law {
            Law::Dirichlet { alpha } => ln(alpha),
            Law::DirichletGamma { shape, rate } => AlphaIntegral::new(shape, rate, n, k).log_mean_alpha(),
            Law::PitmanYor { discount, strength } => ln(strength + k as f64 * discount),
            Law::FiniteMixture { .. } if k >= n => f64::NEG_INFINITY,
            Law::FiniteMixture { .. } => self.log_v(n, k + 1) - self.log_v(n, k),
        }
    }

    /// The log probability of a partition, normalised.
    pub fn log_probability(&self, z: &Partition) -> f64 {
        let sigma = self.sigma();
        let rising = |n: u32| ln_gamma(f64::from(n) - sigma) - ln_gamma(1.0 - sigma);
        self.log_v(z.len(), z.clusters()) + z.sizes().iter().map(|&n| rising(n)).sum::<f64>()
    }

    /// A draw of `items` items from the prior: the over-dispersed start of a chain.
    ///
    /// What is integrated out (`alpha`, the number of components) is drawn first; then the urn runs.
    pub fn draw(&self, items: usize, chance: &mut Sequence) -> Result<Partition> {
        let sigma = self.sigma();
        let urn: Box<dyn Fn(f64) -> f64> = match self.law {
            Law::Dirichlet { alpha } => Box::new(move |_| alpha),
            Law::DirichletGamma { shape, rate } => {
                // A tiny shape can underflow to zero; the smallest alpha still opens the first cluster.
                let alpha = (chance.gamma(shape) / rate).max(f64::MIN_POSITIVE);
                Box::new(move |_| alpha)
            }
            Law::PitmanYor { discount, strength } => Box::new(move |k| strength + k * discount),
            Law::FiniteMixture { gamma, components } => {
                let components = components.draw(chance) as f64;
                Box::new(move |k| gamma * (components - k).max(0.0))
            }
        };
        let mut sizes: Vec<f64> = Vec::new();
        let labels: Vec<usize> = (0..items)
            .map(|_| {
                let open = if sizes.is_empty() { 1.0 } else { urn(sizes.len() as f64) };
                let weights = sizes.iter().map(|n| n - sigma).chain([open]);
                let k = chance.pick(weights);
                if k == sizes.len() {
                    sizes.push(0.0);
                }
                sizes[k] += 1.0;
                k
            })
            .collect();
        Partition::from_labels(&labels)
    }
}

impl Components {
    fn log_probability(self, k: usize) -> f64 {
        let kf = k as f64;
        match self {
            Components::Poisson { rate } => (kf - 1.0) * ln(rate) - rate - ln_gamma(kf),
            Components::Geometric { p } => ln(p) + (kf - 1.0) * libm::log1p(-p),
            Components::Exactly(n) if n == k => 0.0,
            Components::Exactly(_) => f64::NEG_INFINITY,
        }
    }

    /// The tail beyond which terms no longer matter is reached well before this many more terms.
    fn last(self, from: usize) -> usize {
        match self {
            Components::Exactly(n) => n,
            _ => from + 1_000_000,
        }
    }

    fn draw(self, chance: &mut Sequence) -> usize {
        if let Components::Exactly(n) = self {
            return n;
        }
        // Inversion; the laws offered have light tails.
        let mut left = chance.uniform();
        for k in 1..self.last(1) {
            left -= libm::exp(self.log_probability(k));
            if left < 0.0 {
                return k;
            }
        }
        self.last(1)
    }
}

/// `ln sum_c p(c) c_(k) / (gamma c)^(n)`: falling and rising factorials (Miller, Harrison eq. 3.2).
fn log_component_sum(gamma: f64, components: Components, n: usize, k: usize) -> f64 {
    let mut sum = f64::NEG_INFINITY;
    let mut before = f64::NEG_INFINITY;
    for c in k..=components.last(k) {
        let cf = c as f64;
        let term = components.log_probability(c) + ln_gamma(cf + 1.0) - ln_gamma(cf - k as f64 + 1.0)
            + ln_gamma(gamma * cf)
            - ln_gamma(gamma * cf + n as f64);
        sum = ln_add(sum, term);
        // Terms rise to one peak and fall at least geometrically after it.
        if term < before && term < sum - 45.0 {
            break;
        }
        before = term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Partitions;

    fn priors() -> Vec<Prior> {
        vec![
            Prior::dirichlet(0.3).unwrap(),
            Prior::dirichlet(40.0).unwrap(),
            Prior::dirichlet_gamma(2.0, 4.0).unwrap(),
            Prior::dirichlet_gamma(0.05, 0.01).unwrap(),
            Prior::dirichlet_gamma(500.0, 3.0).unwrap(),
            Prior::dirichlet_gamma(1e-4, 1e-4).unwrap(),
            Prior::pitman_yor(0.4, -0.2).unwrap(),
            Prior::pitman_yor(0.0, 2.0).unwrap(),
            Prior::finite_mixture(1.0, Components::Poisson { rate: 1.0 }).unwrap(),
            Prior::finite_mixture(0.2, Components::Geometric { p: 0.1 }).unwrap(),
            Prior::finite_mixture(2.5, Components::Exactly(3)).unwrap(),
        ]
    }

    #[test]
    fn every_prior_sums_to_one() {
        for prior in priors() {
            for n in 1..=7 {
                let total: f64 = Partitions::of(n).map(|z| prior.log_probability(&z).exp()).sum();
                assert!((total - 1.0).abs() < 1e-11, "{prior:?} n={n}: {total}");
            }
        }
    }

    /// Consistency: the weights of the table are the ratios of the probabilities.
    #[test]
    fn weights_are_ratios_of_probabilities() {
        for prior in priors() {
            let table = PriorTable::new(prior, 6);
            for z in Partitions::of(6) {
                let here = prior.log_probability(&z);
                if here == f64::NEG_INFINITY {
                    continue;
                }
                let (item, k) = (5, z.clusters());
                let alone = usize::from(z.is_alone(item));
                let weight = |z: &Partition, slot: usize| {
                    let own = usize::from(z.slot(item) == slot);
                    match z.sizes().get(slot).map_or(0, |&n| n as usize - own) {
                        0 => table.log_open(k - alone),
                        n => table.log_join(n),
                    }
                };
                for to in 0..=k {
                    let mut moved = z.clone();
                    moved.place(item, to);
                    let there = prior.log_probability(&moved);
                    let ratio = weight(&z, to) - weight(&z, z.slot(item));
                    if there.is_finite() || ratio.is_finite() {
                        assert!((there - here - ratio).abs() < 1e-10, "{prior:?} {z:?} {to}");
                    }
                }
            }
        }
    }

    /// A Gibbs-type prior is consistent: p(z of n) is the sum over the places of item n + 1.
    #[test]
    fn v_satisfies_its_recursion() {
        for prior in priors() {
            for (n, k) in [(1, 1), (5, 2), (200, 7), (3000, 40)] {
                let left = prior.log_v(n, k);
                if left == f64::NEG_INFINITY {
                    continue;
                }
                let stay = ln(n as f64 - prior.sigma() * k as f64) + prior.log_v(n + 1, k);
                let right = ln_add(stay, prior.log_v(n + 1, k + 1));
                assert!(
                    (left - right).abs() < 1e-9 * left.abs().max(1.0),
                    "{prior:?} {n} {k}: {left} {right}"
                );
            }
        }
    }

    /// Draws have the law of the prior. False alarm below 1e-6 in all: |z| < 5.5 for 15 cells x 11 priors.
    #[test]
    fn draws_follow_the_prior() {
        let (n, draws) = (4, 40_000u32);
        for prior in priors() {
            let all: Vec<_> = Partitions::of(n).collect();
            let mut counts = vec![0.0; all.len()];
            for replicate in 0..draws {
                let stream = crate::rng::Stream::new(5, u64::from(replicate));
                let mut chance = stream.sequence(crate::rng::Purpose::StartX, 0);
                let z = prior.draw(n, &mut chance).unwrap();
                counts[all.iter().position(|y| *y == z).unwrap()] += 1.0;
            }
            for (z, count) in all.iter().zip(counts) {
                let p = prior.log_probability(z).exp();
                let expected = p * f64::from(draws);
                let sd = (expected * (1.0 - p)).sqrt();
                assert!((count - expected).abs() < 5.5 * sd + 3.0, "{prior:?} {z:?}");
            }
        }
    }

    #[test]
    fn bad_priors_are_refused() {
        assert!(Prior::dirichlet(0.0).is_err());
        assert!(Prior::dirichlet(f64::NAN).is_err());
        assert!(Prior::dirichlet(f64::INFINITY).is_err());
        assert!(Prior::dirichlet_gamma(1.0, -1.0).is_err());
        assert!(Prior::dirichlet_gamma(1e-300, 1.0).is_err());
        assert!(Prior::pitman_yor(1.0, 1.0).is_err());
        assert!(Prior::pitman_yor(0.5, -0.5).is_err());
        assert!(Prior::finite_mixture(1.0, Components::Exactly(0)).is_err());
        assert!(Prior::finite_mixture(1.0, Components::Geometric { p: 1.0 }).is_err());
    }
}
