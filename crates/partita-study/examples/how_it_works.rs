//! Draws the pictures of `docs/how-it-works.md` from real runs: the measurements of the built-in penguins, a fixed seed.
//!
//! Run it with `cargo run --release -p partita-study --example how_it_works`; a folder as its argument takes the place of `docs`, and
//! names of pictures after it leave out the others.

use partita::aggregate::mean;
use partita::coupling::{CommonUniform, Labels, Maximal, Nugget, Optimal};
use partita::partition::Metric;
use partita::rng::Purpose;
use partita::start::{FromPrior, Start};
use partita::summary::TopShares;
use partita::survival::{KaplanMeier, Observed};
use partita::{
    Coupling, Estimator, Gaussian, Gibbs, Mixture, Moment, Observer, Pair, Prior, Schedule, Stream, Target,
    Wish,
};
use partita_study::chart::{Axis, Hue, Mark, Panel, Scale, figure};
use std::path::PathBuf;

const SEED: u64 = 1;
const ALPHA: f64 = 1.0;
const PRIOR_SD: f64 = 1.0;
const NOISE_SD: f64 = 0.7;

type Penguins = Mixture<Gaussian>;

/// The four measurements of 342 birds, standardised.
fn measurements() -> Vec<f64> {
    let table = partita_run::demo::penguins(true).expect("the built-in table");
    let (rows, columns) = (table.rows, table.columns);
    let mut values = table.values;
    for column in 0..columns {
        let cells = || (0..rows).map(|row| row * columns + column);
        let mean = cells().map(|i| values[i]).sum::<f64>() / rows as f64;
        let variance = cells().map(|i| (values[i] - mean).powi(2)).sum::<f64>() / rows as f64;
        for i in cells() {
            values[i] = (values[i] - mean) / variance.sqrt();
        }
    }
    values
}

/// What happens in one pair, sweep by sweep.
#[derive(Default)]
struct Trace {
    x: Vec<[f64; 2]>,
    y: Vec<[f64; 2]>,
    distance: Vec<[f64; 2]>,
    until: u64,
}

impl<T: Target> Observer<T> for Trace {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        let largest =
            |z: &partita::Partition| f64::from(*z.sizes().iter().max().expect("a cluster")) / z.len() as f64;
        let t = moment.t as f64;
        self.x.push([t, largest(moment.x.partition())]);
        if let Some(y) = moment.y {
            self.y.push([t, largest(y.partition())]);
            let apart = Metric::Hamming.distance(moment.x.partition(), y.partition());
            let pairs = (y.partition().len() * (y.partition().len() - 1)) as f64;
            self.distance.push([t, apart / pairs]);
        }
        if moment.t < self.until { Wish::More } else { Wish::Enough }
    }
}

/// The average of one chain alone, from the burn-in on: the estimate without its correction.
struct Alone {
    schedule: Schedule,
    sum: f64,
}

impl<T: Target> Observer<T> for Alone {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        if (self.schedule.burn_in()..=self.schedule.sweeps()).contains(&moment.t) {
            let z = moment.x.partition();
            self.sum += f64::from(*z.sizes().iter().max().expect("a cluster")) / z.len() as f64;
        }
        Wish::Enough
    }
}

struct Study {
    target: Penguins,
    start: FromPrior,
    items: usize,
}

impl Study {
    fn new() -> Result<Self, partita::Error> {
        let values = measurements();
        let items = values.len() / 4;
        let prior = Prior::dirichlet(ALPHA)?;
        let target = Mixture::new(prior, Gaussian::isotropic(values, 4, PRIOR_SD, NOISE_SD)?);
        Ok(Study { target, start: FromPrior { prior, items }, items })
    }

    fn optimal(&self) -> Result<Nugget<Optimal>, partita::Error> {
        Nugget::new(Optimal::new(Metric::Hamming, self.items), 1e-5)
    }

    /// One pair under any coupling and observer; its meeting time, or the cap.
    fn pair(
        &self,
        coupling: impl Coupling,
        lag: u64,
        cap: u64,
        replicate: u64,
        observer: &mut impl Observer<Penguins>,
    ) -> Result<Observed, partita::Error> {
        let stream = Stream::new(SEED, replicate);
        let outcome = Pair::new(&self.target, &Gibbs, coupling, lag)?.cap(cap).run(
            self.start.draw(&mut stream.sequence(Purpose::StartX, 0)),
            self.start.draw(&mut stream.sequence(Purpose::StartY, 0)),
            &stream,
            observer,
        );
        let tau = outcome.ending.tau();
        Ok(Observed { time: tau.unwrap_or(cap), met: tau.is_some() })
    }

    /// The coupled estimate and the average of the first chain alone, for each of so many pairs.
    fn both(
        &self,
        schedule: Schedule,
        first: u64,
        pairs: u64,
    ) -> Result<(Vec<f64>, Vec<f64>), partita::Error> {
        let mut out = (Vec::new(), Vec::new());
        for replicate in first..first + pairs {
            let mut watch = (Estimator::new(schedule, TopShares(1)), Alone { schedule, sum: 0.0 });
            let end = self.pair(self.optimal()?, schedule.lag(), 1_000_000, replicate, &mut watch)?;
            assert!(end.met, "every pair meets");
            out.0.push(watch.0.values()[0]);
            out.1.push(watch.1.sum / schedule.window() as f64);
        }
        Ok(out)
    }
}

fn axis(label: &str) -> Axis {
    Axis { label: label.into(), ..Axis::default() }
}

fn percent(label: &str) -> Axis {
    Axis { percent: true, ..axis(label) }
}

fn line(name: &str, hue: Hue, points: Vec<[f64; 2]>) -> Mark {
    Mark::Line { name: name.into(), hue, dashed: false, points }
}

/// Two coupled chains, one ahead by the lag, until they are one.
fn coupling(study: &Study) -> Result<String, partita::Error> {
    const LAG: u64 = 20;
    const UNTIL: u64 = 200;
    let run = |replicate| -> Result<(Trace, Observed), partita::Error> {
        let mut trace = Trace { until: UNTIL, ..Trace::default() };
        let end = study.pair(study.optimal()?, LAG, 100_000, replicate, &mut trace)?;
        Ok((trace, end))
    };
    let mut others = Vec::new();
    for replicate in 1..=20 {
        others.push(run(replicate)?);
    }
    // The pair of the median meeting time among the twenty.
    let mut order: Vec<usize> = (0..others.len()).collect();
    order.sort_by_key(|&i| others[i].1.time);
    let (trace, end) = others.swap_remove(order[others.len() / 2]);
    println!("coupling: the pair shown meets at {}", end.time);
    let met = || Mark::Upright { name: "meeting".into(), hue: Hue::Black, at: end.time as f64 };
    let shown =
        |points: &[[f64; 2]]| points.iter().copied().filter(|p| p[0] <= UNTIL as f64).collect::<Vec<_>>();
    let met_at = |trace: &Trace, end: Observed| {
        let mut points = shown(&trace.distance);
        if end.time <= UNTIL {
            points.push([end.time as f64, 0.0]);
        }
        points
    };
    let range = Some([0.0, UNTIL as f64]);
    let chains = Panel {
        title: "Two coupled chains".into(),
        x: Axis { range, ..axis("sweep t") },
        y: percent("share of the largest cluster"),
        marks: vec![
            line("X at t", Hue::Blue, shown(&trace.x)),
            line("Y at t − 20", Hue::Orange, shown(&trace.y)),
            met(),
        ],
    };
    let mut marks: Vec<Mark> = others
        .iter()
        .enumerate()
        .map(|(i, (trace, end))| {
            line(if i == 0 { "other pairs" } else { "" }, Hue::Grey, met_at(trace, *end))
        })
        .collect();
    marks.push(line("the pair of (a)", Hue::Blue, met_at(&trace, end)));
    let distance = Panel {
        title: "Distance between the chains".into(),
        x: Axis { range, ..axis("sweep t") },
        y: percent("pairs of items on which they differ"),
        marks,
    };
    Ok(figure("Two coupled chains move together and meet", &[chains, distance], 2))
}

/// How many pairs have not met, by coupling.
fn meeting(study: &Study) -> Result<String, partita::Error> {
    const PAIRS: u64 = 400;
    const CAP: u64 = 2000;
    let mut marks = Vec::new();
    let mut add = |name: &str, hue: Hue, seen: Vec<Observed>| {
        let curve = KaplanMeier::new(&seen);
        let left = seen.iter().filter(|o| !o.met).count();
        println!(
            "meeting: {name}: {left} of {PAIRS} left, median {:?}, 99 % {:?}",
            curve.quantile(0.5),
            curve.quantile(0.99)
        );
        let steps = curve.steps();
        let mut points = vec![[1.0, 1.0]];
        points.extend(steps.iter().map(|s| [s.time as f64, s.survival]));
        let mut band: Vec<[f64; 3]> =
            steps.iter().map(|s| [s.time as f64, s.interval.0, s.interval.1]).collect();
        let mut ticks = Vec::new();
        if left > 0 {
            points.push([CAP as f64, curve.last_survival()]);
            band.extend(steps.last().map(|s| [CAP as f64, s.interval.0, s.interval.1]));
            ticks.push([CAP as f64, curve.last_survival()]);
        }
        marks.push(Mark::StepBand { hue, points: band });
        marks.push(Mark::Steps { name: name.into(), hue, dashed: false, points, ticks });
    };
    let mut seen: [Vec<Observed>; 3] = Default::default();
    for replicate in 0..PAIRS {
        seen[0].push(study.pair(study.optimal()?, 1, CAP, replicate, &mut ())?);
        let maximal = Nugget::new(Maximal::new(Labels::ByOpening), 1e-5)?;
        seen[1].push(study.pair(maximal, 1, CAP, replicate, &mut ())?);
        let common = Nugget::new(CommonUniform::new(), 1e-5)?;
        seen[2].push(study.pair(common, 1, CAP, replicate, &mut ())?);
    }
    let [optimal, maximal, common] = seen;
    const WIDTH: u64 = 10;
    const SHOWN: u64 = 300;
    let bars = (0..SHOWN / WIDTH).map(|i| {
        let met = optimal.iter().filter(|o| o.met && o.time / WIDTH == i).count();
        [(i * WIDTH) as f64, ((i + 1) * WIDTH) as f64, met as f64 / PAIRS as f64]
    });
    let times = Panel {
        title: "Meeting times, optimal transport".into(),
        x: Axis { range: Some([0.0, SHOWN as f64]), ..axis("sweeps") },
        y: percent("share of the pairs"),
        marks: vec![Mark::Bars { name: String::new(), hue: Hue::Blue, bars: bars.collect() }],
    };
    println!("meeting: {} after the last bar", optimal.iter().filter(|o| o.time >= SHOWN).count());
    add("optimal transport", Hue::Blue, optimal);
    add("maximal coupling of labels", Hue::Orange, maximal);
    add("common random numbers", Hue::Green, common);
    let panel = Panel {
        title: "Pairs that have not met".into(),
        x: Axis { scale: Scale::Log, range: Some([1.0, CAP as f64]), ..axis("sweeps") },
        y: Axis { range: Some([0.0, 1.02]), ..percent("pairs still apart") },
        marks,
    };
    Ok(figure("How many pairs have not met, by coupling", &[times, panel], 2))
}

/// Averages of single chains are biased by their start; coupled estimates are not.
fn bias(study: &Study) -> Result<String, partita::Error> {
    const WINDOW: u64 = 20;
    const PAIRS: u64 = 2000;
    let long = study.both(Schedule::new(400, 600, 3000)?, 1_000_000, 300)?;
    let truth = mean(&long.0).expect("estimates");
    println!("bias: truth {:.5} ± {:.5}", truth.value, truth.half_width());
    let (mut single, mut coupled) = (Vec::new(), Vec::new());
    for burn_in in [0, 10, 20, 40, 80, 160, 320] {
        let schedule = Schedule::new(20, burn_in, burn_in + WINDOW)?;
        let (with, without) = study.both(schedule, 10_000, PAIRS)?;
        let whisker = |values: &[f64], aside: f64| {
            let e = mean(values).expect("estimates");
            [burn_in as f64 + aside, e.value, e.interval.0, e.interval.1]
        };
        coupled.push(whisker(&with, 0.0));
        single.push(whisker(&without, 3.0));
        println!("bias: burn-in {burn_in}: coupled {:?}, single {:?}", coupled.last(), single.last());
    }
    let at = || Mark::Across { name: "posterior mean".into(), hue: Hue::Black, at: truth.value };
    let burn_ins = Panel {
        title: "Averages over 2,000 runs".into(),
        x: axis("burn-in, sweeps"),
        y: percent("share of the largest cluster"),
        marks: vec![
            at(),
            Mark::Whiskers { name: "single chains".into(), hue: Hue::Red, points: single },
            Mark::Whiskers { name: "coupled pairs".into(), hue: Hue::Blue, points: coupled },
        ],
    };
    // Many short runs, averaged: J of them at a time.
    let (with, without) = study.both(Schedule::new(20, 20, 60)?, 100_000, 20_000)?;
    let errors = |values: &[f64]| -> Vec<[f64; 2]> {
        [10, 30, 100, 300, 1000]
            .into_iter()
            .map(|size: usize| {
                let squares: Vec<f64> = values
                    .chunks_exact(size)
                    .map(|batch| (batch.iter().sum::<f64>() / size as f64 - truth.value).powi(2))
                    .collect();
                [size as f64, (squares.iter().sum::<f64>() / squares.len() as f64).sqrt() / truth.value]
            })
            .collect()
    };
    println!("bias: J single {:?}\nbias: J coupled {:?}", errors(&without), errors(&with));
    let many = Panel {
        title: "Averages over J short runs".into(),
        x: Axis { scale: Scale::Log, ..axis("number of runs J") },
        y: Axis { scale: Scale::Log, ..percent("root mean squared error") },
        marks: vec![
            line("single chains", Hue::Red, errors(&without)),
            line("coupled pairs", Hue::Blue, errors(&with)),
        ],
    };
    Ok(figure("Coupled estimates have no bias from the start", &[burn_ins, many], 2))
}

/// Draws one picture.
type Draw = fn(&Study) -> Result<String, partita::Error>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| docs.into()));
    let only: Vec<String> = std::env::args().skip(2).collect();
    let study = Study::new()?;
    let pictures: [(&str, Draw); 3] =
        [("how-coupling.svg", coupling), ("how-meeting.svg", meeting), ("how-bias.svg", bias)];
    for (name, draw) in pictures {
        if only.is_empty() || only.iter().any(|wanted| name == wanted) {
            std::fs::write(folder.join(name), draw(&study)?)?;
            println!("written: {}", folder.join(name).display());
        }
    }
    Ok(())
}
