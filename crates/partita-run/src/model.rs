//! Models behind one small interface: number in, replicate row out; questions in, answers out.

mod chains;
mod choices;
mod column;
mod family;
mod input;
mod looks;
mod own;
mod predict;
mod problem;
mod trails;
mod turned;
mod words;

pub(crate) use family::advice;
pub use family::{Candidate, Covariance, candidates};
pub use input::{Given, Input, Loaded, build, load, load_given};
pub(crate) use input::{about, load_as, raw_table, wide, without_model};
pub use own::{Mark, Own};
pub use predict::Joining;
use problem::Problem;
pub(crate) use turned::{Turned, turned};
pub(crate) use words::{crossing, own_question, question, unreachable};

use crate::engine::{Chains, Origin};
use crate::summary::{AnySummary, Count, Quantity};
use partita::Partition;
use partita::atoms::Atom;

/// A problem that can be run, and queried about its results.
pub trait Model: Chains + Questions {
    /// Items to cluster.
    fn items(&self) -> usize;

    /// What is estimated; the values come first in a row.
    fn quantities(&self) -> &[Quantity];

    /// The numbers of clusters whose probabilities follow them.
    fn counts(&self) -> &[Count];

    /// Rough floating-point operations of one sweep, to plan a pilot without a clock.
    fn sweep_work(&self) -> f64;

    /// Whether the sampler's moves lead from every state to every other; `None` if this is not known.
    fn connected(&self) -> Option<bool>;

    /// Whether there is a second law to start from, to check that meetings do not depend on the first.
    fn has_second_start(&self) -> bool;

    /// Remembers what the model was built from.
    fn set_origin(&mut self, origin: Origin);
}

/// What can be computed from states of a model, without chains.
pub trait Questions {
    /// The predictive density of kept atoms on a grid, for models of one column: one row per atom.
    fn densities(&self, atoms: &[&Atom], grid: &[f64]) -> Option<Vec<Vec<f64>>>;

    /// What a state says about new rows, in the model's units; `None` for models without rows of numbers.
    fn predict(&self, z: &Partition, rows: &[&[f64]]) -> Option<Vec<Joining>>;

    /// The log density of each row given all others and the clusters they are in, in the model's units; `None` for
    /// models without rows of numbers. [`partita::score::LeaveOneOut`] turns those of many states into a score.
    fn leave_one_out(&self, z: &Partition) -> Option<Vec<f64>>;

    /// The expectations of the requested summaries by a sum over all partitions, for a few items.
    fn enumerate(&self) -> Option<Vec<f64>>;

    /// The log probability of a state, up to a constant common to all states.
    fn log_probability(&self, z: &Partition) -> f64;
}
