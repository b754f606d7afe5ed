//! The same bits for any number of threads, resumed or not, sharded or not.

use crate::support::Scratch;
use std::fs;

const SCHEDULE: &str = "--lag 5 --burn-in 5 --sweeps 20 --keep-draws 3 --seed 11";

/// Leaves a run as a crash would: some whole rows, part of the next, no answers.
pub fn cut(scratch: &Scratch, run: &str, rows: usize) {
    for (name, torn) in [("replicates.csv", 20), ("draws.csv", 9)] {
        let name = format!("{run}/{name}");
        let text = scratch.read(&name);
        let per_replicate = if name.ends_with("draws.csv") { 3 } else { 1 };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (whole, rest) = lines.split_at(1 + rows * per_replicate);
        scratch.write(&name, &(whole.concat() + &rest[0][..torn]));
    }
    for name in ["summary.json", "report.html", "co_clustering.npy"] {
        fs::remove_file(scratch.path.join(run).join(name)).unwrap();
    }
}

/// Runs a problem in every way there is and compares.
fn same_in_every_way(task: &str, choices: &str) {
    let scratch = Scratch::new();
    let problem = format!("{task} {choices} {SCHEDULE}");
    scratch.ok(&format!("{problem} --replicates 25 --threads 1 --out one"));
    let one = scratch.results("one");
    assert_eq!(one.rows.len(), 26);
    for threads in [2, 3] {
        scratch.ok(&format!("{problem} --replicates 25 --threads {threads} --out threads{threads}"));
        assert_eq!(scratch.results(&format!("threads{threads}")), one, "{choices}: {threads} threads");
    }
    cut(&scratch, "threads2", 11);
    scratch.ok("resume threads2 --threads 3");
    assert_eq!(scratch.results("threads2"), one, "{choices}: resumed");
    // Resuming what is complete changes nothing.
    scratch.ok("resume threads3");
    assert_eq!(scratch.results("threads3"), one, "{choices}: resumed though complete");

    for shard in 1..=3 {
        scratch
            .ok(&format!("{problem} --replicates 25 --shard {shard}/3 --threads {shard} --out shard{shard}"));
    }
    let merged = scratch.ok("merge shard2 shard3 shard1 --out merged");
    let joined = scratch.results("merged");
    assert_eq!((&joined.rows, &joined.draws), (&one.rows, &one.draws), "{choices}: merged");
    // Merging starts no chains: those that measure one long chain are the last stage of the run, which `resume` runs.
    assert_eq!(joined.summary["variance_pairs"], serde_json::Value::Null, "{choices}: merged");
    let left = merged.stderr.contains("partita resume merged");
    assert!(left || one.summary["variance_pairs"].is_null(), "{choices}: {}", merged.stderr);
    scratch.ok("resume merged");
    assert_eq!(scratch.results("merged"), one, "{choices}: sharded");
}

/// With a card or without one: the device does not change results.
#[test]
fn fit_on_whatever_device_there_is() {
    let scratch = Scratch::new();
    let problem =
        format!("fit data.csv --model known --sampler gibbs --start one {SCHEDULE} --replicates 25");
    for device in ["cpu", "auto"] {
        scratch.ok(&format!("{problem} --device {device} --out {device}"));
    }
    assert_eq!(scratch.results("auto"), scratch.results("cpu"));
}

#[test]
fn fit_with_the_optimal_coupling() {
    same_in_every_way("fit", "data.csv");
    same_in_every_way("fit", "data.csv --metric vi --start kmeans:4 --alpha gamma:2,4");
}

#[test]
fn fit_with_other_couplings() {
    for coupling in ["maximal", "common", "relabel"] {
        same_in_every_way("fit", &format!("data.csv --coupling {coupling} --max-sweeps 100"));
    }
    same_in_every_way("fit", "data.csv --coupling independent --max-sweeps 30 --start one");
}

#[test]
fn fit_with_split_merge() {
    same_in_every_way("fit", "data.csv --sampler split-merge");
}

#[test]
fn color() {
    same_in_every_way("color", "octahedron.txt --colors 4");
    same_in_every_way("color", "octahedron.txt --colors 5 --coupling relabel --sampler split-merge");
}

#[test]
fn a_precision_rule_stops_at_the_same_replicate() {
    let scratch = Scratch::new();
    let problem = format!("fit data.csv {SCHEDULE} --precision 0.1");
    scratch.ok(&format!("{problem} --threads 1 --out one"));
    let one = scratch.results("one");
    // More than one round, so that the rule had to say no at least once.
    assert!(one.rows.len() > 65, "{} rows", one.rows.len());
    let widest =
        |line: &serde_json::Value| line["ci95"][1].as_f64().unwrap() - line["ci95"][0].as_f64().unwrap();
    let lines = one.summary["summaries"].as_array().unwrap();
    assert!(lines.iter().map(widest).all(|width| width < 0.1), "{lines:?}");
    for threads in [2, 3] {
        scratch.ok(&format!("{problem} --threads {threads} --out threads{threads}"));
        assert_eq!(scratch.results(&format!("threads{threads}")), one, "{threads} threads");
    }
    for rows in [11, 64, 70] {
        cut(&scratch, "threads3", rows);
        scratch.ok("resume threads3");
        assert_eq!(scratch.results("threads3"), one, "resumed after {rows} rows");
    }
}

#[test]
fn another_seed_gives_other_rows() {
    let scratch = Scratch::new();
    for seed in [1, 2] {
        scratch.ok(&format!(
            "fit data.csv --lag 5 --burn-in 5 --sweeps 20 --replicates 5 --seed {seed} --out {seed}"
        ));
    }
    assert_ne!(scratch.rows("1"), scratch.rows("2"));
}
