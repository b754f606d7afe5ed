//! Words on the screen: sentences and a progress bar on standard error, a table for the results.

use crate::flags;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use partita_run::Failure;
use partita_run::results::{Clustering, Line, Mode, Results};
use partita_run::session::{Finished, Progress, Watch};
use partita_run::words;
use std::io::{IsTerminal, Write};

/// Shows what a run tells. Without a terminal there is no bar, only sentences.
pub struct Screen {
    bar: Option<ProgressBar>,
}

impl Screen {
    pub fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is right");
            bar.set_style(style);
            bar
        });
        Screen { bar }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A sentence on standard error: broken at 80 columns on a terminal, one line otherwise. A reader who has gone away
/// (`2>&1 | head`) must not end a run.
pub fn say(sentence: &str) {
    let mut err = std::io::stderr();
    let text = if err.is_terminal() { wrap(sentence) } else { format!("{sentence}\n") };
    let _ = err.write_all(text.as_bytes());
}

/// Results to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A reader that has seen enough (`| head`) is no failure.
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("standard output cannot be written: {e}")))
        }
        _ => Ok(()),
    }
}

impl Watch for Screen {
    fn say(&mut self, sentence: &str) {
        let sentence = self.phrase(sentence);
        match &self.bar {
            Some(bar) => bar.suspend(|| say(&sentence)),
            None => say(&sentence),
        }
    }

    fn phrase(&self, sentence: &str) -> String {
        flags::in_flags(sentence)
    }

    fn stage(&mut self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_string());
            bar.enable_steady_tick(std::time::Duration::from_millis(100));
        }
    }

    fn progress(&mut self, progress: &Progress) {
        if let Some(bar) = &self.bar {
            bar.set_message(progress_line(progress));
            bar.tick();
        }
    }
}

/// A number in at most four characters, up to a billion.
fn count(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{}k", n / 1000),
        _ => format!("{}M", n / 1_000_000),
    }
}

/// Characters of the progress line: 80 columns less the spinner.
const WIDTH: usize = 77;

/// One line of progress: the intervals shrink as it goes. What does not fit is left out, the least telling first.
fn progress_line(p: &Progress) -> String {
    let of = p.of.map_or(String::new(), |of| format!("/{}", count(of)));
    let censored = (p.censored > 0).then(|| format!("{} censored", count(p.censored)));
    let clusters = p.clusters.map(|(mean, half)| {
        format!("clusters {} ± {}", words::rounded(mean, half), words::rounded(half, half))
    });
    // The widest interval ends a run of an unknown number of pairs; elsewhere the number of clusters tells more.
    let widest = p.widest.filter(|_| p.of.is_none() || p.clusters.is_none());
    let widest = widest.map(|width| format!("widest ± {}", words::rounded(width / 2.0, width / 2.0)));
    let left = p.left.map(|left| format!("{} left", words::duration(left)));
    let mut parts = [Some(format!("{}{of} pairs", count(p.done))), clusters, left, censored, widest];
    let line = |parts: &[Option<String>; 5]| {
        let [done, clusters, left, censored, widest] = parts;
        [done, censored, clusters, widest, left].into_iter().flatten().cloned().collect::<Vec<_>>().join(", ")
    };
    for last in (1..parts.len()).rev() {
        if line(&parts).chars().count() > WIDTH {
            parts[last] = None;
        }
    }
    line(&parts).chars().take(WIDTH).collect()
}

/// Parts of the posterior that are listed; `modes.csv` has all.
const PARTS: usize = 5;

/// The results for people, within 80 columns: the answer, the summaries, whether to rely on them; with `verbose` also how
/// they were obtained. Meeting times alone are nothing but such details.
pub fn table(outcome: &Finished, verbose: bool) -> String {
    let summary = &outcome.summary;
    let mut text = String::new();
    // Parts between which chains did not cross are a table here; the rest of the answer is in sentences.
    let apart = summary.apart();
    if let Some(apart) = &apart {
        text += &wrap(&format!(
            "{apart}. This run does not determine their relative weights. A clustering for each is in modes.csv:"
        ));
        text.push('\n');
        let header = ["chains", "clusters", "log probability", "sizes"];
        let table = lines(header, &summary.modes.iter().take(PARTS).map(part).collect::<Vec<_>>());
        text += table.trim_end_matches('\n');
        let more = summary.modes.len().saturating_sub(PARTS);
        text += &if more > 0 { format!("\nand {more} more in modes.csv\n\n") } else { "\n\n".into() };
    }
    let sentences = &outcome.answer[usize::from(apart.is_some()).min(outcome.answer.len())..];
    sentences.iter().for_each(|sentence| text += &wrap(sentence));
    if !summary.summaries.is_empty() {
        if !sentences.is_empty() {
            text.push('\n');
        }
        let header = ["summary", "mean", "95% interval", if verbose { "trimmed mean" } else { "" }];
        text += &lines(header, &summary.summaries.iter().map(|line| row(line, verbose)).collect::<Vec<_>>());
        text += &wrap(&summary.reliability);
    }
    if verbose || summary.summaries.is_empty() {
        text += &details(summary);
    }
    summary.notes.iter().for_each(|note| text += &wrap(&format!("note: {note}")));
    text
}

/// How the answers were obtained: the point estimate's loss, meeting times, the cost, the schedule.
fn details(summary: &Results) -> String {
    let mut text = summary.clustering.as_ref().map_or(String::new(), |c| wrap(&point_estimate(c)));
    let m = &summary.meeting;
    let or = |q: Option<u64>| q.map_or("unknown".into(), |q| q.to_string());
    text += &wrap(&format!(
        "{} replicates in {}: {} met, {} censored; meeting times: median {}, 99% quantile {}, largest {}",
        summary.replicates,
        words::duration(summary.seconds),
        m.met,
        summary.censored,
        or(m.median),
        or(m.q99),
        or(m.max)
    ));
    text += &wrap(&match summary.tv_sweeps {
        Some(t) => format!("a single chain is within 0.01 of the target (total variation) after {t} sweeps"),
        None => "how many sweeps a single chain needs is unknown, since some pairs were censored".into(),
    });
    text += &against_one_chain(summary).map_or(String::new(), |sentence| wrap(&sentence));
    text + &wrap(&format!(
        "lag {}, burn-in {}, sweeps {}, seed {}",
        summary.lag, summary.burn_in, summary.sweeps, summary.seed
    ))
}

/// A table of four columns, the first to the left and the last perhaps empty, and an empty line.
pub fn lines(header: [&str; 4], rows: &[[String; 4]]) -> String {
    let header = header.map(String::from);
    let width = |c: usize| rows.iter().chain([&header]).map(|r| r[c].chars().count()).max().unwrap_or(0);
    let [w0, w1, w2, w3] = [width(0), width(1), width(2), width(3)];
    let line = |[a, b, c, d]: &[String; 4]| {
        format!("{a:<w0$}  {b:>w1$}  {c:>w2$}  {d:>w3$}").trim_end().to_string() + "\n"
    };
    let rule = "─".repeat(w0 + w1 + w2 + if w3 > 0 { w3 + 6 } else { 4 }) + "\n";
    line(&header) + &rule + &rows.iter().map(line).collect::<String>() + "\n"
}

/// A part of the posterior in which chains stayed.
fn part(mode: &Mode) -> [String; 4] {
    let (clusters, log) = (mode.clusters.to_string(), format!("{:.1}", mode.log_probability));
    // As many sizes as what is left of 80 columns holds.
    let mut told = (2..=6).rev().map(|told| words::sizes(&mode.sizes, told));
    let sizes = told.find(|text| text.len() <= 43).unwrap_or_else(|| words::sizes(&mode.sizes, 1));
    [mode.chains.to_string(), clusters, log, sizes]
}

/// What an error bar costs against one long chain, and how that is known.
fn against_one_chain(summary: &Results) -> Option<String> {
    const TOLD: usize = 4;
    let known = |line: &Line| {
        let (name, times) = (&line.name, line.inefficiency?);
        Some(match line.inefficiency_se {
            Some(se) => format!("{name} {} ± {}", words::rounded(times, se), words::rounded(se, se)),
            None => format!("{name} {times:.1}"),
        })
    };
    let mut all: Vec<String> = summary.summaries.iter().filter_map(known).collect();
    let yardstick = summary.yardstick().filter(|_| !all.is_empty())?;
    if all.len() > TOLD {
        all.truncate(TOLD);
        all.push("...".into());
    }
    Some(format!("cost relative to one long chain: {} (its variance from {yardstick})", all.join(", ")))
}

/// The point estimate's expected loss and credible ball.
fn point_estimate(c: &Clustering) -> String {
    let of = |v: f64| words::rounded(v, c.se.unwrap_or(f64::INFINITY));
    let mut text = "point estimate".to_string();
    if let Some((loss, [low, high])) = c.expected_loss.zip(c.ci95) {
        let name = if c.loss == "vi" { "VI" } else { "Binder loss" };
        text += &format!(": expected {name} {} ({} to {})", of(loss), of(low), of(high));
    }
    let unit = if c.loss == "vi" { " nats" } else { "" };
    text + &format!(", 95% of the posterior within {:.3}{unit}", c.ball.radius)
}

fn row(line: &Line, verbose: bool) -> [String; 4] {
    let of = |value: f64| words::estimate(&line.name, value, line.se);
    let interval =
        line.ci95.map_or("none (one replicate)".into(), |[low, high]| format!("{} to {}", of(low), of(high)));
    let trimmed = if verbose { of(line.trimmed) } else { String::new() };
    [line.name.clone(), of(line.mean), interval, trimmed]
}

/// Breaks a sentence at 80 columns; later lines are indented.
pub fn wrap(sentence: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in sentence.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > 80 {
            text += "\n  ";
            column = 2;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += length;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers of two chains' modes alone; what a run with none says is told in `tests/command/screen.rs`.
    fn finished(modes: Vec<Mode>) -> Finished {
        let nothing = r#"{"replicates": 0, "censored": 0, "seed": 1, "lag": 1, "burn_in": 0, "sweeps": 0, "seconds": 0,
            "kernel_calls": 0, "summaries": [], "meeting": {"met": 0, "survival": []}, "tv_bound": [],
            "tv_bound_complete": false, "cluster_count": [], "rule": "mean", "notes": []}"#;
        let summary = Results { modes, ..serde_json::from_str(nothing).unwrap() };
        Finished { directory: "run".into(), summary, answer: Vec::new() }
    }

    #[test]
    fn parts_that_chains_stayed_in_are_a_table() {
        let of = |sizes: &[u64], log_probability, chains| Mode {
            clusters: sizes.len() as u64,
            sizes: sizes.to_vec(),
            log_probability,
            chains,
            crossed: 0,
        };
        let modes = vec![of(&[146, 119, 68], -1234.56, 13), of(&[150, 115, 40, 20, 5, 3], -1240.0, 7)];
        let text = table(&finished(modes.clone()), false);
        let told = "\
The chains found 2 separate parts of the posterior and did not cross between
  them in this run. This run does not determine their relative weights. A
  clustering for each is in modes.csv:

chains  clusters  log probability                      sizes
────────────────────────────────────────────────────────────
13             3          -1234.6            146, 119 and 68
7              6          -1240.0  150, 115, 40, 20, 5 and 3

";
        assert!(text.starts_with(told), "{text}");
        assert!(!table(&finished(modes[..1].to_vec()), true).contains("parts"));
        let mut seldom = modes.clone();
        seldom[1].crossed = 2;
        let text = table(&finished(seldom), false);
        assert!(
            text.contains("posterior and seldom crossed between\n  them: 2 of 20 chains did. This run does"),
            "{text}"
        );
        let many = table(&finished(vec![modes[0].clone(); 24]), false);
        assert!(
            many.contains(
                "\n13             3          -1234.6  146, 119 and 68\nand 19 more in modes.csv\n\n"
            ),
            "{many}"
        );
        assert_eq!(many.matches("-1234.6").count(), 5);
        let large = vec![of(&[4_000_000_000; 400_000], -1.25e12, 999), modes[0].clone()];
        let large = table(&finished(large), false);
        assert!(large.lines().all(|line| line.chars().count() <= 80), "{large}");
    }

    #[test]
    fn lines_fit_in_80_columns() {
        let text = wrap(&"some words that go on ".repeat(20));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let line = |done, of, censored, left| {
            let (widest, clusters) = (Some(0.002_468), Some((4.7123, 0.0215)));
            let progress = Progress { done, of, met: done - censored, censored, widest, clusters, left };
            progress_line(&progress)
        };
        let known = Some(200_000);
        assert_eq!(line(123_456, known, 0, Some(59.0)), "123k/200k pairs, clusters 4.71 ± 0.02, 59 s left");
        assert_eq!(
            line(123_456, None, 0, Some(59.0)),
            "123k pairs, clusters 4.71 ± 0.02, widest ± 0.0012, 59 s left"
        );
        assert_eq!(
            line(123_456, known, 6, Some(7199.0)),
            "123k/200k pairs, 6 censored, clusters 4.71 ± 0.02, 120 min left"
        );
        assert_eq!(
            line(999_999, None, 12_345, Some(7199.0)),
            "999k pairs, 12k censored, clusters 4.71 ± 0.02, widest ± 0.0012, 120 min left"
        );
        assert_eq!(
            line(999_999, None, 123_456, Some(7199.0)),
            "999k pairs, 123k censored, clusters 4.71 ± 0.02, 120 min left"
        );
        assert!(line(u64::MAX, Some(u64::MAX), u64::MAX, Some(1e300)).chars().count() <= WIDTH);
    }
}
