//! The benchmark that scripts take traces from runs.

#[allow(dead_code)]
#[path = "../benches/trace.rs"]
mod trace;

#[test]
fn trace_runs() {
    trace::main().unwrap();
}
