//! The kernel's source, and what it is specialised on.

use sha2::{Digest, Sha256};

/// The source of kernels in which a thread, or a team of lanes, runs a replicate, in the order in which one part needs the other.
const THREADS: &str = concat!(
    include_str!("../kernels/base.cuh"),
    include_str!("../kernels/observe.cuh"),
    include_str!("../kernels/libm.cuh"),
    include_str!("../kernels/chain.cuh"),
    "#if COLUMNS\n#if FULL\n",
    include_str!("../kernels/full.cuh"),
    "#endif\n",
    include_str!("../kernels/columns.cuh"),
    "#else\n",
    include_str!("../kernels/gaussian.cuh"),
    "#endif\n",
    include_str!("../kernels/transport.cuh"),
    include_str!("../kernels/general.cuh"),
    include_str!("../kernels/coupling.cuh"),
    include_str!("../kernels/sides.cuh"),
    include_str!("../kernels/moves.cuh"),
    include_str!("../kernels/pairs.cu"),
);

/// The source of the kernel in which a group of lanes runs a chain.
const GROUPS: &str = concat!(
    include_str!("../kernels/base.cuh"),
    include_str!("../kernels/observe.cuh"),
    include_str!("../kernels/transport.cuh"),
    include_str!("../kernels/general.cuh"),
    include_str!("../kernels/coupling.cuh"),
    include_str!("../kernels/member.cuh"),
    include_str!("../kernels/blocks.cuh"),
    include_str!("../kernels/draws.cuh"),
    include_str!("../kernels/sweeps.cuh"),
    include_str!("../kernels/groups.cu"),
);

/// The kernels of the rounds of a launch in which a thread runs a replicate, in which all take part, then those whose chains are still apart, then those whose
/// chains are together: the last two rounds may run at the same time.
pub const ROUNDS: [&str; 3] = ["pairs", "pairs", "alone"];

/// Clusters that a chain may have where a thread runs a replicate and is fast; beyond, a wider kernel takes over.
pub const SLOTS: usize = 8;

/// Clusters that a chain may have in the wide kernel; beyond, the processors take over.
pub const WIDE: usize = 32;

/// Lanes of a chain in the kernels in which a group of them runs it, or of a replicate where that is a team's; chains then may have
/// one cluster less.
pub const GROUP_SIZES: [usize; 2] = [8, 16];

/// Coordinates that a lane keeps of a sum: of longer rows groups keep inner products, or leave them to threads.
const MOST_COORDINATES: usize = 32;

/// Replicates whose numbers lie beside each other in memory; the kernel's `LANES`.
pub const LANES: usize = 32;

/// Items that a group of lanes visits one after the other before it turns to others; the kernel's `BLOCK`.
pub(crate) const BLOCK: usize = 32;

/// What a kernel is specialised on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The clusters that a chain may have.
    pub slots: usize,
    /// Lanes of a chain, or of a pair of chains of columns, one more than a chain may have clusters; 0 where a thread runs a
    /// replicate.
    pub group: usize,
    /// Whether numbers have single precision.
    pub float: bool,
    /// What clusters are.
    pub family: Family,
    /// Whether the coupling's gains are looked up.
    pub vi: bool,
    /// What sweeps have beside passes over the items.
    pub moves: Moves,
    /// Whether there are more items than 16 bits can count.
    pub many: bool,
}

/// The moves of two clusters that a kernel knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Moves {
    /// Whether there are such moves at all: merge-split moves and shuffles, at least.
    pub sides: bool,
    /// The scans of a split-merge move; 0 without such moves.
    pub scans: usize,
}

/// Who runs chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crew {
    /// A thread each replicate.
    Threads,
    /// A group of lanes each chain.
    Groups,
    /// A team of lanes each replicate.
    Teams,
}

/// What clusters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// Gaussian, with a known spread.
    Gaussian {
        /// The numbers of a padded row.
        dimension: usize,
        /// Whether clusters keep inner products.
        gram: bool,
    },
    /// Columns of any kinds.
    Columns {
        /// Normal columns, padded.
        normals: usize,
        /// Columns of counts.
        counts: usize,
        /// Columns of levels.
        categories: usize,
        /// Their levels, all together.
        levels: usize,
        /// Columns that share a covariance matrix.
        full: usize,
    },
}

impl Shape {
    /// The kernels for chains of so many items, each for more clusters than the one before. Single precision is for groups only.
    pub fn ladder(family: Family, vi: bool, moves: Moves, float: bool, items: usize) -> Vec<Self> {
        let many = items > usize::from(u16::MAX);
        let thread = |slots| Shape { slots, group: 0, float: false, family, vi, moves, many };
        let in_groups = match family {
            Family::Gaussian { dimension, gram } => !moves.sides && (gram || dimension <= MOST_COORDINATES),
            Family::Columns { .. } => true,
        };
        if !in_groups {
            return vec![thread(SLOTS), thread(WIDE)];
        }
        let float = float && matches!(family, Family::Gaussian { .. });
        let group = |group| Shape { slots: group - 1, group, float, family, vi, moves, many };
        GROUP_SIZES.into_iter().map(group).chain([thread(WIDE)]).collect()
    }

    /// Who runs chains.
    pub fn crew(&self) -> Crew {
        match (self.group, self.family) {
            (0, _) => Crew::Threads,
            (_, Family::Gaussian { .. }) => Crew::Groups,
            (_, Family::Columns { .. }) => Crew::Teams,
        }
    }

    /// The kernel's source.
    pub fn source(&self) -> &'static str {
        if self.crew() == Crew::Groups { GROUPS } else { THREADS }
    }

    /// The kernels of the rounds of a launch.
    pub fn kernels(&self) -> &'static [&'static str] {
        match self.crew() {
            Crew::Threads => &ROUNDS,
            Crew::Groups => &["group_pairs", "group_singles", "group_singles"],
            Crew::Teams => &["teams"],
        }
    }

    /// As definitions for a compiler.
    pub fn definitions(&self) -> Vec<String> {
        let Shape { slots, group, float, family, vi, moves, many } = *self;
        let Moves { sides, scans } = moves;
        let mut definitions = vec![
            ("SLOTS", slots),
            ("VI", vi.into()),
            ("SIDES", sides.into()),
            ("SCANS", scans),
            ("MANY", many.into()),
        ];
        match self.crew() {
            Crew::Threads => {}
            Crew::Groups => definitions.extend([("GROUP", group), ("FLOAT", float.into())]),
            Crew::Teams => definitions.push(("TEAM", group)),
        }
        definitions.extend(match family {
            Family::Gaussian { dimension, gram } => {
                vec![("COLUMNS", 0), ("DIMENSION", dimension), ("GRAM", gram.into())]
            }
            Family::Columns { normals, counts, categories, levels, full } => vec![
                ("COLUMNS", 1),
                ("GRAM", 0),
                ("NORMALS", normals),
                ("COUNTS", counts),
                ("CATEGORIES", categories),
                ("LEVELS", levels),
                ("FULL", full),
            ],
        });
        definitions.iter().map(|(name, value)| format!("-D{name}={value}")).collect()
    }

    /// A name for the compiled kernel that changes with the source, with the shape and with `made_for`: a card and its
    /// software.
    pub fn fingerprint(&self, made_for: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(self.source());
        hash.update(self.definitions().join(" "));
        hash.update(made_for);
        hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_named_by_all_that_it_depends_on() {
        let family = Family::Gaussian { dimension: 8, gram: true };
        let moves = Moves::default();
        let shape = Shape { slots: SLOTS, group: 0, float: false, family, vi: false, moves, many: false };
        let name = shape.fingerprint("one card");
        assert_eq!(name, shape.fingerprint("one card"));
        assert_ne!(name, shape.fingerprint("another card"));
        assert_ne!(name, Shape { vi: true, ..shape }.fingerprint("one card"));
        assert_ne!(name, Shape { many: true, ..shape }.fingerprint("one card"));
        assert_ne!(name, Shape { slots: WIDE, ..shape }.fingerprint("one card"));
        let moves = Moves { sides: true, scans: 5 };
        assert_ne!(name, Shape { moves, ..shape }.fingerprint("one card"));
        let family = Family::Gaussian { dimension: 12, gram: true };
        assert_ne!(name, Shape { family, ..shape }.fingerprint("one card"));
    }
}
