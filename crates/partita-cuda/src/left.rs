//! What a card leaves to the processors: numbers that wait for one of them, or for the card to take them back.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};

/// Numbers that wait.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    numbers: VecDeque<Number>,
    is_closed: bool,
}

/// A number that was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub number: u64,
    /// Where pairs had not met for long: the kernel of the ladder, and how many sweeps it waited.
    pub late: Option<Late>,
}

/// How long a kernel waited for pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Late {
    pub rung: usize,
    pub patience: u64,
}

impl Waiting {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nobody panics while waiting")
    }

    pub fn leave(&self, number: Number) {
        self.queue().numbers.push_back(number);
        self.changed.notify_one();
    }

    /// The next number, once there is one; none where no more will come.
    pub fn next(&self) -> Option<u64> {
        let mut queue = self.queue();
        loop {
            match queue.numbers.pop_front() {
                Some(next) => return Some(next.number),
                None if queue.is_closed => return None,
                None => queue = self.changed.wait(queue).expect("nobody panics while waiting"),
            }
        }
    }

    /// Takes back those that had not met for long and that nobody has begun, where they are many: the kernel that is to make
    /// them, the longest that any of them was waited for, and at most so many numbers.
    pub fn take_late(&self, fewest: usize, most: impl Fn(usize) -> usize) -> Option<(Late, Vec<u64>)> {
        let mut queue = self.queue();
        let late = || queue.numbers.iter().filter_map(|number| number.late);
        if late().count() < fewest {
            return None;
        }
        let rung = late().map(|late| late.rung).max()?;
        let patience = late().map(|late| late.patience).max()?;
        let mut taken = Vec::new();
        queue.numbers.retain(|number| {
            let takes = number.late.is_some() && taken.len() < most(rung);
            taken.extend(takes.then_some(number.number));
            !takes
        });
        Some((Late { rung, patience }, taken))
    }
}

/// No more will come once this is dropped, however that happens.
pub(crate) struct Open<'a>(pub &'a Waiting);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.queue().is_closed = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_late_numbers_are_taken_back_and_only_many() {
        let waiting = Waiting::default();
        let late = |rung, patience| Some(Late { rung, patience });
        for (number, late) in [(1, late(0, 100)), (2, None), (3, late(1, 400)), (4, late(0, 100))] {
            waiting.leave(Number { number, late });
        }
        assert_eq!(waiting.take_late(4, |_| 9), None);
        assert_eq!(waiting.take_late(3, |_| 2), Some((Late { rung: 1, patience: 400 }, vec![1, 3])));
        assert_eq!((waiting.next(), waiting.next()), (Some(2), Some(4)));
        drop(Open(&waiting));
        assert_eq!(waiting.next(), None);
    }
}
