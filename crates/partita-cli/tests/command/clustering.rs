//! The one clustering and its credible ball against what `draws.csv` says, by all partitions of a few items.

use super::support::Scratch;
use serde_json::Value;
use std::collections::BTreeMap;

const COATS: &str = "coat,tame\ngrey,yes\ngrey,\nblack,no\nwhite,no\nblack,yes\ngrey,yes\nwhite,no\n";
const SEVEN: &str =
    "v0,v1\n1.523,-1.706\n0.089,-1.549\n0.829,-1.11\n0.157,1.48\n0.206,2.089\n-0.334,5.508\n-0.758,1.54\n";
const SIX: &str = "v0,v1,v2\n1.247,-1.268,0.634\n0.752,-0.059,1.846\n0.916,-2.491,0.283\n0.392,-0.461,0.079\n\
                   0.153,1.037,-0.389\n0.012,-2.822,0.413\n";
const KNOWN: &str = "--covariance known --no-standardize --prior-sd 1.3 --noise-sd 0.7 --alpha 1";
const S: &str = "--threads 1 --lag 5 --burn-in 5 --sweeps 50 --force --out run";

type Labels = Vec<usize>;

/// Labels by first appearance.
fn canonical(labels: &[usize]) -> Labels {
    let mut seen = Vec::new();
    labels
        .iter()
        .map(|label| {
            seen.iter().position(|known| known == label).unwrap_or_else(|| {
                seen.push(*label);
                seen.len() - 1
            })
        })
        .collect()
}

fn clusters(z: &Labels) -> usize {
    z.iter().max().unwrap() + 1
}

/// All partitions of so many items.
fn partitions(items: usize) -> Vec<Labels> {
    (0..items).fold(vec![Vec::new()], |shorter, _| {
        let longer = |z: Labels| {
            (0..=z.iter().max().map_or(0, |m| m + 1)).map(move |label| [&z[..], &[label]].concat())
        };
        shorter.into_iter().flat_map(longer).collect()
    })
}

/// Item by item: VI in nats, or the share of ordered pairs on which two partitions disagree.
fn distance(loss: &str, x: &Labels, y: &Labels) -> f64 {
    let n = x.len();
    let count = |of: &dyn Fn(usize) -> bool| (0..n).filter(|&j| of(j)).count() as f64;
    let of_item = |i: usize| {
        let both = count(&|j| x[i] == x[j] && y[i] == y[j]);
        match loss {
            "vi" => (count(&|j| x[i] == x[j]) / both).ln() + (count(&|j| y[i] == y[j]) / both).ln(),
            _ => count(&|j| (x[i] == x[j]) != (y[i] == y[j])) / n as f64,
        }
    };
    (0..n).map(of_item).sum::<f64>() / n as f64
}

/// Kept states with their weights: those of the replicates that were searched, and those that judge.
fn halves(scratch: &Scratch) -> [Vec<(f64, Labels)>; 2] {
    let mut halves = [Vec::new(), Vec::new()];
    for line in scratch.read("run/draws.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let labels: Labels = cells[2..].iter().map(|cell| cell.parse().unwrap()).collect();
        halves[cells[0].parse::<usize>().unwrap() % 2].push((cells[1].parse().unwrap(), canonical(&labels)));
    }
    halves
}

fn found(scratch: &Scratch) -> Labels {
    let cluster = |line: &str| line.split(',').nth(1).unwrap().parse().unwrap();
    canonical(&scratch.read("run/clustering.csv").lines().skip(1).map(cluster).collect::<Labels>())
}

/// No kept state and no partition with so few clusters has a smaller expected loss.
fn check_minimum(scratch: &Scratch, loss: &str) {
    let [searched, _] = halves(scratch);
    let mut mass: BTreeMap<Labels, f64> = BTreeMap::new();
    searched.into_iter().for_each(|(weight, z)| *mass.entry(z).or_default() += weight);
    let total: f64 = mass.values().sum();
    let expected = |c: &Labels| mass.iter().map(|(z, w)| w * distance(loss, c, z)).sum::<f64>() / total;
    let found = found(scratch);
    let least = expected(&found);
    let enough = {
        let mut held = 0.0;
        (1..).find(|k| {
            held += mass.iter().filter(|(z, _)| clusters(z) == *k).map(|(_, w)| w).sum::<f64>();
            held >= (0.975 - 1e-9) * total
        })
    };
    let most = enough.unwrap().max(clusters(&found));
    let allowed = partitions(found.len()).into_iter().filter(|z| clusters(z) <= most);
    for z in mass.keys().cloned().chain(allowed) {
        assert!(least <= expected(&z) + 1e-9, "{loss}: {z:?} {} instead of {found:?} {least}", expected(&z));
    }
}

/// The ball is that of the half that judges, distances within a billionth being equal.
fn check_ball(scratch: &Scratch, loss: &str) -> (usize, usize) {
    let [_, judges] = halves(scratch);
    let found = found(scratch);
    let judges: Vec<(f64, f64, &Labels)> =
        judges.iter().map(|(w, z)| (distance(loss, &found, z), *w, z)).collect();
    let total: f64 = judges.iter().map(|(_, weight, _)| weight).sum();
    let within = |radius: f64| judges.iter().filter(move |(distance, ..)| *distance <= radius + 1e-9);
    let mut distances: Vec<f64> = judges.iter().map(|(distance, ..)| *distance).collect();
    distances.sort_by(f64::total_cmp);
    distances.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let holds = |r: &&f64| within(**r).map(|(_, w, _)| w).sum::<f64>() >= (0.95 - 1e-9) * total;
    let radius = *distances.iter().find(holds).unwrap();
    let inside = || within(radius).filter(|(_, weight, _)| *weight > 0.0).map(|(.., z)| clusters(z));
    let truth = (inside().min().unwrap(), inside().max().unwrap());
    let summary: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    let ball = &summary["clustering"]["ball"];
    assert!((ball["radius"].as_f64().unwrap() - radius).abs() < 1e-9, "{ball} {radius}");
    assert_eq!((&ball["upper"], &ball["lower"]), (&truth.0.into(), &truth.1.into()), "{loss}: {ball}");
    truth
}

/// Many more kept states than are looked at in the runs of a search, most of them equal.
#[test]
fn the_clustering_of_seven_items_is_the_best_of_all() {
    let scratch = Scratch::new();
    scratch.write("categories.csv", COATS);
    for (seed, loss) in [(10, "vi"), (10, "binder"), (11, "vi"), (12, "binder")] {
        scratch.ok(&format!(
            "fit categories.csv --column-type coat=category,tame=category --seed {seed} --replicates 4000 --loss {loss} {S}"
        ));
        check_minimum(&scratch, loss);
        check_ball(&scratch, loss);
    }
}

/// The state of one cluster (six items) and one of six (seven items, the first seed) lie on the radius, together with
/// others.
#[test]
fn states_on_the_radius_are_in_the_ball() {
    let scratch = Scratch::new();
    scratch.write("six.csv", SIX);
    scratch.write("seven.csv", SEVEN);
    for (file, seed, bounds) in
        [("six.csv", 1003, (1, 6)), ("seven.csv", 1000, (2, 6)), ("seven.csv", 1003, (2, 5))]
    {
        for loss in ["vi", "binder"] {
            scratch.ok(&format!("fit {file} {KNOWN} --seed {seed} --replicates 3000 --loss {loss} {S}"));
            check_minimum(&scratch, loss);
            let found = check_ball(&scratch, loss);
            assert!(loss == "binder" || found == bounds, "{file}, {seed}: {found:?}");
        }
    }
}
