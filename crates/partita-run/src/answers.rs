//! The answers of a complete run: pure functions of its sample, which write nothing and sample nothing.

mod cards;
mod clustering;
mod cuts;
mod lead;
mod modes;
mod neighbours;
mod numbers;
mod page;
mod point;
mod predict;
mod profiles;
mod units;

pub(crate) use clustering::{CoMatrix, co_matrix, whole_matrix, write_matrix};
pub(crate) use modes::{Modes, modes};
#[cfg(test)]
pub(crate) use numbers::mean;
pub(crate) use numbers::{LongChains, mean_and_half, widest, width};
use numbers::{finite, interval, meeting_curve, summarize};
use page::{Context, page};
pub(crate) use point::{Point, point};
pub(crate) use predict::{Question, predict};
pub(crate) use units::{units, workers};

use crate::Failure;
use crate::config::{Covariance, Law};
use crate::data::Rotation;
use crate::engine::Sample;
use crate::model::{Input, Model};
use crate::results::{Page, Results};
use crate::session::Watch;
use crate::store::Run;
use partita::Partition;
use partita::modes::Trail;

/// Items of the matrix in the report.
const SHOWN_ITEMS: usize = 500;

/// The answers of a complete run: nothing was sampled for them, and nothing is written yet.
#[derive(Debug, Clone)]
pub struct Answers {
    /// The numbers.
    pub summary: Results,
    /// What the report shows.
    pub page: Page,
    /// One clustering; none where no states were kept.
    pub(crate) point: Option<Point>,
    /// The parts of the target in which chains were.
    pub(crate) modes: Modes,
    pub(crate) item_names: Vec<String>,
    pub(crate) threads: usize,
}

/// One clustering for the whole posterior, item by item: `clustering.csv` and `credible_ball.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// The cluster of each item, numbered from 0 by size.
    pub clusters: Vec<usize>,
    /// How certain it is for each item, and the standard error of that, which is NaN for one replicate.
    pub certainty: Vec<(f64, f64)>,
    /// The clusters of each item in the states that bound the credible ball: upper, lower, horizontal.
    pub bounds: Option<[Vec<usize>; 3]>,
}

impl Answers {
    /// The one clustering; none where no states were kept.
    pub fn labels(&self) -> Option<Labels> {
        let point = self.point.as_ref()?;
        Some(Labels {
            clusters: point.partition.slots().collect(),
            certainty: point.certainty.clone(),
            bounds: point.bounds.as_ref().map(|bounds| bounds.each_ref().map(Partition::canonical_labels)),
        })
    }
}

impl Answers {
    /// The answers of a sample; `long` is what is known about one long chain, `chains` are states of chains, an earlier
    /// one and the last of each, which tell where chains stay apart.
    pub(crate) fn new(
        run: &Run,
        sample: &Sample,
        seconds: f64,
        (input, model): (&Input, &dyn Model),
        long: Option<&LongChains>,
        chains: &[Trail],
        watch: &mut dyn Watch,
    ) -> Result<Self, Failure> {
        let units = units(&run.plan.stop, &sample.draws);
        let mut summary = summarize(run, model.quantities(), model.counts(), &sample.rows, seconds, long);
        summary.connected = model.connected();
        summary.notes.extend(crate::model::unreachable(model.connected(), &run.plan.setup));
        let modes = modes(model, chains, sample);
        summary.modes.clone_from(&modes.found);
        summary.notes.extend(modes::note(&summary.modes, &run.plan, run.pilot.as_ref(), summary.censored));
        watch.stage("finding the point estimate");
        let point = point(&units, run.plan.loss, run.plan.seed);
        if let Some(point) = &point {
            summary.clustering = Some(point.clustering.clone());
        }
        let reduced = |rotation: &Rotation| format!("The model saw {}.", rotation.sentence());
        summary.notes.extend(input.rotation.as_ref().map(reduced));
        compare(&mut summary, point.as_ref(), input)?;
        let correlated =
            matches!(&run.plan.setup.law, Law::Mixture(law) if law.covariance == Covariance::Full);
        let profiles = point.as_ref().map(|point| profiles::profiles(&units, point, input, correlated));
        if let Some(found) = &profiles {
            summary.profiles.clone_from(&found.lines);
            summary.correlations.clone_from(&found.correlations);
        }
        let few = numbers::few(&run.plan.stop, summary.replicates).is_some() && !summary.summaries.is_empty();
        summary.reliability = lead::reliability(&summary, few);
        summary.notes.iter_mut().for_each(|note| *note = watch.phrase(note));
        watch.stage("writing the report");
        let shown = point.as_ref().map(|point| co_matrix(&units, &point.partition, SHOWN_ITEMS));
        let page = page(&Context {
            run,
            rows: &sample.rows,
            draws: &sample.draws,
            units: &units,
            point: point.as_ref(),
            profiles: profiles.as_ref(),
            matrix: shown.as_ref(),
            summary: &summary,
            quantities: model.quantities(),
            input: Some((input, model)),
        });
        let item_names = input.item_names.clone();
        Ok(Answers { summary, page, point, modes, item_names, threads: run.plan.threads() })
    }
}

/// Holds the clustering against the known labels, where there are any, and says how many are missing.
fn compare(summary: &mut Results, point: Option<&Point>, input: &Input) -> Result<(), Failure> {
    let Some((reference, missing)) = input.reference()? else { return Ok(()) };
    if missing > 0 {
        let rows = input.item_names.len();
        let (have, are) = if missing == 1 { ("has", "is") } else { ("have", "are") };
        summary.notes.push(format!(
            "{missing} of {rows} rows {have} no label and {are} left out of the comparison with the known labels"
        ));
    }
    if let (Some(point), Some(clustering)) = (point, &mut summary.clustering) {
        let [_, vi, ari] = reference.compare(&point.partition);
        clustering.reference_ari = Some(ari).filter(|ari| ari.is_finite());
        clustering.reference_vi = Some(vi);
        clustering.reference_missing = Some(missing as u64);
    }
    Ok(())
}
