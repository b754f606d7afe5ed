//! Uniform proper colourings of a graph, seen as partitions of its vertices.

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::math::ln_gamma;
use crate::partition::{Move, Partition};
use crate::target::Target;

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
