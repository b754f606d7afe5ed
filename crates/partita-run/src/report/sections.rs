//! The sections of the page, in order; one without data is left out.

use maud::{Markup, html};

use super::numbers::{duration, grouped, short};
use super::tables;
use crate::results::{CoClustering, Density, Page, Results, Scatter};

/// One section: its anchor, its heading, its body.
pub(super) struct Section {
    /// The anchor.
    pub(super) id: &'static str,
    /// The heading, also in the contents.
    pub(super) heading: &'static str,
    /// What follows the heading.
    pub(super) body: Markup,
    /// What a good one and a bad one look like, for one that is folded among the diagnostics.
    pub(super) diagnostic: Option<&'static str>,
}

/// Figures are numbered in the order of their captions.
#[derive(Default)]
struct Captions(u32);

impl Captions {
    fn write(&mut self, text: Markup) -> Markup {
        self.0 += 1;
        html! { figcaption { b { "Figure " (self.0) ". " } (text) } }
    }
}

/// All sections that have something to show: the clusters first, diagnostics last.
pub(super) fn all(page: &Page) -> Vec<Section> {
    let s = &page.summary;
    let captions = &mut Captions::default();
    let mut out = Vec::new();
    let mut push = |id, heading, body| out.push(Section { id, heading, body, diagnostic: None });
    let points = page.scatter.as_ref().filter(|p| !p.x.is_empty());
    if let Some(apart) = s.apart() {
        push("modes", "Separate parts of the posterior", modes(s, &apart));
    }
    if let Some(points) = points {
        push("points", "Your data, by cluster", scatter(points, captions));
    }
    if let Some(clustering) = &s.clustering {
        push(
            "clustering",
            "What the clusters are like",
            super::clustering::section(clustering, &page.cards, &page.doubts),
        );
    }
    if !s.cluster_count.is_empty() {
        push("clusters", "How many clusters there are", counts(s, captions));
    }
    if let Some(co) = page.co_clustering.as_ref().filter(|co| co.names.len() > 1) {
        push("co-clustering", "Which items belong together", heat_map(co, captions));
    }
    if let Some(clustering) = s.clustering.as_ref().filter(|_| !page.bounds.is_empty()) {
        push(
            "ball",
            "How different the clustering could be",
            super::clustering::ball(clustering, &page.bounds, points.is_some()),
        );
    }
    if let Some((clustering, known)) = s.clustering.as_ref().zip(page.known.as_ref()) {
        push("known", "Known labels", super::clustering::known(clustering, known));
    }
    if let Some(d) = page.density.as_ref().filter(|d| !d.x.is_empty()) {
        push("density", "Predictive density", density(d, captions));
    }
    if !s.summaries.is_empty() {
        push("summaries", "Summaries", summaries(s));
    }
    let mut fold = |id, heading, told, body| out.push(Section { id, heading, body, diagnostic: Some(told) });
    if has_curve(page) || !s.tv_bound.is_empty() {
        fold("meeting", "Meeting times", MEETING, meeting(page, captions));
    }
    if page.estimates.iter().any(|e| e.values.iter().any(|v| v.is_finite())) {
        fold("estimates", "Individual estimates", ESTIMATES, estimates(page, captions));
    }
    if s.summaries.iter().any(|l| l.inefficiency.is_some_and(|v| v.is_finite() && v > 0.0)) {
        fold("efficiency", "Cost relative to one long chain", EFFICIENCY, efficiency(s));
    }
    if !s.candidates.is_empty() {
        fold("models", "Choice of model", MODELS, models(s));
    }
    if !(page.command.is_empty() && page.provenance.is_empty()) {
        fold("repeat", "How to repeat this run", REPEAT, repeat(page));
    }
    fold("glossary", "Glossary", GLOSSARY, terms());
    out
}

/// What a good diagnostic looks like, and a bad one.
const MEETING: &str = "Good: both curves fall quickly to zero, and no pair is censored. Bad: a long flat tail, or \
                       censored pairs, as part of the posterior may then have been missed.";
const ESTIMATES: &str = "Good: a single cloud without a trend. Bad: a few estimates far from all others, which dominate \
                         the mean; more replicates or a longer burn-in are then needed.";
const EFFICIENCY: &str = "Good: between 1 and 3, the price of unbiased estimates that can run in parallel. Bad: above 10; a \
                          longer burn-in or more sweeps would be cheaper.";
const MODELS: &str = "Good: one model is clearly ahead, or several score the same. Bad: a model that scores better was passed \
                      over because its chains did not meet; it is worth looking at what it would have found.";
const REPEAT: &str = "The same command on the same data gives the same numbers, on any number of processors.";

const GLOSSARY: &str = "The terms used on this page; docs/glossary.md of partita has them all.";

/// The words of this page that need explaining.
const TERMS: [(&str, &str); 9] = [
    (
        "Replicate",
        "one unbiased estimate of every quantity, from one pair of chains; replicates are independent.",
    ),
    (
        "Pair",
        "two coupled Markov chains of clusterings, run until they meet and for at least the planned number of sweeps.",
    ),
    ("Sweep", "one step of a chain, which updates every item once."),
    ("Lag", "the number of sweeps by which the first chain of a pair is ahead of the second."),
    ("Burn-in", "the sweeps at the start of each pair that are discarded."),
    (
        "Meeting time",
        "the sweep at which the two chains of a pair become equal; from then on they stay equal.",
    ),
    ("Censored", "a pair that had not met when it reached the largest number of sweeps allowed."),
    ("Nugget", "the small probability of drawing a coupled step independently, which lets every pair meet."),
    ("Co-clustering probability", "the posterior probability that two items are in the same cluster."),
];

fn terms() -> Markup {
    html! {
        dl.terms { @for (term, meaning) in TERMS { dt { (term) } dd { (meaning) } } }
    }
}

/// A sentence in which commands, between backticks, and options look like what one types.
fn prose(sentence: &str) -> Markup {
    let option = |word: &str| word.trim_start_matches('(').starts_with("--");
    html! {
        @for (at, part) in sentence.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else {
                @for (at, word) in part.split(' ').enumerate() {
                    @if at > 0 { " " }
                    @if option(word) { code.option { (word) } } @else { (word) }
                }
            }
        }
    }
}

/// What was asked, the answer, and the warnings.
pub(super) fn lead(page: &Page, contents: &[Section]) -> Markup {
    let s = &page.summary;
    html! {
        div.lead {
            h1 { (page.title) }
            @if !page.answer.is_empty() {
                ul.answer { @for sentence in &page.answer { li { (sentence) } } }
            }
            @if !s.reliability.is_empty() { p.reliability { (s.reliability) } }
            @if !s.notes.is_empty() {
                aside.notes role="note" aria-labelledby="notes" {
                    h2 #notes { "Please note" }
                    ul { @for note in &s.notes { li { (prose(note)) } } }
                }
            }
            @if !page.question.is_empty() { p.question { (page.question) } }
            nav aria-label="Contents" {
                @for section in contents { a href={ "#" (section.id) } { (section.heading) } " " }
            }
        }
    }
}

/// The diagnostics: the run in a few numbers, and what can be unfolded.
pub(super) fn diagnostics(page: &Page, sections: &[Section]) -> Markup {
    let s = &page.summary;
    html! {
        section #diagnostics aria-labelledby="diagnostics-heading" {
            h2 #diagnostics-heading { "Diagnostics" }
            dl.facts {
                div { dt { "Replicates" } dd { (grouped(s.replicates)) } }
                div { dt { "Censored" } dd { (grouped(s.censored)) } }
                div { dt { "Lag L" } dd { (grouped(s.lag)) } }
                div { dt { "Burn-in k" } dd { (grouped(s.burn_in)) } }
                div { dt { "Sweeps m" } dd { (grouped(s.sweeps)) } }
                div { dt { "Single-chain sweeps" } dd { (grouped(s.kernel_calls)) } }
                div { dt { "Wall time" } dd { (duration(s.seconds)) } }
                div.long { dt { "Seed" } dd { (s.seed) } }
            }
            @for section in sections {
                @if let Some(told) = section.diagnostic {
                    section id=(section.id) aria-labelledby={ (section.id) "-heading" } {
                        details.diagnostic {
                            summary { h3 id={ (section.id) "-heading" } { (section.heading) } }
                            p.remark { (told) }
                            (section.body)
                        }
                    }
                }
            }
        }
    }
}

fn modes(s: &Results, apart: &str) -> Markup {
    html! {
        p {
            (apart) ". This run does not determine their relative weights: how many chains are in a part depends on where "
            "they started, and the log probability is that of one state, not of the whole part."
        }
        (tables::modes(&s.modes))
        p.remark {
            "Each part is represented by the state in its middle, whose labels are in " code { "modes.csv" } ". Log "
            "probabilities are known up to a common constant: only their differences matter."
        }
    }
}

fn summaries(s: &Results) -> Markup {
    let rule = match s.rule.as_str() {
        "deadline" => "The run was time-limited: intervals follow the unbiased rule over workers.",
        _ => "",
    };
    html! {
        p {
            "Posterior expectations, rounded to the digits that their errors support. The mean is unbiased"
            @if s.censored > 0 { " except for the censored replicates" }
            "; the trimmed mean and the median of means are more robust to outliers, but biased where estimates are skewed. "
            (rule)
        }
        div.controls { button #copy-summaries type="button" { "Copy as TSV" } }
        (tables::summaries(&s.summaries))
    }
}

fn counts(s: &Results, captions: &mut Captions) -> Markup {
    let label = "Bars: estimated probability of each number of clusters, with 95% intervals.";
    html! {
        figure {
            div.chart #chart-count data-label=(label) {}
            (captions.write(html! {
                "Estimated posterior distribution of the number of clusters, with 95% intervals. "
                "Unbiased estimates can fall outside [0, 1] by chance."
            }))
            (tables::counts(&s.cluster_count))
        }
    }
}

fn heat_map(co: &CoClustering, captions: &mut Captions) -> Markup {
    let label =
        format!("Heat map: probability that two of {} items are in the same cluster.", co.names.len());
    html! {
        figure {
            div.heat {
                div.controls {
                    button #heat-in type="button" aria-label="Zoom in" { "+" }
                    button #heat-out type="button" aria-label="Zoom out" { "\u{2212}" }
                    button #heat-reset type="button" { "Whole map" }
                    span.ramp { "0" i {} "1" }
                }
                div #heat data-label=(label) {}
            }
            (captions.write(heat_caption(co)))
        }
    }
}

fn heat_caption(co: &CoClustering) -> Markup {
    let finite = || co.matrix.iter().copied().filter(|v| v.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let outside = finite().filter(|v| !(0.0..=1.0).contains(v)).count();
    html! {
        "Estimated co-clustering probabilities: how likely two items are to be in the same cluster. "
        "Items are ordered by the clusters marked along the axes, and within a cluster so that items "
        "that are often together are neighbours. "
        @if outside > 0 {
            "Unbiased estimates can fall outside [0, 1]: here they range from " (short(low, 3)) " to " (short(high, 3))
            ". Only the colours are clipped; the values shown under the pointer are raw. "
        }
        @if let Some(note) = &co.note { (note) " " }
        span.screen { "Drag over a square or click to zoom; hold Shift and drag to move; use two fingers on a touch screen." }
    }
}

fn has_curve(page: &Page) -> bool {
    !page.survival.is_empty() || !page.summary.meeting.survival.is_empty()
}

fn meeting(page: &Page, captions: &mut Captions) -> Markup {
    let curve = "Step curve: share of pairs that have not met after t sweeps, with 95% band.";
    let bound =
        "Step curve: bound on the total variation distance to the target after t sweeps of one chain.";
    html! {
        div.pair {
            @if has_curve(page) {
                figure {
                    div.controls { button #survival-log type="button" aria-pressed="false" { "Log sweeps" } }
                    div.chart #chart-survival data-label=(curve) {}
                    (captions.write(survival_caption(page)))
                }
            }
            @if !page.summary.tv_bound.is_empty() {
                figure {
                    div.controls { button #tv-log type="button" aria-pressed="true" { "Log bound" } }
                    div.chart #chart-tv data-label=(bound) {}
                    (captions.write(bound_caption(&page.summary)))
                }
            }
        }
    }
}

fn survival_caption(page: &Page) -> Markup {
    let m = &page.summary.meeting;
    let quantiles =
        [("median", m.median), ("95% quantile", m.q95), ("99% quantile", m.q99), ("largest", m.max)];
    let known: Vec<String> = m
        .mean
        .map(|mean| format!("mean {}", short(mean, 3)))
        .into_iter()
        .chain(
            quantiles.into_iter().filter_map(|(name, value)| value.map(|v| format!("{name} {}", grouped(v)))),
        )
        .collect();
    html! {
        "Share of pairs that have not met after t sweeps (Kaplan\u{2013}Meier)"
        @if !page.survival.is_empty() { ", with 95% band" } ". "
        @if !known.is_empty() { "Meeting times: " (known.join(", ")) ". " }
        @if !page.censored_at.is_empty() { "Vertical marks are censored pairs." }
    }
}

fn bound_caption(s: &Results) -> Markup {
    html! {
        "Estimated bound on the total variation distance between one chain and the target. "
        @match s.tv_sweeps {
            Some(sweeps) => { "It is at most 0.01 after " (grouped(sweeps)) " sweeps. " }
            None => { "It is not known to reach 0.01. " }
        }
        @if !s.tv_bound_complete { "Some pairs did not meet, so the tail of the bound is unknown (dashed)." }
    }
}

fn estimates(page: &Page, captions: &mut Captions) -> Markup {
    let shown = page.estimates.iter().map(|e| e.values.len() as u64).max().unwrap_or(0);
    html! {
        figure {
            div.controls {
                @if page.estimates.len() > 1 {
                    label {
                        "Summary"
                        select #estimates-of {
                            @for (i, e) in page.estimates.iter().enumerate() { option value=(i) { (e.name) } }
                        }
                    }
                }
                button #estimates-centre type="button" aria-pressed="false" { "Central 98%" }
            }
            div.chart #chart-estimates data-label="Points: the estimate of each replicate, with a histogram beside." {}
            (captions.write(html! {
                "The estimate of each replicate, and their histogram. Dotted lines are the 1% and 99% quantiles; \
                 the solid line is the mean."
                @if page.estimates.iter().any(|e| e.censored.contains(&true)) { " Crosses are censored replicates." }
                @if shown < page.summary.replicates {
                    " " (grouped(shown)) " of " (grouped(page.summary.replicates))
                    " are shown, including the most extreme ones; quantiles and histogram are of those shown."
                }
            }))
        }
    }
}

fn density(d: &Density, captions: &mut Captions) -> Markup {
    let banded = !d.low.is_empty();
    let with = if banded { ", with 95% band." } else { "." };
    html! {
        figure {
            div.chart #chart-density data-label={ "Curve: predictive density of " (d.axis) (with) } {}
            (captions.write(html! {
                "Posterior predictive density of " i { (d.axis) } ". "
                @if banded { "The band is the pointwise 95% interval; ticks" } @else { "Ticks" }
                " on the axis are the data."
            }))
        }
    }
}

fn scatter(points: &Scatter, captions: &mut Captions) -> Markup {
    let [across, up] = &points.axes;
    html! {
        figure {
            ul.legend #legend-scatter aria-label="Clusters and their sizes" {}
            div.chart #chart-scatter data-label={ "Points: " (across) " and " (up) ", marked by cluster." } {}
            (captions.write(html! {
                "Each mark is an item: " i { (across) } " across, " i { (up) } " up. "
                "Colour and shape show the cluster; sizes are in brackets. "
                @if points.doubtful.contains(&true) { "Hollow marks are items in doubt. " }
                @for (axis, made_of) in points.loadings.iter().enumerate() {
                    "Largest loadings of axis " (axis + 1) ": " (made_of) ". "
                }
                @if let Some(note) = &points.note { " " (note) }
            }))
        }
    }
}

fn efficiency(s: &Results) -> Markup {
    html! {
        p {
            "The cost relative to one long chain is the expected cost of an estimate times its variance, divided by the "
            "asymptotic variance of one long chain. At 1 the two cost the same; at 2, twice as many sweeps are needed for "
            "the same accuracy, but the replicates can share them among processors."
        }
        @if let Some(yardstick) = s.yardstick() { p { "The asymptotic variance comes from " (yardstick) "." } }
        (tables::efficiency(&s.summaries))
    }
}

fn models(s: &Results) -> Markup {
    html! {
        p {
            "The pilot scored these models by the log density of each row given all other rows, averaged over rows: larger "
            "is better, and a difference of 0.1 is a factor of 1.1 per row. It took the best model whose pairs of chains "
            "met, or a simpler one within the error of the best."
        }
        (tables::models(&s.candidates))
        p.remark {
            "The choice has used the data. Intervals on this page are for posterior expectations under the chosen model; they "
            "account neither for what another model would have said nor for the choice itself."
        }
    }
}

fn repeat(page: &Page) -> Markup {
    html! {
        @if !page.command.is_empty() {
            div.command { pre { code { (page.command) } } button #copy-command type="button" { "Copy" } }
        }
        @if !page.provenance.is_empty() {
            div.scroll {
                table.plain { tbody {
                    @for (what, value) in &page.provenance { tr { th scope="row" { (what) } td { (value) } } }
                } }
            }
        }
    }
}
