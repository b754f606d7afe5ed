//! From an arm of a study to a model: data from the catalogue or generated, options as the command reads them.

use super::definition::{Arm, Data};
use crate::catalog::Catalog;
use partita::Stream;
use partita::chance::Chance;
use partita::rng::{Purpose, Sequence};
use partita_run::Failure;
use partita_run::config::{Alpha, Covariance, ModelChoice, Options, Summary, Task};
use partita_run::model::{self, Model};
use partita_run::store::write_whole;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The data of an arm, in a file.
#[derive(Debug)]
pub(super) struct Problem {
    task: Task,
    options: Options,
    /// The density the data were drawn from, where it is known.
    pub(super) law: Option<RandomMixture>,
    /// The values of the only column, where there is only one.
    pub(super) column: Vec<f64>,
}

impl Problem {
    /// Finds the data of an arm, or generates them into `directory`.
    pub(super) fn new(arm: &Arm, data: &Data, catalog: &Catalog, directory: &Path) -> Result<Self, Failure> {
        let mut options = arm.options("the study")?;
        options.standardize.get_or_insert(false);
        // The paper's model: what its studies leave open is not what the command would choose.
        options.model.get_or_insert(ModelChoice::Named(Covariance::Known));
        if options.prior.is_none() {
            options.alpha.get_or_insert(Alpha::Fixed(1.0));
        }
        let write = |name: &str, text: String| -> Result<PathBuf, Failure> {
            let path = directory.join(name);
            write_whole(&path, text.as_bytes())?;
            Ok(path)
        };
        let (mut law, mut column) = (None, Vec::new());
        let (task, path) = match data {
            Data::Catalog { name } => (Task::Fit, catalog.find(name)?),
            Data::Mixture { items, centers, sd, seed } => {
                (Task::Fit, write("data.csv", mixture(*items, centers, *sd, *seed))?)
            }
            Data::RandomMixture { items, components, center_sd, sd, seed } => {
                let random = RandomMixture::new(*components, *center_sd, *sd, *seed);
                column = random.draw(*items, *seed);
                law = Some(random);
                (Task::Fit, write("data.csv", table(1, &column))?)
            }
            Data::Edges { edges } => {
                let vertices = edges.iter().flatten().max().map_or(0, |v| v + 1);
                (Task::Color, write("graph.col", dimacs(vertices, edges))?)
            }
            Data::RandomGraph { vertices, probability, seed } => {
                let edges = random_graph(*vertices, *probability, *seed);
                (Task::Color, write("graph.col", dimacs(*vertices, &edges))?)
            }
        };
        options.data = Some(path);
        Ok(Problem { task, options, law, column })
    }

    /// The model with these summaries, changed as wanted.
    pub(super) fn model(
        &self,
        summaries: Vec<Summary>,
        change: impl FnOnce(&mut Options),
    ) -> Result<Box<dyn Model>, Failure> {
        let mut options = self.options.clone();
        options.summary = Some(summaries);
        change(&mut options);
        options.check()?;
        Ok(model::load(self.task, &options)?.model)
    }
}

fn data_chance(seed: u64) -> Sequence {
    Stream::new(seed, 0).sequence(Purpose::Data, 0)
}

/// Rows as CSV; numbers read back to the same bits.
fn table(columns: usize, values: &[f64]) -> String {
    let mut text = (1..=columns).map(|c| format!("x{c}")).collect::<Vec<_>>().join(",") + "\n";
    for row in values.chunks_exact(columns) {
        let cells: Vec<String> = row.iter().map(|v| format!("{v:?}")).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

fn mixture(items: usize, centers: &[Vec<f64>], sd: f64, seed: u64) -> String {
    let mut chance = data_chance(seed);
    let mut values = Vec::new();
    for _ in 0..items {
        let center = &centers[chance.below(centers.len())];
        values.extend(center.iter().map(|c| c + sd * chance.normal()));
    }
    table(centers[0].len(), &values)
}

/// A mixture of normal densities on the line.
#[derive(Debug, Clone)]
pub(super) struct RandomMixture {
    weights: Vec<f64>,
    centers: Vec<f64>,
    sd: f64,
}

impl RandomMixture {
    fn new(components: usize, center_sd: f64, sd: f64, seed: u64) -> Self {
        let mut chance = data_chance(seed);
        let centers = (0..components).map(|_| center_sd * chance.normal()).collect();
        let raw: Vec<f64> = (0..components).map(|_| chance.gamma(1.0)).collect();
        let total: f64 = raw.iter().sum();
        RandomMixture { weights: raw.iter().map(|w| w / total).collect(), centers, sd }
    }

    /// Points drawn one after the other, apart from the draw of the mixture itself.
    fn draw(&self, items: usize, seed: u64) -> Vec<f64> {
        let mut chance = Stream::new(seed, 1).sequence(Purpose::Data, 0);
        (0..items)
            .map(|_| {
                let component = chance.pick(self.weights.iter().copied());
                self.centers[component] + self.sd * chance.normal()
            })
            .collect()
    }

    /// The density at a point.
    pub(super) fn density(&self, x: f64) -> f64 {
        let normal = |c: f64| {
            (-0.5 * ((x - c) / self.sd).powi(2)).exp() / (self.sd * (2.0 * std::f64::consts::PI).sqrt())
        };
        self.weights.iter().zip(&self.centers).map(|(w, c)| w * normal(*c)).sum()
    }
}

/// A graph as DIMACS writes it: vertices from 1 on, also those without an edge.
fn dimacs(vertices: usize, edges: &[[usize; 2]]) -> String {
    let mut text = format!("p edge {vertices} {}\n", edges.len());
    for [u, v] in edges {
        writeln!(text, "e {} {}", u + 1, v + 1).expect("a string takes what it is given");
    }
    text
}

fn random_graph(vertices: usize, probability: f64, seed: u64) -> Vec<[usize; 2]> {
    let mut chance = data_chance(seed);
    let pairs = (0..vertices).flat_map(|u| (u + 1..vertices).map(move |v| [u, v]));
    pairs.filter(|_| chance.uniform() < probability).collect()
}
