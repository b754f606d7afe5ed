//! A prior's weights for a fixed number of items, tabulated once: what a chain looks up.

use super::Prior;
use crate::math::ln;
use crate::partition::Partition;

/// The weights of a prior for a fixed number of items, tabulated once.
#[derive(Debug, Clone)]
pub struct PriorTable {
    prior: Prior,
    items: usize,
    join: Vec<f64>,
    open: Vec<f64>,
}

/// Chains hold few clusters; beyond this many the weight of a new one is computed when asked for.
const TABULATED_CLUSTERS: usize = 1024;

impl PriorTable {
    /// Tabulates `prior` for partitions of `items` items.
    pub fn new(prior: Prior, items: usize) -> Self {
        let sigma = prior.sigma();
        PriorTable {
            prior,
            items,
            join: (0..=items)
                .map(|n| if n == 0 { f64::NEG_INFINITY } else { ln(n as f64 - sigma) })
                .collect(),
            open: (0..items.min(TABULATED_CLUSTERS)).map(|k| prior.log_open(items, k)).collect(),
        }
    }

    /// The prior tabulated here.
    pub fn prior(&self) -> &Prior {
        &self.prior
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
    pub fn log_places_of_one_more(&self, z: &Partition) -> Vec<f64> {
        let (n, k, prior) = (z.len(), z.clusters(), &self.prior);
        let here = prior.log_v(n, k);
        let stay = prior.log_v(n + 1, k) - here;
        let joins = z.sizes().iter().map(|&size| stay + self.log_join(size as usize));
        joins.chain([prior.log_v(n + 1, k + 1) - here]).collect()
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
