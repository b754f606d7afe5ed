//! From a pilot to a schedule: lag, burn-in and sweeps.
//!
//! How much this matters: on the paper's gene data its own setting (lag 1, burn-in 30, sweeps 300)
//! needs more than 50,000 times the work of a well-tuned one for the same error bar, because a few
//! late meetings dominate the variance.

use crate::aggregate::Moments;
use crate::error::Result;
use crate::estimator::Schedule;
use crate::pair::{Moment, Observer, Wish};
use crate::summary::Summary;
use crate::target::Target;

/// The rule of Atchadé and Jacob from the meeting times `tau` of a pilot with lag 1:
/// lag = the 99% quantile, burn-in = lag, sweeps = 10 burn-in. The pilot itself must be discarded.
///
/// ```
/// use partita::tuning::from_meetings;
/// let schedule = from_meetings(&[5, 7, 12, 3, 20])?;
/// assert_eq!((schedule.lag(), schedule.burn_in(), schedule.sweeps()), (20, 20, 200));
/// # Ok::<(), partita::Error>(())
/// ```
///
/// # Panics
/// If there are no meetings.
pub fn from_meetings(meetings: &[u64]) -> Result<Schedule> {
    let mut sorted = meetings.to_vec();
    sorted.sort_unstable();
    let at = (sorted.len() as f64 * 0.99).ceil() as usize;
    let lag = sorted[at.clamp(1, sorted.len()) - 1].max(1);
    Schedule::new(lag, lag, 10 * lag)
}

/// One pilot pair recorded sweep by sweep, so that any schedule with its lag can be tried on it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trace {
    /// The lag of the pair.
    pub lag: u64,
    /// The meeting time; `None` if the pair was censored.
    pub tau: Option<u64>,
    width: usize,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Trace {
    /// The number of sweeps recorded.
    pub fn sweeps(&self) -> u64 {
        (self.x.len() / self.width) as u64 - 1
    }

    /// The number of values per sweep.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The values of `X_t`.
    pub fn x(&self, t: u64) -> &[f64] {
        &self.x[t as usize * self.width..(t as usize + 1) * self.width]
    }

    /// The values of `Y_{t-L}` for `L <= t < tau`.
    fn y(&self, t: u64) -> &[f64] {
        let at = (t - self.lag) as usize;
        &self.y[at * self.width..(at + 1) * self.width]
    }

    /// The sweep before which the chains differ.
    fn met_by(&self) -> u64 {
        self.tau.unwrap_or(self.sweeps() + 1)
    }

    /// `H_{k:m}` of the pair under `schedule`; `None` if it needs more sweeps than were recorded.
    ///
    /// # Panics
    /// If the schedule's lag is not the trace's.
    pub fn estimate(&self, schedule: &Schedule) -> Option<Vec<f64>> {
        assert_eq!(schedule.lag(), self.lag, "a trace serves schedules of its own lag");
        if schedule.sweeps() > self.sweeps() {
            return None;
        }
        let mut sums = vec![0.0; self.width];
        let mut add = |weight: f64, values: &[f64]| {
            if weight != 0.0 {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
            }
        };
        for t in schedule.burn_in()..=schedule.sweeps().max(self.met_by() - 1) {
            let apart = (self.lag..self.met_by()).contains(&t);
            add(schedule.weight_x(t, apart), self.x(t));
            if apart {
                add(schedule.weight_y(t), self.y(t));
            }
        }
        Some(sums)
    }
}

/// Records a pair: the observer that produces a [`Trace`].
#[derive(Debug, Clone)]
pub struct Tracer<S> {
    summary: S,
    horizon: u64,
    trace: Trace,
}

impl<S> Tracer<S> {
    /// Records at least `horizon` sweeps of a pair with this lag.
    pub fn new(summary: S, lag: u64, horizon: u64) -> Self {
        Tracer { summary, horizon, trace: Trace { lag, tau: None, width: 0, x: Vec::new(), y: Vec::new() } }
    }

    /// The trace, once the pair has run; `tau` says how it ended.
    pub fn into_trace(mut self, tau: Option<u64>) -> Trace {
        self.trace.tau = tau;
        self.trace
    }
}

impl<T: Target, S: Summary<T>> Observer<T> for Tracer<S> {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        self.trace.width = self.summary.len();
        let push = |series: &mut Vec<f64>, state| {
            let at = series.len();
            series.resize(at + self.trace.width, 0.0);
            self.summary.evaluate(moment.target, state, &mut series[at..]);
        };
        push(&mut self.trace.x, moment.x);
        if let Some(y) = moment.y {
            push(&mut self.trace.y, y);
        }
        if moment.t < self.horizon { Wish::More } else { Wish::Enough }
    }
}

/// Cost and variance of a schedule, estimated from pilot traces.
#[derive(Debug, Clone, PartialEq)]
pub struct Appraisal {
    /// The schedule.
    pub schedule: Schedule,
    /// Mean kernel calls per replicate.
    pub cost: f64,
    /// Variance of one estimate, for each value of the summary.
    pub variance: Vec<f64>,
}

impl Appraisal {
    /// `E[cost] * Var(H)` for each value: the work for a given error bar.
    pub fn inefficiency(&self) -> impl Iterator<Item = f64> + '_ {
        self.variance.iter().map(|v| v * self.cost)
    }
}

/// Tries a schedule on traces with its lag; `None` if one is too short or there are fewer than two.
/// A censored trace counts as if it had met at its end.
pub fn appraise(traces: &[Trace], schedule: &Schedule) -> Option<Appraisal> {
    let width = traces.first()?.width;
    let mut moments = vec![Moments::new(); width];
    let mut cost = 0.0;
    for trace in traces {
        for (moments, value) in moments.iter_mut().zip(trace.estimate(schedule)?) {
            moments.push(value);
        }
        cost += schedule.cost(trace.met_by()) as f64;
    }
    let variance = moments.iter().map(Moments::variance).collect::<Option<Vec<_>>>()?;
    Some(Appraisal { schedule: *schedule, cost: cost / traces.len() as f64, variance })
}

/// The schedule whose worst value of `E[cost] * Var(H)`, each relative to the best any candidate
/// reaches for that value, is smallest; of those within `slack` (0.1 is a tenth) of it, the one with
/// the fewest sweeps: short replicates spread better over processors.
///
/// Candidates longer than the traces are skipped; `None` if none is left.
pub fn from_traces(traces: &[Trace], candidates: &[Schedule], slack: f64) -> Option<Appraisal> {
    let appraised: Vec<Appraisal> = candidates.iter().filter_map(|c| appraise(traces, c)).collect();
    let width = appraised.first()?.variance.len();
    let best: Vec<f64> = (0..width)
        .map(|j| appraised.iter().map(|a| a.cost * a.variance[j]).fold(f64::INFINITY, f64::min))
        .collect();
    let worst = |a: &Appraisal| {
        let relative = a.inefficiency().zip(&best).filter(|(_, best)| **best > 0.0).map(|(i, best)| i / best);
        relative.fold(1.0, f64::max)
    };
    let bar = appraised.iter().map(worst).fold(f64::INFINITY, f64::min) * (1.0 + slack);
    appraised.into_iter().filter(|a| worst(a) <= bar).min_by_key(|a| a.schedule.sweeps())
}

/// A burn-in that the wait of a pair exceeds with probability about `rare`, from the longest of some waits.
///
/// Of `pairs` waits the longest is exceeded about once in `pairs`; with a tail that falls like an exponential, its
/// multiple by `ln(1 / rare) / ln(pairs)` is exceeded with probability `rare`.
///
/// ```
/// assert_eq!(partita::tuning::safe_burn_in(50, 100, 1e-4), 100);
/// ```
pub fn safe_burn_in(longest: u64, pairs: u64, rare: f64) -> u64 {
    (longest as f64 * (-rare.ln()) / (pairs as f64).ln()).ceil() as u64
}

/// The variance of one estimate in units of a summary's variance over states, as far as the waits of pairs (meeting time less
/// lag) tell it.
///
/// For each part of `H_{k:m}` something is assumed. States of a chain are as correlated as pairs are unmet, so that the mean of
/// a window of `w` states has variance `(1 + 2 E wait) / w`. And the chains of a late pair differ like two
/// independent states, by the same all along, so that its correction has variance `2 (sum of repeats)² / w²`.
///
/// ```
/// use partita::{Schedule, tuning::relative_variance};
/// let schedule = |burn_in| Schedule::new(10, burn_in, 2 * burn_in);
/// let waits = [5, 5, 5, 5, 300];
/// assert!(relative_variance(&schedule(10)?, &waits) > 10.0);
/// assert!(relative_variance(&schedule(300)?, &waits) < 0.5);
/// # Ok::<(), partita::Error>(())
/// ```
pub fn relative_variance(schedule: &Schedule, waits: &[u64]) -> f64 {
    let (pairs, window) = (waits.len() as f64, schedule.window() as f64);
    let mean = waits.iter().sum::<u64>() as f64 / pairs;
    let late = |wait: &u64| {
        let repeats =
            (schedule.burn_in() + schedule.lag()..schedule.lag() + wait).map(|t| schedule.repeats(t));
        (repeats.sum::<u64>() as f64 / window).powi(2)
    };
    (1.0 + 2.0 * mean) / window + 2.0 * waits.iter().map(late).sum::<f64>() / pairs
}

/// The asymptotic variance of the mean of one long stationary series, by overlapping batch means,
/// with batches as long as the square root of its length; `None` for fewer than 16 values.
///
/// ```
/// use partita::tuning::asymptotic_variance;
/// let alternating: Vec<f64> = (0..1000).map(|i| f64::from(i % 2)).collect();
/// assert!(asymptotic_variance(&alternating).unwrap() < 0.01);
/// ```
pub fn asymptotic_variance(series: &[f64]) -> Option<f64> {
    let n = series.len();
    if n < 16 {
        return None;
    }
    let b = (n as f64).sqrt() as usize;
    let mean = series.iter().sum::<f64>() / n as f64;
    let mut window: f64 = series[..b].iter().map(|x| x - mean).sum();
    let mut squares = window * window;
    for i in b..n {
        window += series[i] - series[i - b];
        squares += window * window;
    }
    // Flegal, Jones 2010, equation 8, with the batch means written as sums.
    let (n, b) = (n as f64, b as f64);
    Some(n * squares / (b * (n - b) * (n - b + 1.0)))
}
