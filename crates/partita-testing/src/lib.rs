//! For tests and benchmarks, never published: the one place where the paper's data are looked for.
//!
//! The files are not part of the project. They are looked for in the directory that the environment variable
//! `PARTITA_DATA` names, as by the command itself, else in `../shared/data` beside the workspace. A relative path
//! counts from the workspace, wherever a test runs. Where a file is not there, a reason is printed and nothing else
//! is done.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The environment variable that names the directory of the paper's data.
pub const VARIABLE: &str = "PARTITA_DATA";

/// The file of one of the paper's data sets, as in `paper_data("gene")`; none, with the reason printed, where it is
/// not there.
///
/// ```
/// assert!(partita_testing::paper_data("no such data set").is_none());
/// ```
pub fn paper_data(name: &str) -> Option<PathBuf> {
    let path = place(std::env::var_os(VARIABLE)).join(format!("{name}.csv"));
    let found = path.exists();
    if !found {
        println!("skipped: {} is not there; {VARIABLE} names the directory that has it", path.display());
    }
    found.then_some(path)
}

/// The directory with all three of the paper's data sets; none, with the reason printed, where one is not there.
pub fn paper_data_dir() -> Option<PathBuf> {
    let files = ["gene", "seed", "abalone"].map(paper_data);
    files.into_iter().collect::<Option<Vec<PathBuf>>>()?.pop()?.parent().map(Path::to_path_buf)
}

/// The numbers of one of the paper's data sets, row after row, and the number of columns; none, with the reason
/// printed, where its file is not there.
///
/// # Panics
///
/// A file that is there is not a table of numbers under a line of names.
pub fn paper_table(name: &str) -> Option<(Vec<f64>, usize)> {
    let path = paper_data(name)?;
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let columns = text.lines().next().map_or(0, |line| line.split(',').count());
    let number = |cell: &str| cell.trim().parse().unwrap_or_else(|error| panic!("{name}: {cell:?}: {error}"));
    Some((text.lines().skip(1).flat_map(|line| line.split(',')).map(number).collect(), columns))
}

fn workspace() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}

/// The directory, from the value of the variable; an empty one names nothing.
fn place(named: Option<OsString>) -> PathBuf {
    // Joining an absolute path gives that path.
    workspace().join(named.filter(|value| !value.is_empty()).unwrap_or_else(|| "../shared/data".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_names_the_place() {
        let usual = workspace().join("../shared/data");
        assert_eq!(place(None), usual);
        assert_eq!(place(Some("".into())), usual);
        assert_eq!(place(Some("target/data".into())), workspace().join("target/data"));
        let elsewhere = std::env::temp_dir();
        assert_eq!(place(Some(elsewhere.clone().into())), elsewhere);
        assert!(workspace().join("Cargo.lock").exists());
    }

    /// Programs and scripts that look for the paper's data themselves would not heed the variable.
    #[test]
    fn nobody_else_knows_where_the_data_are() {
        let mut knowing = Vec::new();
        let mut left = vec![workspace().join("crates"), workspace().join("scripts")];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                left.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            } else if path.extension().is_some_and(|e| e == "rs" || e == "py" || e == "R")
                && std::fs::read_to_string(&path).unwrap().contains("shared/data")
            {
                knowing.push(path.strip_prefix(workspace()).unwrap().to_path_buf());
            }
        }
        knowing.sort();
        assert_eq!(knowing, ["crates/partita-testing/src/lib.rs", "scripts/workspace.py"].map(PathBuf::from));
    }
}
