//! Gaussian clusters with one unknown variance for each column, the same in all clusters.

use super::{Family, USUAL_ADVICE, shared};
use partita::target::Sharing;

pub(super) const FAMILY: Family = Family {
    takes_all: false,
    clusters: |_| "an unknown variance for each column, the same in all clusters".into(),
    advice: USUAL_ADVICE,
    build: |fit| shared::build(fit, Sharing::EachColumn),
};
