//! Executors of Python's `concurrent.futures`: work goes out as bytes, rows come back.

use crate::words::exception;
use partita_run::Failure;
use partita_run::engine::{Delivery, Executor, Job, Numbers, Order, Origin, Output, Threads, Work};
use partita_run::model::Model;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Seconds of work in one order: this many times the cost of sending it, within bounds, so that sending costs little and
/// a slow pair delays few others.
const TIMES: f64 = 50.0;
const SECONDS: (f64, f64) = (0.25, 5.0);
/// Orders under way per worker: one in work, and one that waits.
const AHEAD: usize = 2;
/// Models that a worker remembers.
const REMEMBERED: usize = 4;

/// An executor of Python, reached through `partita._executor.Courier`.
pub struct Remote {
    courier: Py<PyAny>,
    width: usize,
    /// Whether it takes no more work.
    closed: AtomicBool,
}

/// What came back from an order.
type Parcel = (u64, Option<(Vec<u8>, f64)>);

impl Remote {
    pub fn new(courier: Bound<PyAny>) -> PyResult<Self> {
        let width = courier.getattr("width")?.extract::<usize>()?.max(1);
        Ok(Remote { courier: courier.unbind(), width, closed: AtomicBool::new(false) })
    }

    /// Sends an order and returns its number, or none if the executor takes no more.
    fn send(&self, origin: &[u8], order: &Order) -> Result<Option<u64>, Failure> {
        Python::attach(|py| {
            let (origin, order) = (PyBytes::new(py, origin), PyBytes::new(py, &order.to_bytes()));
            self.courier.call_method1(py, "send", (origin, order))?.extract(py)
        })
        .map_err(failed)
    }

    /// Waits a moment for results.
    fn receive(&self) -> Result<Vec<Parcel>, Failure> {
        Python::attach(|py| self.courier.call_method0(py, "receive")?.extract(py)).map_err(failed)
    }

    fn give_up(&self) -> Result<(), Failure> {
        Python::attach(|py| self.courier.call_method0(py, "give_up").map(drop)).map_err(failed)
    }
}

fn failed(error: PyErr) -> Failure {
    Failure::Failed(format!("the executor failed: {error}"))
}

/// How long work takes and how long it travels, as measured so far.
#[derive(Default)]
struct Measured {
    numbers: f64,
    busy: f64,
    /// The least time that an order took beyond its work.
    sending: Option<f64>,
}

impl Measured {
    fn note(&mut self, numbers: usize, busy: f64, away: f64) {
        self.numbers += numbers as f64;
        self.busy += busy;
        let sending = (away - busy).max(0.0);
        self.sending = Some(self.sending.map_or(sending, |least| least.min(sending)));
    }

    /// Numbers of the next order.
    fn batch(&self) -> usize {
        let Some(sending) = self.sending else { return 1 };
        let seconds = (TIMES * sending).clamp(SECONDS.0, SECONDS.1);
        ((seconds * self.numbers / self.busy.max(1e-9)) as usize).clamp(1, 100_000)
    }
}

impl Executor for Remote {
    fn width(&self) -> usize {
        self.width
    }

    fn execute(
        &self,
        job: &Job,
        numbers: &Numbers,
        stop: &(dyn Fn() -> bool + Sync),
        give: &mut dyn FnMut(u64, Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(origin) = job.chains.origin() else {
            // A user-defined likelihood cannot travel.
            return Threads(1).execute(job, numbers, stop, give);
        };
        let origin = origin.to_bytes();
        // A worker of a timed run has its own time: it goes alone.
        let alone = matches!(job.work, Work::Workers { .. });
        let mut measured = Measured::default();
        let mut away: Vec<(u64, usize, Instant)> = Vec::new();
        let closed = || self.closed.load(Ordering::Relaxed);
        // Taken, and not sent.
        let mut left = Vec::new();
        loop {
            while !closed() && !stop() && away.len() < self.width * if alone { 1 } else { AHEAD } {
                let batch = numbers.take(if alone { 1 } else { measured.batch() });
                if batch.is_empty() {
                    break;
                }
                let (size, order) = (batch.len(), Order { work: job.work.clone(), numbers: batch });
                match self.send(&origin, &order)? {
                    Some(number) => away.push((number, size, Instant::now())),
                    None => {
                        self.closed.store(true, Ordering::Relaxed);
                        left = order.numbers;
                    }
                }
            }
            if away.is_empty() || stop() {
                break;
            }
            for (number, parcel) in self.receive()? {
                let Some(at) = away.iter().position(|(out, ..)| *out == number) else { continue };
                let (_, size, sent) = away.swap_remove(at);
                // A worker that died: its numbers are asked for again.
                let Some((bytes, busy)) = parcel else { continue };
                measured.note(size, busy, sent.elapsed().as_secs_f64());
                for (number, output) in Delivery::from_bytes(&bytes)?.0 {
                    give(number, output)?;
                }
            }
        }
        self.give_up()?;
        if closed() && !stop() {
            // No worker is left: the rest runs here, with the same bits.
            for number in left {
                if let Some(output) = job.chains.run(job.work, number, stop) {
                    give(number, output)?;
                }
            }
            return Threads(partita_run::session::processors()).execute(job, numbers, stop, give);
        }
        Ok(())
    }
}

/// Models that this thread of a worker has built, by key, the most recently used first.
type Models = VecDeque<(String, Rc<dyn Model>)>;

thread_local! {
    static MODELS: RefCell<Models> = const { RefCell::new(VecDeque::new()) };
}

/// The model of a key: remembered, or built from the data that came with the order.
fn model(key: &str, origin: Option<&[u8]>) -> Result<Option<Rc<dyn Model>>, Failure> {
    MODELS.with_borrow_mut(|models| {
        let known = models.iter().position(|(name, _)| name == key).and_then(|at| models.remove(at));
        let (key, model) = match (known, origin) {
            (Some(known), _) => known,
            (None, Some(origin)) => (key.to_string(), Origin::from_bytes(origin)?.model()?.into()),
            (None, None) => return Ok(None),
        };
        models.push_front((key, model.clone()));
        models.truncate(REMEMBERED);
        Ok(Some(model))
    })
}

/// Carries out an order in a worker: the results and the seconds they took. None if the model is not known and the data
/// did not come with the order.
#[pyfunction]
#[pyo3(signature = (key, order, origin=None))]
pub fn work<'py>(
    py: Python<'py>,
    key: &str,
    order: &[u8],
    origin: Option<&[u8]>,
) -> PyResult<Option<(Bound<'py, PyBytes>, f64)>> {
    let done = py.detach(|| -> Result<_, Failure> {
        let Some(model) = model(key, origin)? else { return Ok(None) };
        let (order, begin) = (Order::from_bytes(order)?, Instant::now());
        let delivery = order.fill(&*model, &|| false).to_bytes();
        Ok(Some((delivery, begin.elapsed().as_secs_f64().max(Duration::from_nanos(1).as_secs_f64()))))
    });
    let done = done.map_err(|failure| exception(&failure))?;
    Ok(done.map(|(bytes, seconds)| (PyBytes::new(py, &bytes), seconds)))
}
