//! Pages as a run would make them: a table of two hundred items, one column, a graph colouring.

use partita_run::results::*;

/// A column name that must be shown, never obeyed.
pub const NASTY: &str = "</script><script>alert(1)</script>";

/// Chance that is the same every time.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// Uniform in (0, 1), by splitmix64.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 + 1e-17
    }

    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

fn line(name: &str, values: &[f64], inefficiency: Option<f64>) -> Line {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let se = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let kept = &sorted[values.len() / 100..values.len() - values.len() / 100];
    let trimmed = kept.iter().sum::<f64>() / kept.len() as f64;
    let blocks: Vec<f64> =
        values.chunks(values.len() / 10).map(|c| c.iter().sum::<f64>() / c.len() as f64).collect();
    let mut ordered = blocks.clone();
    ordered.sort_by(f64::total_cmp);
    let middle = ordered[ordered.len() / 2];
    let around = |centre: f64, half: f64| Some([centre - half, centre + half]);
    let meaning = name
        .parse::<partita_run::config::Summary>()
        .ok()
        .and_then(|summary| summary.quantities().pop()?.meaning);
    Line {
        name: name.into(),
        meaning,
        mean,
        se: Some(se),
        ci95: around(mean, 1.96 * se),
        trimmed,
        trimmed_ci95: around(trimmed, 1.2 * se),
        median_of_means: middle,
        inefficiency,
        inefficiency_se: inefficiency.map(|times| 0.08 * times),
        long_chain: inefficiency.map(|times| LongChain {
            variance: 1000.0 * se * se * n / times,
            se: Some(70.0 * se * se * n / times),
            by: Yardstick::CoupledPairs,
        }),
    }
}

/// Meeting times, their curve with its band, and when pairs were censored.
type Met = (Meeting, Vec<(u64, f64, f64, f64)>, Vec<u64>);

fn meeting(dice: &mut Dice, replicates: usize, cap: u64) -> Met {
    let mut times: Vec<u64> = (0..replicates).map(|_| 11 + (-60.0 * dice.uniform().ln()) as u64).collect();
    times.sort_unstable();
    let mut curve = Vec::new();
    let mut left = replicates;
    let mut censored = Vec::new();
    for chunk in times.chunk_by(|a, b| a == b) {
        if chunk[0] > cap {
            censored.extend(chunk.iter().map(|_| cap));
            continue;
        }
        left -= chunk.len();
        let s = left as f64 / replicates as f64;
        let half = 1.96 * (s * (1.0 - s) / replicates as f64).sqrt();
        curve.push((chunk[0], s, (s - half).max(0.0), (s + half).min(1.0)));
    }
    let quantile = |q: f64| curve.iter().find(|c| c.1 <= 1.0 - q).map(|c| c.0);
    let meeting = Meeting {
        met: (replicates - censored.len()) as u64,
        mean: censored.is_empty().then(|| times.iter().sum::<u64>() as f64 / replicates as f64),
        median: quantile(0.5),
        q95: quantile(0.95),
        q99: quantile(0.99),
        max: curve.last().map(|c| c.0),
        survival: curve.iter().map(|c| (c.0, c.1)).collect(),
    };
    (meeting, curve, censored)
}

fn counts(dice: &mut Dice) -> Vec<CountLine> {
    let weights = [0.0, 0.0004, 0.012, 0.19, 0.46, 0.24, 0.071, 0.019, 0.006, 0.001, -0.0013];
    let mut out: Vec<CountLine> = weights
        .iter()
        .enumerate()
        .map(|(i, &p)| {
            let (p, half) = (p + 0.002 * dice.normal(), 0.004 + 0.06 * f64::abs(p) * (1.0 - p));
            CountLine { clusters: (i + 1).to_string(), probability: p, ci95: Some([p - half, p + half]) }
        })
        .collect();
    out.push(CountLine { clusters: ">11".into(), probability: 0.0004, ci95: Some([-0.001, 0.0018]) });
    out
}

/// Two hundred items in five clusters, four hundred replicates, outliers, censored pairs, long names.
pub fn table() -> Page {
    let mut dice = Dice::new(7);
    let (meeting, survival, censored_at) = meeting(&mut dice, 400, 290);
    let cut = censored_at.len();
    let mut estimates = Vec::new();
    let mut summaries = Vec::new();
    let asked = [
        ("clusters", 5.15, 0.6, Some(1.83)),
        ("top:1", 0.3207, 0.02, Some(1.21)),
        ("top:2", 0.571, 0.018, Some(1.36)),
        ("co:0,21", 0.883, 0.21, Some(3.94)),
        ("entropy", 1.4713, 0.05, Some(0.96)),
        (NASTY, -0.0002, 0.006, None),
    ];
    for (name, centre, spread, inefficiency) in asked {
        let mut values: Vec<f64> = (0..400).map(|_| centre + spread * dice.normal()).collect();
        for far in 0..5 {
            values[far * 71 + 13] += spread * 18.0 * (dice.uniform() - 0.3);
        }
        let censored = (0..400).map(|r| r % 173 == 42 && r / 173 < cut).collect();
        summaries.push(line(name, &values, inefficiency));
        estimates.push(Estimates { name: name.into(), replicates: (0..400).collect(), values, censored });
    }

    let sizes = [64, 51, 40, 28, 17];
    let clusters: Vec<usize> = sizes.iter().enumerate().flat_map(|(c, &n)| vec![c; n]).collect();
    let mut names: Vec<String> = (0..200)
        .map(|i| format!("TCGA-{:02}-{:04} primary tumour, aliquot {}", i % 37, 1000 + 17 * i, i % 4))
        .collect();
    names[3] = NASTY.into();
    names[4] = "Zürich Ⅷ – 東京".into();
    let mut matrix = vec![1.0; 200 * 200];
    let loyal: Vec<f64> = (0..200).map(|_| 1.0 - 0.35 * dice.uniform().powi(3)).collect();
    for i in 0..200 {
        for j in 0..i {
            let (a, b) = (clusters[i], clusters[j]);
            let base = if a == b {
                0.96
            } else if a.abs_diff(b) == 1 {
                0.11
            } else {
                0.01
            };
            let value: f64 = base * loyal[i] * loyal[j] + 0.02 * dice.normal();
            matrix[i * 200 + j] = value;
            matrix[j * 200 + i] = value;
        }
    }
    let centres = [(-2.0, 0.5), (1.8, 2.1), (2.6, -1.2), (-0.6, -2.4), (-1.1, 3.0)];
    let x = clusters.iter().map(|&c| centres[c].0 + 0.62 * dice.normal()).collect();
    let y = clusters.iter().map(|&c| centres[c].1 + 0.55 * dice.normal()).collect();

    let tv_bound: Vec<(u64, f64)> = (0..=survival.last().unwrap().0 / 4)
        .map(|i| (4 * i, 9.1 * (-(4.0 * i as f64) / 31.0).exp() + if cut > 0 { 0.0 } else { 1e-9 }))
        .collect();
    let tv_sweeps = tv_bound.iter().find(|b| b.1 <= 0.01).map(|b| b.0);
    Page {
        title: "tumours.csv".into(),
        question: "How do the 200 rows of tumours.csv (12 columns, standardised) cluster? The model is a Dirichlet \
                   process mixture of normals with unknown concentration."
            .into(),
        answer: vec![
            "There are 5.17 clusters in the mean of the posterior (95% interval 5.10 to 5.25).".into(),
            "The largest holds 32.1% of the items (31.8% to 32.3%).".into(),
            "Items 0 and 21 are together with probability 0.88 (0.86 to 0.91).".into(),
        ],
        summary: Results {
            replicates: 400,
            censored: cut as u64,
            seed: 18_446_744_073_709_551_557,
            lag: 10,
            burn_in: 150,
            sweeps: 1500,
            sampler: "gibbs".into(),
        start: "prior".into(),
        pilot: None,
        model: Some("full".into()),
        candidates: candidates(),
        seconds: 93.04,
            kernel_calls: 1_310_442,
            summaries,
            meeting,
            tv_bound,
            tv_bound_complete: cut == 0,
            tv_sweeps,
            clustering: Some(clustering()),
            variance_pairs: Some(VariancePairs { pairs: 400, kernel_calls: 96_000 }),
            cluster_count: counts(&mut dice),
            connected: Some(true),
            modes: Vec::new(),
            profiles: Vec::new(),
            correlations: Vec::new(),
            reliability: "398 of 400 pairs met and 2 were censored; a single chain would need 211 sweeps of warm-up. Caution: \
             estimates may be further off than their intervals suggest."
                .into(),
            rule: "mean".into(),
            notes: vec![
                format!(
                    "{cut} of 400 replicates were cut after 290 sweeps, before their chains met: the means are \
                     then not exactly unbiased."
                ),
                "The pairs start from one cluster; where the posterior has several far modes, meeting early may \
                 hide one."
                    .into(),
            ],
        },
        survival,
        censored_at,
        estimates,
        co_clustering: Some(CoClustering { names: names.clone(), clusters: clusters.clone(), matrix, note: None }),
        scatter: Some(Scatter {
            axes: [NASTY.into(), "second principal axis (21%)".into()],
            names,
            x,
            y,
            doubtful: (0..clusters.len()).map(|i| i % 17 == 3).collect(),
            loadings: vec![format!("{NASTY} (0.71), weight (0.52)"), "age (\u{2212}0.80)".into()],
            clusters: clusters.clone(),
            note: None,
        }),
        cards: (0..5).map(|c| card(c, sizes[c as usize] as u64)).collect(),
        doubts: vec![
            Doubt { item: NASTY.into(), cluster: 1, certainty: 0.41, se: Some(0.02), alternative: Some((0, 0.38)) },
            Doubt { item: "TCGA-02".into(), cluster: 4, certainty: 0.66, se: None, alternative: None },
        ],
        bounds: ["upper", "lower", "horizontal"].map(|name| bound(name, &clusters)).into(),
        known: Some(KnownLabels {
            labels: vec!["benign".into(), NASTY.into()],
            counts: vec![vec![60, 3, 1, 0, 0], vec![4, 48, 39, 28, 17]],
        }),
        density: None,
        provenance: vec![
            ("partita".into(), "0.1.0".into()),
            ("data, SHA-256".into(), "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into()),
            ("columns".into(), format!("age, {NASTY}, weight")),
            ("processors".into(), "16".into()),
            ("started".into(), "2025-03-09 14:02:11 UTC".into()),
        ],
        command: "partita run tumours.csv --summary clusters --summary top:2 --summary co:0,21 --lag 10 \\\n    \
                  --burn-in 150 --sweeps 1500 --replicates 400 --seed 18446744073709551557"
            .into(),
    }
}

/// One column: a density, no scatter.
pub fn column() -> Page {
    let mut page = table();
    let mut dice = Dice::new(11);
    let data: Vec<f64> =
        (0..82).map(|i| if i % 4 == 0 { 9.7 } else if i % 9 == 5 { 32.9 } else { 20.9 } + 1.6 * dice.normal()).collect();
    let x: Vec<f64> = (0..160).map(|i| 3.0 + 36.0 * f64::from(i) / 159.0).collect();
    let bump = |x: f64, m: f64, s: f64| (-0.5 * ((x - m) / s).powi(2)).exp() / s / 2.5066;
    let value: Vec<f64> = x
        .iter()
        .map(|&x| 0.25 * bump(x, 9.7, 1.1) + 0.65 * bump(x, 20.9, 2.3) + 0.1 * bump(x, 32.9, 1.4))
        .collect();
    page.title = "galaxies.csv".into();
    page.question = "How many groups are there among the velocities of 82 galaxies?".into();
    page.scatter = None;
    page.known = None;
    page.density = Some(Density {
        axis: "velocity (1000 km/s)".into(),
        low: value.iter().map(|v| v - 0.004 - 0.05 * v).collect(),
        high: value.iter().map(|v| v + 0.004 + 0.05 * v).collect(),
        x,
        value,
        data,
    });
    page.summary.rule = "deadline".into();
    page
}

/// A table whose chains stayed in two parts of the posterior.
pub fn apart() -> Page {
    let mut page = table();
    let mode = |sizes: &[u64], log_probability, chains| Mode {
        clusters: sizes.len() as u64,
        sizes: sizes.to_vec(),
        log_probability,
        chains,
        crossed: 0,
    };
    page.summary.modes = vec![
        mode(&[64, 51, 40, 30, 15], -2871.3127, 13),
        mode(&[91, 24, 17, 12, 11, 9, 8, 7, 6, 4, 4, 3, 2, 1, 1], -2876.0458, 7),
    ];
    page.answer.insert(
        0,
        "The chains found 2 separate parts of the posterior and did not cross between them in this run: 5 \
         clusters of sizes 64, 51, 40, 30, 15, log probability -2871.3 (13 chains); 15 clusters of sizes 91, 24, \
         17, 12, 11 and 10 smaller, log probability -2876.0 (7 chains). This run does not determine their \
         relative weights."
            .into(),
    );
    page.summary.notes.insert(
        0,
        "The relative weights of the 2 parts between which chains did not cross are not determined by this run: where \
         the parts differ, means, intervals and the clustering may be off by more than they say. To determine them, \
         chains need more time to cross: `partita fit tumours.csv --time 30m` with the other options of this run; or \
         --sampler split-merge*5+gibbs, or another model (--covariance) that has no such parts."
            .into(),
    );
    page
}

/// A graph colouring: eight items, no censoring, no points, no density.
pub fn colouring() -> Page {
    let mut page = table();
    let mut dice = Dice::new(3);
    let (meeting, survival, _) = meeting(&mut dice, 60, u64::MAX);
    page.title = "octahedron.txt".into();
    page.question =
        "What do the proper colourings of the graph octahedron.txt with 4 colours look like?".into();
    page.answer = vec!["There are 3.33 clusters in the mean (95% interval 3.28 to 3.39).".into()];
    page.scatter = None;
    page.known = None;
    page.cards.iter_mut().for_each(|card| card.columns.clear());
    page.doubts.clear();
    page.summary.summaries.truncate(2);
    page.estimates.truncate(1);
    page.estimates[0].censored = vec![false; 400];
    page.summary.censored = 0;
    page.summary.notes.clear();
    page.summary.meeting = meeting;
    page.summary.tv_bound_complete = true;
    let bound = |t: u64| if t < 70 { 3.0 * (-(t as f64) / 9.0).exp() } else { 0.0 };
    page.summary.tv_bound = (0..80).map(|t| (t, bound(t))).collect();
    page.summary.tv_sweeps = Some(52);
    page.summary.cluster_count.truncate(4);
    page.survival = survival;
    page.censored_at.clear();
    let clusters = vec![0, 0, 1, 1, 2, 2];
    let together = |i: usize, j: usize| {
        if i == j {
            1.0
        } else if i / 2 == j / 2 {
            0.67
        } else {
            0.0
        }
    };
    page.co_clustering = Some(CoClustering {
        names: (0..6).map(|i| format!("vertex {i}")).collect(),
        matrix: (0..36).map(|k| together(k / 6, k % 6)).collect(),
        clusters,
        note: Some("All six vertices are shown.".into()),
    });
    page
}

/// A cluster as the page introduces it: numbers, a count and a category.
fn card(cluster: u64, size: u64) -> Card {
    let line = |column: &str, level: Option<&str>, mean: f64, se: f64, overall: f64| ProfileLine {
        cluster,
        column: column.into(),
        level: level.map(Into::into),
        mean,
        se: Some(se),
        ci95: Some([mean - 2.0 * se, mean + 2.0 * se]),
        overall,
    };
    let shift = cluster as f64 - 2.0;
    Card {
        cluster,
        size,
        certainty: 0.9,
        columns: vec![
            CardColumn {
                apart: shift.abs(),
                sd: Some(7.5),
                lines: vec![line("age", None, 47.0 + 7.5 * shift, 0.12, 47.0)],
            },
            CardColumn {
                apart: 0.4,
                sd: None,
                lines: vec![
                    line("sex", Some("female"), 0.7, 0.01, 0.5),
                    line("sex", Some(NASTY), 0.3, 0.01, 0.5),
                ],
            },
            CardColumn { apart: 0.1, sd: Some(3.0), lines: vec![line(NASTY, None, 20.3, 0.05, 20.0)] },
        ],
        more_columns: 9,
        correlations: vec![CorrelationLine {
            cluster,
            column: "age".into(),
            other: NASTY.into(),
            mean: 0.62,
            se: Some(0.02),
            overall: 0.1,
        }],
        typical: vec!["TCGA-00-1000".into(), NASTY.into()],
    }
}

fn bound(name: &str, clusters: &[usize]) -> Bound {
    let most = if name == "upper" { 2 } else { 4 };
    Bound {
        name: name.into(),
        sizes: vec![120, 80],
        clusters: clusters.iter().map(|&cluster| cluster.min(most)).collect(),
    }
}

fn candidates() -> Vec<CandidateLine> {
    let one = |model: &str, prior: Option<&str>, score: Option<f64>, left: Option<&str>| CandidateLine {
        model: model.into(),
        pca: (model == "shared").then_some(3),
        prior: prior.map(Into::into),
        score,
        se: score.map(|_| 0.08),
        seconds: 0.5,
        met: score.map(|_| 0.5),
        taken: model == "full",
        left: left.map(Into::into),
    };
    vec![
        one("diagonal", None, Some(-3.88), None),
        one("full", Some("weak"), Some(-3.49), None),
        one("shared", None, None, Some("the table is too large to try it within the pilot")),
    ]
}

/// One clustering and what is known about it.
fn clustering() -> Clustering {
    Clustering {
        loss: "vi".into(),
        expected_loss: Some(0.7312),
        se: Some(0.0041),
        ci95: Some([0.7231, 0.7393]),
        sizes: vec![64, 51, 40, 30, 15],
        certainty: vec![0.93, 0.97, 0.88, 0.91, 1.01],
        ball: Ball { radius: 1.204, upper: Some(3), lower: Some(8), horizontal: Some(1.2) },
        reference_ari: Some(0.871),
        reference_vi: Some(0.52),
        reference_missing: Some(0),
    }
}

/// A run that has almost nothing to show.
pub fn bare() -> Page {
    let mut page = table();
    page.summary.clustering = None;
    let s = &mut page.summary;
    (s.summaries, s.tv_bound, s.cluster_count, s.notes) = (vec![], vec![], vec![], vec![]);
    s.meeting.survival.clear();
    (page.survival, page.censored_at, page.estimates, page.answer) = (vec![], vec![], vec![], vec![]);
    (page.co_clustering, page.scatter, page.density, page.known) = (None, None, None, None);
    (page.cards, page.doubts, page.bounds) = (vec![], vec![], vec![]);
    (page.provenance, page.command) = (vec![], String::new());
    page
}
