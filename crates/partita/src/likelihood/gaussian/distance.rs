//! Squared distances with a fixed order of additions, so that wide registers change no bit.

use crate::math::LANES;

#[inline(always)]
pub(super) fn square_distance(a: &[f64], b: &[f64]) -> f64 {
    lane_sums(a.chunks_exact(LANES).zip(b.chunks_exact(LANES)), |(a, b), lane| {
        let difference = a[lane] - b[lane];
        difference * difference
    })
}

#[inline(always)]
pub(super) fn weighted_square_distance(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let chunks = a.chunks_exact(LANES).zip(b.chunks_exact(LANES)).zip(weights.chunks_exact(LANES));
    lane_sums(chunks, |((a, b), w), lane| {
        let difference = a[lane] - b[lane];
        difference * difference * w[lane]
    })
}

#[inline(always)]
pub(super) fn product(a: &[f64], b: &[f64]) -> f64 {
    lane_sums(a.chunks_exact(LANES).zip(b.chunks_exact(LANES)), |(a, b), lane| a[lane] * b[lane])
}

/// Sums over chunks in a fixed order: lanes of even and of odd chunks apart, so that no addition
/// waits for the one before, then the two, then the halves of the lanes: as wide registers do it.
#[inline(always)]
fn lane_sums<C>(mut chunks: impl Iterator<Item = C>, term: impl Fn(&C, usize) -> f64) -> f64 {
    let (mut even, mut odd) = ([0.0; LANES], [0.0; LANES]);
    while let Some(chunk) = chunks.next() {
        for (lane, sum) in even.iter_mut().enumerate() {
            *sum += term(&chunk, lane);
        }
        let Some(chunk) = chunks.next() else { break };
        for (lane, sum) in odd.iter_mut().enumerate() {
            *sum += term(&chunk, lane);
        }
    }
    let sums: [f64; LANES] = std::array::from_fn(|lane| even[lane] + odd[lane]);
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}
