//! The examples run.

#[allow(dead_code)]
#[path = "../examples/own_likelihood.rs"]
mod own_likelihood;

#[test]
fn own_likelihood_runs() {
    own_likelihood::main().unwrap();
}

#[allow(dead_code)]
#[path = "../examples/predictives.rs"]
mod predictives;

#[test]
fn predictives_runs() {
    predictives::main().unwrap();
}

#[allow(dead_code)]
#[path = "../examples/trace.rs"]
mod trace;

#[test]
fn trace_runs() {
    trace::main().unwrap();
}
