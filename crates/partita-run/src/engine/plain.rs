//! Chains in plain numbers: what an executor needs that runs them on a machine of another kind, a card.

use crate::config::{Move, Summary};
use partita::kernel::Neighbors;
use partita::outline::Outline;
use std::sync::Arc;

/// Gibbs sweeps and merge-split moves under the optimal coupling.
#[derive(Debug, Clone, PartialEq)]
pub struct Plain {
    /// The target.
    pub target: Outline,
    /// The moves of a sweep, each so many times: Gibbs sweeps, merge-split moves, and those of near rows.
    pub moves: Vec<(Move, usize)>,
    /// What is near each item, where a move asks for it.
    pub near: Option<Arc<Neighbors>>,
    /// The gains of the optimal coupling by overlap; none where the gain is the overlap itself.
    pub gains: Option<Vec<i64>>,
    /// The probability of an independent draw.
    pub nugget: f64,
    /// Where all chains start: a label an item, from 0 on and without gaps; none where each has a
    /// [start](super::Chains::starts) of its own.
    pub start: Option<Vec<usize>>,
    /// What is estimated, in the order of the values of a row.
    pub summaries: Vec<Summary>,
    /// How many numbers of clusters have a column of their own; then comes one for all beyond.
    pub counted: usize,
}
