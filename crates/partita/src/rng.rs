//! Random numbers by address: (seed, replicate, purpose, part, sweep, item) gives the words, on any machine.
//!
//! Nothing is consumed and nothing is remembered: a replicate is a pure function of its address,
//! a single step can be replayed alone, and another engine (a GPU) can use the same words.
//!
//! # The address, fixed for all releases
//!
//! The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011; Random123). The key is the
//! 64-bit seed, low word first. The counter's four words are
//!
//! | word | content |
//! |---|---|
//! | 0 | item, or the running number of the block within a [`Sequence`] |
//! | 1 | sweep |
//! | 2 | replicate, low 32 bits |
//! | 3 | part, shifted left by 20, plus replicate, next 12 bits, shifted left by 8, plus the [`Purpose`] (+ 128 for a pilot) |
//!
//! The *part* counts how often a purpose was opened before within one sweep: a kernel that makes five
//! split-merge moves and two Gibbs passes opens parts 0 to 4 of the one and 0 and 1 of the other. [`Sweep`]
//! counts, so no kernel can use the same words twice.
//!
//! One block serves one item-step: words 0 and 1 make a 64-bit number (word 0 high) whose top 53
//! bits are the first uniform; words 2 and 3 likewise make the second; the 11 low bits left over in
//! each make a 22-bit number (first one high) for the nugget test.

use crate::chance::{Chance, Items, Source, pick_below};

/// Philox4x32-10: ten rounds that turn a counter and a key into four random words.
///
/// ```
/// use partita::rng::philox4x32;
/// // A known answer of the Random123 distribution.
/// assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
/// ```
#[inline(always)]
pub fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let mut c = counter;
    let mut k = key;
    for _ in 0..10 {
        let p0 = u64::from(c[0]) * 0xD251_1F53;
        let p1 = u64::from(c[2]) * 0xCD9E_8D57;
        c = [(p1 >> 32) as u32 ^ c[1] ^ k[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k[1], p0 as u32];
        k = [k[0].wrapping_add(0x9E37_79B9), k[1].wrapping_add(0xBB67_AE85)];
    }
    c
}

/// Items whose blocks are made together.
const LANES: usize = 8;

/// The blocks of a counter and of those after it in the first word, word by word: no lane depends on
/// another, so that the compiler makes all of them at once in wide registers.
#[inline(always)]
fn philox4x32_lanes([first, second, third, fourth]: [u32; 4], key: [u32; 2]) -> [[u32; LANES]; 4] {
    let mut words = [[0; LANES]; 4];
    for lane in 0..LANES {
        let block = philox4x32([first.wrapping_add(lane as u32), second, third, fourth], key);
        for (words, word) in words.iter_mut().zip(block) {
            words[lane] = word;
        }
    }
    words
}

/// What a random block is used for; this keeps the streams of a replicate apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// One item-step of a Gibbs sweep.
    Gibbs = 0,
    /// The start of the chain ahead, X.
    StartX = 1,
    /// The start of the chain behind, Y.
    StartY = 2,
    /// What the two chains share in a split-merge move.
    SplitMerge = 3,
    /// What X alone draws in a split-merge move.
    SplitMergeX = 4,
    /// What Y alone draws in a split-merge move.
    SplitMergeY = 5,
    /// Which atoms of a replicate are kept.
    Atoms = 6,
    /// Generated data.
    Data = 7,
    /// The search for one clustering of a posterior.
    Search = 8,
    /// One vertex of a pass of Kempe moves.
    Kempe = 9,
    /// A sequentially allocated merge-split move.
    Sams = 10,
    /// A shuffle of two clusters.
    Shuffle = 11,
}

/// Room for purposes: a power of two above the last.
const PURPOSES: usize = 16;
/// Parts that one sweep may open of a purpose.
const PARTS: u16 = 1 << 12;
/// Replicate numbers stay below this.
const REPLICATES: u64 = 1 << 44;

/// The random numbers of one replicate.
///
/// ```
/// use partita::rng::{Purpose, Stream};
/// let stream = Stream::new(1, 42);
/// assert_eq!(stream.block(Purpose::Gibbs, 3, 7), Stream::new(1, 42).block(Purpose::Gibbs, 3, 7));
/// assert_ne!(stream.block(Purpose::Gibbs, 3, 7), stream.pilot().block(Purpose::Gibbs, 3, 7));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    key: [u32; 2],
    replicate: u64,
    pilot: bool,
}

impl Stream {
    /// The stream of `replicate` under `seed`.
    ///
    /// # Panics
    /// If `replicate` does not fit in 44 bits.
    pub fn new(seed: u64, replicate: u64) -> Self {
        assert!(replicate < REPLICATES, "replicate numbers have 44 bits");
        Stream { key: [seed as u32, (seed >> 32) as u32], replicate, pilot: false }
    }

    /// The stream of the same number, used for a pilot run and independent of the run itself.
    pub fn pilot(self) -> Self {
        Stream { pilot: true, ..self }
    }

    /// The four words at an address of part 0.
    ///
    /// # Panics
    /// If `sweep` does not fit in 32 bits.
    #[inline]
    pub fn block(&self, purpose: Purpose, sweep: u64, item: u32) -> [u32; 4] {
        self.address(purpose, 0, sweep).block(item)
    }

    #[inline]
    fn address(&self, purpose: Purpose, part: u16, sweep: u64) -> Address {
        assert!(sweep >> 32 == 0, "sweep numbers have 32 bits");
        assert!(part < PARTS, "a sweep opens at most {PARTS} parts of a purpose");
        let high = u32::from(part) << 20 | ((self.replicate >> 32) as u32) << 8;
        let last = high | u32::from(self.pilot) << 7 | u32::from(purpose as u8);
        Address { key: self.key, counter: [sweep as u32, self.replicate as u32, last] }
    }

    /// The random numbers of one sweep, for a kernel.
    pub fn sweep(&self, sweep: u64) -> Sweep {
        Sweep { stream: *self, sweep, opened: [0; PURPOSES] }
    }

    /// An unlimited sequence of random numbers for one purpose: part 0 of the sweep.
    pub fn sequence(&self, purpose: Purpose, sweep: u64) -> Sequence {
        Sequence { address: self.address(purpose, 0, sweep), next: 0, spare: None }
    }
}

/// An address but for the item: the key, and the counter's words behind the item.
#[derive(Debug, Clone, Copy)]
struct Address {
    key: [u32; 2],
    counter: [u32; 3],
}

impl Address {
    #[inline(always)]
    fn counter_of(&self, item: u32) -> [u32; 4] {
        let [sweep, low, last] = self.counter;
        [item, sweep, low, last]
    }

    #[inline]
    fn block(&self, item: u32) -> [u32; 4] {
        philox4x32(self.counter_of(item), self.key)
    }
}

/// The random numbers of one sweep: the [`Source`] of a kernel. A purpose that is opened twice has another part each
/// time.
///
/// ```
/// use partita::chance::{Chance, Source};
/// use partita::rng::{Purpose, Stream};
/// let mut sweep = Stream::new(1, 0).sweep(1);
/// let (mut once, mut again) = (sweep.sequence(Purpose::SplitMerge), sweep.sequence(Purpose::SplitMerge));
/// assert_ne!(once.uniform(), again.uniform());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sweep {
    stream: Stream,
    sweep: u64,
    /// How many parts of each purpose were opened.
    opened: [u16; PURPOSES],
}

impl Sweep {
    /// The next part of a purpose.
    fn open(&mut self, purpose: Purpose) -> Address {
        let opened = &mut self.opened[purpose as usize];
        let part = *opened;
        *opened += 1;
        self.stream.address(purpose, part, self.sweep)
    }
}

impl Source for Sweep {
    type Items = Pass;
    type Sequence = Sequence;

    fn items(&mut self, purpose: Purpose) -> Pass {
        Pass { address: self.open(purpose), group: None, words: [[0; LANES]; 4] }
    }

    fn sequence(&mut self, purpose: Purpose) -> Sequence {
        Sequence { address: self.open(purpose), next: 0, spare: None }
    }
}

/// The random numbers of one pass over the items.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    address: Address,
    /// The blocks at hand: those of the items `group * LANES` and after, word by word.
    group: Option<usize>,
    words: [[u32; LANES]; 4],
}

impl Items for Pass {
    type Item = ItemStep;

    #[inline(always)]
    fn item(&mut self, item: usize) -> ItemStep {
        let (group, lane) = (item / LANES, item % LANES);
        if self.group != Some(group) {
            let first = self.address.counter_of((group * LANES) as u32);
            self.words = philox4x32_lanes(first, self.address.key);
            self.group = Some(group);
        }
        ItemStep::from_block(std::array::from_fn(|word| self.words[word][lane]))
    }
}

const UNIT_53: f64 = 1.0 / (1u64 << 53) as f64;

/// The random numbers of one item-step: two uniforms and a 22-bit test, from one block.
#[derive(Debug, Clone, Copy)]
pub struct ItemStep {
    uniforms: [f64; 2],
    used: usize,
    test: u32,
}

impl ItemStep {
    /// Reads a block as described in the module documentation.
    #[inline]
    pub fn from_block(words: [u32; 4]) -> Self {
        let first = u64::from(words[0]) << 32 | u64::from(words[1]);
        let second = u64::from(words[2]) << 32 | u64::from(words[3]);
        ItemStep {
            uniforms: [(first >> 11) as f64 * UNIT_53, (second >> 11) as f64 * UNIT_53],
            used: 0,
            test: ((first & 0x7FF) << 11 | (second & 0x7FF)) as u32,
        }
    }
}

impl Chance for ItemStep {
    #[inline]
    fn uniform(&mut self) -> f64 {
        let u = self.uniforms[self.used];
        self.used += 1;
        u
    }

    #[inline(always)]
    fn pick_of(&mut self, total: f64, masses: impl Iterator<Item = f64> + Clone) -> usize {
        pick_below(self.uniform(), total, masses)
    }

    /// True with probability `p` rounded up to a multiple of 2^-22.
    #[inline]
    fn event(&mut self, p: f64) -> bool {
        f64::from(self.test) < p * f64::from(1u32 << 22)
    }
}

/// A sequence of random numbers for one purpose of one sweep.
///
/// ```
/// use partita::chance::Chance;
/// use partita::rng::{Purpose, Stream};
/// let mut sequence = Stream::new(1, 0).sequence(Purpose::Data, 0);
/// let u = sequence.uniform();
/// assert!((0.0..1.0).contains(&u));
/// assert!(sequence.below(6) < 6);
/// ```
#[derive(Debug, Clone)]
pub struct Sequence {
    address: Address,
    next: u32,
    spare: Option<f64>,
}

impl Sequence {
    /// A standard normal number (Box-Muller, the cosine branch).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * crate::math::ln(1.0 - self.uniform())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// A Gamma(shape, 1) number (Marsaglia, Tsang 2000; boosted for shape < 1).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let boost = libm::pow(1.0 - self.uniform(), 1.0 / shape);
            return self.gamma(shape + 1.0) * boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            let u = 1.0 - self.uniform();
            if v > 0.0 && crate::math::ln(u) < 0.5 * x * x + d - d * v + d * crate::math::ln(v) {
                return d * v;
            }
        }
    }
}

impl Chance for Sequence {
    #[inline]
    fn compares(&self) -> bool {
        true
    }

    #[inline]
    fn uniform(&mut self) -> f64 {
        if let Some(u) = self.spare.take() {
            return u;
        }
        let step = ItemStep::from_block(self.address.block(self.next));
        self.next += 1;
        self.spare = Some(step.uniforms[1]);
        step.uniforms[0]
    }

    /// Blocks are made several at a time.
    #[inline(always)]
    fn uniforms(&mut self, out: &mut [f64]) {
        let left_over = usize::from(self.spare.is_some()).min(out.len());
        let (first, out) = out.split_at_mut(left_over);
        first.iter_mut().for_each(|out| *out = self.uniform());
        let (groups, rest) = out.as_chunks_mut::<{ 2 * LANES }>();
        for group in groups {
            let words = philox4x32_lanes(self.address.counter_of(self.next), self.address.key);
            self.next += LANES as u32;
            for (lane, out) in group.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                *out = ItemStep::from_block(words.map(|word| word[lane])).uniforms;
            }
        }
        rest.iter_mut().for_each(|out| *out = self.uniform());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers for philox4x32-10 in the Random123 distribution.
    #[test]
    fn random123_vectors() {
        let ones = u32::MAX;
        assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(philox4x32([ones; 4], [ones; 2]), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
        assert_eq!(
            philox4x32([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0]),
            [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]
        );
    }

    /// The address is a promise to every later release: these words must never change.
    #[test]
    fn the_address_is_frozen() {
        let stream = Stream::new(0x0123_4567_89AB_CDEF, 0x0000_00AB_CDEF_0123);
        let expected = philox4x32([7, 3, 0xCDEF_0123, 0x0000_AB00 | 0x80 | 3], [0x89AB_CDEF, 0x0123_4567]);
        assert_eq!(stream.pilot().block(Purpose::SplitMerge, 3, 7), expected);
        // Part 5 of the same sweep.
        let expected = philox4x32([0, 3, 0xCDEF_0123, 0x0050_AB00 | 0x80 | 3], [0x89AB_CDEF, 0x0123_4567]);
        let mut sweep = stream.pilot().sweep(3);
        for _ in 0..5 {
            let _ = sweep.sequence(Purpose::SplitMerge);
        }
        assert_eq!(sweep.open(Purpose::SplitMerge).block(0), expected);
    }

    /// Every part of a purpose has words of its own, and other purposes do not notice.
    #[test]
    fn what_is_opened_twice_has_other_words() {
        let mut sweep = Stream::new(3, 1).sweep(2);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..50 {
            assert!(seen.insert(sweep.sequence(Purpose::SplitMerge).uniform().to_bits()));
            let mut pass = sweep.items(Purpose::Gibbs);
            assert!((0..20).all(|item| seen.insert(pass.item(item).uniform().to_bits())));
        }
        let mut alone = Stream::new(3, 1).sweep(2);
        assert!(seen.contains(&alone.items(Purpose::Gibbs).item(0).uniform().to_bits()));
    }

    #[test]
    #[should_panic(expected = "at most 4096 parts")]
    fn parts_do_not_run_into_the_next_field() {
        let mut sweep = Stream::new(3, 1).sweep(2);
        for _ in 0..=PARTS {
            let _ = sweep.sequence(Purpose::SplitMerge);
        }
    }

    /// Blocks made several at a time are those made one by one, in whatever order items are asked.
    #[test]
    fn a_sweep_gives_the_blocks_of_its_items() {
        let stream = Stream::new(0x0123_4567_89AB_CDEF, 0x0000_00AB_CDEF_0123);
        let mut sweep = stream.sweep(u64::from(u32::MAX)).items(Purpose::Gibbs);
        for item in (0..40).chain([7, 1000, 8, 0, u32::MAX - 1]) {
            let expected = ItemStep::from_block(stream.block(Purpose::Gibbs, u64::from(u32::MAX), item));
            let found = sweep.item(item as usize);
            assert_eq!((found.uniforms, found.test), (expected.uniforms, expected.test), "{item}");
        }
    }

    #[test]
    fn an_item_step_reads_its_block_as_documented() {
        let mut step = ItemStep::from_block([0x8000_0000, 0, 0xC000_0000, 1]);
        assert!(step.event(2.0 / f64::from(1u32 << 22)));
        assert!(!step.event(1.0 / f64::from(1u32 << 22)));
        assert_eq!(step.uniform(), 0.5);
        assert_eq!(step.uniform(), 0.75);
    }

    #[test]
    fn gamma_and_normal_have_their_moments() {
        let mut sequence = Stream::new(9, 0).sequence(Purpose::Data, 0);
        let n = 200_000;
        for (shape, tolerance) in [(0.5, 0.02), (3.0, 0.05)] {
            let mean = (0..n).map(|_| sequence.gamma(shape)).sum::<f64>() / f64::from(n);
            assert!((mean - shape).abs() < tolerance, "{shape}: {mean}");
        }
        let squares = (0..n).map(|_| sequence.normal().powi(2)).sum::<f64>() / f64::from(n);
        assert!((squares - 1.0).abs() < 0.03, "{squares}");
    }
}
