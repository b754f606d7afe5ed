//! Parts of a posterior from states of chains to files, sentences and the page.

use super::*;
use crate::answers::Answers;
use crate::config::{Options, StoppingRule, Task};
use crate::engine::Row;
use crate::model::{Loaded, load};
use crate::session::{self, Request, Watch};
use crate::store::{Directory, Run};
use crate::summary::Count;
use partita::atoms::Atom;
use partita::partition::Partitions;
use partita::{Gaussian, Mixture, Prior, Target};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

const DATA: [f64; 8] = [-1.3, -1.0, -0.2, 0.1, 1.1, 1.4, 1.5, 2.0];
const OPTIONS: &str = "standardize = false\ncovariance = 'known'\nprior_sd = 1.0\nnoise_sd = 0.5\nalpha = 1.0\n\
                       lag = 2\nburn_in = 1\nsweeps = 5\nreplicates = 4\n";

/// A room of its own with a table in it, which goes with it.
struct Room(PathBuf);

impl Room {
    fn new(name: &str) -> Self {
        let room = std::env::temp_dir().join(format!("partita-modes-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&room).unwrap();
        let text: String = DATA.iter().enumerate().map(|(i, x)| format!("\"a,{i}\",{x}\n")).collect();
        std::fs::write(room.join("my data.csv"), "name,x\n".to_string() + &text).unwrap();
        Room(room)
    }

    fn options(&self) -> Options {
        let mut options = Options::parse(OPTIONS, "my.toml").unwrap();
        options.data = Some(self.0.join("my data.csv"));
        options.id_column = Some("name".into());
        options.out = Some(self.0.join("run"));
        options
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn z(labels: &[usize]) -> Partition {
    Partition::from_labels(labels).unwrap()
}

/// Three chains that stay at one state, two at another.
fn chains() -> Vec<Trail> {
    let (few, many) = (z(&[0, 0, 0, 0, 1, 1, 1, 1]), z(&[0, 1, 2, 0, 1, 2, 0, 0]));
    [&few, &many, &few, &many, &few].map(|z| Trail::of_two(z.clone(), z.clone())).to_vec()
}

#[test]
fn log_probabilities_are_those_of_the_target() {
    let room = Room::new("target");
    let Loaded { model, .. } = load(Task::Fit, &room.options()).unwrap();
    let data = Gaussian::isotropic(DATA.to_vec(), 1, 1.0, 0.5).unwrap();
    let target = Mixture::new(Prior::dirichlet(1.0).unwrap(), data);
    for z in Partitions::of(DATA.len()) {
        let (found, truth) = (model.log_probability(&z), target.log_probability(&z));
        assert!((found - truth).abs() < 1e-9, "{found} instead of {truth}");
    }
    let none = Sample::default();
    let found = modes(&*model, &chains(), &none);
    let counts: Vec<_> =
        found.found.iter().map(|mode| (mode.chains, mode.clusters, mode.sizes.clone())).collect();
    assert_eq!(counts, [(3, 2, vec![4, 4]), (2, 3, vec![4, 2, 2])]);
    for (mode, chain) in found.found.iter().zip(chains()) {
        assert!((mode.log_probability - target.log_probability(chain.end())).abs() < 1e-9, "{mode:?}");
    }
    assert!(modes(&*model, &[], &none).found.is_empty());
    assert_eq!(modes(&*model, &chains()[..1], &none).found.len(), 1);
}

/// Pairs of the run that were censored tell where chains stay apart, even if all pairs of the pilot met.
#[test]
fn censored_pairs_tell_of_parts_too() {
    let room = Room::new("censored");
    let Loaded { model, .. } = load(Task::Fit, &room.options()).unwrap();
    let (few, many) = (chains()[0].end().clone(), chains()[1].end().clone());
    let mut sample = Sample::default();
    for replicate in 0..5 {
        // The first pair has met.
        let tau = (replicate == 0).then_some(3);
        let (sweeps, kernel_calls, seconds, values) = (9, 18, 0.1, Vec::new());
        sample.rows.push(Row { replicate, tau, sweeps, kernel_calls, seconds, values });
        // Of the second chain of the last pair, one state is known: that is not enough.
        let last = if replicate == 4 { 3 } else { 4 };
        for (weight, partition) in
            [(0.5, &few), (0.25, &few), (-0.5, &many), (-0.25, &many)].into_iter().take(last)
        {
            let atom = Atom { weight, partition: partition.clone() };
            sample.draws.push(Draw { replicate, atom });
        }
    }
    let counts = |pilot: &[Trail]| -> Vec<u64> {
        modes(&*model, pilot, &sample).found.iter().map(|mode| mode.chains).collect()
    };
    assert_eq!(counts(&chains()), [7, 5]);
    // Seven chains alone are too few to tell.
    assert_eq!(counts(&[]), [0; 0]);
    // One chain that crossed connects them, as long as all pairs met; where one was censored, crossing is too rare.
    let mut pilot = chains();
    pilot.extend(chains());
    pilot.push(Trail::of_two(few.clone(), many.clone()));
    let parts = |sample: &Sample| -> Vec<(u64, u64)> {
        modes(&*model, &pilot, sample).found.iter().map(|mode| (mode.chains, mode.crossed)).collect()
    };
    assert_eq!(parts(&sample), [(10, 0), (8, 1)]);
    let met = Sample { rows: sample.rows[..1].to_vec(), draws: Vec::new() };
    assert_eq!(parts(&met), [(11, 0)]);
    sample.rows[0].tau = None;
    let counts: Vec<u64> = modes(&*model, &[], &sample).found.iter().map(|mode| mode.chains).collect();
    assert_eq!(counts, [5, 4]);
}

/// Turns sentences so that it shows.
struct Shouting;

impl Watch for Shouting {
    fn phrase(&self, sentence: &str) -> String {
        sentence.replace('`', "!")
    }
}

#[test]
fn what_chains_found_reaches_files_page_and_notes() {
    let room = Room::new("files");
    let request = Request {
        task: Task::Fit,
        meetings_only: false,
        options: room.options(),
        force: false,
        command: String::new(),
    };
    let plain = session::start(request, &AtomicBool::new(false), &mut ()).unwrap();
    assert_eq!(plain.summary.modes, []);
    let path = room.0.join("run");
    assert!(std::fs::read_to_string(path.join("summary.json")).unwrap().contains("\"modes\": []"));
    assert!(!path.join("modes.csv").exists());

    let run = Run::read(&path).unwrap();
    let Loaded { model, input, .. } = load(Task::Fit, &room.options()).unwrap();
    let names = model.quantities().iter().map(|quantity| quantity.name.clone());
    let names: Vec<String> = names.chain(model.counts().iter().map(Count::column)).collect();
    let directory = Directory::open(&path);
    let sample = directory.sample(&names).unwrap();
    let answers = |chains: &[Trail]| {
        Answers::new(&run, &sample, 1.0, (&input, &*model), None, chains, &mut Shouting).unwrap()
    };
    // One part is no news.
    let one = answers(&chains()[..1]);
    assert_eq!((one.summary.modes.len(), one.summary.notes.len()), (1, plain.summary.notes.len()));
    assert_eq!(one.page.answer, plain.answer);
    one.write(&directory, &run, &sample, false, &mut ()).unwrap();
    assert!(!path.join("modes.csv").exists());

    let two = answers(&chains()).write(&directory, &run, &sample, false, &mut ()).unwrap();
    assert_eq!(two.answer.len(), plain.answer.len() + 1);
    let logs: Vec<String> =
        two.summary.modes.iter().map(|mode| format!("{:.1}", mode.log_probability)).collect();
    assert_eq!(
        two.answer[0],
        format!(
            "The chains found 2 separate parts of the posterior and did not cross between them in this run: 2 \
             clusters of sizes 4 and 4, log probability {} (3 chains); 3 clusters of sizes 4, 2 and 2, log probability \
             {} (2 chains). This run does not determine their relative weights.",
            logs[0], logs[1]
        )
    );
    let data = room.0.join("my data.csv");
    let told =
        format!("cross, as in !fit('{}', time = 30m)! (in place of !replicates!) with", data.display());
    assert_eq!(
        two.summary.notes.iter().filter(|note| note.contains(&told)).count(),
        1,
        "{:?}",
        two.summary.notes
    );
    assert_eq!(
        std::fs::read_to_string(path.join("modes.csv")).unwrap(),
        "item,mode1,mode2\n\"a,0\",0,0\n\"a,1\",0,1\n\"a,2\",0,2\n\"a,3\",0,0\n\"a,4\",1,1\n\"a,5\",1,2\n\"a,6\",1,0\n\
         \"a,7\",1,0\n"
    );
    assert_eq!(session::known(&path).unwrap(), two.summary);
    let page = std::fs::read_to_string(path.join("report.html")).unwrap();
    assert!(page.contains("<section id=\"modes\""));
}

fn note_of(task: Task, options: &str) -> String {
    let options = format!("lag = 1\nburn_in = 0\nsweeps = 1\nkeep_draws = 1\nout = 'run'\n{options}");
    let options = Options::parse(&options, "my.toml").unwrap();
    let plan = Plan::restore(task, &options, StoppingRule::Replicates { replicates: 1 }).unwrap();
    let mode = Mode { clusters: 1, sizes: vec![1], log_probability: 0.0, chains: 1, crossed: 0 };
    assert_eq!(note(std::slice::from_ref(&mode), &plan, None, 3), None);
    let note = note(&[mode.clone(), mode], &plan, None, 3).unwrap();
    let (begin, end) = note.split_once("Chains need more time to cross, as in ").unwrap();
    assert_eq!(
        begin,
        "This run does not determine the relative weights of the 2 parts between which chains did not cross: where \
         the parts differ, means, intervals and the point estimate may be further off than they suggest. "
    );
    end.into()
}

#[test]
fn the_note_tells_what_would_determine_the_weights() {
    let model = "or another model (`model`).";
    for (task, options, told) in [
        (
            Task::Fit,
            "data = 'a.csv'\nsampler = 'gibbs'",
            format!("`fit(a.csv, time = 30m)` with the other options of this run; or try leaving `sampler` out, so that the pilot chooses the moves, {model}"),
        ),
        (
            Task::Fit,
            "time = '90s'\nsampler = 'split-merge'",
            format!("`fit(time = 30m)` with the other options of this run; or try leaving `sampler` out, so that the pilot chooses the moves, {model}"),
        ),
        (
            Task::Blocks,
            "data = 'g.txt'\ntime = '10m'\nsampler = 'gibbs'",
            "`blocks(g.txt, time = 100m)` with the other options of this run; or try leaving `sampler` out, so that the pilot \
             chooses the moves."
                .into(),
        ),
        (
            Task::Color,
            "data = 'g.txt'\ncolors = 3\nprecision = 0.1\nsampler = 'kempe+gibbs'",
            "`color(g.txt, colors = 3, time = 30m)` (in place of `precision`) with the other options of this run; or try more \
             `colors`."
                .into(),
        ),
        (
            Task::Color,
            "data = 'g.txt'\ncolors = 3\nsummary = []\nsampler = 'gibbs'",
            "`meet(g.txt, colors = 3, time = 30m)` with the other options of this run; or try `sampler = kempe+gibbs`, or \
             more `colors`."
                .into(),
        ),
    ] {
        assert_eq!(note_of(task, options), told);
    }
}

#[test]
fn many_parts_are_told_in_short() {
    let (few, many) = (vec![9; 8], vec![20; 1]);
    let mode = |sizes: &Vec<u64>| Mode {
        clusters: sizes.len() as u64,
        sizes: sizes.clone(),
        log_probability: -10.04,
        chains: 1,
        crossed: 0,
    };
    assert_eq!(
        one(&mode(&few)),
        "8 clusters of sizes 9, 9, 9, 9, 9 and 3 more, log probability -10.0 (1 chain)"
    );
    assert_eq!(one(&mode(&many)), "1 cluster of size 20, log probability -10.0 (1 chain)");
    let room = Room::new("many");
    let request = Request {
        task: Task::Fit,
        meetings_only: true,
        options: Options { replicates: Some(2), ..Options::default() },
        force: false,
        command: String::new(),
    };
    let options = Options { out: Some(room.0.join("run")), ..request.options };
    let mut summary =
        session::start(Request { options, ..request }, &AtomicBool::new(false), &mut ()).unwrap().summary;
    assert_eq!(finding(&summary), None);
    summary.modes = vec![mode(&many); 7];
    let told = finding(&summary).unwrap();
    assert!(
        told.contains("found 7 separate parts") && told.contains("(1 chain); and 3 more. This run"),
        "{told}"
    );
}
