//! A target in plain numbers: what an engine of another kind, a card, needs to run the very same chains.
//!
//! The tables are those that the chains here look up, so that an engine that does the same operations in the same order
//! has the same bits.

/// A mixture of Gaussian clusters with known, equal spreads, in plain numbers.
///
/// ```
/// use partita::{Gaussian, Mixture, Prior, Target};
/// let data = Gaussian::isotropic(vec![-1.0, -1.1, 1.0], 1, 1.0, 0.3)?;
/// let outline = Mixture::new(Prior::dirichlet(1.0)?, data).outline().expect("Gaussian clusters have one");
/// assert_eq!((outline.items, outline.stride), (3, 4));
/// assert_eq!(outline.join[1], 0.0);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The number of items.
    pub items: usize,
    /// The numbers of a row: its coordinates, padded with zeros to a multiple of four.
    pub stride: usize,
    /// The whitened rows.
    pub rows: Vec<f64>,
    /// The inner products of all pairs of rows, where clusters keep inner products instead of their means.
    pub gram: Option<Vec<f64>>,
    /// What depends on the size of a cluster alone, for the sizes `0..=items`.
    pub by_size: Vec<SizeConstants>,
    /// The log density of each item given nothing.
    pub alone: Vec<f64>,
    /// The prior's log weight of joining a cluster, by its size.
    pub join: Vec<f64>,
    /// The prior's log weight of a new cluster, by the number of clusters: not for all of them.
    pub open: Vec<f64>,
}

/// The constants of a Gaussian cluster of one size, for an item outside of it and for one of its own that does not count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeConstants {
    /// The constant of the log density.
    pub log_norm: [f64; 2],
    /// Half the predictive precision.
    pub half_precision: [f64; 2],
    /// What the sum is multiplied with to be the posterior mean.
    pub shrink: f64,
}
