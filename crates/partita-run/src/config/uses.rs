//! Which options have an effect in which runs: one that would change nothing is refused, with what it is for.
//!
//! One line per option. A new option needs a line here, and a test walks over all of them and all commands.

use crate::data::{STANDARD_INPUT, WORKBOOKS};

use super::{ConfigError, Coupling, Covariance, ModelChoice, Options, Prior, Task};

/// What a run is asked to do, as far as the use of options goes.
struct Asked<'a> {
    task: Task,
    meetings_only: bool,
    options: &'a Options,
}

/// What an option is for, where it has no use in a run: the end of a sentence that begins with the option and `is for`.
type Use = fn(&Asked) -> Option<String>;

/// An option, whether it is given, and its use.
struct Line {
    key: &'static str,
    given: fn(&Options) -> bool,
    used: Use,
}

macro_rules! lines {
    ($($key:ident: $used:expr),* $(,)?) => {
        [$(Line { key: stringify!($key), given: |options| options.$key.is_some(), used: $used }),*]
    };
}

const LINES: [Line; 40] = lines! {
    data: always,
    delimiter: text_file,
    header: named_columns,
    columns: own_table,
    drop: own_table,
    id_column: own_table,
    label_column: own_table,
    standardize: table,
    column_type: own_table,
    model: table,
    prior_sd: known_spreads,
    noise_sd: known_spreads,
    prior: random_partition,
    alpha: dirichlet_process,
    colors: colouring,
    edge_prior: blocks,
    sampler: always,
    coupling: always,
    metric: optimal_coupling,
    nugget: dependent_coupling,
    start: always,
    lag: always,
    burn_in: always,
    sweeps: always,
    max_sweeps: always,
    replicates: always,
    time: always,
    precision: precision,
    seed: always,
    summary: estimates,
    keep_draws: kept_states,
    loss: one_clustering,
    threads: always,
    device: always,
    float: table,
    shard: always,
    out: always,
    cluster_prior: full_covariance,
    sheet: workbook,
    pca: own_table,
};

fn is_for(purpose: &str) -> Option<String> {
    Some(purpose.to_string())
}

fn always(_: &Asked) -> Option<String> {
    None
}

fn table(asked: &Asked) -> Option<String> {
    if asked.task == Task::Fit { None } else { is_for("tables: leave it out for a graph") }
}

fn own_table(asked: &Asked) -> Option<String> {
    let demo = || if asked.options.data.is_none() { is_for("your own tables: name a file") } else { None };
    table(asked).or_else(demo)
}

/// Whether the name of the data ends so.
fn ends(asked: &Asked, endings: &[&str]) -> bool {
    let path = asked.options.data.as_ref().map(|path| path.to_string_lossy().to_lowercase());
    let path = path.unwrap_or_default();
    let name = path.strip_suffix(".gz").unwrap_or(&path);
    endings.iter().any(|ending| name.ends_with(ending))
}

/// Formats in which columns have names or have none.
const BINARY: [&str; 2] = [".npy", ".parquet"];

fn named_columns(asked: &Asked) -> Option<String> {
    let binary = || if ends(asked, &BINARY) { is_for("tables in text files: leave it out") } else { None };
    own_table(asked).or_else(binary)
}

fn text_file(asked: &Asked) -> Option<String> {
    let sheet = || if ends(asked, &WORKBOOKS) { is_for("tables in text files: leave it out") } else { None };
    named_columns(asked).or_else(sheet)
}

fn workbook(asked: &Asked) -> Option<String> {
    // What comes through a pipe may be one.
    let piped = asked.options.data.as_ref().is_some_and(|path| path.as_os_str() == STANDARD_INPUT);
    let other = || match piped || ends(asked, &WORKBOOKS) {
        true => None,
        false => is_for("workbooks (.xlsx, .xls, .ods): leave it out"),
    };
    own_table(asked).or_else(other)
}

fn known_spreads(asked: &Asked) -> Option<String> {
    let unknown = || {
        let covariance = asked.options.model.filter(|c| c.named() != Some(Covariance::Known))?;
        Some(format!(
            "`model = known`: with `model = {covariance}` the spreads are estimated from the data; leave it out"
        ))
    };
    table(asked).or_else(unknown)
}

fn full_covariance(asked: &Asked) -> Option<String> {
    let other = || {
        let spreads = asked.options.prior_sd.is_some() || asked.options.noise_sd.is_some();
        let known = spreads.then_some(ModelChoice::Named(Covariance::Known));
        let covariance = asked.options.model.or(known);
        let covariance = covariance.filter(|c| c.named() != Some(Covariance::Full))?;
        Some(format!(
            "`model = full`: with `model = {covariance}` there are no covariance matrices; leave it out"
        ))
    };
    table(asked).or_else(other)
}

fn random_partition(asked: &Asked) -> Option<String> {
    if asked.task == Task::Color {
        is_for("clusters and blocks: all colourings are equally likely")
    } else {
        None
    }
}

fn dirichlet_process(asked: &Asked) -> Option<String> {
    let other = || {
        let prior = asked.options.prior.filter(|prior| *prior != Prior::Dirichlet)?;
        Some(format!("`prior = dirichlet`: leave it out, or `prior = {prior}`"))
    };
    random_partition(asked).or_else(other)
}

fn colouring(asked: &Asked) -> Option<String> {
    match asked.task {
        Task::Color => None,
        Task::Fit => is_for("graphs: use `color(GRAPH, colors = Q)`"),
        Task::Blocks => is_for("colourings: use `color(GRAPH, colors = Q)`"),
    }
}

fn blocks(asked: &Asked) -> Option<String> {
    match asked.task {
        Task::Blocks => None,
        Task::Fit => is_for("graphs: use `blocks(GRAPH)`"),
        Task::Color => is_for("blocks: use `blocks(GRAPH)`"),
    }
}

fn optimal_coupling(asked: &Asked) -> Option<String> {
    let other = asked.options.coupling.filter(|coupling| *coupling != Coupling::Optimal)?;
    Some(format!("`coupling = optimal`: leave it out, or `coupling = {other}`"))
}

fn dependent_coupling(asked: &Asked) -> Option<String> {
    if asked.options.coupling != Some(Coupling::Independent) {
        return None;
    }
    is_for("couplings other than independent: leave it out, or `coupling = independent`")
}

fn estimates(asked: &Asked) -> Option<String> {
    // `[]` is what a run of meeting times keeps in its `run.toml`.
    if !asked.meetings_only || asked.options.summary.as_ref().is_some_and(Vec::is_empty) {
        return None;
    }
    is_for("estimates, and `meet` makes none: leave it out")
}

fn precision(asked: &Asked) -> Option<String> {
    if !asked.meetings_only {
        return None;
    }
    is_for("estimates, and `meet` makes none: use `replicates` or `time`")
}

fn kept_states(asked: &Asked) -> Option<String> {
    if !asked.meetings_only || asked.options.keep_draws == Some(0) {
        return None;
    }
    is_for("estimates, and `meet` makes none: leave it out")
}

fn one_clustering(asked: &Asked) -> Option<String> {
    if asked.meetings_only {
        is_for("the point estimate, and `meet` makes none: leave it out")
    } else if asked.options.keep_draws == Some(0) {
        is_for(
            "the point estimate, which needs the states that `keep_draws = 0` drops: leave out one of the two",
        )
    } else {
        None
    }
}

/// An option as it is given.
fn given(options: &Options, key: &str) -> String {
    match (key, options.header, options.standardize) {
        ("header", Some(header), _) => format!("`header = {header}`"),
        ("standardize", _, Some(standardize)) => format!("`standardize = {standardize}`"),
        _ => format!("`{key}`"),
    }
}

impl Options {
    /// The options that have a use in some run of this task, whatever else is given: those that the help should show.
    ///
    /// ```
    /// use partita_run::config::{Options, Task};
    /// let keys = Options::keys_of(Task::Color, false);
    /// assert!(keys.contains(&"colors") && !keys.contains(&"alpha"));
    /// ```
    pub fn keys_of(task: Task, meetings_only: bool) -> Vec<&'static str> {
        let options = Options { data: Some(STANDARD_INPUT.into()), ..Options::default() };
        let asked = Asked { task, meetings_only, options: &options };
        LINES.iter().filter(|line| (line.used)(&asked).is_none()).map(|line| line.key).collect()
    }

    /// Refuses options that would change nothing in a run of this task.
    ///
    /// ```
    /// use partita_run::config::{Options, Task};
    /// let options = Options::parse("alpha = 1", "my.toml")?;
    /// assert!(options.check_uses(Task::Blocks, false).is_ok());
    /// let refused = options.check_uses(Task::Color, false).unwrap_err();
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "`alpha` is for clusters and blocks: all colourings are equally likely"
    /// );
    /// # Ok::<(), partita_run::config::ConfigError>(())
    /// ```
    pub fn check_uses(&self, task: Task, meetings_only: bool) -> Result<(), ConfigError> {
        let asked = Asked { task, meetings_only, options: self };
        let unused = LINES
            .iter()
            .filter(|line| (line.given)(self))
            .find_map(|line| (line.used)(&asked).map(|purpose| (line.key, purpose)));
        unused.map_or(Ok(()), |(key, purpose)| {
            Err(ConfigError::Value(format!("{} is for {purpose}", given(self, key))))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_a_line() {
        let mut lines: Vec<&str> = LINES.iter().map(|line| line.key).collect();
        let mut keys = Options::KEYS.to_vec();
        lines.sort_unstable();
        keys.sort_unstable();
        assert_eq!(lines, keys);
    }
}
