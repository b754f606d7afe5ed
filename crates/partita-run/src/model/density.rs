//! Predictive densities of kept atoms: what the report draws for one-column data.

use partita::atoms::Atom;
use partita::summary::PredictiveDensity;
use partita::{Gaussian, Mixture, State, Summary};

/// The density of each atom on a grid of points of a one-dimensional mixture.
pub(crate) fn densities(target: &Mixture<Gaussian>, atoms: &[&Atom], grid: &[f64]) -> Vec<Vec<f64>> {
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
