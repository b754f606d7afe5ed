//! Tables with columns of any kinds: a product of one likelihood per column; missing cells do not contribute.

use super::categories::{Categories, CategoryCluster, Dirichlet, is_level};
use super::counts::{CountCluster, Counts, GammaPoisson, is_count};
use super::diagonal::{NormalCluster, NormalInverseGamma, Normals};
use super::{Likelihood, Predict, computable};
use crate::error::{Error, Result};
use crate::outline::{Clusters, ColumnClusters};

/// What a column holds, with the prior of its clusters' parameters.
///
/// ```
/// use partita::likelihood::{Column, Dirichlet, GammaPoisson, NormalInverseGamma};
/// let columns = [
///     Column::Normal(NormalInverseGamma::weak(1)),  // a standardised measurement
///     Column::Count(GammaPoisson::around(3.0)),    // how often something happened
///     Column::Category(Dirichlet::weak(4)),        // one of four colours
/// ];
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Column {
    /// Real numbers: normal, mean and variance unknown in each cluster.
    Normal(NormalInverseGamma),
    /// Counts: Poisson, rate unknown in each cluster.
    Count(GammaPoisson),
    /// Levels numbered from 0: their probabilities unknown in each cluster.
    Category(Dirichlet),
}

/// Data in columns that are independent within a cluster, each with parameters of its own.
///
/// A cell that is NaN is missing: it enters neither a cluster's statistics nor the item's density.
/// A column without observed cells adds nothing, and an item without any follows the prior.
///
/// ```
/// use partita::likelihood::{Column, Dirichlet, Mixed, NormalInverseGamma, Predict};
/// use partita::{Likelihood, Mixture, Prior};
/// let columns = [Column::Normal(NormalInverseGamma::weak(1)), Column::Category(Dirichlet::weak(2))];
/// let table = [
///     -1.2, 0.0,
///     -0.9, f64::NAN, // not asked
///      1.1, 1.0,
/// ];
/// let data = Mixed::new(&table, &columns)?;
/// let mut cluster = data.empty();
/// data.insert(&mut cluster, 0);
/// assert!(data.log_predictive(&cluster, 1) > data.log_predictive(&cluster, 2));
/// // A new row may have gaps, too; what nothing is known about has probability one.
/// assert_eq!(data.log_density(&cluster, &[f64::NAN, f64::NAN]), 0.0);
/// let target = Mixture::new(Prior::dirichlet(1.0)?, data);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mixed {
    items: usize,
    /// Where each column is: its kind, and its place among the columns of this kind.
    places: Vec<Place>,
    normals: Normals,
    counts: Counts,
    categories: Categories,
    /// A cluster without items, and the log density of each item given nothing.
    nothing: MixedCluster,
    alone: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Normal(usize),
    Count(usize),
    Category(usize),
}

/// The statistics of a cluster: what was seen in each column.
#[derive(Debug, Default)]
pub struct MixedCluster {
    normal: NormalCluster,
    count: CountCluster,
    category: CategoryCluster,
}

impl Clone for MixedCluster {
    fn clone(&self) -> Self {
        let mut copy = MixedCluster::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        self.normal.copy_from(&source.normal);
        self.count.copy_from(&source.count);
        self.category.copy_from(&source.category);
    }
}

impl Mixed {
    /// Rows with one cell per column: a number, a count or the number of a level; NaN if it is missing.
    pub fn new(values: &[f64], columns: &[Column]) -> Result<Self> {
        let width = columns.len();
        if width == 0 || values.is_empty() {
            return Err(Error::NoItems);
        }
        if !values.len().is_multiple_of(width) {
            let expected = values.len() / width * width;
            return Err(Error::WrongLength { name: "the data", expected, found: values.len() });
        }
        let (mut normals, mut counts, mut categories) = (Vec::new(), Vec::new(), Vec::new());
        let mut places = Vec::with_capacity(width);
        for column in columns {
            places.push(match column {
                Column::Normal(prior) => {
                    normals.push(prior.checked()?);
                    Place::Normal(normals.len() - 1)
                }
                Column::Count(prior) => {
                    counts.push(prior.checked()?);
                    Place::Count(counts.len() - 1)
                }
                Column::Category(prior) => {
                    prior.checked()?;
                    categories.push(prior.clone());
                    Place::Category(categories.len() - 1)
                }
            });
        }
        let mut cells: [Vec<f64>; 3] = Default::default();
        for (at, &value) in values.iter().enumerate() {
            let (item, column) = (at / width, at % width);
            check(&columns[column], item, column, value)?;
            let kind = match places[column] {
                Place::Normal(_) => 0,
                Place::Count(_) => 1,
                Place::Category(_) => 2,
            };
            cells[kind].push(value);
        }
        let items = values.len() / width;
        let is_count = |&column: &usize| matches!(columns[column], Column::Count(_));
        let count_columns: Vec<usize> = (0..width).filter(is_count).collect();
        let mut mixed = Mixed {
            items,
            places,
            normals: Normals::new(normals, &cells[0], items),
            counts: Counts::new(counts, &cells[1], items, &count_columns)?,
            categories: Categories::new(categories, &cells[2], items),
            nothing: MixedCluster::default(),
            alone: Vec::new(),
        };
        mixed.nothing = mixed.empty();
        mixed.alone = (0..items).map(|item| mixed.score(&mixed.nothing, item)).collect();
        Ok(mixed)
    }

    /// Gaussian clusters with a variance of their own in each of `dimension` columns.
    ///
    /// ```
    /// use partita::likelihood::{Mixed, NormalInverseGamma};
    /// let data = Mixed::diagonal(vec![0.1, 2.0, -0.3, f64::NAN], 2, NormalInverseGamma::weak(1))?;
    /// # Ok::<(), partita::Error>(())
    /// ```
    pub fn diagonal(values: Vec<f64>, dimension: usize, prior: NormalInverseGamma) -> Result<Self> {
        Self::new(&values, &vec![Column::Normal(prior); dimension])
    }

    /// Poisson counts in each of `dimension` columns.
    ///
    /// ```
    /// use partita::likelihood::{GammaPoisson, Mixed};
    /// let refused = Mixed::counts(vec![1.0, 0.5], 1, GammaPoisson::around(1.0)).unwrap_err();
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "the value of item 1, column 0 is 0.5, not a whole number from 0 to 9007199254740991"
    /// );
    /// ```
    pub fn counts(values: Vec<f64>, dimension: usize, prior: GammaPoisson) -> Result<Self> {
        Self::new(&values, &vec![Column::Count(prior); dimension])
    }

    /// Categories with the given number of levels in each column and the weak prior.
    ///
    /// ```
    /// use partita::likelihood::Mixed;
    /// let yes_or_no = Mixed::categories(vec![0.0, 1.0, 1.0, 1.0], &[2, 2])?;
    /// # Ok::<(), partita::Error>(())
    /// ```
    pub fn categories(values: Vec<f64>, levels: &[usize]) -> Result<Self> {
        let columns: Vec<Column> = levels.iter().map(|&n| Column::Category(Dirichlet::weak(n))).collect();
        Self::new(&values, &columns)
    }

    /// The number of columns.
    pub fn dimension(&self) -> usize {
        self.places.len()
    }

    /// Whether all columns are normal.
    #[inline(always)]
    fn is_normal(&self) -> bool {
        self.counts.is_empty() && self.categories.is_empty()
    }

    #[inline(always)]
    fn score(&self, cluster: &MixedCluster, item: usize) -> f64 {
        self.normals.score(&cluster.normal, item)
            + (self.counts.score(&cluster.count, item) + self.categories.score(&cluster.category, item))
    }

    #[inline(always)]
    fn score_without(&self, cluster: &MixedCluster, item: usize) -> f64 {
        self.normals.score_without(&cluster.normal, item)
            + (self.counts.score_without(&cluster.count, item)
                + self.categories.score_without(&cluster.category, item))
    }
}

/// Refuses a cell that its column cannot hold.
fn check(kind: &Column, item: usize, column: usize, value: f64) -> Result<()> {
    if value.is_nan() {
        return Ok(());
    }
    match kind {
        Column::Normal(_) => computable(value, item, column),
        Column::Count(_) if !is_count(value) => Err(Error::NotACount { item, column, value }),
        Column::Category(prior) if !is_level(value, prior.levels()) => {
            Err(Error::NotALevel { item, column, value, last: prior.levels() - 1 })
        }
        _ => Ok(()),
    }
}

impl Likelihood for Mixed {
    type Cluster = MixedCluster;

    fn len(&self) -> usize {
        self.items
    }

    /// A category is looked up; a logarithm is taken of the others.
    fn work(&self) -> f64 {
        let one = |place: &Place| if matches!(place, Place::Category(_)) { 2.0 } else { 6.0 };
        self.places.iter().map(one).sum()
    }

    fn empty(&self) -> MixedCluster {
        MixedCluster {
            normal: self.normals.empty(),
            count: self.counts.empty(),
            category: self.categories.empty(),
        }
    }

    #[inline(always)]
    fn insert(&self, cluster: &mut MixedCluster, item: usize) {
        self.normals.insert(&mut cluster.normal, item);
        self.counts.insert(&mut cluster.count, item);
        self.categories.insert(&mut cluster.category, item);
    }

    #[inline(always)]
    fn remove(&self, cluster: &mut MixedCluster, item: usize) {
        self.normals.remove(&mut cluster.normal, item);
        self.counts.remove(&mut cluster.count, item);
        self.categories.remove(&mut cluster.category, item);
    }

    #[inline(always)]
    fn log_predictive(&self, cluster: &MixedCluster, item: usize) -> f64 {
        self.score(cluster, item)
    }

    #[inline(always)]
    fn log_predictive_without(&self, cluster: &MixedCluster, item: usize) -> f64 {
        self.score_without(cluster, item)
    }

    #[inline(always)]
    fn log_predictive_alone(&self, item: usize) -> f64 {
        self.alone[item]
    }

    #[inline(always)]
    fn add_log_predictives(&self, clusters: &[MixedCluster], item: usize, own: usize, out: &mut [f64]) {
        for (k, cluster) in clusters.iter().enumerate() {
            out[k] += if k == own { self.score_without(cluster, item) } else { self.score(cluster, item) };
        }
        out[clusters.len()] += self.alone[item];
    }

    /// `None` if counts are too large to be tabulated.
    fn outline(&self) -> Option<Clusters> {
        let (normals, categories) = (self.normals.outline(), self.categories.outline());
        let counts = self.counts.outline()?;
        Some(Clusters::Columns(Box::new(ColumnClusters { normals, counts, categories })))
    }

    #[inline(always)]
    fn shift(&self, from: &mut MixedCluster, to: &mut MixedCluster, item: usize) {
        self.normals.shift(&mut from.normal, &mut to.normal, item);
        if !self.is_normal() {
            self.counts.insert(&mut to.count, item);
            self.counts.remove(&mut from.count, item);
            self.categories.insert(&mut to.category, item);
            self.categories.remove(&mut from.category, item);
        }
    }

    #[inline(always)]
    fn settle(&self, cluster: &mut MixedCluster) {
        self.normals.settle(&mut cluster.normal);
    }

    #[inline(always)]
    fn complete(&self, cluster: &mut MixedCluster) {
        self.normals.complete(&mut cluster.normal);
    }

    #[inline(always)]
    fn quick_difference(&self, own: &MixedCluster, other: &MixedCluster, item: usize) -> Option<f64> {
        let normal = self.normals.quick_difference(&own.normal, &other.normal, item)?;
        if self.is_normal() {
            return Some(normal);
        }
        let there = self.counts.score(&other.count, item) + self.categories.score(&other.category, item);
        let here =
            self.counts.score_without(&own.count, item) + self.categories.score_without(&own.category, item);
        // Rounding of larger ones is more than the slack.
        (there.abs() < 1e4 && here.abs() < 1e4).then_some(normal + (there - here))
    }

    #[inline]
    fn slack(&self) -> f64 {
        self.normals.slack() + 1e-10
    }

    #[inline]
    fn quick_split(&self, [a, b]: [&MixedCluster; 2]) -> Option<(f64, f64)> {
        if self.is_normal() { self.normals.quick_split([&a.normal, &b.normal]) } else { None }
    }

    fn clear(&self, cluster: &mut MixedCluster) {
        cluster.clone_from(&self.nothing);
    }
}

impl Predict for Mixed {
    /// `x` is in the order of the columns, NaN where a cell is missing. An impossible category or
    /// count has log density minus infinity.
    fn log_density(&self, cluster: &MixedCluster, x: &[f64]) -> f64 {
        let cell = |(place, &x): (&Place, &f64)| match *place {
            _ if x.is_nan() => 0.0,
            Place::Normal(at) => self.normals.density(&cluster.normal, at, x),
            Place::Count(at) => self.counts.density(&cluster.count, at, x),
            Place::Category(at) => self.categories.density(&cluster.category, at, x),
        };
        self.places.iter().zip(x).map(cell).sum()
    }

    /// Means of normal columns, rates of counts, and for two levels the probability of level 1; NaN for
    /// more levels, which have no mean.
    fn center(&self, cluster: &MixedCluster) -> Vec<f64> {
        let column = |place: &Place| match *place {
            Place::Normal(at) => self.normals.center(&cluster.normal, at),
            Place::Count(at) => self.counts.center(&cluster.count, at),
            Place::Category(at) => self.categories.center(&cluster.category, at),
        };
        self.places.iter().map(column).collect()
    }
}
