//! The arguments, in the words of the contract.
#![allow(rustdoc::broken_intra_doc_links, reason = "brackets in help texts are defaults, not links")]

use crate::data::DataOptions;
use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use partita_run::Failure;
use partita_run::config::{
    Alpha, ColumnType, Coupling, CovariancePrior, Device, Duration, EdgePrior, Float, Loss, Metric,
    ModelChoice, Options, Pca, Prior, Sampler, Shard, Start, Summary, Task, default_in_words,
};
use partita_run::session::{HOLD_OUT, MODELS};
use std::path::PathBuf;

/// Unbiased Bayesian clustering with error bars, from many short pairs of coupled chains
#[derive(Debug, Parser)]
#[command(name = "partita", version, max_term_width = 100, disable_help_subcommand = true, after_help = TERMS)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Where the words of the field are explained.
const TERMS: &str =
    "Terms such as replicate, lag and meeting time are explained in the glossary, docs/glossary.md.";

/// The commands that run something, what they are for, and the file that they take.
const RUNS: [(&str, &[Task], bool, &str); 5] = [
    (
        "fit",
        &[Task::Fit],
        false,
        "A table: CSV, TSV, Excel or NPY, also gzipped; - for stdin [default: built-in data]",
    ),
    ("check", &[Task::Fit], false, "A table, as for fit [default: built-in data]"),
    ("color", &[Task::Color], false, "A graph: an edge list or DIMACS .col file, also gzipped"),
    ("blocks", &[Task::Blocks], false, "A graph: an edge list or DIMACS .col file, also gzipped"),
    (
        "meet",
        &[Task::Fit, Task::Color, Task::Blocks],
        true,
        "A table, or a graph with --colors or --edge-prior [default: built-in data]",
    ),
];

/// The command, whose help offers nothing that would be refused.
pub fn command() -> clap::Command {
    RUNS.into_iter().fold(Arguments::command(), |command, (name, tasks, meetings_only, file)| {
        let used: Vec<&str> = tasks.iter().flat_map(|task| Options::keys_of(*task, meetings_only)).collect();
        command.mut_subcommand(name, |run| {
            run.after_help(TERMS).mut_args(|arg| {
                let option = arg.get_id().as_str();
                // Two options are said as their opposites on the command line.
                let key = option.strip_prefix("no_").unwrap_or(option);
                let unused = Options::KEYS.contains(&key) && !used.contains(&key);
                if option == "data" {
                    return arg.help(file);
                }
                let default = default_in_words(key, tasks[0]).filter(|_| option == key);
                let help = arg.get_help().map_or(String::new(), |help| help.to_string());
                arg.hide(unused)
                    .help(default.map_or(help.clone(), |default| format!("{help} [default: {default}]")))
            })
        })
    })
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Cluster the rows of a table, and write a report
    Fit(RunOptions),
    /// Show how a table would be read and what would run, without running it
    Check(RunOptions),
    /// Sample proper colourings of a graph, and write a report
    Color(RunOptions),
    /// Cluster the vertices of a graph by a stochastic block model, and write a report
    Blocks(RunOptions),
    /// Run pairs of chains for their meeting times only: survival curve and total variation bound
    Meet(RunOptions),
    /// Reproduce a study from the paper: figures, numbers and a verdict on each claim
    Reproduce(ReproduceOptions),
    /// Continue an interrupted run
    Resume {
        /// Run directory
        run: PathBuf,
        /// Number of worker threads; results do not depend on it
        #[arg(long)]
        threads: Option<usize>,
        /// Where replicates run: cpu, cuda (an NVIDIA GPU) or auto; results do not depend on it
        #[arg(long)]
        device: Option<Device>,
        #[command(flatten)]
        shown: Shown,
    },
    /// Merge the shards of one run
    Merge {
        /// The run directories of the shards
        #[arg(required = true)]
        runs: Vec<PathBuf>,
        /// The run directory to write
        #[arg(long, default_value = "partita-merged")]
        out: PathBuf,
        /// Overwrite an existing run directory
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        shown: Shown,
    },
    /// Rewrite summary.json, report.html and the clustering of a finished run
    Report {
        /// Run directory
        run: PathBuf,
        /// Loss of the point estimate: vi or binder [default: as in the run]
        #[arg(long)]
        loss: Option<Loss>,
        /// Write the full co-clustering matrix (up to 20,000 items)
        #[arg(long)]
        matrix: bool,
        #[command(flatten)]
        shown: Shown,
    },
    /// Predict new rows from the states kept by a run: their densities and the clusters they join
    Predict {
        /// Run directory
        run: PathBuf,
        /// The new rows: a table with the same columns
        rows: PathBuf,
        /// Print only the score: the log predictive density of all rows
        #[arg(long)]
        score: bool,
        /// Loss of the point estimate: vi or binder [default: as in the run]
        #[arg(long)]
        loss: Option<Loss>,
        /// Write the predictions to a file instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Print the results as one JSON object, and nothing else, on standard output
        #[arg(long)]
        json: bool,
    },
    /// Compare models by how well they predict held-out rows of a table
    Compare(CompareOptions),
    /// List or download the data sets used in the paper
    Data(DataOptions),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of partita or of one command
    Man {
        /// The command [default: partita itself]
        command: Option<String>,
    },
}

/// Options of compare.
#[derive(Debug, Args)]
pub struct CompareOptions {
    /// A table: CSV, TSV, Excel or NPY, also gzipped
    data: PathBuf,
    /// Models to compare: any of auto, known, shared, shared-columns, diagonal and full
    #[arg(
        long,
        visible_alias = "covariance",
        value_delimiter = ',',
        value_name = "MODELS",
        default_value = MODELS
    )]
    pub model: Vec<ModelChoice>,
    /// Prior of the covariance matrices: weak, table[:SHARE,FREEDOM,KAPPA] or columns[:...]
    #[arg(long, value_name = "PRIOR")]
    cluster_prior: Option<CovariancePrior>,
    /// Fraction of the rows to hold out
    #[arg(long, value_name = "SHARE", default_value_t = HOLD_OUT, allow_negative_numbers = true)]
    pub hold_out: f64,
    /// Columns to use, by name or by number from 1
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Option<Vec<String>>,
    /// Columns to leave out
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    drop: Option<Vec<String>>,
    /// Column that holds the row names
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    /// Type of a column: NAME=normal, NAME=count or NAME=category
    #[arg(long, value_name = "NAME=TYPE", value_delimiter = ',')]
    column_type: Option<Vec<ColumnType>>,
    /// Wall time per model, including pilot and report, such as 90s, 10m or 2h
    #[arg(long, conflicts_with = "replicates")]
    time: Option<Duration>,
    /// Replicates per model
    #[arg(long, value_name = "N")]
    replicates: Option<u64>,
    /// Random seed; it also decides which rows are held out
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of worker threads
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print the results as one JSON object, and nothing else, on standard output
    #[arg(long)]
    pub json: bool,
}

impl CompareOptions {
    /// The options that all models have in common.
    pub fn common(&self) -> Options {
        Options {
            data: Some(self.data.clone()),
            columns: self.columns.clone(),
            drop: self.drop.clone(),
            id_column: self.id_column.clone(),
            column_type: self.column_type.clone(),
            time: self.time,
            replicates: self.replicates,
            seed: Some(self.seed),
            threads: self.threads,
            cluster_prior: self.cluster_prior,
            ..Options::default()
        }
    }
}

/// Options of reproduce.
#[derive(Debug, Args)]
pub struct ReproduceOptions {
    /// Name of a study, or a TOML file that defines one
    #[arg(required_unless_present = "list")]
    pub name: Option<String>,
    /// List the studies and how long they take
    #[arg(long, conflicts_with_all = ["name", "seed", "threads", "device", "data_dir", "out"])]
    pub list: bool,
    /// Fraction of the number of replicates in the paper
    #[arg(long, default_value_t = 1.0)]
    pub scale: f64,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Number of worker threads
    #[arg(long)]
    pub threads: Option<usize>,
    /// Where estimates run: cpu, cuda (an NVIDIA GPU) or auto; results do not depend on it
    #[arg(long)]
    pub device: Option<Device>,
    /// Directory of gene.csv, seed.csv and abalone.csv [default: the user cache]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Directory for the results [default: partita-reproduce-NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the results as one JSON object, and nothing else, on standard output
    #[arg(long)]
    pub json: bool,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, Args)]
pub struct Shown {
    /// Also show how the answers were obtained: loss, meeting times, cost, schedule
    #[arg(long, help_heading = "Output")]
    pub verbose: bool,
    /// Print the results as one JSON object, and nothing else, on standard output
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Options of fit, color, blocks and meet. All can also stand in a TOML file (--config).
#[derive(Debug, Args)]
pub struct RunOptions {
    /// The file to analyse
    data: Option<PathBuf>,

    /// TOML file with any of these options; the command line takes precedence
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Character that separates cells
    #[arg(long, value_name = "CHAR", help_heading = "Reading", value_parser = delimiter)]
    delimiter: Option<char>,
    /// The first row holds the column names
    #[arg(long, help_heading = "Reading", overrides_with = "no_header")]
    header: bool,
    /// The first row is data
    #[arg(long, help_heading = "Reading")]
    no_header: bool,
    /// Columns to use, by name or by number from 1
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Reading")]
    columns: Option<Vec<String>>,
    /// Columns to leave out
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Reading")]
    drop: Option<Vec<String>>,
    /// Column that holds the row names
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    id_column: Option<String>,
    /// Column with known labels to compare the clusters with
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    label_column: Option<String>,
    /// Sheet of a workbook, by name or by number from 1
    #[arg(long, value_name = "SHEET", help_heading = "Reading")]
    sheet: Option<String>,
    /// Keep numeric columns in their units instead of standardising them
    #[arg(long, help_heading = "Reading")]
    no_standardize: bool,
    /// Cluster the first K principal components, or as many as explain a share such as 90%
    #[arg(long, value_name = "K", help_heading = "Reading", allow_negative_numbers = true)]
    pca: Option<Pca>,

    /// Type of a column: NAME=normal, NAME=count or NAME=category
    #[arg(long, value_name = "NAME=TYPE", value_delimiter = ',', help_heading = "Model")]
    column_type: Option<Vec<ColumnType>>,
    /// Model: auto (whichever predicts the table best), known, shared, shared-columns, diagonal or full
    #[arg(long, visible_alias = "covariance", value_name = "MODEL", help_heading = "Model")]
    model: Option<ModelChoice>,
    /// Prior of the covariance matrices: weak, table[:SHARE,FREEDOM,KAPPA] or columns[:...]
    #[arg(long, value_name = "PRIOR", help_heading = "Model")]
    cluster_prior: Option<CovariancePrior>,
    /// Standard deviation of cluster centres
    #[arg(long, value_name = "SD", help_heading = "Model", allow_negative_numbers = true)]
    prior_sd: Option<f64>,
    /// Standard deviation of items around their cluster centre
    #[arg(long, value_name = "SD", help_heading = "Model", allow_negative_numbers = true)]
    noise_sd: Option<f64>,
    /// Prior on partitions: dirichlet, pitman-yor:SIGMA[,THETA] or finite[:GAMMA[,RATE]]
    #[arg(long, help_heading = "Model")]
    prior: Option<Prior>,
    /// Concentration of the Dirichlet process: a number, or gamma:SHAPE,RATE to integrate it out
    #[arg(long, help_heading = "Model", allow_negative_numbers = true)]
    alpha: Option<Alpha>,
    /// Number of colours
    #[arg(long, value_name = "Q", help_heading = "Model", allow_negative_numbers = true, value_parser = whole::<usize>)]
    colors: Option<usize>,
    /// Beta prior of the edge probability between two blocks
    #[arg(long, value_name = "PRESENT,ABSENT", help_heading = "Model")]
    edge_prior: Option<EdgePrior>,

    /// Moves per sweep: gibbs, split-merge, or several, such as sams*5+gibbs; kempe+gibbs for colourings
    #[arg(long, help_heading = "Chains")]
    sampler: Option<Sampler>,
    /// Coupling of the two chains: optimal, maximal, common, independent or relabel
    #[arg(long, help_heading = "Chains")]
    coupling: Option<Coupling>,
    /// Metric of the optimal coupling: hamming or vi
    #[arg(long, help_heading = "Chains")]
    metric: Option<Metric>,
    /// Probability that a step is drawn independently while the chains differ
    #[arg(long, value_name = "P", help_heading = "Chains", allow_negative_numbers = true)]
    nugget: Option<f64>,
    /// Initial states: prior, sequential, kmeans:K (tables) or one; for colourings random or greedy
    #[arg(long, help_heading = "Chains")]
    start: Option<Start>,
    /// Sweeps by which the first chain is ahead of the second
    #[arg(long, help_heading = "Chains", allow_negative_numbers = true, value_parser = whole::<u64>)]
    lag: Option<u64>,
    /// Sweeps to discard at the start of each pair
    #[arg(long, value_name = "SWEEPS", help_heading = "Chains", allow_negative_numbers = true, value_parser = whole::<u64>)]
    burn_in: Option<u64>,
    /// Minimum number of sweeps per pair
    #[arg(long, help_heading = "Chains", allow_negative_numbers = true, value_parser = whole::<u64>)]
    sweeps: Option<u64>,
    /// Maximum number of sweeps per pair; a pair that has not met by then is censored
    #[arg(long, value_name = "SWEEPS", help_heading = "Chains", allow_negative_numbers = true, value_parser = whole::<u64>)]
    max_sweeps: Option<u64>,

    /// Stop after this many replicates
    #[arg(long, value_name = "N", help_heading = "Running", allow_negative_numbers = true, value_parser = whole::<u64>)]
    replicates: Option<u64>,
    /// Stop after this much wall time, pilot and report included: 60s, 5m, 1.5h
    #[arg(long, help_heading = "Running", allow_negative_numbers = true)]
    time: Option<Duration>,
    /// Stop once every 95% interval is narrower than this
    #[arg(long, value_name = "WIDTH", help_heading = "Running", allow_negative_numbers = true)]
    precision: Option<f64>,
    /// Number of worker threads; results do not depend on it
    #[arg(long, value_name = "N", help_heading = "Running", allow_negative_numbers = true, value_parser = whole::<usize>)]
    threads: Option<usize>,
    /// Where replicates run: cpu, cuda (an NVIDIA GPU) or auto; results do not depend on it
    #[arg(long, value_name = "DEVICE", help_heading = "Running")]
    device: Option<Device>,
    /// Precision on a GPU: f64, with the results of the processors, or f32, which is faster
    #[arg(long, value_name = "FLOAT", help_heading = "Running")]
    float: Option<Float>,
    /// Random seed
    #[arg(long, help_heading = "Running", allow_negative_numbers = true, value_parser = whole::<u64>)]
    seed: Option<u64>,
    /// Quantity to estimate: clusters, top:R, co:I,J, entropy or density:FROM,TO,POINTS (repeatable)
    #[arg(long, help_heading = "Running")]
    summary: Option<Vec<Summary>>,
    /// States to keep per replicate, for the clustering and the report
    #[arg(long, value_name = "N", help_heading = "Running", allow_negative_numbers = true, value_parser = whole::<usize>)]
    keep_draws: Option<usize>,
    /// Loss of the point estimate: vi or binder
    #[arg(long, help_heading = "Running")]
    loss: Option<Loss>,
    /// Run one share of the replicates, such as 3/100
    #[arg(long, value_name = "I/N", help_heading = "Running")]
    shard: Option<Shard>,

    /// Run directory
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Overwrite an existing run directory
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    #[command(flatten)]
    pub shown: Shown,
}

/// A whole number, or a sentence about what is wanted.
fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a non-negative whole number"))
}

/// A delimiter may be written out: `tab`, `comma`, `\t`.
fn delimiter(text: &str) -> Result<char, String> {
    let mut chars = text.chars();
    match (text, chars.next(), chars.next()) {
        ("tab" | "\\t", ..) => Ok('\t'),
        ("comma", ..) => Ok(','),
        ("semicolon", ..) => Ok(';'),
        ("space", ..) => Ok(' '),
        (_, Some(c), None) => Ok(c),
        _ => Err("give one character, or comma, semicolon, tab or space".into()),
    }
}

impl RunOptions {
    /// What `meet` is asked for: a graph is meant where colours or a prior of edges are given, here or in
    /// the configuration file, or the file is one that only graphs have.
    pub fn meeting_task(&self) -> Result<Task, Failure> {
        let file = self.config.as_ref().and_then(|path| Options::read(path).ok()).unwrap_or_default();
        let data = self.data.as_ref().or(file.data.as_ref());
        let dimacs = data.is_some_and(|path| {
            let name = path.to_string_lossy();
            name.strip_suffix(".gz").unwrap_or(&name).ends_with(".col")
        });
        match (self.colors.or(file.colors), self.edge_prior.or(file.edge_prior)) {
            (Some(_), _) => Ok(Task::Color),
            (None, Some(_)) => Ok(Task::Blocks),
            (None, None) if dimacs => Err(Failure::BadInput(
                "a graph can be coloured or split into blocks: give --colors Q, the number of colours, or --edge-prior 1,1 \
                 for blocks"
                    .into(),
            )),
            (None, None) => Ok(Task::Fit),
        }
    }

    /// The options of the command line over those of the configuration file.
    pub fn resolve(self) -> Result<Options, Failure> {
        let file = match &self.config {
            Some(path) => Options::read(path)?,
            None => Options::default(),
        };
        let header = match (self.header, self.no_header) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        };
        let given = Options {
            data: self.data,
            delimiter: self.delimiter,
            header,
            columns: self.columns,
            drop: self.drop,
            id_column: self.id_column,
            label_column: self.label_column,
            standardize: self.no_standardize.then_some(false),
            column_type: self.column_type,
            model: self.model,
            prior_sd: self.prior_sd,
            noise_sd: self.noise_sd,
            prior: self.prior,
            alpha: self.alpha,
            colors: self.colors,
            edge_prior: self.edge_prior,
            sampler: self.sampler,
            coupling: self.coupling,
            metric: self.metric,
            nugget: self.nugget,
            start: self.start,
            lag: self.lag,
            burn_in: self.burn_in,
            sweeps: self.sweeps,
            max_sweeps: self.max_sweeps,
            replicates: self.replicates,
            time: self.time,
            precision: self.precision,
            seed: self.seed,
            summary: self.summary,
            keep_draws: self.keep_draws,
            loss: self.loss,
            threads: self.threads,
            device: self.device,
            float: self.float,
            shard: self.shard,
            out: self.out,
            cluster_prior: self.cluster_prior,
            sheet: self.sheet,
            pca: self.pca,
        };
        Ok(given.or(file))
    }
}

/// The command as it was given, quoted where a shell needs it.
pub fn command_line() -> String {
    let quote = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words = std::env::args_os().skip(1).map(|word| quote(word.to_string_lossy().into_owned()));
    std::iter::once("partita".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_and_the_file_have_the_same_options() {
        for (name, ..) in RUNS {
            let command = command();
            let run = command.find_subcommand(name).unwrap();
            let mut options: Vec<&str> = run.get_arguments().map(|arg| arg.get_id().as_str()).collect();
            options.retain(|option| !["config", "force", "json", "verbose", "help"].contains(option));
            let mut keys: Vec<&str> = options.iter().map(|o| o.strip_prefix("no_").unwrap_or(o)).collect();
            keys.sort_unstable();
            keys.dedup();
            let mut all = Options::KEYS.to_vec();
            all.sort_unstable();
            assert_eq!(keys, all, "{name}");
        }
        command().debug_assert();
    }
}
