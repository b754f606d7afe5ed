//! A place to run the command in, and what it left there.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A directory of its own for one test, removed afterwards.
pub struct Scratch {
    pub path: PathBuf,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A schedule that needs no pilot and takes a moment.
pub const QUICK: &str = "--lag 5 --burn-in 5 --sweeps 20 --replicates 24";

impl Scratch {
    /// With `data.csv` (30 rows, three groups) and `octahedron.txt` in it.
    pub fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("partita-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let scratch = Scratch { path };
        scratch.write("data.csv", &table(30));
        let edges = (0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b))).filter(|(a, b)| a + b != 5);
        scratch.write("octahedron.txt", &edges.map(|(a, b)| format!("{a} {b}\n")).collect::<String>());
        scratch
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path.join(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        let path = self.path.join(name);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path.join(name)).unwrap()
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path.join(name).exists()
    }

    /// The command with arguments, split at blanks.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_partita"));
        command.current_dir(&self.path).args(arguments.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, arguments: &str) -> Ran {
        finish(self.command(arguments).spawn().unwrap())
    }

    /// Runs what must succeed.
    pub fn ok(&self, arguments: &str) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.status, 0, "partita {arguments}: {ran:?}");
        ran
    }

    /// Runs what must be refused: status 2, no results, nothing written. Returns the sentence.
    pub fn refused(&self, arguments: &str) -> String {
        let before = everything(&self.path);
        let ran = self.run(arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "partita {arguments}: {ran:?}");
        assert_eq!(before, everything(&self.path), "partita {arguments} wrote something");
        ran.stderr.trim_end().to_string()
    }

    /// The rows of a run without their wall times.
    pub fn rows(&self, run: &str) -> Vec<String> {
        let text = self.read(&format!("{run}/replicates.csv"));
        assert!(text.ends_with('\n'), "the last line is whole");
        let without_seconds = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            [&cells[..5], &cells[6..]].concat().join(",")
        };
        text.lines().map(without_seconds).collect()
    }

    /// Everything a run has found, wall times aside.
    pub fn results(&self, run: &str) -> Results {
        let mut summary: Value = serde_json::from_str(&self.read(&format!("{run}/summary.json"))).unwrap();
        summary.as_object_mut().unwrap().remove("seconds").unwrap();
        if summary["pilot"].is_object() {
            summary["pilot"]["seconds"].take();
        }
        let matrix = format!("{run}/co_clustering.npy");
        Results {
            rows: self.rows(run),
            draws: self.read(&format!("{run}/draws.csv")),
            matrix: self.exists(&matrix).then(|| self.bytes(&matrix)),
            summary,
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[derive(Debug, PartialEq)]
pub struct Results {
    pub rows: Vec<String>,
    pub draws: String,
    pub matrix: Option<Vec<u8>>,
    pub summary: Value,
}

pub fn finish(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    Ran {
        // A process that was killed has no status.
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// All files below a directory with their contents.
fn everything(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((path.clone(), Vec::new()));
            found.extend(everything(&path));
        } else {
            let content = fs::read(&path).unwrap();
            found.push((path, content));
        }
    }
    found.sort();
    found
}

/// Rows around three centres, from a small generator of their own.
pub fn table(rows: usize) -> String {
    let mut random = Random(7);
    let mut text = String::from("x,y\n");
    for i in 0..rows {
        let (x, y) = [(-2.0, 0.0), (2.0, 1.0), (0.0, 3.0)][i % 3];
        let mut noise = || (0..4).map(|_| random.unit() - 0.5).sum::<f64>();
        text += &format!("{:.3},{:.3}\n", x + noise(), y + noise());
    }
    text
}

/// SplitMix64, so that tests draw the same every time.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[(self.next() % of.len() as u64) as usize]
    }
}

/// Waits until something holds; a minute is long enough for anything here.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(60), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a signal to a process of ours.
pub fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}
