//! From options to a model: reads the file, fills in what was left open, builds the target.

use super::choices::{AnyCoupling, AnyMove, AnyStart, kernel};
use super::{AnySummary, COUNTED, Densities, Joinings, Model, Problem, family, graphs, summaries};
use crate::Failure;
use crate::config::{self, Alpha, Covariance, Options, Task};
use crate::data::{DataError, Kind, Missing, ReadOptions, Scaling, Table, Words};
use crate::engine::Origin;
use crate::graph::GraphFile;
use partita::prior::Components;
use partita::summary::{ClusterCount, Reference};
use partita::{Kernel, Partition, Prior, Summary, Target};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What was read, beside the model: for words, pictures and the run's identity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// What is analysed, in a few words.
    pub title: String,
    /// The fingerprint of the data.
    pub fingerprint: String,
    /// The names of the items.
    pub item_names: Vec<String>,
    /// The table as the model sees it; none for graphs.
    pub table: Option<Table>,
    /// The table as pictures show it: numbers only, gaps filled in; none for graphs.
    pub picture: Option<Table>,
    /// What each of its columns is taken for.
    pub kinds: Vec<Kind>,
    /// The graph; none for tables.
    pub graph: Option<GraphFile>,
    /// How its columns were standardised, if they were.
    pub scaling: Option<Scaling>,
    /// Sentences about what was read and done.
    pub said: Vec<String>,
}

/// Reads the data, fills in the model options that were left open, and builds the model.
pub fn load(task: Task, options: &mut Options) -> Result<(Box<dyn Model>, Arc<Input>), Failure> {
    let mut input = match task {
        Task::Fit => read(options)?,
        Task::Color | Task::Blocks => graphs::read(task, options)?,
    };
    let mut model = build(task, options, &mut input)?;
    let input = Arc::new(input);
    model.set_origin(Origin::new(task, options, &input));
    Ok((model, input))
}

/// Builds the model of data that were read.
pub(crate) fn build(task: Task, options: &mut Options, input: &mut Input) -> Result<Box<dyn Model>, Failure> {
    match task {
        Task::Fit => family::build(options, input),
        Task::Color => graphs::color(options, input),
        Task::Blocks => graphs::blocks(options, input),
    }
}

/// The model that takes counts, categories and missing cells.
pub(crate) const TAKES_ALL: Covariance = Covariance::Diagonal;

/// Reads the table; the covariance is settled by what is in it, where nothing was said.
fn read_table(options: &mut Options) -> Result<Table, Failure> {
    let delimiter = match options.delimiter {
        Some(c) if c.is_ascii() => Some(c as u8),
        Some(c) => {
            return Err(Failure::bad(format!("--delimiter must be one ASCII character, but is `{c}`")));
        }
        None => None,
    };
    if options.prior_sd.is_some() || options.noise_sd.is_some() {
        options.covariance.get_or_insert(Covariance::Known);
    }
    let said = options.column_type.iter().flatten();
    if let (Some(covariance), Some(column)) = (
        options.covariance.filter(|c| *c != TAKES_ALL),
        said.clone().find(|column| column.kind != Kind::Normal),
    ) {
        return Err(Failure::bad(format!(
            "--column-type {column} does not go with --covariance {covariance}, which takes real numbers only: \
             use --covariance {TAKES_ALL}"
        )));
    }
    let anything = options.covariance.is_none_or(|covariance| covariance == TAKES_ALL);
    let read = ReadOptions {
        delimiter,
        header: options.header,
        columns: options.columns.clone(),
        drop: options.drop.clone().unwrap_or_default(),
        id_column: options.id_column.clone(),
        label_column: options.label_column.clone(),
        missing: if anything { Missing::Keep } else { Missing::Refuse },
        words: if anything { Words::Levels } else { Words::Refuse },
        kinds: said.map(|column| (column.column.clone(), column.kind)).collect(),
        levels: Vec::new(),
        one_row: false,
    };
    let table = match &options.data {
        Some(path) => Table::read(path, &read).map_err(|error| refusal(&error, options.covariance))?,
        None => crate::demo::synthetic(),
    };
    // The built-in data come with the paper's model.
    let default = if options.data.is_none() { Covariance::Known } else { TAKES_ALL };
    let covariance = *options.covariance.get_or_insert(default);
    match &table.gap {
        Some(gap) if covariance != TAKES_ALL => Err(refusal(gap, Some(covariance))),
        _ => Ok(table),
    }
}

/// What is wrong with a file, and which model would take it.
fn refusal(error: &DataError, covariance: Option<Covariance>) -> Failure {
    Failure::bad(match (error, covariance.filter(|c| *c != TAKES_ALL)) {
        (DataError::MissingCell { .. }, Some(covariance)) => format!(
            "{error}; --covariance {covariance} needs every cell, --covariance {TAKES_ALL} takes missing ones"
        ),
        (DataError::NotANumber { .. }, Some(covariance)) => format!(
            "{error}; --covariance {covariance} takes numbers only, --covariance {TAKES_ALL} takes categories, too"
        ),
        _ => error.to_string(),
    })
}

/// The partition prior; `alpha` is that of the data's own model, where it has one.
pub(super) fn partition_prior(options: &mut Options, alpha: Option<f64>) -> Result<Prior, Failure> {
    Ok(match *options.prior.get_or_insert(config::Prior::Dirichlet) {
        config::Prior::Dirichlet => {
            let default = alpha.map_or(Alpha::Gamma(2.0, 4.0), Alpha::Fixed);
            match *options.alpha.get_or_insert(default) {
                Alpha::Fixed(alpha) => Prior::dirichlet(alpha)?,
                Alpha::Gamma(shape, rate) => Prior::dirichlet_gamma(shape, rate)?,
            }
        }
        config::Prior::PitmanYor(discount, strength) => Prior::pitman_yor(discount, strength)?,
        config::Prior::Finite(gamma, rate) => Prior::finite_mixture(gamma, Components::Poisson { rate })?,
    })
}

fn read(options: &mut Options) -> Result<Input, Failure> {
    let demo = options.data.is_none();
    let mut table = read_table(options)?;
    let columns = if table.columns == 1 { "column" } else { "columns" };
    let mut said = vec![format!("{}: {} rows, {} {columns}", table.source, table.rows, table.columns)];
    said.extend(super::looks::like_edges(&table).filter(|_| !demo));
    let kinds = match options.covariance {
        Some(TAKES_ALL) => table.settle_kinds(),
        _ => vec![Kind::Normal; table.columns],
    };
    if kinds.iter().any(|kind| *kind != Kind::Normal) {
        said.push(super::words::columns(&table, &kinds));
    }
    let missing = table.values.iter().filter(|value| value.is_nan()).count();
    if missing > 0 {
        let share = 100.0 * missing as f64 / table.values.len() as f64;
        said.push(format!("{missing} cells ({share:.1} %) are missing and do not count"));
    }
    let standardize = *options.standardize.get_or_insert(!demo);
    let scaling = if standardize {
        if kinds.contains(&Kind::Normal) {
            let which =
                if kinds.iter().all(|kind| *kind == Kind::Normal) { "columns" } else { "normal columns" };
            said.push(format!(
                "{which} brought to mean 0 and standard deviation 1 (--no-standardize keeps them)"
            ));
        }
        Some(table.standardize().map_err(|e| Failure::bad(e.to_string()))?)
    } else {
        None
    };
    let item_names = table.ids.clone().unwrap_or_else(|| (0..table.rows).map(|i| i.to_string()).collect());
    let picture = family::picture(&table, &kinds);
    Ok(Input {
        title: table.source.clone(),
        fingerprint: table.fingerprint.clone(),
        item_names,
        table: Some(table),
        picture: Some(picture),
        kinds,
        graph: None,
        scaling,
        said,
    })
}

/// What was asked for twice is estimated once; the shares of ten clusters hold those of three.
fn once(wanted: &mut Vec<config::Summary>) {
    let most =
        wanted.iter().filter_map(|s| if let config::Summary::Top(r) = s { Some(*r) } else { None }).max();
    let mut seen = Vec::new();
    for summary in wanted.drain(..) {
        let summary = match (summary, most) {
            (config::Summary::Top(_), Some(most)) => config::Summary::Top(most),
            (other, _) => other,
        };
        if !seen.contains(&summary) {
            seen.push(summary);
        }
    }
    *wanted = seen;
}

impl Input {
    /// The known clustering, where there is one, and how many rows have no part in it.
    pub(crate) fn reference(&self) -> Result<Option<(Reference, usize)>, Failure> {
        let Some(labels) = self.table.as_ref().and_then(|table| table.labels.as_ref()) else {
            return Ok(None);
        };
        let (rows, clustering) = labels.known();
        let missing = labels.index.len() - rows.len();
        let clustering = Partition::from_labels(&clustering)?;
        let reference = match missing {
            0 => Reference::new(clustering),
            _ => Reference::among(rows, clustering)?,
        };
        Ok(Some((reference, missing)))
    }
}

/// What differs between targets, for [`problem`].
pub(super) struct Parts<T, D> {
    pub target: T,
    pub start: AnyStart,
    pub second_start: Option<AnyStart>,
    pub reference: Option<Reference>,
    pub sweep_work: f64,
    pub densities: Option<Densities<T>>,
    pub joinings: Option<Joinings<T>>,
    pub density: D,
}

/// A target with everything that runs on it, as the options say.
pub(super) fn problem<T: Target + 'static>(
    options: &mut Options,
    parts: Parts<T, impl Fn(&config::Grid) -> Option<AnySummary<T>>>,
) -> Result<Box<dyn Model>, Failure> {
    let sampler = options.sampler.get_or_insert_with(config::Sampler::gibbs);
    let kernel = kernel(sampler, AnyMove::new).ok_or_else(|| {
        Failure::bad(format!(
            "--sampler {sampler}: Kempe moves are for colourings of graphs; use gibbs or split-merge"
        ))
    })?;
    // Every partition has a positive probability, and every item may go anywhere.
    problem_with(options, kernel, Some(true), parts)
}

/// The same with a kernel of the target's own; `connected` as [`Model::connected`] says.
pub(super) fn problem_with<T: Target + 'static>(
    options: &mut Options,
    kernel: impl Kernel<T> + 'static,
    connected: Option<bool>,
    parts: Parts<T, impl Fn(&config::Grid) -> Option<AnySummary<T>>>,
) -> Result<Box<dyn Model>, Failure> {
    let items = parts.target.len();
    let coupling = *options.coupling.get_or_insert(config::Coupling::Optimal);
    // What a coupling has no use for is not said of it.
    if coupling == config::Coupling::Optimal {
        options.metric.get_or_insert(config::Metric::Hamming);
    }
    if coupling != config::Coupling::Independent {
        options.nugget.get_or_insert(1e-5);
    }
    let (metric, nugget) = (options.metric.unwrap_or(config::Metric::Hamming), options.nugget.unwrap_or(0.0));
    options.seed.get_or_insert(1);
    let wanted =
        options.summary.get_or_insert_with(|| vec![config::Summary::Clusters, config::Summary::Top(3)]);
    once(wanted);
    let wanted = wanted.clone();
    let mut list = summaries::<T>(&wanted, items, parts.reference, parts.density)?;
    let names: Vec<String> = list[..].names();
    let counts = ClusterCount { max: COUNTED.min(items) };
    let count_names = Summary::<T>::names(&counts);
    list.push(Box::new(counts));
    Ok(Box::new(Problem {
        target: parts.target,
        kernel,
        coupling: AnyCoupling::new(coupling, metric, nugget, items)?,
        start: parts.start,
        second_start: parts.second_start,
        summaries: list,
        names,
        count_names,
        sweep_work: parts.sweep_work,
        densities: parts.densities,
        joinings: parts.joinings,
        connected,
        origin: None,
    }))
}
