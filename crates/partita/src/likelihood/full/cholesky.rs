//! Cholesky factors that follow rank-one changes: column after column, only the lower triangle is read.

/// A downdate that shrinks a squared pivot below this share of itself is built anew instead: it would
/// lose four digits and more.
const SMALLEST_SHARE: f64 = 1e-4;

/// Turns the factor of `P` into that of `P + sign v v'` (Gill, Golub, Murray, Saunders 1974, method C3);
/// false, and the factor is spoilt, where a downdate would lose too many digits.
#[inline(always)]
pub(super) fn rank_one(factor: &mut [f64], v: &mut [f64], sign: f64) -> bool {
    let d = v.len();
    for (j, column) in factor.chunks_exact_mut(d).enumerate() {
        let (pivot, x) = (column[j], v[j]);
        let square = if sign > 0.0 { pivot * pivot + x * x } else { (pivot - x) * (pivot + x) };
        if square < SMALLEST_SHARE * pivot * pivot || square.is_nan() {
            return false;
        }
        let root = square.sqrt();
        let (c, s, inverse) = (root / pivot, x / pivot, pivot / root);
        column[j] = root;
        for (l, v) in column[j + 1..].iter_mut().zip(&mut v[j + 1..]) {
            *l = (*l + sign * s * *v) * inverse;
            *v = c * *v - s * *l;
        }
    }
    true
}

/// The factor of a matrix of `d` columns, in its place. `lowest` is the factor of a matrix that is no
/// larger: no pivot is below that one's, but for rounding.
pub(super) fn factorize(matrix: &mut [f64], lowest: &[f64], d: usize) {
    for j in 0..d {
        let (done, rest) = matrix.split_at_mut(j * d);
        let column = &mut rest[..d];
        for earlier in done.chunks_exact(d) {
            let factor = earlier[j];
            for (value, other) in column[j..].iter_mut().zip(&earlier[j..]) {
                *value -= factor * other;
            }
        }
        let lowest = lowest[j * d + j];
        let pivot = if column[j] > lowest * lowest { column[j].sqrt() } else { lowest };
        column[j] = pivot;
        column[j + 1..].iter_mut().for_each(|l| *l /= pivot);
    }
}

/// `|L^-1 v|^2` by forward substitution, given the reciprocals of the diagonal of `L`; `v` is spoilt.
#[inline(always)]
pub(super) fn square_solution(factor: &[f64], reciprocals: &[f64], v: &mut [f64]) -> f64 {
    let (mut left, mut sum) = (v, 0.0);
    let columns = factor.chunks_exact(reciprocals.len()).zip(reciprocals);
    for (j, (column, reciprocal)) in columns.enumerate() {
        let (first, rest) = left.split_first_mut().expect("a value for each column");
        let y = *first * reciprocal;
        sum += y * y;
        for (v, l) in rest.iter_mut().zip(&column[j + 1..]) {
            *v -= y * l;
        }
        left = rest;
    }
    sum
}
