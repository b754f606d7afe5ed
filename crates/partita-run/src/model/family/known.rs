//! Gaussian clusters whose spreads are known: the paper's model.

use super::{Cells, Family, Fit, no_remarks};
use crate::Failure;
use crate::config::ClusterPrior;
use crate::model::Model;
use partita::{Gaussian, Mixture};

pub(super) const FAMILY: Family =
    Family { cells: Cells::Numbers, clusters, advice: "a larger `noise_sd`", remarks: no_remarks, build };

fn spreads(prior: &ClusterPrior) -> (f64, f64) {
    match *prior {
        ClusterPrior::Spreads { prior_sd, noise_sd } => (prior_sd, noise_sd),
        ClusterPrior::Weak | ClusterPrior::Like(_) => unreachable!("known spreads are resolved"),
    }
}

fn clusters(prior: &ClusterPrior) -> String {
    let (prior_sd, noise_sd) = spreads(prior);
    format!("centres with sd {prior_sd}, noise with sd {noise_sd}")
}

fn build(fit: &Fit) -> Result<Box<dyn Model>, Failure> {
    let (prior_sd, noise_sd) = spreads(&fit.law.clusters);
    let rows = Gaussian::isotropic(fit.table.values.clone(), fit.table.columns, prior_sd, noise_sd);
    fit.problem(rows.map(|rows| Mixture::new(fit.prior, rows)))
}
