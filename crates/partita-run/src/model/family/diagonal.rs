//! Columns with parameters of their own in each cluster: real numbers, counts and categories, with gaps.

use super::{Cells, Family, Fit, USUAL_ADVICE, no_remarks};
use crate::Failure;
use crate::model::{Model, column};
use partita::{Mixed, Mixture};

pub(super) const FAMILY: Family = Family {
    cells: Cells::Guessed,
    clusters: |_| "each column with its own parameters in each cluster".into(),
    advice: USUAL_ADVICE,
    remarks: no_remarks,
    build,
};

fn build(fit: &Fit) -> Result<Box<dyn Model>, Failure> {
    let kinds = &fit.input.kinds;
    let rows = Mixed::new(&fit.table.values, &column::likelihoods(fit.table, kinds, column::real(kinds)));
    fit.problem(rows.map(|rows| Mixture::new(fit.prior, rows)))
}
