//! The commands of the README and of `docs/` run as they stand there, on smaller numbers.

use super::support::Scratch;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What takes minutes is made to take a moment; nothing else of a command is changed.
const SMALLER: [(&str, &str); 3] = [
    ("--time 10m", "--time 1s"),
    ("--precision 0.005", "--precision 0.5"),
    ("--replicates 10000", "--replicates 100"),
];

/// The new rows of `docs/models.md`.
const NEW_ANIMALS: &str = "\
name,coat,weight,length,litter,tame
n0,grey,1.1,2.2,4,true
n1,,5.2,9.7,,
n2,black,,,0,false
";

#[test]
fn the_new_rows_are_those_of_the_document() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models.md");
    assert!(fs::read_to_string(models).unwrap().contains(NEW_ANIMALS));
}

/// Lines of the code of a document that call the command, continued lines joined. What is fenced as text is output.
fn commands(document: &str) -> Vec<String> {
    let joined = document.replace("\\\n", " ");
    let (mut fence, mut commands) = (None, Vec::new());
    for line in joined.lines() {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(kind) };
            continue;
        }
        let code = fence.map_or(line.starts_with("    "), |kind| kind != "text");
        let command = line.split('#').next().unwrap_or(line).trim();
        if code && (command == "partita" || command.starts_with("partita ")) {
            commands.push(command.to_string());
        }
    }
    commands
}

#[test]
fn every_command_of_the_documents_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut documents = vec![root.join("README.md")];
    documents.extend(fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    documents.retain(|path| path.extension().is_some_and(|e| e == "md"));
    documents.sort();
    let mut ran = 0;
    for document in documents {
        // What the documents speak of: tables, a graph, a run that was interrupted.
        let scratch = Scratch::new();
        scratch.write("seeds.csv", &scratch.read("data.csv"));
        scratch.write("graph.txt", &scratch.read("octahedron.txt"));
        scratch.write("new.csv", "x,y\n-2,0\n0,3\n");
        scratch.write("animals.csv", &super::models::animals(60));
        scratch.write("new-animals.csv", NEW_ANIMALS);
        scratch.write("visits.csv", &super::models::visits(40));
        scratch.write("friends.txt", super::models::TRIANGLES);
        for command in commands(&fs::read_to_string(&document).unwrap()) {
            let mut command = SMALLER.iter().fold(command, |c, (from, to)| c.replace(from, to));
            let starts = ["fit", "color", "blocks", "meet"]
                .iter()
                .any(|word| command.split_whitespace().nth(1) == Some(word));
            if starts && !command.contains("--help") {
                for option in ["--lag 5", "--burn-in 5", "--sweeps 20", "--replicates 24"] {
                    let name = option.split(' ').next().unwrap();
                    let stops = ["--replicates", "--time", "--precision"];
                    let said = command.contains(name)
                        || (stops.contains(&name) && stops.iter().any(|s| command.contains(s)));
                    if !said {
                        command += &format!(" {option}");
                    }
                }
            }
            let binary = Path::new(env!("CARGO_BIN_EXE_partita")).parent().unwrap();
            let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
            let shell = Command::new("bash")
                .args(["-c", &command])
                .current_dir(&scratch.path)
                .env("PATH", path)
                .envs([("SLURM_ARRAY_TASK_ID", "17"), ("SLURM_CPUS_PER_TASK", "2")])
                .output();
            let output = shell.expect("bash is there");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: `{command}`: {stderr}", document.display());
            ran += 1;
        }
    }
    assert!(ran >= 10, "{ran} commands were found");
}
