//! Killed, interrupted, torn: nothing is lost and the end is the same.

use crate::support::{Random, Scratch, finish, signal, table, wait_until};
use std::io::{BufRead, BufReader};
use std::process::Child;
use std::time::Duration;

/// Takes some seconds in all.
const LONG: &str = "--lag 5 --burn-in 5 --sweeps 150 --replicates 300 --keep-draws 2 --seed 4 --threads 2";

fn lines(scratch: &Scratch, name: &str) -> usize {
    std::fs::read_to_string(scratch.path.join(name)).map_or(0, |text| text.matches('\n').count())
}

/// Starts a run and waits until it has some rows.
fn start_and_wait(scratch: &Scratch, arguments: &str, run: &str, rows: usize) -> Child {
    let child = scratch.command(arguments).spawn().unwrap();
    wait_until("rows", || lines(scratch, &format!("{run}/replicates.csv")) > rows);
    child
}

#[test]
fn killed_again_and_again_a_run_ends_the_same() {
    let scratch = Scratch::new();
    scratch.ok(&format!("fit data.csv {LONG} --out undisturbed"));
    let mut random = Random(2024);
    let mut kills = 0;
    loop {
        let arguments = match scratch.exists("run/run.toml") {
            true => "resume run --threads 2 --device auto".to_string(),
            false => format!("fit data.csv {LONG} --out run"),
        };
        let mut child = scratch.command(&arguments).spawn().unwrap();
        // How long it lives is the point of the test, not a way to wait for something; later ones live
        // longer, so that it ends on a slow machine, too.
        let life = (200.0 + 20.0 * f64::from(kills)) * random.unit() * random.unit();
        std::thread::sleep(Duration::from_millis(life as u64));
        child.kill().unwrap();
        let ran = finish(child);
        assert!([-1, 0].contains(&ran.status), "after {kills} kills: {ran:?}");
        if ran.status == 0 {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 3, "it was killed only {kills} times");
    assert_eq!(scratch.results("run"), scratch.results("undisturbed"), "after {kills} kills");
}

#[test]
fn ctrl_c_keeps_what_is_done_and_says_how_to_resume() {
    let scratch = Scratch::new();
    scratch.ok(&format!("fit data.csv {LONG} --out undisturbed"));
    let child = start_and_wait(&scratch, &format!("fit data.csv {LONG} --out run --json"), "run", 5);
    // Nobody else may write to it meanwhile.
    assert_eq!(
        scratch.run("resume run").stderr,
        "partita: run: another partita is writing to this run: wait until it has finished, or stop it first\n"
    );
    signal(&child, "-INT");
    let ran = finish(child);
    assert_eq!((ran.status, ran.stdout.as_str()), (130, ""), "{ran:?}");
    let kept = lines(&scratch, "run/replicates.csv") - 1;
    assert!((5..300).contains(&kept), "{kept} rows");
    let last = ran.stderr.lines().last().unwrap();
    assert_eq!(
        last,
        format!("partita: interrupted: {kept} replicates are kept; continue with `partita resume run`")
    );
    assert_eq!(
        scratch.refused("report run"),
        format!(
            "partita: run: the run is not complete ({kept} replicates so far), and those that are done favour \
             quick pairs: continue it with `partita resume run`"
        )
    );
    scratch.ok("resume run");
    assert_eq!(scratch.results("run"), scratch.results("undisturbed"));
}

#[test]
fn a_torn_line_is_healed() {
    let scratch = Scratch::new();
    let quick = "--lag 5 --burn-in 5 --sweeps 20 --replicates 12 --keep-draws 2";
    scratch.ok(&format!("fit data.csv {quick} --out whole"));
    scratch.ok(&format!("fit data.csv {quick} --out torn"));
    let whole = scratch.results("whole");
    let (rows, draws) = (scratch.read("torn/replicates.csv"), scratch.read("torn/draws.csv"));
    // Anywhere in the last line, its end included, and over more than one line of kept states.
    for cut in [1, 2, 30, 100] {
        scratch.write("torn/replicates.csv", &rows[..rows.len() - cut]);
        scratch.ok("resume torn");
        assert_eq!(scratch.results("torn"), whole, "rows cut by {cut} bytes");
        scratch.write("torn/draws.csv", &draws[..draws.len() - cut]);
        scratch.ok("resume torn");
        assert_eq!(scratch.results("torn"), whole, "draws cut by {cut} bytes");
    }
}

#[test]
fn a_changed_line_is_refused() {
    let scratch = Scratch::new();
    let quick = "--lag 5 --burn-in 5 --sweeps 20 --replicates 4";
    scratch.ok(&format!("fit data.csv {quick} --out run"));
    let rows = scratch.read("run/replicates.csv");
    scratch.write("run/replicates.csv", &rows.replacen("\n1,true", "\none,true", 1));
    assert_eq!(
        scratch.refused("resume run"),
        "partita: run/replicates.csv: row 3 is not a replicate: delete that line and resume"
    );
    let second = rows.lines().nth(2).unwrap();
    scratch.write("run/replicates.csv", &format!("{rows}{second}\n"));
    assert_eq!(
        scratch.refused("resume run"),
        "partita: run/replicates.csv: replicate 1 appears twice: delete one of its lines"
    );
    scratch.write("run/replicates.csv", &rows.replacen("top:1", "top:7", 1));
    assert_eq!(
        scratch.refused("resume run"),
        "partita: run/replicates.csv: row 1: the columns are not those of run.toml: was the file changed?"
    );
}

/// A run that is in its pilot.
fn in_the_pilot(scratch: &Scratch) -> Child {
    scratch.write("large.csv", &table(1500));
    let mut child = scratch.command("fit large.csv --out run").spawn().unwrap();
    // Byte by byte, so that what follows stays in the pipe.
    let mut words = BufReader::with_capacity(1, child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("pilot:") {
        line.clear();
        assert!(words.read_line(&mut line).unwrap() > 0, "there was no pilot");
    }
    child.stderr = Some(words.into_inner());
    child
}

#[test]
fn an_interrupted_pilot_leaves_nothing() {
    let scratch = Scratch::new();
    let child = in_the_pilot(&scratch);
    signal(&child, "-INT");
    let ran = finish(child);
    assert_eq!(ran.status, 130, "{ran:?}");
    assert!(ran.stderr.ends_with("partita: interrupted during the pilot: nothing was kept\n"), "{ran:?}");
    assert!(!scratch.exists("run"));
}

#[test]
fn a_killed_pilot_does_not_block_another_try() {
    let scratch = Scratch::new();
    let mut child = in_the_pilot(&scratch);
    child.kill().unwrap();
    child.wait().unwrap();
    scratch.ok("fit data.csv --lag 2 --burn-in 1 --sweeps 3 --replicates 2 --out run");
}

#[test]
fn force_keeps_the_old_run_until_the_new_one_begins() {
    let scratch = Scratch::new();
    scratch.ok("fit data.csv --lag 2 --burn-in 1 --sweeps 3 --replicates 2 --out run");
    let old = scratch.results("run");
    scratch.write("large.csv", &table(1500));
    let mut child = scratch.command("fit large.csv --out run --force").spawn().unwrap();
    let mut words = BufReader::with_capacity(1, child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("pilot:") {
        line.clear();
        assert!(words.read_line(&mut line).unwrap() > 0, "there was no pilot");
    }
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(scratch.results("run"), old);
}

#[test]
fn what_a_start_cut_short_leaves_can_be_resumed_or_started_again() {
    let scratch = Scratch::new();
    let quick = "fit data.csv --lag 5 --burn-in 5 --sweeps 20 --replicates 6";
    scratch.ok(&format!("{quick} --out run"));
    let whole = scratch.results("run");
    // Killed between two files: the configuration is there, the rows are not.
    for name in ["replicates.csv", "draws.csv", "summary.json", "report.html"] {
        std::fs::remove_file(scratch.path.join("run").join(name)).unwrap();
    }
    scratch.ok("resume run");
    assert_eq!(scratch.results("run"), whole);
    // Killed while writing the configuration.
    std::fs::create_dir(scratch.path.join("early")).unwrap();
    scratch.write("early/run.part", "version = ");
    scratch.write("early/.partita", "");
    scratch.ok(&format!("{quick} --out early"));
    assert_eq!(scratch.rows("early"), whole.rows);
}

/// A question that would take a minute ends at the first signal, with a sentence and without a file.
#[test]
fn predict_stops_at_the_first_signal() {
    let scratch = Scratch::new();
    scratch.ok("fit data.csv --lag 5 --burn-in 5 --sweeps 50 --replicates 70 --keep-draws 10 --out run");
    let header = scratch.read("data.csv").lines().next().unwrap().to_string();
    let cells = vec!["0.5"; header.split(',').count()].join(",");
    scratch.write("many.csv", &format!("{header}\n{}", format!("{cells}\n").repeat(400_000)));
    let child = scratch.command("predict run many.csv --out predictions.csv").spawn().unwrap();
    std::thread::sleep(Duration::from_secs(1));
    signal(&child, "-INT");
    let ran = finish(child);
    assert_eq!((ran.status, ran.stdout.as_str()), (130, ""), "{ran:?}");
    assert_eq!(ran.stderr.trim_end(), "partita: interrupted; no file was left half-written");
    assert!(!scratch.exists("predictions.csv"));
}
