//! Work by number: replicates and everything else that chains do, on any executor.
//!
//! What a number stands for is a pure function of the model and the [`Work`], so it does not matter where it runs, in
//! which order, in which batches, or whether it is lost and run again: the same [`Output`] comes back.

mod device;
pub(crate) mod long_chain;
mod origin;
pub(crate) mod pilot;
mod plain;
mod sample;
pub(crate) mod stopwatch;
mod threads;
mod work;
pub(crate) mod worker;

pub use origin::{Delivery, Order, Origin};
pub use plain::Plain;
pub use sample::{Draw, Sample, Sink};
pub use threads::Threads;
pub use work::{
    Abreast, Against, Between, Budget, Output, PilotPair, PilotPairs, Replicate, Row, Scores, Settings,
    Starts, Streams, Work,
};

use crate::Failure;
use crate::config::Float;
use partita::Partition;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The chains of one model, with their observers: what an executor runs.
pub trait Chains: Sync {
    /// Does the work of one number; `None` if it was stopped before it was done.
    fn run(&self, work: &Work, number: u64, stop: &dyn Fn() -> bool) -> Option<Output>;

    /// What the same chains can be built from elsewhere; `None` if they cannot.
    fn origin(&self) -> Option<&Origin> {
        None
    }

    /// The precision in which replicates are asked for.
    fn float(&self) -> Float {
        Float::F64
    }

    /// The same chains in plain numbers, for an executor on another kind of machine; otherwise, what such an executor
    /// does not support.
    fn plain(&self) -> Result<Plain, String> {
        Err("chains of one's own".into())
    }

    /// Where the two chains of a replicate start, given a seed; `None` if the chains have no [plain](Self::plain) form.
    fn starts(&self, _seed: u64, _number: u64) -> Option<[Partition; 2]> {
        None
    }
}

/// What an executor is asked to do.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The chains.
    pub chains: &'a dyn Chains,
    /// What they do.
    pub work: &'a Work,
}

/// Something that runs work: threads of this process, a GPU, other machines.
///
/// An executor takes numbers from the queue, as many at a time as it likes, and returns the output of each, in any
/// order. It may lose some (a process that died): they are requested again. It returns when the queue is empty and
/// nothing is in progress, or soon after `stop` is set.
///
/// One run uses chains of several models: a pilot tries moves and models. An executor that keeps chains elsewhere
/// identifies them by their [origin](Chains::origin).
pub trait Executor: Sync {
    /// How many numbers are worked on at the same time; runs are planned accordingly.
    fn width(&self) -> usize;

    /// Whether it can make replicates in this precision.
    fn has(&self, float: Float) -> bool {
        float == Float::F64
    }

    /// Notes, for the end of the run, on where work was done.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Runs the numbers of the queue. If `give` fails, stops and returns the failure.
    fn execute(
        &self,
        job: &Job,
        numbers: &Numbers,
        stop: &(dyn Fn() -> bool + Sync),
        give: &mut dyn FnMut(u64, Output) -> Result<(), Failure>,
    ) -> Result<(), Failure>;
}

/// A queue of numbers shared by workers, which records those handed out.
pub struct Numbers<'a> {
    queue: Mutex<Queue<'a>>,
}

struct Queue<'a> {
    source: Box<dyn Iterator<Item = u64> + Send + 'a>,
    /// Lost, to be taken again.
    again: Vec<u64>,
    out: HashSet<u64>,
    /// The source has nothing more.
    empty: bool,
}

impl<'a> Numbers<'a> {
    fn new(source: impl Iterator<Item = u64> + Send + 'a) -> Self {
        let queue = Queue { source: Box::new(source), again: Vec::new(), out: HashSet::new(), empty: false };
        Numbers { queue: Mutex::new(queue) }
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, Queue<'a>> {
        self.queue.lock().expect("nobody panics while taking a number")
    }

    /// Takes the next number.
    pub fn next(&self) -> Option<u64> {
        self.take(1).pop()
    }

    /// Takes the next numbers, at most `most`.
    pub fn take(&self, most: usize) -> Vec<u64> {
        let queue = &mut *self.queue();
        let mut taken: Vec<u64> = Vec::new();
        while taken.len() < most {
            match queue.again.pop().or_else(|| queue.source.next()) {
                Some(number) => taken.push(number),
                None => {
                    queue.empty = true;
                    break;
                }
            }
        }
        queue.out.extend(&taken);
        taken
    }

    /// Strikes a number off the book; false where it was not out.
    fn hand_in(&self, number: u64) -> bool {
        self.queue().out.remove(&number)
    }

    /// Whether every number was taken and handed in.
    fn all_done(&self) -> bool {
        let queue = &mut *self.queue();
        // Whoever was stopped at once has not seen whether there is a number left.
        if queue.again.is_empty() && !queue.empty {
            queue.again.extend(queue.source.next());
        }
        queue.again.is_empty() && queue.out.is_empty()
    }

    /// Puts what is still out back into the queue.
    fn ask_again(&self) {
        let queue = &mut *self.queue();
        queue.again.extend(queue.out.drain());
        queue.again.sort_unstable_by(|a, b| b.cmp(a));
    }
}

/// Rounds in which an executor brings nothing back before it is given up.
const PATIENCE: usize = 3;

/// Runs `work` for every number; `take` receives the outputs, in order of arrival, on the calling thread.
///
/// If `take` fails (a full disk), the work is stopped and its failure is returned. True if every number is done, false
/// if the run was interrupted.
pub fn run(
    executor: &dyn Executor,
    job: &Job,
    numbers: impl Iterator<Item = u64> + Send,
    interrupted: &AtomicBool,
    mut take: impl FnMut(u64, Output) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    let stop = || interrupted.load(Ordering::Relaxed);
    let numbers = Numbers::new(numbers);
    let mut fruitless = 0;
    loop {
        let mut came = false;
        executor.execute(job, &numbers, &stop, &mut |number, output| {
            // What comes twice is the same: once is enough.
            if numbers.hand_in(number) {
                came = true;
                take(number, output)?;
            }
            Ok(())
        })?;
        if numbers.all_done() {
            return Ok(true);
        }
        if stop() {
            return Ok(false);
        }
        fruitless = if came { 0 } else { fruitless + 1 };
        if fruitless == PATIENCE {
            let lost = numbers.queue().out.len();
            return Err(Failure::Failed(format!(
                "{lost} replicates were handed out {PATIENCE} times, and none came back: those who were to run them \
                 may be gone"
            )));
        }
        numbers.ask_again();
    }
}
