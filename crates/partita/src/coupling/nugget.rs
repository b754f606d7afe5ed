//! The nugget: now and then an independent draw, so that every pair of states can be reached.

use super::{Cell, Coupling, Independent, Step};
use crate::chance::Chance;

/// With probability `eta` the independent coupling, otherwise the inner one (the paper's equation
/// for `psi^OT_eta`). Faithful couplings remain faithful: equal chains never see the nugget.
///
/// ```
/// use partita::coupling::{Nugget, Optimal};
/// use partita::partition::Metric;
/// let coupling = Nugget::new(Optimal::new(Metric::Hamming, 10), 1e-5)?;
/// # Ok::<(), partita::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Nugget<C> {
    inner: C,
    eta: f64,
}

impl<C: Coupling> Nugget<C> {
    /// A nugget of probability `eta` (0 turns it off) around a coupling.
    pub fn new(inner: C, eta: f64) -> crate::Result<Self> {
        if !(0.0..=1.0).contains(&eta) {
            let (name, range) = ("the nugget", "in [0, 1]");
            return Err(crate::Error::OutOfRange { name, range, value: eta });
        }
        Ok(Nugget { inner, eta })
    }
}

impl<C: Coupling> Coupling for Nugget<C> {
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>) {
        let mut independent = Vec::new();
        Independent.plan(step, &mut independent);
        self.inner.plan(step, plan);
        for cell in plan.iter_mut() {
            cell.mass *= 1.0 - self.eta;
        }
        plan.extend(independent.into_iter().map(|cell| Cell { mass: cell.mass * self.eta, ..cell }));
        plan.retain(|cell| cell.mass > 0.0);
    }

    #[inline(always)]
    fn draw(&mut self, step: &Step, chance: &mut impl Chance) -> (usize, usize) {
        if chance.event(self.eta) { Independent.draw(step, chance) } else { self.inner.draw(step, chance) }
    }

    fn is_faithful(&self) -> bool {
        self.inner.is_faithful()
    }
}
