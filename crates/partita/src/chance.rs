//! Where a kernel's decisions come from: random numbers by address, or a test that tries every branch.
//!
//! Kernels and couplings decide only through [`Chance`]. In a run that is the addressed generator
//! of [`crate::rng`]; in the exact tests it is an enumerator that walks through all decisions and
//! multiplies their probabilities, so that the code that runs is itself verified, not a copy of it.

use crate::rng::Purpose;

/// The decisions of one step.
///
/// Only [`uniform`](Chance::uniform) is required; everything else is derived from it.
///
/// ```
/// use partita::chance::Chance;
/// struct Always(f64);
/// impl Chance for Always {
///     fn uniform(&mut self) -> f64 { self.0 }
/// }
/// assert_eq!(Always(0.5).pick([0.2, 0.2, 0.6].into_iter()), 2);
/// ```
pub trait Chance {
    /// A uniform number in `[0, 1)`.
    fn uniform(&mut self) -> f64;

    /// An index with probability proportional to its mass; a zero mass is never picked.
    ///
    /// # Panics
    /// If the masses sum to less than `f64::MIN_POSITIVE`.
    #[inline(always)]
    fn pick(&mut self, masses: impl Iterator<Item = f64> + Clone) -> usize {
        let total: f64 = masses.clone().sum();
        pick_below(self.uniform(), total, masses)
    }

    /// The same if the total of the masses, added in their order, is already known.
    #[inline(always)]
    fn pick_of(&mut self, _total: f64, masses: impl Iterator<Item = f64> + Clone) -> usize {
        self.pick(masses)
    }

    /// An outcome of a distribution that is enumerated only as far as needed: `next` returns
    /// outcomes with their masses, which sum to `total`, and is called until the draw is decided.
    ///
    /// # Panics
    /// If `next` returns nothing.
    #[inline(always)]
    fn pick_lazily<O>(&mut self, total: f64, mut next: impl FnMut() -> Option<(O, f64)>) -> O {
        let mut left = self.uniform() * total;
        let mut last = None;
        while let Some((outcome, mass)) = next() {
            if left < mass {
                return outcome;
            }
            left -= mass;
            last = Some(outcome);
        }
        last.expect("a law has an outcome")
    }

    /// True with probability `p`.
    #[inline]
    fn event(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Whether every [`event`](Chance::event) is one [`uniform`](Chance::uniform) below its probability, and both events
    /// of [`two_events`](Chance::two_events) one such: then a kernel may compare by itself, and needs a probability only
    /// as far as it decides.
    #[inline]
    fn compares(&self) -> bool {
        false
    }

    /// A number below `n`, all equally likely.
    #[inline]
    fn below(&mut self, n: usize) -> usize {
        ((self.uniform() * n as f64) as usize).min(n - 1)
    }

    /// As many uniform numbers as there is room for, one after the other.
    #[inline(always)]
    fn uniforms(&mut self, out: &mut [f64]) {
        out.iter_mut().for_each(|out| *out = self.uniform());
    }

    /// Two events with probabilities `p` and `q` that agree as often as possible (one uniform).
    #[inline]
    fn two_events(&mut self, p: f64, q: f64) -> (bool, bool) {
        let u = self.uniform();
        (u < p, u < q)
    }
}

/// The index into which a uniform falls; `total` is that of the masses, added in their order.
#[inline(always)]
pub(crate) fn pick_below(uniform: f64, total: f64, masses: impl Iterator<Item = f64>) -> usize {
    assert!(total >= f64::MIN_POSITIVE, "a choice needs a positive mass");
    // The first running sum above the mark belongs to a positive mass; there is one, for the last
    // is `total` itself and a uniform is at most 1 - 2^-53, so that the product rounds below
    // `total`. Counting the sums below needs no branch that follows the draw.
    let mark = uniform * total;
    let mut running = 0.0;
    let below = masses.map(|mass| {
        running += mass;
        usize::from(running <= mark)
    });
    below.sum()
}

/// The random numbers of one sweep, handed out as passes over the items or as sequences for a purpose.
/// Whatever is opened has random numbers of its own, even if the same purpose is opened again.
pub trait Source {
    /// The random numbers of one pass over the items.
    type Items: Items;
    /// An unlimited sequence of draws.
    type Sequence: Chance;
    /// Opens a pass over the items.
    fn items(&mut self, purpose: Purpose) -> Self::Items;
    /// Opens a sequence.
    fn sequence(&mut self, purpose: Purpose) -> Self::Sequence;
}

/// The random numbers of one pass over the items, in which each item is requested once.
pub trait Items {
    /// The random numbers of one item-step: at most two draws and one event.
    type Item: Chance;
    /// The random numbers of the step of `item`.
    fn item(&mut self, item: usize) -> Self::Item;
}
