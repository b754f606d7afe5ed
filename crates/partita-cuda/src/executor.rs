//! The executor: replicates in batches on the card; what the card does not do, the processors do beside it.

use crate::card::Card;
use crate::pack::{Came, Pack};
use partita_run::Failure;
use partita_run::engine::{Executor, Job, Numbers, Output, Replicate, Threads, Work};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};

/// A card, and the threads of this process for all that it does not do.
#[derive(Debug)]
pub struct OnCard<C> {
    card: C,
    threads: Threads,
    notes: Mutex<Vec<String>>,
    tally: Mutex<Tally>,
}

/// What was done where.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// Replicates done on the card.
    pub on_card: u64,
    /// Replicates that the card left to the processors: they outgrew it, or rounding could decide a step.
    pub left: u64,
    /// Likewise, because they had not met for long.
    pub outlasted: u64,
    /// Seconds of the kernel itself.
    pub seconds: f64,
}

/// The most replicates of a launch: an interrupt is looked at between two.
const MOST: u64 = 1 << 18;

/// Where more than this share of a launch had not met for long, the next ones wait twice as long.
const MANY: f64 = 0.05;

impl<C: Card> OnCard<C> {
    /// The card, with as many threads beside it.
    pub fn new(card: C, threads: Threads) -> Self {
        OnCard { card, threads, notes: Mutex::default(), tally: Mutex::default() }
    }

    /// What there is to say about where work was done, each sentence once.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.lock().expect("nobody panics over a note").clone();
        let Tally { on_card, left, outlasted, seconds } = self.tally();
        if on_card + left + outlasted > 0 {
            let more = match left + outlasted {
                0 => String::new(),
                more => format!("; the processors did {more} that outgrew it or had not met for long"),
            };
            notes.push(format!(
                "{on_card} replicates were made on {} in {seconds:.2} s of its time{more}",
                self.card.name()
            ));
        }
        notes
    }

    /// What was done where.
    pub fn tally(&self) -> Tally {
        *self.tally.lock().expect("nobody panics over a tally")
    }

    fn note(&self, sentence: String) {
        let mut notes = self.notes.lock().expect("nobody panics over a note");
        if !notes.contains(&sentence) {
            notes.push(sentence);
        }
    }

    /// The replicates of a job, where the card knows how to make them.
    fn pack(&self, job: &Job) -> Option<Pack> {
        let Work::Replicates(settings) = job.work else { return None };
        let packed = job.chains.plain().and_then(|plain| Pack::new(&plain, settings));
        match packed {
            Ok(pack) => Some(pack),
            Err(what) => {
                self.note(format!("{what} is not for the card: the processors run it"));
                None
            }
        }
    }
}

impl<C: Card> Executor for OnCard<C> {
    /// That of the processors: only they are planned by it.
    fn width(&self) -> usize {
        self.threads.width()
    }

    fn execute(
        &self,
        job: &Job,
        numbers: &Numbers,
        stop: &(dyn Fn() -> bool + Sync),
        give: &mut dyn FnMut(u64, Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(pack) = self.pack(job) else { return self.threads.execute(job, numbers, stop, give) };
        let most = (self.card.memory() / pack.bytes_each()).clamp(1, MOST) as usize;
        let broken = AtomicBool::new(false);
        let stopped = || stop() || broken.load(Ordering::Relaxed);
        let mut give =
            |number, output| give(number, output).inspect_err(|_| broken.store(true, Ordering::Relaxed));
        let (leave, left) = mpsc::channel::<u64>();
        let left = Mutex::new(left);
        let failed = std::thread::scope(|scope| {
            let (sender, done) = mpsc::channel();
            for _ in 0..self.threads.width() {
                let (left, sender, stopped) = (&left, sender.clone(), &stopped);
                scope.spawn(move || {
                    let next = || left.lock().expect("nobody panics while waiting").recv().ok();
                    while let Some(number) = next() {
                        // The receiver outlives the workers unless it failed; then nobody listens.
                        if !stopped()
                            && let Some(output) = job.chains.run(job.work, number, stopped)
                        {
                            drop(sender.send((number, output)));
                        }
                    }
                });
            }
            drop(sender);
            // Owned here: however this ends, the workers see that nothing more comes.
            let leave = leave;
            let mut patience = pack.patience();
            let mut failed = false;
            while !failed && !stopped() {
                let batch = numbers.take(most);
                if batch.is_empty() {
                    break;
                }
                let launch = pack.launch(batch, patience);
                let returned = match self.card.run(&launch) {
                    Ok(returned) => returned,
                    Err(error) => {
                        self.note(format!("{error}: the processors go on"));
                        failed = true;
                        launch
                            .numbers
                            .iter()
                            .for_each(|number| leave.send(*number).expect("the workers listen"));
                        break;
                    }
                };
                let seconds = returned.seconds / launch.numbers.len() as f64;
                let mut tally = Tally { seconds: returned.seconds, ..Tally::default() };
                // First what the processors have to do, so that they begin.
                let came = |(at, &number)| (number, pack.unpack(&returned, at, number, seconds));
                let (mut done_here, mut outlasted): (Vec<Replicate>, u64) = (Vec::new(), 0);
                for (number, came) in launch.numbers.iter().enumerate().map(came) {
                    match came {
                        Came::Done(replicate) => done_here.push(replicate),
                        Came::Left => {
                            tally.left += 1;
                            leave.send(number).expect("the workers listen");
                        }
                        Came::Outlasted => {
                            outlasted += 1;
                            leave.send(number).expect("the workers listen");
                        }
                    }
                }
                tally.on_card = done_here.len() as u64;
                tally.outlasted = outlasted;
                self.add(tally);
                if outlasted as f64 > MANY * launch.numbers.len() as f64 {
                    patience *= 2;
                }
                for replicate in done_here {
                    give(replicate.row.replicate, Output::Replicate(replicate))?;
                }
                for (number, output) in done.try_iter() {
                    give(number, output)?;
                }
            }
            drop(leave);
            for (number, output) in done {
                give(number, output)?;
            }
            Ok::<bool, Failure>(failed)
        })?;
        if failed { self.threads.execute(job, numbers, stop, &mut give) } else { Ok(()) }
    }
}

impl<C> OnCard<C> {
    fn add(&self, more: Tally) {
        let mut tally = self.tally.lock().expect("nobody panics over a tally");
        tally.on_card += more.on_card;
        tally.left += more.left;
        tally.outlasted += more.outlasted;
        tally.seconds += more.seconds;
    }
}
