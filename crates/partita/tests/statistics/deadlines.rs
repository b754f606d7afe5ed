//! Rules for runs that end in time: a worker's replicate takes a time and has a value; here the two are the same, so slow
//! ones are large.

use crate::{SIGMAS, SplitMix, binomial_error, covers, near};
use partita::aggregate::Moments;
use partita::aggregate::deadline::{Completion, Missing, consistent, unbiased, unbiased_at};

fn work(durations: impl Iterator<Item = f64>, worker: usize) -> impl Iterator<Item = Completion> {
    durations.scan(0.0, move |clock, duration| {
        *clock += duration;
        Some(Completion { worker, at: *clock, value: duration })
    })
}

/// Exponential durations with mean 1, up to and including the first completion after the deadline.
fn exponential_work(rng: &mut SplitMix, workers: usize, deadline: f64) -> Vec<Completion> {
    let mut all = Vec::new();
    for worker in 0..workers {
        for c in work(std::iter::repeat_with(|| rng.exponential()), worker) {
            all.push(c);
            if c.at > deadline {
                break;
            }
        }
    }
    all
}

/// The wrong rule: pool only what is complete at the deadline.
fn wrong(completions: &[Completion], deadline: f64) -> Option<f64> {
    let done = completions.iter().filter(|c| c.at <= deadline).map(|c| c.value);
    Moments::from_iter(done).mean()
}

#[test]
fn deadline_rules_by_hand() {
    let completions =
        [(0, 1.0, 1.0), (1, 2.0, 4.0), (0, 3.0, 2.0), (2, 7.0, 9.0), (0, 6.0, 5.0), (1, 5.5, 6.0)]
            .map(|(worker, at, value)| Completion { worker, at, value });
    // Worker means 1.5, 4, 9: deviations from 29/6 are -20/6, -5/6, 25/6.
    let e = unbiased(&completions, 3, 5.0).unwrap();
    assert!(near(e.value, 29.0 / 6.0, 1e-15));
    assert!(near(e.se, (1050.0_f64 / 36.0 / 6.0).sqrt(), 1e-14));
    // Sums 8, 10, 9 with counts 3, 2, 1: ratio 27/6, residuals -5.5, 1, 4.5, mean count 2.
    let e = consistent(&completions, 3, 5.0).unwrap();
    assert_eq!(e.value, 4.5);
    assert!(near(e.se, (51.5_f64 / 6.0).sqrt() / 2.0, 1e-14));
    // The residuals lean to the left, cubes -166.375 + 1 + 91.125 = -74.25: Student's end on the right, Hall's on the left.
    let (t, a) = (4.302652729749464, -74.25 / 51.5_f64.powf(1.5));
    assert!(near(e.interval.1, 4.5 + t * e.se, 1e-9));
    let end = (4.5 - e.interval.0) / e.se;
    assert!(end > t && near(end + a * end * end / 3.0 + a * a * end * end * end / 27.0 + a / 6.0, t, 1e-9));
    // A completion at the deadline is complete.
    let at_the_deadline = unbiased(&completions, 3, 7.0).unwrap().value;
    assert!(near(at_the_deadline, (8.0 / 3.0 + 5.0 + 9.0) / 3.0, 1e-15));
    assert_eq!(consistent(&completions, 3, 7.0), Err(Missing::InFlight { worker: 0 }));
    assert_eq!(consistent(&completions, 4, 5.0), Err(Missing::First { worker: 3 }));
    assert_eq!(unbiased(&completions, 4, 5.0), Err(Missing::First { worker: 3 }));
    assert_eq!(unbiased(&[], 0, 5.0), Err(Missing::Workers));
    assert_eq!(consistent(&[], 0, 5.0), Err(Missing::Workers));
    // One worker: a value, and no idea of its error.
    assert_eq!(consistent(&completions[..1], 1, 0.5).unwrap().se, f64::INFINITY);
}

#[test]
fn rules_have_the_right_expectation_exactly() {
    // Two workers, durations 1 or 2 with probability 1/2, all 2^10 futures enumerated: expectations without error.
    for deadline in [0.5, 1.0, 1.5, 2.0, 3.2, 4.0] {
        let (mut right, mut pooled, mut sum, mut count) = (0.0, 0.0, 0.0, 0.0);
        for future in 0..1024 {
            let duration = |i: i32| f64::from(1 + ((future >> i) & 1));
            let mut completions: Vec<Completion> = work((0..5).map(duration), 0).collect();
            completions.extend(work((5..10).map(duration), 1));
            right += unbiased(&completions, 2, deadline).unwrap().value / 1024.0;
            pooled += wrong(&completions, deadline).unwrap_or(1.5) / 1024.0;
            let done = completions.iter().filter(|c| c.at <= deadline).count() as f64;
            sum += (done + 2.0) * consistent(&completions, 2, deadline).unwrap().value;
            count += done + 2.0;
        }
        assert!((right - 1.5).abs() < 1e-13, "{deadline}: {right}");
        assert!((sum / count - 1.5).abs() < 1e-13, "{deadline}: Wald's identity, {sum} / {count}");
        assert!(deadline < 1.0 || pooled < 1.5 - 0.01, "{deadline}: pooling is too low, {pooled}");
    }
}

#[test]
fn unbiased_rule_covers_and_pooling_does_not() {
    let (workers, deadline, runs) = (64, 2.0, 4000);
    let mut rng = SplitMix(9);
    let (mut right, mut pooled, mut covered, mut covered_ratio) = (Moments::new(), Moments::new(), 0, 0);
    for _ in 0..runs {
        let completions = exponential_work(&mut rng, workers, deadline);
        let e = unbiased(&completions, workers, deadline).unwrap();
        right.push(e.value);
        covered += usize::from(covers(&e, 1.0));
        covered_ratio += usize::from(covers(&consistent(&completions, workers, deadline).unwrap(), 1.0));
        pooled.push(wrong(&completions, deadline).unwrap());
    }
    let (right, pooled) = (right.estimate().unwrap(), pooled.estimate().unwrap());
    assert!((right.value - 1.0).abs() < SIGMAS * right.se, "{right:?}");
    assert!((pooled.value - 1.0).abs() > 10.0 * pooled.se && pooled.value < 0.9, "{pooled:?}");
    // Skewed workers: the interval allows for that, and covers no less than it says.
    for share in [covered, covered_ratio].map(|c| c as f64 / runs as f64) {
        assert!((0.95 - binomial_error(0.95, runs)..0.98).contains(&share), "{share}");
    }
    // In one large experiment the wrong rule is many of the right rule's standard errors away.
    let completions = exponential_work(&mut rng, 20_000, deadline);
    let e = unbiased_at(&completions, 20_000, deadline, 1.0 - 4e-8).unwrap();
    assert!(covers(&e, 1.0), "{e:?}");
    assert!((wrong(&completions, deadline).unwrap() - 1.0).abs() > 10.0 * e.se);
}

#[test]
fn consistent_rule_approaches_the_truth() {
    // One worker with exponential durations: the residual life is exponential and independent of the number done, so
    // E[(t + residual) / (N + 1)] = (t + 1) (1 - exp(-t)) / t, which tends to 1.
    let mut rng = SplitMix(10);
    for deadline in [1.0_f64, 4.0, 16.0, 64.0, 256.0] {
        let values = (0..4000).map(|_| {
            let completions = exponential_work(&mut rng, 1, deadline);
            consistent(&completions, 1, deadline).unwrap().value
        });
        let e = Moments::from_iter(values).estimate().unwrap();
        let expected = (deadline + 1.0) * (1.0 - (-deadline).exp()) / deadline;
        assert!((e.value - expected).abs() < SIGMAS * e.se, "{deadline}: {e:?} against {expected}");
    }
    // And with the number of workers at a short deadline, where pooling only the complete stays wrong.
    let completions = exponential_work(&mut rng, 50_000, 1.0);
    let e = consistent(&completions, 50_000, 1.0).unwrap();
    assert!((e.value - 1.0).abs() < SIGMAS * e.se && e.se < 0.01, "{e:?}");
    assert!(wrong(&completions, 1.0).unwrap() < 1.0 - 10.0 * e.se);
}
