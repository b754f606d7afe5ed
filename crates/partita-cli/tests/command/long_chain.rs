//! A run held against one long chain: by coupled pairs where states are kept, roughly by the pilot elsewhere.

use crate::support::Scratch;
use serde_json::Value;

fn summary(scratch: &Scratch, run: &str) -> Value {
    serde_json::from_str(&scratch.read(&format!("{run}/summary.json"))).unwrap()
}

/// The octahedron has four partitions into at most four classes, equally likely, one of three classes and three of
/// four: the asymptotic variance of their number under a sweep is 17/64, by solving the Poisson equation by hand.
#[test]
fn the_asymptotic_variance_is_that_of_the_equation() {
    let scratch = Scratch::new();
    let quick =
        "--lag 5 --burn-in 5 --sweeps 20 --replicates 2000 --seed 3 --summary clusters --sampler gibbs";
    let ran = scratch.ok(&format!(
        "color octahedron.txt --colors 4 {quick} --keep-draws 2 --threads 2 --verbose --out run"
    ));
    let found = summary(&scratch, "run");
    let line = &found["summaries"][0];
    let chain = &line["long_chain"];
    assert_eq!(chain["by"], "coupled-pairs");
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value}"));
    let (v, se) = (number(&chain["variance"]), number(&chain["se"]));
    assert!(se < 0.03 && (v - 17.0 / 64.0).abs() < 4.5 * se, "{v} ± {se}; beyond 4.5 once in 100,000");
    let (pairs, calls) = (&found["variance_pairs"]["pairs"], &found["variance_pairs"]["kernel_calls"]);
    assert!(number(pairs) >= 500.0 && number(calls) <= 0.11 * number(&found["kernel_calls"]), "{found}");
    // Twenty sweeps make sixteen states: about 20/16 of the work of one chain.
    let (times, error) = (number(&line["inefficiency"]), number(&line["inefficiency_se"]));
    assert!(error > 0.0 && (times - 1.3).abs() < 0.15 + 4.0 * error, "{times} ± {error}");
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("cost relative to one long chain: clusters 1."), "{words}");
    assert!(words.contains(&format!("(its variance from {pairs} coupled pairs)")), "{words}");
    assert!(scratch.read("run/report.html").contains("coupled pairs."));

    // The same on another number of threads, and again afterwards.
    let again = format!("color octahedron.txt --colors 4 {quick} --keep-draws 2 --threads 1 --out again");
    scratch.ok(&again);
    assert_eq!(scratch.results("run"), scratch.results("again"));
    scratch.ok("report run");
    assert_eq!(scratch.results("run"), scratch.results("again"));
}

#[test]
fn without_kept_states_the_pilot_gives_a_rough_yardstick() {
    let scratch = Scratch::new();
    let ran =
        scratch.ok("fit data.csv --replicates 24 --keep-draws 0 --summary clusters --verbose --out run");
    let found = summary(&scratch, "run");
    let line = &found["summaries"][0];
    assert_eq!(line["long_chain"]["by"], "batch-means");
    assert!(line["inefficiency"].is_number() && line["inefficiency_se"].is_null(), "{line}");
    assert!(found["variance_pairs"].is_null());
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("(its variance from batch means of the pilot, which are rough)"), "{words}");

    // Without a pilot there is none.
    let ran =
        scratch.ok("fit data.csv --lag 5 --burn-in 5 --sweeps 20 --replicates 24 --keep-draws 0 --out none");
    let line = &summary(&scratch, "none")["summaries"][0];
    assert!(line["long_chain"].is_null() && line["inefficiency"].is_null(), "{line}");
    assert!(!ran.stdout.contains("one long chain"), "{}", ran.stdout);
}
