//! Unbiased Bayesian clustering: the mathematics of coupled Markov chains of partitions.
//!
//! Bayesian clustering usually runs a Markov chain over partitions and hopes that it has converged.
//! Here many short *pairs* of chains are run instead, coupled so that they meet exactly, and each
//! pair yields an unbiased estimate. The coupling that makes partitions meet is an exact optimal
//! transport plan, solved at every Gibbs step (Nguyen, Trippe, Broderick, AISTATS 2022).
//!
//! ```
//! use partita::coupling::{Nugget, Optimal};
//! use partita::partition::Metric;
//! use partita::rng::Purpose;
//! use partita::start::{FromPrior, Start};
//! use partita::{Estimator, Gaussian, Gibbs, Mixture, Pair, Prior, Schedule, Stream, aggregate};
//! use partita::summary::Clusters;
//!
//! // A Dirichlet process mixture of Gaussians for six numbers.
//! let data = vec![-2.1, -1.9, -2.0, 1.8, 2.2, 2.0];
//! let prior = Prior::dirichlet(1.0)?;
//! let target = Mixture::new(prior, Gaussian::isotropic(data, 1, 2.0, 0.5)?);
//!
//! // Each replicate is a pure function of (seed, replicate number).
//! let schedule = Schedule::new(5, 5, 50)?;
//! let start = FromPrior { prior, items: 6 };
//! let estimates: Vec<f64> = (0..200)
//!     .map(|replicate| {
//!         let stream = Stream::new(1, replicate);
//!         let coupling = Nugget::new(Optimal::new(Metric::Hamming, 6), 1e-5)?;
//!         let mut estimator = Estimator::new(schedule, Clusters);
//!         Pair::new(&target, &Gibbs, coupling, schedule.lag())?.run(
//!             start.draw(&mut stream.sequence(Purpose::StartX, 0)),
//!             start.draw(&mut stream.sequence(Purpose::StartY, 0)),
//!             &stream,
//!             &mut estimator,
//!         );
//!         Ok(estimator.values()[0])
//!     })
//!     .collect::<Result<_, partita::Error>>()?;
//! let answer = aggregate::mean(&estimates).unwrap();
//! assert!(answer.value > 2.0 && answer.value < 2.6, "{answer:?}");
//! # Ok::<(), partita::Error>(())
//! ```
//!
//! # The paper's notation
//!
//! | paper | here |
//! |---|---|
//! | partition `π`, `Π`; leave-out `Π(-n)` | [`Partition`]; slots with the item in place, see [`Target`] |
//! | target `p_Π`, its conditionals `p_{Π | Π(-n)}` | [`Target`], [`State::conditional`] |
//! | transition `T`, coupled transition | [`Kernel`]: [`Kernel::step`], [`Kernel::coupled_step`] |
//! | coupling function `ψ`, its atoms `u^{k,k'}` | [`Coupling`], [`coupling::Cell`] |
//! | `ψ^OT`, `ψ^OT_η` with nugget `η`, `ψ^ind` | [`coupling::Optimal`], [`coupling::Nugget`], [`coupling::Independent`] |
//! | metric `d` | [`partition::Metric::Hamming`] |
//! | `SplitMerge(i, j, X)` | [`SplitMerge`] |
//! | meeting time `τ` (and the lag, 1 in the paper) | [`Ending::Met`], [`Schedule::lag`] |
//! | burn-in `ℓ`, minimum iterations `m` | [`Schedule::burn_in`] `k`, [`Schedule::sweeps`] `m` |
//! | `H_{ℓ:m}(X, Y)` | [`Estimator`] |
//! | LCP, `CC(i, j)` | [`summary::TopShares`] (its first value), [`summary::CoClustering`] |
//! | `α`, `μ_0`, `Σ_0`, `Σ_1` | [`Prior::dirichlet`], [`Gaussian::new`] |
//! | `J` processes, sample and trimmed mean | [`aggregate`] |
//!
//! # Determinism
//!
//! Random words depend only on their address ([`rng`]), and elementary functions on the hot path do
//! not come from the platform. Nothing here reads a file, starts a thread, looks at a clock or prints.
#![forbid(unsafe_code)]

pub mod aggregate;
pub mod atoms;
pub mod chance;
pub mod coupling;
pub mod exact;
pub mod kernel;
pub mod likelihood;
pub mod modes;
pub mod outline;
pub mod partition;
pub mod poisson;
pub mod prior;
pub mod rng;
pub mod score;
pub mod search;
pub mod start;
pub mod summary;
pub mod survival;
pub mod target;
pub mod transport;
pub mod tuning;

mod error;
mod estimator;
mod graph;
mod math;
mod pair;
mod special;

pub use coupling::Coupling;
pub use error::{Error, Result};
pub use estimator::{Estimator, Schedule};
pub use graph::Graph;
pub use kernel::{Gibbs, Kernel, SplitMerge};
pub use likelihood::{Full, Gaussian, Likelihood, Mixed};
pub use pair::{Ending, Moment, Observer, Outcome, Pair, Stop, Wish};
pub use partition::Partition;
pub use prior::Prior;
pub use rng::Stream;
pub use start::Start;
pub use summary::Summary;
pub use target::{Blocks, Coloring, Mixture, SharedVariance, State, Target};

/// The code of the README, run by the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeCode;
