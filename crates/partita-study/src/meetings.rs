//! Meeting times under several couplings, and how far apart the chains are on the way.

use super::definition::Meetings;
use super::problem::Problem;
use super::{MEETINGS, Setting};
use partita::aggregate::quantile;
use partita::survival::{KaplanMeier, Observed};
use partita::{Ending, Stream};
use partita_run::Failure;
use partita_run::pool;

/// What came of the pairs of one coupling.
#[derive(Debug, Clone)]
pub(super) struct Met {
    pub(super) name: String,
    pub(super) observed: Vec<Observed>,
    pub(super) curve: KaplanMeier,
    /// Sweep, 20 % quantile, median, 80 % quantile and mean of the distance.
    pub(super) distances: Vec<[f64; 5]>,
}

impl Met {
    /// The share of pairs that had not met when they were cut.
    pub(super) fn unmet(&self) -> f64 {
        self.observed.iter().filter(|o| !o.met).count() as f64 / self.observed.len() as f64
    }
}

/// Runs the pairs of every coupling.
pub(super) fn meetings(
    problem: &Problem,
    wanted: &Meetings,
    setting: &mut Setting,
) -> Result<Vec<Met>, Failure> {
    let runs = setting.scaled(wanted.runs, 20);
    let mut all = Vec::new();
    for pairing in &wanted.pairings {
        setting.say(&format!("{runs} pairs, {}", pairing.name));
        let model = problem.model(Vec::new(), |options| {
            options.coupling = Some(pairing.coupling);
            options.metric = Some(pairing.metric);
            options.sampler = pairing.sampler.clone().or(options.sampler.take());
        })?;
        let seed = setting.seed;
        let job = |number: u64, send: &dyn Fn((u64, Observed, Vec<f64>)), stop: &dyn Fn() -> bool| {
            let mut distances = Vec::new();
            let stream = Stream::new(seed, MEETINGS | number);
            let ending = model.meet(&stream, 1, wanted.cap, &mut |t, distance| {
                if let Some(distance) = distance.filter(|_| t <= wanted.distances) {
                    distances.push(distance);
                }
                !stop()
            });
            let observed = match ending {
                Ending::Met { tau } => Observed { time: tau, met: true },
                Ending::Censored { .. } if stop() => return false,
                Ending::Censored { after, .. } => Observed { time: after, met: false },
            };
            // Chains that have met stay together.
            distances.resize(wanted.distances as usize, 0.0);
            send((number, observed, distances));
            true
        };
        let mut pairs = Vec::new();
        let (threads, interrupted) = (setting.threads, setting.interrupted);
        let done = pool::run(threads, 0..runs, interrupted, job, |pair| {
            pairs.push(pair);
            setting.progress(pairs.len() as u64, runs);
            Ok(())
        })?;
        if !done {
            return Err(setting.interruption());
        }
        pairs.sort_by_key(|(number, ..)| *number);
        let observed: Vec<Observed> = pairs.iter().map(|pair| pair.1).collect();
        let distances = (0..wanted.distances as usize).map(|t| {
            let mut at: Vec<f64> = pairs.iter().map(|pair| pair.2[t]).collect();
            at.sort_by(f64::total_cmp);
            let q = |q: f64| quantile(&at, q).unwrap_or(f64::NAN);
            [(t + 1) as f64, q(0.2), q(0.5), q(0.8), at.iter().sum::<f64>() / at.len() as f64]
        });
        all.push(Met {
            name: pairing.name.clone(),
            curve: KaplanMeier::new(&observed),
            distances: distances.collect(),
            observed,
        });
    }
    Ok(all)
}
