//! Models of graphs: proper colourings, and blocks of vertices that play the same part.

use super::choices::{AnyStart, ColoringMove, kernel};
use super::table::{Input, Parts, partition_prior, problem, problem_with};
use super::{Model, words};
use crate::Failure;
use crate::config::{self, EdgePrior, Move, Options, Sampler, Task};
use crate::graph::read_graph;
use partita::prior::Components;
use partita::start::{Fixed, FromPrior, RandomColoring};
use partita::target::ColorMoves;
use partita::{Blocks, Coloring, Graph, Partition, Prior, Target};

/// Reads the graph of a task.
pub(super) fn read(task: Task, options: &Options) -> Result<Input, Failure> {
    if task == Task::Color && options.data.is_some() && options.colors.is_none() {
        return Err(Failure::bad("--colors is needed: how many colours may be used".into()));
    }
    let Some(path) = options.data.clone() else {
        return Err(Failure::bad(format!(
            "`partita {task}` needs a graph: an edge list or a DIMACS .col file"
        )));
    };
    let file = read_graph(&path).map_err(|e| Failure::bad(e.to_string()))?;
    Ok(Input {
        title: path.display().to_string(),
        fingerprint: file.fingerprint.clone(),
        item_names: file.names.clone(),
        table: None,
        picture: None,
        kinds: Vec::new(),
        graph: Some(file),
        scaling: None,
        said: Vec::new(),
    })
}

/// The graph, the mean number of neighbours, and its size in words.
fn graph(input: &Input) -> Result<(Graph, f64, String), Failure> {
    let file = input.graph.as_ref().expect("a graph was read");
    let edges: Vec<_> = file.edges.iter().map(|&(u, v)| (u as usize, v as usize)).collect();
    let graph = Graph::new(file.names.len(), &edges)?;
    let degree = 2.0 * edges.len() as f64 / graph.vertices() as f64;
    let size = format!("{}: {} vertices, {} edges", input.title, graph.vertices(), edges.len());
    Ok((graph, degree, size))
}

/// A sentence where the file may be a table rather than a graph.
fn like_table(input: &Input) -> Option<String> {
    super::looks::like_table(&input.title, input.graph.as_ref()?)
}

/// Proper colourings.
pub(super) fn color(options: &mut Options, input: &mut Input) -> Result<Box<dyn Model>, Failure> {
    let (graph, degree, size) = graph(input)?;
    let colors = options.colors.unwrap_or(0);
    let single = colors >= graph.max_degree() + 2;
    let target = Coloring::new(graph, colors).map_err(|e| Failure::bad(format!("{}: {e}", input.title)))?;
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
        sweep_work: target.len() as f64 * (60.0 + 4.0 * degree + 8.0 * classes as f64),
        densities: None,
        joinings: None,
        density: |_: &config::Grid| None,
        target,
    };
    input.said = [format!("{size}, {colors} colours")].into_iter().chain(like_table(input)).collect();
    problem_with(options, kernel, connected, parts)
}

/// The stochastic block model.
pub(super) fn blocks(options: &mut Options, input: &mut Input) -> Result<Box<dyn Model>, Failure> {
    let (graph, degree, size) = graph(input)?;
    let prior = partition_prior(options, None)?;
    let edge = *options.edge_prior.get_or_insert(EdgePrior { present: 1.0, absent: 1.0 });
    let edge = partita::target::EdgePrior { present: edge.present, absent: edge.absent };
    let target = Blocks::new(prior, graph, edge)?;
    let items = target.len();
    let start = match *options.start.get_or_insert(config::Start::Prior) {
        config::Start::One => AnyStart::Fixed(Fixed(Partition::one_cluster(items)?)),
        config::Start::Prior => AnyStart::Prior(FromPrior { prior, items }),
        config::Start::Sequential => AnyStart::Sequential,
        other => {
            return Err(Failure::bad(format!(
                "--start {other} does not go with blocks: use prior, sequential or one"
            )));
        }
    };
    // Vertices strewn over up to ten blocks, whatever the prior likes.
    let strewn = Prior::finite_mixture(1.0, Components::Exactly(10))?;
    let parts = Parts {
        start,
        second_start: Some(AnyStart::Prior(FromPrior { prior: strewn, items })),
        reference: None,
        // A step of one vertex: its edges, and look-ups for every pair of about eight blocks.
        sweep_work: items as f64 * (60.0 + 2.0 * degree + 8.0 * 8.0 * 6.0),
        densities: None,
        joinings: None,
        density: |_: &config::Grid| None,
        target,
    };
    let model = problem(options, parts)?;
    input.said = [size, words::of_blocks(options)].into_iter().chain(like_table(input)).collect();
    Ok(model)
}
