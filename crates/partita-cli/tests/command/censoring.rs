//! A cap never drops a replicate silently.

use crate::support::Scratch;
use serde_json::Value;

#[test]
fn pairs_that_never_meet_are_counted_and_said() {
    let scratch = Scratch::new();
    let run = "fit data.csv --noise-sd 1 --lag 5 --burn-in 5 --sweeps 30 --max-sweeps 30 --replicates 20 --coupling independent --alpha 1 --start prior";
    let ran = scratch.ok(&format!("{run} --verbose --out run"));
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("0 met, 20 censored; meeting times: median unknown"), "{words}");
    assert!(words.contains("0 of 20 pairs met and 20 were censored;"), "{words}");
    assert!(words.contains("Caution: estimates may be further off than"), "{words}");
    assert!(
        words.contains(
            "note: 20 of 20 pairs had not met after 30 sweeps and were censored: the estimates are then biased, \
             and the tail of the meeting-time curve is unknown. Raise --max-sweeps."
        ),
        "{words}"
    );
    let json: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    assert_eq!((&json["replicates"], &json["censored"]), (&20.into(), &20.into()));
    let meeting = &json["meeting"];
    assert_eq!(meeting["met"], 0);
    for field in ["mean", "median", "q95", "q99", "max"] {
        assert!(meeting[field].is_null(), "{field}: {meeting}");
    }
    assert_eq!((&json["tv_bound_complete"], &json["tv_sweeps"]), (&false.into(), &Value::Null));
    assert!(json["notes"][0].as_str().unwrap().contains("the estimates are then biased"));
    assert_eq!(json["summaries"].as_array().unwrap().len(), 4, "estimates are there, with their warning");
    for row in &scratch.rows("run")[1..] {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells[1..5], ["false", "", "30", "55"], "{row}");
    }
}

#[test]
fn quantiles_are_hidden_only_where_censoring_hides_them() {
    let scratch = Scratch::new();
    let run = "color octahedron.txt --colors 4 --coupling independent --lag 1 --burn-in 0 --sweeps 2 --sampler gibbs --start greedy";
    let cap = 5;
    scratch.ok(&format!("{run} --replicates 200 --max-sweeps {cap} --out run"));
    let json: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    let (met, censored) = (json["meeting"]["met"].as_u64().unwrap(), json["censored"].as_u64().unwrap());
    assert_eq!(met + censored, 200);
    assert!(met > 100 && censored > 4, "{met} met, {censored} censored");
    let meeting = &json["meeting"];
    assert!(meeting["median"].as_u64().is_some_and(|t| t <= cap), "{meeting}");
    assert!(meeting["q99"].is_null() && meeting["mean"].is_null(), "{meeting}");
    let rows = scratch.rows("run").split_off(1);
    let cut = rows.iter().filter(|row| row.split(',').nth(1) == Some("false")).count() as u64;
    assert_eq!((rows.len(), cut), (200, censored));
}

/// More replicates would not make up for a censored pair: a plain run ends after its first round, and its caution is early.
#[test]
fn a_plain_run_ends_where_a_pair_is_censored() {
    let scratch = Scratch::new();
    let run = "color octahedron.txt --colors 4 --coupling independent --lag 1 --burn-in 0 --sweeps 2 --sampler gibbs --start greedy";
    let of_cap = |cap: u64| {
        scratch.ok(&format!("{run} --max-sweeps {cap} --out run --force"));
        let json: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
        let kept = scratch.read("run/run.toml");
        let first = kept.lines().find_map(|line| line.strip_prefix("at_least = ")).expect("rounds");
        let [replicates, censored] = ["replicates", "censored"].map(|key| json[key].as_u64().unwrap());
        (replicates, first.parse::<u64>().unwrap(), censored)
    };
    let (replicates, first, censored) = of_cap(5);
    assert!(replicates == first && censored > 0, "{replicates} replicates, {censored} censored");
    let (replicates, first, censored) = of_cap(1000);
    assert!(replicates > first && censored == 0, "{replicates} replicates, {censored} censored");
}
