//! How long chains take to meet, if some pairs were censored, and what this says about convergence.
//!
//! Meeting times are right-censored: for a pair censored at sweep `c` only `tau > c` is known. Dropping such
//! pairs would make convergence look faster than it is. The product-limit curve (Kaplan, Meier 1958) uses both
//! kinds, as long as censoring does not depend on how close the pair was to meeting; with a cap on the sweeps
//! it does not.
//!
//! **Nothing is extrapolated.** If the longest-running pairs were censored, the curve ends above 0 and the
//! distribution beyond is unknown: values there are `None`, and a bound that needs them is marked as incomplete.

use crate::aggregate::{LEVEL, normal_quantile};

/// What was observed of one meeting time.
///
/// ```
/// use partita::survival::Observed;
/// let met = Observed { time: 12, met: true };    // tau = 12
/// let cut = Observed { time: 500, met: false };  // tau > 500
/// assert!(met.met && !cut.met);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Observed {
    /// The meeting time `tau` if the chains met, otherwise the sweep at which the pair was censored.
    pub time: u64,
    /// Whether the chains met.
    pub met: bool,
}

/// One step down of the survival curve.
///
/// ```
/// use partita::survival::{KaplanMeier, Observed};
/// let seen = [(1, true), (2, false), (3, true)].map(|(time, met)| Observed { time, met });
/// let curve = KaplanMeier::new(&seen);
/// let first = curve.steps()[0];
/// assert_eq!((first.time, first.at_risk, first.events, first.censored), (1, 3, 1, 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveStep {
    /// The meeting time at which the curve steps down.
    pub time: u64,
    /// Pairs neither met nor censored before this time. A pair censored at exactly this time is still at risk.
    pub at_risk: usize,
    /// Pairs that met at this time.
    pub events: usize,
    /// Pairs censored from this time on and before the next step, so that `at_risk - events - censored` is the next
    /// `at_risk`.
    pub censored: usize,
    /// `S(t) = P(tau > t)` from this time up to the next step.
    pub survival: f64,
    /// Greenwood's standard error of `survival`; 0 where `survival` is 0.
    pub se: f64,
    /// Pointwise interval of `survival`, inside [0, 1].
    pub interval: (f64, f64),
}

/// The Kaplan-Meier curve of meeting times.
///
/// The interval of a step is computed on the log-log scale (Kalbfleisch, Prentice 1980), `S^exp(±z s / ln S)` with
/// Greenwood's `s^2 = sum d / (n (n - d))`, so it stays inside [0, 1]. At `S = 0` that scale ends; there the lower end
/// is 0 and the upper end that of the step before, since survival cannot rise. If the first step falls to 0, the upper
/// end is the exact binomial `1 - (a/2)^(1/n)` with `a = 1 - level`. Before the first step `S = 1`, and has no interval.
///
/// ```
/// use partita::survival::{KaplanMeier, Observed};
/// let seen = [(3, true), (5, true), (5, false), (8, true), (10, false)].map(|(time, met)| Observed { time, met });
/// let curve = KaplanMeier::new(&seen);
/// assert_eq!(curve.survival_at(2), Some(1.0));
/// assert_eq!(curve.survival_at(5), Some(0.6));
/// assert!((curve.survival_at(9).unwrap() - 0.6 * 0.5).abs() < 1e-15);
/// assert_eq!(curve.survival_at(11), None); // the last pair was cut at 10, still apart
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KaplanMeier {
    steps: Vec<CurveStep>,
    count: usize,
    level: f64,
    /// The largest time seen, met or cut.
    last_time: u64,
}

/// An upper bound on the total variation distance to the target, as far as the meetings determine it.
///
/// ```
/// use partita::survival::{KaplanMeier, Observed};
/// let curve = KaplanMeier::new(&[Observed { time: 3, met: true }, Observed { time: 5, met: false }]);
/// let bound = curve.tv_bound(1, 3);
/// assert_eq!((bound.value, bound.complete), (1.0, true));  // S(4) + S(5): 1 is a bound without any tail
/// let bound = curve.tv_bound(1, 4);
/// assert_eq!((bound.value, bound.complete), (0.5, false)); // S(5), and who knows
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TvBound {
    /// The bound, at most 1. **If not `complete`, only a part of it**: the known terms alone, an underestimate of the
    /// bound, which bounds nothing.
    pub value: f64,
    /// Whether no unknown term could change `value`: the curve reaches 0, or the known terms already reach 1.
    pub complete: bool,
}

impl KaplanMeier {
    /// The curve of these meetings, with 95% intervals. The order of the meetings does not matter.
    ///
    /// Without meetings the curve is empty: `S(0) = 1`, and unknown beyond.
    ///
    /// ```
    /// use partita::survival::{KaplanMeier, Observed};
    /// let curve = KaplanMeier::new(&[Observed { time: 3, met: true }, Observed { time: 5, met: true }]);
    /// assert_eq!(curve.steps().len(), 2);
    /// ```
    pub fn new(observed: &[Observed]) -> Self {
        Self::with_level(observed, LEVEL)
    }

    /// The curve with intervals at another level.
    ///
    /// # Panics
    /// If `level` is outside (0, 1).
    ///
    /// ```
    /// use partita::survival::{KaplanMeier, Observed};
    /// let seen = [Observed { time: 3, met: true }, Observed { time: 5, met: true }];
    /// let (wide, narrow) = (KaplanMeier::new(&seen), KaplanMeier::with_level(&seen, 0.5));
    /// assert!(wide.steps()[0].interval.0 < narrow.steps()[0].interval.0);
    /// ```
    pub fn with_level(observed: &[Observed], level: f64) -> Self {
        let z = normal_quantile(level);
        let mut sorted = observed.to_vec();
        sorted.sort_unstable_by_key(|o| o.time);
        let mut curve = Self {
            steps: Vec::new(),
            count: observed.len(),
            level,
            last_time: sorted.last().map_or(0, |o| o.time),
        };
        let mut at_risk = sorted.len();
        // Between two censorings the factors (n - d)/n telescope to one fraction of whole numbers: without censoring the
        // curve is the empirical survival to the last bit.
        let (mut base, mut base_at_risk) = (1.0, at_risk);
        let mut greenwood = 0.0;
        for group in sorted.chunk_by(|a, b| a.time == b.time) {
            let events = group.iter().filter(|o| o.met).count();
            let censored = group.len() - events;
            if events > 0 {
                let survivors = at_risk - events;
                let survival = base * (survivors as f64 / base_at_risk as f64);
                let (n, d) = (at_risk as f64, events as f64);
                let (se, interval) = if survivors == 0 {
                    (0.0, (0.0, curve.upper_end_at_zero(n)))
                } else {
                    greenwood += d / (n * (n - d));
                    let s = f64::sqrt(greenwood);
                    (survival * s, log_log_interval(survival, s, z))
                };
                curve.steps.push(CurveStep {
                    time: group[0].time,
                    at_risk,
                    events,
                    censored: 0,
                    survival,
                    se,
                    interval,
                });
            }
            if censored > 0 {
                if let Some(step) = curve.steps.last_mut() {
                    step.censored += censored;
                }
                base = curve.last_survival();
                base_at_risk = at_risk - group.len();
            }
            at_risk -= group.len();
        }
        curve
    }

    /// The steps, in the order of time: one for each time at which some pair met.
    ///
    /// ```
    /// use partita::survival::{KaplanMeier, Observed};
    /// let curve = KaplanMeier::new(&[Observed { time: 3, met: true }, Observed { time: 5, met: false }]);
    /// assert_eq!(curve.steps().iter().map(|s| (s.time, s.survival)).collect::<Vec<_>>(), [(3, 0.5)]);
    /// ```
    pub fn steps(&self) -> &[CurveStep] {
        &self.steps
    }

    /// The number of meeting times observed, censored or not.
    ///
    /// ```
    /// use partita::survival::{KaplanMeier, Observed};
    /// assert_eq!(KaplanMeier::new(&[Observed { time: 3, met: false }]).count(), 1);
    /// ```
    pub fn count(&self) -> usize {
        self.count
    }

    /// `S(t) = P(tau > t)`; `None` where the curve was censored before `t`.
    ///
    /// ```
    /// use partita::survival::{KaplanMeier, Observed};
    /// let curve = KaplanMeier::new(&[Observed { time: 3, met: true }, Observed { time: 5, met: false }]);
    /// assert_eq!([0, 3, 5, 6].map(|t| curve.survival_at(t)), [Some(1.0), Some(0.5), Some(0.5), None]);
    /// ```
    pub fn survival_at(&self, t: u64) -> Option<f64> {
        if !self.tail_is_known() && t > self.last_time {
            return None;
        }
        let passed = self.steps.partition_point(|step| step.time <= t);
        Some(passed.checked_sub(1).map_or(1.0, |i| self.steps[i].survival))
    }

    /// The smallest time seen by which a share `p` of the pairs has met, `S(t) <= 1 - p`; `None` where the curve is
    /// censored before it gets there.
    ///
    /// # Panics
    /// If `p` is outside [0, 1].
    ///
    /// ```
    /// use partita::survival::{KaplanMeier, Observed};
    /// let seen: Vec<_> = (1..=10).map(|time| Observed { time, met: time < 10 }).collect();
    /// let curve = KaplanMeier::new(&seen);
    /// assert_eq!((curve.quantile(0.5), curve.quantile(0.9), curve.quantile(0.95)), (Some(5), Some(9), None));
    /// ```
    pub fn quantile(&self, p: f64) -> Option<u64> {
        assert!((0.0..=1.0).contains(&p), "a quantile must be asked for in [0, 1], not at {p}");
        // 1 - 0.9 is a little less than 0.1: without the slack the ninth of ten would not be the 0.9 quantile.
        self.steps.iter().find(|step| step.survival <= 1.0 - p + 1e-12).map(|step| step.time)
    }

    /// The survival at the end of the curve: 0, or what is left unmet because of censoring.
    ///
    /// ```
    /// use partita::survival::{KaplanMeier, Observed};
    /// let curve = KaplanMeier::new(&[Observed { time: 3, met: true }, Observed { time: 5, met: false }]);
    /// assert_eq!(curve.last_survival(), 0.5);
    /// ```
    pub fn last_survival(&self) -> f64 {
        self.steps.last().map_or(1.0, |step| step.survival)
    }

    /// Whether the curve reaches 0, so that it is known at all times.
    ///
    /// ```
    /// use partita::survival::{KaplanMeier, Observed};
    /// let mut seen = vec![Observed { time: 3, met: true }, Observed { time: 2, met: false }];
    /// assert!(KaplanMeier::new(&seen).tail_is_known());  // a longer one was seen to meet
    /// seen.push(Observed { time: 5, met: false });
    /// assert!(!KaplanMeier::new(&seen).tail_is_known());
    /// ```
    pub fn tail_is_known(&self) -> bool {
        self.last_survival() == 0.0
    }

    /// The bound `TV(law(X_t), p) <= sum_{j >= 1} P(tau > t + j lag)`, capped at 1 (Biswas, Jacob, Vanetti 2019).
    ///
    /// `lag` must be the lag of the pairs behind this curve. Terms where the curve is unknown are left out, and then
    /// the bound is not [`complete`](TvBound::complete), unless the known ones reach 1 by themselves. The bound is an
    /// estimate: it cannot know of meetings slower than the slowest in the sample.
    ///
    /// # Panics
    /// If `lag` is 0.
    ///
    /// ```
    /// use partita::survival::{KaplanMeier, Observed};
    /// let curve = KaplanMeier::new(&[4, 4, 5, 9].map(|time| Observed { time, met: true }));
    /// let bound = curve.tv_bound(2, 1); // S(3) + S(5) + S(7) = 1 + 1/4 + 1/4, capped
    /// assert_eq!((bound.value, bound.complete), (1.0, true));
    /// let bound = curve.tv_bound(2, 3); // S(5) + S(7)
    /// assert_eq!((bound.value, bound.complete), (0.5, true));
    /// ```
    pub fn tv_bound(&self, lag: u64, t: u64) -> TvBound {
        assert!(lag > 0, "the lag must be at least 1");
        // How many of the times t + lag, t + 2 lag, ... lie before `end`.
        let before = |end: u64| end.saturating_sub(1).saturating_sub(t) / lag;
        let first = self.steps.first().map_or(self.last_time.saturating_add(1), |step| step.time);
        let mut sum = before(first) as f64;
        for (i, step) in self.steps.iter().enumerate() {
            let end = self.steps.get(i + 1).map_or(self.last_time.saturating_add(1), |next| next.time);
            sum += step.survival * (before(end) - before(step.time)) as f64;
        }
        // Rounding must not turn a bound of 1 into one just below.
        let reached = sum >= 1.0 - 1e-12;
        TvBound { value: if reached { 1.0 } else { sum }, complete: reached || self.tail_is_known() }
    }

    /// The smallest `t` at which the bound of [`tv_bound`](Self::tv_bound) is complete and at most `tv`; `None` where
    /// censoring leaves it unknown.
    ///
    /// # Panics
    /// If `lag` is 0.
    ///
    /// ```
    /// use partita::survival::{KaplanMeier, Observed};
    /// let curve = KaplanMeier::new(&[4, 4, 5, 9].map(|time| Observed { time, met: true }));
    /// assert_eq!(curve.sweeps_until(2, 0.5), Some(3));
    /// assert_eq!(curve.sweeps_until(2, 0.0), Some(7));
    /// let cut = KaplanMeier::new(&[Observed { time: 4, met: true }, Observed { time: 9, met: false }]);
    /// assert_eq!(cut.sweeps_until(2, 0.5), None);
    /// ```
    pub fn sweeps_until(&self, lag: u64, tv: f64) -> Option<u64> {
        assert!(lag > 0, "the lag must be at least 1");
        let within = |t: u64| {
            let bound = self.tv_bound(lag, t);
            // A sum that is equal on paper may lie above by rounding.
            bound.complete && bound.value <= tv + 1e-12
        };
        if within(0) {
            return Some(0);
        }
        // At the last time seen no known term is left. If even that is not within, nothing is.
        if !within(self.last_time) {
            return None;
        }
        // The bound falls as t grows, since survival does: bisect, with `over` not within and `under` within.
        let (mut over, mut under) = (0, self.last_time);
        while under - over > 1 {
            let middle = over + (under - over) / 2;
            if within(middle) {
                under = middle;
            } else {
                over = middle;
            }
        }
        Some(under)
    }

    /// The upper end of the interval of a step down to 0 with `n` at risk.
    fn upper_end_at_zero(&self, n: f64) -> f64 {
        match self.steps.last() {
            Some(step) => step.interval.1,
            None => 1.0 - libm::pow((1.0 - self.level) / 2.0, 1.0 / n),
        }
    }
}

/// The bound directly from its definition, if no pair was censored: the mean of `max(0, ceil((tau -
/// lag - t) / lag))`, capped at 1. `None` without meetings.
///
/// The slow twin of [`KaplanMeier::tv_bound`], with which it agrees.
///
/// # Panics
/// If `lag` is 0.
///
/// ```
/// use partita::survival::tv_bound_of_meetings;
/// assert_eq!(tv_bound_of_meetings(&[4, 4, 5, 9], 2, 3), Some(0.5)); // 0, 0, 0 and ceil(4 / 2)
/// assert_eq!(tv_bound_of_meetings(&[], 2, 3), None);
/// ```
pub fn tv_bound_of_meetings(taus: &[u64], lag: u64, t: u64) -> Option<f64> {
    assert!(lag > 0, "the lag must be at least 1");
    if taus.is_empty() {
        return None;
    }
    let terms = taus.iter().map(|tau| tau.saturating_sub(lag).saturating_sub(t).div_ceil(lag) as f64);
    Some((terms.sum::<f64>() / taus.len() as f64).min(1.0))
}

/// `S^exp(±z s / ln S)`, for `S` inside (0, 1).
fn log_log_interval(survival: f64, s: f64, z: f64) -> (f64, f64) {
    let log = libm::log(survival);
    let spread = z * s / log; // negative, since the logarithm is
    let end = |power: f64| libm::exp(log * libm::exp(power)).clamp(0.0, 1.0);
    (end(-spread), end(spread))
}
