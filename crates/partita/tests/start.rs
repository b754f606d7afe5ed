//! The sequential start has exactly the law it is said to have: every order and every choice is tried out.

mod support;

use partita::likelihood::NormalInverseWishart;
use partita::prior::Components;
use partita::rng::Purpose;
use partita::start::{Sequential, Start};
use partita::target::{EdgePrior, SharedPrior, Sharing};
use partita::{
    Blocks, Full, Gaussian, Graph, Mixed, Mixture, Partition, Prior, SharedVariance, Stream, Target,
};
use std::collections::HashMap;
use support::{Enumerator, Law, columns};

const ITEMS: usize = 4;

/// The law by its definition: for every order the product of `p(z of the first t + 1) / sum over the places of the last`,
/// each probability that of a target of these items alone.
fn defined<T: Target>(target_of: &impl Fn(&[usize]) -> T) -> Law {
    let mut law = Law::new();
    let orders = permutations(ITEMS);
    let targets: HashMap<&[usize], T> = orders
        .iter()
        .flat_map(|order| (1..=ITEMS).map(|t| &order[..t]))
        .map(|some| (some, target_of(some)))
        .collect();
    for order in &orders {
        let mut ways: Vec<(Vec<usize>, f64)> = vec![(vec![], 1.0 / orders.len() as f64)];
        for t in 1..=ITEMS {
            let target = &targets[&order[..t]];
            let probability =
                |labels: &[usize]| target.log_probability(&Partition::from_labels(labels).unwrap()).exp();
            ways = ways
                .into_iter()
                .flat_map(|(labels, p)| {
                    let open = labels.iter().max().map_or(0, |most| most + 1);
                    let next: Vec<Vec<usize>> = (0..=open).map(|to| [&labels[..], &[to]].concat()).collect();
                    let total: f64 = next.iter().map(|labels| probability(labels)).sum();
                    next.into_iter().map(move |labels| (labels, p, total)).collect::<Vec<_>>()
                })
                .map(|(labels, p, total)| {
                    let share = p * probability(&labels) / total;
                    (labels, share)
                })
                .filter(|(_, share)| *share > 0.0)
                .collect();
        }
        for (labels, p) in ways {
            let mut by_item = vec![0; ITEMS];
            order.iter().zip(labels).for_each(|(&item, label)| by_item[item] = label);
            *law.entry(Partition::from_labels(&by_item).unwrap().canonical_labels()).or_default() += p;
        }
    }
    law
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    match n {
        0 => vec![vec![]],
        _ => permutations(n - 1)
            .into_iter()
            .flat_map(|rest| (0..n).map(move |at| [&rest[..at], &[n - 1], &rest[at..]].concat()))
            .collect(),
    }
}

fn check<T: Target>(name: &str, target_of: impl Fn(&[usize]) -> T) {
    let (target, mut found) = (target_of(&[0, 1, 2, 3]), Law::new());
    Enumerator::each(
        |chance| Sequential(&target).draw_by(chance).canonical_labels(),
        |labels, p| *found.entry(labels).or_default() += p,
    );
    for (labels, p) in defined(&target_of) {
        let q = found.remove(&labels).unwrap_or(0.0);
        assert!((p - q).abs() < 1e-12, "{name}: {labels:?} has {p} by definition, {q} by the start");
    }
    assert!(found.values().all(|p| *p < 1e-300), "{name}: {found:?}");
}

const PLANE: [f64; 8] = [0.3, -1.2, 0.4, -0.9, -1.1, 0.8, 1.7, 0.2];

fn rows(items: &[usize]) -> Vec<f64> {
    items.iter().flat_map(|&item| PLANE[2 * item..][..2].to_vec()).collect()
}

#[test]
fn the_law_is_that_of_the_definition() {
    let gamma = Prior::dirichlet_gamma(2.0, 4.0).unwrap();
    let finite = Prior::finite_mixture(0.8, Components::Poisson { rate: 1.0 }).unwrap();
    let two = Prior::finite_mixture(0.8, Components::Exactly(2)).unwrap();
    for (name, prior) in [
        ("gamma", gamma),
        ("finite", finite),
        ("two", two),
        ("Pitman-Yor", Prior::pitman_yor(0.35, 0.4).unwrap()),
    ] {
        check(name, |items| Mixture::new(prior, Gaussian::isotropic(rows(items), 2, 1.1, 0.6).unwrap()));
    }
    let [normal, count, category, _] = columns();
    let cells = [1.0, 0.0, 5.0, 2.0, f64::NAN, 1.0, 3.0, f64::NAN];
    check("mixed columns", |items| {
        let table: Vec<f64> =
            items.iter().flat_map(|&i| [PLANE[2 * i], cells[2 * i], cells[2 * i + 1]]).collect();
        Mixture::new(gamma, Mixed::new(&table, &[normal.clone(), count.clone(), category.clone()]).unwrap())
    });
    check("full covariance", |items| {
        Mixture::new(gamma, Full::new(rows(items), &NormalInverseWishart::weak(2)).unwrap())
    });
    for sharing in [Sharing::Everything, Sharing::EachColumn] {
        let variance = SharedPrior { kappa: 0.3, shape: 1.4, rate: 0.6 };
        check("shared variance", |items| {
            SharedVariance::new(gamma, rows(items), &[0.1, 0.2], variance, sharing).unwrap()
        });
    }
    check("blocks", |items| {
        let edges = [(0, 1), (1, 2), (2, 3), (0, 2)];
        let place = |item: usize| items.iter().position(|&other| other == item);
        let edges: Vec<_> = edges.iter().filter_map(|&(u, v)| Some((place(u)?, place(v)?))).collect();
        let graph = Graph::new(items.len(), &edges).unwrap();
        Blocks::new(gamma, graph, EdgePrior { present: 0.6, absent: 1.7 }).unwrap()
    });
}

/// The same stream gives the same state; the two chains of a pair start apart.
#[test]
fn a_start_is_a_function_of_its_stream() {
    let target = Mixture::new(
        Prior::dirichlet(1.0).unwrap(),
        Gaussian::isotropic((0..40).map(|x| f64::from(x % 7)).collect(), 1, 2.0, 1.0).unwrap(),
    );
    let draw =
        |replicate, purpose| Sequential(&target).draw(&mut Stream::new(1, replicate).sequence(purpose, 0));
    for replicate in 0..10 {
        let (x, y) = (draw(replicate, Purpose::StartX), draw(replicate, Purpose::StartY));
        assert_eq!(x, draw(replicate, Purpose::StartX));
        assert_ne!(x, y);
    }
}
