//! Replicates by the kernel's source are those of the engine, bit for bit: without a card, the source runs on the processor.

mod support;

use partita_cuda::nvidia::compile;
use partita_cuda::source::{Family, SLOTS, Shape, WIDE};
use partita_cuda::{CardError, Nvidia, OnCard};
use partita_run::config::{Options, Task};
use partita_run::engine::{self, Executor, Job, Output, Replicate, Settings, Threads, Work};
use partita_run::model::{Model, load};
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use support::{Emulated, Lost};

/// A table of some blobs, in a file of its own.
fn table(name: &str, rows: usize, columns: usize) -> std::path::PathBuf {
    let mut state = 88_172_645_463_325_252_u64;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut text: String = (0..columns).map(|d| format!("c{d}")).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..rows {
        let cells = (0..columns).map(|d| {
            let noise: f64 = (0..6).map(|_| uniform() - 0.5).sum();
            format!("{:.6}", noise + 1.7 * f64::from((row * 7 + d * (row % 3)) as u32 % 3))
        });
        writeln!(text, "{}", cells.collect::<Vec<_>>().join(",")).unwrap();
    }
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{rows}-{columns}.csv"));
    std::fs::write(&path, text).unwrap();
    path
}

fn model(data: &std::path::Path, options: &str) -> Box<dyn Model> {
    let options = Options::parse(options, "the test").unwrap();
    load(Task::Fit, &Options { data: Some(data.into()), ..options }).unwrap().model
}

fn settings(times: (u64, u64, u64), max_sweeps: u64, keep_draws: usize) -> Settings {
    let schedule = partita::Schedule::new(times.0, times.1, times.2).unwrap();
    Settings { seed: 0xABCD_EF01_2345, schedule, max_sweeps, keep_draws, keep_until: 30 }
}

/// The replicates by number, without their wall times.
fn replicates(executor: &dyn Executor, model: &dyn Model, settings: Settings, count: u64) -> Vec<Replicate> {
    let work = Work::Replicates(settings);
    let job = Job { chains: model, work: &work };
    let mut found = Vec::new();
    let done = engine::run(executor, &job, 0..count, &AtomicBool::new(false), |_, output| {
        let Output::Replicate(replicate) = output else { panic!("replicates were asked for") };
        found.push(replicate);
        Ok(())
    });
    assert_eq!(done, Ok(true));
    found.sort_by_key(|replicate| replicate.row.replicate);
    found.iter_mut().for_each(|replicate| replicate.row.seconds = 0.0);
    found
}

fn assert_same_bits(ours: &[Replicate], theirs: &[Replicate], what: &str) {
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(ours, theirs, "{what}");
        let bits =
            |replicate: &Replicate| replicate.row.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(ours), bits(theirs), "{what}");
    }
}

const KNOWN: &str = "covariance = \"known\"\nsampler = \"gibbs\"\nstart = \"one\"\n";

#[test]
fn the_kernel_has_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    let executor = OnCard::new(card, Threads(1));
    let mut before = 0;
    // Few columns take distances from coordinates, many from inner products.
    for (rows, columns, times, options) in [
        (40, 1, (1, 5, 40), "noise_sd = 0.5"),
        (30, 3, (3, 0, 50), "noise_sd = 1.2\nsummary = [\"entropy\", \"top:4\", \"co:0,7\"]"),
        (60, 7, (1, 10, 60), "noise_sd = 0.9\nalpha = \"gamma:2,3\"\nsummary = [\"clusters\"]"),
        (60, 7, (7, 2, 20), "noise_sd = 0.9\nmetric = \"vi\"\nnugget = 0.05"),
        (150, 7, (2, 5, 30), "noise_sd = 0.9\nprior = \"pitman-yor:0.1\"\nsummary = [\"co:0,3\"]"),
        (90, 9, (1, 30, 90), "noise_sd = 1.1\nstandardize = false\nprior = \"finite\""),
    ] {
        let model = model(&table("same", rows, columns), &format!("{KNOWN}{options}"));
        let settings = settings(times, 10_000, 3);
        let theirs = replicates(&Threads(2), &*model, settings, 60);
        let ours = replicates(&executor, &*model, settings, 60);
        assert_same_bits(&ours, &theirs, &format!("{rows} rows, {columns} columns, {options}"));
        let tally = executor.tally();
        println!("{rows} x {columns}, {options:?}: {tally:?}");
        assert!(tally.on_card >= before + 15, "{options}: many are made by the kernel: {tally:?}");
        before = tally.on_card;
    }
    assert!(executor.notes().iter().any(|note| note.contains("replicates were made on no card")));
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

/// More clusters than the card holds: the processors do those replicates.
#[test]
fn what_outgrows_the_card_is_done_by_the_processors() {
    let Some(card) = Emulated::new() else { return };
    let executor = OnCard::new(card, Threads(1));
    let model = model(&table("many", 40, 2), &format!("{KNOWN}noise_sd = 0.1\nalpha = 5.0"));
    let settings = settings((1, 5, 30), 10_000, 0);
    let theirs = replicates(&Threads(1), &*model, settings, 20);
    assert_same_bits(&replicates(&executor, &*model, settings, 20), &theirs, "many clusters");
    assert!(executor.tally().left > 0, "{:?}", executor.tally());
}

#[test]
fn a_card_that_is_lost_costs_nothing_but_time() {
    let Some(card) = Emulated::new() else { return };
    let executor = OnCard::new(Lost(card, Mutex::new(1)), Threads(1));
    let model = model(&table("lost", 60, 7), &format!("{KNOWN}noise_sd = 0.9"));
    let settings = settings((1, 5, 30), 10_000, 2);
    let theirs = replicates(&Threads(1), &*model, settings, 200);
    assert_same_bits(&replicates(&executor, &*model, settings, 200), &theirs, "a lost card");
    let notes = executor.notes();
    assert!(notes.iter().any(|note| note.contains("fallen off the bus: the processors go on")), "{notes:?}");
}

#[test]
fn what_the_card_does_not_know_runs_on_the_processors_with_a_word() {
    let Some(card) = Emulated::new() else { return };
    let executor = OnCard::new(card, Threads(1));
    let data = table("other", 30, 3);
    let settings = settings((1, 5, 20), 10_000, 0);
    for (options, word) in [
        ("covariance = \"diagonal\"\nsampler = \"gibbs\"\nstart = \"one\"", "this model"),
        ("covariance = \"known\"\nsampler = \"gibbs\"\nstart = \"prior\"", "`start = prior`"),
        (
            "covariance = \"known\"\nsampler = \"split-merge*2+gibbs\"\nstart = \"one\"",
            "`sampler = split-merge*2+gibbs`",
        ),
        (
            "covariance = \"known\"\nsampler = \"gibbs\"\nstart = \"one\"\ncoupling = \"maximal\"",
            "`coupling = maximal`",
        ),
    ] {
        let model = model(&data, options);
        let theirs = replicates(&Threads(1), &*model, settings, 5);
        assert_same_bits(&replicates(&executor, &*model, settings, 5), &theirs, options);
        assert!(
            executor.notes().contains(&format!("{word} is not for the card: the processors run it")),
            "{word}"
        );
    }
    assert_eq!(executor.tally().on_card, 0);
}

/// The kernel compiles for a card wherever the compiler's library is.
#[test]
fn the_kernel_compiles_for_a_card() {
    let known = |dimension, gram| Family::Gaussian { dimension, gram };
    let columns = |normals, counts| Family::Columns { normals, counts, categories: 2, levels: 5 };
    for (slots, family, vi, sams) in [
        (SLOTS, known(4, false), false, false),
        (SLOTS, known(8, true), true, true),
        (SLOTS, known(52, true), false, false),
        (WIDE, known(8, true), false, true),
        (WIDE, known(12, false), true, false),
        (SLOTS, columns(8, 0), false, true),
        (WIDE, columns(4, 3), true, true),
    ] {
        let shape = Shape { slots, family, vi, sams };
        match compile(shape, "sm_90") {
            Ok(image) => assert!(image.starts_with(b"\x7fELF"), "{shape:?}"),
            Err(error @ CardError::NoCompiler) => return eprintln!("skipped: {error}"),
            Err(error) => panic!("{shape:?}: {error}"),
        }
    }
}

/// With a card, the same on it.
#[test]
fn a_card_has_the_bits_of_the_engine() {
    let card = match Nvidia::open() {
        Ok(card) => card,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    let executor = OnCard::new(card, Threads(2));
    for (rows, columns, options) in [(60, 7, "noise_sd = 0.9"), (150, 7, "noise_sd = 0.9\nmetric = \"vi\"")] {
        let model = model(&table("card", rows, columns), &format!("{KNOWN}{options}"));
        let settings = settings((2, 5, 60), 10_000, 2);
        let theirs = replicates(&Threads(2), &*model, settings, 500);
        assert_same_bits(&replicates(&executor, &*model, settings, 500), &theirs, options);
    }
    assert!(executor.tally().on_card > 800, "{:?}", executor.tally());
}
