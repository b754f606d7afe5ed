//! Count, mean and spread of values that keep arriving, so that a running program can show its current interval.

use super::sum::Shape;
use super::{Estimate, LEVEL, standard_error};

/// Running count, mean and sums of powers of deviations (Welford 1962), mergeable (Chan, Golub, LeVeque 1983;
/// Pébay 2008).
///
/// For display while replicates come in: the last bits depend on the order of arrival. The results of a finished run
/// come from [`mean`](super::mean), in replicate order.
///
/// ```
/// use partita::aggregate::{Moments, mean};
/// let mut running = Moments::new();
/// for value in [1.0, 2.0, 3.0, 4.0] {
///     running.push(value);
/// }
/// assert_eq!((running.count(), running.mean()), (4, Some(2.5)));
/// let (now, whole) = (running.estimate().unwrap(), mean(&[1.0, 2.0, 3.0, 4.0]).unwrap());
/// assert!((now.half_width() - whole.half_width()).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    count: usize,
    mean: f64,
    /// Sum of squared deviations from the mean.
    m2: f64,
    /// Sum of cubed deviations.
    m3: f64,
    /// Sum of their fourth powers.
    m4: f64,
}

impl Moments {
    /// Nothing seen yet.
    ///
    /// ```
    /// use partita::aggregate::Moments;
    /// assert!(Moments::new().estimate().is_none());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value.
    ///
    /// ```
    /// use partita::aggregate::Moments;
    /// let mut running = Moments::new();
    /// running.push(7.0);
    /// assert_eq!(running.mean(), Some(7.0));
    /// ```
    pub fn push(&mut self, value: f64) {
        let one = Self { count: 1, mean: value, ..Self::default() };
        let (m3, m4) = self.higher(&one);
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.m2 += before * (value - self.mean);
        (self.m3, self.m4) = (m3, m4);
    }

    /// Adds everything that `other` has seen.
    ///
    /// ```
    /// use partita::aggregate::Moments;
    /// let (mut here, there) = (Moments::from_iter([1.0, 2.0]), Moments::from_iter([6.0]));
    /// here.merge(&there);
    /// assert_eq!((here.count(), here.mean(), here.variance()), (3, Some(3.0), Some(7.0)));
    /// ```
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (m3, m4) = self.higher(other);
        let (a, b) = (self.count as f64, other.count as f64);
        let apart = other.mean - self.mean;
        self.count += other.count;
        self.mean += apart * (b / (a + b));
        (self.m3, self.m4) = (m3, m4);
        self.m2 += other.m2 + apart * apart * (a * b / (a + b));
    }

    /// The sums of third and fourth powers that both have seen together.
    fn higher(&self, other: &Self) -> (f64, f64) {
        let (a, b) = (self.count as f64, other.count as f64);
        let share = (other.mean - self.mean) / (a + b);
        let (one, two) = (a * share, b * share);
        let m3 =
            self.m3 + other.m3 + one * two * (one - two) * (a + b) + 3.0 * (one * other.m2 - two * self.m2);
        let m4 = self.m4
            + other.m4
            + one * two * (one * one - one * two + two * two) * (a + b)
            + 6.0 * (one * one * other.m2 + two * two * self.m2)
            + 4.0 * (one * other.m3 - two * self.m3);
        (m3, m4)
    }

    /// The number of values seen.
    ///
    /// ```
    /// use partita::aggregate::Moments;
    /// assert_eq!(Moments::from_iter([1.0, 2.0]).count(), 2);
    /// ```
    pub fn count(&self) -> usize {
        self.count
    }

    /// Their mean; `None` before the first.
    ///
    /// ```
    /// use partita::aggregate::Moments;
    /// assert_eq!(Moments::from_iter([1.0, 2.0]).mean(), Some(1.5));
    /// ```
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// Their sample variance, divisor `count - 1`; `None` before the second.
    ///
    /// ```
    /// use partita::aggregate::Moments;
    /// assert_eq!(Moments::from_iter([1.0, 2.0]).variance(), Some(0.5));
    /// assert_eq!(Moments::from_iter([1.0]).variance(), None);
    /// ```
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.m2 / (self.count as f64 - 1.0))
    }

    /// The mean so far with its interval at [`LEVEL`]; `None` before the first value.
    ///
    /// ```
    /// use partita::aggregate::Moments;
    /// assert_eq!(Moments::from_iter([5.0, 5.0, 5.0]).estimate().unwrap().interval, (5.0, 5.0));
    /// ```
    pub fn estimate(&self) -> Option<Estimate> {
        self.estimate_at(LEVEL)
    }

    /// [`estimate`](Self::estimate) at another level.
    ///
    /// ```
    /// use partita::aggregate::Moments;
    /// let running = Moments::from_iter([1.0, 2.0, 4.0]);
    /// assert!(running.estimate_at(0.5).unwrap().half_width() < running.estimate().unwrap().half_width());
    /// ```
    pub fn estimate_at(&self, level: f64) -> Option<Estimate> {
        let mean = self.mean()?;
        let shape = Shape::checked(self.m3 / self.m2 / self.m2.sqrt(), self.m4 / self.m2 / self.m2);
        Some(Estimate::student(mean, standard_error(self.m2, self.count), self.count, shape, level))
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Self::new();
        for value in values {
            moments.push(value);
        }
        moments
    }
}
