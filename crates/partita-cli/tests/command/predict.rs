//! Questions after the run: one clustering, predictions, held-out scores.

use crate::support::Scratch;
use serde_json::Value;

/// A run with noise small enough that the three groups of `data.csv` are plain.
const RUN: &str = "fit data.csv --prior-sd 0.8 --noise-sd 0.5 --alpha 0.1 --keep-draws 4";

/// Long enough that atoms of negative weight are rare.
const QUICK: &str = "--lag 40 --burn-in 40 --sweeps 120 --replicates 40";

fn rows(csv: &str) -> Vec<Vec<String>> {
    csv.lines().map(|line| line.split(',').map(String::from).collect()).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("`{cell}` is not a number"))
}

#[test]
fn one_clustering_finds_the_groups() {
    let scratch = Scratch::new();
    // Known labels: the rows come from three groups in turn.
    let text = scratch.read("data.csv");
    let mut labelled = String::new();
    for (i, line) in text.lines().enumerate() {
        labelled += &if i == 0 { format!("{line},kind\n") } else { format!("{line},g{}\n", (i - 1) % 3) };
    }
    scratch.write("labelled.csv", &labelled);
    let run = RUN.replace("data.csv", "labelled.csv --label-column kind");
    let ran = scratch.ok(&format!("{run} {QUICK} --out run"));
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Point estimate: 3 clusters, of sizes 10, 10 and 10.",
        "known labels: adjusted Rand index 1.00 ",
        "reference:ari",
    ] {
        assert!(words.contains(part), "{part}: {}", ran.stdout);
    }
    let summary: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    let clustering = &summary["clustering"];
    assert_eq!((&clustering["loss"], &clustering["reference_ari"]), (&"vi".into(), &1.0.into()));
    assert_eq!(clustering["sizes"], serde_json::json!([10, 10, 10]));
    let ends = [0, 1].map(|i| clustering["ci95"][i].as_f64().unwrap());
    assert!((ends[0]..=ends[1]).contains(&clustering["expected_loss"].as_f64().unwrap()), "{clustering}");
    let table = rows(&scratch.read("run/clustering.csv"));
    assert_eq!(table[0], ["item", "cluster", "certainty", "certainty_se"]);
    assert_eq!(table.len(), 31);
    for (i, row) in table[1..].iter().enumerate() {
        assert_eq!((row[0].as_str(), row[1].as_str()), (&*i.to_string(), &*(i % 3).to_string()));
        assert!((0.5..1.5).contains(&number(&row[2])), "{row:?}");
    }
    assert_eq!(rows(&scratch.read("run/credible_ball.csv"))[0], ["item", "upper", "lower", "horizontal"]);
    let page = scratch.read("run/report.html");
    assert!(
        page.contains("<section id=\"clustering\"") && page.contains("Adjusted Rand index"),
        "in the report"
    );

    // Another loss, asked for afterwards.
    let ran = scratch.ok("report run --loss binder --matrix --verbose");
    assert!(ran.stdout.contains("point estimate: expected Binder loss "), "{}", ran.stdout);
    assert_eq!(scratch.run("report run --loss rand").status, 2);
}

#[test]
fn new_rows_join_their_groups() {
    let scratch = Scratch::new();
    scratch.ok(&format!("{RUN} {QUICK} --out run"));
    // Columns are matched by name, in any order, and others do not matter.
    scratch.write("new.csv", "note,y,x\n7,0,-2\n7,1,2\n7,3,0\n7,50,50\n");
    let csv = scratch.ok("predict run new.csv").stdout;
    let table = rows(&csv);
    let clusters = table[0].iter().filter(|name| name.starts_with('p') && !name.ends_with("_se")).count();
    assert!(clusters >= 3, "{csv}");
    assert_eq!(table[0][..5], ["row", "log_density", "log_density_se", "cluster", "p0"]);
    assert_eq!(table[0].len(), 4 + 2 * (clusters + 1));
    // The groups come in turn, so the first three rows of the data have the clusters of the three centres.
    let labels = rows(&scratch.read("run/clustering.csv"));
    for (i, row) in table[1..4].iter().enumerate() {
        assert_eq!(row[3], labels[i + 1][1], "{csv}");
        assert!(number(&row[1]) > -6.0 && number(&row[2]) < 1.0, "{csv}");
        let total: f64 = row[4..=4 + clusters].iter().map(|cell| number(cell)).sum();
        assert!((0.8..1.2).contains(&total), "{csv}");
    }
    assert_eq!((table[4][0].as_str(), table[4][3].as_str()), ("3", "new"), "{csv}");
    assert!(number(&table[4][1]) < -100.0, "{csv}");

    assert_eq!(scratch.ok("predict run new.csv --out p.csv").stdout, "");
    assert_eq!(scratch.read("p.csv"), csv);
    let json: Value = serde_json::from_str(&scratch.ok("predict run new.csv --json").stdout).unwrap();
    assert_eq!(json["predictions"][0]["log_density"].as_f64().unwrap(), number(&table[1][1]));
    // One row is enough.
    scratch.write("one.csv", "x,y\n-2,0\n");
    assert_eq!(rows(&scratch.ok("predict run one.csv").stdout)[1][1..], table[1][1..]);
}

/// The density of a file does not depend on its units but by their Jacobian, nor on standardising.
#[test]
fn densities_are_in_the_units_of_the_file() {
    let scratch = Scratch::new();
    let mut scaled = String::from("x,y\n");
    for line in scratch.read("data.csv").lines().skip(1) {
        let (x, y) = line.split_once(',').unwrap();
        scaled += &format!("{},{}\n", 4.0 * number(x), number(y));
    }
    scratch.write("scaled.csv", &scaled);
    scratch.write("new.csv", "x,y\n1,1\n");
    scratch.write("scaled-new.csv", "x,y\n4,1\n");
    scratch.ok(&format!("{RUN} {QUICK} --out a"));
    scratch.ok(&format!("{} {QUICK} --out b", RUN.replace("data.csv", "scaled.csv")));
    let density =
        |run: &str, file: &str| number(&rows(&scratch.ok(&format!("predict {run} {file}")).stdout)[1][1]);
    let (a, b) = (density("a", "new.csv"), density("b", "scaled-new.csv"));
    assert!((a - b - 4f64.ln()).abs() < 1e-6, "{a} and {b}");
}

#[test]
fn models_are_compared_by_their_scores() {
    let scratch = Scratch::new();
    scratch.write("test.csv", &scratch.read("data.csv"));
    let score = |run: &str| -> Value {
        serde_json::from_str(&scratch.ok(&format!("predict {run} test.csv --score --json")).stdout).unwrap()
    };
    scratch.ok(&format!("{RUN} {QUICK} --out good"));
    scratch.ok(&format!("{} {QUICK} --out poor", RUN.replace("--noise-sd 0.5", "--noise-sd 3")));
    let (good, poor) = (score("good"), score("poor"));
    assert_eq!(good["rows"], 30);
    assert!(good["mean_ci95"][0].as_f64() > poor["mean_ci95"][1].as_f64(), "{good} {poor}");
    assert!((good["sum"].as_f64().unwrap() / 30.0 - good["mean"].as_f64().unwrap()).abs() < 1e-12);
    let words = scratch.ok("predict good test.csv --score").stdout;
    assert!(
        words.starts_with("log predictive density of 30 rows, in the units of the file: mean "),
        "{words}"
    );
    assert!(words.lines().all(|line| line.chars().count() <= 80), "{words}");
}

#[test]
fn mistakes_get_a_sentence() {
    let scratch = Scratch::new();
    scratch.ok(&format!("{RUN} {QUICK} --out run"));
    scratch.ok(&format!("fit data.csv {QUICK} --keep-draws 0 --out bare"));
    scratch.ok(&format!("color octahedron.txt --colors 4 {QUICK} --out graph"));
    scratch.write("new.csv", "x,y\n1,2\n");
    scratch.write("other.csv", "x,z\n1,2\n");
    scratch.write("gap.csv", "x,y\n1,2\n3,\n");
    scratch.write("words.csv", "x,y\n1,2\n3,four\n");
    scratch.write("empty.csv", "x,y\n");
    scratch.write("animals.csv", &super::models::animals(60));
    scratch.ok(&format!("fit animals.csv --id-column name {QUICK} --keep-draws 2 --out animals"));
    let animal = |cells: &str| format!("weight,length,litter,coat,tame\n{cells}\n");
    scratch.write("striped.csv", &animal("1,2,3,grey,true\n1,2,3,striped,true"));
    scratch.write("half.csv", &animal("1,2,2.5,grey,true"));
    scratch.write("heavy.csv", &animal("heavy,2,3,grey,true"));
    for (arguments, expected) in [
        (
            "predict bare new.csv",
            "partita: bare: this run has no kept states to predict from: run it again with --keep-draws 1 or more",
        ),
        (
            "predict graph new.csv",
            "partita: graph: this is a run on a graph, and new vertices cannot be predicted: use a run of `partita fit`",
        ),
        ("predict animals new.csv", "the run is on the columns weight, length, litter, coat, tame)"),
        (
            "predict animals striped.csv",
            "striped.csv, line 3, column \"coat\": \"striped\" is not one of the known levels, \"brown\", \
             \"grey\", \"spotted\", \"black\"; correct the cell, or leave it empty, as a missing value",
        ),
        (
            "predict animals half.csv",
            "half.csv, line 2, column \"litter\": \"2.5\" is not a count (a non-negative whole number); correct \
             the cell, or leave it empty, as a missing value",
        ),
        (
            "predict animals heavy.csv",
            "heavy.csv, line 2, column \"weight\": \"heavy\" is not a number, as the column holds in the run; \
             correct the cell, or leave it empty, as a missing value",
        ),
        ("predict run other.csv", "the run is on the columns x, y)"),
        (
            "predict run gap.csv",
            "gap.csv, line 3, column \"y\": the cell is missing, and the model of the run needs every cell; fill it in, \
             or remove the row",
        ),
        (
            "predict run words.csv",
            "column \"y\": \"four\" is not a number, as the column holds in the run; correct the cell",
        ),
        ("predict run empty.csv", "empty.csv"),
        ("predict run nowhere.csv", "nowhere.csv"),
        ("predict nowhere new.csv", "nowhere: this is not a run directory"),
        ("predict run new.csv --out nowhere/p.csv", "nowhere/p.csv: cannot be written"),
    ] {
        let sentence = scratch.refused(arguments);
        assert!(sentence.contains(expected), "partita {arguments}: {sentence}");
    }
    // The data must be those of the run.
    scratch.write("data.csv", &(scratch.read("data.csv") + "0,0\n"));
    let sentence = scratch.refused("predict run new.csv");
    assert!(sentence.contains("has changed since the run began"), "{sentence}");
}

/// The log densities of a file's rows, in their order.
fn log_densities(scratch: &Scratch, run: &str, content: &str) -> Vec<f64> {
    scratch.write("asked.csv", content);
    rows(&scratch.ok(&format!("predict {run} asked.csv")).stdout)[1..]
        .iter()
        .map(|row| number(&row[1]))
        .collect()
}

#[test]
fn rows_of_a_mixed_table_join_their_groups() {
    let scratch = Scratch::new();
    scratch.write("animals.csv", &super::models::animals(60));
    scratch.ok(&format!("fit animals.csv --id-column name {QUICK} --keep-draws 4 --out run"));
    // By name, in any order, with gaps; numbers among the levels may be written otherwise.
    scratch.write(
        "new.csv",
        "coat,name,tame,litter,length,weight\ngrey,z0,true,5,2,1\nspotted,z1,,1,10,5\n,z2,,,,\n",
    );
    let csv = scratch.ok("predict run new.csv").stdout;
    let table = rows(&csv);
    let labels = rows(&scratch.read("run/clustering.csv"));
    assert_eq!([&table[1][0], &table[2][0], &table[3][0]], ["z0", "z1", "z2"]);
    assert_eq!([&table[1][3], &table[2][3]], [&labels[1][1], &labels[2][1]], "{csv}");
    // A row of which nothing is known has density one.
    assert!(number(&table[3][1]).abs() < 1e-3, "{csv}");
    let score: Value =
        serde_json::from_str(&scratch.ok("predict run new.csv --score --json").stdout).unwrap();
    assert!(
        (score["sum"].as_f64().unwrap() - table[1..].iter().map(|r| number(&r[1])).sum::<f64>()).abs() < 1e-9
    );

    // What is missing does not count: it is summed over, or integrated over in the units of the file.
    let header = "weight,length,litter,coat,tame\n";
    let total = |cells: Vec<String>| {
        let logs = log_densities(&scratch, "run", &(header.to_owned() + &cells.join("\n") + "\n"));
        logs.iter().map(|log| log.exp()).sum::<f64>().ln()
    };
    let without = |cells: &str| total(vec![cells.into()]);
    let coats =
        total(["grey", "spotted", "brown", "black"].map(|coat| format!("1.2,2.5,3,{coat},true")).to_vec());
    assert!((coats - without("1.2,2.5,3,,true")).abs() < 1e-9, "{coats}");
    let litters = total((0..200).map(|litter| format!("1.2,2.5,{litter},brown,true")).collect());
    assert!((litters - without("1.2,2.5,,brown,true")).abs() < 1e-6, "{litters}");
    let step = 0.02;
    let weights = total((-1000..1500).map(|i| format!("{},2.5,3,brown,", f64::from(i) * step)).collect());
    assert!((weights + f64::ln(step) - without(",2.5,3,brown,")).abs() < 2e-3, "{weights}");
}

/// Levels that are numbers, in a run that took them for a category.
#[test]
fn levels_that_are_numbers_may_be_written_otherwise() {
    let scratch = Scratch::new();
    let mut table = String::from("x,yes\n");
    for (i, line) in scratch.read("data.csv").lines().skip(1).enumerate() {
        table += &format!("{},{}\n", line.split(',').next().unwrap(), i % 2);
    }
    scratch.write("yes.csv", &table);
    scratch.ok(&format!("fit yes.csv --covariance diagonal {QUICK} --keep-draws 2 --out run"));
    let logs = log_densities(&scratch, "run", "yes,x\n1,0.5\n1.0,0.5\n0,0.5\n,0.5\n");
    assert_eq!(logs[0], logs[1]);
    assert!((logs[0].exp() + logs[2].exp() - logs[3].exp()).abs() < 1e-12, "{logs:?}");
}

/// Gamma of half a whole number.
fn gamma_of_half(twice: u32) -> f64 {
    match twice {
        1 => std::f64::consts::PI.sqrt(),
        2 => 1.0,
        _ => (f64::from(twice) / 2.0 - 1.0) * gamma_of_half(twice - 2),
    }
}

/// A cell beside those of its column in a cluster, by the textbook: Student's t, negative binomial, Polya's urn.
fn cell_density(column: usize, cell: f64, others: &[f64], count_mean: f64) -> f64 {
    let n = others.len() as f64;
    let sum: f64 = others.iter().sum();
    match column {
        0 => {
            let (kappa, shape, rate) = (1.0 / 3.0, 3 + others.len() as u32, 0.125);
            let mean = sum / (kappa + n);
            let squares: f64 = others.iter().map(|x| x * x).sum();
            let rate = rate + (squares - (kappa + n) * mean * mean) / 2.0;
            // `shape` is twice itself, and so the degrees of freedom.
            let degrees = f64::from(shape);
            let scale = rate / (degrees / 2.0) * (kappa + n + 1.0) / (kappa + n);
            gamma_of_half(shape + 1) / gamma_of_half(shape) / (degrees * std::f64::consts::PI * scale).sqrt()
                * (1.0 + (cell - mean).powi(2) / (degrees * scale)).powf(-(degrees + 1.0) / 2.0)
        }
        1 => {
            let (shape, rate) = (1.0 + sum, 1.0 / count_mean + n);
            let ways: f64 = (0..cell as u32).map(|i| (shape + f64::from(i)) / (1.0 + f64::from(i))).product();
            ways * (rate / (rate + 1.0)).powf(shape) * (1.0 / (rate + 1.0)).powf(cell)
        }
        _ => (0.5 + others.iter().filter(|level| **level == cell).count() as f64) / (1.0 + n),
    }
}

/// A row beside the rows of a cluster; what is missing neither counts nor is counted.
fn row_density(row: &[f64], cluster: &[&[f64]], count_mean: f64) -> f64 {
    let cell = |column: usize| {
        let others: Vec<f64> = cluster.iter().map(|row| row[column]).filter(|x| !x.is_nan()).collect();
        cell_density(column, row[column], &others, count_mean)
    };
    (0..3).filter(|&column| !row[column].is_nan()).map(cell).product()
}

/// The predictive density of held-out rows against all partitions of four rows, with the textbook's formulas. Three
/// z-scores; beyond 4.5 once in 50,000.
#[test]
fn the_score_of_a_mixed_row_is_that_of_the_enumerated_posterior() {
    const ALPHA: f64 = 0.8;
    let no = f64::NAN;
    let data = [[-0.4, 2.0, 0.0], [0.3, no, 1.0], [1.9, 7.0, 0.0], [no, 5.0, 1.0]];
    let asked = [[0.1, 3.0, 0.0], [2.0, 6.0, no], [no, no, 1.0]];
    let count_mean = 14.0 / 3.0;
    let (mut evidence, mut joint) = (0.0, [0.0; 3]);
    for code in 0..256usize {
        let labels: Vec<usize> = (0..4).map(|i| code >> (2 * i) & 3).collect();
        // Each partition once: a label is at most one above those before it.
        if (0..4).any(|i| labels[i] > labels[..i].iter().map(|l| l + 1).max().unwrap_or(0)) {
            continue;
        }
        let mut clusters: Vec<Vec<&[f64]>> = Vec::new();
        let mut weight = 1.0;
        for (i, row) in data.iter().enumerate() {
            clusters.resize(clusters.len().max(labels[i] + 1), Vec::new());
            let cluster = &mut clusters[labels[i]];
            let prior = if cluster.is_empty() { ALPHA } else { cluster.len() as f64 };
            weight *= prior / (ALPHA + i as f64) * row_density(row, cluster, count_mean);
            cluster.push(row);
        }
        evidence += weight;
        clusters.push(Vec::new());
        for (joint, row) in joint.iter_mut().zip(&asked) {
            for cluster in &clusters {
                let prior = if cluster.is_empty() { ALPHA } else { cluster.len() as f64 };
                *joint += weight * prior / (ALPHA + 4.0) * row_density(row, cluster, count_mean);
            }
        }
    }

    let scratch = Scratch::new();
    scratch.write("tiny.csv", "x,n,c\n-0.4,2,a\n0.3,,b\n1.9,7,a\n,5,b\n");
    scratch.write("new.csv", "x,n,c\n0.1,3,a\n2,6,?\nNA,,b\n");
    let model = "--column-type x=normal,n=count,c=category --no-standardize --alpha 0.8";
    let length = "--lag 5 --burn-in 5 --sweeps 100 --replicates 1000 --keep-draws 10";
    scratch.ok(&format!("fit tiny.csv {model} {length} --out run"));
    let table = rows(&scratch.ok("predict run new.csv").stdout);
    for (row, joint) in table[1..].iter().zip(joint) {
        let (found, se, truth) = (number(&row[1]), number(&row[2]), (joint / evidence).ln());
        assert!(se < 0.02 && (found - truth).abs() < 4.5 * se, "{found} ± {se}, by enumeration {truth}");
    }
}
