//! Meeting times, some of them cut: survival curves and the bounds that follow from them.

use crate::{SIGMAS, SplitMix, binomial_error, near};
use partita::aggregate::Moments;
use partita::survival::{KaplanMeier, Observed, tv_bound_of_meetings};
use proptest::prelude::*;

/// Weeks in remission under 6-mercaptopurine (Freireich and others 1963).
fn remission() -> Vec<Observed> {
    let relapsed = [6, 6, 6, 7, 10, 13, 16, 22, 23];
    let censored = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35];
    let seen = |met: bool| move |time: u64| Observed { time, met };
    relapsed.into_iter().map(seen(true)).chain(censored.into_iter().map(seen(false))).collect()
}

#[test]
fn kaplan_meier_of_the_remission_times_is_the_published_one() {
    let curve = KaplanMeier::new(&remission());
    // Time, at risk, relapsed, censored before the next; survival, Greenwood error and log-log interval as printed in
    // textbooks and by statistical packages.
    let published = [
        (6, 21, 3, 1, 0.8571, 0.0764, 0.6197, 0.9516),
        (7, 17, 1, 1, 0.8067, 0.0869, 0.5631, 0.9228),
        (10, 15, 1, 2, 0.7529, 0.0963, 0.5032, 0.8894),
        (13, 12, 1, 0, 0.6902, 0.1068, 0.4316, 0.8491),
        (16, 11, 1, 3, 0.6275, 0.1141, 0.3675, 0.8049),
        (22, 7, 1, 0, 0.5378, 0.1282, 0.2678, 0.7468),
        (23, 6, 1, 5, 0.4482, 0.1346, 0.1881, 0.6801),
    ];
    assert_eq!(curve.steps().len(), published.len());
    for (step, (time, at_risk, events, censored, survival, se, low, high)) in
        curve.steps().iter().zip(published)
    {
        assert_eq!((step.time, step.at_risk, step.events, step.censored), (time, at_risk, events, censored));
        let found = [step.survival, step.se, step.interval.0, step.interval.1];
        for (found, expected) in found.into_iter().zip([survival, se, low, high]) {
            assert!((found - expected).abs() <= 0.51e-4, "{step:?}: {found} is not {expected}");
        }
    }
    assert_eq!((curve.quantile(0.25), curve.quantile(0.5), curve.quantile(0.75)), (Some(13), Some(23), None));
    assert_eq!(curve.survival_at(5), Some(1.0));
    assert_eq!(curve.survival_at(35), Some(curve.last_survival()));
    assert_eq!(curve.survival_at(36), None);
    assert!(!curve.tail_is_known());
    assert_eq!(curve.count(), 21);
}

#[test]
fn intervals_end_with_the_curve() {
    let met = |time| Observed { time, met: true };
    // Survival falls to 0 at once: the exact binomial upper end for 0 of 3.
    let curve = KaplanMeier::new(&[met(4), met(4), met(4)]);
    let step = curve.steps()[0];
    assert_eq!((step.survival, step.se, step.interval.0), (0.0, 0.0, 0.0));
    assert!(near(step.interval.1, 1.0 - 0.025_f64.cbrt(), 1e-14));
    // Later it keeps the upper end of the step before.
    let curve = KaplanMeier::new(&[met(4), met(5), met(6)]);
    assert_eq!(curve.steps()[2].interval, (0.0, curve.steps()[1].interval.1));
    // Only censored ones: no step, and nothing known after the last.
    let curve = KaplanMeier::new(&[Observed { time: 4, met: false }]);
    assert!(curve.steps().is_empty());
    assert_eq!((curve.survival_at(4), curve.survival_at(5), curve.quantile(0.1)), (Some(1.0), None, None));
    assert_eq!((curve.tv_bound(3, 2).value, curve.tv_bound(3, 2).complete), (0.0, false));
    // Nothing seen at all.
    let curve = KaplanMeier::new(&[]);
    assert_eq!(
        (curve.survival_at(0), curve.survival_at(1), curve.sweeps_until(1, 0.5)),
        (Some(1.0), None, None)
    );
    assert!(!curve.tv_bound(1, 0).complete);
}

/// 3 times 3/1000 and once 1/1000 are 0.01, and a little more in floating point.
#[test]
fn a_bound_that_is_reached_on_paper_is_reached() {
    let times = [vec![1; 997], vec![4; 2], vec![5]].concat();
    let curve = KaplanMeier::new(&times.iter().map(|&time| Observed { time, met: true }).collect::<Vec<_>>());
    assert!(curve.tv_bound(1, 0).value > 0.01);
    assert_eq!(curve.sweeps_until(1, 0.01), Some(0));
    assert_eq!(curve.sweeps_until(1, 0.00999), Some(1));
}

#[test]
fn a_censored_tail_is_never_made_up() {
    let curve = KaplanMeier::new(&remission());
    // Weeks 29, 31, 33 and 35 are known, each at the last survival; later ones are not.
    let bound = curve.tv_bound(2, 31);
    assert!(near(bound.value, 2.0 * curve.last_survival(), 1e-14) && !bound.complete);
    let bound = curve.tv_bound(2, 27);
    assert_eq!((bound.value, bound.complete), (1.0, true));
    assert_eq!(curve.sweeps_until(2, 0.9), None);
    assert_eq!(curve.sweeps_until(2, 1.0), Some(0));
}

#[test]
fn greenwood_is_the_error_of_repetitions_and_intervals_cover() {
    // Geometric meetings, S(t) = 0.9^t, cut at random times of their own: S(8) = 0.43.
    let (runs, truth) = (4000, 0.9_f64.powi(8));
    let mut rng = SplitMix(11);
    let geometric = |rng: &mut SplitMix, stay: f64| 1 + (rng.uniform().ln() / stay.ln()) as u64;
    let (mut found, mut errors, mut covered, mut naive) = (Moments::new(), Moments::new(), 0, Moments::new());
    for _ in 0..runs {
        let seen: Vec<Observed> = (0..150)
            .map(|_| {
                let (tau, cut) = (geometric(&mut rng, 0.9), geometric(&mut rng, 0.95));
                Observed { time: tau.min(cut), met: tau <= cut }
            })
            .collect();
        let curve = KaplanMeier::new(&seen);
        let step = curve.steps().iter().rev().find(|s| s.time <= 8).unwrap();
        found.push(step.survival);
        errors.push(step.se);
        covered += usize::from(step.interval.0 <= truth && truth <= step.interval.1);
        let met = seen.iter().filter(|o| o.met);
        naive.push(met.clone().filter(|o| o.time > 8).count() as f64 / met.count() as f64);
    }
    let found_mean = found.estimate().unwrap();
    assert!((found_mean.value - truth).abs() < SIGMAS * found_mean.se, "{found_mean:?}");
    let naive = naive.estimate().unwrap();
    assert!(naive.value < truth - 10.0 * naive.se, "dropping the cut ones is wrong: {naive:?}");
    let ratio = errors.mean().unwrap() / found.variance().unwrap().sqrt();
    assert!((0.93..1.07).contains(&ratio), "{ratio}"); // known to 1.1%
    // The log-log interval is nearly exact at this size: one percent is allowed for that.
    let share = f64::from(covered as u32) / runs as f64;
    assert!((share - 0.95).abs() < binomial_error(0.95, runs) + 0.01, "{share}");
}

/// The bound from the curve, one term after another.
fn tv_bound_term_by_term(curve: &KaplanMeier, lag: u64, t: u64) -> f64 {
    let terms = (1..).map_while(|j| curve.survival_at(t + j * lag).filter(|&s| s > 0.0));
    terms.sum::<f64>().min(1.0)
}

fn observations() -> impl Strategy<Value = Vec<Observed>> {
    let one = (1u64..40, prop::bool::weighted(0.7)).prop_map(|(time, met)| Observed { time, met });
    prop::collection::vec(one, 1..60)
}

proptest! {
    #[test]
    fn survival_forgets_the_order(
        (seen, shuffled) in observations().prop_flat_map(|v| (Just(v.clone()), Just(v).prop_shuffle())),
    ) {
        prop_assert_eq!(KaplanMeier::new(&seen), KaplanMeier::new(&shuffled));
    }

    #[test]
    fn survival_is_the_product_over_times(seen in observations()) {
        let curve = KaplanMeier::new(&seen);
        let last = seen.iter().map(|o| o.time).max().unwrap();
        let mut product = 1.0;
        for t in 0..=last {
            let at_risk = seen.iter().filter(|o| o.time >= t).count() as f64;
            let events = seen.iter().filter(|o| o.met && o.time == t).count() as f64;
            product *= 1.0 - events / at_risk;
            prop_assert!(near(curve.survival_at(t).unwrap(), product, 1e-12));
        }
        prop_assert_eq!(curve.survival_at(last + 1).is_some(), curve.tail_is_known());
        for pair in curve.steps().windows(2) {
            prop_assert_eq!(pair[1].at_risk, pair[0].at_risk - pair[0].events - pair[0].censored);
            prop_assert!(pair[1].survival < pair[0].survival);
        }
        for step in curve.steps() {
            prop_assert!(0.0 <= step.interval.0 && step.interval.0 <= step.survival);
            prop_assert!(step.survival <= step.interval.1 && step.interval.1 <= 1.0);
        }
    }

    #[test]
    fn without_censoring_survival_is_the_empirical_one(taus in prop::collection::vec(1u64..50, 1..60), t in 0u64..60) {
        let curve = KaplanMeier::new(&taus.iter().map(|&time| Observed { time, met: true }).collect::<Vec<_>>());
        let n = taus.len() as f64;
        let later = taus.iter().filter(|&&tau| tau > t).count() as f64;
        prop_assert_eq!(curve.survival_at(t), Some(later / n));
        // Greenwood is then the binomial error.
        if let Some(step) = curve.steps().iter().rev().find(|s| s.time <= t) {
            let p = later / n;
            prop_assert!(near(step.se, (p * (1.0 - p) / n).sqrt(), 1e-12));
        }
        // A quantile is the order statistic.
        let mut sorted = taus.clone();
        sorted.sort_unstable();
        for rank in 1..=taus.len() {
            prop_assert_eq!(curve.quantile(rank as f64 / n), Some(sorted[rank - 1]));
        }
    }

    #[test]
    fn both_forms_of_the_bound_agree(
        taus in prop::collection::vec(1u64..80, 1..60), lag in 1u64..12, t in 0u64..90,
    ) {
        let curve = KaplanMeier::new(&taus.iter().map(|&time| Observed { time, met: true }).collect::<Vec<_>>());
        let bound = curve.tv_bound(lag, t);
        prop_assert!(bound.complete);
        prop_assert!(near(bound.value, tv_bound_of_meetings(&taus, lag, t).unwrap(), 1e-11));
        prop_assert!(near(bound.value, tv_bound_term_by_term(&curve, lag, t), 1e-11));
    }

    #[test]
    fn a_censored_bound_is_the_sum_of_what_is_known(seen in observations(), lag in 1u64..8, t in 0u64..50) {
        let curve = KaplanMeier::new(&seen);
        let bound = curve.tv_bound(lag, t);
        prop_assert!(near(bound.value, tv_bound_term_by_term(&curve, lag, t), 1e-11));
        prop_assert_eq!(bound.complete, curve.tail_is_known() || bound.value == 1.0);
    }

    #[test]
    fn sweeps_until_is_the_first_time_within(seen in observations(), lag in 1u64..8, tv in 0.0..1.1) {
        let curve = KaplanMeier::new(&seen);
        let first = (0..100).find(|&t| {
            let bound = curve.tv_bound(lag, t);
            bound.complete && bound.value <= tv
        });
        prop_assert_eq!(curve.sweeps_until(lag, tv), first);
    }
}
