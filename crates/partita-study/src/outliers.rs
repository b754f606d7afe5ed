//! The example of the trimming appendix: draws from a mixture with outliers, averaged plainly and trimmed.

use super::Workbench;
use super::definition::Outliers;
use super::losses::Aggregate;
use partita::Stream;
use partita::aggregate::quantile;
use partita::chance::Chance;
use partita::rng::Purpose;
use partita_run::engine::Streams;

/// The errors of the two aggregates for each number of draws.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// J, root mean squared error of the mean, of the trimmed mean, and what theory says of the mean.
    pub(super) rmse: Vec<[f64; 4]>,
    /// Minimum, quartiles and maximum of the mean and of the trimmed mean at one J.
    pub(super) boxes: [[f64; 5]; 2],
}

/// Draws the aggregates.
pub(super) fn outliers(wanted: &Outliers, bench: &Workbench) -> Found {
    let aggregates = bench.scaled(wanted.aggregates, 40);
    let side = (1.0 - wanted.middle) / 2.0;
    // The paper's alpha is what is cut on each side; ours is the total.
    let trim = Aggregate::Trimmed(2.0 * wanted.trim_factor * side);
    let mut found = Found::default();
    let run = |processes: u64, number: u64| -> [f64; 2] {
        let mut chance =
            Stream::new(bench.seed, Streams::OUTLIERS | number).sequence(Purpose::Data, processes);
        let draws: Vec<f64> = (0..processes)
            .map(|_| {
                let center =
                    [0.0, -wanted.mu, wanted.mu][chance.pick([wanted.middle, side, side].into_iter())];
                center + chance.normal()
            })
            .collect();
        [Aggregate::Mean.of(&draws), trim.of(&draws)]
    };
    for &processes in &wanted.processes {
        let all: Vec<[f64; 2]> = (0..aggregates).map(|number| run(processes, number)).collect();
        let rmse = |i: usize| (all.iter().map(|a| a[i] * a[i]).sum::<f64>() / all.len() as f64).sqrt();
        let theory = ((1.0 + (1.0 - wanted.middle) * wanted.mu * wanted.mu) / processes as f64).sqrt();
        found.rmse.push([processes as f64, rmse(0), rmse(1), theory]);
        if processes == wanted.boxes_at {
            found.boxes = [0, 1].map(|i| {
                let mut one: Vec<f64> = all.iter().map(|a| a[i]).collect();
                one.sort_by(f64::total_cmp);
                [0.0, 0.25, 0.5, 0.75, 1.0].map(|q| quantile(&one, q).unwrap_or(f64::NAN))
            });
        }
    }
    found
}
