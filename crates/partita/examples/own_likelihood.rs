//! A likelihood of one's own: waiting times that are geometric with one rate per cluster.
//!
//! Run it with `cargo run --example own_likelihood`. The tests run it, too.

use partita::coupling::{Nugget, Optimal};
use partita::partition::Metric;
use partita::rng::Purpose;
use partita::start::{FromPrior, Start};
use partita::summary::{Clusters, CoClustering};
use partita::{Estimator, Gibbs, Likelihood, Mixture, Pair, Prior, Schedule, Stream, aggregate};

/// Each item waits `x` failures for its success; the success probability of a cluster is Beta(a, b).
struct Waiting {
    x: Vec<f64>,
    a: f64,
    b: f64,
}

/// Successes and failures seen in a cluster.
#[derive(Clone, Debug, Default)]
struct Tally {
    successes: f64,
    failures: f64,
}

impl Likelihood for Waiting {
    type Cluster = Tally;

    fn len(&self) -> usize {
        self.x.len()
    }
    fn empty(&self) -> Tally {
        Tally::default()
    }
    fn insert(&self, tally: &mut Tally, item: usize) {
        tally.successes += 1.0;
        tally.failures += self.x[item];
    }
    fn remove(&self, tally: &mut Tally, item: usize) {
        tally.successes -= 1.0;
        tally.failures -= self.x[item];
    }
    /// `B(a + s + 1, b + f + x) / B(a + s, b + f)` with `s` successes and `f` failures seen.
    fn log_predictive(&self, tally: &Tally, item: usize) -> f64 {
        let (a, b, x) = (self.a + tally.successes, self.b + tally.failures, self.x[item]);
        let ln_beta = |a: f64, b: f64| libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
        ln_beta(a + 1.0, b + x) - ln_beta(a, b)
    }
}

/// Estimates the number of clusters and two co-clustering probabilities.
pub fn main() -> Result<(), partita::Error> {
    // Three impatient, three patient.
    let x = vec![0.0, 1.0, 0.0, 40.0, 55.0, 38.0];
    let items = x.len();
    let prior = Prior::dirichlet(1.0)?;
    let target = Mixture::new(prior, Waiting { x, a: 1.0, b: 1.0 });

    let schedule = Schedule::new(5, 5, 50)?;
    let start = FromPrior { prior, items };
    let mut estimates = Vec::new();
    for replicate in 0..500 {
        let stream = Stream::new(1, replicate);
        let coupling = Nugget::new(Optimal::new(Metric::Hamming, items), 1e-5)?;
        let summary = (Clusters, CoClustering::new(vec![(0, 1), (0, 3)], items)?);
        let mut estimator = Estimator::new(schedule, summary);
        Pair::new(&target, &Gibbs, coupling, schedule.lag())?.run(
            start.draw(&mut stream.sequence(Purpose::StartX, 0)),
            start.draw(&mut stream.sequence(Purpose::StartY, 0)),
            &stream,
            &mut estimator,
        );
        estimates.push(estimator.values().to_vec());
    }
    for (j, name) in ["clusters", "items 0 and 1 together", "items 0 and 3 together"].iter().enumerate() {
        let values: Vec<f64> = estimates.iter().map(|e| e[j]).collect();
        let answer = aggregate::mean(&values).expect("there are estimates");
        println!("{name}: {:.3} ± {:.3}", answer.value, answer.half_width());
    }
    Ok(())
}
