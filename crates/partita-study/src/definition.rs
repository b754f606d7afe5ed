//! What a study is: the content of its TOML file in `experiments/`, checked.

use partita_run::Failure;
use partita_run::config::{Coupling, Metric, Options, Sampler, Summary};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A study from the paper, or a user's own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Study {
    /// Its name: the file's stem.
    pub name: String,
    /// What it is, in a line.
    pub title: String,
    /// Where in the paper.
    pub paper: String,
    /// What is done and what to see, in sentences.
    pub prose: String,
    /// Processor seconds at scale 1, about.
    pub seconds: f64,
    /// The settings that are compared; most studies have only one.
    pub arms: Vec<Arm>,
    /// The paper's claims.
    pub claims: Vec<Claim>,
}

/// One setting of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Its name; empty if there is only one.
    #[serde(default)]
    pub name: String,
    /// The data.
    pub data: Option<Data>,
    /// The model and the sampler, as options of the command.
    #[serde(default)]
    pub model: toml::Table,
    /// How the truth is found.
    pub truth: Option<Truth>,
    /// Coupled and naive estimates.
    pub estimates: Option<Estimates>,
    /// Meeting times under several couplings.
    pub meetings: Option<Meetings>,
    /// A predictive density.
    pub density: Option<Density>,
    /// Trimmed means of draws from a mixture with outliers.
    pub outliers: Option<Outliers>,
}

/// Where data come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Data {
    /// A file of the catalogue.
    Catalog {
        /// Its name there.
        name: String,
    },
    /// Points around given centres, each equally likely.
    Mixture {
        /// How many points.
        items: usize,
        /// The centres.
        centers: Vec<Vec<f64>>,
        /// The standard deviation of the noise.
        sd: f64,
        /// The seed of the data.
        seed: u64,
    },
    /// Points of one column from a mixture that is itself random: centres normal around 0, weights from a
    /// Dirichlet distribution with mass 1 for each component. The first points of a longer draw are the
    /// points of a shorter one.
    RandomMixture {
        /// How many points.
        items: usize,
        /// How many components.
        components: usize,
        /// The standard deviation of the centres.
        center_sd: f64,
        /// The standard deviation of the noise.
        sd: f64,
        /// The seed of the data.
        seed: u64,
    },
    /// A graph by its edges.
    Edges {
        /// Pairs of vertices.
        edges: Vec<[usize; 2]>,
    },
    /// An Erdos-Renyi graph.
    RandomGraph {
        /// How many vertices.
        vertices: usize,
        /// The probability of each edge.
        probability: f64,
        /// The seed of the graph.
        seed: u64,
    },
}

/// Long chains, or all partitions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Truth {
    /// Sum over all partitions instead of running chains.
    #[serde(default)]
    pub exact: bool,
    /// How many chains.
    #[serde(default)]
    pub chains: u64,
    /// The sweeps of each.
    #[serde(default)]
    pub sweeps: u64,
    /// How many of them are discarded.
    #[serde(default)]
    pub discard: u64,
}

/// Coupled estimates, and naive ones of the same wall time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimates {
    /// How many of each at scale 1.
    pub replicates: u64,
    /// The lag.
    pub lag: u64,
    /// The burn-in of a coupled estimate.
    pub burn_in: u64,
    /// Its sweeps.
    pub sweeps: u64,
    /// What is estimated.
    pub summaries: Vec<Summary>,
    /// Numbers of processes J.
    pub processes: Vec<u64>,
    /// The total fraction cut by the trimmed mean.
    pub trim: f64,
    /// The share of its sweeps that a naive chain discards.
    pub naive_discard: f64,
    /// How long a naive chain runs.
    #[serde(default)]
    pub naive_budget: Budget,
    /// Further trimming amounts, compared at one number of processes.
    #[serde(default)]
    pub trims: Vec<f64>,
    /// That number of processes.
    #[serde(default)]
    pub trims_at: u64,
}

/// What a coupled pair and its naive chain have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// Time, as in the paper, but on the chain's own processor: time used by others is not counted.
    #[default]
    Time,
    /// Sweeps of single chains: the same on every machine.
    Sweeps,
}

/// Meeting times of pairs under several couplings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meetings {
    /// Pairs for each coupling at scale 1.
    pub runs: u64,
    /// A pair that has not met after this many sweeps is censored.
    pub cap: u64,
    /// The distance between the chains is plotted for this many sweeps; 0 for no plot.
    #[serde(default)]
    pub distances: u64,
    /// What is compared.
    pub pairings: Vec<Pairing>,
}

/// One way of coupling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pairing {
    /// Its name in the figures.
    pub name: String,
    /// The coupling.
    pub coupling: Coupling,
    /// The metric of the optimal one.
    #[serde(default = "hamming")]
    pub metric: Metric,
    /// The kernel; the model's if left out.
    pub sampler: Option<Sampler>,
}

fn hamming() -> Metric {
    Metric::Hamming
}

/// A predictive density on a grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Density {
    /// The first point.
    pub from: f64,
    /// The last point.
    pub to: f64,
    /// How many points.
    pub points: usize,
    /// Estimates at scale 1.
    pub replicates: u64,
    /// The lag.
    pub lag: u64,
    /// The burn-in.
    pub burn_in: u64,
    /// The sweeps.
    pub sweeps: u64,
}

/// The mixture of the trimming appendix: most draws from N(0, 1), the rest from N(-mu, 1) and N(mu, 1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outliers {
    /// The share of the middle.
    pub middle: f64,
    /// How far away the outliers are.
    pub mu: f64,
    /// What is trimmed on each side, as a multiple of the outliers' share on that side.
    pub trim_factor: f64,
    /// Numbers of draws J.
    pub processes: Vec<u64>,
    /// Aggregates for each J, at scale 1.
    pub aggregates: u64,
    /// The J of the box plots.
    pub boxes_at: u64,
}

/// A claim of the paper, and the band in which a measurement confirms it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// What the paper says.
    pub claim: String,
    /// What is measured, by its name in the results.
    pub measure: String,
    /// Divided by this measurement, if given.
    pub over: Option<String>,
    /// Confirmed from here on.
    pub at_least: Option<f64>,
    /// Confirmed up to here.
    pub at_most: Option<f64>,
    /// The band is widened by this many standard errors of the measurement.
    #[serde(default)]
    pub slack: f64,
    /// What to know if the result differs.
    pub note: Option<String>,
}

/// The file as written: what stands outside `[[arm]]` holds for every arm that does not say otherwise.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: String,
    paper: String,
    prose: String,
    seconds: f64,
    #[serde(default)]
    arm: Vec<toml::Table>,
    #[serde(default)]
    claim: Vec<Claim>,
    data: Option<toml::Value>,
    model: Option<toml::Value>,
    truth: Option<toml::Value>,
    estimates: Option<toml::Value>,
    meetings: Option<toml::Value>,
    density: Option<toml::Value>,
    outliers: Option<toml::Value>,
}

/// The definitions that come with the program.
const BUILT_IN: [(&str, &str); 22] = [
    ("gene", include_str!("../experiments/gene.toml")),
    ("synthetic", include_str!("../experiments/synthetic.toml")),
    ("seed", include_str!("../experiments/seed.toml")),
    ("abalone", include_str!("../experiments/abalone.toml")),
    ("k-regular", include_str!("../experiments/k-regular.toml")),
    ("erdos-renyi-25", include_str!("../experiments/erdos-renyi-25.toml")),
    ("erdos-renyi-30", include_str!("../experiments/erdos-renyi-30.toml")),
    ("gmm-100", include_str!("../experiments/gmm-100.toml")),
    ("gmm-200", include_str!("../experiments/gmm-200.toml")),
    ("gmm-300", include_str!("../experiments/gmm-300.toml")),
    ("split-merge-gene", include_str!("../experiments/split-merge-gene.toml")),
    ("split-merge-synthetic", include_str!("../experiments/split-merge-synthetic.toml")),
    ("metric-gene", include_str!("../experiments/metric-gene.toml")),
    ("metric-synthetic", include_str!("../experiments/metric-synthetic.toml")),
    ("metric-seed", include_str!("../experiments/metric-seed.toml")),
    ("metric-k-regular", include_str!("../experiments/metric-k-regular.toml")),
    ("min-iterations-seed", include_str!("../experiments/min-iterations-seed.toml")),
    ("min-iterations-synthetic", include_str!("../experiments/min-iterations-synthetic.toml")),
    ("kmeans-start", include_str!("../experiments/kmeans-start.toml")),
    ("noise-sd", include_str!("../experiments/noise-sd.toml")),
    ("trimming", include_str!("../experiments/trimming.toml")),
    ("outliers", include_str!("../experiments/outliers.toml")),
];

impl Study {
    /// The studies that come with the program.
    ///
    /// ```
    /// let studies = partita_study::Study::built_in();
    /// assert!(studies.iter().any(|study| study.name == "gene"));
    /// ```
    pub fn built_in() -> Vec<Study> {
        let parse = |(name, text)| Study::parse(name, text, &format!("experiments/{name}.toml"));
        BUILT_IN.into_iter().map(|file| parse(file).expect("the tests read every definition")).collect()
    }

    /// A study by name, or from a user's TOML file.
    pub fn find(name: &str) -> Result<Study, Failure> {
        if let Some(study) = Study::built_in().into_iter().find(|study| study.name == name) {
            return Ok(study);
        }
        let path = Path::new(name);
        if path.extension().is_some_and(|e| e == "toml") {
            let text = std::fs::read_to_string(path).map_err(|e| {
                Failure::BadInput(format!("{name}: cannot be read: {}", partita_run::words::plain(&e)))
            })?;
            let stem = path.file_stem().map_or("study".into(), |s| s.to_string_lossy().into_owned());
            return Study::parse(&stem, &text, name);
        }
        let hint = partita_run::words::closest(name, BUILT_IN.iter().map(|(name, _)| *name));
        let hint = hint.map_or(String::new(), |h| format!("; did you mean `{h}`?"));
        Err(Failure::BadInput(format!(
            "there is no study `{name}`{hint} `partita reproduce --list` shows all; your own study file must end in .toml"
        )))
    }

    /// Reads a definition; `file` is its name in error messages.
    pub fn parse(name: &str, text: &str, file: &str) -> Result<Study, Failure> {
        let wrong = |e: toml::de::Error| {
            let line = e.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let place = line.map_or(String::new(), |line| format!("line {line}: "));
            Failure::BadInput(format!("{file}: {place}{}", e.message()))
        };
        let definition: File = toml::from_str(text).map_err(wrong)?;
        let common: toml::Table = [
            ("data", definition.data),
            ("model", definition.model),
            ("truth", definition.truth),
            ("estimates", definition.estimates),
            ("meetings", definition.meetings),
            ("density", definition.density),
            ("outliers", definition.outliers),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_string(), value?)))
        .collect();
        let own = if definition.arm.is_empty() { vec![toml::Table::new()] } else { definition.arm };
        let arms = own
            .into_iter()
            .map(|own| {
                let mut whole = common.clone();
                merge(&mut whole, own);
                let arm: Arm = whole.try_into().map_err(wrong)?;
                arm.check(file)?;
                Ok(arm)
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        Ok(Study {
            name: name.into(),
            title: definition.title,
            paper: definition.paper,
            prose: definition.prose,
            seconds: definition.seconds,
            arms,
            claims: definition.claim,
        })
    }
}

/// Puts `own` over `whole`, table into table.
fn merge(whole: &mut toml::Table, own: toml::Table) {
    for (key, value) in own {
        match (whole.get_mut(&key), value) {
            (Some(toml::Value::Table(there)), toml::Value::Table(value)) => merge(there, value),
            (_, value) => drop(whole.insert(key, value)),
        }
    }
}

impl Arm {
    /// The model's options.
    pub fn options(&self, file: &str) -> Result<Options, Failure> {
        let text = toml::to_string(&self.model).expect("a table is TOML");
        Ok(Options::parse(&text, &format!("{file}: [model]"))?)
    }

    /// The prefix of its measurements' names.
    pub fn prefix(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!("{}: ", self.name) }
    }

    fn check(&self, file: &str) -> Result<(), Failure> {
        let bad = |sentence: String| Err(Failure::BadInput(format!("{file}: {sentence}")));
        self.options(file)?;
        if self.data.is_none() && self.outliers.is_none() {
            return bad("there is no [data]: say where they come from".into());
        }
        let fraction = |f: f64| (0.0..1.0).contains(&f);
        if let Some(e) = &self.estimates {
            partita::Schedule::new(e.lag, e.burn_in, e.sweeps)?;
            if self.truth.is_none() {
                return bad("[estimates] need a [truth] to be compared with".into());
            }
            if e.summaries.is_empty() || e.processes.contains(&0) || e.processes.contains(&1) {
                return bad("[estimates] need summaries, and processes of at least 2".into());
            }
            if !e.trims.iter().chain([&e.trim, &e.naive_discard]).all(|f| fraction(*f)) {
                return bad(
                    "[estimates] trim, trims and naive_discard are fractions from 0 to below 1".into()
                );
            }
        }
        if let Some(t) = self.truth.as_ref().filter(|t| !t.exact)
            && (t.chains < 2 || t.sweeps <= t.discard)
        {
            return bad("[truth] needs two chains or more, and more sweeps than it discards".into());
        }
        if let Some(d) = &self.density {
            partita::Schedule::new(d.lag, d.burn_in, d.sweeps)?;
            if !(d.from < d.to && d.points >= 2) {
                return bad("[density] needs from < to and two points or more".into());
            }
        }
        if let Some(o) = &self.outliers
            && !(fraction(o.middle) && o.trim_factor * (1.0 - o.middle) < 1.0)
        {
            return bad("[outliers] middle is a fraction, and trimming must leave something".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_study_can_be_read() {
        for (name, text) in BUILT_IN {
            let study = Study::parse(name, text, name).unwrap();
            assert!(study.prose.len() > 100, "{name} says what it does");
            assert!(!study.claims.is_empty(), "{name} has a claim");
            for claim in &study.claims {
                assert!(claim.at_least.is_some() || claim.at_most.is_some(), "{name}: {}", claim.claim);
            }
        }
    }

    #[test]
    fn arms_inherit_and_override() {
        let text = r#"
            title = "t"
            paper = "p"
            prose = "x"
            seconds = 1.0
            [data]
            kind = "mixture"
            items = 10
            centers = [[0.0]]
            sd = 1.0
            seed = 1
            [model]
            noise_sd = 1.0
            alpha = 1
            [[arm]]
            name = "narrow"
            model = { noise_sd = 0.5 }
            [[arm]]
            name = "usual"
        "#;
        let study = Study::parse("mine", text, "mine.toml").unwrap();
        let noise: Vec<_> =
            study.arms.iter().map(|a| a.options("mine.toml").unwrap().noise_sd.unwrap()).collect();
        assert_eq!(noise, [0.5, 1.0]);
        assert_eq!(study.arms[0].options("mine.toml").unwrap().alpha.unwrap().to_string(), "1");
    }

    #[test]
    fn mistakes_get_a_sentence() {
        let mistake = |text: &str| Study::parse("x", text, "x.toml").unwrap_err().to_string();
        assert!(mistake("title = 3").contains("x.toml: line 1"), "{}", mistake("title = 3"));
        let head = "title = 't'\npaper = ''\nprose = ''\nseconds = 1\n";
        assert!(mistake(head).contains("there is no [data]"));
        let wrong = format!("{head}[data]\nkind = 'catalog'\nname = 'gene'\n[model]\nnoise = 1.0");
        assert!(mistake(&wrong).contains("did you mean `noise_sd`"), "{}", mistake(&wrong));
        assert!(Study::find("gen").unwrap_err().to_string().contains("did you mean `gene`"));
    }
}
