//! Replicates on a graphics card: an [executor](partita_run::engine::Executor) with the bits of the processors.
//!
//! One thread of the card runs one replicate, or some lanes run it together, by the operations of `crates/partita` in their
//! order, with the same random words. So rows do not depend on where they were made: runs go on elsewhere. Pairs that outgrow
//! the fast kernel are run by a wider one, and what that cannot hold or decide (still more clusters, a transport problem whose masses have to be exact,
//! pairs that do not meet for long) the processors do, within the same run.
//!
//! [`source`] is the kernel and what it is specialised on, [`pack`] turns chains in plain numbers into buffers and buffers
//! into replicates, [`room`] says how much memory they take, [`card`] is what runs a kernel, [`nvidia`] such a card,
//! [`executor`] strings them together.

pub mod card;
pub mod executor;
mod left;
pub mod nvidia;
pub mod pack;
pub mod room;
pub mod source;
mod tables;

pub use card::{Card, CardError};
pub use executor::OnCard;
pub use nvidia::Nvidia;
