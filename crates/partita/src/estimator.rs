//! The unbiased estimate `H_{k:m}` of one pair, built online as an observer of the loop.

use crate::error::{Error, Result};
use crate::pair::{Moment, Observer, Wish};
use crate::summary::Summary;
use crate::target::Target;

/// Lag `L`, burn-in `k` and sweeps `m` of an estimate.
///
/// ```
/// use partita::Schedule;
/// let paper = Schedule::new(1, 30, 300)?;
/// assert_eq!(paper.window(), 271);
/// assert!(Schedule::new(1, 30, 29).is_err());
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "(u64, u64, u64)", into = "(u64, u64, u64)"))]
pub struct Schedule {
    lag: u64,
    burn_in: u64,
    sweeps: u64,
}

/// Lag, burn-in and sweeps.
impl From<Schedule> for (u64, u64, u64) {
    fn from(schedule: Schedule) -> Self {
        (schedule.lag, schedule.burn_in, schedule.sweeps)
    }
}

impl TryFrom<(u64, u64, u64)> for Schedule {
    type Error = Error;

    fn try_from((lag, burn_in, sweeps): (u64, u64, u64)) -> Result<Self> {
        Self::new(lag, burn_in, sweeps)
    }
}

impl Schedule {
    /// A schedule with `lag >= 1` and `sweeps >= burn_in`.
    pub fn new(lag: u64, burn_in: u64, sweeps: u64) -> Result<Self> {
        if lag == 0 {
            return Err(Error::LagZero);
        }
        if sweeps < burn_in {
            return Err(Error::SweepsBeforeBurnIn { burn_in, sweeps });
        }
        Ok(Schedule { lag, burn_in, sweeps })
    }

    /// The lag `L`.
    pub fn lag(&self) -> u64 {
        self.lag
    }

    /// The burn-in `k`.
    pub fn burn_in(&self) -> u64 {
        self.burn_in
    }

    /// The sweeps `m`.
    pub fn sweeps(&self) -> u64 {
        self.sweeps
    }

    /// The number of averaged states, `m - k + 1`.
    pub fn window(&self) -> u64 {
        self.sweeps - self.burn_in + 1
    }

    /// The number of times that the difference `h(X_t) - h(Y_{t-L})` enters the correction: `w_t =
    /// floor((t-k)/L) - ceil(max(L, t-m)/L) + 1` for `t >= k + L`, else 0.
    ///
    /// This is the number of starts `s` in `k..=m` for which `t` is one of `s+L, s+2L, ...`. The
    /// older `min(m-k+1, ceil((t-k)/L))` counts wrongly for lags above 1.
    #[inline]
    pub fn repeats(&self, t: u64) -> u64 {
        if t < self.burn_in + self.lag {
            return 0;
        }
        let first = (t - self.burn_in) / self.lag;
        let last = self.lag.max(t.saturating_sub(self.sweeps)).div_ceil(self.lag);
        first + 1 - last
    }

    /// The weight of `X_t` in the estimate; `apart` says whether the chains still differ.
    #[inline]
    pub fn weight_x(&self, t: u64, apart: bool) -> f64 {
        let usual = u64::from((self.burn_in..=self.sweeps).contains(&t));
        let correction = if apart { self.repeats(t) } else { 0 };
        (usual + correction) as f64 / self.window() as f64
    }

    /// The weight of `Y_{t-L}` in the estimate while the chains differ: not positive.
    #[inline]
    pub fn weight_y(&self, t: u64) -> f64 {
        -(self.repeats(t) as f64) / self.window() as f64
    }

    /// The kernel calls of a pair that meets at `tau`: `2(tau-L) + max(L, m+L-tau)`.
    pub fn cost(&self, tau: u64) -> u64 {
        2 * (tau - self.lag) + self.lag.max((self.sweeps + self.lag).saturating_sub(tau))
    }
}

/// Accumulates `H_{k:m}` of a vector-valued summary in the memory of two vectors, whatever the run length.
///
/// ```
/// use partita::coupling::Optimal;
/// use partita::partition::Metric;
/// use partita::{Coloring, Estimator, Gibbs, Graph, Pair, Schedule, Stream, summary::Clusters};
///
/// let target = Coloring::new(Graph::octahedron(), 4)?;
/// let schedule = Schedule::new(1, 1, 4)?;
/// let mut estimator = Estimator::new(schedule, Clusters);
/// let mut pair = Pair::new(&target, &Gibbs, Optimal::new(Metric::Hamming, 6), 1)?;
/// pair.run(target.known_coloring(), target.known_coloring(), &Stream::new(1, 0), &mut estimator);
/// let estimate = estimator.values();
/// assert_eq!(estimate.len(), 1);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Estimator<S> {
    schedule: Schedule,
    summary: S,
    sums: Vec<f64>,
    value: Vec<f64>,
}

impl<S> Estimator<S> {
    /// An estimator of `summary` under `schedule`. The pair must use the schedule's lag.
    pub fn new(schedule: Schedule, summary: S) -> Self {
        Estimator { schedule, summary, sums: Vec::new(), value: Vec::new() }
    }

    /// The estimates, once the pair has run. Those of a censored pair are *not* unbiased.
    pub fn values(&self) -> &[f64] {
        &self.sums
    }
}

impl<T: Target, S: Summary<T>> Observer<T> for Estimator<S> {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        let t = moment.t;
        self.sums.resize(self.summary.len(), 0.0);
        self.value.resize(self.summary.len(), 0.0);
        let mut add = |weight: f64, state| {
            if weight != 0.0 {
                self.summary.evaluate(moment.target, state, &mut self.value);
                for (sum, value) in self.sums.iter_mut().zip(&self.value) {
                    *sum += weight * value;
                }
            }
        };
        add(self.schedule.weight_x(t, moment.y.is_some()), moment.x);
        if let Some(y) = moment.y {
            add(self.schedule.weight_y(t), y);
        }
        if t < self.schedule.sweeps { Wish::More } else { Wish::Enough }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weight against its definition: starts `s` in `k..=m` with `t` in `{s+L, s+2L, ...}`.
    #[test]
    fn repeats_count_what_they_say() {
        for lag in 1..=5 {
            for k in 0..=4 {
                for m in k..=k + 9 {
                    let schedule = Schedule::new(lag, k, m).unwrap();
                    for t in 0..40 {
                        let expected = (k..=m).filter(|s| t >= s + lag && (t - s) % lag == 0).count() as u64;
                        assert_eq!(schedule.repeats(t), expected, "L={lag} k={k} m={m} t={t}");
                    }
                }
            }
        }
    }

    #[test]
    fn bad_schedules_are_refused() {
        assert_eq!(Schedule::new(0, 1, 2), Err(Error::LagZero));
        assert_eq!(Schedule::new(1, 3, 2), Err(Error::SweepsBeforeBurnIn { burn_in: 3, sweeps: 2 }));
    }
}
