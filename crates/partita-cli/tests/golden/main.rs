//! Golden rows: what the command gave once, it gives again, bit for bit.
//!
//! Each row of the table below is a test: its commands run one after the other in a folder of their own, with the
//! files of [`data`] in it, and what the last of them leave in the folder `run` is held against `records/NAME`.
//!
//! * CSV files are compared byte for byte: `replicates.csv` (without its column `seconds`), `draws.csv`,
//!   `clustering.csv`, `credible_ball.csv`, predictions, and the co-clustering matrices of up to twelve items (written
//!   out as text).
//! * JSON files (`summary.json`, what `--json` prints): every key of the record is there, at every depth, with the
//!   same value to the last digit. Keys may be *added*; lists are as long as they were.
//! * Wall times, versions and places are taken out first, in [`mask`].
//! * A file that has no record fails, and so does a record that has no file or no row in the table. Files of other
//!   names (the list is in [`record`]) may be there or not.
//!
//! Where a change of results is meant, record the rows again and read the difference that git shows:
//!
//! ```sh
//! PARTITA_RECORD=1 cargo test -p partita-cli --test golden        # all of them
//! PARTITA_RECORD=1 cargo test -p partita-cli --test golden pilot  # those whose name holds a word
//! ```
//!
//! Records hold on every x86-64 machine as far as elementary functions do. Chains take theirs from the crate `libm`;
//! the system's are behind the intervals (through `statrs`), predictions, the burn-in of a pilot (rounded up) and the
//! prior of `--covariance diagonal` with three normal columns or more. Last digits of these alone that differ on
//! another machine tell of its mathematical library.

mod compare;
mod data;
mod mask;
mod record;
#[path = "../command/support.rs"]
#[allow(dead_code, reason = "shared with the tests of the command, which use the rest")]
mod support;

/// A schedule that needs no pilot: capital words of a command stand for options.
const WORDS: [(&str, &str); 3] = [
    ("QUICK", "--lag 5 --burn-in 5 --sweeps 25 --replicates 20 --keep-draws 2 --seed 3 --out run"),
    // Long enough for densities of new rows.
    ("LONGER", "--lag 20 --burn-in 20 --sweeps 60 --replicates 24 --keep-draws 2 --seed 3 --out run"),
    // For `meet` and for a part of a run.
    ("BRIEF", "--lag 5 --burn-in 5 --sweeps 25 --seed 5"),
];

/// A test a row, and the names of all.
macro_rules! table {
    ($($(#[$note:meta])* $name:ident: $($command:literal),+;)*) => {
        $($(#[$note])* #[test] fn $name() { record::hold(stringify!($name), &[$($command),+]); })*
        #[test]
        fn every_record_has_a_row() { record::no_others(&[$(stringify!($name)),*]); }
    };
}

// A command is a line of the shell without `partita`; `> FILE` keeps what it prints as `run/FILE`. `tear RUN N` leaves
// a run as a crash would: N whole rows, part of the next, no answers.
table! {
    // Models of tables, and what they say of new rows.
    known: "fit points.csv --drop kind --covariance known --prior-sd 0.8 --noise-sd 0.5 --alpha 0.5 LONGER",
        "predict run new_points.csv --out run/predictions.csv";
    known_by_default_spreads: "fit wide.csv --covariance known QUICK";
    known_as_in_the_file: "fit points.csv --drop kind --covariance known --no-standardize --prior-sd 2 --noise-sd 1 QUICK",
        "predict run new_points.csv --score --json > printed.json";
    shared: "fit points.csv --columns x,y --covariance shared LONGER",
        "predict run new_points.csv --out run/predictions.csv";
    shared_columns: "fit points.csv --columns y,x --covariance shared-columns LONGER",
        "predict run new_points.csv --out run/predictions.csv";
    diagonal: "fit points.csv --drop kind --covariance diagonal LONGER",
        "predict run new_points.csv --out run/predictions.csv";
    diagonal_of_three_columns: "fit flowers.tsv --id-column plant --covariance diagonal QUICK";
    full: "fit points.csv --drop kind --covariance full LONGER",
        "predict run new_points.csv --out run/predictions.csv";
    full_of_three_columns: "fit flowers.tsv --id-column plant --covariance full --alpha 1 QUICK";
    counts: "fit visits.csv --column-type calls=count,letters=count,visits=count LONGER",
        "predict run new_visits.csv --out run/predictions.csv";
    categories: "fit words.csv LONGER", "predict run new_words.csv --out run/predictions.csv";
    mixed_with_gaps: "fit animals.csv --id-column name LONGER",
        "predict run new_animals.csv --json > printed.json";
    mixed_as_said: "fit animals.csv --config animals.toml --metric vi QUICK";
    built_in: "fit --lag 5 --burn-in 5 --sweeps 25 --replicates 8 --keep-draws 1 --out run";

    all_by_default: "fit points.csv --drop kind QUICK";
    all_said: "fit points.csv --drop kind --covariance diagonal --prior dirichlet --alpha gamma:2,4 --sampler gibbs --coupling optimal --metric hamming --nugget 0.00001 --start prior --summary clusters --summary top:3 --loss vi QUICK";

    // Priors of partitions.
    alpha_fixed: "fit points.csv --drop kind --alpha 2.5 QUICK";
    alpha_gamma: "fit points.csv --drop kind --alpha gamma:1,0.5 QUICK";
    pitman_yor: "fit points.csv --drop kind --prior pitman-yor:0.25,0.5 QUICK";
    pitman_yor_without_strength: "fit visits.csv --covariance diagonal --prior pitman-yor:0.5 QUICK";
    finite: "fit points.csv --drop kind --prior finite QUICK";
    finite_of_many: "fit points.csv --drop kind --covariance full --prior finite:2,8 QUICK";

    // Samplers.
    split_merge: "fit points.csv --drop kind --sampler split-merge QUICK";
    split_merge_on_gaps: "fit animals.csv --id-column name --sampler split-merge --coupling maximal QUICK";
    split_merge_independent: "fit points.csv --drop kind --sampler split-merge-independent QUICK";
    split_merge_shared: "fit points.csv --drop kind --covariance shared --sampler split-merge --metric vi QUICK";

    // Couplings, metrics, nugget; pairs that are cut.
    vi: "fit points.csv --drop kind --metric vi QUICK";
    maximal: "fit points.csv --drop kind --coupling maximal --max-sweeps 400 QUICK";
    common: "fit points.csv --drop kind --coupling common --max-sweeps 400 QUICK";
    relabel: "fit points.csv --drop kind --coupling relabel --max-sweeps 400 QUICK";
    independent: "fit points.csv --drop kind --coupling independent --max-sweeps 60 QUICK";
    no_nugget: "fit points.csv --drop kind --nugget 0 QUICK";
    large_nugget: "fit points.csv --drop kind --coupling relabel --nugget 0.2 --max-sweeps 400 QUICK";

    // Starts.
    start_from_one: "fit points.csv --drop kind --start one QUICK";
    start_from_kmeans: "fit points.csv --drop kind --start kmeans:4 QUICK";
    start_from_kmeans_with_gaps: "fit animals.csv --id-column name --start kmeans:2 QUICK";
    start_from_prior: "fit points.csv --drop kind --start prior --prior finite QUICK";

    // Graphs.
    blocks: "blocks friends.txt QUICK";
    blocks_otherwise: "blocks friends.txt --edge-prior 0.5,2 --prior finite --start one --sampler split-merge --metric vi QUICK";
    blocks_pitman_yor: "blocks friends.txt --prior pitman-yor:0.2 --start prior --coupling relabel --max-sweeps 400 QUICK";
    color: "color octahedron.txt --colors 6 --start greedy QUICK";
    color_split_merge: "color octahedron.txt --colors 7 --start greedy --sampler split-merge --metric vi QUICK";
    color_random: "color octahedron.txt --colors 6 QUICK";
    color_kempe: "color petersen.col --colors 3 --summary clusters --summary co:0,2 QUICK";
    color_dimacs: "color petersen.col --colors 5 --start greedy --coupling relabel --summary clusters --summary co:0,2 QUICK";
    color_maximal: "color petersen.col --colors 6 --start greedy --coupling maximal --sampler split-merge-independent --max-sweeps 400 QUICK";

    // When to stop, without a clock; lag, burn-in and sweeps by a pilot.
    precision: "fit points.csv --drop kind BRIEF --precision 1 --summary clusters --keep-draws 1 --out run";
    precision_resumed: "color octahedron.txt --colors 6 --start greedy BRIEF --precision 0.06 --summary clusters --keep-draws 1 --out run",
        "tear run 70", "resume run --threads 1";
    // Nothing said: the clock sets but the largest number of replicates, a hundred times what is needed here.
    nothing_said: "color octahedron.txt --colors 12 --start greedy --summary co:0,5 --keep-draws 1 --out run";
    pilot: "fit points.csv --drop kind --covariance diagonal --replicates 12 --keep-draws 2 --out run";
    pilot_of_models: "fit points.csv --drop kind --replicates 12 --keep-draws 2 --out run";
    pilot_with_a_lag: "fit points.csv --drop kind --covariance full --lag 30 --replicates 12 --keep-draws 0 --seed 2 --out run";
    pilot_with_sweeps: "fit visits.csv --column-type calls=count --sweeps 120 --replicates 12 --sampler split-merge --out run";
    pilot_of_a_graph: "blocks friends.txt --burn-in 15 --replicates 24 --max-sweeps 2000 --keep-draws 1 --out run";

    // One run in parts.
    shard: "fit points.csv --drop kind BRIEF --replicates 25 --keep-draws 2 --shard 2/3 --out run";
    merged: "fit points.csv --drop kind BRIEF --replicates 25 --keep-draws 2 --shard 1/3 --out one",
        "fit points.csv --drop kind BRIEF --replicates 25 --keep-draws 2 --shard 2/3 --out two",
        "fit points.csv --drop kind BRIEF --replicates 25 --keep-draws 2 --shard 3/3 --out three",
        "merge two three one --out run",
        "resume run --json > printed.json";
    resumed: "fit animals.csv --id-column name QUICK", "tear run 9", "resume run --json > printed.json";
    started_only: "fit points.csv --drop kind --covariance full QUICK", "tear run 0", "resume run --threads 2";

    // Meetings alone.
    meet: "meet points.csv --drop kind BRIEF --replicates 40 --out run --json > printed.json";
    meet_by_a_pilot: "meet animals.csv --id-column name --replicates 40 --coupling maximal --max-sweeps 300 --out run";
    meet_colors: "meet petersen.col --colors 5 --start greedy --lag 3 --replicates 40 --out run";
    meet_blocks: "meet friends.txt --edge-prior 1,1 --lag 3 --replicates 40 --out run";

    // Answers: summaries, losses, a known clustering, reports afterwards.
    summaries: "fit points.csv --drop kind --summary clusters --summary entropy --summary top:2 --summary co:0,3 --summary top:4 --summary co:0,1 QUICK";
    density: "fit line.csv --covariance known --summary density:-3,3,7 --summary clusters QUICK";
    density_of_a_student: "fit line.csv --covariance diagonal --summary density:-10,25,6 QUICK";
    reference: "fit points.csv --label-column kind --prior-sd 0.8 --noise-sd 0.5 LONGER";
    binder: "fit points.csv --drop kind --loss binder --prior-sd 0.8 --noise-sd 0.5 LONGER",
        "predict run new_points.csv --loss vi --out run/predictions.csv";
    report: "fit points.csv --label-column kind --prior-sd 0.8 --noise-sd 0.5 QUICK",
        "report run --loss binder --matrix --json > printed.json";
    nothing_kept: "fit points.csv --drop kind --lag 5 --burn-in 5 --sweeps 25 --replicates 24 --keep-draws 0 --out run";
    one_replicate: "fit points.csv --drop kind --lag 5 --burn-in 5 --sweeps 25 --replicates 1 --out run";

    // Other files.
    npy: "fit points.npy --covariance shared QUICK";
    no_header: "fit bare.csv --no-header --delimiter semicolon --columns 3,1 --covariance full QUICK";
}
