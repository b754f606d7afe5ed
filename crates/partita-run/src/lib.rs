//! Running partita: data readers, configuration, worker pool, run directory, report.
#![forbid(unsafe_code)]

pub mod data;
pub mod graph;
