//! The figures of a study: those of the paper, drawn from what was found.

use super::definition::Study;
use super::losses::{Loss, mean_and_error};
use super::meetings::Met;
use super::{ArmResults, DensityResults, SummaryResults};
use crate::chart::{Axis, Hue, Mark, Panel, Scale, figure};
use partita::Stream;
use partita::aggregate::quantile;
use partita::chance::Chance;
use partita::rng::Purpose;

const COUPLED: Hue = Hue::Blue;
const NAIVE: Hue = Hue::Red;
const HUES: [Hue; 6] = [Hue::Blue, Hue::Orange, Hue::Green, Hue::Purple, Hue::Red, Hue::Grey];

/// All figures: a file's stem and its SVG.
pub(super) fn all(study: &Study, arms: &[ArmResults]) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut draw = |name: String, title: String, panels: Vec<Panel>, columns: usize| {
        if !panels.is_empty() {
            out.push((name, figure(&title, &panels, columns)));
        }
    };
    for arm in arms {
        let (stem, suffix) = if arm.arm.name.is_empty() {
            (String::new(), String::new())
        } else {
            (format!("{}-", super::slug(&arm.arm.name)), format!(", {}", arm.arm.name))
        };
        let title = |what: &str| format!("{what}: {}{suffix}", study.name);
        if let Some(panels) = composite(arm) {
            draw(format!("{stem}composite"), title("Accuracy, intervals and meeting times"), panels, 2);
        }
        draw(format!("{stem}losses"), title("Losses"), arm.summaries.iter().flat_map(losses).collect(), 2);
        let rmse = arm.summaries.iter().enumerate().flat_map(|(i, s)| [rmse(s), intervals(arm, i)]);
        draw(format!("{stem}rmse"), title("Error and intervals"), rmse.collect(), 2);
        let coverages = arm.summaries.iter().map(coverage).collect();
        draw(format!("{stem}coverage"), title("Coverage of intervals"), coverages, 2);
        let scatter = (0..arm.summaries.len()).flat_map(|i| scatter(arm, i)).collect();
        draw(format!("{stem}estimates"), title("Individual estimates"), scatter, 2);
        let mut coupling = Vec::new();
        if !arm.met.is_empty() {
            coupling.push(survival(&arm.met));
            coupling.extend(distances(&arm.met));
        }
        draw(format!("{stem}coupling"), title("Meeting times and distances"), coupling, 2);
        let trims = arm.summaries.iter().filter_map(trims).collect();
        draw(format!("{stem}trimming"), title("Trimming amounts"), trims, 2);
        draw(format!("{stem}outliers"), title("A mixture with outliers"), outliers(arm), 2);
    }
    let densities: Vec<Panel> =
        arms.iter().filter_map(|a| Some(density(&a.arm.name, a.density.as_ref()?))).collect();
    draw("density".into(), format!("Predictive density: {}", study.name), densities, 3);
    if arms.len() > 1 {
        let beside = arms.iter().flat_map(|arm| {
            arm.summaries.iter().map(|s| {
                let mut panel = rmse(s);
                panel.title = format!("{}, {}", arm.arm.name, s.symbol.clone());
                panel
            })
        });
        draw("arms".into(), format!("Error, side by side: {}", study.name), beside.collect(), 3);
    }
    out
}

fn processes_axis() -> Axis {
    Axis { label: "number of processes J".into(), scale: Scale::Log, ..Axis::default() }
}

fn error_axis(label: &str) -> Axis {
    Axis { label: label.into(), scale: Scale::Log, percent: true, ..Axis::default() }
}

fn line(name: &str, hue: Hue, points: impl Iterator<Item = [f64; 2]>) -> Mark {
    Mark::Line { name: name.into(), hue, dashed: false, points: points.collect() }
}

fn at(loss: &Loss, value: f64) -> [f64; 2] {
    [loss.processes as f64, value]
}

fn loss_panel(title: String, coupled: &[Loss], naive: &[Loss]) -> Panel {
    let band = |losses: &[Loss], hue| Mark::Band {
        hue,
        points: losses.iter().map(|l| [l.processes as f64, l.low, l.high]).collect(),
    };
    let median = |name, losses: &[Loss], hue| line(name, hue, losses.iter().map(|l| at(l, l.median)));
    Panel {
        title,
        x: processes_axis(),
        y: error_axis("loss, share of the truth"),
        marks: vec![
            band(naive, NAIVE),
            band(coupled, COUPLED),
            median("naive parallel", naive, NAIVE),
            median("coupled", coupled, COUPLED),
        ],
    }
}

fn losses(s: &SummaryResults) -> [Panel; 2] {
    let name = s.symbol.clone();
    [
        loss_panel(format!("{name}, mean"), &s.coupled, &s.naive),
        loss_panel(format!("{name}, trimmed mean"), &s.trimmed, &s.naive_trimmed),
    ]
}

fn rmse(s: &SummaryResults) -> Panel {
    let rmse = |name, losses: &[Loss], hue| line(name, hue, losses.iter().map(|l| at(l, l.rmse)));
    Panel {
        title: format!("{}, error", s.symbol.clone()),
        x: processes_axis(),
        y: error_axis("RMSE, share of the truth"),
        marks: vec![
            rmse("naive parallel", &s.naive, NAIVE),
            rmse("coupled, mean", &s.coupled, COUPLED),
            rmse("coupled, trimmed", &s.trimmed, Hue::Green),
        ],
    }
}

/// What one user sees: the first J estimates, their mean and two standard errors.
fn intervals(arm: &ArmResults, i: usize) -> Panel {
    let s = &arm.summaries[i];
    let both = arm.both.as_ref().expect("summaries come with estimates");
    let whiskers = |values: &[f64], aside: f64| -> Vec<[f64; 4]> {
        let one = |loss: &Loss| {
            let (mean, error) = mean_and_error(&values[..loss.processes as usize]);
            [loss.processes as f64 * aside, mean, mean - 2.0 * error, mean + 2.0 * error]
        };
        s.coupled.iter().map(one).collect()
    };
    let (coupled, naive) = (whiskers(&both.coupled[i], 1.0), whiskers(&both.naive[i], 1.1));
    Panel {
        title: format!("{}, one user's intervals", s.symbol.clone()),
        x: processes_axis(),
        y: Axis { label: "estimate ± 2 standard errors".into(), ..Axis::default() },
        marks: vec![
            Mark::Across { name: "truth".into(), hue: Hue::Black, at: s.truth.value },
            Mark::Whiskers { name: "naive parallel".into(), hue: NAIVE, points: naive },
            Mark::Whiskers { name: "coupled".into(), hue: COUPLED, points: coupled },
        ],
    }
}

fn coverage(s: &SummaryResults) -> Panel {
    let points = |losses: &[Loss], aside: f64| -> Vec<[f64; 4]> {
        losses
            .iter()
            .map(|l| {
                let error = (l.coverage * (1.0 - l.coverage) / l.batches as f64).sqrt();
                let j = l.processes as f64 * aside;
                [j, l.coverage, l.coverage - 2.0 * error, l.coverage + 2.0 * error]
            })
            .collect()
    };
    Panel {
        title: format!("{}, coverage", s.symbol.clone()),
        x: processes_axis(),
        y: Axis {
            label: "batches that cover the truth".into(),
            range: Some([0.0, 1.02]),
            percent: true,
            ..Axis::default()
        },
        marks: vec![
            Mark::Across { name: "nominal, 95.4 %".into(), hue: Hue::Black, at: 0.9545 },
            Mark::Whiskers { name: "naive parallel".into(), hue: NAIVE, points: points(&s.naive, 1.1) },
            Mark::Whiskers { name: "coupled".into(), hue: COUPLED, points: points(&s.coupled, 1.0) },
        ],
    }
}

/// Every coupled estimate as a point, every naive one in a histogram.
fn scatter(arm: &ArmResults, i: usize) -> [Panel; 2] {
    let s = &arm.summaries[i];
    let both = arm.both.as_ref().expect("summaries come with estimates");
    let mut chance = Stream::new(0, 0).sequence(Purpose::Data, 0);
    let points = both.coupled[i].iter().map(|v| [*v, chance.uniform()]).collect();
    let marks = |values: &[f64], hue: Hue| -> Vec<Mark> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        [(0.01, "1 % and 99 %"), (0.99, "")]
            .into_iter()
            .filter_map(|(q, name)| Some(Mark::Upright { name: name.into(), hue, at: quantile(&sorted, q)? }))
            .collect()
    };
    let truth = |name: &str| Mark::Upright { name: name.into(), hue: Hue::Black, at: s.truth.value };
    let name = s.symbol.clone();
    let cloud = Mark::Points { name: String::new(), hue: COUPLED, points };
    let left = Panel {
        title: format!("{name}, coupled"),
        x: Axis { label: "estimate".into(), ..Axis::default() },
        y: Axis { label: "spread out at random".into(), range: Some([0.0, 1.0]), ..Axis::default() },
        marks: [cloud]
            .into_iter()
            .chain(marks(&both.coupled[i], Hue::Grey))
            .chain([truth("truth")])
            .collect(),
    };
    let right = Panel {
        title: format!("{name}, naive parallel"),
        x: Axis { label: "estimate".into(), ..Axis::default() },
        y: Axis { label: "estimates".into(), ..Axis::default() },
        marks: vec![
            Mark::Bars { name: String::new(), hue: NAIVE, bars: histogram(&both.naive[i], 40) },
            truth("truth"),
        ],
    };
    [left, right]
}

/// Bars of equal width over the range of the values.
fn histogram(values: &[f64], bars: usize) -> Vec<[f64; 3]> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let width =
        if high > low { (high - low) / bars as f64 } else { return vec![[low, low, values.len() as f64]] };
    let mut out: Vec<[f64; 3]> =
        (0..bars).map(|i| [low + i as f64 * width, low + (i + 1) as f64 * width, 0.0]).collect();
    for value in values {
        out[(((value - low) / width) as usize).min(bars - 1)][2] += 1.0;
    }
    out
}

fn survival(all: &[Met]) -> Panel {
    let last = all.iter().flat_map(|m| m.observed.iter().map(|o| o.time)).max().unwrap_or(1) as f64;
    let mut marks = Vec::new();
    for (met, hue) in all.iter().zip(HUES) {
        let steps = met.curve.steps();
        let band = steps.iter().map(|s| [s.time as f64, s.interval.0, s.interval.1]);
        let end = met.curve.last_survival();
        let mut band: Vec<[f64; 3]> = band.collect();
        let mut points: Vec<[f64; 2]> =
            [[1.0, if steps.first().is_some_and(|s| s.time <= 1) { steps[0].survival } else { 1.0 }]]
                .into_iter()
                .chain(steps.iter().filter(|s| s.time > 1).map(|s| [s.time as f64, s.survival]))
                .collect();
        if end > 0.0 {
            points.push([last, end]);
            band.extend(steps.last().map(|s| [last, s.interval.0, s.interval.1]));
        }
        let cut = met.observed.iter().filter(|o| !o.met).map(|o| o.time).max();
        let ticks = cut.map(|t| [t as f64, end]).into_iter().collect();
        marks.push(Mark::StepBand { hue, points: band });
        marks.push(Mark::Steps { name: met.name.clone(), hue, dashed: false, points, ticks });
    }
    Panel {
        title: "Pairs that have not met".into(),
        x: Axis { label: "sweeps".into(), scale: Scale::Log, ..Axis::default() },
        y: Axis { label: "P(τ > sweeps)".into(), range: Some([0.0, 1.0]), ..Axis::default() },
        marks,
    }
}

fn distances(all: &[Met]) -> Option<Panel> {
    let mut marks = Vec::new();
    for (met, hue) in all.iter().zip(HUES).filter(|(met, _)| !met.distances.is_empty()) {
        marks.push(Mark::Band { hue, points: met.distances.iter().map(|d| [d[0], d[1], d[3]]).collect() });
        marks.push(line(&met.name, hue, met.distances.iter().map(|d| [d[0], d[4]])));
    }
    (!marks.is_empty()).then(|| Panel {
        title: "Distance between the chains".into(),
        x: Axis { label: "sweeps".into(), ..Axis::default() },
        y: Axis { label: "Hamming distance, mean and 20–80 %".into(), ..Axis::default() },
        marks,
    })
}

/// The paper's row of four: two losses, intervals, survival.
fn composite(arm: &ArmResults) -> Option<Vec<Panel>> {
    let first = arm.summaries.first()?;
    let [mean, trimmed] = losses(first);
    (!arm.met.is_empty()).then(|| vec![mean, trimmed, intervals(arm, 0), survival(&arm.met)])
}

fn trims(s: &SummaryResults) -> Option<Panel> {
    let processes = s.trims.first()?.1.processes;
    let points = s.trims.iter().map(|(amount, loss)| [100.0 * amount, loss.rmse]);
    let nearest =
        |losses: &[Loss]| losses.iter().min_by_key(|l| l.processes.abs_diff(processes)).map(|l| l.rmse);
    let mut marks = vec![line("trimmed mean", Hue::Green, points)];
    for (name, hue, losses) in [("mean", COUPLED, &s.coupled), ("naive parallel", NAIVE, &s.naive)] {
        marks.extend(nearest(losses).map(|at| Mark::Across { name: name.into(), hue, at }));
    }
    Some(Panel {
        title: format!("{}, {processes} processes", s.symbol.clone()),
        x: Axis { label: "trimmed in all, per cent".into(), ..Axis::default() },
        y: Axis { label: "RMSE, share of the truth".into(), percent: true, ..Axis::default() },
        marks,
    })
}

fn density(name: &str, d: &DensityResults) -> Panel {
    let n = d.data.len() as f64;
    let bars = histogram(&d.data, 30).into_iter().map(|[a, b, h]| [a, b, h / (n * (b - a))]).collect();
    let law = d.curve.iter().zip(&d.law).map(|(c, law)| [c[0], *law]).collect();
    Panel {
        title: if name.is_empty() { format!("{} observations", d.data.len()) } else { name.into() },
        x: Axis { label: "x".into(), ..Axis::default() },
        y: Axis { label: "density".into(), ..Axis::default() },
        marks: vec![
            Mark::Bars { name: "data".into(), hue: Hue::Grey, bars },
            Mark::Line { name: "population".into(), hue: Hue::Black, dashed: true, points: law },
            Mark::Band {
                hue: COUPLED,
                points: d.curve.iter().map(|c| [c[0], c[1] - 2.0 * c[2], c[1] + 2.0 * c[2]]).collect(),
            },
            line("predictive, unbiased", COUPLED, d.curve.iter().map(|c| [c[0], c[1]])),
        ],
    }
}

fn outliers(arm: &ArmResults) -> Vec<Panel> {
    let Some(found) = &arm.outliers else { return Vec::new() };
    let column = |i: usize| found.rmse.iter().map(move |row| [row[0], row[i]]);
    let theory =
        Mark::Line { name: "mean, theory".into(), hue: Hue::Grey, dashed: true, points: column(3).collect() };
    let left = Panel {
        title: "Error".into(),
        x: processes_axis(),
        y: Axis { label: "RMSE".into(), scale: Scale::Log, ..Axis::default() },
        marks: vec![theory, line("mean", COUPLED, column(1)), line("trimmed mean", Hue::Green, column(2))],
    };
    let boxes = [("mean", COUPLED), ("trimmed mean", Hue::Green)];
    let right = Panel {
        title: format!("Aggregates of {} draws", arm.arm.outliers.as_ref().map_or(0, |o| o.boxes_at)),
        x: Axis { range: Some([0.4, 2.6]), ..Axis::default() },
        y: Axis { label: "aggregate".into(), ..Axis::default() },
        marks: boxes
            .into_iter()
            .zip(found.boxes)
            .enumerate()
            .map(|(i, ((name, hue), five))| Mark::Box { name: name.into(), hue, x: 1.0 + i as f64, five })
            .collect(),
    };
    vec![left, right]
}
