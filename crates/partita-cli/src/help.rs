//! What tells how to use the command, made from the definitions of its arguments: examples, completions, manual pages.

use crate::{arguments, screen};
use clap_complete::Shell;
use partita_run::{Failure, words};

/// What `partita` alone prints.
pub const EXAMPLES: &str = "\
partita clusters tables and graphs, and puts error bars on the answers.

  partita fit               cluster the built-in data and write a report
  partita check my.csv      see how your table would be read, and what would run
  partita fit my.csv        cluster the rows of your own table

partita --help lists all commands, partita fit --help the options of fit.
The terms are explained in docs/glossary.md.
";

/// Completions for a shell.
pub fn completions(shell: Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut arguments::command(), "partita", &mut text);
    screen::print(&String::from_utf8_lossy(&text))
}

/// The manual page of a command, or of `partita` itself.
pub fn manual(name: Option<&str>) -> Result<(), Failure> {
    let mut all = arguments::command();
    all.build();
    let command = match name {
        None => all,
        Some(name) => {
            let found = all.find_subcommand(name).cloned();
            let command = found.ok_or_else(|| {
                let near = words::closest(name, all.get_subcommands().map(clap::Command::get_name));
                let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                Failure::BadInput(format!("there is no command `{name}`{near}"))
            })?;
            command.bin_name(format!("partita {name}")).display_name(format!("partita-{name}"))
        }
    };
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(command).source(concat!("partita ", env!("CARGO_PKG_VERSION")));
    page.render(&mut text).map_err(|error| Failure::Failed(error.to_string()))?;
    screen::print(&String::from_utf8_lossy(&text))
}
