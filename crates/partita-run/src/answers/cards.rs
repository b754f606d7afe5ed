//! The clusters as the report introduces them: their columns in the order in which they set them apart, typical members,
//! and the items in doubt with their alternatives.

use super::point::{Point, judges};
use super::profiles::Profiles;
use super::units::Unit;
use crate::model::Input;
use crate::results::{Card, CardColumn, Doubt, ProfileLine};
use partita::aggregate::Moments;
use std::collections::BTreeMap;

/// An item below this certainty is in doubt.
pub(super) const DOUBT: f64 = 0.75;
/// Items in doubt that are listed, the least certain first.
const LISTED: usize = 20;
/// Clusters that are introduced.
const CARDS: usize = 12;
/// Columns, correlations and typical members on a card.
const COLUMNS: usize = 10;
const CORRELATIONS: usize = 3;
const TYPICAL: usize = 3;

/// Whether an item is in doubt.
pub(super) fn in_doubt(certainty: f64) -> bool {
    certainty < DOUBT
}

/// The clusters, the largest first.
pub(super) fn cards(point: &Point, profiles: &Profiles, input: &Input) -> Vec<Card> {
    let clustering = &point.clustering;
    let spreads = spreads(input);
    let card = |cluster: usize| {
        let lines: Vec<&ProfileLine> =
            profiles.lines.iter().filter(|l| l.cluster == cluster as u64).collect();
        let mut columns: Vec<CardColumn> = lines
            .chunk_by(|a, b| a.column == b.column)
            .map(|lines| {
                let sd = spreads.get(&lines[0].column[..]).copied().filter(|_| lines[0].level.is_none());
                CardColumn { apart: apart(lines, sd), sd, lines: lines.iter().copied().cloned().collect() }
            })
            .collect();
        columns.sort_by(|a, b| b.apart.total_cmp(&a.apart));
        let more = columns.len().saturating_sub(COLUMNS);
        columns.truncate(COLUMNS);
        let mut correlations: Vec<_> =
            profiles.correlations.iter().filter(|l| l.cluster == cluster as u64).cloned().collect();
        correlations.sort_by(|a, b| b.mean.abs().total_cmp(&a.mean.abs()));
        correlations.truncate(CORRELATIONS);
        // Of a few items a correlation says nothing.
        correlations.retain(|_| clustering.sizes[cluster] >= 8);
        Card {
            cluster: cluster as u64,
            size: clustering.sizes[cluster],
            certainty: clustering.certainty[cluster],
            columns,
            more_columns: more as u64,
            correlations,
            typical: typical(point, cluster, input)
                .into_iter()
                .map(|i| input.item_names[i].clone())
                .collect(),
        }
    };
    (0..clustering.sizes.len().min(CARDS)).map(card).collect()
}

/// How far a cluster is from the whole table in a column: the difference of means over the table's standard deviation; for
/// categories the root of `sum (f - p)² / p` over the levels, which is the same for two equally frequent ones.
fn apart(lines: &[&ProfileLine], sd: Option<f64>) -> f64 {
    let of_level = |l: &&ProfileLine| (l.mean - l.overall).powi(2) / l.overall;
    match sd {
        None => lines.iter().filter(|l| l.overall > 0.0).map(of_level).sum::<f64>().sqrt(),
        Some(sd) if sd > 0.0 => (lines[0].mean - lines[0].overall).abs() / sd,
        Some(_) => 0.0,
    }
}

/// The standard deviation of each column, in the units of the file.
fn spreads(input: &Input) -> BTreeMap<&str, f64> {
    let Some((table, _, scaling)) = input.file_columns() else { return BTreeMap::new() };
    let spread = |column: usize| {
        let cells = (0..table.rows).map(|row| table.row(row)[column]).filter(|cell| !cell.is_nan());
        let moments: Moments = cells.collect();
        let sd = moments.variance()?.sqrt() * scaling.map_or(1.0, |s| s.scale[column]);
        Some((table.names[column].as_str(), sd))
    };
    (0..table.columns).filter_map(spread).collect()
}

/// The members that are most surely in their cluster; among those that are so to a hundredth, the ones nearest to its
/// middle in the coordinates of the picture.
fn typical(point: &Point, cluster: usize, input: &Input) -> Vec<usize> {
    let mut members: Vec<usize> =
        (0..point.partition.len()).filter(|&i| point.partition.slot(i) == cluster).collect();
    let picture = input.picture.as_ref();
    let middle: Vec<f64> = picture.map_or(Vec::new(), |table| {
        let mean = |column: usize| members.iter().map(|&i| table.row(i)[column]).sum::<f64>();
        (0..table.columns).map(|column| mean(column) / members.len() as f64).collect()
    });
    let far = |item: usize| {
        picture.map_or(0.0, |table| {
            table.row(item).iter().zip(&middle).map(|(x, m)| (x - m).powi(2)).sum::<f64>()
        })
    };
    let sure = |item: usize| (100.0 * point.certainty[item].0).round().min(100.0);
    members.sort_by(|&a, &b| sure(b).total_cmp(&sure(a)).then(far(a).total_cmp(&far(b))));
    members.truncate(TYPICAL);
    members
}

/// The items in doubt, the least certain first.
pub(super) fn doubts(units: &[Unit], point: &Point, names: &[String]) -> Vec<Doubt> {
    let partition = &point.partition;
    let mut items: Vec<usize> =
        (0..partition.len()).filter(|&item| in_doubt(point.certainty[item].0)).collect();
    items.sort_by(|&a, &b| point.certainty[a].0.total_cmp(&point.certainty[b].0));
    items.truncate(LISTED);
    let judges = judges(units);
    let with = |item: usize, cluster: usize| {
        let members: Vec<usize> = (0..partition.len()).filter(|&i| partition.slot(i) == cluster).collect();
        let share = |unit: &&Unit| {
            unit.value(|z| {
                members.iter().filter(|&&other| z.together(item, other)).count() as f64 / members.len() as f64
            })
        };
        judges.iter().map(share).sum::<f64>() / judges.len() as f64
    };
    let doubt = |item: usize| {
        let (own, (certainty, se)) = (partition.slot(item), point.certainty[item]);
        let others = (0..partition.clusters()).filter(|&cluster| cluster != own);
        let alternative =
            others.map(|cluster| (cluster as u64, with(item, cluster))).max_by(|a, b| a.1.total_cmp(&b.1));
        Doubt {
            item: names[item].clone(),
            cluster: own as u64,
            certainty,
            se: super::finite(se),
            alternative,
        }
    };
    items.into_iter().map(doubt).collect()
}
