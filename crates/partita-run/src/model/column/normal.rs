//! Real numbers: normal with unknown mean and variance.

use super::{Column, Holder, Shown};
use partita::likelihood::{self, NormalInverseGamma};

pub(super) const HOLDER: Holder = Holder {
    likelihood: |column| likelihood::Column::Normal(NormalInverseGamma::weak(column.normal)),
    picture,
};

fn picture(column: &Column) -> Vec<Shown> {
    let (mean, _) = column.moments();
    vec![(column.name.to_string(), column.filled(mean).collect())]
}
