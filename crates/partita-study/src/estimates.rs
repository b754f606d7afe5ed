//! Coupled estimates, and naive ones that had the same time on a processor: the paper's comparison.

use super::Workbench;
use super::definition::{Budget, Estimates};
use partita_run::Failure;
use partita_run::engine::{self, Against, Job, Output, Row, Work};
use partita_run::model::Model;
use partita_run::store::Ledger;
use std::collections::HashSet;
use std::path::Path;

/// All estimates of an arm, in replicate order: one column per summary.
#[derive(Debug, Clone, Default)]
pub(super) struct Both {
    pub(super) coupled: Vec<Vec<f64>>,
    pub(super) naive: Vec<Vec<f64>>,
    /// Sweeps that the naive chains made.
    pub(super) naive_sweeps: Vec<f64>,
    /// Meeting times.
    pub(super) tau: Vec<u64>,
    pub(super) kernel_calls: u64,
    /// Processor seconds of the coupled estimates.
    pub(super) seconds: f64,
}

/// Runs what is not yet in the ledger at `path`, and gives everything back.
pub(super) fn estimates(
    model: &dyn Model,
    wanted: &Estimates,
    path: &Path,
    bench: &mut Workbench,
) -> Result<Both, Failure> {
    let replicates = bench.scaled(wanted.replicates, 40);
    let names: Vec<&str> = model.quantities().iter().map(|quantity| &*quantity.name).collect();
    let naive = names.iter().map(|name| format!("naive:{name}"));
    let columns: Vec<String> =
        names.iter().map(ToString::to_string).chain(["naive:sweeps".to_string()]).chain(naive).collect();
    let (mut ledger, mut rows) = Ledger::open(path, &columns)?;
    // Those of a larger scale stay in the ledger.
    let beyond: Vec<Row> = rows.extract_if(.., |row| row.replicate >= replicates).collect();
    let done: HashSet<u64> = rows.iter().map(|row| row.replicate).collect();
    let settings = bench.replicates(wanted.lag, wanted.burn_in, wanted.sweeps)?;
    let budget = match wanted.naive_budget {
        Budget::Time => engine::Budget::Time,
        Budget::Sweeps => engine::Budget::Sweeps,
    };
    let work = Work::Against(Against { settings, budget, discard: wanted.naive_discard });
    let job = Job { chains: model, work: &work };
    let numbers = (0..replicates).filter(|n| !done.contains(n));
    let (executor, interrupted) = (bench.executor, bench.interrupted);
    let all = engine::run(executor, &job, numbers, interrupted, |_, output| {
        let Output::Against(row) = output else { unreachable!("estimates were asked for") };
        ledger.append(&row)?;
        rows.push(row);
        bench.progress(rows.len() as u64, replicates);
        Ok(())
    })?;
    if !all {
        return Err(bench.interruption());
    }
    let both = rows.len();
    rows.extend(beyond);
    rows.sort_by_key(|row| row.replicate);
    ledger.rewrite(&rows)?;
    Ok(Both::from_rows(&rows[..both], names.len()))
}

impl Both {
    fn from_rows(rows: &[Row], width: usize) -> Self {
        let column = |i: usize| rows.iter().map(|row| row.values[i]).collect();
        Both {
            coupled: (0..width).map(column).collect(),
            naive: (width + 1..2 * width + 1).map(column).collect(),
            naive_sweeps: column(width),
            tau: rows.iter().filter_map(|row| row.tau).collect(),
            kernel_calls: rows.iter().map(|row| row.kernel_calls).sum(),
            seconds: rows.iter().map(|row| row.seconds).sum(),
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.naive_sweeps.len()
    }
}
