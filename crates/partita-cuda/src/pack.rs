//! Chains in plain numbers to buffers, and buffers to replicates.

use crate::card::{Launch, Returned};
use crate::room::OUTCOME;
use crate::source::{LANES, SLOTS, Shape};
use crate::tables::Tables;
use partita::Partition;
use partita::atoms::Atom;
use partita_run::config::{Move, Summary};
use partita_run::engine::{Plain, Replicate, Row, Settings};

const MET: u64 = 0;
const CENSORED: u64 = 1;
const LEFT: u64 = 2;
const OUTLASTED: u64 = 3;

/// Sweeps of the first round: most pairs have met by then, the others go on among themselves.
const FIRST_ROUND: u64 = 16;

/// Overlaps have 16 bits.
const MOST_ITEMS: usize = (1 << 16) - 1;

/// Labels of starts have 8 bits; one as high as this outgrows every kernel.
const MOST_LABEL: usize = u8::MAX as usize;

/// What all launches of some work have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// Of the fast kernel.
    shape: Shape,
    settings: Settings,
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
    tables: Vec<f64>,
    /// Where in the tables those of the clusters are.
    numbers_of_clusters: usize,
    gains: Vec<i64>,
    /// Of all chains, unless each has its own.
    start: Option<Vec<u8>>,
}

/// What came of a replicate on the card.
#[derive(Debug, Clone, PartialEq)]
pub enum Came {
    /// It is done.
    Done(Replicate),
    /// It outgrew the kernel's slots.
    Outgrown,
    /// It is left to the processors: masses of a transport problem have to be exact.
    Undecided,
    /// It is left to the processors: it has not met for long.
    Outlasted,
}

impl Pack {
    /// Packs chains and the settings of their replicates; where the card does not know them, what it is.
    pub fn new(plain: &Plain, settings: &Settings) -> Result<Self, String> {
        let Plain { target, moves, near, gains, nugget, start, summaries, counted } = plain;
        let items = target.items;
        if items > MOST_ITEMS {
            return Err(format!("a table of {items} rows"));
        }
        let schedule = settings.schedule;
        if [schedule.lag(), schedule.burn_in(), schedule.sweeps()].iter().any(|time| time >> 31 != 0) {
            return Err("so many sweeps".into());
        }
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
        words.extend(tables.words);
        // No buffer may be empty.
        words.push(0);
        let sams = moves.iter().any(|(kind, _)| *kind != Move::Gibbs);
        Ok(Pack {
            shape: Shape { slots: SLOTS, family: tables.family, vi: gains.is_some(), sams },
            settings: *settings,
            nugget: *nugget,
            items,
            counted: *counted,
            values: summaries.iter().map(|s| s.quantities().len()).sum::<usize>() + counted + 1,
            summaries: summaries.len(),
            moves: moves.iter().map(words_of_move).collect::<Result<Vec<_>, _>>()?.concat(),
            words,
            near: of_near,
            words_of_clusters,
            tables: tables.numbers,
            numbers_of_clusters: tables.clusters,
            gains: gains.clone().unwrap_or(vec![0]),
            start: start.as_ref().map(|start| start.iter().copied().map(label).collect()),
        })
    }

    fn shape(&self, slots: usize) -> Shape {
        Shape { slots, ..self.shape }
    }

    /// Bytes that one replicate takes in a kernel of so many slots.
    pub fn bytes_each(&self, slots: usize) -> u64 {
        let room = self.shape(slots).room(LANES, self.items, self.values, self.settings.keep_draws);
        let starts = if self.has_own_starts() { 2 * self.items } else { 0 };
        (room.bytes() / LANES + starts) as u64
    }

    /// Whether every replicate has starts of its own.
    pub fn has_own_starts(&self) -> bool {
        self.start.is_none()
    }

    /// The numbers of sweeps after which a pair that has not met is at first left to the processors.
    pub fn patience(&self) -> u64 {
        let schedule = self.settings.schedule;
        schedule.lag() + schedule.sweeps().max(100)
    }

    /// The launch for some numbers in a kernel of so many slots, with the starts of each where they have their own.
    pub fn launch(
        &self,
        slots: usize,
        numbers: Vec<u64>,
        starts: &[[Partition; 2]],
        patience: u64,
    ) -> Launch {
        let Settings { seed, schedule, max_sweeps, keep_draws, keep_until } = self.settings;
        let shape = self.shape(slots);
        let mut settings = vec![
            // In the order of the kernel's `Setting`.
            seed,
            schedule.lag(),
            schedule.burn_in(),
            schedule.sweeps(),
            max_sweeps,
            patience.min(u64::from(u32::MAX)),
            self.items as u64,
            numbers.len() as u64,
            self.nugget.to_bits(),
            self.has_own_starts().into(),
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
            shape,
            settings,
            words: self.words.clone(),
            tables: self.tables.clone(),
            gains: self.gains.clone(),
            start: self.start.clone().unwrap_or_else(own),
            room: shape.room(numbers.len(), self.items, self.values, keep_draws),
            numbers,
        }
    }

    /// What came of the replicate at a place of a launch.
    pub fn unpack(&self, returned: &Returned, at: usize, number: u64, seconds: f64) -> Came {
        let [status, tau, sweeps, kernel_calls, seen] = returned.outcomes[at * OUTCOME..][..OUTCOME] else {
            unreachable!("an outcome has so many words")
        };
        let tau = match status {
            MET => Some(tau),
            CENSORED => None,
            LEFT => return Came::Outgrown,
            OUTLASTED => return Came::Outlasted,
            _ => return Came::Undecided,
        };
        let values = returned.values[at * self.values..][..self.values].to_vec();
        let row = Row { replicate: number, tau, sweeps, kernel_calls, seconds, values };
        let keep = self.settings.keep_draws;
        let kept = keep.min(seen as usize);
        let factor = seen as f64 / kept.max(1) as f64;
        let atom = |place: usize| {
            let place = at * keep + place;
            let labels = &returned.kept_labels[place * self.items..][..self.items];
            let labels: Vec<usize> = labels.iter().map(|&label| label.into()).collect();
            let partition = Partition::from_labels(&labels).expect("there are items");
            Atom { weight: returned.kept_weights[place] * factor, partition }
        };
        Came::Done(Replicate { row, atoms: (0..kept).map(atom).collect() })
    }
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
        other => return Err(format!("the move {other:?}")),
    };
    Ok([step, *times as u64])
}

fn label(slot: usize) -> u8 {
    slot.min(MOST_LABEL) as u8
}
