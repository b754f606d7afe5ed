//! Predictive densities of one-column data: a summary on a grid, and what the report draws from kept atoms.

use crate::config::Grid;
use partita::atoms::Atom;
use partita::summary::PredictiveDensity;
use partita::target::Predictive;
use partita::{State, Summary};

/// The density of each atom on a grid of points of a one-dimensional mixture.
pub(crate) fn densities<T: Predictive>(target: &T, atoms: &[&Atom], grid: &[f64]) -> Vec<Vec<f64>> {
    let density = PredictiveDensity::new(grid.to_vec(), 1).expect("points of one coordinate");
    atoms
        .iter()
        .map(|atom| {
            let mut out = vec![0.0; grid.len()];
            density.evaluate(target, &State::new(target, atom.partition.clone()), &mut out);
            out
        })
        .collect()
}

/// The predictive density on a grid in the units of the file.
pub(crate) struct OnGrid {
    density: PredictiveDensity,
    names: Vec<String>,
    /// What a unit of the model is in the file.
    unit: f64,
}

impl OnGrid {
    /// A column was brought to the model's units as `(x - mean) / sd`.
    pub(crate) fn new(grid: &Grid, mean: f64, sd: f64) -> Self {
        let values = grid.values();
        let points = values.iter().map(|x| (x - mean) / sd).collect();
        OnGrid {
            density: PredictiveDensity::new(points, 1).expect("points of one coordinate"),
            names: values.iter().map(|x| format!("density:{x}")).collect(),
            unit: sd,
        }
    }
}

impl<T: Predictive> Summary<T> for OnGrid {
    fn len(&self) -> usize {
        self.names.len()
    }

    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn evaluate(&self, target: &T, state: &State<T>, out: &mut [f64]) {
        self.density.evaluate(target, state, out);
        out.iter_mut().for_each(|density| *density /= self.unit);
    }
}
