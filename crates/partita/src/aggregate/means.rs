//! Running means of the parts of a vector.

/// Running means, over units, of the parts of a vector, each with its standard error (Welford).
///
/// ```
/// use partita::aggregate::Means;
/// let mut means = Means::new(2);
/// means.push(&[1.0, 5.0]);
/// assert_eq!(means.se(0), f64::INFINITY);
/// means.push(&[3.0, 5.0]);
/// assert_eq!(means.mean(), [2.0, 5.0]);
/// assert_eq!((means.se(0), means.se(1)), (1.0, 0.0));
/// ```
#[derive(Debug, Clone)]
pub struct Means {
    units: usize,
    mean: Vec<f64>,
    /// Sums of squared deviations.
    squares: Vec<f64>,
}

impl Means {
    /// Means of vectors with `length` parts.
    pub fn new(length: usize) -> Self {
        Means { units: 0, mean: vec![0.0; length], squares: vec![0.0; length] }
    }

    /// Adds the vector of one more unit.
    pub fn push(&mut self, values: &[f64]) {
        self.units += 1;
        let n = self.units as f64;
        for ((mean, squares), value) in self.mean.iter_mut().zip(&mut self.squares).zip(values) {
            let before = value - *mean;
            *mean += before / n;
            *squares += before * (value - *mean);
        }
    }

    /// The means.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The standard error of one of them; infinite for a single unit.
    pub fn se(&self, part: usize) -> f64 {
        let n = self.units as f64;
        if self.units < 2 { f64::INFINITY } else { (self.squares[part] / (n * (n - 1.0))).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_errors_are_those_of_the_textbook() {
        let mut means = Means::new(2);
        [[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]].iter().for_each(|v| means.push(v));
        assert_eq!(means.mean(), [2.5, 5.0]);
        assert!((means.se(0) - (5.0f64 / 12.0).sqrt()).abs() < 1e-15 && means.se(1) == 0.0);
    }
}
