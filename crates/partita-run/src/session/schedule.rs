//! Moves, starts, lag, burn-in and sweeps: what was said, and what a pilot finds where something was left open.

use super::Watch;
use crate::config::resolve::{self, LEAST, SEED};
use crate::config::{Limit, Options, Pca, Setup, Task};
use crate::engine::Executor;
use crate::engine::pilot::{self, Contender, Entry, Given, Patience, Pilot, Room, Tried};
use crate::model::{Candidate, Input, Loaded, Model, Turned, about, advice, build, candidates, turned};
use crate::{Failure, words};
use partita::Schedule;
use partita::chance::Chance;
use partita::rng::{Purpose, Stream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A run that takes longer than this, in seconds, is announced.
const LONG_RUN: f64 = 300.0;

/// The share of a time-limited run that the pilot may take.
const PILOT_SHARE: f64 = 1.0 / 3.0;

/// A run whose moves, starts and schedule are settled.
pub(super) struct Scheduled {
    pub setup: Setup,
    pub model: Box<dyn Model>,
    pub input: Arc<Input>,
    pub schedule: Schedule,
    pub pilot: Option<Pilot>,
    /// The principal components that the pilot chose to take the place of the columns.
    pub pca: Option<Pca>,
}

/// Settles what was left open, by a pilot where it takes one, or where it is not known how long a replicate takes.
pub(super) fn schedule(
    Loaded { setup, model, input }: Loaded,
    options: &Options,
    executor: &dyn Executor,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Scheduled, Failure> {
    let timed = options.replicates.is_none();
    let said = options.lag.zip(options.burn_in).zip(options.sweeps);
    let open = said.is_none() && setup.task() == Task::Fit && resolve::model_is_open(options);
    let entries = if open { entries(options, &input)? } else { None };
    if entries.is_none() {
        about(options, &setup, &input)?.iter().for_each(|sentence| watch.say(sentence));
    }
    if let (Some(((lag, burn_in), sweeps)), false) = (said, timed) {
        let schedule = Schedule::new(lag, burn_in, sweeps)?;
        return Ok(Scheduled { setup, model, input, schedule, pilot: None, pca: None });
    }
    watch.say("pilot: running pairs from overdispersed starts to choose lag, burn-in and sweeps");
    let given = Given {
        lag: options.lag,
        burn_in: options.burn_in,
        sweeps: options.sweeps,
        max_sweeps: options.max_sweeps,
    };
    let seconds = match resolve::limit(options) {
        Limit::Time(time) => Some(PILOT_SHARE * time.seconds()),
        _ => None,
    };
    // A model that is chosen is a function of the data alone: runs with other seeds are of the same one, and compare.
    let seed = if entries.is_some() { SEED } else { options.seed.unwrap_or(SEED) };
    let mut room = Room::new(executor, interrupted, watch, seed, seconds);
    // A schedule is made for a model and its moves: whoever has one does not want others.
    let (contender, found, input) = match entries {
        Some(entries) => best(entries, options, given, &mut room)?,
        None => {
            let moves = || {
                let one = Contender { model: build(&setup, &input)?, setup: setup.clone() };
                if said.is_some() { Ok(vec![one]) } else { with_moves(one, options, &input) }
            };
            let (contender, found) = settle(moves, given, &mut room)?;
            (contender, found, input)
        }
    };
    let taken = found.models.iter().find(|model| model.taken);
    let pca = taken.and_then(|model| model.pca).map(Pca::Components);
    let Contender { setup, model } = contender;
    watch.say(&format!(
        "pilot: lag {}, burn-in {}, sweeps {} ({})",
        found.lag,
        found.burn_in,
        found.sweeps,
        words::duration(found.seconds)
    ));
    if found.unmet > 0 {
        watch.say(&format!(
            "pilot: {} of {} pairs did not meet in time; if many are censored, try {}",
            found.unmet,
            found.pairs,
            advice(&setup, found.raced())
        ));
    }
    let one = found.replicate_calls * found.seconds_per_call;
    if timed && options.time.is_none() && LEAST as f64 * one / executor.width() as f64 > LONG_RUN {
        watch.say(&format!(
            "pilot: one replicate takes about {} of processor time, and a run makes at least {LEAST}; limit it with `time` or \
             `replicates`, or speed it up with {}",
            words::duration(one),
            advice(&setup, found.raced())
        ));
    }
    let schedule = Schedule::new(found.lag, found.burn_in, found.sweeps)?;
    Ok(Scheduled { setup, model, input, schedule, pilot: Some(found), pca })
}

/// Models of principal components that are tried, beside those of all columns.
const OF_COMPONENTS: usize = 3;

/// Rows on which models are scored at most: they tell models apart, and chains get further in the same time.
const SCORED_ROWS: usize = 2000;

/// The models that may suit a table, each with moves that serve most; none where there is but one.
fn entries(options: &Options, input: &Arc<Input>) -> Result<Option<Vec<Entry>>, Failure> {
    let rows = input.item_names.len();
    let sample = (rows > SCORED_ROWS).then(|| sample(rows, SCORED_ROWS));
    let sample = sample.as_deref();
    let mut entries = entries_of(options, input, None, sample)?;
    if let Some(Turned { input, beyond }) = turned(input)? {
        let mut of_components = entries_of(options, &Arc::new(input), Some(beyond), sample)?;
        of_components.truncate(OF_COMPONENTS);
        entries.append(&mut of_components);
    }
    Ok((entries.len() > 1).then_some(entries))
}

fn entries_of(
    options: &Options,
    input: &Arc<Input>,
    beyond: Option<Vec<f64>>,
    sample: Option<&[usize]>,
) -> Result<Vec<Entry>, Failure> {
    let scored = sample.map_or_else(|| input.clone(), |rows| Arc::new(input.sampled(rows)));
    let beyond = match sample {
        Some(rows) => beyond.map(|all| rows.iter().map(|&row| all[row]).collect()),
        None => beyond,
    };
    let one = |candidate: Candidate| {
        let options = candidate.options.or(options.clone());
        let mut setup = Setup::resolve(Task::Fit, &options, input.facts()?)?;
        if options.sampler.is_none() {
            setup = resolve::usual_moves(&setup, &options);
        }
        // Summaries may ask for rows that are not in a sample; scores need none.
        let bare = Setup { summaries: Vec::new(), ..setup.clone() };
        let trial = if sample.is_some() { bare } else { setup.clone() };
        let contender = Contender { model: build(&trial, &scored)?, setup: trial };
        let (model, prior, input, beyond) =
            (candidate.covariance, candidate.prior, input.clone(), beyond.clone());
        Ok(Entry { model, prior, input, beyond, setup, contender })
    };
    candidates(input).into_iter().map(one).collect()
}

/// So many of all rows, at random and always the same, in their order.
fn sample(rows: usize, wanted: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    let mut chance = Stream::new(SEED, 0).sequence(Purpose::Data, 1);
    for at in 0..wanted {
        order.swap(at, at + chance.below(rows - at));
    }
    order.truncate(wanted);
    order.sort_unstable();
    order
}

/// The same model with each of the moves that a pilot tries.
fn with_moves(
    contender: Contender,
    options: &Options,
    input: &Arc<Input>,
) -> Result<Vec<Contender>, Failure> {
    let open = resolve::contenders(&contender.setup, options);
    let other = |setup: Setup| Ok(Contender { model: build(&setup, input)?, setup });
    match open.is_empty() {
        true => Ok(vec![contender]),
        false => open.into_iter().map(other).collect(),
    }
}

/// Moves and a schedule. Where many pairs do not meet, both again with more time, if that may help.
fn settle(
    moves: impl Fn() -> Result<Vec<Contender>, Failure>,
    given: Given,
    room: &mut Room,
) -> Result<(Contender, Pilot), Failure> {
    let (contender, tried) = pilot::choose(moves()?, Patience::All, room)?;
    let found = pilot::find(&contender, tried, given, room)?;
    if found.apart && wait_longer(&contender, room) {
        return settle(moves, given, room);
    }
    Ok((contender, found))
}

/// Takes more time, and says so.
fn wait_longer(contender: &Contender, room: &mut Room) -> bool {
    let waits = room.wait_longer(contender);
    if waits {
        room.watch.say(
            "pilot: pairs are slow to meet, so that this run takes several minutes; limit it with `time` or `replicates`",
        );
    }
    waits
}

/// Priors of a family that are tried in the order of their scores, until pairs meet. The safest one comes on top.
const OF_A_FAMILY: usize = 3;

/// The model that predicts best and whose pairs meet; where those of none do, the one of which most pairs met.
fn best(
    entries: Vec<Entry>,
    options: &Options,
    given: Given,
    room: &mut Room,
) -> Result<(Contender, Pilot, Arc<Input>), Failure> {
    let (order, mut known) = pilot::score_models(&entries, room)?;
    let moves = |at: usize| {
        let Entry { setup, input, .. } = &entries[at];
        with_moves(Contender { model: build(setup, input)?, setup: setup.clone() }, options, input)
    };
    let told = |at: usize, contender: &Contender, room: &mut Room| -> Result<(), Failure> {
        let input = &entries[at].input;
        let turned = input.rotation.as_ref().filter(|_| entries[at].beyond.is_some());
        turned.into_iter().for_each(|rotation| room.watch.say(&rotation.sentence()));
        about(options, &contender.setup, input)?.iter().for_each(|sentence| room.watch.say(sentence));
        Ok(())
    };
    // Models whose pairs did not meet; and of the one of which most did, the schedule.
    let mut apart: Vec<Apart> = Vec::new();
    let mut least: Option<(f64, Contender, Pilot)> = None;
    // Models that were tried with more time and whose race has shown that pairs stay apart: it need not be run again.
    let mut raced: Vec<(usize, f64, Contender, Vec<Tried>)> = Vec::new();
    let mut left = order.clone();
    let mut is_told = false;
    while !left.is_empty() {
        let at = left.remove(0);
        let of_family = || apart.iter().filter(|other| known[other.at].family() == known[at].family());
        // More clusters than where no chains came near: they will not here.
        let harder = of_family()
            .any(|other| known[other.at].clusters <= known[at].clusters && other.unmet == other.pairs);
        let tried = of_family().filter(|other| !other.soon).count();
        let enough = tried > OF_A_FAMILY || (tried == OF_A_FAMILY && !pilot::is_safest(&known, at));
        if !room.is_patient() && (harder || enough) {
            let why = if harder { "fewer clusters" } else { "another prior" };
            known[at].left = Some(format!("chains of the same model with {why} did not meet"));
        } else {
            let contenders = moves(at)?;
            room.expect_clusters(known[at].clusters);
            if !room.is_patient()
                && let Some((true, seen)) = pilot::screen(&contenders, room)?
            {
                let seen = Apart { at, unmet: seen.unmet, pairs: seen.pairs, soon: true };
                known[at].left = Some(seen.in_words());
                apart.push(seen);
                if !left.is_empty() {
                    continue;
                }
            }
            pilot::take(&mut known, at);
            known[at].left = None;
            room.watch.say(&match is_told {
                false => pilot::models_in_words(&known).expect("one is taken"),
                true => format!("pilot: next, {}", pilot::model_name(&known[at])),
            });
            is_told = true;
            room.expect_clusters(known[at].clusters);
            let (contender, tried) = pilot::choose(contenders, Patience::Little, room)?;
            let race = tried.iter().find(|tried| tried.taken);
            let (unmet, pairs) = race.map_or((0, 1), |taken| (taken.unmet, taken.pairs));
            let mut seen = Apart { at, unmet, pairs, soon: false };
            // Where the race shows that pairs stay apart, no schedule need be found to know it.
            if race.is_some_and(|taken| room.stayed_apart(&contender, taken)) {
                if room.is_patient() {
                    raced.push((at, seen.share(), contender, tried));
                }
            } else {
                let mut found = pilot::find(&contender, tried, given, room)?;
                (seen.unmet, seen.pairs) = (found.unmet, found.pairs);
                // Where there is another model to try, every pair has to meet.
                if !found.apart && (found.unmet == 0 || room.is_patient() || left.is_empty()) {
                    let said: Vec<usize> =
                        apart.iter().filter(|other| !other.soon).map(|other| other.at).collect();
                    pilot::passed_over(&mut known, &said)
                        .iter()
                        .for_each(|sentence| room.watch.say(sentence));
                    told(at, &contender, room)?;
                    found.models = known;
                    return Ok((contender, found, entries[at].input.clone()));
                }
                if apart.iter().all(|other| seen.share() < other.share()) {
                    least = Some((seen.share(), contender, found));
                }
            }
            room.watch.say(&format!("pilot: {}: {}", pilot::model_name(&known[at]), seen.in_words()));
            known[at].left = Some(seen.in_words());
            apart.push(seen);
        }
        let usable = least.as_ref().is_some_and(|(.., found)| !found.apart);
        if left.is_empty() && !room.is_patient() && !usable {
            // With more time those have another chance that pairs may cross: the best of which a first look was all there was
            // and most pairs of the trial met, the one of which most pairs met since, and the simplest.
            let promising =
                order.iter().copied().find(|&at| is_soon(&apart, at) && pilot::most_met_in_trial(&known[at]));
            let (most_met, simplest) = (most_met(&apart), apart.iter().map(|tried| tried.at).min());
            room.expect_clusters(known[most_met].clusters);
            if wait_longer(&moves(most_met)?[0], room) {
                for at in promising.into_iter().chain([most_met]).chain(simplest) {
                    if !left.contains(&at) {
                        left.push(at);
                    }
                }
            }
        }
    }
    let at = most_met(&apart);
    pilot::take(&mut known, at);
    known[at].left = None;
    let share = apart.iter().filter(|tried| tried.at == at).map(Apart::share).fold(f64::INFINITY, f64::min);
    if !is_told {
        room.watch.say(&pilot::models_in_words(&known).expect("one is taken"));
    }
    let name = pilot::model_name(&known[at]);
    room.watch.say(&match share < 1.0 {
        true => format!("pilot: no model had all pairs meet; {name} had the most"),
        false => format!("pilot: no pair met under any model; using {name}"),
    });
    let raced = raced.into_iter().find(|(other, of_race, ..)| (*other, *of_race) == (at, share));
    let (contender, mut found) = match (least.filter(|(other, ..)| *other == share), raced) {
        (Some((_, contender, found)), _) => (contender, found),
        (None, Some((.., contender, tried))) => {
            let found = pilot::find(&contender, tried, given, room)?;
            (contender, found)
        }
        (None, None) => settle(|| moves(at), given, room)?,
    };
    told(at, &contender, room)?;
    found.models = known;
    Ok((contender, found, entries[at].input.clone()))
}

/// A model, by its number, of which so many pairs did not meet.
struct Apart {
    at: usize,
    unmet: u64,
    pairs: u64,
    /// Whether a first look showed it.
    soon: bool,
}

impl Apart {
    fn share(&self) -> f64 {
        self.unmet as f64 / self.pairs as f64
    }

    fn in_words(&self) -> String {
        format!("{} of {} pairs did not meet within the pilot", self.unmet, self.pairs)
    }
}

/// Whether a first look at a model was all there was.
fn is_soon(apart: &[Apart], at: usize) -> bool {
    apart.iter().any(|tried| tried.at == at && tried.soon)
        && apart.iter().all(|tried| tried.at != at || tried.soon)
}

/// Of the models that were tried, the one of which most pairs met; of several the first.
fn most_met(apart: &[Apart]) -> usize {
    apart.iter().min_by(|a, b| a.share().total_cmp(&b.share())).expect("at least one was tried").at
}
