//! The repair: primal transportation simplex on strongly feasible spanning trees.
//!
//! Nodes are rows `0..p` and columns `p..p + q`; every node but the root, a column, owns the arc
//! to its parent, and flow runs from rows to columns. A tree is *strongly feasible* if every node
//! can send some flow to the root, i.e. if every arc of zero flow points towards the root: only
//! arcs owned by rows may be empty. The greedy starts with such a tree, and letting the *last*
//! blocking arc leave, along the cycle from its apex in the direction of the entering arc, keeps
//! it so (Cunningham 1976). A pivot that moves no mass then shifts the potentials of the subtree
//! it cuts off, all in one direction, so such pivots cannot go on for ever; and a pivot that
//! moves mass raises the objective. In exact arithmetic no tree comes back, whatever the
//! entering rule.
//!
//! In `f64` the signs of flows behave as in exact arithmetic (the difference of two unequal
//! numbers is not zero, the sum with a positive number is positive), so trees stay strongly
//! feasible and mass-free pivots still end; no flow becomes negative, because the smallest of
//! the flows is subtracted from the others; and a line drifts by roundings of its own mass only.
//! That drift leaves the argument about the objective open: hence the limit on pivots, after
//! which the caller goes on in exact arithmetic from the same tree.

use super::problem::{Arc, Gains, Mass};

const NONE: u32 = u32::MAX;

/// A rooted spanning tree with parent, child and sibling links.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    rows: usize,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    first_child: u32,
    next: u32,
    previous: u32,
    depth: u32,
    /// Which arc leads to the parent.
    arc: u32,
}

impl Tree {
    /// The tree of the greedy: the line that closed with an arc hangs from the arc's other line.
    pub(super) fn rebuild(&mut self, rows: usize, columns: usize, arcs: &[Arc]) {
        self.rows = rows;
        self.nodes.clear();
        self.nodes.resize(
            rows + columns,
            Node { parent: NONE, first_child: NONE, next: NONE, previous: NONE, depth: 0, arc: NONE },
        );
        // Backwards, because a line closes before the one it hangs from.
        for (index, arc) in arcs.iter().enumerate().rev() {
            let (child, parent) = arc.ends(rows);
            let (child, parent) = (child as u32, parent as u32);
            self.attach(child, parent, index as u32);
            self.nodes[child as usize].depth = self.nodes[parent as usize].depth + 1;
        }
    }

    fn attach(&mut self, child: u32, parent: u32, arc: u32) {
        let sibling = self.nodes[parent as usize].first_child;
        if sibling != NONE {
            self.nodes[sibling as usize].previous = child;
        }
        self.nodes[parent as usize].first_child = child;
        let node = &mut self.nodes[child as usize];
        (node.parent, node.next, node.previous, node.arc) = (parent, sibling, NONE, arc);
    }

    fn detach(&mut self, child: u32) {
        let Node { parent, next, previous, .. } = self.nodes[child as usize];
        if previous == NONE {
            self.nodes[parent as usize].first_child = next;
        } else {
            self.nodes[previous as usize].next = next;
        }
        if next != NONE {
            self.nodes[next as usize].previous = previous;
        }
    }

    /// Pivots until no cell is worth more than its duals, or until `limit` pivots are done;
    /// returns how many there were. Feasible duals are those of an optimum, so `pivots < limit`
    /// means optimal.
    pub(super) fn optimise<M: Mass>(
        &mut self,
        gains: &Gains,
        u: &mut [i64],
        v: &mut [i64],
        arcs: &mut [Arc],
        flows: &mut [M],
        limit: u64,
    ) -> u64 {
        debug_assert!(self.is_strongly_feasible(flows));
        let mut pivots = 0;
        let mut cursor = 0;
        while pivots < limit
            && let Some((i, j)) = entering(gains, u, v, cursor)
        {
            // Going on behind the last row spreads the pivots over the rows.
            cursor = i + 1;
            self.pivot(i, j, gains.at(i, j), u, v, arcs, flows);
            pivots += 1;
        }
        pivots
    }

    #[expect(clippy::too_many_arguments, reason = "the parts are borrowed apart")]
    fn pivot<M: Mass>(
        &mut self,
        i: usize,
        j: usize,
        gain: i64,
        u: &mut [i64],
        v: &mut [i64],
        arcs: &mut [Arc],
        flows: &mut [M],
    ) {
        let (row, column) = (i as u32, (self.rows + j) as u32);
        let is_row = |node: u32| (node as usize) < self.rows;
        // Mass is pushed from the row over the new arc to the column, and back through the
        // tree. On the row's side of the apex the arcs owned by rows lose, on the column's side
        // those owned by columns.
        let mut from_row: Option<(M, u32)> = None;
        let mut from_column: Option<(M, u32)> = None;
        let (mut s, mut t) = (row, column);
        while s != t {
            let (down, up) = (self.nodes[s as usize], self.nodes[t as usize]);
            if down.depth >= up.depth {
                if is_row(s) {
                    let flow = flows[down.arc as usize];
                    // Last on the way down from the apex is first on the way up to it.
                    if from_row.is_none_or(|(least, _)| flow < least) {
                        from_row = Some((flow, s));
                    }
                }
                s = down.parent;
            } else {
                if !is_row(t) {
                    let flow = flows[up.arc as usize];
                    if from_column.is_none_or(|(least, _)| flow <= least) {
                        from_column = Some((flow, t));
                    }
                }
                t = up.parent;
            }
        }
        let apex = s;
        // The column's side comes after the row's, so it wins a tie.
        let (moved, leaving, cut_at_row) = match (from_row, from_column) {
            (Some((x, node)), None) => (x, node, true),
            (None, Some((y, node))) => (y, node, false),
            (Some((x, node)), Some((y, _))) if x < y => (x, node, true),
            (Some(_), Some((y, node))) => (y, node, false),
            (None, None) => unreachable!("one end of the entering arc lies below the apex"),
        };
        if moved > M::ZERO {
            for (start, row_loses) in [(row, true), (column, false)] {
                let mut k = start;
                while k != apex {
                    let node = self.nodes[k as usize];
                    let flow = &mut flows[node.arc as usize];
                    *flow = if is_row(k) == row_loses { flow.minus(moved) } else { flow.plus(moved) };
                    k = node.parent;
                }
            }
        }
        // The entering arc takes the place of the leaving one.
        let place = self.nodes[leaving as usize].arc;
        flows[place as usize] = moved;
        arcs[place as usize] = Arc { row: i as u32, column: j as u32, closes_row: cut_at_row };
        // The part cut off hangs from its end of the entering arc, so links on the way from
        // there to the leaving arc turn round.
        let (top, mut parent) = if cut_at_row { (row, column) } else { (column, row) };
        let (mut k, mut arc) = (top, place);
        loop {
            let old = self.nodes[k as usize];
            self.detach(k);
            self.attach(k, parent, arc);
            if k == leaving {
                break;
            }
            (parent, arc, k) = (k, old.arc, old.parent);
        }
        let excess = gain - u[i] - v[j];
        debug_assert!(excess > 0);
        let (row_shift, column_shift) = if cut_at_row { (excess, -excess) } else { (-excess, excess) };
        self.shift(top, row_shift, column_shift, u, v);
        debug_assert!(self.is_strongly_feasible(flows));
    }

    /// New depths and potentials in the subtree below `top`.
    fn shift(&mut self, top: u32, row_shift: i64, column_shift: i64, u: &mut [i64], v: &mut [i64]) {
        let mut k = top;
        loop {
            let node = self.nodes[k as usize];
            self.nodes[k as usize].depth = self.nodes[node.parent as usize].depth + 1;
            match (k as usize).checked_sub(self.rows) {
                None => u[k as usize] += row_shift,
                Some(j) => v[j] += column_shift,
            }
            if node.first_child != NONE {
                k = node.first_child;
                continue;
            }
            while self.nodes[k as usize].next == NONE && k != top {
                k = self.nodes[k as usize].parent;
            }
            if k == top {
                return;
            }
            k = self.nodes[k as usize].next;
        }
    }

    /// No flow is negative and no empty arc points away from the root.
    fn is_strongly_feasible<M: Mass>(&self, flows: &[M]) -> bool {
        self.nodes.iter().enumerate().all(|(k, node)| {
            node.arc == NONE
                || flows[node.arc as usize] > M::ZERO
                || (k < self.rows && flows[node.arc as usize] == M::ZERO)
        })
    }
}

/// The cell that exceeds its duals most in the first row, from `start` on and round, that has
/// such a cell.
fn entering(gains: &Gains, u: &[i64], v: &[i64], start: usize) -> Option<(usize, usize)> {
    let exceeds = |&i: &usize| {
        let slacks = gains.row(i).iter().zip(v).map(|(gain, v)| u[i] + v - gain);
        slacks.fold(0, |signs, slack| signs | slack) < 0
    };
    let start = start.min(u.len());
    let i = (start..u.len()).chain(0..start).find(exceeds)?;
    let mut worst = (0, i64::MAX);
    for (j, (&gain, &dual)) in gains.row(i).iter().zip(v).enumerate() {
        if dual - gain < worst.1 {
            worst = (j, dual - gain);
        }
    }
    Some((i, worst.0))
}
