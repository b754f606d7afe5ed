//! Estimates are unbiased: means over many replicates cover the enumerated expectation.
//!
//! Targets x kernels x couplings x lags; all z-scores of a test are judged together. With Z scores
//! the test fails where one exceeds the two-sided quantile at 5e-5 / Z (Bonferroni), so each test's
//! false-alarm probability is below 5e-5 and that of the file below 1e-4. Seeds are fixed.

mod support;

use partita::aggregate;
use partita::coupling::{CommonUniform, Independent, Labels, Maximal, Nugget, Optimal};
use partita::kernel::{Alignment, Kempe, Sams, SamsEven, SamsNear, Shuffle, Then, Times};
use partita::partition::{Metric, Partitions};
use partita::rng::Purpose;
use partita::start::{Fixed, FromPrior, RandomColoring, Start};
use partita::summary::{Clusters, CoClustering, Summary, TopShares};
use partita::{
    Coloring, Coupling, Ending, Estimator, Gaussian, Gibbs, Graph, Kernel, Mixture, Moment, Observer, Pair,
    Partition, Prior, Schedule, SplitMerge, State, Stream, Target, Wish, atoms::Atoms,
};
use support::{Family, families, lopsided, with_target};

type Summaries = ((Clusters, TopShares), CoClustering);

fn summaries(items: usize) -> Summaries {
    ((Clusters, TopShares(1)), CoClustering::new(vec![(0, 1), (1, 3)], items).unwrap())
}

/// The exact expectation of the summaries, by enumeration.
fn truth<T: Target>(target: &T, summary: &impl Summary<T>) -> Vec<f64> {
    let states: Vec<Partition> =
        Partitions::of(target.len()).filter(|z| target.log_probability(z) > f64::NEG_INFINITY).collect();
    let logs: Vec<f64> = states.iter().map(|z| target.log_probability(z)).collect();
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = logs.iter().map(|l| (l - highest).exp()).sum();
    let mut expectation = vec![0.0; summary.len()];
    let mut value = vec![0.0; summary.len()];
    for (z, log) in states.into_iter().zip(logs) {
        summary.evaluate(target, &State::new(target, z), &mut value);
        for (e, v) in expectation.iter_mut().zip(&value) {
            *e += (log - highest).exp() / total * v;
        }
    }
    expectation
}

/// z-scores of the means of many estimates.
#[derive(Default)]
struct Scores(Vec<(String, f64)>);

impl Scores {
    fn add(&mut self, name: &str, estimates: &[Vec<f64>], truth: &[f64]) {
        for (j, truth) in truth.iter().enumerate() {
            let values: Vec<f64> = estimates.iter().map(|e| e[j]).collect();
            let mean = aggregate::mean(&values).unwrap();
            // Constants differ by rounding alone.
            if mean.se < 1e-12 {
                assert!((mean.value - truth).abs() < 1e-9, "{name}: constant {} but {truth}", mean.value);
            } else {
                self.0.push((format!("{name}, value {j}"), (mean.value - truth) / mean.se));
            }
        }
    }

    /// Fails where the largest z-score is beyond what chance allows once in 20,000 tests.
    fn judge(self) {
        use statrs::distribution::{ContinuousCDF, Normal};
        let bar = -Normal::standard().inverse_cdf(5e-5 / 2.0 / self.0.len() as f64);
        let (name, worst) = self.0.iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).unwrap();
        println!("{} scores, largest {worst:.2} ({name}), allowed {bar:.2}", self.0.len());
        assert!(worst.abs() < bar, "{name}: z = {worst:.2}, allowed {bar:.2}");
        // Nor may they be too good to be true: their mean square is about 1.
        let square = self.0.iter().map(|(_, z)| z * z).sum::<f64>() / self.0.len() as f64;
        assert!(square > 0.3, "{square}");
    }
}

fn estimates<T: Target, K: Kernel<T>, C: Coupling>(
    target: &T,
    kernel: &K,
    coupling: impl Fn() -> C,
    start: &impl Start,
    schedule: Schedule,
    replicates: u64,
) -> Vec<Vec<f64>> {
    (0..replicates)
        .map(|replicate| {
            let stream = Stream::new(2022, replicate);
            let mut estimator = Estimator::new(schedule, summaries(target.len()));
            let mut pair = Pair::new(target, kernel, coupling(), schedule.lag()).unwrap();
            let x = start.draw(&mut stream.sequence(Purpose::StartX, 0));
            let y = start.draw(&mut stream.sequence(Purpose::StartY, 0));
            let outcome = pair.run(x, y, &stream, &mut estimator);
            let Ending::Met { tau } = outcome.ending else { panic!("without a cap every pair meets") };
            assert_eq!(outcome.kernel_calls, schedule.cost(tau));
            estimator.values().to_vec()
        })
        .collect()
}

fn check<T: Target>(scores: &mut Scores, name: &str, target: &T, start: &impl Start, replicates: u64) {
    let n = target.len();
    let truth = truth(target, &summaries(n));
    for lag in [1, 2, 7] {
        let schedule = Schedule::new(lag, 1, 4).unwrap();
        let mut run = |what: &str, values: Vec<Vec<f64>>| {
            scores.add(&format!("{name}, {what}, lag {lag}"), &values, &truth);
        };
        let nugget = |inner| Nugget::new(inner, 0.01).unwrap();
        let optimal = || Nugget::new(Optimal::new(Metric::Hamming, n), 1e-5).unwrap();
        run("Gibbs, optimal", estimates(target, &Gibbs, optimal, start, schedule, replicates));
        let vi = || Optimal::new(Metric::Vi, n);
        run("Gibbs, VI", estimates(target, &Gibbs, vi, start, schedule, replicates));
        let maximal = || Nugget::new(Maximal::new(Labels::ByOpening), 0.01).unwrap();
        run("Gibbs, maximal", estimates(target, &Gibbs, maximal, start, schedule, replicates));
        let relabelled = || Maximal::new(Labels::BySmallestMember);
        run("Gibbs, relabelled", estimates(target, &Gibbs, relabelled, start, schedule, replicates));
        let common = || nugget(CommonUniform::new());
        run("Gibbs, common", estimates(target, &Gibbs, common, start, schedule, replicates));
        run("Gibbs, independent", estimates(target, &Gibbs, || Independent, start, schedule, replicates));
        for alignment in [Alignment::Aligned, Alignment::Independent] {
            let kernel = Then(SplitMerge { scans: 2, alignment }, Gibbs);
            let what = format!("{kernel:?}, optimal");
            run(&what, estimates(target, &kernel, optimal, start, schedule, replicates));
        }
        let sams = Then(Times(Sams, 2), Gibbs);
        run("sams*2+gibbs, optimal", estimates(target, &sams, optimal, start, schedule, replicates));
        let near = Then(Times(SamsNear(lopsided(n)), 2), Gibbs);
        run("sams-near*2+gibbs, optimal", estimates(target, &near, optimal, start, schedule, replicates));
        let even = Then(Times(SamsEven(Some(lopsided(n))), 2), Gibbs);
        run("sams-even*2+gibbs, optimal", estimates(target, &even, optimal, start, schedule, replicates));
        let shuffle = Then(Sams, Then(Times(Shuffle, 2), Gibbs));
        run(
            "sams+shuffle*2+gibbs, optimal",
            estimates(target, &shuffle, optimal, start, schedule, replicates),
        );
    }
}

#[test]
fn estimates_cover_the_enumerated_expectation() {
    let mut scores = Scores::default();
    for family in families(5) {
        match family {
            Family::Mixture(name, target) => {
                let prior = match &name[..] {
                    // More than two clusters are impossible there: start where the chain can be.
                    "finite mixture, exactly 2" => *target.prior(),
                    _ => Prior::dirichlet(1.5).unwrap(),
                };
                check(&mut scores, &name, &target, &FromPrior { prior, items: 5 }, 1500);
            }
            Family::Coloring(name, target) => {
                let start = Fixed(target.known_coloring());
                check(&mut scores, &name, &target, &start, 1500);
            }
            family => with_target!(family, |name, target| {
                let start = FromPrior { prior: Prior::dirichlet(1.5).unwrap(), items: 5 };
                check(&mut scores, &name, &target, &start, 500);
            }),
        }
    }
    scores.judge();
}

/// Colourings that single vertices do not connect, and others, by Kempe moves from dispersed starts.
#[test]
fn kempe_estimates_cover_the_enumerated_expectation() {
    let seven = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5), (5, 6)];
    let crown = [(0, 4), (0, 5), (1, 3), (1, 5), (2, 3), (2, 4)];
    let square = [(0, 1), (1, 2), (2, 3), (3, 0)];
    let cases = [
        ("seven, 3 colours", Graph::new(7, &seven), 3),
        ("crown, 3 colours", Graph::new(6, &crown), 3),
        ("crown, 2 colours", Graph::new(6, &crown), 2),
        ("two squares, 2 colours", Graph::new(8, &[square, square.map(|(u, v)| (u + 4, v + 4))].concat()), 2),
        ("octahedron, 5 colours", Ok(Graph::octahedron()), 5),
    ];
    let mut scores = Scores::default();
    for (name, graph, colors) in cases {
        let target = Coloring::new(graph.unwrap(), colors).unwrap();
        let (n, start) = (target.len(), RandomColoring(target.clone()));
        let truth = truth(&target, &summaries(n));
        for lag in [1, 7] {
            let schedule = Schedule::new(lag, 1, 4).unwrap();
            let mut run = |what: &str, values: Vec<Vec<f64>>| {
                scores.add(&format!("{name}, {what}, lag {lag}"), &values, &truth);
            };
            let optimal = || Nugget::new(Optimal::new(Metric::Hamming, n), 1e-5).unwrap();
            run("Kempe", estimates(&target, &Kempe, optimal, &start, schedule, 3000));
            run("Kempe, Gibbs", estimates(&target, &Then(Kempe, Gibbs), optimal, &start, schedule, 3000));
            let maximal = || Nugget::new(Maximal::new(Labels::ByOpening), 0.01).unwrap();
            run("Kempe, maximal", estimates(&target, &Then(Kempe, Gibbs), maximal, &start, schedule, 3000));
        }
    }
    scores.judge();
}

/// The kept atoms of a replicate give an unbiased estimate of any summary, too.
#[test]
fn kept_atoms_are_unbiased() {
    let mut scores = Scores::default();
    let Family::Mixture(name, target) = families(5).swap_remove(0) else { unreachable!() };
    let summary = summaries(5);
    let truth = truth(&target, &summary);
    for lag in [1, 3] {
        let schedule = Schedule::new(lag, 1, 6).unwrap();
        let values: Vec<Vec<f64>> = (0..6000)
            .map(|replicate| {
                let stream = Stream::new(7, replicate);
                let mut atoms = Atoms::new(schedule, 3, &stream);
                let coupling = Optimal::new(Metric::Hamming, 5);
                let start = Partition::one_cluster(5).unwrap();
                Pair::new(&target, &Gibbs, coupling, lag).unwrap().run(
                    start.clone(),
                    start,
                    &stream,
                    &mut atoms,
                );
                let mut sums = vec![0.0; 4];
                let mut value = vec![0.0; 4];
                for atom in atoms.into_atoms() {
                    summary.evaluate(&target, &State::new(&target, atom.partition), &mut value);
                    sums.iter_mut().zip(&value).for_each(|(s, v)| *s += atom.weight * v);
                }
                sums
            })
            .collect();
        scores.add(&name, &values, &truth);
    }
    scores.judge();
}

/// The older correction weight `min(m-k+1, ceil((t-k)/L))`, put in by hand, is caught at lags above 1.
#[test]
fn the_old_lag_weight_is_caught() {
    struct Old {
        schedule: Schedule,
        sum: f64,
    }
    impl<T: Target> Observer<T> for Old {
        fn observe(&mut self, moment: &Moment<T>) -> Wish {
            let (l, k, m, t) =
                (self.schedule.lag(), self.schedule.burn_in(), self.schedule.sweeps(), moment.t);
            let h = |state: &State<T>| state.partition().clusters() as f64;
            if (k..=m).contains(&t) {
                self.sum += h(moment.x);
            }
            if let (Some(y), true) = (moment.y, t >= k + l) {
                self.sum += (m - k + 1).min((t - k).div_ceil(l)) as f64 * (h(moment.x) - h(y));
            }
            if t < m { Wish::More } else { Wish::Enough }
        }
    }
    // Two groups that a chain leaves slowly, and no burn-in, so that corrections matter.
    let data = Gaussian::isotropic(vec![-1.0, -1.1, 1.0, 1.1, -0.9], 1, 1.5, 0.6).unwrap();
    let target = Mixture::new(Prior::dirichlet(0.3).unwrap(), data);
    let truth = truth(&target, &Clusters)[0];
    let start = Partition::one_cluster(5).unwrap();
    for lag in [2, 3, 7] {
        let schedule = Schedule::new(lag, 0, 1).unwrap();
        let (mut right, mut wrong) = (Vec::new(), Vec::new());
        for replicate in 0..20_000 {
            let mut pair = Pair::new(&target, &Gibbs, Optimal::new(Metric::Hamming, 5), lag).unwrap();
            let mut both = (Estimator::new(schedule, Clusters), Old { schedule, sum: 0.0 });
            pair.run(start.clone(), start.clone(), &Stream::new(11, replicate), &mut both);
            right.push(both.0.values()[0]);
            wrong.push(both.1.sum / schedule.window() as f64);
        }
        let z = |values: &[f64]| {
            let mean = aggregate::mean(values).unwrap();
            (mean.value - truth) / mean.se
        };
        let (right, wrong) = (z(&right), z(&wrong));
        println!("lag {lag}: z of the right weight {right:.2}, of the old one {wrong:.2}");
        assert!(right.abs() < 4.6, "{right}");
        assert!(wrong.abs() > 10.0, "{wrong}");
    }
}
