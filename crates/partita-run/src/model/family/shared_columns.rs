//! Gaussian clusters with one unknown variance for each column, the same in all clusters.

use super::{Family, shared, usual_advice};
use partita::target::Sharing;

pub(super) const FAMILY: Family = Family {
    takes_all: false,
    clusters: |_| "an unknown variance for each column, the same in all clusters".into(),
    advice: usual_advice,
    build: |fit| shared::build(fit, Sharing::EachColumn),
};
