//! Workers that run jobs by number and hand what comes out to one place, until told to stop.

use crate::Failure;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

/// Runs `job` for every number on `threads` workers; `take` gets whatever the jobs send, in the
/// order it arrives, on the calling thread.
///
/// A job is told through its second argument what to send and through its third whether to stop. If
/// `take` fails (a full disk), the workers are stopped and its failure is returned. True if every
/// job ran to its end.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// let mut sum = 0;
/// let square = |n: u64, send: &dyn Fn(u64), _: &dyn Fn() -> bool| {
///     send(n * n);
///     true
/// };
/// let whole = partita_run::pool::run(2, 1..=3, &AtomicBool::new(false), square, |n| {
///     sum += n;
///     Ok(())
/// });
/// assert_eq!((whole, sum), (Ok(true), 14));
/// ```
pub fn run<M: Send>(
    threads: usize,
    numbers: impl Iterator<Item = u64> + Send,
    interrupted: &AtomicBool,
    job: impl Fn(u64, &dyn Fn(M), &dyn Fn() -> bool) -> bool + Sync,
    mut take: impl FnMut(M) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    let numbers = Mutex::new(numbers);
    let broken = AtomicBool::new(false);
    let all = AtomicBool::new(true);
    let stop = || interrupted.load(Ordering::Relaxed) || broken.load(Ordering::Relaxed);
    // A bounded channel: workers wait for a slow disk instead of filling the memory.
    let (sender, receiver) = mpsc::sync_channel::<M>(1024);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let sender = sender.clone();
            scope.spawn({
                let (numbers, job, stop, all) = (&numbers, &job, &stop, &all);
                move || {
                    // The receiver outlives the workers unless it failed; then nobody listens.
                    let send = |message| drop(sender.send(message));
                    while !stop() {
                        let next = numbers.lock().expect("no job panics while taking a number").next();
                        let Some(number) = next else { return };
                        if !job(number, &send, stop) {
                            all.store(false, Ordering::Relaxed);
                        }
                    }
                    if numbers.lock().is_ok_and(|mut n| n.next().is_some()) {
                        all.store(false, Ordering::Relaxed);
                    }
                }
            });
        }
        drop(sender);
        let mut outcome = Ok(());
        for message in &receiver {
            if outcome.is_ok() {
                outcome = take(message);
                if outcome.is_err() {
                    broken.store(true, Ordering::Relaxed);
                }
            }
        }
        outcome.map(|()| all.load(Ordering::Relaxed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_runs_once_whatever_the_threads() {
        for threads in [1, 2, 7] {
            let mut seen = Vec::new();
            let job = |n: u64, send: &dyn Fn(u64), _: &dyn Fn() -> bool| {
                send(n * n);
                true
            };
            let done = run(threads, 0..1000, &AtomicBool::new(false), job, |square| {
                seen.push(square);
                Ok(())
            });
            assert_eq!(done, Ok(true));
            seen.sort_unstable();
            assert!(seen.iter().enumerate().all(|(i, s)| *s == (i * i) as u64));
        }
    }

    #[test]
    fn a_failure_to_take_stops_the_workers() {
        let job = |n: u64, send: &dyn Fn(u64), _: &dyn Fn() -> bool| {
            send(n);
            true
        };
        let mut taken = 0;
        let full = Failure::Failed("disk full".into());
        let outcome = run(2, 0..u64::MAX, &AtomicBool::new(false), job, |_| {
            taken += 1;
            if taken == 10 { Err(full.clone()) } else { Ok(()) }
        });
        assert_eq!((outcome, taken), (Err(full.clone()), 10));
    }

    #[test]
    fn an_interrupt_ends_early() {
        let interrupted = AtomicBool::new(false);
        let job = |n: u64, send: &dyn Fn(u64), _: &dyn Fn() -> bool| {
            send(n);
            true
        };
        let outcome = run(2, 0..u64::MAX, &interrupted, job, |n| {
            if n > 100 {
                interrupted.store(true, Ordering::Relaxed);
            }
            Ok(())
        });
        assert_eq!(outcome, Ok(false));
    }
}
