//! Files as people have them: what is understood is said, `check` tells it without running, wide tables have a way.

use crate::support::{QUICK, Ran, Random, Scratch, finish};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

/// Thirty rows: names, dates, a number with separators, a share, gaps by a star, a category.
fn raw() -> String {
    let mut random = Random(5);
    let mut text = String::from("id,country,updated,pop,share,size,coat\n");
    for i in 0..30 {
        let (big, size) = (i % 3 == 0, if i == 7 { "*".into() } else { format!("{:.2}", random.unit()) });
        let pop = if big { format!("\"{},{:03}\"", 1 + i, 31 * i) } else { (100 + i).to_string() };
        let coat = random.pick(&["red", "blue"]);
        text += &format!("{},C{i},2001-01-{:02},{pop},{}%,{size},{coat}\n", i + 1, i + 1, i % 7 + 2 * i);
    }
    text
}

/// Forty rows in two groups and more columns than rows.
fn wide(rows: usize) -> String {
    let mut random = Random(6);
    let names: Vec<String> = (0..120).map(|column| format!("g{column}")).collect();
    let mut row = |i: usize| {
        let center = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let cells: Vec<String> = (0..120).map(|_| format!("{:.3}", center + random.unit())).collect();
        cells.join(",") + "\n"
    };
    names.join(",") + "\n" + &(0..rows).map(&mut row).collect::<String>()
}

fn piped(scratch: &Scratch, arguments: &str, input: &str) -> Ran {
    let mut child = scratch.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    finish(child)
}

#[test]
fn what_is_understood_is_said() {
    let scratch = Scratch::new();
    scratch.write("raw.csv", &raw());
    let said = scratch.ok(&format!("fit raw.csv {QUICK} --out run")).stderr;
    for sentence in [
        "row names taken from column \"country\"",
        "left out: \"updated\" (dates or times), \"id\" (also row names)",
        "--column-type updated=category would use that one anyway",
        "numbers are read with thousands separators in 10 cells (\"pop\") and % signs in 30 cells (\"share\")",
        "read as missing values: \"*\" (1 cell)",
    ] {
        assert!(said.contains(sentence), "{sentence}\n{said}");
    }
    assert!(scratch.read("run/clustering.csv").contains("C29"), "rows go by their names");
    // What was found out is found out again.
    scratch.ok("report run");
    let said = scratch.ok(&format!("fit raw.csv --column-type id=normal {QUICK} --out other")).stderr;
    assert!(!said.contains("\"id\" (names"), "{said}");
}

#[test]
fn new_rows_are_read_in_the_same_way() {
    let scratch = Scratch::new();
    scratch.write("raw.csv", &raw());
    scratch.ok(&format!("fit raw.csv {QUICK} --keep-draws 2 --out run"));
    scratch.write("new.csv", "country,coat,size,share,pop\nNew,red,*,12%,\"4,321\"\n");
    scratch.write("plain.csv", "country,coat,size,share,pop\nNew,red,,12,4321\n");
    let new = scratch.ok("predict run new.csv").stdout;
    assert!(new.contains("New"), "{new}");
    assert_eq!(new, scratch.ok("predict run plain.csv").stdout);
}

#[test]
fn check_tells_what_would_run() {
    let scratch = Scratch::new();
    scratch.write("raw.csv", &raw());
    let before = std::fs::read_dir(&scratch.path).unwrap().count();
    let text = scratch.ok("check raw.csv").stdout;
    assert!(text.starts_with("raw.csv: 30 rows, 7 columns\n\ncolumn"), "{text}");
    assert!(text.contains("model: diagonal or full, whichever predicts the table best"), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let run = "run: a pilot, then pairs of chains until the estimates are known to two digits; about";
    assert!(words.contains(run), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let json: Value = serde_json::from_str(&scratch.ok("check raw.csv --json").stdout).unwrap();
    assert_eq!((json["rows"].as_u64(), json["model"].as_str()), (Some(30), Some("auto")));
    assert!(json["seconds_estimate"].as_f64().unwrap() > 0.0);
    let columns: Vec<_> = json["columns"].as_array().unwrap().iter().collect();
    let kinds: Vec<_> = columns.iter().map(|column| column["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["dropped", "names", "date", "normal", "normal", "normal", "category"]);
    let missing: Vec<_> = columns.iter().map(|column| column["missing"].as_u64().unwrap()).collect();
    assert_eq!(missing, [0, 0, 0, 0, 0, 1, 0]);
    assert_eq!(std::fs::read_dir(&scratch.path).unwrap().count(), before, "nothing is written");
    // Options count, and what would stop a run stops this.
    let named: Value =
        serde_json::from_str(&scratch.ok("check raw.csv --model full --time 20s --json").stdout).unwrap();
    assert_eq!((named["model"].as_str(), named["seconds_estimate"].as_f64()), (Some("full"), Some(20.0)));
    scratch.write("word.csv", "x,y\n1,2\n3,oops\n4,4\n");
    assert_eq!(scratch.refused("check word.csv"), scratch.refused("fit word.csv"));
    scratch.ok("check");
}

#[test]
fn standard_input_is_a_file_like_others() {
    let scratch = Scratch::new();
    let table = scratch.read("data.csv");
    let ran = piped(&scratch, &format!("fit - {QUICK} --out piped"), &table);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stderr.contains("standard input: 30 rows, 2 columns"), "{}", ran.stderr);
    scratch.ok(&format!("fit data.csv {QUICK} --out run"));
    assert_eq!(scratch.rows("piped"), scratch.rows("run"));
    // The data are kept with the run, for whoever asks later.
    scratch.ok("report piped");
    assert_eq!(scratch.ok("predict piped data.csv").stdout, scratch.ok("predict run data.csv").stdout);
    let graph = scratch.read("octahedron.txt");
    let ran = piped(&scratch, &format!("color - --colors 6 {QUICK} --out graph"), &graph);
    assert_eq!(ran.status, 0, "{ran:?}");
    scratch.ok("report graph");
    let empty = piped(&scratch, "fit -", "");
    assert_eq!(
        (empty.status, empty.stderr.as_str()),
        (2, "partita: standard input is empty; give a file with data\n")
    );
}

#[test]
fn wide_tables_have_a_way() {
    let scratch = Scratch::new();
    scratch.write("wide.csv", &wide(40));
    assert_eq!(
        scratch.refused("fit wide.csv"),
        "partita: wide.csv has more columns (120) than rows (40): with so many, either every row becomes its own \
         cluster or all rows form one, and chains rarely meet; --pca 8 clusters the first 8 principal components, \
         --pca 90% as many as explain 90% of the variance; --model diagonal uses all columns anyway"
    );
    assert!(scratch.ok("check wide.csv").stdout.contains("--pca 8"));
    let ran = scratch.ok(&format!("fit wide.csv --pca 2 {QUICK} --keep-draws 2 --out run"));
    assert!(
        ran.stderr.contains("120 columns reduced to 2 principal components, which explain"),
        "{}",
        ran.stderr
    );
    assert!(scratch.read("run/run.toml").contains("pca = \"2\""));
    let summary: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    let notes = summary["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note.as_str().unwrap().contains("principal components")), "{notes:?}");
    // New rows go the same way, by the names of the columns.
    let text = wide(40);
    let turned: String =
        text.lines().map(|line| line.split(',').rev().collect::<Vec<_>>().join(",") + "\n").collect();
    scratch.write("turned.csv", &turned);
    let (straight, reversed) =
        (scratch.ok("predict run wide.csv").stdout, scratch.ok("predict run turned.csv").stdout);
    assert_eq!(straight, reversed);
    scratch.write("narrow.csv", "g0,g1\n1,2\n");
    assert!(scratch.refused("predict run narrow.csv").contains("has no column \"g2\""));
    scratch.ok("report run");
    // Whoever names a model has it.
    scratch.ok(&format!("fit wide.csv --model diagonal {QUICK} --out all"));
}

#[test]
fn help_comes_from_the_same_definitions() {
    let scratch = Scratch::new();
    let alone = scratch.run("").stdout;
    assert_eq!(alone.lines().filter(|line| line.starts_with("  partita ")).count(), 3, "{alone}");
    assert!(alone.lines().all(|line| line.chars().count() <= 80), "{alone}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = scratch.ok(&format!("completions {shell}")).stdout;
        assert!(text.contains("burn-in") && text.contains("check"), "{shell}");
    }
    assert!(scratch.ok("man").stdout.contains(".TH partita"));
    let fit = scratch.ok("man fit").stdout;
    assert!(fit.contains("burn\\-in") && fit.contains("partita fit"), "{fit}");
    assert_eq!(
        scratch.refused("man fitt"),
        "partita: there is no command `fitt`; did you mean `partita fit`?"
    );
}

/// A column with one value tells nothing: it is left out with a word, unless it was asked for.
#[test]
fn columns_of_one_value() {
    let scratch = Scratch::new();
    scratch.write("data.csv", "x,unit,zero,y\n1.5,kg,0,2\n2.5,kg,0,3.5\n0.5,kg,0,1\n4,kg,0,8\n");
    let short = "--lag 2 --burn-in 2 --sweeps 10 --replicates 3";
    let ran = scratch.ok(&format!("fit data.csv {short} --out run"));
    let told = "left out: \"unit\" and \"zero\" (constant)";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    let without = scratch.ok(&format!("fit data.csv --drop unit,zero {short} --out without"));
    assert!(!without.stderr.contains("left out"), "{}", without.stderr);
    assert_eq!(scratch.rows("run"), scratch.rows("without"));
    let refused = scratch.refused(&format!("fit data.csv --columns x,zero {short}"));
    assert!(refused.contains("every value is 0"), "{refused}");
}
