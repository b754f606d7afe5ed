//! What runs a kernel: buffers in, buffers out.

use crate::room::Room;
use crate::source::Shape;

/// What goes to a card for one launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// Which kernel.
    pub shape: Shape,
    /// The kernel's settings, in their places.
    pub settings: Vec<u64>,
    /// Three words a summary; then neighbours; then words of the clusters.
    pub words: Vec<u32>,
    /// The tables of the target, one after the other.
    pub tables: Vec<f64>,
    /// Gains by overlap; at least one number.
    pub gains: Vec<i64>,
    /// A label an item: of all chains, or of X and of Y of each replicate.
    pub start: Vec<u8>,
    /// The numbers of the replicates.
    pub numbers: Vec<u64>,
    /// How much comes back, and how much memory the kernel needs.
    pub room: Room,
}

/// What comes back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Returned {
    /// Five words a replicate.
    pub outcomes: Vec<u64>,
    /// The values of the rows.
    pub values: Vec<f64>,
    /// Weights of kept states.
    pub kept_weights: Vec<f64>,
    /// Labels of kept states.
    pub kept_labels: Vec<u8>,
    /// Seconds that the kernel itself took.
    pub seconds: f64,
}

/// A card, or what stands for one in tests.
pub trait Card: Sync {
    /// What it is called.
    fn name(&self) -> String;

    /// Bytes of memory that a launch may take.
    fn memory(&self) -> u64;

    /// Gets a kernel ready that may be wanted soon.
    fn prepare(&self, _shape: Shape) {}

    /// Runs the kernel once.
    fn run(&self, launch: &Launch) -> Result<Returned, CardError>;
}

impl<C: Card> Card for &C {
    fn name(&self) -> String {
        (*self).name()
    }

    fn memory(&self) -> u64 {
        (*self).memory()
    }

    fn prepare(&self, shape: Shape) {
        (*self).prepare(shape);
    }

    fn run(&self, launch: &Launch) -> Result<Returned, CardError> {
        (*self).run(launch)
    }
}

/// Why a card cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// The library of the driver is not there.
    #[error("no driver of an NVIDIA card is installed here")]
    NoDriver,
    /// There is a driver, but no card.
    #[error("the NVIDIA driver finds no card ({0})")]
    NoCard(String),
    /// The library that compiles kernels is not there.
    #[error(
        "the library NVRTC (libnvrtc.so.13, of CUDA 13), which compiles for the card, is not installed here"
    )]
    NoCompiler,
    /// The kernel was refused by the compiler.
    #[error("the kernel could not be compiled: {0}")]
    Compile(String),
    /// The driver reported an error.
    #[error("the card failed: {0}")]
    Driver(String),
}
