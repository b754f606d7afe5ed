//! Numbers as far out as doubles reach, in the data of a run and in rows to predict: the right limit, or a sentence.

use crate::support::{QUICK, Scratch};
use serde_json::Value;

const COVARIANCES: [&str; 5] = ["known", "shared", "shared-columns", "diagonal", "full"];

/// Six rows of two columns.
const SIX: &str = "x,y\n0.3,-0.5\n-1.2,0.25\n0.9,1.5\n2.2,1\n-0.4,-1.25\n0.1,0.5\n";

/// What `predict --json` says about each row, and about all of them.
fn predictions(scratch: &Scratch, run: &str, rows: &str) -> (Vec<Value>, Value, String) {
    scratch.write("new.csv", &format!("x,y\n{rows}"));
    let ran = scratch.ok(&format!("predict {run} new.csv --json"));
    let mut found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let Value::Array(predictions) = found["predictions"].take() else { panic!("{}", ran.stdout) };
    (predictions, found["score"].take(), ran.stderr)
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// From 1e150 to 1e300 densities fall as a power of the distance, and the probabilities are at their limit: a new
/// cluster has the widest tail, alone or, where tails are alike, by far the most.
#[test]
fn rows_far_out_have_the_limit_of_rows_less_far_out() {
    let scratch = Scratch::new();
    scratch.write("six.csv", SIX);
    for covariance in COVARIANCES {
        let run =
            format!("fit six.csv --covariance {covariance} --alpha 1 --seed 7 {QUICK} --out {covariance}");
        scratch.ok(&run);
        let rows = "1e60,0.5\n1e120,0.5\n1e200,0.5\n1e300,0.5\n-1e300,1e300\n1e307,-1e305\n";
        let (rows, score, said) = predictions(&scratch, covariance, rows);
        let limit = numbers(&rows[0]["joins"]);
        assert!(*limit.last().unwrap() > 0.9, "{covariance}: {limit:?}");
        for row in &rows {
            assert_eq!(row["cluster"], Value::Null, "{covariance}: {row}");
            assert!(*numbers(&row["joins"]).last().unwrap() > 0.9, "{covariance}: {row}");
        }
        for row in &rows[1..4] {
            for (found, limit) in numbers(&row["joins"]).iter().zip(&limit) {
                assert!((found - limit).abs() < 1e-9, "{covariance}: {row}, limit {limit}");
            }
        }
        let logs: Vec<Option<f64>> = rows.iter().map(|row| row["log_density"].as_f64()).collect();
        if covariance == "known" {
            // The log of a normal density goes as the square: that is beyond doubles.
            assert!(logs[1].unwrap() < -1e239, "{logs:?}");
            assert_eq!(logs[2..], [None; 4]);
            assert_eq!((&score["unknown"], &score["beyond"]), (&4.into(), &4.into()));
            assert!(
                said.contains("4 of 6 rows have no log density: they lie so far from the data that it is below the range"),
                "{said}"
            );
            assert!(!said.contains("not positive"), "{said}");
        } else {
            let slope = |a: usize, b: usize, decades: f64| (logs[a].unwrap() - logs[b].unwrap()) / decades;
            let (near, far) = (slope(0, 1, 60.0), slope(2, 3, 100.0));
            assert!(near > 0.0 && (near / far - 1.0).abs() < 1e-9, "{covariance}: {near} {far}");
            assert!(logs[4..].iter().all(|log| log.unwrap() < logs[3].unwrap()), "{logs:?}");
            assert_eq!((&score["unknown"], &score["beyond"], said.as_str()), (&0.into(), &0.into(), ""));
        }
    }
}

/// Cells that say nothing leave the prior's rule: a row with none has density 1 and joins by size.
#[test]
fn a_row_without_cells_joins_by_the_prior_alone() {
    let scratch = Scratch::new();
    scratch.write("six.csv", SIX);
    scratch.ok(&format!("fit six.csv --covariance diagonal --alpha 1 {QUICK} --out run"));
    let (rows, _, said) = predictions(&scratch, "run", ",\nNA,nan\n1e200,\n");
    for row in &rows[..2] {
        assert!(row["log_density"].as_f64().unwrap().abs() < 1e-12, "{row}");
        // One of six rows and alpha.
        assert!((numbers(&row["joins"]).last().unwrap() - 1.0 / 7.0).abs() < 1e-12, "{row}");
    }
    assert!(numbers(&rows[2]["joins"]).last().unwrap() > &0.999, "{}", rows[2]);
    assert_eq!(said, "");
}

/// Values near the end of doubles are standardised like any others: a power of two in the unit changes nothing but the
/// Jacobian, and the report is drawn.
#[test]
fn a_unit_as_large_as_doubles_allow_changes_nothing() {
    let scratch = Scratch::new();
    scratch.write("six.csv", SIX);
    let large = |text: &str| {
        let lines = text.lines().map(|line| {
            let (x, y) = line.split_once(',').unwrap();
            format!("{:e},{y}\n", x.parse::<f64>().unwrap() * 2f64.powi(1022))
        });
        lines.collect::<String>()
    };
    let data: String = SIX.lines().skip(1).map(|line| format!("{line}\n")).collect();
    scratch.write("large.csv", &format!("x,y\n{}", large(&data)));
    let asked = "0.5,1\n-3,0.1\n3.9,2\n";
    for covariance in COVARIANCES {
        for name in ["six", "large"] {
            scratch.ok(&format!("fit {name}.csv --covariance {covariance} {QUICK} --force --out {name}"));
        }
        assert_eq!(scratch.rows("six"), scratch.rows("large"), "{covariance}");
        let (small, ..) = predictions(&scratch, "six", asked);
        let (large, ..) = predictions(&scratch, "large", &large(asked));
        for (a, b) in small.iter().zip(&large) {
            assert_eq!(a["joins"], b["joins"], "{covariance}");
            let shift = a["log_density"].as_f64().unwrap() - b["log_density"].as_f64().unwrap();
            assert!((shift - 1022.0 * std::f64::consts::LN_2).abs() < 1e-9, "{covariance}: {shift}");
        }
        let page = scratch.read("large/report.html");
        assert!(!page.contains("NaN") && !page.contains("inf,") && !page.contains("\"inf"), "{covariance}");
    }
}

#[test]
fn what_cannot_be_computed_with_gets_a_sentence() {
    let scratch = Scratch::new();
    scratch.write("large.csv", "x,y\n1,2\n3,4\n5,-1e155\n");
    for covariance in COVARIANCES {
        assert_eq!(
            scratch.refused(&format!("fit large.csv --no-standardize --covariance {covariance}")),
            format!(
                "partita: large.csv, row 3, column \"y\": -1e155 is too large for --model {covariance}, as its \
                 square overflows: leave --no-standardize out, or change the unit"
            )
        );
        scratch.ok(&format!("fit large.csv --covariance {covariance} {QUICK} --force --out run"));
    }
    // Full matrices lose their digits much sooner.
    scratch.write("stamps.csv", "x,y\n1700000000,2\n1700000001,4\n1700000009,1\n");
    assert_eq!(
        scratch.refused("fit stamps.csv --no-standardize --covariance full"),
        "partita: stamps.csv, row 1, column \"x\": 1.7e9 is too large for --model full, as its square \
         overflows: leave --no-standardize out, or change the unit"
    );
    scratch.ok(&format!("fit stamps.csv --covariance full {QUICK} --out stamps"));

    scratch.write("small.csv", "x,y\n1e-300,1\n2e-300,2\n4e-300,0\n");
    scratch.ok(&format!("fit small.csv {QUICK} --out small"));
    for (rows, expected) in [
        (
            "1e-300,1\n7e10,1\n",
            "new.csv, row 2, column \"x\": 7e10 is more standard deviations of the run's data (1.247e-300 each) \
             away than double precision can hold; correct the cell, or leave it empty, as a missing value",
        ),
        (
            "inf,1\n",
            "new.csv, line 2, column \"x\": \"inf\" is not a finite number; correct the cell or remove the row",
        ),
        (
            "1e400,1\n",
            "new.csv, line 2, column \"x\": \"1e400\" is not a finite number; correct the cell or remove the row",
        ),
    ] {
        scratch.write("new.csv", &format!("x,y\n{rows}"));
        assert_eq!(scratch.refused("predict small new.csv"), format!("partita: {expected}"));
    }
}

/// A grid from one end of doubles to the other.
#[test]
fn densities_on_a_grid_without_end() {
    let scratch = Scratch::new();
    scratch.write("one.csv", "x\n-1.2\n0.3\n0.9\n2.2\n-0.4\n1.7\n0.1\n-2.2\n");
    for covariance in COVARIANCES {
        let run = format!("fit one.csv --covariance {covariance} --summary density:-1e308,1e308,3 {QUICK}");
        let ran = scratch.ok(&format!("{run} --json --force --out run"));
        let json: Value = serde_json::from_str(&ran.stdout).unwrap();
        let means: Vec<f64> =
            json["summaries"].as_array().unwrap().iter().map(|line| line["mean"].as_f64().unwrap()).collect();
        assert!(means[0] == 0.0 && means[1] > 0.1 && means[2] == 0.0, "{covariance}: {means:?}");
    }
}
