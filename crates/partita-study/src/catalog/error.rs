//! The sentences a user sees if a data set is not available: what is wrong, where, and what to do.

use partita_run::Failure;
use std::path::PathBuf;

/// Why a data set is not available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// There is no data set with that name.
    #[error("there is no data set {name:?}: {}", known(.closest.as_deref()))]
    Unknown {
        /// The name as given.
        name: String,
        /// The name that may be meant.
        closest: Option<String>,
    },
    /// Its file is not in the data directory.
    #[error(
        "the data set {name} is missing: get it with `data({call})`, copy it to {}, or name the directory \
         that holds it with `data_dir`", .path.display()
    )]
    Missing {
        /// The data set.
        name: &'static str,
        /// Where its file would be.
        path: PathBuf,
        /// The arguments of `data` that get it.
        call: String,
    },
    /// A file is there and holds something else.
    #[error(
        "{} is not the data set {name} ({reason}): remove it and get it again with `data({call})`, or \
         name another directory with `data_dir`", .path.display()
    )]
    Wrong {
        /// The data set.
        name: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// The arguments of `data` that get it.
        call: String,
    },
    /// No address gave it.
    #[error(
        "{name} cannot be downloaded from {}; on a machine with a network, fetch {address}, then run \
         `data({call}, from = {})` here, or copy a prepared {name}.csv to {}",
        .tried.join(", nor from "), file(.address), .path.display()
    )]
    Unreachable {
        /// The data set.
        name: &'static str,
        /// Each host and what went wrong.
        tried: Vec<String>,
        /// Where a person may get it.
        address: &'static str,
        /// Where the data set would be.
        path: PathBuf,
        /// The arguments of `data` that get it.
        call: String,
    },
    /// A file was given that cannot be read.
    #[error("{file} cannot be read ({reason}); check the path in `from`")]
    Unreadable {
        /// The path as given.
        file: String,
        /// What the system said.
        reason: String,
    },
    /// A file was given that is not the data set.
    #[error(
        "{file} is not the data set {name} ({reason}), so nothing was kept; give {raw} as it comes from {origin}"
    )]
    NotIt {
        /// The data set.
        name: &'static str,
        /// The path as given.
        file: String,
        /// What is wrong with it.
        reason: String,
        /// The name of the raw file.
        raw: &'static str,
        /// Where the raw file comes from.
        origin: &'static str,
    },
    /// The data directory cannot be written to.
    #[error("{} cannot be written ({reason}); name another directory with `data_dir`", .path.display())]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

/// The name a file has after it was fetched from an address.
fn file(address: &str) -> &str {
    address.rsplit('/').next().unwrap_or(address)
}

fn known(closest: Option<&str>) -> String {
    let names: Vec<&str> = super::SETS.iter().map(|set| set.name).collect();
    match closest {
        Some(closest) => format!("did you mean {closest}?"),
        None => format!("the names are {}", names.join(", ")),
    }
}

impl From<CatalogError> for Failure {
    fn from(error: CatalogError) -> Self {
        use CatalogError::{Missing, NotIt, Unknown, Unreachable, Unreadable, Unwritable, Wrong};
        let sentence = error.to_string();
        match error {
            Unknown { .. } | Missing { .. } | Wrong { .. } | Unreadable { .. } => Failure::BadInput(sentence),
            Unreachable { .. } | NotIt { .. } | Unwritable { .. } => Failure::Failed(sentence),
        }
    }
}
