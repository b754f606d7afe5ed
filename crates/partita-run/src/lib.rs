//! Running partita, a library: tables from files or memory, options and plans, an engine, a store, answers, a report.
//!
//! [`data`] and [`graph`] read files; [`config`] holds the options and decides those left open; [`model`] builds what the
//! chains run on; [`engine`] runs replicates by number, on any machine; [`store`] keeps them in a run directory; [`answers`]
//! are pure functions of what was kept, and [`report`] shows them; [`session`] ties it all together.
//!
//! The mathematics is in the crate `partita`; files, threads and clocks are here. Nothing is printed: messages go to a
//! [`Watch`](session::Watch), and results are returned as values.
#![forbid(unsafe_code)]

pub mod answers;
pub mod config;
pub mod data;
pub mod demo;
pub mod engine;
pub mod failure;
pub mod graph;
pub mod model;
pub mod report;
pub mod results;
pub mod session;
pub mod store;
pub mod summary;
pub mod words;

pub use failure::Failure;
