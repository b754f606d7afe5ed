//! Common random numbers: both chains invert their distribution functions over labels at the same uniform.

use super::{Cell, Coupling, Labels, Step, probabilities};

/// Inverse distribution functions over the labels, with the same uniform for both chains.
///
/// As a plan: the two divisions of the unit interval laid over each other (north-west corner rule).
#[derive(Debug, Clone, Default)]
pub struct CommonUniform {
    x: Vec<u32>,
    y: Vec<u32>,
}

impl CommonUniform {
    /// Common random numbers on labels in the order of opening.
    pub fn new() -> Self {
        CommonUniform::default()
    }
}

impl Coupling for CommonUniform {
    fn plan(&mut self, step: &Step, plan: &mut Vec<Cell>) {
        Labels::ByOpening.slots(step.x, step.item, &mut self.x);
        Labels::ByOpening.slots(step.y, step.item, &mut self.y);
        let (a, b) = (probabilities(step.a), probabilities(step.b));
        plan.clear();
        let (mut i, mut j) = (0, 0);
        let (mut left_x, mut left_y) = (a[self.x[0] as usize], b[self.y[0] as usize]);
        loop {
            let mass = left_x.min(left_y);
            if mass > 0.0 {
                plan.push(Cell { row: self.x[i], column: self.y[j], mass });
            }
            left_x -= mass;
            left_y -= mass;
            // Rounding may leave a trace in the last label of one chain; it belongs to nobody.
            if left_x <= left_y && i + 1 < self.x.len() {
                i += 1;
                left_x = a[self.x[i] as usize];
            } else if j + 1 < self.y.len() {
                j += 1;
                left_y = b[self.y[j] as usize];
            } else if i + 1 < self.x.len() {
                i += 1;
                left_x = a[self.x[i] as usize];
            } else {
                break;
            }
        }
    }

    fn is_faithful(&self) -> bool {
        false
    }
}
