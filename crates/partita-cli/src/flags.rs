//! The library's sentences in the words of the command line: `max_sweeps` becomes --max-sweeps.

use partita_run::Failure;
use partita_run::config::Options;

/// Flags that are no options of a run.
const OTHERS: [&str; 2] = ["force", "matrix"];
/// What can be called.
const COMMANDS: [&str; 8] = ["fit", "color", "blocks", "meet", "resume", "merge", "report", "predict"];

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

/// What stands in backquotes, if it is an option, an option with its value, or a call.
fn translated(quoted: &str) -> Option<String> {
    if is_key(quoted) {
        return Some(flag(quoted, None));
    }
    if COMMANDS.contains(&quoted) {
        return Some(format!("`partita {quoted}`"));
    }
    if let Some((key, value)) = quoted.split_once(" = ").filter(|(key, _)| is_key(key)) {
        return Some(flag(key, Some(value)));
    }
    let (command, arguments) = quoted.strip_suffix(')')?.split_once('(')?;
    if !COMMANDS.contains(&command) {
        return None;
    }
    // A path may hold commas: only what follows the last one can be an option.
    let words = match arguments.rsplit_once(", ").map(|(path, last)| (path, translated(last))) {
        Some((path, Some(flag))) => format!("{path} {flag}"),
        _ => arguments.to_string(),
    };
    Some(format!("`partita {command} {words}`"))
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

/// A failure in the words of the command line.
pub fn failure(failure: Failure) -> Failure {
    match failure {
        Failure::BadInput(sentence) => Failure::BadInput(in_flags(&sentence)),
        Failure::Failed(sentence) => Failure::Failed(in_flags(&sentence)),
        Failure::Interrupted(sentence) => Failure::Interrupted(in_flags(&sentence)),
        other => other,
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
            ("and `meet` makes none; `force`", "and `partita meet` makes none; --force"),
            ("`x` is no `alpha` and ` is alone", "`x` is no --alpha and ` is alone"),
            ("plain words", "plain words"),
        ] {
            assert_eq!(in_flags(library), command);
        }
    }
}
