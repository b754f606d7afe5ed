//! Runs a row of the table and holds what it left against its record, or records it.

use crate::support::Scratch;
use crate::{WORDS, compare, data, mask};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What is compared of a run directory; other files may come and go.
const FILES: [&str; 9] = [
    "replicates.csv",
    "draws.csv",
    "clustering.csv",
    "credible_ball.csv",
    "co_clustering.npy",
    "co_clustering_se.npy",
    "summary.json",
    "predictions.csv",
    "printed.json",
];

/// Items up to which the co-clustering matrix is recorded, too.
const MATRIX_ITEMS: usize = 12;

fn records() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/records")
}

fn recording() -> bool {
    std::env::var_os("PARTITA_RECORD").is_some_and(|value| value == "1")
}

/// Runs the commands and compares, or records.
pub fn hold(name: &str, commands: &[&str]) {
    let scratch = Scratch::new();
    data::write(&scratch);
    commands.iter().for_each(|command| run(&scratch, command));
    let now = left(&scratch.path.join("run"));
    let folder = records().join(name);
    if recording() {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        now.iter().for_each(|(file, text)| fs::write(folder.join(file), text).unwrap());
        return;
    }
    let differences = differences(&recorded(&folder), &now);
    assert!(
        differences.is_empty(),
        "{name} is not what was recorded.\n{}\n{}\nIf that is meant: \
         PARTITA_RECORD=1 cargo test -p partita-cli --test golden {name} -- --exact",
        commands.iter().map(|command| format!("$ partita {}\n", spelled(command))).collect::<String>(),
        differences.join("\n")
    );
}

/// Refuses records that no row of the table makes.
pub fn no_others(names: &[&str]) {
    for entry in fs::read_dir(records()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(&name.as_str()), "records/{name} has no row in the table: delete it");
    }
}

/// A command with its capital words spelled out.
fn spelled(command: &str) -> String {
    WORDS.iter().fold(command.to_string(), |text, (word, options)| text.replace(word, options))
}

fn run(scratch: &Scratch, command: &str) {
    let command = spelled(command);
    if let Some(rest) = command.strip_prefix("tear ") {
        let (run, rows) = rest.split_once(' ').unwrap();
        return tear(scratch, run, rows.parse().unwrap());
    }
    match command.split_once(" > ") {
        Some((command, file)) => {
            let printed = scratch.ok(command).stdout;
            scratch.write(&format!("run/{file}"), &printed);
        }
        None => {
            scratch.ok(&command);
        }
    }
}

/// Leaves a run as a crash would: so many whole rows with their kept states, part of the next, no answers.
fn tear(scratch: &Scratch, run: &str, rows: u64) {
    for name in ["replicates.csv", "draws.csv"] {
        let name = format!("{run}/{name}");
        let text = scratch.read(&name);
        let replicate = |line: &str| line.split(',').next().unwrap().parse::<u64>().unwrap();
        let kept = |line: &&str| line.starts_with("replicate") || replicate(line) < rows;
        let whole: String = text.split_inclusive('\n').take_while(kept).collect();
        let next = text[whole.len()..].lines().next().expect("there is a row to tear");
        scratch.write(&name, &format!("{whole}{}", &next[..next.len() / 2]));
    }
    for entry in fs::read_dir(scratch.path.join(run)).unwrap() {
        let path = entry.unwrap().path();
        if !["run.toml", "replicates.csv", "draws.csv"].iter().any(|name| path.ends_with(name)) {
            fs::remove_file(path).unwrap();
        }
    }
}

/// What a run directory holds of them, by the name of its record.
fn left(run: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for name in FILES {
        let Ok(bytes) = fs::read(run.join(name)) else { continue };
        if name.ends_with(".npy") {
            found.extend(matrix(&bytes).map(|text| (format!("{name}.csv"), text)));
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        let masked = if name.ends_with(".json") {
            let value = mask::json(serde_json::from_str(&text).unwrap());
            serde_json::to_string_pretty(&value).unwrap() + "\n"
        } else {
            mask::csv(&text)
        };
        found.insert(name.into(), masked);
    }
    found
}

/// A square matrix of the NPY format as CSV, where it is small.
fn matrix(bytes: &[u8]) -> Option<String> {
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert!(String::from_utf8_lossy(&bytes[..10 + header]).contains("'<f4'"), "numbers of 32 bits");
    let numbers: Vec<String> = bytes[10 + header..]
        .chunks_exact(4)
        .map(|number| format!("{:?}", f32::from_le_bytes(number.try_into().unwrap())))
        .collect();
    let items = numbers.len().isqrt();
    (items <= MATRIX_ITEMS).then(|| numbers.chunks(items).map(|row| row.join(",") + "\n").collect())
}

fn recorded(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.file_name().unwrap().to_str().unwrap().into(), fs::read_to_string(&path).unwrap()))
        .collect()
}

fn differences(recorded: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in now {
        let Some(record) = recorded.get(file) else {
            found.push(format!("{file}: there is no record of it"));
            continue;
        };
        let differ = if file.ends_with(".json") {
            let [record, now] = [record, text].map(|text| serde_json::from_str::<Value>(text).unwrap());
            compare::json(&record, &now)
        } else {
            compare::text(record, text)
        };
        found.extend(differ.iter().map(|difference| format!("{file}: {difference}")));
    }
    let gone = recorded.keys().filter(|file| !now.contains_key(*file));
    found.extend(gone.map(|file| format!("{file}: is recorded, but was not written")));
    found
}

#[test]
fn a_file_without_record_and_a_record_without_file_differ() {
    let files = |names: &[&str]| names.iter().map(|name| ((*name).into(), "1\n".into())).collect();
    assert!(differences(&files(&["a.csv"]), &files(&["a.csv"])).is_empty());
    assert_eq!(
        differences(&files(&["a.csv", "b.json"]), &files(&["a.csv", "c.csv"])),
        ["c.csv: there is no record of it", "b.json: is recorded, but was not written"]
    );
    assert_eq!(differences(&files(&[]), &files(&["a.json"])).len(), 1);
}
