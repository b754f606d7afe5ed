//! The library's messages in Python's words (`start = prior` becomes start='prior'), and failures as exceptions.

use partita_run::config::Options;
use partita_run::failure::{Failure, Kind};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

create_exception!(
    partita,
    PartitaError,
    PyException,
    "Something broke that is no mistake in what was asked."
);
create_exception!(
    partita,
    Interrupted,
    PyKeyboardInterrupt,
    "Ctrl-C: `result` is the run with all that is finished, whose `resume()` goes on; None if nothing is."
);

/// What can be called, and how.
const CALLS: [(&str, &str); 9] = [
    ("fit", "partita.fit"),
    ("color", "partita.color"),
    ("blocks", "partita.blocks"),
    ("meet", "partita.meet"),
    ("resume", "partita.resume"),
    ("merge", "partita.merge"),
    ("report", "partita.load"),
    ("predict", "Result.predict"),
    ("compare", "partita.compare"),
];

fn is_key(word: &str) -> bool {
    Options::KEYS.contains(&word) || word == "force" || word == "hold_out"
}

/// A value as Python writes it.
fn value(text: &str) -> String {
    match text {
        "true" => "True".into(),
        "false" => "False".into(),
        _ if text.parse::<f64>().is_ok() => text.into(),
        // A placeholder such as N.
        _ if text.chars().all(|c| c.is_ascii_uppercase()) => text.into(),
        _ => format!("'{}'", text.trim_matches('\'')),
    }
}

/// An option with its value: `start='prior'`.
fn option(text: &str) -> Option<String> {
    match text.split_once(" = ") {
        Some((key, said)) => is_key(key).then(|| format!("{key}={}", value(said))),
        None => is_key(text).then(|| text.to_string()),
    }
}

fn call(name: &str) -> Option<&'static str> {
    CALLS.iter().find(|(command, _)| *command == name).map(|(_, python)| *python)
}

/// The arguments of a call: a path, which may hold commas, then options.
fn arguments(text: &str) -> String {
    match text.rsplit_once(", ").map(|(before, last)| (before, option(last))) {
        Some((before, Some(option))) => format!("{}, {option}", arguments(before)),
        _ => option(text).filter(|_| text.contains(" = ")).unwrap_or_else(|| value(text)),
    }
}

fn translated(quoted: &str) -> Option<String> {
    if let Some(option) = option(quoted) {
        return Some(option);
    }
    if let Some(name) = call(quoted) {
        return Some(format!("{name}()"));
    }
    let (name, inside) = quoted.strip_suffix(')')?.split_once('(')?;
    Some(format!("{}({})", call(name)?, arguments(inside)))
}

/// A message of the library in Python's words.
#[pyfunction]
pub fn in_python(sentence: &str) -> String {
    let mut text = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((quoted, after)) = after.split_once('`') else { break };
        text.push_str(before);
        text.push_str(&translated(quoted).unwrap_or_else(|| format!("`{quoted}`")));
        rest = after;
    }
    text + rest
}

/// A failure as an exception: bad input is a `ValueError`.
pub fn exception(failure: &Failure) -> PyErr {
    let sentence = in_python(&failure.to_string());
    match failure.kind() {
        Kind::BadInput => PyValueError::new_err(sentence),
        Kind::Interrupted => Interrupted::new_err(sentence),
        Kind::Failed => PartitaError::new_err(sentence),
    }
}
