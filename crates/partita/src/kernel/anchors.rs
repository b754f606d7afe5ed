//! The two items that a move of two clusters starts from.
//!
//! Where their law does not depend on the state, any law will do. Where it does, the acceptance allows for it.

use crate::chance::Chance;
use crate::rng::{Purpose, Stream};
use crate::{Error, Partition, Result};

/// The law of the two items.
#[derive(Debug, Clone, Copy)]
pub(super) enum Law<'a> {
    /// Any two items.
    Uniform,
    /// Any item and, mostly, one near it.
    Near(&'a Neighbors),
    /// An item of a cluster that is drawn first, all equally likely, then another item, mostly one near it, if neighbours are
    /// known.
    Even(Option<&'a Neighbors>),
}

impl Law<'_> {
    /// Two different items for each chain, the same for all as often as possible.
    pub(super) fn draw<const N: usize>(
        self,
        chains: [&Partition; N],
        chance: &mut impl Chance,
    ) -> [(usize, usize); N] {
        let items = chains[0].len();
        let near = match self {
            Law::Uniform => None,
            Law::Near(near) => Some(near),
            Law::Even(near) => near,
        };
        assert!(near.is_none_or(|near| near.len() == items), "neighbours are of the target's items");
        if !self.is_even() {
            let i = chance.below(items);
            return [(i, second(near, items, i, chance)); N];
        }
        let i = member_of_any(chains[0], chance);
        let j = second(near, items, i, chance);
        let mut pairs = [(i, j); N];
        if let [x, y] = chains[..] {
            // Maximal coupling of the first items (with the second, which goes by the first alone, of the pairs).
            let excess = |item| (share(y, item) - share(x, item)).max(0.0);
            if !chance.event((share(y, i) / share(x, i)).min(1.0)) {
                let i = chance.pick((0..items).map(excess));
                pairs[1] = (i, second(near, items, i, chance));
            }
        }
        pairs
    }

    /// Whether the law depends on the state.
    pub(super) fn is_even(self) -> bool {
        matches!(self, Law::Even(_))
    }
}

/// The probability of an item under [`Law::Even`].
fn share(z: &Partition, item: usize) -> f64 {
    1.0 / (z.clusters() as f64 * f64::from(z.sizes()[z.slot(item)]))
}

/// A uniform member of a uniform cluster.
fn member_of_any(z: &Partition, chance: &mut impl Chance) -> usize {
    let slot = chance.below(z.clusters());
    let at = chance.below(z.sizes()[slot] as usize);
    let mut members = z.slots().enumerate().filter(|(_, of)| *of == slot).map(|(item, _)| item);
    members.nth(at).expect("the cluster has so many members")
}

/// An item that is not `i`: mostly a neighbour of it, if any is known.
fn second(near: Option<&Neighbors>, items: usize, i: usize, chance: &mut impl Chance) -> usize {
    match near.map_or(&[][..], |near| near.of(i)) {
        near if !near.is_empty() && chance.event(NEAR) => near[chance.below(near.len())] as usize,
        _ => another(items, i, chance),
    }
}

/// A uniform item that is not `i`.
fn another(items: usize, i: usize, chance: &mut impl Chance) -> usize {
    let j = chance.below(items - 1);
    j + usize::from(j >= i)
}

/// How often the second item is a neighbour of the first. Clusters that are far apart need a move now and then, too.
const NEAR: f64 = 0.8;

/// Distances that are computed at most, unless that leaves fewer than [`LEAST`] per item.
const PAIRS: usize = 25_000_000;
const LEAST: usize = 100;

/// A few items near each item, for [`SamsNear`](super::SamsNear).
///
/// ```
/// use partita::kernel::Neighbors;
/// let near = Neighbors::nearest(&[0.0, 5.1, 0.1, 5.0, 5.3], 1, 2)?;
/// assert_eq!(near.of(3), [1, 4]);
/// assert!(Neighbors::new(&[vec![1], vec![1]]).is_err());
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbors(Vec<Vec<u32>>);

impl Neighbors {
    /// From the neighbours of each item: other items, none of them twice. An item may have none.
    pub fn new(lists: &[Vec<usize>]) -> Result<Self> {
        for (item, list) in lists.iter().enumerate() {
            let wrong =
                |at: usize| list[at] == item || list[at] >= lists.len() || list[..at].contains(&list[at]);
            if let Some(at) = (0..list.len()).find(|&at| wrong(at)) {
                let (name, range) = ("a neighbour", "another item, and named once");
                return Err(Error::OutOfRange { name, range, value: list[at] as f64 });
            }
        }
        Ok(Neighbors(lists.iter().map(|list| list.iter().map(|&item| item as u32).collect()).collect()))
    }

    /// The `count` nearest of each of the rows of `dimension` values, the nearest first, by the Euclidean distance on columns
    /// of unit variance. With more than 5,000 rows, each is compared with only some of the others, in a fixed random order.
    pub fn nearest(values: &[f64], dimension: usize, count: usize) -> Result<Self> {
        if dimension == 0 || !values.len().is_multiple_of(dimension) {
            let (name, range) = ("the dimension", "a divisor of the number of values");
            return Err(Error::OutOfRange { name, range, value: dimension as f64 });
        }
        let values = to_unit_variance(values, dimension);
        let items = values.len() / dimension;
        let row = |item: u32| &values[item as usize * dimension..][..dimension];
        let distance =
            |a: u32, b: u32| -> f64 { row(a).iter().zip(row(b)).map(|(x, y)| (x - y) * (x - y)).sum() };
        let order = shuffled(items);
        let looked_at = items.saturating_sub(1).min((PAIRS / items.max(1)).max(LEAST));
        let mut lists = vec![Vec::new(); items];
        for (at, &item) in order.iter().enumerate() {
            let others = order[at + 1..].iter().chain(&order[..at]).take(looked_at);
            let mut near: Vec<(f64, u32)> = others.map(|&other| (distance(item, other), other)).collect();
            let nearer = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            if count < near.len() {
                near.select_nth_unstable_by(count, nearer);
                near.truncate(count);
            }
            near.sort_unstable_by(nearer);
            lists[item as usize] = near.into_iter().map(|(_, other)| other).collect();
        }
        Ok(Neighbors(lists))
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The neighbours of an item.
    pub fn of(&self, item: usize) -> &[u32] {
        &self.0[item]
    }
}

/// Columns divided by their standard deviations; a constant one does not count.
fn to_unit_variance(values: &[f64], dimension: usize) -> Vec<f64> {
    let rows = (values.len() / dimension) as f64;
    let mut scaled = values.to_vec();
    for column in 0..dimension {
        let cells = || values.iter().skip(column).step_by(dimension);
        let mean = cells().sum::<f64>() / rows;
        let sd = (cells().map(|x| (x - mean) * (x - mean)).sum::<f64>() / rows).sqrt();
        let factor = if sd > 0.0 { 1.0 / sd } else { 0.0 };
        scaled.iter_mut().skip(column).step_by(dimension).for_each(|x| *x = (*x - mean) * factor);
    }
    scaled
}

/// All items in a random order, which is always the same.
fn shuffled(items: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..items as u32).collect();
    let mut chance = Stream::new(0, 0).sequence(Purpose::Sams, 0);
    for at in (1..items).rev() {
        order.swap(at, chance.below(at + 1));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_those_of_a_full_sort() {
        let mut chance = Stream::new(3, 0).sequence(Purpose::Data, 0);
        // The second column has a large unit, the third is constant.
        let rows: Vec<[f64; 3]> = (0..60).map(|_| [chance.normal(), 1e6 * chance.normal(), 7.0]).collect();
        let near = Neighbors::nearest(rows.as_flattened(), 3, 10).unwrap();
        let sd = |column: usize| {
            let mean = rows.iter().map(|row| row[column]).sum::<f64>() / 60.0;
            (rows.iter().map(|row| (row[column] - mean).powi(2)).sum::<f64>() / 60.0).sqrt()
        };
        let (a, b) = (sd(0), sd(1));
        for (item, row) in rows.iter().enumerate() {
            let distance = |j: usize| ((row[0] - rows[j][0]) / a).hypot((row[1] - rows[j][1]) / b);
            let mut others: Vec<usize> = (0..60).filter(|&j| j != item).collect();
            others.sort_by(|&j, &k| distance(j).total_cmp(&distance(k)));
            let found: Vec<usize> = near.of(item).iter().map(|&j| j as usize).collect();
            assert_eq!(found, others[..10]);
        }
    }

    #[test]
    fn many_rows_have_neighbours_among_some() {
        let values: Vec<f64> = (0..6000).map(f64::from).collect();
        let near = Neighbors::nearest(&values, 1, 10).unwrap();
        assert_eq!(near, Neighbors::nearest(&values, 1, 10).unwrap());
        for item in 0..6000 {
            let list = near.of(item);
            assert!(list.len() == 10 && list.iter().all(|&j| j as usize != item));
            assert!(list.iter().all(|&j| (j as usize).abs_diff(item) < 100));
        }
    }

    #[test]
    fn few_rows_have_all_others() {
        let near = Neighbors::nearest(&[1.0, 1.0, 4.0], 1, 10).unwrap();
        assert_eq!((near.of(0), near.of(2)), (&[1, 2][..], &[0, 1][..]));
        assert!(Neighbors::nearest(&[1.0], 1, 10).unwrap().of(0).is_empty());
        assert!(Neighbors::nearest(&[1.0, 2.0, 3.0], 2, 1).is_err());
        assert!(Neighbors::new(&[vec![1, 1], vec![]]).is_err());
        assert!(Neighbors::new(&[vec![2], vec![]]).is_err());
    }
}
