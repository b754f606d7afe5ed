//! An executor of one's own: replicates run wherever it likes, and the results are the same.
//!
//! Run it with `cargo run -p partita-run --example own_executor`.

use partita_run::Failure;
use partita_run::config::{Options, Task};
use partita_run::engine::{Delivery, Executor, Job, Numbers, Order, Origin, Output};
use partita_run::session::{self, Request};
use std::sync::atomic::AtomicBool;

/// Sends work away in batches of ten, as bytes. Here "away" is the next line; it might be another machine.
struct ByPost;

impl Executor for ByPost {
    fn width(&self) -> usize {
        1
    }

    fn execute(
        &self,
        job: &Job,
        numbers: &Numbers,
        stop: &(dyn Fn() -> bool + Sync),
        give: &mut dyn FnMut(u64, Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let origin = job.chains.origin().expect("a model that was read has an origin").to_bytes();
        loop {
            let batch = numbers.take(10);
            if batch.is_empty() || stop() {
                return Ok(());
            }
            let order = Order { work: job.work.clone(), numbers: batch }.to_bytes();
            // At the other end: the model once, then order after order.
            let model = Origin::from_bytes(&origin)?.model()?;
            let delivery = Order::from_bytes(&order)?.fill(&*model, stop).to_bytes();
            // And back.
            for (number, output) in Delivery::from_bytes(&delivery)?.0 {
                give(number, output)?;
            }
        }
    }
}

/// Runs fifty replicates.
pub fn main() -> Result<(), Failure> {
    let room = std::env::temp_dir().join(format!("partita-own-executor-{}", std::process::id()));
    std::fs::create_dir_all(&room).map_err(|e| Failure::Failed(e.to_string()))?;
    let data = room.join("points.csv");
    let rows = "x,y\n0.1,0.2\n-0.1,0.3\n0.2,-0.1\n4.1,4.0\n3.9,4.2\n4.2,3.8\n";
    std::fs::write(&data, rows).map_err(|e| Failure::Failed(e.to_string()))?;
    let options = Options {
        data: Some(data),
        lag: Some(5),
        burn_in: Some(5),
        sweeps: Some(25),
        replicates: Some(50),
        out: Some(room.join("run")),
        ..Options::default()
    };
    let command = "own_executor".into();
    let request = Request { task: Task::Fit, meetings_only: false, options, force: true, command };
    let outcome = session::start_on(&ByPost, request, &AtomicBool::new(false), &mut ())?;
    let clusters = &outcome.summary.summaries[0];
    println!(
        "{}: {:.3}, from {} replicates by post",
        clusters.name, clusters.mean, outcome.summary.replicates
    );
    let _ = std::fs::remove_dir_all(&room);
    Ok(())
}
