//! The tables of a target, one after the other, as the kernel reads them.

use crate::source::{BLOCK, Family, Shape, WIDE};
use partita::outline::{
    CategoryColumns, Clusters, ColumnClusters, CountColumns, FullClusters, GaussianClusters, NormalColumns,
    Outline,
};

/// The kernel's `MISSING`.
const MISSING: u32 = u32::MAX;

/// Columns that may share a covariance matrix: of more, a cluster takes more memory than a card has for thousands of chains.
const MOST_FULL: usize = 64;

/// A target for the kernel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tables {
    pub family: Family,
    pub numbers: Vec<f64>,
    /// Where in the numbers those of the clusters begin.
    pub clusters: usize,
    /// Words of the clusters.
    pub words: Vec<u32>,
}

impl Tables {
    /// The same for groups of lanes: what they look up together lies together.
    pub(crate) fn for_groups(&self, target: &Outline, shape: Shape) -> Self {
        let Clusters::Gaussian(clusters) = &target.clusters else {
            unreachable!("groups have Gaussian clusters")
        };
        let mut numbers = self.numbers[..self.clusters].to_vec();
        let of_clusters = in_groups(target, clusters, shape);
        if shape.float {
            let pairs = of_clusters.as_chunks::<2>().0.iter();
            let word = |x: f64| u64::from((x as f32).to_bits());
            numbers.extend(pairs.map(|[low, high]| f64::from_bits(word(*high) << 32 | word(*low))));
        } else {
            numbers.extend(of_clusters);
        }
        Tables { numbers, ..self.clone() }
    }

    pub(crate) fn new(target: &Outline) -> Result<Self, String> {
        let items = target.items;
        let mut numbers = target.alone.clone();
        numbers.extend(&target.join);
        numbers.extend((0..=items).map(|size| {
            let p = size as f64 / items as f64;
            p * libm::log(p)
        }));
        numbers.extend((0..=WIDE).map(|k| target.open.get(k).copied().unwrap_or(f64::NAN)));
        // The clusters' are read two at a time.
        numbers.resize(numbers.len().next_multiple_of(2), 0.0);
        let clusters = numbers.len();
        let (family, of_clusters, words) = match &target.clusters {
            Clusters::Gaussian(clusters) => gaussian(clusters),
            Clusters::Columns(clusters) => columns(clusters, None, items)?,
            Clusters::Full(full) => columns(&no_columns(), Some(full), items)?,
            Clusters::Beside(both) => match &**both {
                [Clusters::Full(full), Clusters::Columns(clusters)] => columns(clusters, Some(full), items)?,
                _ => return Err("this model".into()),
            },
        };
        numbers.extend(of_clusters);
        Ok(Tables { family, numbers, clusters, words })
    }
}

/// In the order that `gaussian.cuh` says.
fn gaussian(clusters: &GaussianClusters) -> (Family, Vec<f64>, Vec<u32>) {
    let GaussianClusters { stride, rows, gram, by_size } = clusters;
    let mut numbers = rows.clone();
    numbers.extend(gram.iter().flatten());
    for size in by_size {
        numbers.extend(size.log_norm.iter().chain(&size.half_precision).chain([&size.shrink]));
    }
    (Family::Gaussian { dimension: *stride, gram: gram.is_some() }, numbers, Vec::new())
}

/// In the order that `member.cuh` says: each table begins at a multiple of [`BLOCK`].
fn in_groups(target: &Outline, clusters: &GaussianClusters, shape: Shape) -> Vec<f64> {
    let GaussianClusters { stride, rows, gram, by_size } = clusters;
    let items = target.items;
    let mut numbers = Vec::new();
    let mut add = |table: Vec<f64>| {
        numbers.extend(table);
        numbers.resize(numbers.len().next_multiple_of(BLOCK), 0.0);
    };
    add((0..BLOCK).map(|k| target.open.get(k).copied().unwrap_or(f64::NAN)).collect());
    let square = |item: usize| gram.as_ref().map_or(0.0, |gram| gram[item * items + item]);
    let of_item = |item: usize| if item < items { [target.alone[item], square(item)] } else { [0.0; 2] };
    add((0..items.next_multiple_of(BLOCK)).flat_map(of_item).collect());
    add((0..=items)
        .flat_map(|size| {
            let c = &by_size[size];
            let shrink = if gram.is_some() { 2.0 * c.shrink } else { c.shrink };
            let own = target.join[size.saturating_sub(1)];
            [
                target.join[size],
                c.log_norm[0],
                c.half_precision[0],
                shrink,
                c.shrink * c.shrink,
                own,
                c.log_norm[1],
                c.half_precision[1],
            ]
        })
        .collect());
    let padded = |rows: &[f64], length: usize, to: usize| -> Vec<f64> {
        let row = |row: &[f64]| row.iter().copied().chain((length..to).map(|_| 0.0)).collect::<Vec<_>>();
        rows.chunks_exact(length).flat_map(row).collect()
    };
    add(padded(rows, *stride, shape.wide_row(*stride, gram.is_some())));
    if let Some(gram) = gram {
        add(padded(gram, items, items.next_multiple_of(BLOCK)));
    }
    numbers
}

/// No columns at all.
fn no_columns() -> ColumnClusters {
    ColumnClusters {
        normals: NormalColumns { columns: vec![], cells: vec![], norms: vec![] },
        counts: CountColumns {
            columns: vec![],
            cells: vec![],
            log_ratio: vec![],
            log_next: vec![],
            constants: vec![],
        },
        categories: CategoryColumns {
            cells: vec![],
            logs: vec![],
            level_starts: vec![],
            total_starts: vec![],
        },
    }
}

/// In the order that `full.cuh` says.
fn block(full: &FullClusters) -> Result<Vec<f64>, String> {
    let FullClusters { kappa, degrees, rows, scale, root, norms, alone } = full;
    if full.dimension() > MOST_FULL {
        return Err(format!("a covariance matrix of {} columns", full.dimension()));
    }
    Ok([&[*kappa, *degrees], &scale[..], root, norms, alone, rows].concat())
}

/// In the order that `columns.cuh` says.
fn columns(
    clusters: &ColumnClusters,
    full: Option<&FullClusters>,
    items: usize,
) -> Result<(Family, Vec<f64>, Vec<u32>), String> {
    let ColumnClusters { normals, counts, categories } = clusters;
    let width = normals.columns.len();
    let mut numbers: Vec<f64> =
        normals.columns.iter().flat_map(|prior| [prior.kappa, prior.shape, prior.rate]).collect();
    numbers.extend(counts.columns.iter().map(|column| column.shape));
    for item in 0..items {
        let cells = &normals.cells[item * width..][..width];
        numbers.extend(cells.iter().map(|x| if x.is_nan() { 0.0 } else { *x }));
        numbers.extend(cells.iter().map(|x| if x.is_nan() { 0.0 } else { 1.0 }));
        numbers.push(counts.constants.get(item).copied().unwrap_or(0.0));
    }
    let mut words = Vec::new();
    let norms = numbers.len();
    words.extend(normals.columns.iter().map(|column| norms + column.start));
    numbers.extend(&normals.norms);
    let logs = numbers.len();
    numbers.extend(counts.log_ratio.iter().zip(&counts.log_next).flat_map(|(ratio, next)| [ratio, next]));
    for column in &counts.columns {
        words.extend([logs + 2 * column.start, numbers.len()]);
        numbers.extend(&column.rising);
    }
    let logs = numbers.len();
    words.extend(categories.level_starts.iter().chain(&categories.total_starts).map(|start| logs + start));
    numbers.extend(&categories.logs);
    words.push(numbers.len());
    numbers.extend(full.map_or(Ok(vec![]), block)?);
    let mut words: Vec<u32> = words
        .into_iter()
        .map(|start| u32::try_from(start).map_err(|_| "a table of so many numbers".to_string()))
        .collect::<Result<_, _>>()?;
    let family = Family::Columns {
        normals: width,
        counts: counts.columns.len(),
        categories: categories.total_starts.len(),
        levels: categories.level_starts.len(),
        full: full.map_or(0, FullClusters::dimension),
    };
    let of_item = |cells: &[Option<u32>], item: usize| -> Vec<u32> {
        let width = cells.len() / items;
        cells[item * width..][..width].iter().map(|cell| cell.unwrap_or(MISSING)).collect()
    };
    for item in 0..items {
        words.extend(of_item(&counts.cells, item));
        words.extend(of_item(&categories.cells, item));
    }
    Ok((family, numbers, words))
}
