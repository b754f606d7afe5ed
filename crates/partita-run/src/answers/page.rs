//! What the report page shows, put together from a run and its data.

use super::lead;
use super::point::{Point, by_size};
use super::profiles::Profiles;
use super::units::Unit;
use super::{CoMatrix, meeting_curve, workers};
use crate::data::{Rotation, Table};
use crate::engine::{Draw, Row};
use crate::model::{Input, Model};
use crate::results::{
    Bound, Card, CoClustering, Density, Doubt, Estimates, KnownLabels, Page, Results, Scatter,
};
use crate::store::Run;
use crate::summary::Quantity;
use crate::words;
use nalgebra::{DMatrix, SymmetricEigen};
use partita::Partition;
use partita::aggregate::Moments;
use partita::atoms::Atom;
use partita::partition::Overlap;
use std::collections::BTreeMap;

/// Everything a page is made of.
pub(crate) struct Context<'a> {
    pub run: &'a Run,
    pub rows: &'a [Row],
    pub draws: &'a [Draw],
    pub units: &'a [Unit<'a>],
    /// The point estimate and what its clusters are like; none where nothing was kept.
    pub point: Option<&'a Point>,
    pub profiles: Option<&'a Profiles>,
    pub matrix: Option<&'a CoMatrix>,
    pub summary: &'a Results,
    /// What its lines are about.
    pub quantities: &'a [Quantity],
    /// The data and the model; none where the data file is gone.
    pub input: Option<(&'a Input, &'a dyn Model)>,
}

/// Individual estimates shown at most; the most extreme ones are always among them.
const SHOWN_ESTIMATES: usize = 4000;
/// Points of a scatter plot at most.
const SHOWN_POINTS: usize = 5000;

/// Puts the page together.
pub(crate) fn page(context: &Context) -> Page {
    let curve = meeting_curve(context.rows);
    let run = context.run;
    let title = context
        .input
        .map(|(input, _)| input.title.clone())
        .or_else(|| run.plan.data.as_ref().map(|p| p.display().to_string()))
        .unwrap_or_else(|| "built-in data".into());
    // The name of a file is enough; where it is stands in the command.
    let title = match run.plan.data.as_ref().and_then(|path| path.file_name()) {
        Some(name) if run.plan.data.as_ref().is_some_and(|path| path.display().to_string() == title) => {
            name.to_string_lossy().into_owned()
        }
        _ => title,
    };
    Page {
        question: question(context, &title),
        answer: lead::answer(context.summary, context.point, context.quantities),
        // The cards hold what the page shows of these.
        summary: Results { profiles: Vec::new(), correlations: Vec::new(), ..context.summary.clone() },
        survival: curve.steps().iter().map(|s| (s.time, s.survival, s.interval.0, s.interval.1)).collect(),
        censored_at: context.rows.iter().filter(|r| r.tau.is_none()).map(|r| r.sweeps).collect(),
        estimates: estimates(context),
        co_clustering: co_clustering(context),
        scatter: scatter(context),
        cards: cards(context),
        doubts: doubts(context),
        bounds: bounds(context),
        known: known(context),
        density: density(context),
        provenance: provenance(context),
        command: run.command.clone(),
        title,
    }
}

fn question(context: &Context, title: &str) -> String {
    let s = context.summary;
    let setup = &context.run.plan.setup;
    let own = context.input.is_some_and(|(input, _)| input.own.is_some());
    let what =
        if own { crate::model::own_question(setup, title) } else { crate::model::question(setup, title) };
    let unnamed =
        context.input.is_some_and(|(input, _)| input.table.as_ref().is_some_and(|t| t.ids.is_none()));
    let numbered = if unnamed { " Items are rows, numbered from 0." } else { "" };
    format!(
        "{what} {} pairs of coupled chains were run, with a lag of {}, a burn-in of {} and {} sweeps; each pair gives one \
         unbiased estimate of every quantity.{numbered}",
        s.replicates, s.lag, s.burn_in, s.sweeps
    )
}

fn cards(context: &Context) -> Vec<Card> {
    let (Some(point), Some(profiles), Some((input, _))) = (context.point, context.profiles, context.input)
    else {
        return Vec::new();
    };
    super::cards::cards(point, profiles, input)
}

fn doubts(context: &Context) -> Vec<Doubt> {
    let (Some(point), Some((input, _))) = (context.point, context.input) else { return Vec::new() };
    super::cards::doubts(context.units, point, &input.item_names)
}

/// How many rows of each label are in each cluster.
fn known(context: &Context) -> Option<KnownLabels> {
    let (point, (input, _)) = (context.point?, context.input?);
    let labels = input.table.as_ref()?.labels.as_ref()?;
    let mut counts = vec![vec![0; point.partition.clusters()]; labels.names.len()];
    for (slot, label) in point.partition.slots().zip(&labels.index) {
        if let Some(label) = label {
            counts[*label as usize][slot] += 1;
        }
    }
    Some(KnownLabels { labels: labels.names.clone(), counts })
}

fn estimates(context: &Context) -> Vec<Estimates> {
    let rows = context.rows;
    let columns = 0..context.summary.summaries.len();
    columns
        .map(|j| {
            let mut shown: Vec<usize> = (0..rows.len()).collect();
            if rows.len() > SHOWN_ESTIMATES {
                // Evenly spread ones, and the tails whole: outliers must be seen.
                let mut by_value = shown.clone();
                by_value.sort_by(|&a, &b| rows[a].values[j].total_cmp(&rows[b].values[j]));
                let tail = SHOWN_ESTIMATES / 8;
                let stride = rows.len() / (SHOWN_ESTIMATES - 2 * tail) + 1;
                shown = (0..rows.len()).step_by(stride).collect();
                shown.extend(&by_value[..tail]);
                shown.extend(&by_value[rows.len() - tail..]);
                shown.sort_unstable();
                shown.dedup();
            }
            Estimates {
                name: context.summary.summaries[j].name.clone(),
                replicates: shown.iter().map(|&i| rows[i].replicate).collect(),
                values: shown.iter().map(|&i| rows[i].values[j]).collect(),
                censored: shown.iter().map(|&i| rows[i].tau.is_none()).collect(),
            }
        })
        .collect()
}

fn item_name(context: &Context, item: usize) -> String {
    context.input.map_or_else(|| item.to_string(), |(input, _)| input.item_names[item].clone())
}

fn co_clustering(context: &Context) -> Option<CoClustering> {
    let matrix = context.matrix?;
    let all = matrix.clusters.len();
    Some(CoClustering {
        names: matrix.items.iter().map(|&i| item_name(context, i)).collect(),
        clusters: matrix.items.iter().map(|&i| matrix.clusters[i]).collect(),
        matrix: matrix.values.clone(),
        note: (matrix.items.len() < all).then(|| {
            format!("{} of {all} items are shown, spread evenly over the data.", matrix.items.len())
        }),
    })
}

/// The rows of the scatter plot.
fn shown(rows: usize) -> Vec<usize> {
    (0..rows).step_by(rows.div_ceil(SHOWN_POINTS).max(1)).collect()
}

fn scatter(context: &Context) -> Option<Scatter> {
    let (input, _) = context.input?;
    let table = input.picture.as_ref().filter(|t| t.columns >= 2)?;
    let clusters = &context.matrix?.clusters;
    let shown = shown(table.rows);
    // Columns that are not those of the file have no units to go back to.
    let as_in_file = input.table.as_ref().is_some_and(|t| t.names == table.names);
    let (axes, loadings, points) = if let Some(rotation) = &input.rotation {
        components(input, rotation, table, &shown)
    } else if table.columns == 2 && as_in_file {
        let restore = |item: usize, column: usize| {
            let value = table.row(item)[column];
            input.scaling.as_ref().map_or(value, |s| s.restore(column, value))
        };
        let points: Vec<[f64; 2]> = shown.iter().map(|&i| [restore(i, 0), restore(i, 1)]).collect();
        ([table.names[0].clone(), table.names[1].clone()], Vec::new(), points)
    } else {
        principal_axes(table, &shown)
    };
    Some(Scatter {
        axes,
        names: shown.iter().map(|&i| input.item_names[i].clone()).collect(),
        x: points.iter().map(|p| p[0]).collect(),
        y: points.iter().map(|p| p[1]).collect(),
        clusters: shown.iter().map(|&i| clusters[i]).collect(),
        doubtful: context.point.map_or(Vec::new(), |point| {
            shown.iter().map(|&i| super::cards::in_doubt(point.certainty[i].0)).collect()
        }),
        loadings,
        note: (shown.len() < table.rows)
            .then(|| format!("{} of {} items are shown.", shown.len(), table.rows)),
    })
}

/// The states that bound the credible ball.
fn bounds(context: &Context) -> Vec<Bound> {
    let Some((point, bounds)) = context.point.and_then(|point| Some((point, point.bounds.as_ref()?))) else {
        return Vec::new();
    };
    let shown = shown(point.partition.len());
    let bound = |(name, z): (&str, &Partition)| {
        let z = by_size(z);
        let number = numbered_as(&point.partition, &z);
        Bound {
            name: name.into(),
            sizes: z.sizes().iter().map(|&size| u64::from(size)).collect(),
            clusters: shown.iter().map(|&item| number[z.slot(item)]).collect(),
        }
    };
    ["upper", "lower", "horizontal"].into_iter().zip(bounds).map(bound).collect()
}

/// Numbers for the clusters of `z`: each is that of the cluster of `like` with which it shares most items, the largest
/// first; those that are left get numbers beyond.
fn numbered_as(like: &Partition, z: &Partition) -> Vec<usize> {
    let overlap = Overlap::new(z, like);
    let mut taken = vec![false; like.clusters()];
    let mut next = like.clusters();
    let number = |cluster: usize| {
        let free = (0..like.clusters()).filter(|&c| !taken[c] && overlap.shared(cluster, c) > 0);
        let best = free.max_by_key(|&c| (overlap.shared(cluster, c), std::cmp::Reverse(c)));
        match best {
            Some(c) => taken[c] = true,
            None => next += 1,
        }
        best.unwrap_or(next - 1)
    };
    (0..z.clusters()).map(number).collect()
}

/// Columns that are named as what an axis is made of.
const LOADINGS: usize = 4;

/// What an axis is made of: its largest loadings.
fn loadings(names: &[String], vector: &[f64]) -> String {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| vector[b].abs().total_cmp(&vector[a].abs()));
    let large = |column: &&usize| vector[**column].abs() >= 0.4 * vector[order[0]].abs();
    let told = |&column: &usize| {
        let sign = if vector[column] < 0.0 { "\u{2212}" } else { "" };
        let name = names[column].trim_end_matches(" (standardised)");
        format!("{name} ({sign}{:.2})", vector[column].abs())
    };
    order.iter().take(LOADINGS).filter(large).map(told).collect::<Vec<_>>().join(", ")
}

/// What the points of a picture stand for: the axes, the loadings of each, and the points.
type Drawn = ([String; 2], Vec<String>, Vec<[f64; 2]>);

fn axis(number: usize, share: f64) -> String {
    format!("principal axis {number} ({:.0}% of the variance)", 100.0 * share)
}

/// The first two principal components, where the model saw components.
fn components(input: &Input, rotation: &Rotation, table: &Table, shown: &[usize]) -> Drawn {
    let restore = |item: usize, at: usize| {
        let value = table.row(item)[at];
        input.scaling.as_ref().map_or(value, |scaling| scaling.restore(at, value))
    };
    let points = shown.iter().map(|&item| [restore(item, 0), restore(item, 1)]).collect();
    let made_of = |at: usize| loadings(&rotation.names, &rotation.weights[at]);
    let axes = [0, 1].map(|at| axis(at + 1, rotation.explained[at]));
    (axes, vec![made_of(0), made_of(1)], points)
}

/// The two directions of largest variance, with the share that each explains, what they are made of, and the points.
fn principal_axes(table: &Table, shown: &[usize]) -> Drawn {
    let d = table.columns;
    let n = table.rows as f64;
    let mut mean = vec![0.0; d];
    table.values.chunks_exact(d).for_each(|row| mean.iter_mut().zip(row).for_each(|(m, x)| *m += x / n));
    let mut covariance = DMatrix::<f64>::zeros(d, d);
    for row in table.values.chunks_exact(d) {
        for i in 0..d {
            for j in 0..=i {
                covariance[(i, j)] += (row[i] - mean[i]) * (row[j] - mean[j]) / n;
            }
        }
    }
    for i in 0..d {
        for j in 0..i {
            covariance[(j, i)] = covariance[(i, j)];
        }
    }
    let eigen = SymmetricEigen::new(covariance);
    let mut order: Vec<usize> = (0..d).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let total: f64 = eigen.eigenvalues.iter().sum();
    let project = |item: usize, r: usize| -> f64 {
        let vector = eigen.eigenvectors.column(order[r]);
        table.row(item).iter().zip(&mean).zip(vector.iter()).map(|((x, m), v)| (x - m) * v).sum()
    };
    let made_of = |r: usize| loadings(&table.names, eigen.eigenvectors.column(order[r]).as_slice());
    let points = shown.iter().map(|&i| [project(i, 0), project(i, 1)]).collect();
    ([0, 1].map(|r| axis(r + 1, eigen.eigenvalues[order[r]] / total)), vec![made_of(0), made_of(1)], points)
}

fn density(context: &Context) -> Option<Density> {
    let (input, model) = context.input?;
    let table = input.picture.as_ref().filter(|t| t.columns == 1)?;
    if context.draws.is_empty() {
        return None;
    }
    let (low, high) =
        table.values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
    let margin = 0.15 * (high - low).max(1e-9);
    let points = 160;
    let step = (high - low + 2.0 * margin) / f64::from(points - 1);
    let grid: Vec<f64> = (0..points).map(|i| low - margin + f64::from(i) * step).collect();
    // A thousand atoms are enough for a picture; whole replicates, so that their sums stay unbiased.
    let mut atoms: Vec<&Atom> = Vec::new();
    let mut owner: Vec<u64> = Vec::new();
    for draw in context.draws {
        if atoms.len() >= 1000 && owner.last() != Some(&draw.replicate) {
            break;
        }
        atoms.push(&draw.atom);
        owner.push(draw.replicate);
    }
    let densities = model.densities(&atoms, &grid)?;
    // One value per replicate; under a deadline one per worker, the mean over its replicates.
    let units = workers(&context.run.plan.stop, owner.iter().copied());
    let mut of_unit: BTreeMap<u64, Vec<Moments>> = BTreeMap::new();
    let mut start = 0;
    while start < atoms.len() {
        let end = (start..atoms.len()).find(|&i| owner[i] != owner[start]).unwrap_or(atoms.len());
        let unit = of_unit.entry(units[&owner[start]]).or_insert_with(|| vec![Moments::new(); grid.len()]);
        for (g, moments) in unit.iter_mut().enumerate() {
            moments.push((start..end).map(|i| atoms[i].weight * densities[i][g]).sum());
        }
        start = end;
    }
    let across = |g: usize| of_unit.values().filter_map(|unit| unit[g].mean()).collect::<Moments>();
    let moments: Vec<Moments> = (0..grid.len()).map(across).collect();
    // Back to the units of the file: a density scales with the inverse of the axis.
    let (center, scale) = input.scaling.as_ref().map_or((0.0, 1.0), |s| (s.center[0], s.scale[0]));
    let units = |z: f64| center + scale * z;
    // One value alone has no interval, and the page then no band.
    let ends = |m: &Moments| m.estimate().and_then(|e| super::interval(&e));
    let band = |end: usize| moments.iter().filter_map(ends).map(|ends| ends[end] / scale).collect();
    Some(Density {
        axis: table.names[0].clone(),
        x: grid.iter().map(|&z| units(z)).collect(),
        value: moments.iter().map(|m| m.mean().unwrap_or(0.0) / scale).collect(),
        low: band(0),
        high: band(1),
        data: table.values.iter().take(2000).map(|&z| units(z)).collect(),
    })
}

fn provenance(context: &Context) -> Vec<(String, String)> {
    let (run, plan) = (context.run, &context.run.plan);
    let text = |name: &str, value: String| (name.to_string(), value);
    let mut list = vec![
        text("partita", run.version.clone()),
        text("seed", plan.seed.to_string()),
        text("data fingerprint", run.fingerprint.clone()),
        text(
            "lag, burn-in, sweeps",
            format!("{}, {}, {}", context.summary.lag, context.summary.burn_in, context.summary.sweeps),
        ),
        text("sampler", plan.setup.sampler.to_string()),
        text("coupling", plan.setup.pairing.to_string()),
        text("start", plan.setup.start.to_string()),
        text("wall time of the replicates", words::duration(context.summary.seconds)),
        text("single-chain sweeps", context.summary.kernel_calls.to_string()),
    ];
    if let Some(pilot) = &run.pilot {
        list.push(text(
            "pilot",
            format!("{} pairs at the final lag, {}; discarded", pilot.pairs, words::duration(pilot.seconds)),
        ));
    }
    list
}
