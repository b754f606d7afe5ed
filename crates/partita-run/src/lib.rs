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
