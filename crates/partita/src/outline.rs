//! A target in plain numbers: what another engine, such as a GPU, needs to run the same chains.
//!
//! The tables are those that the chains look up here, so that an engine that performs the same operations in the same
//! order gets the same bits.

/// A mixture in plain numbers.
///
/// ```
/// use partita::outline::Clusters;
/// use partita::{Gaussian, Mixture, Prior, Target};
/// let data = Gaussian::isotropic(vec![-1.0, -1.1, 1.0], 1, 1.0, 0.3)?;
/// let outline = Mixture::new(Prior::dirichlet(1.0)?, data).outline().expect("Gaussian clusters have one");
/// assert_eq!((outline.items, outline.join[1]), (3, 0.0));
/// let Clusters::Gaussian(clusters) = outline.clusters else { unreachable!() };
/// assert_eq!(clusters.stride, 4);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The number of items.
    pub items: usize,
    /// The log density of each item in a new cluster.
    pub alone: Vec<f64>,
    /// The prior's log weight of joining a cluster, by its size.
    pub join: Vec<f64>,
    /// The prior's log weight of a new cluster, by the number of clusters, up to some number.
    pub open: Vec<f64>,
    /// How clusters score items.
    pub clusters: Clusters,
}

/// How clusters score items.
#[derive(Debug, Clone, PartialEq)]
pub enum Clusters {
    /// Gaussian clusters with known, equal spreads.
    Gaussian(GaussianClusters),
    /// Columns of any kinds, with gaps.
    Columns(Box<ColumnClusters>),
    /// Gaussian clusters, each with a covariance matrix of its own.
    Full(Box<FullClusters>),
    /// Two of them side by side: log densities are added, the first one's first.
    Beside(Box<[Clusters; 2]>),
}

/// Gaussian clusters with known, equal spreads.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianClusters {
    /// The length of a row: its coordinates, padded with zeros to a multiple of four.
    pub stride: usize,
    /// The whitened rows.
    pub rows: Vec<f64>,
    /// The inner products of all pairs of rows, where clusters keep inner products instead of their means.
    pub gram: Option<Vec<f64>>,
    /// What depends only on the size of a cluster, for sizes `0..=items`.
    pub by_size: Vec<SizeConstants>,
}

/// The constants of a Gaussian cluster of one size, for an item outside it, and for a member that is left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeConstants {
    /// The constant of the log density.
    pub log_norm: [f64; 2],
    /// Half the predictive precision.
    pub half_precision: [f64; 2],
    /// The factor that turns the sum into the posterior mean.
    pub shrink: f64,
}

/// Columns that are independent within a cluster. Cells are in the order of the items.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnClusters {
    /// Real numbers of unknown mean and variance.
    pub normals: NormalColumns,
    /// Counts of unknown rate.
    pub counts: CountColumns,
    /// Levels of unknown probabilities.
    pub categories: CategoryColumns,
}

/// Normal columns.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalColumns {
    /// The columns, padded to a multiple of four by columns without cells.
    pub columns: Vec<NormalColumn>,
    /// Cells minus their prior means; NaN where one is missing.
    pub cells: Vec<f64>,
    /// Constants of the densities by the number of cells of a cluster; a column's begin at its `start`.
    pub norms: Vec<f64>,
}

/// A normal column's prior, and where its constants begin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalColumn {
    /// How many cells the prior mean is worth.
    pub kappa: f64,
    /// The shape of the variance's law.
    pub shape: f64,
    /// Its rate.
    pub rate: f64,
    /// The place of its first constant.
    pub start: usize,
}

/// Columns of counts.
#[derive(Debug, Clone, PartialEq)]
pub struct CountColumns {
    /// The columns.
    pub columns: Vec<CountColumn>,
    /// Cells; `None` where one is missing.
    pub cells: Vec<Option<u32>>,
    /// `ln(b / (b + 1))` by the number of cells of a cluster; a column's begin at its `start`.
    pub log_ratio: Vec<f64>,
    /// `ln(b + 1)`, likewise.
    pub log_next: Vec<f64>,
    /// The logarithm of the constant factor of each item's density; empty if there are no columns.
    pub constants: Vec<f64>,
}

/// A column of counts.
#[derive(Debug, Clone, PartialEq)]
pub struct CountColumn {
    /// The shape of the rate's law.
    pub shape: f64,
    /// The place of its first logarithms.
    pub start: usize,
    /// `ln G(shape + j)` for all possible sums `j`.
    pub rising: Vec<f64>,
}

/// Columns of levels. All levels of all columns have numbers, those of the first column first.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryColumns {
    /// The level of each cell; `None` where it is missing.
    pub cells: Vec<Option<u32>>,
    /// Logarithms by count; those of a level or a column's total begin at its start.
    pub logs: Vec<f64>,
    /// The place of the first logarithm of each level.
    pub level_starts: Vec<usize>,
    /// The same for each column's total.
    pub total_starts: Vec<usize>,
}

/// Gaussian clusters, each with a covariance matrix of its own. Matrices are lower triangles, column after column.
#[derive(Debug, Clone, PartialEq)]
pub struct FullClusters {
    /// How many items the prior mean is worth.
    pub kappa: f64,
    /// The degrees of freedom.
    pub degrees: f64,
    /// Rows minus the prior mean; NaN throughout where one is missing.
    pub rows: Vec<f64>,
    /// The prior's scale.
    pub scale: Vec<f64>,
    /// Its Cholesky factor.
    pub root: Vec<f64>,
    /// The constants of the density by the number of rows of a cluster.
    pub norms: Vec<f64>,
    /// The log density of each row given nothing.
    pub alone: Vec<f64>,
}

impl FullClusters {
    /// The number of columns.
    pub fn dimension(&self) -> usize {
        self.rows.len() / self.alone.len()
    }
}
