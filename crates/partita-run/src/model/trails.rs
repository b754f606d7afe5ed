//! Where the chains of a pair were: some states of two stretches, by which parts of a posterior are told apart.

use partita::modes::Trail;
use partita::{Moment, Observer, Partition, Target, Wish};

/// Remembers where both chains of a pair were, the second from when it moves.
#[derive(Debug, Default)]
pub(super) struct Trails([Memory; 2]);

impl Trails {
    /// Of both chains of a pair that has met, only the first.
    pub(super) fn into_chains(self, met: bool) -> Vec<Trail> {
        self.0.into_iter().take(if met { 1 } else { 2 }).filter_map(Memory::into_trail).collect()
    }
}

impl<T: Target> Observer<T> for Trails {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        let chains = [Some(moment.x), moment.y];
        for (memory, chain) in self.0.iter_mut().zip(chains) {
            chain.into_iter().for_each(|chain| memory.see(chain.partition()));
        }
        Wish::Enough
    }
}

/// States of a chain that are evenly spaced, however long it runs: where there are too many, every second is forgotten.
#[derive(Debug)]
struct Memory {
    states: Vec<Partition>,
    /// States from one that is remembered to the next.
    every: u64,
    seen: u64,
}

/// States of a stretch at most, and cells of all of them.
const OF_STRETCH: usize = 12;
const CELLS: usize = 40_000;

impl Default for Memory {
    fn default() -> Self {
        Memory { states: Vec::new(), every: 1, seen: 0 }
    }
}

impl Memory {
    fn see(&mut self, state: &Partition) {
        if self.seen.is_multiple_of(self.every) {
            if self.states.len() == 8 * OF_STRETCH {
                let mut odd = false;
                self.states.retain(|_| {
                    odd = !odd;
                    odd
                });
                self.every *= 2;
            }
            if self.seen.is_multiple_of(self.every) {
                self.states.push(state.clone());
            }
        }
        self.seen += 1;
    }

    /// The second and the last quarter of the time: what lies between is as long as what lies before, and the start is
    /// forgotten. Of long states there are fewer.
    fn into_trail(self) -> Option<Trail> {
        let states = self.states;
        let (all, quarter) = (states.len(), states.len() / 4);
        if all < 2 {
            return None;
        }
        let wanted = (CELLS / states[0].len()).clamp(1, OF_STRETCH).min(quarter.max(1));
        let stretch = |end: usize| -> Vec<Partition> {
            let back = |k: usize| states[end - 1 - k * quarter / wanted].clone();
            (0..wanted).rev().map(back).collect()
        };
        Some(Trail { earlier: stretch((all / 2).max(1)), last: stretch(all) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state of a time, and back: its binary digits, as two clusters.
    fn state(time: u64, items: usize) -> Partition {
        let digit = |item: usize| if item == 0 || item > 32 { 0 } else { (time >> (item - 1) & 1) as usize };
        Partition::from_labels(&(0..items).map(digit).collect::<Vec<_>>()).unwrap()
    }

    fn time(z: &Partition) -> u64 {
        (1..z.len().min(33)).map(|item| u64::from(!z.together(0, item)) << (item - 1)).sum()
    }

    #[test]
    fn trails_are_evenly_spaced_over_the_second_and_the_last_quarter() {
        for (sweeps, items) in
            [(2, 40), (3, 40), (9, 40), (95, 40), (96, 40), (97, 40), (5000, 40), (5000, 20_000)]
        {
            let mut memory = Memory::default();
            (0..sweeps).for_each(|time| memory.see(&state(time, items)));
            let every = memory.every;
            let trail = memory.into_trail().unwrap();
            let times = |states: &[Partition]| states.iter().map(time).collect::<Vec<u64>>();
            let (earlier, last) = (times(&trail.earlier), times(&trail.last));
            assert_eq!(earlier.len(), last.len());
            assert!(
                earlier.is_sorted_by(|a, b| a < b) && last.is_sorted_by(|a, b| a < b),
                "{earlier:?} {last:?}"
            );
            assert!(earlier[earlier.len() - 1] < last[0] && last[last.len() - 1] + every >= sweeps);
            if sweeps == 5000 {
                assert_eq!(last.len(), if items == 40 { OF_STRETCH } else { 2 });
                let within = |times: &[u64], from: u64| times.iter().all(|t| (from..from + 1300).contains(t));
                assert!(within(&earlier, 1200) && within(&last, 3700), "{earlier:?} {last:?}");
            }
        }
        let mut memory = Memory::default();
        assert!(Memory::default().into_trail().is_none());
        memory.see(&state(0, 5));
        assert!(memory.into_trail().is_none(), "one state does not tell how far a chain moves");
    }
}
