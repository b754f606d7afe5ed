//! All partitions of a few items: the oracle of the tests.

use super::Partition;

/// Iterates over all partitions of `0..items`, as restricted growth strings in lexicographic order.
///
/// ```
/// use partita::partition::Partitions;
/// assert_eq!(Partitions::of(4).count(), 15);
/// ```
#[derive(Debug, Clone)]
pub struct Partitions {
    labels: Option<Vec<usize>>,
}

impl Partitions {
    /// All partitions of `items` items (there are [`bell_number`] of them).
    ///
    /// # Panics
    /// If `items` is zero.
    pub fn of(items: usize) -> Self {
        assert!(items > 0, "a partition needs at least one item");
        Partitions { labels: Some(vec![0; items]) }
    }
}

impl Iterator for Partitions {
    type Item = Partition;

    fn next(&mut self) -> Option<Partition> {
        let labels = self.labels.as_mut()?;
        let current = Partition::from_labels(labels).expect("there is at least one item");
        // A label may be at most one more than the largest before it.
        let raised = (1..labels.len()).rev().find(|&i| {
            let largest = labels[..i].iter().max().expect("i > 0");
            labels[i] <= *largest
        });
        match raised {
            Some(i) => {
                labels[i] += 1;
                labels[i + 1..].fill(0);
            }
            None => self.labels = None,
        }
        Some(current)
    }
}

/// The number of partitions of `items` items.
///
/// ```
/// assert_eq!(partita::partition::bell_number(10), 115_975);
/// ```
pub fn bell_number(items: usize) -> u128 {
    // The Bell triangle: each row starts with the last entry of the one before.
    let mut row: Vec<u128> = vec![1];
    for _ in 1..items.max(1) {
        let mut next = vec![*row.last().expect("rows are not empty")];
        for &x in &row {
            next.push(next.last().expect("rows are not empty") + x);
        }
        row = next;
    }
    *row.last().expect("rows are not empty")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_partition_once() {
        for n in 1..=8 {
            let all: HashSet<_> = Partitions::of(n).map(|z| z.canonical_labels()).collect();
            assert_eq!(all.len(), Partitions::of(n).count());
            assert_eq!(all.len() as u128, bell_number(n));
        }
    }
}
