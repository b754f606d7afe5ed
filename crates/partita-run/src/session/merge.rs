//! Shards of one run joined into one directory.

use super::{Finished, Watch, columns, refuse_part, reload};
use crate::Failure;
use crate::answers::Answers;
use crate::config::Shard;
use crate::engine::{Row, Sample, long_chain};
use crate::store::{self, Directory, Run, how_to_resume};
use std::path::{Path, PathBuf};

/// Whether two paths lead to one directory.
fn same_place(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}

/// Refuses two runs, by their names, that are no shards of one.
pub(super) fn refuse_other(first: (&str, &Run), other: (&str, &Run)) -> Result<(), Failure> {
    let ((first, run), (name, other)) = (first, other);
    if other.fingerprint != run.fingerprint {
        return Err(Failure::BadInput(format!(
            "{first} and {name} are runs on different data (fingerprints {} and {}): they cannot be merged",
            run.fingerprint, other.fingerprint
        )));
    }
    if other.identity() != run.identity() {
        return Err(Failure::BadInput(format!(
            "{first} and {name} are runs with different configurations: compare their run.toml; only shards of one \
             run can be merged"
        )));
    }
    Ok(())
}

/// The samples of shards, by their names, as one.
pub(super) fn joined(shards: Vec<(String, Sample)>) -> Result<Sample, Failure> {
    let mut rows: Vec<(usize, Row)> = Vec::new();
    let mut draws = Vec::new();
    let mut names = Vec::new();
    for (i, (name, shard)) in shards.into_iter().enumerate() {
        names.push(name);
        draws.extend(shard.draws);
        rows.extend(shard.rows.into_iter().map(|row| (i, row)));
    }
    rows.sort_by_key(|(_, row)| row.replicate);
    if let Some(pair) = rows.windows(2).find(|pair| pair[0].1.replicate == pair[1].1.replicate) {
        return Err(Failure::BadInput(format!(
            "replicate {} is in both {} and {}: overlapping shards cannot be merged",
            pair[0].1.replicate, names[pair[0].0], names[pair[1].0]
        )));
    }
    let mut sample = Sample { rows: rows.into_iter().map(|(_, row)| row).collect(), draws };
    sample.sort();
    Ok(sample)
}

/// Joins shards of one run into a new directory. Starts no chains: `resume` of that directory runs the pairs that
/// measure one long chain, after which it equals the undivided run byte for byte.
pub fn merge(paths: &[PathBuf], out: &Path, force: bool, watch: &mut dyn Watch) -> Result<Finished, Failure> {
    let Some((first, rest)) = paths.split_first() else {
        return Err(Failure::BadInput("`merge` needs run directories".into()));
    };
    if let Some(path) = paths.iter().find(|path| same_place(path, out)) {
        return Err(Failure::run(path, "this is one of the runs to be merged: choose another `out`"));
    }
    let mut run = Run::read(first)?;
    // All shards had the same pilot.
    if let Some(pilot) = &mut run.pilot {
        pilot.chains = Directory::open(first).chains();
    }
    let name = |path: &PathBuf| path.display().to_string();
    for path in rest {
        refuse_other((&name(first), &run), (&name(path), &Run::read(path)?))?;
    }
    let (model, input) = reload(&run)?;
    let columns = columns(&*model);
    let mut shards = Vec::new();
    for path in paths {
        watch.stage(&format!("reading {}", path.display()));
        let shard = Directory::open(path).sample(&columns)?;
        refuse_part(path, &Run::read(path)?, &shard.rows)?;
        shards.push((name(path), shard));
    }
    let sample = joined(shards)?;
    store::prepare(out, force)?;
    run.plan.shard = Shard::WHOLE;
    run.plan.out = out.to_path_buf();
    run.take_data_along(out)?;
    let mut directory = Directory::create(out, &run, &columns, model.items())?;
    directory.rewrite(&columns, model.items(), &sample)?;
    let seconds = sample.rows.iter().map(|row| row.seconds).sum();
    // Joining starts no chains. The stage that measures one long chain is left to `resume`.
    let answers = Answers::new(&run, &sample, seconds, (&input, &*model), None, &directory.chains(), watch)?;
    if long_chain::affordable(&run, &*model, &sample) {
        watch.say(&format!(
            "merged without new chains: {} measures the cost relative to one long chain",
            how_to_resume(out)
        ));
    }
    answers.write(&directory, &run, &sample, false, watch)
}
