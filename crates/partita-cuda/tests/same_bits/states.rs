//! The conditionals of every item along a chain have the bits of the engine: what rows show only in the end.
#![allow(unsafe_code, reason = "parts of the kernel are called through their C interface")]

use crate::emulated::Emulated;
use crate::settings;
use partita::chance::Chance;
use partita::kernel::{Sams, Shuffle, Workspace};
use partita::likelihood::{
    Beside, Column, Dirichlet, Full, GammaPoisson, Mixed, NormalInverseGamma, NormalInverseWishart, Shape,
    TablePrior,
};
use partita::rng::{Purpose, Stream};
use partita::{Gaussian, Kernel, Mixture, Partition, Prior, SplitMerge, State, Target};
use partita_cuda::card::Launch;
use partita_cuda::pack::Pack;
use partita_cuda::source::WIDE;
use partita_run::config::{Float, Move};
use partita_run::engine::{Plain, Work};

/// One chain: some moves of two clusters a sweep, then a pass in which each item goes where it is told.
const PROBE: &str = r#"
#define MOST 64
static int run_chain(const u64* settings, const u32* words, const double* tables, const u8* start, const u32* slots, int sweeps,
                     double* out) {
    alignas(16) static double products[MOST * SLOTS * LANES], cells[CELLS * LANES];
    alignas(16) static double stats[SLOTS * CLUSTER * CLUSTER_STEP + 1], scratch[4 * CLUSTER * CLUSTER_STEP + 1];
    alignas(16) static double tried[4 * MOST * LANES], board[2 * (SLOTS + 1)];
    alignas(16) static u32 ring[MOST + 8], sizes[SLOTS * LANES], members[2 * MOST];
    static u8 cluster[MOST * LANES];
    Tables t = tables_of(settings, words, tables, 0);
    Chain z;
    z.products = products;
    z.cells = cells;
    z.stats = stats;
    z.ring = ring;
    z.sizes = sizes;
    z.cluster = cluster;
    z.board = board;
    if (!begin(&t, &z, start)) return -1;
    Work w = {settings, words};
    Trial trial = {members, scratch, tried, board};
    Address address = {(u32)settings[SEED], (u32)(settings[SEED] >> 32), 0, 0};
    for (int sweep = 1; sweep <= sweeps; sweep++) {
        Parts parts = {0, 0, 0};
        for (u64 m = 0; m < settings[MOVES]; m++) {
            u64 kind = settings[MOVES + 1 + 2 * m], times = settings[MOVES + 2 + 2 * m];
            for (u64 n = 0; kind != GIBBS && n < times; n++)
                if (move_two(&t, &w, &z, 0, &trial, &address, (u32)sweep, kind, &parts) == OUTGROWN) return -1;
        }
        for (int item = 0; item < t.items; item++) {
            double fetched[SLOTS], weights[SLOTS + 1];
            fetch(&z, item, fetched);
            int from = slot_of(&z, item);
            weigh(&t, &z, item, from, fetched, weights);
            double scale = 1.0 / total_of(weights, z.clusters + 1);
            for (int s = 0; s <= z.clusters && IS_FIRST; s++) out[s] = weights[s] * scale;
            out += SLOTS + 1;
            place(&t, &z, item, from, (int)*slots++);
        }
        refresh(&t, &z);
    }
    return z.clusters;
}

extern "C" int probe_chain(const u64* settings, const u32* words, const double* tables, const u8* start, const u32* slots,
                           int sweeps, double* out) {
    static int clusters;
    auto body = [&] { clusters = run_chain(settings, words, tables, start, slots, sweeps, out); };
#if TEAM == 1
    body();
#else
    static decltype(body)* now;
    now = &body;
    warp::run([] { (*now)(); });
#endif
    return clusters;
}
"#;

const ITEMS: usize = 48;
const SWEEPS: u64 = 120;

/// What an engine has to say of a chain: the conditionals at each visit, and where each item then went.
struct Path {
    conditionals: Vec<Vec<f64>>,
    slots: Vec<u32>,
    accepted: u64,
    clusters: usize,
}

fn path<T: Target>(target: &T, start: &Partition, seed: u64, moves: &[(Move, usize)]) -> Path {
    let mut state = State::new(target, start.clone());
    let mut work = Workspace::new();
    let mut chance = Stream::new(seed, 1).sequence(Purpose::Data, 0);
    let mut path = Path { conditionals: Vec::new(), slots: Vec::new(), accepted: 0, clusters: 0 };
    for sweep in 1..=SWEEPS {
        let mut source = Stream::new(seed, 0).sweep(sweep);
        for &kind in moves.iter().flat_map(|(kind, times)| std::iter::repeat_n(kind, *times)) {
            let before = state.partition().clone();
            match kind {
                Move::Sams => Sams.step(target, &mut state, &mut source, &mut work),
                Move::Shuffle => Shuffle.step(target, &mut state, &mut source, &mut work),
                Move::SplitMerge => SplitMerge::default().step(target, &mut state, &mut source, &mut work),
                _ => unreachable!("not tested here"),
            }
            path.accepted += u64::from(before != *state.partition());
        }
        for item in 0..target.len() {
            let conditional = state.conditional(target, item);
            // Now and then somewhere else, so that clusters come and go; but few.
            let clusters = state.partition().clusters();
            let slot = match chance.below(12) {
                0 if clusters < 6 => clusters,
                1 | 2 => chance.below(clusters),
                _ => chance.pick(conditional[..clusters].iter().map(|p| p + 1e-9)),
            };
            path.conditionals.push(conditional);
            path.slots.push(slot as u32);
            state.place(target, item, slot);
        }
    }
    path.clusters = state.partition().clusters();
    path
}

/// So many of each kind of move a sweep: merge-split, shuffle, split-merge.
fn check(card: &Emulated, what: &str, target: &impl Target, moves: [usize; 3]) {
    let moves: Vec<_> = [Move::Sams, Move::Shuffle, Move::SplitMerge].into_iter().zip(moves).collect();
    let wanted: usize = moves.iter().map(|(_, times)| times).sum();
    let seed = 77;
    let labels: Vec<usize> = (0..ITEMS).map(|item| item * item % 3).collect();
    let start = Partition::from_labels(&labels).unwrap();
    let theirs = path(target, &start, seed, &moves);
    let plain = Plain {
        target: target.outline().expect("the target has an outline"),
        moves: [&moves[..], &[(Move::Gibbs, 1)]].concat(),
        near: None,
        gains: None,
        nugget: 0.0,
        float: Float::F64,
        start: Some(start.slots().collect()),
        summaries: Vec::new(),
        counted: 1,
    };
    let settings = partita_run::engine::Settings { seed, ..settings((1, 0, 1), 1, 0) };
    let pack = Pack::new(&plain, &Work::Replicates(settings)).expect("the card knows it");
    for (rung, slots) in pack.shapes().map(|shape| shape.slots).enumerate() {
        let Launch { shape, settings, words, tables, start, .. } = pack.launch(rung, vec![0], &[], 1);
        let library = card.compile(shape, PROBE);
        type Probe = unsafe extern "C" fn(
            *const u64,
            *const u32,
            *const f64,
            *const u8,
            *const u32,
            i32,
            *mut f64,
        ) -> i32;
        let mut out = vec![f64::NAN; theirs.slots.len() * (slots + 1)];
        // SAFETY: the function is of this type; buffers are as long as the launch and the path say.
        let clusters = unsafe {
            let probe = library.get::<Probe>(b"probe_chain").expect("the function");
            probe(
                settings.as_ptr(),
                words.as_ptr(),
                tables.as_ptr(),
                start.as_ptr(),
                theirs.slots.as_ptr(),
                SWEEPS as i32,
                out.as_mut_ptr(),
            )
        };
        // A chain may outgrow the fast kernel on the way.
        let made = out.chunks_exact(slots + 1).take_while(|ours| clusters >= 0 || !ours[0].is_nan());
        for (visit, (ours, theirs)) in made.zip(&theirs.conditionals).enumerate() {
            let bits = |weights: &[f64]| weights.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&ours[..theirs.len()]), bits(theirs), "{what}, {slots} slots: visit {visit}");
        }
        assert!(
            clusters == theirs.clusters as i32 || (slots < WIDE && clusters < 0),
            "{what}, {slots} slots"
        );
    }
    println!("{what}: {} of {} moves were accepted", theirs.accepted, SWEEPS * wanted as u64);
    assert!(wanted == 0 || theirs.accepted > 5, "{what}: {} moves were accepted", theirs.accepted);
}

fn values(columns: usize) -> Vec<f64> {
    let mut chance = Stream::new(5, 0).sequence(Purpose::Data, 0);
    (0..ITEMS * columns).map(|at| 1.2 * (at / columns % 3) as f64 + 0.6 * chance.normal()).collect()
}

#[test]
fn gaussian_chains_have_the_conditionals_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    for (columns, moves) in [(1, [0, 0, 0]), (3, [5, 3, 3]), (9, [0, 0, 0]), (9, [5, 0, 0]), (16, [3, 5, 3])]
    {
        let data = Gaussian::isotropic(values(columns), columns, 1.0, 0.9).unwrap();
        let target = Mixture::new(Prior::dirichlet(1.0).unwrap(), data);
        check(&card, &format!("{columns} columns of known spread, moves {moves:?}"), &target, moves);
    }
}

#[test]
fn chains_of_columns_have_the_conditionals_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    let normal = |column: usize| NormalInverseGamma {
        mean: 0.3 * column as f64,
        ..NormalInverseGamma::weak(1 + column % 2)
    };
    let with_gaps = |mut values: Vec<f64>| {
        values.iter_mut().skip(3).step_by(7).for_each(|x| *x = f64::NAN);
        values
    };
    let whole = |values: &[f64], most: usize| -> Vec<f64> {
        values.iter().map(|x| (3.0 * x.abs()).floor().min(most as f64)).collect()
    };
    for (columns, moves) in [(1, [0, 0, 0]), (6, [5, 0, 0]), (9, [3, 3, 3])] {
        let kinds: Vec<Column> = (0..columns).map(|column| Column::Normal(normal(column))).collect();
        let data = Mixed::new(&with_gaps(values(columns)), &kinds).unwrap();
        let target = Mixture::new(Prior::dirichlet(1.0).unwrap(), data);
        check(&card, &format!("{columns} normal columns, moves {moves:?}"), &target, moves);
    }
    let count = |column: usize| Column::Count(GammaPoisson::around(1.0 + column as f64));
    let category = |column: usize| Column::Category(Dirichlet::weak(5 + column));
    for (name, kinds, moves) in [
        ("counts", vec![count(0), count(1), count(1)], [4, 0, 0]),
        ("categories", vec![category(0), category(1)], [2, 4, 4]),
        (
            "all kinds",
            vec![count(0), Column::Normal(normal(0)), category(0), Column::Normal(normal(1)), category(2)],
            [5, 2, 2],
        ),
    ] {
        let raw = values(kinds.len());
        let rounded = whole(&raw, 4);
        let cell = |at: usize| match kinds[at % kinds.len()] {
            Column::Normal(_) => raw[at],
            _ => rounded[at],
        };
        let data = Mixed::new(&with_gaps((0..raw.len()).map(cell).collect()), &kinds).unwrap();
        let target = Mixture::new(Prior::pitman_yor(0.1, 1.0).unwrap(), data);
        check(&card, name, &target, moves);
    }
}

/// Factors that follow moves, are spoilt and built anew: by the prior's weakness, and by columns that are nearly copies.
#[test]
fn chains_of_covariances_have_the_conditionals_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    let table = |columns: usize, copies: bool| -> Vec<f64> {
        let mut values = values(columns);
        for row in values.chunks_exact_mut(columns).filter(|_| copies) {
            row[columns - 1] = 1.5 * row[0] + 1e-5 * row[columns - 1];
        }
        if copies {
            // Taking these away loses some digits of a factor, or too many.
            (values[7 * columns], values[20 * columns]) = (30.0, 200.0);
        }
        // A row that is missing, and another.
        values[5 * columns..6 * columns].fill(f64::NAN);
        values[40 * columns..41 * columns].fill(f64::NAN);
        values
    };
    let like = |shape, share| TablePrior { shape, share, freedom: 1.0, kappa: 0.1 };
    for (columns, prior, copies, moves) in [
        (1, None, false, [2, 2, 2]),
        (3, Some(like(Shape::Table, 0.2)), false, [5, 3, 3]),
        (4, Some(like(Shape::Columns, 1e-4)), true, [5, 0, 0]),
        (6, None, true, [0, 0, 0]),
        (17, Some(like(Shape::Columns, 0.5)), false, [5, 0, 0]),
    ] {
        let values = table(columns, copies);
        let prior = match prior {
            Some(prior) => NormalInverseWishart::of_table(&values, columns, prior).unwrap(),
            None => NormalInverseWishart::weak(columns),
        };
        let target = Mixture::new(Prior::dirichlet(1.0).unwrap(), Full::new(values, &prior).unwrap());
        check(&card, &format!("a covariance of {columns} columns, moves {moves:?}"), &target, moves);
    }
    let raw: Vec<f64> = (0..2 * ITEMS).map(|at| [f64::NAN, 0.0, 1.0, 2.0][(at * 7 + at / 5) % 4]).collect();
    let kinds = [Column::Category(Dirichlet::weak(3)), Column::Count(GammaPoisson::around(1.0))];
    let (block, others) =
        (Full::new(table(3, false), &NormalInverseWishart::weak(3)), Mixed::new(&raw, &kinds));
    let both = Beside::new((block.unwrap(), &[0, 1, 2]), (others.unwrap(), &[3, 4])).unwrap();
    let target = Mixture::new(Prior::dirichlet(1.0).unwrap(), both);
    check(&card, "a covariance beside other columns", &target, [4, 2, 2]);
}
