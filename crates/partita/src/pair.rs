//! The coupled loop: lag, meeting, and a single chain after the meeting. There is only one such loop.

use crate::coupling::Coupling;
use crate::error::{Error, Result};
use crate::kernel::{Chains, Kernel, Workspace};
use crate::partition::{Overlap, Partition};
use crate::rng::Stream;
use crate::target::{State, Target};

/// What an observer sees after each sweep.
#[derive(Debug)]
pub struct Moment<'a, T: Target> {
    /// Time: `X` has made `t` sweeps.
    pub t: u64,
    /// The target.
    pub target: &'a T,
    /// `X_t`.
    pub x: &'a State<T>,
    /// `Y_{t-L}`, once it exists (`t >= L`) and until the chains have met.
    pub y: Option<&'a State<T>>,
    /// The overlap of `X_t` and `Y_{t-L}`, if `y` is given.
    pub overlap: Option<&'a Overlap>,
}

/// What an observer wants of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// More sweeps, even after the chains have met.
    More,
    /// Nothing: the loop may end once the chains have met.
    Enough,
    /// To end now, whether the chains have met or not.
    Stop,
}

impl Wish {
    /// The combined wish of two observers.
    pub fn and(self, other: Wish) -> Wish {
        match (self, other) {
            (Wish::Stop, _) | (_, Wish::Stop) => Wish::Stop,
            (Wish::More, _) | (_, Wish::More) => Wish::More,
            _ => Wish::Enough,
        }
    }
}

/// Watches a pair: estimators, traces, progress and distance curves are observers.
///
/// ```
/// use partita::{Moment, Observer, Target, Wish};
/// /// Counts the sweeps at which the two chains differed.
/// struct Apart(u64);
/// impl<T: Target> Observer<T> for Apart {
///     fn observe(&mut self, moment: &Moment<T>) -> Wish {
///         self.0 += u64::from(moment.y.is_some());
///         Wish::Enough
///     }
/// }
/// ```
pub trait Observer<T: Target> {
    /// Sees one moment, `t = 0, 1, 2, ...`, and says how to go on.
    fn observe(&mut self, moment: &Moment<T>) -> Wish;
}

impl<T: Target> Observer<T> for () {
    fn observe(&mut self, _: &Moment<T>) -> Wish {
        Wish::Enough
    }
}

impl<T: Target, O: Observer<T> + ?Sized> Observer<T> for &mut O {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        (**self).observe(moment)
    }
}

impl<T: Target, A: Observer<T>, B: Observer<T>> Observer<T> for (A, B) {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        self.0.observe(moment).and(self.1.observe(moment))
    }
}

impl<T: Target, O: Observer<T>> Observer<T> for Option<O> {
    fn observe(&mut self, moment: &Moment<T>) -> Wish {
        self.as_mut().map_or(Wish::Enough, |o| o.observe(moment))
    }
}

/// How a pair ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The chains met: `tau = min { t >= L : X_t = Y_{t-L} }`.
    Met {
        /// The meeting time.
        tau: u64,
    },
    /// The pair was stopped before it met.
    Censored {
        /// The time at which it was cut.
        after: u64,
        /// Why.
        why: Stop,
    },
}

/// Why a pair was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It reached the cap on sweeps.
    Cap,
    /// An observer asked for it.
    Observer,
}

impl Ending {
    /// The meeting time, if the chains met.
    pub fn tau(self) -> Option<u64> {
        match self {
            Ending::Met { tau } => Some(tau),
            Ending::Censored { .. } => None,
        }
    }
}

/// The outcome of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Whether it met or was censored.
    pub ending: Ending,
    /// Sweeps that `X` made.
    pub sweeps: u64,
    /// Single-chain sweeps: a coupled sweep counts as two.
    pub kernel_calls: u64,
}

/// A pair of chains on a target, `X` ahead of `Y` by a lag.
///
/// ```
/// use partita::coupling::{Nugget, Optimal};
/// use partita::partition::Metric;
/// use partita::{Gaussian, Gibbs, Mixture, Pair, Partition, Prior, Stream};
///
/// let data = vec![-1.0, -1.2, -0.9, 1.1, 1.0];
/// let n = data.len();
/// let target = Mixture::new(Prior::dirichlet(1.0)?, Gaussian::isotropic(data, 1, 1.0, 0.4)?);
/// let coupling = Nugget::new(Optimal::new(Metric::Hamming, n), 1e-5)?;
/// let mut pair = Pair::new(&target, &Gibbs, coupling, 1)?.cap(10_000);
/// let start = Partition::one_cluster(n)?;
/// let outcome = pair.run(start.clone(), start, &Stream::new(1, 0), &mut ());
/// assert!(outcome.ending.tau().is_some());
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug)]
pub struct Pair<'a, T: Target, K, C> {
    target: &'a T,
    kernel: &'a K,
    coupling: C,
    lag: u64,
    cap: Option<u64>,
    work: Workspace<T>,
}

impl<'a, T: Target, K: Kernel<T>, C: Coupling> Pair<'a, T, K, C> {
    /// A pair with a lag of at least 1.
    pub fn new(target: &'a T, kernel: &'a K, coupling: C, lag: u64) -> Result<Self> {
        if lag == 0 {
            return Err(Error::LagZero);
        }
        Ok(Pair { target, kernel, coupling, lag, cap: None, work: Workspace::new() })
    }

    /// A pair whose chains start together from two given states, as the [Poisson
    /// equation](crate::poisson) requires; equal states have met at time 0.
    ///
    /// ```
    /// use partita::coupling::Optimal;
    /// use partita::partition::Metric;
    /// use partita::{Coloring, Ending, Gibbs, Graph, Pair, Stream};
    /// let target = Coloring::new(Graph::octahedron(), 4)?;
    /// let start = target.known_coloring();
    /// let mut pair = Pair::abreast(&target, &Gibbs, Optimal::new(Metric::Hamming, 6));
    /// let outcome = pair.run(start.clone(), start, &Stream::new(1, 0), &mut ());
    /// assert_eq!((outcome.ending, outcome.kernel_calls), (Ending::Met { tau: 0 }, 0));
    /// # Ok::<(), partita::Error>(())
    /// ```
    pub fn abreast(target: &'a T, kernel: &'a K, coupling: C) -> Self {
        Pair { target, kernel, coupling, lag: 0, cap: None, work: Workspace::new() }
    }

    /// Sets the cap: a pair that has not met after this many sweeps of `X` is censored.
    pub fn cap(mut self, sweeps: u64) -> Self {
        self.cap = Some(sweeps);
        self
    }

    /// Runs one replicate from `X_0` and `Y_0` until the chains have met and the observer wants no
    /// more. The result is a pure function of the arguments.
    pub fn run(
        &mut self,
        x: Partition,
        y: Partition,
        stream: &Stream,
        observer: &mut impl Observer<T>,
    ) -> Outcome {
        let mut chains = Chains::new(State::new(self.target, x), State::new(self.target, y));
        let mut tau = (self.lag == 0 && chains.have_met()).then_some(0);
        let mut kernel_calls = 0;
        let mut t = 0;
        loop {
            let apart = t >= self.lag && tau.is_none();
            let moment = Moment {
                t,
                target: self.target,
                x: &chains.x,
                y: apart.then_some(&chains.y),
                overlap: apart.then_some(&chains.overlap),
            };
            let wish = observer.observe(&moment);
            let ending = match (tau, wish) {
                (Some(tau), Wish::Enough | Wish::Stop) => Some(Ending::Met { tau }),
                (None, Wish::Stop) => Some(Ending::Censored { after: t, why: Stop::Observer }),
                (None, _) if self.cap.is_some_and(|cap| t >= cap) => {
                    Some(Ending::Censored { after: t, why: Stop::Cap })
                }
                _ => None,
            };
            if let Some(ending) = ending {
                return Outcome { ending, sweeps: t, kernel_calls };
            }
            t += 1;
            let mut source = stream.sweep(t);
            if t <= self.lag || tau.is_some() {
                self.kernel.step(self.target, &mut chains.x, &mut source, &mut self.work);
                kernel_calls += 1;
                if t == self.lag {
                    chains.recount();
                }
            } else {
                let (coupling, work) = (&mut self.coupling, &mut self.work);
                self.kernel.coupled_step(self.target, &mut chains, coupling, &mut source, work);
                kernel_calls += 2;
            }
            if t >= self.lag && tau.is_none() && chains.have_met() {
                tau = Some(t);
            }
        }
    }
}
