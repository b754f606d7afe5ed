//! The threads of this process: the executor that is always there.

use super::{Executor, Job, Numbers, Output, Work};
use crate::Failure;
use crate::config::Float;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

/// A number of threads, each working on one number at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads(
    /// How many; at least one is used.
    pub usize,
);

impl Executor for Threads {
    fn width(&self) -> usize {
        self.0.max(1)
    }

    fn execute(
        &self,
        job: &Job,
        numbers: &Numbers,
        stop: &(dyn Fn() -> bool + Sync),
        give: &mut dyn FnMut(u64, Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if matches!(job.work, Work::Replicates(_)) && job.chains.float() == Float::F32 {
            let sentence = "`float = f32` is for replicates on a GPU: say `device = cuda` on a machine that has one, or leave it out";
            return Err(Failure::option("float", sentence.into()));
        }
        let broken = AtomicBool::new(false);
        let stop = || stop() || broken.load(Ordering::Relaxed);
        // A bounded channel: workers wait for a slow disk instead of filling the memory.
        let (sender, receiver) = mpsc::sync_channel(1024);
        std::thread::scope(|scope| {
            for _ in 0..self.width() {
                let (sender, stop) = (sender.clone(), &stop);
                scope.spawn(move || {
                    while !stop()
                        && let Some(number) = numbers.next()
                        && let Some(output) = job.chains.run(job.work, number, stop)
                    {
                        // The receiver outlives the workers unless it failed; then nobody listens.
                        drop(sender.send((number, output)));
                    }
                });
            }
            drop(sender);
            let mut outcome = Ok(());
            for (number, output) in &receiver {
                if outcome.is_ok() {
                    outcome = give(number, output);
                    broken.store(outcome.is_err(), Ordering::Relaxed);
                }
            }
            outcome
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Chains, Work};

    /// Gives the square of a number.
    struct Squares;

    impl Chains for Squares {
        fn run(&self, _: &Work, number: u64, _: &dyn Fn() -> bool) -> Option<Output> {
            Some(Output::Average(vec![(number * number) as f64]))
        }
    }

    const WORK: Work = Work::Averages { seed: 1, discard: 0, end: 1 };
    const JOB: Job = Job { chains: &Squares, work: &WORK };

    #[test]
    fn every_number_is_done_once_whatever_the_threads() {
        for threads in [1, 2, 7] {
            let mut seen = Vec::new();
            let done = engine::run(&Threads(threads), &JOB, 0..1000, &AtomicBool::new(false), |n, output| {
                seen.push((n, output));
                Ok(())
            });
            assert_eq!(done, Ok(true));
            seen.sort_by_key(|(n, _)| *n);
            let square = |n: u64| Output::Average(vec![(n * n) as f64]);
            assert!(seen.iter().enumerate().all(|(i, s)| *s == (i as u64, square(i as u64))));
        }
    }

    #[test]
    fn a_failure_to_take_stops_the_workers() {
        let mut taken = 0;
        let full = Failure::Failed("disk full".into());
        let outcome = engine::run(&Threads(2), &JOB, 0..u64::MAX, &AtomicBool::new(false), |_, _| {
            taken += 1;
            if taken == 10 { Err(full.clone()) } else { Ok(()) }
        });
        assert_eq!((outcome, taken), (Err(full.clone()), 10));
    }

    #[test]
    fn an_interrupt_ends_early() {
        let interrupted = AtomicBool::new(false);
        let outcome = engine::run(&Threads(2), &JOB, 0..u64::MAX, &interrupted, |n, _| {
            if n > 100 {
                interrupted.store(true, Ordering::Relaxed);
            }
            Ok(())
        });
        assert_eq!(outcome, Ok(false));
    }

    /// An executor that drops every third number it takes, and one that drops all.
    struct Careless(u64);

    impl Executor for Careless {
        fn width(&self) -> usize {
            1
        }

        fn execute(
            &self,
            job: &Job,
            numbers: &Numbers,
            _: &(dyn Fn() -> bool + Sync),
            give: &mut dyn FnMut(u64, Output) -> Result<(), Failure>,
        ) -> Result<(), Failure> {
            let mut dropped = 0;
            while let Some(number) = numbers.next() {
                dropped += 1;
                if dropped % self.0 != 0
                    && let Some(output) = job.chains.run(job.work, number, &|| false)
                {
                    give(number, output)?;
                }
            }
            Ok(())
        }
    }

    #[test]
    fn what_is_lost_is_asked_for_again() {
        let mut seen = Vec::new();
        let none = AtomicBool::new(false);
        let done = engine::run(&Careless(3), &JOB, 0..100, &none, |n, _| {
            seen.push(n);
            Ok(())
        });
        assert_eq!(done, Ok(true));
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..100));
        let lost = engine::run(&Careless(1), &JOB, 0..100, &none, |_, _| Ok(())).unwrap_err();
        assert!(lost.to_string().contains("100 replicates were handed out 3 times"), "{lost}");
    }
}
