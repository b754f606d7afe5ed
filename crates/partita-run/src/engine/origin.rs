//! Chains as bytes: what another process or machine needs to run the same work, and what it sends back.
//!
//! An executor elsewhere gets the [`Origin`] of the chains once, rebuilds them, and then takes one [`Order`] after
//! another; each is answered by a [`Delivery`]. All are plain bytes, and floats keep their bits.

use super::{Chains, Output, Work};
use crate::Failure;
use crate::config::{Facts, Options, Setup, Task};
use crate::model::{self, Input, Model};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a model was built from: the setup, and the data as the model sees them.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    setup: Setup,
    input: Arc<Input>,
}

/// The same as it travels: the setup is said in options, a table of text.
#[derive(Serialize, Deserialize)]
struct Packed {
    version: String,
    task: String,
    setup: String,
    input: Input,
}

impl Origin {
    pub(crate) fn new(setup: &Setup, input: &Arc<Input>) -> Self {
        Origin { setup: setup.clone(), input: input.clone() }
    }

    pub(crate) fn setup(&self) -> &Setup {
        &self.setup
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes(&Packed {
            version: env!("CARGO_PKG_VERSION").into(),
            task: self.setup.task().to_string(),
            setup: toml::to_string(&self.setup.options()).expect("options are a table"),
            // Chains have no use for the columns behind principal components.
            input: Input { original: None, ..(*self.input).clone() },
        })
    }

    /// From bytes, of the same version of partita.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        let packed: Packed = parsed(bytes)?;
        if packed.version != env!("CARGO_PKG_VERSION") {
            return Err(Failure::Failed(format!(
                "the work comes from version {} of partita, but this is {}: run the same version on all machines",
                packed.version,
                env!("CARGO_PKG_VERSION")
            )));
        }
        let options = Options::parse(&packed.setup, "the setup of the work")?;
        let task: Task = packed.task.parse().map_err(Failure::Failed)?;
        // Nothing is left open, so that it does not matter what the data are.
        let setup = Setup::resolve(task, &options, Facts::Table { columns: 1 })?;
        Ok(Origin { setup, input: Arc::new(packed.input) })
    }

    /// The model, rebuilt: its replicates have the same bits.
    pub fn model(&self) -> Result<Box<dyn Model>, Failure> {
        model::build(&self.setup, &self.input)
    }
}

/// Work to do elsewhere, for some numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The work.
    pub work: Work,
    /// The numbers to do it for.
    pub numbers: Vec<u64>,
}

impl Order {
    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes(self)
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        parsed(bytes)
    }

    /// Does the work until `stop` is set; what is not done is left out.
    pub fn fill(&self, chains: &dyn Chains, stop: &dyn Fn() -> bool) -> Delivery {
        let one = |&number: &u64| Some((number, chains.run(&self.work, number, stop)?));
        Delivery(self.numbers.iter().filter_map(one).collect())
    }
}

/// The outputs of the numbers of an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delivery(
    /// Each number with its output.
    pub Vec<(u64, Output)>,
);

impl Delivery {
    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes(self)
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        parsed(bytes)
    }
}

fn bytes(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("memory takes what it is given")
}

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    postcard::from_bytes(bytes)
        .map_err(|e| Failure::Failed(format!("what was sent between processes cannot be read: {e}")))
}
