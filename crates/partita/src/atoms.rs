//! A few states kept from each replicate, with weights that keep every later estimate unbiased.
//!
//! An estimate is an integral against atoms of either sign. Of `A` atoms, `R` drawn uniformly
//! without replacement and weighted `A / R` times as much give the same expectation, so predictions
//! at new points and further summaries can be computed after the run, in bounded memory.

use crate::chance::Chance;
use crate::estimator::Schedule;
use crate::pair::{Moment, Observer, Wish};
use crate::partition::Partition;
use crate::rng::{Purpose, Sequence, Stream};
use crate::target::Target;

/// One weighted state.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Atom {
    /// Its weight, of either sign.
    pub weight: f64,
    /// The state.
    pub partition: Partition,
}

/// Keeps at most `capacity` atoms of a pair, by reservoir sampling.
#[derive(Debug, Clone)]
pub struct Atoms {
    schedule: Schedule,
    capacity: usize,
    seen: u64,
    kept: Vec<Atom>,
    chance: Sequence,
}

impl Atoms {
    /// A reservoir for the replicate of `stream`.
    pub fn new(schedule: Schedule, capacity: usize, stream: &Stream) -> Self {
        let chance = stream.sequence(Purpose::Atoms, 0);
        Atoms { schedule, capacity, seen: 0, kept: Vec::new(), chance }
    }

    /// The kept atoms, once the pair has run.
    pub fn into_atoms(mut self) -> Vec<Atom> {
        let factor = self.seen as f64 / self.kept.len().max(1) as f64;
        for atom in &mut self.kept {
            atom.weight *= factor;
        }
        self.kept
    }

    fn offer(&mut self, weight: f64, partition: &Partition) {
        if weight == 0.0 {
            return;
        }
        self.seen += 1;
        if self.kept.len() < self.capacity {
            self.kept.push(Atom { weight, partition: partition.clone() });
        } else {
            let place = self.chance.below(self.seen as usize);
            if let Some(atom) = self.kept.get_mut(place) {
                atom.weight = weight;
                atom.partition.clone_from(partition);
            }
        }
    }
}

impl<T: Target> Observer<T> for Atoms {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        let t = moment.t;
        self.offer(self.schedule.weight_x(t, moment.y.is_some()), moment.x.partition());
        if let Some(y) = moment.y {
            self.offer(self.schedule.weight_y(t), y.partition());
        }
        if t < self.schedule.sweeps() { Wish::More } else { Wish::Enough }
    }
}
