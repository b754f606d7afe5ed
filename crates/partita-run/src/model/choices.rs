//! Kernels, couplings and starts chosen at run time: one type each, so that only the target is generic.

use crate::Failure;
use crate::config;
use partita::chance::{Chance, Source};
use partita::coupling::{Cell, CommonUniform, Coupling, Independent, Labels, Maximal, Nugget, Optimal, Step};
use partita::kernel::{
    Alignment, Chains, Kempe, Neighbors, Sams, SamsEven, SamsNear, Shuffle, ShuffleNear, Times, Workspace,
};
use partita::partition::Metric;
use partita::rng::Sequence;
use partita::start::{Fixed, FromPrior, KMeans, RandomColoring, Sequential};
use partita::{Coloring, Gibbs, Kernel, Partition, SplitMerge, Start, State, Target};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The kernel of a sampler: its moves, each so many times, one after the other.
pub(crate) fn kernel<M>(
    sampler: &config::Sampler,
    one: impl Fn(config::Move) -> Option<M>,
) -> Result<Vec<Times<M>>, Failure> {
    let known = |kind| one(kind).ok_or_else(|| refusal(sampler, kind));
    sampler.moves().iter().map(|&(kind, times)| Ok(Times(known(kind)?, times))).collect()
}

/// A move that is not for such data.
fn refusal(sampler: &config::Sampler, kind: config::Move) -> Failure {
    let what = match kind {
        config::Move::Kempe => "Kempe moves are for colourings of graphs; use gibbs or split-merge",
        config::Move::ShuffleNear => "shuffle-near needs the rows of a table; use shuffle for graphs",
        _ => "sams-near needs the rows of a table; use sams for graphs",
    };
    Failure::option("sampler", format!("`sampler = {sampler}`: {what}"))
}

/// A move on any target.
#[derive(Debug, Clone)]
pub(crate) enum AnyMove {
    Gibbs(Gibbs),
    SplitMerge(SplitMerge),
    Sams(Sams),
    SamsNear(SamsNear),
    SamsEven(SamsEven),
    Shuffle(Shuffle),
    ShuffleNear(ShuffleNear),
}

impl AnyMove {
    /// The move of this kind, for items with these neighbours, if any; none where only some targets have it.
    pub(crate) fn new(kind: config::Move, near: Option<&Arc<Neighbors>>) -> Option<Self> {
        match kind {
            config::Move::Gibbs => Some(AnyMove::Gibbs(Gibbs)),
            config::Move::SplitMerge => Some(AnyMove::SplitMerge(SplitMerge::default())),
            config::Move::SplitMergeIndependent => Some(AnyMove::SplitMerge(SplitMerge {
                alignment: Alignment::Independent,
                ..SplitMerge::default()
            })),
            config::Move::Sams => Some(AnyMove::Sams(Sams)),
            config::Move::SamsNear => near.map(|near| AnyMove::SamsNear(SamsNear(near.clone()))),
            config::Move::SamsEven => Some(AnyMove::SamsEven(SamsEven(near.cloned()))),
            config::Move::Shuffle => Some(AnyMove::Shuffle(Shuffle)),
            config::Move::ShuffleNear => near.map(|near| AnyMove::ShuffleNear(ShuffleNear(near.clone()))),
            config::Move::Kempe => None,
        }
    }
}

impl<T: Target> Kernel<T> for AnyMove {
    fn step(&self, target: &T, state: &mut State<T>, source: &mut impl Source, work: &mut Workspace<T>) {
        match self {
            AnyMove::Gibbs(kernel) => kernel.step(target, state, source, work),
            AnyMove::SplitMerge(kernel) => kernel.step(target, state, source, work),
            AnyMove::Sams(kernel) => kernel.step(target, state, source, work),
            AnyMove::SamsNear(kernel) => kernel.step(target, state, source, work),
            AnyMove::SamsEven(kernel) => kernel.step(target, state, source, work),
            AnyMove::Shuffle(kernel) => kernel.step(target, state, source, work),
            AnyMove::ShuffleNear(kernel) => kernel.step(target, state, source, work),
        }
    }

    fn coupled_step(
        &self,
        target: &T,
        chains: &mut Chains<T>,
        coupling: &mut impl Coupling,
        source: &mut impl Source,
        work: &mut Workspace<T>,
    ) {
        match self {
            AnyMove::Gibbs(kernel) => kernel.coupled_step(target, chains, coupling, source, work),
            AnyMove::SplitMerge(kernel) => kernel.coupled_step(target, chains, coupling, source, work),
            AnyMove::Sams(kernel) => kernel.coupled_step(target, chains, coupling, source, work),
            AnyMove::SamsNear(kernel) => kernel.coupled_step(target, chains, coupling, source, work),
            AnyMove::SamsEven(kernel) => kernel.coupled_step(target, chains, coupling, source, work),
            AnyMove::Shuffle(kernel) => kernel.coupled_step(target, chains, coupling, source, work),
            AnyMove::ShuffleNear(kernel) => kernel.coupled_step(target, chains, coupling, source, work),
        }
    }
}

/// A move on colourings.
#[derive(Debug, Clone)]
pub(crate) enum ColoringMove {
    Kempe(Kempe),
    Any(AnyMove),
}

impl ColoringMove {
    /// The move of this kind; none where colourings do not have it.
    pub(crate) fn new(kind: config::Move) -> Option<Self> {
        match kind {
            config::Move::Kempe => Some(ColoringMove::Kempe(Kempe)),
            kind => AnyMove::new(kind, None).map(ColoringMove::Any),
        }
    }
}

impl Kernel<Coloring> for ColoringMove {
    fn step(
        &self,
        target: &Coloring,
        state: &mut State<Coloring>,
        source: &mut impl Source,
        work: &mut Workspace<Coloring>,
    ) {
        match self {
            ColoringMove::Kempe(kernel) => kernel.step(target, state, source, work),
            ColoringMove::Any(kernel) => kernel.step(target, state, source, work),
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
        match self {
            ColoringMove::Kempe(kernel) => kernel.coupled_step(target, chains, coupling, source, work),
            ColoringMove::Any(kernel) => kernel.coupled_step(target, chains, coupling, source, work),
        }
    }
}

impl config::Metric {
    /// The metric itself.
    pub(crate) fn of_partitions(self) -> Metric {
        match self {
            config::Metric::Hamming => Metric::Hamming,
            config::Metric::Vi => Metric::Vi,
        }
    }
}

/// A coupling, the nugget around it.
#[derive(Debug, Clone)]
pub(crate) enum AnyCoupling {
    Optimal(Box<Nugget<Optimal>>),
    Maximal(Nugget<Maximal>),
    Common(Nugget<CommonUniform>),
    Independent(Independent),
}

impl AnyCoupling {
    pub(crate) fn new(pairing: &config::Pairing, items: usize) -> partita::Result<Self> {
        let nugget = pairing.nugget;
        let metric = pairing.metric.of_partitions();
        let maximal = |labels| Ok(AnyCoupling::Maximal(Nugget::new(Maximal::new(labels), nugget)?));
        match pairing.coupling {
            config::Coupling::Optimal => {
                Ok(AnyCoupling::Optimal(Box::new(Nugget::new(Optimal::new(metric, items), nugget)?)))
            }
            config::Coupling::Maximal => maximal(Labels::ByOpening),
            config::Coupling::Relabel => maximal(Labels::BySmallestMember),
            config::Coupling::Common => Ok(AnyCoupling::Common(Nugget::new(CommonUniform::new(), nugget)?)),
            config::Coupling::Independent => Ok(AnyCoupling::Independent(Independent)),
        }
    }
}

/// Does the same with whichever coupling it is.
macro_rules! each {
    ($any:expr, $coupling:ident => $do:expr) => {
        match $any {
            AnyCoupling::Optimal($coupling) => $do,
            AnyCoupling::Maximal($coupling) => $do,
            AnyCoupling::Common($coupling) => $do,
            AnyCoupling::Independent($coupling) => $do,
        }
    };
}

impl Coupling for AnyCoupling {
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>) {
        each!(self, coupling => coupling.plan(step, plan));
    }

    #[inline]
    fn draw(&mut self, step: &Step, chance: &mut impl Chance) -> (usize, usize) {
        each!(self, coupling => coupling.draw(step, chance))
    }

    fn is_faithful(&self) -> bool {
        each!(self, coupling => coupling.is_faithful())
    }
}

/// A law of first states.
#[derive(Debug, Clone)]
pub(crate) enum AnyStart {
    Fixed(Fixed),
    Prior(FromPrior),
    Sequential,
    Coloring(Box<RandomColoring>),
    KMeans { values: Vec<f64>, dimension: usize, clusters: RangeInclusive<usize> },
}

impl AnyStart {
    /// Draws a first state of a target.
    pub(crate) fn draw<T: Target>(&self, target: &T, chance: &mut Sequence) -> Partition {
        match self {
            AnyStart::Fixed(start) => start.draw(chance),
            AnyStart::Prior(start) => start.draw(chance),
            AnyStart::Sequential => Sequential(target).draw(chance),
            AnyStart::Coloring(start) => start.draw(chance),
            AnyStart::KMeans { values, dimension, clusters } => {
                let start = KMeans::new(values, *dimension, clusters.clone());
                start.expect("the range was checked").draw(chance)
            }
        }
    }
}
