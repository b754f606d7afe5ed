//! The sample of a run: rows and kept states in the order of replicates, and where they are stored.

use super::{Replicate, Row};
use crate::Failure;
use partita::Partition;
use partita::atoms::Atom;

/// One kept state.
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
    /// The replicate it is from.
    pub replicate: u64,
    /// The state and its weight.
    pub atom: Atom,
}

/// The replicates of a run, in memory: everything that answers are computed from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sample {
    /// One row per replicate.
    pub rows: Vec<Row>,
    /// Their kept states.
    pub draws: Vec<Draw>,
}

impl Sample {
    /// Takes a replicate in.
    pub(crate) fn push(&mut self, Replicate { row, atoms }: Replicate) {
        // Clusters are numbered by first appearance, as a file has them: the same bits from memory and from disk.
        self.draws.extend(atoms.into_iter().map(|Atom { weight, partition }| {
            let partition = Partition::from_labels(&partition.canonical_labels());
            let partition = partition.expect("a partition has an item");
            Draw { replicate: row.replicate, atom: Atom { weight, partition } }
        }));
        self.rows.push(row);
    }

    /// Brings everything into the order of replicates. The states of one replicate keep theirs.
    pub(crate) fn sort(&mut self) {
        self.rows.sort_by_key(|row| row.replicate);
        self.draws.sort_by_key(|draw| draw.replicate);
    }

    /// Single-chain sweeps of all replicates.
    pub fn kernel_calls(&self) -> u64 {
        self.rows.iter().map(|row| row.kernel_calls).sum()
    }
}

/// Stores replicates as they arrive, so that nothing is lost: a run directory, or nothing at all.
pub trait Sink {
    /// Stores a replicate.
    fn keep(&mut self, replicate: &Replicate) -> Result<(), Failure>;

    /// Notes that the time of a worker of a timed run is up, and how many replicates it completed.
    fn end_worker(&mut self, worker: u64, completed: u64) -> Result<(), Failure>;
}

/// Nobody: the sample in memory is all there is.
impl Sink for () {
    fn keep(&mut self, _: &Replicate) -> Result<(), Failure> {
        Ok(())
    }

    fn end_worker(&mut self, _: u64, _: u64) -> Result<(), Failure> {
        Ok(())
    }
}
