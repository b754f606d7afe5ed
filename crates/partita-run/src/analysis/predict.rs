//! Answers about new rows: averages over kept states, unit by unit, so with standard errors.

use super::units::{Means, Unit};
use crate::model::Model;
use crate::results::{Prediction, Predictions, Score};
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

/// States whose densities set the scale, so that nothing overflows or vanishes.
const SCALE: usize = 64;

/// Answers a question; none for models that know no rows of numbers.
pub(crate) fn predict(
    model: &dyn Model,
    units: &[Unit],
    threads: usize,
    question: &Question,
) -> Option<Predictions> {
    let (rows, clusters) = (question.rows.len(), question.clustering.clusters());
    let states: Vec<&Partition> = units.iter().flat_map(|unit| unit.atoms.iter().map(|(_, z)| *z)).collect();
    let mut scale = vec![f64::NEG_INFINITY; rows];
    for z in states.iter().step_by(states.len().div_ceil(SCALE).max(1)) {
        let joinings = model.predict(z, question.rows)?;
        scale.iter_mut().zip(joinings).for_each(|(scale, joining)| *scale = scale.max(joining.log_density));
    }
    scale.iter_mut().filter(|scale| !scale.is_finite()).for_each(|scale| *scale = 0.0);
    let width = clusters + 1;
    let mut joins = Means::new(rows * width);
    let mut densities = Means::new(rows);
    let mut by_unit: Vec<Vec<f64>> = Vec::with_capacity(units.len());
    for some in units.chunks(TOGETHER * threads.max(1)) {
        let parts = some.chunks(some.len().div_ceil(threads.max(1)));
        let look = |part: &[Unit]| -> Option<Vec<_>> {
            part.iter().map(|unit| look(model, unit, question, &scale)).collect()
        };
        let answers: Vec<Option<Vec<_>>> = std::thread::scope(|scope| {
            let handles: Vec<_> = parts.map(|part| scope.spawn(|| look(part))).collect();
            handles.into_iter().map(|handle| handle.join().expect("no thread panics")).collect()
        });
        // In the order of the units, whatever the threads.
        for answer in answers {
            for (density, join) in answer? {
                densities.push(&density);
                joins.push(&join);
                by_unit.push(density);
            }
        }
    }
    let prediction = |row: usize| {
        let density = densities.mean()[row];
        let join = &joins.mean()[row * width..][..width];
        let best = (0..width).max_by(|&a, &b| join[a].total_cmp(&join[b])).expect("there is a new cluster");
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
    let score = score(&predictions, densities.mean(), &by_unit);
    Some(Predictions { clusters: clusters as u64, predictions, score })
}

/// The value of one unit: the density of each row, and its probabilities of joining each cluster or none.
fn look(model: &dyn Model, unit: &Unit, question: &Question, scale: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let clustering = question.clustering;
    let width = clustering.clusters() + 1;
    let mut density = vec![0.0; question.rows.len()];
    let mut joins = vec![0.0; question.rows.len() * width];
    for (weight, z) in &unit.atoms {
        // The share of each cluster of the clustering in each slot of the state.
        let overlap = Overlap::new(clustering, z);
        for (row, joining) in model.predict(z, question.rows)?.into_iter().enumerate() {
            density[row] += weight * (joining.log_density - scale[row]).exp();
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
    // d log f = df / f: the sum of these over rows is one value a unit.
    let influence = |unit: &Vec<f64>| unit.iter().zip(densities).map(|(f, mean)| f / mean - 1.0).sum::<f64>();
    let influences: Vec<f64> = by_unit.iter().map(influence).collect();
    let spread = aggregate::mean(&influences).filter(|_| unknown == 0);
    // Influences come to 0, so that their interval is that of the sum about itself.
    let ends = spread.and_then(|e| super::interval(&e));
    Score {
        rows: predictions.len() as u64,
        unknown,
        sum: (unknown == 0).then_some(sum),
        sum_ci95: ends.map(|ends| ends.map(|end| sum + end)),
        mean: (unknown == 0).then_some(sum / rows),
        mean_ci95: ends.map(|ends| ends.map(|end| (sum + end) / rows)),
    }
}
