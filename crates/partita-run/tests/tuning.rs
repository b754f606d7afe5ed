//! Tuning works, and intervals cover: the slow statistical check, run with `PARTITA_SLOW=1`.
//!
//! For each data set a pilot picks lag, burn-in and sweeps; then many replicates run and are dealt
//! into 200 runs of a few replicates each. Printed and asserted: kernel calls times the variance of
//! one estimate against the asymptotic variance of one long chain and against the paper's setting;
//! the pilot's share of the work; the share of the 200 intervals that cover. With 200 runs a nominal
//! 95% interval covers fewer than 177 times with probability 7e-5. crabs and penguins (`scripts/tables.py` writes them) run as
//! a plain fit does: the pilot chooses model, moves and schedule.

use partita::aggregate;
use partita_run::config::{Alpha, Options, Start, Task};
use partita_run::results::Results;
use partita_run::session::{self, Request};
use partita_run::store::Run;
use std::sync::atomic::AtomicBool;

const RUNS: usize = 200;

struct Case {
    name: &'static str,
    file: Option<&'static str>,
    /// Spreads of centres and noise, and alpha, of a model with known covariances; none where the pilot chooses the model.
    known: Option<(f64, f64, f64)>,
    /// Replicates of one of the 200 runs.
    each: u64,
    /// Sweeps after the burn-in for the coverage runs, where the tuned number would take hours.
    window: Option<u64>,
}

const CASES: [Case; 6] = [
    Case { name: "synthetic", file: None, known: Some((0.75, 0.7, 0.2)), each: 6, window: None },
    Case { name: "seed", file: Some("seed"), known: Some((1.0, 1.0, 1.0)), each: 6, window: None },
    Case { name: "gene", file: Some("gene"), known: Some((0.5, 1.3, 1.0)), each: 6, window: None },
    Case { name: "abalone", file: Some("abalone"), known: Some((2.0, 2.0, 1.0)), each: 3, window: Some(500) },
    Case { name: "crabs", file: Some("crabs"), known: None, each: 6, window: None },
    Case { name: "penguins", file: Some("penguins"), known: None, each: 6, window: None },
];

/// A run in a directory of its own, which is removed: its answers, its configuration, its estimates.
fn run(name: &str, options: Options) -> (Results, Run, Vec<Vec<f64>>) {
    let out = std::env::temp_dir().join(format!("partita-tuning-{name}-{}", std::process::id()));
    let options = Options { out: Some(out.clone()), keep_draws: Some(0), ..options };
    let request = Request {
        task: Task::Fit,
        meetings_only: false,
        options,
        force: true,
        command: "partita fit".into(),
    };
    let outcome = session::start(request, &AtomicBool::new(false), &mut ()).unwrap();
    let run = Run::read(&out).unwrap();
    let rows = std::fs::read_to_string(out.join("replicates.csv")).unwrap();
    let width = outcome.summary.summaries.len();
    let estimates = rows
        .lines()
        .skip(1)
        .map(|line| line.split(',').skip(6).take(width).map(|cell| cell.parse().unwrap()).collect())
        .collect();
    std::fs::remove_dir_all(out).unwrap();
    (outcome.summary, run, estimates)
}

/// `E[cost] * Var(H)` of each summary.
fn work(summary: &Results, estimates: &[Vec<f64>]) -> Vec<f64> {
    let calls = summary.kernel_calls as f64 / summary.replicates as f64;
    (0..summary.summaries.len())
        .map(|j| calls * estimates.iter().map(|e| e[j]).collect::<aggregate::Moments>().variance().unwrap())
        .collect()
}

/// How many of the 200 runs cover the mean over all of them.
fn covered(estimates: &[Vec<f64>], each: u64, j: usize) -> usize {
    let values: Vec<f64> = estimates.iter().map(|e| e[j]).collect();
    let truth = aggregate::mean(&values).unwrap().value;
    values
        .chunks_exact(each as usize)
        .take(RUNS)
        .filter(|run| {
            let (low, high) = aggregate::mean(run).unwrap().interval;
            (low..=high).contains(&truth)
        })
        .count()
}

#[test]
fn tuned_runs_are_efficient_and_cover() {
    if std::env::var_os("PARTITA_SLOW").is_none() {
        println!("skipped: takes some minutes; set PARTITA_SLOW=1 to run it");
        return;
    }
    let only = std::env::var("PARTITA_CASE").ok();
    println!(
        "| data | lag, burn-in, sweeps | pilot / run | summary | work | work / one long chain | covered |"
    );
    println!("|---|---|---|---|---|---|---|");
    for case in CASES.iter().filter(|c| only.as_ref().is_none_or(|o| o == c.name)) {
        let data = match case.file.map(partita_testing::paper_data) {
            Some(None) => continue,
            found => found.flatten(),
        };
        let plain = Options { data, ..Options::default() };
        let base = match case.known {
            None => plain,
            Some((prior_sd, noise_sd, alpha)) => Options {
                standardize: Some(false),
                prior_sd: Some(prior_sd),
                noise_sd: Some(noise_sd),
                alpha: Some(Alpha::Fixed(alpha)),
                ..plain
            },
        };
        let (_, tuned, _) = run(case.name, Options { replicates: Some(2), ..base });
        // All that the pilot has found: model, moves and starts; the schedule was made for them.
        let base = tuned.plan.options();
        let pilot = tuned.pilot.unwrap();
        let options = Options {
            lag: Some(pilot.lag),
            burn_in: Some(pilot.burn_in),
            sweeps: Some(case.window.map_or(pilot.sweeps, |window| pilot.burn_in + window)),
            replicates: Some(RUNS as u64 * case.each),
            ..base.clone()
        };
        let (summary, _, estimates) = run(case.name, options);
        assert_eq!(summary.censored, 0);
        let share = pilot.kernel_calls as f64 / summary.kernel_calls as f64;
        let mut worst: f64 = 0.0;
        for (j, work) in work(&summary, &estimates).into_iter().enumerate() {
            let long_run = pilot.asymptotic_variance[j];
            let covered = covered(&estimates, case.each, j);
            worst = worst.max(work / long_run);
            println!(
                "| {} | {}, {}, {} | {share:.2} | {} | {work:.3e} | {:.2} | {covered} of {RUNS} |",
                case.name,
                summary.lag,
                summary.burn_in,
                summary.sweeps,
                summary.summaries[j].name,
                work / long_run,
            );
            assert!(covered >= 177, "{}: {covered} of {RUNS} intervals cover", case.name);
        }
        // Schedules of plain fits are shorter: replicates must be enough for an interval within a minute.
        if case.window.is_none() && case.known.is_some() {
            assert!(worst < 3.0, "{}: {worst} times the work of one long chain", case.name);
        }
        if case.name == "gene" {
            let paper = Options {
                lag: Some(1),
                burn_in: Some(30),
                sweeps: Some(300),
                replicates: Some(20_000),
                start: Some(Start::One),
                sampler: None,
                ..base
            };
            let (paper, _, paper_estimates) = run("paper", paper);
            let ratios: Vec<f64> = work(&paper, &paper_estimates)
                .iter()
                .zip(work(&summary, &estimates))
                .map(|(paper, tuned)| paper / tuned)
                .collect();
            println!("gene, the paper's lag 1, burn-in 30, sweeps 300: {ratios:.0?} times the work");
            assert!(ratios.iter().all(|r| *r > 10_000.0), "{ratios:?}");
        }
    }
}
