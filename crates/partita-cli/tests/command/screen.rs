//! The table on the screen, word by word.

use crate::support::{QUICK, Scratch};

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
summary     mean     95 % interval  trimmed
───────────────────────────────────────────
clusters    4.68      4.02 to 5.37     4.68
top:1     0.3503  0.3304 to 0.3669   0.3503
top:2      0.656    0.603 to 0.692    0.656
top:3      0.881    0.817 to 0.936    0.881
co:0,21    0.917    0.785 to 1.047    0.917

number of clusters, probability of each: 3: 0.143, 4: 0.401, 5: 0.227, 6: 0.133,
  7: 0.065, 8: 0.016, 9: 0.016
one clustering: 3 clusters of 11, 10, 9 items; expected VI 0.58 (-0.06 to 1.29),
  95 % of the posterior within 1.145
24 replicates in TIME: 24 met (0 censored); meeting time median 15, 99 % 58,
  largest 58
one chain is within 0.01 of the target (total variation) after 53 sweeps
lag 5, burn-in 5, sweeps 20, seed 1
note: With fewer than 64 replicates (24 here) the 95 % intervals hold their
  level only where no estimates lie far out; where some do, they cover less.
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
summary     mean     95 % interval  trimmed
───────────────────────────────────────────
clusters   3.781    3.732 to 3.829    3.781
top:1     0.3333  0.3333 to 0.3333   0.3333
top:2     0.6667  0.6667 to 0.6667   0.6667
top:3     0.8698  0.8619 to 0.8780   0.8698

number of clusters, probability of each: 3: 0.219, 4: 0.781
one clustering: 3 clusters of 2, 2, 2 items; expected VI 0.1656 (0.1481 to
  0.1831), 95 % of the posterior within 0.231
24 replicates in TIME: 24 met (0 censored); meeting time median 6, 99 % 9,
  largest 9
one chain is within 0.01 of the target (total variation) after 4 sweeps
times the work of one long chain: clusters 0.97 ± 0.52, top:3 0.97 ± 0.52 (its
  variance by 24 coupled pairs, without bias)
lag 5, burn-in 5, sweeps 20, seed 1
note: With fewer than 64 replicates (24 here) the 95 % intervals hold their
  level only where no estimates lie far out; where some do, they cover less.
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
30 replicates in TIME: 30 met (0 censored); meeting time median 14, 99 % 58,
  largest 58
one chain is within 0.01 of the target (total variation) after 53 sweeps
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
