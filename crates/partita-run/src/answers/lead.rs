//! The answer in words: what a person asks first. The screen and the report begin with it.

use super::cards::{DOUBT, in_doubt};
use super::point::Point;
use crate::results::{Clustering, CountLine, Results};
use crate::summary::Quantity;
use crate::words::{self, percent};

/// Sizes that are told one by one.
const SIZES: usize = 8;
/// A number of clusters less likely than this is not told.
const LIKELY: f64 = 0.01;
/// Nor are probabilities whose intervals are wider than this.
const ROUGH: f64 = 0.8;

/// The sentences: where chains stayed apart, the clusters, how many there are, agreement with known labels, and what else
/// was asked.
pub(super) fn answer(summary: &Results, point: Option<&Point>, quantities: &[Quantity]) -> Vec<String> {
    let mut sentences: Vec<String> = super::modes::finding(summary).into_iter().collect();
    if let (Some(point), Some(clustering)) = (point, &summary.clustering) {
        sentences.push(clusters(point, clustering));
    }
    if !summary.summaries.is_empty() {
        sentences.extend(how_many(&summary.cluster_count));
    }
    sentences.extend(summary.clustering.as_ref().and_then(|c| agreement(c, summary)));
    // The table of summaries tells the usual ones.
    let usual = ["clusters", "top:", "reference:", "density("];
    for line in summary.summaries.iter().filter(|line| !usual.iter().any(|name| line.name.starts_with(name)))
    {
        let Some([low, high]) = line.ci95 else { continue };
        let Some(quantity) = quantities.iter().find(|quantity| quantity.name == line.name) else { continue };
        let of = |value: f64| words::estimate(&line.name, value, line.se);
        let what = &quantity.sentence;
        sentences.push(format!("{what} {} (95% interval {} to {}).", of(line.mean), of(low), of(high)));
    }
    sentences
}

/// How many clusters, their sizes, how sure.
fn clusters(point: &Point, c: &Clustering) -> String {
    let items: u64 = c.sizes.iter().sum();
    let found = match c.sizes.len() {
        1 => format!("Point estimate: a single cluster of all {items} items"),
        k => format!("Point estimate: {k} clusters, of sizes {}", words::sizes(&c.sizes, SIZES)),
    };
    let Some(certainty) = c.average_certainty() else {
        return format!("{found}. This run is too short to tell how certain that is.");
    };
    let doubtful = point.certainty.iter().filter(|(certainty, _)| in_doubt(*certainty)).count();
    let sure = format!(
        "two items in the same cluster belong together with probability {}",
        percent(certainty, None)
    );
    let doubt = match doubtful {
        0 => "no item is in doubt".into(),
        1 => format!("1 item is in doubt (below {})", percent(DOUBT, None)),
        n => format!("{n} items are in doubt (below {})", percent(DOUBT, None)),
    };
    // A clustering in which the average item is in doubt is not what a reader should take home.
    let unsettled = if in_doubt(certainty) {
        " The posterior does not settle on one clustering: read this one as a summary, not as the answer."
    } else {
        ""
    };
    format!("{found}. On average, {sure}; {doubt}.{unsettled}")
}

/// The likely numbers of clusters, the likeliest first.
fn how_many(counts: &[CountLine]) -> Option<String> {
    let mut likely: Vec<&CountLine> = counts.iter().filter(|c| c.probability >= LIKELY).collect();
    likely.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    likely.truncate(6);
    // Of so few pairs an unbiased estimate may be far outside of what a probability can be.
    let rough = |c: &&CountLine| c.ci95.is_some_and(|[low, high]| high - low > ROUGH);
    if likely.iter().any(rough) {
        return Some("This run is too short to tell how likely each number of clusters is.".into());
    }
    let told = |c: &&CountLine| {
        let clusters = c.clusters.replace('>', "more than ");
        format!("{clusters} ({})", percent(c.probability, None))
    };
    let all: Vec<String> = likely.iter().map(told).collect();
    (!all.is_empty()).then(|| format!("Probability of each number of clusters: {}.", all.join(", ")))
}

/// Agreement with the known labels, of the point estimate and in expectation.
fn agreement(c: &Clustering, summary: &Results) -> Option<String> {
    let ari = c.reference_ari?;
    let rows = c.compared_rows().unwrap_or_default();
    let expected = summary.summaries.iter().find(|line| line.name == "reference:ari");
    let expected = expected.map_or(String::new(), |line| {
        // As many digits as the index of the point estimate has, or fewer.
        format!("; posterior mean {}", words::rounded(line.mean, line.se.unwrap_or(0.0).max(0.02)))
    });
    Some(format!(
        "Agreement with the known labels: adjusted Rand index {ari:.2}{rows} (1 is perfect agreement, 0 is \
         chance){expected}."
    ))
}

/// Whether the answer can be relied on, in one line; `few` where there are too few replicates for intervals to hold their
/// level.
pub(super) fn reliability(summary: &Results, few: bool) -> String {
    let (pairs, met) = (summary.replicates, summary.meeting.met);
    let met = match (pairs, summary.censored) {
        (1, 0) => "The only pair met".to_string(),
        (_, 0) => format!("All {pairs} pairs met"),
        (_, 1) => format!("{met} of {pairs} pairs met and 1 was censored"),
        (_, cut) => format!("{met} of {pairs} pairs met and {cut} were censored"),
    };
    let warm_up = match summary.tv_sweeps {
        Some(1) => "a single chain would need 1 sweep of warm-up".to_string(),
        Some(sweeps) => format!("a single chain would need {sweeps} sweeps of warm-up"),
        None => "how much warm-up a single chain would need is not known".to_string(),
    };
    let mut worries = Vec::new();
    if summary.modes.len() > 1 {
        worries.push(format!(
            "the chains stayed in {} separate parts of the posterior, whose relative weights are unknown",
            summary.modes.len()
        ));
    }
    if summary.censored > 0 {
        worries.push("estimates may be further off than their intervals suggest".to_string());
    }
    if summary.connected == Some(false) {
        worries.push("not every colouring can be reached".to_string());
    }
    if few {
        worries.push("with so few pairs, intervals may be too narrow".to_string());
    }
    if pairs == 1 {
        worries.push("a single pair gives no intervals".to_string());
    }
    // The estimates of a doubtful clustering are as reliable as any.
    let unsettled = summary.clustering.as_ref().and_then(Clustering::average_certainty).is_some_and(in_doubt);
    match &worries[..] {
        [] if unsettled => {
            format!("{met}; {warm_up}; the estimates are reliable, but the clustering is uncertain.")
        }
        [] => format!("{met}; {warm_up}; nothing to worry about."),
        _ => format!("{met}; {warm_up}. Caution: {}.", worries.join("; ")),
    }
}
