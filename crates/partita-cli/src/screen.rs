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

/// A sentence on standard error. A reader who has gone away (`2>&1 | head`) must not end a run.
pub fn say(sentence: &str) {
    let _ = writeln!(std::io::stderr(), "{sentence}");
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

/// One line of progress, below 80 columns together with the spinner.
fn progress_line(p: &Progress) -> String {
    let of = p.of.map_or(String::new(), |of| format!("/{}", count(of)));
    let (done, met, censored) = (count(p.done), count(p.met), count(p.censored));
    let mut line = format!("{done}{of} replicates, {met} met, {censored} censored");
    if let Some(widest) = p.widest {
        line += &format!(", widest {widest:.1e}");
    }
    if let Some(left) = p.left {
        line += &format!(", {} left", words::duration(left));
    }
    line.chars().take(77).collect()
}

/// The results as a person reads them, within 80 columns: the answer, the summaries, whether to rely on them; with
/// `verbose` how they came about. Meeting times alone are nothing but such details.
pub fn table(outcome: &Finished, verbose: bool) -> String {
    let summary = &outcome.summary;
    let mut text = String::new();
    // Parts between which chains did not cross are a table here; the rest of the answer is in sentences.
    let apart = summary.apart();
    if let Some(apart) = &apart {
        text += &wrap(&format!(
            "{apart}. Their relative weights are not determined by this run. A clustering of each is in modes.csv:"
        ));
        text.push('\n');
        let header = ["chains", "clusters", "log probability", "sizes"];
        text += &lines(header, &summary.modes.iter().map(part).collect::<Vec<_>>());
    }
    let sentences = &outcome.answer[usize::from(apart.is_some()).min(outcome.answer.len())..];
    sentences.iter().for_each(|sentence| text += &wrap(sentence));
    if !summary.summaries.is_empty() {
        if !sentences.is_empty() {
            text.push('\n');
        }
        let header = ["summary", "mean", "95 % interval", if verbose { "trimmed" } else { "" }];
        text += &lines(header, &summary.summaries.iter().map(|line| row(line, verbose)).collect::<Vec<_>>());
        text += &wrap(&summary.reliability);
    }
    if verbose || summary.summaries.is_empty() {
        text += &details(summary);
    }
    summary.notes.iter().for_each(|note| text += &wrap(&format!("note: {note}")));
    text
}

/// How the answers came about: the point estimate's loss, meeting times, the cost, the schedule.
fn details(summary: &Results) -> String {
    let mut text = summary.clustering.as_ref().map_or(String::new(), |c| wrap(&point_estimate(c)));
    let m = &summary.meeting;
    let or = |q: Option<u64>| q.map_or("beyond the cap".into(), |q| q.to_string());
    text += &wrap(&format!(
        "{} replicates in {}: {} met ({} censored); meeting time median {}, 99 % {}, largest {}",
        summary.replicates,
        words::duration(summary.seconds),
        m.met,
        summary.censored,
        or(m.median),
        or(m.q99),
        or(m.max)
    ));
    text += &wrap(&match summary.tv_sweeps {
        Some(t) => format!("one chain is within 0.01 of the target (total variation) after {t} sweeps"),
        None => {
            "how many sweeps one chain needs is not known: some pairs had not met when they were cut".into()
        }
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
    Some(format!("cost relative to one long chain: {} (its variance by {yardstick})", all.join(", ")))
}

/// The point estimate's expected loss and credible ball.
fn point_estimate(c: &Clustering) -> String {
    let of = |v: f64| words::rounded(v, c.se.unwrap_or(f64::INFINITY));
    let mut text = "point estimate".to_string();
    if let Some((loss, [low, high])) = c.expected_loss.zip(c.ci95) {
        let name = if c.loss == "vi" { "VI" } else { "Binder loss" };
        text += &format!(": expected {name} {} ({} to {})", of(loss), of(low), of(high));
    }
    text + &format!(", 95 % of the posterior within {:.3}", c.ball.radius)
}

fn row(line: &Line, verbose: bool) -> [String; 4] {
    let of = |value: f64| words::estimate(&line.name, value, line.se);
    let interval = line
        .ci95
        .map_or("one replicate has none".into(), |[low, high]| format!("{} to {}", of(low), of(high)));
    let trimmed = if verbose { of(line.trimmed) } else { String::new() };
    [line.name.clone(), of(line.mean), interval, trimmed]
}

/// Breaks a sentence at 80 columns, but not before a percent sign; later lines are indented.
pub fn wrap(sentence: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    let mut words: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        match words.last_mut().filter(|_| word.starts_with('%')) {
            Some(number) => *number += &format!(" {word}"),
            None => words.push(word.into()),
        }
    }
    for word in &words {
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
        };
        let modes = vec![of(&[146, 119, 68], -1234.56, 13), of(&[150, 115, 40, 20, 5, 3], -1240.0, 7)];
        let text = table(&finished(modes.clone()), false);
        let told = "\
The chains found 2 parts of the posterior and did not cross between them within
  this run. Their relative weights are not determined by this run. A clustering
  of each is in modes.csv:

chains  clusters  log probability                   sizes
─────────────────────────────────────────────────────────
13             3          -1234.6            146, 119, 68
7              6          -1240.0  150, 115, 40, 20, 5, 3

";
        assert!(text.starts_with(told), "{text}");
        assert!(!table(&finished(modes[..1].to_vec()), true).contains("parts"));
        let large = vec![of(&[4_000_000_000; 400_000], -1.25e12, 999), modes[0].clone()];
        let large = table(&finished(large), false);
        assert!(large.lines().all(|line| line.chars().count() <= 80), "{large}");
    }

    #[test]
    fn lines_fit_in_80_columns() {
        let text = wrap(&"some words that go on ".repeat(20));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let (widest, left) = (Some(0.002_468), Some(59.0));
        let progress = Progress { done: 123_456, of: Some(200_000), met: 123_450, censored: 6, widest, left };
        assert_eq!(
            progress_line(&progress),
            "123k/200k replicates, 123k met, 6 censored, widest 2.5e-3, 59 s left"
        );
        let (n, left) = (9999, Some(7199.0));
        let longest = Progress { done: n, of: Some(n), met: n, censored: n, widest, left };
        assert_eq!(
            progress_line(&longest),
            "9999/9999 replicates, 9999 met, 9999 censored, widest 2.5e-3, 120 min left"
        );
        let (n, left) = (u64::MAX, Some(1e300));
        let beyond = Progress { done: n, of: Some(n), met: n, censored: n, widest, left };
        assert_eq!(progress_line(&beyond).chars().count(), 77);
    }
}
