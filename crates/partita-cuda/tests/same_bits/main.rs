//! Replicates by the kernel's source are those of the engine, bit for bit: without a card, the source runs on the processor.

mod columns;
mod emulated;
mod full;
mod known;
mod long;
mod moves;
mod parts;
mod states;
mod variance;
mod without;

use partita_cuda::executor::Tally;
use partita_cuda::nvidia::compile;
use partita_cuda::source::{Family, Moves, Shape};
use partita_cuda::{CardError, Nvidia, OnCard};
use partita_run::config::{Options, Task};
use partita_run::engine::{self, Executor, Job, Output, Replicate, Settings, Threads, Work};
use partita_run::model::{Model, load};
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

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

/// A model on a table, its settings, and what they are called.
struct Case<'a> {
    data: std::path::PathBuf,
    options: &'a str,
    settings: Settings,
}

/// Asserts that a card has the bits of the processors, and says what was done where.
fn assert_same(card: &impl partita_cuda::Card, case: &Case, count: u64) -> Tally {
    let executor = OnCard::new(card, Threads(1));
    let model = model(&case.data, case.options);
    let theirs = replicates(&Threads(2), &*model, case.settings, count);
    let ours = replicates(&executor, &*model, case.settings, count);
    let what = format!("{}, {}", case.data.display(), case.options);
    assert_same_bits(&ours, &theirs, &what);
    let tally = executor.tally();
    assert_eq!(tally.on_card + tally.left + tally.outlasted, count, "{what}: {:?}", executor.notes());
    println!("{what:?}: {tally:?}");
    tally
}

/// The kernel compiles for a card wherever the compiler's library is.
#[test]
fn the_kernel_compiles_for_a_card() {
    let known = |dimension, gram| Family::Gaussian { dimension, gram };
    let columns = |normals, counts, full| Family::Columns { normals, counts, categories: 2, levels: 5, full };
    let matrix = |full| Family::Columns { normals: 0, counts: 0, categories: 0, levels: 0, full };
    let (gibbs, sams) = (Moves::default(), Moves { sides: true, scans: 0 });
    let all = Moves { sides: true, scans: 5 };
    let shapes = [
        (known(4, false), false, gibbs, true),
        (known(8, true), true, all, false),
        (known(52, true), false, gibbs, false),
        (known(52, true), false, gibbs, true),
        (known(12, false), true, gibbs, false),
        (columns(8, 0, 0), false, sams, false),
        (columns(4, 3, 5), true, all, false),
        (matrix(4), false, sams, false),
        (matrix(16), false, gibbs, false),
        (matrix(40), false, sams, false),
    ];
    // Every other one for a long table.
    let ladders = shapes.into_iter().zip([200, 70_000].into_iter().cycle());
    for shape in
        ladders.flat_map(|((family, vi, moves, float), items)| Shape::ladder(family, vi, moves, float, items))
    {
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
    let known = "covariance = \"known\"\nnoise_sd = 0.9\n";
    let mut tally = 0;
    for (rows, columns, options) in [
        (60, 7, format!("{known}sampler = \"gibbs\"\nstart = \"one\"")),
        (150, 7, format!("{known}sampler = \"gibbs\"\nstart = \"prior\"\nmetric = \"vi\"")),
        (60, 7, format!("{known}sampler = \"sams*5+gibbs\"")),
        (150, 5, "covariance = \"diagonal\"\nsampler = \"sams*5+gibbs\"".into()),
        (150, 4, "covariance = \"full\"\nsampler = \"sams*5+shuffle*2+gibbs\"".into()),
        (60, 3, "covariance = \"full\"\nsampler = \"split-merge*3+gibbs\"".into()),
    ] {
        let data = table("card", rows, columns);
        let case = Case { data, options: &options, settings: settings((2, 5, 60), 10_000, 2) };
        tally += assert_same(&card, &case, 500).on_card;
    }
    assert!(tally > 2400, "{tally}");
}
