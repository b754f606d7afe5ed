//! The executor: replicates in batches on the card; what the card does not do, the processors do beside it.

use crate::card::{Card, Launch};
use crate::left::{Late, Number, Open, Waiting};
use crate::pack::{Left, Pack};
use partita::Partition;
use partita_run::Failure;
use partita_run::config::Float;
use partita_run::engine::{Executor, Job, Numbers, Output, Threads, Work};
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
    /// Those of them that outgrew the first kernel.
    pub in_wide: u64,
    /// Replicates that the card left to the processors: they outgrew it, or masses of a step have to be exact.
    pub left: u64,
    /// Likewise, because they had not met for long.
    pub outlasted: u64,
    /// Pairs between kept states done on the card, for the variance of one long chain.
    pub between: u64,
    /// Seconds of the kernel itself.
    pub seconds: f64,
}

/// The most replicates of a launch: an interrupt is looked at between two.
const MOST: u64 = 1 << 18;

/// Launches that took longer than these seconds are followed by smaller ones, but none of fewer replicates than fill a card.
const LONGEST: f64 = 20.0;
const FILLS: usize = 1 << 16;

/// Where more than this share of a launch outgrew its kernel, the next ones begin in a wider one.
const MOST_OUTGROWN: f64 = 0.5;

/// Where more than this share of a launch had not met for long, the next ones wait twice as long.
const MANY: f64 = 0.05;

/// Pairs that have not met for long are the processors' while there is other work. Then, where more of them are left for each
/// thread, the card takes them back and waits so many times as long: a chain of its own takes some thirty times as long there.
const LATE_EACH: usize = 32;
const PATIENCE_OF_LATE: u64 = 4;

impl<C: Card> OnCard<C> {
    /// The card, with as many threads beside it.
    pub fn new(card: C, threads: Threads) -> Self {
        OnCard { card, threads, notes: Mutex::default(), tally: Mutex::default() }
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

    /// The replicates of a job, where the card knows how to make them. It alone can make them in single precision.
    fn pack(&self, job: &Job) -> Result<Option<Pack>, Failure> {
        if !Pack::is_for(job.work) {
            return Ok(None);
        }
        let packed = job.chains.plain().and_then(|plain| Pack::new(&plain, job.work));
        match packed {
            Ok(pack) => Ok(Some(pack)),
            Err(what) if job.chains.float() == Float::F32 && matches!(job.work, Work::Replicates(_)) => Err(
                Failure::option("float", format!("`float = f32`: {what} is not for the card; leave it out")),
            ),
            Err(what) => {
                self.note(format!("{what} is not for the card: the processors run it"));
                Ok(None)
            }
        }
    }

    /// Where the chains of some replicates start, drawn by the threads.
    fn draw_starts(&self, job: &Job, seed: u64, numbers: &[u64]) -> Vec<[Partition; 2]> {
        let draw = |&number| job.chains.starts(seed, number).expect("plain chains have starts");
        let each = numbers.len().div_ceil(self.threads.width()).max(1);
        std::thread::scope(|scope| {
            let parts: Vec<_> = numbers
                .chunks(each)
                .map(|part| scope.spawn(move || part.iter().map(draw).collect::<Vec<_>>()))
                .collect();
            parts.into_iter().flat_map(|part| part.join().expect("a start can be drawn")).collect()
        })
    }

    /// The pairs of some numbers, as many each, for a kernel of the ladder.
    fn launch(&self, job: &Job, pack: &Pack, rung: usize, numbers: &[u64], patience: u64) -> Launch {
        match job.work {
            Work::VariancePairs(starts) => {
                let pairs = || numbers.iter().flat_map(|number| starts.pairs(*number));
                let states: Vec<_> = pairs().map(|pair| pair.states.map(Partition::clone)).collect();
                pack.launch(rung, pairs().map(|pair| pair.number).collect(), &states, patience)
            }
            Work::Replicates(settings) if pack.has_own_starts() => {
                let starts = self.draw_starts(job, settings.seed, numbers);
                pack.launch(rung, numbers.to_vec(), &starts, patience)
            }
            _ => pack.launch(rung, numbers.to_vec(), &[], patience),
        }
    }
}

/// The numbers of the next launches after one of so many that took so long.
fn launch_after(numbers: usize, seconds: f64, most: usize) -> usize {
    let wanted = numbers as f64 * LONGEST / seconds;
    if wanted < most as f64 { (wanted as usize).max(FILLS.min(most)) } else { most }
}

/// Pairs that a number stands for.
fn pairs_of(work: &Work) -> usize {
    match work {
        Work::VariancePairs(starts) => starts.each as usize,
        _ => 1,
    }
}

impl<C: Card> Executor for OnCard<C> {
    /// That of the processors: only they are planned by it.
    fn width(&self) -> usize {
        self.threads.width()
    }

    /// For some work: what else there is refuses it.
    fn has(&self, _: Float) -> bool {
        true
    }

    /// Each sentence once.
    fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.lock().expect("nobody panics over a note").clone();
        let Tally { on_card, left, outlasted, between, seconds, .. } = self.tally();
        if on_card + left + outlasted > 0 {
            let more = match left + outlasted {
                0 => String::new(),
                more => format!("; the processors did {more} that outgrew it or had not met for long"),
            };
            let and = if between > 0 { format!(" and {between} pairs between them") } else { String::new() };
            let card = self.card.name();
            notes.push(format!(
                "{on_card} replicates{and} were made on {card} in {seconds:.2} s of its time{more}"
            ));
        }
        notes
    }

    fn execute(
        &self,
        job: &Job,
        numbers: &Numbers,
        stop: &(dyn Fn() -> bool + Sync),
        give: &mut dyn FnMut(u64, Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(pack) = self.pack(job)? else { return self.threads.execute(job, numbers, stop, give) };
        let each = pairs_of(job.work).max(1);
        let shapes: Vec<_> = pack.shapes().collect();
        // What the time of launches allows, by kernel.
        let mut in_time = vec![usize::MAX; shapes.len()];
        let in_memory = |rung| {
            let pairs = (self.card.memory() / pack.bytes_each(rung)).clamp(1, MOST) as usize;
            (pairs / each).max(1)
        };
        let broken = AtomicBool::new(false);
        let stopped = || stop() || broken.load(Ordering::Relaxed);
        let mut give =
            |number, output| give(number, output).inspect_err(|_| broken.store(true, Ordering::Relaxed));
        let left = Waiting::default();
        let failed = std::thread::scope(|scope| {
            let (sender, done) = mpsc::channel();
            for _ in 0..self.threads.width() {
                let (left, sender, stopped) = (&left, sender.clone(), &stopped);
                scope.spawn(move || {
                    while let Some(number) = left.next() {
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
            // However this ends, the workers see that nothing more comes.
            let open = Open(&left);
            let leave = |number| left.leave(Number { number, late: None });
            let mut patience = pack.patience();
            // Which pairs are made in single precision must not depend on how long anything takes.
            let fewest_late = if shapes[0].float { usize::MAX } else { LATE_EACH * self.threads.width() };
            let (widest, mut first, mut failed) = (shapes.len() - 1, 0, false);
            if let Some(&wider) = shapes.get(1) {
                scope.spawn(move || self.card.prepare(wider));
            }
            // What outgrew the kernels before each of the ladder.
            let mut outgrown = vec![Vec::new(); widest + 1];
            while !failed && !stopped() {
                let most = |rung: usize| in_memory(rung).min(in_time[rung]);
                let full = (1..=widest).find(|&rung| outgrown[rung].len() >= most(rung));
                let mut batch = if full.is_none() { numbers.take(most(first)) } else { Vec::new() };
                let mut at = Late { rung: first, patience };
                if batch.is_empty() {
                    let next = full.or_else(|| (1..=widest).find(|&rung| !outgrown[rung].is_empty()));
                    if let Some(rung) = next {
                        at.rung = rung;
                        let waiting: &mut Vec<u64> = &mut outgrown[rung];
                        batch = waiting.split_off(waiting.len().saturating_sub(most(rung)));
                    } else if let Some((late, taken)) = left.take_late(fewest_late, most) {
                        at = Late { patience: PATIENCE_OF_LATE * late.patience, ..late };
                        self.count(job, |tally| tally.outlasted -= taken.len() as u64);
                        batch = taken;
                    } else {
                        break;
                    }
                }
                let Late { rung, patience: waits } = at;
                let launch = self.launch(job, &pack, rung, &batch, waits);
                let returned = match self.card.run(&launch) {
                    Ok(returned) => returned,
                    Err(error) => {
                        self.note(format!("{error}: the processors go on"));
                        failed = true;
                        let unmade = batch.iter().chain(outgrown.iter().flatten());
                        unmade.for_each(|number| leave(*number));
                        break;
                    }
                };
                if !shapes[0].float {
                    in_time[rung] = launch_after(batch.len(), returned.seconds, in_memory(rung));
                }
                let count = batch.len() as f64;
                let seconds = returned.seconds / count;
                // First what the processors have to do, so that they begin.
                let came =
                    |(at, &number)| (number, pack.unpack(&returned, at * each, number, job.work, seconds));
                let (mut done_here, mut outgrew, mut outlasted, mut undone) = (Vec::new(), 0, 0_u32, 0);
                for (number, came) in batch.iter().enumerate().map(came) {
                    match came {
                        Ok(output) => {
                            done_here.push((number, output));
                            continue;
                        }
                        Err(Left::Outgrown) if rung < widest => {
                            outgrew += 1;
                            outgrown[rung + 1].push(number);
                            continue;
                        }
                        Err(Left::Outgrown | Left::Undecided) => {
                            undone += 1;
                            leave(number);
                        }
                        Err(Left::Outlasted) => {
                            outlasted += 1;
                            left.leave(Number { number, late: Some(at) });
                        }
                    }
                }
                let on_card = done_here.len() as u64;
                self.count(job, |tally| {
                    tally.on_card += on_card;
                    tally.in_wide += if rung > 0 { on_card } else { 0 };
                    tally.left += undone;
                    tally.outlasted += u64::from(outlasted);
                });
                let mut tally = self.tally.lock().expect("nobody panics over a tally");
                tally.seconds += returned.seconds;
                if matches!(job.work, Work::VariancePairs(_)) {
                    tally.between += on_card * each as u64;
                }
                drop(tally);
                if rung == first && f64::from(outgrew) > MOST_OUTGROWN * count {
                    first += 1;
                }
                if waits == patience && f64::from(outlasted) > MANY * count {
                    patience *= 2;
                }
                for (number, output) in done_here {
                    give(number, output)?;
                }
                for (number, output) in done.try_iter() {
                    give(number, output)?;
                }
            }
            drop(open);
            for (number, output) in done {
                give(number, output)?;
            }
            Ok::<bool, Failure>(failed)
        })?;
        if failed { self.threads.execute(job, numbers, stop, &mut give) } else { Ok(()) }
    }
}

impl<C> OnCard<C> {
    /// Counts replicates: of other work only what the card did is said.
    fn count(&self, job: &Job, change: impl FnOnce(&mut Tally)) {
        if matches!(job.work, Work::Replicates(_)) {
            change(&mut self.tally.lock().expect("nobody panics over a tally"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_that_took_long_are_followed_by_smaller_ones() {
        assert_eq!(launch_after(200_000, 0.0, 262_144), 262_144);
        assert_eq!(launch_after(200_000, 19.0, 180_000), 180_000);
        assert_eq!(launch_after(262_144, 40.0, 262_144), 131_072);
        assert_eq!(launch_after(262_144, 1000.0, 262_144), FILLS);
        assert_eq!(launch_after(300, 1000.0, 300), 300);
    }
}
