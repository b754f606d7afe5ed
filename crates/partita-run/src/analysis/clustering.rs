//! The co-clustering matrix from kept states, and one clustering to order it by.

use crate::directory::Draw;
use partita::Partition;

/// Estimated probabilities that items share a cluster, for the items shown.
pub(crate) struct CoMatrix {
    /// The items shown, ordered by the clustering.
    pub items: Vec<usize>,
    /// Row by row, in that order.
    pub values: Vec<f64>,
    /// The cluster of *every* item.
    pub clusters: Vec<usize>,
}

/// Candidates for the clustering: states that were kept.
const CANDIDATES: usize = 100;

/// The matrix of at most `most` items (spread evenly over the data), from draws of `replicates`.
pub(crate) fn co_matrix(draws: &[Draw], most: usize) -> Option<CoMatrix> {
    let first = draws.first()?;
    let items = first.atom.partition.len();
    let shown: Vec<usize> = (0..items.min(most)).map(|i| i * items / items.min(most)).collect();
    // An estimate a replicate is the sum over its atoms; the answer is the mean over replicates.
    let mut replicates = 0u64;
    let mut last = None;
    let n = shown.len();
    let mut values = vec![0.0; n * n];
    for draw in draws {
        replicates += u64::from(last != Some(draw.replicate));
        last = Some(draw.replicate);
        let slots: Vec<usize> = shown.iter().map(|&i| draw.atom.partition.slot(i)).collect();
        for (row, slot) in values.chunks_exact_mut(n).zip(&slots) {
            for (value, other) in row.iter_mut().zip(&slots) {
                *value += if slot == other { draw.atom.weight } else { 0.0 };
            }
        }
    }
    values.iter_mut().for_each(|v| *v /= replicates as f64);
    let clusters = candidate(draws, &shown, &values);
    // Clusters by size, items within them as they come.
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| clusters[shown[i]]);
    let ordered =
        order.iter().flat_map(|&i| order.iter().map(move |&j| (i, j))).map(|(i, j)| values[i * n + j]);
    Some(CoMatrix { values: ordered.collect(), items: order.iter().map(|&i| shown[i]).collect(), clusters })
}

/// The kept state with the smallest expected Binder loss on the items shown, clusters by size.
fn candidate(draws: &[Draw], shown: &[usize], matrix: &[f64]) -> Vec<usize> {
    let n = shown.len();
    let stride = draws.len().div_ceil(CANDIDATES);
    let loss = |z: &Partition| -> f64 {
        let slots: Vec<usize> = shown.iter().map(|&i| z.slot(i)).collect();
        let together = |i: usize, j: usize| slots[i] == slots[j];
        (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| if together(i, j) { 1.0 - matrix[i * n + j] } else { matrix[i * n + j] })
            .sum()
    };
    let best = draws
        .iter()
        .step_by(stride)
        .map(|draw| (loss(&draw.atom.partition), &draw.atom.partition))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .expect("there are draws")
        .1;
    let mut by_size: Vec<usize> = (0..best.clusters()).collect();
    by_size.sort_by_key(|&slot| std::cmp::Reverse(best.sizes()[slot]));
    let mut rank = vec![0; by_size.len()];
    by_size.iter().enumerate().for_each(|(r, &slot)| rank[slot] = r);
    best.slots().map(|slot| rank[slot]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita::atoms::Atom;

    #[test]
    fn the_matrix_averages_replicates_and_orders_by_cluster() {
        let draw = |replicate, weight, labels: &[usize]| Draw {
            replicate,
            atom: Atom { weight, partition: Partition::from_labels(labels).unwrap() },
        };
        let draws =
            [draw(0, 1.0, &[0, 1, 0, 1, 1]), draw(1, 1.5, &[0, 1, 0, 1, 1]), draw(1, -0.5, &[0, 0, 0, 0, 0])];
        let matrix = co_matrix(&draws, 10).unwrap();
        // The larger cluster {1, 3, 4} comes first.
        assert_eq!(matrix.items, [1, 3, 4, 0, 2]);
        assert_eq!(matrix.clusters, [1, 0, 1, 0, 0]);
        assert_eq!(matrix.values[1], 1.0, "items 1 and 3 are always together");
        assert_eq!(matrix.values[3], -0.25, "items 1 and 0: raw, not clipped");
    }
}
