//! The stochastic block model: the vertices of a graph in blocks, with an edge density for each pair of blocks.
//!
//! An undirected graph without loops. Each pair of blocks, including a block with itself, has an edge
//! probability `Beta(present, absent)` that is integrated out (Nowicki, Snijders 2001). With `e` edges among
//! the `t` pairs of vertices of two blocks
//!
//! `p(graph | z) = prod over pairs of blocks of B(present + e, absent + t - e) / B(present, absent)`.
//!
//! A vertex with `k_d` edges into block `d` of `n_d` others joins block `c` with the weight of the partition
//! prior times `prod_d B(. + k_d, . + n_d - k_d) / B(., .)`, where the dots are those of the pair `(c, d)`
//! without the vertex. So a step costs the vertex's degree and `O(K^2)` look-ups. Counts are whole
//! numbers: statistics never drift.

use crate::error::{Result, positive};
use crate::graph::Graph;
use crate::partition::{Move, Partition};
use crate::prior::{Prior, PriorTable};
use crate::special::LnRising;
use crate::target::Target;

/// The prior of an edge probability: `Beta(present, absent)`.
///
/// ```
/// use partita::target::EdgePrior;
/// let sparse = EdgePrior { present: 0.5, absent: 5.0 };
/// assert_eq!(EdgePrior::uniform(), EdgePrior { present: 1.0, absent: 1.0 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgePrior {
    /// How many present edges the prior is worth.
    pub present: f64,
    /// How many absent edges it is worth.
    pub absent: f64,
}

impl EdgePrior {
    /// Every density equally likely.
    pub const fn uniform() -> Self {
        EdgePrior { present: 1.0, absent: 1.0 }
    }
}

/// The posterior over partitions of a graph's vertices into blocks.
///
/// ```
/// use partita::target::EdgePrior;
/// use partita::{Blocks, Graph, Partition, Prior, Target};
/// // Two triangles joined by an edge.
/// let graph = Graph::new(6, &[(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)])?;
/// let target = Blocks::new(Prior::dirichlet(1.0)?, graph, EdgePrior::uniform())?;
/// let triangles = Partition::from_labels(&[0, 0, 0, 1, 1, 1])?;
/// let stripes = Partition::from_labels(&[0, 1, 0, 1, 0, 1])?;
/// assert!(target.log_probability(&triangles) > target.log_probability(&stripes));
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Blocks {
    prior: PriorTable,
    graph: Graph,
    edge: EdgePrior,
    present: LnRising,
    absent: LnRising,
    pairs: LnRising,
}

/// The number of edges between any two blocks.
#[derive(Debug)]
pub struct BlockStats {
    /// Row after row with `stride`; both triangles are kept.
    edges: Vec<u64>,
    blocks: usize,
    stride: usize,
}

impl BlockStats {
    /// Edges between two blocks, or within one.
    #[inline(always)]
    pub fn edges(&self, c: usize, d: usize) -> u64 {
        self.edges[c * self.stride + d]
    }

    fn with(blocks: usize) -> Self {
        let stride = blocks.next_power_of_two();
        BlockStats { edges: vec![0; stride * stride], blocks, stride }
    }

    fn change(&mut self, c: usize, d: usize, change: impl Fn(&mut u64)) {
        change(&mut self.edges[c * self.stride + d]);
        if c != d {
            change(&mut self.edges[d * self.stride + c]);
        }
    }

    fn open(&mut self) {
        if self.blocks == self.stride {
            let mut larger = BlockStats::with(self.blocks + 1);
            for c in 0..self.blocks {
                let row = &self.edges[c * self.stride..][..self.blocks];
                larger.edges[c * larger.stride..][..self.blocks].copy_from_slice(row);
            }
            *self = larger;
        } else {
            self.blocks += 1;
        }
    }

    /// Takes an empty block out by moving the last one into its place; what is behind stays zero.
    fn close(&mut self, block: usize) {
        let last = self.blocks - 1;
        if block != last {
            self.edges[block * self.stride + block] = self.edges(last, last);
            for d in (0..last).filter(|d| *d != block) {
                let between = self.edges(last, d);
                self.edges[block * self.stride + d] = between;
                self.edges[d * self.stride + block] = between;
            }
        }
        for d in 0..=last {
            self.edges[last * self.stride + d] = 0;
            self.edges[d * self.stride + last] = 0;
        }
        self.blocks = last;
    }
}

impl Clone for BlockStats {
    fn clone(&self) -> Self {
        BlockStats { edges: self.edges.clone(), blocks: self.blocks, stride: self.stride }
    }

    fn clone_from(&mut self, source: &Self) {
        self.edges.clone_from(&source.edges);
        (self.blocks, self.stride) = (source.blocks, source.stride);
    }
}

/// A vertex to be placed: its edges into each block and the blocks' sizes without it.
struct Vertex<'a> {
    target: &'a Blocks,
    stats: &'a BlockStats,
    own: usize,
    /// `(k_d, n_d)` of each block.
    ties: Vec<(u64, u64)>,
}

impl Vertex<'_> {
    /// The log likelihood ratio of the pair `(c, d)` with the vertex in `c` and without it.
    #[inline(always)]
    fn pair(&self, c: usize, d: usize) -> f64 {
        let ((into_c, size_c), (into_d, size_d)) = (self.ties[c], self.ties[d]);
        let mut edges = self.stats.edges(c, d);
        // Edges of the vertex are counted where it is now.
        if c == self.own {
            edges -= into_d;
        } else if d == self.own {
            edges -= into_c;
        }
        let pairs = if c == d { size_c * (size_c.max(1) - 1) / 2 } else { size_c * size_d };
        self.target.ratio(edges, pairs - edges, into_d, size_d)
    }

    /// The vertex in block `c`.
    #[inline(always)]
    fn join(&self, c: usize) -> f64 {
        (0..self.ties.len()).map(|d| self.pair(c, d)).sum()
    }

    /// The vertex in a block of its own.
    #[inline(always)]
    fn open(&self) -> f64 {
        self.ties.iter().map(|&(into, size)| self.target.ratio(0, 0, into, size)).sum()
    }
}

impl Blocks {
    /// Blocks of the vertices of `graph` with the given prior of edge probabilities.
    pub fn new(prior: Prior, graph: Graph, edge: EdgePrior) -> Result<Self> {
        let (present, absent) = (positive("present", edge.present)?, positive("absent", edge.absent)?);
        let n = graph.vertices() as u64;
        let pairs = n * (n - 1) / 2;
        let edges = (0..graph.vertices()).map(|v| graph.neighbors(v).len() as u64).sum::<u64>() / 2;
        Ok(Blocks {
            prior: PriorTable::new(prior, graph.vertices()),
            edge,
            present: LnRising::new(present, edges),
            absent: LnRising::new(absent, pairs - edges),
            pairs: LnRising::new(present + absent, pairs),
            graph,
        })
    }

    /// The partition prior.
    pub fn prior(&self) -> &Prior {
        self.prior.prior()
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The posterior mean, given a partition, of the probability of an edge between the blocks of
    /// two vertices; it predicts pairs that were not observed.
    ///
    /// ```
    /// use partita::target::EdgePrior;
    /// use partita::{Blocks, Graph, Partition, Prior, State};
    /// let graph = Graph::new(4, &[(0, 1), (2, 3)])?;
    /// let target = Blocks::new(Prior::dirichlet(1.0)?, graph, EdgePrior::uniform())?;
    /// let state = State::new(&target, Partition::from_labels(&[0, 0, 1, 1])?);
    /// assert_eq!(target.edge_probability(state.stats(), state.partition(), 0, 1), 2.0 / 3.0);
    /// # Ok::<(), partita::Error>(())
    /// ```
    pub fn edge_probability(&self, stats: &BlockStats, z: &Partition, u: usize, v: usize) -> f64 {
        let (c, d) = (z.slot(u), z.slot(v));
        let (n, m) = (f64::from(z.sizes()[c]), f64::from(z.sizes()[d]));
        let pairs = if c == d { n * (n - 1.0) / 2.0 } else { n * m };
        let EdgePrior { present, absent } = self.edge;
        (present + stats.edges(c, d) as f64) / (present + absent + pairs)
    }

    /// `ln B(a + k, b + n - k) / B(a, b)` with `a = present + edges`, `b = absent + gaps`.
    #[inline(always)]
    fn ratio(&self, edges: u64, gaps: u64, into: u64, size: u64) -> f64 {
        let (e, g) = (edges, gaps);
        self.present.between(e, e + into) + self.absent.between(g, g + (size - into))
            - self.pairs.between(e + g, e + g + size)
    }

    #[inline(always)]
    fn vertex<'a>(&'a self, stats: &'a BlockStats, z: &Partition, item: usize) -> Vertex<'a> {
        let own = z.slot(item);
        let mut ties: Vec<(u64, u64)> = z.sizes().iter().map(|&n| (0, u64::from(n))).collect();
        ties[own].1 -= 1;
        for &u in self.graph.neighbors(item) {
            ties[z.slot(u as usize)].0 += 1;
        }
        Vertex { target: self, stats, own, ties }
    }

    /// A vertex that `z` does not hold.
    fn newcomer<'a>(&'a self, stats: &'a BlockStats, z: &Partition, item: usize) -> Vertex<'a> {
        let mut ties: Vec<(u64, u64)> = z.sizes().iter().map(|&n| (0, u64::from(n))).collect();
        self.blocks_beside(z, item).for_each(|block| ties[block].0 += 1);
        Vertex { target: self, stats, own: NOWHERE, ties }
    }

    /// The blocks of a vertex's neighbours, those that are in one.
    fn blocks_beside<'a>(&'a self, z: &'a Partition, item: usize) -> impl Iterator<Item = usize> + 'a {
        self.graph.neighbors(item).iter().filter_map(|&u| z.slot_if_present(u as usize))
    }

    #[inline(always)]
    fn log_weight_of(&self, vertex: &Vertex, z: &Partition, item: usize, slot: usize) -> f64 {
        let opens = slot == z.clusters() || (slot == vertex.own && z.is_alone(item));
        self.prior.log_place(z, item, slot) + if opens { vertex.open() } else { vertex.join(slot) }
    }
}

/// The block of a vertex that is in none.
const NOWHERE: usize = usize::MAX;

impl Target for Blocks {
    type Stats = BlockStats;

    fn len(&self) -> usize {
        self.graph.vertices()
    }

    /// A step of one vertex: its edges, and look-ups for every pair of about eight blocks.
    fn sweep_work(&self) -> f64 {
        self.len() as f64 * (60.0 + 2.0 * self.graph.mean_degree() + 8.0 * 8.0 * 6.0)
    }

    fn stats(&self, z: &Partition) -> BlockStats {
        let mut stats = BlockStats::with(z.clusters());
        for (u, c) in z.places() {
            for &v in self.graph.neighbors(u).iter().filter(|v| **v as usize > u) {
                if let Some(d) = z.slot_if_present(v as usize) {
                    stats.change(c, d, |e| *e += 1);
                }
            }
        }
        stats
    }

    fn log_weight(&self, stats: &BlockStats, z: &Partition, item: usize, slot: usize) -> f64 {
        self.log_weight_of(&self.vertex(stats, z, item), z, item, slot)
    }

    fn log_weights_of_two(
        &self,
        stats: &BlockStats,
        z: &Partition,
        item: usize,
        slots: [usize; 2],
    ) -> [f64; 2] {
        let vertex = self.vertex(stats, z, item);
        slots.map(|slot| self.log_weight_of(&vertex, z, item, slot))
    }

    fn log_weight_of_arrival(&self, stats: &BlockStats, z: &Partition, item: usize, slot: usize) -> f64 {
        let vertex = self.newcomer(stats, z, item);
        self.prior.log_arrival(z, slot) + if slot == z.clusters() { vertex.open() } else { vertex.join(slot) }
    }

    fn arrive(&self, stats: &mut BlockStats, z: &Partition, item: usize) {
        if stats.blocks < z.clusters() {
            stats.open();
        }
        let slot = z.slot(item);
        self.blocks_beside(z, item).for_each(|block| stats.change(slot, block, |e| *e += 1));
    }

    fn depart(&self, stats: &mut BlockStats, z: &Partition, item: usize, from: usize) {
        self.blocks_beside(z, item).for_each(|block| stats.change(from, block, |e| *e -= 1));
    }

    fn log_weights(&self, stats: &BlockStats, z: &Partition, item: usize, out: &mut [f64]) {
        let vertex = self.vertex(stats, z, item);
        let alone = z.is_alone(item);
        self.prior.log_places(z, item, out);
        for (slot, out) in out[..z.clusters()].iter_mut().enumerate() {
            *out += if alone && slot == vertex.own { vertex.open() } else { vertex.join(slot) };
        }
        if !alone {
            out[z.clusters()] += vertex.open();
        }
    }

    fn relocate(&self, stats: &mut BlockStats, z: &Partition, step: Move) {
        if step.opened {
            stats.open();
        }
        let last = stats.blocks - 1;
        for &u in self.graph.neighbors(step.item) {
            // The partition has already moved its last slot to where one was closed.
            let now = z.slot(u as usize);
            let block = if step.closed && now == step.from { last } else { now };
            stats.change(step.from, block, |e| *e -= 1);
            stats.change(step.to, block, |e| *e += 1);
        }
        if step.closed {
            stats.close(step.from);
        }
    }

    fn log_probability(&self, z: &Partition) -> f64 {
        let stats = self.stats(z);
        let mut sum = self.prior.log_probability(z);
        for c in 0..z.clusters() {
            for d in 0..=c {
                let (n, m) = (u64::from(z.sizes()[c]), u64::from(z.sizes()[d]));
                let pairs = if c == d { n * (n - 1) / 2 } else { n * m };
                sum += self.ratio(0, 0, stats.edges(c, d), pairs);
            }
        }
        sum
    }
}
