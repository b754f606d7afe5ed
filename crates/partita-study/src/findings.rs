//! What a study found: measurements by name, and what they say about the paper's claims.

use super::ArmResults;
use super::definition::Claim;
use super::losses::{Loss, mean_and_error};
use serde::Serialize;

/// A number with a name that claims can refer to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measurement {
    /// Its name, such as `naive rmse top:1 @ 2750`.
    pub name: String,
    /// The number.
    pub value: f64,
    /// Its standard error, if known.
    pub se: Option<f64>,
}

/// What a measurement says about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ruling {
    /// The measurement is in the band.
    Confirmed,
    /// It is not.
    NotConfirmed,
    /// This scale has too few estimates to tell.
    Undecided,
}

impl std::fmt::Display for Ruling {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Ruling::Confirmed => "confirmed",
            Ruling::NotConfirmed => "not confirmed",
            Ruling::Undecided => "undecided at this scale",
        })
    }
}

/// A claim with what was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The claim and its band.
    pub claim: Claim,
    /// What was measured: a measurement, or the ratio of two.
    pub measured: Option<f64>,
    /// Its standard error, if known.
    pub se: Option<f64>,
    /// Confirmed or not.
    pub ruling: Ruling,
}

impl Verdict {
    /// The band in words: `at least 2`, `0.9 to 1`.
    pub fn band(&self) -> String {
        let claim = &self.claim;
        let slack = if claim.slack > 0.0 { format!(" (± {} s.e.)", claim.slack) } else { String::new() };
        let band = match (claim.at_least, claim.at_most) {
            (Some(low), Some(high)) => format!("{low} to {high}"),
            (Some(low), None) => format!("at least {low}"),
            (None, Some(high)) => format!("at most {high}"),
            (None, None) => "anything".into(),
        };
        band + &slack
    }

    /// What was measured, in words.
    pub fn what(&self) -> String {
        match &self.claim.over {
            Some(over) => format!("{} / {over}", self.claim.measure),
            None => self.claim.measure.clone(),
        }
    }
}

/// Judges a claim by the measurements.
pub(super) fn judge(claim: &Claim, all: &[Measurement], most: Option<u64>) -> Verdict {
    let find = |name: &str| {
        let name = match (name.strip_suffix("@ most"), most) {
            (Some(stem), Some(most)) => format!("{stem}@ {most}"),
            _ => name.to_string(),
        };
        all.iter().find(|m| m.name == name)
    };
    let (measured, se) = match (find(&claim.measure), &claim.over) {
        (None, _) => (None, None),
        (Some(one), None) => (Some(one.value), one.se),
        (Some(one), Some(over)) => match find(over) {
            None => (None, None),
            Some(other) => {
                let ratio = one.value / other.value;
                let relative = |m: &Measurement| m.se.map(|se| (se / m.value).powi(2));
                let se = relative(one).zip(relative(other)).map(|(a, b)| ratio.abs() * (a + b).sqrt());
                (Some(ratio), se)
            }
        },
    };
    let room = claim.slack * se.unwrap_or(0.0);
    let ruling = match measured.filter(|m| !m.is_nan()) {
        None => Ruling::Undecided,
        Some(m) if claim.at_least.is_some_and(|low| m < low - room) => Ruling::NotConfirmed,
        Some(m) if claim.at_most.is_some_and(|high| m > high + room) => Ruling::NotConfirmed,
        Some(_) => Ruling::Confirmed,
    };
    Verdict { claim: claim.clone(), measured, se, ruling }
}

/// All measurements of an arm, named.
pub(super) fn measurements(arm: &ArmResults) -> Vec<Measurement> {
    let mut out = Vec::new();
    let prefix = arm.arm.prefix();
    let mut push = |name: String, value: f64, se: Option<f64>| {
        let name = format!("{prefix}{name}");
        out.push(Measurement { name, value, se: se.filter(|se| se.is_finite()) });
    };
    for summary in &arm.summaries {
        let name = &summary.name;
        push(format!("truth {name}"), summary.truth.value, Some(summary.truth.se));
        push(format!("truth relative error {name}"), summary.truth.se / summary.truth.value.abs(), None);
        for (kind, estimate) in [("coupled", summary.coupled_mean), ("naive", summary.naive_mean)] {
            let (mean, se) = estimate;
            let truth = summary.truth.value;
            push(format!("{kind} mean {name}"), mean, Some(se));
            push(format!("{kind} bias {name}"), (mean - truth).abs() / truth.abs(), Some(se / truth.abs()));
            let total = (se * se + summary.truth.se * summary.truth.se).sqrt();
            push(format!("{kind} z {name}"), (mean - truth).abs() / total, None);
        }
        let kinds: [(&str, &[Loss]); 4] = [
            ("coupled", &summary.coupled),
            ("trimmed", &summary.trimmed),
            ("naive", &summary.naive),
            ("naive trimmed", &summary.naive_trimmed),
        ];
        for (kind, losses) in kinds {
            for loss in losses {
                let at = format!("{name} @ {}", loss.processes);
                push(format!("{kind} loss {at}"), loss.median, None);
                push(format!("{kind} rmse {at}"), loss.rmse, Some(loss.rmse_se));
                if !kind.contains("trimmed") {
                    let p = loss.coverage;
                    let se = (p * (1.0 - p) / loss.batches as f64).sqrt();
                    // Of no batch or of all: the binomial error of one more.
                    let least = 1.0 / loss.batches as f64;
                    push(format!("{kind} coverage {at}"), p, Some(se.max(least)));
                }
            }
        }
        for (amount, loss) in &summary.trims {
            push(format!("trim {amount} rmse {name} @ {}", loss.processes), loss.rmse, Some(loss.rmse_se));
        }
    }
    if let Some(both) = &arm.both {
        let n = both.len() as f64;
        push("estimates".into(), n, None);
        push("meeting mean".into(), both.tau.iter().sum::<u64>() as f64 / both.tau.len() as f64, None);
        push("meeting largest".into(), both.tau.iter().max().map_or(f64::NAN, |t| *t as f64), None);
        push("unmet".into(), 1.0 - both.tau.len() as f64 / n, None);
        push("kernel calls an estimate".into(), both.kernel_calls as f64 / n, None);
        push("naive sweeps".into(), both.naive_sweeps.iter().sum::<f64>() / n, None);
        push("seconds an estimate".into(), both.seconds / n, None);
    }
    for met in &arm.met {
        let n = met.observed.len() as f64;
        let p = met.unmet();
        push(format!("{} unmet", met.name), p, Some((p * (1.0 - p) / n).sqrt()));
        let times: Vec<f64> = met.observed.iter().map(|o| o.time as f64).collect();
        let (mean, se) = mean_and_error(&times);
        push(format!("{} meeting mean", met.name), mean, Some(se));
        for (word, q) in [("median", 0.5), ("q90", 0.9), ("q99", 0.99)] {
            let value = met.curve.quantile(q).map_or(f64::INFINITY, |t| t as f64);
            push(format!("{} meeting {word}", met.name), value, None);
        }
        if !met.distances.is_empty() {
            let mean = met.distances.iter().map(|d| d[4]).sum::<f64>() / met.distances.len() as f64;
            push(format!("{} mean distance", met.name), mean, None);
            for d in met.distances.iter().filter(|d| [1.0, 10.0, 50.0, 100.0].contains(&d[0])) {
                push(format!("{} median distance @ {}", met.name, d[0]), d[2], None);
                push(format!("{} mean distance @ {}", met.name, d[0]), d[4], None);
            }
        }
    }
    for pair in arm.met.windows(2) {
        // The largest gap between two survival curves, and what chance alone would make of it.
        let (a, b) = (&pair[0], &pair[1]);
        let times = a.curve.steps().iter().chain(b.curve.steps()).map(|s| s.time);
        let gap = times
            .filter_map(|t| Some((a.curve.survival_at(t)? - b.curve.survival_at(t)?).abs()))
            .fold(0.0, f64::max);
        let n = a.observed.len() as f64;
        push(format!("{} against {} gap", a.name, b.name), gap, Some((1.0 / (2.0 * n)).sqrt()));
    }
    if let Some(density) = &arm.density {
        push("density distance".into(), density.distance, None);
        push("density largest error".into(), density.largest_error, None);
        push("density mass".into(), density.mass, None);
    }
    if let Some(found) = &arm.outliers {
        for [j, mean, trimmed, theory] in &found.rmse {
            push(format!("mean rmse @ {j}"), *mean, None);
            push(format!("trimmed rmse @ {j}"), *trimmed, None);
            push(format!("theory rmse @ {j}"), *theory, None);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(text: &str) -> Claim {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn claims_are_judged_by_their_band() {
        let m = |name: &str, value, se| Measurement { name: name.into(), value, se };
        let all = [m("a @ 100", 0.92, Some(0.02)), m("b", 0.46, Some(0.01)), m("c", f64::NAN, None)];
        let ruling = |text: &str| judge(&claim(text), &all, Some(100)).ruling;
        assert_eq!(ruling("claim='x'\nmeasure='a @ 100'\nat_least=0.95"), Ruling::NotConfirmed);
        assert_eq!(ruling("claim='x'\nmeasure='a @ most'\nat_least=0.95\nslack=2"), Ruling::Confirmed);
        assert_eq!(ruling("claim='x'\nmeasure='a @ most'\nover='b'\nat_most=2.0"), Ruling::Confirmed);
        assert_eq!(ruling("claim='x'\nmeasure='a @ most'\nover='b'\nat_most=1.9"), Ruling::NotConfirmed);
        assert_eq!(ruling("claim='x'\nmeasure='a @ 2750'\nat_most=1.9"), Ruling::Undecided);
        assert_eq!(ruling("claim='x'\nmeasure='c'\nat_most=1.9"), Ruling::Undecided);
    }
}
