//! The answers of a complete run: summary, one clustering, matrix, report.

use super::{Outcome, Watch};
use crate::analysis::{self, Context, LongChains, Point};
use crate::directory::{CLUSTERING, CO_CLUSTERING, CO_CLUSTERING_SE, CREDIBLE_BALL, Directory, Run};
use crate::engine::Sample;
use crate::model::{Input, Model};
use crate::results::{Page, Summary};
use crate::words::csv_cell;
use crate::{Failure, report};
use partita::Partition;

/// Items of the matrix in the report.
const SHOWN_ITEMS: usize = 500;
/// Items up to which the whole matrix is written without being asked for.
const MATRIX_ITEMS: usize = 1000;
/// Items up to which it is written at all: 1.6 GB of disk for it and as much for its errors.
const MOST_MATRIX_ITEMS: usize = 20_000;

/// Refuses a matrix that is too large.
pub(super) fn check_size(items: usize, matrix: bool) -> Result<(), Failure> {
    if matrix && items > MOST_MATRIX_ITEMS {
        return Err(Failure::bad(format!(
            "`matrix` is for at most {MOST_MATRIX_ITEMS} items, but there are {items}: ask for the pairs that \
             matter with `summary = co:I,J`"
        )));
    }
    Ok(())
}

/// The answers of a complete run: nothing was sampled for them, and nothing is written yet.
#[derive(Debug, Clone)]
pub struct Answers {
    /// The numbers.
    pub summary: Summary,
    /// What the report shows.
    pub page: Page,
    /// One clustering; none where no states were kept.
    pub(crate) point: Option<Point>,
    item_names: Vec<String>,
    threads: usize,
}

impl Answers {
    /// The answers of a sample; `long` is what is known about one long chain.
    pub(crate) fn new(
        run: &Run,
        sample: &Sample,
        seconds: f64,
        (input, model): (&Input, &dyn Model),
        long: Option<&LongChains>,
        watch: &mut dyn Watch,
    ) -> Result<Self, Failure> {
        let units = analysis::units(&run.plan.stop, &sample.draws);
        let mut summary =
            analysis::summarize(run, model.quantities(), model.counts(), &sample.rows, seconds, long);
        summary.connected = model.connected();
        summary.notes.extend(crate::model::unreachable(model.connected(), &run.plan.setup));
        watch.stage("searching for one clustering");
        let point = analysis::point(&units, run.plan.loss, run.plan.seed);
        if let Some(point) = &point {
            summary.clustering = Some(point.clustering.clone());
            summary.notes.extend(point.note());
        }
        compare(&mut summary, point.as_ref(), input)?;
        summary.notes.iter_mut().for_each(|note| *note = watch.phrase(note));
        watch.stage("putting the report together");
        let shown = point.as_ref().map(|point| analysis::co_matrix(&units, &point.partition, SHOWN_ITEMS));
        let page = analysis::page(&Context {
            run,
            rows: &sample.rows,
            draws: &sample.draws,
            matrix: shown.as_ref(),
            summary: &summary,
            quantities: model.quantities(),
            input: Some((input, model)),
        });
        let item_names = input.item_names.clone();
        Ok(Answers { summary, page, point, item_names, threads: run.plan.threads() })
    }

    /// Writes them into a run directory; the whole co-clustering matrix up to a size, or on request.
    pub(crate) fn write(
        self,
        directory: &Directory,
        run: &Run,
        sample: &Sample,
        matrix: bool,
        watch: &mut dyn Watch,
    ) -> Result<Outcome, Failure> {
        let Answers { summary, page, point, item_names, threads } = self;
        if let Some(point) = &point {
            directory.write(CLUSTERING, labels(point, &item_names).as_bytes())?;
            directory.write(CREDIBLE_BALL, bounds(point, &item_names).as_bytes())?;
            if matrix || item_names.len() <= MATRIX_ITEMS {
                watch.stage("writing the co-clustering matrix");
                let units = analysis::units(&run.plan.stop, &sample.draws);
                let [means, errors] =
                    [CO_CLUSTERING, CO_CLUSTERING_SE].map(|name| directory.path().join(name));
                analysis::write_matrix(&units, item_names.len(), threads, &means, &errors)?;
            }
        }
        let json = serde_json::to_string_pretty(&summary).expect("a summary is JSON");
        directory.write("summary.json", (json + "\n").as_bytes())?;
        directory.write("report.html", report::render(&page).as_bytes())?;
        Ok(Outcome { directory: directory.path().to_path_buf(), summary, answer: page.answer })
    }
}

/// Holds the clustering against the known labels, where there are any, and says how many are missing.
fn compare(summary: &mut Summary, point: Option<&Point>, input: &Input) -> Result<(), Failure> {
    let Some((reference, missing)) = input.reference()? else { return Ok(()) };
    if missing > 0 {
        let rows = input.item_names.len();
        let (have, they) = if missing == 1 { ("has", "it takes") } else { ("have", "they take") };
        summary.notes.push(format!(
            "{missing} of {rows} rows {have} no label: {they} no part in the comparison with the known labels"
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

/// `clustering.csv`: the certainty is raw, so it may leave [0, 1] by chance.
fn labels(point: &Point, names: &[String]) -> String {
    let mut text = String::from("item,cluster,certainty,certainty_se\n");
    for ((name, cluster), (certainty, se)) in names.iter().zip(point.partition.slots()).zip(&point.certainty)
    {
        let se = if se.is_finite() { format!("{se:?}") } else { String::new() };
        text += &format!("{},{cluster},{certainty:?},{se}\n", csv_cell(name));
    }
    text
}

/// `credible_ball.csv`: the clusters of each item in the states that bound the ball.
fn bounds(point: &Point, names: &[String]) -> String {
    let mut text = String::from("item,upper,lower,horizontal\n");
    let bounds = point.bounds.as_ref().map(|bounds| bounds.each_ref().map(Partition::canonical_labels));
    let Some([upper, lower, horizontal]) = bounds else { return text };
    for (i, name) in names.iter().enumerate() {
        text += &format!("{},{},{},{}\n", csv_cell(name), upper[i], lower[i], horizontal[i]);
    }
    text
}
