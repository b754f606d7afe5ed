//! The model families of a table: known, shared, diagonal (with counts and categories) and full covariances.

use super::choices::AnyStart;
use super::table::{Input, Parts, partition_prior, problem};
use super::{AnySummary, Model, density, predict, words};
use crate::Failure;
use crate::config::{self, Covariance, Options};
use crate::data::{Kind, Table, argument, quote};
use partita::likelihood::{
    Column, Dirichlet, GammaPoisson, LARGEST_COUNT, NormalInverseGamma, NormalInverseWishart,
};
use partita::prior::Components;
use partita::start::{Fixed, FromPrior};
use partita::target::{Predictive, SharedPrior, Sharing};
use partita::{Full, Gaussian, Mixed, Mixture, Partition, Prior, SharedVariance};

/// Standard deviation of cluster centres on standardised columns, where none is given.
const PRIOR_SD: f64 = 0.5;

/// Standard deviation of the noise on standardised columns, where none is given: 1, and more from 16
/// columns on, since every column adds to what separates two items. A fixed noise much smaller than
/// what is in the data shatters clusters, and chains then seldom meet.
fn noise_sd(columns: usize) -> f64 {
    ((columns as f64 / 16.0).powf(0.25) * 100.0).round().max(100.0) / 100.0
}

/// The paper's synthetic model, for the built-in data: spreads of centres and noise, and alpha.
const DEMO: (f64, f64, f64) = (0.75, 0.7, 0.2);

/// Builds the model of a table that was read, for the covariance of the options.
pub(super) fn build(options: &mut Options, input: &mut Input) -> Result<Box<dyn Model>, Failure> {
    let demo = options.data.is_none();
    let covariance = options.covariance.unwrap_or(Covariance::Known);
    let prior = partition_prior(options, demo.then_some(DEMO.2))?;
    let table = input.table.as_ref().expect("a table was read");
    let (values, dimension, items) = (&table.values, table.columns, table.rows as f64);
    // Operations of a step of one item: weights of about eight clusters, what a cell of one costs.
    let work = |cell: f64, rest: f64| items * (60.0 + 8.0 * (cell * dimension as f64 + 10.0) + rest);
    if covariance == Covariance::Known {
        let (prior_sd, noise) = if demo { (DEMO.0, DEMO.1) } else { (PRIOR_SD, noise_sd(dimension)) };
        if !demo && input.scaling.is_none() {
            input.said.extend(words::spreads_left_open(options, prior_sd, noise));
        }
        options.prior_sd.get_or_insert(prior_sd);
        options.noise_sd.get_or_insert(noise);
    }
    input.said.push(words::of_table(options));
    let kinds = &input.kinds;
    let fit = Fit { input, prior, kinds };
    let refused = |error| refusal(error, table, covariance);
    match covariance {
        Covariance::Known => {
            let (prior_sd, noise_sd) = (options.prior_sd.unwrap_or(1.0), options.noise_sd.unwrap_or(1.0));
            let rows = Gaussian::isotropic(values.clone(), dimension, prior_sd, noise_sd).map_err(refused)?;
            fit.problem(options, Mixture::new(prior, rows), work(1.0, 0.0))
        }
        Covariance::Shared | Covariance::SharedColumns => {
            let (sharing, cell) = match covariance {
                Covariance::Shared => (Sharing::Everything, 1.5),
                _ => (Sharing::EachColumn, 10.0),
            };
            let mean = vec![0.0; dimension];
            let target = SharedVariance::new(prior, values.clone(), &mean, SharedPrior::weak(), sharing);
            let target = target.map_err(refused)?;
            fit.problem(options, target, work(cell, 0.0))
        }
        Covariance::Diagonal => {
            let columns: Vec<Column> = (0..dimension).map(|column| kernel(table, kinds, column)).collect();
            let rows = Mixed::new(values, &columns).map_err(refused)?;
            fit.problem(options, Mixture::new(prior, rows), work(6.0, 0.0))
        }
        Covariance::Full => {
            let rows = Full::new(values.clone(), &NormalInverseWishart::weak(dimension)).map_err(refused)?;
            let square = (dimension * dimension) as f64;
            fit.problem(options, Mixture::new(prior, rows), work(1.0, 16.0 * square))
        }
    }
}

/// What is wrong with a cell that a model cannot hold; standardised ones never are.
fn refusal(error: partita::Error, table: &Table, covariance: Covariance) -> Failure {
    match error {
        partita::Error::TooLarge { item, coordinate, value } => Failure::bad(format!(
            "{}, row {}, column {}: {value:e} is too large for --covariance {covariance}, which could not compute \
             with its square: leave --no-standardize out, or change the unit",
            table.source,
            item + 1,
            quote(&table.names[coordinate])
        )),
        partita::Error::CountsTooLarge { column } => Failure::bad(format!(
            "{}, column {}: the counts come to more than {LARGEST_COUNT}, the largest sum that double precision holds \
             exactly; say --column-type {}=normal, or change the unit",
            table.source,
            quote(&table.names[column]),
            argument(&table.names[column])
        )),
        other => other.into(),
    }
}

/// The kernel of a column with its weakly informative prior.
fn kernel(table: &Table, kinds: &[Kind], column: usize) -> Column {
    match kinds[column] {
        Kind::Normal => {
            let normal = kinds.iter().filter(|kind| **kind == Kind::Normal).count();
            Column::Normal(NormalInverseGamma::weak(normal))
        }
        Kind::Category => Column::Category(Dirichlet::weak(table.levels[column].len().max(1))),
        Kind::Count => {
            let (mut sum, mut cells) = (0.0, 0.0);
            for value in table.values.iter().skip(column).step_by(table.columns).filter(|v| !v.is_nan()) {
                sum += value;
                cells += 1.0;
            }
            // All zero, or none there: any rate will do.
            Column::Count(GammaPoisson::around(if sum > 0.0 { sum / cells } else { 1.0 }))
        }
    }
}

/// What the targets of a table share.
struct Fit<'a> {
    input: &'a Input,
    prior: Prior,
    kinds: &'a [Kind],
}

impl Fit<'_> {
    fn problem<T: Predictive + 'static>(
        &self,
        options: &mut Options,
        target: T,
        sweep_work: f64,
    ) -> Result<Box<dyn Model>, Failure> {
        let (start, second_start) = self.starts(options)?;
        let reference = self.input.reference()?.map(|(reference, _)| reference);
        let line = *self.kinds == [Kind::Normal];
        let (mean, sd) = self.input.scaling.as_ref().map_or((0.0, 1.0), |s| (s.center[0], s.scale[0]));
        let density = |grid: &config::Grid| -> Option<AnySummary<T>> {
            line.then(|| Box::new(density::OnGrid::new(grid, mean, sd)) as _)
        };
        let densities = line.then_some(density::densities::<T> as _);
        let second_start = Some(second_start);
        let joinings = Some(predict::joinings::<T> as _);
        let parts =
            Parts { target, start, second_start, reference, sweep_work, densities, joinings, density };
        problem(options, parts)
    }

    /// Where chains start, and the second law of the pilot.
    fn starts(&self, options: &mut Options) -> Result<(AnyStart, AnyStart), Failure> {
        let picture = self.input.picture.as_ref().expect("a table has a picture");
        let items = picture.rows;
        let kmeans = |clusters| match picture.columns {
            // Nothing that distances could be of: rows are strewn over the clusters.
            0 => Prior::finite_mixture(1.0, Components::Exactly(*std::ops::RangeInclusive::end(&clusters)))
                .map(|prior| AnyStart::Prior(FromPrior { prior, items })),
            dimension => Ok(AnyStart::KMeans { values: picture.values.clone(), dimension, clusters }),
        };
        let from_prior = AnyStart::Prior(FromPrior { prior: self.prior, items });
        let start = match *options.start.get_or_insert(config::Start::Prior) {
            config::Start::One => AnyStart::Fixed(Fixed(Partition::one_cluster(items)?)),
            config::Start::Prior => from_prior.clone(),
            config::Start::Sequential => AnyStart::Sequential,
            config::Start::KMeans(k) if k <= items => kmeans(k..=k)?,
            config::Start::KMeans(k) => {
                return Err(Failure::bad(format!(
                    "--start kmeans:{k} asks for more clusters than the {items} rows"
                )));
            }
            start @ (config::Start::Greedy | config::Start::Random) => {
                return Err(Failure::bad(format!(
                    "--start {start} is for colourings of graphs: use one, prior, sequential or kmeans:K"
                )));
            }
        };
        let second_start = match options.start {
            Some(config::Start::KMeans(_)) => from_prior,
            _ => kmeans(1..=10.min(items))?,
        };
        Ok((start, second_start))
    }
}

/// A category with more levels than this has no place in a picture.
const PICTURED_LEVELS: usize = 20;

/// A table in numbers alone, for pictures and for k-means: what is missing is in the middle, counts are
/// standardised, and a category is a yes or no for each level.
pub(super) fn picture(table: &Table, kinds: &[Kind]) -> Table {
    let gaps = table.values.iter().any(|value| value.is_nan());
    if !gaps && kinds.iter().all(|kind| *kind == Kind::Normal) {
        return table.clone();
    }
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    for (column, kind) in kinds.iter().enumerate() {
        let cells = || table.values.iter().skip(column).step_by(table.columns).copied();
        let (levels, name) = (&table.levels[column], &table.names[column]);
        if *kind == Kind::Category {
            for (number, level) in levels.iter().enumerate().filter(|_| levels.len() <= PICTURED_LEVELS) {
                let is = |value: f64| f64::from(u8::from(value == number as f64));
                columns.push((format!("{name}={level}"), cells().map(is).collect()));
            }
            continue;
        }
        let there: Vec<f64> = cells().filter(|value| !value.is_nan()).collect();
        let number = there.len().max(1) as f64;
        let mean = there.iter().sum::<f64>() / number;
        let variance = there.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / number;
        let filled = cells().map(|value| if value.is_nan() { mean } else { value });
        columns.push(match kind {
            Kind::Count if variance > 0.0 => {
                let scaled = filled.map(|value| (value - mean) / variance.sqrt());
                (format!("{name} (standardised)"), scaled.collect())
            }
            _ => (name.clone(), filled.collect()),
        });
    }
    let values = (0..table.rows).flat_map(|row| columns.iter().map(move |(_, cells)| cells[row])).collect();
    Table {
        columns: columns.len(),
        values,
        kinds: vec![None; columns.len()],
        levels: vec![Vec::new(); columns.len()],
        names: columns.into_iter().map(|(name, _)| name).collect(),
        gap: None,
        ..table.clone()
    }
}
