//! The table on the screen, word by word.

use crate::support::{QUICK, Random, Scratch};

/// Given, so that the words here do not hinge on defaults.
const MODEL: &str = "--prior-sd 0.8 --noise-sd 0.6 --alpha 1 --start prior --coupling maximal";

/// Wall times are masked: they are the only thing that differs from run to run.
fn masked(text: &str) -> String {
    let Some((before, rest)) = text.split_once(" replicates in ") else { return text.to_string() };
    let (_, after) = rest.split_once(": ").unwrap();
    format!("{before} replicates in TIME: {after}")
}

#[test]
fn a_fit_as_a_person_reads_it() {
    let scratch = Scratch::new();
    let ran = scratch.ok(&format!(
        "fit data.csv {MODEL} {QUICK} --summary clusters --summary top:3 --summary co:0,21 --out run"
    ));
    assert_eq!(
        masked(&ran.stdout),
        "\
Point estimate: 3 clusters, of sizes 11, 10 and 9. On average, two items in the
  same cluster belong together with probability 78%; 19 items are in doubt
  (below 75%).
Probability of each number of clusters: 4 (40%), 5 (23%), 3 (14%), 6 (13%), 7
  (7%), 8 (2%).
Items 0 and 21 share a cluster with probability 92% (95% interval 79% to 105%).

summary    mean    95% interval
───────────────────────────────
clusters    4.7      4.0 to 5.4
top:1     35.0%  33.0% to 36.7%
top:2     65.6%  60.3% to 69.2%
top:3       88%      82% to 94%
co:0,21     92%     79% to 105%

All 24 pairs met; a single chain would need 53 sweeps of warm-up. Caution: with
  so few pairs, intervals may be too narrow.
note: With fewer than 64 replicates (24 here), 95% intervals are reliable only
  if no estimate lies far from the others; otherwise they are too narrow.
"
    );
}

#[test]
fn a_colouring_as_a_person_reads_it() {
    let scratch = Scratch::new();
    let ran = scratch.ok(&format!(
        "color octahedron.txt --colors 4 --sampler gibbs --start greedy --coupling maximal {QUICK} --out run"
    ));
    assert_eq!(
        masked(&ran.stdout),
        "\
Point estimate: 3 clusters, of sizes 2, 2 and 2. On average, two items in the
  same cluster belong together with probability 76%; 2 items are in doubt (below
  75%).
Probability of each number of clusters: 4 (78%), 3 (22%).

summary    mean    95% interval
───────────────────────────────
clusters   3.78    3.73 to 3.83
top:1       33%      33% to 33%
top:2       67%      67% to 67%
top:3     87.0%  86.2% to 87.8%

All 24 pairs met; a single chain would need 4 sweeps of warm-up. Caution: with
  so few pairs, intervals may be too narrow.
note: With fewer than 64 replicates (24 here), 95% intervals are reliable only
  if no estimate lies far from the others; otherwise they are too narrow.
"
    );
    assert_eq!(ran.stderr, "octahedron.txt: 6 vertices, 12 edges, 4 colours\nreport: run/report.html\n");
}

#[test]
fn meetings_as_a_person_reads_them() {
    let scratch = Scratch::new();
    let ran = scratch.ok(&format!("meet data.csv {MODEL} --lag 5 --replicates 30 --out run"));
    assert_eq!(
        masked(&ran.stdout),
        "\
30 replicates in TIME: 30 met, 0 censored; meeting times: median 14, 99%
  quantile 58, largest 58
a single chain is within 0.01 of the target (total variation) after 53 sweeps
lag 5, burn-in 0, sweeps 0, seed 1
"
    );
}

#[test]
fn no_line_is_longer_than_80_columns() {
    let scratch = Scratch::new();
    let runs = [
        "fit data.csv --lag 5 --burn-in 5 --sweeps 20 --replicates 3 --summary top:12 --summary entropy",
        "fit data.csv --lag 2 --burn-in 0 --sweeps 3 --replicates 1 --start one",
        "fit data.csv --lag 2 --burn-in 1 --sweeps 3 --max-sweeps 3 --replicates 3 --coupling independent",
        "fit data.csv --lag 2 --burn-in 1 --sweeps 3 --time 100ms",
        "fit data.csv --lag 2 --burn-in 1 --sweeps 3 --alpha 1e-300 --replicates 3",
        "color octahedron.txt --colors 6 --lag 2 --burn-in 1 --sweeps 4 --replicates 1000",
    ];
    for (i, run) in runs.iter().enumerate() {
        let table = scratch.ok(&format!("{run} --out run{i}")).stdout;
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{run}:\n{table}");
    }
}

/// Where the posterior does not settle, the last line does not say that there is nothing to worry about.
#[test]
fn an_uncertain_clustering_is_told_by_the_last_line_too() {
    let scratch = Scratch::new();
    let mut random = Random(4);
    let rows: String = (0..24).map(|_| format!("{:.3},{:.3}\n", random.unit(), random.unit())).collect();
    scratch.write("noise.csv", &format!("x,y\n{rows}"));
    let model = "--model known --prior-sd 1 --noise-sd 0.7";
    let said = scratch
        .ok(&format!("fit noise.csv {model} --lag 20 --burn-in 20 --sweeps 100 --replicates 64 --out run"))
        .stdout;
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("The posterior does not settle on one clustering"), "{said}");
    assert!(words.ends_with("the estimates are reliable, but the clustering is uncertain."), "{said}");
}
