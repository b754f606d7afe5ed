//! Gaussian clusters with one unknown variance for each column, the same in all clusters.

use super::{Cells, Family, USUAL_ADVICE, no_remarks, shared};
use partita::target::Sharing;

pub(super) const FAMILY: Family = Family {
    cells: Cells::Numbers,
    clusters: |_| "an unknown variance per column, the same in all clusters".into(),
    advice: USUAL_ADVICE,
    remarks: no_remarks,
    build: |fit| shared::build(fit, Sharing::EachColumn),
};
