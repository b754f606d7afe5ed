//! One run, many executors: batches, and processes at the other end of a pipe, one of which dies on purpose.
//!
//! Whatever an executor does with the numbers it takes, the results are the same bytes as those of one thread.

use partita_run::Failure;
use partita_run::config::{Options, Task};
use partita_run::engine::{Delivery, Executor, Job, Numbers, Order, Origin, Output, Threads, Work};
use partita_run::session::{self, Request};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Takes a thousand numbers at a time and brings them back last first, as a card might; forgets every seventh
/// the first time it is asked.
struct Batches {
    asked: AtomicU64,
}

impl Executor for Batches {
    fn width(&self) -> usize {
        1
    }

    fn execute(
        &self,
        job: &Job,
        numbers: &Numbers,
        stop: &(dyn Fn() -> bool + Sync),
        give: &mut dyn FnMut(u64, Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        loop {
            let batch = numbers.take(1000);
            if batch.is_empty() || stop() {
                return Ok(());
            }
            for number in batch.into_iter().rev() {
                let forgets = self.asked.fetch_add(1, Ordering::Relaxed) % 7 == 3;
                if let Some(output) = job.chains.run(job.work, number, stop)
                    && !forgets
                {
                    give(number, output)?;
                }
            }
        }
    }
}

/// Sends work through pipes to two child processes, a few numbers at a time. Every fourth child is killed with its
/// work under way, and another one takes its place.
struct Pipes {
    started: AtomicU64,
    lost: AtomicU64,
    /// Those that wait for work, and where their chains come from.
    children: Mutex<Vec<(Vec<u8>, Child)>>,
}

/// This very program, as a child: it is asked for the test below alone, which serves.
fn child(origin: &[u8]) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "serves_where_it_is_asked_to", "--nocapture", "--quiet"])
        .env("PARTITA_TEST_SERVES", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // What the test harness says first does not count.
    let stdout = child.stdout.as_mut().unwrap();
    let mut seen = Vec::new();
    while !seen.ends_with(READY) {
        let mut byte = [0];
        stdout.read_exact(&mut byte).unwrap();
        seen.push(byte[0]);
    }
    send(child.stdin.as_mut().unwrap(), origin);
    child
}

const READY: &[u8] = b"<ready>";

fn send(to: &mut impl Write, bytes: &[u8]) {
    to.write_all(&(bytes.len() as u64).to_le_bytes()).unwrap();
    to.write_all(bytes).unwrap();
    to.flush().unwrap();
}

fn receive(from: &mut impl Read) -> Option<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length).ok()?;
    let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
    from.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

/// The other end of the pipe; without the variable there is nothing to serve and the test is empty by design.
#[test]
fn serves_where_it_is_asked_to() {
    if std::env::var_os("PARTITA_TEST_SERVES").is_none() {
        return;
    }
    let (mut stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    stdout.write_all(READY).unwrap();
    stdout.flush().unwrap();
    let origin = Origin::from_bytes(&receive(&mut stdin).unwrap()).unwrap();
    let model = origin.model().unwrap();
    while let Some(order) = receive(&mut stdin) {
        let order = Order::from_bytes(&order).unwrap();
        send(&mut stdout, &order.fill(&*model, &|| false).to_bytes());
    }
    std::process::exit(0);
}

impl Executor for Pipes {
    fn width(&self) -> usize {
        2
    }

    fn execute(
        &self,
        job: &Job,
        numbers: &Numbers,
        stop: &(dyn Fn() -> bool + Sync),
        give: &mut dyn FnMut(u64, Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let origin = job.chains.origin().expect("a model from data has an origin").to_bytes();
        let mut children = self.children.lock().unwrap();
        loop {
            // Each child gets its share; then all are listened to.
            let mut busy = Vec::new();
            for _ in 0..self.width() {
                let share = numbers.take(5);
                if share.is_empty() || stop() {
                    break;
                }
                // A pilot asks for chains of one model after the other: a child has those that it was told of.
                let waiting = children.iter().position(|(its, _)| *its == origin);
                let mut one = waiting.map_or_else(|| child(&origin), |at| children.swap_remove(at).1);
                let order = Order { work: job.work.clone(), numbers: share };
                send(one.stdin.as_mut().unwrap(), &order.to_bytes());
                if self.started.fetch_add(1, Ordering::Relaxed) % 4 == 2 {
                    // It may have been quick and have answered before: then its work is not lost, but it is gone.
                    one.kill().unwrap();
                    one.wait().unwrap();
                    self.lost.fetch_add(1, Ordering::Relaxed);
                }
                busy.push(one);
            }
            if busy.is_empty() {
                return Ok(());
            }
            for mut one in busy {
                let Some(delivery) = receive(one.stdout.as_mut().unwrap()) else { continue };
                for (number, output) in Delivery::from_bytes(&delivery)?.0 {
                    give(number, output)?;
                }
                if one.stdin.is_some() {
                    children.push((origin.clone(), one));
                }
            }
        }
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        for (_, mut child) in self.children.get_mut().unwrap().drain(..) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A folder of its own, with a table, a table with words and gaps, and a graph.
fn room(name: &str) -> PathBuf {
    let room = std::env::temp_dir().join(format!("partita-executors-{}-{name}", std::process::id()));
    fs::create_dir_all(&room).unwrap();
    let wave = |i: usize| (i as f64 * 0.7).sin() + f64::from(i as u32 % 3) * 3.0;
    let rows: String = (0..30).map(|i| format!("{:.3},{:.3}\n", wave(i), wave(2 * i + 1))).collect();
    fs::write(room.join("table.csv"), format!("x,y\n{rows}")).unwrap();
    let cell = |i: usize| if i % 7 == 2 { String::new() } else { format!("{:.2}", wave(i)) };
    let mixed: String =
        (0..24).map(|i| format!("{},{},{}\n", cell(i), i % 4, ["a", "b", ""][i % 3])).collect();
    fs::write(room.join("mixed.csv"), format!("x,n,word\n{mixed}")).unwrap();
    fs::write(room.join("graph.txt"), "0 1\n0 2\n1 2\n2 3\n3 4\n3 5\n4 5\n5 6\n").unwrap();
    room
}

/// What a run left, without what a clock or a path decides.
fn results(out: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let rows = fs::read_to_string(out.join("replicates.csv")).unwrap();
    let without_seconds = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        [&cells[..5], &cells[6..]].concat().join(",")
    };
    found.insert("rows".into(), rows.lines().map(without_seconds).collect::<Vec<_>>().join("\n"));
    for name in ["draws.csv", "clustering.csv", "credible_ball.csv"] {
        found.insert(name.into(), fs::read_to_string(out.join(name)).unwrap_or_default());
    }
    let summary = fs::read_to_string(out.join("summary.json")).unwrap();
    found.insert("summary".into(), summary.lines().filter(|line| !line.contains("\"seconds\"")).collect());
    found
}

fn run(
    room: &Path,
    name: &str,
    task: Task,
    options: &Options,
    executor: &dyn Executor,
) -> BTreeMap<String, String> {
    let out = room.join(name);
    let options = Options { out: Some(out.clone()), seed: Some(4), ..options.clone() };
    let request = Request { task, meetings_only: false, options, force: true, command: "partita".into() };
    session::start_on(executor, request, &AtomicBool::new(false), &mut ()).unwrap();
    results(&out)
}

/// With a pilot, without one, tables of all kinds, graphs, kept states, variance pairs.
#[test]
fn every_executor_gives_the_same_bytes() {
    let room = room("same");
    let given = |file: &str| Options {
        data: Some(room.join(file)),
        lag: Some(5),
        burn_in: Some(5),
        sweeps: Some(20),
        replicates: Some(60),
        keep_draws: Some(2),
        ..Options::default()
    };
    let pilot = Options { lag: None, burn_in: None, sweeps: None, ..given("table.csv") };
    let colors = Options { colors: Some(3), ..given("graph.txt") };
    let cases = [
        ("table", Task::Fit, given("table.csv")),
        ("mixed", Task::Fit, given("mixed.csv")),
        ("pilot", Task::Fit, pilot),
        ("colours", Task::Color, colors),
        ("blocks", Task::Blocks, given("graph.txt")),
    ];
    for (name, task, options) in cases {
        let one = run(&room, "one", task, &options, &Threads(1));
        assert!(one["rows"].lines().count() == 61 && one["draws.csv"].lines().count() > 61, "{name}");
        assert_eq!(run(&room, "three", task, &options, &Threads(3)), one, "{name}: three threads");
        let batches = Batches { asked: AtomicU64::new(0) };
        assert_eq!(run(&room, "batches", task, &options, &batches), one, "{name}: batches");
        let pipes =
            Pipes { started: AtomicU64::new(0), lost: AtomicU64::new(0), children: Mutex::new(Vec::new()) };
        assert_eq!(run(&room, "pipes", task, &options, &pipes), one, "{name}: pipes");
        assert!(pipes.lost.load(Ordering::Relaxed) >= 2, "children were to be lost");
    }
    fs::remove_dir_all(&room).unwrap();
}

/// Two threads on which the pairs of a pilot that has a time are late at once; what each of them might have taken.
#[derive(Default)]
struct Late(Mutex<Vec<Option<f64>>>);

impl Executor for Late {
    fn width(&self) -> usize {
        2
    }

    fn execute(
        &self,
        job: &Job,
        numbers: &Numbers,
        stop: &(dyn Fn() -> bool + Sync),
        give: &mut dyn FnMut(u64, Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut work = job.work.clone();
        if let Work::PilotPairs(pairs) = &mut work {
            self.0.lock().unwrap().push(pairs.seconds);
            pairs.seconds = pairs.seconds.map(|_| 0.0);
        }
        Threads(2).execute(&Job { work: &work, ..*job }, numbers, stop, give)
    }
}

/// Where a time is given, each pair of the pilot has its part of it. One that is late counts as one that did not meet.
#[test]
fn pairs_of_a_pilot_are_cut_when_its_time_is_over() {
    let room = room("late");
    let options = |time: Option<&str>| Options {
        data: Some(room.join("table.csv")),
        time: time.map(|time| time.parse().unwrap()),
        replicates: time.is_none().then_some(10),
        ..Options::default()
    };
    let unmet = |name: &str, executor: &Late, time: Option<&str>| -> (u64, u64) {
        run(&room, name, Task::Fit, &options(time), executor);
        let summary = fs::read_to_string(room.join(name).join("summary.json")).unwrap();
        let pilot = &serde_json::from_str::<serde_json::Value>(&summary).unwrap()["pilot"];
        (pilot["unmet"].as_u64().unwrap(), pilot["pairs"].as_u64().unwrap())
    };
    let timed = Late::default();
    let (cut, pairs) = unmet("timed", &timed, Some("3s"));
    assert_eq!(cut, pairs, "all are late");
    let told = timed.0.into_inner().unwrap();
    assert!(!told.is_empty() && told.iter().all(|each| each.is_some_and(|each| 0.0 < each && each <= 1.0)));
    let counted = Late::default();
    assert_eq!(unmet("counted", &counted, None).0, 0, "without a time no clock counts");
    assert!(counted.0.into_inner().unwrap().iter().all(Option::is_none));
    fs::remove_dir_all(&room).unwrap();
}
