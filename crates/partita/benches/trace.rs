//! The trace of one long chain: seconds it took, then the number of clusters after each sweep.
//!
//! `cargo bench -p partita --bench trace -- DATA.csv PRIOR_SD NOISE_SD ALPHA SWEEPS`; a table of numbers with a
//! line of names. Without arguments a small table is made up. The work of scripts/peers/run.py.

use partita::kernel::Workspace;
use partita::{Gaussian, Gibbs, Kernel, Mixture, Partition, Prior, State, Stream};
use std::error::Error;
use std::fmt::Write as _;
use std::time::Instant;

/// Nanoseconds this thread has been on a processor, where Linux tells it.
fn on_processor() -> Option<f64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// Runs the chain and prints its trace.
pub fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let (text, numbers) = match words.as_slice() {
        [path, rest @ ..] if rest.len() == 4 => {
            let numbers = rest.iter().map(|word| word.parse()).collect::<Result<Vec<f64>, _>>()?;
            (std::fs::read_to_string(path)?, numbers)
        }
        _ => ("x\n-1.1\n-0.9\n-1.0\n1.0\n1.2\n".to_string(), vec![1.0, 0.3, 1.0, 10.0]),
    };
    let dimension = text.lines().next().unwrap_or_default().split(',').count();
    let cells = text.lines().skip(1).flat_map(|line| line.split(','));
    let values = cells.map(|cell| cell.trim().parse()).collect::<Result<Vec<f64>, _>>()?;
    let items = values.len() / dimension;
    let likelihood = Gaussian::isotropic(values, dimension, numbers[0], numbers[1])?;
    let target = Mixture::new(Prior::dirichlet(numbers[2])?, likelihood);
    let mut state = State::new(&target, Partition::one_cluster(items)?);
    let (mut work, stream, mut trace) = (Workspace::new(), Stream::new(1, 0), String::new());
    let (start, on_start) = (Instant::now(), on_processor());
    for t in 1..=numbers[3] as u64 {
        Gibbs.step(&target, &mut state, &mut stream.sweep(t), &mut work);
        write!(trace, "{} ", state.partition().clusters())?;
    }
    let wall = start.elapsed().as_secs_f64();
    let seconds = on_start.and_then(|start| Some((on_processor()? - start) / 1e9)).unwrap_or(wall);
    println!("{seconds}\n{trace}");
    Ok(())
}
