//! One page for a study: its prose, the verdicts, every figure, every number.

use super::definition::{Data, Study};
use super::findings::Ruling;
use super::{ArmResults, Findings};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use partita_run::report::style;
use partita_run::words;

/// Nothing is fetched.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Figures stand on white whatever the theme, since they are also used alone.
const OWN_STYLE: &str = "
figure.plate { margin: 1.4rem 0; padding: .8rem; background: #fff; border: 1px solid #d8d8d8; border-radius: 6px; overflow-x: auto }
figure.plate svg { display: block; max-width: 100%; height: auto; margin: 0 auto }
figure.plate figcaption { color: #333; font-size: .9rem; margin-top: .5rem }
.ruling { white-space: nowrap; font-weight: 600 }
.ruling.confirmed::before { content: '\\2713\\00a0' }
.ruling.not-confirmed::before { content: '\\2717\\00a0' }
table.verdicts td { vertical-align: top }
p.prose { max-width: 46rem }
";

fn caption(name: &str) -> &'static str {
    let kind = name.rsplit('-').next().unwrap_or(name);
    match kind {
        "composite" => {
            "The paper's row: loss of the mean and of the trimmed mean (root of the median squared error over batches, \
             with the 20 % to 80 % band), one user's intervals of ±2 standard errors, and the share of pairs that have \
             not met, by coupling."
        }
        "losses" => {
            "Root of the median squared error over batches of J estimates, as a share of the truth; the band holds the \
             20 % to 80 % quantiles."
        }
        "rmse" => {
            "Left: root mean squared error over batches. Right: what one user sees, the mean of the first J estimates \
             ± 2 standard errors, and the truth."
        }
        "coverage" => {
            "The share of batches whose interval of ±2 standard errors covers the truth, ± 2 binomial errors."
        }
        "estimates" => {
            "Left: every coupled estimate (thinned in the middle where there are many; heights are random). Right: the \
             histogram of naive estimates. The upright line is the truth."
        }
        "coupling" => {
            "Left: Kaplan-Meier curves of meeting times with 95 % bands; a tick marks pairs that were cut unmet. Right: the \
             Hamming distance between the chains, mean and 20 % to 80 %, sweep by sweep."
        }
        "trimming" => "Root mean squared error against the amount trimmed, at a fixed number of processes.",
        "outliers" => {
            "Left: root mean squared error of the mean and of the trimmed mean of draws from a mixture with outliers. Right: \
             minimum, quartiles and maximum of the aggregates."
        }
        "density" => {
            "The unbiased estimate of the predictive density (line, band of ± 2 standard errors), the density of the \
             population, and the data."
        }
        _ => "The settings side by side.",
    }
}

/// The page.
pub(super) fn render(
    study: &Study,
    findings: &Findings,
    figures: &[(String, String)],
    arms: &[ArmResults],
    command: &str,
) -> String {
    html! {
        (DOCTYPE)
        html lang="en-GB" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (study.title) " \u{2013} partita" }
                link rel="icon" href="data:,";
                style { (PreEscaped(style())) (PreEscaped(OWN_STYLE)) }
            }
            body {
                header.top { span { b { "partita" } " \u{00b7} reproduced study" } }
                main {
                    div.lead {
                        h1 { (study.title) }
                        p.question { (study.paper) }
                        @for paragraph in study.prose.split("\n\n") { p.prose { (with_code(&paragraph.replace('\n', " "))) } }
                        dl.facts {
                            div { dt { "Study" } dd { (study.name) } }
                            div { dt { "Scale" } dd { (findings.scale) } }
                            div { dt { "Seed" } dd { (findings.seed) } }
                            div { dt { "Wall time" } dd { (words::duration(findings.seconds)) } }
                        }
                    }
                    section { h2 { "The paper's claims" } (verdicts(findings)) }
                    section {
                        h2 { "Figures" }
                        @for (name, svg) in figures {
                            figure.plate {
                                (PreEscaped(svg.trim_start_matches("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")))
                                figcaption {
                                    @if let Some(arm) = arm_of(name, arms) { b { (arm) ". " } }
                                    (caption(name)) " " a href={ (name) ".svg" } { (name) ".svg" }
                                }
                            }
                        }
                    }
                    section { h2 { "Settings" } (settings(arms)) }
                    section {
                        h2 { "Measurements" }
                        details { summary { "All " (findings.measurements.len()) " numbers" } (numbers(findings)) }
                    }
                    section {
                        h2 { "How to repeat it" }
                        div.command { pre { code { (command) } } }
                        p { "partita " (findings.version) ". Naive chains run as long as their coupled pair took on its processor, so their numbers differ a little between runs; coupled estimates, meeting times and truths repeat to the bit." }
                    }
                }
                footer { "Made by partita: unbiased estimates from coupled Markov chains of partitions." }
            }
        }
    }
    .into_string()
}

/// The arm that a figure is of, where there are several.
fn arm_of<'a>(figure: &str, arms: &'a [ArmResults]) -> Option<&'a str> {
    let names = arms.iter().map(|arm| arm.arm.name.as_str()).filter(|name| !name.is_empty());
    names.into_iter().find(|name| figure.starts_with(&format!("{}-", super::slug(name))))
}

/// Text whose words between backticks are code.
fn with_code(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn number(value: f64, se: Option<f64>) -> String {
    match se {
        Some(se) if se > 0.0 => format!("{} ± {}", words::rounded(value, se), words::rounded(se, se)),
        _ if value == 0.0 || (0.001..1e5).contains(&value.abs()) => format!("{value:.4}"),
        _ => format!("{value:.3e}"),
    }
}

fn verdicts(findings: &Findings) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table of claims" {
            table.verdicts {
                thead { tr {
                    th scope="col" { "Claim of the paper" }
                    th scope="col" { "Measured" }
                    th scope="col" { "Expected" }
                    th scope="col" { "Verdict" }
                } }
                tbody {
                    @for v in &findings.verdicts {
                        @let class = match v.ruling {
                            Ruling::Confirmed => "ruling confirmed",
                            Ruling::NotConfirmed => "ruling not-confirmed",
                            Ruling::Undecided => "ruling",
                        };
                        tr {
                            td { (v.claim.claim) @if let Some(note) = &v.claim.note { br; small { (note) } } }
                            td {
                                @if let Some(measured) = v.measured { (number(measured, v.se)) } @else { "too few estimates" }
                                br; small { (v.what()) }
                            }
                            td { (v.band()) }
                            td { span class=(class) { (v.ruling) } }
                        }
                    }
                }
            }
        }
    }
}

fn settings(arms: &[ArmResults]) -> Markup {
    html! {
        @for arm in arms {
            @if !arm.arm.name.is_empty() { h3 { (arm.arm.name) } }
            pre { code { (toml::to_string(&arm.arm).expect("an arm is a table")) } }
            @if let Some(Data::Mixture { .. } | Data::RandomMixture { .. }) = &arm.arm.data {
                p { "The generated data are in data.csv beside this page." }
            }
        }
    }
}

fn numbers(findings: &Findings) -> Markup {
    html! {
        div.scroll {
            table.narrow {
                thead { tr { th scope="col" { "Name" } th scope="col" { "Value" } } }
                tbody {
                    @for m in &findings.measurements { tr { th scope="row" { code { (m.name) } } td { (number(m.value, m.se)) } } }
                }
            }
        }
    }
}
