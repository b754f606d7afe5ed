//! Gaussian clusters with one unknown variance for each column, the same in all clusters.

use super::{Cells, Family, no_remarks, shared, usual_advice};
use partita::target::Sharing;

pub(super) const FAMILY: Family = Family {
    cells: Cells::Numbers,
    clusters: |_| "an unknown variance for each column, the same in all clusters".into(),
    advice: usual_advice,
    remarks: no_remarks,
    build: |fit| shared::build(fit, Sharing::EachColumn),
};
