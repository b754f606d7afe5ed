//! Graphs, as colourings and block models need them: who is whose neighbour.

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
    /// A graph of `vertices` vertices and the edges given.
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

    /// The largest number of neighbours.
    pub fn max_degree(&self) -> usize {
        (0..self.vertices()).map(|v| self.neighbors(v).len()).max().unwrap_or(0)
    }
}
