//! Parts of the kernel by themselves: elementary functions, the general transport solver.
#![allow(unsafe_code, reason = "parts of the kernel are called through their C interface")]

use crate::emulated::Emulated;
use partita::chance::Chance;
use partita::rng::{Purpose, Stream};
use partita::transport::Transport;
use partita_cuda::source::{Family, Moves, Shape, WIDE};

const PROBES: &str = r#"
extern "C" double probe_exp(double x) { return libm_exp(x); }
extern "C" double probe_log(double x) { return libm_log(x); }
extern "C" double probe_own_log(double x) { return log_of(x); }

extern "C" int probe_place_of_j(u32* members, int count, int j) {
    Attempt attempt = {0, members, 0, count};
    return place_of_j(&attempt, j);
}

extern "C" int probe_transport(const Shared* overlap, const double* a, int rows, const double* b, int columns, u32* row, u32* column,
                               double* mass) {
    static Shared cells[WIDTH * WIDTH];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) cells[i * WIDTH + j] = overlap[i * columns + j];
    Tables t;
    General g;
    g.tables = &t;
    g.overlap = cells;
    if (!solve_general(&g, a, rows, b, columns)) return -1;
    int count = 0;
    for (int arc = 0; arc < g.count; arc++) {
        if (!(g.flow[arc] > 0.0)) continue;
        row[count] = g.row_index[g.row[arc]];
        column[count] = g.column_index[g.column[arc]];
        mass[count++] = g.flow[arc];
    }
    return count;
}
"#;

fn library(card: &Emulated) -> libloading::Library {
    let family = Family::Gaussian { dimension: 4, gram: true };
    let moves = Moves { sides: true, scans: 0 };
    card.compile(Shape { slots: WIDE, group: 0, float: false, family, vi: false, moves, many: false }, PROBES)
}

#[test]
fn elementary_functions_have_the_bits_of_libm() {
    let Some(card) = Emulated::new() else { return };
    let library = library(&card);
    type Function = unsafe extern "C" fn(f64) -> f64;
    // SAFETY: the functions are of this type.
    let function = |name: &str| unsafe { *library.get::<Function>(name.as_bytes()).expect("the function") };
    let (exp, log, own_log) = (function("probe_exp"), function("probe_log"), function("probe_own_log"));
    let mut chance = Stream::new(1, 0).sequence(Purpose::Data, 0);
    for n in 0..200_000 {
        let width = [1e-9, 0.3, 1.0, 3.0, 50.0, 760.0][n % 6];
        let x = width * (2.0 * chance.uniform() - 1.0);
        // SAFETY: a function of numbers.
        let ours = unsafe { exp(x) };
        assert_eq!(ours.to_bits(), libm::exp(x).to_bits(), "exp({x:e})");
        let y = libm::exp(x) * chance.uniform();
        // SAFETY: likewise.
        let (ours, own) = unsafe { (log(y), own_log(y)) };
        assert_eq!(ours.to_bits(), libm::log(y).to_bits(), "log({y:e})");
        if y.is_normal() {
            assert!((own - libm::log(y)).abs() <= 2.5e-16 * libm::log(y).abs().max(1.0), "log({y:e})");
        }
    }
    for x in [f64::NEG_INFINITY, f64::INFINITY, 0.0, -0.0, 709.8, -745.2, -745.1, -720.0, 1.0, 5e-324] {
        // SAFETY: likewise.
        assert_eq!(unsafe { exp(x) }.to_bits(), libm::exp(x).to_bits(), "exp({x:e})");
        if x >= 0.0 {
            // SAFETY: likewise.
            assert_eq!(unsafe { log(x) }.to_bits(), libm::log(x).to_bits(), "log({x:e})");
        }
    }
}

/// In the order in which a move has them: none.
#[test]
fn a_bisection_ends_where_that_of_the_engine_does() {
    let Some(card) = Emulated::new() else { return };
    let library = library(&card);
    type Place = unsafe extern "C" fn(*const u32, i32, i32) -> i32;
    // SAFETY: the function is of this type.
    let place: Place = unsafe { *library.get::<Place>(b"probe_place_of_j").expect("the function") };
    let mut chance = Stream::new(2, 0).sequence(Purpose::Data, 0);
    for _ in 0..2000 {
        let count = chance.below(40);
        let members: Vec<u32> = (0..count).map(|_| chance.below(50) as u32).collect();
        let j = chance.below(50) as u32;
        // SAFETY: there are so many members.
        let ours = unsafe { place(members.as_ptr(), count as i32, j as i32) };
        assert_eq!(ours as usize, members.partition_point(|&item| item < j), "{members:?}, {j}");
    }
}

/// The very cells of the general solver's plan, in their order, masses and all.
#[test]
fn the_general_solver_has_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    let library = library(&card);
    type Solve = unsafe extern "C" fn(
        *const u16,
        *const f64,
        i32,
        *const f64,
        i32,
        *mut u32,
        *mut u32,
        *mut f64,
    ) -> i32;
    // SAFETY: the function is of this type.
    let solve: Solve = unsafe { *library.get::<Solve>(b"probe_transport").expect("the function") };
    let (mut transport, mut left, mut pivots) = (Transport::new(), 0, 0);
    for case in 0..3000 {
        let mut chance = Stream::new(case, 0).sequence(Purpose::Data, 0);
        // More lines than the small solver takes, on one side at least.
        let (rows, columns) = (9 + chance.below(WIDE - 7), 1 + chance.below(WIDE + 1));
        let overlap: Vec<u16> = (0..rows * columns)
            .map(|_| if chance.event(0.3) { chance.below(60) as u16 } else { 0 })
            .collect();
        // Laws of all sorts: concentrated, with zeros, with equal masses.
        let mut law = |count: usize| -> Vec<f64> {
            let power = [1, 4, 30][case as usize % 3];
            let mut law: Vec<f64> = (0..count)
                .map(|_| match chance.below(8) {
                    0 => 0.0,
                    1 if case % 2 == 0 => 0.25,
                    _ => chance.uniform().powi(power),
                })
                .collect();
            law[0] += 0.5;
            law
        };
        let (a, b) = (law(rows), law(columns));
        let total = |law: &[f64]| law.iter().sum::<f64>();
        let (total_a, total_b) = (total(&a), total(&b));
        let a: Vec<f64> = a.iter().map(|mass| mass * total_b).collect();
        let b: Vec<f64> = b.iter().map(|mass| mass * total_a).collect();
        let plan = transport.solve(&a, &b, |i, j| overlap[i * columns + j].into());
        let (mut row, mut column, mut mass) = ([0; 2 * WIDE + 2], [0; 2 * WIDE + 2], [0.0; 2 * WIDE + 2]);
        // SAFETY: buffers are as long as the problem, and as there are lines.
        let count = unsafe {
            let (rows, columns) = (rows as i32, columns as i32);
            let (row, column, mass) = (row.as_mut_ptr(), column.as_mut_ptr(), mass.as_mut_ptr());
            solve(overlap.as_ptr(), a.as_ptr(), rows, b.as_ptr(), columns, row, column, mass)
        };
        let Ok(count) = usize::try_from(count) else {
            left += 1;
            continue;
        };
        pivots += plan.pivots();
        let theirs: Vec<(u32, u32, u64)> =
            plan.cells().iter().map(|cell| (cell.row, cell.column, cell.mass.to_bits())).collect();
        let ours: Vec<(u32, u32, u64)> = (0..count).map(|n| (row[n], column[n], mass[n].to_bits())).collect();
        assert_eq!(ours, theirs, "case {case}: {rows} rows, {columns} columns");
    }
    println!("{pivots} pivots; {left} of 3000 problems are left to the processors");
    assert!(pivots > 1000 && left < 300, "{pivots} pivots, {left} left");
}
