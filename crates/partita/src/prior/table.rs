//! A prior's weights for a fixed number of items, tabulated once: what a chain looks up.

use super::Prior;
use crate::math::ln;
use crate::partition::Partition;
use std::sync::OnceLock;

/// The weights of a prior for a fixed number of items, tabulated once.
#[derive(Debug, Clone)]
pub struct PriorTable {
    prior: Prior,
    items: usize,
    join: Vec<f64>,
    open: Vec<f64>,
    /// By the number of clusters, found when first asked for: `ln V`, and the log weight of a new
    /// cluster for an item beyond the data.
    log_v: Vec<OnceLock<f64>>,
    open_beyond: Vec<OnceLock<f64>>,
    /// The log weight of a new cluster for an item that arrives: by the items present, then by clusters.
    open_arrivals: OnceLock<Vec<OnceLock<f64>>>,
}

/// Chains hold few clusters; beyond this many what depends on their number is computed when asked for.
const TABULATED_CLUSTERS: usize = 1024;

/// The same for items that arrive, each after another number of items.
const TABULATED_BY_ARRIVAL: usize = 32;

/// An entry of a table that fills up as it is asked for.
fn entry(table: &[OnceLock<f64>], at: usize, value: impl FnOnce() -> f64) -> f64 {
    match table.get(at) {
        Some(entry) => *entry.get_or_init(value),
        None => value(),
    }
}

impl PriorTable {
    /// Tabulates `prior` for partitions of `items` items.
    pub fn new(prior: Prior, items: usize) -> Self {
        let sigma = prior.sigma();
        let asked_for = || vec![OnceLock::new(); (items + 1).min(TABULATED_CLUSTERS)];
        PriorTable {
            prior,
            items,
            join: (0..=items)
                .map(|n| if n == 0 { f64::NEG_INFINITY } else { ln(n as f64 - sigma) })
                .collect(),
            open: (0..items.min(TABULATED_CLUSTERS)).map(|k| prior.log_open(items, k)).collect(),
            log_v: asked_for(),
            open_beyond: asked_for(),
            open_arrivals: OnceLock::new(),
        }
    }

    /// The prior tabulated here.
    pub fn prior(&self) -> &Prior {
        &self.prior
    }

    /// The log weights of joining, by size, and of opening, by the number of clusters as far as tabulated.
    pub(crate) fn weights(&self) -> (&[f64], &[f64]) {
        (&self.join, &self.open)
    }

    /// The log weight of joining a cluster of `size` other items.
    #[inline]
    pub fn log_join(&self, size: usize) -> f64 {
        self.join[size]
    }

    /// The log weight of opening a new cluster beside `clusters` others.
    #[inline]
    pub fn log_open(&self, clusters: usize) -> f64 {
        match self.open.get(clusters) {
            Some(&weight) => weight,
            None => self.prior.log_open(self.items, clusters),
        }
    }

    /// The log probability that one more item joins each slot of `z`; that of a new cluster last.
    ///
    /// By consistency `V(n, k) = (n - sigma k) V(n + 1, k) + V(n + 1, k + 1)`, so that the weights `n_j - sigma`
    /// and `V(n + 1, k + 1) / V(n + 1, k)` sum to a known number that depends on `k` alone, and nothing cancels.
    ///
    /// # Panics
    /// If `z` is not a partition of the items tabulated.
    pub fn log_places_of_one_more(&self, z: &Partition) -> Vec<f64> {
        assert_eq!(z.len(), self.items, "a partition of the items tabulated");
        let (n, k) = (self.items, z.clusters());
        let open = entry(&self.open_beyond, k, || self.prior.log_open(n + 1, k));
        let total = ln(n as f64 - k as f64 * self.prior.sigma() + libm::exp(open));
        let joins = z.sizes().iter().map(|&size| self.log_join(size as usize));
        joins.chain([open]).map(|weight| weight - total).collect()
    }

    /// The logarithm of the sum of the weights of `item` in all slots and in a new cluster, given the rest of `z`: by
    /// consistency it depends only on the number of other clusters.
    pub fn log_total_without(&self, z: &Partition, item: usize) -> f64 {
        let k = z.clusters() - usize::from(z.is_alone(item));
        ln((self.items - 1) as f64 - k as f64 * self.prior.sigma() + libm::exp(self.log_open(k)))
    }

    /// The log probability of a partition; see [`Prior::log_probability`].
    ///
    /// # Panics
    /// If `z` is not a partition of the items tabulated.
    pub fn log_probability(&self, z: &Partition) -> f64 {
        assert_eq!(z.len(), self.items, "a partition of the items tabulated");
        let (n, k) = (self.items, z.clusters());
        entry(&self.log_v, k, || self.prior.log_v(n, k)) + self.prior.log_sizes(z)
    }

    /// The log weight of `item` in `slot` given the rest of `z`, where an item that is alone opens a
    /// cluster by staying; see [`Target`](crate::Target).
    #[inline]
    pub fn log_place(&self, z: &Partition, item: usize, slot: usize) -> f64 {
        let (own, k, alone) = (z.slot(item), z.clusters(), z.is_alone(item));
        if slot == k || (slot == own && alone) {
            self.log_open(k - usize::from(alone))
        } else {
            self.log_join(z.sizes()[slot] as usize - usize::from(slot == own))
        }
    }

    /// The log weight of an item that `z` does not hold in `slot`, given the items that it holds.
    #[inline]
    pub fn log_arrival(&self, z: &Partition, slot: usize) -> f64 {
        match z.sizes().get(slot) {
            Some(&size) => self.log_join(size as usize),
            None => self.log_open_for_arrival(z.present(), z.clusters()),
        }
    }

    /// The log weight of a new cluster for an item that arrives after `present` others in `clusters` clusters.
    fn log_open_for_arrival(&self, present: usize, clusters: usize) -> f64 {
        let value = || self.prior.log_open(present + 1, clusters);
        if clusters >= TABULATED_BY_ARRIVAL {
            return value();
        }
        let table =
            self.open_arrivals.get_or_init(|| vec![OnceLock::new(); (self.items + 1) * TABULATED_BY_ARRIVAL]);
        entry(table, present * TABULATED_BY_ARRIVAL + clusters, value)
    }

    /// The log weights of `item` in all slots and in a new cluster.
    #[inline(always)]
    pub fn log_places(&self, z: &Partition, item: usize, out: &mut [f64]) {
        let (own, k) = (z.slot(item), z.clusters());
        for (out, &size) in out.iter_mut().zip(z.sizes()) {
            *out = self.log_join(size as usize);
        }
        out[own] = self.log_place(z, item, own);
        out[k] = if z.is_alone(item) { f64::NEG_INFINITY } else { self.log_open(k) };
    }
}
