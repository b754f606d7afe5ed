//! The independent coupling: the baseline for all others, and what the nugget mixes in.

use super::{Cell, Coupling, Step, probabilities};
use crate::chance::Chance;

/// The product of the two laws.
#[derive(Debug, Clone, Copy, Default)]
pub struct Independent;

impl Coupling for Independent {
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>) {
        plan.clear();
        let (a, b) = (probabilities(step.a), probabilities(step.b));
        for (row, &p) in a.iter().enumerate() {
            for (column, &q) in b.iter().enumerate() {
                if p * q > 0.0 {
                    plan.push(Cell { row: row as u32, column: column as u32, mass: p * q });
                }
            }
        }
    }

    fn draw(&mut self, step: &Step, chance: &mut impl Chance) -> (usize, usize) {
        let x = chance.pick(step.a.iter().copied());
        let y = chance.pick(step.b.iter().copied());
        (x, y)
    }

    fn is_faithful(&self) -> bool {
        false
    }
}
