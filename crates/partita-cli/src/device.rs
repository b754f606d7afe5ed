//! The GPU of this machine, where the command was built to use one.

use partita_run::engine::{Executor, Threads};

/// The first card with so many threads beside it, or why there is none.
#[cfg(feature = "cuda")]
pub fn card(threads: Threads) -> Result<Box<dyn Executor + Send>, String> {
    let card = partita_cuda::Nvidia::open().map_err(|error| error.to_string())?;
    Ok(Box::new(partita_cuda::OnCard::new(card, threads)))
}

/// Never one.
#[cfg(not(feature = "cuda"))]
pub fn card(_: Threads) -> Result<Box<dyn Executor + Send>, String> {
    Err("this partita was built without the feature `cuda`".into())
}
