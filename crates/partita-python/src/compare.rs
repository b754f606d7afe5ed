//! Models compared on held-out rows: the result of `partita_run::session::compare`, as JSON.

use crate::data::{self, Data};
use crate::run::executor;
use crate::watch::watched;
use crate::words::exception;
use partita_run::Failure;
use partita_run::config::ModelChoice;
use partita_run::session::{self, HOLD_OUT, IN_COMMON, MODELS};
use pyo3::prelude::*;

/// The models that are compared and the share of rows held out, unless given.
#[pyfunction]
pub fn compare_defaults() -> (Vec<&'static str>, f64) {
    (MODELS.split(',').collect(), HOLD_OUT)
}

/// The options that compared models may have in common.
#[pyfunction]
pub fn options_of_compare() -> Vec<&'static str> {
    IN_COMMON.to_vec()
}

/// Fits models to most rows and scores them on the rest: JSON.
#[pyfunction]
#[pyo3(signature = (models, hold_out, options, data, courier, watch))]
pub fn compare(
    py: Python,
    models: Vec<String>,
    hold_out: f64,
    options: Vec<(String, String)>,
    data: Data,
    courier: Option<Bound<PyAny>>,
    watch: Py<PyAny>,
) -> PyResult<String> {
    let bad = |sentence: String| exception(&Failure::BadInput(sentence));
    let models: Result<Vec<ModelChoice>, String> = models.iter().map(|word| word.parse()).collect();
    let models = models.map_err(|sentence| bad(format!("`model`: {sentence}")))?;
    let mut options = data::options(options)?;
    if let Data::File(path) = &data {
        options.data = Some(path.clone());
    }
    let given = data.given()?;
    if given.is_some() {
        options.data = Some("data".into());
    }
    let executor = executor(courier, options.threads, options.device)?;
    let (found, _) = watched(py, &watch, None, move |flag, watch| {
        session::compare(&options, &models, hold_out, &*executor, given.as_ref(), flag, watch)
    })?;
    Ok(serde_json::to_string(&found).expect("a comparison is JSON"))
}
