//! Answers about new rows: averages over kept states, unit by unit, so with standard errors.

use super::units::Unit;
use crate::model::Model;
use crate::results::{Prediction, Predictions, Score};
use partita::aggregate::{Means, Scaled};
use partita::partition::Overlap;
use partita::{Partition, aggregate};

/// What is asked: rows in the model's units, and what brings the density of each to those of the file.
pub(crate) struct Question<'a> {
    /// The rows; NaN where a cell is missing.
    pub rows: &'a [&'a [f64]],
    /// Their names.
    pub names: &'a [String],
    /// Added to the log density of each row to bring it to the units of the file.
    pub log_units: &'a [f64],
    /// The clusters to join.
    pub clustering: &'a Partition,
}

/// Units that are looked at together: each thread has one.
const TOGETHER: usize = 4;

/// Answers a question; none for models that know no rows of numbers.
pub(crate) fn predict(
    model: &dyn Model,
    units: &[Unit],
    threads: usize,
    question: &Question,
) -> Option<Predictions> {
    let (rows, clusters) = (question.rows.len(), question.clustering.clusters());
    let width = clusters + 1;
    let mut joins = Means::new(rows * width);
    let mut by_unit: Vec<Vec<Scaled>> = Vec::with_capacity(units.len());
    for some in units.chunks(TOGETHER * threads.max(1)) {
        let parts = some.chunks(some.len().div_ceil(threads.max(1)));
        let look = |part: &[Unit]| -> Option<Vec<_>> {
            part.iter().map(|unit| look(model, unit, question)).collect()
        };
        let answers: Vec<Option<Vec<_>>> = std::thread::scope(|scope| {
            let handles: Vec<_> = parts.map(|part| scope.spawn(|| look(part))).collect();
            handles.into_iter().map(|handle| handle.join().expect("no thread panics")).collect()
        });
        // In the order of the units, whatever the threads.
        for answer in answers {
            for (density, join) in answer? {
                joins.push(&join);
                by_unit.push(density);
            }
        }
    }
    let highest =
        |row: usize| by_unit.iter().map(|unit| unit[row].log_unit()).fold(f64::NEG_INFINITY, f64::max);
    let scale: Vec<f64> = (0..rows).map(highest).collect();
    let in_scale =
        |unit: Vec<Scaled>| -> Vec<f64> { unit.iter().zip(&scale).map(|(d, s)| d.over(*s)).collect() };
    let by_unit: Vec<Vec<f64>> = by_unit.into_iter().map(in_scale).collect();
    let mut densities = Means::new(rows);
    by_unit.iter().for_each(|unit| densities.push(unit));
    let prediction = |row: usize| {
        let density = densities.mean()[row];
        let join = &joins.mean()[row * width..][..width];
        let best = likeliest(join);
        let known = density > 0.0 && density.is_finite();
        Prediction {
            row: question.names[row].clone(),
            log_density: known.then(|| density.ln() + scale[row] + question.log_units[row]),
            log_density_se: super::finite(densities.se(row) / density).filter(|_| known),
            cluster: (best < clusters).then_some(best as u64),
            joins: join.to_vec(),
            joins_se: (0..width).map(|c| super::finite(joins.se(row * width + c))).collect(),
        }
    };
    let predictions: Vec<Prediction> = (0..rows).map(prediction).collect();
    let beyond = scale.iter().filter(|scale| **scale == f64::NEG_INFINITY).count() as u64;
    let score = Score { beyond, ..score(&predictions, densities.mean(), &by_unit) };
    Some(Predictions { clusters: clusters as u64, predictions, score })
}

/// The place of the largest probability; the first of those that differ by no more than rounding.
fn likeliest(probabilities: &[f64]) -> usize {
    let largest = probabilities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    probabilities.iter().position(|p| *p >= largest - 1e-9).unwrap_or(0)
}

/// The value of one unit: the density of each row, and its probabilities of joining each cluster or none.
fn look(model: &dyn Model, unit: &Unit, question: &Question) -> Option<(Vec<Scaled>, Vec<f64>)> {
    let clustering = question.clustering;
    let width = clustering.clusters() + 1;
    let mut density = vec![Scaled::ZERO; question.rows.len()];
    let mut joins = vec![0.0; question.rows.len() * width];
    for (weight, z) in &unit.atoms {
        // The share of each cluster of the clustering in each slot of the state.
        let overlap = Overlap::new(clustering, z);
        for (row, joining) in model.predict(z, question.rows)?.into_iter().enumerate() {
            density[row].add(*weight, joining.log_density);
            let (new, slots) = joining.shares.split_last().expect("a new cluster is always possible");
            let joins = &mut joins[row * width..][..width];
            joins[width - 1] += weight * new;
            for (cluster, &size) in clustering.sizes().iter().enumerate() {
                let shared = overlap.row(cluster).iter().zip(slots).map(|(&m, share)| f64::from(m) * share);
                joins[cluster] += weight * shared.sum::<f64>() / f64::from(size);
            }
        }
    }
    Some((density, joins))
}

/// The score of a test set: the sum of the logs of the estimated densities, its interval by the delta method
/// over units. The estimate of a density is unbiased; its log is low by about half its squared relative error.
fn score(predictions: &[Prediction], densities: &[f64], by_unit: &[Vec<f64>]) -> Score {
    let rows = predictions.len() as f64;
    let unknown = predictions.iter().filter(|p| p.log_density.is_none()).count() as u64;
    let sum: f64 = predictions.iter().filter_map(|p| p.log_density).sum();
    // d log f = df / f: the sum of these over rows is one value per unit.
    let influence = |unit: &Vec<f64>| unit.iter().zip(densities).map(|(f, mean)| f / mean - 1.0).sum::<f64>();
    let influences: Vec<f64> = by_unit.iter().map(influence).collect();
    let spread = aggregate::mean(&influences).filter(|_| unknown == 0);
    // Influences come to 0, so that their interval is that of the sum about itself.
    let ends = spread.and_then(|e| super::interval(&e));
    Score {
        rows: predictions.len() as u64,
        unknown,
        beyond: 0,
        sum: (unknown == 0).then_some(sum),
        sum_ci95: ends.map(|ends| ends.map(|end| sum + end)),
        mean: (unknown == 0).then_some(sum / rows),
        mean_ci95: ends.map(|ends| ends.map(|end| (sum + end) / rows)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn among_equals_the_first_is_the_likeliest() {
        assert_eq!(likeliest(&[0.2, 0.5, 0.3]), 1);
        assert_eq!(likeliest(&[0.3, 0.1 + 0.2, 0.3]), 0);
        assert_eq!(likeliest(&[-0.4, -0.3]), 1);
    }
}
