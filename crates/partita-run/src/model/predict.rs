//! What one state says about rows that are not among the data.

use partita::target::Predictive;
use partita::{Partition, State};

/// One new row beside one state.
#[derive(Debug, Clone, PartialEq)]
pub struct Joining {
    /// The log predictive density, in the model's units.
    pub log_density: f64,
    /// The probability that the row joins each slot; that it opens a cluster last.
    pub shares: Vec<f64>,
}

/// The rows beside the state `z` of a target.
pub(crate) fn joinings<T: Predictive>(target: &T, z: &Partition, rows: &[&[f64]]) -> Vec<Joining> {
    let state = State::new(target, z.clone());
    let places = target.log_places(z);
    let joining = |row: &&[f64]| {
        let densities = target.log_densities(state.stats(), z, row);
        let mut logs: Vec<f64> =
            places.iter().zip(&densities).map(|(place, density)| place + density).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            // So far out that no density is above zero: the prior alone places it.
            let shares = places.iter().map(|place| place.exp()).collect();
            return Joining { log_density: most, shares };
        }
        logs.iter_mut().for_each(|log| *log = (*log - most).exp());
        let total: f64 = logs.iter().sum();
        logs.iter_mut().for_each(|share| *share /= total);
        Joining { log_density: most + total.ln(), shares: logs }
    };
    rows.iter().map(joining).collect()
}
