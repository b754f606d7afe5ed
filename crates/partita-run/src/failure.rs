//! Why a run failed: what is wrong, where, and what to do, in one sentence.

use crate::config::ConfigError;
use crate::data::{DataError, Place, quote};
use crate::graph::GraphError;
use std::path::{Path, PathBuf};

/// Why a run failed. Its text is one sentence, with options by their plain names in backquotes.
///
/// ```
/// use partita_run::failure::{Failure, Kind};
///
/// let failure = Failure::Option { option: "colors", sentence: "`colors` is required".into() };
/// assert_eq!(failure.to_string(), "`colors` is required");
/// assert_eq!(failure.kind(), Kind::BadInput);
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A table that cannot be read, or that this model does not accept.
    #[error("{error}{way_out}")]
    Data {
        /// What is wrong with it.
        error: Box<DataError>,
        /// The end of the sentence, where there is more to say than the reader of tables knows.
        way_out: String,
    },
    /// A graph that cannot be read.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A configuration that cannot be read, or options that contradict each other.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// What the mathematics refuses.
    #[error(transparent)]
    Model(#[from] partita::Error),
    /// An option that is missing, or that does not fit this model or these data.
    #[error("{sentence}")]
    Option {
        /// Its plain name.
        option: &'static str,
        /// What is wrong.
        sentence: String,
    },
    /// A cell or a column of a table that the model cannot represent.
    #[error("{file}, {}column {}: {sentence}", place.map(|place| format!("{place}, ")).unwrap_or_default(), quote(column))]
    Cell {
        /// The table.
        file: String,
        /// The row, where it is about one.
        place: Option<Place>,
        /// The column's name.
        column: String,
        /// What is wrong.
        sentence: String,
    },
    /// A run directory, or a file in one, that cannot be used.
    #[error("{}: {sentence}", path.display())]
    Run {
        /// The directory or file.
        path: PathBuf,
        /// What is wrong.
        sentence: String,
    },
    /// Bad input of another kind.
    #[error("{0}")]
    BadInput(String),
    /// Something broke.
    #[error("{0}")]
    Failed(String),
    /// Interrupted; what is finished is kept.
    #[error("{0}")]
    Interrupted(String),
}

/// Who has to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The user's: wrong usage or bad input.
    BadInput,
    /// The machine's: something broke.
    Failed,
    /// Nobody's: it was interrupted.
    Interrupted,
}

impl Failure {
    /// Who has to act.
    pub fn kind(&self) -> Kind {
        match self {
            Failure::Failed(_) => Kind::Failed,
            Failure::Interrupted(_) => Kind::Interrupted,
            _ => Kind::BadInput,
        }
    }

    /// An option that cannot be had, in a sentence.
    pub fn option(option: &'static str, sentence: String) -> Self {
        Failure::Option { option, sentence }
    }

    pub(crate) fn run(path: &Path, sentence: impl Into<String>) -> Self {
        Failure::Run { path: path.to_owned(), sentence: sentence.into() }
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Failure::Data { error: error.into(), way_out: String::new() }
    }
}
