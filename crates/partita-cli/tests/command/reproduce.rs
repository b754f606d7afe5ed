//! `partita reproduce`: every study end to end at a tiny scale, and what users do with it.

use super::support::{Scratch, finish, signal, wait_until};
use partita_study::{Data, Study};
use serde_json::Value;

fn needs_file(study: &Study) -> bool {
    study.arms.iter().any(|arm| matches!(arm.data, Some(Data::Catalog { .. })))
}

/// Claims refer to measurements by name: each must be there, or wait for a larger scale.
fn check(study: &Study, findings: &Value, scratch: &Scratch, out: &str) {
    let text = |v: &Value| v.as_str().unwrap().to_string();
    let names: Vec<String> =
        findings["measurements"].as_array().unwrap().iter().map(|m| text(&m["name"])).collect();
    for verdict in findings["verdicts"].as_array().unwrap() {
        let measure = text(&verdict["claim"]["measure"]);
        let (stem, at) = measure.split_once(" @ ").unwrap_or((&measure, ""));
        let known =
            |name: &String| name == &measure || (!at.is_empty() && name.starts_with(&format!("{stem} @ ")));
        assert!(names.iter().any(known), "{}: `{measure}` is measured by nothing: {names:?}", study.name);
        let ruling = text(&verdict["ruling"]);
        assert!(["confirmed", "not-confirmed", "undecided"].contains(&ruling.as_str()), "{ruling}");
    }
    assert_eq!(findings["verdicts"].as_array().unwrap().len(), study.claims.len());
    let figures = findings["figures"].as_array().unwrap();
    assert!(!figures.is_empty(), "{} has figures", study.name);
    for figure in figures {
        let svg = scratch.read(&format!("{out}/{}", text(figure)));
        assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>") && !svg.contains("NaN"));
    }
    let page = scratch.read(&format!("{out}/index.html"));
    assert_eq!(page.matches("<svg").count(), figures.len());
    assert!(page.contains("The paper") && !page.contains("http://") || page.contains("w3.org"));
    for name in ["findings.json", "measurements.csv", "study.toml"] {
        assert!(scratch.exists(&format!("{out}/{name}")), "{name} of {}", study.name);
    }
}

#[test]
fn every_study_runs_at_a_tiny_scale() {
    let (scratch, data) = (Scratch::new(), partita_testing::paper_data_dir());
    let mut skipped = Vec::new();
    for study in Study::built_in() {
        let data = match (needs_file(&study), &data) {
            (true, None) => {
                skipped.push(study.name);
                continue;
            }
            (true, Some(data)) => format!("--data-dir {}", data.display()),
            (false, _) => String::new(),
        };
        let ran = scratch.ok(&format!("reproduce {0} --scale 0.0002 --out {0} --json {data}", study.name));
        let findings: Value = serde_json::from_str(&ran.stdout).expect("one JSON object and nothing else");
        check(&study, &findings, &scratch, &study.name);
    }
    if !skipped.is_empty() {
        println!("skipped, since the paper's data are not here: {}", skipped.join(", "));
    }
}

#[test]
fn coupled_estimates_repeat_to_the_bit_and_threads_do_not_matter() {
    let scratch = Scratch::new();
    let mut seen = Vec::new();
    for (out, threads) in [("one", 1), ("two", 2)] {
        scratch
            .ok(&format!("reproduce synthetic --scale 0.0005 --out {out} --threads {threads} --device auto"));
        // Columns of the coupled estimate, without its seconds; the naive ones depend on the clock.
        let rows = scratch.read(&format!("{out}/estimates.csv"));
        let coupled: Vec<Vec<String>> = rows
            .lines()
            .skip(1)
            .map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>())
            .map(|cells| [&cells[..5], &cells[6..8]].concat())
            .collect();
        assert_eq!(coupled.len(), 90);
        seen.push((coupled, scratch.read(&format!("{out}/meetings.csv"))));
    }
    assert_eq!(seen[0], seen[1]);
}

#[test]
fn an_interrupted_study_goes_on() {
    let scratch = Scratch::new();
    let command = "reproduce synthetic --scale 0.05 --out run";
    let child = scratch.command(command).spawn().unwrap();
    let rows = || {
        let text = std::fs::read_to_string(scratch.path.join("run/estimates.csv")).unwrap_or_default();
        text.lines().count()
    };
    wait_until("some estimates are there", || rows() > 50);
    signal(&child, "-INT");
    let ran = finish(child);
    assert_eq!(ran.status, 130, "{ran:?}");
    assert!(ran.stderr.contains("goes on from there"), "{ran:?}");
    let before: Vec<String> = scratch.read("run/estimates.csv").lines().map(str::to_string).collect();
    // The rest is left to another test; here it matters that what was done is not done again.
    let child = scratch.command(command).spawn().unwrap();
    wait_until("it goes on", || rows() > before.len() + 20);
    signal(&child, "-INT");
    assert_eq!(finish(child).status, 130);
    let after = scratch.read("run/estimates.csv");
    for line in &before {
        assert!(after.lines().any(|l| l == line), "lost: {line}");
    }
}

#[test]
fn the_list_shows_every_study_within_80_columns() {
    let scratch = Scratch::new();
    let list = scratch.ok("reproduce --list").stdout;
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    for name in ["gene", "synthetic", "seed", "abalone", "k-regular", "erdos-renyi-25", "gmm-300", "outliers"]
    {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name} in {list}");
    }
    let all: Value = serde_json::from_str(&scratch.ok("reproduce --list --json").stdout).unwrap();
    assert_eq!(all.as_array().unwrap().len(), Study::built_in().len());
}

#[test]
fn mistakes_get_a_sentence() {
    let scratch = Scratch::new();
    assert!(scratch.refused("reproduce gen").contains("did you mean `gene`?"));
    assert!(scratch.refused("reproduce k-regular --scale 0").contains("--scale must be above 0"));
    assert!(scratch.refused("reproduce gene --data-dir nowhere").contains("nowhere"));
    scratch.write("mine.toml", "title = 'x'\n");
    assert!(scratch.refused("reproduce mine.toml").contains("mine.toml"));
    scratch.ok("reproduce k-regular --scale 0.0002 --out there");
    assert!(
        scratch
            .refused("reproduce k-regular --scale 0.0002 --seed 7 --out there")
            .contains("another study or seed")
    );
    scratch.refused("reproduce");
    assert_eq!(
        scratch.refused("reproduce k-regular --data-dir ."),
        "partita: --data-dir is for studies of gene, seed or abalone, but k-regular generates its own data: leave it out"
    );
    assert_eq!(scratch.refused("reproduce k-regular --threads 0"), "partita: --threads must be at least 1");
    for unused in
        ["gene --list", "--list --seed 2", "--list --threads 1", "--list --data-dir .", "--list --out x"]
    {
        assert!(scratch.refused(&format!("reproduce {unused}")).contains("cannot be used with"), "{unused}");
    }
}

/// Another scale goes on from the estimates that are there, and throws none away.
#[test]
fn a_study_grows_in_its_directory() {
    let scratch = Scratch::new();
    let estimates = || scratch.read("there/estimates.csv");
    scratch.ok("reproduce synthetic --scale 0.00025 --out there");
    let first = estimates();
    scratch.ok("reproduce synthetic --scale 0.0005 --out there");
    let grown = estimates();
    assert_eq!((first.lines().count(), grown.lines().count()), (1 + 45, 1 + 90));
    assert!(grown.starts_with(&first), "what was there is not made again");
    scratch.ok("reproduce synthetic --scale 0.00025 --out there");
    assert_eq!(estimates(), grown);
}

#[test]
fn a_study_of_ones_own_runs() {
    let scratch = Scratch::new();
    let text = r#"
title = "Mine"
paper = "none"
prose = "Two groups on a line."
seconds = 1.0
[data]
kind = "mixture"
items = 20
centers = [[-1.0], [1.0]]
sd = 0.5
seed = 3
[model]
prior_sd = 1.0
noise_sd = 0.5
alpha = 1.0
start = "prior"
[truth]
chains = 4
sweeps = 500
discard = 50
[estimates]
replicates = 400
lag = 1
burn_in = 5
sweeps = 20
summaries = ["clusters"]
processes = [10, 20]
trim = 0.01
naive_discard = 0.1
[[claim]]
claim = "Unbiased."
measure = "coupled z clusters"
at_most = 5.0
"#;
    scratch.write("mine.toml", text);
    let ran = scratch.ok("reproduce mine.toml --seed 4");
    assert!(ran.stdout.contains("CONFIRMED: Unbiased."), "{ran:?}");
    assert!(scratch.exists("partita-reproduce-mine/losses.svg"));
}
