//! Every option of every command changes something, or is refused with what it is for.

use crate::support::{Scratch, table};
use partita_run::config::Options;
use std::fs;

/// A run that needs no pilot, as options that stand in a file, too.
const BASE: &[(&str, &str)] =
    &[("lag", "2"), ("burn_in", "3"), ("sweeps", "6"), ("replicates", "12"), ("seed", "1"), ("threads", "2")];

/// The commands, with what they are given.
const COMMANDS: &[(&str, &[(&str, &str)])] = &[
    ("fit", &[("data", "'data.csv'")]),
    ("fit", &[("data", "'rows.npy'")]),
    ("fit", &[("max_sweeps", "40")]),
    ("fit", &[("data", "'data.csv'"), ("model", "'known'")]),
    ("fit", &[("data", "'data.csv'"), ("model", "'full'"), ("prior", "'finite'")]),
    ("fit", &[("data", "'data.csv'"), ("coupling", "'maximal'")]),
    ("fit", &[("data", "'data.csv'"), ("coupling", "'independent'"), ("max_sweeps", "40")]),
    ("fit", &[("data", "'data.csv'"), ("keep_draws", "0")]),
    ("color", &[("data", "'graph.txt'"), ("colors", "6")]),
    ("color", &[("data", "'graph.txt'"), ("colors", "6"), ("coupling", "'common'")]),
    ("blocks", &[("data", "'graph.txt'")]),
    ("blocks", &[("data", "'graph.txt'"), ("prior", "'pitman-yor:0.2'")]),
    ("meet", &[("data", "'data.csv'")]),
    ("meet", &[("max_sweeps", "40")]),
    ("meet", &[("data", "'graph.txt'"), ("colors", "6")]),
    ("meet", &[("data", "'graph.txt'"), ("edge_prior", "'1,1'")]),
];

/// Every option with values, one of which is not its default in any command.
const VALUES: &[(&str, &[&str])] = &[
    ("data", &["'other.csv'"]),
    ("delimiter", &["'|'"]),
    ("header", &["false"]),
    ("columns", &["['y', 'x']"]),
    ("drop", &["['x']"]),
    ("id_column", &["'x'"]),
    ("label_column", &["'x'"]),
    ("standardize", &["false", "true"]),
    ("column_type", &["['x=category']"]),
    ("model", &["'shared'"]),
    ("prior_sd", &["2.5"]),
    ("noise_sd", &["2.5"]),
    ("prior", &["'finite:2,1'"]),
    ("alpha", &["7"]),
    ("colors", &["7"]),
    ("edge_prior", &["'3,5'"]),
    ("sampler", &["'split-merge'"]),
    ("coupling", &["'relabel'"]),
    ("metric", &["'vi'"]),
    ("nugget", &["0.5"]),
    ("start", &["'one'"]),
    ("lag", &["3"]),
    ("burn_in", &["4"]),
    ("sweeps", &["7"]),
    ("max_sweeps", &["6"]),
    ("replicates", &["13"]),
    ("time", &["'20ms'"]),
    ("precision", &["1000000"]),
    ("seed", &["2"]),
    ("summary", &["['entropy']"]),
    ("keep_draws", &["3"]),
    ("loss", &["'binder'"]),
    ("threads", &["1"]),
    ("device", &["'auto'"]),
    ("float", &["'f32'"]),
    ("shard", &["'1/2'"]),
    ("out", &["'elsewhere'"]),
    ("cluster_prior", &["'table:0.1,4,1'"]),
    ("sheet", &["'2'"]),
    ("pca", &["1"]),
];

/// These change nothing that is found: how many work on it, on what, and where it is written.
const ELSEWHERE: [&str; 3] = ["threads", "device", "out"];

/// A directory with the files that the commands read.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let third = |text: String| -> String {
        let more = |(i, line): (usize, &str)| match i {
            0 => format!("{line},z\n"),
            i => format!("{line},{}.5\n", i * i % 7),
        };
        text.lines().enumerate().map(more).collect()
    };
    scratch.write("data.csv", &third(table(20)));
    scratch.write("other.csv", &third(table(18)));
    let edges = (0..16).flat_map(|i| [1, 3].map(|step| format!("{i} {}\n", (i + step) % 16)));
    scratch.write("graph.txt", &edges.collect::<String>());
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(format!("{:<117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (20, 2), }").bytes());
    npy.extend((0..40).flat_map(|i| (f64::from(i * i % 37) / 7.0).to_le_bytes()));
    fs::write(scratch.path.join("rows.npy"), npy).unwrap();
    scratch
}

/// The options as a configuration file: later ones win.
fn file(options: &[(&str, &str)]) -> String {
    let last =
        |(i, (key, _)): &(usize, &(&str, &str))| !options[i + 1..].iter().any(|(other, _)| other == key);
    let kept = options.iter().enumerate().filter(last);
    kept.map(|(_, (key, value))| format!("{key} = {value}\n")).collect()
}

/// What a run found, or why there was none. Wall times are left out, and what only repeats the options.
fn outcome(scratch: &Scratch, command: &str, options: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let mut all = BASE.to_vec();
    all.extend(options);
    // Two ways to stop do not go together.
    if options.iter().any(|(key, _)| ["time", "precision"].contains(key)) {
        all.retain(|(key, _)| *key != "replicates");
    }
    scratch.write("my.toml", &file(&all));
    for name in ["run", "elsewhere"] {
        let _ = fs::remove_dir_all(scratch.path.join(name));
    }
    let out = if options.iter().any(|(key, _)| *key == "out") { "" } else { "--out run" };
    let ran = scratch.run(&format!("{command} --config my.toml {out}"));
    match ran.status {
        0 => {}
        2 => return Err(ran.stderr.trim_end().to_string()),
        _ => panic!("{command} {all:?}: {ran:?}"),
    }
    let run = if out.is_empty() { "elsewhere" } else { "run" };
    let mut found = scratch.rows(run);
    let mut summary: serde_json::Value =
        serde_json::from_str(&scratch.read(&format!("{run}/summary.json"))).unwrap();
    summary["seconds"].take();
    if summary["pilot"].is_object() {
        summary["pilot"]["seconds"].take();
    }
    found.push(summary.to_string());
    for name in ["draws.csv", "clustering.csv"] {
        found.push(fs::read_to_string(scratch.path.join(run).join(name)).unwrap_or_default());
    }
    Ok(found)
}

#[test]
fn every_option_is_used_or_refused() {
    let mut keys: Vec<&str> = VALUES.iter().map(|(key, _)| *key).collect();
    keys.sort_unstable();
    let mut all = Options::KEYS.to_vec();
    all.sort_unstable();
    assert_eq!(keys, all, "every option has a value to try");
    let scratch = scratch();
    for (command, given) in COMMANDS {
        let without =
            outcome(&scratch, command, given).unwrap_or_else(|e| panic!("{command} {given:?}: {e}"));
        for (key, values) in VALUES {
            let found: Vec<_> = values
                .iter()
                .map(|value| {
                    let mut options = given.to_vec();
                    options.push((key, value));
                    outcome(&scratch, command, &options)
                })
                .collect();
            for sentence in found.iter().filter_map(|found| found.as_ref().err()) {
                let said = sentence.strip_prefix("partita: ").is_some_and(|said| !said.contains('\n'));
                assert!(said, "{command} {given:?} {key}: {sentence}");
            }
            let changes = found.iter().any(|found| *found.as_ref().unwrap_or(&Vec::new()) != without);
            assert_eq!(changes, !ELSEWHERE.contains(key), "{command} {given:?}: {key} = {values:?}");
        }
    }
}

#[test]
fn what_has_no_use_is_refused_with_what_it_is_for() {
    let scratch = scratch();
    let tables = "is for tables: leave it out for a graph";
    for option in [
        "--delimiter ;",
        "--header",
        "--no-header",
        "--columns a",
        "--drop a",
        "--id-column a",
        "--label-column a",
        "--no-standardize",
        "--column-type a=count",
        "--model full",
        "--prior-sd 1",
        "--noise-sd 1",
    ] {
        let name = option.split(' ').next().unwrap();
        for command in ["color graph.txt --colors 4", "blocks graph.txt", "meet graph.txt --colors 4"] {
            assert_eq!(scratch.refused(&format!("{command} {option}")), format!("partita: {name} {tables}"));
        }
    }
    for (arguments, sentence) in [
        (
            "color graph.txt --colors 4 --alpha 3",
            "--alpha is for clusters and blocks: all colourings are equally likely",
        ),
        (
            "color graph.txt --colors 4 --prior finite",
            "--prior is for clusters and blocks: all colourings are equally likely",
        ),
        ("fit --columns 1", "--columns is for your own tables: name a file"),
        ("fit --delimiter ;", "--delimiter is for your own tables: name a file"),
        ("fit rows.npy --no-header", "--no-header is for tables in text files: leave it out"),
        (
            "fit data.csv --metric vi --coupling maximal",
            "--metric is for --coupling optimal: leave it out, or --coupling maximal",
        ),
        (
            "blocks graph.txt --nugget 0.1 --coupling independent",
            "--nugget is for couplings other than independent: leave it out, or --coupling independent",
        ),
        (
            "meet data.csv --summary entropy",
            "--summary is for estimates, and `partita meet` makes none: leave it out",
        ),
        (
            "meet data.csv --keep-draws 2",
            "--keep-draws is for estimates, and `partita meet` makes none: leave it out",
        ),
        (
            "meet data.csv --loss vi",
            "--loss is for the point estimate, and `partita meet` makes none: leave it out",
        ),
        (
            "fit data.csv --loss vi --keep-draws 0",
            "--loss is for the point estimate, which needs the states that --keep-draws 0 drops: leave out one of \
             the two",
        ),
    ] {
        assert_eq!(scratch.refused(arguments), format!("partita: {sentence}"));
    }
}

#[test]
fn a_type_of_a_column_that_is_no_data() {
    let scratch = scratch();
    assert_eq!(
        scratch.refused("fit data.csv --column-type y=count --drop y"),
        "partita: data.csv: --column-type gives a type for column \"y\", which is not among the data columns; \
         leave that type out, or use the column"
    );
}

#[test]
fn answers_of_states_that_were_not_kept() {
    let scratch = scratch();
    scratch.ok("fit data.csv --lag 5 --burn-in 5 --sweeps 20 --replicates 24 --keep-draws 0 --out none");
    for option in ["--loss binder", "--matrix"] {
        let name = option.split(' ').next().unwrap();
        assert_eq!(
            scratch.refused(&format!("report none {option}")),
            format!(
                "partita: none: {name} needs kept states, and the run has none: run it again with --keep-draws 1 \
                 or more"
            )
        );
    }
    scratch.ok("fit data.csv --lag 5 --burn-in 5 --sweeps 20 --replicates 24 --out some");
    assert_eq!(
        scratch.refused("predict some data.csv --score --loss binder"),
        "partita: --loss matters for the clusters that rows join, and --score reports their densities alone: leave \
         --loss out"
    );
}
