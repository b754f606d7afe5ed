//! States of the pilot's chains, where some of its pairs did not meet: they tell where chains stay apart.

use super::{Directory, write_whole};
use crate::Failure;
use partita::Partition;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

pub(super) const CHAINS: &str = "chains.csv";

/// Writes `chains.csv`: an earlier state and the last one of each chain, the cluster of each item.
pub(super) fn write(directory: &Path, chains: &[(Partition, Partition)]) -> Result<(), Failure> {
    let Some((first, _)) = chains.first() else { return Ok(()) };
    let names: Vec<String> = (0..first.len()).map(|item| format!("z{item}")).collect();
    let mut text = format!("chain,state,{}\n", names.join(","));
    for (number, (earlier, last)) in chains.iter().enumerate() {
        for (state, z) in [("earlier", earlier), ("last", last)] {
            let labels: Vec<String> = z.canonical_labels().iter().map(ToString::to_string).collect();
            writeln!(text, "{number},{state},{}", labels.join(",")).expect("a string takes what it is given");
        }
    }
    write_whole(&directory.join(CHAINS), text.as_bytes())
}

impl Directory {
    /// What [`write`] wrote; nothing where it wrote nothing, or where somebody has changed the file.
    pub(crate) fn chains(&self) -> Vec<(Partition, Partition)> {
        let text = fs::read_to_string(self.path.join(CHAINS)).unwrap_or_default();
        let states: Option<Vec<Partition>> = text.lines().skip(1).map(state).collect();
        let states = states.unwrap_or_default();
        states.chunks_exact(2).map(|two| (two[0].clone(), two[1].clone())).collect()
    }
}

/// The state of a line.
fn state(line: &str) -> Option<Partition> {
    let labels: Option<Vec<usize>> = line.split(',').skip(2).map(|label| label.parse().ok()).collect();
    Partition::from_labels(&labels?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let path = std::env::temp_dir().join(format!("partita-chains-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let z = |labels: &[usize]| Partition::from_labels(labels).unwrap();
        let chains = vec![(z(&[0, 0, 1]), z(&[0, 1, 2])), (z(&[0, 1, 0]), z(&[0, 0, 0]))];
        assert!(Directory::open(&path).chains().is_empty());
        write(&path, &chains).unwrap();
        assert_eq!(Directory::open(&path).chains(), chains);
        fs::write(path.join(CHAINS), "chain,state,z0\n0,earlier,red\n").unwrap();
        assert!(Directory::open(&path).chains().is_empty());
        fs::remove_dir_all(path).unwrap();
    }
}
