//! How much memory the replicates of a launch take.

use crate::source::{BLOCK, Crew, Family, GROUP_SIZES, LANES, Shape};

/// Words of an outcome.
pub(crate) const OUTCOME: usize = 5;

/// Lengths of the buffers that the kernel writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Words of outcomes.
    pub outcomes: usize,
    /// Values of rows.
    pub values: usize,
    /// Weights of kept states.
    pub kept_weights: usize,
    /// Labels of kept states.
    pub kept_labels: usize,
    /// Memory of the replicates: doubles.
    pub real: usize,
    /// Words of 32 bits.
    pub whole: usize,
    /// Bytes.
    pub small: usize,
    /// Words that replicates remember between rounds.
    pub memory: usize,
    /// The list of those still apart, zeros at first: their number, then they.
    pub list: usize,
}

impl Shape {
    /// The room that so many replicates need, as `run_one` of the kernel divides it up: of chains of so many items, with so
    /// many values a row and so many kept states.
    pub(crate) fn room(&self, count: usize, items: usize, values: usize, keep: usize) -> Room {
        if self.crew() == Crew::Groups {
            return self.room_of_groups(count, items, values, keep);
        }
        let Shape { slots, family, moves, .. } = *self;
        // The kernel's CLUSTER, CELLS and GRAM.
        let (cluster, cells, gram) = match family {
            Family::Gaussian { dimension, gram } => (dimension, 6 * slots + 1, gram),
            Family::Columns { normals, counts, categories, levels, full } => {
                let block = if full > 0 { 3 + 3 * full + full * (full + 1) } else { 0 };
                (8 * normals + 4 * counts + 2 * (levels + categories) + block, 1, false)
            }
        };
        let is_fast = slots < GROUP_SIZES[1];
        let (products, ring) = if gram { (items * slots, (items + 7) / 4 * 4) } else { (0, 0) };
        let cells = if is_fast { cells } else { 2 * cells };
        let (loose, members) = if moves.sides { (4 * cluster, 2 * items) } else { (0, 0) };
        let tried = if moves.scans > 0 && gram { 4 * items } else { 0 };
        let words_of_map = if is_fast { 1 } else { slots / 8 };
        // Only replicates of threads lie beside each other.
        let lanes = if self.crew() == Crew::Threads { count.next_multiple_of(LANES) } else { count };
        Room {
            outcomes: count * OUTCOME,
            values: count * values,
            kept_weights: (count * keep).max(1),
            kept_labels: (count * keep * items).max(1),
            real: lanes * (2 * (products + slots * cluster) + cells + loose + tried),
            whole: lanes * (2 * ring + 4 * slots + members),
            small: lanes * 2 * items,
            memory: count * (3 + 2 * (3 + 2 * words_of_map)),
            list: count + 1,
        }
    }

    /// The same where groups of lanes run chains: `reals_of` and others of the kernel.
    fn room_of_groups(&self, count: usize, items: usize, values: usize, keep: usize) -> Room {
        let Family::Gaussian { dimension, gram } = self.family else {
            unreachable!("groups have Gaussian clusters")
        };
        let blocks = items.div_ceil(BLOCK);
        let (products, ring) =
            if gram { (blocks * BLOCK * self.group, blocks * BLOCK + blocks) } else { (0, 0) };
        let reals = (products + self.group * self.wide_row(dimension, gram)).next_multiple_of(BLOCK);
        Room {
            outcomes: count * OUTCOME,
            values: count * values,
            kept_weights: (count * keep).max(1),
            kept_labels: (count * keep * items).max(1),
            real: if self.float { count * reals } else { 2 * count * reals },
            whole: 2 * count * (ring + 2 * self.group).next_multiple_of(BLOCK),
            small: 2 * count * blocks * BLOCK,
            memory: count * 6,
            list: count + 6,
        }
    }

    /// Numbers of a row in the tables of groups: the kernel's WIDE_ROW.
    pub(crate) fn wide_row(&self, dimension: usize, gram: bool) -> usize {
        if gram { dimension.next_multiple_of(8) } else { dimension }
    }
}

impl Room {
    /// In bytes.
    pub(crate) fn bytes(&self) -> usize {
        let Room { outcomes, values, kept_weights, kept_labels, real, whole, small, memory, list } = *self;
        8 * (outcomes + values + kept_weights + real + memory) + kept_labels + 4 * (whole + list) + small
    }
}
