//! The examples run.

#[allow(dead_code)]
#[path = "../examples/own_likelihood.rs"]
mod own_likelihood;

#[test]
fn own_likelihood_runs() {
    own_likelihood::main().unwrap();
}

#[allow(dead_code)]
#[path = "../examples/own_kernel.rs"]
mod own_kernel;

#[test]
fn own_kernel_runs() {
    own_kernel::main().unwrap();
}
