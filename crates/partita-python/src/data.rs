//! Data from Python: columns and edges as the pure half of the package hands them over, and options as TOML.

use crate::words::exception;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use partita_run::Failure;
use partita_run::config::{ConfigError, Options};
use partita_run::data::{Cells, Missing, ReadOptions, Table, Words};
use partita_run::graph::GraphFile;
use partita_run::model::Given;
use partita_run::session::NewRows;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// One column: its name, and what it holds.
#[derive(FromPyObject)]
pub enum Column<'py> {
    /// Numbers; NaN is a missing value.
    Numbers(String, PyReadonlyArray1<'py, f64>),
    /// Positions of levels, negative if the cell is missing; and the levels.
    Categories(String, PyReadonlyArray1<'py, i64>, Vec<String>),
    /// Texts.
    Texts(String, Vec<Option<String>>),
}

impl Column<'_> {
    fn cells(self) -> (String, Cells) {
        match self {
            Column::Numbers(name, values) => (name, Cells::Numbers(values.as_array().to_vec())),
            Column::Categories(name, codes, levels) => {
                let codes = codes.as_array().iter().map(|code| u32::try_from(*code).ok()).collect();
                (name, Cells::Categories { codes, levels })
            }
            Column::Texts(name, texts) => (name, Cells::Texts(texts)),
        }
    }
}

/// A table or a graph from memory, with the name that messages call it by.
#[derive(FromPyObject)]
pub enum Data<'py> {
    /// Names of vertices, and pairs of their positions.
    Graph(String, Vec<String>, PyReadonlyArray2<'py, u32>),
    /// Columns.
    Table(String, Vec<Column<'py>>),
    /// A file.
    File(std::path::PathBuf),
}

impl Data<'_> {
    /// The data of a run; none if they are in a file.
    pub fn given(self) -> PyResult<Option<Given>> {
        Ok(match self {
            Data::Table(title, columns) => {
                Some(Given::Columns(title, columns.into_iter().map(Column::cells).collect()))
            }
            Data::Graph(title, names, edges) => {
                let pairs: Vec<(u32, u32)> =
                    edges.as_array().rows().into_iter().map(|e| (e[0], e[1])).collect();
                let graph = GraphFile::from_edges(&title, names, &pairs);
                let graph = graph.map_err(|e| exception(&Failure::BadInput(e.to_string())))?;
                Some(Given::Graph(title, graph))
            }
            Data::File(_) => None,
        })
    }

    /// The same as new rows to predict.
    pub fn new_rows(self) -> PyResult<NewRows> {
        match self {
            Data::File(path) => Ok(NewRows::File(path)),
            Data::Table(title, columns) => {
                Ok(NewRows::Columns(title, columns.into_iter().map(Column::cells).collect()))
            }
            Data::Graph(..) => Err(PyTypeError::new_err("new rows are a table")),
        }
    }
}

/// Reads a table and returns its shape and fingerprint: what `fit` does first, for measuring it.
#[pyfunction]
pub fn take(py: Python, data: Data) -> PyResult<(usize, usize, String)> {
    let Some(Given::Columns(title, columns)) = data.given()? else {
        return Err(PyTypeError::new_err("a table is columns"));
    };
    let read = ReadOptions { missing: Missing::Keep, words: Words::Levels, ..ReadOptions::default() };
    let table = py.detach(|| Table::from_columns(&title, &columns, &read));
    let table = table.map_err(|error| exception(&Failure::BadInput(error.to_string())))?;
    Ok((table.rows, table.columns, table.fingerprint))
}

/// Options from their names and values, each written as in a TOML file.
pub fn options(said: Vec<(String, String)>) -> PyResult<Options> {
    let mut options = Options::default();
    for (key, value) in said {
        let one = Options::parse(&format!("{key} = {value}"), &key).map_err(|error| {
            let sentence = match error {
                ConfigError::Malformed { problem, .. } => {
                    format!("`{key}`: {}", problem.trim_start_matches("line 1: "))
                }
                ConfigError::UnknownKey { key, closest, .. } => {
                    let hint = closest.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
                    format!("there is no option `{key}`{hint}")
                }
                other => other.to_string(),
            };
            exception(&Failure::BadInput(sentence))
        })?;
        options = one.or(options);
    }
    Ok(options)
}
