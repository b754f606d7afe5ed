//! Distances between partitions: whole, and as the gain of placing one item.
//!
//! Both metrics have the form `sum phi(|A|) + sum phi(|B|) - 2 sum phi(|A ∩ B|)`. When one item is
//! placed into cluster `k` of `X` and `k'` of `Y`, the terms of `|A|` and `|B|` sum to constants
//! over all couplings, because the marginals are fixed; what is left to maximise is the expected
//! gain `phi(M+1) - phi(M)` of the overlap `M[k][k']`. So the optimal plan needs only a look-up on `M`.
//!
//! Distances that are mathematically equal are equal to the last bit, so that `==` and `<=` are meaningful: Hamming
//! is a whole number, and VI is summed over primes ([`LogProduct`]).

use super::{Overlap, Partition};
use crate::math::ln;

/// A distance between partitions, and the gain that optimal transport maximises.
///
/// ```
/// use partita::Partition;
/// use partita::partition::Metric;
/// let x = Partition::from_labels(&[0, 1, 0, 0, 1, 1])?;
/// let y = Partition::from_labels(&[0, 1, 1, 1, 0, 0])?;
/// assert_eq!(Metric::Hamming.distance(&x, &y), 16.0);
/// assert_eq!(Metric::Vi.distance(&x, &x), 0.0);
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// Ordered pairs on which the partitions disagree (Rand, Mirkin): `phi(m) = m^2`. Half of it
    /// is the Hamming distance of the co-clustering matrices' upper triangles, counted twice.
    #[default]
    Hamming,
    /// Variation of information in nats, `H(X) + H(Y) - 2 I(X, Y)`: `phi(m) = m ln m / N`.
    Vi,
}

/// Units of the fixed-point gains of [`Metric::Vi`]: transport then works in whole numbers and its
/// optimality is exact. `2^-40` against gains below `ln N + 1` is far finer than rounding of masses.
const VI_UNITS: f64 = (1u64 << 40) as f64;

fn x_ln_x(m: f64) -> f64 {
    if m > 0.0 { m * ln(m) } else { 0.0 }
}

impl Metric {
    /// The convex function that the distance is made of, times the number of items for [`Metric::Vi`].
    pub(crate) fn phi(self, m: u32) -> f64 {
        let m = f64::from(m);
        match self {
            Metric::Hamming => m * m,
            Metric::Vi => x_ln_x(m),
        }
    }

    /// The distance of two partitions of the same items. Mathematically equal distances compare equal.
    pub fn distance(self, x: &Partition, y: &Partition) -> f64 {
        self.distance_with(x, y, &Overlap::new(x, y))
    }

    /// The same if the overlap is already known.
    pub fn distance_with(self, x: &Partition, y: &Partition, overlap: &Overlap) -> f64 {
        let shared = (0..x.clusters()).flat_map(|k| overlap.row(k)).filter(|&&m| m > 0);
        match self {
            Metric::Hamming => {
                let sum = |sizes: &[u32]| sizes.iter().map(|&m| self.phi(m)).sum::<f64>();
                sum(x.sizes()) + sum(y.sizes()) - 2.0 * shared.map(|&m| self.phi(m)).sum::<f64>()
            }
            Metric::Vi => {
                let mut total = LogProduct::of_factors_up_to(x.len());
                x.sizes().iter().chain(y.sizes()).for_each(|&m| total.add(m, i64::from(m)));
                shared.for_each(|&m| total.add(m, -2 * i64::from(m)));
                total.value() / x.len() as f64
            }
        }
    }

    /// The gain of one more shared item by the number already shared, in whole numbers; `None` if it is that number
    /// itself.
    pub fn gains_by_overlap(self, items: usize) -> Option<Vec<i64>> {
        self.gains(items).0
    }

    /// The gain of one more shared item for each number already shared, up to a common scale.
    pub(crate) fn gains(self, items: usize) -> Gains {
        Gains(match self {
            Metric::Hamming => None,
            Metric::Vi => Some(
                (0..items as u32)
                    .map(|m| ((self.phi(m + 1) - self.phi(m)) * VI_UNITS).round() as i64)
                    .collect(),
            ),
        })
    }
}

/// A sum of `c ln m` with whole `c` and `m`, the same to the last bit whenever it is the same number.
///
/// `ln 6 + ln 6` and `ln 4 + ln 9` are equal, but not when they are added in floating point. The logarithms of
/// primes have no linear relation with whole coefficients (factorisation is unique), so two such sums are equal if
/// and only if every prime has the same coefficient in both; and then they are added in the same order.
struct LogProduct {
    /// The coefficient of `ln m`, by `m`.
    coefficients: Vec<i64>,
}

impl LogProduct {
    fn of_factors_up_to(largest: usize) -> Self {
        LogProduct { coefficients: vec![0; largest + 1] }
    }

    fn add(&mut self, m: u32, coefficient: i64) {
        self.coefficients[m as usize] += coefficient;
    }

    fn value(mut self) -> f64 {
        // From the largest down: the factors of a number are smaller than it, and come later.
        for m in (4..self.coefficients.len()).rev() {
            let coefficient = self.coefficients[m];
            let factor = if coefficient == 0 { m } else { smallest_factor(m) };
            if factor < m {
                self.coefficients[m] = 0;
                self.coefficients[factor] += coefficient;
                self.coefficients[m / factor] += coefficient;
            }
        }
        let used = self.coefficients.iter().enumerate().skip(2).filter(|(_, c)| **c != 0);
        used.fold(0.0, |sum, (prime, &c)| sum + c as f64 * ln(prime as f64))
    }
}

/// The smallest factor above 1: the number itself if it is prime.
fn smallest_factor(m: usize) -> usize {
    (2..).take_while(|d| d * d <= m).find(|d| m.is_multiple_of(*d)).unwrap_or(m)
}

/// A table of gains by overlap; none for Hamming, where the gain is the overlap itself.
#[derive(Debug, Clone)]
pub(crate) struct Gains(Option<Vec<i64>>);

impl Gains {
    #[inline]
    pub(crate) fn of(&self, shared: u32) -> i64 {
        match &self.0 {
            None => i64::from(shared),
            Some(table) => table[shared as usize],
        }
    }
}

/// The adjusted Rand index of Hubert and Arabie: 1 for equal partitions, 0 expected by chance.
///
/// ```
/// use partita::Partition;
/// use partita::partition::adjusted_rand;
/// let x = Partition::from_labels(&[0, 0, 1, 1])?;
/// let y = Partition::from_labels(&[0, 0, 1, 2])?;
/// assert!((adjusted_rand(&x, &y) - 4.0 / 7.0).abs() < 1e-12);
/// # Ok::<(), partita::Error>(())
/// ```
pub fn adjusted_rand(x: &Partition, y: &Partition) -> f64 {
    let overlap = Overlap::new(x, y);
    if overlap.is_matching() {
        return 1.0;
    }
    let pairs = |m: &u32| f64::from(*m) * (f64::from(*m) - 1.0) / 2.0;
    let sum = |counts: &[u32]| counts.iter().map(pairs).sum::<f64>();
    let (a, b) = (sum(x.sizes()), sum(y.sizes()));
    let both: f64 = (0..x.clusters()).map(|k| sum(overlap.row(k))).sum();
    let n = x.len() as f64;
    let expected = a * b / (n * (n - 1.0) / 2.0);
    (both - expected) / (0.5 * (a + b) - expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Partitions;

    /// Textbook definitions, by pairs and by entropies.
    fn slow(metric: Metric, x: &Partition, y: &Partition) -> f64 {
        let n = x.len();
        match metric {
            Metric::Hamming => (0..n)
                .flat_map(|i| (0..n).map(move |j| (i, j)))
                .filter(|&(i, j)| x.together(i, j) != y.together(i, j))
                .count() as f64,
            Metric::Vi => {
                let p = |c: usize| c as f64 / n as f64;
                let mut vi = 0.0;
                for a in 0..x.clusters() {
                    for b in 0..y.clusters() {
                        let both = (0..n).filter(|&i| x.slot(i) == a && y.slot(i) == b).count();
                        if both > 0 {
                            let (pa, pb) = (p(x.sizes()[a] as usize), p(y.sizes()[b] as usize));
                            vi -= p(both) * ((p(both) / pa).ln() + (p(both) / pb).ln());
                        }
                    }
                }
                vi
            }
        }
    }

    /// `exp(n VI)` as a fraction of whole numbers: sizes to their own power above, shared ones twice below.
    fn fraction(x: &Partition, y: &Partition) -> (u128, u128) {
        let power = |m: usize| (m as u128).pow(m as u32);
        let sizes = x.sizes().iter().chain(y.sizes()).map(|&m| power(m as usize));
        let shared = |a, b| (0..x.len()).filter(|&i| x.slot(i) == a && y.slot(i) == b).count();
        let cells = (0..x.clusters()).flat_map(|a| (0..y.clusters()).map(move |b| (a, b)));
        (sizes.product(), cells.map(|(a, b)| power(shared(a, b)).pow(2)).product())
    }

    /// Every pair of distances from a partition of seven items, in the order of whole numbers: equal ones are equal.
    #[test]
    fn distances_compare_as_they_do_on_paper() {
        let all: Vec<_> = Partitions::of(7).collect();
        let (mut ties, mut centers) = (0, std::collections::BTreeSet::new());
        for x in &all {
            let mut shape = x.sizes().to_vec();
            shape.sort_unstable();
            if !centers.insert(shape) {
                continue; // The same but for the names of the items.
            }
            let mut exact: Vec<_> = all.iter().map(|y| (fraction(x, y), Metric::Vi.distance(x, y))).collect();
            exact.sort_by(|((a, b), _), ((c, d), _)| (a * d).cmp(&(c * b)));
            for pair in exact.windows(2) {
                let (((a, b), near), ((c, d), far)) = (pair[0], pair[1]);
                let tie = a * d == c * b;
                ties += usize::from(tie && (a, b) != (c, d));
                assert!(if tie { near == far } else { near < far }, "{near:?} and {far:?} from {x:?}");
            }
        }
        assert_eq!(centers.len(), 15);
        assert!(ties > 100, "the same number in two ways: {ties}");
    }

    /// Larger counts, where the same number is written in several ways, and none of it overflows.
    #[test]
    fn sums_of_logarithms_do_not_depend_on_how_they_are_written() {
        let value = |terms: &[(u32, i64)]| {
            let mut sum = LogProduct::of_factors_up_to(1_000_000);
            terms.iter().for_each(|&(m, c)| sum.add(m, c));
            sum.value()
        };
        assert_eq!(value(&[(6, 2)]), value(&[(4, 1), (9, 1)]));
        assert_eq!(value(&[(1_000_000, 7)]), value(&[(10, 42)]));
        assert_eq!(value(&[(999_983, 3), (2, 1), (6, -1)]), value(&[(3, -1), (999_983, 3)]));
        assert_eq!(value(&[(12, 5), (2, -10), (3, -5)]), 0.0);
        assert!((value(&[(1_000_000, 1_000_000)]) - 1e6 * 1e6f64.ln()).abs() < 1e-6);
    }

    #[test]
    fn metrics_agree_with_their_definitions() {
        let all: Vec<_> = Partitions::of(5).collect();
        for x in &all {
            for y in &all {
                for metric in [Metric::Hamming, Metric::Vi] {
                    let d = metric.distance(x, y);
                    assert!((d - slow(metric, x, y)).abs() < 1e-12);
                    assert_eq!(d == 0.0, x == y);
                    assert!(d.is_sign_positive());
                    assert_eq!(d, metric.distance(y, x));
                }
            }
        }
    }

    /// Placing an item changes the distance by a function of each chain's own choice less twice the gain.
    #[test]
    fn the_gain_of_placing_an_item_is_the_change_of_the_distance() {
        let n = 5;
        let all: Vec<_> = Partitions::of(n).collect();
        for metric in [Metric::Hamming, Metric::Vi] {
            let gains = metric.gains(n);
            // In units of the table, per unit of distance.
            let unit = match metric {
                Metric::Hamming => 0.25,
                Metric::Vi => 0.5 * n as f64 * VI_UNITS,
            };
            for x in &all {
                for y in &all {
                    let mut overlap = Overlap::new(x, y);
                    overlap.take(x.slot(n - 1), y.slot(n - 1));
                    let cell = |i, j| {
                        let (mut x, mut y) = (x.clone(), y.clone());
                        x.place(n - 1, i);
                        y.place(n - 1, j);
                        (metric.distance(&x, &y) * unit, gains.of(overlap.shared(i, j)) as f64)
                    };
                    // Interaction contrasts remove the terms of one chain alone.
                    let (d00, g00) = cell(0, 0);
                    for i in 0..=x.clusters() {
                        for j in 0..=y.clusters() {
                            let ((dij, gij), (di0, gi0), (d0j, g0j)) = (cell(i, j), cell(i, 0), cell(0, j));
                            let contrast = (dij - di0 - d0j + d00) + (gij - gi0 - g0j + g00);
                            assert!(contrast.abs() < 8.0 + 1e-6 * unit.abs().sqrt(), "{contrast}");
                            if metric == Metric::Hamming {
                                assert_eq!(contrast, 0.0);
                            }
                        }
                    }
                }
            }
        }
    }
}
