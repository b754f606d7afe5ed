//! A mixture: partition prior times likelihood.

use crate::likelihood::{Likelihood, Predict};
use crate::outline::Outline;
use crate::partition::{Move, Partition};
use crate::prior::{Prior, PriorTable};
use crate::target::{Predictive, Target, Trial};

/// The posterior over partitions under a Gibbs-type prior and a likelihood.
///
/// ```
/// use partita::{Gaussian, Mixture, Partition, Prior, Target};
/// let data = Gaussian::isotropic(vec![-1.0, -1.1, 1.0], 1, 1.0, 0.3)?;
/// let posterior = Mixture::new(Prior::dirichlet(1.0)?, data);
/// let apart = Partition::from_labels(&[0, 0, 1])?;
/// let wrong = Partition::from_labels(&[0, 1, 1])?;
/// assert!(posterior.log_probability(&apart) > posterior.log_probability(&wrong));
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mixture<L> {
    prior: PriorTable,
    likelihood: L,
}

/// The statistics of a mixture's clusters, by slot.
#[derive(Debug)]
pub struct MixtureStats<C> {
    clusters: Vec<C>,
    /// Closed clusters, kept so that opening one allocates nothing.
    spare: Vec<C>,
    /// Moves since the statistics were last built from scratch.
    moves: u32,
}

/// Drift is held by building the statistics anew, at the end of a sweep, after this many moves: by
/// then rounding has disturbed sums by about the square root of it, 256 units in the last place.
const MOVES_BEFORE_REFRESH: u32 = 1 << 16;

impl<C> MixtureStats<C> {
    /// The clusters, by slot.
    pub fn clusters(&self) -> &[C] {
        &self.clusters
    }
}

impl<C: Clone> Clone for MixtureStats<C> {
    fn clone(&self) -> Self {
        MixtureStats { clusters: self.clusters.clone(), spare: Vec::new(), moves: self.moves }
    }

    fn clone_from(&mut self, source: &Self) {
        self.moves = source.moves;
        // Move surplus clusters to the spares, or fetch some, then copy in place.
        while self.clusters.len() > source.clusters.len() {
            self.spare.extend(self.clusters.pop());
        }
        while self.clusters.len() < source.clusters.len() {
            match self.spare.pop() {
                Some(cluster) => self.clusters.push(cluster),
                None => self.clusters.push(source.clusters[self.clusters.len()].clone()),
            }
        }
        for (mine, theirs) in self.clusters.iter_mut().zip(&source.clusters) {
            mine.clone_from(theirs);
        }
    }
}

impl<L: Likelihood> Mixture<L> {
    /// The posterior of `prior` and `likelihood`.
    pub fn new(prior: Prior, likelihood: L) -> Self {
        Mixture { prior: PriorTable::new(prior, likelihood.len()), likelihood }
    }

    /// The partition prior.
    pub fn prior(&self) -> &Prior {
        self.prior.prior()
    }

    /// The likelihood.
    pub fn likelihood(&self) -> &L {
        &self.likelihood
    }

    /// The log predictive density at `x`, an item that is not among the data, given a partition's
    /// statistics: the prior's rule for one more item times the likelihood's density.
    pub fn log_predictive_density(&self, stats: &MixtureStats<L::Cluster>, z: &Partition, x: &[f64]) -> f64
    where
        L: Predict,
    {
        Predictive::log_predictive_density(self, stats, z, x)
    }

    /// The predictive density at `x`; see [`log_predictive_density`](Self::log_predictive_density).
    pub fn predictive_density(&self, stats: &MixtureStats<L::Cluster>, z: &Partition, x: &[f64]) -> f64
    where
        L: Predict,
    {
        Predictive::predictive_density(self, stats, z, x)
    }

    /// The prior, tabulated.
    pub(super) fn table(&self) -> &PriorTable {
        &self.prior
    }

    /// Appends an empty cluster.
    #[inline(always)]
    fn open(&self, stats: &mut MixtureStats<L::Cluster>) {
        let mut cluster = stats.spare.pop().unwrap_or_else(|| self.likelihood.empty());
        self.likelihood.clear(&mut cluster);
        stats.clusters.push(cluster);
    }

    #[inline(always)]
    fn log_prior(&self, z: &Partition, item: usize, slot: usize) -> f64 {
        let (own, k) = (z.slot(item), z.clusters());
        let alone = z.is_alone(item);
        if slot == k || (slot == own && alone) {
            self.prior.log_open(k - usize::from(alone))
        } else {
            self.prior.log_join(z.sizes()[slot] as usize - usize::from(slot == own))
        }
    }
}

impl<L: Likelihood> Target for Mixture<L> {
    type Stats = MixtureStats<L::Cluster>;

    fn len(&self) -> usize {
        self.likelihood.len()
    }

    fn sweep_work(&self) -> f64 {
        super::sweep_work(self.len(), self.likelihood.work() + 10.0)
    }

    fn stats(&self, z: &Partition) -> Self::Stats {
        let mut clusters: Vec<_> = (0..z.clusters()).map(|_| self.likelihood.empty()).collect();
        for (item, slot) in z.places() {
            self.likelihood.insert(&mut clusters[slot], item);
        }
        MixtureStats { clusters, spare: Vec::new(), moves: 0 }
    }

    #[inline(always)]
    fn log_weight(&self, stats: &Self::Stats, z: &Partition, item: usize, slot: usize) -> f64 {
        let likelihood = &self.likelihood;
        self.log_prior(z, item, slot)
            + if slot == z.clusters() {
                likelihood.log_predictive_alone(item)
            } else if slot == z.slot(item) {
                likelihood.log_predictive_without(&stats.clusters[slot], item)
            } else {
                likelihood.log_predictive(&stats.clusters[slot], item)
            }
    }

    #[inline(always)]
    fn log_weights(&self, stats: &Self::Stats, z: &Partition, item: usize, out: &mut [f64]) {
        let (k, own) = (z.clusters(), z.slot(item));
        for (out, &size) in out.iter_mut().zip(z.sizes()) {
            *out = self.prior.log_join(size as usize);
        }
        (out[own], out[k]) = if z.sizes()[own] == 1 {
            (self.prior.log_open(k - 1), f64::NEG_INFINITY)
        } else {
            (self.prior.log_join(z.sizes()[own] as usize - 1), self.prior.log_open(k))
        };
        self.likelihood.add_log_predictives(&stats.clusters, item, own, out);
    }

    #[inline(always)]
    fn relocate(&self, stats: &mut Self::Stats, _z: &Partition, step: Move) {
        stats.moves = stats.moves.saturating_add(1);
        if step.opened {
            self.open(stats);
        }
        self.likelihood.insert(&mut stats.clusters[step.to], step.item);
        if step.closed {
            let closed = stats.clusters.swap_remove(step.from);
            stats.spare.push(closed);
        } else {
            self.likelihood.remove(&mut stats.clusters[step.from], step.item);
        }
    }

    #[inline(always)]
    fn log_weight_of_arrival(&self, stats: &Self::Stats, z: &Partition, item: usize, slot: usize) -> f64 {
        self.prior.log_arrival(z, slot)
            + match stats.clusters.get(slot) {
                Some(cluster) => self.likelihood.log_predictive(cluster, item),
                None => self.likelihood.log_predictive_alone(item),
            }
    }

    #[inline(always)]
    fn arrive(&self, stats: &mut Self::Stats, z: &Partition, item: usize) {
        if stats.clusters.len() < z.clusters() {
            self.open(stats);
        }
        self.likelihood.insert(&mut stats.clusters[z.slot(item)], item);
    }

    fn depart(&self, stats: &mut Self::Stats, _z: &Partition, item: usize, from: usize) {
        self.likelihood.remove(&mut stats.clusters[from], item);
    }

    fn isolate(&self, stats: &mut Self::Stats, item: usize, slot: usize) -> bool {
        let cluster = &mut stats.clusters[slot];
        self.likelihood.clear(cluster);
        self.likelihood.insert(cluster, item);
        true
    }

    /// The two clusters alone, in slots 0 and 1.
    fn keep(&self, stats: &Self::Stats, slots: [usize; 2], kept: &mut Option<Self::Stats>) {
        let empty = || MixtureStats {
            clusters: slots.map(|_| self.likelihood.empty()).into(),
            spare: vec![],
            moves: 0,
        };
        let kept = kept.get_or_insert_with(empty);
        kept.moves = stats.moves;
        kept.clusters.iter_mut().zip(slots).for_each(|(kept, slot)| kept.clone_from(&stats.clusters[slot]));
    }

    fn restore(&self, stats: &mut Self::Stats, z: &Partition, slots: [usize; 2], kept: &Self::Stats) {
        stats.moves = kept.moves;
        while stats.clusters.len() > z.clusters() {
            stats.spare.extend(stats.clusters.pop());
        }
        kept.clusters.iter().zip(slots).for_each(|(kept, slot)| stats.clusters[slot].clone_from(kept));
    }

    #[inline(always)]
    fn trial(&self) -> Option<impl Trial<Self::Stats>> {
        Some(self)
    }

    fn log_probability(&self, z: &Partition) -> f64 {
        let mut clusters: Vec<_> = (0..z.clusters()).map(|_| self.likelihood.empty()).collect();
        let mut log_likelihood = 0.0;
        for (item, slot) in z.slots().enumerate() {
            log_likelihood += self.likelihood.log_predictive(&clusters[slot], item);
            self.likelihood.insert(&mut clusters[slot], item);
        }
        self.prior.log_probability(z) + log_likelihood
    }

    fn outline(&self) -> Option<Outline> {
        let (join, open) = self.prior.weights();
        let alone = |item| self.likelihood.log_predictive_alone(item);
        self.likelihood.outline().map(|clusters| Outline {
            items: self.len(),
            alone: (0..self.len()).map(alone).collect(),
            join: join.into(),
            open: open.into(),
            clusters,
        })
    }

    #[inline]
    fn refresh(&self, stats: &mut Self::Stats, z: &Partition) {
        if stats.moves < MOVES_BEFORE_REFRESH {
            return;
        }
        stats.moves = 0;
        for cluster in &mut stats.clusters {
            self.likelihood.clear(cluster);
        }
        for (item, slot) in z.slots().enumerate() {
            self.likelihood.insert(&mut stats.clusters[slot], item);
        }
    }
}

/// The sides are slots 0 and 1 of the room; what is kept of them is in slots 2 and 3.
impl<L: Likelihood> Trial<MixtureStats<L::Cluster>> for &Mixture<L> {
    fn begin(
        &self,
        stats: &MixtureStats<L::Cluster>,
        slots: [usize; 2],
        leaves: Option<usize>,
        room: &mut Option<MixtureStats<L::Cluster>>,
    ) {
        let empty = || MixtureStats {
            clusters: [(); 4].map(|()| self.likelihood.empty()).into(),
            spare: vec![],
            moves: 0,
        };
        let [i, j, ..] = &mut room.get_or_insert_with(empty).clusters[..] else { unreachable!("of four") };
        i.clone_from(&stats.clusters[slots[0]]);
        match leaves {
            Some(item) => {
                self.likelihood.clear(j);
                self.likelihood.insert(j, item);
                self.likelihood.remove(i, item);
            }
            None => j.clone_from(&stats.clusters[slots[1]]),
        }
    }

    #[inline(always)]
    fn shift(&self, room: &mut MixtureStats<L::Cluster>, item: usize, to_i: bool) {
        let [i, j, ..] = &mut room.clusters[..] else { unreachable!("of four") };
        let (from, to) = if to_i { (j, i) } else { (i, j) };
        self.likelihood.shift(from, to, item);
    }

    #[inline(always)]
    fn settle(&self, room: &mut MixtureStats<L::Cluster>) {
        self.likelihood.settle(&mut room.clusters[0]);
        self.likelihood.settle(&mut room.clusters[1]);
    }

    #[inline(always)]
    fn quick_log_odds(
        &self,
        room: &MixtureStats<L::Cluster>,
        sizes: [usize; 2],
        item: usize,
        with_i: bool,
    ) -> Option<f64> {
        let (own, other) = if with_i { (0, 1) } else { (1, 0) };
        let clusters = &room.clusters[..2];
        let density = self.likelihood.quick_difference(&clusters[own], &clusters[other], item)?;
        let move_on = density + (self.prior.log_join(sizes[other]) - self.prior.log_join(sizes[own] - 1));
        Some(if with_i { move_on } else { -move_on })
    }

    fn slack(&self) -> f64 {
        self.likelihood.slack() + 1e-9
    }

    #[inline(always)]
    fn log_weights(
        &self,
        room: &mut MixtureStats<L::Cluster>,
        sizes: [usize; 2],
        item: usize,
        with_i: bool,
    ) -> [f64; 2] {
        let likelihood = &self.likelihood;
        let [i, j, ..] = &mut room.clusters[..] else { unreachable!("of four") };
        likelihood.complete(i);
        likelihood.complete(j);
        if with_i {
            [
                self.prior.log_join(sizes[0] - 1) + likelihood.log_predictive_without(i, item),
                self.prior.log_join(sizes[1]) + likelihood.log_predictive(j, item),
            ]
        } else {
            [
                self.prior.log_join(sizes[0]) + likelihood.log_predictive(i, item),
                self.prior.log_join(sizes[1] - 1) + likelihood.log_predictive_without(j, item),
            ]
        }
    }

    fn quick_split(
        &self,
        room: &MixtureStats<L::Cluster>,
        [m, n]: [usize; 2],
        clusters: usize,
    ) -> Option<(f64, f64)> {
        let (density, error) = self.likelihood.quick_split([&room.clusters[0], &room.clusters[1]])?;
        let joins = |sizes: std::ops::Range<usize>| sizes.map(|size| self.prior.log_join(size)).sum::<f64>();
        let prior = self.prior.log_open(clusters) + joins(1..n) - joins(m..m + n);
        // An addition of numbers below 100 for each item, here and in steps.
        Some((density + prior, error + 1e-13 * (m + n) as f64 * (m + n) as f64))
    }

    #[inline]
    fn keep(&self, room: &mut MixtureStats<L::Cluster>) {
        let [i, j, kept_i, kept_j] = &mut room.clusters[..] else { unreachable!("of four") };
        kept_i.clone_from(i);
        kept_j.clone_from(j);
    }

    fn bring_back(&self, room: &mut MixtureStats<L::Cluster>) {
        let [i, j, kept_i, kept_j] = &mut room.clusters[..] else { unreachable!("of four") };
        i.clone_from(kept_i);
        j.clone_from(kept_j);
    }
}
