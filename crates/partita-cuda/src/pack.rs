//! Chains in plain numbers to buffers, and buffers to replicates.

use crate::card::{Launch, Returned, Room};
use crate::source::{CELLS, LANES, SLOTS, Shape};
use partita::Partition;
use partita::atoms::Atom;
use partita_run::config::Summary;
use partita_run::engine::{Plain, Replicate, Row, Settings};

/// Words of an outcome.
const OUTCOME: usize = 5;
const MET: u64 = 0;
const CENSORED: u64 = 1;
const OUTLASTED: u64 = 3;

/// Words that a replicate remembers between rounds; the kernel's `MEMORY`.
const MEMORY: usize = 13;

/// Sweeps of the first round: most pairs have met by then, the others go on among themselves.
const FIRST_ROUND: u64 = 16;

/// Overlaps have 16 bits.
const MOST_ITEMS: usize = (1 << 16) - 1;

/// What all launches of some work have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    shape: Shape,
    settings: Settings,
    nugget: f64,
    items: usize,
    clusters: usize,
    counted: usize,
    values: usize,
    summaries: Vec<u32>,
    tables: Vec<f64>,
    gains: Vec<i64>,
    start: Vec<u8>,
}

/// What came of a replicate on the card.
#[derive(Debug, Clone, PartialEq)]
pub enum Came {
    /// It is done.
    Done(Replicate),
    /// It is left to the processors: it outgrew its memory, or rounding could decide a step of it.
    Left,
    /// It is left to the processors: it has not met for long.
    Outlasted,
}

impl Pack {
    /// Packs chains and the settings of their replicates; where the card does not know them, what it is.
    pub fn new(plain: &Plain, settings: &Settings) -> Result<Self, String> {
        let Plain { target, gains, nugget, start, summaries, counted } = plain;
        let items = target.items;
        if items > MOST_ITEMS {
            return Err(format!("a table of {items} rows"));
        }
        let clusters = start.iter().max().map_or(0, |label| label + 1);
        if clusters > SLOTS {
            return Err(format!("a start with {clusters} clusters"));
        }
        let schedule = settings.schedule;
        if [schedule.lag(), schedule.burn_in(), schedule.sweeps()].iter().any(|time| time >> 31 != 0) {
            return Err("so many sweeps".into());
        }
        let mut tables = target.rows.clone();
        tables.extend(target.gram.iter().flatten());
        for size in &target.by_size {
            tables.extend(size.log_norm.iter().chain(&size.half_precision).chain([&size.shrink]));
        }
        tables.extend(&target.alone);
        tables.extend(&target.join);
        tables.extend((0..=SLOTS).map(|k| target.open.get(k).copied().unwrap_or(f64::NAN)));
        tables.extend((0..=items).map(|size| {
            let p = size as f64 / items as f64;
            p * libm::log(p)
        }));
        let summaries: Vec<[u32; 3]> = summaries.iter().map(words).collect::<Result<_, _>>()?;
        let shape = Shape { dimension: target.stride, gram: target.gram.is_some(), vi: gains.is_some() };
        Ok(Pack {
            shape,
            settings: *settings,
            nugget: *nugget,
            items,
            clusters,
            counted: *counted,
            values: plain.summaries.iter().map(|s| s.quantities().len()).sum::<usize>() + counted + 1,
            summaries: summaries.concat(),
            tables,
            gains: gains.clone().unwrap_or(vec![0]),
            start: start.iter().map(|&label| label as u8).collect(),
        })
    }

    /// Bytes that one replicate takes on the card.
    pub fn bytes_each(&self) -> u64 {
        let Room { outcomes, values, kept_weights, kept_labels, real, whole, small, memory, list } =
            self.room(LANES);
        let all =
            8 * (outcomes + values + kept_weights + real + memory) + kept_labels + 4 * (whole + list) + small;
        (all / LANES) as u64
    }

    /// The numbers of sweeps after which a pair that has not met is at first left to the processors.
    pub fn patience(&self) -> u64 {
        let schedule = self.settings.schedule;
        schedule.lag() + schedule.sweeps().max(100)
    }

    fn room(&self, count: usize) -> Room {
        let (n, keep) = (self.items, self.settings.keep_draws);
        let products = if self.shape.gram { n * SLOTS } else { 0 };
        let lanes = count.next_multiple_of(LANES);
        Room {
            outcomes: count * OUTCOME,
            values: count * self.values,
            kept_weights: (count * keep).max(1),
            kept_labels: (count * keep * n).max(1),
            real: lanes * (2 * (products + SLOTS * self.shape.dimension) + CELLS),
            whole: lanes * (2 * ((n + 7) / 4 * 4) + 3 * SLOTS),
            small: lanes * 2 * n,
            memory: count * MEMORY,
            list: count + 1,
        }
    }

    /// The launch for some numbers.
    pub fn launch(&self, numbers: Vec<u64>, patience: u64) -> Launch {
        let Settings { seed, schedule, max_sweeps, keep_draws, keep_until } = self.settings;
        Launch {
            shape: self.shape,
            // In the order of the kernel's `Setting`.
            settings: vec![
                seed,
                schedule.lag(),
                schedule.burn_in(),
                schedule.sweeps(),
                max_sweeps,
                patience.min(u64::from(u32::MAX)),
                self.items as u64,
                numbers.len() as u64,
                self.nugget.to_bits(),
                self.clusters as u64,
                (self.summaries.len() / 3) as u64,
                self.values as u64,
                self.counted as u64,
                keep_draws as u64,
                keep_until,
                FIRST_ROUND,
            ],
            summaries: if self.summaries.is_empty() { vec![0] } else { self.summaries.clone() },
            tables: self.tables.clone(),
            gains: self.gains.clone(),
            start: self.start.clone(),
            room: self.room(numbers.len()),
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
            OUTLASTED => return Came::Outlasted,
            _ => return Came::Left,
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
fn words(summary: &Summary) -> Result<[u32; 3], String> {
    match summary {
        Summary::Clusters(_) => Ok([0, 0, 0]),
        Summary::Top(top) => Ok([1, top.0 as u32, 0]),
        Summary::Co(co) => Ok([2, co.0 as u32, co.1 as u32]),
        Summary::Entropy(_) => Ok([3, 0, 0]),
        other => Err(format!("`summary = {other}`")),
    }
}
