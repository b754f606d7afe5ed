//! What the report page shows, put together from a run and its data.

use super::{CoMatrix, meeting_curve, workers};
use crate::engine::{Draw, Row};
use crate::model::{Input, Model};
use crate::results::{Clustering, CoClustering, Density, Estimates, Page, Results, Scatter};
use crate::store::Run;
use crate::summary::Quantity;
use crate::words;
use nalgebra::{DMatrix, SymmetricEigen};
use partita::aggregate::Moments;
use partita::atoms::Atom;
use std::collections::BTreeMap;

/// Everything a page is made of.
pub(crate) struct Context<'a> {
    pub run: &'a Run,
    pub rows: &'a [Row],
    pub draws: &'a [Draw],
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
        .unwrap_or_else(|| "built-in demonstration data".into());
    Page {
        question: question(context, &title),
        answer: answer(context.summary, context.quantities),
        summary: context.summary.clone(),
        survival: curve.steps().iter().map(|s| (s.time, s.survival, s.interval.0, s.interval.1)).collect(),
        censored_at: context.rows.iter().filter(|r| r.tau.is_none()).map(|r| r.sweeps).collect(),
        estimates: estimates(context),
        co_clustering: co_clustering(context),
        scatter: scatter(context),
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
    format!(
        "{what} {} pairs of coupled chains ran with lag {}, burn-in {} and {} sweeps; each gives one \
         unbiased estimate.",
        s.replicates, s.lag, s.burn_in, s.sweeps
    )
}

/// The answer in words.
fn answer(summary: &Results, quantities: &[Quantity]) -> Vec<String> {
    let mut sentences: Vec<String> = super::modes::finding(summary).into_iter().collect();
    for line in &summary.summaries {
        let Some([low, high]) = line.ci95 else { continue };
        let Some(quantity) = quantities.iter().find(|quantity| quantity.name == line.name) else { continue };
        let se = line.se.unwrap_or(0.0);
        let of = |v: f64| words::rounded(v, se);
        let what = &quantity.sentence;
        sentences.push(format!("{what} {} (95 % interval {} to {}).", of(line.mean), of(low), of(high)));
    }
    sentences.extend(summary.clustering.as_ref().map(one_clustering));
    if let Some(median) = summary.meeting.median {
        let sweeps = summary.tv_sweeps.map_or(String::new(), |t| {
            format!(" One chain needs at most {t} sweeps to be within 0.01 of the target in total variation.")
        });
        sentences.push(format!(
            "Half of the pairs met by sweep {median}, {} of {} in all.{sweeps}",
            summary.meeting.met, summary.replicates
        ));
    }
    sentences
}

/// One clustering in a sentence or two.
fn one_clustering(c: &Clustering) -> String {
    const TOLD: usize = 8;
    let sizes = words::sizes(&c.sizes, TOLD);
    let clusters = if c.sizes.len() == 1 { "cluster" } else { "clusters" };
    let se = c.se.unwrap_or(0.0);
    let of = |v: f64| words::rounded(v, se);
    let name = if c.loss == "vi" { "variation of information (nats)" } else { "Binder loss" };
    let mut text = format!("One clustering: {} {clusters} of {sizes} items", c.sizes.len());
    if let Some((loss, [low, high])) = c.expected_loss.zip(c.ci95) {
        text += &format!("; its expected {name} is {} (95 % interval {} to {})", of(loss), of(low), of(high));
    }
    text += &format!(". 95 % of the posterior lies within {:.3} of it.", c.ball.radius);
    if let Some(ari) = c.reference_ari {
        let rows = c.compared_rows().unwrap_or_default();
        text += &format!(" Its adjusted Rand index with the known labels is {ari:.3}{rows}.");
    }
    text
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
        note: (matrix.items.len() < all)
            .then(|| format!("{} of {all} items, spread evenly over the data.", matrix.items.len())),
    })
}

fn scatter(context: &Context) -> Option<Scatter> {
    let (input, _) = context.input?;
    let table = input.picture.as_ref().filter(|t| t.columns >= 2)?;
    let clusters = &context.matrix?.clusters;
    let stride = table.rows.div_ceil(SHOWN_POINTS);
    let shown: Vec<usize> = (0..table.rows).step_by(stride).collect();
    // Columns that are not those of the file have no units to go back to.
    let as_in_file = input.table.as_ref().is_some_and(|t| t.names == table.names);
    let (axes, points) = if table.columns == 2 && as_in_file {
        let restore = |item: usize, column: usize| {
            let value = table.row(item)[column];
            input.scaling.as_ref().map_or(value, |s| s.restore(column, value))
        };
        let points: Vec<[f64; 2]> = shown.iter().map(|&i| [restore(i, 0), restore(i, 1)]).collect();
        ([table.names[0].clone(), table.names[1].clone()], points)
    } else {
        principal_axes(table, &shown)
    };
    Some(Scatter {
        axes,
        names: shown.iter().map(|&i| input.item_names[i].clone()).collect(),
        x: points.iter().map(|p| p[0]).collect(),
        y: points.iter().map(|p| p[1]).collect(),
        clusters: shown.iter().map(|&i| clusters[i]).collect(),
        note: (stride > 1).then(|| format!("{} of {} items are shown.", shown.len(), table.rows)),
    })
}

/// The two directions of largest variance, with the share that each explains.
fn principal_axes(table: &crate::data::Table, shown: &[usize]) -> ([String; 2], Vec<[f64; 2]>) {
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
    let axis = |r: usize| {
        let share = 100.0 * eigen.eigenvalues[order[r]] / total;
        format!("principal axis {} ({share:.0} % of the variance)", r + 1)
    };
    let project = |item: usize, r: usize| -> f64 {
        let vector = eigen.eigenvectors.column(order[r]);
        table.row(item).iter().zip(&mean).zip(vector.iter()).map(|((x, m), v)| (x - m) * v).sum()
    };
    ([axis(0), axis(1)], shown.iter().map(|&i| [project(i, 0), project(i, 1)]).collect())
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
    // One value a replicate; under a deadline one a worker, the mean over its replicates.
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
        text("kernel calls", context.summary.kernel_calls.to_string()),
    ];
    if let Some(pilot) = &run.pilot {
        list.push(text(
            "pilot",
            format!("{} pairs at the last lag, {}, discarded", pilot.pairs, words::duration(pilot.seconds)),
        ));
    }
    list
}
