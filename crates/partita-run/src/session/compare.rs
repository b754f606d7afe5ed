//! Models compared on purpose: each is fitted to most rows of a table and scored on the rest.

use super::{Held, NewRows, Request, Watch};
use crate::Failure;
use crate::config::{Covariance, ModelChoice, Options, Task};
use crate::engine::Executor;
use crate::model::{Given, candidates, load_given, raw_table, without_model};
use crate::results::{Compared, Comparison, Difference};
use partita::chance::Chance;
use partita::rng::{Purpose, Stream};
use partita::score::Scored;
use std::sync::atomic::AtomicBool;

/// The share of the rows that is held out by default.
pub const HOLD_OUT: f64 = 0.2;

/// The models that are compared by default, as the command writes them.
pub const MODELS: &str = "diagonal,full";

/// The options that models may have in common.
pub const IN_COMMON: [&str; 9] =
    ["columns", "drop", "id_column", "column_type", "cluster_prior", "time", "replicates", "seed", "threads"];

/// Rows of each part at least.
const LEAST: usize = 2;

/// The half-width of a 95% interval in standard errors.
const WIDTH: f64 = 1.959_964;

/// Fits each model to the same rows of a table and scores it by the log density of the others, which are drawn by the
/// seed. All models read the columns in the same way, so that their scores are comparable.
///
/// Data may come from memory; the options then name something as `data`. The densities are unbiased estimates;
/// intervals account for the error of the runs and for the choice of rows.
///
/// ```
/// use partita_run::config::Options;
/// use partita_run::data::Cells;
/// use partita_run::engine::Threads;
/// use partita_run::model::Given;
/// use partita_run::session::compare;
/// use std::sync::atomic::AtomicBool;
///
/// let x = Cells::Numbers((0..40).map(|i| 0.3 * f64::from(i % 7) + if i < 20 { 0.0 } else { 30.0 }).collect());
/// let data = Given::Columns("points".into(), vec![("x".into(), x)]);
/// let options = Options { data: Some("points".into()), replicates: Some(10), ..Options::default() };
/// let models = ["known".parse().unwrap(), "diagonal".parse().unwrap()];
/// let never = AtomicBool::new(false);
/// let found = compare(&options, &models, 0.25, &Threads(2), Some(&data), &never, &mut ())?;
/// assert_eq!((found.rows, found.held_out, found.models.len()), (30, 10, 2));
/// # Ok::<(), partita_run::Failure>(())
/// ```
pub fn compare(
    options: &Options,
    models: &[ModelChoice],
    hold_out: f64,
    executor: &dyn Executor,
    given: Option<&Given>,
    interrupted: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Comparison, Failure> {
    if models.is_empty() {
        return Err(Failure::option("model", "`compare` needs models, such as diagonal,full".into()));
    }
    let whole = load_given(Task::Fit, &without_model(options), given)?.0.input;
    let table = raw_table(options, given)?;
    let (training, test) = split(table.rows, hold_out, options.seed.unwrap_or(1))?;
    watch.say(&format!("{}: {} rows to fit, {} held out", whole.title, training.len(), test.len()));
    let data = Given::Columns(whole.title.clone(), table.chosen(&training));
    let new = NewRows::Columns("the rows held out".into(), table.chosen(&test));
    let base = Options {
        data: Some(whole.title.clone().into()),
        // Columns are chosen already, and what they hold is settled on the whole table.
        column_type: candidates(&whole).swap_remove(0).options.column_type,
        columns: None,
        drop: None,
        id_column: None,
        label_column: None,
        delimiter: None,
        header: None,
        ..options.clone()
    };
    let mut logs: Vec<Vec<f64>> = Vec::new();
    let mut compared = Vec::new();
    for &model in models {
        watch.say(&format!("model {model}:"));
        // Only full covariances have a prior to choose.
        let cluster_prior = options.cluster_prior.filter(|_| model == ModelChoice::Named(Covariance::Full));
        let options = Options { model: Some(model), cluster_prior, ..base.clone() };
        let request =
            Request { task: Task::Fit, meetings_only: false, options, force: false, command: String::new() };
        let held = Held::start(executor, request, Some(&data), interrupted, watch)?;
        let Some(answers) = held.answers() else {
            return Err(Failure::Interrupted("interrupted: nothing was kept".into()));
        };
        let summary = answers.summary.clone();
        let found = held.predict(&new, None, watch)?;
        let known: Option<Vec<f64>> = found.predictions.iter().map(|row| row.log_density).collect();
        // The error of the run: half the interval of the mean over these very rows.
        let own = found.score.mean_ci95.map(|[low, high]| (high - low) / (2.0 * WIDTH));
        let scored = known.as_ref().map(|logs| Scored::of(logs));
        compared.push(Compared {
            model: summary.model.unwrap_or_default(),
            prior: held.run().plan.setup.options().cluster_prior.map(|prior| prior.to_string()),
            score: scored.map(|scored| scored.mean),
            se: scored.zip(own).map(|(scored, own)| scored.se.hypot(own)),
            own_se: own,
            unknown: found.score.unknown,
            replicates: summary.replicates,
            censored: summary.censored,
            behind: None,
        });
        logs.push(known.unwrap_or_default());
    }
    let score = |at: usize| compared[at].score.unwrap_or(f64::NEG_INFINITY);
    let best = (0..compared.len()).reduce(|a, b| if score(b) > score(a) { b } else { a }).expect("a model");
    let behind: Vec<Option<Difference>> = (0..compared.len())
        .map(|at| (at != best).then(|| behind((best, at), &logs, &compared)).flatten())
        .collect();
    compared.iter_mut().zip(behind).for_each(|(one, behind)| one.behind = behind);
    Ok(Comparison {
        rows: training.len() as u64,
        held_out: test.len() as u64,
        best: best as u64,
        models: compared,
    })
}

/// Rows to fit and rows to hold out, in the order of the table.
fn split(rows: usize, hold_out: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>), Failure> {
    let out = (rows as f64 * hold_out).round();
    if !(hold_out > 0.0 && hold_out < 1.0) || (out as usize) < LEAST || rows - (out as usize) < LEAST {
        return Err(Failure::option(
            "hold_out",
            format!(
                "`hold_out` must leave at least {LEAST} of the {rows} rows on each side, but is {hold_out}; 0.2 holds out a fifth"
            ),
        ));
    }
    let mut order: Vec<usize> = (0..rows).collect();
    let mut chance = Stream::new(seed, 0).sequence(Purpose::Data, 0);
    for at in (1..rows).rev() {
        order.swap(at, chance.below(at + 1));
    }
    let (mut test, mut training) = (order[..out as usize].to_vec(), order[out as usize..].to_vec());
    test.sort_unstable();
    training.sort_unstable();
    Ok((training, test))
}

/// How far a model is behind the best, row by row: what makes rows easy or hard is common to both.
fn behind((best, at): (usize, usize), logs: &[Vec<f64>], compared: &[Compared]) -> Option<Difference> {
    let differences: Vec<f64> = logs[best].iter().zip(&logs[at]).map(|(best, other)| best - other).collect();
    if differences.len() < 2 {
        return None;
    }
    let Scored { mean, se: rows } = Scored::of(&differences);
    let se = rows.hypot(compared[best].own_se?).hypot(compared[at].own_se?);
    Some(Difference { mean, se, ci95: [mean - WIDTH * se, mean + WIDTH * se] })
}
