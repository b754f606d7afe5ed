//! The studies of the paper: run, measured, drawn and judged from one definition each.
//!
//! A [`Study`] is read from a TOML file of `experiments/`; [`run`] does what it says and writes figures
//! (SVG and one page), numbers (JSON and CSV) and a verdict for each claim. Finished work is kept: the
//! same request continues where it was interrupted.
//!
//! With the studies come their data sets ([`catalog`]) and their figures ([`chart`]). Everything is run by the
//! crate `partita_run`.
#![forbid(unsafe_code)]

pub mod catalog;
pub mod chart;

mod definition;
mod estimates;
mod figures;
mod findings;
mod losses;
mod meetings;
mod outliers;
mod page;
mod problem;
mod truth;

pub use definition::{
    Arm, Budget, Claim, Data, Density, Estimates, Meetings, Outliers, Pairing, Study, Truth,
};
pub use findings::{Measurement, Ruling, Verdict};

use crate::catalog::Catalog;
use estimates::Both;
use findings::{judge, measurements};
use losses::{Aggregate, Loss, feasible, loss, mean_and_error};
use meetings::Met;
use partita::Schedule;
use partita_run::Failure;
use partita_run::config::Grid;
use partita_run::engine::{self, Executor, Job, Output, Settings, Work};
use partita_run::session::{Progress, Watch};
use partita_run::store::{lock, prepare, write_whole};
use partita_run::summary::Quantity;
use problem::Problem;
use serde::Serialize;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use truth::Known;

/// What to run, and where.
#[derive(Debug, Clone)]
pub struct Request {
    /// The study.
    pub study: Study,
    /// The share of the paper's number of replicates.
    pub scale: f64,
    /// The seed.
    pub seed: u64,
    /// The directory of the data files; `None` for the user's cache.
    pub data_dir: Option<PathBuf>,
    /// The directory of the results.
    pub out: PathBuf,
    /// The command as it was given.
    pub command: String,
}

/// What a study found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Findings {
    /// The study's name.
    pub study: String,
    /// Its title.
    pub title: String,
    /// The share of the paper's replicates.
    pub scale: f64,
    /// The seed.
    pub seed: u64,
    /// The version of partita.
    pub version: String,
    /// Wall time of this call.
    pub seconds: f64,
    /// A verdict for each claim.
    pub verdicts: Vec<Verdict>,
    /// Everything that was measured.
    pub measurements: Vec<Measurement>,
    /// The figures, by file name.
    pub figures: Vec<String>,
}

/// What the parts of a study share.
struct Workbench<'a> {
    scale: f64,
    seed: u64,
    executor: &'a dyn Executor,
    interrupted: &'a AtomicBool,
    watch: &'a mut dyn Watch,
    begin: Instant,
    shown: Instant,
    command: String,
}

impl Workbench<'_> {
    /// A number of runs at this scale, but not fewer than `least`.
    fn scaled(&self, number: u64, least: u64) -> u64 {
        ((number as f64 * self.scale).round() as u64).max(least.min(number)).max(1)
    }

    /// Replicates of such a schedule, none of their states kept.
    fn replicates(&self, lag: u64, burn_in: u64, sweeps: u64) -> Result<Settings, Failure> {
        let schedule = Schedule::new(lag, burn_in, sweeps)?;
        // The optimal coupling always meets; what does not within so many sweeps is told, never dropped.
        Ok(Settings { seed: self.seed, schedule, max_sweeps: 10_000_000, keep_draws: 0, keep_until: 0 })
    }

    fn say(&mut self, sentence: &str) {
        self.watch.say(sentence);
        self.begin = Instant::now();
    }

    fn progress(&mut self, done: u64, of: u64) {
        if self.shown.elapsed() > Duration::from_millis(200) {
            self.shown = Instant::now();
            let left = self.begin.elapsed().as_secs_f64() / done.max(1) as f64 * (of - done) as f64;
            let progress = Progress {
                done,
                of: Some(of),
                met: done,
                censored: 0,
                widest: None,
                clusters: None,
                left: Some(left),
            };
            self.watch.progress(&progress);
        }
    }

    fn interruption(&self) -> Failure {
        Failure::Interrupted(format!(
            "interrupted: the estimates that are finished are kept; `{}` goes on from there",
            self.command
        ))
    }
}

/// Everything found in one arm.
struct ArmResults {
    arm: Arm,
    summaries: Vec<SummaryResults>,
    both: Option<Both>,
    met: Vec<Met>,
    density: Option<DensityResults>,
    outliers: Option<outliers::Found>,
}

/// What was found of one summary.
struct SummaryResults {
    name: String,
    /// What figures call it.
    symbol: String,
    truth: Known,
    /// Mean over all estimates and its standard error.
    coupled_mean: (f64, f64),
    naive_mean: (f64, f64),
    coupled: Vec<Loss>,
    trimmed: Vec<Loss>,
    naive: Vec<Loss>,
    naive_trimmed: Vec<Loss>,
    /// The trimmed mean at other amounts.
    trims: Vec<(f64, Loss)>,
}

/// A predictive density, estimated.
struct DensityResults {
    /// Point, estimate, standard error.
    curve: Vec<[f64; 3]>,
    /// The density the data came from, at the same points.
    law: Vec<f64>,
    data: Vec<f64>,
    /// Half the integral of the absolute difference to the law.
    distance: f64,
    /// The largest standard error over the largest density.
    largest_error: f64,
    /// The integral over the grid.
    mass: f64,
}

/// Runs or continues a study on the given executor, and writes everything that it found.
pub fn run(
    executor: &dyn Executor,
    request: Request,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Findings, Failure> {
    let begin = Instant::now();
    let Request { study, scale, seed, .. } = &request;
    if !(*scale > 0.0 && *scale <= 1e6) {
        return Err(Failure::BadInput(format!("`scale` must be above 0, but is {scale}")));
    }
    let catalog = Catalog::at(request.data_dir.clone());
    for arm in &study.arms {
        if let Some(Data::Catalog { name }) = &arm.data {
            catalog.find(name)?;
        }
    }
    let _lock = claim_directory(&request)?;
    let mut bench = Workbench {
        scale: *scale,
        seed: *seed,
        executor,
        interrupted,
        watch,
        begin,
        shown: begin,
        command: request.command.clone(),
    };
    let mut arms = Vec::new();
    for arm in &study.arms {
        let directory =
            if arm.name.is_empty() { request.out.clone() } else { request.out.join(slug(&arm.name)) };
        arms.push(run_arm(arm, &catalog, &directory, &mut bench)?);
    }
    let measurements: Vec<Measurement> = arms.iter().flat_map(measurements).collect();
    let most = arms.iter().filter_map(most_processes).max();
    let verdicts = study.claims.iter().map(|claim| judge(claim, &measurements, most)).collect();
    let figures = figures::all(study, &arms);
    for (name, svg) in &figures {
        write_whole(&request.out.join(format!("{name}.svg")), svg.as_bytes())?;
    }
    let findings = Findings {
        study: study.name.clone(),
        title: study.title.clone(),
        scale: *scale,
        seed: *seed,
        version: env!("CARGO_PKG_VERSION").into(),
        seconds: begin.elapsed().as_secs_f64(),
        verdicts,
        measurements,
        figures: figures.iter().map(|(name, _)| format!("{name}.svg")).collect(),
    };
    let json = serde_json::to_string_pretty(&findings).expect("findings are JSON");
    write_whole(&request.out.join("findings.json"), (json + "\n").as_bytes())?;
    write_whole(&request.out.join("measurements.csv"), csv(&findings.measurements).as_bytes())?;
    let page = page::render(study, &findings, &figures, &arms, &request.command);
    write_whole(&request.out.join("index.html"), page.as_bytes())?;
    Ok(findings)
}

/// The largest number of processes there are batches of, if it is near to what the study asks for: with
/// far fewer, claims about many processes cannot be judged.
fn most_processes(arm: &ArmResults) -> Option<u64> {
    let wanted = arm.arm.estimates.as_ref()?.processes.iter().max()?;
    let most = arm.summaries.first()?.coupled.last()?.processes;
    (4 * most >= *wanted).then_some(most)
}

/// Makes the directory that of this study and seed, and of this process; refuses one that holds something
/// else. Another scale finds the estimates there that both have.
fn claim_directory(request: &Request) -> Result<Option<File>, Failure> {
    #[derive(Serialize)]
    struct Identity<'a> {
        version: &'a str,
        seed: u64,
        study: &'a str,
        arms: &'a [Arm],
    }
    let Request { study, seed, out, .. } = request;
    // Words and claims may change; what was run may not.
    let (version, arms) = (env!("CARGO_PKG_VERSION"), &study.arms[..]);
    let identity = Identity { version, seed: *seed, study: &study.name, arms };
    let text = toml::to_string_pretty(&identity).expect("a study is a table");
    let path = out.join("study.toml");
    let refuse =
        |why: &str| Err(Failure::BadInput(format!("{}: {why}: choose another `out`", out.display())));
    match std::fs::read_to_string(&path) {
        Ok(there) if there == text => lock(out),
        Ok(_) => refuse("holds another study or seed"),
        Err(_) => {
            if prepare(out, false).is_err() {
                return refuse("is in use or cannot be written");
            }
            let lock = lock(out)?;
            write_whole(&path, text.as_bytes())?;
            Ok(lock)
        }
    }
}

/// A name as a folder.
fn slug(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '.' || c == '-' { c } else { '-' }).collect()
}

fn csv(measurements: &[Measurement]) -> String {
    let mut text = String::from("name,value,se\n");
    for m in measurements {
        let se = m.se.map_or(String::new(), |se| format!("{se:?}"));
        text += &format!("\"{}\",{:?},{se}\n", m.name.replace('"', "\"\""), m.value);
    }
    text
}

fn run_arm(
    arm: &Arm,
    catalog: &Catalog,
    directory: &Path,
    bench: &mut Workbench,
) -> Result<ArmResults, Failure> {
    std::fs::create_dir_all(directory).map_err(|e| {
        Failure::Failed(format!("{}: cannot be made: {}", directory.display(), partita_run::words::plain(&e)))
    })?;
    let mut results = ArmResults {
        arm: arm.clone(),
        summaries: Vec::new(),
        both: None,
        met: Vec::new(),
        density: None,
        outliers: arm.outliers.as_ref().map(|wanted| outliers::outliers(wanted, bench)),
    };
    let Some(data) = &arm.data else { return Ok(results) };
    let problem = Problem::new(arm, data, catalog, directory)?;
    if let Some((wanted, truth)) = arm.estimates.as_ref().zip(arm.truth.as_ref()) {
        let model = problem.model(wanted.summaries.clone(), |_| ())?;
        bench.say(&format!("{}the truth", arm.prefix()));
        let truth = truth::truth(&*model, truth, bench)?;
        let replicates = bench.scaled(wanted.replicates, 40);
        bench.say(&format!("{}{replicates} coupled estimates, each with a naive one", arm.prefix()));
        let both = estimates::estimates(&*model, wanted, &directory.join("estimates.csv"), bench)?;
        results.summaries = summarise(wanted, model.quantities(), &truth, &both);
        results.both = Some(both);
    }
    if let Some(wanted) = &arm.meetings {
        results.met = meetings::meetings(&problem, wanted, bench)?;
        write_whole(&directory.join("meetings.csv"), meetings_csv(&results.met).as_bytes())?;
    }
    if let Some(wanted) = &arm.density {
        bench.say(&format!("{}predictive density", arm.prefix()));
        results.density = Some(density(&problem, wanted, bench)?);
        let rows = results.density.iter().flat_map(|d| d.curve.iter().zip(&d.law));
        let lines = rows.map(|([x, y, se], law)| format!("{x:?},{y:?},{se:?},{law:?}\n"));
        let text: String = ["x,density,se,law\n".to_string()].into_iter().chain(lines).collect();
        write_whole(&directory.join("density.csv"), text.as_bytes())?;
    }
    Ok(results)
}

fn meetings_csv(all: &[Met]) -> String {
    let mut text = String::from("coupling,run,met,sweeps\n");
    for met in all {
        for (run, o) in met.observed.iter().enumerate() {
            text += &format!("\"{}\",{run},{},{}\n", met.name, o.met, o.time);
        }
    }
    text
}

fn summarise(
    wanted: &Estimates,
    quantities: &[Quantity],
    truth: &[Known],
    both: &Both,
) -> Vec<SummaryResults> {
    let processes = feasible(&wanted.processes, both.len() as u64);
    let one = |i: usize| {
        let losses = |values: &[f64], aggregate: Aggregate| -> Vec<Loss> {
            processes.iter().map(|&j| loss(values, truth[i].value, j, aggregate)).collect()
        };
        let (coupled, naive) = (&both.coupled[i], &both.naive[i]);
        let trim = Aggregate::Trimmed(wanted.trim);
        let at = wanted.trims_at.min(both.len() as u64 / 2).max(2);
        let at_amount = |amount: f64| loss(coupled, truth[i].value, at, Aggregate::Trimmed(amount));
        SummaryResults {
            name: quantities[i].name.clone(),
            symbol: quantities[i].symbol.clone(),
            truth: truth[i],
            coupled_mean: mean_and_error(coupled),
            naive_mean: mean_and_error(naive),
            coupled: losses(coupled, Aggregate::Mean),
            trimmed: losses(coupled, trim),
            naive: losses(naive, Aggregate::Mean),
            naive_trimmed: losses(naive, trim),
            trims: wanted.trims.iter().map(|&amount| (amount, at_amount(amount))).collect(),
        }
    };
    (0..quantities.len()).map(one).collect()
}

fn density(problem: &Problem, wanted: &Density, bench: &mut Workbench) -> Result<DensityResults, Failure> {
    let grid = Grid { from: wanted.from, to: wanted.to, points: wanted.points };
    let model = problem.model(vec![grid.into()], |_| ())?;
    let settings = bench.replicates(wanted.lag, wanted.burn_in, wanted.sweeps)?;
    let replicates = bench.scaled(wanted.replicates, 20);
    let mut rows = Vec::new();
    let work = Work::Replicates(settings);
    let (executor, interrupted) = (bench.executor, bench.interrupted);
    let job = Job { chains: &*model, work: &work };
    let all = engine::run(executor, &job, 0..replicates, interrupted, |number, output| {
        if let Output::Replicate(replicate) = output {
            rows.push((number, replicate.row.values));
        }
        bench.progress(rows.len() as u64, replicates);
        Ok(())
    })?;
    if !all {
        return Err(bench.interruption());
    }
    rows.sort_by_key(|(number, _)| *number);
    let x = grid.values();
    let curve: Vec<[f64; 3]> = x
        .iter()
        .enumerate()
        .map(|(i, x)| {
            let column: Vec<f64> = rows.iter().map(|(_, values)| values[i]).collect();
            let (mean, se) = mean_and_error(&column);
            [*x, mean, se]
        })
        .collect();
    let law: Vec<f64> =
        x.iter().map(|x| problem.law.as_ref().map_or(f64::NAN, |law| law.density(*x))).collect();
    let step = x[1] - x[0];
    let distance = 0.5 * step * curve.iter().zip(&law).map(|(c, l)| (c[1] - l).abs()).sum::<f64>();
    let highest = curve.iter().map(|c| c[1]).fold(0.0, f64::max);
    let largest_error = curve.iter().map(|c| c[2]).fold(0.0, f64::max) / highest;
    let mass = step * curve.iter().map(|c| c[1]).sum::<f64>();
    Ok(DensityResults { curve, law, data: problem.column.clone(), distance, largest_error, mass })
}
