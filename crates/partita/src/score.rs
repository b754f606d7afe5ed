//! How well a model predicts its own data: leave-one-out densities from states of one fit.
//!
//! Let `p_i(z)` be the density of item `i` given the data of all others and where they are in `z`
//! ([`Predictive::leave_one_out`](crate::target::Predictive::leave_one_out)). If `z` is from the posterior given *all*
//! items, the law of the others has been tilted by exactly `p_i(z)`, so that
//!
//! `p(x_i | all other data) = 1 / E(1 / p_i(z))`.
//!
//! The mean over states of a chain replaces the expectation. The mean over items of the logarithms is the score (the
//! log pseudo-marginal likelihood of Geisser and Eddy 1979): larger is better. Scores of two models are comparable if
//! both are densities of the same cells in the same units.

use crate::math::{ln, ln_add};

/// Leave-one-out densities of all items, from the states added.
///
/// ```
/// use partita::score::LeaveOneOut;
/// let mut score = LeaveOneOut::new(2);
/// score.add(&[0.5_f64.ln(), -1.0]); // the densities of two items in one state
/// score.add(&[0.25_f64.ln(), -1.0]); // and in another
/// assert!((score.items()[0] - (1.0_f64 / 3.0).ln()).abs() < 1e-15, "1 / mean(2, 4)");
/// assert_eq!(score.items()[1], -1.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeaveOneOut {
    /// Of each item, the logarithm of the sum of `1 / p_i` over the states.
    inverses: Vec<f64>,
    states: u64,
}

/// A mean over items and its standard error, as if items were a sample of many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub se: f64,
}

impl LeaveOneOut {
    /// For this many items, with no states yet.
    pub fn new(items: usize) -> Self {
        LeaveOneOut { inverses: vec![f64::NEG_INFINITY; items], states: 0 }
    }

    /// Adds one state: the log leave-one-out density of each item.
    ///
    /// # Panics
    /// If there is not one per item.
    pub fn add(&mut self, logs: &[f64]) {
        assert_eq!(logs.len(), self.inverses.len(), "a density for each item");
        self.states += 1;
        for (inverse, log) in self.inverses.iter_mut().zip(logs) {
            *inverse = ln_add(*inverse, -log);
        }
    }

    /// Adds the states of another.
    ///
    /// # Panics
    /// If the other has a different number of items.
    pub fn merge(&mut self, other: &LeaveOneOut) {
        assert_eq!(other.inverses.len(), self.inverses.len(), "the same items");
        self.states += other.states;
        for (inverse, other) in self.inverses.iter_mut().zip(&other.inverses) {
            *inverse = ln_add(*inverse, *other);
        }
    }

    /// Multiplies the density of each item by a factor of its own, given by its logarithm: a change of units, or cells
    /// that do not depend on the state.
    ///
    /// ```
    /// let mut score = partita::score::LeaveOneOut::new(2);
    /// score.add(&[-1.0, -2.0]);
    /// score.scale(&[0.5, -0.5]);
    /// assert_eq!(score.items(), [-0.5, -2.5]);
    /// ```
    ///
    /// # Panics
    /// If there is not one factor per item.
    pub fn scale(&mut self, logs: &[f64]) {
        assert_eq!(logs.len(), self.inverses.len(), "a factor for each item");
        self.inverses.iter_mut().zip(logs).for_each(|(inverse, log)| *inverse -= log);
    }

    /// The states added.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// The log density of each item given the data of all others; NaN without states.
    pub fn items(&self) -> Vec<f64> {
        let states = if self.states == 0 { f64::NAN } else { ln(self.states as f64) };
        self.inverses.iter().map(|inverse| states - inverse).collect()
    }

    /// The score: the mean over items.
    pub fn score(&self) -> Scored {
        Scored::of(&self.items())
    }

    /// The score minus that of another model of the same items. Much of the variation between items is common to both,
    /// so the difference is known better than either score.
    ///
    /// ```
    /// use partita::score::LeaveOneOut;
    /// let (mut one, mut other) = (LeaveOneOut::new(3), LeaveOneOut::new(3));
    /// one.add(&[-1.0, -2.0, -9.0]);
    /// other.add(&[-1.5, -2.5, -9.5]);
    /// let better = one.less(&other);
    /// assert!((better.mean - 0.5).abs() < 1e-15 && better.se < 1e-15);
    /// ```
    pub fn less(&self, other: &LeaveOneOut) -> Scored {
        let differences = self.items().into_iter().zip(other.items()).map(|(one, other)| one - other);
        Scored::of(&differences.collect::<Vec<_>>())
    }
}

impl Scored {
    /// From one value per item.
    ///
    /// ```
    /// use partita::score::Scored;
    /// let scored = Scored::of(&[1.0, 2.0, 3.0]);
    /// assert_eq!(scored.mean, 2.0);
    /// assert!((scored.se - 1.0 / 3.0_f64.sqrt()).abs() < 1e-15);
    /// ```
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Scored { mean, se: (squares / (n - 1.0) / n).sqrt() }
    }
}
