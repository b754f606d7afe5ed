//! The executor of a device: the processors, or a GPU together with the processors.

use super::{Executor, Threads};
use crate::Failure;
use crate::config::Device;
use crate::session::processors;

impl Device {
    /// The executor of this device with the given number of threads, by default one per processor. `open` looks for a
    /// GPU, or says why there is none.
    ///
    /// ```
    /// use partita_run::config::Device;
    /// use partita_run::engine::{Executor, Threads};
    /// let none = |_: Threads| Err("there is none".to_string());
    /// assert_eq!(Device::Auto.executor(Some(3), none)?.width(), 3);
    /// assert!(Device::Cuda.executor(Some(3), none).is_err());
    /// # Ok::<(), partita_run::Failure>(())
    /// ```
    pub fn executor(
        self,
        threads: Option<usize>,
        open: impl FnOnce(Threads) -> Result<Box<dyn Executor + Send>, String>,
    ) -> Result<Box<dyn Executor + Send>, Failure> {
        let threads = Threads(threads.unwrap_or_else(processors));
        if self == Device::Cpu {
            return Ok(Box::new(threads));
        }
        open(threads).or_else(|why| match self {
            Device::Auto => Ok(Box::new(threads)),
            _ => Err(Failure::option(
                "device",
                format!("`device = cuda`: {why}; leave it out to run on the CPU, with the same results"),
            )),
        })
    }
}
