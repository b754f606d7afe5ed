//! The co-clustering matrix from kept states, with standard errors: in memory for a few items, in tiles to
//! disk for many.

use super::neighbours::neighbours;
use super::units::Unit;
use crate::Failure;
use crate::store::npy::Square;
use partita::Partition;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Estimated probabilities that items share a cluster, for the items shown.
pub(crate) struct CoMatrix {
    /// The items shown, ordered by the clustering.
    pub items: Vec<usize>,
    /// Row by row, in that order.
    pub values: Vec<f64>,
    /// The cluster of *every* item.
    pub clusters: Vec<usize>,
}

/// Rows and columns of a tile.
const SIDE: usize = 256;

/// Kept states as labels, tile by tile, so that a tile's work stays in the nearest cache.
struct Pairs {
    items: usize,
    /// Atoms of each unit: where they end.
    ends: Vec<usize>,
    weights: Vec<f64>,
    /// Blocks of `SIDE` items; in a block, atom after atom; `SIDE` labels each, the last block padded.
    labels: Vec<u32>,
}

impl Pairs {
    fn new(units: &[Unit], items: &[usize]) -> Self {
        let atoms: Vec<&(f64, &Partition)> = units.iter().flat_map(|unit| &unit.atoms).collect();
        let mut labels = Vec::with_capacity(items.len().div_ceil(SIDE) * SIDE * atoms.len());
        for block in items.chunks(SIDE) {
            for (_, z) in &atoms {
                labels.extend(block.iter().map(|&item| z.slot(item) as u32));
                // A label that no item has.
                labels.extend(std::iter::repeat_n(u32::MAX, SIDE - block.len()));
            }
        }
        let ends = units.iter().scan(0, |end, unit| {
            *end += unit.atoms.len();
            Some(*end)
        });
        Pairs {
            items: items.len(),
            ends: ends.collect(),
            weights: atoms.iter().map(|(weight, _)| *weight).collect(),
            labels,
        }
    }

    /// The labels of a block of items under an atom.
    fn labels(&self, block: usize, atom: usize) -> &[u32] {
        &self.labels[(block * self.weights.len() + atom) * SIDE..][..SIDE]
    }

    fn blocks(&self) -> usize {
        self.items.div_ceil(SIDE)
    }

    /// How many items a block holds.
    fn width(&self, block: usize) -> usize {
        (self.items - block * SIDE).min(SIDE)
    }

    /// Mean and standard error of one item with those of a block.
    fn row(&self, item: usize, block: usize) -> ([f64; SIDE], [f64; SIDE]) {
        let (own, place) = (item / SIDE, item % SIDE);
        let (mut sum, mut squares) = ([0.0; SIDE], [0.0; SIDE]);
        let mut start = 0;
        for &end in &self.ends {
            let mut value = [0.0; SIDE];
            for atom in start..end {
                let (label, weight) = (self.labels(own, atom)[place], self.weights[atom]);
                for (value, other) in value.iter_mut().zip(self.labels(block, atom)) {
                    *value += if *other == label { weight } else { 0.0 };
                }
            }
            for ((sum, squares), value) in sum.iter_mut().zip(&mut squares).zip(&value) {
                *sum += value;
                *squares += value * value;
            }
            start = end;
        }
        let n = self.ends.len() as f64;
        for (sum, squares) in sum.iter_mut().zip(&mut squares) {
            *sum /= n;
            *squares = ((*squares / n - *sum * *sum).max(0.0) / (n - 1.0)).sqrt();
        }
        (sum, squares)
    }

    /// Does `tile` for all pairs of blocks, the second not after the first, on so many threads.
    fn tiles(
        &self,
        threads: usize,
        tile: impl Fn(usize, usize) -> Result<(), Failure> + Sync,
    ) -> Result<(), Failure> {
        let pairs: Vec<(usize, usize)> =
            (0..self.blocks()).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, pairs.len().max(1)) {
                scope.spawn(|| {
                    while let Some(&(i, j)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(error) = tile(i, j) {
                            next.store(pairs.len(), Ordering::Relaxed);
                            *failed.lock().expect("no thread panics") = Some(error);
                        }
                    }
                });
            }
        });
        failed.into_inner().expect("no thread panics").map_or(Ok(()), Err)
    }
}

/// The matrix of at most `most` items, spread evenly over the data and ordered by a clustering; those of a
/// cluster so that items that are often together are neighbours.
pub(crate) fn co_matrix(units: &[Unit], clustering: &Partition, most: usize) -> CoMatrix {
    let items = clustering.len();
    let mut shown: Vec<usize> = (0..items.min(most)).map(|i| i * items / items.min(most)).collect();
    // Clusters by size.
    shown.sort_by_key(|&item| clustering.slot(item));
    let pairs = Pairs::new(units, &shown);
    let n = shown.len();
    let mut values = vec![0.0; n * n];
    for i in 0..n {
        for block in 0..=i / SIDE {
            let (mean, _) = pairs.row(i, block);
            let columns = block * SIDE..(block * SIDE + pairs.width(block)).min(i + 1);
            for (j, mean) in columns.zip(mean) {
                values[i * n + j] = mean;
                values[j * n + i] = mean;
            }
        }
    }
    let mut order = Vec::with_capacity(n);
    for cluster in shown.chunk_by(|&i, &j| clustering.together(i, j)) {
        let start = order.len();
        let within = neighbours(cluster.len(), |i, j| values[(start + i) * n + start + j]);
        order.extend(within.iter().map(|place| start + place));
    }
    CoMatrix {
        items: order.iter().map(|&place| shown[place]).collect(),
        values: order
            .iter()
            .flat_map(|&i| order.iter().map(move |&j| (i, j)))
            .map(|(i, j)| values[i * n + j])
            .collect(),
        clusters: clustering.slots().collect(),
    }
}

/// Writes the whole matrix and its standard errors, in the order of the items.
///
/// Memory beside the kept states: four bytes per kept label and half a megabyte per thread, whatever the number
/// of items. One unit has no standard errors: then they are NaN.
pub(crate) fn write_matrix(
    units: &[Unit],
    items: usize,
    threads: usize,
    means: &Path,
    errors: &Path,
) -> Result<(), Failure> {
    let files = [Square::create(means, items)?, Square::create(errors, items)?];
    let files = Mutex::new(files);
    tiles(units, items, threads, |at, width, tiles| {
        let mut files = files.lock().expect("no thread panics");
        files.iter_mut().zip(tiles).try_for_each(|(file, tile)| file.write_tile(at.0, at.1, width, tile))
    })?;
    files.into_inner().expect("no thread panics").into_iter().try_for_each(Square::finish)
}

/// The whole matrix and its standard errors in memory, row by row: what [`write_matrix`] writes.
pub(crate) fn whole_matrix(units: &[Unit], items: usize, threads: usize) -> [Vec<f32>; 2] {
    let whole = Mutex::new([vec![0f32; items * items], vec![0f32; items * items]]);
    let copied = tiles(units, items, threads, |(top, left), width, tiles| {
        let mut whole = whole.lock().expect("no thread panics");
        for (whole, tile) in whole.iter_mut().zip(tiles) {
            for (row, values) in tile.chunks(width).enumerate() {
                for (column, &value) in values.iter().enumerate() {
                    whole[(top + row) * items + left + column] = value;
                    whole[(left + column) * items + top + row] = value;
                }
            }
        }
        Ok(())
    });
    copied.expect("memory takes what it is given");
    whole.into_inner().expect("no thread panics")
}

/// Hands on the tiles of the whole matrix, the second block not after the first: where each begins, its width, the means
/// and the errors.
fn tiles(
    units: &[Unit],
    items: usize,
    threads: usize,
    take: impl Fn((usize, usize), usize, &[Vec<f32>; 2]) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    let every: Vec<usize> = (0..items).collect();
    let pairs = Pairs::new(units, &every);
    pairs.tiles(threads, |i, j| {
        let (height, width) = (pairs.width(i), pairs.width(j));
        let mut tiles = [vec![0f32; height * width], vec![0f32; height * width]];
        for row in 0..height {
            let (mean, error) = pairs.row(i * SIDE + row, j);
            for column in 0..width {
                tiles[0][row * width + column] = mean[column] as f32;
                tiles[1][row * width + column] = error[column] as f32;
            }
        }
        take((i * SIDE, j * SIDE), width, &tiles)
    })
}

#[cfg(test)]
mod tests {
    use super::super::units::units;
    use super::*;
    use crate::config::StoppingRule;
    use crate::engine::Draw;
    use partita::atoms::Atom;

    fn draw(replicate: u64, weight: f64, labels: &[usize]) -> Draw {
        Draw { replicate, atom: Atom { weight, partition: Partition::from_labels(labels).unwrap() } }
    }

    #[test]
    fn the_matrix_averages_replicates_and_orders_by_cluster() {
        let draws =
            [draw(0, 1.0, &[0, 1, 0, 1, 1]), draw(1, 1.5, &[0, 1, 0, 1, 1]), draw(1, -0.5, &[0, 0, 0, 0, 0])];
        let units = units(&StoppingRule::Replicates { replicates: 2 }, &draws);
        let clustering = Partition::from_labels(&[1, 0, 1, 0, 0]).unwrap();
        let matrix = co_matrix(&units, &clustering, 10);
        // The larger cluster {1, 3, 4} comes first.
        assert_eq!(matrix.items, [1, 3, 4, 0, 2]);
        assert_eq!(matrix.clusters, [1, 0, 1, 0, 0]);
        assert_eq!(matrix.values[1], 1.0, "items 1 and 3 are always together");
        assert_eq!(matrix.values[3], -0.25, "items 1 and 0: raw, not clipped");
        assert_eq!(matrix.values[15], -0.25, "and the other way round");
    }

    /// More items than a tile holds, against sums over pairs one by one.
    #[test]
    fn tiles_hold_what_pairs_say() {
        let items = 2 * SIDE + 37;
        let labels = |k: usize| (0..items).map(|i| (i * i + k * i) % (k + 2)).collect::<Vec<_>>();
        let draws: Vec<Draw> =
            (0..6).map(|k| draw(k as u64 / 2, if k == 3 { -0.5 } else { 0.75 }, &labels(k))).collect();
        let units = units(&StoppingRule::Replicates { replicates: 3 }, &draws);
        let place = |name: &str| {
            std::env::temp_dir().join(format!("partita-tiles-{}-{name}.npy", std::process::id()))
        };
        let (means, errors) = (place("mean"), place("se"));
        write_matrix(&units, items, 2, &means, &errors).unwrap();
        let [in_memory, errors_in_memory] = whole_matrix(&units, items, 2);
        let read = |path: &Path| {
            let table = crate::data::Table::read(path, &crate::data::ReadOptions::default()).unwrap();
            std::fs::remove_file(path).unwrap();
            assert_eq!((table.rows, table.columns), (items, items));
            table.values
        };
        let (means, errors) = (read(&means), read(&errors));
        assert!(means.iter().zip(&in_memory).all(|(file, memory)| *file == f64::from(*memory)));
        assert!(errors.iter().zip(&errors_in_memory).all(|(file, memory)| *file == f64::from(*memory)));
        for i in (0..items).step_by(7) {
            for j in 0..items {
                let together = |z: &Partition| f64::from(u8::from(z.together(i, j)));
                let values: Vec<f64> = units.iter().map(|unit| unit.value(together)).collect();
                let e = partita::aggregate::mean(&values).unwrap();
                assert!((means[i * items + j] - e.value).abs() < 1e-6, "{i} {j}");
                assert!((errors[i * items + j] - e.se).abs() < 1e-6, "{i} {j}: {e:?}");
            }
        }
    }
}
