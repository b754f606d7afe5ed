//! Model families from the door: what each takes, what it says it takes, and what it refuses.

use crate::support::{QUICK, Random, Scratch};
use serde_json::Value;

/// Two kinds of animals in numbers, counts and words, with a tenth of the cells missing.
pub fn animals(rows: usize) -> String {
    let mut random = Random(11);
    let mut text = String::from("name,weight,length,litter,coat,tame\n");
    for i in 0..rows {
        let small = i % 2 == 0;
        let mut noise = || (0..4).map(|_| random.unit() - 0.5).sum::<f64>();
        let (center, spread) = if small { (1.0, 0.3) } else { (5.0, 0.6) };
        let (weight, length) = (center + spread * noise(), 2.0 * center + spread * noise());
        let litter = (random.unit() * if small { 9.0 } else { 2.0 }).floor();
        let coat = random.pick(if small { &["brown", "grey"] } else { &["spotted", "brown", "black"] });
        let tame = if random.unit() < if small { 0.8 } else { 0.2 } { "true" } else { "false" };
        let cells =
            [format!("{weight:.3}"), format!("{length:.3}"), format!("{litter}"), coat.into(), tame.into()];
        let cells = cells.map(|cell: String| if random.unit() < 0.1 { String::new() } else { cell });
        text += &format!("a{i},{}\n", cells.join(","));
    }
    text
}

/// Counts of three kinds of calls, with busy and quiet days.
pub fn visits(rows: usize) -> String {
    let mut random = Random(5);
    let mut text = String::from("calls,letters,visits\n");
    for i in 0..rows {
        let mut count = |most: f64| (most * random.unit() * random.unit()).floor();
        let cells = if i % 3 == 0 {
            [count(30.0), count(4.0), count(20.0)]
        } else {
            [count(6.0), count(12.0), count(3.0)]
        };
        text += &format!("{},{},{}\n", cells[0], cells[1], cells[2]);
    }
    text
}

/// Two triples of vertices, all joined within, one edge between.
pub const TRIANGLES: &str = "a b\nb c\na c\nc d\nd e\ne f\nd f\n";

fn about(content: &str, arguments: &str) -> String {
    let scratch = Scratch::new();
    scratch.write("a.csv", content);
    scratch.refused(arguments)
}

/// Counts as large as doubles hold exactly; beyond, the limit is told.
#[test]
fn counts_have_no_limit_but_that_of_doubles() {
    let scratch = Scratch::new();
    scratch.write("big.csv", "n\n0\n5\n3\n4294967295\n");
    scratch.ok(&format!("fit big.csv --column-type n=count {QUICK} --out big"));
    // The large one is alone: nothing joins it, and it joins nothing.
    let table = scratch.read("big/clustering.csv");
    let clusters: Vec<&str> = table.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert!(clusters[..3].iter().all(|cluster| *cluster != clusters[3]), "{table}");
    scratch.write("new.csv", "n\n4294900000\n2\n9007199254740991\n");
    let csv = scratch.ok("predict big new.csv").stdout;
    let joined: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').nth(3).unwrap()).collect();
    assert_eq!(joined, [clusters[3], clusters[0], "new"], "{csv}");

    scratch.write("bigger.csv", "n\n0\n5\n3\n9007199254740992\n");
    assert_eq!(
        scratch.refused("fit bigger.csv --column-type n=count"),
        "partita: bigger.csv, line 5, column \"n\": \"9007199254740992\" is above 9007199254740991, the largest \
         count that double precision holds exactly; correct the cell, or use --column-type n=normal"
    );
    scratch.write("sum.csv", "n\n9007199254740000\n5\n3\n1000\n");
    assert_eq!(
        scratch.refused("fit sum.csv --column-type n=count"),
        "partita: sum.csv, column \"n\": the counts add up to more than 9007199254740991, the largest sum that \
         double precision holds exactly; use --column-type n=normal, or change the unit"
    );
}

#[test]
fn every_covariance_runs_in_fit_and_meet() {
    let scratch = Scratch::new();
    for covariance in ["known", "shared", "shared-columns", "diagonal", "full"] {
        for task in ["fit", "meet"] {
            let run = format!("{task}-{covariance}");
            let ran =
                scratch.ok(&format!("{task} data.csv --covariance {covariance} {QUICK} --json --out {run}"));
            let json: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(json["meeting"]["met"], 24, "{run}");
            assert!(scratch.read(&format!("{run}/run.toml")).contains(&format!("model = \"{covariance}\"")));
        }
        // A run is repeated from its directory.
        scratch.ok(&format!("report fit-{covariance}"));
        assert!(!scratch.read(&format!("fit-{covariance}/report.html")).contains("sd NaN"), "{covariance}");
    }
}

#[test]
fn every_prior_runs() {
    let scratch = Scratch::new();
    for (prior, kept) in [
        ("--prior dirichlet --alpha 2", "alpha = \"2\""),
        ("", "alpha = \"gamma:2,4\""),
        ("--prior pitman-yor:0.2", "prior = \"pitman-yor:0.2,1\""),
        ("--prior finite", "prior = \"finite:1,4\""),
        ("--prior finite:2,1 --covariance full", "prior = \"finite:2,1\""),
    ] {
        scratch.ok(&format!("fit data.csv {prior} {QUICK} --out run --force"));
        assert!(scratch.read("run/run.toml").contains(kept), "{prior}");
    }
}

/// The first command of the README: a table with gaps, categories and known labels; every model takes it.
#[test]
fn the_built_in_penguins_run_with_every_model() {
    let scratch = Scratch::new();
    let ran = scratch.ok(&format!("fit {QUICK} --out run"));
    assert!(ran.stderr.contains("Palmer penguins (built in): 344 rows, 5 columns"), "{}", ran.stderr);
    assert!(ran.stderr.contains("8 missing values (0.5% of the cells)"), "{}", ran.stderr);
    assert!(scratch.read("run/summary.json").contains("reference:ari"), "the species are known labels");
    scratch.ok("report run");
    for model in ["known", "shared", "shared-columns"] {
        let ran = scratch.ok(&format!("fit --covariance {model} {QUICK} --out {model}"));
        assert!(ran.stderr.contains("342 rows, 4 columns"), "{}", ran.stderr);
    }
}

#[test]
fn a_mixed_table_runs_from_the_plain_command() {
    let scratch = Scratch::new();
    scratch.write("animals.csv", &animals(60));
    let ran = scratch.ok(&format!("fit animals.csv --id-column name {QUICK} --out run"));
    for words in [
        "column types: 2 normal (weight, length), 1 count (litter), 2 category (coat: 4 levels, tame: 2 levels)",
        "% of the cells)",
        "are left out of the likelihood",
        "normal columns standardised to mean 0",
    ] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    assert!(scratch.read("run/run.toml").contains("model = \"diagonal\""));
    let report = scratch.ok("report run");
    assert_eq!(report.stdout, ran.stdout);
    // The same said outright, and said otherwise.
    let said = "--column-type weight=normal,litter=count,coat=category,tame=category";
    scratch.ok(&format!("fit animals.csv --id-column name --covariance diagonal {said} {QUICK} --out said"));
    assert_eq!(scratch.rows("run"), scratch.rows("said"));
    scratch.ok(&format!("fit animals.csv --id-column name --column-type litter=normal {QUICK} --out other"));
    assert_ne!(scratch.rows("run"), scratch.rows("other"));
    // A TOML file says it, too; starts of k-means and from one cluster know what to do.
    scratch.write("my.toml", "id_column = 'name'\ncolumn_type = ['litter=normal', 'tame=category']\n");
    scratch.ok(&format!("fit animals.csv --config my.toml {QUICK} --start kmeans:2 --out toml"));
    scratch.ok(&format!("meet animals.csv --config my.toml {QUICK} --start one --out meet"));
}

/// A block of columns that go together, with others beside it.
#[test]
fn full_covariances_take_any_table() {
    let scratch = Scratch::new();
    scratch.write("animals.csv", &animals(60));
    let ran = scratch.ok(&format!("fit animals.csv --id-column name --covariance full {QUICK} --out run"));
    for words in [
        "column types: 2 normal (weight, length), 1 count (litter), 2 category (coat: 4 levels, tame: 2 levels)",
        "outside the covariance matrices",
    ] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    assert_eq!(scratch.ok("report run").stdout, ran.stdout);
    scratch.write("new.csv", "name,coat,weight,length,litter,tame\nn0,grey,1.1,2.2,4,true\nn1,,5.2,,,\n");
    let csv = scratch.ok("predict run new.csv").stdout;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(!csv.contains("NaN"), "{csv}");

    // Rows without any measurement, a column that lacks a cell of its own, and one that is a sum.
    let rows: String = (0..30)
        .map(|i| {
            let (x, y) = (f64::from(i * i % 17), f64::from(i % 3) * 4.0 + f64::from(i % 5));
            let w = if i == 7 { String::new() } else { format!("{}.5", i % 11) };
            match i {
                3 | 4 => format!(",,,{w},red\n"),
                _ => format!("{x}.25,{y}.5,{}.75,{w},{}\n", x + y, ["red", "blue"][i as usize % 2]),
            }
        })
        .collect();
    scratch.write("gaps.csv", &format!("x,y,sum,w,coat\n{rows}"));
    let said = scratch
        .ok(&format!("fit gaps.csv --covariance full --cluster-prior table {QUICK} --out table"))
        .stderr;
    for words in [
        "modelled outside the covariance matrices, as its missing values are in other rows: w",
        "left out, as determined by other columns (a copy, a sum, a constant): sum",
        "2 rows have no values in the columns of the covariance matrices and are left out of them",
        "prior centred on the covariance of the table (share 0.2, freedom 2, kappa 0.1)",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(scratch.read("table/run.toml").contains("cluster_prior = \"table:0.2,2,0.1\""));
    // The sum is not looked at; the prior implies the model.
    scratch.ok(&format!("fit gaps.csv --drop sum --cluster-prior table {QUICK} --out without"));
    assert_eq!(scratch.rows("table"), scratch.rows("without"));
    assert!(
        !scratch.read("run/run.toml").contains("cluster_prior"),
        "what a family does by itself is not said"
    );

    // Numbers alone are real numbers; declared ones are not.
    let numbers: String = (0..24).map(|i| format!("{},{}.5\n", i % 4, i * 7 % 13)).collect();
    scratch.write("numbers.csv", &format!("n,x\n{numbers}"));
    scratch.ok(&format!("fit numbers.csv --covariance full {QUICK} --out all"));
    scratch.ok(&format!("fit numbers.csv --covariance full --column-type n=normal {QUICK} --out same"));
    assert_eq!(scratch.rows("all"), scratch.rows("same"));
    scratch.ok(&format!("fit numbers.csv --covariance full --column-type n=count {QUICK} --out counts"));
    assert_ne!(scratch.rows("all"), scratch.rows("counts"));
    assert_eq!(
        scratch.refused("fit numbers.csv --covariance full --column-type n=count,x=category"),
        "partita: numbers.csv: there are no two numeric columns to correlate, so --model full does not apply: use \
         --model diagonal"
    );
    assert_eq!(
        scratch.refused("fit numbers.csv --covariance shared --cluster-prior table"),
        "partita: --cluster-prior is for --model full: with --model shared there are no covariance matrices; \
         leave it out"
    );
}

#[test]
fn missing_cells_do_not_count() {
    let scratch = Scratch::new();
    // A column that is always missing in one row; a row of nothing but gaps.
    scratch.write("gaps.csv", "x,y\n-1,\n-1.1,2\n1,3\n,\n1.2,2.5\n-0.9,3.5\n");
    scratch.ok(&format!("fit gaps.csv --covariance diagonal {QUICK} --out run"));
    assert!(scratch.exists("run/report.html"));
    for covariance in ["known", "shared", "shared-columns"] {
        assert_eq!(
            scratch.refused(&format!("fit gaps.csv --covariance {covariance}")),
            format!(
                "partita: gaps.csv, line 2, column \"y\": the cell is empty; fill it in, remove the row, or leave \
                 the column out with --drop y; --model {covariance} needs complete data, --model diagonal takes \
                 missing values"
            )
        );
    }
}

#[test]
fn categories_alone_and_counts_alone() {
    let scratch = Scratch::new();
    let words: String = (0..20).map(|i| ["red,round\n", "blue,square\n", "red,square\n"][i % 3]).collect();
    scratch.write("words.csv", &format!("colour,shape\n{words}"));
    scratch.ok(&format!("fit words.csv {QUICK} --out words"));
    let counts: String = (0..20).map(|i| format!("{},{}\n", [0, 9, 1, 12][i % 4], i % 5)).collect();
    scratch.write("counts.csv", &format!("visits,calls\n{counts}"));
    let ran =
        scratch.ok(&format!("fit counts.csv --column-type visits=count,calls=count {QUICK} --out counts"));
    assert!(ran.stderr.contains("column types: 2 count (visits, calls)"), "{}", ran.stderr);
}

#[test]
fn words_where_numbers_are_needed() {
    assert_eq!(
        about("x,kind\n1,a\n2,b\n3,a\n", "fit a.csv --covariance known"),
        "partita: a.csv, line 2, column \"kind\": \"a\" is not a number; correct the cell or remove the row, leave the column out \
         with --drop kind, take row names or known labels from it with --id-column kind or --label-column kind, or \
         treat it as a category with --column-type kind=category; --model known takes numbers only, --model diagonal also takes categories"
    );
    assert_eq!(
        about("x,kind\n1,a\n2,b\n3,a\n", "fit a.csv --covariance shared --column-type kind=category"),
        "partita: --column-type kind=category cannot be used with --model shared, which takes real numbers only: \
         use --model diagonal"
    );
}

#[test]
fn names_are_not_categories() {
    let rows: String = (0..40).map(|i| format!("{},n{}\n", f64::from(i) / 7.0, i.min(38))).collect();
    assert_eq!(
        about(&format!("x,who\n{rows}"), "fit a.csv"),
        "partita: a.csv, column \"who\": 39 different words in 40 rows are more likely names than categories; take \
         row names from the column with --id-column who, leave it out with --drop who, or treat it as a category with \
         --column-type who=category"
    );
    let rows: String = (0..3000).map(|i| format!("{},n{}\n", i % 7, i % 1500)).collect();
    assert_eq!(
        about(&format!("x,who\n{rows}"), "fit a.csv --column-type who=category"),
        "partita: a.csv, line 1002, column \"who\": this is level number 1001 of the category, so the column more \
         likely holds names; take row names from it with --id-column who, or leave it out with --drop who"
    );
}

#[test]
fn counts_that_are_none() {
    for (cell, line) in [("-1", 3), ("2.5", 3)] {
        assert_eq!(
            about(&format!("x,n\n1,2\n2,{cell}\n3,4\n"), "fit a.csv --column-type n=count"),
            format!(
                "partita: a.csv, line {line}, column \"n\": \"{cell}\" is not a count (a non-negative whole \
                 number); correct the cell, or use --column-type n=normal"
            )
        );
    }
}

#[test]
fn types_of_columns_that_are_not_there() {
    assert_eq!(
        about("age,sex\n1,f\n2,m\n3,f\n4,m\n", "fit a.csv --column-type agee=normal"),
        "partita: a.csv has no column \"agee\"; the closest name is \"age\""
    );
    assert!(
        about("x\n1\n2\n", "fit a.csv --column-type x=number")
            .contains("`number` is not one of normal, count, category")
    );
    assert!(about("x\n1\n2\n", "fit a.csv --column-type x").contains("is not a column with its type"));
    assert_eq!(
        about("", "fit --column-type x=count"),
        "partita: --column-type is for your own tables: name a file"
    );
}

#[test]
fn options_of_another_model() {
    let scratch = Scratch::new();
    for option in ["--noise-sd", "--prior-sd"] {
        assert_eq!(
            scratch.refused(&format!("fit data.csv --covariance full {option} 1")),
            format!(
                "partita: {option} is for --model known: with --model full the spreads are estimated from the \
                 data; leave it out"
            )
        );
    }
    assert_eq!(
        scratch.refused("fit data.csv --prior finite --alpha 2"),
        "partita: --alpha is for --prior dirichlet: leave it out, or --prior finite:1,4"
    );
    assert!(scratch.refused("fit data.csv --prior pitman-yor:2").contains("is not a prior: use dirichlet"));
    assert_eq!(
        scratch.refused("fit data.csv --edge-prior 1,1"),
        "partita: --edge-prior is for graphs: use `partita blocks GRAPH`"
    );
}

#[test]
fn spreads_for_standardised_columns_are_told_where_columns_keep_their_units() {
    let scratch = Scratch::new();
    let told = |arguments: &str| {
        let ran = scratch.ok(&format!("fit {arguments} {QUICK} --force --out run"));
        let told = ran.stderr.lines().find(|line| line.contains("columns keep their units"));
        told.map(|line| line.trim().to_string())
    };
    let sentence = |open: &str| {
        Some(format!(
            "columns keep their units, but {open} meant for standardised columns: give values that suit the data, or \
             leave --no-standardize out"
        ))
    };
    assert_eq!(
        told("data.csv --covariance known --no-standardize"),
        sentence("--prior-sd 0.5 and --noise-sd 1 are defaults")
    );
    assert_eq!(told("data.csv --no-standardize --prior-sd 2"), sentence("--noise-sd 1 is a default"));
    assert_eq!(told("data.csv --no-standardize --noise-sd 2"), sentence("--prior-sd 0.5 is a default"));
    // Both given, standardised columns, spreads that the data tell, and the built-in data with their own.
    for arguments in [
        "data.csv --no-standardize --prior-sd 2 --noise-sd 1",
        "data.csv --covariance known",
        "data.csv --no-standardize",
        "--no-standardize",
    ] {
        assert_eq!(told(arguments), None, "{arguments}");
    }
}

#[test]
fn blocks_of_a_graph() {
    let scratch = Scratch::new();
    scratch.write("triangles.txt", TRIANGLES);
    let ran = scratch.ok(&format!(
        "blocks triangles.txt {QUICK} --summary clusters --summary co:0,1 --summary co:0,5 --json --out run"
    ));
    assert!(ran.stderr.contains("triangles.txt: 6 vertices, 7 edges"), "{}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let mean = |at: usize| json["summaries"][at]["mean"].as_f64().unwrap();
    assert!(mean(1) > mean(2), "{json}");
    scratch.ok("report run");
    scratch.ok(&format!(
        "blocks triangles.txt {QUICK} --edge-prior 0.5,2 --prior finite --start one --out other"
    ));
    scratch.ok(&format!("meet triangles.txt {QUICK} --edge-prior 1,1 --out meet"));
    scratch.ok(&format!("meet triangles.txt {QUICK} --colors 4 --out colours"));
    assert!(scratch.read("colours/run.toml").contains("task = \"color\""));
    for (arguments, sentence) in [
        ("blocks", "`partita blocks` needs a graph: an edge list or a DIMACS .col file"),
        (
            "blocks triangles.txt --colors 3",
            "--colors is for colourings: use `partita color GRAPH --colors Q`",
        ),
        (
            "blocks triangles.txt --start kmeans:2",
            "--start kmeans:2 cannot be used with blocks: use prior, sequential or one",
        ),
        (
            "color triangles.txt --colors 3 --edge-prior 1,1",
            "--edge-prior is for blocks: use `partita blocks GRAPH`",
        ),
        ("blocks triangles.txt --covariance full", "--model is for tables: leave it out for a graph"),
        (
            "meet graph.col",
            "a graph can be coloured or split into blocks: give --colors Q, the number of colours, or --edge-prior \
             1,1 for blocks",
        ),
    ] {
        assert_eq!(scratch.refused(arguments), format!("partita: {sentence}"));
    }
}
