//! How a table was read and what a run would be: a table for people, or JSON.

use crate::{flags, screen};
use partita_run::Failure;
use partita_run::config::Options;
use partita_run::session::{self, Checked, CheckedColumn};
use partita_run::words;
use std::collections::BTreeMap;

/// Columns shown at most; the others are counted.
const SHOWN: usize = 40;

/// Checks a table.
pub fn run(options: &Options, json: bool) -> Result<(), Failure> {
    let found = session::check(options)?;
    screen::print(&if json {
        serde_json::to_string(&found).expect("it is JSON") + "\n"
    } else {
        page(&found)
    })
}

fn page(found: &Checked) -> String {
    let columns = found.columns.len();
    let noun = if columns == 1 { "column" } else { "columns" };
    let mut text = screen::wrap(&format!("{}: {} rows, {columns} {noun}", found.file, found.rows));
    text.push('\n');
    let row = |column: &CheckedColumn| {
        let levels = column.levels.map_or(String::new(), |levels| levels.to_string());
        let missing = if column.missing == 0 { String::new() } else { column.missing.to_string() };
        [words::one_line(&column.name), column.kind.clone(), levels, missing]
    };
    let rows: Vec<[String; 4]> = found.columns.iter().take(SHOWN).map(row).collect();
    text += &screen::lines(["column", "kind", "levels", "missing"], &rows);
    if columns > SHOWN {
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        found.columns[SHOWN..].iter().for_each(|column| *kinds.entry(&column.kind).or_default() += 1);
        let rest: Vec<String> = kinds.iter().map(|(kind, columns)| format!("{columns} {kind}")).collect();
        text += &screen::wrap(&format!("and {} more columns: {}\n", columns - SHOWN, rest.join(", ")));
    }
    found.notes.iter().for_each(|note| text += &screen::wrap(&flags::in_flags(note)));
    let model = match &found.candidates[..] {
        [] | [_] => found.model.clone(),
        several => format!("{}, whichever predicts the table best", several.join(" or ")),
    };
    text += &screen::wrap(&format!("model: {model}"));
    text + &screen::wrap(&format!("run: {}", found.run))
}
