//! `partita reproduce`: the list of studies, and a table of verdicts for one.

use crate::arguments::{ReproduceOptions, command_line};
use crate::device;
use crate::screen::{self, Screen, wrap};
use partita_run::Failure;
use partita_run::config::Device;
use partita_run::words;
use partita_study::{Arm, Data, Findings, Request, Study};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Lists the studies, or runs one.
pub fn reproduce(options: ReproduceOptions, interrupted: &AtomicBool) -> Result<(), Failure> {
    let Some(name) = options.name else {
        return screen::print(&list(&Study::built_in(), options.scale, options.json));
    };
    let study = Study::find(&name)?;
    let reads = |arm: &Arm| matches!(arm.data, Some(Data::Catalog { .. }));
    if options.data_dir.is_some() && !study.arms.iter().any(reads) {
        return Err(Failure::BadInput(format!(
            "--data-dir is for studies of gene, seed or abalone, but {} generates its own data: leave it out",
            study.name
        )));
    }
    if options.threads == Some(0) {
        return Err(Failure::BadInput("--threads must be at least 1".into()));
    }
    let out = options.out.unwrap_or_else(|| PathBuf::from(format!("partita-reproduce-{}", study.name)));
    let request = Request {
        study,
        scale: options.scale,
        seed: options.seed,
        data_dir: options.data_dir,
        out: out.clone(),
        command: command_line(),
    };
    let executor = options.device.unwrap_or(Device::Cpu).executor(options.threads, device::card)?;
    let mut screen = Screen::new();
    let findings = partita_study::run(&*executor, request, interrupted, &mut screen);
    screen.finish();
    executor.notes().iter().for_each(|note| screen::say(note));
    let findings = findings?;
    screen::print(&if options.json { json(&findings) } else { table(&findings) })?;
    screen::say(&format!("figures and numbers: {}", out.join("index.html").display()));
    Ok(())
}

fn json(findings: &impl serde::Serialize) -> String {
    serde_json::to_string(findings).expect("findings are JSON") + "\n"
}

/// Name, processor time at the scale, title.
fn list(studies: &[Study], scale: f64, as_json: bool) -> String {
    if as_json {
        return json(&studies);
    }
    let mut text = format!("{:<25} {:>9}  what\n{}\n", "study", "time", "\u{2500}".repeat(80));
    for study in studies {
        let time = words::duration(study.seconds * scale);
        let title: String = study.title.chars().take(43).collect();
        text += &format!("{:<25} {time:>9}  {title}\n", study.name);
    }
    text + &wrap(&format!(
        "time: approximate processor time at scale {scale}; divide it by the number of processors. `partita reproduce gene \
         --scale 0.01` runs a hundredth of gene; `partita data` gets the data of gene, seed and abalone."
    ))
}

/// The verdicts, within 80 columns.
fn table(findings: &Findings) -> String {
    let mut text = format!("{} (scale {}, seed {})\n\n", findings.title, findings.scale, findings.seed);
    for v in &findings.verdicts {
        text += &wrap(&format!("{}: {}", v.ruling.to_string().to_uppercase(), v.claim.claim));
        let measured = match (v.measured, v.se) {
            (None, _) => "too few estimates at this scale".into(),
            (Some(m), Some(se)) if se > 0.0 => {
                format!("{} ± {}", words::rounded(m, se), words::rounded(se, se))
            }
            (Some(m), _) => format!("{m:.4}"),
        };
        text += &format!("  {}", wrap(&format!("measured {measured}, expected {}: {}", v.band(), v.what())));
    }
    text + &format!("\n{}", wrap(&format!("total time {}", words::duration(findings.seconds))))
}
