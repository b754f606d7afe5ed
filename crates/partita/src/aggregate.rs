//! From one value per replicate to an estimate: mean and trimmed mean with intervals, median of means.
//!
//! Every function reads its values in the order given (the order of the replicates) and in no other, so the same
//! replicates give the same bits however many threads made them. No value is dropped silently: a NaN or an infinity
//! among the values makes the estimate NaN with an infinite interval. Without values there is no estimate: `None`.
//!
//! Intervals are at [`LEVEL`]; the functions with `_at` in their name take another level. A level outside (0, 1)
//! is a programming error and panics.

pub mod deadline;
mod means;
mod moments;
mod reference;
mod scaled;
mod sum;

pub use means::Means;
pub use moments::Moments;
pub(crate) use reference::normal_quantile;
pub use scaled::Scaled;

use reference::{student_quantile, without_skewness};
use sum::{Shape, sum, sum_of_squares_about};

/// The default level of an interval: 95%.
///
/// ```
/// use partita::aggregate::{LEVEL, mean};
/// assert_eq!(mean(&[1.0, 2.0]).unwrap().level, LEVEL);
/// ```
pub const LEVEL: f64 = 0.95;

/// The default total fraction that [`trimmed_mean`] removes: 1%, half of it on each side.
///
/// ```
/// use partita::aggregate::{TRIMMED_FRACTION, trimmed_mean};
/// let values: Vec<f64> = (0..1000).map(f64::from).collect();
/// assert_eq!(trimmed_mean(&values, TRIMMED_FRACTION).unwrap().value, 499.5);
/// ```
pub const TRIMMED_FRACTION: f64 = 0.01;

/// A number of blocks that suits [`median_of_means`].
///
/// Deviation bounds at confidence `1 - delta` require about `8 ln(1/delta)` blocks (Lugosi, Mendelson 2019), 24 at 95%;
/// 25 is odd, so that the median is one of the block means.
///
/// ```
/// use partita::aggregate::{BLOCKS, median_of_means};
/// let values: Vec<f64> = (0..100).map(f64::from).collect();
/// assert_eq!(median_of_means(&values, BLOCKS), Some(49.5));
/// ```
pub const BLOCKS: usize = 25;

/// An estimate with its standard error and confidence interval.
///
/// A single value, worker or block says nothing about the spread: the standard error is then infinite and the
/// interval the whole line, and no field is NaN.
///
/// ```
/// use partita::aggregate::mean;
/// let alone = mean(&[3.0]).unwrap();
/// assert_eq!((alone.value, alone.se), (3.0, f64::INFINITY));
/// assert_eq!(alone.interval, (f64::NEG_INFINITY, f64::INFINITY));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub se: f64,
    /// Lower and upper end of the confidence interval.
    pub interval: (f64, f64),
    /// The level of the interval, such as 0.95.
    pub level: f64,
}

impl Estimate {
    /// Half the width of the interval.
    ///
    /// ```
    /// use partita::aggregate::mean;
    /// let e = mean(&[1.0, 2.0, 3.0]).unwrap();
    /// assert_eq!(e.half_width(), (e.interval.1 - e.interval.0) / 2.0);
    /// ```
    pub fn half_width(&self) -> f64 {
        (self.interval.1 - self.interval.0) / 2.0
    }

    /// Student's interval of `count` values, made longer as their shape asks (see [`mean`]).
    fn student(value: f64, se: f64, count: usize, shape: Shape, level: f64) -> Self {
        check_level(level);
        if !value.is_finite() {
            return Self::undefined(level);
        }
        if !se.is_finite() || count < 2 {
            return Self { value, se: f64::INFINITY, interval: WHOLE_LINE, level };
        }
        let t = student_quantile(shape.freedom(count), level);
        let low = t.max(without_skewness(t, shape.lean)) * se;
        let high = t.max(-without_skewness(-t, shape.lean)) * se;
        Self { value, se, interval: (value - low, value + high), level }
    }

    /// What a value that is no number leaves of an estimate.
    fn undefined(level: f64) -> Self {
        check_level(level);
        Self { value: f64::NAN, se: f64::INFINITY, interval: WHOLE_LINE, level }
    }
}

const WHOLE_LINE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// The sample mean with standard error `sqrt(s^2 / J)`, `s^2` with divisor `J - 1`, and an interval that allows for
/// values that are not normal.
///
/// The interval is Student's, `mean ± t se`, with two corrections that make it longer and never shorter; at 64 normal
/// values it is longer by a percent.
///
/// - *Heavy tails.* `s^2` is then less well known than from normal values: with kurtosis `K` its variance is that of
///   `2 J / (K - 1)` degrees of freedom, and `t` has that many if they are fewer than `J - 1` (Box 1953).
/// - *Skewness.* If values are rarely large, a sample without its share of large ones has both a mean and a spread that
///   are too small, and `mean ± t se` misses on that side. The end on that side is then that of Hall's interval (1992),
///   if it is further out: with the sample skewness `g`, `T = (mean - truth) / se` is nearly normal after `T + (g T^2 /
///   3 + g / 6) / sqrt(J) + g^2 T^3 / (27 J)`, which is undone at `±t`.
///
/// **It cannot allow for what no value has shown.** No interval computed from a sample alone can keep its level
/// for every distribution (Bahadur, Savage 1956): if one value in fifty is large, 64 values contain none with
/// probability 0.27.
///
/// One value has an infinite standard error; no value has no mean.
///
/// ```
/// use partita::aggregate::mean;
/// let e = mean(&[1.0, 2.0, 3.0, 4.0]).unwrap();
/// assert_eq!(e.value, 2.5);
/// assert!((e.se - (5.0_f64 / 12.0).sqrt()).abs() < 1e-15);
/// assert!((e.interval.1 - (2.5 + 3.182446305283709 * e.se)).abs() < 1e-9); // t with 3 degrees of freedom
/// let skewed = mean(&[0.0, 0.0, 1.0, 9.0]).unwrap();
/// assert!(skewed.interval.1 - 2.5 > 2.5 - skewed.interval.0);
/// assert!(mean(&[]).is_none());
/// ```
pub fn mean(values: &[f64]) -> Option<Estimate> {
    mean_at(values, LEVEL)
}

/// [`mean`] at another level.
///
/// ```
/// use partita::aggregate::{mean, mean_at};
/// let values = [1.0, 2.0, 4.0];
/// assert!(mean_at(&values, 0.99).unwrap().half_width() > mean(&values).unwrap().half_width());
/// ```
pub fn mean_at(values: &[f64], level: f64) -> Option<Estimate> {
    check_level(level);
    let count = values.len();
    if count == 0 {
        return None;
    }
    if !values.iter().all(|v| v.is_finite()) {
        return Some(Estimate::undefined(level));
    }
    let value = sum(values) / count as f64;
    let squares = sum_of_squares_about(values, value);
    let shape = Shape::of(values, value, squares);
    Some(Estimate::student(value, standard_error(squares, count), count, shape, level))
}

/// The trimmed mean: the mean of what is left after the `floor(J fraction / 2)` smallest and as many largest of the
/// `J` values are removed.
///
/// `fraction` is the total, half of it for each side. **If `J fraction < 2`, nothing is removed** and this is
/// [`mean`]: at 1% that is any `J` below 200. The standard error is `sqrt(SSD_w / (h (h - 1)))`: `SSD_w` is the sum of
/// squared deviations of the winsorised sample (each removed value replaced by the nearest one kept) about its mean,
/// `h` the number kept (Tukey, McLaughlin 1963).
///
/// **Trimming is biased if the sample is skewed**: it estimates the mean of the middle of the distribution, and `value
/// ± t se` with `h - 1` degrees of freedom covers that, not the mean. Estimates are skewed by late meetings. So the
/// interval here is the smallest that contains both `value ± t se` and the interval of [`mean`]: it covers the mean of
/// the distribution at least as often as the latter, whatever is cut away. Trimming stabilises the value, but does not
/// shorten the interval.
///
/// # Panics
/// If `fraction` is outside `[0, 1)`.
///
/// ```
/// use partita::aggregate::{mean, trimmed_mean};
/// let values = [2.0, 3.0, 1.0, 4.0, 1000.0];
/// assert_eq!(trimmed_mean(&values, 0.4).unwrap().value, 3.0); // without 1 and 1000
/// assert_eq!(trimmed_mean(&values, 0.01), mean(&values));     // too few values: nothing removed
/// ```
pub fn trimmed_mean(values: &[f64], fraction: f64) -> Option<Estimate> {
    trimmed_mean_at(values, fraction, LEVEL)
}

/// [`trimmed_mean`] at another level.
///
/// ```
/// use partita::aggregate::{trimmed_mean, trimmed_mean_at};
/// let values = [2.0, 3.0, 1.0, 4.0, 1000.0];
/// let (wide, narrow) = (trimmed_mean(&values, 0.4).unwrap(), trimmed_mean_at(&values, 0.4, 0.5).unwrap());
/// assert!(wide.half_width() > narrow.half_width());
/// ```
pub fn trimmed_mean_at(values: &[f64], fraction: f64, level: f64) -> Option<Estimate> {
    assert!((0.0..1.0).contains(&fraction), "the trimmed fraction must be in [0, 1), but is {fraction}");
    let plain = mean_at(values, level)?;
    let count = values.len();
    // The factor keeps 0.58 * 100 / 2, which rounds to just below 29, from losing a value.
    let cut = (count as f64 * fraction / 2.0 * (1.0 + 1e-12)).floor() as usize;
    let cut = cut.min((count - 1) / 2);
    if cut == 0 || !plain.value.is_finite() {
        return Some(plain);
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (first, last) = (sorted[cut], sorted[count - 1 - cut]);
    let kept = count - 2 * cut;
    let value = sum(&sorted[cut..count - cut]) / kept as f64;
    sorted[..cut].fill(first);
    sorted[count - cut..].fill(last);
    let squares = sum_of_squares_about(&sorted, sum(&sorted) / count as f64);
    let own = Estimate::student(value, standard_error(squares, kept), kept, Shape::NORMAL, level);
    let interval = (own.interval.0.min(plain.interval.0), own.interval.1.max(plain.interval.1));
    Some(Estimate { interval, ..own })
}

/// The median of the means of `blocks` blocks of consecutive values: about what the mean would be without a few
/// outliers. NaN if a value is not finite; [`BLOCKS`] is a good number of blocks.
///
/// Block `i` holds the values `i J / B` to `(i + 1) J / B` (whole numbers, so sizes differ by one at most); with fewer
/// values than blocks, each value is a block.
///
/// **It has no interval.** That of the sign test covers the median of a block mean, which is the mean of the
/// distribution only if block means are symmetric: for skewed values a 95% interval covered 76%. Bounds that hold for
/// every distribution with finite variance (Devroye, Lerasle, Lugosi, Oliveira 2016) are five times as long as
/// Student's interval, and need the variance to be known.
///
/// # Panics
/// If `blocks` is 0.
///
/// ```
/// use partita::aggregate::median_of_means;
/// let values = [1.0, 3.0, 1.0, 2.0, 1000.0, 0.0];
/// assert_eq!(median_of_means(&values, 3), Some(2.0)); // of 2, 1.5 and 500
/// assert_eq!(median_of_means(&values, 6), Some(1.5)); // each value a block
/// ```
pub fn median_of_means(values: &[f64], blocks: usize) -> Option<f64> {
    assert!(blocks > 0, "the median of means needs at least one block");
    if !values.iter().all(|v| v.is_finite()) {
        return Some(f64::NAN);
    }
    let blocks = blocks.min(values.len()).max(1);
    let (whole, rest) = (values.len() / blocks, values.len() % blocks);
    // i J / B in whole numbers, without the product that could overflow.
    let start = |i: usize| i * whole + i * rest / blocks;
    let mut means: Vec<f64> = (0..blocks)
        .map(|i| &values[start(i)..start(i + 1)])
        .filter(|block| !block.is_empty())
        .map(|block| sum(block) / block.len() as f64)
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    quantile(&means, 0.5)
}

/// The quantile of values already sorted, by linear interpolation (type 7 of Hyndman and Fan 1996, the usual default).
///
/// # Panics
/// If `q` is outside `[0, 1]`.
///
/// ```
/// use partita::aggregate::quantile;
/// let sorted = [1.0, 2.0, 4.0, 8.0];
/// assert_eq!(quantile(&sorted, 0.0), Some(1.0));
/// assert_eq!(quantile(&sorted, 0.5), Some(3.0));
/// assert_eq!(quantile(&sorted, 1.0), Some(8.0));
/// assert_eq!(quantile(&[], 0.5), None);
/// ```
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    assert!((0.0..=1.0).contains(&q), "a quantile must be asked for in [0, 1], not at {q}");
    debug_assert!(sorted.is_sorted_by(|a, b| a.total_cmp(b).is_le()), "the values must be sorted");
    let last = sorted.len().checked_sub(1)?;
    let position = q * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let share = position - below as f64;
    Some(sorted[below] * (1.0 - share) + sorted[above] * share)
}

fn check_level(level: f64) {
    assert!(level > 0.0 && level < 1.0, "the level of an interval must be between 0 and 1, but is {level}");
}

/// `sqrt(SSD / (n (n - 1)))`, infinite where one value says nothing of the spread.
fn standard_error(squares: f64, count: usize) -> f64 {
    if count < 2 {
        return f64::INFINITY;
    }
    let n = count as f64;
    (squares / (n - 1.0) / n).sqrt()
}
