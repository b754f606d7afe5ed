//! Gaussian clusters that share one unknown variance, or one per column, integrated out.
//!
//! `x ~ N(mu_c, s2 I)`, `mu_c ~ N(mean, s2 / kappa I)`, `s2 ~ InvGamma(shape, rate)`. The variance ties
//! the clusters together, so this is a target of its own. Given a partition of `N` rows of `D` values
//!
//! `p(x | z) = prod_c (kappa / (kappa + n_c))^(D/2) * G(A) / G(shape) * rate^shape / (2 pi)^(N D / 2) * (rate + Q/2)^-A`
//!
//! with `A = shape + N D / 2` and `Q` the sum over clusters of
//! `sum_i |x_i - mean|^2 - |S_c|^2 / (kappa + n_c)`, sums `S_c` about the prior mean. So an item joins
//! cluster `c` with the weight of the partition prior times
//! `((kappa + n_c) / (kappa + n_c + 1))^(D/2) * (rate + (Q + q_c) / 2)^-A`, where
//! `q_c = (kappa + n_c) / (kappa + n_c + 1) * |x - m_c|^2` and `Q` counts the other items only. With a
//! variance for each column the last factor is a product over columns, each with `A = shape + N / 2`.

mod predict;

use crate::error::{Result, positive};
use crate::likelihood::{check_prior_mean, complete_rows};
use crate::math::{ln, ln_gamma};
use crate::partition::{Move, Partition};
use crate::prior::{Prior, PriorTable};
use crate::special::log;
use crate::target::Target;

/// The prior of a variance that all clusters share, and of their centres.
///
/// ```
/// use partita::target::SharedPrior;
/// let prior = SharedPrior { kappa: 0.1, ..SharedPrior::weak() };
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedPrior {
    /// How many items the prior mean of a centre is worth: the variance within clusters over that of
    /// their centres.
    pub kappa: f64,
    /// The shape of the variance's inverse gamma law.
    pub shape: f64,
    /// Its rate.
    pub rate: f64,
}

impl SharedPrior {
    /// Weakly informative for standardised data, as
    /// [`NormalInverseGamma::weak`](crate::likelihood::NormalInverseGamma::weak): the variance within
    /// clusters has prior mean 1/4 and three degrees of freedom; that of the centres is three times as
    /// large.
    pub const fn weak() -> Self {
        SharedPrior { kappa: 1.0 / 3.0, shape: 1.5, rate: 0.125 }
    }
}

/// Whether all columns share the unknown variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// One variance for all clusters and all columns.
    Everything,
    /// One variance per column, shared by all clusters.
    EachColumn,
}

/// The posterior over partitions of Gaussian data whose clusters share an unknown variance.
///
/// ```
/// use partita::target::{SharedPrior, SharedVariance, Sharing};
/// use partita::{Partition, Prior, Target};
/// let data = vec![-1.0, -1.1, 1.0, 1.2];
/// let target =
///     SharedVariance::new(Prior::dirichlet(1.0)?, data, &[0.0], SharedPrior::weak(), Sharing::Everything)?;
/// let apart = Partition::from_labels(&[0, 0, 1, 1])?;
/// let wrong = Partition::from_labels(&[0, 1, 1, 0])?;
/// assert!(target.log_probability(&apart) > target.log_probability(&wrong));
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SharedVariance {
    prior: PriorTable,
    /// Rows about the prior mean.
    rows: Vec<f64>,
    mean: Vec<f64>,
    variance: SharedPrior,
    sharing: Sharing,
    /// `A`.
    power: f64,
    /// `D/2 ln((kappa + n) / (kappa + n + 1))` by size.
    half_log_shrink: Vec<f64>,
}

/// What a state of a [`SharedVariance`] remembers.
#[derive(Debug)]
pub struct SharedStats {
    /// Sums of each cluster about the prior mean, slot after slot.
    sums: Vec<f64>,
    /// `rate + Q/2`: one number, or one per column.
    rates: Vec<f64>,
    /// Moves since they were last built from scratch.
    moves: u32,
}

impl Clone for SharedStats {
    fn clone(&self) -> Self {
        SharedStats { sums: self.sums.clone(), rates: self.rates.clone(), moves: self.moves }
    }

    fn clone_from(&mut self, source: &Self) {
        self.sums.clone_from(&source.sums);
        self.rates.clone_from(&source.rates);
        self.moves = source.moves;
    }
}

/// As for mixtures: rounding adds up to some hundred units in the last place until then.
const MOVES_BEFORE_REFRESH: u32 = 1 << 16;

impl SharedVariance {
    /// Rows of `mean.len()` values, all finite; `mean` is the prior mean of the centres.
    pub fn new(
        prior: Prior,
        values: Vec<f64>,
        mean: &[f64],
        variance: SharedPrior,
        sharing: Sharing,
    ) -> Result<Self> {
        let dimension = mean.len();
        complete_rows(&values, dimension, "a shared variance")?;
        check_prior_mean(mean)?;
        let kappa = positive("kappa", variance.kappa)?;
        positive("the shape of the variance", variance.shape)?;
        positive("the rate of the variance", variance.rate)?;
        let mut rows = values;
        for row in rows.chunks_exact_mut(dimension) {
            row.iter_mut().zip(mean).for_each(|(x, mean)| *x -= mean);
        }
        let (items, d) = (rows.len() / dimension, dimension as f64);
        let cells = items as f64 * if sharing == Sharing::Everything { d } else { 1.0 };
        let half_log_shrink = |n: usize| -0.5 * d * libm::log1p(1.0 / (kappa + n as f64));
        Ok(SharedVariance {
            prior: PriorTable::new(prior, items),
            rows,
            mean: mean.to_vec(),
            variance,
            sharing,
            power: variance.shape + 0.5 * cells,
            half_log_shrink: (0..=items).map(half_log_shrink).collect(),
        })
    }

    /// The partition prior.
    pub fn prior(&self) -> &Prior {
        self.prior.prior()
    }

    /// The number of columns.
    pub fn dimension(&self) -> usize {
        self.mean.len()
    }

    #[inline(always)]
    fn row(&self, item: usize) -> &[f64] {
        &self.rows[item * self.dimension()..][..self.dimension()]
    }

    #[inline(always)]
    fn sum<'a>(&self, stats: &'a SharedStats, slot: usize) -> &'a [f64] {
        &stats.sums[slot * self.dimension()..][..self.dimension()]
    }

    /// Adds `factor * (x - shrink * S)^2` to one number or one per column: half a `q_c`.
    #[inline(always)]
    fn add_squares(&self, rates: &mut [f64], row: &[f64], sum: &[f64], shrink: f64, factor: f64) {
        let squares = row.iter().zip(sum).map(|(x, s)| {
            let e = x - shrink * s;
            e * e
        });
        match self.sharing {
            Sharing::Everything => rates[0] += factor * squares.sum::<f64>(),
            Sharing::EachColumn => rates.iter_mut().zip(squares).for_each(|(r, e2)| *r += factor * e2),
        }
    }

    /// `rate + Q/2` without the item: a cluster of `n` loses `(kappa + n) / (kappa + n - 1) |x - m|^2 / 2`.
    #[inline(always)]
    fn rates_without(&self, stats: &SharedStats, z: &Partition, item: usize) -> Vec<f64> {
        let own = z.slot(item);
        let mut rates = stats.rates.clone();
        self.take(&mut rates, self.sum(stats, own), z.sizes()[own], item);
        rates
    }

    #[inline(always)]
    fn take(&self, rates: &mut [f64], sum: &[f64], size: u32, item: usize) {
        let kappa = self.variance.kappa + f64::from(size);
        self.add_squares(rates, self.row(item), sum, 1.0 / kappa, -0.5 * kappa / (kappa - 1.0));
        for rate in rates {
            // Never below the prior's but by rounding.
            *rate = if *rate > self.variance.rate { *rate } else { self.variance.rate };
        }
    }

    /// The log likelihood of a row beside `n` others with sum `sum`, up to a constant of the step;
    /// `power` is that of all items, `work` memory.
    #[inline(always)]
    fn score(&self, power: f64, rates: &[f64], row: &[f64], sum: &[f64], n: usize, work: &mut [f64]) -> f64 {
        let kappa = self.variance.kappa + n as f64;
        work.copy_from_slice(rates);
        self.add_squares(work, row, sum, 1.0 / kappa, 0.5 * kappa / (kappa + 1.0));
        for (after, before) in work.iter_mut().zip(rates) {
            *after = log(*after / before);
        }
        self.half_log_shrink[n] - power * work.iter().sum::<f64>()
    }

    /// The log weight of an item in a slot, `rates` being those of the others; `work` is memory.
    fn log_weight_beside(
        &self,
        rates: &[f64],
        work: &mut [f64],
        stats: &SharedStats,
        z: &Partition,
        item: usize,
        slot: usize,
    ) -> f64 {
        let (own, row) = (z.slot(item), self.row(item));
        let mut score = |sum: &[f64], n: usize| self.score(self.power, rates, row, sum, n, work);
        self.prior.log_place(z, item, slot)
            + if slot == z.clusters() {
                score(&vec![0.0; row.len()], 0)
            } else if slot == own {
                let rest: Vec<f64> = self.sum(stats, own).iter().zip(row).map(|(s, x)| s - x).collect();
                score(&rest, z.sizes()[own] as usize - 1)
            } else {
                score(self.sum(stats, slot), z.sizes()[slot] as usize)
            }
    }
}

impl Target for SharedVariance {
    type Stats = SharedStats;

    fn len(&self) -> usize {
        self.rows.len() / self.dimension()
    }

    fn sweep_work(&self) -> f64 {
        let cell = if self.sharing == Sharing::Everything { 1.5 } else { 10.0 };
        super::sweep_work(self.len(), cell * self.dimension() as f64 + 10.0)
    }

    /// `Q` from its parts: about the clusters' own means, and these about the prior's.
    fn stats(&self, z: &Partition) -> SharedStats {
        let (d, kappa) = (self.dimension(), self.variance.kappa);
        let columns = if self.sharing == Sharing::Everything { 1 } else { d };
        let mut stats = SharedStats {
            sums: vec![0.0; z.clusters() * d],
            rates: vec![self.variance.rate; columns],
            moves: 0,
        };
        for (item, slot) in z.places() {
            stats.sums[slot * d..][..d].iter_mut().zip(self.row(item)).for_each(|(s, x)| *s += x);
        }
        let n = |slot: usize| f64::from(z.sizes()[slot]);
        let column = |c: usize| if columns == 1 { 0 } else { c };
        for (item, slot) in z.places() {
            for (c, (x, s)) in self.row(item).iter().zip(&stats.sums[slot * d..][..d]).enumerate() {
                let e = x - s / n(slot);
                stats.rates[column(c)] += 0.5 * e * e;
            }
        }
        for slot in 0..z.clusters() {
            for (c, s) in stats.sums[slot * d..][..d].iter().enumerate() {
                let mean = s / n(slot);
                stats.rates[column(c)] += 0.5 * kappa * n(slot) / (kappa + n(slot)) * mean * mean;
            }
        }
        stats
    }

    fn log_weight(&self, stats: &SharedStats, z: &Partition, item: usize, slot: usize) -> f64 {
        let rates = self.rates_without(stats, z, item);
        self.log_weight_beside(&rates, &mut rates.clone(), stats, z, item, slot)
    }

    fn log_weights_of_two(
        &self,
        stats: &SharedStats,
        z: &Partition,
        item: usize,
        slots: [usize; 2],
    ) -> [f64; 2] {
        let rates = self.rates_without(stats, z, item);
        let mut work = rates.clone();
        slots.map(|slot| self.log_weight_beside(&rates, &mut work, stats, z, item, slot))
    }

    /// The power of the last factor is that of the items present and this one.
    fn log_weight_of_arrival(&self, stats: &SharedStats, z: &Partition, item: usize, slot: usize) -> f64 {
        let cells = if self.sharing == Sharing::Everything { self.dimension() } else { 1 };
        let power = self.variance.shape + 0.5 * ((z.present() + 1) * cells) as f64;
        let (row, mut work) = (self.row(item), stats.rates.clone());
        let mut score = |sum: &[f64], n| self.score(power, &stats.rates, row, sum, n, &mut work);
        self.prior.log_arrival(z, slot)
            + match z.sizes().get(slot) {
                Some(&size) => score(self.sum(stats, slot), size as usize),
                None => score(&vec![0.0; row.len()], 0),
            }
    }

    fn arrive(&self, stats: &mut SharedStats, z: &Partition, item: usize) {
        let (d, slot) = (self.dimension(), z.slot(item));
        stats.sums.resize(z.clusters() * d, 0.0);
        let (row, sum) = (self.row(item), &mut stats.sums[slot * d..][..d]);
        let kappa = self.variance.kappa + f64::from(z.sizes()[slot] - 1);
        self.add_squares(&mut stats.rates, row, sum, 1.0 / kappa, 0.5 * kappa / (kappa + 1.0));
        sum.iter_mut().zip(row).for_each(|(s, x)| *s += x);
    }

    fn depart(&self, stats: &mut SharedStats, z: &Partition, item: usize, from: usize) {
        let d = self.dimension();
        let sum = &mut stats.sums[from * d..][..d];
        self.take(&mut stats.rates, sum, z.sizes()[from] + 1, item);
        sum.iter_mut().zip(self.row(item)).for_each(|(s, x)| *s -= x);
    }

    #[inline(always)]
    fn log_weights(&self, stats: &SharedStats, z: &Partition, item: usize, out: &mut [f64]) {
        let (own, k) = (z.slot(item), z.clusters());
        let (row, alone) = (self.row(item), z.is_alone(item));
        let rates = self.rates_without(stats, z, item);
        let mut work = rates.clone();
        self.prior.log_places(z, item, out);
        for (slot, (out, sum)) in out.iter_mut().zip(stats.sums.chunks_exact(self.dimension())).enumerate() {
            if slot != own {
                *out += self.score(self.power, &rates, row, sum, z.sizes()[slot] as usize, &mut work);
            }
        }
        // Staying makes the rates what they are with the item in place.
        for ((work, with), without) in work.iter_mut().zip(&stats.rates).zip(&rates) {
            *work = log(with / without);
        }
        out[own] += self.half_log_shrink[z.sizes()[own] as usize - 1] - self.power * work.iter().sum::<f64>();
        if !alone {
            let kappa = self.variance.kappa;
            work.copy_from_slice(&rates);
            // Beside nothing: no sum to shrink towards, so any will do.
            self.add_squares(&mut work, row, row, 0.0, 0.5 * kappa / (kappa + 1.0));
            work.iter_mut().zip(&rates).for_each(|(after, before)| *after = log(*after / before));
            out[k] += self.half_log_shrink[0] - self.power * work.iter().sum::<f64>();
        }
    }

    fn relocate(&self, stats: &mut SharedStats, z: &Partition, step: Move) {
        let d = self.dimension();
        stats.moves = stats.moves.saturating_add(1);
        // Sizes before the move; the slot `to` is now in the place of `from` if that was closed.
        let last = z.clusters() - usize::from(!step.closed);
        let now = if step.closed && step.to == last { step.from } else { step.to };
        let joined = z.sizes()[now] - 1;
        let left = if step.closed { 1 } else { z.sizes()[step.from] + 1 };
        if step.opened {
            stats.sums.resize(stats.sums.len() + d, 0.0);
        }
        let row = self.row(step.item);
        self.take(&mut stats.rates, &stats.sums[step.from * d..][..d], left, step.item);
        let kappa = self.variance.kappa + f64::from(joined);
        let sum = &stats.sums[step.to * d..][..d];
        self.add_squares(&mut stats.rates, row, sum, 1.0 / kappa, 0.5 * kappa / (kappa + 1.0));
        stats.sums[step.from * d..][..d].iter_mut().zip(row).for_each(|(s, x)| *s -= x);
        stats.sums[step.to * d..][..d].iter_mut().zip(row).for_each(|(s, x)| *s += x);
        if step.closed {
            let end = stats.sums.len() - d;
            stats.sums.copy_within(end.., step.from * d);
            stats.sums.truncate(end);
        }
    }

    fn log_probability(&self, z: &Partition) -> f64 {
        let rates = self.stats(z).rates;
        let variance = &self.variance;
        let cells = self.power - variance.shape;
        let evidence = |rate: &f64| {
            ln_gamma(self.power) - ln_gamma(variance.shape) + variance.shape * ln(variance.rate)
                - cells * ln(std::f64::consts::TAU)
                - self.power * ln(*rate)
        };
        let shrink = |&n: &u32| ln(variance.kappa / (variance.kappa + f64::from(n)));
        let centers: f64 = z.sizes().iter().map(shrink).sum();
        self.prior.log_probability(z)
            + 0.5 * self.dimension() as f64 * centers
            + rates.iter().map(evidence).sum::<f64>()
    }

    fn refresh(&self, stats: &mut SharedStats, z: &Partition) {
        if stats.moves >= MOVES_BEFORE_REFRESH {
            *stats = self.stats(z);
        }
    }
}
