//! Gaussian clusters of known spread by Gibbs sweeps.

use crate::emulated::Emulated;
use crate::{Case, assert_same, assert_same_bits, model, replicates, settings, table};
use partita_cuda::OnCard;
use partita_run::engine::{self, Executor, Job, Replicate, Threads, Work};
use std::sync::atomic::AtomicBool;

const KNOWN: &str = "covariance = \"known\"\nsampler = \"gibbs\"\nstart = \"one\"\n";

#[test]
fn the_kernel_has_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    // Few columns take distances from coordinates, many from inner products.
    for (rows, columns, times, options) in [
        (40, 1, (1, 5, 40), "noise_sd = 0.5"),
        (30, 3, (3, 0, 50), "noise_sd = 1.2\nsummary = [\"entropy\", \"top:4\", \"co:0,7\"]"),
        (60, 7, (1, 10, 60), "noise_sd = 0.9\nalpha = \"gamma:2,3\"\nsummary = [\"clusters\"]"),
        (60, 7, (7, 2, 20), "noise_sd = 0.9\nmetric = \"vi\"\nnugget = 0.05"),
        (150, 7, (2, 5, 30), "noise_sd = 0.9\nprior = \"pitman-yor:0.1\"\nsummary = [\"co:0,3\"]"),
        (90, 9, (1, 30, 90), "noise_sd = 1.1\nstandardize = false\nprior = \"finite\""),
    ] {
        let options = format!("{KNOWN}{options}");
        let data = table("same", rows, columns);
        let tally =
            assert_same(&card, &Case { data, options: &options, settings: settings(times, 10_000, 3) }, 60);
        assert!(tally.on_card >= 55, "{options}: almost all are made by the kernels: {tally:?}");
    }
}

#[test]
fn pairs_that_are_cut_are_the_same() {
    let Some(card) = Emulated::new() else { return };
    let executor = OnCard::new(card, Threads(1));
    let model = model(&table("cut", 60, 7), &format!("{KNOWN}noise_sd = 0.7"));
    let settings = settings((2, 3, 6), 6, 0);
    let theirs = replicates(&Threads(1), &*model, settings, 60);
    let ours = replicates(&executor, &*model, settings, 60);
    assert_same_bits(&ours, &theirs, "a cap of six sweeps");
    assert!(ours.iter().any(|r| r.row.tau.is_none()) && ours.iter().any(|r| r.row.tau.is_some()));
}

/// Many pairs that have not met for long: the card takes them back when it has nothing else to do.
#[test]
fn pairs_that_meet_late_do_so_on_the_card() {
    let Some(card) = Emulated::new() else { return };
    let options = format!("{KNOWN}noise_sd = 0.9\nnugget = 0.1");
    let case =
        Case { data: table("late", 60, 7), options: &options, settings: settings((1, 3, 6), 10_000, 1) };
    let tally = assert_same(&card, &case, 200);
    assert!(tally.outlasted < 32, "fewer are left to the processors than are taken back: {tally:?}");
}

/// More clusters than the fast kernel holds: the wide one does those replicates.
#[test]
fn what_outgrows_the_fast_kernel_is_done_by_the_wide_one() {
    let Some(card) = Emulated::new() else { return };
    for (columns, noise, metric) in [(2, 0.1, "hamming"), (9, 0.5, "vi"), (3, 0.2, "hamming")] {
        let options = format!("{KNOWN}noise_sd = {noise}\nalpha = 5.0\nmetric = \"{metric}\"");
        let data = table("many", 60, columns);
        let tally = assert_same(
            &card,
            &Case { data, options: &options, settings: settings((1, 5, 30), 10_000, 2) },
            24,
        );
        assert!(tally.in_wide >= 20, "{options}: {tally:?}");
    }
}

/// More clusters than any kernel holds: the processors do those replicates.
#[test]
fn what_outgrows_the_wide_kernel_is_done_by_the_processors() {
    let Some(card) = Emulated::new() else { return };
    let options = format!("{KNOWN}noise_sd = 0.02\nalpha = 100.0");
    let data = table("most", 60, 2);
    let tally =
        assert_same(&card, &Case { data, options: &options, settings: settings((1, 2, 5), 40, 0) }, 10);
    assert!(tally.left == 10, "{tally:?}");
}

#[test]
fn chains_start_wherever_they_start_on_the_processors() {
    let Some(card) = Emulated::new() else { return };
    for start in ["prior", "sequential", "kmeans:4", "kmeans:12"] {
        let options = format!(
            "covariance = \"known\"\nsampler = \"gibbs\"\nstart = \"{start}\"\nnoise_sd = 0.9\nalpha = 3.0"
        );
        let data = table("starts", 60, 7);
        let tally = assert_same(
            &card,
            &Case { data, options: &options, settings: settings((1, 5, 30), 10_000, 2) },
            40,
        );
        assert!(tally.on_card == 40, "{start}: {tally:?}");
    }
}

/// Single precision has rows of its own, of nearly the same law; only the card has it, and only for some work.
#[test]
fn single_precision_is_nearly_the_same() {
    let Some(card) = Emulated::new() else { return };
    for (columns, noise) in [(3, 1.2), (9, 1.1)] {
        let options = format!("{KNOWN}noise_sd = {noise}");
        let data = table("single", 60, columns);
        let settings = settings((1, 10, 60), 10_000, 2);
        let theirs = replicates(&Threads(2), &*model(&data, &options), settings, 100);
        let single = format!("{options}\nfloat = \"f32\"");
        let executor = OnCard::new(&card, Threads(1));
        let ours = replicates(&executor, &*model(&data, &single), settings, 100);
        let equal = ours.iter().zip(&theirs).filter(|(a, b)| a.row.tau == b.row.tau).count();
        assert!(equal >= 95, "{equal} of 100 meet when they meet in double precision");
        for value in 0..3 {
            let mean = |rows: &[Replicate]| rows.iter().map(|r| r.row.values[value]).sum::<f64>() / 100.0;
            let spread = theirs.iter().map(|r| (r.row.values[value] - mean(&theirs)).powi(2)).sum::<f64>();
            let error = (spread / 100.0 / 99.0).sqrt();
            assert!(
                (mean(&ours) - mean(&theirs)).abs() <= error + 1e-9,
                "value {value} of {columns} columns"
            );
        }
        assert!(executor.tally().on_card >= 95, "{:?}", executor.tally());
    }
}

#[test]
fn single_precision_is_refused_where_nobody_has_it() {
    let Some(card) = Emulated::new() else { return };
    let data = table("single", 60, 3);
    let refused = |executor: &dyn Executor, options: &str| {
        let work = Work::Replicates(settings((1, 5, 10), 100, 0));
        let model = model(&data, &format!("{options}\nfloat = \"f32\""));
        let job = Job { chains: &*model, work: &work };
        engine::run(executor, &job, 0..3, &AtomicBool::new(false), |_, _| Ok(())).unwrap_err().to_string()
    };
    let sentence = refused(&Threads(1), KNOWN);
    assert!(sentence.contains("for replicates on a GPU"), "{sentence}");
    let sentence = refused(&OnCard::new(&card, Threads(1)), "covariance = \"diagonal\"");
    assert!(sentence.contains("is not for the card"), "{sentence}");
}
