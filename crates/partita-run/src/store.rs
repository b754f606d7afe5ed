//! The run directory: plain files that appear whole or grow by whole rows, so that nothing is lost.
//!
//! | file | content |
//! |---|---|
//! | `run.toml` | the whole resolved configuration, seed, version, data fingerprint |
//! | `data.json` | the data, where they came from memory and not from a file |
//! | `replicates.csv` | one row per replicate, sorted when the run is complete |
//! | `draws.csv` | kept states: replicate, weight, one label per item |
//! | `co_clustering.npy`, `co_clustering_se.npy` | estimated probabilities of sharing a cluster, standard errors |
//! | `clustering.csv`, `credible_ball.csv` | one clustering with certainties; the bounds of its credible ball |
//! | `profiles.csv`, `correlations.csv` | what each cluster is like, column by column; how columns go together in it |
//! | `chains.csv` | where pilot pairs did not meet: states of their chains |
//! | `modes.csv` | where chains stayed apart: a state of each part of the target in which they were |
//! | `summary.json` | the answers, as `--json` prints them |
//! | `report.html` | the report |

mod answers;
mod chains;
mod ledger;
pub(crate) mod npy;
mod rows;

use crate::config::{ConfigError, Options, Plan, Shard, StoppingRule, Task};
use crate::data::{STANDARD_INPUT, Table, kept};
use crate::engine::pilot::Pilot;
use crate::engine::{Draw, Replicate, Row, Sample, Sink};
use crate::model::{Input, Mark};
use crate::{Failure, words};
pub(crate) use answers::check_size;
pub use ledger::Ledger;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Everything that defines a run: the content of `run.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Kept", into = "Kept")]
pub struct Run {
    /// The version of partita.
    pub version: String,
    /// The command that was given.
    pub command: String,
    /// The fingerprint of the data.
    pub fingerprint: String,
    /// What the run does.
    pub plan: Plan,
    /// What the pilot found, if there was one.
    pub pilot: Option<Pilot>,
    /// What is kept of a likelihood of the user's own, where the run has one.
    pub likelihood: Option<Mark>,
}

/// A run as `run.toml` keeps it: the plan is said in options, so that they can be given to another run.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: String,
    task: Task,
    command: String,
    fingerprint: String,
    stop: StoppingRule,
    options: Options,
    pilot: Option<Pilot>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    likelihood: Option<Mark>,
}

impl From<Run> for Kept {
    fn from(run: Run) -> Self {
        let Run { version, command, fingerprint, plan, pilot, likelihood } = run;
        let (task, stop, options) = (plan.setup.task(), plan.stop, plan.options());
        Kept { version, task, command, fingerprint, stop, options, pilot, likelihood }
    }
}

impl TryFrom<Kept> for Run {
    type Error = ConfigError;
    fn try_from(kept: Kept) -> Result<Self, ConfigError> {
        let Kept { version, task, command, fingerprint, stop, options, pilot, likelihood } = kept;
        let plan = Plan::restore(task, &options, stop)?;
        Ok(Run { version, command, fingerprint, plan, pilot, likelihood })
    }
}

/// An open run directory.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    /// Open to grow while a run is written.
    rows: Option<File>,
    draws: Option<File>,
    /// Held while a run is written, so that no second one writes to it; gone with the process.
    _lock: Option<File>,
}

const RUN: &str = "run.toml";
const ROWS: &str = "replicates.csv";
const DRAWS: &str = "draws.csv";
const ENDED: &str = "workers.csv";
/// One clustering, one row per item.
pub(crate) const CLUSTERING: &str = "clustering.csv";
/// The bounds of its credible ball.
pub(crate) const CREDIBLE_BALL: &str = "credible_ball.csv";
/// A state of each part of the target in which chains stayed.
const MODES: &str = "modes.csv";
/// What each cluster is like, column by column.
const PROFILES: &str = "profiles.csv";
/// How columns go together within each cluster.
const CORRELATIONS: &str = "correlations.csv";
/// The co-clustering matrix.
pub(crate) const CO_CLUSTERING: &str = "co_clustering.npy";
/// Its standard errors.
pub(crate) const CO_CLUSTERING_SE: &str = "co_clustering_se.npy";
/// Data that came from memory.
pub(crate) const DATA: &str = "data.json";
const PROBE: &str = ".partita";

/// A sentence for a file operation that failed.
pub(crate) fn broken(what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::Failed(format!("{}: cannot {what}: {}", path.display(), words::plain(error)))
}

/// Writes a file whole: under another name first, then renamed.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let part = path.with_extension("part");
    let write = || {
        let mut file = File::create(&part)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&part, path)
    };
    write().map_err(|e| {
        let _ = fs::remove_file(&part);
        broken("be written", path, &e)
    })
}

impl Run {
    /// Reads the `run.toml` of a directory.
    pub fn read(directory: &Path) -> Result<Self, Failure> {
        let path = directory.join(RUN);
        let text = fs::read_to_string(&path).map_err(|e| {
            Failure::run(
                directory,
                format!("this is not a run directory: {RUN} cannot be read ({})", words::plain(&e)),
            )
        })?;
        let mut run: Run = toml::from_str(&text).map_err(|e| Failure::run(&path, e.message()))?;
        // Data that are kept with a run move with it.
        let (named, kept) = (&run.plan.data, directory.join(DATA));
        let moved = |data: &PathBuf| data.file_name() == kept.file_name() && !data.exists();
        if named.as_ref().is_some_and(moved) && kept.exists() {
            run.plan.data = Some(kept);
        }
        Ok(run)
    }

    fn write(&self, directory: &Path) -> Result<(), Failure> {
        let text = toml::to_string_pretty(self).expect("a run is a table");
        write_whole(&directory.join(RUN), text.as_bytes())
    }

    /// Copies data that are kept with a run to the directory of another that is made of it.
    pub(crate) fn take_data_along(&mut self, directory: &Path) -> Result<(), Failure> {
        let kept = directory.join(DATA);
        let there = |data: &&mut PathBuf| data.file_name() == kept.file_name() && data.exists();
        if let Some(data) = self.plan.data.as_mut().filter(there) {
            let content = fs::read(&*data).map_err(|e| broken("be read", data, &e))?;
            write_whole(&kept, &content)?;
            *data = kept;
        }
        Ok(())
    }

    /// The run without what may differ between shards of one run.
    pub(crate) fn identity(&self) -> Run {
        let mut run = self.clone();
        run.command = String::new();
        run.plan.threads = None;
        run.plan.shard = Shard::WHOLE;
        run.plan.out = PathBuf::new();
        run.plan.data = None;
        if let Some(pilot) = &mut run.pilot {
            pilot.seconds = 0.0;
            pilot.seconds_per_call = 0.0;
            pilot.chains.clear();
        }
        run
    }
}

/// A name for a run directory that does not exist yet: `partita-STEM-1`, `-2`, ...
pub(crate) fn free_name(data: Option<&Path>) -> PathBuf {
    let data = data.filter(|path| path.as_os_str() != STANDARD_INPUT).or(data.and(Some(Path::new("input"))));
    let stem = data.and_then(Path::file_name).map_or("demo".into(), |n| n.to_string_lossy().into_owned());
    let stem = stem.split('.').next().filter(|s| !s.is_empty()).unwrap_or("data").to_string();
    let name = |i: u64| PathBuf::from(format!("partita-{stem}-{i}"));
    (1..).map(name).find(|p| !p.exists()).expect("some number is free")
}

/// Keeps data that came through a pipe with their run, so that it can be continued and asked later.
pub(crate) fn keep_piped(
    run: &mut Run,
    out: &Path,
    table: Option<&Table>,
    input: &Input,
) -> Result<(), Failure> {
    if run.plan.data.as_ref().is_none_or(|path| path.as_os_str() != STANDARD_INPUT) {
        return Ok(());
    }
    let text = match (table, &input.graph) {
        (Some(table), _) => kept::table_text(table),
        (None, Some(graph)) => kept::graph_text(graph),
        (None, None) => return Ok(()),
    };
    write_whole(&out.join(DATA), &text)?;
    run.plan.data = Some(out.join(DATA));
    Ok(())
}

/// Refuses a directory that is in use, unless forced; checks that it can be written.
pub fn prepare(path: &Path, force: bool) -> Result<(), Failure> {
    if path.is_file() {
        return Err(Failure::run(path, "this is a file, not a directory: choose another `out`"));
    }
    // What a run that was killed in its first moment leaves does not count.
    let debris = |name: &str| name == PROBE || name.ends_with(".part");
    let used = fs::read_dir(path)
        .is_ok_and(|mut all| all.any(|e| e.is_ok_and(|e| !debris(&e.file_name().to_string_lossy()))));
    if used && !force {
        return Err(Failure::run(
            path,
            format!(
                "this directory is already in use: choose another `out`, continue the run with {}, or overwrite it with `force`",
                how_to_resume(path)
            ),
        ));
    }
    let probe = path.join(PROBE);
    let attempt =
        fs::create_dir_all(path).and_then(|()| File::create(&probe)).and_then(|_| fs::remove_file(&probe));
    attempt.map_err(|e| {
        Failure::run(
            path,
            format!("this directory cannot be written ({}): choose another `out`", words::plain(&e)),
        )
    })
}

/// A sentence's end: how to go on with a run.
pub(crate) fn how_to_resume(path: &Path) -> String {
    format!("`resume({})`", path.display())
}

/// Makes this process the only one that writes to a directory, if the system supports this.
pub fn lock(path: &Path) -> Result<Option<File>, Failure> {
    let Ok(file) = File::open(path) else { return Ok(None) };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Failure::run(
            path,
            "another partita is writing to this run: wait until it has finished, or stop it first",
        )),
        _ => Ok(Some(file)),
    }
}

impl Directory {
    /// Starts a run in a directory that was prepared; what an earlier one left there goes.
    pub(crate) fn create(path: &Path, run: &Run, names: &[String], items: usize) -> Result<Self, Failure> {
        let lock = lock(path)?;
        // `run.toml` goes first and comes first: a directory that has one can be resumed at any moment.
        let answers = [
            "summary.json",
            "report.html",
            CO_CLUSTERING,
            CO_CLUSTERING_SE,
            CLUSTERING,
            CREDIBLE_BALL,
            MODES,
            PROFILES,
            CORRELATIONS,
        ];
        for name in [RUN, ROWS, DRAWS, ENDED, chains::CHAINS].into_iter().chain(answers) {
            let _ = fs::remove_file(path.join(name));
        }
        run.write(path)?;
        chains::write(path, run.pilot.as_ref().map_or(&[], |pilot| &pilot.chains))?;
        Self::begin(path, run, names, items, lock)
    }

    /// Opens a run to go on with it.
    pub(crate) fn resume(path: &Path, run: &Run, names: &[String], items: usize) -> Result<Self, Failure> {
        Self::begin(path, run, names, items, lock(path)?)
    }

    fn begin(
        path: &Path,
        run: &Run,
        names: &[String],
        items: usize,
        lock: Option<File>,
    ) -> Result<Self, Failure> {
        if !path.join(ROWS).exists() {
            write_whole(&path.join(ROWS), rows::header(names).as_bytes())?;
        }
        if run.plan.keep_draws > 0 && !path.join(DRAWS).exists() {
            write_whole(&path.join(DRAWS), rows::draws_header(items).as_bytes())?;
        }
        Self::to_grow(path, lock)
    }

    fn to_grow(path: &Path, lock: Option<File>) -> Result<Self, Failure> {
        let append = |name: &str| OpenOptions::new().append(true).open(path.join(name));
        let rows = append(ROWS).map_err(|e| broken("be opened", &path.join(ROWS), &e))?;
        Ok(Directory { path: path.to_path_buf(), rows: Some(rows), draws: append(DRAWS).ok(), _lock: lock })
    }

    /// Opens a run to look at it: nothing is written to its rows.
    pub fn open(path: &Path) -> Self {
        Directory { path: path.to_path_buf(), rows: None, draws: None, _lock: None }
    }

    /// Whether files can be written into it.
    pub(crate) fn is_writable(&self) -> bool {
        let probe = self.path.join(PROBE);
        File::create(&probe).and_then(|_| fs::remove_file(&probe)).is_ok()
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The workers of a timed run that have had their time, with the replicates each completed.
    pub(crate) fn ended_workers(&self) -> BTreeMap<u64, u64> {
        let text = fs::read_to_string(self.path.join(ENDED)).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let pair = |line: &str| {
            let (worker, completed) = line.split_once(',')?;
            Some((worker.parse().ok()?, completed.parse().ok()?))
        };
        whole.lines().filter_map(pair).collect()
    }

    /// Writes the list of workers that have had their time anew.
    pub(crate) fn set_ended_workers(&self, ended: &BTreeMap<u64, u64>) -> Result<(), Failure> {
        let text: String =
            ended.iter().map(|(worker, completed)| format!("{worker},{completed}\n")).collect();
        write_whole(&self.path.join(ENDED), text.as_bytes())
    }

    /// The rows written so far, sorted; a half-written last line does not count.
    pub fn rows(&self, names: &[String]) -> Result<Vec<Row>, Failure> {
        rows::read_rows(&self.path.join(ROWS), names)
    }

    /// The rows written so far with their kept states, sorted.
    pub fn sample(&self, names: &[String]) -> Result<Sample, Failure> {
        let rows = self.rows(names)?;
        let draws = self.draws(&rows)?;
        Ok(Sample { rows, draws })
    }

    /// The kept states of those replicates whose rows are there, sorted.
    fn draws(&self, rows: &[Row]) -> Result<Vec<Draw>, Failure> {
        let path = self.path.join(DRAWS);
        if !path.exists() {
            return Ok(Vec::new());
        }
        rows::read_draws(&path, rows)
    }

    /// Writes rows and draws anew, whole and sorted.
    pub(crate) fn rewrite(&mut self, names: &[String], items: usize, sample: &Sample) -> Result<(), Failure> {
        let mut text = rows::header(names);
        sample.rows.iter().for_each(|row| text.push_str(&rows::format_row(row)));
        if self.path.join(DRAWS).exists() {
            let mut text = rows::draws_header(items);
            sample.draws.iter().for_each(|draw| {
                text.push_str(&rows::format_draws(draw.replicate, std::slice::from_ref(&draw.atom)));
            });
            write_whole(&self.path.join(DRAWS), text.as_bytes())?;
        }
        write_whole(&self.path.join(ROWS), text.as_bytes())?;
        *self = Self::to_grow(&self.path, self._lock.take())?;
        Ok(())
    }

    /// Drops the mark of ended workers: all have.
    pub(crate) fn finish_workers(&self) {
        let _ = fs::remove_file(self.path.join(ENDED));
    }

    /// Writes one of the files of the results, whole.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<(), Failure> {
        write_whole(&self.path.join(name), content)
    }
}

impl Sink for Directory {
    /// The draws first, then the row, so that a row means all is there.
    fn keep(&mut self, Replicate { row, atoms }: &Replicate) -> Result<(), Failure> {
        if let Some(draws) = self.draws.as_mut().filter(|_| !atoms.is_empty()) {
            let lines = rows::format_draws(row.replicate, atoms);
            draws
                .write_all(lines.as_bytes())
                .map_err(|e| broken("be written", &self.path.join(DRAWS), &e))?;
        }
        let rows = self.rows.as_mut().expect("a run that is written was opened for it");
        let line = rows::format_row(row);
        rows.write_all(line.as_bytes()).map_err(|e| broken("be written", &self.path.join(ROWS), &e))
    }

    fn end_worker(&mut self, worker: u64, completed: u64) -> Result<(), Failure> {
        let path = self.path.join(ENDED);
        let append = || {
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(&path)?
                .write_all(format!("{worker},{completed}\n").as_bytes())
        };
        append().map_err(|e| broken("be written", &path, &e))
    }
}
