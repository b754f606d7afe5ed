//! An order in which items that are often together are neighbours: the eye finds in it what a loss lumps.

use kodama::{Method, linkage};

const STEPS: f64 = (1u64 << 30) as f64;

/// An order of `n` items that are together with these probabilities: the leaves of their tree of average
/// linkage, turned at every fork so that the nearest ends meet.
pub(super) fn neighbours(n: usize, together: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    if n < 3 {
        return (0..n).collect();
    }
    // In steps of a billionth, 2^-30: what is equal on paper is then equal, and rounding orders nothing.
    let distance = |i, j| ((1.0 - together(i, j)) * STEPS).round() / STEPS;
    let mut distances: Vec<f64> =
        (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(|(i, j)| distance(i, j)).collect();
    let tree = linkage(&mut distances, n, Method::Average);
    let mut runs: Vec<Vec<usize>> = (0..n).map(|item| vec![item]).collect();
    for fork in tree.steps() {
        let mut halves = [fork.cluster1, fork.cluster2].map(|run| std::mem::take(&mut runs[run]));
        // Where nothing else tells, items stay as they come.
        halves.sort_unstable_by_key(|run| run[0]);
        let [left, right] = halves;
        runs.push(join(left, right, distance));
    }
    runs.pop().expect("three items make two forks")
}

/// Two runs one after the other, each turned round if its other end is nearer.
fn join(mut left: Vec<usize>, mut right: Vec<usize>, distance: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let ends = |run: &[usize]| [run[0], run[run.len() - 1]];
    let ([first, last], [start, end]) = (ends(&left), ends(&right));
    let ways = [(last, start), (last, end), (first, start), (first, end)];
    let lengths = ways.map(|(i, j)| distance(i, j));
    let shortest = (1..4).fold(0, |best, way| if lengths[way] < lengths[best] { way } else { best });
    if shortest >= 2 {
        left.reverse();
    }
    if shortest % 2 == 1 {
        right.reverse();
    }
    left.extend(right);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three groups, shuffled, the first nearer to the second than to the third: each stays together.
    #[test]
    fn groups_are_runs() {
        let groups = [0, 2, 1, 0, 1, 2, 2, 0, 1, 1, 0, 2];
        let together = |i: usize, j: usize| match (groups[i], groups[j]) {
            (a, b) if a == b => 0.9,
            (0, 1) | (1, 0) => 0.4,
            _ => 0.1,
        };
        let order: Vec<i32> = neighbours(groups.len(), together).iter().map(|&item| groups[item]).collect();
        let mut runs = order.clone();
        runs.dedup();
        assert_eq!(runs.len(), 3, "{order:?}");
        assert!(
            runs == [2, 0, 1] || runs == [2, 1, 0] || runs == [1, 0, 2] || runs == [0, 1, 2],
            "{order:?}"
        );
    }

    /// Items on a line, nearer together the nearer they are: the order is the line, from one end.
    #[test]
    fn a_line_is_found_again() {
        let place = [3.0, 0.0, 7.0, 1.0, 12.0, 5.0_f64];
        let together = |i: usize, j: usize| (-(place[i] - place[j]).abs() / 10.0).exp();
        let found: Vec<f64> = neighbours(place.len(), together).iter().map(|&item| place[item]).collect();
        assert!(found.is_sorted() || found.iter().rev().is_sorted(), "{found:?}");
    }

    /// Probabilities that are equal on paper and differ in their last bits: as if they did not.
    #[test]
    fn rounding_orders_nothing() {
        let noise = |i: usize, j: usize| ((i * j * 7919 + i + j) % 13) as f64 * 1e-16;
        let together = |i: usize, j: usize| if (i + j).is_multiple_of(2) { 0.8 } else { 0.3 };
        let plain = neighbours(9, together);
        assert_eq!(plain, neighbours(9, |i, j| together(i, j) - noise(i, j)));
        assert_eq!(plain, neighbours(9, |i, j| together(i, j) + noise(j, i)));
    }

    #[test]
    fn few_items_and_ties_stay_as_they_are() {
        assert!(neighbours(0, |_, _| 0.5).is_empty());
        assert_eq!(neighbours(2, |_, _| 0.5), [0, 1]);
        assert_eq!(neighbours(3, |_, _| 0.5), [0, 1, 2]);
    }
}
