//! What a run would do, without running it: how a table was understood, the model, and about how long it would take.

use super::processors;
use crate::Failure;
use crate::config::resolve;
use crate::config::{Limit, Options, Task};
use crate::data::{FileColumn, Kind, Role, Table};
use crate::model::{Input, Loaded, candidates, load, wide};
use crate::words;
use serde::Serialize;

/// How a table was understood, and what a run on it would do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// The file.
    pub file: String,
    /// Its rows.
    pub rows: usize,
    /// Its columns, in the order of the file.
    pub columns: Vec<CheckedColumn>,
    /// The model: its name, or `auto` if a pilot would choose it.
    pub model: String,
    /// About how long a run would take on this machine, in seconds.
    pub seconds_estimate: f64,
    /// The models that a pilot would choose from.
    pub candidates: Vec<String>,
    /// Remarks on the table, in sentences.
    pub notes: Vec<String>,
    /// What would run, in a sentence.
    pub run: String,
}

/// A column of a table that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedColumn {
    /// Its name.
    pub name: String,
    /// Its kind: `normal`, `count` or `category`; `names`, `labels`, `date` or `dropped` if it is not data.
    pub kind: String,
    /// How many of its cells are missing.
    pub missing: usize,
    /// The number of levels of a category; `None` for others.
    pub levels: Option<usize>,
}

/// Reads the table of a fit and reports what a run would do.
///
/// ```
/// # let path = std::env::temp_dir().join(format!("partita-check-{}.csv", std::process::id()));
/// # std::fs::write(&path, "name,mass,coat\nann,1.5,red\nbob,,blue\ncy,2.5,red\ndee,3,blue\n").unwrap();
/// use partita_run::config::Options;
/// use partita_run::session::check;
///
/// // name,mass,coat
/// // ann,1.5,red
/// // bob,,blue
/// // cy,2.5,red
/// // dee,3,blue
/// let checked = check(&Options { data: Some(path.clone()), ..Options::default() })?;
/// let kinds: Vec<_> = checked.columns.iter().map(|column| (&column.kind[..], column.missing)).collect();
/// assert_eq!(kinds, [("names", 0), ("normal", 1), ("category", 0)]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), partita_run::Failure>(())
/// ```
///
/// # Errors
///
/// The error with which a run would stop.
pub fn check(options: &Options) -> Result<Checked, Failure> {
    options.check_uses(Task::Fit, false)?;
    options.check()?;
    let Loaded { setup: _, model, input } = load(Task::Fit, options)?;
    let candidates = match resolve::model_is_open(options) {
        true => distinct(candidates(&input).iter().map(|one| one.covariance.to_string())),
        false => Vec::new(),
    };
    let named = resolve::covariance(options).to_string();
    let width = options.threads.unwrap_or_else(processors);
    let seconds = guess(options, &input, model.sweep_work(), width);
    let mut notes = input.said[1..].to_vec();
    notes.extend(wide(options, &input));
    Ok(Checked {
        file: input.title.clone(),
        rows: input.item_names.len(),
        columns: columns(&input),
        model: if candidates.len() > 1 {
            "auto".into()
        } else {
            candidates.first().cloned().unwrap_or(named)
        },
        seconds_estimate: seconds,
        candidates,
        notes,
        run: run(options, seconds, width),
    })
}

/// Operations that one processor does in a second, roughly.
const OPERATIONS: f64 = 1e9;

/// A plain run, pilot and answers included: at least so many seconds, so many of one processor per row and column, fewer
/// where not all columns are real numbers, and the most that such a run takes on two. Fitted to the plain runs in
/// docs/meeting.md and those of a few mixed tables, most of which are within a factor of two.
const SHORTEST: f64 = 2.0;
const PER_CELL: f64 = 0.025;
const PER_MIXED_CELL: f64 = 0.016;
const LONGEST: f64 = 180.0;

/// Further columns make a sweep dearer, but groups easier to tell apart.
const COLUMNS: usize = 6;

/// About how long a run would take, where a Gibbs sweep is so many operations. How long pairs need to meet is not known
/// before a pilot, so that this is a rough guess unless the time or the whole schedule is given.
fn guess(options: &Options, input: &Input, sweep_work: f64, width: usize) -> f64 {
    let normal = input.kinds.iter().filter(|kind| **kind == Kind::Normal).count();
    let columns = if normal > 1 { normal } else { input.kinds.len() };
    match (resolve::limit(options), options.sweeps.zip(options.lag)) {
        (Limit::Time(time), _) => time.seconds(),
        (Limit::Replicates(replicates), Some((sweeps, lag))) => {
            0.1 + replicates as f64 * (sweeps + sweeps.min(lag)) as f64 * sweep_work
                / OPERATIONS
                / width as f64
        }
        _ => plain(input.item_names.len(), columns, normal < input.kinds.len(), width),
    }
}

/// The same for a plain run.
fn plain(rows: usize, columns: usize, mixed: bool, width: usize) -> f64 {
    let cells = (rows * columns.min(COLUMNS)) as f64;
    let per_cell = if mixed { PER_MIXED_CELL } else { PER_CELL };
    (SHORTEST + per_cell * cells / width as f64).min(LONGEST)
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The columns of the file; where principal components took their place, as they were.
fn columns(input: &Input) -> Vec<CheckedColumn> {
    let table = input.table.as_ref().expect("a fit has a table");
    let known = &input.understood.columns;
    let one = |column: &FileColumn| {
        let kind = match column.role {
            Role::Data if input.rotation.is_some() => Kind::Normal.to_string(),
            Role::Data => return data(input, table, &column.name, column.missing),
            Role::Names => "names".into(),
            Role::Labels => "labels".into(),
            Role::Date => "date".into(),
            Role::Identifiers | Role::Constant | Role::Empty | Role::Dropped => "dropped".into(),
        };
        CheckedColumn { name: column.name.clone(), kind, missing: column.missing, levels: None }
    };
    match known.is_empty() {
        true => table.names.iter().map(|name| data(input, table, name, 0)).collect(),
        false => known.iter().map(one).collect(),
    }
}

/// A column of data.
fn data(input: &Input, table: &Table, name: &str, missing: usize) -> CheckedColumn {
    let at = table.names.iter().position(|other| other == name).expect("it is data");
    let gaps = table.values.iter().skip(at).step_by(table.columns).filter(|value| value.is_nan()).count();
    let kind = input.kinds[at];
    let levels = (kind == Kind::Category).then_some(table.levels[at].len());
    CheckedColumn { name: name.into(), kind: kind.to_string(), missing: gaps.max(missing), levels }
}

/// What would run, and for how long.
fn run(options: &Options, seconds: f64, width: usize) -> String {
    let processors = if width == 1 { "one processor".into() } else { format!("{width} processors") };
    let said = options.lag.zip(options.burn_in).zip(options.sweeps).is_some();
    let pilot = if said && options.replicates.is_some() { "" } else { "a pilot, then " };
    let until = match resolve::limit(options) {
        Limit::Replicates(replicates) => format!("{replicates} pairs of chains"),
        Limit::Time(time) => format!("pairs of chains for {time} in all"),
        Limit::Precision(width) => {
            format!("pairs of chains until every 95% interval is narrower than {width}")
        }
        Limit::Unsaid => "pairs of chains until the estimates are known to two digits".into(),
    };
    // A guess has no decimals.
    let long = if seconds < 10.0 { format!("{:.0} s", seconds.max(1.0)) } else { words::duration(seconds) };
    let guess = if pilot.is_empty() || options.time.is_some() { "" } else { ", as a rough guess" };
    format!("{pilot}{until}; about {long} on {processors}{guess}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows, columns of real numbers, whether there are others, and the wall seconds of a plain run on two cores: from
    /// docs/meeting.md, those of mixed tables measured on the same day.
    #[test]
    fn guesses_are_within_a_factor_of_two_of_measured_runs() {
        let measured = [
            ("iris", 150, 4, false, 14.0),
            ("wine", 178, 13, false, 10.0),
            ("penguins", 344, 5, true, 25.0),
            ("the built-in penguins", 344, 4, true, 8.0),
            ("crabs without species", 200, 6, true, 10.0),
            ("crabs, five columns", 200, 5, false, 16.0),
            ("survey", 237, 5, true, 14.0),
            ("diabetes", 442, 11, false, 57.0),
            ("breast cancer", 569, 30, false, 37.0),
            ("swiss", 47, 6, false, 3.0),
            ("faithful", 272, 2, false, 7.0),
            ("galaxies", 82, 1, false, 2.0),
            ("quakes", 1000, 5, false, 77.0),
            ("gene", 200, 50, false, 17.0),
            ("abalone", 4177, 7, false, 191.0),
        ];
        for (name, rows, columns, mixed, seconds) in measured {
            let ratio: f64 = plain(rows, columns, mixed, 2) / seconds;
            assert!((0.5..2.0).contains(&ratio), "{name}: {ratio:.2}");
        }
    }
}
