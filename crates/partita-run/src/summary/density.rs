//! Predictive densities of one-column data: a summary on a grid, and what the report draws from kept atoms.

use super::{AnySummary, Asked, Context, Quantity};
use crate::Failure;
use partita::atoms::Atom;
use partita::summary::PredictiveDensity;
use partita::target::Predictive;
use partita::{State, Summary, Target};
use std::fmt;

/// Evenly spaced points, including both ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// The first point.
    pub from: f64,
    /// The last point.
    pub to: f64,
    /// How many, at least two.
    pub points: usize,
}

impl Grid {
    /// The points.
    pub fn values(&self) -> Vec<f64> {
        let (last, span) = ((self.points - 1) as f64, self.to - self.from);
        if span.is_finite() {
            let step = span / last;
            return (0..self.points).map(|i| self.from + step * i as f64).collect();
        }
        // The span is beyond doubles, its ends are not.
        let part = |i: usize| i as f64 / last;
        (0..self.points).map(|i| (1.0 - part(i)) * self.from + part(i) * self.to).collect()
    }

    fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.split(',').map(str::trim);
        let (from, to) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let points = parts.next()?.parse().ok()?;
        let fine = f64::is_finite(from) && f64::is_finite(to) && from < to && (2..=10_000).contains(&points);
        (fine && parts.next().is_none()).then_some(Grid { from, to, points })
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "density:{},{},{}", self.from, self.to, self.points)
    }
}

/// The name of the density at a point.
fn name(x: f64) -> String {
    format!("density:{x}")
}

impl Asked for Grid {
    const USAGE: &'static str = "density:FROM,TO,POINTS such as density:-3,3,100";

    fn parse(text: &str) -> Option<Self> {
        Grid::from_text(text.strip_prefix("density:")?)
    }

    fn quantities(&self) -> Vec<Quantity> {
        let one = |x: f64| Quantity {
            name: name(x),
            meaning: None,
            sentence: format!("The expected density at {x} is"),
            symbol: name(x),
            two_digits: f64::INFINITY,
        };
        self.values().into_iter().map(one).collect()
    }

    fn build<T: Target>(&self, context: &Context<T>) -> Result<AnySummary<T>, Failure> {
        (context.density)(self).ok_or_else(|| {
            Failure::option(
                "summary",
                format!("`summary = {self}` is for tables of one column of numbers: choose one by `columns`"),
            )
        })
    }
}

/// The density of each atom on a grid of points of a one-dimensional mixture.
pub(crate) fn densities<T: Predictive>(target: &T, atoms: &[&Atom], grid: &[f64]) -> Vec<Vec<f64>> {
    let density = PredictiveDensity::new(grid.to_vec(), 1).expect("points of one coordinate");
    atoms
        .iter()
        .map(|atom| {
            let mut out = vec![0.0; grid.len()];
            density.evaluate(target, &State::new(target, atom.partition.clone()), &mut out);
            out
        })
        .collect()
}

/// The predictive density on a grid in the units of the file.
pub(crate) struct OnGrid {
    density: PredictiveDensity,
    names: Vec<String>,
    /// What a unit of the model is in the file.
    unit: f64,
}

impl OnGrid {
    /// A column was brought to the model's units as `(x - mean) / sd`.
    pub(crate) fn new(grid: &Grid, mean: f64, sd: f64) -> Self {
        let values = grid.values();
        let points = values.iter().map(|x| (x - mean) / sd).collect();
        OnGrid {
            density: PredictiveDensity::new(points, 1).expect("points of one coordinate"),
            names: values.iter().map(|&x| name(x)).collect(),
            unit: sd,
        }
    }
}

impl<T: Predictive> Summary<T> for OnGrid {
    fn len(&self) -> usize {
        self.names.len()
    }

    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn evaluate(&self, target: &T, state: &State<T>, out: &mut [f64]) {
        self.density.evaluate(target, state, out);
        out.iter_mut().for_each(|density| *density /= self.unit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_reach_from_end_to_end() {
        let values = |text: &str| Grid::parse(text).unwrap().values();
        assert_eq!(values("density:-1,2,4"), [-1.0, 0.0, 1.0, 2.0]);
        assert_eq!(values("density:-1e308,1e308,5"), [-1e308, -5e307, 0.0, 5e307, 1e308]);
        for bad in
            ["density:1,1,5", "density:0,inf,5", "density:NaN,1,5", "density:0,1,1", "density:0,1,10001"]
        {
            assert!(Grid::parse(bad).is_none(), "{bad}");
        }
    }
}
