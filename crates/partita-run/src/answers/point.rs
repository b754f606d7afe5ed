//! One clustering: found on one half of the replicates, judged on the other.
//!
//! The expected loss of a *fixed* clustering is an ordinary expectation and its estimate unbiased; that of a
//! clustering chosen for its small estimate is not. So the search sees every other unit of the sample only,
//! and everything that is said about its result comes from the rest. See `docs/decisions/0007`.

use super::cuts::cuts;
use super::units::{Mass, Unit};
use crate::config::Loss;
use crate::results::{Ball, Clustering};
use partita::aggregate;
use partita::aggregate::Means;
use partita::partition::{Metric, Overlap};
use partita::search::{Effort, center};
use partita::{Partition, Stream};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// A clustering with what is known about it.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    /// The clustering; slots by size, the largest first.
    pub partition: Partition,
    /// For each item, the probability that it shares a cluster with another member of its own, averaged over
    /// them; for one that is alone, that it is alone. With its standard error.
    pub certainty: Vec<(f64, f64)>,
    /// The states that bound the credible ball: upper, lower and horizontal.
    pub bounds: Option<[Partition; 3]>,
    /// The numbers.
    pub clustering: Clustering,
}

fn metric(loss: Loss) -> Metric {
    match loss {
        Loss::Vi => Metric::Vi,
        Loss::Binder => Metric::Hamming,
    }
}

/// The loss in the units that are told: VI in nats, Binder as the share of ordered pairs.
pub(crate) fn distance(loss: Loss, x: &Partition, y: &Partition) -> f64 {
    let unit = match loss {
        Loss::Vi => 1.0,
        Loss::Binder => (x.len() as f64).powi(2),
    };
    metric(loss).distance(x, y) / unit
}

/// The same partition, slots by size; among equals the one with the first item first.
pub(super) fn by_size(z: &Partition) -> Partition {
    let labels = z.canonical_labels();
    let mut sizes = vec![0usize; z.clusters()];
    labels.iter().for_each(|&label| sizes[label] += 1);
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&label| std::cmp::Reverse(sizes[label]));
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(r, &label)| rank[label] = r);
    let labels: Vec<usize> = labels.iter().map(|&label| rank[label]).collect();
    Partition::from_labels(&labels).expect("a partition has items")
}

/// The units that a clustering is searched on, and the rest.
fn halves<'u, 'a>(units: &'u [Unit<'a>]) -> (Vec<&'u Unit<'a>>, Vec<&'u Unit<'a>>) {
    (units.iter().step_by(2).collect(), units.iter().skip(1).step_by(2).collect())
}

/// The units that say something about the clustering: those it was not searched on, or the only one.
pub(super) fn judges<'u, 'a>(units: &'u [Unit<'a>]) -> Vec<&'u Unit<'a>> {
    let (search, rest) = halves(units);
    if rest.is_empty() { search } else { rest }
}

/// Finds and judges one clustering; none where nothing was kept.
pub(crate) fn point(units: &[Unit], loss: Loss, seed: u64) -> Option<Point> {
    let (search, rest) = halves(units);
    let atoms: Vec<(f64, &Partition)> = search.iter().flat_map(|unit| unit.atoms.iter().copied()).collect();
    atoms.first()?;
    // Binder's loss would rather put every doubtful item into a cluster of its own than be wrong about it.
    let plausible = plausible_clusters(&atoms);
    let mut found = center(&atoms, metric(loss), *plausible.end(), &Effort::default(), &Stream::new(seed, 0));
    // And VI lumps groups that overlap, though the posterior holds them apart.
    if LUMP * found.clusters() <= *plausible.start() {
        found = shown_apart(&atoms, loss, plausible).unwrap_or(found);
    }
    Some(judge(by_size(&found), &search, &rest, loss))
}

/// The clustering of smallest loss among those with a plausible number of clusters that the posterior shows: its kept states
/// and the cuts of the tree of its co-clustering matrix. (Any clustering at all would be a lump and single items.)
fn shown_apart(
    atoms: &[(f64, &Partition)],
    loss: Loss,
    plausible: RangeInclusive<usize>,
) -> Option<Partition> {
    let stride = atoms.len().div_ceil(COMPARED);
    let some = || atoms.iter().step_by(stride);
    let states = some().map(|(_, z)| *z).filter(|z| plausible.contains(&z.clusters())).cloned();
    let expected = |z: &Partition| some().map(|(weight, w)| weight * distance(loss, z, w)).sum::<f64>();
    let scored = cuts(atoms, plausible.clone()).into_iter().chain(states).map(|z| (expected(&z), z));
    scored.reduce(|best, next| if next.0 < best.0 { next } else { best }).map(|(_, z)| z)
}

/// States that are compared with each other, evenly spread.
const COMPARED: usize = 300;

/// A clustering is a lump where the posterior has at least so many times its clusters: to join a few small ones that overlap is not.
const LUMP: usize = 2;

/// The probability of more clusters than are plausible, or fewer.
const TAIL: f64 = 0.025;

/// The central 95% of the number of clusters.
fn plausible_clusters(atoms: &[(f64, &Partition)]) -> RangeInclusive<usize> {
    let mut mass: BTreeMap<usize, f64> = BTreeMap::new();
    atoms.iter().for_each(|(weight, z)| *mass.entry(z.clusters()).or_default() += weight);
    let all = Mass::of(atoms.iter().map(|(weight, _)| *weight));
    let upto = |share: f64| {
        let mut sum = 0.0;
        let reached = mass.iter().find(|(_, weight)| {
            sum += **weight;
            all.is_reached(sum, share)
        });
        reached.map(|(clusters, _)| *clusters)
    };
    match (upto(TAIL), upto(1.0 - TAIL)) {
        (Some(fewest), Some(most)) if all.positive().is_some() => fewest..=most,
        // Weights of either sign that come to nothing: no number is known.
        _ => 1..=usize::MAX,
    }
}

/// What the units of `rest` say about a clustering; `search` helps without being trusted.
///
/// The weights of a unit's kept states come to 1 on average only. An estimate `b + sum w (f - b)` has the same
/// expectation for any `b` known beforehand, and hardly varies with the weights where `b` is near the answer:
/// `b` comes from the other half.
pub(crate) fn judge(partition: Partition, search: &[&Unit], rest: &[&Unit], loss: Loss) -> Point {
    let judges = if rest.is_empty() { search } else { rest };
    let far = |z: &Partition| distance(loss, &partition, z);
    let mass =
        Mass::of(search.iter().flat_map(|unit| unit.weights())).positive().filter(|_| !rest.is_empty());
    let base = mass.map_or(0.0, |mass| search.iter().map(|unit| unit.value(far)).sum::<f64>() / mass);
    let losses: Vec<f64> = judges.iter().map(|unit| base + unit.value(|z| far(z) - base)).collect();
    let estimate = aggregate::mean(&losses).expect("there is a unit");
    let known = !rest.is_empty();
    let (radius, bounds) = ball(&partition, judges, loss);
    let certainty = certainties(&partition, judges, known.then_some(search));
    let mut of_cluster = vec![0.0; partition.clusters()];
    for (slot, (certainty, _)) in partition.slots().zip(&certainty) {
        of_cluster[slot] += certainty / f64::from(partition.sizes()[slot]);
    }
    let clustering = Clustering {
        loss: loss.to_string(),
        expected_loss: known.then_some(estimate.value),
        se: super::finite(estimate.se).filter(|_| known),
        ci95: super::interval(&estimate).filter(|_| known),
        sizes: partition.sizes().iter().map(|&size| u64::from(size)).collect(),
        certainty: of_cluster,
        ball: Ball {
            radius,
            upper: bounds.as_ref().map(|b| b[0].clusters() as u64),
            lower: bounds.as_ref().map(|b| b[1].clusters() as u64),
            horizontal: bounds.as_ref().map(|b| far(&b[2])),
        },
        reference_ari: None,
        reference_vi: None,
        reference_missing: None,
    };
    Point { partition, certainty, bounds, clustering }
}

/// Adds to `out` what a state says of each item, times `weight`.
fn add_shares(partition: &Partition, z: &Partition, weight: f64, out: &mut [f64]) {
    let overlap = Overlap::new(partition, z);
    for (item, out) in out.iter_mut().enumerate() {
        let (own, slot) = (partition.slot(item), z.slot(item));
        let size = partition.sizes()[own];
        *out += weight
            * if size == 1 {
                f64::from(u8::from(z.sizes()[slot] == 1))
            } else {
                f64::from(overlap.shared(own, slot) - 1) / f64::from(size - 1)
            };
    }
}

fn certainties(partition: &Partition, judges: &[&Unit], search: Option<&[&Unit]>) -> Vec<(f64, f64)> {
    let items = partition.len();
    let mut base = vec![0.0; items];
    if let Some(search) = search {
        // A part of the other half is enough for a number that only steadies.
        let part = || search.iter().step_by(search.len().div_ceil(200));
        for unit in part() {
            unit.atoms.iter().for_each(|(weight, z)| add_shares(partition, z, *weight, &mut base));
        }
        let used = Mass::of(part().flat_map(|unit| unit.weights())).positive().unwrap_or(f64::INFINITY);
        base.iter_mut().for_each(|b| *b /= used);
    }
    let mut means = Means::new(items);
    for unit in judges {
        let missing = 1.0 - unit.mass();
        let mut values: Vec<f64> = base.iter().map(|b| b * missing).collect();
        unit.atoms.iter().for_each(|(weight, z)| add_shares(partition, z, *weight, &mut values));
        means.push(&values);
    }
    (0..items).map(|item| (means.mean()[item], means.se(item))).collect()
}

/// Share of the posterior that a credible ball holds.
const HELD: f64 = 0.95;

/// The radius of the 95% credible ball and the kept states that bound it (Wade, Ghahramani 2018).
///
/// The distribution function of the distance is a sum of weights of either sign, so it is made monotone by its
/// running maximum, and divided by the sum of all weights, which is 1 on average; where that is not positive, the
/// weights that are not are left out. States at the same distance are taken together: distances that are equal on
/// paper are equal ([`Metric::distance`]).
fn ball(partition: &Partition, judges: &[&Unit], loss: Loss) -> (f64, Option<[Partition; 3]>) {
    let atoms = judges.iter().flat_map(|unit| unit.atoms.iter());
    let mut states: Vec<(f64, f64, &Partition)> =
        atoms.map(|&(weight, z)| (distance(loss, partition, z), weight, z)).collect();
    states.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mass = |states: &[(f64, f64, &Partition)]| Mass::of(states.iter().map(|(_, weight, _)| *weight));
    let mut radius = states.last().map_or(0.0, |(distance, ..)| *distance);
    if mass(&states).positive().is_none() {
        states.retain(|(_, weight, _)| *weight > 0.0);
    }
    let (all, mut held) = (mass(&states), 0.0);
    for same in states.chunk_by(|a, b| a.0 == b.0) {
        held += same.iter().map(|(_, weight, _)| weight).sum::<f64>();
        if all.is_reached(held, HELD) {
            radius = same[0].0;
            break;
        }
    }
    let inside = || states.iter().filter(|(distance, weight, _)| *distance <= radius && *weight > 0.0);
    // The farthest of those with the fewest clusters, with the most, and of all.
    let farthest = |clusters: Option<usize>| {
        let among = inside().filter(|(.., z)| clusters.is_none_or(|k| z.clusters() == k));
        among.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(.., z)| (*z).clone())
    };
    let fewest = inside().map(|(.., z)| z.clusters()).min();
    let most = inside().map(|(.., z)| z.clusters()).max();
    let bounds = fewest
        .zip(most)
        .and_then(|(fewest, most)| Some([farthest(Some(fewest))?, farthest(Some(most))?, farthest(None)?]));
    (radius, bounds)
}

#[cfg(test)]
mod tests;
