//! Runs with the interpreter released: another thread works, while this one listens for Ctrl-C and passes messages on.

use crate::own::Likelihood;
use crate::words::{exception, in_python};
use partita_run::Failure;
use partita_run::session::{Progress, Watch};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// How often signals are checked.
const LOOK: Duration = Duration::from_millis(50);

enum Said {
    Sentence(String),
    Stage(String),
    Progress(Progress),
}

/// Sends messages to the thread that may talk to Python.
struct Messenger(Sender<Said>);

impl Messenger {
    fn send(&self, said: Said) {
        // Nobody may be listening any more; the work goes on to its end all the same.
        let _ = self.0.send(said);
    }
}

impl Watch for Messenger {
    fn say(&mut self, sentence: &str) {
        self.send(Said::Sentence(in_python(sentence)));
    }

    fn progress(&mut self, progress: &Progress) {
        self.send(Said::Progress(progress.clone()));
    }

    fn stage(&mut self, what: &str) {
        self.send(Said::Stage(what.into()));
    }

    fn phrase(&self, sentence: &str) -> String {
        in_python(sentence)
    }
}

/// For answers that are computed again without messages, in Python's words.
pub struct Silent;

impl Watch for Silent {
    fn phrase(&self, sentence: &str) -> String {
        in_python(sentence)
    }
}

fn tell(py: Python, watch: &Py<PyAny>, said: Said) -> PyResult<()> {
    match said {
        Said::Sentence(sentence) => watch.call_method1(py, "say", (sentence,)),
        Said::Stage(what) => watch.call_method1(py, "stage", (what,)),
        Said::Progress(p) => {
            watch.call_method1(py, "progress", (p.done, p.of, p.met, p.censored, p.widest, p.left))
        }
    }
    .map(drop)
}

/// Does the work; true if Ctrl-C came in the meantime. Other exceptions end it, too: those of the watcher, and those of
/// user code that chains call.
pub fn watched<T: Send>(
    py: Python,
    watch: &Py<PyAny>,
    own: Option<&Likelihood>,
    work: impl FnOnce(&AtomicBool, &mut dyn Watch) -> Result<T, Failure> + Send,
) -> PyResult<(T, bool)> {
    let interrupted = AtomicBool::new(false);
    let mut trouble: Option<PyErr> = None;
    let outcome = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let flag = &interrupted;
            let worker = scope.spawn(move || work(flag, &mut Messenger(sender)));
            loop {
                let heard = receiver.recv_timeout(LOOK);
                let over = matches!(heard, Err(RecvTimeoutError::Disconnected));
                let heard = Python::attach(|py| {
                    py.check_signals()?;
                    own.map_or(Ok(()), Likelihood::raised)?;
                    heard.map_or(Ok(()), |said| tell(py, watch, said))
                });
                if let Err(error) = heard {
                    interrupted.store(true, Ordering::Relaxed);
                    trouble.get_or_insert(error);
                }
                if over {
                    break;
                }
            }
            worker
                .join()
                .unwrap_or_else(|_| Err(Failure::Failed("partita has a fault: please report it".into())))
        })
    });
    match trouble {
        Some(error) if !error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) => Err(error),
        trouble => Ok((outcome.map_err(|failure| exception(&failure))?, trouble.is_some())),
    }
}
