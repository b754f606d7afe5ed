//! Questions after the run: one clustering, predictions, held-out scores.

use crate::support::Scratch;
use serde_json::Value;

/// A run with noise small enough that the three groups of `data.csv` are plain.
const RUN: &str = "fit data.csv --prior-sd 0.8 --noise-sd 0.5 --alpha 0.1 --keep-draws 4";

/// Long enough that atoms of negative weight are rare.
const QUICK: &str = "--lag 40 --burn-in 40 --sweeps 120 --replicates 40";

fn rows(csv: &str) -> Vec<Vec<String>> {
    csv.lines().map(|line| line.split(',').map(String::from).collect()).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("`{cell}` is not a number"))
}

#[test]
fn one_clustering_finds_the_groups() {
    let scratch = Scratch::new();
    // Known labels: the rows come from three groups in turn.
    let text = scratch.read("data.csv");
    let mut labelled = String::new();
    for (i, line) in text.lines().enumerate() {
        labelled += &if i == 0 { format!("{line},kind\n") } else { format!("{line},g{}\n", (i - 1) % 3) };
    }
    scratch.write("labelled.csv", &labelled);
    let run = RUN.replace("data.csv", "labelled.csv --label-column kind");
    let ran = scratch.ok(&format!("{run} {QUICK} --out run"));
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "one clustering: 3 clusters of 10, 10, 10 items; expected VI ",
        "known labels 1.000",
        "reference:ari",
    ] {
        assert!(words.contains(part), "{part}: {}", ran.stdout);
    }
    let summary: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    let clustering = &summary["clustering"];
    assert_eq!((&clustering["loss"], &clustering["reference_ari"]), (&"vi".into(), &1.0.into()));
    assert_eq!(clustering["sizes"], serde_json::json!([10, 10, 10]));
    let ends = [0, 1].map(|i| clustering["ci95"][i].as_f64().unwrap());
    assert!((ends[0]..=ends[1]).contains(&clustering["expected_loss"].as_f64().unwrap()), "{clustering}");
    let table = rows(&scratch.read("run/clustering.csv"));
    assert_eq!(table[0], ["item", "cluster", "certainty", "certainty_se"]);
    assert_eq!(table.len(), 31);
    for (i, row) in table[1..].iter().enumerate() {
        assert_eq!((row[0].as_str(), row[1].as_str()), (&*i.to_string(), &*(i % 3).to_string()));
        assert!((0.5..1.5).contains(&number(&row[2])), "{row:?}");
    }
    assert_eq!(rows(&scratch.read("run/credible_ball.csv"))[0], ["item", "upper", "lower", "horizontal"]);
    let page = scratch.read("run/report.html");
    assert!(
        page.contains("<section id=\"clustering\"") && page.contains("Adjusted Rand index"),
        "in the report"
    );

    // Another loss, asked for afterwards.
    let ran = scratch.ok("report run --loss binder --matrix");
    assert!(ran.stdout.contains("; expected Binder loss "), "{}", ran.stdout);
    assert_eq!(scratch.run("report run --loss rand").status, 2);
}

#[test]
fn new_rows_join_their_groups() {
    let scratch = Scratch::new();
    scratch.ok(&format!("{RUN} {QUICK} --out run"));
    // Columns are matched by name, in any order, and others do not matter.
    scratch.write("new.csv", "note,y,x\n7,0,-2\n7,1,2\n7,3,0\n7,50,50\n");
    let csv = scratch.ok("predict run new.csv").stdout;
    let table = rows(&csv);
    let clusters = table[0].iter().filter(|name| name.starts_with('p') && !name.ends_with("_se")).count();
    assert!(clusters >= 3, "{csv}");
    assert_eq!(table[0][..5], ["row", "log_density", "log_density_se", "cluster", "p0"]);
    assert_eq!(table[0].len(), 4 + 2 * (clusters + 1));
    // The groups come in turn, so the first three rows of the data have the clusters of the three centres.
    let labels = rows(&scratch.read("run/clustering.csv"));
    for (i, row) in table[1..4].iter().enumerate() {
        assert_eq!(row[3], labels[i + 1][1], "{csv}");
        assert!(number(&row[1]) > -6.0 && number(&row[2]) < 1.0, "{csv}");
        let total: f64 = row[4..=4 + clusters].iter().map(|cell| number(cell)).sum();
        assert!((0.8..1.2).contains(&total), "{csv}");
    }
    assert_eq!((table[4][0].as_str(), table[4][3].as_str()), ("3", "new"), "{csv}");
    assert!(number(&table[4][1]) < -100.0, "{csv}");

    assert_eq!(scratch.ok("predict run new.csv --out p.csv").stdout, "");
    assert_eq!(scratch.read("p.csv"), csv);
    let json: Value = serde_json::from_str(&scratch.ok("predict run new.csv --json").stdout).unwrap();
    assert_eq!(json["predictions"][0]["log_density"].as_f64().unwrap(), number(&table[1][1]));
    // One row is enough.
    scratch.write("one.csv", "x,y\n-2,0\n");
    assert_eq!(rows(&scratch.ok("predict run one.csv").stdout)[1][1..], table[1][1..]);
}

/// The density of a file does not depend on its units but by their Jacobian, nor on standardising.
#[test]
fn densities_are_in_the_units_of_the_file() {
    let scratch = Scratch::new();
    let mut scaled = String::from("x,y\n");
    for line in scratch.read("data.csv").lines().skip(1) {
        let (x, y) = line.split_once(',').unwrap();
        scaled += &format!("{},{}\n", 4.0 * number(x), number(y));
    }
    scratch.write("scaled.csv", &scaled);
    scratch.write("new.csv", "x,y\n1,1\n");
    scratch.write("scaled-new.csv", "x,y\n4,1\n");
    scratch.ok(&format!("{RUN} {QUICK} --out a"));
    scratch.ok(&format!("{} {QUICK} --out b", RUN.replace("data.csv", "scaled.csv")));
    let density =
        |run: &str, file: &str| number(&rows(&scratch.ok(&format!("predict {run} {file}")).stdout)[1][1]);
    let (a, b) = (density("a", "new.csv"), density("b", "scaled-new.csv"));
    assert!((a - b - 4f64.ln()).abs() < 1e-6, "{a} and {b}");
}

#[test]
fn models_are_compared_by_their_scores() {
    let scratch = Scratch::new();
    scratch.write("test.csv", &scratch.read("data.csv"));
    let score = |run: &str| -> Value {
        serde_json::from_str(&scratch.ok(&format!("predict {run} test.csv --score --json")).stdout).unwrap()
    };
    scratch.ok(&format!("{RUN} {QUICK} --out good"));
    scratch.ok(&format!("{} {QUICK} --out poor", RUN.replace("--noise-sd 0.5", "--noise-sd 3")));
    let (good, poor) = (score("good"), score("poor"));
    assert_eq!(good["rows"], 30);
    assert!(good["mean_ci95"][0].as_f64() > poor["mean_ci95"][1].as_f64(), "{good} {poor}");
    assert!((good["sum"].as_f64().unwrap() / 30.0 - good["mean"].as_f64().unwrap()).abs() < 1e-12);
    let words = scratch.ok("predict good test.csv --score").stdout;
    assert!(
        words.starts_with("log predictive density of 30 rows, in the units of the file: mean "),
        "{words}"
    );
    assert!(words.lines().all(|line| line.chars().count() <= 80), "{words}");
}

#[test]
fn mistakes_get_a_sentence() {
    let scratch = Scratch::new();
    scratch.ok(&format!("{RUN} {QUICK} --out run"));
    scratch.ok(&format!("fit data.csv {QUICK} --keep-draws 0 --out bare"));
    scratch.ok(&format!("color octahedron.txt --colors 4 {QUICK} --out graph"));
    scratch.write("new.csv", "x,y\n1,2\n");
    scratch.write("other.csv", "x,z\n1,2\n");
    scratch.write("gap.csv", "x,y\n1,2\n3,\n");
    scratch.write("words.csv", "x,y\n1,2\n3,four\n");
    scratch.write("empty.csv", "x,y\n");
    scratch.write("animals.csv", &super::models::animals(60));
    scratch.ok(&format!("fit animals.csv --id-column name {QUICK} --keep-draws 2 --out animals"));
    for (arguments, expected) in [
        (
            "predict bare new.csv",
            "partita: bare: has kept no states to predict from: run it again with --keep-draws 1 or more",
        ),
        (
            "predict graph new.csv",
            "partita: graph: is a run on a graph, and new vertices cannot be predicted: use a run of `partita fit`",
        ),
        ("predict animals new.csv", "animals: holds counts or categories"),
        ("predict run other.csv", "the run is on the columns x, y)"),
        ("predict run gap.csv", "gap.csv"),
        ("predict run words.csv", "is not a number"),
        ("predict run empty.csv", "empty.csv"),
        ("predict run nowhere.csv", "nowhere.csv"),
        ("predict nowhere new.csv", "nowhere: is not a run directory"),
        ("predict run new.csv --out nowhere/p.csv", "nowhere/p.csv: cannot be written"),
    ] {
        let sentence = scratch.refused(arguments);
        assert!(sentence.contains(expected), "partita {arguments}: {sentence}");
    }
    // The data must be those of the run.
    scratch.write("data.csv", &(scratch.read("data.csv") + "0,0\n"));
    let sentence = scratch.refused("predict run new.csv");
    assert!(sentence.contains("has changed since the run began"), "{sentence}");
}
