//! Tables and graphs that came from memory, kept beside their run as JSON: every number reads back to the same bits.

use super::error::DataError;
use super::open::Source;
use super::{Kind, Labels, Table, Understood};
use crate::graph::{GraphError, GraphFile};
use serde::{Deserialize, Serialize};
use std::io::Read;

/// How a kept table starts.
pub(crate) const TABLE: &[u8] = b"{\"partita_table\":1,";
/// How a kept graph starts.
pub(crate) const GRAPH: &[u8] = b"{\"partita_graph\":1,";

#[derive(Serialize, Deserialize)]
struct KeptTable {
    partita_table: u8,
    source: String,
    names: Vec<String>,
    kinds: Vec<Option<Kind>>,
    levels: Vec<Vec<String>>,
    ids: Option<Vec<String>>,
    labels: Option<Labels>,
    /// Column after column; null where a cell is missing.
    columns: Vec<Vec<Option<f64>>>,
    fingerprint: String,
}

#[derive(Serialize, Deserialize)]
struct KeptGraph {
    partita_graph: u8,
    names: Vec<String>,
    edges: Vec<(u32, u32)>,
}

/// A table as text.
pub(crate) fn table_text(table: &Table) -> Vec<u8> {
    let cell = |value: &f64| (!value.is_nan()).then_some(*value);
    let column = |at: usize| table.values.iter().skip(at).step_by(table.columns).map(cell).collect();
    let kept = KeptTable {
        partita_table: 1,
        source: table.source.clone(),
        names: table.names.clone(),
        kinds: table.kinds.clone(),
        levels: table.levels.clone(),
        ids: table.ids.clone(),
        labels: table.labels.clone(),
        columns: (0..table.columns).map(column).collect(),
        fingerprint: table.fingerprint.clone(),
    };
    serde_json::to_vec(&kept).expect("a table is JSON")
}

/// A graph as text.
pub(crate) fn graph_text(graph: &GraphFile) -> Vec<u8> {
    let GraphFile { names, edges, .. } = graph.clone();
    serde_json::to_vec(&KeptGraph { partita_graph: 1, names, edges }).expect("a graph is JSON")
}

/// The whole content of a file, and why it cannot be what it seems to be.
fn parsed<T: serde::de::DeserializeOwned>(mut source: Source) -> Result<T, String> {
    let mut text = Vec::new();
    source.read_to_end(&mut text).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

/// Reads a table that was kept.
pub(super) fn read_table(source: Source) -> Result<Table, DataError> {
    let file = source.file.clone();
    let kept: KeptTable = parsed(source).map_err(|reason| DataError::Kept { file: file.clone(), reason })?;
    let (columns, rows) = (kept.columns.len(), kept.columns.first().map_or(0, Vec::len));
    let whole = kept.names.len() == columns && kept.kinds.len() == columns && kept.levels.len() == columns;
    if !whole || kept.columns.iter().any(|column| column.len() != rows) {
        return Err(DataError::Kept { file, reason: "its columns are not of one length".into() });
    }
    let cell = |at: usize| kept.columns[at % columns][at / columns].unwrap_or(f64::NAN);
    Ok(Table {
        source: kept.source,
        rows,
        columns,
        values: (0..rows * columns).map(cell).collect(),
        names: kept.names,
        kinds: kept.kinds,
        levels: kept.levels,
        gap: None,
        ids: kept.ids,
        labels: kept.labels,
        understood: Understood::default(),
        fingerprint: kept.fingerprint,
    })
}

/// Reads a graph that was kept.
pub(crate) fn read_graph(source: Source) -> Result<GraphFile, GraphError> {
    let file = source.file.clone();
    let malformed = |text: String| GraphError::Malformed {
        file: file.clone(),
        line: 1,
        text,
        wanted: "a graph that partita has kept",
    };
    let kept: KeptGraph = parsed(source).map_err(malformed)?;
    GraphFile::from_edges(&file, kept.names, &kept.edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cells, Missing, ReadOptions};

    #[test]
    fn what_is_kept_reads_back_to_the_same_bits() {
        let path = std::env::temp_dir().join(format!("partita-kept-{}.json", std::process::id()));
        let levels = vec!["red".to_string(), "unseen".into(), "blue".into()];
        let columns = [
            ("x".to_string(), Cells::Numbers(vec![0.1 + 0.2, f64::NAN, -0.0, 1e-310])),
            ("kind".into(), Cells::Categories { codes: vec![Some(2), None, Some(0), Some(2)], levels }),
            ("who".into(), Cells::Texts(["a", "b", "c", "d"].map(|s| Some(s.into())).to_vec())),
        ];
        let options =
            ReadOptions { missing: Missing::Keep, id_column: Some("who".into()), ..ReadOptions::default() };
        let table = Table::from_columns("a frame", &columns, &options).unwrap();
        std::fs::write(&path, table_text(&table)).unwrap();
        let back = Table::read(&path, &ReadOptions::default()).unwrap();
        let bits = |table: &Table| table.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back), bits(&table));
        assert_eq!((&back.levels, &back.ids, &back.kinds), (&table.levels, &table.ids, &table.kinds));
        assert_eq!((&back.fingerprint, &back.source), (&table.fingerprint, &table.source));

        let graph = GraphFile::from_edges("g", vec!["a b".into(), "c".into()], &[(1, 0)]).unwrap();
        std::fs::write(&path, graph_text(&graph)).unwrap();
        assert_eq!(crate::graph::read_graph(&path).unwrap(), graph);
        std::fs::write(&path, "{\"partita_table\":1,\"columns\":[[1]]}").unwrap();
        let refused = Table::read(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(refused.contains("is not a table stored by partita"), "{refused}");
        std::fs::remove_file(&path).unwrap();
    }
}
