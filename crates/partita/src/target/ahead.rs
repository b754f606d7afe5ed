//! The weights of one item, made while the item before it is still being decided.

use super::{State, Target};
use crate::math::{LANES, exponentiate, normalize};

/// The log weights of the item at hand and of the one after it.
///
/// Most items stay where they are. So the log weights of the next item are made before the present
/// one is decided, and made again if it moves: a processor works on both at the same time, and numbers
/// written one by one are long in place when they are read several at once.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    here: Vec<f64>,
    next: Vec<f64>,
    /// Whether `here` holds the log weights of the item at hand.
    ready: bool,
}

impl Ahead {
    /// Forgets what was prepared: before a sweep.
    #[inline(always)]
    pub(crate) fn restart(&mut self) {
        self.ready = false;
    }

    /// Goes on to the next item.
    #[inline(always)]
    pub(crate) fn advance(&mut self, moved: bool) {
        std::mem::swap(&mut self.here, &mut self.next);
        self.ready = !moved;
    }

    /// The leave-one-out conditional of `item` up to a constant, the highest weight being 1: all that
    /// a draw needs. The item after it, if before `end`, is prepared.
    #[inline(always)]
    pub(crate) fn weights<T: Target>(
        &mut self,
        target: &T,
        state: &State<T>,
        item: usize,
        end: usize,
    ) -> &[f64] {
        exponentiate(self.log_weights(target, state, item, end));
        &self.here[..=state.partition.clusters()]
    }

    /// The same as probabilities.
    #[inline(always)]
    pub(crate) fn conditional<T: Target>(
        &mut self,
        target: &T,
        state: &State<T>,
        item: usize,
        end: usize,
    ) -> &[f64] {
        normalize(self.log_weights(target, state, item, end));
        &self.here[..=state.partition.clusters()]
    }

    /// The log weights of `item`, with as many of minus infinity behind them as make whole registers.
    #[inline(always)]
    pub(crate) fn log_weights<T: Target>(
        &mut self,
        target: &T,
        state: &State<T>,
        item: usize,
        end: usize,
    ) -> &mut [f64] {
        if !self.ready {
            make(target, state, item, &mut self.here);
        }
        if item + 1 < end {
            make(target, state, item + 1, &mut self.next);
        }
        &mut self.here[..whole_registers(state)]
    }
}

#[inline(always)]
fn make<T: Target>(target: &T, state: &State<T>, item: usize, room: &mut Vec<f64>) {
    let length = whole_registers(state);
    if room.len() < length {
        room.resize(length, 0.0);
    }
    let out = &mut room[..length];
    out[length - LANES..].copy_from_slice(&[f64::NEG_INFINITY; LANES]);
    target.log_weights(&state.stats, &state.partition, item, out);
}

/// The number of choices, rounded up.
#[inline(always)]
fn whole_registers<T: Target>(state: &State<T>) -> usize {
    (state.partition.clusters() / LANES + 1) * LANES
}
