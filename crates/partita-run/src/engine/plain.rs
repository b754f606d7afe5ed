//! Chains in plain numbers: what an executor needs to run them on another kind of machine, such as a GPU.

use crate::config::{Float, Move, Summary};
use partita::kernel::Neighbors;
use partita::outline::Outline;
use std::sync::Arc;

/// Gibbs sweeps and moves of two clusters under the optimal coupling.
#[derive(Debug, Clone, PartialEq)]
pub struct Plain {
    /// The target.
    pub target: Outline,
    /// The moves of a sweep and how many times each is made: any but Kempe moves; an engine refuses what it does not have.
    pub moves: Vec<(Move, usize)>,
    /// The neighbours of each item, if a move needs them.
    pub near: Option<Arc<Neighbors>>,
    /// The gains of the optimal coupling by overlap; `None` if the gain is the overlap itself.
    pub gains: Option<Vec<i64>>,
    /// The probability of an independent draw.
    pub nugget: f64,
    /// The precision.
    pub float: Float,
    /// Where all chains start: one label per item, from 0 without gaps; `None` if each has a
    /// [start](super::Chains::starts) of its own.
    pub start: Option<Vec<usize>>,
    /// What is estimated, in the order of the values of a row.
    pub summaries: Vec<Summary>,
    /// How many numbers of clusters have their own column; one more column is for all larger numbers.
    pub counted: usize,
}
