//! The examples run.

#[allow(dead_code)]
#[path = "../examples/own_executor.rs"]
mod own_executor;

#[test]
fn own_executor_runs() {
    own_executor::main().unwrap();
}
