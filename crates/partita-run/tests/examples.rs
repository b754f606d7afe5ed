//! The examples run.

#[allow(dead_code)]
#[path = "../examples/own_executor.rs"]
mod own_executor;

#[test]
fn own_executor_runs() {
    own_executor::main().unwrap();
}

#[allow(dead_code)]
#[path = "../examples/score_candidates.rs"]
mod score_candidates;

/// Two long groups side by side, which only a covariance sees.
#[test]
fn score_candidates_prefers_what_fits() {
    let path = std::env::temp_dir().join(format!("partita-score-{}.csv", std::process::id()));
    let row = |i: i32| {
        let (t, wobble) = (f64::from(i / 2) * 0.25, f64::from(i * 37 % 11) * 0.02);
        format!("{:.3},{:.3},{}\n", t + wobble, t + f64::from(i % 2) - wobble, i % 2)
    };
    let rows: String = (0..80).map(row).collect();
    std::fs::write(&path, format!("x,y,group\n{rows}")).unwrap();
    let (labels, priors) = (Some("group".into()), Vec::new());
    let question = score_candidates::Question { data: path.clone(), labels, seconds: 0.05, priors };
    let answers = score_candidates::score(&question).unwrap();
    std::fs::remove_file(&path).unwrap();
    let [diagonal, others @ ..] = &answers[..] else { panic!("{answers:?}") };
    assert_eq!((diagonal.name.as_str(), others.len()), ("diagonal", 6));
    assert!(others.iter().all(|full| full.score > diagonal.score + 0.3), "{answers:?}");
}
