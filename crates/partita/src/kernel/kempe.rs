//! Kempe moves: two colours are exchanged along a chain of vertices, so that no vertex is stuck.

use super::{Chains, Kernel, Workspace};
use crate::chance::{Chance as _, Items as _, Source};
use crate::coupling::{Coupling, Step};
use crate::graph::Graph;
use crate::partition::{Move, Partition};
use crate::rng::Purpose;
use crate::target::{Coloring, State};

/// One pass of Kempe moves: each vertex in turn picks one of the `q` colours, and that colour and its own are exchanged
/// along the chain of vertices of these two colours that contains it.
///
/// A move and its reverse have the same probability, so the uniform law of proper colourings is invariant.
/// Moving a single vertex is moving a chain of one, so Kempe moves connect whatever moves of single
/// vertices connect, and much more: all colourings wherever `q` exceeds the degeneracy of the graph (Las Vergnas,
/// Meyniel 1981); see [`Coloring::is_connected`].
///
/// Two Markov chains pick their colours by the coupling, as if the vertex alone were to move; each then moves a chain of
/// vertices of its own.
///
/// ```
/// use partita::coupling::Optimal;
/// use partita::kernel::{Kempe, Then};
/// use partita::partition::Metric;
/// use partita::{Coloring, Gibbs, Graph, Pair, Stream};
/// let target = Coloring::new(Graph::octahedron(), 4)?;
/// let (kernel, start) = (Then(Kempe, Gibbs), target.known_coloring());
/// let mut pair = Pair::new(&target, &kernel, Optimal::new(Metric::Hamming, 6), 1)?;
/// assert!(pair.run(start.clone(), start, &Stream::new(1, 0), &mut ()).ending.tau().is_some());
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kempe;

/// Memory for a pass: the law of each chain's choice, and the current chain of vertices.
#[derive(Debug, Default)]
pub(crate) struct KempeWork {
    laws: [Vec<f64>; 2],
    vertices: KempeChain,
}

/// The vertices of two colours that are linked to one of them.
#[derive(Debug, Default)]
pub(crate) struct KempeChain {
    /// Those of the first vertex's colour, and those of the other.
    sides: [Vec<u32>; 2],
    /// Which vertices are in the chain: those marked with its number.
    seen: Vec<u32>,
    number: u32,
}

impl KempeChain {
    /// Finds the chain of `vertex` and the class `to`.
    fn find(&mut self, graph: &Graph, z: &Partition, vertex: usize, to: usize) {
        if self.seen.len() != graph.vertices() || self.number == u32::MAX {
            self.seen.clear();
            self.seen.resize(graph.vertices(), 0);
            self.number = 0;
        }
        self.number += 1;
        let classes = [z.slot(vertex), to];
        self.sides.iter_mut().for_each(Vec::clear);
        self.sides[0].push(vertex as u32);
        self.seen[vertex] = self.number;
        // Neighbours of one side are on the other: the lists grow in turn.
        let mut done = [0, 0];
        while let Some(side) = (0..2).find(|&side| done[side] < self.sides[side].len()) {
            let v = self.sides[side][done[side]] as usize;
            done[side] += 1;
            for &u in graph.neighbors(v) {
                if self.seen[u as usize] != self.number && z.slot(u as usize) == classes[1 - side] {
                    self.seen[u as usize] = self.number;
                    self.sides[1 - side].push(u);
                }
            }
        }
    }
}

/// Exchanges the class of `vertex` and the class `to` along the vertex's chain; `moved` is called for every move.
///
/// The slot after the last one is an unused colour: the chain is then the vertex alone.
pub(crate) fn exchange(
    target: &Coloring,
    state: &mut State<Coloring>,
    vertex: usize,
    to: usize,
    chain: &mut KempeChain,
    mut moved: impl FnMut(Move),
) {
    let z = state.partition();
    let from = z.slot(vertex);
    if to == from {
        return;
    }
    if to == z.clusters() {
        moved(state.place(target, vertex, to).expect("a vertex that is alone keeps its slot"));
        return;
    }
    chain.find(target.graph(), z, vertex, to);
    let whole = |side: usize, slot: usize| chain.sides[side].len() == z.sizes()[slot] as usize;
    let (all_of_own, all_of_other) = (whole(0, from), whole(1, to));
    if all_of_own && all_of_other {
        return; // Two names change places; the classes are the same.
    }
    // No class may be empty in between: the side that leaves some vertices behind moves last, or what is left closes.
    let order = if all_of_other { [(0, to), (1, from)] } else { [(1, from), (0, to)] };
    for (side, slot) in order {
        for &v in &chain.sides[side] {
            moved(state.place(target, v as usize, slot).expect("the vertex changes its class"));
        }
    }
}

/// How likely each class of a colouring is to be picked: one colour per class, and one class for all unused colours.
fn law(target: &Coloring, z: &Partition, vertex: usize, out: &mut Vec<f64>) {
    let unused = (target.colors() - z.clusters()) as f64;
    let one = 1.0 / (unused + 1.0);
    out.clear();
    out.resize(z.clusters() + 1, one);
    // A vertex that is alone takes an unused colour by staying.
    let (new, slot) = (z.clusters(), z.slot(vertex));
    out[new] = 0.0;
    out[if z.is_alone(vertex) { slot } else { new }] += unused * one;
}

impl Kernel<Coloring> for Kempe {
    fn step(
        &self,
        target: &Coloring,
        state: &mut State<Coloring>,
        source: &mut impl Source,
        work: &mut Workspace<Coloring>,
    ) {
        let mut chance = source.items(Purpose::Kempe);
        let KempeWork { laws: [a, _], vertices } = &mut work.kempe;
        for vertex in 0..target.graph().vertices() {
            law(target, state.partition(), vertex, a);
            let to = chance.item(vertex).pick(a.iter().copied());
            exchange(target, state, vertex, to, vertices, |_| ());
        }
    }

    fn coupled_step(
        &self,
        target: &Coloring,
        chains: &mut Chains<Coloring>,
        coupling: &mut impl Coupling,
        source: &mut impl Source,
        work: &mut Workspace<Coloring>,
    ) {
        if coupling.is_faithful() && chains.have_met() {
            self.step(target, &mut chains.x, source, work);
            chains.merge();
            return;
        }
        let mut chance = source.items(Purpose::Kempe);
        let KempeWork { laws: [a, b], vertices } = &mut work.kempe;
        for vertex in 0..target.graph().vertices() {
            let Chains { x, y, overlap } = &mut *chains;
            law(target, x.partition(), vertex, a);
            law(target, y.partition(), vertex, b);
            let slots = (x.partition().slot(vertex), y.partition().slot(vertex));
            overlap.take(slots.0, slots.1);
            let step = Step { item: vertex, x: x.partition(), y: y.partition(), overlap, a, b };
            let (to_x, to_y) = coupling.draw(&step, &mut chance.item(vertex));
            overlap.add(slots.0, slots.1);
            exchange(target, x, vertex, to_x, vertices, |step| {
                overlap.move_in_x(step, y.partition().slot(step.item));
            });
            exchange(target, y, vertex, to_y, vertices, |step| {
                overlap.move_in_y(step, x.partition().slot(step.item));
            });
        }
        if coupling.is_faithful() && chains.have_met() {
            chains.merge();
        }
    }
}
