//! Finds a proper colouring where there is one: quick ways first, then a search that can prove there is none.

use super::Graph;
use crate::chance::Chance;
use std::collections::BinaryHeap;

/// What a search for a proper colouring came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// The colours of the vertices.
    Coloring(Vec<usize>),
    /// There is none: the search was exhaustive.
    NoneExists,
    /// None was found within the effort.
    None,
}

/// Steps of the exhaustive search, each a look at all vertices of a component: about a second.
const EFFORT: usize = 400_000_000;

const UNCOLORED: usize = usize::MAX;

impl Graph {
    /// A proper colouring with at most `colors` colours: greedy in vertex order where that succeeds.
    pub(crate) fn find_coloring(&self, colors: usize) -> Found {
        let order: Vec<usize> = (0..self.vertices()).collect();
        if let Some(found) = self.greedy(&order, colors) {
            return Found::Coloring(found);
        }
        // Smallest last never needs more than one colour beyond the degeneracy.
        let (order, _) = self.smallest_last();
        if let Some(found) = self.greedy(&order, colors) {
            return Found::Coloring(found);
        }
        let mut found = vec![0; self.vertices()];
        let mut left = EFFORT;
        let mut proven = true;
        for members in self.components() {
            let part = self.induced(&members);
            match part.find_in_component(colors, &mut left) {
                Found::Coloring(labels) => members.iter().zip(labels).for_each(|(&v, c)| found[v] = c),
                Found::NoneExists => return Found::NoneExists,
                Found::None => proven = false,
            }
        }
        if proven { Found::Coloring(found) } else { Found::None }
    }

    fn find_in_component(&self, colors: usize, left: &mut usize) -> Found {
        if let Some(two) = self.two_coloring()
            && colors >= 2
        {
            return Found::Coloring(two);
        }
        if colors <= 2 && self.vertices() > 1 {
            return Found::NoneExists;
        }
        match self.dsatur(colors, |v| self.neighbors(v).len(), |free| free[0]) {
            Some(found) => Found::Coloring(found),
            None => self.exhaust(colors, left),
        }
    }

    /// Each vertex in the order given gets the first colour that no neighbour has.
    fn greedy(&self, order: &[usize], colors: usize) -> Option<Vec<usize>> {
        let mut labels = vec![UNCOLORED; self.vertices()];
        for &vertex in order {
            labels[vertex] = self.free_colors(&labels, vertex, colors).next()?;
        }
        Some(labels)
    }

    /// Colours that no neighbour of a vertex has, in order.
    fn free_colors(
        &self,
        labels: &[usize],
        vertex: usize,
        colors: usize,
    ) -> impl Iterator<Item = usize> + use<> {
        let taken: Vec<usize> = self.neighbors(vertex).iter().map(|&u| labels[u as usize]).collect();
        (0..colors).filter(move |color| !taken.contains(color))
    }

    /// A colouring drawn at random: no law in particular, but any colouring may come. `None` where the few attempts get stuck.
    pub(crate) fn random_coloring(&self, colors: usize, chance: &mut impl Chance) -> Option<Vec<usize>> {
        // Any order of the vertices, any colour of those that are free.
        let mut labels = vec![UNCOLORED; self.vertices()];
        let stuck = shuffled(self.vertices(), chance).into_iter().any(|vertex| {
            let taken: Vec<usize> = self.neighbors(vertex).iter().map(|&u| labels[u as usize]).collect();
            let mut used: Vec<usize> = taken.iter().copied().filter(|&c| c != UNCOLORED).collect();
            used.sort_unstable();
            used.dedup();
            if used.len() == colors {
                return true;
            }
            // The r-th of the free colours.
            let mut color = chance.below(colors - used.len());
            for &c in &used {
                color += usize::from(c <= color);
            }
            labels[vertex] = color;
            false
        });
        if !stuck {
            return Some(labels);
        }
        // The most constrained vertex first, ties and colours at random.
        (0..10).find_map(|_| {
            let rank = shuffled(self.vertices(), chance);
            self.dsatur(colors, |v| rank[v], |free| free[chance.below(free.len())])
        })
    }

    /// DSATUR (Brelaz 1979): next the vertex with the most colours around it, ties by `rank`.
    fn dsatur(
        &self,
        colors: usize,
        rank: impl Fn(usize) -> usize,
        mut choose: impl FnMut(&[usize]) -> usize,
    ) -> Option<Vec<usize>> {
        let mut labels = vec![UNCOLORED; self.vertices()];
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); self.vertices()];
        let mut queue: BinaryHeap<(usize, usize, usize)> =
            (0..self.vertices()).map(|v| (0, rank(v), v)).collect();
        while let Some((saturation, _, vertex)) = queue.pop() {
            if labels[vertex] != UNCOLORED || saturation != around[vertex].len() {
                continue; // Already coloured, or more constrained by now and in the queue again.
            }
            let free: Vec<usize> = self.free_colors(&labels, vertex, colors).collect();
            if free.is_empty() {
                return None;
            }
            labels[vertex] = choose(&free);
            for &u in self.neighbors(vertex) {
                let u = u as usize;
                if labels[u] == UNCOLORED && !around[u].contains(&labels[vertex]) {
                    around[u].push(labels[vertex]);
                    queue.push((around[u].len(), rank(u), u));
                }
            }
        }
        Some(labels)
    }

    /// DSATUR with backtracking, until `left` steps are used up.
    fn exhaust(&self, colors: usize, left: &mut usize) -> Found {
        let n = self.vertices();
        let mut labels = vec![UNCOLORED; n];
        // The vertices coloured so far, each with the number of colours in use before it.
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut used = 0;
        loop {
            let saturation = |v: usize| {
                let mut around: Vec<usize> = self
                    .neighbors(v)
                    .iter()
                    .map(|&u| labels[u as usize])
                    .filter(|&c| c != UNCOLORED)
                    .collect();
                around.sort_unstable();
                around.dedup();
                (around.len(), self.neighbors(v).len())
            };
            let next = (0..n).filter(|&v| labels[v] == UNCOLORED).max_by_key(|&v| saturation(v));
            let Some(mut vertex) = next else { return Found::Coloring(labels) };
            let mut from = 0;
            loop {
                *left = left.saturating_sub(n + self.neighbors.len());
                if *left == 0 {
                    return Found::None;
                }
                // Colours not in use yet are all alike: one of them will do.
                let free = (from..colors.min(used + 1))
                    .find(|&c| !self.neighbors(vertex).iter().any(|&u| labels[u as usize] == c));
                if let Some(color) = free {
                    path.push((vertex, used));
                    labels[vertex] = color;
                    used = used.max(color + 1);
                    break;
                }
                let Some((last, before)) = path.pop() else { return Found::NoneExists };
                (vertex, used, from) = (last, before, labels[last] + 1);
                labels[last] = UNCOLORED;
            }
        }
    }
}

/// The numbers below `n` in random order.
fn shuffled(n: usize, chance: &mut impl Chance) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, chance.below(i + 1));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Partitions;
    use crate::rng::{Purpose, Stream};
    use proptest::prelude::*;

    fn is_proper(graph: &Graph, labels: &[usize], colors: usize) -> bool {
        (0..graph.vertices()).all(|v| {
            labels[v] < colors && graph.neighbors(v).iter().all(|&u| labels[u as usize] != labels[v])
        })
    }

    /// By looking at all partitions of the vertices.
    fn is_colorable(graph: &Graph, colors: usize) -> bool {
        Partitions::of(graph.vertices()).any(|z| is_proper(graph, &z.canonical_labels(), colors))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// A colouring is found exactly where there is one, by the whole search and by its last resort alone.
        #[test]
        fn a_coloring_is_found_where_there_is_one(
            n in 1usize..8, colors in 1usize..5, edges in prop::collection::vec((0usize..8, 0usize..8), 0..20)
        ) {
            let edges: Vec<_> = edges.into_iter().filter(|(u, v)| u != v && *u < n && *v < n).collect();
            let graph = Graph::new(n, &edges).unwrap();
            let exists = is_colorable(&graph, colors);
            for found in [graph.find_coloring(colors), graph.exhaust(colors, &mut EFFORT.clone())] {
                match found {
                    Found::Coloring(labels) => prop_assert!(is_proper(&graph, &labels, colors)),
                    other => prop_assert_eq!((other, exists), (Found::NoneExists, false)),
                }
            }
            let mut chance = Stream::new(1, 0).sequence(Purpose::Data, 0);
            match graph.random_coloring(colors, &mut chance) {
                Some(labels) => prop_assert!(is_proper(&graph, &labels, colors)),
                None => prop_assert!(!exists || colors >= 2),
            }
        }
    }

    /// A search that runs out of steps says so, and does not call the graph impossible.
    #[test]
    fn an_unfinished_search_proves_nothing() {
        let complete: Vec<_> = (0..9).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
        let graph = Graph::new(9, &complete).unwrap();
        assert_eq!(graph.exhaust(8, &mut 1000), Found::None);
        assert_eq!(graph.find_coloring(8), Found::NoneExists);
    }

    /// Every colouring may be drawn, each order of colours alike.
    #[test]
    fn random_colorings_are_dispersed() {
        let path = Graph::new(4, &[(0, 2), (2, 3), (3, 1)]).unwrap();
        let mut chance = Stream::new(1, 0).sequence(Purpose::Data, 0);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..2000 {
            seen.insert(path.random_coloring(3, &mut chance).unwrap());
        }
        assert_eq!(seen.len(), 3 * 2 * 2 * 2);
    }
}
