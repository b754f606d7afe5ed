//! From options to a model: reads the file, fills in what was left open, builds the target.

use super::choices::{AnyCoupling, AnyKernel, AnyStart};
use super::{AnySummary, COUNTED, Densities, Joinings, Model, Problem, density, predict, summaries};
use crate::Failure;
use crate::config::{self, Alpha, Options, Task};
use crate::data::{DataError, ReadOptions, Scaling, Table};
use crate::graph::read_graph;
use partita::start::{Fixed, FromPrior};
use partita::summary::ClusterCount;
use partita::{Coloring, Gaussian, Graph, Mixture, Partition, Prior, Summary, Target};

/// What was read, beside the model: for words, pictures and the run's identity.
#[derive(Debug, Clone)]
pub struct Input {
    /// What is analysed, in a few words.
    pub title: String,
    /// The fingerprint of the data.
    pub fingerprint: String,
    /// The names of the items.
    pub item_names: Vec<String>,
    /// The table as the model sees it; none for graphs.
    pub table: Option<Table>,
    /// How its columns were standardised, if they were.
    pub scaling: Option<Scaling>,
    /// Sentences about what was read and done.
    pub said: Vec<String>,
}

/// Standard deviation of cluster centres on standardised columns, where none is given.
const PRIOR_SD: f64 = 0.5;

/// Standard deviation of the noise on standardised columns, where none is given: 1, and more from 16
/// columns on, since every column adds to what separates two items. A fixed noise much smaller than
/// what is in the data shatters clusters, and chains then seldom meet.
fn noise_sd(columns: usize) -> f64 {
    ((columns as f64 / 16.0).powf(0.25) * 100.0).round().max(100.0) / 100.0
}

/// The largest number whose square is far from overflow.
const LARGEST: f64 = 1e100;

/// The paper's synthetic model, for the built-in data.
const DEMO: (f64, f64, f64) = (0.75, 0.7, 0.2);

/// Reads the data, fills in the model options that were left open, and builds the model.
pub fn load(task: Task, options: &mut Options) -> Result<(Box<dyn Model>, Input), Failure> {
    match task {
        Task::Fit => fit(options),
        Task::Color => color(options),
    }
}

fn read_table(options: &Options) -> Result<Table, Failure> {
    let Some(path) = &options.data else { return Ok(crate::demo::synthetic()) };
    let delimiter = match options.delimiter {
        Some(c) if c.is_ascii() => Some(c as u8),
        Some(c) => {
            return Err(Failure::bad(format!("--delimiter must be one ASCII character, but is `{c}`")));
        }
        None => None,
    };
    let read = ReadOptions {
        delimiter,
        header: options.header,
        columns: options.columns.clone(),
        drop: options.drop.clone().unwrap_or_default(),
        id_column: options.id_column.clone(),
        label_column: options.label_column.clone(),
        ..ReadOptions::default()
    };
    Table::read(path, &read).map_err(|e: DataError| Failure::bad(e.to_string()))
}

fn fit(options: &mut Options) -> Result<(Box<dyn Model>, Input), Failure> {
    if options.colors.is_some() {
        return Err(Failure::bad("--colors is for graphs: use `partita color GRAPH --colors Q`".into()));
    }
    let demo = options.data.is_none();
    let mut table = read_table(options)?;
    let mut said = vec![format!(
        "{}: {} rows, {} column{}",
        table.source,
        table.rows,
        table.columns,
        if table.columns == 1 { "" } else { "s" }
    )];
    let standardize = *options.standardize.get_or_insert(!demo);
    let scaling = if standardize {
        said.push("columns brought to mean 0 and standard deviation 1 (--no-standardize keeps them)".into());
        Some(table.standardize().map_err(|e| Failure::bad(e.to_string()))?)
    } else {
        None
    };
    if let Some(value) = table.values.iter().find(|value| value.abs() > LARGEST) {
        return Err(Failure::bad(format!(
            "{}: holds {value:e}, and squares of such numbers cannot be computed with: leave \
             --no-standardize out, or change the unit",
            table.source
        )));
    }
    let (prior_sd, noise_sd, alpha) = if demo { DEMO } else { (PRIOR_SD, noise_sd(table.columns), 1.0) };
    options.covariance.get_or_insert(config::Covariance::Known);
    let prior_sd = *options.prior_sd.get_or_insert(prior_sd);
    let noise_sd = *options.noise_sd.get_or_insert(noise_sd);
    let prior = match *options.alpha.get_or_insert(Alpha::Fixed(alpha)) {
        Alpha::Fixed(alpha) => Prior::dirichlet(alpha)?,
        Alpha::Gamma(shape, rate) => Prior::dirichlet_gamma(shape, rate)?,
    };
    said.push(format!(
        "model: Dirichlet process (alpha {}), centres with sd {prior_sd}, noise with sd {noise_sd}",
        options.alpha.expect("it was filled in")
    ));
    let (items, dimension) = (table.rows, table.columns);
    let target =
        Mixture::new(prior, Gaussian::isotropic(table.values.clone(), dimension, prior_sd, noise_sd)?);
    let few = 10.min(items);
    let kmeans = |clusters| AnyStart::KMeans { values: table.values.clone(), dimension, clusters };
    let from_prior = AnyStart::Prior(FromPrior { prior, items });
    let start = match *options.start.get_or_insert(config::Start::Prior) {
        config::Start::One => AnyStart::Fixed(Fixed(Partition::one_cluster(items)?)),
        config::Start::Prior => from_prior.clone(),
        config::Start::KMeans(k) if k <= items => kmeans(k..=k),
        config::Start::KMeans(k) => {
            return Err(Failure::bad(format!(
                "--start kmeans:{k} asks for more clusters than the {items} rows"
            )));
        }
        config::Start::Greedy => {
            return Err(Failure::bad("--start greedy is for graphs: use one, prior or kmeans:K".into()));
        }
    };
    let second_start = match start {
        AnyStart::KMeans { .. } => from_prior,
        _ => kmeans(1..=few),
    };
    let reference = match &table.labels {
        Some(labels) => {
            let labels: Vec<usize> = labels.index.iter().map(|&l| l as usize).collect();
            Some(Partition::from_labels(&labels)?)
        }
        None => None,
    };
    let item_names = table.ids.clone().unwrap_or_else(|| (0..items).map(|i| i.to_string()).collect());
    let input = Input {
        title: table.source.clone(),
        fingerprint: table.fingerprint.clone(),
        item_names,
        table: Some(table),
        scaling,
        said,
    };
    // A step of one item: weights of about eight clusters.
    let sweep_work = items as f64 * (60.0 + 8.0 * (dimension as f64 + 10.0));
    let (mean, sd) = input.scaling.as_ref().map_or((0.0, 1.0), |s| (s.center[0], s.scale[0]));
    let density = |grid: &config::Grid| -> Option<AnySummary<_>> {
        (dimension == 1).then(|| Box::new(density::OnGrid::new(grid, mean, sd)) as _)
    };
    let densities = (dimension == 1).then_some(density::densities as _);
    let second_start = Some(second_start);
    let joinings = Some(predict::joinings as _);
    let parts = Parts { target, start, second_start, reference, sweep_work, densities, joinings, density };
    let model = problem(options, parts)?;
    Ok((model, input))
}

fn color(options: &mut Options) -> Result<(Box<dyn Model>, Input), Failure> {
    let Some(path) = options.data.clone() else {
        return Err(Failure::bad("`partita color` needs a graph: an edge list or a DIMACS .col file".into()));
    };
    let Some(colors) = options.colors else {
        return Err(Failure::bad("--colors is needed: how many colours may be used".into()));
    };
    let file = read_graph(&path).map_err(|e| Failure::bad(e.to_string()))?;
    let edges: Vec<_> = file.edges.iter().map(|&(u, v)| (u as usize, v as usize)).collect();
    let graph = Graph::new(file.names.len(), &edges)?;
    let target = Coloring::new(graph, colors).map_err(|e| match e {
        partita::Error::TooFewColors { vertex, sufficient, .. } => Failure::bad(format!(
            "{}: {colors} colours are too few: greedy colouring is stuck at vertex `{}`; {sufficient} are \
             always enough for this graph",
            path.display(),
            file.names[vertex]
        )),
        other => other.into(),
    })?;
    match options.start.get_or_insert(config::Start::Greedy) {
        config::Start::Greedy => {}
        other => {
            return Err(Failure::bad(format!("--start {other} is for tables: colourings start greedy")));
        }
    }
    let start = AnyStart::Fixed(Fixed(target.greedy_start()));
    let input = Input {
        title: path.display().to_string(),
        fingerprint: file.fingerprint,
        said: vec![format!(
            "{}: {} vertices, {} edges, {colors} colours",
            path.display(),
            file.names.len(),
            edges.len()
        )],
        item_names: file.names,
        table: None,
        scaling: None,
    };
    let degree = 2.0 * edges.len() as f64 / target.len() as f64;
    let sweep_work = target.len() as f64 * (60.0 + 4.0 * degree + 8.0 * colors as f64);
    let parts = Parts {
        target,
        start,
        second_start: None,
        reference: None,
        sweep_work,
        densities: None,
        joinings: None,
        density: |_: &config::Grid| None,
    };
    let model = problem(options, parts)?;
    Ok((model, input))
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

/// What differs between targets, for [`problem`].
struct Parts<T, D> {
    target: T,
    start: AnyStart,
    second_start: Option<AnyStart>,
    reference: Option<Partition>,
    sweep_work: f64,
    densities: Option<Densities<T>>,
    joinings: Option<Joinings<T>>,
    density: D,
}

fn problem<T: Target + 'static>(
    options: &mut Options,
    parts: Parts<T, impl Fn(&config::Grid) -> Option<AnySummary<T>>>,
) -> Result<Box<dyn Model>, Failure> {
    let items = parts.target.len();
    let coupling = *options.coupling.get_or_insert(config::Coupling::Optimal);
    let metric = *options.metric.get_or_insert(config::Metric::Hamming);
    let nugget = *options.nugget.get_or_insert(1e-5);
    let sampler = *options.sampler.get_or_insert(config::Sampler::Gibbs);
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
        kernel: AnyKernel::new(sampler),
        coupling: AnyCoupling::new(coupling, metric, nugget, items)?,
        start: parts.start,
        second_start: parts.second_start,
        summaries: list,
        names,
        count_names,
        sweep_work: parts.sweep_work,
        densities: parts.densities,
        joinings: parts.joinings,
    }))
}
