//! Known labels: rows without one take no part in the comparison, and how many they are is said.

use crate::support::{QUICK, Scratch};
use serde_json::Value;

/// A run with noise small enough that the three groups of `data.csv` are plain.
const MODEL: &str = "--label-column kind --prior-sd 0.8 --noise-sd 0.5 --alpha 0.1 --keep-draws 4";

/// `data.csv` with labels: the rows come from three groups in turn, and some labels are not those of the group.
fn labelled(scratch: &Scratch, label: impl Fn(usize) -> String) -> String {
    let mut text = String::from("x,y,kind\n");
    for (row, line) in scratch.read("data.csv").lines().skip(1).enumerate() {
        text += &format!("{line},{}\n", label(row));
    }
    text
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Hubert and Arabie's index from all pairs: agreements over what they are by chance.
fn adjusted_rand(a: &[usize], b: &[usize]) -> f64 {
    let pairs = || (0..a.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let count = |holds: &dyn Fn((usize, usize)) -> bool| pairs().filter(|pair| holds(*pair)).count() as f64;
    let (in_a, in_b) = (|(i, j): (usize, usize)| a[i] == a[j], |(i, j): (usize, usize)| b[i] == b[j]);
    let chance = count(&in_a) * count(&in_b) / pairs().count() as f64;
    let both = count(&|pair| in_a(pair) && in_b(pair));
    (both - chance) / (0.5 * (count(&in_a) + count(&in_b)) - chance)
}

#[test]
fn rows_without_a_label_are_not_compared() {
    let scratch = Scratch::new();
    let marks = ["", "NA", "?", "nan", "None", "n/a", "null", "."];
    // Every fourth row has no label, each time by another mark; every seventh a wrong one.
    let kind = |row: usize| match row {
        _ if row % 4 == 1 => None,
        _ if row % 7 == 3 => Some((row + 1) % 3),
        _ => Some(row % 3),
    };
    let text = labelled(&scratch, |row| kind(row).map_or(marks[row / 4].into(), |kind| format!("g{kind}")));
    scratch.write("gaps.csv", &text);
    let ran = scratch.ok(&format!("fit gaps.csv {MODEL} {QUICK} --out gaps"));
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let note = "8 of 30 rows have no label and are left out of the comparison with the known labels";
    assert!(words.contains(" over the 22 of 30 rows that have a label"), "{}", ran.stdout);
    assert_eq!(words.matches(&format!("note: {note}")).count(), 1, "{}", ran.stdout);
    let summary = json(&scratch.read("gaps/summary.json"));
    assert!(summary["notes"].as_array().unwrap().contains(&note.into()), "{summary}");

    let clustering = &summary["clustering"];
    assert_eq!(clustering["reference_missing"], 8);
    let table = scratch.read("gaps/clustering.csv");
    let (found, known): (Vec<usize>, Vec<usize>) = table
        .lines()
        .skip(1)
        .enumerate()
        .filter_map(|(row, line)| {
            Some((line.split(',').nth(1).unwrap().parse::<usize>().unwrap(), kind(row)?))
        })
        .unzip();
    assert_eq!(known.len(), 22);
    let expected = adjusted_rand(&found, &known);
    assert!((0.1..0.99).contains(&expected), "{expected}");
    let ari = clustering["reference_ari"].as_f64().unwrap();
    assert!((ari - expected).abs() < 1e-12, "{ari}, by pairs {expected}");
    let page = scratch.read("gaps/report.html");
    for part in [note, "8 rows have no label and are left out", "over the 22 of 30 rows that have a label"] {
        assert!(page.contains(part), "{part}");
    }

    // Whatever is written for a missing label, the answers are the same; rows that have one decide alone.
    scratch.write(
        "plain.csv",
        &labelled(&scratch, |row| kind(row).map_or("NA".into(), |kind| format!("g{kind}"))),
    );
    scratch.ok(&format!("fit plain.csv {MODEL} {QUICK} --out plain"));
    assert_eq!(scratch.rows("gaps"), scratch.rows("plain"));
    assert_eq!(json(&scratch.read("plain/summary.json"))["clustering"], *clustering);
    let again = scratch.ok("report gaps --json").stdout;
    assert_eq!(json(&again)["clustering"], *clustering);
}

/// Where each has a label, nothing is said of missing ones; and without states the number is still told.
#[test]
fn the_number_of_missing_labels_is_said_where_there_are_any() {
    let scratch = Scratch::new();
    scratch.write("all.csv", &labelled(&scratch, |row| format!("g{}", row % 3)));
    let ran = scratch.ok(&format!("fit all.csv {MODEL} {QUICK} --out all"));
    assert!(!ran.stdout.contains("no label") && !ran.stdout.contains("rows that have one"), "{}", ran.stdout);
    assert_eq!(json(&scratch.read("all/summary.json"))["clustering"]["reference_missing"], 0);
    assert!(!scratch.read("all/report.html").contains("not compared"));

    scratch.write(
        "one.csv",
        &labelled(&scratch, |row| if row == 7 { String::new() } else { format!("g{}", row % 3) }),
    );
    let model = MODEL.replace("--keep-draws 4", "--keep-draws 0");
    let summary = json(&scratch.ok(&format!("fit one.csv {model} {QUICK} --json --out one")).stdout);
    let note = "1 of 30 rows has no label and is left out of the comparison with the known labels";
    assert!(summary["notes"].as_array().unwrap().contains(&note.into()), "{summary}");
    assert_eq!(summary["clustering"], Value::Null);
}

#[test]
fn labels_that_are_all_missing() {
    let scratch = Scratch::new();
    for (label, problem) in
        [("NA", "every label is missing"), ("?", "every label is missing"), ("", "only one row has a label")]
    {
        let first = if label.is_empty() { "g1" } else { label };
        let text = labelled(&scratch, |row| if row == 0 { first.into() } else { label.into() });
        scratch.write("none.csv", &text);
        for covariance in ["known", "diagonal"] {
            assert_eq!(
                scratch.refused(&format!("fit none.csv --label-column kind --covariance {covariance}")),
                format!(
                    "partita: none.csv, column \"kind\": {problem}, so there is nothing to compare the clusters \
                     with; leave --label-column out, or name another column"
                )
            );
        }
    }
}
