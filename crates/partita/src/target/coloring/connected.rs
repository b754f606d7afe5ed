//! Whether the moves of a kernel lead from every colouring to every other: by theorem or by enumeration.

use super::Coloring;
use crate::graph::Graph;
use crate::partition::Partition;
use crate::target::Target;
use std::collections::{HashSet, VecDeque};

/// What a kernel moves in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorMoves {
    /// One vertex, as Gibbs sweeps do.
    Single,
    /// A Kempe chain, as [`crate::kernel::Kempe`] does.
    Kempe,
}

/// Colourings, counted as partitions, that are looked at one by one; more are not.
const MOST_STATES: usize = 20_000;
/// Partial colourings tried on the way to all of them.
const MOST_TRIES: usize = 2_000_000;

impl Coloring {
    /// Whether every colouring can be reached from every other; `None` where that is not known.
    ///
    /// Theorems that are used, for each connected component with `q` colours and degeneracy `d` (at most the
    /// largest degree):
    /// - single vertices: `q >= d + 2` (Dyer, Flaxman, Frieze, Vigoda 2006);
    /// - Kempe chains: `q > d` (Las Vergnas, Meyniel 1981); bipartite graphs (Mohar 2007); regular graphs of
    ///   degree `q >= 3` except for the triangular prism (Feghali, Johnson, Paulusma 2017; Bonamy, Bousquet,
    ///   Feghali, Johnson 2019).
    ///
    /// If none applies and there are few colourings, all of them are visited.
    ///
    /// ```
    /// use partita::target::ColorMoves;
    /// use partita::{Coloring, Graph};
    /// // Two triangles that share no vertex, joined by a perfect matching: the triangular prism.
    /// let edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)];
    /// let prism = Coloring::new(Graph::new(6, &edges)?, 3)?;
    /// assert_eq!(prism.is_connected(ColorMoves::Kempe), Some(false));
    /// let octahedron = Coloring::new(Graph::octahedron(), 4)?;
    /// assert_eq!(octahedron.is_connected(ColorMoves::Kempe), Some(true));
    /// # Ok::<(), partita::Error>(())
    /// ```
    pub fn is_connected(&self, moves: ColorMoves) -> Option<bool> {
        let parts: Vec<Graph> =
            self.graph.components().iter().map(|members| self.graph.induced(members)).collect();
        if parts.iter().all(|part| theorem(part, self.colors, moves)) {
            return Some(true);
        }
        match moves {
            ColorMoves::Single => self.look(moves),
            // Kempe chains stay within a component and can permute its colours, so that each component counts alone.
            ColorMoves::Kempe => {
                let undecided = parts.into_iter().filter(|part| !theorem(part, self.colors, moves));
                let verdicts: Vec<Option<bool>> =
                    undecided.map(|part| Coloring::new(part, self.colors).ok()?.look(moves)).collect();
                if verdicts.contains(&Some(false)) {
                    return Some(false);
                }
                (!verdicts.contains(&None)).then_some(true)
            }
        }
    }

    /// Visits all colourings that can be reached from one, and counts whether they are all.
    fn look(&self, moves: ColorMoves) -> Option<bool> {
        let all = self.count()?;
        let mut reached = HashSet::from([self.known.canonical_labels()]);
        let mut queue: VecDeque<Partition> = VecDeque::from([self.known.clone()]);
        while let Some(z) = queue.pop_front() {
            for next in self.neighbors_of(&z, moves) {
                if reached.insert(next.canonical_labels()) {
                    queue.push_back(next);
                }
            }
        }
        Some(reached.len() == all)
    }

    /// The colourings one move away.
    fn neighbors_of(&self, z: &Partition, moves: ColorMoves) -> Vec<Partition> {
        use crate::kernel::{KempeChain, exchange};
        use crate::target::State;
        let mut chain = KempeChain::default();
        let mut next = Vec::new();
        for vertex in 0..self.len() {
            for to in 0..=z.clusters() {
                let possible = self.log_weight(&(), z, vertex, to) > f64::NEG_INFINITY;
                let opens = to == z.clusters();
                if z.slot(vertex) == to || (opens && (z.is_alone(vertex) || !possible)) {
                    continue;
                }
                if possible || moves == ColorMoves::Kempe {
                    let mut state = State::new(self, z.clone());
                    exchange(self, &mut state, vertex, to, &mut chain, |_| ());
                    next.push(state.partition().clone());
                }
            }
        }
        next
    }

    /// How many proper colourings there are, as partitions; `None` where there are many.
    fn count(&self) -> Option<usize> {
        // In an order that meets conflicts early: an earlier neighbour, where there is one.
        let (order, _) = self.graph.smallest_last();
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(i, &v)| place[v] = i);
        let before: Vec<Vec<usize>> = order
            .iter()
            .enumerate()
            .map(|(i, &v)| {
                self.graph.neighbors(v).iter().map(|&u| place[u as usize]).filter(|&j| j < i).collect()
            })
            .collect();
        // Restricted growth strings, depth first: the class of each vertex, and the classes before it.
        let (mut labels, mut used): (Vec<usize>, Vec<usize>) = (vec![0], vec![0]);
        let (mut found, mut tries) = (0, 0);
        while let Some(&class) = labels.last() {
            let (i, classes) = (labels.len() - 1, used[labels.len() - 1]);
            tries += 1;
            if found > MOST_STATES || tries > MOST_TRIES {
                return None;
            }
            if class > classes || class >= self.colors {
                labels.pop();
                used.pop();
                if let Some(last) = labels.last_mut() {
                    *last += 1;
                }
            } else if before[i].iter().any(|&j| labels[j] == class) {
                labels[i] += 1;
            } else if i + 1 == order.len() {
                found += 1;
                labels[i] += 1;
            } else {
                labels.push(0);
                used.push(classes.max(class + 1));
            }
        }
        Some(found)
    }
}

/// Whether a theorem says that a connected graph's colourings are connected.
fn theorem(part: &Graph, colors: usize, moves: ColorMoves) -> bool {
    let degeneracy = part.smallest_last().1;
    match moves {
        ColorMoves::Single => colors >= degeneracy + 2,
        ColorMoves::Kempe => {
            let degree = part.max_degree();
            let regular = (0..part.vertices()).all(|v| part.neighbors(v).len() == degree);
            let bipartite = part.two_coloring().is_some();
            // Of the two cubic graphs on six vertices the one that is not bipartite.
            let prism = part.vertices() == 6 && degree == 3 && !bipartite;
            colors > degeneracy || bipartite || (regular && colors >= degree && degree >= 3 && !prism)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Partitions;
    use proptest::prelude::*;

    /// Seven vertices, three colours, on which single vertices are stuck.
    fn seven() -> Graph {
        Graph::new(7, &[(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5), (5, 6)]).unwrap()
    }

    #[test]
    fn single_vertices_are_stuck_where_kempe_chains_are_not() {
        let target = Coloring::new(seven(), 3).unwrap();
        assert_eq!(target.is_connected(ColorMoves::Single), Some(false));
        assert_eq!(target.is_connected(ColorMoves::Kempe), Some(true));
    }

    /// Many colourings and no theorem: not known.
    #[test]
    fn what_is_not_known_is_not_claimed() {
        // Complete graphs of four joined in a ring, with four colours: single vertices are stuck, but nobody looks.
        let mut edges = Vec::new();
        for block in 0..12 {
            let at = |i: usize| block * 4 + i;
            edges.extend((0..4).flat_map(|i| (0..i).map(move |j| (at(i), at(j)))));
            edges.push((at(0), (at(0) + 5) % 48));
        }
        let target = Coloring::new(Graph::new(48, &edges).unwrap(), 4).unwrap();
        assert_eq!(target.is_connected(ColorMoves::Single), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Theorems agree with looking, and counts with enumeration.
        #[test]
        fn theorems_agree_with_looking(
            n in 1usize..8, colors in 1usize..5, edges in prop::collection::vec((0usize..8, 0usize..8), 0..20)
        ) {
            let edges: Vec<_> = edges.into_iter().filter(|(u, v)| u != v && *u < n && *v < n).collect();
            let Ok(target) = Coloring::new(Graph::new(n, &edges).unwrap(), colors) else { return Ok(()) };
            let all = Partitions::of(n).filter(|z| target.is_proper(z)).count();
            prop_assert_eq!(target.count(), Some(all));
            for moves in [ColorMoves::Single, ColorMoves::Kempe] {
                prop_assert_eq!(target.is_connected(moves), target.look(moves), "{:?}", moves);
            }
        }
    }
}
