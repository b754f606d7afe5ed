//! Models compared on rows held out: a table a person understands, or JSON.

use crate::arguments::CompareOptions;
use crate::screen::{self, Screen};
use partita_run::engine::Threads;
use partita_run::results::{Compared, Comparison};
use partita_run::{Failure, session, words};
use std::sync::atomic::AtomicBool;

/// Compares models.
pub fn run(options: &CompareOptions, interrupted: &AtomicBool) -> Result<(), Failure> {
    let mut screen = Screen::new();
    let common = options.common();
    let executor = Threads(common.threads.unwrap_or_else(session::processors));
    let found = session::compare(
        &common,
        &options.model,
        options.hold_out,
        &executor,
        None,
        interrupted,
        &mut screen,
    );
    screen.finish();
    let found = found?;
    screen::print(&if options.json {
        serde_json::to_string(&found).expect("a comparison is JSON") + "\n"
    } else {
        table(&found)
    })
}

fn name(one: &Compared) -> String {
    one.prior.as_ref().map_or(one.model.clone(), |prior| format!("{} ({prior})", one.model))
}

fn table(found: &Comparison) -> String {
    let Comparison { rows, held_out, models, .. } = found;
    let mut text =
        format!("log predictive density per row, on {held_out} held-out rows (fitted to {rows})\n\n");
    let width = models.iter().map(|one| name(one).chars().count()).max().unwrap_or(0).max(5);
    text +=
        &format!("{:width$}  {:>18}  {:>34}\n", "model", "score ± s.e.", "behind the best (95% interval)");
    for (at, one) in models.iter().enumerate() {
        let score = match (one.score, one.se) {
            (Some(score), Some(se)) => format!("{} ± {}", words::rounded(score, se), words::rounded(se, se)),
            _ => "unknown".into(),
        };
        let behind = match one.behind {
            Some(behind) => {
                let round = |value| words::rounded(value, behind.se);
                format!("{} ({} to {})", round(behind.mean), round(behind.ci95[0]), round(behind.ci95[1]))
            }
            None if at as u64 == found.best => "best".into(),
            None => "unknown".into(),
        };
        text += &format!("{:width$}  {score:>18}  {behind:>34}\n", name(one));
    }
    for one in models {
        if one.unknown > 0 {
            text += &screen::wrap(&format!(
                "note: {}: the estimated density of {} is not positive; more --replicates or --time would help",
                name(one),
                if one.unknown == 1 { "1 row".into() } else { format!("{} rows", one.unknown) }
            ));
        }
        if one.censored > 0 {
            text += &screen::wrap(&format!(
                "note: {}: {} of {} pairs were censored, so its score is biased",
                name(one),
                one.censored,
                one.replicates
            ));
        }
    }
    text
}
