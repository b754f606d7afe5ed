//! The independent parts of what a run has kept: the sample that every answer from kept states averages.

use crate::config::StoppingRule;
use crate::engine::Draw;
use partita::Partition;
use std::collections::{BTreeMap, BTreeSet};

/// Kept states whose weighted sum of a function is one unbiased value: those of a replicate, or under the
/// deadline rule those of a worker, whose value is the mean over its replicates.
#[derive(Debug, Clone)]
pub(crate) struct Unit<'a> {
    /// Weights, of either sign, and states. The weights come to 1 on average.
    pub atoms: Vec<(f64, &'a Partition)>,
}

impl Unit<'_> {
    /// The unbiased value of a function of a state.
    pub fn value(&self, mut of: impl FnMut(&Partition) -> f64) -> f64 {
        self.atoms.iter().map(|(weight, z)| weight * of(z)).sum()
    }

    /// The weights alone.
    pub fn weights(&self) -> impl Iterator<Item = f64> {
        self.atoms.iter().map(|(weight, _)| *weight)
    }

    /// The sum of the weights.
    pub fn mass(&self) -> f64 {
        self.weights().sum()
    }
}

/// A sum of weights of either sign, told apart from its rounding.
///
/// Weights are rounded numbers, so what is equal on paper may differ in the last bits. The slack is a billionth of
/// the absolute weights: far above rounding, far below the weight of a state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mass {
    sum: f64,
    slack: f64,
}

impl Mass {
    pub fn of(weights: impl Iterator<Item = f64>) -> Self {
        let (sum, absolute) = weights.fold((0.0, 0.0), |(sum, absolute), w| (sum + w, absolute + w.abs()));
        Mass { sum, slack: 1e-9 * absolute }
    }

    /// The sum, if it is more than nothing: then one may divide by it.
    pub fn positive(self) -> Option<f64> {
        (self.sum > self.slack).then_some(self.sum)
    }

    /// Whether a part of the weights comes to a share of all.
    pub fn is_reached(self, part: f64, share: f64) -> bool {
        part >= share * self.sum - self.slack
    }
}

/// The worker of each replicate of a timed run, named by the number of its first one.
///
/// A worker has every `workers`-th number, from its first one on. One that was added later has the numbers of an earlier one,
/// after a gap of one: what the earlier one had in flight at its deadline is not used by anybody, since it was slow.
pub(crate) fn workers(stop: &StoppingRule, replicates: impl Iterator<Item = u64>) -> BTreeMap<u64, u64> {
    let StoppingRule::Time { workers, .. } = *stop else { return replicates.map(|n| (n, n)).collect() };
    let numbers: BTreeSet<u64> = replicates.collect();
    let mut owners = BTreeMap::new();
    for number in numbers {
        let before = number.checked_sub(workers).and_then(|before| owners.get(&before).copied());
        owners.insert(number, before.unwrap_or(number));
    }
    owners
}

/// The units of a run, in the order of replicates or of workers; `draws` are sorted by replicate.
///
/// A worker's replicates are exchangeable given how many it completed, so the mean over those that kept
/// states (the first ones, where there are very many) is as unbiased as the mean over all.
pub(crate) fn units<'a>(stop: &StoppingRule, draws: &'a [Draw]) -> Vec<Unit<'a>> {
    let replicates = draws.chunk_by(|a, b| a.replicate == b.replicate);
    match *stop {
        StoppingRule::Time { .. } => {
            let mut of_worker: BTreeMap<u64, Vec<&[Draw]>> = BTreeMap::new();
            let owners = workers(stop, draws.iter().map(|draw| draw.replicate));
            replicates.for_each(|kept| of_worker.entry(owners[&kept[0].replicate]).or_default().push(kept));
            let mean = |all: Vec<&'a [Draw]>| {
                let share = 1.0 / all.len() as f64;
                let atoms = all.into_iter().flatten();
                Unit { atoms: atoms.map(|d| (share * d.atom.weight, &d.atom.partition)).collect() }
            };
            of_worker.into_values().map(mean).collect()
        }
        _ => replicates
            .map(|kept| Unit { atoms: kept.iter().map(|d| (d.atom.weight, &d.atom.partition)).collect() })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita::atoms::Atom;

    #[test]
    fn a_worker_is_one_unit_and_its_replicates_share_it() {
        let partition = Partition::one_cluster(2).unwrap();
        let draw =
            |replicate, weight| Draw { replicate, atom: Atom { weight, partition: partition.clone() } };
        let draws = [draw(0, 1.5), draw(0, -0.5), draw(1, 2.0), draw(2, 3.0), draw(4, 1.0)];
        let masses = |stop| units(&stop, &draws).iter().map(Unit::mass).collect::<Vec<_>>();
        assert_eq!(masses(StoppingRule::Replicates { replicates: 5 }), [1.0, 2.0, 3.0, 1.0]);
        let of_workers = masses(StoppingRule::Time { workers: 2, seconds: 1.0, further: 0 });
        assert!((of_workers[0] - 5.0 / 3.0).abs() < 1e-12 && of_workers[1] == 2.0, "{of_workers:?}");
    }

    #[test]
    fn a_worker_that_was_added_begins_after_a_gap() {
        let stop = StoppingRule::Time { workers: 3, seconds: 1.0, further: 2 };
        // Worker 0: 0, 3, 6; nobody has 9; a further one: 12, 15. Worker 1: 1; a further one: 7. Worker 2: 2, 5.
        let owners = workers(&stop, [12, 0, 3, 1, 15, 7, 6, 2, 5].into_iter());
        let expected = [(0, 0), (1, 1), (2, 2), (3, 0), (5, 2), (6, 0), (7, 7), (12, 12), (15, 12)];
        assert_eq!(owners.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_share_that_is_reached_on_paper_is_reached() {
        let all = Mass::of([0.7; 60].into_iter());
        let part: f64 = [0.7; 57].iter().sum();
        assert!(part < 0.95 * all.sum, "in floating point it falls short");
        assert!(all.is_reached(part, 0.95) && !all.is_reached(part - 0.7, 0.95));
        assert!(Mass::of([0.1, 0.2, -0.3].into_iter()).positive().is_none());
        assert_eq!(Mass::of([0.5, -0.25].into_iter()).positive(), Some(0.25));
        assert!(Mass::of([0.5, -1.0].into_iter()).positive().is_none());
    }
}
