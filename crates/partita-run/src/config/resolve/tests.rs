//! Tests of what is decided where nothing was said.

use super::*;

fn resolved(task: Task, text: &str, facts: Facts) -> Setup {
    Setup::resolve(task, &Options::parse(text, "my.toml").unwrap(), facts).unwrap()
}

#[test]
fn a_plan_said_in_options_resolves_to_itself() {
    let table = Facts::Table { columns: 40 };
    let graph = Facts::Graph { largest_degree: 9 };
    let cases = [
        (Task::Fit, "", table),
        (Task::Fit, "data = 'a.csv'", table),
        (Task::Fit, "data = 'a.csv'\nnoise_sd = 2.5", table),
        (Task::Fit, "data = 'a.csv'\ncovariance = 'full'\nprior = 'finite'\nstart = 'one'", table),
        (Task::Fit, "data = 'a.csv'\ncovariance = 'full'\ncluster_prior = 'table:0.25,3,0.5'", table),
        (Task::Fit, "data = 'a.csv'\nprior = 'pitman-yor:0.5,1'\ncoupling = 'independent'", table),
        (Task::Fit, "data = 'a.csv'\nsummary = ['top:2', 'top:7', 'co:1,2']\ncoupling = 'common'", table),
        (Task::Color, "colors = 4", graph),
        (Task::Color, "colors = 40\nmetric = 'vi'", graph),
        (Task::Blocks, "alpha = 2\nedge_prior = '1,3'", graph),
        (Task::Blocks, "nugget = 0.25", graph),
    ];
    for (task, text, facts) in cases {
        let setup = resolved(task, text, facts);
        assert_eq!(setup.task(), task);
        for other in [facts, table, graph] {
            let mut options = setup.options();
            options.data = Options::parse(text, "my.toml").unwrap().data;
            assert_eq!(Setup::resolve(task, &options, other).unwrap(), setup, "{text}");
        }
        let schedule = Schedule::new(7, 10, 100).unwrap();
        let found = Found { schedule, pilot: None, items: 50, width: 2, meetings_only: false, spent: 0.0 };
        for text in ["", "time = '9s'", "replicates = 30\nshard = '2/3'", "precision = 0.1\nthreads = 5"] {
            let mut options = Options::parse(text, "my.toml").unwrap();
            options.data = Some("a.csv".into());
            let plan = Plan::resolve(&options, setup.clone(), "out".into(), found);
            assert_eq!(Plan::restore(task, &plan.options(), plan.stop).unwrap(), plan, "{text}");
        }
    }
}

#[test]
fn few_colours_ask_for_kempe_moves() {
    let degree = Facts::Graph { largest_degree: 3 };
    assert_eq!(resolved(Task::Color, "colors = 5", degree).sampler, Sampler::gibbs());
    assert_eq!(resolved(Task::Color, "colors = 4", degree).sampler, Sampler::kempe());
}

#[test]
fn defaults_in_words_are_the_defaults() {
    for task in [Task::Fit, Task::Color, Task::Blocks] {
        let text = if task == Task::Color { "colors = 9" } else { "data = 'a.csv'" };
        let setup = resolved(task, text, Facts::Graph { largest_degree: 3 });
        let schedule = Schedule::new(7, 10, 100).unwrap();
        let found = Found { schedule, pilot: None, items: 50, width: 2, meetings_only: false, spent: 0.0 };
        let options = Plan::resolve(&Options::default(), setup, "out".into(), found).options();
        let mut told = 0;
        for (key, value) in toml::Table::try_from(&options).unwrap() {
            let Some(words) = default_in_words(&key, task) else { continue };
            let default = match &value {
                toml::Value::Array(list) => {
                    list.iter().map(|v| v.as_str().unwrap().to_string()).collect::<Vec<_>>().join(", ")
                }
                toml::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let number = |text: &str| text.parse::<f64>().ok();
            let words = words.split(';').next().unwrap();
            let same = words == default || number(words).is_some_and(|n| number(&default) == Some(n));
            let in_words = ["lag", "burn_in", "sweeps", "out", "threads", "model"].contains(&key.as_str());
            assert!(same || in_words, "{key}: {words} or {default}");
            told += 1;
        }
        assert!(told > 8, "{told}");
    }
}

#[test]
fn a_plain_run_costs_at_least_twice_its_pilot() {
    let schedule = Schedule::new(7, 10, 100).unwrap();
    let at_least = |cost_in_replicates, seconds_per_call| {
        let pilot =
            Pilot { cost_in_replicates, seconds_per_call, replicate_calls: 100.0, ..Pilot::default() };
        let pilot = Some(&pilot);
        let found = Found { schedule, pilot, items: 50, width: 2, meetings_only: false, spent: 0.0 };
        match stop(Limit::Unsaid, found) {
            StoppingRule::Digits { at_least, at_most, .. } => (at_least, at_most),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(at_least(1.0, 1e-6).0, FIRST_ROUND);
    assert_eq!(at_least(250.0, 1e-6).0, 550);
    // But no more than there is time for.
    let (least, most) = at_least(1e6, 1e-3);
    assert!(least == most && most < 2000, "{least} of {most}");
}

/// Slow tables have more time than others. Beyond what others would have had, a coarser answer will do.
#[test]
fn a_slow_table_has_longer_and_then_a_coarser_answer() {
    let schedule = Schedule::new(7, 10, 100).unwrap();
    let rule = |seconds_per_call, slow, apart| {
        let pilot = Pilot { slow, apart, seconds_per_call, replicate_calls: 100.0, ..Pilot::default() };
        let found =
            Found { schedule, pilot: Some(&pilot), items: 50, width: 2, meetings_only: false, spent: 0.0 };
        match stop(Limit::Unsaid, found) {
            StoppingRule::Digits { at_most, coarser_from, .. } => (at_most, coarser_from),
            other => panic!("{other:?}"),
        }
    };
    let usual = (SECONDS * 2.0) as u64;
    assert_eq!(rule(1e-2, false, false), (TWO_ROUNDS_MORE, None));
    assert_eq!(rule(1e-2, true, false), (PATIENCE as u64 * usual, Some(usual)));
    // Not slow to meet, but large: the fewest replicates take longer than a run has.
    assert_eq!(rule(2e-2, false, false), (PATIENCE as u64 * usual / 2, Some(usual / 2)));
    assert!([1e-2, 2e-2].into_iter().all(|cost| rule(cost, true, true).1.is_none()));
}

/// Each worker finishes its first replicate: where pairs go on to the cap, there is room for few of them.
#[test]
fn a_timed_run_has_no_more_workers_than_there_is_time_for() {
    let workers = |seconds_per_call: f64, apart: bool| {
        let schedule = Schedule::new(10, 50, 100).unwrap();
        let pilot = Pilot { seconds_per_call, apart, replicate_calls: 150.0, ..Pilot::default() };
        let found =
            Found { schedule, pilot: Some(&pilot), items: 50, width: 2, meetings_only: false, spent: 10.0 };
        let time = Options::parse("time = '40s'", "my.toml").unwrap();
        match stop(limit(&time), found) {
            StoppingRule::Time { workers, seconds, .. } => {
                let shares = (workers / 2) as f64;
                assert!(shares * seconds < 30.0, "{workers} workers of {seconds} s");
                (workers, shares * 400.0 * seconds_per_call)
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(workers(1e-5, false).0, 50);
    assert_eq!(workers(1e-2, false).0, 8);
    // The cap is at 200 sweeps: 400 kernel calls where no pair meets.
    let (apart, firsts) = workers(1e-2, true);
    assert!(apart == 8 && firsts < 30.0, "{apart} workers, {firsts} s");
    assert_eq!(workers(3e-2, true).0, 2);
}
