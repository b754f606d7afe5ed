//! The coupled loop: when chains meet, how it ends, what observers see; and traces of it for tuning.

use partita::aggregate::Moments;
use partita::coupling::{Independent, Optimal};
use partita::partition::Metric;
use partita::summary::{Clusters, TopShares};
use partita::tuning::{Trace, Tracer, appraise, asymptotic_variance, from_traces, relative_variance};
use partita::{
    Ending, Error, Estimator, Gaussian, Gibbs, Mixture, Moment, Observer, Pair, Partition, Prior, Schedule,
    Stop, Stream, Target, Wish,
};

fn target() -> Mixture<Gaussian> {
    let data = Gaussian::isotropic(vec![-1.0, -1.1, 1.0, 1.1, -0.9, 0.8, 0.1], 1, 1.5, 0.6).unwrap();
    Mixture::new(Prior::dirichlet(0.6).unwrap(), data)
}

fn one(items: usize) -> Partition {
    Partition::one_cluster(items).unwrap()
}

/// On a discrete space the lagged states can coincide as soon as both exist: tau = L.
#[test]
fn meeting_is_checked_from_the_lag_on() {
    let single =
        Mixture::new(Prior::dirichlet(1.0).unwrap(), Gaussian::isotropic(vec![0.3], 1, 1.0, 1.0).unwrap());
    for lag in [1, 4] {
        let mut pair = Pair::new(&single, &Gibbs, Independent, lag).unwrap();
        let outcome = pair.run(one(1), one(1), &Stream::new(1, 0), &mut ());
        assert_eq!(outcome.ending, Ending::Met { tau: lag });
        assert_eq!((outcome.sweeps, outcome.kernel_calls), (lag, lag));
    }
}

/// What an observer sees: times one by one, Y from the lag to the meeting and never equal to X.
#[test]
fn observers_see_every_moment() {
    struct Watch {
        next: u64,
        lag: u64,
        apart: Vec<u64>,
    }
    impl<T: Target> Observer<T> for Watch {
        fn observe(&mut self, moment: &Moment<T>) -> Wish {
            assert_eq!(moment.t, self.next);
            self.next += 1;
            assert_eq!(moment.y.is_some(), moment.overlap.is_some());
            if let Some(y) = moment.y {
                assert!(moment.t >= self.lag && y.partition() != moment.x.partition());
                self.apart.push(moment.t);
            }
            if moment.t < 25 { Wish::More } else { Wish::Enough }
        }
    }
    let target = target();
    let mut met_before_the_end = 0;
    for replicate in 0..50 {
        let lag = 1 + replicate % 3;
        let mut watch = Watch { next: 0, lag, apart: Vec::new() };
        let mut pair = Pair::new(&target, &Gibbs, Optimal::new(Metric::Vi, 7), lag).unwrap();
        let outcome =
            pair.run(one(7), Partition::singletons(7).unwrap(), &Stream::new(2, replicate), &mut watch);
        let tau = outcome.ending.tau().unwrap();
        assert_eq!(watch.apart, (lag..tau).collect::<Vec<_>>());
        assert_eq!(outcome.sweeps, tau.max(25));
        met_before_the_end += u64::from(tau < 25);
    }
    assert!(met_before_the_end > 40);
}

#[test]
fn a_cap_censors_and_an_observer_may_stop() {
    struct StopAt(u64);
    impl<T: Target> Observer<T> for StopAt {
        fn observe(&mut self, moment: &Moment<T>) -> Wish {
            if moment.t >= self.0 { Wish::Stop } else { Wish::Enough }
        }
    }
    let target = target();
    let apart = || (one(7), Partition::singletons(7).unwrap());
    let (x, y) = apart();
    let mut pair = Pair::new(&target, &Gibbs, Independent, 2).unwrap().cap(2);
    let outcome = pair.run(x, y, &Stream::new(5, 0), &mut ());
    assert_eq!(outcome.ending, Ending::Censored { after: 2, why: Stop::Cap });
    assert_eq!(outcome.ending.tau(), None);
    let (x, y) = apart();
    let mut pair = Pair::new(&target, &Gibbs, Independent, 2).unwrap();
    let outcome = pair.run(x, y, &Stream::new(5, 0), &mut (StopAt(1), ()));
    assert_eq!(outcome.ending, Ending::Censored { after: 1, why: Stop::Observer });
    assert_eq!(Pair::new(&target, &Gibbs, Independent, 0).err(), Some(Error::LagZero));
}

/// A replicate is a pure function of its address: the same bits again, others elsewhere.
#[test]
fn replicates_are_pure_functions_of_their_address() {
    let target = target();
    let run = |seed, replicate| {
        let mut estimator = Estimator::new(Schedule::new(2, 3, 20).unwrap(), (Clusters, TopShares(2)));
        let mut pair = Pair::new(&target, &Gibbs, Optimal::new(Metric::Hamming, 7), 2).unwrap();
        pair.run(one(7), one(7), &Stream::new(seed, replicate), &mut estimator);
        estimator.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(run(1, 5), run(1, 5));
    assert_ne!(run(1, 5), run(1, 6));
    assert_ne!(run(1, 5), run(2, 5));
}

fn traces(lag: u64, horizon: u64, pairs: u64) -> Vec<Trace> {
    let target = target();
    (0..pairs)
        .map(|replicate| {
            let mut tracer = Tracer::new((Clusters, TopShares(1)), lag, horizon);
            let mut pair = Pair::new(&target, &Gibbs, Independent, lag).unwrap();
            let outcome = pair.run(one(7), one(7), &Stream::new(9, replicate), &mut tracer);
            tracer.into_trace(outcome.ending.tau())
        })
        .collect()
}

/// A trace gives, for any schedule of its lag, the estimate that the estimator makes online.
#[test]
fn traces_reproduce_the_estimator() {
    let target = target();
    for (lag, burn_in, sweeps) in [(1, 0, 5), (3, 2, 9), (3, 8, 8), (7, 4, 30)] {
        let schedule = Schedule::new(lag, burn_in, sweeps).unwrap();
        for (replicate, trace) in traces(lag, 30, 40).iter().enumerate() {
            let mut estimator = Estimator::new(schedule, (Clusters, TopShares(1)));
            let mut pair = Pair::new(&target, &Gibbs, Independent, lag).unwrap();
            let outcome = pair.run(one(7), one(7), &Stream::new(9, replicate as u64), &mut estimator);
            for (a, b) in trace.estimate(&schedule).unwrap().iter().zip(estimator.values()) {
                assert!((a - b).abs() < 1e-12, "{schedule:?}: {a} {b}");
            }
            assert_eq!(trace.tau, outcome.ending.tau());
        }
        assert_eq!(traces(lag, 4, 1)[0].estimate(&Schedule::new(lag, 0, 1000).unwrap()), None);
    }
}

/// The best schedule is not worse than any other candidate, up to the slack.
#[test]
fn the_best_schedule_is_found() {
    let traces = traces(4, 200, 400);
    let candidates: Vec<Schedule> = [(0, 0), (0, 4), (4, 10), (4, 40), (8, 80), (8, 200), (100, 200)]
        .map(|(k, m)| Schedule::new(4, k, m).unwrap())
        .into();
    let best = from_traces(&traces, &candidates, 0.1).unwrap();
    for candidate in &candidates {
        let other = appraise(&traces, candidate).unwrap();
        let better = other.inefficiency().zip(best.inefficiency()).all(|(other, best)| other < best / 1.1);
        assert!(!better, "{candidate:?} beats {:?}", best.schedule);
    }
    // No burn-in and a single state is the worst of them by far.
    let worst = appraise(&traces, &candidates[0]).unwrap();
    assert!(worst.inefficiency().zip(best.inefficiency()).all(|(worst, best)| worst > 3.0 * best));
    assert!(from_traces(&traces, &[Schedule::new(4, 0, 10_000).unwrap()], 0.1).is_none());
}

/// What waits alone tell of the variance of an estimate: more than there is where chains that are apart move freely, and twice
/// the square of the differences that enter, over the window, where they stay as they are.
#[test]
fn waits_tell_how_much_estimates_vary_at_most() {
    let traces = traces(4, 40, 4000);
    let waits: Vec<u64> = traces.iter().map(|trace| trace.tau.unwrap() - 4).collect();
    let ends: Moments = traces.iter().map(|trace| trace.x(40)[0]).collect();
    for (burn_in, sweeps) in [(0, 0), (0, 4), (2, 6), (8, 40)] {
        let schedule = Schedule::new(4, burn_in, sweeps).unwrap();
        let seen = appraise(&traces, &schedule).unwrap().variance[0] / ends.variance().unwrap();
        let told = relative_variance(&schedule, &waits);
        assert!(told > 0.9 * seen, "{schedule:?}: {told}, seen {seen}");
    }
    let (lag, burn_in, sweeps, wait) = (3, 10, 24, 31);
    let starts = (burn_in..=sweeps).map(|start| (start + lag..lag + wait).step_by(3).count() as f64);
    let (window, schedule) = (15.0, Schedule::new(lag, burn_in, sweeps).unwrap());
    let expected = (1.0 + 2.0 * 31.0) / window + 2.0 * (starts.sum::<f64>() / window).powi(2);
    assert!((relative_variance(&schedule, &[wait]) - expected).abs() < 1e-12);
}

/// An autoregression with coefficient r and unit noise has asymptotic variance 1 / (1 - r)^2.
#[test]
fn the_asymptotic_variance_of_an_autoregression() {
    let mut chance = Stream::new(3, 0).sequence(partita::rng::Purpose::Data, 0);
    for (r, expected) in [(0.0, 1.0), (0.5, 4.0), (-0.5, 4.0 / 9.0)] {
        let mut x = 0.0;
        let series: Vec<f64> = (0..200_000)
            .map(|_| {
                x = r * x + chance.normal();
                x
            })
            .collect();
        let found = asymptotic_variance(&series).unwrap();
        assert!((found / expected - 1.0).abs() < 0.2, "{r}: {found}");
    }
    assert_eq!(asymptotic_variance(&[1.0; 15]), None);
}
