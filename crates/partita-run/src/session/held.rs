//! A run held in memory, on data that may also be in memory; nothing is written unless requested.

use super::merge::{joined, refuse_other};
use super::predict::predictions;
use super::runner::replicates;
use super::{Finished, Planned, Request, Watch, all_ended, columns, heal, refuse_part, reload_with};
use crate::Failure;
use crate::answers::{self, Answers};
use crate::config::{Duration, Limit, Loss, Shard, StoppingRule};
use crate::data::{Cells, ReadOptions, Table, kept};
use crate::engine::long_chain;
use crate::engine::{Draw, Executor, Replicate, Row, Sample, Sink};
use crate::model::{Given, Input, Mark, Model, Own, build, load_given};
use crate::results::{Predictions, Results};
use crate::store::{self, DATA, Directory, Run};
use partita::Partition;
use partita::atoms::Atom;
use partita::modes::Trail;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A run in memory. If it was interrupted it is incomplete: then it has no answers yet, and can be continued.
#[derive(Debug, Clone)]
pub struct Held {
    run: Run,
    input: Arc<Input>,
    /// The names of the values of a row.
    columns: Vec<String>,
    /// The table as it was given, where it came from memory.
    table: Option<Table>,
    sample: Sample,
    /// Workers of a timed run that have had their time.
    ended: BTreeMap<u64, u64>,
    seconds: f64,
    answers: Option<Answers>,
}

/// New rows to predict.
#[derive(Debug, Clone, PartialEq)]
pub enum NewRows {
    /// In a file.
    File(PathBuf),
    /// In memory, with their name in messages.
    Columns(String, Vec<(String, Cells)>),
}

/// How far to continue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum More {
    /// By this many replicates.
    Replicates(u64),
    /// By as many replicates as take about this long; a timed run, by as many workers as this time allows.
    Time(Duration),
}

/// Notes which workers have had their time; and a directory keeps all, where there is one.
struct Keeper<'a> {
    ended: &'a mut BTreeMap<u64, u64>,
    directory: Option<&'a mut Directory>,
}

impl Sink for Keeper<'_> {
    fn keep(&mut self, replicate: &Replicate) -> Result<(), Failure> {
        self.directory.as_mut().map_or(Ok(()), |directory| directory.keep(replicate))
    }

    fn end_worker(&mut self, worker: u64, completed: u64) -> Result<(), Failure> {
        self.ended.insert(worker, completed);
        self.directory.as_mut().map_or(Ok(()), |directory| directory.end_worker(worker, completed))
    }
}

/// A run as it travels.
#[derive(Serialize, Deserialize)]
struct Packed {
    run: String,
    input: Input,
    table: Option<Table>,
    rows: Vec<Row>,
    draws: Vec<(u64, Atom)>,
    chains: Vec<Trail>,
    ended: BTreeMap<u64, u64>,
    seconds: f64,
    /// `summary.json`; none where the run is not complete.
    summary: Option<String>,
}

impl Held {
    /// Runs from the beginning, on data from memory if given.
    ///
    /// If `out` is among the options, the run directory is written as well, during the run. A run that is interrupted
    /// after its pilot is returned incomplete, with everything done so far.
    ///
    /// ```
    /// use partita_run::config::{Options, Task};
    /// use partita_run::data::Cells;
    /// use partita_run::engine::Threads;
    /// use partita_run::model::Given;
    /// use partita_run::session::{Held, More, Request};
    /// use std::sync::atomic::AtomicBool;
    ///
    /// let x = Cells::Numbers(vec![0.1, 0.2, -0.1, 4.0, 4.2, 3.9]);
    /// let data = Given::Columns("points".into(), vec![("x".into(), x)]);
    /// let options = Options {
    ///     data: Some("points".into()),
    ///     lag: Some(5),
    ///     burn_in: Some(5),
    ///     sweeps: Some(20),
    ///     replicates: Some(30),
    ///     ..Options::default()
    /// };
    /// let request = Request { task: Task::Fit, meetings_only: false, options, force: false, command: "example".into() };
    /// let never = AtomicBool::new(false);
    /// let mut run = Held::start(&Threads(2), request, Some(&data), &never, &mut ())?;
    /// assert_eq!(run.sample().rows.len(), 30);
    /// run.more(More::Replicates(10), &Threads(2), &never, &mut ())?;
    /// assert_eq!(run.answers().unwrap().summary.replicates, 40);
    /// # Ok::<(), partita_run::Failure>(())
    /// ```
    pub fn start(
        executor: &dyn Executor,
        request: Request,
        given: Option<&Given>,
        interrupted: &AtomicBool,
        watch: &mut dyn Watch,
    ) -> Result<Self, Failure> {
        let options = request.checked()?;
        let begin = Instant::now();
        let (loaded, table) = load_given(request.task, &options, given)?;
        let out = options.out.as_deref();
        let Planned { run, model, input } =
            request.plan(&options, loaded, begin, executor, interrupted, watch)?;
        let (sample, ended) = (Sample::default(), BTreeMap::new());
        let columns = columns(&*model);
        let mut held = Held { run, input, columns, table, sample, ended, seconds: 0.0, answers: None };
        held.go_on_with(&*model, out, executor, interrupted, watch)?;
        Ok(held)
    }

    /// Runs what remains to be done and computes the answers; writes them to a directory, too, if one is given.
    pub fn go_on(
        &mut self,
        out: Option<&Path>,
        executor: &dyn Executor,
        interrupted: &AtomicBool,
        watch: &mut dyn Watch,
    ) -> Result<(), Failure> {
        let model = self.model()?;
        self.go_on_with(&*model, out, executor, interrupted, watch)
    }

    fn go_on_with(
        &mut self,
        model: &dyn Model,
        out: Option<&Path>,
        executor: &dyn Executor,
        interrupted: &AtomicBool,
        watch: &mut dyn Watch,
    ) -> Result<(), Failure> {
        let mut directory = None;
        if let Some(out) = out {
            let (run, new) = self.written(out)?;
            (self.run, directory) = (run, Some(new));
        }
        let keeper = &mut Keeper { ended: &mut self.ended.clone(), directory: directory.as_mut() };
        let ended = self.ended.clone();
        let outcome =
            replicates((keeper, ended), &mut self.sample, &self.run, model, executor, interrupted, watch);
        self.ended = std::mem::take(keeper.ended);
        let (complete, seconds) = outcome?;
        self.seconds = seconds;
        if !complete {
            return Ok(());
        }
        let long = long_chain::measure(&self.run, model, &self.sample, executor, interrupted, watch);
        let long = match long {
            Err(Failure::Interrupted(_)) => return Ok(()),
            other => other?,
        };
        self.answers = Some(self.answer(model, long.as_ref(), watch)?);
        if let Some(mut directory) = directory {
            directory.rewrite(&self.columns, self.items(), &self.sample)?;
            self.conclude(&self.run, &directory, watch)?;
        }
        Ok(())
    }

    /// Extends a finished run: its replicates are the first ones of the longer run.
    pub fn more(
        &mut self,
        more: More,
        executor: &dyn Executor,
        interrupted: &AtomicBool,
        watch: &mut dyn Watch,
    ) -> Result<(), Failure> {
        let plan = &mut self.run.plan;
        if self.answers.is_none() {
            return Err(Failure::BadInput("the run is not complete: continue it with `resume` first".into()));
        }
        if plan.shard != Shard::WHOLE {
            return Err(Failure::BadInput("a shard cannot be extended: merge all shards first".into()));
        }
        if let StoppingRule::Time { workers, seconds, further } = plan.stop {
            let More::Time(time) = more else {
                return Err(Failure::BadInput(
                    "a run limited by `time` can only be extended by `time`, since its estimates depend on the clock: give `time` \
                     instead of `replicates`"
                        .into(),
                ));
            };
            // As many workers as that time has room for, each with as long as those that were there.
            let added = (time.seconds() * executor.width() as f64 / seconds).round().max(1.0) as u64;
            plan.stop = StoppingRule::Time { workers, seconds, further: further + added };
            if let Limit::Time(before) = plan.limit {
                plan.limit = Limit::Time(Duration::from_secs(before.seconds() + time.seconds()));
            }
            // The answers were made of whole workers; a directory does not tell of them any longer.
            self.ended = all_ended(&StoppingRule::Time { workers, seconds, further }, &self.sample.rows);
            self.answers = None;
            return self.go_on(None, executor, interrupted, watch);
        }
        let done = self.sample.rows.len() as u64;
        let further = match more {
            More::Replicates(replicates) => replicates,
            More::Time(time) => {
                let busy: f64 = self.sample.rows.iter().map(|row| row.seconds).sum();
                (time.seconds() * executor.width() as f64 * done as f64 / busy.max(1e-9)).max(1.0) as u64
            }
        };
        let replicates = done + further;
        plan.stop = StoppingRule::Replicates { replicates };
        plan.limit = Limit::Replicates(replicates);
        plan.options().check()?;
        self.answers = None;
        self.go_on(None, executor, interrupted, watch)
    }

    /// Reads a run directory. An incomplete run has no answers, and can be continued. A user-defined likelihood is not in
    /// it and has to be given.
    pub fn open(path: &Path, own: Option<&Own>, watch: &mut dyn Watch) -> Result<Self, Failure> {
        let mut run = Run::read(path)?;
        // It may have been moved since.
        run.plan.out = path.to_path_buf();
        let directory = Directory::open(path);
        if let Some(pilot) = &mut run.pilot {
            pilot.chains = directory.chains();
        }
        let (model, input) = reload_with(&run, own)?;
        let columns = columns(&*model);
        let sample = directory.sample(&columns)?;
        let complete = refuse_part(path, &run, &sample.rows).is_ok();
        let long = long_chain::known_of(&directory, &sample);
        let known = super::known(path).filter(|known| known.replicates == sample.rows.len() as u64);
        let busy: f64 = sample.rows.iter().map(|row| row.seconds).sum();
        let seconds = known.map_or(busy / run.plan.threads() as f64, |known| known.seconds);
        let ended = directory.ended_workers();
        let mut held = Held { run, input, columns, table: None, sample, ended, seconds, answers: None };
        if complete {
            held.answers = Some(held.answer(&*model, long.as_ref(), watch)?);
        } else {
            let sample = std::mem::take(&mut held.sample);
            held.sample = heal(&directory, &held.run, held.items(), sample)?;
        }
        Ok(held)
    }

    /// Writes the run directory, as the command would have, including data from memory.
    pub fn save(&self, path: &Path, force: bool, watch: &mut dyn Watch) -> Result<Finished, Failure> {
        if self.answers.is_none() {
            return Err(Failure::BadInput("the run is not complete: continue it with `resume` first".into()));
        }
        store::prepare(path, force)?;
        let (run, directory) = self.written(path)?;
        self.conclude(&run, &directory, watch)
    }

    /// Starts the directory of this run, its data with it.
    fn written(&self, path: &Path) -> Result<(Run, Directory), Failure> {
        let mut run = self.run.clone();
        run.plan.out = path.to_path_buf();
        let text = match (&self.table, &self.input.graph) {
            (Some(table), _) => Some(kept::table_text(table)),
            (None, Some(graph)) if run.plan.data.as_ref().is_none_or(|data| !data.exists()) => {
                Some(kept::graph_text(graph))
            }
            _ => None,
        };
        if let Some(text) = text {
            store::write_whole(&path.join(DATA), &text)?;
            run.plan.data = Some(path.join(DATA));
        } else {
            run.take_data_along(path)?;
        }
        let mut directory = Directory::create(path, &run, &self.columns, self.items())?;
        directory.rewrite(&self.columns, self.items(), &self.sample)?;
        directory.set_ended_workers(&self.ended)?;
        Ok((run, directory))
    }

    fn conclude(&self, run: &Run, directory: &Directory, watch: &mut dyn Watch) -> Result<Finished, Failure> {
        let answers = self.answers.clone().expect("a run that is complete has answers");
        let finished = answers.write(directory, run, &self.sample, false, watch)?;
        directory.finish_workers();
        Ok(finished)
    }

    /// Joins shards of one run. Starts no chains.
    pub fn merge(shards: &[&Held], watch: &mut dyn Watch) -> Result<Self, Failure> {
        let Some((first, rest)) = shards.split_first() else {
            return Err(Failure::BadInput("`merge` needs runs to merge".into()));
        };
        let name = |at: usize| format!("run {}", at + 1);
        for (at, other) in rest.iter().enumerate() {
            refuse_other((&name(0), &first.run), (&name(at + 1), &other.run))?;
        }
        if let Some(at) = shards.iter().position(|shard| shard.answers.is_none()) {
            return Err(Failure::BadInput(format!(
                "{} is not complete: continue it with `resume` first",
                name(at)
            )));
        }
        let samples = shards.iter().enumerate().map(|(at, shard)| (name(at), shard.sample.clone()));
        let sample = joined(samples.collect())?;
        let mut run = first.run.clone();
        run.plan.shard = Shard::WHOLE;
        let seconds = sample.rows.iter().map(|row| row.seconds).sum();
        let model = build(&run.plan.setup, &first.input)?;
        let (input, table, ended) = (first.input.clone(), first.table.clone(), BTreeMap::new());
        let columns = columns(&*model);
        let mut held = Held { run, input, columns, table, sample, ended, seconds, answers: None };
        held.answers = Some(held.answer(&*model, None, watch)?);
        Ok(held)
    }

    /// Predicts new rows under the model and the data of the run.
    pub fn predict(
        &self,
        new: &NewRows,
        loss: Option<Loss>,
        watch: &mut dyn Watch,
    ) -> Result<Predictions, Failure> {
        if self.answers.is_none() {
            return Err(Failure::BadInput("the run is not complete: continue it with `resume` first".into()));
        }
        let read = |options: &ReadOptions| match new {
            NewRows::File(path) => Table::read(path, options),
            NewRows::Columns(source, columns) => Table::from_columns(source, columns, options),
        };
        let (model, title) = (self.model()?, &self.input.title);
        predictions(&self.run, (&*model, &self.input), &self.sample.draws, title, &read, loss, watch)
    }

    /// The probability that two items share a cluster, and its standard error, row by row; `None` if no states were
    /// kept.
    pub fn co_clustering(&self) -> Option<[Vec<f32>; 2]> {
        let draws = &self.sample.draws;
        let units = answers::units(&self.run.plan.stop, draws);
        let matrix = || answers::whole_matrix(&units, self.items(), self.run.plan.threads());
        (!draws.is_empty()).then(matrix)
    }

    fn answer(
        &self,
        model: &dyn Model,
        long: Option<&answers::LongChains>,
        watch: &mut dyn Watch,
    ) -> Result<Answers, Failure> {
        let of = (&*self.input, model);
        Answers::new(&self.run, &self.sample, self.seconds, of, long, &self.chains(), watch)
    }

    /// States of the pilot's chains, numbered as a file has them.
    fn chains(&self) -> Vec<Trail> {
        let same = |z: &Partition| Partition::from_labels(&z.canonical_labels()).expect("it has an item");
        let all = |states: &[Partition]| states.iter().map(same).collect();
        let chains = self.run.pilot.iter().flat_map(|pilot| &pilot.chains);
        chains.map(|chain| Trail { earlier: all(&chain.earlier), last: all(&chain.last) }).collect()
    }

    /// The model, built anew: models stay in the thread that made them, and runs do not.
    fn model(&self) -> Result<Box<dyn Model>, Failure> {
        build(&self.run.plan.setup, &self.input)
    }

    fn items(&self) -> usize {
        self.input.item_names.len()
    }

    /// Whether everything is done.
    pub fn is_complete(&self) -> bool {
        self.answers.is_some()
    }

    /// What the run is.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Its data.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Its replicates.
    pub fn sample(&self) -> &Sample {
        &self.sample
    }

    /// Its answers; `None` if it is not complete.
    pub fn answers(&self) -> Option<&Answers> {
        self.answers.as_ref()
    }

    /// The names of the values of a row.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// As bytes, without a user-defined likelihood.
    pub fn to_bytes(&self) -> Vec<u8> {
        let draw = |draw: &Draw| (draw.replicate, draw.atom.clone());
        let json = |answers: &Answers| serde_json::to_string(&answers.summary).expect("a summary is JSON");
        let packed = Packed {
            run: toml::to_string(&self.run).expect("a run is a table"),
            input: (*self.input).clone(),
            table: self.table.clone(),
            rows: self.sample.rows.clone(),
            draws: self.sample.draws.iter().map(draw).collect(),
            chains: self.chains(),
            ended: self.ended.clone(),
            seconds: self.seconds,
            summary: self.answers.as_ref().map(json),
        };
        postcard::to_stdvec(&packed).expect("memory takes what it is given")
    }

    /// From bytes, of the same version of partita; a likelihood of one's own has to be given.
    pub fn from_bytes(bytes: &[u8], own: Option<&Own>, watch: &mut dyn Watch) -> Result<Self, Failure> {
        let broken = |what: String| Failure::Failed(format!("a run in bytes cannot be read: {what}"));
        let packed: Packed = postcard::from_bytes(bytes).map_err(|e| broken(e.to_string()))?;
        let mut run: Run = toml::from_str(&packed.run).map_err(|e| broken(e.message().into()))?;
        if let Some(pilot) = &mut run.pilot {
            pilot.chains = packed.chains;
        }
        Mark::compare(run.likelihood.as_ref(), own.map(Own::mark).as_ref())?;
        let input = Arc::new(Input { own: own.cloned(), ..packed.input });
        let model = build(&run.plan.setup, &input)?;
        let draws = packed.draws.into_iter().map(|(replicate, atom)| Draw { replicate, atom });
        let mut held = Held {
            columns: columns(&*model),
            run,
            input,
            table: packed.table,
            sample: Sample { rows: packed.rows, draws: draws.collect() },
            ended: packed.ended,
            seconds: packed.seconds,
            answers: None,
        };
        if let Some(summary) = packed.summary {
            let summary: Results = serde_json::from_str(&summary).map_err(|e| broken(e.to_string()))?;
            held.answers = Some(held.answer(&*model, long_chain::known(&summary).as_ref(), watch)?);
        }
        Ok(held)
    }
}
