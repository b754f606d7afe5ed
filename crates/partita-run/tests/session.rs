//! A run as a library makes it, interrupted where no signal could be timed.

use partita::rng::{Purpose, Stream};
use partita_run::Failure;
use partita_run::config::{Options, Task};
use partita_run::data::Cells;
use partita_run::engine::Threads;
use partita_run::model::Given;
use partita_run::session::{self, Held, Request};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// After the last replicate, pairs run for the variance of one long chain.
#[test]
fn interrupted_after_its_last_replicate_a_run_keeps_them_all() {
    let room = std::env::temp_dir().join(format!("partita-session-{}", std::process::id()));
    fs::create_dir_all(&room).unwrap();
    let edges = (0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b))).filter(|(a, b)| a + b != 5);
    let graph = room.join("octahedron.txt");
    fs::write(&graph, edges.map(|(a, b)| format!("{a} {b}\n")).collect::<String>()).unwrap();
    let out = room.join("run");
    let options = Options {
        data: Some(graph),
        colors: Some(4),
        lag: Some(5),
        burn_in: Some(5),
        sweeps: Some(20),
        replicates: Some(200),
        keep_draws: Some(2),
        out: Some(out.clone()),
        ..Options::default()
    };
    let command = "partita color octahedron.txt".into();
    let request = Request { task: Task::Color, meetings_only: false, options, force: false, command };
    let whole = session::start(request, &AtomicBool::new(false), &mut ()).unwrap();
    assert!(whole.summary.variance_pairs.is_some_and(|pairs| pairs.pairs >= 10), "{:?}", whole.summary);
    let rows = fs::read(out.join("replicates.csv")).unwrap();

    // As if it had been stopped before its answers were there; and once more in the same place.
    fs::remove_file(out.join("summary.json")).unwrap();
    let failure = session::resume(&out, None, &AtomicBool::new(true), &mut ()).unwrap_err();
    let Failure::Interrupted(sentence) = failure else { panic!("{failure:?}") };
    assert_eq!(
        sentence,
        format!(
            "interrupted before the answers were written: all replicates are kept; continue with `resume({})`",
            out.display()
        )
    );
    assert!(!out.join("summary.json").exists());
    assert_eq!(fs::read(out.join("replicates.csv")).unwrap(), rows);

    let resumed = session::resume(&out, None, &AtomicBool::new(false), &mut ()).unwrap();
    assert_eq!(resumed.summary.variance_pairs, whole.summary.variance_pairs);
    assert_eq!(resumed.summary.summaries, whole.summary.summaries);
    fs::remove_dir_all(&room).unwrap();
}

/// A column of zeros and ones is a category where the model is chosen, and a number where `full` is named: a run whose model
/// was chosen goes on with the model that it had.
#[test]
fn a_run_whose_model_was_chosen_is_resumed_with_it() {
    let room = std::env::temp_dir().join(format!("partita-chosen-{}", std::process::id()));
    fs::create_dir_all(&room).unwrap();
    let mut chance = Stream::new(8, 0).sequence(Purpose::Data, 0);
    let mut table = String::from("length,width,sex\n");
    for row in 0..80 {
        let (size, sex) = (chance.normal(), row % 2);
        let (x, y) =
            (size + 0.1 * chance.normal() + 3.0 * f64::from(sex), 2.0 * size + 0.1 * chance.normal());
        table += &format!("{x},{y},{sex}\n");
    }
    let data = room.join("table.csv");
    fs::write(&data, table).unwrap();
    let run = |name: &str, replicates| {
        let out = room.join(name);
        let options = Options {
            data: Some(data.clone()),
            replicates: Some(replicates),
            out: Some(out.clone()),
            ..Options::default()
        };
        let request =
            Request { task: Task::Fit, meetings_only: false, options, force: false, command: String::new() };
        let found = session::start(request, &AtomicBool::new(false), &mut ()).unwrap();
        assert_eq!(found.summary.model.as_deref(), Some("full"));
        out
    };
    // All columns but the time that a replicate took.
    let rows = |out: &Path| -> Vec<Vec<String>> {
        let text = fs::read_to_string(out.join("replicates.csv")).unwrap();
        let cells = |line: &str| {
            line.split(',').enumerate().filter(|(at, _)| *at != 5).map(|(_, c)| c.into()).collect()
        };
        text.lines().map(cells).collect()
    };
    let (whole, cut) = (run("whole", 6), run("cut", 3));
    let settings = fs::read_to_string(cut.join("run.toml")).unwrap();
    fs::write(cut.join("run.toml"), settings.replace("replicates = 3", "replicates = 6")).unwrap();
    fs::remove_file(cut.join("summary.json")).unwrap();
    session::resume(&cut, None, &AtomicBool::new(false), &mut ()).unwrap();
    assert_eq!(rows(&cut), rows(&whole));
    fs::remove_dir_all(&room).unwrap();
}

/// Shards of data from memory have the data with them, and what they are joined to has them, too.
#[test]
fn data_from_memory_go_where_shards_are_joined() {
    let room = std::env::temp_dir().join(format!("partita-joined-{}", std::process::id()));
    let x = Cells::Numbers(vec![0.1, 0.2, -0.1, 4.0, 4.2, 3.9]);
    let data = Given::Columns("points".into(), vec![("x".into(), x)]);
    let never = AtomicBool::new(false);
    let shards: Vec<_> = (1..=2).map(|shard| room.join(format!("shard{shard}"))).collect();
    for (shard, out) in (1..).zip(&shards) {
        let options = Options {
            data: Some("points".into()),
            lag: Some(5),
            burn_in: Some(5),
            sweeps: Some(20),
            replicates: Some(20),
            keep_draws: Some(1),
            shard: Some(format!("{shard}/2").parse().unwrap()),
            out: Some(out.clone()),
            ..Options::default()
        };
        let request =
            Request { task: Task::Fit, meetings_only: false, options, force: false, command: "test".into() };
        Held::start(&Threads(1), request, Some(&data), &never, &mut ()).unwrap();
    }
    let joined = room.join("joined");
    session::merge(&shards, &joined, false, &mut ()).unwrap();
    let copy = room.join("copy");
    Held::open(&joined, None, &mut ()).unwrap().save(&copy, false, &mut ()).unwrap();
    for gone in shards.iter().chain([&joined]) {
        fs::remove_dir_all(gone).unwrap();
    }
    let held = Held::open(&copy, None, &mut ()).unwrap();
    assert_eq!((held.sample().rows.len(), held.input().item_names.len()), (20, 6));
    fs::remove_dir_all(&room).unwrap();
}
