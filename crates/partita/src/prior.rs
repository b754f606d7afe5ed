//! Gibbs-type priors over partitions: one type, one weight rule.
//!
//! All of them have the form `p(z) = V(N, K) * prod_j (1 - sigma)_(n_j - 1)` (rising factorials),
//! so an item joins a cluster of size `n_j` with weight `n_j - sigma` and opens a new one with
//! weight `V(N, K+1) / V(N, K)`, `K` counted without the item.

mod alpha;
mod table;
#[cfg(test)]
mod tests;

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
        self.log_v(z.len(), z.clusters()) + self.log_sizes(z)
    }

    /// `ln prod_j (1 - sigma)_(n_j - 1)`: the part that depends on the sizes.
    fn log_sizes(&self, z: &Partition) -> f64 {
        let sigma = self.sigma();
        let rising = |n: u32| ln_gamma(f64::from(n) - sigma) - ln_gamma(1.0 - sigma);
        z.sizes().iter().map(|&n| rising(n)).sum()
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
