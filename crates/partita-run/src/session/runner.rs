//! The replicates of a run that are still to do: in rounds, in shards, or against a clock.

use super::{Finished, Progress, Watch, columns};
use crate::answers::Answers;
use crate::config::StoppingRule;
use crate::engine::{self, Executor, Job, Output, Replicate, Sample, Settings, Sink, Work, long_chain};
use crate::model::{Input, Model};
use crate::store::{Directory, Run, how_to_resume};
use crate::summary::{COARSE_PROBABILITY, COARSER, SHARE};
use crate::{Failure, answers};
use partita::aggregate::Moments;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The replicates of a run that are still to do, then the answers.
struct Runner<'a> {
    run: &'a Run,
    model: &'a dyn Model,
    settings: Settings,
    executor: &'a dyn Executor,
    interrupted: &'a AtomicBool,
    watch: &'a mut dyn Watch,
    sink: &'a mut dyn Sink,
    /// Workers of a timed run that have had their time, and how many replicates each completed.
    ended: BTreeMap<u64, u64>,
    /// How many had at the beginning.
    ended_before: u64,
    sample: &'a mut Sample,
    moments: Vec<Moments>,
    /// Replicates that were there at the beginning.
    before: u64,
    begin: Instant,
    shown: Instant,
}

/// Runs the replicates that are still to do into the sample and the sink. Whether all are done, and the seconds that they took
/// with those that were there.
pub(super) fn replicates(
    (sink, ended): (&mut dyn Sink, BTreeMap<u64, u64>),
    sample: &mut Sample,
    run: &Run,
    model: &dyn Model,
    executor: &dyn Executor,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<(bool, f64), Failure> {
    let plan = &run.plan;
    let settings = Settings {
        seed: plan.seed,
        schedule: plan.schedule,
        max_sweeps: plan.max_sweeps,
        keep_draws: plan.keep_draws,
        keep_until: plan.keep_until(model.items()),
    };
    let rows = &sample.rows;
    let before: f64 = rows.iter().map(|row| row.seconds).sum::<f64>() / executor.width() as f64;
    let mut moments = vec![Moments::new(); model.quantities().len()];
    rows.iter().for_each(|row| moments.iter_mut().zip(&row.values).for_each(|(m, v)| m.push(*v)));
    let already = rows.len() as u64;
    let begin = Instant::now();
    let mut runner = Runner {
        run,
        model,
        settings,
        executor,
        interrupted,
        watch,
        sink,
        ended,
        ended_before: 0,
        sample,
        moments,
        before: already,
        begin,
        shown: begin,
    };
    let complete = runner.run()?;
    if complete {
        sample.sort();
    }
    Ok((complete, before + begin.elapsed().as_secs_f64()))
}

/// Goes on from the sample that is there.
pub(super) fn go_on(
    (mut directory, mut sample): (Directory, Sample),
    run: &Run,
    model: &dyn Model,
    input: &Input,
    executor: &dyn Executor,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Finished, Failure> {
    let path = directory.path().to_path_buf();
    let kept = |failure: Failure| match failure {
        Failure::Failed(sentence) => Failure::Failed(format!(
            "{sentence}; finished replicates are kept: fix this, then continue with {}",
            how_to_resume(&path)
        )),
        Failure::Interrupted(sentence) => Failure::Interrupted(format!(
            "{sentence}: all replicates are kept; continue with {}",
            how_to_resume(&path)
        )),
        other => other,
    };
    let ended = directory.ended_workers();
    let (complete, seconds) =
        replicates((&mut directory, ended), &mut sample, run, model, executor, interrupted, watch)
            .map_err(kept)?;
    if !complete {
        return Err(Failure::Interrupted(format!(
            "interrupted: {} replicates are kept; continue with {}",
            sample.rows.len(),
            how_to_resume(&path)
        )));
    }
    directory.rewrite(&columns(model), model.items(), &sample).map_err(kept)?;
    let mut finish = || {
        let long = match long_chain::known_of(&directory, &sample) {
            None => long_chain::measure(run, model, &sample, executor, interrupted, watch)?,
            known => known,
        };
        let answers =
            Answers::new(run, &sample, seconds, (input, model), long.as_ref(), &directory.chains(), watch)?;
        answers.write(&directory, run, &sample, false, watch)
    };
    let outcome = finish();
    // Last: without answers, these marks are what tells that the workers had their time.
    outcome.inspect(|_| directory.finish_workers()).map_err(kept)
}

impl Runner<'_> {
    /// True when the run is complete, false when it was interrupted.
    fn run(&mut self) -> Result<bool, Failure> {
        match self.run.plan.stop {
            StoppingRule::Replicates { replicates } => self.replicates(replicates),
            StoppingRule::Precision { width, at_least, at_most } => {
                let widths = vec![width; self.model.quantities().len()];
                self.rounds(at_least, at_most, |_| &widths, false)
            }
            StoppingRule::Digits { at_least, at_most, coarser_from } => {
                let widths = |times: f64, probability: f64| -> Vec<f64> {
                    let asked = self.model.quantities().iter().map(|quantity| times * quantity.two_digits);
                    asked.chain(self.model.counts().iter().map(|_| probability)).collect()
                };
                let (fine, coarse) = (widths(1.0, SHARE), widths(COARSER, COARSE_PROBABILITY));
                let widths = |round| match coarser_from {
                    Some(from) if round >= from => &coarse,
                    _ => &fine,
                };
                self.rounds(at_least, at_most, widths, true)
            }
            StoppingRule::Time { workers, seconds, further } => self.timed(workers, seconds, further),
        }
    }

    /// Runs rounds until the intervals of the first columns are narrower than the widths for so many replicates; with
    /// `until_censored` also until a pair is censored, because no number of replicates makes up for that, and the caution
    /// should come early.
    fn rounds<'w>(
        &mut self,
        at_least: u64,
        at_most: u64,
        widths: impl Fn(u64) -> &'w Vec<f64>,
        until_censored: bool,
    ) -> Result<bool, Failure> {
        let mut round = at_least.min(at_most);
        loop {
            if !self.replicates(round)? {
                return Ok(false);
            }
            // Judged on the first `round` replicates in their order: the same on every machine.
            self.sample.rows.sort_by_key(|row| row.replicate);
            let widths = widths(round);
            let mut moments = vec![Moments::new(); widths.len()];
            let mut censored = false;
            for row in self.sample.rows.iter().take_while(|row| row.replicate < round) {
                censored |= row.tau.is_none();
                moments.iter_mut().zip(&row.values).for_each(|(m, v)| m.push(*v));
            }
            let narrow = |(moments, width): (&Moments, &f64)| answers::width(moments) < *width;
            let over = round >= at_most || (until_censored && censored);
            if over || (!widths.is_empty() && moments.iter().zip(widths).all(narrow)) {
                return Ok(true);
            }
            round = (round + round / 2).min(at_most);
        }
    }

    /// Runs the replicates below `end` that are this shard's and not yet there.
    fn replicates(&mut self, end: u64) -> Result<bool, Failure> {
        let done: HashSet<u64> = self.sample.rows.iter().map(|row| row.replicate).collect();
        let shard = self.run.plan.shard;
        let wanted = move |n: &u64| shard.holds(*n);
        let numbers = (0..end).filter(wanted).filter(|n| !done.contains(n));
        let of = match self.run.plan.stop {
            StoppingRule::Precision { at_most: u64::MAX, .. } => None,
            StoppingRule::Precision { at_most, .. } | StoppingRule::Digits { at_most, .. } => Some(at_most),
            _ => Some(shard.share(end)),
        };
        let (work, chains) = (Work::Replicates(self.settings), self.model);
        let job = Job { chains, work: &work };
        engine::run(self.executor, &job, numbers, self.interrupted, |_, output| match output {
            Output::Replicate(replicate) => self.take(replicate, of),
            other => unreachable!("replicates were asked for: {other:?}"),
        })
    }

    /// Runs workers one after the other on each thread, each for its share of the time.
    ///
    /// A worker is called by its first number. Those that were added later follow an earlier one, and leave out the
    /// number that it may have had in flight at its deadline: that one is known to be slow.
    fn timed(&mut self, workers: u64, seconds: f64, further: u64) -> Result<bool, Failure> {
        let (work, chains) = (Work::Workers { settings: self.settings, workers, seconds }, self.model);
        let job = Job { chains, work: &work };
        self.ended_before = self.ended.len() as u64;
        loop {
            let next = |place: u64| {
                let mine = self.ended.iter().filter(|(first, _)| **first % workers == place);
                let wanted = 1 + (further + workers - 1 - place) / workers;
                let after =
                    mine.clone().next_back().map_or(place, |(first, done)| first + (done + 1) * workers);
                (mine.count() < wanted as usize).then_some(after)
            };
            let numbers: Vec<u64> = (0..workers).filter_map(next).collect();
            if numbers.is_empty() {
                return Ok(true);
            }
            let all =
                engine::run(self.executor, &job, numbers.into_iter(), self.interrupted, |worker, output| {
                    let Output::Worker(completed) = output else { unreachable!("workers were asked for") };
                    let count = completed.len() as u64;
                    completed.into_iter().try_for_each(|replicate| self.take(replicate, None))?;
                    self.ended.insert(worker, count);
                    self.sink.end_worker(worker, count)
                })?;
            if !all {
                return Ok(false);
            }
        }
    }

    /// Keeps a replicate and shows progress now and then.
    fn take(&mut self, replicate: Replicate, of: Option<u64>) -> Result<(), Failure> {
        self.sink.keep(&replicate)?;
        self.moments.iter_mut().zip(&replicate.row.values).for_each(|(m, v)| m.push(*v));
        self.sample.push(replicate);
        if self.shown.elapsed() > Duration::from_millis(100) {
            self.shown = Instant::now();
            let done = self.sample.rows.len() as u64;
            let met = self.sample.rows.iter().filter(|row| row.tau.is_some()).count() as u64;
            let elapsed = self.begin.elapsed().as_secs_f64();
            let left = match self.run.plan.stop {
                StoppingRule::Time { workers, seconds, further } => {
                    let all = (workers + further - self.ended_before) as f64;
                    Some((all / self.executor.width() as f64 * seconds - elapsed).max(0.0))
                }
                _ => of.map(|of| elapsed / (done - self.before) as f64 * of.saturating_sub(done) as f64),
            };
            let widest = answers::widest(&self.moments);
            let clusters = self.model.quantities().iter().position(|quantity| quantity.name == "clusters");
            let clusters = clusters.and_then(|at| answers::mean_and_half(&self.moments[at]));
            self.watch.progress(&Progress { done, of, met, censored: done - met, widest, clusters, left });
        }
        Ok(())
    }
}
