//! The contract at the door: fields, files, exit statuses, and what goes where.

use crate::support::{QUICK, Scratch};
use serde_json::Value;

fn number(value: &Value) -> bool {
    value.is_f64() || value.is_u64()
}

fn interval(value: &Value) -> bool {
    value.as_array().is_some_and(|ends| {
        let ends: Vec<f64> = ends.iter().filter_map(Value::as_f64).collect();
        ends.len() == 2 && ends[0] <= ends[1]
    })
}

fn curve(value: &Value) -> bool {
    let point = |p: &Value| p[0].is_u64() && number(&p[1]) && p.as_array().is_some_and(|p| p.len() == 2);
    value.as_array().is_some_and(|points| !points.is_empty() && points.iter().all(point))
}

#[test]
fn json_is_one_object_with_the_fields_of_the_contract() {
    let scratch = Scratch::new();
    let asked = "--summary clusters --summary top:3 --summary co:0,21 --json --seed 5 --out run";
    let ran = scratch.ok(&format!("fit data.csv {QUICK} {asked}"));
    assert_eq!(ran.stdout.lines().count(), 1);
    let json: Value = serde_json::from_str(&ran.stdout).expect("standard output is one JSON value");
    for (field, value) in
        [("replicates", 24), ("censored", 0), ("seed", 5), ("lag", 5), ("burn_in", 5), ("sweeps", 20)]
    {
        assert_eq!(json[field], value, "{field}");
    }
    assert!(json["seconds"].as_f64().is_some_and(|s| s > 0.0));
    assert!(json["kernel_calls"].as_u64().is_some_and(|n| n >= 24 * 20));
    let lines = json["summaries"].as_array().unwrap();
    let names: Vec<&str> = lines.iter().filter_map(|line| line["name"].as_str()).collect();
    assert_eq!(names, ["clusters", "top:1", "top:2", "top:3", "co:0,21"]);
    for line in lines {
        for field in ["mean", "se", "trimmed"] {
            assert!(number(&line[field]), "{field}: {line}");
        }
        for field in ["ci95", "trimmed_ci95"] {
            assert!(interval(&line[field]), "{field}: {line}");
        }
        assert!(line["ci95"][0].as_f64() <= line["mean"].as_f64(), "{line}");
        assert!(line["mean"].as_f64() <= line["ci95"][1].as_f64(), "{line}");
    }
    let meeting = &json["meeting"];
    assert_eq!(meeting["met"], 24);
    for field in ["median", "q95", "q99", "max"] {
        assert!(meeting[field].is_u64(), "{field}: {meeting}");
    }
    assert!(number(&meeting["mean"]) && curve(&meeting["survival"]), "{meeting}");
    assert!(curve(&json["tv_bound"]), "{}", json["tv_bound"]);
    assert_eq!(json["tv_bound"][0][0], 0);

    let kept: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    assert_eq!(json, kept, "summary.json is what --json prints");
    assert!(ran.stderr.contains("data.csv: 30 rows, 2 columns"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("report: run/report.html\n"), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\u{1b}'), "no colours or bars when it is not a terminal");
}

#[test]
fn the_run_directory_holds_plain_files() {
    let scratch = Scratch::new();
    scratch.ok(&format!("fit data.csv {QUICK} --threads 2 --summary clusters --summary co:0,21 --out run"));
    let mut files: Vec<_> = std::fs::read_dir(scratch.path.join("run"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(
        files,
        [
            "clustering.csv",
            "co_clustering.npy",
            "co_clustering_se.npy",
            "credible_ball.csv",
            "draws.csv",
            "profiles.csv",
            "replicates.csv",
            "report.html",
            "run.toml",
            "summary.json"
        ]
    );
    let text = scratch.read("run/replicates.csv");
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    assert!(
        header.starts_with("replicate,met,tau,sweeps,kernel_calls,seconds,clusters,\"co:0,21\","),
        "{header}"
    );
    let mut clusters = Vec::new();
    for (i, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[0], i.to_string(), "sorted by replicate");
        assert_eq!(cells[1], "true");
        let [tau, sweeps, calls] = [2, 3, 4].map(|c| cells[c].parse::<u64>().unwrap());
        assert!(tau >= 5 && sweeps == tau.max(20) && calls == sweeps + tau - 5, "{line}");
        for cell in &cells[5..] {
            let value: f64 = cell.parse().unwrap();
            assert_eq!(format!("{value:?}"), *cell, "reads back to the same bits");
        }
        clusters.push(cells[6].parse::<f64>().unwrap());
    }
    assert_eq!(clusters.len(), 24);
    let summary: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    let mean = clusters.iter().sum::<f64>() / 24.0;
    assert!((summary["summaries"][0]["mean"].as_f64().unwrap() - mean).abs() < 1e-12);
    for name in ["run/co_clustering.npy", "run/co_clustering_se.npy"] {
        let npy = scratch.bytes(name);
        assert_eq!(&npy[..6], b"\x93NUMPY");
        assert_eq!(npy.len(), 128 + 30 * 30 * 4);
    }
    assert!(scratch.read("run/report.html").starts_with("<!DOCTYPE html>"));
}

/// The `[options]` table of a `run.toml`.
fn options(text: &str) -> &str {
    let from = text.find("[options]\n").expect("there are options") + "[options]\n".len();
    text[from..].find("\n[").map_or(&text[from..], |to| &text[from..=from + to])
}

#[test]
fn the_options_of_a_run_repeat_it() {
    let scratch = Scratch::new();
    let given = [
        (
            "fit",
            "data.csv --start kmeans:2 --alpha gamma:2,4 --metric vi --nugget 0.01 --summary top:2 --seed 3",
        ),
        (
            "fit",
            "bare.txt --no-standardize --no-header --columns 1 --delimiter ; --sampler split-merge --keep-draws 3",
        ),
        ("fit", "--max-sweeps 500 --coupling relabel"),
        ("color", "octahedron.txt --colors 4 --coupling maximal"),
        ("meet", "data.csv"),
    ];
    scratch.write("bare.txt", &scratch.read("data.csv").replacen("x,y\n", "", 1).replace(',', ";"));
    for (i, (task, given)) in given.into_iter().enumerate() {
        scratch.ok(&format!("{task} {given} {QUICK} --out a{i}"));
        scratch.write("again.toml", options(&scratch.read(&format!("a{i}/run.toml"))));
        scratch.ok(&format!("{task} --config again.toml --out b{i}"));
        assert_eq!(scratch.rows(&format!("a{i}")), scratch.rows(&format!("b{i}")), "{task} {given}");
    }
}

#[test]
fn the_command_line_wins_over_the_file() {
    let scratch = Scratch::new();
    scratch
        .write("my.toml", "data = 'data.csv'\nlag = 3\nburn_in = 2\nsweeps = 9\nreplicates = 4\nalpha = 2\n");
    scratch.ok("fit --config my.toml --lag 7 --out run");
    let kept = scratch.read("run/run.toml");
    for line in ["lag = 7", "burn_in = 2", "alpha = \"2\"", "data = \"data.csv\"", "seed = 1"] {
        assert!(kept.lines().any(|l| l == line), "{line} in {kept}");
    }
}

#[test]
fn without_a_directory_given_a_new_one_is_made() {
    let scratch = Scratch::new();
    let quick = "--lag 2 --burn-in 1 --sweeps 3 --replicates 2";
    assert!(
        scratch.ok(&format!("fit data.csv {quick}")).stderr.contains("report: partita-data-1/report.html")
    );
    assert!(
        scratch.ok(&format!("fit data.csv {quick}")).stderr.contains("report: partita-data-2/report.html")
    );
    assert!(scratch.ok(&format!("fit {quick}")).stderr.contains("report: partita-demo-1/report.html"));
}

#[test]
fn results_go_to_standard_output_and_words_to_standard_error() {
    let scratch = Scratch::new();
    let ran = scratch.ok(&format!("fit data.csv {QUICK} --out run"));
    assert!(ran.stdout.contains("\nsummary "), "{}", ran.stdout);
    assert!(!ran.stdout.contains("data.csv:"), "{}", ran.stdout);
    let again = scratch.ok("report run");
    assert_eq!(again.stdout, ran.stdout);
    let json = scratch.ok("report run --json");
    let kept: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&json.stdout).unwrap(), kept);
}

#[test]
fn help_and_version_are_answers() {
    let scratch = Scratch::new();
    assert_eq!(scratch.ok("--version").stdout, concat!("partita ", env!("CARGO_PKG_VERSION"), "\n"));
    for arguments in ["--help", "fit --help", "merge --help"] {
        let ran = scratch.ok(arguments);
        assert!(ran.stdout.contains("Usage:") && ran.stderr.is_empty(), "{ran:?}");
    }
    assert_eq!(scratch.run("").status, 2);
}

#[test]
fn a_summary_asked_for_twice_is_there_once() {
    let scratch = Scratch::new();
    scratch.ok(&format!(
        "fit data.csv {QUICK} --summary top:1 --summary clusters --summary top:2 --summary clusters --out run"
    ));
    let header = scratch.rows("run").remove(0);
    assert!(
        header.starts_with("replicate,met,tau,sweeps,kernel_calls,top:1,top:2,clusters,clusters=1,"),
        "{header}"
    );
}

#[test]
fn a_reader_that_goes_away_does_not_end_a_run() {
    let scratch = Scratch::new();
    let mut child = scratch.command(&format!("fit data.csv {QUICK} --out run --json")).spawn().unwrap();
    drop(child.stderr.take());
    let ran = crate::support::finish(child);
    assert_eq!(ran.status, 0);
    assert!(serde_json::from_str::<Value>(&ran.stdout).is_ok());
    let mut child = scratch.command("report run").spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(crate::support::finish(child).status, 0);
}
