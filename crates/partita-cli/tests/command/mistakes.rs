//! Every mistake of a user gets status 2 and a sentence with a way out, and nothing is written.

use crate::support::{QUICK, Scratch};
use serde_json::Value;

/// The sentence about a file with this content.
fn about(name: &str, content: &str, arguments: &str) -> String {
    let scratch = Scratch::new();
    scratch.write(name, content);
    scratch.refused(arguments)
}

/// The sentence about arguments alone.
fn about_arguments(arguments: &str) -> String {
    Scratch::new().refused(arguments)
}

#[cfg(not(feature = "cuda"))]
#[test]
fn a_card_that_cannot_be_used() {
    assert_eq!(
        about_arguments("fit data.csv --device cuda"),
        "partita: --device cuda: this partita was built without the feature `cuda`; leave it out to run on the CPU, \
         with the same results"
    );
    assert_eq!(
        about("my.toml", "data = 'data.csv'\ndevice = 'cuda'\n", "fit --config my.toml"),
        "partita: --device cuda: this partita was built without the feature `cuda`; leave it out to run on the CPU, \
         with the same results"
    );
    assert!(about_arguments("fit data.csv --device gpu").contains("`gpu` is not one of cpu, cuda, auto"));
}

#[test]
fn a_word_where_a_number_should_be() {
    assert_eq!(
        about("a.csv", "x,y\n1,2\n3,red\n5,6\n", "fit a.csv"),
        "partita: a.csv, line 3, column \"y\": \"red\" is not a number; correct the cell or remove the row, leave the column out \
         with --drop y, take row names or known labels from it with --id-column y or --label-column y, or treat it as a \
         category with --column-type y=category"
    );
}

#[test]
fn a_missing_cell() {
    assert_eq!(
        about("a.csv", "x,y\n1,2\n3,\n5,6\n", "fit a.csv --covariance known"),
        "partita: a.csv, line 3, column \"y\": the cell is empty; fill it in, remove the row, or leave the column \
         out with --drop y; --model known needs complete data, --model diagonal takes missing values"
    );
}

#[test]
fn ragged_rows() {
    assert_eq!(
        about("a.csv", "x,y\n1,2\n3,4,5\n5,6\n", "fit a.csv"),
        "partita: a.csv, line 3: the row has 3 cells but the header has 2; correct or remove the row, or give the \
         separator with --delimiter"
    );
}

#[test]
fn an_empty_file() {
    assert_eq!(about("a.csv", "", "fit a.csv"), "partita: a.csv is empty; give a file with data");
}

#[test]
fn a_file_that_is_not_there() {
    assert_eq!(about_arguments("fit nowhere.csv"), "partita: nowhere.csv does not exist; check the path");
}

#[test]
fn a_constant_column() {
    assert_eq!(
        about("a.csv", "x,y\n1,2\n3,2\n5,2\n", "fit a.csv"),
        "partita: a.csv, column \"y\": every value is 2, so the column cannot be standardised; leave it out with \
         --drop y or use --no-standardize"
    );
}

#[test]
fn fewer_than_two_rows() {
    assert_eq!(
        about("a.csv", "x,y\n1,2\n", "fit a.csv"),
        "partita: a.csv has one row of data, but clustering needs at least two; add rows"
    );
}

#[test]
fn duplicate_header_names() {
    assert_eq!(
        about("a.csv", "x,x\n1,2\n3,4\n", "fit a.csv"),
        "partita: a.csv: columns 1 and 2 are both named \"x\"; rename one"
    );
}

#[test]
fn numbers_too_large_to_square() {
    assert_eq!(
        about("a.csv", "x\n1\n1e200\n2e200\n", "fit a.csv --no-standardize"),
        "partita: a.csv, row 2, column \"x\": 1e200 is too large for --model diagonal, as its square \
         overflows: leave --no-standardize out, or change the unit"
    );
}

#[test]
fn an_edge_to_itself() {
    assert_eq!(
        about("g.txt", "a b\nb b\n", "color g.txt --colors 3"),
        "partita: g.txt, line 2: the edge joins \"b\" to itself; remove the line"
    );
}

#[test]
fn too_few_colours() {
    assert_eq!(
        about_arguments("color octahedron.txt --colors 2"),
        "partita: octahedron.txt: no proper colouring with 2 colours exists; 5 colours are always enough for this \
         graph"
    );
    assert_eq!(
        about_arguments("color octahedron.txt"),
        "partita: --colors is required: the number of colours"
    );
}

#[test]
fn an_unwritable_directory() {
    assert_eq!(
        about_arguments("fit data.csv --out data.csv/run"),
        "partita: data.csv/run: this directory cannot be written (not a directory): choose another --out"
    );
    assert_eq!(
        about_arguments("fit data.csv --out data.csv"),
        "partita: data.csv: this is a file, not a directory: choose another --out"
    );
}

#[test]
fn a_directory_in_use_and_force() {
    let scratch = Scratch::new();
    let run = format!("fit data.csv {QUICK} --out run");
    scratch.ok(&format!("{run} --seed 1"));
    assert_eq!(
        scratch.refused(&format!("{run} --seed 2")),
        "partita: run: this directory is already in use: choose another --out, continue the run with `partita resume \
         run`, or overwrite it with --force"
    );
    let before = scratch.rows("run");
    scratch.write("run/mine.txt", "notes");
    scratch.ok(&format!("{run} --seed 2 --force"));
    assert_ne!(scratch.rows("run"), before);
    assert_eq!(scratch.read("run/mine.txt"), "notes", "what is not ours stays");
    // Nothing of the old run is mixed into the new one.
    scratch.ok(&format!("{run} --seed 1 --keep-draws 0 --force"));
    assert_eq!(scratch.rows("run"), before);
    assert!(!scratch.exists("run/draws.csv") && !scratch.exists("run/co_clustering.npy"));
    assert!(!scratch.exists("run/clustering.csv") && !scratch.exists("run/co_clustering_se.npy"));
}

#[test]
fn an_unknown_key() {
    assert_eq!(
        about("my.toml", "burnin = 3\n", "fit data.csv --config my.toml"),
        "partita: my.toml: there is no option `burnin`; did you mean `burn_in`?"
    );
    assert_eq!(
        about("my.toml", "zebra = 3\n", "fit data.csv --config my.toml"),
        "partita: my.toml: there is no option `zebra`"
    );
}

#[test]
fn malformed_toml() {
    assert_eq!(
        about("my.toml", "lag = 3\nburn_in 5\n", "fit data.csv --config my.toml"),
        "partita: my.toml: line 2: key with no value, expected `=`"
    );
    assert_eq!(
        about("my.toml", "\nlag = \"five\"\n", "fit data.csv --config my.toml"),
        "partita: my.toml: line 2: invalid type: string \"five\", expected a whole number"
    );
    assert_eq!(
        about_arguments("fit data.csv --config nowhere.toml"),
        "partita: nowhere.toml cannot be read: no such file or directory"
    );
}

#[test]
fn a_wrong_word() {
    assert_eq!(
        about("my.toml", "lag = 3\nsampler = \"gibs\"\n", "fit data.csv --config my.toml"),
        "partita: my.toml: line 2: `gibs` is not one of gibbs, split-merge, split-merge-independent, sams, sams-near, sams-even, shuffle, \
         shuffle-near, kempe, or several of them such as split-merge*5+gibbs; did you mean `gibbs`?"
    );
    assert_eq!(
        about_arguments("fit data.csv --coupling optimum"),
        "error: invalid value 'optimum' for '--coupling <COUPLING>': `optimum` is not one of optimal, maximal, \
         common, independent, relabel; did you mean `optimal`?\n\nFor more information, try '--help'."
    );
}

#[test]
fn fewer_sweeps_than_burn_in() {
    assert_eq!(
        about_arguments("fit data.csv --burn-in 10 --sweeps 5"),
        "partita: --sweeps (5) must be at least --burn-in (10): raise --sweeps or lower --burn-in"
    );
}

#[test]
fn no_lag() {
    assert_eq!(about_arguments("fit data.csv --lag 0"), "partita: --lag must be at least 1");
}

#[test]
fn a_cap_that_cuts_everything() {
    assert_eq!(
        about_arguments("fit data.csv --sweeps 50 --max-sweeps 20"),
        "partita: --max-sweeps (20) would censor pairs before they have made their --sweeps (50): raise it"
    );
    assert_eq!(
        about_arguments("fit data.csv --lag 50 --max-sweeps 20"),
        "partita: --max-sweeps (20) would censor every pair before its second chain has moved (--lag 50): raise \
         it"
    );
}

#[test]
fn shards_of_nothing() {
    assert_eq!(
        about_arguments("fit data.csv --shard 1/3"),
        "partita: --shard needs --replicates, the total over all shards, so that each knows its share"
    );
    assert_eq!(
        about_arguments("fit data.csv --shard 5/10 --replicates 3"),
        "partita: --shard 5/10: there are fewer replicates (3) than shards; use at most 3 shards"
    );
}

#[test]
fn two_ways_to_stop() {
    assert_eq!(
        about_arguments("fit data.csv --replicates 10 --time 5s"),
        "partita: --replicates, --time and --precision each say when to stop: give only one of them"
    );
    assert_eq!(
        about_arguments("meet data.csv --precision 0.1"),
        "partita: --precision is for estimates, and `partita meet` makes none: use --replicates or --time"
    );
    assert_eq!(
        about("my.toml", "summary = []\n", "fit data.csv --precision 0.1 --config my.toml"),
        "partita: --precision needs a summary to estimate, and there is none: use --replicates or --time"
    );
}

#[test]
fn numbers_beyond_all_machines() {
    for (option, sentence) in [
        ("--prior-sd 1e300", "--prior-sd must be between 1e-30 and 1e30, but is 1e300"),
        (
            "--sweeps 9223372036854775807",
            "--sweeps must be at most 1000000000000000, but is 9223372036854775807",
        ),
        ("--threads 5000", "--threads must be at most 1024, but is 5000"),
        ("--threads 0", "--threads must be at least 1"),
        ("--keep-draws 99999999", "--keep-draws must be at most 1000000, but is 99999999"),
    ] {
        assert_eq!(about_arguments(&format!("fit data.csv {option}")), format!("partita: {sentence}"));
    }
}

#[test]
fn an_item_that_is_not_there() {
    assert_eq!(
        about_arguments("fit data.csv --summary co:0,30"),
        "partita: --summary asks for item 30, but the items are numbered 0 to 29"
    );
}

#[test]
fn more_clusters_than_rows() {
    assert_eq!(
        about_arguments("fit data.csv --start kmeans:31"),
        "partita: --start kmeans:31 asks for more clusters than the 30 rows"
    );
}

#[test]
fn an_unknown_flag() {
    assert_eq!(
        about_arguments("fit data.csv --burnin 3"),
        "error: unexpected argument '--burnin' found\n\n  tip: a similar argument exists: '--burn-in'\n\n\
         Usage: partita fit --burn-in <SWEEPS> <DATA>\n\nFor more information, try '--help'."
    );
}

#[test]
fn a_table_for_a_graph_and_the_other_way_round() {
    assert_eq!(
        about_arguments("fit data.csv --colors 4"),
        "partita: --colors is for graphs: use `partita color GRAPH --colors Q`"
    );
    assert_eq!(
        about_arguments("color octahedron.txt --colors 4 --start one"),
        "partita: --start one is for tables: use random or greedy for colourings"
    );
    assert_eq!(
        about_arguments("color --colors 4"),
        "partita: `partita color` needs a graph: an edge list or a DIMACS .col file"
    );
}

#[test]
fn runs_that_cannot_be_merged() {
    let scratch = Scratch::new();
    let run = format!("fit data.csv {QUICK}");
    scratch.ok(&format!("{run} --shard 1/2 --out first"));
    scratch.ok(&format!("{run} --shard 2/2 --seed 2 --out other-seed"));
    scratch.ok(&format!("{run} --out all"));
    scratch.write("other.csv", &scratch.read("data.csv").replacen('3', "4", 1));
    scratch.ok(&format!("fit other.csv {QUICK} --shard 2/2 --out other-data"));
    let print = |run: &str| {
        let text = scratch.read(&format!("{run}/run.toml"));
        text.split("fingerprint = \"").nth(1).unwrap().split('"').next().unwrap().to_string()
    };
    assert_eq!(
        scratch.refused("merge first other-data"),
        format!(
            "partita: first and other-data are runs on different data (fingerprints {} and {}): they cannot be \
             merged",
            print("first"),
            print("other-data")
        )
    );
    assert_eq!(
        scratch.refused("merge first other-seed"),
        "partita: first and other-seed are runs with different configurations: compare their run.toml; only \
         shards of one run can be merged"
    );
    assert_eq!(
        scratch.refused("merge first all"),
        "partita: replicate 0 is in both first and all: overlapping shards cannot be merged"
    );
    assert_eq!(
        scratch.refused("merge first --out ./first --force"),
        "partita: first: this is one of the runs to be merged: choose another --out"
    );
    assert_eq!(
        scratch.refused("merge first nowhere"),
        "partita: nowhere: this is not a run directory: run.toml cannot be read (no such file or directory)"
    );
    scratch.ok(&format!("{run} --shard 2/2 --out second"));
    let text = scratch.read("second/replicates.csv");
    let some: String = text.split_inclusive('\n').take(5).collect();
    scratch.write("second/replicates.csv", &some);
    assert_eq!(
        scratch.refused("merge first second"),
        "partita: second: the run is not complete (4 replicates so far), and those that are done favour quick \
         pairs: continue it with `partita resume second`"
    );
    scratch.ok("resume second");
    scratch.ok("merge first second --out merged");
    assert_eq!(scratch.results("merged"), scratch.results("all"));
    assert!(scratch.refused("merge first second --out merged").contains("is already in use"));
}

#[test]
fn some_shards_alone_can_be_merged_and_completed() {
    let scratch = Scratch::new();
    let run = format!("fit data.csv {QUICK}");
    scratch.ok(&format!("{run} --out all"));
    for shard in [1, 3] {
        scratch.ok(&format!("{run} --shard {shard}/3 --out shard{shard}"));
    }
    let ran = scratch.ok("merge shard1 shard3 --json --out merged");
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["replicates"], 16);
    scratch.ok("report merged");
    scratch.ok("resume merged");
    assert_eq!(scratch.results("merged"), scratch.results("all"));
}

#[test]
fn something_else_than_a_run() {
    for command in ["resume", "report"] {
        assert_eq!(
            about_arguments(&format!("{command} nowhere")),
            "partita: nowhere: this is not a run directory: run.toml cannot be read (no such file or directory)"
        );
    }
}

#[test]
fn data_that_has_changed() {
    let scratch = Scratch::new();
    scratch.ok(&format!("fit data.csv {QUICK} --out run"));
    let text = scratch.read("run/run.toml");
    let print = text.split("fingerprint = \"").nth(1).unwrap().split('"').next().unwrap();
    scratch.write("data.csv", &scratch.read("data.csv").replacen('3', "4", 1));
    for command in ["resume", "report"] {
        let sentence = scratch.refused(&format!("{command} run"));
        let (before, after) = sentence.split_once(" instead of ").unwrap();
        assert!(
            before.starts_with("partita: data.csv has changed since the run began (fingerprint "),
            "{before}"
        );
        assert_eq!(after, format!("{print}): restore it, or start a new run"));
    }
}

/// A negative number is a value, and gets the sentence about its option.
#[test]
fn negative_numbers() {
    let cases = [
        ("--alpha -1", "alpha"),
        ("--prior-sd -1 --covariance known", "--prior-sd must be a positive number, but is -1"),
        ("--noise-sd -0.5 --covariance known", "--noise-sd must be a positive number, but is -0.5"),
        ("--nugget -0.1", "--nugget is a probability and must be between 0 and 1, but is -0.1"),
        ("--precision -1", "--precision must be a positive number, but is -1"),
        ("--time -5", "`-5` is not a length of time"),
        ("--lag -1", "`-1` is not a non-negative whole number"),
        ("--burn-in -1", "`-1` is not a non-negative whole number"),
        ("--sweeps -1", "`-1` is not a non-negative whole number"),
        ("--max-sweeps -1", "`-1` is not a non-negative whole number"),
        ("--replicates -1", "`-1` is not a non-negative whole number"),
        ("--threads -1", "`-1` is not a non-negative whole number"),
        ("--seed -1", "`-1` is not a non-negative whole number"),
        ("--keep-draws -1", "`-1` is not a non-negative whole number"),
        ("--colors -1", "`-1` is not a non-negative whole number"),
    ];
    for (options, sentence) in cases {
        let refused = about_arguments(&format!("fit data.csv {options}"));
        assert!(refused.contains(sentence), "{options}: {refused}");
        assert!(!refused.contains("unexpected argument"), "{options}: {refused}");
    }
}
