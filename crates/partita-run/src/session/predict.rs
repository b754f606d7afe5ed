//! Questions about new rows, put to a run that has kept states.

use super::{Watch, columns, refuse_part, reload};
use crate::Failure;
use crate::answers::{self, Question};
use crate::config::{Law, Loss, MixtureLaw};
use crate::data::{DataError, Guess, Kind, Missing, Place, ReadOptions, Role, Rotation, Scaling, Table};
use crate::engine::{Draw, Sample};
use crate::model::{Input, Model};
use crate::results::Predictions;
use crate::store::{Directory, Run};
use std::path::Path;

/// Predicts the rows of a file under the model and the data of a run.
pub fn predict(
    path: &Path,
    new: &Path,
    loss: Option<Loss>,
    watch: &mut dyn Watch,
) -> Result<Predictions, Failure> {
    let run = Run::read(path)?;
    let title = path.display().to_string();
    law(&run, &title)?;
    let (model, input) = reload(&run)?;
    watch.stage("reading the replicates");
    let Sample { rows: kept, draws } = Directory::open(path).sample(&columns(&*model))?;
    refuse_part(path, &run, &kept)?;
    let new = |read: &ReadOptions| Table::read(new, read);
    predictions(&run, (&*model, &input), &draws, &title, &new, loss, watch)
}

/// The law of a run whose new rows can be predicted.
fn law<'a>(run: &'a Run, title: &str) -> Result<&'a MixtureLaw, Failure> {
    match &run.plan.setup.law {
        Law::Mixture(law) => Ok(law),
        _ => Err(Failure::run(
            Path::new(title),
            "this is a run on a graph, and new vertices cannot be predicted: use a run of `fit`",
        )),
    }
}

/// Predicts new rows, wherever they come from: `new` reads them.
pub(super) fn predictions(
    run: &Run,
    (model, input): (&dyn Model, &Input),
    draws: &[Draw],
    title: &str,
    new: &dyn Fn(&ReadOptions) -> Result<Table, DataError>,
    loss: Option<Loss>,
    watch: &mut dyn Watch,
) -> Result<Predictions, Failure> {
    let law = law(run, title)?;
    if draws.is_empty() {
        return Err(Failure::run(
            Path::new(title),
            "this run has no kept states to predict from: run it again with `keep_draws = 1` or more",
        ));
    }
    let rows = new_rows(run, law.covariance.family().cells.any(), input, new)?;
    watch.stage("finding the point estimate");
    let units = answers::units(&run.plan.stop, draws);
    let point =
        answers::point(&units, loss.unwrap_or(run.plan.loss), run.plan.seed).expect("there are kept states");
    watch.stage("predicting");
    let question = Question {
        rows: &(0..rows.rows).map(|i| rows.row(i)).collect::<Vec<_>>(),
        names: &rows.ids.clone().unwrap_or_else(|| (0..rows.rows).map(|i| i.to_string()).collect()),
        log_units: &(0..rows.rows).map(|i| log_unit(input, rows.row(i))).collect::<Vec<_>>(),
        clustering: &point.partition,
    };
    answers::predict(model, &units, run.plan.threads(), &question)
        .ok_or_else(|| Failure::run(Path::new(title), "the model of this run cannot predict new rows"))
}

/// A density scales with the inverse of its axes: those of the cells that are there. Counts and categories have
/// probabilities, whose axes have no unit.
fn log_unit(input: &Input, row: &[f64]) -> f64 {
    let Some(scaling) = &input.scaling else { return 0.0 };
    let there = row.iter().zip(&scaling.scale).filter(|(value, _)| !value.is_nan());
    -there.map(|(_, scale)| scale.ln()).sum::<f64>()
}

/// The rows of a file as the model of a run sees them: the same columns, by name, in the same units, with the levels
/// of the run's table.
fn new_rows(
    run: &Run,
    takes_gaps: bool,
    input: &Input,
    new: &dyn Fn(&ReadOptions) -> Result<Table, DataError>,
) -> Result<Table, Failure> {
    let known = input.table.as_ref().expect("a fit has a table");
    let reading = &run.plan.reading;
    let rotation = input.rotation.as_ref();
    let takes_gaps = takes_gaps || rotation.is_some();
    let names = rotation.map_or(&known.names, |rotation| &rotation.names);
    let columns = known.names.iter().zip(&known.kinds).zip(&known.levels).filter(|_| rotation.is_none());
    // Principal components are of numbers.
    let numbers =
        rotation.iter().flat_map(|rotation| &rotation.names).map(|name| (name.clone(), Kind::Normal));
    let category = |kind: &Option<Kind>| *kind == Some(Kind::Category);
    let of_rows = input.understood.columns.iter().find(|column| column.found && column.role == Role::Names);
    let mut read = ReadOptions {
        delimiter: reading.delimiter.and_then(|c| u8::try_from(c).ok()),
        header: reading.header,
        columns: Some(names.clone()),
        id_column: reading.id_column.clone().or(of_rows.map(|column| column.name.clone())),
        missing: if takes_gaps { Missing::Keep } else { Missing::Refuse },
        kinds: columns
            .clone()
            .map(|((name, kind), _)| (name.clone(), kind.unwrap_or(Kind::Normal)))
            .chain(numbers)
            .collect(),
        levels: columns
            .filter(|((_, kind), _)| category(kind))
            .map(|((name, _), levels)| (name.clone(), levels.clone()))
            .collect(),
        one_row: true,
        guess: Guess::Numbers,
        ..ReadOptions::default()
    };
    let table = match new(&read) {
        // Row names are welcome, not needed.
        Err(DataError::UnknownColumn { asked, .. }) if Some(&asked) == read.id_column.as_ref() => {
            read.id_column = None;
            new(&read)
        }
        other => other,
    };
    let mut table = table.map_err(|error| refusal(error, names, takes_gaps))?;
    if let Some(rotation) = rotation {
        turn(&mut table, rotation, known)?;
    }
    if let Some(scaling) = &input.scaling {
        standardize(&mut table, scaling, takes_gaps)?;
    }
    Ok(table)
}

/// Turns new rows to the principal components of the run's table.
fn turn(table: &mut Table, rotation: &Rotation, known: &Table) -> Result<(), Failure> {
    if let Some(scaling) = &rotation.scaling {
        standardize(table, scaling, true)?;
    }
    table.values = (0..table.rows).flat_map(|row| rotation.turn(table.row(row))).collect();
    table.columns = known.columns;
    table.names.clone_from(&known.names);
    table.kinds.clone_from(&known.kinds);
    table.levels.clone_from(&known.levels);
    Ok(())
}

/// Brings new rows to the units of the run.
fn standardize(table: &mut Table, scaling: &Scaling, takes_gaps: bool) -> Result<(), Failure> {
    for at in 0..table.values.len() {
        let (row, column, value) = (at / table.columns, at % table.columns, table.values[at]);
        let standardised = scaling.standardize(column, value);
        if standardised.is_infinite() {
            return Err(Failure::Cell {
                file: table.source.clone(),
                place: Some(Place::Row(row as u64 + 1)),
                column: table.names[column].clone(),
                sentence: format!(
                    "{value:e} is more standard deviations of the run's data ({:.3e} each) away than double precision \
                     can hold; correct the cell{}",
                    scaling.scale[column],
                    or_empty(takes_gaps)
                ),
            });
        }
        table.values[at] = standardised;
    }
    Ok(())
}

/// A way out for a cell that cannot be.
fn or_empty(takes_gaps: bool) -> &'static str {
    if takes_gaps { ", or leave it empty, as a missing value" } else { "" }
}

/// What is wrong with a file of new rows: their columns cannot be left out or taken for something else.
fn refusal(error: DataError, names: &[String], takes_gaps: bool) -> Failure {
    let cell = |file, place, column, sentence| Failure::Cell { file, place: Some(place), column, sentence };
    match error {
        DataError::UnknownColumn { .. } => {
            let way_out = format!(" (the run is on the columns {})", names.join(", "));
            Failure::Data { error: error.into(), way_out }
        }
        DataError::NotANumber { file, place, column, cell: found, way_out }
            if way_out.contains("`drop =") =>
        {
            let or_empty = or_empty(takes_gaps);
            let sentence = format!(
                "{found} is not a number, as the column holds in the run; correct the cell{or_empty}"
            );
            cell(file, place, column, sentence)
        }
        DataError::MissingCell { file, place, column, .. } => {
            let sentence = "the cell is missing, and the model of the run needs every cell; fill it in, or remove the row";
            cell(file, place, column, sentence.into())
        }
        _ => error.into(),
    }
}
