//! A model in words: for the screen and for the report.

use crate::config::{ClusterPrior, Covariance, Law, MixtureLaw, Move, Options, PartitionPrior, Setup};
use crate::data::{Kind, Table};
use crate::words;

/// What clusters look like.
fn clusters(law: &MixtureLaw) -> String {
    (law.covariance.family().clusters)(&law.clusters)
}

/// The sentence of the screen about the model; none for colourings, which have none.
pub(super) fn model(setup: &Setup) -> Option<String> {
    match &setup.law {
        Law::Mixture(law) => Some(format!("model: {}, {}", law.prior, clusters(law))),
        Law::Colorings { .. } => None,
        Law::Blocks { prior, edges } => {
            Some(format!("model: {prior}, beta({edges}) prior on the edge probability between two blocks"))
        }
    }
}

/// A word about spreads made for standardised columns, where columns keep their units and nobody gave others.
pub(super) fn spreads_left_open(options: &Options, setup: &Setup) -> Option<String> {
    let Law::Mixture(law) = &setup.law else { return None };
    let ClusterPrior::Spreads { prior_sd, noise_sd } = law.clusters else { return None };
    if law.standardize {
        return None;
    }
    let spreads = [("prior_sd", options.prior_sd, prior_sd), ("noise_sd", options.noise_sd, noise_sd)];
    let open = spreads.iter().filter(|(_, given, _)| given.is_none());
    let open: Vec<String> = open.map(|(name, _, value)| format!("`{name} = {value}`")).collect();
    let verb = if open.len() == 1 { "is a default" } else { "are defaults" };
    (!open.is_empty()).then(|| {
        format!(
            "columns keep their units, but {} {verb} meant for standardised columns: give values that suit the data, or \
             leave `standardize = false` out",
            open.join(" and ")
        )
    })
}

/// What a run asks, under its model.
pub(crate) fn own_question(setup: &Setup, title: &str) -> String {
    let prior = match &setup.law {
        Law::Mixture(law) => law.prior.to_string(),
        _ => String::new(),
    };
    format!("Model of the rows of {title}: {prior}, with a user-defined likelihood.")
}

/// What was asked, in a sentence or two.
pub(crate) fn question(setup: &Setup, title: &str) -> String {
    match &setup.law {
        Law::Mixture(MixtureLaw {
            covariance: Covariance::Known,
            clusters: prior,
            prior: PartitionPrior::Dirichlet(alpha),
            ..
        }) => format!(
            "Model of the rows of {title}: a Dirichlet process mixture of Gaussians (alpha {alpha}, {}).",
            (Covariance::Known.family().clusters)(prior)
        ),
        Law::Mixture(law) => {
            format!("Model of the rows of {title}: {}, {}.", law.prior, clusters(law))
        }
        Law::Blocks { prior, edges } => format!(
            "Model of {title}: a stochastic block model with a {prior} prior and a beta({edges}) prior on the edge \
             probabilities; vertices of a block play the same role."
        ),
        Law::Colorings { colors } => {
            format!(
                "Target: the uniform distribution over proper colourings of {title} with {colors} colours."
            )
        }
    }
}

/// What a reader must know where the chains' moves do not, or may not, lead to every colouring.
pub(crate) fn unreachable(connected: Option<bool>, setup: &Setup) -> Option<String> {
    let kempe = setup.sampler.has(Move::Kempe);
    let what = match connected {
        Some(true) => return None,
        Some(false) => "cannot lead from every colouring of this graph to every other",
        None => "are not known to lead from every colouring of this graph to every other",
    };
    let way_out = if kempe { "More `colors` may connect them." } else { "Try `sampler = kempe+gibbs`." };
    let moves = if kempe { "Kempe moves" } else { "single-vertex moves" };
    Some(format!(
        "The {moves} used here {what}, so the answer holds for the colourings that the chains can reach from their \
         initial states. {way_out}"
    ))
}

/// What may help chains to cross between the parts of the target they stay in, apart from time: the end of `try ...`.
pub(crate) fn crossing(setup: &Setup, raced: bool) -> &'static str {
    match &setup.law {
        Law::Mixture(_) if raced => "another model (`model`)",
        Law::Mixture(_) => {
            "leaving `sampler` out, so that the pilot chooses the moves, or another model (`model`)"
        }
        Law::Blocks { .. } if raced => "another `sampler`",
        Law::Blocks { .. } => "leaving `sampler` out, so that the pilot chooses the moves",
        Law::Colorings { .. } if setup.sampler.has(Move::Kempe) => "more `colors`",
        Law::Colorings { .. } => "`sampler = kempe+gibbs`, or more `colors`",
    }
}

/// Names at most in a list.
const LISTED: usize = 8;

/// Names in a row, the last of many counted.
pub(super) fn list(names: &[String]) -> String {
    let more = (names.len() > LISTED).then(|| format!("and {} more", names.len() - LISTED));
    names.iter().take(LISTED).cloned().chain(more).collect::<Vec<_>>().join(", ")
}

/// What each column is taken for: `3 normal (a, b, c), 1 category (sex: 2 levels)`.
pub(super) fn columns(table: &Table, kinds: &[Kind]) -> String {
    let one = |kind: Kind| {
        let of_kind: Vec<usize> = (0..kinds.len()).filter(|&column| kinds[column] == kind).collect();
        let name = |&column: &usize| {
            let name = words::one_line(&table.names[column]);
            match table.levels[column].len() {
                0 => name,
                1 => format!("{name}: 1 level"),
                levels => format!("{name}: {levels} levels"),
            }
        };
        let names: Vec<String> = of_kind.iter().map(name).collect();
        (!names.is_empty()).then(|| format!("{} {kind} ({})", of_kind.len(), list(&names)))
    };
    let all: Vec<String> = [Kind::Normal, Kind::Count, Kind::Category].into_iter().filter_map(one).collect();
    format!("column types: {}; change them with `column_type = NAME=TYPE`", all.join(", "))
}
