//! partita for Python: `partita-run` as the module `partita._native`.
//!
//! There are no formulas and no defaults here. The pure half of the package, in `python/partita`, turns frames into columns
//! and results into frames; options, their names and their purposes come from [`Options`].

mod compare;
mod data;
mod executor;
mod own;
mod run;
mod watch;
mod words;

use partita_run::config::{Options, default_in_words};
use pyo3::prelude::*;

/// Every option: its name, its type, and what it is for.
#[pyfunction]
fn options() -> Vec<(&'static str, &'static str, &'static str)> {
    Options::KEYS.iter().zip(Options::ABOUT).map(|(key, (kind, about))| (*key, *kind, *about)).collect()
}

/// The options that apply to a kind of run.
#[pyfunction]
fn options_of(task: &str, meetings_only: bool) -> PyResult<Vec<&'static str>> {
    Ok(Options::keys_of(run::task(task)?, meetings_only))
}

/// The default of an option in a kind of run, in words.
#[pyfunction]
fn default(key: &str, task: &str) -> PyResult<Option<String>> {
    Ok(default_in_words(key, run::task(task)?))
}

/// The compiled half of partita.
#[pymodule]
fn _native(module: &Bound<PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("PENGUINS", partita_run::demo::PENGUINS)?;
    module.add("PartitaError", module.py().get_type::<words::PartitaError>())?;
    let interrupted = module.py().get_type::<words::Interrupted>();
    // If Ctrl-C comes before anything is finished.
    interrupted.setattr("result", module.py().None())?;
    module.add("Interrupted", interrupted)?;
    module.add_class::<run::Run>()?;
    module.add_function(wrap_pyfunction!(options, module)?)?;
    module.add_function(wrap_pyfunction!(options_of, module)?)?;
    module.add_function(wrap_pyfunction!(default, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare_defaults, module)?)?;
    module.add_function(wrap_pyfunction!(compare::options_of_compare, module)?)?;
    module.add_function(wrap_pyfunction!(data::take, module)?)?;
    module.add_function(wrap_pyfunction!(executor::work, module)?)?;
    module.add_function(wrap_pyfunction!(words::in_python, module)?)?;
    Ok(())
}
