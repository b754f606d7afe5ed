//! What can be wrong with a model, an initial state or a setting.

use crate::likelihood::LARGEST_COUNT;

/// A model, an initial state or a setting that cannot be run. The message says what is wrong.
///
/// ```
/// use partita::{Error, Prior};
/// let refused = Prior::dirichlet(-1.0).unwrap_err();
/// assert!(matches!(refused, Error::NotPositive { .. }));
/// assert_eq!(refused.to_string(), "alpha must be a positive finite number, but is -1");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter that must be positive and finite is not.
    #[error("{name} must be a positive finite number, but is {value}")]
    NotPositive {
        /// The parameter.
        name: &'static str,
        /// What it was.
        value: f64,
    },
    /// A parameter lies outside its range.
    #[error("{name} must be {range}, but is {value}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// The range in words.
        range: &'static str,
        /// What it was.
        value: f64,
    },
    /// A covariance matrix is not symmetric positive definite.
    #[error("the {name} is not symmetric positive definite")]
    NotPositiveDefinite {
        /// Which covariance.
        name: &'static str,
    },
    /// Two sizes that must agree do not.
    #[error("{name} must have length {expected}, but has {found}")]
    WrongLength {
        /// What has the wrong length.
        name: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A data value is NaN or infinite.
    #[error("the value of item {item}, coordinate {coordinate} is {value}, not a finite number")]
    NotFinite {
        /// Item (row), counted from 0.
        item: usize,
        /// Coordinate (column), counted from 0.
        coordinate: usize,
        /// What it was.
        value: f64,
    },
    /// A data value is so large that its square cannot be computed with.
    #[error(
        "the value of item {item}, coordinate {coordinate} is {value:e}, whose square overflows: \
         change the unit"
    )]
    TooLarge {
        /// Item (row), counted from 0.
        item: usize,
        /// Coordinate (column), counted from 0.
        coordinate: usize,
        /// What it was.
        value: f64,
    },
    /// A cell of a count column is not a count.
    #[error(
        "the value of item {item}, column {column} is {value}, not a whole number from 0 to {LARGEST_COUNT}"
    )]
    NotACount {
        /// Item (row), counted from 0.
        item: usize,
        /// Column, counted from 0.
        column: usize,
        /// What it was.
        value: f64,
    },
    /// The counts of a column sum to more than can be represented exactly.
    #[error("the counts of column {column} add up to more than {LARGEST_COUNT}")]
    CountsTooLarge {
        /// Column, counted from 0.
        column: usize,
    },
    /// A cell of a categorical column is not the number of a level.
    #[error(
        "the value of item {item}, column {column} is {value}, not a level: they are numbered 0 to {last}"
    )]
    NotALevel {
        /// Item (row), counted from 0.
        item: usize,
        /// Column, counted from 0.
        column: usize,
        /// What it was.
        value: f64,
        /// The largest level number.
        last: usize,
    },
    /// A missing cell in a model whose items must be complete.
    #[error(
        "the value of item {item}, column {column} is missing, but {model} needs complete data; models \
         of independent columns (normal, counts, categories, mixed) do not"
    )]
    Missing {
        /// Item (row), counted from 0.
        item: usize,
        /// Column, counted from 0.
        column: usize,
        /// The model in words.
        model: &'static str,
    },
    /// There is nothing to cluster.
    #[error("there are no items: a partition needs at least one")]
    NoItems,
    /// More items than can be numbered.
    #[error("{items} items are too many: at most 4294967294 are supported")]
    TooManyItems {
        /// How many there were.
        items: usize,
    },
    /// An item number that does not exist.
    #[error("item {item} does not exist: the items are numbered 0 to {last}")]
    NoSuchItem {
        /// The number asked for.
        item: usize,
        /// The largest item number.
        last: usize,
    },
    /// An edge from a vertex to itself: no colouring would be proper, and block models have no such edges.
    #[error("vertex {vertex} has an edge to itself, which no colouring and no block model here allows")]
    SelfLoop {
        /// The vertex, counted from 0.
        vertex: usize,
    },
    /// A graph has no proper colouring with so few colours.
    #[error(
        "no proper colouring with {colors} colours exists; {sufficient} colours are always enough for this graph"
    )]
    TooFewColors {
        /// The colours given.
        colors: usize,
        /// One more than the degeneracy: always enough.
        sufficient: usize,
    },
    /// A search for a proper colouring gave up before it could tell whether there is one.
    #[error(
        "no proper colouring with {colors} colours was found, though there may be one; {sufficient} colours are \
         always enough for this graph"
    )]
    NoColoringFound {
        /// The colours given.
        colors: usize,
        /// One more than the degeneracy: always enough.
        sufficient: usize,
    },
    /// The number of sweeps is smaller than the burn-in.
    #[error("the number of sweeps ({sweeps}) must be at least the burn-in ({burn_in})")]
    SweepsBeforeBurnIn {
        /// Burn-in `k`.
        burn_in: u64,
        /// Sweeps `m`.
        sweeps: u64,
    },
    /// A lag of zero: the chains would be the same chain.
    #[error("the lag must be at least 1")]
    LagZero,
    /// A start has probability zero under the target.
    #[error("the initial state has probability zero under the target, so no chain can start there")]
    ImpossibleStart,
}

/// The result of building a model or a setting.
pub type Result<T> = std::result::Result<T, Error>;

/// `value` if it is positive and finite.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(Error::NotPositive { name, value }) }
}
