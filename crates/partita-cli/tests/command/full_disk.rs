//! A full disk is an error that keeps what is complete.

use crate::support::{Ran, Scratch, finish};
use std::process::{Command, Stdio};

/// Runs the command where no file may grow beyond so many KiB: writing fails there as on a full disk.
fn limited(scratch: &Scratch, kib: u32, arguments: &str) -> Ran {
    let script = format!("ulimit -f {kib}; trap '' XFSZ; exec \"$0\" {arguments}");
    let mut bash = Command::new("bash");
    bash.args(["-c", &script, env!("CARGO_BIN_EXE_partita")]).current_dir(&scratch.path);
    finish(bash.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

const RUN: &str =
    "fit data.csv --lag 5 --burn-in 5 --sweeps 20 --replicates 60 --keep-draws 1 --threads 2 --out";

fn last(ran: &Ran) -> &str {
    ran.stderr.lines().last().unwrap_or("")
}

#[test]
fn rows_that_do_not_fit() {
    let scratch = Scratch::new();
    scratch.ok(&format!("{RUN} roomy"));
    let size = scratch.bytes("roomy/replicates.csv").len() / 1024;
    assert!(size > 4, "{size} KiB");
    let ran = limited(&scratch, 4, &format!("{RUN} run"));
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert_eq!(
        last(&ran),
        "partita: run/replicates.csv: cannot be written: file too large; finished replicates are kept: fix \
         this, then continue with `partita resume run`"
    );
    let kept = scratch.read("run/replicates.csv").matches('\n').count() - 1;
    assert!((3..60).contains(&kept), "{kept} rows");
    // Still no room: still an error, and still nothing lost.
    let ran = limited(&scratch, 4, "resume run");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(scratch.read("run/replicates.csv").matches('\n').count() > kept);
    scratch.ok("resume run");
    assert_eq!(scratch.results("run"), scratch.results("roomy"));
}

#[test]
fn a_report_that_does_not_fit() {
    let scratch = Scratch::new();
    scratch.ok(&format!("{RUN} roomy"));
    let rows = scratch.bytes("roomy/replicates.csv").len().div_ceil(1024) as u32;
    let report = scratch.bytes("roomy/report.html").len() as u32 / 1024;
    assert!(rows + 4 < report, "{rows} and {report} KiB");
    let ran = limited(&scratch, rows + 3, &format!("{RUN} run --json"));
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert_eq!(
        last(&ran),
        "partita: run/report.html: cannot be written: file too large; finished replicates are kept: fix this, \
         then continue with `partita resume run`"
    );
    assert_eq!(scratch.rows("run"), scratch.rows("roomy"));
    assert!(!scratch.exists("run/report.html") && !scratch.exists("run/report.part"));
    scratch.ok("resume run");
    assert_eq!(scratch.results("run"), scratch.results("roomy"));
    assert!(scratch.exists("run/report.html"));
}

#[test]
fn results_that_cannot_be_printed() {
    let full = std::path::Path::new("/dev/full");
    if !full.exists() {
        println!("skipped: this system has no /dev/full");
        return;
    }
    let scratch = Scratch::new();
    let mut command = scratch.command(&format!("{RUN} run"));
    command.stdout(std::fs::File::create(full).unwrap());
    let ran = finish(command.spawn().unwrap());
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(last(&ran).starts_with("partita: standard output cannot be written: "), "{ran:?}");
}
