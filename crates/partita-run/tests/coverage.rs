//! Every interval that a run prints with a level has it: the slow coverage study, run with `PARTITA_SLOW=1`.
//!
//! The target has two modes between which chains seldom move, so that estimates are skewed; it is small enough for all
//! its 4,140 partitions to be enumerated, so that the truth behind every interval is known. Each case makes many whole
//! runs, seed by seed, and looks at what they print: the summaries and the trimmed means, the distribution of the number
//! of clusters, the expected loss of the one clustering, the bands of the report (predictive density, meeting times) and
//! the held-out score. What the program says without a level (medians of means, quantiles of meeting times, the bound
//! on the total variation, standard errors) is not judged. `docs/tuning.md` keeps the record.
//!
//! A share of intervals may fall short of 0.95 by four binomial standard errors, which it does with probability 3e-5
//! each; the seeds are fixed.

use partita::partition::{Metric, Partitions};
use partita::summary::PredictiveDensity;
use partita::{Gaussian, Mixture, Partition, Prior, State, Summary};
use partita_run::config::{Alpha, Covariance, Duration, Grid, ModelChoice, Options, Summary as Wanted, Task};
use partita_run::results::Page;
use partita_run::session::{self, Request};
use partita_run::summary::{Clusters, Co, Entropy, Top};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Two groups that are nearly one.
const ROWS: [f64; 8] = [-1.8, -1.65, -1.5, -1.35, 1.8, 1.7, 1.6, 1.5];
const NEW: [f64; 3] = [-1.2, 0.3, 2.4];
const PRIOR_SD: f64 = 5.0;
const ALPHA: f64 = 0.02;

type Target = Mixture<Gaussian>;

/// The posterior by enumeration.
struct Truth {
    target: Target,
    states: Vec<(f64, Partition)>,
    /// What was asked for before.
    known: Mutex<HashMap<String, f64>>,
}

impl Truth {
    fn new() -> Self {
        let rows = Gaussian::isotropic(ROWS.to_vec(), 1, PRIOR_SD, 1.0).unwrap();
        let target = Mixture::new(Prior::dirichlet(ALPHA).unwrap(), rows);
        let log = |z: &Partition| partita::Target::log_probability(&target, z);
        let mut states: Vec<(f64, Partition)> = Partitions::of(ROWS.len()).map(|z| (log(&z), z)).collect();
        let most = states.iter().map(|s| s.0).fold(f64::NEG_INFINITY, f64::max);
        states.iter_mut().for_each(|s| s.0 = (s.0 - most).exp());
        let total: f64 = states.iter().map(|s| s.0).sum();
        states.iter_mut().for_each(|s| s.0 /= total);
        Truth { target, states, known: Mutex::default() }
    }

    /// The truth of this name, found out once.
    fn once(&self, name: &str, find: impl FnOnce() -> f64) -> f64 {
        if let Some(value) = self.known.lock().unwrap().get(name) {
            return *value;
        }
        let value = find();
        self.known.lock().unwrap().insert(name.into(), value);
        value
    }

    fn expectation(&self, mut of: impl FnMut(&Partition) -> f64) -> f64 {
        self.states.iter().map(|(weight, z)| weight * of(z)).sum()
    }

    fn share(z: &Partition, largest: usize) -> f64 {
        let mut sizes: Vec<u32> = z.sizes().to_vec();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        f64::from(sizes.iter().take(largest).sum::<u32>()) / z.len() as f64
    }

    fn density(&self, x: f64) -> f64 {
        self.once(&format!("density at {x}"), || {
            let at = PredictiveDensity::new(vec![x], 1).unwrap();
            let mut out = [0.0];
            self.expectation(|z| {
                at.evaluate(&self.target, &State::new(&self.target, z.clone()), &mut out);
                out[0]
            })
        })
    }

    /// The truth behind a summary's name.
    fn of(&self, name: &str) -> f64 {
        let entropy = |z: &Partition| -> f64 {
            let share = |size: &u32| f64::from(*size) / z.len() as f64;
            -z.sizes().iter().map(share).map(|p| p * p.ln()).sum::<f64>()
        };
        self.once(name, || match name.split_once(':') {
            None if name == "clusters" => self.expectation(|z| z.clusters() as f64),
            None => self.expectation(entropy),
            Some(("top", r)) => self.expectation(|z| Self::share(z, r.parse().unwrap())),
            Some(("co", _)) => self.expectation(|z| f64::from(u8::from(z.together(0, 7)))),
            Some((_, x)) => self.density(x.parse().unwrap()),
        })
    }

    /// The probability of so many clusters.
    fn clusters(&self, k: usize) -> f64 {
        let is = |z: &Partition| f64::from(u8::from(z.clusters() == k));
        self.once(&format!("{k} clusters"), || self.expectation(is))
    }

    /// The expected loss of a clustering.
    fn loss(&self, labels: &[usize]) -> f64 {
        let point = Partition::from_labels(labels).unwrap();
        self.once(&format!("loss of {labels:?}"), || self.expectation(|z| Metric::Vi.distance(&point, z)))
    }
}

/// A curve of meeting times with its band: time, survival, lower and upper end.
type Curve = Vec<(u64, f64, f64, f64)>;

/// What one run printed: the name of an interval, its ends, the truth.
type Seen = (String, [f64; 2], f64);

struct Case {
    name: &'static str,
    runs: u64,
    /// What intervals cannot know, in probability.
    unknown: f64,
    options: Options,
}

impl Case {
    /// The share of intervals that must cover.
    fn least(&self) -> f64 {
        0.95 - self.unknown - 4.0 * (0.95_f64 * 0.05 / self.runs as f64).sqrt()
    }
}

fn base() -> Options {
    let summary = [Clusters.into(), Top(2).into(), Co(0, 7).into(), Entropy.into()];
    let density = Wanted::from(Grid { from: -1.5, to: 1.5, points: 3 });
    Options {
        model: Some(ModelChoice::Named(Covariance::Known)),
        standardize: Some(false),
        prior_sd: Some(PRIOR_SD),
        noise_sd: Some(1.0),
        alpha: Some(Alpha::Fixed(ALPHA)),
        threads: Some(1),
        keep_draws: Some(2),
        summary: Some(summary.into_iter().chain([density]).collect()),
        ..Options::default()
    }
}

fn scheduled(lag: u64, burn_in: u64, sweeps: u64) -> Options {
    Options { lag: Some(lag), burn_in: Some(burn_in), sweeps: Some(sweeps), ..base() }
}

fn cases() -> Vec<Case> {
    let sound = || scheduled(20, 20, 100);
    let short = || scheduled(5, 5, 50);
    let case = |name, runs, options| Case { name, runs, unknown: 0.0, options };
    vec![
        case("64 replicates", 1000, Options { replicates: Some(64), ..sound() }),
        case("100 replicates", 600, Options { replicates: Some(100), ..sound() }),
        case("400 replicates", 600, Options { replicates: Some(400), ..sound() }),
        case("precision", 300, Options { precision: Some(0.12), ..sound() }),
        case("deadline", 200, Options { time: Some(Duration::from_secs(0.2)), ..sound() }),
        // A burn-in far too short: one estimate in fifty carries a correction ten times the spread of the others, and
        // 64 hold none with probability 0.3, 32 (which judge the one clustering) with 0.5. No interval made of them
        // can know.
        Case { unknown: 0.07, ..case("64, short burn-in", 500, Options { replicates: Some(64), ..short() }) },
        case("400, short burn-in", 300, Options { replicates: Some(400), ..short() }),
    ]
}

/// The page as the report holds it.
fn page(run: &Path) -> Page {
    let html = std::fs::read_to_string(run.join("report.html")).unwrap();
    let (_, element) = html.split_once("id=\"page-data\"").unwrap();
    let (_, content) = element.split_once('>').unwrap();
    serde_json::from_str(content.split_once("</script>").unwrap().0).unwrap()
}

/// Makes one run and lists its intervals; meeting times come back for the truth about them.
fn run(room: &Path, options: Options, seed: u64, truth: &Truth) -> (Vec<Seen>, Curve) {
    let out = room.join(format!("run-{seed}"));
    let options =
        Options { data: Some(room.join("rows.csv")), seed: Some(seed), out: Some(out.clone()), ..options };
    let request =
        Request { task: Task::Fit, meetings_only: false, options, force: false, command: String::new() };
    let summary = session::start(request, &AtomicBool::new(false), &mut ()).unwrap().summary;
    assert_eq!(summary.censored, 0);
    let mut seen: Vec<Seen> = Vec::new();
    for line in &summary.summaries {
        let value = truth.of(&line.name);
        seen.push((format!("{}, mean", line.name), line.ci95.unwrap(), value));
        seen.push((format!("{}, trimmed", line.name), line.trimmed_ci95.unwrap(), value));
    }
    for line in &summary.cluster_count {
        if let Ok(k) = line.clusters.parse::<usize>() {
            seen.push((format!("{k} clusters"), line.ci95.unwrap(), truth.clusters(k)));
        }
    }
    let text = std::fs::read_to_string(out.join("clustering.csv")).unwrap();
    let label = |line: &str| line.split(',').nth(1).unwrap().parse().unwrap();
    let labels: Vec<usize> = text.lines().skip(1).map(label).collect();
    let loss = summary.clustering.unwrap().ci95.unwrap();
    seen.push(("expected loss".into(), loss, truth.loss(&labels)));
    let score = session::predict(&out, &room.join("new.csv"), None, &mut ()).unwrap().score;
    if let Some(ends) = score.sum_ci95 {
        seen.push(("held-out score".into(), ends, NEW.iter().map(|x| truth.density(*x).ln()).sum()));
    }
    let page = page(&out);
    let density = page.density.unwrap();
    for i in [20, 60, 100, 140] {
        let ends = [density.low[i], density.high[i]];
        seen.push((format!("density band at {:.2}", density.x[i]), ends, truth.density(density.x[i])));
    }
    std::fs::remove_dir_all(out).unwrap();
    (seen, page.survival)
}

/// The band at a time, where one is drawn.
fn band(curve: &Curve, t: u64) -> Option<(f64, [f64; 2])> {
    curve.iter().rev().find(|step| step.0 <= t).map(|step| (step.1, [step.2, step.3]))
}

/// Intervals of one kind: how many were printed, and how many of them cover.
#[derive(Default)]
struct Tally {
    printed: u64,
    covered: u64,
}

fn judge(case: &Case, room: &Path, truth: &Truth) -> BTreeMap<String, Tally> {
    let next = AtomicU64::new(0);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed) + 1;
                    if seed > case.runs {
                        break;
                    }
                    let result = run(room, case.options.clone(), seed, truth);
                    found.lock().unwrap().push(result);
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut count = |name: String, [low, high]: [f64; 2], truth: f64| {
        let tally = tallies.entry(name).or_default();
        tally.printed += 1;
        tally.covered += u64::from((low..=high).contains(&truth));
    };
    for (name, ends, truth) in found.iter().flat_map(|(seen, _)| seen.iter().cloned()) {
        count(name, ends, truth);
    }
    // The survival of all runs together is as good as the truth for one of them.
    let lag = case.options.lag.unwrap();
    for t in [1, 2, 5, 10, 20, 40, 80].map(|t| lag + t) {
        let survival = |curve: &Curve| band(curve, t).map_or(1.0, |(s, _)| s);
        let pooled = found.iter().map(|(_, curve)| survival(curve)).sum::<f64>() / case.runs as f64;
        // Beyond, few runs have seen anything, and most bands end at the same number.
        if (0.02..0.98).contains(&pooled) {
            let bands = found.iter().filter_map(|(_, curve)| band(curve, t));
            bands.for_each(|(_, ends)| count(format!("meeting band at {pooled:.2}"), ends, pooled));
        }
    }
    tallies
}

#[test]
fn every_interval_with_a_level_has_it() {
    if std::env::var_os("PARTITA_SLOW").is_none() {
        println!("skipped: takes two minutes; set PARTITA_SLOW=1 to run it");
        return;
    }
    let only = std::env::var("PARTITA_CASE").ok();
    let room: PathBuf = std::env::temp_dir().join(format!("partita-coverage-{}", std::process::id()));
    std::fs::create_dir_all(&room).unwrap();
    let column = |rows: &[f64]| rows.iter().map(|x| format!("{x}\n")).collect::<String>();
    std::fs::write(room.join("rows.csv"), format!("x\n{}", column(&ROWS))).unwrap();
    std::fs::write(room.join("new.csv"), format!("x\n{}", column(&NEW))).unwrap();
    let truth = Truth::new();
    let mut wrong = Vec::new();
    println!("| case | runs | interval | covered |\n|---|---|---|---|");
    for case in cases().iter().filter(|c| only.as_ref().is_none_or(|o| o == c.name)) {
        for (name, tally) in judge(case, &room, &truth) {
            // What only a few runs print cannot be judged.
            if tally.printed < case.runs / 2 {
                continue;
            }
            let share = tally.covered as f64 / tally.printed as f64;
            println!("| {} | {} | {name} | {share:.3} |", case.name, tally.printed);
            if share < case.least() {
                wrong.push(format!("{}, {name}: {share}", case.name));
            }
        }
    }
    std::fs::remove_dir_all(&room).unwrap();
    assert!(wrong.is_empty(), "intervals that cover less than they say: {wrong:#?}");
}
