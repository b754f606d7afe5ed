//! Proper colourings of a graph.

use crate::Failure;
use crate::config::{self, Move, Sampler, Setup};
use crate::model::choices::{AnyStart, ColoringMove, kernel};
use crate::model::problem::{Parts, problem_with};
use crate::model::{Input, Model};
use partita::Coloring;
use partita::start::{Fixed, RandomColoring};
use partita::target::ColorMoves;

/// Whether the moves of a sampler lead from every colouring to every other; none where that is not known.
fn connected(target: &Coloring, sampler: &Sampler) -> Option<bool> {
    if sampler.has(Move::Kempe) {
        return target.is_connected(ColorMoves::Kempe);
    }
    // Moves of pairs of clusters may connect what single vertices do not; nobody has shown it.
    let more = !sampler.moves().iter().all(|(kind, _)| *kind == Move::Gibbs);
    target.is_connected(ColorMoves::Single).filter(|connected| *connected || !more)
}

pub(super) fn build(setup: &Setup, colors: usize, input: &Input) -> Result<Box<dyn Model>, Failure> {
    let target = Coloring::new(input.graph()?, colors);
    let target = target.map_err(|e| Failure::BadInput(format!("{}: {e}", input.title)))?;
    let start = match setup.start {
        config::Start::Random => AnyStart::Coloring(Box::new(RandomColoring(target.clone()))),
        config::Start::Greedy => AnyStart::Fixed(Fixed(target.known_coloring())),
        other => {
            return Err(Failure::option(
                "start",
                format!("`start = {other}` is for tables: use random or greedy for colourings"),
            ));
        }
    };
    let kernel = kernel(&setup.sampler, ColoringMove::new)?;
    let connected = connected(&target, &setup.sampler);
    problem_with(setup, kernel, connected, Parts::new(target, start, None))
}
