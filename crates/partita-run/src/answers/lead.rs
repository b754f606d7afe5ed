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
        sentences.push(format!("{what} {} (95 % interval {} to {}).", of(line.mean), of(low), of(high)));
    }
    sentences
}

/// How many clusters, their sizes, how sure.
fn clusters(point: &Point, c: &Clustering) -> String {
    let items: u64 = c.sizes.iter().sum();
    let found = match c.sizes.len() {
        1 => format!("1 cluster of all {items} items (point estimate)"),
        k => format!("{k} clusters of {} items (point estimate)", words::sizes(&c.sizes, SIZES)),
    };
    let certainty: f64 = point.certainty.iter().map(|(certainty, _)| certainty).sum::<f64>() / items as f64;
    let doubtful = point.certainty.iter().filter(|(certainty, _)| in_doubt(*certainty)).count();
    let sure =
        format!("two items of one cluster belong together with probability {}", percent(certainty, None));
    let doubt = match doubtful {
        0 => "no item is in doubt".into(),
        1 => format!("1 item is in doubt (below {})", percent(DOUBT, None)),
        n => format!("{n} items are in doubt (below {})", percent(DOUBT, None)),
    };
    format!("{found}. On average {sure}; {doubt}.")
}

/// The likely numbers of clusters, the likeliest first.
fn how_many(counts: &[CountLine]) -> Option<String> {
    let mut likely: Vec<&CountLine> = counts.iter().filter(|c| c.probability >= LIKELY).collect();
    likely.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let told = |c: &&CountLine| {
        let se = c.ci95.map(|[low, high]| (high - low) / 3.92);
        format!("{} ({})", c.clusters, percent(c.probability, se))
    };
    let all: Vec<String> = likely.iter().take(6).map(told).collect();
    (!all.is_empty()).then(|| format!("Number of clusters, with its probability: {}.", all.join(", ")))
}

/// Agreement with the known labels, of the point estimate and in expectation.
fn agreement(c: &Clustering, summary: &Results) -> Option<String> {
    let ari = c.reference_ari?;
    let rows = c.compared_rows().unwrap_or_default();
    let expected = summary.summaries.iter().find(|line| line.name == "reference:ari");
    let expected = expected.map_or(String::new(), |line| {
        format!(
            "; {} in expectation over the posterior",
            words::rounded(line.mean, line.se.unwrap_or(f64::NAN))
        )
    });
    Some(format!(
        "Agreement with the known labels: adjusted Rand index {ari:.2}{rows} (1: the same clusters, 0: as by \
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
        (_, cut) => format!("{met} of {pairs} pairs met, {cut} were cut before they did"),
    };
    let warm_up = match summary.tv_sweeps {
        Some(1) => "a single chain would need 1 sweep of warm-up".to_string(),
        Some(sweeps) => format!("a single chain would need {sweeps} sweeps of warm-up"),
        None => "how much warm-up a single chain would need is not known".to_string(),
    };
    let mut worries = Vec::new();
    if summary.modes.len() > 1 {
        worries.push(format!(
            "chains stayed in {} parts of the posterior, whose weights are not known",
            summary.modes.len()
        ));
    }
    if summary.censored > 0 {
        worries.push("estimates may be off by more than their intervals say".to_string());
    }
    if summary.connected == Some(false) {
        worries.push("not every clustering can be reached".to_string());
    }
    if few {
        worries.push("there are few pairs, so that intervals may be too narrow".to_string());
    }
    if pairs == 1 {
        worries.push("one pair has no intervals".to_string());
    }
    match &worries[..] {
        [] => format!("{met}; {warm_up}; nothing to worry about."),
        _ => format!("{met}; {warm_up}. Worry about this: {}.", worries.join("; ")),
    }
}
