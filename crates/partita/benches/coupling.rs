//! What the coupling costs: coupled against single item-steps, and the transport problems of real runs.
//!
//! `cargo bench -p partita --bench coupling` reads gene, seed and abalone where they are (`PARTITA_DATA`
//! names their directory), and generates mixtures of the same shape where they are not. Machines are noisy: what is compared takes turns, the same work is timed several times and the fastest counts,
//! figures are medians of rounds of such times, and ratios are what counts.
//! `PARTITA_PROBLEMS_ONLY=1` leaves the steps out. With `PARTITA_DUMP=FOLDER` the recorded problems and
//! their times are written there as JSON, for `scripts/compare_pot.py`.

use partita::chance::Chance;
use partita::coupling::{Cell, Coupling, Nugget, Optimal, Step, Tally};
use partita::kernel::{Chains, Workspace};
use partita::partition::{Metric, Overlap};
use partita::rng::{ItemStep, Purpose};
use partita::{Gaussian, Gibbs, Kernel, Mixture, Partition, Prior, State, Stream};
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
/// A pair that has not met by then is left alone.
const SWEEPS: usize = 300;
/// Runs are repeated, and of each sweep the fastest repetition counts: the work is the same.
const TURNS: usize = 4;
/// Of the cases below.
const MOST_ITEMS: usize = 4177;

struct Case {
    name: String,
    target: Mixture<Gaussian>,
    items: usize,
    /// Replicates a round.
    replicates: u64,
}

impl Case {
    fn new(
        name: &str,
        values: Vec<f64>,
        dimension: usize,
        sds: [f64; 2],
        alpha: f64,
        replicates: u64,
    ) -> Self {
        let items = values.len() / dimension;
        let likelihood = Gaussian::isotropic(values, dimension, sds[0], sds[1]).unwrap();
        let target = Mixture::new(Prior::dirichlet(alpha).unwrap(), likelihood);
        Case { name: name.to_string(), target, items, replicates }
    }

    /// The data of the paper if it is there, else a mixture of that shape.
    fn shared(name: &str, shape: [usize; 2], sds: [f64; 2], alpha: f64, replicates: u64) -> Self {
        let [items, dimension] = shape;
        let (name, values) = match partita_testing::paper_table(name) {
            Some((values, _)) => (name.to_string(), values),
            None => (format!("like {name}"), mixture(items, dimension, 5, sds[0], sds[1])),
        };
        Case::new(&name, values, dimension, sds, alpha, replicates)
    }

    fn start(&self) -> State<Mixture<Gaussian>> {
        State::new(&self.target, Partition::one_cluster(self.items).unwrap())
    }

    /// Times every sweep of one chain, keeping the fastest.
    fn single(&self, replicate: u64, sweeps: usize, fastest: &mut Vec<Duration>) {
        let (mut state, mut work) = (self.start(), Workspace::new());
        let stream = Stream::new(1, replicate);
        for sweep in 0..sweeps {
            let start = Instant::now();
            Gibbs.step(&self.target, &mut state, &mut stream.sweep(sweep as u64 + 1), &mut work);
            keep_fastest(fastest, sweep, start.elapsed());
        }
    }

    /// Runs a pair of lag 1 to its meeting and times every coupled sweep, keeping the fastest, before
    /// the one in which the chains meet: that one is half single.
    fn coupled(&self, replicate: u64, coupling: &mut impl Coupling, fastest: &mut Vec<Duration>) {
        let mut work = Workspace::new();
        let stream = Stream::new(1, replicate);
        let mut x = self.start();
        Gibbs.step(&self.target, &mut x, &mut stream.sweep(1), &mut work);
        let mut chains = Chains::new(x, self.start());
        for sweep in 0..SWEEPS {
            let start = Instant::now();
            Gibbs.coupled_step(
                &self.target,
                &mut chains,
                coupling,
                &mut stream.sweep(sweep as u64 + 2),
                &mut work,
            );
            let took = start.elapsed();
            if chains.have_met() {
                return;
            }
            keep_fastest(fastest, sweep, took);
        }
    }

    /// One round: nanoseconds of a coupled item-step and of the two single ones it replaces.
    fn round(&self, metric: Metric, round: u64) -> [f64; 2] {
        let mut coupling = Nugget::new(Optimal::new(metric, self.items), 1e-5).unwrap();
        let (mut coupled, mut singles, mut sweeps) = (Duration::ZERO, Duration::ZERO, 0);
        for replicate in 0..self.replicates {
            let replicate = round * self.replicates + replicate;
            let (mut pair, mut one) = (Vec::new(), Vec::new());
            for _ in 0..TURNS {
                self.coupled(replicate, &mut coupling, &mut pair);
                self.single(replicate, pair.len() + 1, &mut one);
            }
            coupled += pair.iter().sum::<Duration>();
            // X makes the sweeps from the second on, Y those before the last.
            singles += one[1..].iter().chain(&one[..pair.len()]).sum::<Duration>();
            sweeps += pair.len();
        }
        [coupled, singles].map(|t| t.as_nanos() as f64 / (sweeps.max(1) * self.items) as f64)
    }
}

/// A step as the coupling saw it.
struct Problem {
    overlap: Overlap,
    a: Vec<f64>,
    b: Vec<f64>,
    chance: ItemStep,
}

impl Problem {
    /// Clusters of the side that has more.
    fn size(&self) -> usize {
        let (rows, columns) = self.overlap.shape();
        rows.max(columns)
    }

    /// The coupling does not look at the partitions.
    fn step<'a>(&'a self, any: &'a Partition) -> Step<'a> {
        Step { item: 0, x: any, y: any, overlap: &self.overlap, a: &self.a, b: &self.b }
    }

    fn draw(&self, coupling: &mut Optimal, any: &Partition) -> (usize, usize) {
        coupling.draw(&self.step(any), &mut self.chance.clone())
    }
}

/// The optimal coupling, keeping some of the problems it is asked.
struct Recorder {
    inner: Optimal,
    steps: u64,
    every: u64,
    problems: Vec<Problem>,
}

impl Coupling for Recorder {
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>) {
        self.inner.plan(step, plan);
    }

    fn draw(&mut self, step: &Step, chance: &mut impl Chance) -> (usize, usize) {
        self.steps += 1;
        if self.steps.is_multiple_of(self.every) {
            let chance = ItemStep::from_block(Stream::new(2, self.steps).block(Purpose::Gibbs, 0, 0));
            let (a, b) = (step.a.to_vec(), step.b.to_vec());
            self.problems.push(Problem { overlap: step.overlap.clone(), a, b, chance });
        }
        self.inner.draw(step, chance)
    }

    fn is_faithful(&self) -> bool {
        true
    }
}

/// `components` centres, noise around them.
fn mixture(items: usize, dimension: usize, components: usize, center_sd: f64, noise_sd: f64) -> Vec<f64> {
    let mut chance = Stream::new(1, 0).sequence(Purpose::Data, 0);
    let centers: Vec<f64> = (0..components * dimension).map(|_| center_sd * chance.normal()).collect();
    let mut value =
        |item: usize, d: usize| centers[item % components * dimension + d] + noise_sd * chance.normal();
    (0..items)
        .flat_map(|item| (0..dimension).map(move |d| (item, d)))
        .map(|(item, d)| value(item, d))
        .collect()
}

/// The paper's synthetic data: four centres (±0.8, ±0.8), noise 0.5.
fn synthetic() -> Vec<f64> {
    let mut chance = Stream::new(1, 1).sequence(Purpose::Data, 0);
    let mut value = |center: f64| center + 0.5 * chance.normal();
    (0..300)
        .flat_map(|item| [item & 1, item >> 1 & 1].map(|bit| value(0.8 * (1.0 - 2.0 * bit as f64))))
        .collect()
}

fn keep_fastest(fastest: &mut Vec<Duration>, at: usize, time: Duration) {
    match fastest.get_mut(at) {
        Some(fastest) => *fastest = time.min(*fastest),
        None => fastest.push(time),
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Nanoseconds of each way of going through all problems: the fastest of passes that take turns.
fn time<const WAYS: usize>(problems: usize, mut ways: [&mut dyn FnMut(); WAYS]) -> [f64; WAYS] {
    let mut fastest = [Duration::MAX; WAYS];
    let (start, mut passes) = (Instant::now(), 0);
    while passes < 20 || start.elapsed() < Duration::from_millis(100) {
        passes += 1;
        for (way, fastest) in ways.iter_mut().zip(&mut fastest) {
            let start = Instant::now();
            way();
            *fastest = start.elapsed().min(*fastest);
        }
    }
    fastest.map(|time| time.as_nanos() as f64 / problems as f64)
}

fn step_times(cases: &[Case]) {
    println!("nanoseconds per item-step before the meeting (lag 1, start one cluster)");
    println!(
        "{:>12}  {:>8}  {:>8}  {:>8}  {:>14}  {:>14}  {:>12}  {:>12}",
        "data",
        "2 single",
        "coupled",
        "coupling",
        "coupled/2 sgl.",
        "VI cpl./2 sgl.",
        "VI / Hamming",
        "as times"
    );
    for case in cases {
        let rounds: Vec<[[f64; 2]; 2]> = (0..ROUNDS as u64)
            .map(|round| [Metric::Hamming, Metric::Vi].map(|metric| case.round(metric, round)))
            .collect();
        let of = |figure: fn(&[[f64; 2]; 2]) -> f64| median(rounds.iter().map(figure));
        println!(
            "{:>12}  {:>8.0}  {:>8.0}  {:>8.0}  {:>14.2}  {:>14.2}  {:>12.2}  {:>12.2}",
            case.name,
            of(|r| r[0][1]),
            of(|r| r[0][0]),
            of(|r| r[0][0] - r[0][1]),
            of(|r| r[0][0] / r[0][1]),
            of(|r| r[1][0] / r[1][1]),
            of(|r| r[1][0] / r[1][1] / (r[0][0] / r[0][1])),
            of(|r| r[1][0] / r[0][0]),
        );
    }
}

/// Runs pairs, prints how their draws ended and keeps about `wanted` problems.
fn record(case: &Case, metric: Metric, wanted: u64) -> Vec<Problem> {
    let mut steps = 0;
    let mut recorder =
        Recorder { inner: Optimal::new(metric, case.items), steps: 0, every: u64::MAX, problems: Vec::new() };
    for pass in 0..2 {
        let inner = Optimal::new(metric, case.items);
        recorder = Recorder {
            inner,
            steps: 0,
            every: if pass == 0 { u64::MAX } else { (steps / wanted).max(1) },
            problems: Vec::new(),
        };
        for replicate in 0..case.replicates {
            case.coupled(replicate, &mut recorder, &mut Vec::new());
        }
        steps = recorder.steps;
    }
    let Tally { greedy, pivoted } = recorder.inner.tally();
    let share = |count: u64| 100.0 * count as f64 / steps.max(1) as f64;
    println!(
        "{:>12}  {metric:>8?}  {steps:>9}  {:>8.2}  {:>8.2}  {:>8.2}",
        case.name,
        share(steps - greedy - pivoted),
        share(greedy),
        share(pivoted)
    );
    recorder.problems
}

fn problem_times(mut problems: Vec<Problem>, metric: Metric, dump: Option<&Path>) {
    println!(
        "\nnanoseconds per problem, by clusters of the larger side ({metric:?}; all problems, and those that reach the solver)"
    );
    println!(
        "{:>8}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}",
        "clusters", "problems", "draw", "solve", "hard", "draw", "solve"
    );
    problems.sort_by_key(Problem::size);
    let any = Partition::one_cluster(1).unwrap();
    let mut coupling = Optimal::new(metric, MOST_ITEMS);
    let mut solver = Optimal::new(metric, MOST_ITEMS);
    let mut plan = Vec::new();
    for group in problems.chunk_by(|p, q| p.size() == q.size()) {
        let group = &group[..group.len().min(2000)];
        if group.len() < 20 {
            continue;
        }
        let mut is_hard = |problem: &&Problem| {
            let before = coupling.tally();
            problem.draw(&mut coupling, &any);
            let after = coupling.tally();
            (after.greedy, after.pivoted) != (before.greedy, before.pivoted)
        };
        let hard: Vec<&Problem> = group.iter().filter(&mut is_hard).collect();
        let all: Vec<&Problem> = group.iter().collect();
        let mut times = |problems: &[&Problem]| match problems.len() {
            0 => [f64::NAN; 2],
            count => {
                let mut draw = || {
                    problems.iter().for_each(|p| {
                        black_box(p.draw(&mut coupling, &any));
                    })
                };
                let mut solve = || {
                    problems.iter().for_each(|p| {
                        solver.plan(&p.step(&any), &mut plan);
                        black_box(plan.len());
                    })
                };
                time(count, [&mut draw, &mut solve])
            }
        };
        let ([draw, solve], [hard_draw, hard_solve]) = (times(&all), times(&hard));
        let clusters = group[0].size();
        println!(
            "{clusters:>8}  {:>8}  {draw:>8.0}  {solve:>8.0}  {:>8}  {hard_draw:>8.0}  {hard_solve:>8.0}",
            all.len(),
            hard.len()
        );
        if let Some(folder) = dump {
            let text = json(clusters, [draw, solve], &all);
            std::fs::write(folder.join(format!("problems-{clusters:03}.json")), text).unwrap();
        }
    }
}

/// `{"clusters": K, "draw_ns": T, "solve_ns": T, "problems": [{"a": [..], "b": [..], "gain": [[..], ..]}, ..]}`
fn json(clusters: usize, [draw, solve]: [f64; 2], problems: &[&Problem]) -> String {
    let mut text = format!(
        "{{\"clusters\": {clusters}, \"draw_ns\": {draw:.1}, \"solve_ns\": {solve:.1}, \"problems\": ["
    );
    for (n, p) in problems.iter().take(200).enumerate() {
        let law = |weights: &[f64]| -> Vec<f64> {
            let total: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / total).collect()
        };
        // `{:?}` of floats and of whole numbers in lists is JSON.
        let gains: Vec<&[u32]> = (0..p.a.len()).map(|row| p.overlap.row(row)).collect();
        let comma = if n == 0 { "" } else { "," };
        write!(text, "{comma}\n{{\"a\": {:?}, \"b\": {:?}, \"gain\": {gains:?}}}", law(&p.a), law(&p.b))
            .unwrap();
    }
    text + "]}\n"
}

fn main() {
    let cases = [
        Case::shared("gene", [200, 50], [0.5, 1.3], 1.0, 24),
        Case::shared("seed", [210, 7], [1.0, 1.0], 1.0, 60),
        Case::shared("abalone", [4177, 7], [2.0, 2.0], 1.0, 12),
        Case::new("synthetic", synthetic(), 2, [0.75, 0.7], 0.2, 200),
    ];
    // Only for their larger problems.
    let larger = [8.0, 25.0, 60.0].map(|alpha| {
        let mut case = Case::shared("gene", [200, 50], [0.5, 1.3], alpha, 6);
        write!(case.name, ", {alpha:.0}").unwrap();
        case
    });
    if std::env::var_os("PARTITA_PROBLEMS_ONLY").is_none() {
        step_times(&cases);
    }
    println!("\nhow draws end, percent of coupled item-steps");
    println!(
        "{:>12}  {:>8}  {:>9}  {:>8}  {:>8}  {:>8}",
        "data", "metric", "steps", "looks", "greedy", "pivots"
    );
    let (mut hamming, mut vi) = (Vec::new(), Vec::new());
    for case in cases.iter().chain(&larger) {
        hamming.extend(record(case, Metric::Hamming, 4000));
        vi.extend(record(case, Metric::Vi, 4000));
    }
    let dump = std::env::var_os("PARTITA_DUMP");
    problem_times(hamming, Metric::Hamming, dump.as_deref().map(Path::new));
    problem_times(vi, Metric::Vi, None);
}
