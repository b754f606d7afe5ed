//! The families of models, each with one home: what it takes, how it is built, described and advised on.
//!
//! A new family is a file here and a line in the table below.

mod blocks;
mod coloring;
mod diagonal;
mod full;
mod known;
mod shared;
mod shared_columns;

pub use full::{Candidate, candidates};

use super::choices::AnyStart;
use super::problem::{Parts, problem};
use super::{AnySummary, Input, Model, predict};
use crate::Failure;
use crate::config::{self, ClusterPrior, Law, MixtureLaw, Setup};
use crate::data::{Kind, Place, Table};
use crate::summary::{OnGrid, densities};
use partita::kernel::Neighbors;
use partita::likelihood::LARGEST_COUNT;
use partita::prior::Components;
use partita::start::{Fixed, FromPrior};
use partita::target::Predictive;
use partita::{Partition, Prior};
use std::sync::Arc;

/// A family of mixture models of tables.
pub(crate) struct Family {
    /// What it takes.
    pub cells: Cells,
    /// What clusters look like.
    pub clusters: fn(&ClusterPrior) -> String,
    /// What may help chains that are slow to meet, beside other moves.
    pub advice: &'static str,
    /// What is to be said of a table under this family, beside the model itself.
    pub remarks: fn(&Fit) -> Vec<String>,
    /// Builds the model.
    pub build: fn(&Fit) -> Result<Box<dyn Model>, Failure>,
}

/// The cells of tables that a family takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cells {
    /// Real numbers, none of them missing.
    Numbers,
    /// Anything, but a table of numbers alone without gaps is one of real numbers where nothing else is said.
    NumbersFirst,
    /// Anything, and what a column holds is guessed.
    Guessed,
}

impl Cells {
    /// Whether counts, categories and missing values are taken beside real numbers.
    pub fn any(self) -> bool {
        self != Cells::Numbers
    }

    /// Decides what every column of a table holds.
    pub fn kinds(self, table: &mut Table) -> Vec<Kind> {
        let said = table.kinds.iter().any(|kind| !matches!(kind, None | Some(Kind::Normal)));
        let more = said || table.values.iter().any(|value| value.is_nan());
        match self {
            Cells::Guessed => table.settle_kinds(),
            Cells::NumbersFirst if more => table.settle_kinds(),
            Cells::Numbers | Cells::NumbersFirst => vec![Kind::Normal; table.columns],
        }
    }
}

/// Declares the word of each family and its home.
macro_rules! families {
    ($($(#[$doc:meta])* $variant:ident = $word:literal: $home:ident,)*) => {
        config::words! {
            /// What is known about the clusters' covariance.
            Covariance { $($(#[$doc])* $variant = $word,)* }
        }

        impl Covariance {
            /// What makes the family what it is.
            pub(crate) fn family(self) -> &'static Family {
                match self { $(Covariance::$variant => &$home::FAMILY,)* }
            }
        }
    };
}

families! {
    /// Prior and noise standard deviations are given.
    Known = "known": known,
    /// One unknown variance, shared by all clusters and columns.
    Shared = "shared": shared,
    /// One unknown variance per column, shared by all clusters.
    SharedColumns = "shared-columns": shared_columns,
    /// Unknown variances, one per cluster and column; also counts and categories.
    Diagonal = "diagonal": diagonal,
    /// An unknown covariance matrix per cluster.
    Full = "full": full,
}

/// Builds the model of a setup on data that were read.
pub(crate) fn build(setup: &Setup, input: &Input) -> Result<Box<dyn Model>, Failure> {
    match &setup.law {
        Law::Mixture(law) => {
            let table = input.table.as_ref().expect("a table was read");
            (law.covariance.family().build)(&Fit { setup, law, input, table, prior: law.prior.law()? })
        }
        Law::Colorings { colors } => coloring::build(setup, *colors, input),
        Law::Blocks { prior, edges } => blocks::build(setup, prior.law()?, *edges, input),
    }
}

/// What is to be said of a table under the model of a setup, beside the model itself.
pub(super) fn remarks(setup: &Setup, input: &Input) -> Result<Vec<String>, Failure> {
    let (Law::Mixture(law), Some(table)) = (&setup.law, &input.table) else { return Ok(Vec::new()) };
    Ok((law.covariance.family().remarks)(&Fit { setup, law, input, table, prior: law.prior.law()? }))
}

/// What may help chains that are slow to meet. Other moves are worth a try only where no pilot has tried them.
pub(crate) fn advice(setup: &Setup, raced: bool) -> String {
    let model = match &setup.law {
        Law::Mixture(law) => Some(law.covariance.family().advice),
        Law::Colorings { .. } => Some("more `colors`"),
        Law::Blocks { .. } => None,
    };
    let moves = match &setup.law {
        Law::Colorings { .. } if setup.sampler.has(config::Move::Kempe) => None,
        Law::Colorings { .. } => Some("`sampler = kempe+gibbs`"),
        _ if raced => None,
        _ => Some("leaving `sampler` out, so that the pilot chooses the moves"),
    };
    let ways = [model, moves, Some("a larger `max_sweeps`")];
    crate::words::or(&ways.into_iter().flatten().collect::<Vec<_>>())
}

/// What helps most families of tables.
const USUAL_ADVICE: &str = "fewer `columns`";

/// Nothing beside the model itself.
fn no_remarks(_: &Fit) -> Vec<String> {
    Vec::new()
}

/// Rows that count as near a row.
const NEIGHBORS: usize = 10;

/// A table and what is to be fitted to it.
pub(crate) struct Fit<'a> {
    setup: &'a Setup,
    law: &'a MixtureLaw,
    input: &'a Input,
    table: &'a Table,
    prior: Prior,
}

impl Fit<'_> {
    /// What is wrong with a cell that a model cannot hold; standardised ones never are.
    fn refusal(&self, error: partita::Error) -> Failure {
        let (table, covariance) = (self.table, self.law.covariance);
        match error {
            partita::Error::TooLarge { item, coordinate, value } => Failure::Cell {
                file: table.source.clone(),
                place: Some(Place::Row(item as u64 + 1)),
                column: table.names[coordinate].clone(),
                sentence: format!(
                    "{value:e} is too large for `model = {covariance}`, as its square overflows: leave `standardize = false` \
                     out, or change the unit"
                ),
            },
            partita::Error::CountsTooLarge { column } => Failure::Cell {
                file: table.source.clone(),
                place: None,
                column: table.names[column].clone(),
                sentence: format!(
                    "the counts add up to more than {LARGEST_COUNT}, the largest sum that double precision holds exactly; \
                     use `column_type = {}=normal`, or change the unit",
                    crate::data::argument(&table.names[column])
                ),
            },
            other => other.into(),
        }
    }

    /// The target with all that runs on it.
    fn problem<T: Predictive + 'static>(
        &self,
        target: partita::Result<T>,
    ) -> Result<Box<dyn Model>, Failure> {
        let target = target.map_err(|error| self.refusal(error))?;
        let (start, second_start) = self.starts()?;
        let line = *self.input.kinds == [Kind::Normal];
        let (mean, sd) = self.input.scaling.as_ref().map_or((0.0, 1.0), |s| (s.center[0], s.scale[0]));
        let density = |grid: &config::Grid| -> Option<AnySummary<T>> {
            line.then(|| Box::new(OnGrid::new(grid, mean, sd)) as _)
        };
        let parts = Parts {
            target,
            start,
            second_start: Some(second_start),
            near: self.near()?,
            reference: self.input.reference()?.map(|(reference, _)| reference),
            densities: line.then_some(densities::<T> as _),
            joinings: Some(predict::joinings::<T> as _),
            leave_one_out: Some(predict::leave_one_out::<T> as _),
            density,
        };
        problem(self.setup, parts)
    }

    /// The rows near each row, if a move asks for them.
    fn near(&self) -> Result<Option<Arc<Neighbors>>, Failure> {
        if !self.setup.sampler.is_near() {
            return Ok(None);
        }
        let picture = self.input.picture.as_ref().expect("a table has a picture");
        let near = match picture.columns {
            // Nothing that distances could be of: any two rows will do.
            0 => Neighbors::new(&vec![Vec::new(); picture.rows])?,
            dimension => Neighbors::nearest(&picture.values, dimension, NEIGHBORS)?,
        };
        Ok(Some(near.into()))
    }

    /// Where chains start, and the second law of the pilot.
    fn starts(&self) -> Result<(AnyStart, AnyStart), Failure> {
        let picture = self.input.picture.as_ref().expect("a table has a picture");
        let items = picture.rows;
        let kmeans = |clusters| match picture.columns {
            // Nothing that distances could be of: rows are strewn over the clusters.
            0 => Prior::finite_mixture(1.0, Components::Exactly(*std::ops::RangeInclusive::end(&clusters)))
                .map(|prior| AnyStart::Prior(FromPrior { prior, items })),
            dimension => Ok(AnyStart::KMeans { values: picture.values.clone(), dimension, clusters }),
        };
        let from_prior = AnyStart::Prior(FromPrior { prior: self.prior, items });
        let start = match self.setup.start {
            config::Start::One => AnyStart::Fixed(Fixed(Partition::one_cluster(items)?)),
            config::Start::Prior => from_prior.clone(),
            config::Start::Sequential => AnyStart::Sequential,
            config::Start::KMeans(k) if k <= items => kmeans(k..=k)?,
            config::Start::KMeans(k) => {
                return Err(Failure::option(
                    "start",
                    format!("`start = kmeans:{k}` asks for more clusters than the {items} rows"),
                ));
            }
            start @ (config::Start::Greedy | config::Start::Random) => {
                return Err(Failure::option(
                    "start",
                    format!(
                        "`start = {start}` is for colourings of graphs: use one, prior, sequential or kmeans:K"
                    ),
                ));
            }
        };
        let second_start = match self.setup.start {
            config::Start::KMeans(_) => from_prior,
            _ => kmeans(1..=10.min(items))?,
        };
        Ok((start, second_start))
    }
}
