//! Figures of the shapes that the pages have, to be looked at: `cargo test -p partita-study samples -- --ignored`
//! writes them to the folder that `PARTITA_CHARTS` names.

use super::{Axis, Hue, Mark, Panel, Scale, figure};

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

fn axis(label: &str) -> Axis {
    Axis { label: label.into(), ..Axis::default() }
}

fn log(label: &str) -> Axis {
    Axis { label: label.into(), scale: Scale::Log, ..Axis::default() }
}

/// Losses that fall with the number of replicates, with bands.
fn losses(title: &str, floor: f64) -> Panel {
    let mut marks = Vec::new();
    for (name, hue, level, bias) in [
        ("coupled", Hue::Blue, 1.0, 0.0),
        ("single, 10 sweeps", Hue::Red, 0.5, floor),
        ("long run", Hue::Green, 0.3, 0.0),
    ] {
        let at = |i: i32| 2f64.powi(i) * 5.0;
        let value = |i: i32| (level / at(i)).sqrt() * 0.1 + bias;
        marks.push(Mark::Band {
            hue,
            points: (0..10).map(|i| [at(i), 0.75 * value(i), 1.3 * value(i)]).collect(),
        });
        let points = (0..10).map(|i| [at(i), value(i)]).collect();
        marks.push(Mark::Line { name: name.into(), hue, dashed: name == "long run", points });
    }
    Panel { title: title.into(), x: log("replicates J"), y: log("mean squared error"), marks }
}

/// Meeting times under three couplings, some pairs stopped.
fn survival(log_y: bool) -> Panel {
    let mut dice = Dice(7);
    let mut marks = Vec::new();
    for (name, hue, rate, cure) in [
        ("optimal transport", Hue::Blue, 0.03, 0.0),
        ("maximal, labels", Hue::Red, 0.012, 0.12),
        ("common numbers", Hue::Orange, 0.008, 0.31),
    ] {
        let mut times: Vec<f64> = (0..400)
            .map(|_| if dice.uniform() < cure { 1e9 } else { (-dice.uniform().ln() / rate).ceil() })
            .collect();
        times.sort_by(f64::total_cmp);
        let met: Vec<f64> = times.iter().copied().filter(|&t| t < 500.0).collect();
        let mut points = vec![[0.0, 1.0]];
        points.extend(met.iter().enumerate().map(|(i, &t)| [t, 1.0 - (i + 1) as f64 / 400.0]));
        let last = points[points.len() - 1][1];
        points.push([500.0, last]);
        let bounds = points.iter().map(|&[t, s]| {
            let half = 1.96 * (s * (1.0 - s) / 400.0).sqrt();
            [t, (s - half).max(0.0), (s + half).min(1.0)]
        });
        marks.push(Mark::StepBand { hue, points: bounds.collect() });
        let ticks = if last > 0.0 { vec![[500.0, last]] } else { vec![] };
        marks.push(Mark::Steps { name: name.into(), hue, dashed: false, points, ticks });
    }
    let mut y = if log_y { log("not met, log scale") } else { axis("not met") };
    y.percent = !log_y;
    Panel { title: "Meeting times".into(), x: axis("sweeps"), y, marks }
}

/// Many estimates with heavy tails, and where the middle 98 % lie.
fn scatter(count: usize) -> Panel {
    let mut dice = Dice(3);
    let points: Vec<[f64; 2]> =
        (0..count).map(|i| [i as f64, 5.0 + 0.8 * dice.normal() / dice.uniform().sqrt().max(0.05)]).collect();
    let mut values: Vec<f64> = points.iter().map(|p| p[1]).collect();
    values.sort_by(f64::total_cmp);
    let marks = vec![
        Mark::Points { name: "estimate".into(), hue: Hue::Blue, points },
        Mark::Across { name: "1 %, 99 %".into(), hue: Hue::Red, at: values[count / 100] },
        Mark::Across { name: String::new(), hue: Hue::Red, at: values[count - count / 100] },
        Mark::Across { name: "mean".into(), hue: Hue::Black, at: 5.0 },
    ];
    Panel {
        title: "Estimates, one per pair".into(),
        x: axis("replicate"),
        y: axis("number of clusters"),
        marks,
    }
}

fn histogram(density: bool) -> Panel {
    let mut dice = Dice(11);
    let mut counts = [0.0; 30];
    for _ in 0..3000 {
        let at = ((dice.normal() + 3.0) * 5.0).floor();
        if (0.0..30.0).contains(&at) {
            counts[at as usize] += 1.0;
        }
    }
    let unit = if density { 3000.0 * 0.2 } else { 1.0 };
    let bars = counts.iter().enumerate().map(|(i, c)| [i as f64 / 5.0 - 3.0, i as f64 / 5.0 - 2.8, c / unit]);
    let mut marks = vec![Mark::Bars { name: "sample".into(), hue: Hue::Grey, bars: bars.collect() }];
    if density {
        let curve = |x: f64| (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
        let points = (0..=5000).map(|i| -3.2 + 6.4 * f64::from(i) / 5000.0).map(|x| [x, curve(x)]).collect();
        marks.push(Mark::Line { name: "limit".into(), hue: Hue::Blue, dashed: false, points });
    } else {
        marks.push(Mark::Upright { name: "truth".into(), hue: Hue::Red, at: 0.1 });
    }
    let title = if density { "Scaled errors against their limit law" } else { "Counts" };
    let y = axis(if density { "density" } else { "pairs" });
    Panel { title: title.into(), x: axis("standardised error"), y, marks }
}

fn whiskers() -> Panel {
    let mut dice = Dice(5);
    let series = |name: &str, hue, shift: f64, bias: f64, dice: &mut Dice| {
        let points = (0..7).map(|i| {
            let width = 0.05 / 2f64.powi(i).sqrt();
            let value = 0.31 + bias / f64::from(i + 1) + 0.5 * width * dice.normal();
            [10.0 * 2f64.powi(i) * shift, value, value - 1.96 * width, value + 1.96 * width]
        });
        Mark::Whiskers { name: name.into(), hue, points: points.collect() }
    };
    let marks = vec![
        Mark::Across { name: "truth".into(), hue: Hue::Black, at: 0.31 },
        series("coupled", Hue::Blue, 1.0, 0.0, &mut dice),
        series("single chain", Hue::Red, 1.1, 0.12, &mut dice),
    ];
    Panel {
        title: "A long title that says what is seen here at some length".into(),
        x: log("work (sweeps)"),
        y: axis("probability that two points are together"),
        marks,
    }
}

fn boxes() -> Panel {
    let five = |middle: f64| [middle - 0.3, middle - 0.08, middle, middle + 0.1, middle + 0.5];
    let mark = |i: usize, name: &str, hue, middle| Mark::Box {
        name: name.into(),
        hue,
        x: i as f64,
        five: five(middle),
    };
    let marks = vec![
        mark(0, "Neal 3", Hue::Blue, 0.8),
        mark(1, "split", Hue::Red, 1.1),
        mark(2, "Jain–Neal", Hue::Green, 0.7),
        mark(3, "slice", Hue::Purple, 1.4),
    ];
    Panel { title: "Adjusted Rand index".into(), x: axis(""), y: axis("seconds per effective draw"), marks }
}

/// No corner is free, and the names are long.
fn crowded() -> Panel {
    let hues = [Hue::Blue, Hue::Red, Hue::Green, Hue::Orange, Hue::Purple, Hue::Grey, Hue::Black];
    let marks = hues.into_iter().enumerate().map(|(i, hue)| Mark::Line {
        name: format!("series {} of the seven", i + 1),
        hue,
        dashed: i % 2 == 1,
        points: (0..400)
            .map(|t| [f64::from(t) / 4.0 - 50.0, (f64::from(t) / 20.0 + i as f64).sin() * (1.0 + i as f64)])
            .collect(),
    });
    Panel { title: "Crowded".into(), x: axis("shift"), y: axis("value"), marks: marks.collect() }
}

/// Rates in percent on a logarithmic axis, and counts that overlap.
fn rates() -> Panel {
    let bars = |hue, name: &str, middle: f64| {
        let height = |i: i32| 4000.0 * (-0.05 * (f64::from(i) - middle).powi(2)).exp();
        Mark::Bars {
            name: name.into(),
            hue,
            bars: (0..30)
                .map(|i| {
                    [
                        10f64.powf(f64::from(i) / 10.0 - 4.0),
                        10f64.powf(f64::from(i + 1) / 10.0 - 4.0),
                        height(i),
                    ]
                })
                .collect(),
        }
    };
    let x = Axis { percent: true, ..log("rate") };
    Panel {
        title: "Rates".into(),
        x,
        y: axis("runs"),
        marks: vec![bars(Hue::Blue, "before", 8.0), bars(Hue::Orange, "after", 16.0)],
    }
}

/// All of them.
pub(super) fn all() -> Vec<(&'static str, String)> {
    let tiny = Panel {
        title: "Tiny numbers".into(),
        x: axis("step"),
        y: axis("difference"),
        marks: vec![Mark::Line {
            name: "gap".into(),
            hue: Hue::Purple,
            dashed: false,
            points: (0..60)
                .map(|i| [f64::from(i) * 40_000.0, 4.4e-5 * (-f64::from(i) / 20.0).exp()])
                .collect(),
        }],
    };
    let mut wide = losses("Many decades", 0.0);
    wide.x.range = Some([1e-6, 1e9]);
    wide.y.range = Some([1e-9, 1e3]);
    let few = Panel {
        title: "Few points".into(),
        x: log("n"),
        y: log("seconds"),
        marks: vec![
            Mark::Points {
                name: "measured".into(),
                hue: Hue::Green,
                points: (1..9).map(|i| [2f64.powi(i) * 100.0, 0.02 * 2.1f64.powi(i)]).collect(),
            },
            Mark::Line {
                name: "slope 1".into(),
                hue: Hue::Grey,
                dashed: true,
                points: vec![[200.0, 0.04], [25_600.0, 5.12]],
            },
        ],
    };
    vec![
        (
            "paper",
            figure(
                "Six shapes",
                &[
                    losses("synthetic", 0.004),
                    survival(false),
                    scatter(180_000),
                    histogram(false),
                    whiskers(),
                    histogram(true),
                ],
                3,
            ),
        ),
        ("more", figure("More shapes", &[boxes(), survival(true), tiny, wide, Panel::default(), few], 3)),
        ("crowded", figure("Crowded", &[crowded(), rates(), losses("plain", 0.0), whiskers()], 2)),
        ("alone", figure("One panel", &[losses("", 0.002)], 1)),
        ("pair", figure("Two panels", &[losses("synthetic", 0.0), losses("seeds", 0.01)], 2)),
    ]
}

#[test]
#[ignore = "writes figures to look at"]
fn samples() -> std::io::Result<()> {
    let folder = std::env::var("PARTITA_CHARTS").map_or_else(|_| std::env::temp_dir(), Into::into);
    for (name, svg) in all() {
        std::fs::write(folder.join(format!("{name}.svg")), svg)?;
    }
    Ok(())
}
