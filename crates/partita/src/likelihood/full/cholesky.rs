//! Cholesky factors that follow rank-one changes: column after column, the lower triangle, with zeros around it.
//!
//! Rows and columns are made of groups of numbers, the last filled up with zeros, which vector instructions take at
//! once: a loop over single numbers does not become such, because the compiler cannot know that two slices do not
//! overlap. What is done to the zeros leaves them zero, and no sum changes its order.

/// Numbers that are worked on at once.
pub(super) type Group = [f64; LANES];
const LANES: usize = 4;

/// How many groups hold so many numbers.
#[inline(always)]
pub(super) fn groups(numbers: usize) -> usize {
    numbers.div_ceil(LANES)
}

/// The group that holds the number at this place.
#[inline(always)]
pub(super) fn lanes(at: usize) -> usize {
    at / LANES
}

/// A downdate that shrinks a squared pivot below this share of itself is built anew instead: it would
/// lose four digits and more.
const SMALLEST_SHARE: f64 = 1e-4;

/// Turns the factor of `P` into that of `P + sign v v'` (Gill, Golub, Murray, Saunders 1974, method C3);
/// false, and the factor is spoilt, where a downdate would lose too many digits.
#[inline(always)]
pub(super) fn rank_one(factor: &mut [Group], v: &mut [Group], sign: f64) -> bool {
    for (j, column) in factor.chunks_exact_mut(v.len()).enumerate() {
        let (group, lane) = (j / LANES, j % LANES);
        let (pivot, x) = (column[group][lane], v[group][lane]);
        let square = if sign > 0.0 { pivot * pivot + x * x } else { (pivot - x) * (pivot + x) };
        if square < SMALLEST_SHARE * pivot * pivot || square.is_nan() {
            return false;
        }
        let root = square.sqrt();
        let (c, s, inverse) = (root / pivot, x / pivot, pivot / root);
        // What is done is zero while the others change.
        (column[group][lane], v[group][lane]) = (0.0, 0.0);
        for (l, v) in column[group..].iter_mut().zip(&mut v[group..]) {
            let (mut new_l, mut new_v) = (*l, *v);
            for (l, v) in new_l.iter_mut().zip(&mut new_v) {
                *l = (*l + sign * s * *v) * inverse;
                *v = c * *v - s * *l;
            }
            (*l, *v) = (new_l, new_v);
        }
        column[group][lane] = root;
    }
    true
}

/// The factor of a matrix of `d` columns, in its place. `lowest` is the factor of a matrix that is no
/// larger: no pivot is below that one's, but for rounding.
pub(super) fn factorize(matrix: &mut [f64], lowest: &[f64], d: usize) {
    let stride = groups(d) * LANES;
    for j in 0..d {
        let (done, rest) = matrix.split_at_mut(j * stride);
        let column = &mut rest[..d];
        for earlier in done.chunks_exact(stride) {
            let factor = earlier[j];
            for (value, other) in column[j..].iter_mut().zip(&earlier[j..]) {
                *value -= factor * other;
            }
        }
        let lowest = lowest[j * stride + j];
        let pivot = if column[j] > lowest * lowest { column[j].sqrt() } else { lowest };
        column[j] = pivot;
        column[j + 1..].iter_mut().for_each(|l| *l /= pivot);
    }
}

/// `|L^-1 (x - mean)|^2` by forward substitution, given the reciprocals of the diagonal of `L`, where vectors are so
/// short that one fits into registers; none where it does not.
#[inline(always)]
pub(super) fn square_distance(
    factor: &[Group],
    reciprocals: &[Group],
    x: &[Group],
    mean: &[Group],
) -> Option<f64> {
    match x.len() {
        1 => Some(short_distance::<1>(factor, reciprocals, x, mean)),
        2 => Some(short_distance::<2>(factor, reciprocals, x, mean)),
        3 => Some(short_distance::<3>(factor, reciprocals, x, mean)),
        4 => Some(short_distance::<4>(factor, reciprocals, x, mean)),
        _ => None,
    }
}

/// Written out column by column, or the compiler keeps the vector in memory and every column waits for it.
#[inline(always)]
fn short_distance<const N: usize>(
    factor: &[Group],
    reciprocals: &[Group],
    x: &[Group],
    mean: &[Group],
) -> f64 {
    let (x, mean, reciprocals) = (&x[..N], &mean[..N], &reciprocals[..N]);
    let mut v = [Group::default(); N];
    for ((v, x), mean) in v.iter_mut().zip(x).zip(mean) {
        for ((v, x), mean) in v.iter_mut().zip(x).zip(mean) {
            *v = x - mean;
        }
    }
    let (mut columns, mut sum) = (factor.as_chunks::<N>().0.iter(), 0.0);
    macro_rules! columns {
        ($($group:literal: $($lane:literal)*),*) => {$(
            if $group < N {
                $(
                    let Some(column) = columns.next() else { return sum };
                    let y = v[$group][$lane] * reciprocals[$group][$lane];
                    sum += y * y;
                    add_scaled(&mut v[$group..], -y, &column[$group..]);
                )*
            }
        )*};
    }
    columns!(0: 0 1 2 3, 1: 0 1 2 3, 2: 0 1 2 3, 3: 0 1 2 3);
    sum
}

/// `|L^-1 v|^2` by forward substitution, given the reciprocals of the diagonal of `L`; `v` is spoilt.
#[inline(always)]
pub(super) fn square_solution(factor: &[Group], reciprocals: &[Group], v: &mut [Group]) -> f64 {
    let mut sum = 0.0;
    for (j, column) in factor.chunks_exact(v.len()).enumerate() {
        let (group, lane) = (j / LANES, j % LANES);
        let y = v[group][lane] * reciprocals[group][lane];
        sum += y * y;
        add_scaled(&mut v[group..], -y, &column[group..]);
    }
    sum
}

/// Adds `factor * x` to `to`.
#[inline(always)]
pub(super) fn add_scaled(to: &mut [Group], factor: f64, x: &[Group]) {
    for (to, x) in to.iter_mut().zip(x) {
        let mut sum = *to;
        for (sum, x) in sum.iter_mut().zip(x) {
            *sum += factor * x;
        }
        *to = sum;
    }
}
