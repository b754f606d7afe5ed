//! Where replicates run: on the CPU, or on a GPU beside it. Results are the same.

use crate::screen;
use partita_run::Failure;
use partita_run::engine::{Executor, Threads};
use partita_run::session::processors;
use std::fmt;
use std::str::FromStr;

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Device {
    /// The processors.
    #[default]
    Cpu,
    /// An NVIDIA card, and the processors for what it does not do.
    Cuda,
    /// A card where there is one, else the processors.
    Auto,
}

const WORDS: [(&str, Device); 3] = [("cpu", Device::Cpu), ("cuda", Device::Cuda), ("auto", Device::Auto)];

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = WORDS.iter().find(|(word, _)| *word == text);
        found
            .map(|(_, device)| *device)
            .ok_or_else(|| format!("`{text}` is not a device: use cpu, cuda or auto"))
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let found = WORDS.iter().find(|(_, device)| device == self);
        f.write_str(found.expect("every device has a word").0)
    }
}

impl Device {
    /// Does something with the executor of this device, and so many threads beside it.
    pub fn with<R>(
        self,
        threads: Option<usize>,
        run: impl FnOnce(&dyn Executor) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let threads = Threads(threads.unwrap_or_else(processors));
        if self == Device::Cpu {
            return run(&threads);
        }
        match card(threads) {
            Ok(card) => {
                let result = run(&card);
                card.notes().iter().for_each(|note| screen::say(note));
                result
            }
            Err(_) if self == Device::Auto => run(&threads),
            Err(why) => Err(Failure::BadInput(format!(
                "--device cuda: {why}; leave it out to run on the CPU, with the same results"
            ))),
        }
    }
}

#[cfg(feature = "cuda")]
fn card(threads: Threads) -> Result<partita_cuda::OnCard<partita_cuda::Nvidia>, String> {
    let card = partita_cuda::Nvidia::open().map_err(|error| error.to_string())?;
    Ok(partita_cuda::OnCard::new(card, threads))
}

#[cfg(not(feature = "cuda"))]
fn card(_: Threads) -> Result<NoCard, String> {
    Err("this partita was built without the feature `cuda`".into())
}

/// There is no card without the feature.
#[cfg(not(feature = "cuda"))]
enum NoCard {}

#[cfg(not(feature = "cuda"))]
impl NoCard {
    fn notes(&self) -> Vec<String> {
        match *self {}
    }
}

#[cfg(not(feature = "cuda"))]
impl Executor for NoCard {
    fn width(&self) -> usize {
        match *self {}
    }

    fn execute(
        &self,
        _: &partita_run::engine::Job,
        _: &partita_run::engine::Numbers,
        _: &(dyn Fn() -> bool + Sync),
        _: &mut dyn FnMut(u64, partita_run::engine::Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_read_back_as_written() {
        for (word, device) in WORDS {
            assert_eq!(word.parse(), Ok(device));
            assert_eq!(device.to_string(), word);
        }
        assert_eq!("gpu".parse::<Device>(), Err("`gpu` is not a device: use cpu, cuda or auto".into()));
    }
}
