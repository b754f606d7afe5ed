//! A model in words: for the screen and for the report.

use crate::config::{Covariance, Move, Options, Prior, Task};
use crate::data::{Kind, Table};

/// The partition prior of options that are filled in.
fn prior(options: &Options) -> String {
    match options.prior.unwrap_or(Prior::Dirichlet) {
        Prior::Dirichlet => {
            format!(
                "Dirichlet process (alpha {})",
                options.alpha.map_or("?".into(), |alpha| alpha.to_string())
            )
        }
        Prior::PitmanYor(discount, strength) => {
            format!("Pitman-Yor process (discount {discount}, strength {strength})")
        }
        Prior::Finite(gamma, rate) => {
            format!("finite mixture (Dirichlet weights {gamma}, components 1 + Poisson {rate})")
        }
    }
}

/// What clusters look like under options that are filled in.
fn clusters(options: &Options) -> String {
    match options.covariance.unwrap_or(Covariance::Known) {
        Covariance::Known => format!(
            "centres with sd {}, noise with sd {}",
            options.prior_sd.unwrap_or(f64::NAN),
            options.noise_sd.unwrap_or(f64::NAN)
        ),
        Covariance::Shared => "one unknown variance, the same in all clusters and columns".into(),
        Covariance::SharedColumns => "an unknown variance for each column, the same in all clusters".into(),
        Covariance::Diagonal => "each column with parameters of its own in each cluster".into(),
        Covariance::Full => "an unknown covariance matrix for each cluster".into(),
    }
}

/// The sentence of the screen about the model of a table.
pub(super) fn of_table(options: &Options) -> String {
    format!("model: {}, {}", prior(options), clusters(options))
}

/// A word about spreads made for standardised columns, where columns keep their units and nobody gave others.
pub(super) fn spreads_left_open(options: &Options, prior_sd: f64, noise_sd: f64) -> Option<String> {
    let spreads = [("--prior-sd", options.prior_sd, prior_sd), ("--noise-sd", options.noise_sd, noise_sd)];
    let open = spreads.iter().filter(|(_, given, _)| given.is_none());
    let open: Vec<String> = open.map(|(name, _, value)| format!("{name} {value}")).collect();
    let verb = if open.len() == 1 { "is a default" } else { "are defaults" };
    (!open.is_empty()).then(|| {
        format!(
            "columns keep their units, but {} {verb} for standardised columns: give what suits the data, or leave \
             --no-standardize out",
            open.join(" and ")
        )
    })
}

/// The sentence of the screen about the blocks of a graph.
pub(super) fn of_blocks(options: &Options) -> String {
    let edges = options.edge_prior.map_or("1,1".into(), |prior| prior.to_string());
    format!("model: {}, edges between two blocks with a probability of prior beta({edges})", prior(options))
}

/// What a run asks, under the model of its options.
pub(crate) fn question(task: Task, options: &Options, title: &str) -> String {
    match (task, options.covariance, options.prior) {
        (Task::Fit, None | Some(Covariance::Known), None | Some(Prior::Dirichlet)) => format!(
            "How do the rows of {title} cluster, under a Dirichlet process mixture of Gaussians (alpha {}, {})?",
            options.alpha.map_or("?".into(), |alpha| alpha.to_string()),
            clusters(options)
        ),
        (Task::Fit, ..) => {
            format!(
                "How do the rows of {title} cluster? The model: {}, {}.",
                prior(options),
                clusters(options)
            )
        }
        (Task::Blocks, ..) => format!(
            "Which vertices of {title} play the same part? A stochastic block model: {}, edge probabilities with a \
             beta prior ({}).",
            prior(options),
            options.edge_prior.map_or("1,1".into(), |prior| prior.to_string())
        ),
        (Task::Color, ..) => format!(
            "What do uniform proper colourings of {title} with {} colours look like?",
            options.colors.unwrap_or(0)
        ),
    }
}

/// What may help chains that are slow to meet.
pub(crate) fn advice(options: &Options) -> &'static str {
    let splits = options.sampler.as_ref().is_some_and(|sampler| sampler.has(Move::SplitMerge));
    match options.covariance {
        None if options.colors.is_some() => {
            if options.sampler.as_ref().is_some_and(|sampler| sampler.has(Move::Kempe)) {
                "more --colors, or a cap on each pair (--max-sweeps)"
            } else {
                "--sampler kempe+gibbs, more --colors, or a cap on each pair (--max-sweeps)"
            }
        }
        None => "--sampler split-merge, or a cap on each pair (--max-sweeps)",
        Some(Covariance::Known) if !splits => "a larger --noise-sd or --sampler split-merge",
        Some(Covariance::Known) => "a larger --noise-sd",
        Some(Covariance::Full) => {
            "--covariance diagonal or shared, fewer --columns, --sampler split-merge, or a cap on each pair \
             (--max-sweeps)"
        }
        Some(_) => "fewer --columns, --sampler split-merge, or a cap on each pair (--max-sweeps)",
    }
}

/// What a reader must know where the chains' moves do not, or may not, lead to every colouring.
pub(crate) fn unreachable(connected: Option<bool>, options: &Options) -> Option<String> {
    let kempe = options.sampler.as_ref().is_some_and(|sampler| sampler.has(Move::Kempe));
    let what = match connected {
        Some(true) => return None,
        Some(false) => "do not lead from every colouring of this graph to every other",
        None => "are not known to lead from every colouring of this graph to every other",
    };
    let way_out = if kempe { "More --colors may connect them." } else { "Try --sampler kempe+gibbs." };
    let moves = if kempe { "Kempe moves" } else { "moves of single vertices" };
    Some(format!(
        "The {moves} that chains make here {what}: the answer holds for the colourings that the chains can reach \
         from their starts. {way_out}"
    ))
}

/// Names at most in a list.
const LISTED: usize = 8;

/// What each column is taken for: `3 normal (a, b, c), 1 category (sex: 2 levels)`.
pub(super) fn columns(table: &Table, kinds: &[Kind]) -> String {
    let one = |kind: Kind| {
        let of_kind: Vec<usize> = (0..kinds.len()).filter(|&column| kinds[column] == kind).collect();
        let name = |&column: &usize| match table.levels[column].len() {
            0 => table.names[column].clone(),
            1 => format!("{}: 1 level", table.names[column]),
            levels => format!("{}: {levels} levels", table.names[column]),
        };
        let mut names: Vec<String> = of_kind.iter().take(LISTED).map(name).collect();
        if of_kind.len() > LISTED {
            names.push(format!("and {} more", of_kind.len() - LISTED));
        }
        (!names.is_empty()).then(|| format!("{} {kind} ({})", of_kind.len(), names.join(", ")))
    };
    let all: Vec<String> = [Kind::Normal, Kind::Count, Kind::Category].into_iter().filter_map(one).collect();
    format!("columns taken as {}; --column-type NAME=TYPE changes that", all.join(", "))
}
