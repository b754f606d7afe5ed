//! Predictive densities of every model family, finite whatever was seen, and as cases for another judge.
//!
//! With `PARTITA_DUMP=FOLDER` the cases are written to `predictives.jsonl` there, one per line: what was seen, the
//! prior, the point and our log density; `scripts/check_predictives.py` asks SciPy.

use partita::chance::Chance;
use partita::likelihood::{
    Column, Dirichlet, GammaPoisson, NormalInverseGamma, NormalInverseWishart, Predict,
};
use partita::rng::{Purpose, Sequence};
use partita::target::Predictive;
use partita::{Full, Mixed, Mixture, Partition, Prior, State, Stream};
use std::path::PathBuf;

fn list(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", "))
}

/// The log density of a point given all items in one cluster.
fn given_all<L: Predict>(likelihood: &L, point: &[f64]) -> f64 {
    let mut cluster = likelihood.empty();
    (0..likelihood.len()).for_each(|item| likelihood.insert(&mut cluster, item));
    likelihood.log_density(&cluster, point)
}

fn case(kind: &str, prior: &[(&str, &[f64])], data: &[f64], point: &[f64], log_density: f64) -> String {
    assert!(log_density.is_finite(), "{kind}: {log_density} at {point:?} after {data:?}");
    let prior: Vec<String> =
        prior.iter().map(|(name, value)| format!("\"{name}\": {}", list(value))).collect();
    format!(
        "{{\"kind\": \"{kind}\", {}, \"data\": {}, \"point\": {}, \"log_density\": {log_density:?}}}\n",
        prior.join(", "),
        list(data),
        list(point)
    )
}

/// Forty cases of each family.
#[test]
fn predictive_densities_are_finite() {
    let mut cases = String::new();
    let mut chance: Sequence = Stream::new(1, 0).sequence(Purpose::Data, 0);
    for round in 0..40 {
        let n = 1 + round;
        let (kappa, shape, rate) = (0.1 + chance.uniform(), 0.5 + chance.uniform(), 0.1 + chance.uniform());

        let normal = NormalInverseGamma { mean: chance.normal(), kappa, shape, rate };
        let data: Vec<f64> = (0..n).map(|_| 3.0 * chance.normal()).collect();
        let point = [4.0 * chance.normal()];
        let found = given_all(&Mixed::diagonal(data.clone(), 1, normal).unwrap(), &point);
        let prior: [(&str, &[f64]); 4] =
            [("mean", &[normal.mean]), ("kappa", &[kappa]), ("shape", &[shape]), ("rate", &[rate])];
        cases += &case("normal", &prior, &data, &point, found);

        let most = if round % 4 == 3 { 3000 } else { 12 };
        let data: Vec<f64> = (0..n).map(|_| chance.below(most) as f64).collect();
        let point = [chance.below(most) as f64];
        let found = given_all(&Mixed::counts(data.clone(), 1, GammaPoisson { shape, rate }).unwrap(), &point);
        cases += &case("count", &[("shape", &[shape]), ("rate", &[rate])], &data, &point, found);

        let levels = 2 + round % 5;
        let concentrations: Vec<f64> = (0..levels).map(|_| 0.05 + chance.uniform()).collect();
        let category = Column::Category(Dirichlet { concentrations: concentrations.clone() });
        let data: Vec<f64> = (0..n).map(|_| chance.below(levels) as f64).collect();
        let point = [chance.below(levels) as f64];
        let found = given_all(&Mixed::new(&data, &[category]).unwrap(), &point);
        cases += &case("category", &[("concentrations", &concentrations)], &data, &point, found);

        let d = 1 + round % 6;
        let degrees = d as f64 - 0.5 + 2.0 * chance.uniform();
        let mean: Vec<f64> = (0..d).map(|_| chance.normal()).collect();
        let root: Vec<f64> = (0..d * d).map(|_| chance.normal()).collect();
        let product = |i: usize, j: usize| (0..d).map(|k| root[i * d + k] * root[j * d + k]).sum::<f64>();
        let scale: Vec<f64> =
            (0..d * d).map(|at| product(at / d, at % d) + if at / d == at % d { 0.4 } else { 0.0 }).collect();
        let wishart = NormalInverseWishart { mean: mean.clone(), kappa, degrees, scale: scale.clone() };
        let data: Vec<f64> = (0..n * d).map(|_| 2.0 * chance.normal()).collect();
        let point: Vec<f64> = (0..d).map(|_| 3.0 * chance.normal()).collect();
        let found = given_all(&Full::new(data.clone(), &wishart).unwrap(), &point);
        let prior: [(&str, &[f64]); 4] =
            [("mean", &mean), ("kappa", &[kappa]), ("degrees", &[degrees]), ("scale", &scale)];
        cases += &case("full", &prior, &data, &point, found);

        // Each item given all others, in random clusters; alpha is fixed.
        let alpha = 0.2 + chance.uniform();
        let full = Mixture::new(Prior::dirichlet(alpha).unwrap(), Full::new(data.clone(), &wishart).unwrap());
        let labels: Vec<usize> = (0..n).map(|_| chance.below(3)).collect();
        let z = Partition::from_labels(&labels).unwrap();
        let state = State::new(&full, z.clone());
        let item = chance.below(n);
        let found = full.leave_one_out(state.stats(), &z, item);
        let labels: Vec<f64> = labels.iter().map(|&label| label as f64).collect();
        let more: [(&str, &[f64]); 3] = [("labels", &labels), ("item", &[item as f64]), ("alpha", &[alpha])];
        let prior = [&prior[..], &more].concat();
        cases += &case("leave-one-out", &prior, &data, &data[item * d..(item + 1) * d], found);
    }
    assert_eq!(cases.lines().count(), 200);
    if let Some(folder) = std::env::var_os("PARTITA_DUMP").map(PathBuf::from) {
        std::fs::write(folder.join("predictives.jsonl"), cases).unwrap();
    }
}
