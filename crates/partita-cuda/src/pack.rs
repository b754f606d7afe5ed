//! Chains in plain numbers to buffers, and buffers to replicates.

use crate::card::{Launch, Returned};
use crate::room::OUTCOME;
use crate::source::{Crew, LANES, Moves, Shape};
use crate::tables::Tables;
use partita::Partition;
use partita::SplitMerge;
use partita::atoms::Atom;
use partita::poisson::variance_term;
use partita_run::config::{Float, Move, Summary};
use partita_run::engine::{Between, Output, Plain, Replicate, Row, Settings, Starts, Work};

const MET: u64 = 0;
const CENSORED: u64 = 1;
const LEFT: u64 = 2;
const OUTLASTED: u64 = 3;

/// Sweeps of the first round: most pairs have met by then, the others go on among themselves.
const FIRST_ROUND: u64 = 16;

/// Beside an item, a word has eight flags.
const MOST_ITEMS: usize = (1 << 24) - 1;

/// Numbers of a summary where chains are compared: the first difference, the sum of all, and one for the kernel.
const OF_SUMMARY: usize = 3;

/// Labels of starts have 8 bits; one as high as this outgrows every kernel.
const MOST_LABEL: usize = u8::MAX as usize;

/// What all launches of some work have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// The kernels, each for more clusters than the one before, with the tables as each reads them.
    ladder: Vec<(Shape, Vec<f64>)>,
    plan: Schedules,
    nugget: f64,
    items: usize,
    counted: usize,
    values: usize,
    summaries: usize,
    moves: Vec<u64>,
    words: Vec<u32>,
    /// Where in the words the neighbours are, and where those of the clusters.
    near: usize,
    words_of_clusters: usize,
    /// Where in the tables those of the clusters are.
    numbers_of_clusters: usize,
    gains: Vec<i64>,
    /// Of all chains, unless each has its own.
    start: Option<Vec<u8>>,
}

/// What is asked of pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Schedules {
    seed: u64,
    lag: u64,
    burn_in: u64,
    sweeps: u64,
    max_sweeps: u64,
    keep_draws: usize,
    keep_until: u64,
    /// Whether chains set out together and are compared until they meet.
    abreast: bool,
}

impl Schedules {
    /// None where the card does not do such work.
    fn of(work: &Work) -> Option<Self> {
        match work {
            Work::Replicates(Settings { seed, schedule, max_sweeps, keep_draws, keep_until }) => {
                Some(Schedules {
                    seed: *seed,
                    lag: schedule.lag(),
                    burn_in: schedule.burn_in(),
                    sweeps: schedule.sweeps(),
                    max_sweeps: *max_sweeps,
                    keep_draws: *keep_draws,
                    keep_until: *keep_until,
                    abreast: false,
                })
            }
            Work::VariancePairs(Starts { seed, cap, .. }) => Some(Schedules {
                seed: *seed,
                lag: 0,
                burn_in: 0,
                sweeps: 0,
                max_sweeps: *cap,
                keep_draws: 0,
                keep_until: 0,
                abreast: true,
            }),
            _ => None,
        }
    }
}

/// Why a number is left to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// It outgrew the kernel's slots.
    Outgrown,
    /// It is left to the processors: masses of a transport problem have to be exact.
    Undecided,
    /// It is left to the processors: it has not met for long.
    Outlasted,
}

impl Pack {
    /// Whether the card does work of this kind at all.
    pub fn is_for(work: &Work) -> bool {
        Schedules::of(work).is_some()
    }

    /// Packs chains and what is asked of them; where the card does not know them, what it is.
    pub fn new(plain: &Plain, work: &Work) -> Result<Self, String> {
        let Plain { target, moves, near, gains, nugget, float, start, summaries, counted } = plain;
        let float = *float == Float::F32;
        let plan = Schedules::of(work).ok_or("such work")?;
        let items = target.items;
        if items > MOST_ITEMS {
            return Err(format!("a table of {items} rows"));
        }
        if [plan.lag, plan.burn_in, plan.sweeps].iter().any(|time| time >> 31 != 0) {
            return Err("so many sweeps".into());
        }
        let quantities = summaries.iter().map(|summary| summary.quantities().len()).sum::<usize>();
        let tables = Tables::new(target)?;
        let mut words: Vec<u32> =
            summaries.iter().map(words_of).collect::<Result<Vec<[u32; 3]>, _>>()?.concat();
        let of_near = words.len();
        if let Some(near) = near {
            let lists = || (0..items).map(|item| near.of(item));
            let starts = lists().scan(0, |end, list| {
                *end += list.len() as u32;
                Some(*end)
            });
            words.extend([0].into_iter().chain(starts));
            words.extend(lists().flatten());
        }
        let words_of_clusters = words.len();
        words.extend(&tables.words);
        // No buffer may be empty.
        words.push(0);
        let has = |wanted: fn(Move) -> bool| moves.iter().any(|(kind, _)| wanted(*kind));
        let scans = has(|kind| matches!(kind, Move::SplitMerge | Move::SplitMergeIndependent));
        let of_two = Moves {
            sides: has(|kind| kind != Move::Gibbs),
            scans: if scans { SplitMerge::default().scans } else { 0 },
        };
        let with_tables = |shape: Shape| {
            let grouped = (shape.crew() == Crew::Groups).then(|| tables.for_groups(target, shape));
            (shape, grouped.map_or_else(|| tables.numbers.clone(), |tables| tables.numbers))
        };
        let ladder: Vec<_> = Shape::ladder(tables.family, gains.is_some(), of_two, float, items)
            .into_iter()
            .map(with_tables)
            .collect();
        if float && !ladder[0].0.float {
            return Err(
                "single precision for anything but Gibbs sweeps of Gaussian clusters of known spread".into(),
            );
        }
        Ok(Pack {
            ladder,
            plan,
            nugget: *nugget,
            items,
            counted: *counted,
            values: if plan.abreast { OF_SUMMARY * quantities } else { quantities + counted + 1 },
            summaries: summaries.len(),
            moves: moves.iter().map(words_of_move).collect::<Result<Vec<_>, _>>()?.concat(),
            words,
            near: of_near,
            words_of_clusters,
            numbers_of_clusters: tables.clusters,
            gains: gains.clone().unwrap_or(vec![0]),
            start: start
                .as_ref()
                .filter(|_| !plan.abreast)
                .map(|start| start.iter().copied().map(label).collect()),
        })
    }

    /// The kernels' shapes, each for more clusters than the one before.
    pub fn shapes(&self) -> impl ExactSizeIterator<Item = Shape> {
        self.ladder.iter().map(|(shape, _)| *shape)
    }

    /// Bytes that one replicate takes in a kernel of the ladder.
    pub fn bytes_each(&self, rung: usize) -> u64 {
        let room = self.ladder[rung].0.room(LANES, self.items, self.values, self.plan.keep_draws);
        let starts = if self.has_own_starts() { 2 * self.items } else { 0 };
        (room.bytes() / LANES + starts) as u64
    }

    /// Whether every replicate has starts of its own.
    pub fn has_own_starts(&self) -> bool {
        self.start.is_none()
    }

    /// The numbers of sweeps after which a pair that has not met is at first left to the processors.
    pub fn patience(&self) -> u64 {
        self.plan.lag + self.plan.sweeps.max(100)
    }

    /// The launch for some numbers in a kernel of the ladder, with the starts of each where they have their own.
    pub fn launch(&self, rung: usize, numbers: Vec<u64>, starts: &[[Partition; 2]], patience: u64) -> Launch {
        let Schedules { seed, lag, burn_in, sweeps, max_sweeps, keep_draws, keep_until, abreast } = self.plan;
        let (shape, tables) = &self.ladder[rung];
        let mut settings = vec![
            // In the order of the kernel's `Setting`.
            seed,
            lag,
            burn_in,
            sweeps,
            max_sweeps,
            patience.min(u64::from(u32::MAX)),
            self.items as u64,
            numbers.len() as u64,
            self.nugget.to_bits(),
            self.has_own_starts().into(),
            abreast.into(),
            self.summaries as u64,
            self.values as u64,
            self.counted as u64,
            keep_draws as u64,
            keep_until,
            FIRST_ROUND,
            self.near as u64,
            self.words_of_clusters as u64,
            self.numbers_of_clusters as u64,
            self.moves.len() as u64 / 2,
        ];
        settings.extend(&self.moves);
        let own = || starts.iter().flatten().flat_map(|start| start.slots().map(label)).collect();
        Launch {
            shape: *shape,
            settings,
            words: self.words.clone(),
            tables: tables.clone(),
            gains: self.gains.clone(),
            start: self.start.clone().unwrap_or_else(own),
            room: shape.room(numbers.len(), self.items, self.values, keep_draws),
            numbers,
        }
    }

    /// What came of a number whose pairs are those of a launch from a place on.
    pub fn unpack(
        &self,
        returned: &Returned,
        at: usize,
        number: u64,
        work: &Work,
        seconds: f64,
    ) -> Result<Output, Left> {
        match work {
            Work::VariancePairs(starts) => self.between(returned, at, starts, number).map(Output::Variance),
            _ => self.replicate(returned, at, number, seconds).map(Output::Replicate),
        }
    }

    /// How the pair at a place ended; why it did not.
    fn ending(&self, returned: &Returned, at: usize) -> Result<Ended, Left> {
        let [status, tau, sweeps, kernel_calls, seen] = returned.outcomes[at * OUTCOME..][..OUTCOME] else {
            unreachable!("an outcome has so many words")
        };
        let tau = match status {
            MET => Some(tau),
            CENSORED => None,
            LEFT => return Err(Left::Outgrown),
            OUTLASTED => return Err(Left::Outlasted),
            _ => return Err(Left::Undecided),
        };
        Ok(Ended { tau, sweeps, kernel_calls, seen })
    }

    fn values(&self, returned: &Returned, at: usize) -> Vec<f64> {
        returned.values[at * self.values..][..self.values].to_vec()
    }

    fn replicate(
        &self,
        returned: &Returned,
        at: usize,
        number: u64,
        seconds: f64,
    ) -> Result<Replicate, Left> {
        let Ended { tau, sweeps, kernel_calls, seen } = self.ending(returned, at)?;
        let values = self.values(returned, at);
        let row = Row { replicate: number, tau, sweeps, kernel_calls, seconds, values };
        let keep = self.plan.keep_draws;
        let kept = keep.min(seen as usize);
        let factor = seen as f64 / kept.max(1) as f64;
        let atom = |place: usize| {
            let place = at * keep + place;
            let labels = &returned.kept_labels[place * self.items..][..self.items];
            let labels: Vec<usize> = labels.iter().map(|&label| label.into()).collect();
            let partition = Partition::from_labels(&labels).expect("there are items");
            Atom { weight: returned.kept_weights[place] * factor, partition }
        };
        Ok(Replicate { row, atoms: (0..kept).map(atom).collect() })
    }

    /// Nothing where a pair was cut.
    fn between(
        &self,
        returned: &Returned,
        at: usize,
        starts: &Starts,
        number: u64,
    ) -> Result<Option<Between>, Left> {
        let mut between = Between::new(self.values / OF_SUMMARY);
        let mut was_cut = false;
        for (at, pair) in (at..).zip(starts.pairs(number)) {
            let ended = self.ending(returned, at)?;
            was_cut |= ended.tau.is_none();
            let values = self.values(returned, at);
            let terms = values.as_chunks::<OF_SUMMARY>().0.iter();
            let term = |[first, sum, _]: &[f64; OF_SUMMARY]| variance_term(*first, *sum);
            between.add(pair.weight, terms.map(term), ended.kernel_calls);
        }
        Ok((!was_cut).then_some(between))
    }
}

/// How a pair ended.
struct Ended {
    tau: Option<u64>,
    sweeps: u64,
    kernel_calls: u64,
    /// States that might have been kept.
    seen: u64,
}

/// A summary as the kernel knows it: the kernel's `Kind` and two arguments.
fn words_of(summary: &Summary) -> Result<[u32; 3], String> {
    match summary {
        Summary::Clusters(_) => Ok([0, 0, 0]),
        Summary::Top(top) => Ok([1, top.0 as u32, 0]),
        Summary::Co(co) => Ok([2, co.0 as u32, co.1 as u32]),
        Summary::Entropy(_) => Ok([3, 0, 0]),
        other => Err(format!("`summary = {other}`")),
    }
}

/// A move of a sweep as the kernel knows it: the kernel's `Step`, and how often.
fn words_of_move((kind, times): &(Move, usize)) -> Result<[u64; 2], String> {
    let step = match kind {
        Move::Gibbs => 0,
        Move::Sams => 1,
        Move::SamsNear => 2,
        Move::Shuffle => 3,
        Move::ShuffleNear => 4,
        Move::SplitMerge => 5,
        Move::SplitMergeIndependent => 6,
        Move::SamsEven => 7,
        Move::Kempe => return Err(format!("the move {kind:?}")),
    };
    Ok([step, *times as u64])
}

fn label(slot: usize) -> u8 {
    slot.min(MOST_LABEL) as u8
}
