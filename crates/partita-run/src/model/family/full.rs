//! Gaussian clusters, each with an unknown covariance matrix.

use super::{Family, Fit};
use crate::Failure;
use crate::model::Model;
use partita::likelihood::NormalInverseWishart;
use partita::{Full, Mixture};

pub(super) const FAMILY: Family = Family {
    takes_all: false,
    clusters: |_| "an unknown covariance matrix for each cluster".into(),
    advice: "`covariance = diagonal` or shared, fewer `columns`",
    build,
};

fn build(fit: &Fit) -> Result<Box<dyn Model>, Failure> {
    let rows = Full::new(fit.table.values.clone(), &NormalInverseWishart::weak(fit.table.columns));
    fit.problem(rows.map(|rows| Mixture::new(fit.prior, rows)))
}
