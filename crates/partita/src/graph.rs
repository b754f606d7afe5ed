//! Graphs as colourings and block models need them: lists of neighbours.

mod search;

pub(crate) use search::Found;

use crate::error::{Error, Result};

/// An undirected graph without self-loops; repeated edges count once.
///
/// ```
/// use partita::Graph;
/// let triangle = Graph::new(3, &[(0, 1), (1, 2), (2, 0), (0, 2)])?;
/// assert_eq!(triangle.neighbors(0), [1, 2]);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    starts: Vec<usize>,
    neighbors: Vec<u32>,
}

impl Graph {
    /// A graph with `vertices` vertices and the given edges.
    pub fn new(vertices: usize, edges: &[(usize, usize)]) -> Result<Self> {
        if vertices == 0 {
            return Err(Error::NoItems);
        }
        let mut lists = vec![Vec::new(); vertices];
        for &(u, v) in edges {
            if let Some(&item) = [u, v].iter().find(|&&w| w >= vertices) {
                return Err(Error::NoSuchItem { item, last: vertices - 1 });
            }
            if u == v {
                return Err(Error::SelfLoop { vertex: u });
            }
            lists[u].push(v as u32);
            lists[v].push(u as u32);
        }
        let mut graph = Graph { starts: vec![0], neighbors: Vec::new() };
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            graph.neighbors.extend(list);
            graph.starts.push(graph.neighbors.len());
        }
        Ok(graph)
    }

    /// The octahedron: 6 vertices, each joined to all but the opposite one (the paper's `k-regular`).
    pub fn octahedron() -> Self {
        let edges: Vec<_> =
            (0..6).flat_map(|u| (u + 1..6).map(move |v| (u, v))).filter(|(u, v)| v - u != 3).collect();
        Graph::new(6, &edges).expect("the octahedron is a graph")
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// The neighbours of a vertex, in order.
    #[inline]
    pub fn neighbors(&self, vertex: usize) -> &[u32] {
        &self.neighbors[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// The mean number of neighbours.
    pub fn mean_degree(&self) -> f64 {
        let ends: usize = (0..self.vertices()).map(|vertex| self.neighbors(vertex).len()).sum();
        ends as f64 / self.vertices() as f64
    }

    /// The largest number of neighbours.
    pub fn max_degree(&self) -> usize {
        (0..self.vertices()).map(|v| self.neighbors(v).len()).max().unwrap_or(0)
    }

    /// The connected components, each with its vertices in order.
    pub(crate) fn components(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.vertices()];
        let mut all = Vec::new();
        for root in 0..self.vertices() {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            let mut members = vec![root];
            let mut next = 0;
            while next < members.len() {
                for &u in self.neighbors(members[next]) {
                    if !std::mem::replace(&mut seen[u as usize], true) {
                        members.push(u as usize);
                    }
                }
                next += 1;
            }
            members.sort_unstable();
            all.push(members);
        }
        all
    }

    /// The graph on some vertices, in increasing order, with the edges among them; they are numbered anew.
    pub(crate) fn induced(&self, members: &[usize]) -> Graph {
        let mut graph = Graph { starts: vec![0], neighbors: Vec::new() };
        for &v in members {
            let inside = self.neighbors(v).iter().filter_map(|&u| members.binary_search(&(u as usize)).ok());
            graph.neighbors.extend(inside.map(|u| u as u32));
            graph.starts.push(graph.neighbors.len());
        }
        graph
    }

    /// Vertices so ordered that each has few neighbours before it, and the largest number of those: the degeneracy.
    ///
    /// A vertex of smallest degree comes last; it is taken away, and so on (Matula, Beck 1983).
    pub(crate) fn smallest_last(&self) -> (Vec<usize>, usize) {
        let n = self.vertices();
        let mut degree: Vec<usize> = (0..n).map(|v| self.neighbors(v).len()).collect();
        let mut by_degree: Vec<Vec<usize>> = vec![Vec::new(); self.max_degree() + 1];
        (0..n).for_each(|v| by_degree[degree[v]].push(v));
        let mut gone = vec![false; n];
        let (mut order, mut degeneracy, mut low) = (Vec::with_capacity(n), 0, 0);
        while order.len() < n {
            let Some(v) = by_degree[low].pop() else {
                low += 1;
                continue;
            };
            if gone[v] || degree[v] != low {
                continue; // It has lost neighbours since and stands in another list, too.
            }
            gone[v] = true;
            degeneracy = degeneracy.max(low);
            order.push(v);
            for &u in self.neighbors(v) {
                let u = u as usize;
                if !gone[u] {
                    degree[u] -= 1;
                    by_degree[degree[u]].push(u);
                    low = low.min(degree[u]);
                }
            }
        }
        order.reverse();
        (order, degeneracy)
    }

    /// A colouring with two colours; none where there is an odd cycle.
    pub(crate) fn two_coloring(&self) -> Option<Vec<usize>> {
        let mut labels = vec![usize::MAX; self.vertices()];
        for members in self.components() {
            let mut queue = vec![members[0]];
            labels[members[0]] = 0;
            while let Some(v) = queue.pop() {
                for &u in self.neighbors(v) {
                    let u = u as usize;
                    if labels[u] == usize::MAX {
                        labels[u] = 1 - labels[v];
                        queue.push(u);
                    } else if labels[u] == labels[v] {
                        return None;
                    }
                }
            }
        }
        Some(labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// The degeneracy is the largest, over all sets of vertices, of the smallest degree within the set.
        #[test]
        fn degeneracy_by_all_subsets(
            n in 1usize..9, edges in prop::collection::vec((0usize..9, 0usize..9), 0..24)
        ) {
            let edges: Vec<_> = edges.into_iter().filter(|(u, v)| u != v && *u < n && *v < n).collect();
            let graph = Graph::new(n, &edges).unwrap();
            let (order, degeneracy) = graph.smallest_last();
            let slow = (1usize..1 << n).map(|set| {
                let members: Vec<usize> = (0..n).filter(|v| set >> v & 1 == 1).collect();
                let part = graph.induced(&members);
                (0..part.vertices()).map(|v| part.neighbors(v).len()).min().unwrap()
            });
            prop_assert_eq!(degeneracy, slow.max().unwrap());
            let mut place = vec![0; n];
            order.iter().enumerate().for_each(|(i, &v)| place[v] = i);
            let before = |v: usize| graph.neighbors(v).iter().filter(|&&u| place[u as usize] < place[v]).count();
            prop_assert!((0..n).all(|v| before(v) <= degeneracy));
            let sizes: usize = graph.components().iter().map(Vec::len).sum();
            prop_assert_eq!(sizes, n);
        }
    }
}
