//! The clusters: what each is like, who is typical of it, who is in doubt; known labels; other plausible clusterings.

use maud::{Markup, html};

use super::numbers::{exact, grouped, rounded, short};
use crate::results::{Bound, Card, CardColumn, Clustering, CorrelationLine, Doubt, KnownLabels, ProfileLine};
use crate::words::{percent, sizes};

/// Shares of a bar up to so many standard deviations.
const WIDEST: f64 = 2.5;

/// The mark of a cluster's colour.
fn swatch(cluster: u64) -> Markup {
    html! { i.swatch style={ "background:var(--c" (cluster % 8) ")" } {} }
}

/// The section's body: a card per cluster, the items in doubt, and how the clustering was found.
pub(super) fn section(c: &Clustering, cards: &[Card], doubts: &[Doubt]) -> Markup {
    let items: u64 = c.sizes.iter().sum();
    html! {
        @if cards.iter().any(|card| !card.columns.is_empty()) {
            p {
                "Each number is a posterior expectation: the mean of a column, or the share of a level, among the items that "
                "share a cluster with the members of this one, averaged over the posterior. Ranges below the numbers are 95% "
                "intervals, left out where rounding hides them. The columns that set a cluster apart come first; bars show the "
                "difference from the whole table, in standard deviations of the table, or the share of a level beside that of "
                "the table. All columns, unrounded, are in " code { "profiles.csv" } "."
            }
        }
        @let known = c.average_certainty().is_some();
        div.cards { @for one in cards { (card(one, items, known)) } }
        @if c.sizes.len() > cards.len() {
            p { "Smaller clusters, not shown: " (sizes(&c.sizes[cards.len()..], 12)) " items." }
        }
        (in_doubt(doubts, known))
        (found(c))
    }
}

fn card(card: &Card, items: u64, known: bool) -> Markup {
    let numbers: Vec<&CardColumn> = card.columns.iter().filter(|column| column.sd.is_some()).collect();
    // Numbers share a table, where the first of them belongs.
    let first = card.columns.iter().position(|column| column.sd.is_some());
    html! {
        article.card {
            h3 {
                (swatch(card.cluster)) "Cluster " (card.cluster) " "
                small {
                    (grouped(card.size)) @if card.size == 1 { " item" } @else { " items" }
                    " (" (share_of_items(card.size, items)) ")"
                    @if known {
                        @if card.size == 1 { ", alone in " } @else { ", certainty " }
                        (percent(card.certainty.clamp(0.0, 1.0), None))
                        @if card.size == 1 { " of the posterior" }
                    }
                }
            }
            @for (at, column) in card.columns.iter().enumerate() {
                @if first == Some(at) { (number_rows(&numbers)) }
                @if column.sd.is_none() { (level_rows(column)) }
            }
            @if card.more_columns > 0 {
                p.remark {
                    (card.more_columns) @if card.more_columns == 1 { " more column is in " } @else { " more columns are in " }
                    code { "profiles.csv" } "."
                }
            }
            @if !card.correlations.is_empty() { (correlations(&card.correlations)) }
            @if card.size > 1 && !card.typical.is_empty() {
                p.remark { "Typical members: " (card.typical.join(", ")) "." }
            } @else if card.size == 1 {
                p.remark { "The item: " (card.typical.join(", ")) "." }
            }
        }
    }
}

/// A share of the items, which is not nothing however small.
fn share_of_items(size: u64, items: u64) -> String {
    let share = size as f64 / items as f64;
    if share < 0.01 { "under 1%".into() } else { percent(share, None) }
}

/// The error that decides how many digits are shown: a fiftieth of the spread is enough for a person.
fn told(column: &CardColumn, line: &ProfileLine) -> Option<f64> {
    let least = 0.02 * column.sd.unwrap_or(0.0);
    line.se.map(|se| se.max(least)).or(Some(least)).filter(|error| *error > 0.0)
}

fn number_rows(columns: &[&CardColumn]) -> Markup {
    html! {
        table.profile {
            thead { tr {
                th scope="col" { "Column" } th scope="col" { "Mean" } th scope="col" { "Overall" }
                th scope="col" { span.hidden { "Difference" } }
            } }
            tbody { @for column in columns { (number_row(column)) } }
        }
    }
}

fn number_row(column: &CardColumn) -> Markup {
    let line = &column.lines[0];
    let error = told(column, line);
    html! {
        tr {
            th scope="row" { (breakable(&line.column)) }
            td.number title=(exact(line.mean)) {
                (rounded(line.mean, error))
                @if let Some([low, high]) = line.ci95.map(|ends| ends.map(|end| rounded(end, error))).filter(|[a, b]| a != b) {
                    br; small { (low) " to " (high) }
                }
            }
            td.number { (rounded(line.overall, error)) }
            td { (difference(if line.mean < line.overall { -column.apart } else { column.apart })) }
        }
    }
}

/// A name that may go on in the next line after an underscore.
fn breakable(name: &str) -> Markup {
    html! { @for (at, part) in name.split('_').enumerate() { @if at > 0 { "_" wbr; } (part) } }
}

/// A bar from the middle, which is the whole table.
fn difference(apart: f64) -> Markup {
    let end = 60.0 + 56.0 * (apart / WIDEST).clamp(-1.0, 1.0);
    let (from, width) = (end.min(60.0), (end - 60.0).abs());
    html! {
        svg.apart viewBox="0 0 120 14" aria-hidden="true" {
            rect.bar x=(format!("{from:.1}")) y="3" width=(format!("{width:.1}")) height="8" {}
            line.axis x1="60" x2="60" y1="0" y2="14" {}
        }
    }
}

fn level_rows(column: &CardColumn) -> Markup {
    let mut lines: Vec<&ProfileLine> = column.lines.iter().collect();
    lines.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    let shown = 6;
    html! {
        table.profile {
            thead { tr {
                th scope="col" { (lines[0].column) } th scope="col" { "Share" } th scope="col" { "Overall" }
                th scope="col" { span.hidden { "Share" } }
            } }
            tbody {
                @for line in lines.iter().take(shown) {
                    @let error = line.se.map(|se| se.max(0.004));
                    tr {
                        th scope="row" { (line.level.as_deref().unwrap_or("")) }
                        td.number title=(exact(line.mean)) {
                            (percent(line.mean.clamp(0.0, 1.0), error))
                            @if let Some([low, high]) = line.ci95.map(within).filter(|[low, high]| high - low > 0.01) {
                                br; small { (percent(low, error)) " to " (percent(high, error)) }
                            }
                        }
                        td.number { (percent(line.overall, None)) }
                        td { (share(line.mean, line.overall)) }
                    }
                }
            }
        }
        @if lines.len() > shown { p.remark { (lines.len() - shown) " rarer levels are in " code { "profiles.csv" } "." } }
    }
}

/// What an interval leaves of the values that a share can have: unbiased estimates fall outside by chance.
fn within(interval: [f64; 2]) -> [f64; 2] {
    interval.map(|end| end.clamp(0.0, 1.0))
}

/// A bar of a share, with a line at that of the whole table.
fn share(value: f64, overall: f64) -> Markup {
    let x = |v: f64| format!("{:.1}", 4.0 + 112.0 * v.clamp(0.0, 1.0));
    html! {
        svg.apart viewBox="0 0 120 14" aria-hidden="true" {
            rect.bar x="4" y="3" width=(format!("{:.1}", 112.0 * value.clamp(0.0, 1.0))) height="8" {}
            line.axis x1=(x(overall)) x2=(x(overall)) y1="0" y2="14" {}
        }
    }
}

fn correlations(lines: &[CorrelationLine]) -> Markup {
    let one = |l: &CorrelationLine| {
        let error = l.se.unwrap_or(0.0).max(0.02);
        format!("{} and {} {}", l.column, l.other, rounded(l.mean, Some(error)))
    };
    let all: Vec<String> = lines.iter().map(one).collect();
    html! { p.remark { "Correlations within the cluster: " (all.join("; ")) "." } }
}

/// The cluster that an item is most often in otherwise, if that is what makes it doubtful: at least half of the rest.
fn elsewhere(doubt: &Doubt) -> Option<(u64, f64)> {
    doubt.alternative.filter(|(_, probability)| 2.0 * probability >= 1.0 - doubt.certainty)
}

fn in_doubt(doubts: &[Doubt], known: bool) -> Markup {
    html! {
        h3 #doubts { "Items in doubt" }
        @if !known {
            p { "This run is too short to tell." }
        } @else if doubts.is_empty() {
            p { "None: on average, every item shares a cluster with the other members of its own with probability 75% or more." }
        } @else {
            p {
                "Items that, on average, share a cluster with the other members of their own with probability below 75%: the "
                "most doubtful first (at most 20), each with the cluster that it is most often in otherwise. "
                @if doubts.iter().any(|doubt| elsewhere(doubt).is_none()) {
                    "\u{201c}None\u{201d} means that the posterior often splits the item's own cluster, or puts the item "
                    "into a small cluster that the point estimate does not have."
                }
            }
            div.scroll {
                table.narrow {
                    thead { tr {
                        th scope="col" { "Item" } th scope="col" { "Cluster" } th scope="col" { "Certainty" }
                        th scope="col" { "Otherwise in" }
                    } }
                    tbody {
                        @for doubt in doubts {
                            tr {
                                th scope="row" { (doubt.item) }
                                td { (swatch(doubt.cluster)) (doubt.cluster) }
                                td.number { (percent(doubt.certainty.clamp(0.0, 1.0), None)) }
                                td.number {
                                    @if let Some((cluster, probability)) = elsewhere(doubt) {
                                        (swatch(cluster)) (cluster) " (" (percent(probability.clamp(0.0, 1.0), None)) ")"
                                    } @else { "none" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// How the clustering was found, and how near the posterior it is.
fn found(c: &Clustering) -> Markup {
    let (name, unit) = match c.loss.as_str() {
        "binder" => ("Binder loss", "the share of ordered pairs of items on which two clusterings disagree"),
        _ => ("variation of information", "in nats"),
    };
    html! {
        details {
            summary { "How this clustering was found" }
            p {
                "It is the point estimate: the clustering with the smallest expected " (name) " (" (unit) "), found with one "
                "half of the replicates. All numbers about it come from the other half, so they are not optimistic. "
                "The certainty of an item is its probability of sharing a cluster with another member of its own, averaged over "
                "those members (for a cluster of one item, the probability that the item is alone). The labels are in " code { "clustering.csv" } "."
            }
            dl.facts {
                div { dt { "Clusters" } dd { (grouped(c.sizes.len() as u64)) } }
                div.long {
                    dt { "Expected loss" }
                    dd {
                        @if let Some(loss) = c.expected_loss {
                            (rounded(loss, c.se))
                            @if let Some([low, high]) = c.ci95 { " [" (rounded(low, c.se)) ", " (rounded(high, c.se)) "]" }
                        } @else { "unknown with a single replicate" }
                    }
                }
            }
        }
    }
}

/// Known labels against clusters.
pub(super) fn known(c: &Clustering, known: &KnownLabels) -> Markup {
    let clusters = c.sizes.len().min(12);
    let most = known.counts.iter().flatten().copied().max().unwrap_or(1).max(1);
    html! {
        p {
            "The model did not see these labels. "
            @if let Some(ari) = c.reference_ari {
                "Adjusted Rand index: " (format!("{ari:.2}")) " (1 is perfect agreement, 0 is chance). "
            }
            @if let Some(vi) = c.reference_vi { "Variation of information: " (short(vi, 3)) " nats. " }
            @if let Some(missing) = c.reference_missing.filter(|missing| *missing > 0) {
                (grouped(missing)) @if missing == 1 { " row has" } @else { " rows have" } " no label and are left out."
            }
        }
        div.scroll tabindex="0" role="region" aria-label="Known labels against clusters" {
            table.narrow.cross {
                thead { tr {
                    th scope="col" { "Known label" }
                    @for cluster in 0..clusters { th scope="col" { (swatch(cluster as u64)) (cluster) } }
                    @if c.sizes.len() > clusters { th scope="col" { "smaller" } }
                } }
                tbody {
                    @for (label, counts) in known.labels.iter().zip(&known.counts) {
                        tr {
                            th scope="row" { (label) }
                            @for count in &counts[..clusters] {
                                td style={ "--share:" (format!("{:.2}", *count as f64 / most as f64)) } {
                                    @if *count > 0 { (grouped(*count)) } @else { "\u{00b7}" }
                                }
                            }
                            @if c.sizes.len() > clusters { td { (grouped(counts[clusters..].iter().sum())) } }
                        }
                    }
                }
            }
        }
    }
}

/// The states that bound the credible ball.
pub(super) fn ball(c: &Clustering, bounds: &[Bound], drawn: bool) -> Markup {
    let about = |name: &str| match name {
        "upper" => ("Fewest clusters", "The coarsest clustering in the ball"),
        "lower" => ("Most clusters", "The finest clustering in the ball"),
        _ => ("Farthest", "The one that differs most from the point estimate"),
    };
    html! {
        p {
            "95% of the posterior lies within " (short(c.ball.radius, 3))
            @if c.loss == "binder" { " (Binder loss)" } @else { " nats (variation of information)" }
            " of the point estimate. These clusterings lie at the edge of that credible ball: where they agree with the point "
            "estimate, it can be trusted; where they differ, the data leave the question open. Their labels are in "
            code { "credible_ball.csv" } "."
        }
        div.triple {
            @for (i, bound) in bounds.iter().enumerate() {
                @let (name, what) = about(&bound.name);
                figure {
                    h3 { (name) }
                    @if drawn { div.chart id={ "chart-ball-" (i) } data-label={ (what) ", as points marked by cluster." } {} }
                    figcaption {
                        (what) ": " (bound.sizes.len())
                        @if bound.sizes.len() == 1 { " cluster, of size " } @else { " clusters, of sizes " }
                        (sizes(&bound.sizes, 6)) "."
                    }
                }
            }
        }
    }
}
