//! The arguments, in the words of the contract.
#![allow(rustdoc::broken_intra_doc_links, reason = "brackets in help texts are defaults, not links")]

use crate::data::DataOptions;
use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use partita_run::Failure;
use partita_run::config::{
    Alpha, ColumnType, Coupling, CovariancePrior, Device, Duration, EdgePrior, Loss, Metric, ModelChoice,
    Options, Pca, Prior, Sampler, Shard, Start, Summary, Task, default_in_words,
};
use partita_run::session::{HOLD_OUT, MODELS};
use std::path::PathBuf;

/// Unbiased Bayesian clustering: many short pairs of coupled chains, honest error bars.
#[derive(Debug, Parser)]
#[command(name = "partita", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands that run something, what they are for, and the file that they take.
const RUNS: [(&str, &[Task], bool, &str); 5] = [
    (
        "fit",
        &[Task::Fit],
        false,
        "A table: CSV, TSV, Excel or NPY, gzipped or not; - for a pipe [left out: built-in data]",
    ),
    ("check", &[Task::Fit], false, "A table, as for fit [left out: built-in data]"),
    ("color", &[Task::Color], false, "A graph: edge list or DIMACS .col, gzipped or not"),
    ("blocks", &[Task::Blocks], false, "A graph: edge list or DIMACS .col, gzipped or not"),
    (
        "meet",
        &[Task::Fit, Task::Color, Task::Blocks],
        true,
        "A table, or a graph with --colors or --edge-prior [left out: built-in data]",
    ),
];

/// The command, whose help offers nothing that would be refused.
pub fn command() -> clap::Command {
    RUNS.into_iter().fold(Arguments::command(), |command, (name, tasks, meetings_only, file)| {
        let used: Vec<&str> = tasks.iter().flat_map(|task| Options::keys_of(*task, meetings_only)).collect();
        command.mut_subcommand(name, |run| {
            run.mut_args(|arg| {
                let option = arg.get_id().as_str();
                // Two options are said as their opposites on the command line.
                let key = option.strip_prefix("no_").unwrap_or(option);
                let unused = Options::KEYS.contains(&key) && !used.contains(&key);
                if option == "data" {
                    return arg.help(file);
                }
                let default = default_in_words(key, tasks[0]).filter(|_| option == key);
                let help = arg.get_help().map_or(String::new(), |help| help.to_string());
                arg.hide(unused).help(default.map_or(help.clone(), |default| format!("{help} [{default}]")))
            })
        })
    })
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Cluster a table: pilot, run, table on the screen, run directory with report.html
    Fit(RunOptions),
    /// What would be read of a table and what would run, in a second, without running
    Check(RunOptions),
    /// The same for proper colourings of a graph
    Color(RunOptions),
    /// The same for blocks of a graph: vertices with the same edges to others, a stochastic block model
    Blocks(RunOptions),
    /// Meeting times only: survival curve and total variation bound
    Meet(RunOptions),
    /// Reproduce a study of the paper: figures, numbers, a verdict for each of its claims
    Reproduce(ReproduceOptions),
    /// Continue a run that was interrupted
    Resume {
        /// The run directory
        run: PathBuf,
        /// Worker threads (does not change results)
        #[arg(long)]
        threads: Option<usize>,
        /// Where replicates are made: cpu, cuda (an NVIDIA card) or auto (does not change results)
        #[arg(long)]
        device: Option<Device>,
        #[command(flatten)]
        shown: Shown,
    },
    /// Join shards of one run
    Merge {
        /// The run directories
        #[arg(required = true)]
        runs: Vec<PathBuf>,
        /// The new run directory
        #[arg(long, default_value = "partita-merged")]
        out: PathBuf,
        /// Overwrite a directory that is in use
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        shown: Shown,
    },
    /// Write summary.json, report.html and the clustering of a run again
    Report {
        /// The run directory
        run: PathBuf,
        /// The loss of the point clustering: vi or binder [that of the run]
        #[arg(long)]
        loss: Option<Loss>,
        /// Write the whole co-clustering matrix, of up to 20,000 items
        #[arg(long)]
        matrix: bool,
        #[command(flatten)]
        shown: Shown,
    },
    /// Predict new rows from the states that a run has kept: densities, clusters to join
    Predict {
        /// The run directory
        run: PathBuf,
        /// The new rows: a table with the columns of the run
        rows: PathBuf,
        /// The held-out score instead: the log predictive density of all rows
        #[arg(long)]
        score: bool,
        /// The loss of the point clustering: vi or binder [that of the run]
        #[arg(long)]
        loss: Option<Loss>,
        /// Write the predictions to a file instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Print one JSON object and nothing else on standard output
        #[arg(long)]
        json: bool,
    },
    /// Compare models of a table by how well they predict rows held out
    Compare(CompareOptions),
    /// The data sets of the paper: where they come from, and bringing them here
    Data(DataOptions),
    /// Completions for a shell, to be put where it looks for them
    Completions {
        /// The shell
        shell: Shell,
    },
    /// The manual page, of one command or of all
    Man {
        /// The command [left out: partita itself]
        command: Option<String>,
    },
}

/// Options of compare.
#[derive(Debug, Args)]
pub struct CompareOptions {
    /// A table: CSV, TSV, Excel or NPY, gzipped or not
    data: PathBuf,
    /// The models: any of auto, known, shared, shared-columns, diagonal and full
    #[arg(
        long,
        visible_alias = "covariance",
        value_delimiter = ',',
        value_name = "MODELS",
        default_value = MODELS
    )]
    pub model: Vec<ModelChoice>,
    /// The prior of covariance matrices: weak or table[:SHARE,FREEDOM,KAPPA] or columns[:...]
    #[arg(long, value_name = "PRIOR")]
    cluster_prior: Option<CovariancePrior>,
    /// The share of the rows that is held out
    #[arg(long, value_name = "SHARE", default_value_t = HOLD_OUT, allow_negative_numbers = true)]
    pub hold_out: f64,
    /// Columns to use, by name or number from 1
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Option<Vec<String>>,
    /// Columns not to use
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    drop: Option<Vec<String>>,
    /// A column of row names
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    /// What columns hold: NAME=normal, NAME=count or NAME=category
    #[arg(long, value_name = "NAME=TYPE", value_delimiter = ',')]
    column_type: Option<Vec<ColumnType>>,
    /// Wall time for each model, pilot and answers included, such as 90s, 10m or 2h
    #[arg(long, conflicts_with = "replicates")]
    time: Option<Duration>,
    /// Replicates of each model
    #[arg(long, value_name = "N")]
    replicates: Option<u64>,
    /// The seed; it also draws the rows held out
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker threads
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object and nothing else on standard output
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
    /// The study, or a TOML file that defines one
    #[arg(required_unless_present = "list")]
    pub name: Option<String>,
    /// Show the studies and what they cost
    #[arg(long, conflicts_with_all = ["name", "seed", "threads", "device", "data_dir", "out"])]
    pub list: bool,
    /// The share of the paper's number of replicates
    #[arg(long, default_value_t = 1.0)]
    pub scale: f64,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Worker threads
    #[arg(long)]
    pub threads: Option<usize>,
    /// Where estimates are made: cpu, cuda (an NVIDIA card) or auto; does not change results
    #[arg(long)]
    pub device: Option<Device>,
    /// Where gene.csv, seed.csv and abalone.csv are [the user's cache]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// The directory of the results [partita-reproduce-NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, Args)]
pub struct Shown {
    /// Tell how the answers came about, too: losses, meeting times, cost, schedule
    #[arg(long, help_heading = "Output")]
    pub verbose: bool,
    /// Print one JSON object and nothing else on standard output
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Options of fit, color, blocks and meet. All can also stand in a TOML file (--config).
#[derive(Debug, Args)]
pub struct RunOptions {
    /// The file to analyse
    data: Option<PathBuf>,

    /// A TOML file with any of these options; the command line wins
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The character between cells
    #[arg(long, value_name = "CHAR", help_heading = "Reading", value_parser = delimiter)]
    delimiter: Option<char>,
    /// The first row holds the names of the columns
    #[arg(long, help_heading = "Reading", overrides_with = "no_header")]
    header: bool,
    /// The first row is data
    #[arg(long, help_heading = "Reading")]
    no_header: bool,
    /// Columns to use, by name or number from 1
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Reading")]
    columns: Option<Vec<String>>,
    /// Columns not to use
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Reading")]
    drop: Option<Vec<String>>,
    /// A column of row names
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    id_column: Option<String>,
    /// A column with a known clustering to compare with
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    label_column: Option<String>,
    /// The sheet of a workbook, by name or number from 1
    #[arg(long, value_name = "SHEET", help_heading = "Reading")]
    sheet: Option<String>,
    /// Keep the columns as they are, instead of mean 0 and standard deviation 1
    #[arg(long, help_heading = "Reading")]
    no_standardize: bool,
    /// Cluster principal components instead of columns: so many, or as many as explain a share such as 90%
    #[arg(long, value_name = "K", help_heading = "Reading", allow_negative_numbers = true)]
    pca: Option<Pca>,

    /// What columns hold: NAME=normal, NAME=count or NAME=category
    #[arg(long, value_name = "NAME=TYPE", value_delimiter = ',', help_heading = "Model")]
    column_type: Option<Vec<ColumnType>>,
    /// The model: auto (the one that predicts the table best), known, shared, shared-columns, diagonal or full
    #[arg(long, visible_alias = "model", value_name = "MODEL", help_heading = "Model")]
    covariance: Option<ModelChoice>,
    /// The prior of covariance matrices: weak or table[:SHARE,FREEDOM,KAPPA]
    #[arg(long, value_name = "PRIOR", help_heading = "Model")]
    cluster_prior: Option<CovariancePrior>,
    /// Standard deviation of cluster centres
    #[arg(long, value_name = "SD", help_heading = "Model", allow_negative_numbers = true)]
    prior_sd: Option<f64>,
    /// Standard deviation of items around their centre
    #[arg(long, value_name = "SD", help_heading = "Model", allow_negative_numbers = true)]
    noise_sd: Option<f64>,
    /// The law of partitions: dirichlet, pitman-yor:SIGMA[,THETA] or finite[:GAMMA[,RATE]]
    #[arg(long, help_heading = "Model")]
    prior: Option<Prior>,
    /// Concentration of the Dirichlet process: a number, or gamma:SHAPE,RATE integrated out
    #[arg(long, help_heading = "Model", allow_negative_numbers = true)]
    alpha: Option<Alpha>,
    /// The number of colours of a graph
    #[arg(long, value_name = "Q", help_heading = "Model", allow_negative_numbers = true, value_parser = whole::<usize>)]
    colors: Option<usize>,
    /// The beta prior of the edge probability of two blocks of a graph
    #[arg(long, value_name = "PRESENT,ABSENT", help_heading = "Model")]
    edge_prior: Option<EdgePrior>,

    /// Moves of a sweep: gibbs, split-merge, several such as split-merge*5+gibbs or sams*5+gibbs; kempe+gibbs for colourings
    #[arg(long, help_heading = "Chains")]
    sampler: Option<Sampler>,
    /// optimal, maximal, common, independent or relabel
    #[arg(long, help_heading = "Chains")]
    coupling: Option<Coupling>,
    /// Metric of the optimal coupling: hamming or vi
    #[arg(long, help_heading = "Chains")]
    metric: Option<Metric>,
    /// Probability of an independent draw while the chains differ
    #[arg(long, value_name = "P", help_heading = "Chains", allow_negative_numbers = true)]
    nugget: Option<f64>,
    /// Where chains start: prior, sequential, kmeans:K (tables) or one; colourings: random or greedy
    #[arg(long, help_heading = "Chains")]
    start: Option<Start>,
    /// How far the first chain is ahead
    #[arg(long, help_heading = "Chains", allow_negative_numbers = true, value_parser = whole::<u64>)]
    lag: Option<u64>,
    /// Sweeps discarded
    #[arg(long, value_name = "SWEEPS", help_heading = "Chains", allow_negative_numbers = true, value_parser = whole::<u64>)]
    burn_in: Option<u64>,
    /// Sweeps of each pair at least
    #[arg(long, help_heading = "Chains", allow_negative_numbers = true, value_parser = whole::<u64>)]
    sweeps: Option<u64>,
    /// A cap: a pair unmet by then is censored
    #[arg(long, value_name = "SWEEPS", help_heading = "Chains", allow_negative_numbers = true, value_parser = whole::<u64>)]
    max_sweeps: Option<u64>,

    /// Stop after so many replicates
    #[arg(long, value_name = "N", help_heading = "Running", allow_negative_numbers = true, value_parser = whole::<u64>)]
    replicates: Option<u64>,
    /// Stop after a wall time, by the unbiased rule: 60s, 5m, 1.5h
    #[arg(long, help_heading = "Running", allow_negative_numbers = true)]
    time: Option<Duration>,
    /// Stop when every 95 % interval is narrower than this
    #[arg(long, value_name = "WIDTH", help_heading = "Running", allow_negative_numbers = true)]
    precision: Option<f64>,
    /// Worker threads; does not change results
    #[arg(long, value_name = "N", help_heading = "Running", allow_negative_numbers = true, value_parser = whole::<usize>)]
    threads: Option<usize>,
    /// Where replicates are made: cpu, cuda (an NVIDIA card) or auto; does not change results
    #[arg(long, value_name = "DEVICE", help_heading = "Running")]
    device: Option<Device>,
    /// The seed
    #[arg(long, help_heading = "Running", allow_negative_numbers = true, value_parser = whole::<u64>)]
    seed: Option<u64>,
    /// What to estimate: clusters, top:R, co:I,J, entropy, density:FROM,TO,POINTS (repeatable)
    #[arg(long, help_heading = "Running")]
    summary: Option<Vec<Summary>>,
    /// States kept of each replicate, for the matrices and the report
    #[arg(long, value_name = "N", help_heading = "Running", allow_negative_numbers = true, value_parser = whole::<usize>)]
    keep_draws: Option<usize>,
    /// What the point clustering is near the posterior in: vi or binder
    #[arg(long, help_heading = "Running")]
    loss: Option<Loss>,
    /// Run one share of the replicates: 3/100
    #[arg(long, value_name = "I/N", help_heading = "Running")]
    shard: Option<Shard>,

    /// The run directory
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Overwrite a directory that is in use
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    #[command(flatten)]
    pub shown: Shown,
}

/// A whole number, or a sentence about what is wanted.
fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number from 0 on"))
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
                "a graph can be coloured or put into blocks: give --colors Q, how many colours may be used, or \
                 --edge-prior 1,1 for blocks"
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
            covariance: self.covariance,
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
