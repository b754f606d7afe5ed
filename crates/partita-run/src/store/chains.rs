//! Where the pilot's chains were, if some of its pairs did not meet: they tell where chains stay apart.

use super::{Directory, write_whole};
use crate::Failure;
use partita::Partition;
use partita::modes::Trail;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

pub(super) const CHAINS: &str = "chains.csv";

const EARLIER: &str = "earlier";
const LAST: &str = "last";

/// Writes `chains.csv`: states of an earlier stretch and of the last one of each chain, the cluster of each item.
pub(super) fn write(directory: &Path, chains: &[Trail]) -> Result<(), Failure> {
    let Some(first) = chains.first() else { return Ok(()) };
    let names: Vec<String> = (0..first.end().len()).map(|item| format!("z{item}")).collect();
    let mut text = format!("chain,state,{}\n", names.join(","));
    for (number, Trail { earlier, last }) in chains.iter().enumerate() {
        for (stretch, states) in [(EARLIER, earlier), (LAST, last)] {
            for z in states {
                let labels: Vec<String> = z.canonical_labels().iter().map(ToString::to_string).collect();
                writeln!(text, "{number},{stretch},{}", labels.join(","))
                    .expect("a string takes what it is given");
            }
        }
    }
    write_whole(&directory.join(CHAINS), text.as_bytes())
}

impl Directory {
    /// What [`write`] wrote; nothing where it wrote nothing, or where somebody has changed the file.
    pub(crate) fn chains(&self) -> Vec<Trail> {
        let text = fs::read_to_string(self.path.join(CHAINS)).unwrap_or_default();
        read(&text).unwrap_or_default()
    }
}

fn read(text: &str) -> Option<Vec<Trail>> {
    let mut chains: Vec<Trail> = Vec::new();
    for line in text.lines().skip(1) {
        let mut cells = line.split(',');
        let (chain, stretch): (usize, _) = (cells.next()?.parse().ok()?, cells.next()?);
        let labels: Option<Vec<usize>> = cells.map(|label| label.parse().ok()).collect();
        let state = Partition::from_labels(&labels?).ok()?;
        if chain == chains.len() {
            chains.push(Trail { earlier: Vec::new(), last: Vec::new() });
        }
        let trail = chains.get_mut(chain)?;
        match stretch {
            EARLIER => trail.earlier.push(state),
            LAST => trail.last.push(state),
            _ => return None,
        }
    }
    chains.iter().all(|chain| chain.states() > 0).then_some(chains)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let path = std::env::temp_dir().join(format!("partita-chains-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let z = |labels: &[usize]| Partition::from_labels(labels).unwrap();
        let long =
            Trail { earlier: vec![z(&[0, 0, 1]), z(&[0, 1, 1])], last: vec![z(&[0, 1, 2]), z(&[0, 0, 1])] };
        let chains = vec![long, Trail::of_two(z(&[0, 1, 0]), z(&[0, 0, 0]))];
        assert!(Directory::open(&path).chains().is_empty());
        write(&path, &chains).unwrap();
        assert_eq!(Directory::open(&path).chains(), chains);
        fs::write(path.join(CHAINS), "chain,state,z0\n0,earlier,red\n").unwrap();
        assert!(Directory::open(&path).chains().is_empty());
        fs::remove_dir_all(path).unwrap();
    }
}
