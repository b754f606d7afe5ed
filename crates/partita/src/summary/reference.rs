//! The comparison of a partition with a known clustering of all or some of the items.

use super::Summary;
use crate::error::{Error, Result};
use crate::partition::{Metric, Partition, adjusted_rand};
use crate::target::{State, Target};

/// How far a partition is from a given reference clustering: Hamming, VI, adjusted Rand.
///
/// ```
/// use partita::summary::{Reference, Summary};
/// use partita::{Coloring, Graph, Partition, State};
/// // Items 0 and 2 are known to be alike, 3 to be another kind; of item 1 nothing is known.
/// let known = Partition::from_labels(&[0, 0, 1])?;
/// let reference = Reference::among(vec![0, 2, 3], known)?;
/// let target = Coloring::new(Graph::new(4, &[])?, 4)?;
/// let state = State::new(&target, Partition::from_labels(&[0, 1, 0, 1])?);
/// let mut values = [0.0; 3];
/// reference.evaluate(&target, &state, &mut values);
/// assert_eq!(values, [0.0, 0.0, 1.0]);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Reference {
    /// The items that it is about, where those are not all.
    items: Option<Vec<usize>>,
    partition: Partition,
}

impl Reference {
    /// A clustering of all items.
    pub fn new(partition: Partition) -> Self {
        Reference { items: None, partition }
    }

    /// A clustering of some items, in their order; the others are left out of the comparison.
    pub fn among(items: Vec<usize>, partition: Partition) -> Result<Self> {
        let (expected, found) = (items.len(), partition.len());
        if expected != found {
            return Err(Error::WrongLength { name: "the reference clustering", expected, found });
        }
        Ok(Reference { items: Some(items), partition })
    }

    /// Hamming distance, variation of information and adjusted Rand index of a partition.
    ///
    /// # Panics
    /// If the partition lacks one of the items.
    pub fn compare(&self, z: &Partition) -> [f64; 3] {
        let part = self.items.as_ref().map(|items| z.among(items));
        let z = part.as_ref().unwrap_or(z);
        let distance = |metric: Metric| metric.distance(z, &self.partition);
        [distance(Metric::Hamming), distance(Metric::Vi), adjusted_rand(z, &self.partition)]
    }
}

impl<T: Target> Summary<T> for Reference {
    fn len(&self) -> usize {
        3
    }
    fn names(&self) -> Vec<String> {
        ["reference:hamming", "reference:vi", "reference:ari"].map(String::from).into()
    }
    fn evaluate(&self, _: &T, state: &State<T>, out: &mut [f64]) {
        out.copy_from_slice(&self.compare(state.partition()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Partitions;

    /// Among some items a comparison is that of the partitions of these items, whatever the others do.
    #[test]
    fn items_without_a_reference_do_not_count() {
        let known = [0, 1, 3, 4];
        let reference = [0, 0, 1, 1];
        let of = |labels: &[usize]| Partition::from_labels(labels).unwrap();
        let among = Reference::among(known.to_vec(), of(&reference)).unwrap();
        for z in Partitions::of(6) {
            let part: Vec<usize> = known.iter().map(|&item| z.slot(item)).collect();
            let expected = Reference::new(of(&reference)).compare(&of(&part));
            assert_eq!(among.compare(&z), expected, "{z:?}");
            // By pairs, ordered: the definition of the Hamming distance.
            let differ = |i: usize, j: usize| (part[i] == part[j]) != (reference[i] == reference[j]);
            let pairs =
                (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).filter(|&(i, j)| differ(i, j)).count();
            assert_eq!(expected[0], pairs as f64);
        }
        assert!(matches!(Reference::among(vec![0, 1], of(&reference)), Err(Error::WrongLength { .. })));
    }
}
