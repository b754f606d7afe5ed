//! The two label-switching examples of the paper's appendix.

use partita::coupling::{Cell, CommonUniform, Labels, Maximal, Optimal, Step};
use partita::partition::{Metric, Overlap};
use partita::{Coupling, Partition};

/// The plan of a coupling when `item` is placed, by slot of X and slot of Y; a dense table.
fn plan(
    coupling: &mut impl Coupling,
    x: &Partition,
    y: &Partition,
    item: usize,
    a: &[f64],
    b: &[f64],
) -> Vec<Vec<f64>> {
    // The overlap with the item left out: count it from partitions in which the item is alone.
    let alone = |z: &Partition| {
        let mut z = z.clone();
        z.place(item, z.clusters());
        z
    };
    let overlap = Overlap::new(&alone(x), &alone(y));
    let mut cells: Vec<Cell> = Vec::new();
    coupling.plan(&Step { item, x, y, overlap: &without_last(&overlap), a, b }, &mut cells);
    let mut table = vec![vec![0.0; b.len()]; a.len()];
    for cell in cells {
        table[cell.row as usize][cell.column as usize] += cell.mass;
    }
    table
}

/// The clusters in which the item is alone were opened last: their row and column are all zero but
/// for the item itself, which must not count.
fn without_last(overlap: &Overlap) -> Overlap {
    let (rows, columns) = overlap.shape();
    let mut labels_x = Vec::new();
    let mut labels_y = Vec::new();
    for i in 0..rows - 1 {
        for j in 0..columns - 1 {
            for _ in 0..overlap.shared(i, j) {
                labels_x.push(i);
                labels_y.push(j);
            }
        }
    }
    Overlap::new(&Partition::from_labels(&labels_x).unwrap(), &Partition::from_labels(&labels_y).unwrap())
}

fn assert_close(found: &[Vec<f64>], expected: &[[f64; 3]; 3]) {
    for (found, expected) in found.iter().zip(expected) {
        for (p, q) in found.iter().zip(expected) {
            assert!((p - q).abs() < 1e-12, "{found:?} {expected:?}");
        }
    }
}

/// Example 1: z_X = [1,2,2,2], z_Y = [2,1,1,2], item 4 is removed. Both leave {{1},{2,3}}.
#[test]
fn example_1_same_partition_other_labels() {
    let x = Partition::from_labels(&[1, 2, 2, 2]).unwrap();
    let y = Partition::from_labels(&[2, 1, 1, 2]).unwrap();
    let item = 3;
    // Probabilities of pi_1 = {{1,4},{2,3}}, pi_2 = {{1},{2,3,4}}, pi_3 = {{1},{2,3},{4}}.
    let (a1, a2, a3) = (0.5, 0.3, 0.2);
    // X has slot 0 = {1}, slot 1 = {2,3}; Y has slot 0 = {2,3}, slot 1 = {1}.
    let (a, b) = ([a1, a2, a3], [a2, a1, a3]);
    let meet = [[0.0, a1, 0.0], [a2, 0.0, 0.0], [0.0, 0.0, a3]];
    for metric in [Metric::Hamming, Metric::Vi] {
        assert_close(&plan(&mut Optimal::new(metric, 4), &x, &y, item, &a, &b), &meet);
    }
    let meeting = |table: &[Vec<f64>]| table[0][1] + table[1][0] + table[2][2];
    let maximal = plan(&mut Maximal::new(Labels::ByOpening), &x, &y, item, &a, &b);
    assert!((maximal[0][0] - 0.3).abs() < 1e-12 && meeting(&maximal) < 0.5, "{maximal:?}");
    let common = plan(&mut CommonUniform::new(), &x, &y, item, &a, &b);
    assert!(meeting(&common) < 0.5, "{common:?}");
    // Relabelled by smallest member, Y is [1,2,2,1] and the label-based coupling agrees.
    assert_close(&plan(&mut Maximal::new(Labels::BySmallestMember), &x, &y, item, &a, &b), &meet);
}

/// Example 2: X = {{1,3,4},{2,5,6}}, Y = {{1,5,6},{2,3,4}}, item 1 is removed.
#[test]
fn example_2_smallest_member_misleads() {
    let x = Partition::from_labels(&[0, 1, 0, 0, 1, 1]).unwrap();
    let y = Partition::from_labels(&[0, 1, 1, 1, 0, 0]).unwrap();
    let place = |z: &Partition, slot| {
        let mut z = z.clone();
        z.place(0, slot);
        z
    };
    let table = [[16.0, 10.0, 12.0], [10.0, 16.0, 14.0], [12.0, 14.0, 8.0]];
    for (i, row) in table.iter().enumerate() {
        for (j, distance) in row.iter().enumerate() {
            assert_eq!(Metric::Hamming.distance(&place(&x, i), &place(&y, j)), *distance);
        }
    }
    let law = [0.45, 0.45, 0.1];
    let by_label = [[0.45, 0.0, 0.0], [0.0, 0.45, 0.0], [0.0, 0.0, 0.1]];
    let by_partition = [[0.0, 0.45, 0.0], [0.45, 0.0, 0.0], [0.0, 0.0, 0.1]];
    for labels in [Labels::ByOpening, Labels::BySmallestMember] {
        assert_close(&plan(&mut Maximal::new(labels), &x, &y, 0, &law, &law), &by_label);
    }
    assert_close(&plan(&mut CommonUniform::new(), &x, &y, 0, &law, &law), &by_label);
    assert_close(&plan(&mut Optimal::new(Metric::Hamming, 6), &x, &y, 0, &law, &law), &by_partition);
    // The optimal expected distance is smaller than that of the label-based coupling.
    let expected = |plan: &[[f64; 3]; 3]| -> f64 {
        plan.iter().flatten().zip(table.iter().flatten()).map(|(p, d)| p * d).sum()
    };
    assert!(expected(&by_partition) < expected(&by_label));
}

/// "Meeting with probability one": with equal leave-one-out partitions, one step makes chains meet.
#[test]
fn equal_rests_meet_with_probability_one() {
    use partita::kernel::{Chains, Workspace};
    use partita::{Gaussian, Gibbs, Kernel, Mixture, Prior, State, Stream};
    // Item 3 is the last of the sweep and items 0..3 cannot leave: they are far apart or together.
    let data = Gaussian::isotropic(vec![0.0, 1000.0, 1000.0, 500.0], 1, 600.0, 1.0).unwrap();
    let target = Mixture::new(Prior::dirichlet(1.0).unwrap(), data);
    for replicate in 0..200 {
        let x = State::new(&target, Partition::from_labels(&[1, 2, 2, 2]).unwrap());
        let y = State::new(&target, Partition::from_labels(&[2, 1, 1, 2]).unwrap());
        let mut chains = Chains::new(x, y);
        let mut source = Stream::new(3, replicate).sweep(1);
        let mut coupling = Optimal::new(Metric::Hamming, 4);
        Gibbs.coupled_step(&target, &mut chains, &mut coupling, &mut source, &mut Workspace::new());
        assert!(chains.have_met());
    }
}
