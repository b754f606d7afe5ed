//! The section about one clustering: how near the posterior it is, and how sure its clusters are.

use maud::{Markup, html};

use super::numbers::{grouped, rounded, short};
use crate::results::Clustering;

/// Clusters in the table at most.
const SHOWN: usize = 40;

/// The section's body.
pub(super) fn section(c: &Clustering) -> Markup {
    let (name, unit) = match c.loss.as_str() {
        "binder" => ("Binder loss", "the share of ordered pairs of items on which two clusterings disagree"),
        _ => ("variation of information", "in nats"),
    };
    html! {
        p {
            "The clustering of smallest expected " (name) " (" (unit) "), searched on one half of the replicates. "
            "All numbers here come from the other half, so they do not flatter it. Its labels are in "
            code { "clustering.csv" } "."
        }
        dl.facts {
            div { dt { "Clusters" } dd { (grouped(c.sizes.len() as u64)) } }
            div.long {
                dt { "Expected loss" }
                dd {
                    @if let Some(loss) = c.expected_loss {
                        (rounded(loss, c.se))
                        @if let Some([low, high]) = c.ci95 { " [" (rounded(low, c.se)) ", " (rounded(high, c.se)) "]" }
                    } @else { "unknown: one replicate leaves none to judge by" }
                }
            }
            div { dt { "95 % credible ball" } dd { "radius " (short(c.ball.radius, 3)) } }
            @if let (Some(upper), Some(lower)) = (c.ball.upper, c.ball.lower) {
                div.long { dt { "Clusters within the ball" } dd { (grouped(upper)) " to " (grouped(lower)) } }
            }
            @if let Some(ari) = c.reference_ari {
                div.long { dt { "Adjusted Rand index with the known labels" } dd { (short(ari, 3)) } }
            }
            @if let Some(vi) = c.reference_vi {
                div.long { dt { "VI to the known labels" } dd { (short(vi, 3)) " nats" } }
            }
            @if let Some(missing) = c.reference_missing.filter(|missing| *missing > 0) {
                div.long { dt { "Rows without a label, not compared" } dd { (grouped(missing)) } }
            }
        }
        p {
            "Certainty is the probability that an item shares a cluster with the other members of its own, averaged "
            "over them (for one that is alone: that it is alone), and over the items of the cluster. It is "
            "unbiased, so it may leave [0, 1] by chance."
        }
        div.scroll {
            table {
                thead { tr { th { "cluster" } th { "items" } th { "certainty" } } }
                tbody {
                    @for (i, (size, certainty)) in c.sizes.iter().zip(&c.certainty).take(SHOWN).enumerate() {
                        tr { th scope="row" { (i) } td { (grouped(*size)) } td { (short(*certainty, 3)) } }
                    }
                }
            }
        }
        @if c.sizes.len() > SHOWN { p { (c.sizes.len() - SHOWN) " smaller clusters are not listed." } }
    }
}
