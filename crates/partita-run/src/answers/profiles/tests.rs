//! Profiles against sums over all partitions of a few rows, and against long chains.

use super::*;
use crate::answers::{point, units};
use crate::config::{Loss, Options, StoppingRule, Task};
use crate::engine::{Draw, Output, Replicate, Settings, Work};
use crate::model::{Input, Loaded, Model, load};
use partita::Schedule;
use partita::partition::Partitions;
use std::sync::Arc;

/// Two groups that overlap, a category that goes with them, and gaps.
const SMALL: &str =
    "a,b,coat\n-1.3,0.2,grey\n-1.0,-0.9,grey\n-0.2,,black\n0.1,0.7,grey\n1.1,1.6,black\n1.4,0.9,\n";

fn loaded(name: &str, text: &str, covariance: &str) -> (Box<dyn Model>, Arc<Input>) {
    let said = format!("covariance = '{covariance}'\nalpha = 1\ncolumn_type = ['a=normal', 'b=normal']");
    loaded_with(name, text, &said)
}

fn loaded_with(name: &str, text: &str, said: &str) -> (Box<dyn Model>, Arc<Input>) {
    let path = std::env::temp_dir().join(format!("partita-profiles-{name}-{}.csv", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let options = Options { data: Some(path.clone()), ..Options::parse(said, "my.toml").unwrap() };
    let Loaded { model, input, .. } = load(Task::Fit, &options).unwrap();
    std::fs::remove_file(path).unwrap();
    (model, input)
}

fn draws(model: &dyn Model, schedule: Schedule, keep: usize, replicates: u64) -> Vec<Draw> {
    let settings =
        Settings { seed: 5, schedule, max_sweeps: 100_000, keep_draws: keep, keep_until: u64::MAX };
    let mut draws = Vec::new();
    for number in 0..replicates {
        let output = model.run(&Work::Replicates(settings), number, &|| false);
        let Some(Output::Replicate(Replicate { atoms, .. })) = output else { unreachable!() };
        draws.extend(atoms.into_iter().map(|atom| Draw { replicate: number, atom }));
    }
    draws
}

/// Six columns that follow two, a little noise, and a gap.
fn six_columns() -> String {
    let row = |i: usize| {
        let (side, noise) =
            (if i.is_multiple_of(2) { -1.0 } else { 1.0 }, |k: usize| ((i * k) % 7) as f64 / 7.0 - 0.4);
        let cell =
            |k: usize| format!("{:.3}", 10.0 * k as f64 + side * [1.0, -2.0, 0.5][k % 3] + noise(3 * k + 2));
        let cells: Vec<String> =
            (0..6).map(|k| if (i, k) == (3, 4) { String::new() } else { cell(k) }).collect();
        cells.join(",") + "\n"
    };
    "a,b,c,d,e,f\n".to_string() + &(0..6).map(row).collect::<String>()
}

/// After `pca` profiles are of the columns of the file, in their units: within four standard errors of the sum over all
/// partitions, and those of a state are what the rows of its clusters say.
#[test]
fn profiles_of_components_are_of_the_columns_of_the_file() {
    let text = six_columns();
    let (model, input) = loaded_with("pca", &text, "pca = 2\nalpha = 1\nmodel = 'diagonal'");
    assert_eq!(input.table.as_ref().unwrap().names, ["pc1", "pc2"]);
    let log: Vec<(f64, Partition)> = Partitions::of(6).map(|z| (model.log_probability(&z), z)).collect();
    let most = log.iter().map(|(log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = log.iter().map(|(log, _)| (log - most).exp()).sum();
    let draws = draws(&*model, Schedule::new(1, 2, 8).unwrap(), 4, 600);
    let units = units(&StoppingRule::Replicates { replicates: 600 }, &draws);
    let point = point(&units, Loss::Vi, 1).unwrap();
    let found = profiles(&units, &point, &input, false);
    let names = ["a", "b", "c", "d", "e", "f"];
    assert_eq!(found.lines.len(), names.len() * point.partition.clusters());
    // The cells as they are in the text.
    let cells: Vec<Vec<Option<f64>>> =
        text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().ok()).collect()).collect();
    for line in &found.lines {
        let column = names.iter().position(|name| *name == line.column).unwrap();
        let all: Vec<f64> = cells.iter().filter_map(|row| row[column]).collect();
        let overall = all.iter().sum::<f64>() / all.len() as f64;
        assert!((line.overall - overall).abs() < 1e-9, "{line:?} instead of {overall}");
        let members = members(&point.partition, line.cluster);
        let of = |z: &Partition| {
            let among = |member: &usize| {
                let there: Vec<f64> = (0..6)
                    .filter(|&row| z.together(*member, row))
                    .filter_map(|row| cells[row][column])
                    .collect();
                if there.is_empty() { overall } else { there.iter().sum::<f64>() / there.len() as f64 }
            };
            members.iter().map(among).sum::<f64>() / members.len() as f64
        };
        let truth: f64 = log.iter().map(|(log, z)| (log - most).exp() / total * of(z)).sum();
        assert!((line.mean - truth).abs() < 4.0 * line.se.unwrap() + 1e-9, "{line:?} instead of {truth}");
        // The same kept states, by the definition.
        let own = of(&point.partition);
        let values: Moments = judges(&units)
            .iter()
            .map(|unit| own + unit.atoms.iter().map(|(weight, z)| weight * (of(z) - own)).sum::<f64>())
            .collect();
        let direct = values.estimate().unwrap();
        assert!(
            (line.mean - direct.value).abs() < 1e-9 && (line.se.unwrap() - direct.se).abs() < 1e-9,
            "{line:?}"
        );
    }
}

/// The definition, word for word: over the members of a cluster, what the column is like among the rows that a state puts
/// together with the member.
fn direct(input: &Input, members: &[usize], line: &ProfileLine, z: &Partition) -> f64 {
    let table = input.table.as_ref().unwrap();
    let column = table.names.iter().position(|name| *name == line.column).unwrap();
    let cell = |row: usize| {
        let cell = table.row(row)[column];
        let restored = input.scaling.as_ref().map_or(cell, |s| s.restore(column, cell));
        match &line.level {
            Some(level) if !cell.is_nan() => {
                f64::from(u8::from(table.levels[column][cell as usize] == *level))
            }
            _ => restored,
        }
    };
    let among = |member: &usize| {
        let cells: Vec<f64> = (0..z.len())
            .filter(|&row| z.together(*member, row))
            .map(cell)
            .filter(|cell| !cell.is_nan())
            .collect();
        if cells.is_empty() { line.overall } else { cells.iter().sum::<f64>() / cells.len() as f64 }
    };
    members.iter().map(among).sum::<f64>() / members.len() as f64
}

fn members(partition: &Partition, cluster: u64) -> Vec<usize> {
    (0..partition.len()).filter(|&row| partition.slot(row) == cluster as usize).collect()
}

/// Every line within four standard errors of the sum over all partitions, which fails once in ten thousand where it is
/// right, and its interval is about four of them wide.
#[test]
fn profiles_are_those_of_the_enumerated_posterior() {
    for covariance in ["diagonal", "full"] {
        let (model, input) = loaded(covariance, SMALL, covariance);
        let log: Vec<(f64, Partition)> = Partitions::of(6).map(|z| (model.log_probability(&z), z)).collect();
        let most = log.iter().map(|(log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = log.iter().map(|(log, _)| (log - most).exp()).sum();
        let draws = draws(&*model, Schedule::new(1, 2, 8).unwrap(), 4, 600);
        assert!(draws.iter().any(|draw| draw.atom.weight < 0.0), "weights are of either sign");
        let units = units(&StoppingRule::Replicates { replicates: 600 }, &draws);
        let point = point(&units, Loss::Vi, 1).unwrap();
        let found = profiles(&units, &point, &input, covariance == "full");
        // Two columns and two levels of each cluster; the third cell of `b` and the last coat are missing.
        assert_eq!(found.lines.len(), 4 * point.partition.clusters());
        for line in &found.lines {
            let members = members(&point.partition, line.cluster);
            let of = |z: &Partition| direct(&input, &members, line, z);
            let truth: f64 = log.iter().map(|(log, z)| (log - most).exp() / total * of(z)).sum();
            let se = line.se.unwrap();
            assert!((line.mean - truth).abs() < 4.0 * se + 1e-9, "{covariance}: {line:?} instead of {truth}");
            let [low, high] = line.ci95.unwrap();
            assert!(low < line.mean && line.mean < high && (high - low) < 6.0 * se + 1e-9, "{line:?}");
        }
        assert_eq!(
            found.correlations.len(),
            if covariance == "full" { point.partition.clusters() } else { 0 }
        );
        for line in &found.correlations {
            let members = members(&point.partition, line.cluster);
            let truth: f64 = log
                .iter()
                .map(|(log, z)| (log - most).exp() / total * correlation(&input, &members, z))
                .sum();
            assert!((line.mean - truth).abs() < 4.0 * line.se.unwrap() + 1e-9, "{line:?} instead of {truth}");
        }
    }
}

/// The correlation of the first two columns, by its definition; 0 where one does not vary.
fn correlation(input: &Input, members: &[usize], z: &Partition) -> f64 {
    let table = input.table.as_ref().unwrap();
    let among = |member: &usize| {
        let rows: Vec<[f64; 2]> = (0..z.len())
            .filter(|&row| z.together(*member, row))
            .map(|row| [table.row(row)[0], table.row(row)[1]])
            .filter(|[a, b]| !a.is_nan() && !b.is_nan())
            .collect();
        let n = rows.len() as f64;
        let mean = |at: usize| rows.iter().map(|row| row[at]).sum::<f64>() / n;
        let over = |i: usize, j: usize| rows.iter().map(|r| (r[i] - mean(i)) * (r[j] - mean(j))).sum::<f64>();
        if rows.len() < 2 { 0.0 } else { over(0, 1) / (over(0, 0) * over(1, 1)).sqrt() }
    };
    members.iter().map(among).sum::<f64>() / members.len() as f64
}

/// Forty rows: short coupled pairs say what the states of eight long chains say, within their errors.
#[test]
fn profiles_agree_with_long_chains() {
    let row = |i: usize| {
        let (side, noise) =
            (if i.is_multiple_of(3) { -1.0 } else { 1.0 }, ((i * 37) % 19) as f64 / 9.0 - 1.0);
        format!("{:.3},{:.3},{}\n", 1.2 * side + noise, side - 0.8 * noise, ["x", "y"][(i * i + i / 3) % 2])
    };
    let text: String = (0..40).map(row).collect();
    let (model, input) = loaded("long", &format!("a,b,coat\n{text}"), "diagonal");
    let short = draws(&*model, Schedule::new(20, 20, 60).unwrap(), 4, 300);
    let units = units(&StoppingRule::Replicates { replicates: 300 }, &short);
    let point = point(&units, Loss::Vi, 1).unwrap();
    let found = profiles(&units, &point, &input, false);
    let long = draws(&*model, Schedule::new(20, 500, 20_000).unwrap(), 500, 8);
    for line in &found.lines {
        let members = members(&point.partition, line.cluster);
        let chains: Moments = long
            .chunk_by(|a, b| a.replicate == b.replicate)
            .map(|chain| {
                let of = |z: &Partition| direct(&input, &members, line, z);
                chain.iter().map(|draw| of(&draw.atom.partition)).sum::<f64>() / chain.len() as f64
            })
            .collect();
        let truth = chains.estimate().unwrap();
        let error = (line.se.unwrap().powi(2) + truth.se.powi(2)).sqrt();
        assert!((line.mean - truth.value).abs() < 5.0 * error, "{line:?} instead of {truth:?}");
    }
}

/// What nobody doubts has its own mean, and a cluster without a cell in a column is like the whole table.
#[test]
fn certain_clusters_have_their_own_means() {
    let (_, input) = loaded("certain", "a,b,coat\n1,5,x\n3,6,x\n10,,y\n14,,y\n", "diagonal");
    let z = Partition::from_labels(&[0, 0, 1, 1]).unwrap();
    let draw =
        |replicate| Draw { replicate, atom: partita::atoms::Atom { weight: 1.0, partition: z.clone() } };
    let draws = [draw(0), draw(1), draw(2), draw(3)];
    let units = units(&StoppingRule::Replicates { replicates: 4 }, &draws);
    let point = point(&units, Loss::Vi, 1).unwrap();
    let found = profiles(&units, &point, &input, false);
    let of = |cluster, column: &str| {
        let line = found.lines.iter().find(|l| l.cluster == cluster && l.column == column).unwrap();
        (line.mean, line.se.unwrap(), line.overall)
    };
    let near = |(mean, se, overall): (f64, f64, f64), truth: f64, all: f64| {
        assert!(
            (mean - truth).abs() < 1e-9 && se < 1e-9 && (overall - all).abs() < 1e-9,
            "{mean} {se} {overall}"
        );
    };
    near(of(0, "a"), 2.0, 7.0);
    near(of(1, "a"), 12.0, 7.0);
    near(of(1, "b"), 5.5, 5.5);
    near(of(1, "coat"), 0.0, 0.5);
}
