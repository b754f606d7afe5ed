//! Whatever is typed or written into a file, the answer is a sentence and not a panic.

use crate::support::{Random, Scratch};
use partita_run::config::Options;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const GOOD: &str = "data = \"data.csv\"\nalpha = \"gamma:2,4\"\nstart = \"kmeans:5\"\nlag = 5\nburn_in = 10\n\
                    summary = [\"clusters\", \"top:10\", \"co:0,21\"]\ntime = \"60s\"\nshard = \"3/100\"\n\
                    nugget = 1e-5\nstandardize = false\ncoupling = \"optimal\"\ndelimiter = \";\"\n";

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(3),
        ..ProptestConfig::default()
    }
}

/// Options or a sentence; a sentence is one line that names the file.
fn answers(text: &str) {
    match Options::parse(text, "my.toml") {
        Ok(options) => drop(options.check()),
        Err(error) => assert!(error.to_string().starts_with("my.toml: "), "{error}"),
    }
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn any_text_as_a_configuration(text in "\\PC*") {
        answers(&text);
    }

    #[test]
    fn any_bytes_as_a_configuration(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        answers(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_good_configuration_with_bytes_changed(
        changes in prop::collection::vec((0..GOOD.len(), any::<char>(), 0usize..3), 1..6),
    ) {
        let mut text: Vec<char> = GOOD.chars().collect();
        for (place, char, kind) in changes {
            let place = place % text.len();
            match kind {
                0 => text[place] = char,
                1 => text.insert(place, char),
                _ => drop(text.remove(place)),
            }
        }
        answers(&text.into_iter().collect::<String>());
    }

    #[test]
    fn any_value_for_any_key(
        key in prop::sample::select(Options::KEYS),
        value in prop_oneof![
            any::<i64>().prop_map(|n| n.to_string()),
            any::<f64>().prop_map(|x| format!("{x:?}")),
            "[a-z:,/0-9.]{0,12}".prop_map(|s| format!("\"{s}\"")),
            Just("[]".into()), Just("{}".into()), Just("true".into()), Just("[\"a\", 1]".into()),
            Just("inf".into()), Just("nan".into()), Just("18446744073709551615".into()),
        ],
    ) {
        answers(&format!("{key} = {value}"));
    }
}

#[test]
fn a_good_configuration_is_good() {
    assert!(Options::parse(GOOD, "my.toml").is_ok());
}

/// Values that options may be given, sensible and not.
const SOUP: &[(&str, &[&str])] = &[
    ("--covariance", &["known", "shared", "shared-columns", "diagonal", "full", "ful", ""]),
    (
        "--prior",
        &["dirichlet", "pitman-yor:0.5", "pitman-yor:0.9,-0.8", "finite:0.001,1000", "finite:", "🦀"],
    ),
    ("--column-type", &["x=count", "x=category,y=normal", "y=normal", "z=count", "=", "x=🦀"]),
    ("--edge-prior", &["1,1", "0.5", "0,1"]),
    ("--cluster-prior", &["weak", "table", "table:1,1,1000000", "table:0.000001,1000,1", "table:", "🦀"]),
    ("--prior-sd", &["0.5", "1e-30", "1e300", "-1", "nan", "x"]),
    ("--noise-sd", &["0.5", "1e30", "1e-300", "0", "inf"]),
    (
        "--alpha",
        &["2", "gamma:2,4", "gamma:0.001,1000000", "gamma:1e-300,1", "gamma:", "1e-300", "1e300", "-2"],
    ),
    ("--colors", &["4", "18446744073709551615", "0"]),
    ("--sampler", &["gibbs", "split-merge", "gibs"]),
    ("--coupling", &["optimal", "maximal", "common", "independent", "relabel", "none"]),
    ("--metric", &["hamming", "vi", "l2"]),
    ("--nugget", &["0", "1", "0.5", "1.5", "nan", "-0"]),
    ("--start", &["one", "prior", "kmeans:3", "kmeans:999", "greedy", "kmeans:x"]),
    ("--seed", &["0", "18446744073709551615", "-1", "x"]),
    ("--summary", &["clusters", "top:100", "co:0,21", "co:21,21", "co:0,99", "top:0", "entropy", "🦀"]),
    ("--keep-draws", &["0", "1", "1000000", "18446744073709551615"]),
    ("--threads", &["1", "5", "0", "18446744073709551615"]),
    ("--shard", &["1/1", "2/3", "3/2", "1/18446744073709551615", "x"]),
    ("--delimiter", &["comma", ";", "tab", "🦀", ""]),
    ("--columns", &["x", "1,2", "z", "", ",,"]),
    ("--drop", &["y", "2", "x,y", "99"]),
    ("--id-column", &["x", "3"]),
    ("--label-column", &["y", "nobody"]),
    ("--config", &["good.toml", "nowhere.toml", "data.csv", "bytes.toml"]),
    ("--precision", &["0.1", "1e-300", "0", "nan"]),
    ("--time", &["50ms", "1e9", "99999999999999999999h", "-5s", "🦀"]),
];

const FLAGS: &[&str] =
    &["--header", "--no-header", "--no-standardize", "--json", "--force", "--no-such", "--", "-"];

#[test]
fn any_arguments_get_an_answer() {
    let scratch = Scratch::new();
    scratch.write("good.toml", "burn_in = 1\nseed = 9\n");
    std::fs::write(scratch.path.join("bytes.toml"), [0xff, 0xfe, b'=', 0]).unwrap();
    let mut random = Random(99);
    let mut done = 0;
    for i in 0..300 {
        let task = random.pick(&["fit", "fit", "fit", "meet", "color", "blocks"]);
        let mut rarely = |strange: &[&'static str], usual| match random.next() % 12 {
            0 => random.pick(strange),
            _ => usual,
        };
        let data = rarely(
            &["octahedron.txt", "nowhere.csv", "."],
            ["data.csv", "octahedron.txt"][usize::from(task == "color" || task == "blocks")],
        );
        let lag = rarely(&["1", "0", "18446744073709551615"], "2");
        let sweeps = rarely(&["2", "0", "9223372036854775807"], "5");
        let replicates = rarely(&["1", "0", "18446744073709551615"], "3");
        let mut words: Vec<String> =
            [task, data, "--lag", lag, "--burn-in", "2", "--sweeps", sweeps].map(String::from).to_vec();
        words.extend(["--max-sweeps", "30", "--replicates", replicates, "--out"].map(String::from));
        words.push(format!("run{i}"));
        if task == "color" && random.unit() < 0.75 {
            words.extend(["--colors", "4"].map(String::from));
        }
        for _ in 0..random.next() % 4 {
            let (option, values) = SOUP[(random.next() % SOUP.len() as u64) as usize];
            words.extend([option.to_string(), random.pick(values).to_string()]);
        }
        if random.unit() < 0.25 {
            words.push(random.pick(FLAGS).to_string());
        }
        let mut command = scratch.command("");
        command.args(&words);
        let ran = crate::support::finish(command.spawn().unwrap());
        assert!([0, 2].contains(&ran.status), "{words:?}: {ran:?}");
        assert!(!ran.stderr.contains("panicked"), "{words:?}: {ran:?}");
        done += u32::from(ran.status == 0);
    }
    assert!(done >= 60, "only {done} of 300 were runs at all");
}
