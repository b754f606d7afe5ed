//! Clusterings that the co-clustering matrix shows: the cuts of its tree of average linkage.

use kodama::{Method, linkage};
use partita::Partition;
use std::ops::RangeInclusive;

/// States that the matrix is made of: an evenly spread part is enough for a tree.
const STATES: usize = 300;
/// Items up to which a tree is made; its matrix grows with the square.
const MOST_ITEMS: usize = 2000;

/// The cuts into so many clusters; none of very large tables.
pub(super) fn cuts(atoms: &[(f64, &Partition)], clusters: RangeInclusive<usize>) -> Vec<Partition> {
    let items = atoms.first().map_or(0, |(_, z)| z.len());
    if !(2..=MOST_ITEMS).contains(&items) {
        return Vec::new();
    }
    let mut distances = Vec::with_capacity(items * (items - 1) / 2);
    let some: Vec<_> = atoms.iter().step_by(atoms.len().div_ceil(STATES)).collect();
    for i in 0..items {
        let mut row = vec![0.0; items - i - 1];
        for (weight, z) in &some {
            let slot = z.slot(i);
            row.iter_mut()
                .zip(i + 1..)
                .for_each(|(sum, j)| *sum -= if z.slot(j) == slot { *weight } else { 0.0 });
        }
        distances.extend(row);
    }
    let tree = linkage(&mut distances, items, Method::Average);
    let cut = |clusters: usize| {
        // The items of every node of the tree below the cut; a node that was joined is empty.
        let mut nodes: Vec<Vec<usize>> = (0..items).map(|item| vec![item]).collect();
        for fork in &tree.steps()[..items - clusters] {
            let mut joined = std::mem::take(&mut nodes[fork.cluster1]);
            joined.append(&mut nodes[fork.cluster2]);
            nodes.push(joined);
        }
        let mut labels = vec![0; items];
        nodes
            .iter()
            .enumerate()
            .for_each(|(node, members)| members.iter().for_each(|&item| labels[item] = node));
        Partition::from_labels(&labels).expect("there are items")
    };
    let most = (*clusters.end()).min(items);
    ((*clusters.start()).max(1)..=most).map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pairs that are always together, often with each other, and an item that is alone.
    #[test]
    fn a_tree_is_cut_where_items_part() {
        let z = |labels: &[usize]| Partition::from_labels(labels).unwrap();
        let states = [z(&[0, 1, 0, 1, 2]), z(&[0, 0, 0, 0, 1]), z(&[0, 1, 0, 1, 2])];
        let atoms: Vec<(f64, &Partition)> = states.iter().map(|state| (1.0, state)).collect();
        let found: Vec<Vec<usize>> = cuts(&atoms, 1..=3).iter().map(Partition::canonical_labels).collect();
        assert_eq!(found, [vec![0; 5], vec![0, 0, 0, 0, 1], vec![0, 1, 0, 1, 2]]);
        assert_eq!(cuts(&atoms, 4..=9).len(), 2, "no more clusters than items");
        assert!(cuts(&[], 1..=3).is_empty());
    }
}
