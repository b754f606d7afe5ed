//! The model that a pilot chooses, and models compared on purpose.

use crate::support::{Random, Scratch};
use serde_json::Value;

/// Two long and narrow groups side by side: only a covariance sees them. Or one round cloud, where nothing correlates.
fn groups(long: bool) -> String {
    let mut random = Random(3);
    let mut text = String::from("x,y\n");
    for i in 0..80 {
        let mut noise = || (0..6).map(|_| random.unit() - 0.5).sum::<f64>();
        let (along, across, side) = (noise(), noise(), if i % 2 == 0 { 1.0 } else { -1.0 });
        let (x, y) = if long { (4.0 * along, 4.0 * along + 0.15 * across + side) } else { (along, across) };
        text += &format!("{x:.4},{y:.4}\n");
    }
    text
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_pilot_takes_the_model_that_predicts() {
    let scratch = Scratch::new();
    for (long, model) in [(true, "full"), (false, "diagonal")] {
        scratch.write("groups.csv", &groups(long));
        let ran = scratch.ok("fit groups.csv --replicates 8 --json --out run --force");
        let found = json(&ran.stdout);
        assert_eq!(found["model"], model, "{}", found["candidates"]);
        let candidates = found["candidates"].as_array().unwrap();
        assert_eq!(candidates.len(), 7);
        let taken: Vec<&Value> = candidates.iter().filter(|one| one["taken"] == true).collect();
        assert!(taken.len() == 1 && taken[0]["model"] == model);
        assert!(candidates.iter().all(|one| one["score"].is_f64() && one["se"].as_f64().unwrap() > 0.0));
        assert!(ran.stderr.contains("pilot: log predictive density per row: diagonal "), "{}", ran.stderr);
        // What was chosen is kept, and named it gives the same rows.
        let kept = scratch.read("run/run.toml");
        assert!(kept.contains(&format!("model = \"{model}\"")), "{kept}");
        assert!(scratch.read("run/report.html").contains("<section id=\"models\""));
    }
}

/// Twelve columns that are mixtures of two, in which there are three groups.
fn mixtures_of_two() -> String {
    let mut random = Random(5);
    let mut noise = || (0..6).map(|_| random.unit() - 0.5).sum::<f64>();
    let weights: Vec<[f64; 2]> = (0..12).map(|_| [noise(), noise()]).collect();
    let mut text = (0..12).map(|column| format!("x{column}")).collect::<Vec<_>>().join(",") + "\n";
    for i in 0..90 {
        let center = [[-4.0, 0.0], [4.0, 1.0], [0.0, 6.0]][i % 3];
        let point = [center[0] + noise(), center[1] + noise()];
        let cells = weights.iter().map(|w| w[0] * point[0] + w[1] * point[1] + 0.6 * noise());
        text += &(cells.map(|cell| format!("{cell:.4}")).collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

/// Principal components that a pilot chooses are those of `--pca`: named, they give the same rows.
#[test]
fn the_pilot_takes_principal_components() {
    let scratch = Scratch::new();
    scratch.write("wide.csv", &mixtures_of_two());
    let ran = scratch.ok("fit wide.csv --replicates 6 --json --out chosen");
    let found = json(&ran.stdout);
    let candidates = found["candidates"].as_array().unwrap();
    assert_eq!(candidates.iter().filter(|one| one["pca"] == 2).count(), 3, "{}", found["candidates"]);
    let taken = candidates.iter().find(|one| one["taken"] == true).unwrap();
    assert!(
        taken["pca"] == 2 && found["clustering"]["sizes"].as_array().unwrap().len() == 3,
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("12 columns reduced to 2 principal components"), "{}", ran.stderr);
    let model = match (taken["model"].as_str().unwrap(), taken["prior"].as_str()) {
        (model, Some(prior)) if prior != "weak" => format!("--model {model} --cluster-prior {prior}"),
        (model, _) => format!("--model {model}"),
    };
    let [lag, burn_in, sweeps] = ["lag", "burn_in", "sweeps"].map(|name| found[name].as_u64().unwrap());
    let [sampler, start] = ["sampler", "start"].map(|name| found[name].as_str().unwrap());
    let schedule =
        format!("--lag {lag} --burn-in {burn_in} --sweeps {sweeps} --sampler {sampler} --start {start}");
    scratch.ok(&format!("fit wide.csv --pca 2 {model} {schedule} --replicates 6 --out named"));
    assert_eq!(scratch.rows("chosen"), scratch.rows("named"));
    // What is kept is enough to go on from.
    scratch.ok("report chosen");
}

#[test]
fn a_schedule_or_a_name_leaves_no_choice() {
    let scratch = Scratch::new();
    scratch.write("groups.csv", &groups(true));
    let given = "fit groups.csv --lag 5 --burn-in 5 --sweeps 20 --replicates 8 --json";
    let plain = json(&scratch.ok(&format!("{given} --out a")).stdout);
    assert!(plain["model"] == "diagonal" && plain["candidates"].as_array().unwrap().is_empty());
    let named = json(&scratch.ok("fit groups.csv --model full --replicates 8 --json --out b").stdout);
    assert!(named["model"] == "full" && named["candidates"].as_array().unwrap().is_empty());
}

#[test]
fn models_compared_on_rows_held_out() {
    let scratch = Scratch::new();
    scratch.write("groups.csv", &groups(true));
    let command = "compare groups.csv --model diagonal,full --replicates 20 --seed 2";
    let found = json(&scratch.ok(&format!("{command} --json")).stdout);
    assert_eq!((found["rows"].as_u64(), found["held_out"].as_u64()), (Some(64), Some(16)));
    assert_eq!(found["best"], 1, "{found}");
    let (diagonal, full) = (&found["models"][0], &found["models"][1]);
    let score = |one: &Value| one["score"].as_f64().unwrap();
    let behind = &diagonal["behind"];
    assert!((behind["mean"].as_f64().unwrap() - (score(full) - score(diagonal))).abs() < 1e-9);
    assert!(behind["ci95"][0].as_f64().unwrap() > 0.0, "elongated groups are plain: {found}");
    assert!(full["behind"].is_null());
    let text = scratch.ok(command).stdout;
    assert!(text.contains("16 held-out rows") && text.contains("best"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let refused = scratch.refused("compare groups.csv --hold-out 1.5");
    assert!(refused.contains("--hold-out must leave at least 2 of the 80 rows"), "{refused}");
}
