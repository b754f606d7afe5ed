//! The command `partita`: arguments to configuration to run to words on the screen.
fn main() {}
