//! Chains in plain numbers: what an executor needs that runs them on a machine of another kind, a card.

use crate::config::Summary;
use partita::outline::Outline;

/// One Gibbs sweep after the other under the optimal coupling, from a fixed start.
#[derive(Debug, Clone, PartialEq)]
pub struct Plain {
    /// The target.
    pub target: Outline,
    /// The gains of the optimal coupling by overlap; none where the gain is the overlap itself.
    pub gains: Option<Vec<i64>>,
    /// The probability of an independent draw.
    pub nugget: f64,
    /// Where both chains start: a label an item, from 0 on and without gaps.
    pub start: Vec<usize>,
    /// What is estimated, in the order of the values of a row.
    pub summaries: Vec<Summary>,
    /// How many numbers of clusters have a column of their own; then comes one for all beyond.
    pub counted: usize,
}
