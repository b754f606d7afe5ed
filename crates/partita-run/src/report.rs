//! The report page: one HTML file that works offline and shows what a run has found.
//!
//! Charts are vectors drawn in the page from its data, so that they follow the theme, the width and the
//! printer; the heat map is a canvas. Names from the data enter as text alone.

use maud::{DOCTYPE, PreEscaped, html};

use crate::results::Page;

mod clustering;
mod numbers;
mod sections;
mod tables;

/// Nothing is fetched: the policy lets the page use only what it carries.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

/// The style: light colours, dark ones on screens that ask for them, light ones on paper.
pub fn style() -> String {
    let (light, dark) = (include_str!("report/light.css"), include_str!("report/dark.css"));
    format!(
        ":root {{\n{light}}}\n@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme=\"light\"]) \
         {{\n{dark}}} }}\n@media screen {{ :root[data-theme=\"dark\"] {{\n{dark}}} }}\n{}",
        include_str!("report/page.css")
    )
}

/// The script, its parts in one scope.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("report/kit.js"),
    include_str!("report/figures.js"),
    include_str!("report/heatmap.js"),
    include_str!("report/main.js"),
    "})();\n"
);

/// The data as JSON that no HTML parser can mistake for markup. Numbers that are not finite become null.
fn island(page: &Page) -> String {
    serde_json::to_string(page).expect("plain data has a JSON form").replace('<', "\\u003c")
}

/// The whole page as one HTML document.
///
/// It holds `page` as JSON in the element `page-data`. Each number of the tables carries its exact value:
/// `data-name` is the summary, `data-field` the field of `summary.json`, `data-value` the number.
pub fn render(page: &Page) -> String {
    let sections = sections::all(page);
    html! {
        (DOCTYPE)
        html lang="en-GB" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content="partita";
                title { (page.title) " \u{2013} partita" }
                link rel="icon" href="data:,";
                style { (PreEscaped(style())) }
            }
            body {
                header.top {
                    span { b { "partita" } " \u{00b7} report" }
                    button #theme type="button" {
                        svg viewBox="0 0 16 16" aria-hidden="true" {
                            path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 1.5v11a5.5 5.5 0 0 1 0-11z" {}
                        }
                        span { "Theme" }
                    }
                }
                main {
                    (sections::lead(page, &sections))
                    noscript { p { "The figures need JavaScript; the tables do not." } }
                    @for section in sections.iter().filter(|section| section.diagnostic.is_none()) {
                        section id=(section.id) aria-labelledby={ (section.id) "-heading" } {
                            h2 id={ (section.id) "-heading" } { (section.heading) }
                            (section.body)
                        }
                    }
                    (sections::diagnostics(page, &sections))
                }
                footer { "Made by partita: unbiased Bayesian clustering with coupled Markov chains." }
                div #tip role="status" hidden {}
                script type="application/json" #page-data { (PreEscaped(island(page))) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}
