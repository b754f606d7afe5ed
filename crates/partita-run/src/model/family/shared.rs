//! Gaussian clusters with one unknown variance for all clusters and columns.

use super::{Cells, Family, Fit, USUAL_ADVICE, no_remarks};
use crate::Failure;
use crate::model::Model;
use partita::SharedVariance;
use partita::target::{SharedPrior, Sharing};

pub(super) const FAMILY: Family = Family {
    cells: Cells::Numbers,
    clusters: |_| "one unknown variance, the same in all clusters and columns".into(),
    advice: USUAL_ADVICE,
    remarks: no_remarks,
    build: |fit| build(fit, Sharing::Everything),
};

pub(super) fn build(fit: &Fit, sharing: Sharing) -> Result<Box<dyn Model>, Failure> {
    let mean = vec![0.0; fit.table.columns];
    let values = fit.table.values.clone();
    fit.problem(SharedVariance::new(fit.prior, values, &mean, SharedPrior::weak(), sharing))
}
