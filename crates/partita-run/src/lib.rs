//! Running partita, a library: tables from files or memory, options and plans, an engine, a store, answers, a report.
//!
//! [`data`] and [`graph`] read; [`config`] holds what was said and decides what was left open; [`model`] builds what chains
//! run on; [`engine`] runs replicates by number, wherever; [`store`] keeps them in a run directory; [`answers`] are pure
//! functions of what was kept, [`report`] shows them; [`session`] strings all of it together.
//!
//! The mathematics is in the crate `partita`; here are files, threads, clocks. Nothing prints: what
//! there is to say goes to a [`Watch`](session::Watch), and results come back as values.
#![forbid(unsafe_code)]

pub mod answers;
pub mod config;
pub mod data;
pub mod demo;
pub mod engine;
pub mod graph;
pub mod model;
pub mod report;
pub mod results;
pub mod session;
pub mod store;
pub mod summary;
pub mod words;

/// Why a run did not end well; each kind has its exit status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// Wrong usage or bad input: exit status 2.
    #[error("{0}")]
    BadInput(String),
    /// Something broke: exit status 1.
    #[error("{0}")]
    Failed(String),
    /// Interrupted; what is finished is kept: exit status 130.
    #[error("{0}")]
    Interrupted(String),
}

impl Failure {
    pub(crate) fn bad(sentence: String) -> Self {
        Failure::BadInput(sentence)
    }

    /// The exit status of the command.
    pub fn status(&self) -> u8 {
        match self {
            Failure::BadInput(_) => 2,
            Failure::Failed(_) => 1,
            Failure::Interrupted(_) => 130,
        }
    }
}

impl From<partita::Error> for Failure {
    fn from(error: partita::Error) -> Self {
        Failure::BadInput(error.to_string())
    }
}

impl From<config::ConfigError> for Failure {
    fn from(error: config::ConfigError) -> Self {
        Failure::BadInput(error.to_string())
    }
}
