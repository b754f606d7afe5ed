//! A run from options to answers: fit, color, meet; resume, merge, report.

use crate::analysis::{self, Context};
use crate::config::{Options, Summary as Wanted, Task};
use crate::directory::{self, Directory, Run, Stop};
use crate::model::{Input, Model, Row, Settings, load};
use crate::pilot::{self, Given};
use crate::results::Summary;
use crate::{Failure, pool, report, words};
use partita::Schedule;
use partita::aggregate::Moments;
use partita::atoms::Atom;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Is told what happens: words and progress. The command shows them; a library may ignore them.
pub trait Watch {
    /// A sentence for the user.
    fn say(&mut self, _sentence: &str) {}
    /// How far the replicates are.
    fn progress(&mut self, _progress: &Progress) {}
}

impl Watch for () {}

/// How far a run is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Replicates done.
    pub done: u64,
    /// Of how many, where that is known.
    pub of: Option<u64>,
    /// Pairs that met.
    pub met: u64,
    /// Pairs that were cut.
    pub censored: u64,
    /// Width of the widest 95 % interval so far.
    pub widest: Option<f64>,
    /// Seconds left, where that is known.
    pub left: Option<f64>,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The run directory.
    pub directory: PathBuf,
    /// The answers.
    pub summary: Summary,
    /// The answers in sentences.
    pub answer: Vec<String>,
}

/// How to start a run.
#[derive(Debug, Clone)]
pub struct Request {
    /// Cluster a table, or colour a graph.
    pub task: Task,
    /// Meeting times only.
    pub meetings_only: bool,
    /// What was chosen.
    pub options: Options,
    /// Overwrite a directory that is in use.
    pub force: bool,
    /// The command as it was given.
    pub command: String,
}

/// Wall time that a run takes when nothing says when to stop.
const DEFAULT_SECONDS: f64 = 45.0;
/// The interval width at which it stops earlier.
const DEFAULT_PRECISION: f64 = 0.01;
/// The first look at the precision, and how rounds grow.
const FIRST_ROUND: u64 = 64;

/// Runs from the beginning.
pub fn start(request: Request, interrupted: &AtomicBool, watch: &mut dyn Watch) -> Result<Outcome, Failure> {
    let mut options = request.options;
    options.check()?;
    if request.meetings_only {
        options.summary = Some(Vec::<Wanted>::new());
        options.keep_draws = Some(0);
        options.burn_in.get_or_insert(0);
        options.sweeps.get_or_insert(0);
    }
    let out = options.out.clone().unwrap_or_else(|| directory::free_name(options.data.as_deref()));
    let (model, input) = load(request.task, &mut options)?;
    directory::prepare(&out, request.force)?;
    input.said.iter().for_each(|sentence| watch.say(sentence));
    let threads = threads(&options);
    let pilot = tune(&*model, &mut options, threads, interrupted, watch)?;
    let stop = stop_rule(&options, pilot.as_ref(), threads, request.meetings_only);
    let replicates = match stop {
        Stop::Replicates { replicates } => replicates,
        Stop::Precision { at_most, .. } => at_most,
        Stop::Time { .. } => 1000,
    };
    options
        .keep_draws
        .get_or_insert(((KEPT_LABELS / model.items() as u64) / replicates.max(1)).clamp(1, 10) as usize);
    options.out = Some(out.clone());
    let run = Run {
        version: env!("CARGO_PKG_VERSION").into(),
        task: request.task,
        command: request.command,
        fingerprint: input.fingerprint.clone(),
        stop,
        options,
        pilot,
    };
    let columns = columns(&*model);
    let directory = Directory::create(&out, &run, &columns, model.items())?;
    go_on(directory, &run, &*model, &input, threads, interrupted, watch)
}

/// Continues a run that was interrupted.
pub fn resume(
    path: &Path,
    threads: Option<usize>,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Outcome, Failure> {
    let run = Run::read(path)?;
    let (model, input) = reload(&run)?;
    let mut directory = Directory::open(path)?;
    // Whole rows only, and of a timed run only those of workers that had all their time.
    let mut rows = directory.rows(&columns(&*model))?;
    if let Stop::Time { workers, .. } = run.stop {
        let ended: HashSet<u64> = directory.ended_workers().into_iter().collect();
        let complete = path.join("summary.json").exists();
        rows.retain(|row| complete || ended.contains(&(row.replicate % workers)));
        if complete {
            (0..workers).try_for_each(|w| directory.end_worker(w))?;
        }
    }
    directory.rewrite(&columns(&*model), model.items(), &rows)?;
    let mut options = run.options.clone();
    options.threads = threads.or(options.threads);
    go_on(directory, &run, &*model, &input, self::threads(&options), interrupted, watch)
}

/// The model of a run, from its data, which must still be the same.
fn reload(run: &Run) -> Result<(Box<dyn Model>, Input), Failure> {
    let (model, input) = load(run.task, &mut run.options.clone())?;
    if input.fingerprint != run.fingerprint {
        return Err(Failure::bad(format!(
            "{}: has changed since the run began (fingerprint {} instead of {}): restore it, or start anew",
            input.title, input.fingerprint, run.fingerprint
        )));
    }
    Ok((model, input))
}

/// Labels kept at most in `draws.csv`: about 60 MB of text.
const KEPT_LABELS: u64 = 20_000_000;

fn threads(options: &Options) -> usize {
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    options.threads.unwrap_or_else(available)
}

fn columns(model: &dyn Model) -> Vec<String> {
    [model.names(), model.count_names()].concat()
}

/// Fills in lag, burn-in and sweeps, by a pilot where one of them was left open.
fn tune(
    model: &dyn Model,
    options: &mut Options,
    threads: usize,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Option<pilot::Findings>, Failure> {
    let open = options.lag.is_none() || options.burn_in.is_none() || options.sweeps.is_none();
    let timed = options.replicates.is_none();
    let pilot = if open || timed {
        watch.say("pilot: pairs from over-dispersed starts, to find lag, burn-in and sweeps");
        let given = Given {
            lag: options.lag,
            burn_in: options.burn_in,
            sweeps: options.sweeps,
            max_sweeps: options.max_sweeps,
        };
        let seed = options.seed.unwrap_or(1);
        let mut say = |sentence: String| watch.say(&sentence);
        let found = pilot::run(model, seed, given, threads, interrupted, &mut say)?;
        watch.say(&format!(
            "pilot: lag {}, burn-in {}, sweeps {} ({})",
            found.lag,
            found.burn_in,
            found.sweeps,
            words::duration(found.seconds)
        ));
        if found.unmet > 0 {
            watch.say(&format!(
                "pilot: {} of {} pairs did not meet in time: chains seldom move between parts of this \
                 target; expect long runs, and try a larger --noise-sd or --sampler split-merge",
                found.unmet, found.pairs
            ));
        }
        options.lag = Some(found.lag);
        options.burn_in = Some(found.burn_in);
        options.sweeps = Some(found.sweeps);
        Some(found)
    } else {
        None
    };
    let sweeps = options.sweeps.unwrap_or(0);
    options.max_sweeps.get_or_insert((20 * sweeps).max(20_000));
    options.check()?;
    Ok(pilot)
}

/// When to stop, where nothing was said: a fixed number of replicates that takes about a minute with
/// the pilot, or fewer if all intervals are narrow before.
fn stop_rule(options: &Options, pilot: Option<&pilot::Findings>, threads: usize, meetings: bool) -> Stop {
    let seconds = pilot.map_or(0.01, |p| p.replicate_calls * p.seconds_per_call).max(1e-7);
    let affordable = |budget: f64| (budget * threads as f64 / seconds) as u64;
    if let Some(replicates) = options.replicates {
        return Stop::Replicates { replicates };
    }
    if let Some(time) = options.time {
        // At least eight replicates a worker, so that little is dropped; at least four workers a thread.
        let shares = ((time.seconds() / (8.0 * seconds)) as u64).clamp(4, 25);
        return Stop::Time { workers: shares * threads as u64, seconds: time.seconds() / shares as f64 };
    }
    // The pilot must stay small beside the run: at least five times its work, counted in kernel calls.
    let five_pilots =
        pilot.map_or(0, |p| (5.0 * p.kernel_calls as f64 / p.replicate_calls.max(1.0)).ceil() as u64);
    let at_most = affordable(DEFAULT_SECONDS).max(five_pilots).clamp(20, 100_000);
    match options.precision {
        Some(width) => Stop::Precision { width, at_least: FIRST_ROUND, at_most: u64::MAX },
        None if meetings => Stop::Replicates { replicates: at_most.min(1000) },
        None => Stop::Precision { width: DEFAULT_PRECISION, at_least: FIRST_ROUND.max(five_pilots), at_most },
    }
}

/// The replicates of a run that are still to do, then the answers.
struct Runner<'a> {
    run: &'a Run,
    model: &'a dyn Model,
    settings: Settings,
    threads: usize,
    interrupted: &'a AtomicBool,
    watch: &'a mut dyn Watch,
    directory: Directory,
    rows: Vec<Row>,
    moments: Vec<Moments>,
    begin: Instant,
    shown: Instant,
}

fn go_on(
    directory: Directory,
    run: &Run,
    model: &dyn Model,
    input: &Input,
    threads: usize,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Outcome, Failure> {
    let options = &run.options;
    let (lag, burn_in, sweeps) =
        (options.lag.unwrap_or(1), options.burn_in.unwrap_or(0), options.sweeps.unwrap_or(0));
    let keep_draws = options.keep_draws.unwrap_or(0);
    let settings = Settings {
        seed: options.seed.unwrap_or(1),
        schedule: Schedule::new(lag, burn_in, sweeps)?,
        max_sweeps: options.max_sweeps.unwrap_or(u64::MAX),
        keep_draws,
        keep_until: (KEPT_LABELS / (model.items() * keep_draws.max(1)) as u64).max(20),
    };
    let rows = directory.rows(&columns(model))?;
    let before: f64 = rows.iter().map(|row| row.seconds).sum::<f64>() / threads as f64;
    let mut moments = vec![Moments::new(); model.names().len()];
    rows.iter().for_each(|row| moments.iter_mut().zip(&row.values).for_each(|(m, v)| m.push(*v)));
    let begin = Instant::now();
    let mut runner = Runner {
        run,
        model,
        settings,
        threads,
        interrupted,
        watch,
        directory,
        rows,
        moments,
        begin,
        shown: begin,
    };
    let complete = runner.run()?;
    let seconds = before + begin.elapsed().as_secs_f64();
    let Runner { mut directory, mut rows, .. } = runner;
    if !complete {
        let path = directory.path().display();
        return Err(Failure::Interrupted(format!(
            "interrupted: {} replicates are kept; continue with `partita resume {path}`",
            rows.len()
        )));
    }
    rows.sort_by_key(|row| row.replicate);
    directory.rewrite(&columns(model), model.items(), &rows)?;
    directory.finish_workers();
    conclude(&directory, run, model.names(), model.count_names(), &rows, seconds, Some((input, model)))
}

impl Runner<'_> {
    /// True when the run is complete, false when it was interrupted.
    fn run(&mut self) -> Result<bool, Failure> {
        match self.run.stop {
            Stop::Replicates { replicates } => self.replicates(replicates),
            Stop::Precision { width, at_least, at_most } => {
                let mut round = at_least.min(at_most);
                loop {
                    if !self.replicates(round)? {
                        return Ok(false);
                    }
                    // Judged on the first `round` replicates in their order: the same on every machine.
                    self.rows.sort_by_key(|row| row.replicate);
                    let mut moments = vec![Moments::new(); self.model.names().len()];
                    for row in self.rows.iter().take_while(|row| row.replicate < round) {
                        moments.iter_mut().zip(&row.values).for_each(|(m, v)| m.push(*v));
                    }
                    if round >= at_most || analysis::widest(&moments).is_some_and(|w| w < width) {
                        return Ok(true);
                    }
                    round = (round + round / 2).min(at_most);
                }
            }
            Stop::Time { workers, seconds } => self.timed(workers, seconds),
        }
    }

    /// Runs the replicates below `end` that are this shard's and not yet there.
    fn replicates(&mut self, end: u64) -> Result<bool, Failure> {
        let done: HashSet<u64> = self.rows.iter().map(|row| row.replicate).collect();
        let shard = self.run.options.shard;
        let wanted = move |n: &u64| shard.is_none_or(|s| s.holds(*n));
        let of = match shard {
            Some(s) => (end + s.of - s.number) / s.of,
            None => end,
        };
        let numbers = (0..end).filter(wanted).filter(|n| !done.contains(n));
        let (model, settings) = (self.model, self.settings);
        let job = |number: u64, send: &dyn Fn((Row, Vec<Atom>)), stop: &dyn Fn() -> bool| match model
            .replicate(number, &settings, stop)
        {
            Some(result) => {
                send(result);
                true
            }
            None => false,
        };
        let of = match self.run.stop {
            Stop::Precision { at_most, .. } if at_most == u64::MAX => None,
            Stop::Precision { at_most, .. } => Some(at_most),
            _ => Some(of),
        };
        pool::run(self.threads, numbers, self.interrupted, job, |(row, atoms)| self.take(row, &atoms, of))
    }

    /// Runs workers one after the other on each thread, each for its share of the time.
    fn timed(&mut self, workers: u64, seconds: f64) -> Result<bool, Failure> {
        let ended: HashSet<u64> = self.directory.ended_workers().into_iter().collect();
        let (model, settings) = (self.model, self.settings);
        enum Message {
            Row(Box<Row>, Vec<Atom>),
            Ended(u64),
        }
        let job = |worker: u64, send: &dyn Fn(Message), stop: &dyn Fn() -> bool| {
            let deadline = Instant::now() + Duration::from_secs_f64(seconds);
            for i in 0.. {
                // The first replicate is waited for; later ones are dropped at the deadline.
                let late = || stop() || (i > 0 && Instant::now() >= deadline);
                match model.replicate(i * workers + worker, &settings, &late) {
                    Some((row, atoms)) => send(Message::Row(Box::new(row), atoms)),
                    None => break,
                }
            }
            if !stop() {
                send(Message::Ended(worker));
            }
            !stop()
        };
        let numbers = (0..workers).filter(|w| !ended.contains(w));
        pool::run(self.threads, numbers, self.interrupted, job, |message| match message {
            Message::Row(row, atoms) => self.take(*row, &atoms, None),
            Message::Ended(worker) => self.directory.end_worker(worker),
        })
    }

    /// Keeps a replicate and shows progress now and then.
    fn take(&mut self, row: Row, atoms: &[Atom], of: Option<u64>) -> Result<(), Failure> {
        self.directory.append(&row, atoms)?;
        self.moments.iter_mut().zip(&row.values).for_each(|(m, v)| m.push(*v));
        self.rows.push(row);
        if self.shown.elapsed() > Duration::from_millis(100) {
            self.shown = Instant::now();
            let done = self.rows.len() as u64;
            let met = self.rows.iter().filter(|row| row.tau.is_some()).count() as u64;
            let elapsed = self.begin.elapsed().as_secs_f64();
            let left = match self.run.stop {
                Stop::Time { workers, seconds } => {
                    Some((workers as f64 / self.threads as f64 * seconds - elapsed).max(0.0))
                }
                _ => of.map(|of| elapsed / done as f64 * of.saturating_sub(done) as f64),
            };
            let widest = analysis::widest(&self.moments);
            self.watch.progress(&Progress { done, of, met, censored: done - met, widest, left });
        }
        Ok(())
    }
}

/// Items of the matrix in the report and in `co_clustering.npy`.
const SHOWN_ITEMS: usize = 500;
const MATRIX_ITEMS: usize = 1000;

/// Writes the answers of a complete run.
fn conclude(
    directory: &Directory,
    run: &Run,
    names: &[String],
    counts: &[String],
    rows: &[Row],
    seconds: f64,
    input: Option<(&Input, &dyn Model)>,
) -> Result<Outcome, Failure> {
    let summary = analysis::summarize(run, names, counts, rows, seconds);
    let draws = directory.draws(rows)?;
    if let Some(items) = draws.first().map(|d| d.atom.partition.len()).filter(|n| *n <= MATRIX_ITEMS) {
        let whole = analysis::co_matrix(&draws, items).expect("there are draws");
        // Back from the order of the clustering to the order of the items.
        let mut values = vec![0.0; items * items];
        for (r, &i) in whole.items.iter().enumerate() {
            for (c, &j) in whole.items.iter().enumerate() {
                values[i * items + j] = whole.values[r * items + c];
            }
        }
        directory.write("co_clustering.npy", &crate::npy::square(&values, items))?;
    }
    let matrix = analysis::co_matrix(&draws, SHOWN_ITEMS);
    let page = analysis::page(&Context {
        run,
        rows,
        draws: &draws,
        matrix: matrix.as_ref(),
        summary: &summary,
        input,
    });
    let json = serde_json::to_string_pretty(&summary).expect("a summary is JSON");
    directory.write("summary.json", (json + "\n").as_bytes())?;
    directory.write("report.html", report::render(&page).as_bytes())?;
    Ok(Outcome { directory: directory.path().to_path_buf(), summary, answer: page.answer })
}

/// The answers of a directory again, from its rows.
pub fn report(path: &Path) -> Result<Outcome, Failure> {
    let run = Run::read(path)?;
    let (model, input) = reload(&run)?;
    let directory = Directory::open(path)?;
    let rows = directory.rows(&columns(&*model))?;
    if rows.is_empty() {
        return Err(Failure::bad(format!(
            "{}: has no replicates yet: continue it with `partita resume {0}`",
            path.display()
        )));
    }
    let known = std::fs::read_to_string(path.join("summary.json")).ok();
    let known: Option<Summary> = known.and_then(|text| serde_json::from_str(&text).ok());
    let seconds = known.filter(|s| s.replicates == rows.len() as u64).map_or_else(
        || rows.iter().map(|row| row.seconds).sum::<f64>() / threads(&run.options) as f64,
        |summary| summary.seconds,
    );
    conclude(&directory, &run, model.names(), model.count_names(), &rows, seconds, Some((&input, &*model)))
}

/// Joins shards of one run into a new directory.
pub fn merge(paths: &[PathBuf], out: &Path, force: bool) -> Result<Outcome, Failure> {
    let Some((first, rest)) = paths.split_first() else {
        return Err(Failure::bad("`partita merge` needs run directories to join".into()));
    };
    let mut run = Run::read(first)?;
    for path in rest {
        let other = Run::read(path)?;
        if other.fingerprint != run.fingerprint {
            return Err(Failure::bad(format!(
                "{} and {} are runs on different data (fingerprints {} and {}): they cannot be merged",
                first.display(),
                path.display(),
                run.fingerprint,
                other.fingerprint
            )));
        }
        if other.identity() != run.identity() {
            return Err(Failure::bad(format!(
                "{} and {} are runs with different configurations: compare their run.toml; only shards of one \
                 run can be merged",
                first.display(),
                path.display()
            )));
        }
    }
    let (model, input) = reload(&run)?;
    let columns = columns(&*model);
    let mut rows: Vec<(usize, Row)> = Vec::new();
    let mut draws = Vec::new();
    for (i, path) in paths.iter().enumerate() {
        let directory = Directory::open(path)?;
        let shard = directory.rows(&columns)?;
        draws.extend(directory.draws(&shard)?);
        rows.extend(shard.into_iter().map(|row| (i, row)));
    }
    rows.sort_by_key(|(_, row)| row.replicate);
    if let Some(pair) = rows.windows(2).find(|pair| pair[0].1.replicate == pair[1].1.replicate) {
        return Err(Failure::bad(format!(
            "replicate {} is in {} and in {}: shards that overlap cannot be merged",
            pair[0].1.replicate,
            paths[pair[0].0].display(),
            paths[pair[1].0].display()
        )));
    }
    draws.sort_by_key(|draw| draw.replicate);
    directory::prepare(out, force)?;
    run.options.shard = None;
    run.options.out = Some(out.to_path_buf());
    let mut directory = Directory::create(out, &run, &columns, model.items())?;
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    let mut kept = draws.into_iter().peekable();
    for row in &rows {
        let mut atoms = Vec::new();
        while let Some(draw) = kept.next_if(|draw| draw.replicate == row.replicate) {
            atoms.push(draw.atom);
        }
        directory.append(row, &atoms)?;
    }
    let seconds = rows.iter().map(|row| row.seconds).sum();
    conclude(&directory, &run, model.names(), model.count_names(), &rows, seconds, Some((&input, &*model)))
}
