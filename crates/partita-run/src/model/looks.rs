//! A file that looks like the other kind of input: a list of edges among tables, a table among graphs.
//!
//! Whole numbers in two columns can be either, so that the command is believed; a sentence says what else it could be.

use crate::data::Table;
use crate::graph::GraphFile;
use std::collections::HashSet;

/// The sentence about a table that could be a list of edges.
pub(super) fn like_edges(table: &Table) -> Option<String> {
    let file = &table.source;
    (table.columns == 2 && (numbered_edges(table) || named_edges(table))).then(|| {
        format!(
            "{file} is read as a table of two columns; if it is a graph, use `blocks({file})` or `color({file}, \
             colors = Q)` (and `meet` with `edge_prior = 1,1` or `colors = Q`)"
        )
    })
}

/// Two whole numbers per line, never the same, below no names or a comment.
fn numbered_edges(table: &Table) -> bool {
    let unnamed = table.names == ["x1", "x2"] || table.names[0].starts_with(['#', '%']);
    let vertex = |value: &f64| *value >= 0.0 && value.fract() == 0.0;
    let edge = |row: &[f64]| row.iter().all(vertex) && row[0] != row[1];
    unnamed && table.ids.is_none() && table.values.chunks_exact(2).all(edge)
}

/// Two words per line, and many of them on both sides. The first line of such a list is taken for names.
fn named_edges(table: &Table) -> bool {
    let words = |column: usize| -> HashSet<&String> {
        table.levels[column].iter().chain([&table.names[column]]).collect()
    };
    let (one, other) = (words(0), words(1));
    let both = one.intersection(&other).count();
    table.levels.iter().all(|levels| !levels.is_empty()) && 2 * both >= one.len().min(other.len())
}

/// The sentence about a graph that could be a table.
pub(super) fn like_table(file: &str, graph: &GraphFile) -> Option<String> {
    // The first line may hold the names of two columns.
    let number = |name: &&String| name.parse::<f64>().is_ok_and(f64::is_finite);
    let numbers = graph.names.iter().filter(number).count();
    let odd = graph.names.iter().find(|name| name.parse::<f64>().is_ok_and(|v| v < 0.0 || v.fract() != 0.0));
    let what = match odd.filter(|_| numbers + 2 >= graph.names.len()) {
        Some(name) => format!("vertices are named by numbers such as {name}"),
        None if graph.edges.is_empty() => "there are no edges".into(),
        None => return None,
    };
    Some(format!("{file} is read as a graph, and {what}; if it is a table, use `fit({file})`"))
}
