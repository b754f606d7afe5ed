//! Models of graphs: proper colourings, and blocks of vertices that play the same part.

use super::choices::{AnyStart, ColoringMove, kernel};
use super::table::{Input, Parts, partition_prior, problem, problem_with};
use super::{Model, words};
use crate::Failure;
use crate::config::{self, EdgePrior, Move, Options, Sampler};
use crate::graph::{GraphFile, read_graph};
use partita::prior::Components;
use partita::start::{Fixed, FromPrior, RandomColoring};
use partita::target::ColorMoves;
use partita::{Blocks, Coloring, Graph, Partition, Prior, Target};
use std::path::PathBuf;

/// A graph that was read.
struct Read {
    path: PathBuf,
    file: GraphFile,
    graph: Graph,
}

impl Read {
    fn new(options: &Options, command: &str) -> Result<Self, Failure> {
        let Some(path) = options.data.clone() else {
            return Err(Failure::bad(format!(
                "`partita {command}` needs a graph: an edge list or a DIMACS .col file"
            )));
        };
        let file = read_graph(&path).map_err(|e| Failure::bad(e.to_string()))?;
        let edges: Vec<_> = file.edges.iter().map(|&(u, v)| (u as usize, v as usize)).collect();
        let graph = Graph::new(file.names.len(), &edges)?;
        Ok(Read { path, file, graph })
    }

    /// Mean number of neighbours.
    fn degree(&self) -> f64 {
        2.0 * self.file.edges.len() as f64 / self.graph.vertices() as f64
    }

    /// `n` vertices and edges, in words.
    fn size(&self) -> String {
        let (vertices, edges) = (self.graph.vertices(), self.file.edges.len());
        format!("{}: {vertices} vertices, {edges} edges", self.path.display())
    }

    fn input(self, said: Vec<String>) -> Input {
        Input {
            title: self.path.display().to_string(),
            fingerprint: self.file.fingerprint,
            item_names: self.file.names,
            table: None,
            picture: None,
            scaling: None,
            said,
        }
    }
}

/// Proper colourings.
pub(super) fn color(options: &mut Options) -> Result<(Box<dyn Model>, Input), Failure> {
    if options.edge_prior.is_some() {
        return Err(Failure::bad("--edge-prior is for blocks: use `partita blocks GRAPH`".into()));
    }
    if options.data.is_some() && options.colors.is_none() {
        return Err(Failure::bad("--colors is needed: how many colours may be used".into()));
    }
    let read = Read::new(options, "color")?;
    let colors = options.colors.unwrap_or(0);
    let target = Coloring::new(read.graph.clone(), colors)
        .map_err(|e| Failure::bad(format!("{}: {e}", read.path.display())))?;
    let start = match options.start.get_or_insert(config::Start::Random) {
        config::Start::Random => AnyStart::Coloring(Box::new(RandomColoring(target.clone()))),
        config::Start::Greedy => AnyStart::Fixed(Fixed(target.known_coloring())),
        other => {
            return Err(Failure::bad(format!(
                "--start {other} is for tables: colourings start random, or greedy"
            )));
        }
    };
    // With fewer colours, moves of single vertices need not lead from every colouring to every other.
    let single = colors >= read.graph.max_degree() + 2;
    let sampler =
        options.sampler.get_or_insert_with(|| if single { Sampler::gibbs() } else { Sampler::kempe() });
    let kernel = kernel(sampler, ColoringMove::new).expect("colourings know every move");
    let connected = if sampler.has(Move::Kempe) {
        target.is_connected(ColorMoves::Kempe)
    } else {
        // Split-merge moves may connect what single vertices do not; nobody has shown it.
        let splits = !sampler.moves().iter().all(|(kind, _)| *kind == Move::Gibbs);
        target.is_connected(ColorMoves::Single).filter(|connected| *connected || !splits)
    };
    let classes = colors.min(target.len());
    let parts = Parts {
        start,
        second_start: None,
        reference: None,
        sweep_work: target.len() as f64 * (60.0 + 4.0 * read.degree() + 8.0 * classes as f64),
        densities: None,
        joinings: None,
        density: |_: &config::Grid| None,
        target,
    };
    let said = vec![format!("{}, {colors} colours", read.size())];
    Ok((problem_with(options, kernel, connected, parts)?, read.input(said)))
}

/// The stochastic block model.
pub(super) fn blocks(options: &mut Options) -> Result<(Box<dyn Model>, Input), Failure> {
    if options.colors.is_some() {
        return Err(Failure::bad("--colors is for colourings: use `partita color GRAPH --colors Q`".into()));
    }
    if options.covariance.is_some() || options.prior_sd.is_some() || options.noise_sd.is_some() {
        return Err(Failure::bad(
            "--covariance, --prior-sd and --noise-sd are for tables: blocks have --edge-prior and --prior"
                .into(),
        ));
    }
    let read = Read::new(options, "blocks")?;
    let prior = partition_prior(options, None)?;
    let edge = *options.edge_prior.get_or_insert(EdgePrior { present: 1.0, absent: 1.0 });
    let edge = partita::target::EdgePrior { present: edge.present, absent: edge.absent };
    let target = Blocks::new(prior, read.graph.clone(), edge)?;
    let items = target.len();
    let start = match *options.start.get_or_insert(config::Start::Prior) {
        config::Start::One => AnyStart::Fixed(Fixed(Partition::one_cluster(items)?)),
        config::Start::Prior => AnyStart::Prior(FromPrior { prior, items }),
        other => {
            return Err(Failure::bad(format!("--start {other} does not go with blocks: use prior or one")));
        }
    };
    // Vertices strewn over up to ten blocks, whatever the prior likes.
    let strewn = Prior::finite_mixture(1.0, Components::Exactly(10))?;
    let parts = Parts {
        start,
        second_start: Some(AnyStart::Prior(FromPrior { prior: strewn, items })),
        reference: None,
        // A step of one vertex: its edges, and look-ups for every pair of about eight blocks.
        sweep_work: items as f64 * (60.0 + 2.0 * read.degree() + 8.0 * 8.0 * 6.0),
        densities: None,
        joinings: None,
        density: |_: &config::Grid| None,
        target,
    };
    let model = problem(options, parts)?;
    let said = vec![read.size(), words::of_blocks(options)];
    Ok((model, read.input(said)))
}
