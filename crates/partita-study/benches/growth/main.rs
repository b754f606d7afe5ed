//! How time and memory grow: time per sweep against items, columns and clusters, and bytes per pair.
//!
//! `cargo bench -p partita-study --bench growth` prints tables with fitted exponents; with `-- --record` it
//! also draws docs/growth.svg, with `-- --memory` it prints the table of bytes alone. Machines are noisy:
//! the points of a series take turns, figures are medians of rounds in time on the processor (Linux tells
//! it in steps of 4 ms, so a round is some 100 ms).
//!
//! Data are generated around centres four standard deviations apart, chains start at the truth, and the
//! concentration is small: so the number of clusters stays, and a few items in a hundred are in doubt.
//! Coupled sweeps are the first five (fewer where the chains meet before) of two chains that ran alone
//! until then; copying their states and counting their overlap, once in these five, is included.

mod memory;
mod shape;

use partita::coupling::{Nugget, Optimal};
use partita::kernel::{Chains, Workspace};
use partita::partition::Metric;
use partita::{Gibbs, Kernel, State, Stream};
use partita_study::chart::{Axis, Hue, Mark, Panel, Scale, figure};
use shape::{Shape, Target};
use std::time::Instant;

const ROUNDS: usize = 5;
/// Nanoseconds of a round.
const ROUND: f64 = 1e8;
/// Sweeps of a pair, at most.
const COUPLED: u64 = 5;

/// Nanoseconds this thread has been on a processor (Linux), elsewhere since `start`.
fn clock(start: Instant) -> f64 {
    let told =
        || std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok();
    told().unwrap_or_else(|| start.elapsed().as_nanos() as f64)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A shape with its chains, ready to be timed.
struct Case {
    shape: Shape,
    target: Target,
    /// Two chains that have run alone.
    x: State<Target>,
    y: State<Target>,
    /// Streams of pairs, and how many sweeps each makes before the one it meets in, at most five.
    pairs: Vec<(Stream, u64)>,
    /// How often a round repeats its work, single and coupled.
    repeats: [u64; 2],
    /// Nanoseconds per sweep, by round.
    times: [Vec<f64>; 2],
}

impl Case {
    fn new(shape: Shape) -> Self {
        let target = shape.target();
        let [x, y] = [1, 2].map(|seed| {
            let mut state = State::new(&target, shape.truth());
            let mut work = Workspace::new();
            let stream = Stream::new(seed, 1);
            (1..=5).for_each(|t| Gibbs.step(&target, &mut state, &mut stream.sweep(t), &mut work));
            state
        });
        let mut case = Case { shape, target, x, y, pairs: vec![], repeats: [1; 2], times: [vec![], vec![]] };
        let enough = case.some_sweeps();
        let mut sweeps = 0;
        for replicate in 0..10 * enough {
            let stream = Stream::new(3, replicate);
            let made = case.couple(&stream, COUPLED);
            if made > 0 {
                case.pairs.push((stream, made));
                sweeps += made;
            }
            if sweeps >= enough {
                break;
            }
        }
        for which in 0..2 {
            let once = case.round(which).0;
            case.repeats[which] = (ROUND / once).ceil().max(1.0) as u64;
        }
        case
    }

    /// Sweeps that take some milliseconds, so that the clock can see them.
    fn some_sweeps(&self) -> u64 {
        (200_000 / self.shape.items).max(5) as u64
    }

    /// A pair's coupled sweeps, at most so many; how many before the one it met in.
    fn couple(&self, stream: &Stream, most: u64) -> u64 {
        let mut coupling = Nugget::new(Optimal::new(Metric::Hamming, self.shape.items), 1e-5).unwrap();
        let mut work = Workspace::new();
        let mut chains = Chains::new(self.x.clone(), self.y.clone());
        for t in 1..=most {
            Gibbs.coupled_step(&self.target, &mut chains, &mut coupling, &mut stream.sweep(t), &mut work);
            if chains.have_met() {
                return t - 1;
            }
        }
        most
    }

    /// One round of single (0) or coupled (1) sweeps: nanoseconds, and sweeps made.
    fn round(&self, which: usize) -> (f64, u64) {
        let begin = Instant::now();
        let start = clock(begin);
        let mut sweeps = 0;
        if which == 0 {
            let (mut state, mut work, stream) = (self.x.clone(), Workspace::new(), Stream::new(4, 0));
            sweeps = self.repeats[0] * self.some_sweeps();
            for t in 1..=sweeps {
                Gibbs.step(&self.target, &mut state, &mut stream.sweep(t), &mut work);
            }
        } else {
            for _ in 0..self.repeats[1] {
                sweeps += self.pairs.iter().map(|(stream, most)| self.couple(stream, *most)).sum::<u64>();
            }
        }
        ((clock(begin) - start).max(4e6), sweeps)
    }

    fn time(&self, which: usize) -> f64 {
        median(self.times[which].clone())
    }
}

/// The slope of a line through points, both in logarithms, by least squares.
fn exponent(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::ln)).collect();
    let mean = |i: usize| logs.iter().map(|p| p[i]).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let sum = |f: &dyn Fn(&[f64; 2]) -> f64| logs.iter().map(f).sum::<f64>();
    sum(&|p| (p[0] - x) * (p[1] - y)) / sum(&|p| (p[0] - x) * (p[0] - x))
}

/// Times shapes that differ in one number, prints their table and gives their marks, whose names begin with
/// `legend`.
fn series(
    title: &str,
    legend: &str,
    varied: fn(&Shape) -> usize,
    shapes: &[Shape],
    hues: [Hue; 2],
) -> Vec<Mark> {
    let mut cases: Vec<Case> = shapes.iter().copied().map(Case::new).collect();
    for _ in 0..ROUNDS {
        for case in &mut cases {
            for which in 0..2 {
                let (time, sweeps) = case.round(which);
                case.times[which].push(time / sweeps.max(1) as f64);
            }
        }
    }
    println!("\n{title}\n");
    println!(
        "| at | distances from | clusters | single sweep, µs | ns an item-step | coupled, µs | ns an item-step | coupled / 2 single |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for case in &cases {
        let [single, coupled] = [case.time(0), case.time(1)];
        let items = case.shape.items as f64;
        println!(
            "| {} | {} | {} | {:.1} | {:.0} | {:.1} | {:.0} | {:.2} |",
            varied(&case.shape),
            case.shape.distances(),
            case.x.partition().clusters(),
            single / 1e3,
            single / items,
            coupled / 1e3,
            coupled / items,
            coupled / (2.0 * single)
        );
    }
    println!();
    let mut marks = Vec::new();
    for (which, kind) in ["single", "coupled"].into_iter().enumerate() {
        let points: Vec<[f64; 2]> =
            cases.iter().map(|case| [varied(&case.shape) as f64, case.time(which) / 1e9]).collect();
        let (all, end) = (exponent(&points), exponent(&points[points.len().saturating_sub(3)..]));
        println!("{kind}: exponent {all:.3}, of the last three points {end:.3}");
        let name = format!("{legend}{kind}, exponent {all:.2}");
        marks.push(Mark::Line { name, hue: hues[which], dashed: false, points: points.clone() });
        marks.push(Mark::Points { name: String::new(), hue: hues[which], points });
    }
    marks
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let asked = |word: &str| words.iter().any(|given| given == word);
    memory::table();
    if asked("--memory") {
        return;
    }
    let plane = |items, clusters| Shape { items, dimension: 2, clusters };
    let [first, second] = [[Hue::Blue, Hue::Red], [Hue::Green, Hue::Orange]];
    let items = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
    let by_items = series("4 clusters, 2 columns", "", |s| s.items, &items.map(|n| plane(n, 4)), first);
    let columns =
        |items| [2, 4, 8, 16, 32, 64, 128, 256, 512].map(|dimension| Shape { items, dimension, clusters: 4 });
    let mut by_columns = series("200 items", "200 items, ", |s| s.dimension, &columns(200), first);
    by_columns.extend(series("2,000 items", "2,000 items, ", |s| s.dimension, &columns(2_000), second));
    let clusters = [2, 4, 8, 16, 32, 64, 128, 200].map(|clusters| plane(4_000, clusters));
    let by_clusters = series("4,000 items, 2 columns", "", |s| s.clusters, &clusters, first);
    if asked("--record") {
        let log = |label: &str| Axis { label: label.into(), scale: Scale::Log, ..Axis::default() };
        let panel = |title: &str, x: &str, marks| Panel {
            title: title.into(),
            x: log(x),
            y: log("seconds per sweep"),
            marks,
        };
        let panels = [
            panel("4 clusters, 2 columns", "items", by_items),
            panel("4 clusters", "columns", by_columns),
            panel("4,000 items, 2 columns", "clusters", by_clusters),
        ];
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/growth.svg");
        std::fs::write(path, figure("Time per sweep against items, columns and clusters", &panels, 3))
            .unwrap();
        println!("\nwritten: docs/growth.svg");
    }
}
