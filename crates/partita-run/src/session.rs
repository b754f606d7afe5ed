//! A run from options to answers: fit, color, meet; resume, merge, report.

mod check;
mod compare;
mod held;
mod merge;
mod predict;
mod runner;
mod schedule;

pub use check::{Checked, CheckedColumn, check};
pub use compare::{HOLD_OUT, IN_COMMON, MODELS, compare};
pub use held::{Held, More, NewRows};
pub use merge::merge;
pub use predict::predict;

use crate::Failure;
use crate::answers::Answers;
use crate::config::resolve::{Found, model_is_open};
use crate::config::{Loss, Options, Plan, StoppingRule, Task};
use crate::engine::long_chain;
use crate::engine::{Executor, Row, Sample, Threads};
use crate::model::{self, Given, Input, Loaded, Mark, Model, Own, load_as, load_given, without_model};
use crate::results::Results;
use crate::store::{self, Directory, Run, how_to_resume};
use crate::summary::Count;
use runner::go_on;
use schedule::{Scheduled, schedule};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Receives messages and progress. The command shows them; a library may ignore them.
pub trait Watch {
    /// A sentence for the user.
    fn say(&mut self, _sentence: &str) {}
    /// The progress of the replicates.
    fn progress(&mut self, _progress: &Progress) {}
    /// What is being done while there are no replicates to count.
    fn stage(&mut self, _what: &str) {}
    /// A sentence of the answers, phrased for the listener. The library names options as a TOML file does
    /// (`max_sweeps`, `start = prior`) and calls as a program does (`resume(my-run)`), all in backquotes.
    fn phrase(&self, sentence: &str) -> String {
        sentence.to_string()
    }
}

impl Watch for () {}

/// The progress of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Replicates done.
    pub done: u64,
    /// The total number, if known.
    pub of: Option<u64>,
    /// Pairs that met.
    pub met: u64,
    /// Pairs that were censored.
    pub censored: u64,
    /// Width of the widest 95% interval so far.
    pub widest: Option<f64>,
    /// The mean number of clusters so far and the half-width of its 95% interval, if estimated.
    pub clusters: Option<(f64, f64)>,
    /// Seconds left, if known.
    pub left: Option<f64>,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// The run directory.
    pub directory: PathBuf,
    /// The answers.
    pub summary: Results,
    /// The answers in sentences.
    pub answer: Vec<String>,
}

/// How to start a run.
#[derive(Debug, Clone)]
pub struct Request {
    /// What kind of run.
    pub task: Task,
    /// Meeting times only.
    pub meetings_only: bool,
    /// The options.
    pub options: Options,
    /// Overwrite a directory that is in use.
    pub force: bool,
    /// The command as it was given.
    pub command: String,
}

/// Runs from the beginning, on threads of this process.
pub fn start(request: Request, interrupted: &AtomicBool, watch: &mut dyn Watch) -> Result<Finished, Failure> {
    let executor = Threads(request.options.threads.unwrap_or_else(processors));
    start_on(&executor, request, interrupted, watch)
}

/// Runs from the beginning on the given executor; the results do not depend on it.
pub fn start_on(
    executor: &dyn Executor,
    request: Request,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Finished, Failure> {
    let options = request.checked()?;
    refuse_float(executor, &options)?;
    let out = options.out.clone().unwrap_or_else(|| store::free_name(options.data.as_deref()));
    let begin = Instant::now();
    let (loaded, piped) = load_given(request.task, &options, None)?;
    let options = Options { out: Some(out.clone()), ..options };
    let Planned { mut run, model, input } =
        request.plan(&options, loaded, begin, executor, interrupted, watch)?;
    store::keep_piped(&mut run, &out, piped.as_ref(), &input)?;
    let columns = columns(&*model);
    let directory = Directory::create(&out, &run, &columns, model.items())?;
    let finished = go_on((directory, Sample::default()), &run, &*model, &input, executor, interrupted, watch);
    executor.notes().iter().for_each(|note| watch.say(note));
    finished
}

/// A run that can begin: nothing is left open.
struct Planned {
    run: Run,
    model: Box<dyn Model>,
    input: Arc<Input>,
}

impl Request {
    /// Its options, if they go together.
    fn checked(&self) -> Result<Options, Failure> {
        self.options.check_uses(self.task, self.meetings_only)?;
        let options = match self.meetings_only {
            true => self.options.clone().of_meetings(),
            false => self.options.clone(),
        };
        options.check()?;
        Ok(options)
    }

    /// Settles what the options leave open, by a pilot where it takes one. The directory of the run, where one is named, is made
    /// sure of first; it goes again where the run does not begin.
    fn plan(
        &self,
        options: &Options,
        loaded: Loaded,
        begin: Instant,
        executor: &dyn Executor,
        interrupted: &AtomicBool,
        watch: &mut dyn Watch,
    ) -> Result<Planned, Failure> {
        refuse_wide(options, &loaded.input)?;
        let out = options.out.as_deref();
        let new = out.filter(|out| !out.exists());
        out.map_or(Ok(()), |out| store::prepare(out, self.force))?;
        loaded.input.said.iter().for_each(|sentence| watch.say(sentence));
        let planned = || {
            let Scheduled { setup, model, input, schedule, pilot, pca } =
                schedule(loaded, options, executor, interrupted, watch)?;
            let options = &Options { pca: pca.or(options.pca), ..options.clone() };
            let found = Found {
                schedule,
                pilot: pilot.as_ref(),
                items: model.items(),
                width: executor.width(),
                meetings_only: self.meetings_only,
                spent: begin.elapsed().as_secs_f64(),
            };
            let plan = Plan::resolve(options, setup, out.unwrap_or(Path::new("")).into(), found);
            plan.options().check()?;
            let (version, command) = (env!("CARGO_PKG_VERSION").into(), self.command.clone());
            let (fingerprint, likelihood) = (input.fingerprint.clone(), input.own.as_ref().map(Own::mark));
            let run = Run { version, command, fingerprint, plan, pilot, likelihood };
            Ok(Planned { run, model, input })
        };
        planned().inspect_err(|_: &Failure| {
            if let Some(new) = new {
                let _ = std::fs::remove_dir(new);
            }
        })
    }
}

/// Refuses a table that is so wide that a pilot would find nothing, unless somebody said what to do with it.
fn refuse_wide(options: &Options, input: &Input) -> Result<(), Failure> {
    let pilot = options.lag.zip(options.burn_in).zip(options.sweeps).is_none();
    match model::wide(options, input) {
        Some(sentence) if pilot && model_is_open(options) => Err(Failure::option("pca", sentence)),
        _ => Ok(()),
    }
}

/// Continues an interrupted run, on threads of this process.
pub fn resume(
    path: &Path,
    threads: Option<usize>,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Finished, Failure> {
    resume_on(|threads| Ok(Box::new(Threads(threads))), path, threads, interrupted, watch)
}

/// Refuses a precision that only other machines have, before anything is read.
fn refuse_float(executor: &dyn Executor, options: &Options) -> Result<(), Failure> {
    if options.float.is_none_or(|float| executor.has(float)) {
        return Ok(());
    }
    let sentence = "`float = f32` is for replicates on a GPU: say `device = cuda` on a machine that has one, or leave it out";
    Err(Failure::option("float", sentence.into()))
}

/// Continues an interrupted run, on an executor made for the run's number of threads.
pub fn resume_on(
    executor: impl FnOnce(usize) -> Result<Box<dyn Executor + Send>, Failure>,
    path: &Path,
    threads: Option<usize>,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Finished, Failure> {
    let run = Run::read(path)?;
    let mut plan = run.plan.clone();
    plan.threads = threads.or(plan.threads);
    plan.options().check()?;
    let executor = executor(plan.threads())?;
    refuse_float(&*executor, &plan.options())?;
    let (model, input) = reload(&run)?;
    let mut directory = Directory::resume(path, &run, &columns(&*model), model.items())?;
    let sample = heal(&directory, &run, model.items(), directory.sample(&columns(&*model))?)?;
    directory.rewrite(&columns(&*model), model.items(), &sample)?;
    let finished = go_on((directory, sample), &run, &*model, &input, &*executor, interrupted, watch);
    executor.notes().iter().for_each(|note| watch.say(note));
    finished
}

/// The rows that are whole, their kept states too; of a timed run those of workers that had all their time.
fn heal(directory: &Directory, run: &Run, items: usize, sample: Sample) -> Result<Sample, Failure> {
    let Sample { mut rows, mut draws } = sample;
    let plan = &run.plan;
    if matches!(plan.stop, StoppingRule::Time { .. }) && concluded(directory.path(), &rows) {
        directory.set_ended_workers(&all_ended(&plan.stop, &rows))?;
        return Ok(Sample { rows, draws });
    }
    // Every sweep from the burn-in on offers a state, so that at least so many are kept.
    let least = plan.schedule.window().min(plan.keep_draws as u64);
    let mut kept: HashMap<u64, u64> = HashMap::new();
    draws.iter().for_each(|draw| *kept.entry(draw.replicate).or_default() += 1);
    let until = plan.keep_until(items);
    rows.retain(|row| row.replicate >= until || kept.get(&row.replicate).copied().unwrap_or(0) >= least);
    if let StoppingRule::Time { workers, .. } = plan.stop {
        let mut there: HashMap<u64, u64> = HashMap::new();
        rows.iter().for_each(|row| *there.entry(row.replicate % workers).or_default() += 1);
        let mut ended = directory.ended_workers();
        ended.retain(|worker, completed| there.get(worker) == Some(completed));
        rows.retain(|row| ended.contains_key(&(row.replicate % workers)));
        directory.set_ended_workers(&ended)?;
    }
    let there: HashSet<u64> = rows.iter().map(|row| row.replicate).collect();
    draws.retain(|draw| there.contains(&draw.replicate));
    Ok(Sample { rows, draws })
}

/// The workers of a timed run that is complete, and how many replicates each has.
fn all_ended(stop: &StoppingRule, rows: &[Row]) -> BTreeMap<u64, u64> {
    let mut all = BTreeMap::new();
    let owners = crate::answers::workers(stop, rows.iter().map(|row| row.replicate));
    owners.into_values().for_each(|worker| *all.entry(worker).or_default() += 1);
    all
}

/// Whether the answers of exactly these rows were written.
fn concluded(path: &Path, rows: &[Row]) -> bool {
    known(path).is_some_and(|summary| summary.replicates == rows.len() as u64)
}

/// The answers that were written, if they were.
pub(crate) fn known(path: &Path) -> Option<Results> {
    serde_json::from_str(&std::fs::read_to_string(path.join("summary.json")).ok()?).ok()
}

/// Refuses a run that is not complete: an average of what is done would favour the quick pairs.
fn refuse_part(path: &Path, run: &Run, rows: &[Row]) -> Result<(), Failure> {
    let all = match run.plan.stop {
        StoppingRule::Replicates { replicates } => rows.len() as u64 == run.plan.shard.share(replicates),
        _ => false,
    };
    if all || concluded(path, rows) {
        return Ok(());
    }
    Err(Failure::run(
        path,
        format!(
            "the run is not complete ({} replicates so far), and those that are done favour quick pairs: \
         continue it with {}",
            rows.len(),
            how_to_resume(path)
        ),
    ))
}

/// The model of a run, from its data, which must still be the same.
fn reload(run: &Run) -> Result<(Box<dyn Model>, Arc<Input>), Failure> {
    reload_with(run, None)
}

/// The same with a likelihood of the user's own, if the run has one: that, too, must be the same.
fn reload_with(run: &Run, own: Option<&Own>) -> Result<(Box<dyn Model>, Arc<Input>), Failure> {
    if run.likelihood.is_some() != own.is_some() {
        Mark::compare(run.likelihood.as_ref(), own.map(Own::mark).as_ref())?;
    }
    let given = own.map(|own| Given::OwnOfFile(own.clone()));
    let options = run.plan.options();
    // A model that is named may read the columns in another way than the run did before it chose one.
    let chosen = run.pilot.as_ref().is_some_and(|pilot| pilot.models.iter().any(|model| model.taken));
    let reading = if chosen { without_model(&options) } else { options.clone() };
    let (Loaded { model, input, .. }, _) =
        load_as(&reading, run.plan.setup.task(), &options, given.as_ref())?;
    if input.fingerprint != run.fingerprint {
        return Err(Failure::BadInput(format!(
            "{} has changed since the run began (fingerprint {} instead of {}): restore it, or start a new run",
            input.title, input.fingerprint, run.fingerprint
        )));
    }
    Mark::compare(run.likelihood.as_ref(), own.map(Own::mark).as_ref())?;
    Ok((model, input))
}

/// The number of threads that the machine runs at once.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn columns(model: &dyn Model) -> Vec<String> {
    let names = model.quantities().iter().map(|quantity| quantity.name.clone());
    names.chain(model.counts().iter().map(Count::column)).collect()
}

/// How to recompute the answers of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Again {
    /// Another loss for the point estimate.
    pub loss: Option<Loss>,
    /// Write the whole co-clustering matrix even if it is large.
    pub matrix: bool,
}

/// Recomputes the answers of a run directory from its rows.
pub fn report(path: &Path, again: Again, watch: &mut dyn Watch) -> Result<Finished, Failure> {
    let mut run = Run::read(path)?;
    for (name, asked) in [("`loss`", again.loss.is_some()), ("`matrix`", again.matrix)] {
        if asked && run.plan.keep_draws == 0 {
            return Err(Failure::run(
                path,
                format!(
                    "{name} needs kept states, and the run has none: run it again with `keep_draws = 1` or more"
                ),
            ));
        }
    }
    run.plan.loss = again.loss.unwrap_or(run.plan.loss);
    let (model, input) = reload(&run)?;
    let directory = Directory::open(path);
    watch.stage("reading the replicates");
    let sample = directory.sample(&columns(&*model))?;
    refuse_part(path, &run, &sample.rows)?;
    let rows = &sample.rows;
    let seconds = known(path).filter(|s| s.replicates == rows.len() as u64).map_or_else(
        || rows.iter().map(|row| row.seconds).sum::<f64>() / run.plan.threads() as f64,
        |summary| summary.seconds,
    );
    store::check_size(model.items(), again.matrix)?;
    let long = long_chain::known_of(&directory, &sample);
    let answers =
        Answers::new(&run, &sample, seconds, (&input, &*model), long.as_ref(), &directory.chains(), watch)?;
    if !directory.is_writable() {
        // Somebody else's run, or one on a read-only disk: what there is to say can be said all the same.
        watch.say(&format!("{} cannot be written, so its files stay as they are", path.display()));
        let Answers { summary, page, .. } = answers;
        return Ok(Finished { directory: path.to_path_buf(), summary, answer: page.answer });
    }
    answers.write(&directory, &run, &sample, again.matrix, watch)
}
