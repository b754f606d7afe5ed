//! What one state says about rows that are not among the data, and about those that are.

use partita::target::Predictive;
use partita::{Partition, State};

/// One new row under one state.
#[derive(Debug, Clone, PartialEq)]
pub struct Joining {
    /// The log predictive density, in the model's units; minus infinity if below the range of doubles.
    pub log_density: f64,
    /// The probability that the row joins each slot, and last, that it opens a new cluster.
    pub shares: Vec<f64>,
}

/// The rows beside the state `z` of a target.
pub(crate) fn joinings<T: Predictive>(target: &T, z: &Partition, rows: &[&[f64]]) -> Vec<Joining> {
    let state = State::new(target, z.clone());
    let places = target.log_places(z);
    let at = |row: &[f64]| {
        let densities = target.log_densities(state.stats(), z, row);
        normalised(places.iter().zip(&densities).map(|(place, density)| place + density).collect())
    };
    let joining = |row: &&[f64]| {
        at(row).unwrap_or_else(|| {
            // Far out the terms of the highest order in the row decide, so that along a ray to the middle of
            // the data the order of the clusters stays the same: it is looked at where densities can be told.
            let nearer = (1..=16).map(|i| 0.5f64.powi(64 * i));
            let shares = nearer
                .map(|part| row.iter().map(|x| part * x).collect::<Vec<_>>())
                .find_map(|row| at(&row))
                // A row that cannot be: the prior alone places it.
                .map_or_else(|| places.iter().map(|place| place.exp()).collect(), |joining| joining.shares);
            Joining { log_density: f64::NEG_INFINITY, shares }
        })
    };
    rows.iter().map(joining).collect()
}

/// The log density of each row of the data given all others, beside a state of a target.
pub(crate) fn leave_one_out<T: Predictive>(target: &T, state: &State<T>) -> Vec<f64> {
    (0..target.len()).map(|item| target.leave_one_out(state.stats(), state.partition(), item)).collect()
}

/// From log weights; none where all are minus infinity.
fn normalised(mut logs: Vec<f64>) -> Option<Joining> {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return None;
    }
    logs.iter_mut().for_each(|log| *log = (*log - most).exp());
    let total: f64 = logs.iter().sum();
    logs.iter_mut().for_each(|share| *share /= total);
    Some(Joining { log_density: most + total.ln(), shares: logs })
}
