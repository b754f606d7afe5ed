//! A run as Python sees it: a newtype over `partita_run::session::Held`.

use crate::data::{self, Data};
use crate::executor::Remote;
use crate::own::Likelihood;
use crate::watch::{Silent, watched};
use crate::words::exception;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use partita_run::Failure;
use partita_run::answers::Answers;
use partita_run::config::{Device, Loss, Task};
use partita_run::engine::{Executor, Threads};
use partita_run::model::Given;
use partita_run::session::{Held, More, Request};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// A run in memory, complete or interrupted.
#[pyclass(frozen, module = "partita._native")]
pub struct Run {
    held: Held,
    /// The user-defined likelihood, if the run has one: the run itself cannot return it to Python.
    own: Option<Likelihood>,
}

pub fn task(word: &str) -> PyResult<Task> {
    word.parse().map_err(|sentence| exception(&Failure::BadInput(sentence)))
}

/// An executor of Python, or that of a device.
pub fn executor(
    courier: Option<Bound<PyAny>>,
    threads: Option<usize>,
    device: Option<Device>,
) -> PyResult<Box<dyn Executor + Send>> {
    match (courier, device) {
        (Some(courier), None) => Ok(Box::new(Remote::new(courier)?)),
        (Some(_), Some(_)) => {
            let sentence = "an executor and `device` each say where replicates are made: give one of them";
            Err(exception(&Failure::BadInput(sentence.into())))
        }
        (None, device) => {
            device.unwrap_or(Device::Cpu).executor(threads, card).map_err(|failure| exception(&failure))
        }
    }
}

/// The first card, with this many threads beside it, or the reason why there is none.
#[cfg(feature = "cuda")]
fn card(threads: Threads) -> Result<Box<dyn Executor + Send>, String> {
    let card = partita_cuda::Nvidia::open().map_err(|error| error.to_string())?;
    Ok(Box::new(partita_cuda::OnCard::new(card, threads)))
}

/// Never one.
#[cfg(not(feature = "cuda"))]
fn card(_: Threads) -> Result<Box<dyn Executor + Send>, String> {
    Err("this partita was built without the feature `cuda`".into())
}

/// A device by its name.
fn device(word: Option<String>) -> PyResult<Option<Device>> {
    let parsed = word.map(|word| word.parse()).transpose();
    parsed.map_err(|sentence: String| exception(&Failure::BadInput(format!("`device`: {sentence}"))))
}

fn incomplete() -> PyErr {
    exception(&Failure::BadInput("the run is not complete: go on with resume() first".into()))
}

impl Run {
    fn answers(&self) -> PyResult<&Answers> {
        self.held.answers().ok_or_else(incomplete)
    }

    /// A run that continues this one.
    fn next(&self, py: Python, held: Held) -> Self {
        Run { held, own: self.own.as_ref().map(|own| own.clone_ref(py)) }
    }
}

/// A square array.
fn square<'py>(py: Python<'py>, values: Vec<f32>, side: usize) -> PyResult<Bound<'py, PyArray2<f32>>> {
    values.into_pyarray(py).reshape([side, side])
}

type Matrices<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>);
type Draws<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<u32>>);

#[pymethods]
impl Run {
    /// Runs from the beginning; true with it if Ctrl-C came.
    #[staticmethod]
    #[pyo3(signature = (task, meetings_only, options, data, likelihood, courier, watch, command, force))]
    #[expect(clippy::too_many_arguments, reason = "called from one place, by the pure half of the package")]
    fn start(
        py: Python,
        task: &str,
        meetings_only: bool,
        options: Vec<(String, String)>,
        data: Option<Data>,
        likelihood: Option<Bound<PyAny>>,
        courier: Option<Bound<PyAny>>,
        watch: Py<PyAny>,
        command: String,
        force: bool,
    ) -> PyResult<(Self, bool)> {
        let mut options = data::options(options)?;
        if let Some(Data::File(path)) = &data {
            options.data = Some(path.clone());
        }
        let mut given = data.map(Data::given).transpose()?.flatten();
        if given.is_some() {
            // A user's file as far as defaults are concerned; its real name comes with `save`.
            options.data = Some("data".into());
        }
        let own = likelihood.as_ref().map(Likelihood::new).transpose()?;
        if let Some(own) = &own {
            given = Some(match given {
                Some(Given::Columns(title, columns)) => Given::Own(title, columns, own.own.clone()),
                _ => Given::OwnOfFile(own.own.clone()),
            });
        }
        let executor = executor(courier, options.threads, options.device)?;
        let request = Request { task: self::task(task)?, meetings_only, options, force, command };
        let (held, interrupted) = watched(py, &watch, own.as_ref(), move |flag, watch| {
            let held = Held::start(&*executor, request, given.as_ref(), flag, watch);
            executor.notes().iter().for_each(|note| watch.say(note));
            held
        })?;
        Ok((Run { held, own }, interrupted))
    }

    /// Continues a run that was interrupted.
    fn resume(
        &self,
        py: Python,
        courier: Option<Bound<PyAny>>,
        watch: Py<PyAny>,
        threads: Option<usize>,
        device: Option<String>,
    ) -> PyResult<(Self, bool)> {
        let executor = executor(courier, threads.or(self.held.run().plan.threads), self::device(device)?)?;
        let out = Some(&self.held.run().plan.out).filter(|out| !out.as_os_str().is_empty());
        let (held, interrupted) = watched(py, &watch, self.own.as_ref(), move |flag, watch| {
            let mut held = self.held.clone();
            held.go_on(out.map(|out| &**out), &*executor, flag, watch)?;
            executor.notes().iter().for_each(|note| watch.say(note));
            Ok(held)
        })?;
        Ok((self.next(py, held), interrupted))
    }

    /// Continues a complete run: by a number of replicates, or by as many as take about a given time.
    fn more(
        &self,
        py: Python,
        replicates: Option<u64>,
        time: Option<String>,
        courier: Option<Bound<PyAny>>,
        watch: Py<PyAny>,
    ) -> PyResult<(Self, bool)> {
        let more = match (replicates, time) {
            (Some(replicates), None) => More::Replicates(replicates),
            (None, Some(time)) => {
                let parsed = time.parse();
                More::Time(parsed.map_err(|e: String| exception(&Failure::BadInput(format!("`time`: {e}"))))?)
            }
            _ => {
                let sentence = "`replicates` and `time` each say how far to go on: give one of them";
                return Err(exception(&Failure::BadInput(sentence.into())));
            }
        };
        let executor = executor(courier, self.held.run().plan.threads, None)?;
        let (held, interrupted) = watched(py, &watch, self.own.as_ref(), move |flag, watch| {
            let mut held = self.held.clone();
            held.more(more, &*executor, flag, watch)?;
            Ok(held)
        })?;
        Ok((self.next(py, held), interrupted))
    }

    /// Joins shards of one run.
    #[staticmethod]
    fn merge(py: Python, shards: Vec<PyRef<Run>>, watch: Py<PyAny>) -> PyResult<(Self, bool)> {
        let own = shards.first().and_then(|first| first.own.as_ref());
        let shards: Vec<&Held> = shards.iter().map(|shard| &shard.held).collect();
        let (held, interrupted) = watched(py, &watch, own, move |_, watch| Held::merge(&shards, watch))?;
        Ok((Run { held, own: own.map(|own| own.clone_ref(py)) }, interrupted))
    }

    /// Reads a run directory, with the user-defined likelihood of the run if it has one.
    #[staticmethod]
    #[pyo3(signature = (path, likelihood=None))]
    fn open(py: Python, path: PathBuf, likelihood: Option<Bound<PyAny>>) -> PyResult<Self> {
        let own = likelihood.as_ref().map(Likelihood::new).transpose()?;
        let held = py.detach(|| Held::open(&path, own.as_ref().map(|own| &own.own), &mut Silent));
        own.as_ref().map_or(Ok(()), Likelihood::raised)?;
        Ok(Run { held: held.map_err(|failure| exception(&failure))?, own })
    }

    /// The user-defined likelihood; None if the run has a built-in model.
    #[getter]
    fn likelihood(&self, py: Python) -> Option<Py<PyAny>> {
        self.own.as_ref().map(|own| own.object.clone_ref(py))
    }

    /// Writes the run directory.
    fn save(&self, py: Python, path: PathBuf, force: bool) -> PyResult<()> {
        let saved = py.detach(|| self.held.save(&path, force, &mut Silent));
        saved.map(drop).map_err(|failure| exception(&failure))
    }

    /// What the run says about new rows, as JSON.
    fn predict(&self, py: Python, new: Data, loss: Option<String>) -> PyResult<String> {
        let loss: Option<Loss> = loss
            .map(|word| word.parse())
            .transpose()
            .map_err(|sentence: String| exception(&Failure::BadInput(format!("`loss`: {sentence}"))))?;
        let new = new.new_rows()?;
        let found = py.detach(|| self.held.predict(&new, loss, &mut Silent));
        let found = found.map_err(|failure| exception(&failure))?;
        Ok(serde_json::to_string(&found).expect("predictions are JSON"))
    }

    /// Whether everything is done.
    #[getter]
    fn complete(&self) -> bool {
        self.held.is_complete()
    }

    /// The run directory; empty if there is none.
    #[getter]
    fn directory(&self) -> PathBuf {
        self.held.run().plan.out.clone()
    }

    /// The kind of run: `fit`, `color` or `blocks`.
    #[getter]
    fn task(&self) -> String {
        self.held.run().plan.setup.task().to_string()
    }

    /// `summary.json`.
    fn summary(&self) -> PyResult<String> {
        Ok(serde_json::to_string(&self.answers()?.summary).expect("a summary is JSON"))
    }

    /// What the report shows, as JSON.
    fn page(&self) -> PyResult<String> {
        Ok(serde_json::to_string(&self.answers()?.page).expect("a page is JSON"))
    }

    /// The report.
    fn report(&self) -> PyResult<String> {
        Ok(partita_run::report::render(&self.answers()?.page))
    }

    /// What the run did, as options, and what the pilot found: JSON.
    fn plan(&self) -> (String, String) {
        let run = self.held.run();
        let json = |value: Result<String, _>| value.expect("options are JSON");
        (json(serde_json::to_string(&run.plan.options())), json(serde_json::to_string(&run.pilot)))
    }

    /// The names of the items.
    fn items(&self) -> Vec<String> {
        self.held.input().item_names.clone()
    }

    /// The names of the columns of the data, none for graphs; and their kinds.
    fn columns(&self) -> Vec<(String, String)> {
        let input = self.held.input();
        let names = input.table.iter().flat_map(|table| table.names.iter().cloned());
        names.zip(input.kinds.iter().map(ToString::to_string)).collect()
    }

    /// The rows of `replicates.csv`, column by column. The meeting time is 0 for pairs that have not met.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = &self.held.sample().rows;
        let whole = |of: fn(&partita_run::engine::Row) -> u64| {
            rows.iter().map(of).collect::<Vec<_>>().into_pyarray(py)
        };
        let table = PyDict::new(py);
        table.set_item("replicate", whole(|row| row.replicate))?;
        table
            .set_item("met", rows.iter().map(|row| row.tau.is_some()).collect::<Vec<_>>().into_pyarray(py))?;
        table.set_item("tau", whole(|row| row.tau.unwrap_or(0)))?;
        table.set_item("sweeps", whole(|row| row.sweeps))?;
        table.set_item("kernel_calls", whole(|row| row.kernel_calls))?;
        table.set_item("seconds", rows.iter().map(|row| row.seconds).collect::<Vec<_>>().into_pyarray(py))?;
        for (at, name) in self.held.columns().iter().enumerate() {
            table
                .set_item(name, rows.iter().map(|row| row.values[at]).collect::<Vec<_>>().into_pyarray(py))?;
        }
        Ok(table)
    }

    /// Kept states: their replicates, weights and labels.
    fn draws<'py>(&self, py: Python<'py>) -> PyResult<Draws<'py>> {
        let draws = &self.held.sample().draws;
        let items = self.held.input().item_names.len();
        let mut labels = Vec::with_capacity(draws.len() * items);
        draws.iter().for_each(|draw| labels.extend(draw.atom.partition.slots().map(|slot| slot as u32)));
        let replicates: Vec<u64> = draws.iter().map(|draw| draw.replicate).collect();
        let weights: Vec<f64> = draws.iter().map(|draw| draw.atom.weight).collect();
        let labels = labels.into_pyarray(py).reshape([draws.len(), items])?;
        Ok((replicates.into_pyarray(py), weights.into_pyarray(py), labels))
    }

    /// The point estimate: clusters, certainties, their errors, and the bounds of the credible ball.
    #[expect(clippy::type_complexity, reason = "taken apart at once, by the pure half of the package")]
    fn labels<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<
        Option<(
            Bound<'py, PyArray1<i64>>,
            Bound<'py, PyArray1<f64>>,
            Bound<'py, PyArray1<f64>>,
            Option<Vec<Bound<'py, PyArray1<i64>>>>,
        )>,
    > {
        let Some(labels) = self.answers()?.labels() else { return Ok(None) };
        let whole =
            |clusters: Vec<usize>| clusters.iter().map(|c| *c as i64).collect::<Vec<_>>().into_pyarray(py);
        let (certainty, errors): (Vec<f64>, Vec<f64>) = labels.certainty.into_iter().unzip();
        let bounds = labels.bounds.map(|bounds| bounds.map(whole).into());
        Ok(Some((whole(labels.clusters), certainty.into_pyarray(py), errors.into_pyarray(py), bounds)))
    }

    /// The co-clustering matrix and its errors.
    fn co_clustering<'py>(&self, py: Python<'py>) -> PyResult<Option<Matrices<'py>>> {
        let items = self.held.input().item_names.len();
        let found = py.detach(|| self.held.co_clustering());
        found.map(|[means, errors]| Ok((square(py, means, items)?, square(py, errors, items)?))).transpose()
    }

    /// As bytes, for pickling; a user-defined likelihood is pickled beside them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.held.to_bytes())
    }

    /// From bytes.
    #[staticmethod]
    #[pyo3(signature = (bytes, likelihood=None))]
    fn from_bytes(py: Python, bytes: &[u8], likelihood: Option<Bound<PyAny>>) -> PyResult<Self> {
        let own = likelihood.as_ref().map(Likelihood::new).transpose()?;
        let held = py.detach(|| Held::from_bytes(bytes, own.as_ref().map(|own| &own.own), &mut Silent));
        own.as_ref().map_or(Ok(()), Likelihood::raised)?;
        Ok(Run { held: held.map_err(|failure| exception(&failure))?, own })
    }
}
