//! A run with a deadline: as long as asked, by the unbiased rule, and said so.

use crate::support::{Scratch, finish, signal, wait_until};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Instant;

/// `key = value` in a `run.toml`.
fn setting(text: &str, key: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")));
    line.unwrap_or_else(|| panic!("{key} in {text}")).parse().unwrap()
}

/// The number of clusters in each replicate, by worker.
fn by_worker(scratch: &Scratch, run: &str, workers: u64) -> BTreeMap<u64, Vec<f64>> {
    let mut found: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for row in &scratch.rows(run)[1..] {
        let cells: Vec<&str> = row.split(',').collect();
        let replicate: u64 = cells[0].parse().unwrap();
        let mine = found.entry(replicate % workers).or_default();
        assert_eq!(mine.len() as u64, replicate / workers, "a worker's replicates have no gaps");
        mine.push(cells[5].parse().unwrap());
    }
    found
}

#[test]
fn a_timed_run_takes_its_time_and_averages_over_workers() {
    let scratch = Scratch::new();
    let begin = Instant::now();
    let ran = scratch.ok("fit data.csv --lag 5 --burn-in 5 --sweeps 20 --time 1s --threads 2 --out run");
    // Longer only by what else the machine does.
    let wall = begin.elapsed().as_secs_f64();
    assert!((0.5..30.0).contains(&wall), "{wall} s");
    let kept = scratch.read("run/run.toml");
    assert!(kept.contains("rule = \"time\""), "{kept}");
    let (workers, seconds) = (setting(&kept, "workers") as u64, setting(&kept, "seconds"));
    // The time is the whole command's: reading, pilot and answers have their part of it.
    let left = workers as f64 * seconds / 2.0;
    assert!(workers >= 8 && (0.099..0.65).contains(&left), "{workers} of {seconds} s");
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("note: Time-limited run: {workers} workers of ")), "{words}");
    assert!(words.contains("Estimates are means of the workers' means"), "{words}");

    let found = by_worker(&scratch, "run", workers);
    assert_eq!(found.len() as u64, workers, "every worker has a row");
    let means: Vec<f64> = found.values().map(|v| v.iter().sum::<f64>() / v.len() as f64).collect();
    let mean = means.iter().sum::<f64>() / workers as f64;
    let summary: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    assert_eq!(summary["rule"], "deadline");
    assert!((summary["seconds"].as_f64().unwrap() - 1.0).abs() < 15.0, "{}", summary["seconds"]);
    assert!((summary["summaries"][0]["mean"].as_f64().unwrap() - mean).abs() < 1e-12, "{summary}");

    // What is complete stays as it is.
    let before = scratch.results("run");
    scratch.ok("resume run");
    assert_eq!(scratch.results("run"), before);
}

#[test]
fn an_interrupted_timed_run_keeps_the_workers_that_had_their_time() {
    let scratch = Scratch::new();
    let run = "fit data.csv --lag 5 --burn-in 5 --sweeps 20 --time 4s --threads 2 --keep-draws 1 --out run";
    let child = scratch.command(run).spawn().unwrap();
    wait_until("two workers", || {
        std::fs::read_to_string(scratch.path.join("run/workers.csv"))
            .is_ok_and(|t| t.matches('\n').count() >= 2)
    });
    signal(&child, "-INT");
    let ran = finish(child);
    assert_eq!(ran.status, 130, "{ran:?}");
    let workers = setting(&scratch.read("run/run.toml"), "workers") as u64;
    let ended = scratch.read("run/workers.csv");
    let ended: Vec<(u64, usize)> = ended
        .lines()
        .map(|line| line.split_once(',').unwrap())
        .map(|(worker, rows)| (worker.parse().unwrap(), rows.parse().unwrap()))
        .collect();
    let mut rows: Vec<String> = scratch.rows("run").split_off(1);
    rows.retain(|row| {
        let replicate: u64 = row.split(',').next().unwrap().parse().unwrap();
        ended.iter().any(|(worker, _)| replicate % workers == *worker)
    });
    assert_eq!(rows.len(), ended.iter().map(|(_, rows)| rows).sum::<usize>());
    assert!(scratch.refused("report run").contains("the run is not complete"));

    scratch.ok("resume run");
    let found = by_worker(&scratch, "run", workers);
    assert_eq!(found.len() as u64, workers);
    let after = scratch.rows("run");
    assert!(rows.iter().all(|row| after.contains(row)), "rows of ended workers are kept");
    for (worker, rows) in ended {
        assert_eq!(found[&worker].len(), rows, "and nothing was added to them");
    }
    assert!(!scratch.exists("run/workers.csv"));
}
