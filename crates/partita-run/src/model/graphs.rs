//! Models of graphs: proper colourings, and blocks of vertices that play the same part.

use super::choices::AnyStart;
use super::table::{Input, Parts, partition_prior, problem};
use super::{Model, words};
use crate::Failure;
use crate::config::{self, EdgePrior, Options};
use crate::graph::{GraphFile, read_graph};
use partita::prior::Components;
use partita::start::{Fixed, FromPrior};
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

    fn like_table(&self) -> Option<String> {
        super::looks::like_table(&self.path.display().to_string(), &self.file)
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
    if options.data.is_some() && options.colors.is_none() {
        return Err(Failure::bad("--colors is needed: how many colours may be used".into()));
    }
    let read = Read::new(options, "color")?;
    let colors = options.colors.unwrap_or(0);
    let target = Coloring::new(read.graph.clone(), colors).map_err(|e| match e {
        partita::Error::TooFewColors { vertex, sufficient, .. } => Failure::bad(format!(
            "{}: {colors} colours are too few: greedy colouring is stuck at vertex `{}`; {sufficient} are \
             always enough for this graph",
            read.path.display(),
            read.file.names[vertex]
        )),
        other => other.into(),
    })?;
    match options.start.get_or_insert(config::Start::Greedy) {
        config::Start::Greedy => {}
        other => {
            return Err(Failure::bad(format!("--start {other} is for tables: colourings start greedy")));
        }
    }
    let parts = Parts {
        start: AnyStart::Fixed(Fixed(target.greedy_start())),
        second_start: None,
        reference: None,
        sweep_work: target.len() as f64 * (60.0 + 4.0 * read.degree() + 8.0 * colors as f64),
        densities: None,
        joinings: None,
        density: |_: &config::Grid| None,
        target,
    };
    let mut said = vec![format!("{}, {colors} colours", read.size())];
    said.extend(read.like_table());
    Ok((problem(options, parts)?, read.input(said)))
}

/// The stochastic block model.
pub(super) fn blocks(options: &mut Options) -> Result<(Box<dyn Model>, Input), Failure> {
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
    let mut said = vec![read.size(), words::of_blocks(options)];
    said.extend(read.like_table());
    Ok((model, read.input(said)))
}
