//! Colourings of graphs: every one is reached, or the reader is told that it may not be.

use crate::support::{QUICK, Scratch};
use serde_json::Value;

/// Moves of single vertices do not connect the colourings of this graph with three colours.
const SEVEN: &str = "0 1\n0 2\n1 2\n2 3\n3 4\n3 5\n4 5\n5 6\n";
/// The triangular prism: Kempe moves do not connect its colourings with three colours.
const PRISM: &str = "0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n0 3\n1 4\n2 5\n";

fn json(scratch: &Scratch, run: &str) -> Value {
    serde_json::from_str(&scratch.read(&format!("{run}/summary.json"))).unwrap()
}

/// The mean of a summary and its standard error.
fn estimate(json: &Value, summary: usize) -> (f64, f64) {
    let line = &json["summaries"][summary];
    (line["mean"].as_f64().unwrap(), line["se"].as_f64().unwrap())
}

/// Both probabilities are one half by symmetry. Beyond 4.5 standard errors by chance: once in 100,000.
#[test]
fn colourings_that_single_vertices_cannot_reach() {
    let scratch = Scratch::new();
    scratch.write("seven.txt", SEVEN);
    let quick = "--lag 5 --burn-in 5 --sweeps 50 --replicates 500 --seed 7 --summary co:2,4 --summary co:0,3";
    scratch.ok(&format!("color seven.txt --colors 3 {quick} --out run"));
    let found = json(&scratch, "run");
    assert_eq!(found["connected"], true);
    assert_eq!(found["notes"], Value::Array(vec![]));
    assert!(scratch.read("run/run.toml").contains("sampler = \"kempe+gibbs\""));
    for summary in [0, 1] {
        let (mean, se) = estimate(&found, summary);
        assert!(se > 0.0 && se < 0.02 && (mean - 0.5).abs() < 4.5 * se, "{mean} ± {se}");
    }
}

/// Pairs from different parts never meet, and the sentence is on the screen, on the page and in the file.
#[test]
fn what_cannot_be_reached_is_said() {
    let scratch = Scratch::new();
    scratch.write("seven.txt", SEVEN);
    scratch.write("prism.txt", PRISM);
    let cases = [
        ("seven.txt", "--sampler gibbs", "The single-vertex moves used here cannot lead"),
        ("prism.txt", "", "The Kempe moves used here cannot lead"),
    ];
    for (graph, sampler, sentence) in cases {
        let run = format!("color {graph} --colors 3 {sampler} {QUICK} --max-sweeps 200 --force --out run");
        let ran = scratch.ok(&run);
        let found = json(&scratch, "run");
        assert_eq!(found["connected"], false);
        assert!(found["censored"].as_u64().unwrap() > 0, "pairs from different parts do not meet: {found}");
        let screen = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(screen.contains(sentence), "{screen}");
        assert!(scratch.read("run/report.html").contains(sentence));
        assert!(found["notes"].to_string().contains(sentence), "{found}");
    }
}

/// With colours enough single vertices do, and the sampler stays what it was; a table reaches everything.
#[test]
fn colours_enough_need_no_kempe_moves() {
    let scratch = Scratch::new();
    scratch.ok(&format!("color octahedron.txt --colors 6 {QUICK} --out run"));
    assert!(scratch.read("run/run.toml").contains("sampler = \"gibbs\""));
    assert_eq!(json(&scratch, "run")["connected"], true);
    scratch.ok(&format!("fit data.csv {QUICK} --out table"));
    assert_eq!(json(&scratch, "table")["connected"], true);
    let refused = scratch.refused("fit data.csv --sampler kempe+gibbs");
    assert!(refused.contains("Kempe moves are for colourings of graphs"), "{refused}");
}

/// Two colours are enough for a path, whatever its vertices are called; none for a triangle.
#[test]
fn a_colouring_is_found_where_there_is_one() {
    let scratch = Scratch::new();
    scratch.write("path4.txt", "0 2\n2 3\n3 1\n");
    let ran = scratch.ok(&format!("color path4.txt --colors 2 {QUICK} --out run --json"));
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["summaries"][0]["mean"], 2.0);
    scratch.write("triangle.txt", "0 1\n1 2\n0 2\n");
    assert_eq!(
        scratch.refused("color triangle.txt --colors 2"),
        "partita: triangle.txt: no proper colouring with 2 colours exists; 3 colours are always enough for this graph"
    );
}

/// A billion colours for three vertices give singletons, at the price of a few.
#[test]
fn a_billion_colours() {
    let scratch = Scratch::new();
    scratch.write("three.txt", "0 1\n1 2\n");
    scratch.ok(&format!("color three.txt --colors 1000000000 {QUICK} --summary clusters --out run"));
    let (mean, _) = estimate(&json(&scratch, "run"), 0);
    assert!(mean > 2.999 && mean <= 3.0 + 1e-9, "{mean}");
}
