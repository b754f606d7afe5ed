//! The command `partita`: arguments to configuration to run to words on the screen.
#![forbid(unsafe_code)]

mod arguments;
mod check;
mod compare;
mod data;
mod device;
mod flags;
mod help;
mod predict;
mod reproduce;
mod screen;

use arguments::{Arguments, Command, RunOptions, Shown};
use clap::FromArgMatches;
use partita_run::config::{Device, Task};
use partita_run::failure::{Failure, Kind};
use partita_run::results;
use partita_run::session::{self, Again, Finished, Request};
use screen::Screen;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn main() -> ExitCode {
    let matches = arguments::command().try_get_matches();
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are answers, not mistakes; a mistake is said in clap's words, status 2.
            let status = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(status);
        }
    };
    let done = match arguments.command {
        Some(command) => run(command),
        // An answer, but nothing was done.
        None => {
            let _ = screen::print(help::EXAMPLES);
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            screen::say(&format!("partita: {}", flags::sentence(&failure)));
            ExitCode::from(match failure.kind() {
                Kind::BadInput => 2,
                Kind::Failed => 1,
                Kind::Interrupted => 130,
            })
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    let interrupted = match &command {
        // A download that is interrupted just ends.
        Command::Data(_) => Arc::default(),
        Command::Check(_) | Command::Completions { .. } | Command::Man { .. } => Arc::default(),
        // Nothing is under way that could be kept: files appear whole or not at all.
        Command::Merge { .. } | Command::Report { .. } | Command::Predict { .. } => {
            on_interrupt(|| {
                screen::say("partita: interrupted; no file was left half-written");
                std::process::exit(130);
            });
            Arc::default()
        }
        _ => interrupt_flag(),
    };
    match command {
        Command::Fit(options) => begin(Task::Fit, false, options, &interrupted),
        Command::Color(options) => begin(Task::Color, false, options, &interrupted),
        Command::Blocks(options) => begin(Task::Blocks, false, options, &interrupted),
        Command::Meet(options) => begin(options.meeting_task()?, true, options, &interrupted),
        Command::Reproduce(options) => reproduce::reproduce(options, &interrupted),
        Command::Resume { run, threads, device, shown } => {
            let executor = |threads| device.unwrap_or(Device::Cpu).executor(Some(threads), device::card);
            let outcome =
                watched(|screen| session::resume_on(executor, &run, threads, &interrupted, screen))?;
            show(&outcome, &shown)
        }
        Command::Merge { runs, out, force, shown } => {
            let outcome = watched(|screen| session::merge(&runs, &out, force, screen))?;
            show(&outcome, &shown)
        }
        Command::Report { run, loss, matrix, shown } => {
            let outcome = watched(|screen| session::report(&run, Again { loss, matrix }, screen))?;
            show(&outcome, &shown)
        }
        Command::Predict { score: true, loss: Some(_), .. } => Err(Failure::BadInput(
            "--loss matters for the clusters that rows join, and --score reports their densities alone: leave --loss out"
                .into(),
        )),
        Command::Predict { run, rows, score, loss, out, json } => {
            let found = watched(|screen| session::predict(&run, &rows, loss, screen))?;
            predict::show(&found, score, json, out.as_deref())
        }
        Command::Compare(options) => compare::run(&options, &interrupted),
        Command::Data(options) => data::run(options),
        Command::Check(options) => {
            let json = options.shown.json;
            check::run(&options.resolve()?, json)
        }
        Command::Completions { shell } => help::completions(shell),
        Command::Man { command } => help::manual(command.as_deref()),
    }
}

fn begin(
    task: Task,
    meetings_only: bool,
    options: RunOptions,
    interrupted: &AtomicBool,
) -> Result<(), Failure> {
    let (shown, force) = (options.shown, options.force);
    let command = arguments::command_line();
    let request = Request { task, meetings_only, options: options.resolve()?, force, command };
    let device = request.options.device.unwrap_or(Device::Cpu);
    let executor = device.executor(request.options.threads, device::card)?;
    let outcome = watched(|screen| session::start_on(&*executor, request, interrupted, screen))?;
    show(&outcome, &shown)
}

/// Does something with a screen that shows how it goes.
fn watched<R>(run: impl FnOnce(&mut Screen) -> Result<R, Failure>) -> Result<R, Failure> {
    let mut screen = Screen::new();
    let result = run(&mut screen);
    screen.finish();
    result
}

/// Results to standard output: one JSON object, or a table a person understands.
fn show(outcome: &Finished, shown: &Shown) -> Result<(), Failure> {
    let text = if shown.json { json_object(&outcome.summary) } else { screen::table(outcome, shown.verbose) };
    screen::print(&text)?;
    screen::say(&format!("report: {}", outcome.directory.join("report.html").display()));
    Ok(())
}

fn json_object(summary: &results::Results) -> String {
    serde_json::to_string(summary).expect("a summary is JSON") + "\n"
}

/// Set by Ctrl-C (and by a polite kill): workers stop at their next sweep.
fn interrupt_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&flag);
    on_interrupt(move || {
        // A second time means now.
        if handler.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    flag
}

fn on_interrupt(handler: impl FnMut() + Send + 'static) {
    if let Err(error) = ctrlc::set_handler(handler) {
        screen::say(&format!(
            "partita: Ctrl-C will end the run at once, without keeping the last replicates: {error}"
        ));
    }
}
