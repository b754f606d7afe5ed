//! Pairs between kept states, for the variance of one long chain.

use crate::columns::mixed;
use crate::emulated::Emulated;
use crate::{model, replicates, settings, table};
use partita_cuda::OnCard;
use partita_run::engine::{self, Executor, Job, Output, Starts, Threads, Work};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// What came of each number, as it is written down: all digits.
fn found(executor: &dyn Executor, data: &Path, options: &str, cap: u64) -> Vec<String> {
    let model = model(data, options);
    let units = replicates(&Threads(2), &*model, settings((1, 3, 12), 10_000, 4), 24);
    let units: Vec<_> =
        units.chunks_exact(2).map(|two| [two[0].atoms.clone(), two[1].atoms.clone()]).collect();
    let count = units.len() as u64;
    let work = Work::VariancePairs(Starts { seed: 11, cap, each: 3, units });
    let mut found = vec![String::new(); count as usize];
    let job = Job { chains: &*model, work: &work };
    let done = engine::run(executor, &job, 0..count, &AtomicBool::new(false), |number, output| {
        let Output::Variance(between) = output else { panic!("variance pairs were asked for") };
        found[number as usize] = format!("{between:?}");
        Ok(())
    });
    assert_eq!(done, Ok(true));
    found
}

#[test]
fn pairs_between_kept_states_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    let executor = OnCard::new(&card, Threads(1));
    let known = "covariance = \"known\"\nnoise_sd = 0.9\n";
    let summaries = "summary = [\"clusters\", \"top:3\", \"co:0,5\", \"entropy\"]\n";
    let few = table("variance", 60, 7);
    for (data, options, cap) in [
        (&few, format!("{known}{summaries}sampler = \"gibbs\""), 10_000),
        (&few, format!("{known}{summaries}sampler = \"sams*3+gibbs\""), 10_000),
        (&few, format!("{known}sampler = \"gibbs\"\nstart = \"prior\""), 4),
        (&mixed(70, 1), format!("covariance = \"diagonal\"\n{summaries}sampler = \"sams*3+gibbs\""), 10_000),
    ] {
        let theirs = found(&Threads(2), data, &options, cap);
        assert_eq!(found(&executor, data, &options, cap), theirs, "{options}");
        assert!(theirs.iter().any(|one| one.contains("Some")), "{options}");
        assert!(cap > 10 || theirs.iter().any(|one| one == "None"), "{options}");
    }
    let between = executor.tally().between;
    assert!(between >= 100, "{between} pairs were made by the kernels");
}
