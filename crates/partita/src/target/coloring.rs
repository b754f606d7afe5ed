//! Uniform proper colourings of a graph, seen as partitions of its vertices.

use crate::error::{Error, Result};
use crate::math::ln_gamma;
use crate::partition::{Move, Partition};
use crate::target::Target;

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

/// The law on vertex partitions of a uniform proper colouring with `colors` colours:
/// `p(z)` proportional to `q! / (q - K)!` where no class holds two neighbours (the paper's
/// appendix on targets), so an admissible class has weight 1 and a new one `q - K`.
///
/// ```
/// use partita::{Coloring, Graph};
/// let coloring = Coloring::new(Graph::octahedron(), 4)?;
/// assert_eq!(coloring.greedy_start().clusters(), 3);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Coloring {
    graph: Graph,
    colors: usize,
    start: Partition,
    /// `ln(q - K)` for `K` classes.
    open: Vec<f64>,
}

impl Coloring {
    /// Colourings of `graph` with `colors` colours, refused where greedy colouring in vertex order
    /// fails: the chain starts there.
    pub fn new(graph: Graph, colors: usize) -> Result<Self> {
        let mut labels: Vec<usize> = Vec::with_capacity(graph.vertices());
        for vertex in 0..graph.vertices() {
            let taken: Vec<usize> =
                graph.neighbors(vertex).iter().filter_map(|&u| labels.get(u as usize).copied()).collect();
            match (0..colors).find(|color| !taken.contains(color)) {
                Some(color) => labels.push(color),
                None => {
                    let sufficient = graph.max_degree() + 1;
                    return Err(Error::TooFewColors { colors, vertex, sufficient });
                }
            }
        }
        let start = Partition::from_labels(&labels)?;
        let open = (0..=colors).map(|k| crate::math::ln((colors - k) as f64)).collect();
        Ok(Coloring { graph, colors, start, open })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The number of colours.
    pub fn colors(&self) -> usize {
        self.colors
    }

    /// Each vertex in order gets the first colour that no neighbour has.
    pub fn greedy_start(&self) -> Partition {
        self.start.clone()
    }

    /// Whether no class holds two neighbours and there are colours enough.
    pub fn is_proper(&self, z: &Partition) -> bool {
        z.clusters() <= self.colors
            && (0..z.len()).all(|v| self.graph.neighbors(v).iter().all(|&u| !z.together(v, u as usize)))
    }
}

impl Target for Coloring {
    type Stats = ();

    fn len(&self) -> usize {
        self.graph.vertices()
    }

    fn stats(&self, _z: &Partition) {}

    fn log_weight(&self, _stats: &(), z: &Partition, item: usize, slot: usize) -> f64 {
        let alone = z.is_alone(item);
        if slot == z.clusters() || (alone && slot == z.slot(item)) {
            return self.open[(z.clusters() - usize::from(alone)).min(self.colors)];
        }
        let clash = self.graph.neighbors(item).iter().any(|&u| z.slot(u as usize) == slot);
        if clash { f64::NEG_INFINITY } else { 0.0 }
    }

    fn log_weights(&self, stats: &(), z: &Partition, item: usize, out: &mut [f64]) {
        let k = z.clusters();
        out[..=k].fill(0.0);
        for &u in self.graph.neighbors(item) {
            out[z.slot(u as usize)] = f64::NEG_INFINITY;
        }
        if z.is_alone(item) {
            out[z.slot(item)] = self.log_weight(stats, z, item, z.slot(item));
            out[k] = f64::NEG_INFINITY;
        } else {
            out[k] = self.log_weight(stats, z, item, k);
        }
    }

    fn relocate(&self, _stats: &mut (), _z: &Partition, _step: Move) {}

    fn log_probability(&self, z: &Partition) -> f64 {
        if self.is_proper(z) {
            ln_gamma(self.colors as f64 + 1.0) - ln_gamma((self.colors - z.clusters()) as f64 + 1.0)
        } else {
            f64::NEG_INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Partitions;

    /// The octahedron with 4 colours has 96 colourings: 24 with three classes, 72 with four.
    #[test]
    fn the_octahedron_is_counted() {
        let target = Coloring::new(Graph::octahedron(), 4).unwrap();
        let total: f64 = Partitions::of(6).map(|z| target.log_probability(&z).exp()).sum();
        assert!((total - 96.0).abs() < 1e-9, "{total}");
    }

    #[test]
    fn bad_graphs_and_too_few_colors_are_refused() {
        assert_eq!(Graph::new(0, &[]), Err(Error::NoItems));
        assert_eq!(Graph::new(2, &[(1, 1)]), Err(Error::SelfLoop { vertex: 1 }));
        assert_eq!(Graph::new(2, &[(0, 2)]), Err(Error::NoSuchItem { item: 2, last: 1 }));
        let refused = Coloring::new(Graph::octahedron(), 2).unwrap_err();
        assert_eq!(refused, Error::TooFewColors { colors: 2, vertex: 2, sufficient: 5 });
        assert!(refused.to_string().contains("5 colours are always enough"));
    }
}
