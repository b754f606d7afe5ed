//! A run that somebody else owns: what it has found can be told and asked, though nothing can be written.
#![cfg(unix)]

use crate::support::{QUICK, Ran, Scratch, finish};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;

/// Runs the command as somebody who may not write; root may write anywhere, so it becomes nobody first. None where
/// nobody may not run the program from where it was built.
fn as_a_guest(scratch: &Scratch, arguments: &str) -> Option<Ran> {
    let mut command = scratch.command(arguments);
    // The owner of a file that we just made is who we are.
    let root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&scratch.path).unwrap()) == 0;
    if root {
        command.gid(65534).uid(65534);
    }
    match command.spawn() {
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => None,
        child => Some(finish(child.unwrap())),
    }
}

#[test]
fn predict_and_report_need_not_write() {
    let scratch = Scratch::new();
    let whole = scratch.ok(&format!("fit data.csv {QUICK} --out run --json"));
    let run = scratch.path.join("run");
    let mode = |mode: u32| std::fs::set_permissions(&run, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    let report = as_a_guest(&scratch, "report run --json");
    let predict = as_a_guest(&scratch, "predict run data.csv");
    mode(0o755);
    let Some((report, predict)) = report.zip(predict) else {
        println!("skipped: somebody else may not run the program from where it was built");
        return;
    };
    assert_eq!((report.status, predict.status), (0, 0), "{report:?} {predict:?}");
    assert!(report.stderr.contains("run cannot be written, so its files stay as they are"), "{report:?}");
    let json = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    assert_eq!(json(&report.stdout)["summaries"], json(&whole.stdout)["summaries"]);
    assert!(predict.stdout.starts_with("row,log_density"), "{predict:?}");
}
