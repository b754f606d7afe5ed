//! Densities of new rows and centres of clusters where all share an unknown variance.

use super::{SharedStats, SharedVariance, Sharing};
use crate::math::{ln, ln_gamma};
use crate::partition::Partition;
use crate::special::ln_with_squares;
use crate::target::{Predictive, log_of_weights};

impl Predictive for SharedVariance {
    fn log_places(&self, z: &Partition) -> Vec<f64> {
        self.prior.log_places_of_one_more(z)
    }

    fn log_densities(&self, stats: &SharedStats, z: &Partition, x: &[f64]) -> Vec<f64> {
        let row: Vec<f64> = x.iter().zip(&self.mean).map(|(x, mean)| x - mean).collect();
        // Cells that share a variance.
        let width = if self.sharing == Sharing::Everything { self.dimension() } else { 1 };
        let cells = width as f64;
        let power = self.power + 0.5 * cells;
        // The factor common to all clusters: the Student t's gammas and the scale.
        let constant = |rate: &f64| {
            ln_gamma(power) - ln_gamma(self.power) - 0.5 * cells * ln(std::f64::consts::TAU * rate)
        };
        let constant: f64 = stats.rates.iter().map(constant).sum();
        let density = |sum: &[f64], n: usize| {
            let kappa = self.variance.kappa + n as f64;
            let factor = 0.5 * kappa / (kappa + 1.0);
            // The rates after over those before.
            let columns = row.chunks_exact(width).zip(sum.chunks_exact(width));
            let logs = columns.zip(&stats.rates).map(|((row, sum), rate)| {
                let residuals = row.iter().zip(sum).map(|(x, s)| x - s / kappa);
                ln_with_squares(1.0, factor / rate, residuals)
            });
            constant + self.half_log_shrink[n] - power * logs.sum::<f64>()
        };
        let sizes = z.sizes().iter().enumerate();
        let joined = sizes.map(|(slot, &size)| density(self.sum(stats, slot), size as usize));
        joined.chain([density(&vec![0.0; row.len()], 0)]).collect()
    }

    /// Weights are up to what all places have in common: the Student t's gammas and the scale that the others leave.
    fn leave_one_out(&self, stats: &SharedStats, z: &Partition, item: usize) -> f64 {
        let cells = if self.sharing == Sharing::Everything { self.dimension() } else { 1 } as f64;
        let constant = |rate: &f64| {
            ln_gamma(self.power)
                - ln_gamma(self.power - 0.5 * cells)
                - 0.5 * cells * ln(std::f64::consts::TAU * rate)
        };
        let constant: f64 = self.rates_without(stats, z, item).iter().map(constant).sum();
        log_of_weights(self, stats, z, item) - self.prior.log_total_without(z, item) + constant
    }

    fn center(&self, stats: &SharedStats, z: &Partition, slot: usize) -> Vec<f64> {
        let kappa = self.variance.kappa + f64::from(z.sizes()[slot]);
        self.sum(stats, slot).iter().zip(&self.mean).map(|(s, mean)| mean + s / kappa).collect()
    }
}
