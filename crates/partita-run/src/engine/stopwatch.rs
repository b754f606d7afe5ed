//! The time a thread has spent on a processor: wall time as it would be with a processor of its own.

use std::time::Instant;

/// Runs from the moment it is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch {
    wall: Instant,
    thread: Option<f64>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Stopwatch { wall: Instant::now(), thread: on_processor() }
    }

    /// Seconds on a processor; wall time where the system cannot tell.
    pub(crate) fn seconds(&self) -> f64 {
        match (self.thread, on_processor()) {
            (Some(begin), Some(now)) => now - begin,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }

    /// Whether so many seconds on a processor have passed. Asks the system only where wall time says so:
    /// that is quicker, and time on a processor is never more.
    pub(crate) fn has_run(&self, seconds: f64) -> bool {
        self.wall.elapsed().as_secs_f64() >= seconds && self.seconds() >= seconds
    }
}

#[cfg(unix)]
fn on_processor() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(unix))]
fn on_processor() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    #[cfg(unix)]
    fn sleeping_does_not_count() {
        let watch = Stopwatch::start();
        std::thread::sleep(Duration::from_millis(30));
        assert!(watch.wall.elapsed() >= Duration::from_millis(30));
        assert!(watch.seconds() < 0.03 && !watch.has_run(0.03));
        // Work does, whatever else the machine does.
        let mut sum = 0u64;
        while !watch.has_run(0.03) {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(watch.seconds() >= 0.03);
    }
}
