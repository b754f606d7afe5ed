//! Questions about new rows, put to a run that has kept states.

use super::{columns, refuse_part, reload, threads};
use crate::Failure;
use crate::analysis::{self, Question};
use crate::config::{Loss, Task};
use crate::data::{DataError, Kind, ReadOptions, Table};
use crate::directory::{Directory, Run};
use crate::model::Input;
use crate::results::Predictions;
use std::path::Path;

/// Predicts the rows of a file under the model and the data of a run.
pub fn predict(path: &Path, new: &Path, loss: Option<Loss>) -> Result<Predictions, Failure> {
    let run = Run::read(path)?;
    if run.task != Task::Fit {
        return Err(Failure::bad(format!(
            "{}: is a run on a graph, and new vertices cannot be predicted: use a run of `partita fit`",
            path.display()
        )));
    }
    let (model, input) = reload(&run)?;
    let directory = Directory::open(path)?;
    let kept = directory.rows(&columns(&*model))?;
    refuse_part(path, &run, &kept)?;
    let draws = directory.draws(&kept)?;
    if draws.is_empty() {
        return Err(Failure::bad(format!(
            "{}: has kept no states to predict from: run it again with --keep-draws 1 or more",
            path.display()
        )));
    }
    let known = input.table.as_ref().expect("a fit has a table");
    if known.kinds.iter().flatten().any(|kind| *kind != Kind::Normal) {
        return Err(Failure::bad(format!(
            "{}: holds counts or categories, and new rows of these cannot be predicted yet: use a run on columns of \
             real numbers",
            path.display()
        )));
    }
    let rows = new_rows(&run, &input, new)?;
    let units = analysis::units(&run.stop, &draws);
    let point =
        analysis::point(&units, loss.or(run.options.loss).unwrap_or_default(), run.options.seed.unwrap_or(1))
            .expect("there are kept states");
    let question = Question {
        rows: &(0..rows.rows).map(|i| rows.row(i)).collect::<Vec<_>>(),
        names: &rows.ids.clone().unwrap_or_else(|| (0..rows.rows).map(|i| i.to_string()).collect()),
        // A density scales with the inverse of its axes.
        log_unit: -input
            .scaling
            .as_ref()
            .map_or(0.0, |s| s.scale.iter().map(|scale| scale.ln()).sum::<f64>()),
        clustering: &point.partition,
    };
    analysis::predict(&*model, &units, threads(&run.options), &question)
        .ok_or_else(|| Failure::bad(format!("{}: its model cannot predict new rows", path.display())))
}

/// The rows of a file as the model of a run sees them: the same columns, by name, in the same units.
fn new_rows(run: &Run, input: &Input, new: &Path) -> Result<Table, Failure> {
    let known = input.table.as_ref().expect("a fit has a table");
    let delimiter = run.options.delimiter.and_then(|c| u8::try_from(c).ok());
    let mut read = ReadOptions {
        delimiter,
        header: run.options.header,
        columns: Some(known.names.clone()),
        id_column: run.options.id_column.clone(),
        one_row: true,
        ..ReadOptions::default()
    };
    let table = match Table::read(new, &read) {
        // Row names are welcome, not needed.
        Err(DataError::UnknownColumn { asked, .. }) if Some(&asked) == read.id_column.as_ref() => {
            read.id_column = None;
            Table::read(new, &read)
        }
        other => other,
    };
    let mut table = table.map_err(|error| {
        Failure::bad(match &error {
            DataError::UnknownColumn { .. } => {
                format!("{error} (the run is on the columns {})", known.names.join(", "))
            }
            _ => error.to_string(),
        })
    })?;
    if let Some(scaling) = &input.scaling {
        for row in table.values.chunks_exact_mut(table.columns) {
            for (value, (center, scale)) in row.iter_mut().zip(scaling.center.iter().zip(&scaling.scale)) {
                *value = (*value - center) / scale;
            }
        }
    }
    Ok(table)
}
