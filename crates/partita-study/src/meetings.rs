//! Meeting times under several couplings, and how far apart the chains are on the way.

use super::Workbench;
use super::definition::Meetings;
use super::problem::Problem;
use partita::aggregate::quantile;
use partita::survival::{KaplanMeier, Observed};
use partita_run::Failure;
use partita_run::engine::{self, Job, Output, Work};

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
    bench: &mut Workbench,
) -> Result<Vec<Met>, Failure> {
    let runs = bench.scaled(wanted.runs, 20);
    let mut all = Vec::new();
    for pairing in &wanted.pairings {
        bench.say(&format!("{runs} pairs, {}", pairing.name));
        let model = problem.model(Vec::new(), |options| {
            options.coupling = Some(pairing.coupling);
            options.metric = Some(pairing.metric);
            options.sampler = pairing.sampler.clone().or(options.sampler.take());
        })?;
        let work = Work::Meetings { seed: bench.seed, lag: 1, cap: wanted.cap, distances: wanted.distances };
        let mut pairs = Vec::new();
        let (executor, interrupted) = (bench.executor, bench.interrupted);
        let job = Job { chains: &*model, work: &work };
        let done = engine::run(executor, &job, 0..runs, interrupted, |number, output| {
            if let Output::Meeting(observed, distances) = output {
                pairs.push((number, observed, distances));
            }
            bench.progress(pairs.len() as u64, runs);
            Ok(())
        })?;
        if !done {
            return Err(bench.interruption());
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
