//! The chains of a problem at work: pairs with their observers, and single chains.

use super::choices::AnyStart;
use super::trails::Trails;
use super::{AnySummary, Model, Problem};
use crate::config;
use crate::engine::stopwatch::Stopwatch;
use crate::engine::{
    Abreast, Against, Between, Budget, Chains, Origin, Output, PilotPair, PilotPairs, Plain, Replicate, Row,
    Scores, Settings, Starts, Streams, Work, worker,
};
use partita::atoms::Atoms;
use partita::partition::Metric;
use partita::poisson::Fishy;
use partita::rng::Purpose;
use partita::score::LeaveOneOut;
use partita::survival::Observed;
use partita::tuning::Tracer;
use partita::{
    Ending, Estimator, Kernel, Moment, Observer, Outcome, Pair, Partition, Stop, Stream, Summary, Target,
    Wish,
};
use std::time::Instant;

impl<T: Target, K: Kernel<T>> Chains for Problem<T, K> {
    fn run(&self, work: &Work, number: u64, stop: &dyn Fn() -> bool) -> Option<Output> {
        match work {
            Work::Replicates(settings) => self.replicate(number, settings, stop).map(Output::Replicate),
            Work::Workers { settings, workers, seconds } => {
                let begin = Instant::now();
                let replicate =
                    |i, stop: &dyn Fn() -> bool| self.replicate(i * workers + number, settings, stop);
                worker::work(*seconds, &|| begin.elapsed().as_secs_f64(), stop, replicate).map(Output::Worker)
            }
            Work::PilotPairs(pairs) => self.pilot_pair(number, pairs, stop).map(Output::Pilot),
            Work::VariancePairs(starts) => {
                let between = self.between(number, starts, stop);
                (!stop()).then_some(Output::Variance(between))
            }
            Work::Meetings { seed, lag, cap, distances } => {
                let stream = Stream::new(*seed, Streams::MEETINGS | number);
                let mut observers = (Distances::new(*distances), Brake(stop));
                let outcome = self.pair(&stream, &self.start, *lag, *cap, &mut observers);
                let observed = match outcome.ending {
                    Ending::Met { tau } => Observed { time: tau, met: true },
                    Ending::Censored { why: Stop::Observer, .. } => return None,
                    Ending::Censored { after, .. } => Observed { time: after, met: false },
                };
                Some(Output::Meeting(observed, observers.0.into_values()))
            }
            Work::Averages { seed, discard, end } => {
                let stream = Stream::new(*seed, Streams::LONG_CHAINS | number);
                self.average(&stream, *discard, *end, stop).map(Output::Average)
            }
            Work::Scores { seed, discard, end, every } => {
                let stream = Stream::new(*seed, Streams::SCORES | number);
                self.scores(&stream, [*discard, *end, *every], stop).map(Output::Scored)
            }
            Work::Against(against) => self.against(number, against, stop).map(Output::Against),
        }
    }

    fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    fn float(&self) -> config::Float {
        self.origin.as_ref().map_or(config::Float::F64, |origin| origin.setup().float)
    }

    fn plain(&self) -> Result<Plain, String> {
        let setup = self.origin.as_ref().ok_or("chains of one's own")?.setup();
        let moves = setup.sampler.moves();
        if moves.iter().any(|(kind, _)| *kind == config::Move::Kempe) {
            return Err(format!("`sampler = {}`", setup.sampler));
        }
        let config::Pairing { coupling, metric, nugget } = setup.pairing;
        if coupling != config::Coupling::Optimal {
            return Err(format!("`coupling = {coupling}`"));
        }
        let start = match &self.start {
            AnyStart::Fixed(start) => Some(start.0.slots().collect()),
            _ => None,
        };
        let asked: usize = setup.summaries.iter().map(|summary| summary.quantities().len()).sum();
        if asked != self.quantities.len() {
            return Err("a known clustering to compare with".into());
        }
        Ok(Plain {
            target: self.target.outline().ok_or("this model")?,
            gains: metric.of_partitions().gains_by_overlap(self.target.len()),
            nugget,
            float: setup.float,
            moves: moves.to_vec(),
            near: self.near.clone(),
            start,
            summaries: setup.summaries.clone(),
            counted: self.counts().len() - 1,
        })
    }

    fn starts(&self, seed: u64, number: u64) -> Option<[Partition; 2]> {
        Some(self.draw_starts(&Stream::new(seed, number), &self.start))
    }
}

impl<T: Target, K: Kernel<T>> Problem<T, K> {
    fn draw_starts(&self, stream: &Stream, start: &AnyStart) -> [Partition; 2] {
        [Purpose::StartX, Purpose::StartY]
            .map(|purpose| start.draw(&self.target, &mut stream.sequence(purpose, 0)))
    }

    fn pair(
        &self,
        stream: &Stream,
        start: &AnyStart,
        lag: u64,
        max_sweeps: u64,
        observer: &mut impl Observer<T>,
    ) -> Outcome {
        let [x, y] = self.draw_starts(stream, start);
        let pair = Pair::new(&self.target, &self.kernel, self.coupling.clone(), lag);
        pair.expect("a schedule has a lag").cap(max_sweeps).run(x, y, stream, observer)
    }

    fn replicate(&self, number: u64, settings: &Settings, stop: &dyn Fn() -> bool) -> Option<Replicate> {
        let begin = Instant::now();
        let stream = Stream::new(settings.seed, number);
        let schedule = settings.schedule;
        let estimator = Estimator::new(schedule, &self.summaries[..]);
        let keeps = settings.keep_draws > 0 && number < settings.keep_until;
        let atoms = keeps.then(|| Atoms::new(schedule, settings.keep_draws, &stream));
        let mut observers = (estimator, (atoms, Brake(stop)));
        let outcome = self.pair(&stream, &self.start, schedule.lag(), settings.max_sweeps, &mut observers);
        let (estimator, (atoms, _)) = observers;
        let tau = outcome.ending.tau();
        // A pair that met goes on until the observer has enough: it may be stopped on the way.
        if was_stopped(&outcome) || (tau.is_some() && outcome.sweeps < schedule.sweeps()) {
            return None;
        }
        let row = Row {
            replicate: number,
            tau,
            sweeps: outcome.sweeps,
            kernel_calls: outcome.kernel_calls,
            seconds: begin.elapsed().as_secs_f64(),
            values: estimator.values().to_vec(),
        };
        Some(Replicate { row, atoms: atoms.map_or(Vec::new(), Atoms::into_atoms) })
    }

    /// A pair of a pilot: those of odd numbers start from the second law, where there is one.
    fn pilot_pair(&self, number: u64, pairs: &PilotPairs, stop: &dyn Fn() -> bool) -> Option<PilotPair> {
        let stream = Stream::new(pairs.seed, number).pilot();
        let start = self.second_start.as_ref().filter(|_| number % 2 == 1).unwrap_or(&self.start);
        let tracer = Tracer::new(&self.summaries[..], pairs.lag, pairs.horizon);
        let scorer = pairs.score_from.map(|from| Scorer::new(self, from, BETWEEN_SCORES));
        let begin = Instant::now();
        let is_late = || pairs.seconds.is_some_and(|seconds| begin.elapsed().as_secs_f64() > seconds);
        let brake = || stop() || is_late();
        let mut observers = (tracer, (Touched::default(), (Trails::default(), (scorer, Brake(&brake)))));
        let outcome = self.pair(&stream, start, pairs.lag, pairs.max_sweeps, &mut observers);
        let (tracer, (touched, (trails, (scorer, _)))) = observers;
        let tau = outcome.ending.tau();
        // A pair that was late has not met, like one that reached the cap.
        (!was_stopped(&outcome) || !stop()).then(|| PilotPair {
            trace: tracer.into_trace(tau),
            touched: touched.mean(),
            chains: trails.into_chains(tau.is_some()),
            score: scorer.map(|scorer| scorer.densities),
        })
    }

    /// The pairs between the states of two units; none where one was cut or stopped.
    fn between(&self, number: u64, starts: &Starts, stop: &dyn Fn() -> bool) -> Option<Between> {
        let mut between = Between::new(self.quantities.len());
        for Abreast { stream, states: [x, y], weight, .. } in starts.pairs(number) {
            let (terms, outcome) = self.poisson(x, y, &stream, starts.cap, stop);
            let Ending::Met { .. } = outcome.ending else { return None };
            between.add(weight, terms.into_iter(), outcome.kernel_calls);
        }
        Some(between)
    }

    /// Two chains that set out from the states given until they meet: the terms of the asymptotic variance of each
    /// summary asked for, for weights of 1 ([`partita::poisson`]).
    fn poisson(
        &self,
        x: &Partition,
        y: &Partition,
        stream: &Stream,
        cap: u64,
        stop: &dyn Fn() -> bool,
    ) -> (Vec<f64>, Outcome) {
        let mut observers = (Fishy::new(self.asked_for()), Brake(stop));
        let pair = Pair::abreast(&self.target, &self.kernel, self.coupling.clone());
        let outcome = pair.cap(cap).run(x.clone(), y.clone(), stream, &mut observers);
        (observers.0.variances().collect(), outcome)
    }

    /// One ordinary chain. `see` is told the time and the summaries asked for, from the start (time 0) on, after every
    /// sweep; the chain ends when it says false.
    fn chain(&self, stream: &Stream, see: &mut dyn FnMut(u64, &[f64]) -> bool) {
        let mut observer =
            Chain { summaries: self.asked_for(), values: vec![0.0; self.quantities.len()], see };
        // A chain is a pair whose second chain never sets out.
        self.pair(stream, &self.start, u64::MAX, u64::MAX, &mut observer);
    }

    fn average(&self, stream: &Stream, discard: u64, end: u64, stop: &dyn Fn() -> bool) -> Option<Vec<f64>> {
        let mut sums = vec![0.0; self.quantities.len()];
        let mut ended = false;
        self.chain(stream, &mut |t, values| {
            if t > discard {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
            ended = t >= end;
            !ended && !stop()
        });
        sums.iter_mut().for_each(|sum| *sum /= (end - discard) as f64);
        ended.then_some(sums)
    }

    /// One ordinary chain, and the densities of rows given the others in some of its states.
    fn scores(&self, stream: &Stream, times: [u64; 3], stop: &dyn Fn() -> bool) -> Option<Scores> {
        let begin = Instant::now();
        let [discard, end, every] = times;
        let mut scorer = Scorer::new(self, discard, every.max(1));
        let mut sums = vec![0.0; self.quantities.len()];
        let mut ended = false;
        let see = &mut |t: u64, values: &[f64]| {
            if t > discard {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
            ended = t >= end;
            !ended && !stop()
        };
        let chain = Chain { summaries: self.asked_for(), values: vec![0.0; self.quantities.len()], see };
        self.pair(stream, &self.start, u64::MAX, u64::MAX, &mut (&mut scorer, chain));
        sums.iter_mut().for_each(|sum| *sum /= (end - discard) as f64);
        let seconds = begin.elapsed().as_secs_f64();
        ended.then_some(Scores { leave_one_out: scorer.densities, averages: sums, seconds })
    }

    /// One coupled estimate, then a single chain for as long as it took.
    fn against(&self, number: u64, against: &Against, stop: &dyn Fn() -> bool) -> Option<Row> {
        let settings = &against.settings;
        let watch = Stopwatch::start();
        let Replicate { mut row, .. } = self.replicate(number, settings, stop)?;
        row.seconds = watch.seconds();
        let width = self.quantities.len();
        row.values.truncate(width);
        let mut trace = Vec::new();
        let watch = Stopwatch::start();
        let stream = Stream::new(settings.seed, Streams::NAIVE_CHAINS | number);
        self.chain(&stream, &mut |t, values| {
            trace.extend_from_slice(values);
            let more = match against.budget {
                Budget::Time => !watch.has_run(row.seconds),
                Budget::Sweeps => t < row.kernel_calls,
            };
            more && !stop()
        });
        if stop() {
            return None;
        }
        // The start counts only where the time was too short for a sweep.
        let sweeps = (trace.len() / width - 1).max(1);
        let states = &trace[trace.len() - sweeps * width..];
        let skipped = (sweeps as f64 * against.discard) as usize;
        row.values.push(sweeps as f64);
        for i in 0..width {
            let sum: f64 = states[skipped * width..].chunks_exact(width).map(|state| state[i]).sum();
            row.values.push(sum / (sweeps - skipped) as f64);
        }
        Some(row)
    }
}

/// Scores states of the first chain, some sweeps apart, by how well they predict each row from the others.
struct Scorer<T: Target> {
    after: u64,
    every: u64,
    leave_one_out: Option<super::problem::LeaveOneOut<T>>,
    densities: LeaveOneOut,
}

/// Sweeps of a pilot between states that are scored: a score costs about as much as a sweep.
const BETWEEN_SCORES: u64 = 3;

impl<T: Target> Scorer<T> {
    fn new<K>(problem: &Problem<T, K>, after: u64, every: u64) -> Self {
        let densities = LeaveOneOut::new(problem.target.len());
        Scorer { after, every, leave_one_out: problem.leave_one_out, densities }
    }
}

impl<T: Target> Observer<T> for Scorer<T> {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        if let Some(leave_one_out) = self.leave_one_out
            && moment.t > self.after
            && (moment.t - self.after).is_multiple_of(self.every)
        {
            self.densities.add(&leave_one_out(moment.target, moment.x));
        }
        Wish::Enough
    }
}

/// Watches how much of the work of a Gibbs sweep a look at the clusters of two random items is: the share of the items
/// in the cluster that holds both, or in the two, over the clusters that a sweep weighs for each item.
#[derive(Debug, Default)]
struct Touched {
    sum: f64,
    states: u64,
}

impl Touched {
    fn mean(&self) -> f64 {
        self.sum / self.states.max(1) as f64
    }
}

impl<T: Target> Observer<T> for Touched {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        let z = moment.x.partition();
        // With shares p: p^2 of the pairs are within a cluster of p, 2 p q between two of p + q together.
        let of = |size: &u32| {
            let p = f64::from(*size) / z.len() as f64;
            p * p * (2.0 - p)
        };
        self.sum += z.sizes().iter().map(of).sum::<f64>() / (z.clusters() + 1) as f64;
        self.states += 1;
        Wish::Enough
    }
}

/// Ends a pair when asked to.
struct Brake<'a>(&'a dyn Fn() -> bool);

impl<T: Target> Observer<T> for Brake<'_> {
    fn observe(&mut self, _: &Moment<T>) -> Wish {
        if (self.0)() { Wish::Stop } else { Wish::Enough }
    }
}

/// Whether the brake ended a pair before it met.
fn was_stopped(outcome: &Outcome) -> bool {
    matches!(outcome.ending, Ending::Censored { why: Stop::Observer, .. })
}

/// Shows the states of one chain, as its summaries.
struct Chain<'a, T> {
    summaries: &'a [AnySummary<T>],
    values: Vec<f64>,
    see: &'a mut dyn FnMut(u64, &[f64]) -> bool,
}

impl<T: Target> Observer<T> for Chain<'_, T> {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        self.summaries.evaluate(moment.target, moment.x, &mut self.values);
        if (self.see)(moment.t, &self.values) { Wish::More } else { Wish::Stop }
    }
}

/// How far apart two chains are after each of the first sweeps (ordered pairs of items on which they disagree).
struct Distances {
    wanted: u64,
    values: Vec<f64>,
}

impl Distances {
    fn new(wanted: u64) -> Self {
        Distances { wanted, values: Vec::new() }
    }

    /// Chains that have met stay together.
    fn into_values(mut self) -> Vec<f64> {
        self.values.resize(self.wanted as usize, 0.0);
        self.values
    }
}

impl<T: Target> Observer<T> for Distances {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        if let (Some(y), Some(overlap), true) = (moment.y, moment.overlap, moment.t <= self.wanted) {
            let (x, y) = (moment.x.partition(), y.partition());
            self.values.push(Metric::Hamming.distance_with(x, y, overlap));
        }
        Wish::Enough
    }
}
