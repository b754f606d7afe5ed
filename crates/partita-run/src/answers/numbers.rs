//! The numbers of a run: means with intervals, meeting times, notes.

use super::workers;
use crate::config::{Law, StoppingRule};
use crate::engine::Row;
use crate::engine::pilot::ScoredModel;
use crate::results::{
    CandidateLine, CountLine, Line, LongChain, Meeting, PilotLine, Results, VariancePairs, Yardstick,
};
use crate::store::Run;
use crate::summary::{Count, Quantity};
use partita::aggregate::{self, Estimate, Moments, deadline};
use partita::survival::{KaplanMeier, Observed};
use std::collections::{BTreeMap, BTreeSet};

/// Fraction trimmed in all, half on each side.
const TRIMMED: f64 = aggregate::TRIMMED_FRACTION;

/// A number that JSON can hold, or none.
pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

pub(super) fn interval(estimate: &Estimate) -> Option<[f64; 2]> {
    let (low, high) = estimate.interval;
    (low.is_finite() && high.is_finite()).then_some([low, high])
}

/// The sample that is averaged: one value per replicate, or one per worker under the deadline rule.
fn sample(stop: &StoppingRule, rows: &[Row], column: usize) -> Vec<f64> {
    match stop {
        StoppingRule::Time { .. } => {
            // Every row of a worker was completed in its time or is its first.
            let owners = workers(stop, rows.iter().map(|row| row.replicate));
            let mut means: BTreeMap<u64, Moments> = BTreeMap::new();
            for row in rows {
                means.entry(owners[&row.replicate]).or_default().push(row.values[column]);
            }
            means.values().filter_map(Moments::mean).collect()
        }
        _ => rows.iter().map(|row| row.values[column]).collect(),
    }
}

/// The mean and its interval: over replicates, or the unbiased rule over workers.
pub(crate) fn mean(stop: &StoppingRule, rows: &[Row], column: usize) -> Option<Estimate> {
    match stop {
        StoppingRule::Time { workers: width, further, .. } => {
            let owners = workers(stop, rows.iter().map(|row| row.replicate));
            // Workers in a row, by the numbers of their first replicates: those that began with the run come first.
            let firsts: BTreeSet<u64> = owners.values().copied().collect();
            let firsts: BTreeMap<u64, usize> = firsts.into_iter().zip(0..).collect();
            let completions: Vec<deadline::Completion> = rows
                .iter()
                .map(|row| deadline::Completion {
                    worker: firsts[&owners[&row.replicate]],
                    at: (row.replicate / width) as f64,
                    value: row.values[column],
                })
                .collect();
            deadline::unbiased(&completions, (width + further) as usize, f64::INFINITY).ok()
        }
        _ => aggregate::mean(&sample(stop, rows, column)),
    }
}

/// The width of an interval; infinite where there is none.
pub(crate) fn width(moments: &Moments) -> f64 {
    moments.estimate().map_or(f64::INFINITY, |e| e.interval.1 - e.interval.0)
}

/// The width of the widest interval.
pub(crate) fn widest(moments: &[Moments]) -> Option<f64> {
    moments.iter().map(width).reduce(f64::max).and_then(finite)
}

/// A mean and the half-width of its interval; none where there is no interval.
pub(crate) fn mean_and_half(moments: &Moments) -> Option<(f64, f64)> {
    let half = finite(0.5 * width(moments))?;
    moments.mean().map(|mean| (mean, half))
}

/// What coupled pairs have found about one long chain.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LongChains {
    /// One per summary; none where its variance is not clearly above zero.
    pub chains: Vec<Option<LongChain>>,
    /// What it took.
    pub pairs: VariancePairs,
}

/// `E[cost] * Var(H)` over the asymptotic variance of one long chain, and the standard error of that (delta method;
/// the mean cost is as good as known).
fn inefficiency(calls: f64, sample: &[f64], chain: &LongChain) -> Option<(f64, Option<f64>)> {
    let moments: Moments = sample.iter().copied().collect();
    let (mean, variance) = moments.mean().zip(moments.variance().filter(|v| *v > 0.0))?;
    let n = sample.len() as f64;
    let fourth = sample.iter().map(|x| (x - mean).powi(4)).sum::<f64>() / n;
    let value = calls * variance / chain.variance;
    let error = |se: f64| {
        let of_variance = (fourth / (variance * variance) - 1.0).max(0.0) / n;
        value * (of_variance + (se / chain.variance).powi(2)).sqrt()
    };
    Some((value, chain.se.map(error)))
}

/// The answers of a run; `long` is what coupled pairs say about one long chain, where there were any.
pub(crate) fn summarize(
    run: &Run,
    quantities: &[Quantity],
    counts: &[Count],
    rows: &[Row],
    seconds: f64,
    long: Option<&LongChains>,
) -> Results {
    let plan = &run.plan;
    let lag = plan.schedule.lag();
    let censored = rows.iter().filter(|row| row.tau.is_none()).count() as u64;
    let kernel_calls: u64 = rows.iter().map(|row| row.kernel_calls).sum();
    let mean_calls = kernel_calls as f64 / rows.len().max(1) as f64;
    let summaries = quantities
        .iter()
        .enumerate()
        .filter_map(|(j, quantity)| {
            let sample = sample(&plan.stop, rows, j);
            let plain = mean(&plan.stop, rows, j)?;
            let trimmed = aggregate::trimmed_mean(&sample, TRIMMED)?;
            let median_of_means = aggregate::median_of_means(&sample, aggregate::BLOCKS)?;
            let each: Vec<f64> = rows.iter().map(|row| row.values[j]).collect();
            let batches = || {
                let variance = *run.pilot.as_ref()?.asymptotic_variance.get(j)?;
                (variance > 0.0).then_some(LongChain { variance, se: None, by: Yardstick::BatchMeans })
            };
            let long_chain = long.and_then(|long| long.chains.get(j)?.clone()).or_else(batches);
            let (inefficiency, inefficiency_se) =
                long_chain.as_ref().and_then(|chain| inefficiency(mean_calls, &each, chain)).unzip();
            Some(Line {
                name: quantity.name.clone(),
                meaning: quantity.meaning.clone(),
                mean: plain.value,
                se: finite(plain.se),
                ci95: interval(&plain),
                trimmed: trimmed.value,
                trimmed_ci95: interval(&trimmed),
                median_of_means,
                inefficiency,
                inefficiency_se: inefficiency_se.flatten(),
                long_chain,
            })
        })
        .collect();
    let cluster_count = counts
        .iter()
        .enumerate()
        .filter_map(|(j, count)| {
            let estimate = mean(&plan.stop, rows, quantities.len() + j)?;
            let clusters = count.to_string();
            // A number that no chain ever had has estimate and error exactly zero.
            let seen = estimate.value != 0.0 || estimate.se != 0.0;
            seen.then(|| CountLine { clusters, probability: estimate.value, ci95: interval(&estimate) })
        })
        .collect();
    let curve = meeting_curve(rows);
    Results {
        replicates: rows.len() as u64,
        censored,
        seed: plan.seed,
        lag,
        burn_in: plan.schedule.burn_in(),
        sweeps: plan.schedule.sweeps(),
        sampler: plan.setup.sampler.to_string(),
        start: plan.setup.start.to_string(),
        model: match &run.plan.setup.law {
            Law::Mixture(law) => Some(law.covariance.to_string()),
            _ => None,
        },
        candidates: run.pilot.iter().flat_map(|pilot| &pilot.models).map(candidate).collect(),
        pilot: run.pilot.as_ref().map(|pilot| PilotLine {
            seconds: pilot.seconds,
            pairs: pilot.pairs,
            unmet: pilot.unmet,
        }),
        seconds,
        kernel_calls,
        summaries,
        meeting: meeting(rows, &curve),
        tv_bound: tv_curve(&curve, lag),
        tv_bound_complete: curve.tail_is_known(),
        tv_sweeps: curve.sweeps_until(lag, 0.01),
        cluster_count,
        clustering: None,
        variance_pairs: long.map(|long| long.pairs),
        connected: None,
        modes: Vec::new(),
        profiles: Vec::new(),
        correlations: Vec::new(),
        reliability: String::new(),
        rule: match plan.stop {
            StoppingRule::Time { .. } => "deadline".into(),
            _ => "mean".into(),
        },
        notes: notes(run, rows.len() as u64, censored, !quantities.is_empty()),
    }
}

/// The meetings as survival data: a censored pair was cut at its last sweep.
pub(crate) fn meeting_curve(rows: &[Row]) -> KaplanMeier {
    let observed: Vec<Observed> = rows
        .iter()
        .map(|row| Observed { time: row.tau.unwrap_or(row.sweeps), met: row.tau.is_some() })
        .collect();
    KaplanMeier::new(&observed)
}

fn meeting(rows: &[Row], curve: &KaplanMeier) -> Meeting {
    let taus: Vec<u64> = rows.iter().filter_map(|row| row.tau).collect();
    let mean = taus.iter().sum::<u64>() as f64 / taus.len().max(1) as f64;
    Meeting {
        met: taus.len() as u64,
        mean: (!taus.is_empty() && taus.len() == rows.len()).then_some(mean),
        median: curve.quantile(0.5),
        q95: curve.quantile(0.95),
        q99: curve.quantile(0.99),
        max: taus.iter().copied().max(),
        survival: curve.steps().iter().filter(|s| s.events > 0).map(|s| (s.time, s.survival)).collect(),
    }
}

/// The bound from 0 to where it is small, at no more than about a hundred times.
fn tv_curve(curve: &KaplanMeier, lag: u64) -> Vec<(u64, f64)> {
    let end = curve.steps().last().map_or(0, |step| step.time.saturating_sub(lag));
    let stride = (end / 100).max(1);
    (0..=end.div_ceil(stride)).map(|i| i * stride).map(|t| (t, curve.tv_bound(lag, t).value)).collect()
}

/// From so many replicates on, 95% intervals hold their level for skewed estimates too (`docs/tuning.md`).
const ENOUGH: u64 = 64;
/// Under a deadline, so many per worker.
const ENOUGH_PER_WORKER: u64 = 10;

/// A word of warning where there are too few replicates for intervals to hold their level.
pub(super) fn few(stop: &StoppingRule, replicates: u64) -> Option<String> {
    match *stop {
        StoppingRule::Time { workers, further, .. }
            if replicates < ENOUGH_PER_WORKER * (workers + further) =>
        {
            Some(format!(
                "The time allowed {:.1} replicates per worker on average. With fewer than {ENOUGH_PER_WORKER}, 95% \
             intervals may be too narrow: allow more `time`, or give `replicates`.",
                replicates as f64 / (workers + further) as f64
            ))
        }
        StoppingRule::Time { .. } => None,
        _ if (2..ENOUGH).contains(&replicates) => Some(format!(
            "With fewer than {ENOUGH} replicates ({replicates} here), 95% intervals are reliable only if no \
             estimate lies far from the others; otherwise they are too narrow."
        )),
        _ => None,
    }
}

fn candidate(found: &ScoredModel) -> CandidateLine {
    CandidateLine {
        model: found.model.to_string(),
        pca: found.pca,
        prior: found.prior.map(|prior| prior.to_string()),
        score: found.score,
        se: found.se,
        seconds: found.seconds,
        met: (found.pairs > 0).then(|| found.met as f64 / found.pairs as f64),
        taken: found.taken,
        left: found.left.clone(),
    }
}

fn notes(run: &Run, replicates: u64, censored: u64, estimates: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if censored > 0 {
        let were = if censored == 1 { "was" } else { "were" };
        notes.push(format!(
            "{censored} of {replicates} pairs had not met after {} sweeps and {were} censored: the estimates are \
             then biased, and the tail of the meeting-time curve is unknown. Raise `max_sweeps`.",
            run.plan.max_sweeps
        ));
    }
    notes.extend(few(&run.plan.stop, replicates).filter(|_| estimates));
    if run.plan.setup.start == crate::config::Start::One {
        notes.push(
            "All chains start with all items in one cluster. If chains are slow to leave that state, pairs may meet \
             before either has left it, and intervals come out too narrow; `start = prior` avoids this."
                .into(),
        );
    }
    if let StoppingRule::Time { workers, seconds, further } = run.plan.stop {
        notes.push(format!(
            "Time-limited run: {} workers of {seconds:.1} s each. Estimates are means of the workers' means; a pair still \
             running at its worker's deadline is dropped unless it is the worker's first, which keeps them unbiased.",
            workers + further
        ));
    }
    notes
}
