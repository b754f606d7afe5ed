//! Where chains stay in parts of the posterior, the user is told which, instead of a cap and a note.

use crate::support::Scratch;
use serde_json::Value;
use std::fmt::Write as _;

/// A hundred rows at each corner of a square, in so many columns that a cluster more or less costs dear: two clusters are
/// best, left and right or above and below, and no single move leads from the one to the other.
fn square(scratch: &Scratch) {
    let columns = 60;
    let names: Vec<String> = (0..columns).map(|c| format!("x{c}")).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..400_u32 {
        let corner = row / 100;
        let cell = |c: u32| {
            // Small and different everywhere, the same every time.
            let noise = f64::from((row * 7919 + c * 104_729) % 1000) / 25_000.0 - 0.02;
            match c {
                0 | 1 => f64::from(corner >> c & 1) * 2.0 - 1.0 + noise,
                _ => noise,
            }
        };
        let cells: Vec<String> = (0..columns).map(|c| format!("{:.4}", cell(c))).collect();
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    scratch.write("square.csv", &text);
}

/// Chains that start one by one by their predictives all end in one cluster here, and pairs of them meet at once: such a
/// start hides the other parts. The pilot's second law of starts brings them to light.
#[test]
fn parts_that_chains_do_not_cross_between_are_told() {
    let scratch = Scratch::new();
    square(&scratch);
    let model = "--no-standardize --prior-sd 1 --noise-sd 0.65 --alpha 0.5";
    let ran = scratch.ok(&format!(
        "fit square.csv {model} --replicates 10 --max-sweeps 300 --start sequential --sampler gibbs --out run"
    ));
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("separate parts of the posterior and did not cross between them in this run"),
        "{words}"
    );
    assert!(words.contains("This run does not determine their relative weights"), "{words}");
    let json: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    let modes = json["modes"].as_array().unwrap();
    assert!(modes.len() >= 2, "{modes:?}");
    // The first law of starts has all its chains in one cluster; others, from the second law, stay where there are more.
    assert_eq!(modes[0]["clusters"], 1, "{modes:?}");
    let more = |mode: &&Value| mode["clusters"].as_u64().unwrap() > 1;
    let chains = |mode: &Value| mode["chains"].as_u64().unwrap();
    assert!(modes.iter().filter(more).map(chains).sum::<u64>() >= 5, "{modes:?}");
    for mode in modes {
        assert!(mode["log_probability"].as_f64().unwrap() < 0.0, "{mode}");
        let sizes: u64 = mode["sizes"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap()).sum();
        assert_eq!(sizes, 400, "{mode}");
    }
    let header = scratch.read("run/modes.csv").lines().next().unwrap().to_string();
    assert!(header.starts_with("item,mode1,mode2"), "{header}");
    assert!(scratch.read("run/report.html").contains("Separate parts of the posterior"));
    // Answers that are made again tell the same.
    scratch.ok("report run");
    let again: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    assert_eq!(again["modes"], json["modes"]);
}
