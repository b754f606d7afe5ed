//! Uniform proper colourings of a graph, seen as partitions of its vertices.

mod connected;

pub use connected::ColorMoves;

use crate::error::{Error, Result};
use crate::graph::{Found, Graph};
use crate::math::ln;
use crate::partition::{Move, Partition};
use crate::target::Target;

/// The law on vertex partitions of a uniform proper colouring with `colors` colours:
/// `p(z)` proportional to `q! / (q - K)!` where no class holds two neighbours (the paper's
/// appendix on targets), so an admissible class has weight 1 and a new one `q - K`.
///
/// ```
/// use partita::{Coloring, Graph};
/// let coloring = Coloring::new(Graph::octahedron(), 4)?;
/// assert_eq!(coloring.known_coloring().clusters(), 3);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Coloring {
    graph: Graph,
    colors: usize,
    known: Partition,
    /// `ln(q - K)` for `K` classes: no more than vertices.
    open: Vec<f64>,
}

impl Coloring {
    /// Colourings of `graph` with `colors` colours; an error if there are none, or none can be found, since
    /// chains start from colourings.
    pub fn new(graph: Graph, colors: usize) -> Result<Self> {
        let sufficient = || graph.smallest_last().1 + 1;
        let labels = match graph.find_coloring(colors) {
            Found::Coloring(labels) => labels,
            Found::NoneExists => return Err(Error::TooFewColors { colors, sufficient: sufficient() }),
            Found::None => return Err(Error::NoColoringFound { colors, sufficient: sufficient() }),
        };
        let known = Partition::from_labels(&labels)?;
        let open = (0..=colors.min(graph.vertices())).map(|k| ln((colors - k) as f64)).collect();
        Ok(Coloring { graph, colors, known, open })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The number of colours.
    pub fn colors(&self) -> usize {
        self.colors
    }

    /// A proper colouring: each vertex in order gets the first colour that no neighbour has, if this succeeds;
    /// otherwise one found by search.
    pub fn known_coloring(&self) -> Partition {
        self.known.clone()
    }

    /// Whether no class holds two neighbours and there are enough colours.
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

    fn sweep_work(&self) -> f64 {
        let classes = self.colors().min(self.len()) as f64;
        self.len() as f64 * (60.0 + 4.0 * self.graph.mean_degree() + 8.0 * classes)
    }

    fn stats(&self, _z: &Partition) {}

    fn log_weight(&self, _stats: &(), z: &Partition, item: usize, slot: usize) -> f64 {
        let alone = z.is_alone(item);
        if slot == z.clusters() || (alone && slot == z.slot(item)) {
            return self.open[(z.clusters() - usize::from(alone)).min(self.open.len() - 1)];
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

    fn log_weight_of_arrival(&self, _stats: &(), z: &Partition, item: usize, slot: usize) -> f64 {
        if slot == z.clusters() {
            return self.open[slot.min(self.open.len() - 1)];
        }
        let clashes = |&u: &u32| z.slot_if_present(u as usize) == Some(slot);
        if self.graph.neighbors(item).iter().any(clashes) { f64::NEG_INFINITY } else { 0.0 }
    }

    fn arrive(&self, _stats: &mut (), _z: &Partition, _item: usize) {}

    fn depart(&self, _stats: &mut (), _z: &Partition, _item: usize, _from: usize) {}

    fn log_probability(&self, z: &Partition) -> f64 {
        if self.is_proper(z) { self.open[..z.clusters()].iter().sum() } else { f64::NEG_INFINITY }
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
        assert_eq!(refused, Error::TooFewColors { colors: 2, sufficient: 5 });
        assert!(refused.to_string().contains("5 colours are always enough"));
    }

    /// Greedy colouring of this path in vertex order needs a third colour; the path does not.
    #[test]
    fn a_path_has_two_colors_in_any_order() {
        let path = Graph::new(4, &[(0, 2), (2, 3), (3, 1)]).unwrap();
        let coloring = Coloring::new(path, 2).unwrap();
        assert!(coloring.is_proper(&coloring.known_coloring()));
    }

    /// A billion colours weigh what they should, and take no more room than three.
    #[test]
    fn colors_beyond_the_vertices_cost_nothing() {
        let path = Graph::new(3, &[(0, 1), (1, 2)]).unwrap();
        let coloring = Coloring::new(path, 1_000_000_000).unwrap();
        assert_eq!(coloring.open.len(), 4);
        let apart = coloring.log_probability(&Partition::singletons(3).unwrap());
        let joined = coloring.log_probability(&Partition::from_labels(&[0, 1, 0]).unwrap());
        assert!((apart - joined - (1e9 - 2.0_f64).ln()).abs() < 1e-12);
    }
}
