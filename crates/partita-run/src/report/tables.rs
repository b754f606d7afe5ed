//! The tables of the page, with a thin graphic in each row made as SVG.

use maud::{Markup, html};

use super::numbers::{error, error_of, exact, grouped, rounded, short};
use crate::results::{CandidateLine, CountLine, Line, Mode};
use crate::words;

fn name_cell(line: &Line) -> Markup {
    html! { th scope="row" { code { (line.name) } @if let Some(text) = &line.meaning { small { (text) } } } }
}

fn number(name: &str, field: &str, value: f64, text: &str) -> Markup {
    html! { span.number data-name=(name) data-field=(field) data-value=(exact(value)) title=(exact(value)) { (text) } }
}

/// The value of a summary with the digits that its error supports, in percent if it is a share of items or a probability.
fn told(name: &str, value: f64, error: Option<f64>) -> String {
    match words::is_share(name) {
        true => rounded(100.0 * value, error.map(|error| 100.0 * error)) + "%",
        false => rounded(value, error),
    }
}

fn ends(name: &str, field: &str, interval: Option<[f64; 2]>, error: Option<f64>) -> Markup {
    html! {
        @if let Some([low, high]) = interval {
            span.number {
                "[" (number(name, &format!("{field}.0"), low, &told(name, low, error))) ", "
                (number(name, &format!("{field}.1"), high, &told(name, high, error))) "]"
            }
        } @else { small { "unknown" } }
    }
}

/// An estimate with its interval, on a strip of `width` units.
fn dot_and_interval(
    x: impl Fn(f64) -> f64,
    y: f64,
    value: f64,
    interval: Option<[f64; 2]>,
    mark: u8,
) -> Markup {
    let at = x(value);
    html! {
        @if let Some([low, high]) = interval {
            line.whisker x1=(format!("{:.1}", x(low))) x2=(format!("{:.1}", x(high))) y1=(y) y2=(y) {}
        }
        @match mark {
            0 => circle.solid cx=(format!("{at:.1}")) cy=(y) r="3.2" {},
            1 => circle.open cx=(format!("{at:.1}")) cy=(y) r="2.6" {},
            _ => rect.open x=(format!("{:.1}", at - 2.4)) y=(y - 2.4) width="4.8" height="4.8" {},
        }
    }
}

fn row_plot(line: &Line) -> Markup {
    let rows = [(line.mean, line.ci95), (line.trimmed, line.trimmed_ci95), (line.median_of_means, None)];
    let all = || {
        rows.iter()
            .flat_map(|(value, interval)| interval.iter().flatten().copied().chain([*value]))
            .filter(|v| v.is_finite())
    };
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let x = |v: f64| if high > low { 5.0 + 126.0 * (v - low) / (high - low) } else { 68.0 };
    html! {
        svg.rowplot viewBox="0 0 136 34" aria-hidden="true" {
            @for (i, (value, interval)) in rows.into_iter().enumerate() {
                @if value.is_finite() { (dot_and_interval(x, 6.0 + 11.0 * i as f64, value, interval, i as u8)) }
            }
        }
    }
}

/// Sizes of clusters in a row at most, and parts of the posterior.
const SHOWN_SIZES: usize = 8;
const SHOWN_PARTS: usize = 10;

/// A table as wide as its content: what it is of, the headings, the rows.
fn narrow(of: &str, headings: &[&str], rows: Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Table of " (of) } {
            table.narrow {
                thead { tr { @for heading in headings { th scope="col" { (heading) } } } }
                tbody { (rows) }
            }
        }
    }
}

/// The parts of the posterior that chains did not cross between.
pub(super) fn modes(modes: &[Mode]) -> Markup {
    let rows = html! {
        @for (i, mode) in modes.iter().take(SHOWN_PARTS).enumerate() {
            @let name = format!("mode{}", i + 1);
            tr {
                td { (i + 1) }
                td { (grouped(mode.chains)) }
                td { (grouped(mode.clusters)) }
                td { (number(&name, "log_probability", mode.log_probability, &rounded(mode.log_probability, Some(0.5)))) }
                td { (words::sizes(&mode.sizes, SHOWN_SIZES)) }
            }
        }
    };
    let headings = ["Part", "Chains", "Clusters", "Log probability", "Sizes"];
    html! {
        (narrow("separate parts of the posterior", &headings, rows))
        @if modes.len() > SHOWN_PARTS { p { "And " (modes.len() - SHOWN_PARTS) " more." } }
    }
}

/// The models that were scored.
pub(super) fn models(candidates: &[CandidateLine]) -> Markup {
    let rows = html! {
        @for (i, line) in candidates.iter().enumerate() {
            @let name = format!("candidate{}", i + 1);
            tr {
                th scope="row" {
                    code { (line.model) }
                    @if let Some(components) = line.pca { " on " (components) " principal components" }
                }
                td { @if let Some(prior) = &line.prior { code { (prior) } } }
                td {
                    @if let Some(score) = line.score {
                        (number(&name, "score", score, &rounded(score, line.se)))
                        @if let Some(se) = line.se { " \u{00b1} " (error(se)) }
                    }
                }
                td { @if let Some(met) = line.met { (format!("{:.0}%", 100.0 * met)) } }
                td {
                    @if line.taken { b { "taken" } }
                    @if let Some(left) = &line.left { "not taken: " (left) }
                }
            }
        }
    };
    narrow("models", &["Model", "Prior", "Score \u{00b1} s.e.", "Pairs that met", ""], rows)
}

/// The estimates of each summary.
pub(super) fn summaries(lines: &[Line]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table of summaries" {
            table #table-summaries {
                thead { tr {
                    th scope="col" { "Summary" }
                    th scope="col" { "Mean ± s.e." }
                    th scope="col" { "95% interval" }
                    th scope="col" { "Trimmed mean" small { "with 95% interval" } }
                    th scope="col" { "Median of means" }
                    th scope="col" { "Agreement" }
                } }
                tbody {
                    @for line in lines { (summary_row(line)) }
                }
            }
        }
        p.remark {
            "Agreement: \u{25cf} mean, \u{25cb} trimmed mean, both with 95% intervals, and \u{25a1} median of means; "
            "each row has its own scale. Intervals are for the posterior expectation, and longer on the side where "
            "estimates lie far out; the one for the trimmed mean also contains what trimming alone would give. None of them "
            "can account for what no replicate has visited."
        }
    }
}

fn summary_row(line: &Line) -> Markup {
    let name = line.name.as_str();
    let se = line.se.or_else(|| error_of(line.ci95));
    let other = |field: &str, value: f64, interval: Markup| {
        html! {
            td data-name=(name) data-field=(field) data-value=(exact(value)) {
                span.number title=(exact(value)) { (told(name, value, se)) }
                (interval)
            }
        }
    };
    let trimmed_ends = html! { br; small { (ends(name, "trimmed_ci95", line.trimmed_ci95, se)) } };
    html! {
        tr {
            (name_cell(line))
            td.number data-name=(name) data-field="mean" data-value=(exact(line.mean)) title=(exact(line.mean)) {
                (told(name, line.mean, se))
                @if let Some(se) = line.se { small { " ± " (number(name, "se", se, &told(name, se, Some(se)))) } }
            }
            td { (ends(name, "ci95", line.ci95, se)) }
            (other("trimmed", line.trimmed, trimmed_ends))
            (other("median_of_means", line.median_of_means, html! {}))
            td { (row_plot(line)) }
        }
    }
}

/// The probabilities of the numbers of clusters.
pub(super) fn counts(lines: &[CountLine]) -> Markup {
    html! {
        details {
            summary { "The numbers" }
            div.scroll {
                table.narrow {
                    thead { tr {
                        th scope="col" { "Clusters" }
                        th scope="col" { "Probability" }
                        th scope="col" { "95% interval" }
                    } }
                    tbody {
                        @for line in lines {
                            @let se = error_of(line.ci95);
                            @let name = format!("clusters={}", line.clusters);
                            tr {
                                td { (line.clusters) }
                                td { (number(&name, "probability", line.probability, &told(&name, line.probability, se))) }
                                td { (ends(&name, "ci95", line.ci95, se)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The inefficiency of each summary that has one, on a common logarithmic scale with parity marked.
pub(super) fn efficiency(lines: &[Line]) -> Markup {
    let known: Vec<(&Line, f64)> = lines
        .iter()
        .filter_map(|l| l.inefficiency.filter(|v| v.is_finite() && *v > 0.0).map(|v| (l, v)))
        .collect();
    let low = known.iter().map(|k| k.1).fold(0.8, f64::min).ln();
    let high = known.iter().map(|k| k.1).fold(2.0, f64::max).ln();
    let x = |v: f64| format!("{:.1}", 8.0 + 272.0 * (v.ln() - low) / (high - low));
    let text = |value: f64, se: Option<f64>| match se {
        Some(se) => format!("{} ± {}", rounded(value, Some(se)), error(se)),
        // From the pilot alone.
        None => short(value, 2),
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table of relative costs" {
            table.narrow {
                thead { tr {
                    th scope="col" { "Summary" }
                    th scope="col" { "Relative cost" }
                    th scope="col" { "Compared with 1" small { "vertical line: 1; log scale" } }
                } }
                tbody {
                    @for (line, value) in known {
                        tr {
                            (name_cell(line))
                            td { (number(&line.name, "inefficiency", value, &text(value, line.inefficiency_se))) }
                            td {
                                svg.rowplot.wide viewBox="0 0 288 20" aria-hidden="true" {
                                    line.axis x1=(x(1.0)) x2=(x(1.0)) y1="0" y2="20" {}
                                    line.whisker x1=(x(1.0)) x2=(x(value)) y1="10" y2="10" {}
                                    circle.solid cx=(x(value)) cy="10" r="4" {}
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
