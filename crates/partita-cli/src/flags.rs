//! The library's sentences in the words of the command line: `max_sweeps` becomes --max-sweeps.

use partita_run::Failure;
use partita_run::config::{ConfigError, Options};

/// Flags that are no options of a run.
const OTHERS: [&str; 7] = ["force", "matrix", "scale", "hold_out", "download", "data_dir", "from"];
/// What can be called.
const COMMANDS: [&str; 11] =
    ["fit", "check", "color", "blocks", "meet", "resume", "merge", "report", "predict", "compare", "data"];

fn is_key(word: &str) -> bool {
    Options::KEYS.contains(&word) || OTHERS.contains(&word)
}

/// An option with its value: `--noise-sd 2`.
fn flag(key: &str, value: Option<&str>) -> String {
    match (key, value) {
        ("header", Some("true")) => "--header".into(),
        ("header" | "standardize", Some("false")) => format!("--no-{key}"),
        // The command line has no way to ask for what is the default.
        ("standardize", Some("true")) => "standardize".into(),
        (_, Some(value)) => format!("--{} {value}", key.replace('_', "-")),
        (_, None) => format!("--{}", key.replace('_', "-")),
    }
}

/// An option, or an option with its value.
fn option(text: &str) -> Option<String> {
    let (key, value) = text.split_once(" = ").map_or((text, None), |(key, value)| (key, Some(value)));
    is_key(key).then(|| flag(key, value))
}

/// What stands in backquotes, if it is an option, an option with its value, or a call.
fn translated(quoted: &str) -> Option<String> {
    if let Some(option) = option(quoted) {
        return Some(option);
    }
    if COMMANDS.contains(&quoted) {
        return Some(format!("`partita {quoted}`"));
    }
    let (command, arguments) = quoted.strip_suffix(')')?.split_once('(')?;
    if !COMMANDS.contains(&command) {
        return None;
    }
    Some(format!("`partita {command} {}`", called(arguments)))
}

/// The arguments of a call. A path comes first and may hold commas: options are what follows the last ones.
fn called(arguments: &str) -> String {
    match arguments.rsplit_once(", ").map(|(before, last)| (before, option(last))) {
        Some((before, Some(flag))) => format!("{} {flag}", called(before)),
        // A word alone is a path, whatever it is called.
        _ => option(arguments).filter(|_| arguments.contains(" = ")).unwrap_or_else(|| arguments.into()),
    }
}

/// A sentence of the library as the command says it.
pub fn in_flags(sentence: &str) -> String {
    let mut text = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(open) = rest.find('`') {
        let Some(length) = rest[open + 1..].find('`') else { break };
        let (quoted, after) = (&rest[open + 1..open + 1 + length], open + length + 2);
        text.push_str(&rest[..open]);
        match translated(quoted) {
            Some(words) => {
                text.push_str(&words);
                rest = &rest[after..];
            }
            None => {
                text.push_str(&rest[open..after]);
                rest = &rest[after..];
            }
        }
    }
    text + rest
}

/// What went wrong, as the command says it. What is wrong with a file of options is said in the words of such files.
pub fn sentence(failure: &Failure) -> String {
    match failure {
        Failure::Config(error) if !matches!(error, ConfigError::Value(_)) => error.to_string(),
        other => in_flags(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_calls_become_flags_and_commands() {
        for (library, command) in [
            ("Raise `max_sweeps`.", "Raise --max-sweeps."),
            ("`start = prior` or `lag = 3`", "--start prior or --lag 3"),
            ("say `header = true` or `header = false`", "say --header or --no-header"),
            ("leave `standardize = false` out", "leave --no-standardize out"),
            ("`standardize = true` is for tables", "standardize is for tables"),
            ("continue with `resume(my run, 2)`", "continue with `partita resume my run, 2`"),
            ("use `color(a.txt, colors = Q)`", "use `partita color a.txt --colors Q`"),
            (
                "`color('a, b.txt', colors = 3, time = 30m)`",
                "`partita color 'a, b.txt' --colors 3 --time 30m`",
            ),
            ("`resume(out)`", "`partita resume out`"),
            ("`fit(time = 30m)`", "`partita fit --time 30m`"),
            ("and `meet` makes none; `force`", "and `partita meet` makes none; --force"),
            ("`x` is no `alpha` and ` is alone", "`x` is no --alpha and ` is alone"),
            ("plain words", "plain words"),
        ] {
            assert_eq!(in_flags(library), command);
        }
    }
}
