//! Time that passes when a test says so.

use std::time::Duration;

use tokio::time::Instant;

/// The clock of the current runtime, which stands still until it is moved.
///
/// Everything here measures time by it: timeouts, deadlines, waits between attempts, durations in events. It moves by
/// itself only when every task waits for it, and then to the next moment that somebody waits for, so that no test waits
/// for real.
///
/// ```
/// use std::time::Duration;
/// use tinyagents::testkit::FakeClock;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let clock = FakeClock::stop();
/// clock.advance(Duration::from_secs(3600)).await;
/// assert_eq!(clock.elapsed(), Duration::from_secs(3600));
/// # }
/// ```
#[derive(Debug)]
pub struct FakeClock {
    stopped: Instant,
}

impl FakeClock {
    /// Stops the clock for the rest of the runtime's life.
    ///
    /// # Panics
    /// Outside of a runtime of one thread, and where its clock stands still already.
    #[must_use]
    pub fn stop() -> Self {
        tokio::time::pause();
        Self {
            stopped: Instant::now(),
        }
    }

    /// Moves the clock; what was to happen by then happens.
    pub async fn advance(&self, by: Duration) {
        tokio::time::advance(by).await;
    }

    /// How far the clock has moved since it was stopped.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.stopped.elapsed()
    }
}
