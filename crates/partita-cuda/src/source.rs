//! The kernel's source, and what it is specialised on.

use sha2::{Digest, Sha256};

/// The whole source, in the order in which one part needs the other.
pub const SOURCE: &str = concat!(
    include_str!("../kernels/base.cuh"),
    include_str!("../kernels/chain.cuh"),
    include_str!("../kernels/transport.cuh"),
    include_str!("../kernels/coupling.cuh"),
    include_str!("../kernels/pairs.cu"),
);

/// The kernels of the rounds of a launch, in which all take part, then those whose chains are still apart, then those whose
/// chains are together: the last two rounds may run at the same time.
pub const ROUNDS: [&str; 3] = ["pairs", "pairs", "alone"];

/// Clusters that a chain on the card may have; beyond, the processors take over.
pub const SLOTS: usize = 8;

/// Numbers that a chain keeps of its clusters in fast memory; the kernel's `CELLS`.
pub(crate) const CELLS: usize = 6 * SLOTS + 1;

/// Replicates whose numbers lie beside each other in memory; the kernel's `LANES`.
pub const LANES: usize = 32;

/// What a kernel is specialised on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The numbers of a padded row.
    pub dimension: usize,
    /// Whether clusters keep inner products.
    pub gram: bool,
    /// Whether the coupling's gains are looked up.
    pub vi: bool,
}

impl Shape {
    /// As definitions for a compiler.
    pub fn definitions(&self) -> Vec<String> {
        let Shape { dimension, gram, vi } = *self;
        vec![
            format!("-DDIMENSION={dimension}"),
            format!("-DSLOTS={SLOTS}"),
            format!("-DGRAM={}", u8::from(gram)),
            format!("-DVI={}", u8::from(vi)),
        ]
    }

    /// A name for the compiled kernel that changes with the source, with the shape and with `made_for`: a card and its
    /// software.
    pub fn fingerprint(&self, made_for: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(SOURCE);
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
        let shape = Shape { dimension: 8, gram: true, vi: false };
        let name = shape.fingerprint("one card");
        assert_eq!(name, shape.fingerprint("one card"));
        assert_ne!(name, shape.fingerprint("another card"));
        assert_ne!(name, Shape { vi: true, ..shape }.fingerprint("one card"));
        assert_ne!(name, Shape { dimension: 12, ..shape }.fingerprint("one card"));
    }
}
