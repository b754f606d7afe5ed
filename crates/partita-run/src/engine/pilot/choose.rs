//! Which moves, from which starts: contenders race on the table itself.

use super::{Room, Stage};
use crate::Failure;
use crate::config::{Move, Sampler, Setup, Start};
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// A setup with the model that is built of it.
pub(crate) struct Contender {
    pub setup: Setup,
    pub model: Box<dyn Model>,
}

impl Contender {
    /// What a sweep costs in Gibbs sweeps, where one look at the clusters of two items is this share of one.
    pub(super) fn price(&self, touched: f64) -> f64 {
        price(&self.setup.sampler, touched)
    }
}

/// The result of a contender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The moves of a sweep.
    pub sampler: Sampler,
    /// Where chains started.
    pub start: Start,
    /// Pairs that ran.
    pub pairs: u64,
    /// Pairs that had not met when they were cut.
    pub unmet: u64,
    /// The mean wait of a pair, in sweeps; pairs that were cut count up to where they were cut.
    pub mean_wait: f64,
    /// The longest.
    pub longest_wait: u64,
    /// What a sweep costs, in Gibbs sweeps.
    pub price: f64,
    /// What it was judged by: the cost of the mean wait and of the longest, in Gibbs sweeps, as far as the race tells.
    pub cost: f64,
    /// Whether it was taken.
    pub taken: bool,
}

impl Tried {
    /// The mean wait if waits are exponential, allowing for pairs that were cut.
    pub(super) fn expected_wait(&self) -> f64 {
        super::expected_wait(self.mean_wait, self.unmet, self.pairs)
    }
}

/// Pairs of each contender: enough to see a tail that matters, and few enough to try several.
const PAIRS: u64 = 16;
/// The fewest, on tables whose sweeps are expensive or whose pairs are slow.
const FEWEST_PAIRS: u64 = 8;
/// Sweeps of a pair with Gibbs moves alone, if the budget allows.
const SWEEPS: f64 = 600.0;
/// The share of a pilot's budget that a contender may take; in a second round, whose pairs are known to be slow, more.
const SHARE: f64 = 0.08;
const SHARE_OF_SLOW: f64 = 0.2;
/// Pairs are cut here at the earliest.
const SHORTEST: u64 = 20;
/// How much of a sweep a look at two clusters is, before anything is known: half of the items, five clusters.
pub(super) const UNKNOWN: f64 = 0.08;
/// The lag of the race.
const LAG: u64 = 1;
/// Meetings this quick need no help.
const QUICK: u64 = 30;
/// How many race again where the tail decides, and how much longer; where there is something else to try, only the cheapest.
const AGAIN: usize = 3;
const LONGER: u64 = 4;
/// A contender must be this much cheaper than a simpler one.
const CLEARLY: f64 = 0.8;
/// A contender that costs this many times as much as the best is given up.
const GIVEN_UP: f64 = 2.0;

/// What a sweep of moves costs, in Gibbs sweeps, where one look at the clusters of two items is this share of one.
///
/// Measured (`cargo bench -p partita --bench families`, `docs/meeting.md`): a sequential allocation costs as much as about twelve such
/// looks, a shuffle as much as eighteen, a split-merge move with its launch and five scans as much as about forty.
fn price(sampler: &Sampler, touched: f64) -> f64 {
    let one = |kind: Move| match kind {
        Move::Gibbs | Move::Kempe => 1.0,
        Move::Sams | Move::SamsNear | Move::SamsEven => 12.0 * touched,
        Move::Shuffle | Move::ShuffleNear => 18.0 * touched,
        Move::SplitMerge | Move::SplitMergeIndependent => 40.0 * touched,
    };
    sampler.moves().iter().map(|&(kind, times)| one(kind) * times as f64).sum()
}

fn judge(contender: &Contender, stage: &Stage) -> Tried {
    let price = contender.price(stage.touched());
    let pairs = stage.pairs.len() as u64;
    let longest = stage.longest();
    // If waits are exponential the longest of so many is about their mean times a logarithm. The more pairs were cut, the
    // longer the longest would have been in any case.
    let mean = stage.expected_wait();
    let seen = longest as f64 * (1.0 + stage.unmet().min(3) as f64 / 2.0);
    // Replicates are tuned to the longest wait, and cost what the mean one costs.
    let cost = price * (mean + seen.max(mean * (pairs as f64).ln()));
    Tried {
        sampler: contender.setup.sampler.clone(),
        start: contender.setup.start,
        pairs,
        unmet: stage.unmet(),
        mean_wait: stage.mean_wait(),
        longest_wait: longest,
        price,
        cost,
        taken: false,
    }
}

/// How long a race goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// There is something else to try: if no pair meets with the first few moves, the race is over, and only the cheapest race
    /// again.
    Little,
    /// Everything is tried.
    All,
}

/// A race that takes more than this share of the budget is not worth it.
const TOO_DEAR: f64 = 0.3;
/// There may be this many times the usual number of clusters.
const MANY: f64 = 25.0;

/// Moves that are taken unseen: some of two clusters before each sweep, or chains of many items stay where they start.
fn is_usual(contender: &Contender) -> bool {
    matches!(contender.setup.sampler.moves(), [(Move::Sams | Move::SamsEven, 5), (Move::Gibbs, 1)])
}

/// Moves after which a race of little patience is over, if no pair has met; and any race, if all pairs meet with the simplest
/// moves and the next do not pay: more of them would pay even less.
const FEW: usize = 2;

/// Tries the contenders, where that is affordable, the simplest first, and takes the one whose pairs meet at the least cost. Where pairs of the
/// best were cut, the tail decides and has not been seen: the first few race again, for longer.
pub(crate) fn choose(
    contenders: Vec<Contender>,
    patience: Patience,
    room: &mut Room,
) -> Result<(Contender, Vec<Tried>), Failure> {
    let mut tried: Vec<Tried> = Vec::new();
    let mut best = 0;
    let mut touched = UNKNOWN;
    // One alone need not race.
    let race_on = contenders.len() > 1 && !room.is_over();
    let mut pairs = if room.is_patient() { FEWEST_PAIRS } else { PAIRS };
    if race_on && is_too_dear(&contenders[0], contenders[0].price(touched), pairs, room)? {
        pairs = FEWEST_PAIRS;
    }
    // The place of each in the race among the contenders.
    let mut places: Vec<usize> = Vec::new();
    for (at, contender) in contenders.iter().enumerate().filter(|_| race_on) {
        let expected = contender.price(touched);
        if is_too_dear(contender, expected, pairs, room)? {
            room.too_dear = true;
            continue;
        }
        let mut cap = cap_of(contender, expected, pairs, room);
        if let Some(best) = tried.get(best) {
            cap = cap.min((GIVEN_UP * best.cost / expected) as u64);
        }
        let stage = race(contender, pairs, cap, room)?;
        touched = stage.touched();
        places.push(at);
        tried.push(judge(contender, &stage));
        let last = tried.len() - 1;
        if last > 0 && tried[last].cost < CLEARLY * tried[best].cost {
            best = last;
        }
        let quick = tried[best].unmet == 0 && tried[best].longest_wait <= QUICK;
        let enough = tried.len() == FEW && best == 0 && tried[0].unmet == 0;
        let hopeless = patience == Patience::Little && tried.len() == FEW && none_met(&tried);
        if quick || enough || hopeless || room.is_over() {
            break;
        }
    }
    // Where no pair has met, nothing was seen that could tell moves apart.
    let hopeless = none_met(&tried) && (patience == Patience::Little || room.too_dear);
    if !hopeless
        && !room.is_patient()
        && !room.is_over()
        && tried.get(best).is_some_and(|best| best.unmet > 0)
    {
        let mut order: Vec<usize> = (0..tried.len()).collect();
        order.sort_by(|&a, &b| tried[a].cost.total_cmp(&tried[b].cost));
        order.truncate(if patience == Patience::Little { 1 } else { AGAIN });
        order.sort_unstable();
        for &at in &order {
            let contender = &contenders[places[at]];
            let cap = LONGER * cap_of(contender, tried[at].price, pairs, room);
            let stage = race(contender, pairs, cap, room)?;
            tried[at] = judge(contender, &stage);
        }
        let cheapest = order.iter().copied().min_by(|&a, &b| tried[a].cost.total_cmp(&tried[b].cost));
        best = cheapest.unwrap_or(best);
    }
    // A race that ended before any pair met tells nothing about moves that were too dear for it.
    let unseen = tried.is_empty() || (none_met(&tried) && room.too_dear);
    let usual = || contenders.iter().position(is_usual);
    let place = if unseen && contenders.len() > 1 { usual() } else { places.get(best).copied() }.unwrap_or(0);
    if let Some(at) = places.iter().position(|&at| at == place) {
        tried[at].taken = true;
    }
    let taken = contenders.into_iter().nth(place).expect("there is a contender");
    Ok((taken, tried))
}

/// The share of a pilot's budget for a first look at whether pairs meet.
const SHARE_OF_SCREEN: f64 = 0.06;

/// Pairs with moves that serve most tables, briefly: whether they stay apart, and their race. Nothing where even that would take
/// too long, or where moves were named.
pub(crate) fn screen(contenders: &[Contender], room: &mut Room) -> Result<Option<(bool, Tried)>, Failure> {
    let Some(contender) = contenders.iter().find(|contender| is_usual(contender)) else { return Ok(None) };
    let price = contender.price(UNKNOWN);
    if is_too_dear(contender, price, FEWEST_PAIRS, room)? {
        return Ok(None);
    }
    let pairs = if is_too_dear(contender, price, PAIRS, room)? { FEWEST_PAIRS } else { PAIRS };
    let calls = SHARE_OF_SCREEN * room.budget / room.sweep(contender, price);
    let cap = (calls / (2.0 * pairs as f64)).min(SWEEPS) as u64;
    let tried = judge(contender, &race(contender, pairs, cap, room)?);
    Ok(Some((room.stayed_apart(contender, &tried), tried)))
}

/// Whether even the shortest race would take too much of the budget. Where it might if there were many clusters, a look at
/// a few sweeps tells how many there are.
fn is_too_dear(contender: &Contender, price: f64, pairs: u64, room: &mut Room) -> Result<bool, Failure> {
    let share = |room: &Room| 2.0 * (pairs * SHORTEST) as f64 * room.sweep(contender, price) / room.budget;
    if room.clusters == 0.0 && MANY * share(room) > TOO_DEAR {
        room.look(contender)?;
    }
    Ok(share(room) > TOO_DEAR)
}

fn none_met(tried: &[Tried]) -> bool {
    tried.iter().all(|tried| tried.unmet == tried.pairs)
}

/// Sweeps after which pairs of a contender are cut: all have the same work.
fn cap_of(contender: &Contender, price: f64, pairs: u64, room: &Room) -> u64 {
    let share = if room.is_patient() { SHARE_OF_SLOW } else { SHARE };
    let calls = share * room.budget / room.sweep(contender, price);
    (calls / (2.0 * pairs as f64)).min(if room.is_patient() { f64::MAX } else { SWEEPS }) as u64
}

fn race(contender: &Contender, pairs: u64, cap: u64, room: &mut Room) -> Result<Stage, Failure> {
    let what = format!("trying {}", contender.setup.sampler);
    room.stage(contender, &what, pairs, LAG, 0, cap.max(SHORTEST) + LAG)
}

/// What was taken and why, in one line. The others are in `run.toml`.
pub(super) fn in_words(tried: &[Tried]) -> Option<String> {
    let taken = tried.iter().find(|tried| tried.taken)?;
    let simplest = tried.first()?;
    let why = match tried {
        [one] if one.longest_wait <= QUICK => "pairs meet quickly".into(),
        [_] => "there was no time to try others".into(),
        _ if simplest.taken => "no other moves are clearly better".into(),
        // Both raced as long.
        _ if simplest.pairs == taken.pairs => {
            format!("pairs meet at {:.2} times the cost of {}", taken.cost / simplest.cost, simplest.sampler)
        }
        _ => format!("pairs meet at lower cost than with {}", simplest.sampler),
    };
    Some(format!("pilot: moves {}, start {}: {why}", taken.sampler, taken.start))
}
