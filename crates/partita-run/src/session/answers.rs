//! The answers of a complete run: summary, matrix, report.

use super::Outcome;
use crate::analysis::{self, Context};
use crate::directory::{Directory, Run};
use crate::model::{Input, Model, Row};
use crate::{Failure, report};

/// Items of the matrix in the report and in `co_clustering.npy`.
const SHOWN_ITEMS: usize = 500;
const MATRIX_ITEMS: usize = 1000;

/// Writes the answers of a complete run.
pub(super) fn conclude(
    directory: &Directory,
    run: &Run,
    names: &[String],
    counts: &[String],
    rows: &[Row],
    seconds: f64,
    input: Option<(&Input, &dyn Model)>,
) -> Result<Outcome, Failure> {
    let summary = analysis::summarize(run, names, counts, rows, seconds);
    let draws = directory.draws(rows)?;
    if let Some(items) = draws.first().map(|d| d.atom.partition.len()).filter(|n| *n <= MATRIX_ITEMS) {
        let whole = analysis::co_matrix(&draws, items).expect("there are draws");
        // Back from the order of the clustering to the order of the items.
        let mut values = vec![0.0; items * items];
        for (r, &i) in whole.items.iter().enumerate() {
            for (c, &j) in whole.items.iter().enumerate() {
                values[i * items + j] = whole.values[r * items + c];
            }
        }
        directory.write("co_clustering.npy", &crate::npy::square(&values, items))?;
    }
    let matrix = analysis::co_matrix(&draws, SHOWN_ITEMS);
    let page = analysis::page(&Context {
        run,
        rows,
        draws: &draws,
        matrix: matrix.as_ref(),
        summary: &summary,
        input,
    });
    let json = serde_json::to_string_pretty(&summary).expect("a summary is JSON");
    directory.write("summary.json", (json + "\n").as_bytes())?;
    directory.write("report.html", report::render(&page).as_bytes())?;
    Ok(Outcome { directory: directory.path().to_path_buf(), summary, answer: page.answer })
}
