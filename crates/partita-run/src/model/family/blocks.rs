//! Blocks of vertices that play the same part in a graph: the stochastic block model.

use crate::Failure;
use crate::config::{self, EdgePrior, Setup};
use crate::model::choices::AnyStart;
use crate::model::problem::{Parts, problem};
use crate::model::{Input, Model};
use partita::prior::Components;
use partita::start::{Fixed, FromPrior};
use partita::{Blocks, Partition, Prior, Target};

pub(super) fn build(
    setup: &Setup,
    prior: Prior,
    edges: EdgePrior,
    input: &Input,
) -> Result<Box<dyn Model>, Failure> {
    let edges = partita::target::EdgePrior { present: edges.present, absent: edges.absent };
    let target = Blocks::new(prior, input.graph()?, edges)?;
    let items = target.len();
    let start = match setup.start {
        config::Start::One => AnyStart::Fixed(Fixed(Partition::one_cluster(items)?)),
        config::Start::Prior => AnyStart::Prior(FromPrior { prior, items }),
        config::Start::Sequential => AnyStart::Sequential,
        other => {
            return Err(Failure::option(
                "start",
                format!("`start = {other}` cannot be used with blocks: use prior, sequential or one"),
            ));
        }
    };
    // Vertices strewn over up to ten blocks, whatever the prior likes.
    let strewn = Prior::finite_mixture(1.0, Components::Exactly(10))?;
    let second_start = AnyStart::Prior(FromPrior { prior: strewn, items });
    problem(setup, Parts::new(target, start, Some(second_start)))
}
