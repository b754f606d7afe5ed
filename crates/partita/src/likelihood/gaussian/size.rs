//! What of a predictive density depends on nothing but the size of the cluster.

/// The constants of a cluster of `n` items, for an item outside of it (index 0) and for one of its
/// own that does not count (index 1).
#[derive(Debug, Clone, Copy)]
pub(super) struct BySize {
    /// The constant of the log density.
    pub(super) log_norm: [f64; 2],
    /// Half the predictive precision, where all coordinates have the same; for an item inside with
    /// the factor of its residual squared.
    pub(super) half_precision: [f64; 2],
    /// `lambda / (1 + n lambda)`, where all coordinates have the same.
    pub(super) shrink: f64,
}

impl BySize {
    /// From the constants of the log density for `n` and for `n - 1` items.
    pub(super) fn new(n: usize, log_norm: [f64; 2], lambda: f64) -> Self {
        let n = n as f64;
        BySize { log_norm, half_precision: half_precision(lambda, n), shrink: lambda / (1.0 + n * lambda) }
    }
}

/// `v_n`.
#[inline]
pub(super) fn variance(lambda: f64, n: f64) -> f64 {
    1.0 + lambda / (1.0 + n * lambda)
}

/// Half the precision `1 / v_n`; then `1 / v_(n-1)` times the square of the residual's factor, which
/// is 0 for an empty cluster.
#[inline]
pub(super) fn half_precision(lambda: f64, n: f64) -> [f64; 2] {
    let outside = 0.5 / variance(lambda, n);
    if n == 0.0 {
        return [outside, 0.0];
    }
    let factor = (1.0 + n * lambda) / (1.0 + (n - 1.0) * lambda);
    [outside, 0.5 * factor * factor / variance(lambda, n - 1.0)]
}
