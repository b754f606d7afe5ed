//! Graphs read from each format come out as they were written, and every failure is a clear sentence.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use partita_run::graph::{GraphError, GraphFile, read_graph};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Reads content as a file of this name, which stands for its path in the sentence.
fn read_as(name: &str, content: impl AsRef<[u8]>) -> Result<GraphFile, String> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let directory =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("graph-{}-{number}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join(name);
    fs::write(&path, content).unwrap();
    let result: Result<GraphFile, GraphError> = read_graph(&path);
    fs::remove_dir_all(&directory).unwrap();
    result.map_err(|error| error.to_string().replace(&path.display().to_string(), name))
}

fn gzip(content: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content.as_ref()).unwrap();
    encoder.finish().unwrap()
}

#[track_caller]
fn read(content: impl AsRef<[u8]>) -> GraphFile {
    read_as("graph.txt", content).unwrap()
}

#[track_caller]
fn sentence(content: impl AsRef<[u8]>) -> String {
    read_as("graph.txt", content).unwrap_err()
}

#[track_caller]
fn sentence_col(content: impl AsRef<[u8]>) -> String {
    read_as("graph.col", content).unwrap_err()
}

#[test]
fn edges_are_read_whatever_sets_names_apart() {
    let expected = read("bob ann\nann cy\ndora\n");
    assert_eq!(expected.names, ["bob", "ann", "cy", "dora"]);
    assert_eq!(expected.edges, [(0, 1), (1, 2)]);
    for text in [
        "bob,ann\nann,cy\ndora\n",
        "bob\tann\r\nann\tcy\r\n\r\ndora",
        "\u{feff}# friends\n% more\n\n  bob , ann \nann  cy\ndora\ncy ann\nbob ann\nbob\n",
    ] {
        assert_eq!(read(text), expected);
        assert_eq!(read(gzip(text)), expected);
    }
}

#[test]
fn numbered_vertices_come_in_numeric_order_without_filling_gaps() {
    let graph = read("10 2\n2 7\n-1 10\n");
    assert_eq!(graph.names, ["-1", "2", "7", "10"]);
    assert_eq!(graph.edges, [(0, 3), (1, 2), (1, 3)]);
    assert_eq!(read("10 b\n2 10\n").names, ["10", "b", "2"]);
}

#[test]
fn dimacs_is_read_by_name_and_by_content() {
    let text = "c a path\nc\np edge 4 2\ne 1 2\ne 3 2\ne 2 1\n";
    let expected = read_as("graph.col", text).unwrap();
    assert_eq!(expected.names, ["1", "2", "3", "4"]);
    assert_eq!(expected.edges, [(0, 1), (1, 2)]);
    assert_eq!(read(text), expected);
    assert_eq!(read_as("graph.col.gz", gzip(text)).unwrap(), expected);
    assert_eq!(read(text.replace("edge", "col")), expected);
    assert_ne!(read("1 2\n2 3\n").fingerprint, expected.fingerprint);
    assert_eq!(read("1 2\n2 3\n4\n").fingerprint, expected.fingerprint);
}

#[test]
fn the_fingerprint_sees_names_and_edges() {
    let base = read("a b\nb c\n").fingerprint;
    assert_eq!(base, "7a05a9143c3310c2cbae5aabc7f59bdb");
    assert_eq!(base, read("a,b\nb,c\nc b").fingerprint);
    assert_ne!(base, read("a b\na c\n").fingerprint);
    assert_ne!(base, read("a b\nb d\n").fingerprint);
}

#[test]
fn an_edge_to_itself() {
    assert_eq!(
        sentence("a b\n\nb b\n"),
        "graph.txt, line 3: the edge joins \"b\" to itself; remove the line"
    );
}

#[test]
fn a_weight() {
    assert_eq!(
        sentence("a b\nb c 0.5\n"),
        "graph.txt, line 2: \"0.5\" is a third cell, but edges have no weights here; keep only the two names"
    );
}

#[test]
fn a_line_of_many_names() {
    assert_eq!(
        sentence("a b\na b c d\n"),
        "graph.txt, line 2: \"a b c d\" is not an edge of two names or one vertex; correct or remove the line"
    );
}

#[test]
fn a_line_without_names() {
    assert_eq!(
        sentence("a b\n,\n"),
        "graph.txt, line 2: \",\" is not an edge of two names or one vertex; correct or remove the line"
    );
}

#[test]
fn a_header() {
    assert_eq!(
        sentence("# x\nfrom to\n1 2\n2 3\n"),
        "graph.txt, line 2: \"from to\" looks like a header above numbered vertices; remove the line or start it with #"
    );
}

#[test]
fn an_empty_file() {
    assert_eq!(sentence(""), "graph.txt is empty; give a file with data");
}

#[test]
fn comments_only() {
    assert_eq!(sentence("# nothing\n\n"), "graph.txt has no vertices; write one edge per line, as two names");
}

#[test]
fn text_that_is_not_utf8() {
    assert_eq!(
        sentence(b"a b\nb \xff\n"),
        "graph.txt, line 2: the text is not UTF-8; save the file as UTF-8 text"
    );
}

#[test]
fn a_line_without_end() {
    assert_eq!(
        sentence(vec![b'x'; 2 << 20]),
        "graph.txt, line 1: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\" is not the start of a line shorter than 1 MiB; correct or remove the line"
    );
}

#[test]
fn damaged_gzip() {
    assert_eq!(
        sentence(&gzip("a b\n".repeat(100))[..20]),
        "graph.txt is a damaged gzip file (incomplete deflate stream); copy or compress it again"
    );
}

#[test]
fn a_dimacs_edge_to_itself() {
    assert_eq!(
        sentence_col("p edge 3 1\ne 2 2\n"),
        "graph.col, line 2: the edge joins \"2\" to itself; remove the line"
    );
}

#[test]
fn a_dimacs_vertex_out_of_range() {
    assert_eq!(
        sentence_col("c x\np edge 3 1\ne 1 4\n"),
        "graph.col, line 3: there is no vertex \"4\" among the 3 that the problem line declares, numbered from 1; correct the edge or the problem line"
    );
}

#[test]
fn a_dimacs_vertex_zero() {
    assert_eq!(
        sentence_col("p edge 3 1\ne 0 1\n"),
        "graph.col, line 2: there is no vertex \"0\" among the 3 that the problem line declares, numbered from 1; correct the edge or the problem line"
    );
}

#[test]
fn an_edge_before_the_problem_line() {
    assert_eq!(
        sentence_col("c x\ne 1 2\np edge 3 1\n"),
        "graph.col, line 2: the problem line is missing; put \"p edge VERTICES EDGES\" before the first edge"
    );
}

#[test]
fn no_problem_line() {
    assert_eq!(
        sentence_col("c x\n"),
        "graph.col, line 2: the problem line is missing; put \"p edge VERTICES EDGES\" before the first edge"
    );
}

#[test]
fn two_problem_lines() {
    assert_eq!(
        sentence_col("p edge 3 1\np edge 3 1\n"),
        "graph.col, line 2: \"p edge 3 1\" is not a DIMACS line (c TEXT, p edge VERTICES EDGES or e VERTEX VERTEX); correct or remove the line"
    );
}

#[test]
fn a_malformed_dimacs_line() {
    assert_eq!(
        sentence_col("p edge 3 1\ne 1\n"),
        "graph.col, line 2: \"e 1\" is not a DIMACS line (c TEXT, p edge VERTICES EDGES or e VERTEX VERTEX); correct or remove the line"
    );
}

#[test]
fn a_dimacs_vertex_that_is_no_number() {
    assert_eq!(
        sentence_col("p edge 3 1\ne 1 x\n"),
        "graph.col, line 2: \"e 1 x\" is not a DIMACS line (c TEXT, p edge VERTICES EDGES or e VERTEX VERTEX); correct or remove the line"
    );
}

#[test]
fn a_dimacs_graph_without_vertices() {
    assert_eq!(
        sentence_col("p edge 0 0\n"),
        "graph.col has no vertices; write one edge per line, as two names"
    );
}

#[test]
fn a_huge_dimacs_graph() {
    assert_eq!(
        sentence_col("p edge 4000000000 2\ne 1 2\ne 2 3\n"),
        "graph.col declares 4000000000 vertices, but with 2 edges at most 1000000 are allowed; correct the problem line, or list only the vertices that have edges"
    );
}

#[test]
fn no_such_file() {
    let error = read_graph("no/such/graph.txt").unwrap_err();
    assert_eq!(error.to_string(), "no/such/graph.txt does not exist; check the path");
}

fn config(cases: u32, seed: u64) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn check(name: &str, bytes: &[u8]) -> Result<(), TestCaseError> {
    match read_as(name, bytes) {
        Ok(graph) => {
            let vertices = graph.names.len();
            prop_assert!(vertices > 0);
            prop_assert!(graph.edges.iter().all(|&(u, v)| u < v && (v as usize) < vertices));
            prop_assert!(graph.edges.windows(2).all(|pair| pair[0] < pair[1]));
        }
        Err(sentence) => {
            prop_assert!(sentence.starts_with(name), "{}", sentence);
            prop_assert!(sentence.len() < 1000 && !sentence.contains('\n'), "{}", sentence);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(500, 3))]

    #[test]
    fn any_bytes_end_in_a_graph_or_a_sentence(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        name in prop::sample::select(vec!["g.txt", "g.col", "g.gz"]),
    ) {
        check(name, &bytes)?;
    }

    #[test]
    fn damaged_graphs_end_in_a_graph_or_a_sentence(
        text in prop::sample::select(vec![
            "c x\np edge 5 4\ne 1 2\ne 2 3\ne 4 1\ne 5 4\n",
            "# x\n1 2\n2,3\n4\n5 1\n",
            "ann bob\nbob\tcy\ndora\n",
        ]),
        zip in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..5),
        digits in any::<bool>(),
    ) {
        let mut bytes = if zip { gzip(text) } else { text.as_bytes().to_vec() };
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = if digits { b'0' + byte % 10 } else { byte };
        }
        check("g.txt", &bytes)?;
        check("g.col", &bytes)?;
    }

    #[test]
    fn edges_come_back(edges in prop::collection::btree_set((0u32..40, 0u32..40), 1..60)) {
        let edges: Vec<(u32, u32)> = edges.into_iter().filter(|(u, v)| u != v).collect();
        prop_assume!(!edges.is_empty());
        let text: String = edges.iter().rev().map(|(u, v)| format!("{u} {v}\n")).collect();
        let graph = read(text);
        let name = |vertex: &u32| graph.names[*vertex as usize].parse::<u32>().unwrap();
        let back: Vec<(u32, u32)> = graph.edges.iter().map(|(u, v)| (name(u), name(v))).collect();
        let mut expected: Vec<_> = edges.iter().map(|&(u, v)| (u.min(v), u.max(v))).collect();
        expected.sort_unstable();
        expected.dedup();
        prop_assert_eq!(back, expected);
    }
}
