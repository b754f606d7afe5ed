//! The files of the answers: clustering, credible ball, matrices, summary, report.

use super::{
    CLUSTERING, CO_CLUSTERING, CO_CLUSTERING_SE, CORRELATIONS, CREDIBLE_BALL, Directory, MODES, PROFILES, Run,
};
use crate::answers::{self, Answers, Modes, Point};
use crate::engine::Sample;
use crate::results::{CorrelationLine, ProfileLine};
use crate::session::{Finished, Watch};
use crate::words::csv_cell;
use crate::{Failure, report};
use partita::Partition;

/// Items up to which the whole matrix is written without being asked for.
const MATRIX_ITEMS: usize = 1000;
/// Items up to which it is written at all: 1.6 GB of disk for it and as much for its errors.
const MOST_MATRIX_ITEMS: usize = 20_000;

/// Refuses a matrix that is too large.
pub(crate) fn check_size(items: usize, matrix: bool) -> Result<(), Failure> {
    if matrix && items > MOST_MATRIX_ITEMS {
        return Err(Failure::option(
            "matrix",
            format!(
                "`matrix` is for at most {MOST_MATRIX_ITEMS} items, but there are {items}: estimate the pairs that \
             matter with `summary = co:I,J`"
            ),
        ));
    }
    Ok(())
}

impl Answers {
    /// Writes them into a run directory; the whole co-clustering matrix up to a size, or on request.
    pub(crate) fn write(
        self,
        directory: &Directory,
        run: &Run,
        sample: &Sample,
        matrix: bool,
        watch: &mut dyn Watch,
    ) -> Result<Finished, Failure> {
        let Answers { summary, page, point, modes, item_names, threads } = self;
        if modes.found.len() > 1 {
            directory.write(MODES, places(&modes, &item_names).as_bytes())?;
        }
        if let Some(point) = &point {
            directory.write(CLUSTERING, labels(point, &item_names).as_bytes())?;
            directory.write(CREDIBLE_BALL, bounds(point, &item_names).as_bytes())?;
            if !summary.profiles.is_empty() {
                directory.write(PROFILES, profiles(&summary.profiles).as_bytes())?;
            }
            if !summary.correlations.is_empty() {
                directory.write(CORRELATIONS, correlations(&summary.correlations).as_bytes())?;
            }
            if matrix || item_names.len() <= MATRIX_ITEMS {
                watch.stage("writing the co-clustering matrix");
                let units = answers::units(&run.plan.stop, &sample.draws);
                let [means, errors] =
                    [CO_CLUSTERING, CO_CLUSTERING_SE].map(|name| directory.path().join(name));
                answers::write_matrix(&units, item_names.len(), threads, &means, &errors)?;
            }
        }
        let json = serde_json::to_string_pretty(&summary).expect("a summary is JSON");
        directory.write("summary.json", (json + "\n").as_bytes())?;
        directory.write("report.html", report::render(&page).as_bytes())?;
        Ok(Finished { directory: directory.path().to_path_buf(), summary, answer: page.answer })
    }
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

/// A number that may be missing, as a cell.
fn or_empty(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:?}"))
}

/// `profiles.csv`: what each cluster is like, column by column; the level is empty but for categories.
fn profiles(lines: &[ProfileLine]) -> String {
    let mut text = String::from("cluster,column,level,mean,se,overall\n");
    for line in lines {
        let (column, level) = (csv_cell(&line.column), line.level.as_deref().map_or(String::new(), csv_cell));
        let (mean, se, overall) = (line.mean, or_empty(line.se), line.overall);
        text += &format!("{},{column},{level},{mean:?},{se},{overall:?}\n", line.cluster);
    }
    text
}

/// `correlations.csv`: how two columns go together within each cluster.
fn correlations(lines: &[CorrelationLine]) -> String {
    let mut text = String::from("cluster,column,other,mean,se,overall\n");
    for line in lines {
        let (column, other) = (csv_cell(&line.column), csv_cell(&line.other));
        let (mean, se, overall) = (line.mean, or_empty(line.se), line.overall);
        text += &format!("{},{column},{other},{mean:?},{se},{overall:?}\n", line.cluster);
    }
    text
}

/// `modes.csv`: the clusters of each item in the state that stands for each part.
fn places(modes: &Modes, names: &[String]) -> String {
    let columns: String = (1..=modes.states.len()).map(|mode| format!(",mode{mode}")).collect();
    let mut text = format!("item{columns}\n");
    for (i, name) in names.iter().enumerate() {
        let clusters: String = modes.states.iter().map(|z| format!(",{}", z.slot(i))).collect();
        text += &format!("{}{clusters}\n", csv_cell(name));
    }
    text
}
