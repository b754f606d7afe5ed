//! Tables and graphs that can be taken for each other: the command is believed, and a sentence says what else it could be.

use crate::support::{QUICK, Scratch};

/// What is said about a file before the run.
fn said(content: &str, name: &str, command: &str) -> String {
    let scratch = Scratch::new();
    scratch.write(name, content);
    scratch.ok(&format!("{command} {QUICK} --out run")).stderr
}

const EDGES: &str = "0 1\n1 2\n2 0\n2 3\n3 4\n4 5\n5 3\n";

#[test]
fn a_list_of_edges_among_tables() {
    let hint = "is read as a table of two columns; if it is a graph, use `partita blocks ";
    for (name, content) in [
        ("g.txt", EDGES.to_string()),
        ("g.csv", EDGES.replace(' ', ",")),
        ("g.txt", format!("# edges\n{EDGES}")),
        ("g.txt", ["ann bob\nbob cleo\ncleo ann\n"; 4].concat() + "cleo dora\ndora ann\ndora bob\n"),
    ] {
        for command in ["fit", "meet"] {
            let words = said(&content, name, &format!("{command} {name}"));
            assert!(words.contains(&format!("{name} {hint}{name}`")), "{command}: {content:?}: {words}");
        }
    }
    // Names of columns, a third column, a number with a fraction, an edge to itself: a table.
    for content in [
        format!("a b\n{EDGES}"),
        EDGES.lines().enumerate().map(|(i, edge)| format!("{edge} {}\n", i % 3)).collect(),
        EDGES.replacen('0', "0.5", 1),
        format!("{EDGES}5 5\n"),
        "colour,shape\nred,round\nblue,square\nred,square\nblue,round\n".into(),
    ] {
        let words = said(&content, "t.csv", "fit t.csv");
        assert!(!words.contains("if it is a graph"), "{content:?}: {words}");
    }
}

#[test]
fn a_dimacs_graph_is_no_table() {
    let scratch = Scratch::new();
    let graph = "c a triangle\np edge 3 3\ne 1 2\ne 2 3\ne 1 3\n";
    for name in ["g.col", "g.txt"] {
        scratch.write(name, graph);
        let sentence = format!(
            "partita: {name} is a graph in DIMACS format, not a table; use `partita blocks {name}` or `partita \
             color {name} --colors Q`, or `partita meet` with --edge-prior 1,1 or --colors Q"
        );
        assert_eq!(scratch.refused(&format!("fit {name}")), sentence);
        scratch.ok(&format!("blocks {name} {QUICK} --out {name}-blocks"));
    }
    assert!(scratch.refused("meet g.txt").contains("is a graph in DIMACS format"));
    assert!(scratch.refused("meet g.col").contains("give --colors Q"));
    // A table may be called so, and a column `p`.
    scratch.write("table.col", &scratch.read("data.csv"));
    scratch.ok(&format!("fit table.col {QUICK} --out table"));
    scratch.write("p.txt", "p x 3 y\n1 2 3 4.5\n3 2 5 1\n2 2.5 7 1\n");
    scratch.ok(&format!("fit p.txt {QUICK} --out p"));
}

#[test]
fn a_table_among_graphs() {
    let scratch = Scratch::new();
    for command in ["color data.csv --colors 4", "blocks data.csv", "meet data.csv --colors 4"] {
        let words = scratch.ok(&format!("{command} {QUICK} --force --out run")).stderr;
        let line =
            words.lines().find(|line| line.contains("if it is a table")).unwrap_or_else(|| panic!("{words}"));
        assert!(
            line.starts_with("data.csv is read as a graph, and vertices are named by numbers such as "),
            "{line}"
        );
        assert!(line.ends_with("; if it is a table, use `partita fit data.csv`"), "{line}");
    }
    for (name, content) in [("octahedron.txt", None), ("friends.txt", Some("ann bob\nbob cleo\n"))] {
        content.into_iter().for_each(|content| scratch.write(name, content));
        let words = scratch.ok(&format!("color {name} --colors 5 {QUICK} --force --out run")).stderr;
        assert!(!words.contains("if it is a table"), "{words}");
    }
}

/// Help tells of what a command can do, and of nothing that it would refuse.
#[test]
fn help_offers_what_there_is() {
    let scratch = Scratch::new();
    let help = |command: &str| scratch.ok(&format!("{command} --help")).stdout;
    let [fit, color, blocks, meet] = ["fit", "color", "blocks", "meet"].map(help);
    let takes = |help: &str| {
        let line = help.lines().find(|line| line.trim_start().starts_with("[DATA]")).unwrap();
        line.trim_start().trim_start_matches("[DATA]").trim().to_string()
    };
    assert_eq!(
        takes(&fit),
        "A table: CSV, TSV, Excel or NPY, also gzipped; - for stdin [default: built-in data]"
    );
    assert_eq!(takes(&color), "A graph: an edge list or DIMACS .col file, also gzipped");
    assert_eq!(takes(&blocks), takes(&color));
    assert_eq!(takes(&meet), "A table, or a graph with --colors or --edge-prior [default: built-in data]");
    assert!(fit.contains("[alias: --covariance]"), "{fit}");
    assert!([&fit, &color, &blocks, &meet].iter().all(|help| help.contains("docs/glossary.md")));
    for (option, commands) in [
        ("--delimiter", [true, false, false, true]),
        ("--no-standardize", [true, false, false, true]),
        ("--model", [true, false, false, true]),
        ("--alpha", [true, false, true, true]),
        ("--colors", [false, true, false, true]),
        ("--edge-prior", [false, false, true, true]),
        ("--summary", [true, true, true, false]),
        ("--loss", [true, true, true, false]),
        ("--precision", [true, true, true, false]),
        ("--lag", [true; 4]),
        ("--json", [true; 4]),
        ("--config", [true; 4]),
    ] {
        let offered = [&fit, &color, &blocks, &meet]
            .map(|help| help.contains(&format!("{option} ")) || help.contains(&format!("{option}\n")));
        assert_eq!(offered, commands, "{option}");
    }
}
