//! Asking again.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::model::ModelError;

/// When a request is made again, and after how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retry {
    pub(super) max_retries: u32,
    /// Wait before the first repetition where the endpoint asks for none; doubled for each further one.
    pub(super) base_delay: Duration,
    /// Longest wait. An endpoint that asks for a longer one is not waited for.
    pub(super) max_delay: Duration,
}

impl Retry {
    /// Makes attempts until one succeeds, fails for good, or no further one has time.
    pub(super) async fn run<T, F: Future<Output = Result<T, ModelError>>>(
        &self,
        deadline: Instant,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, ModelError> {
        let started = Instant::now();
        let mut made = 0;
        loop {
            let Ok(outcome) = timeout_at(deadline, attempt()).await else {
                return Err(ModelError::TimedOut(started.elapsed()));
            };
            let error = match outcome {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let wait = match &error {
                ModelError::Unavailable { retry_after, .. }
                | ModelError::RateLimited { retry_after, .. } => {
                    retry_after.unwrap_or_else(|| self.backoff(made))
                }
                _ => return Err(error),
            };
            let has_time = Instant::now()
                .checked_add(wait)
                .is_some_and(|then| then < deadline);
            if made >= self.max_retries || wait > self.max_delay || !has_time {
                return Err(error);
            }
            sleep(wait).await;
            made += 1;
        }
    }

    /// The wait after so many repetitions, less up to a quarter of it, so that many clients don't return at once.
    fn backoff(&self, made: u32) -> Duration {
        let doubled = self.base_delay.saturating_mul(2_u32.saturating_pow(made));
        let part = RandomState::new().hash_one(made) % 256;
        let most = doubled.min(self.max_delay);
        most.mul_f64(1.0 - f64::from(u8::try_from(part).unwrap_or_default()) / 1_024.0)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const RETRY: Retry = Retry {
        max_retries: 2,
        base_delay: Duration::from_secs(1),
        max_delay: Duration::from_mins(1),
    };

    fn unavailable(retry_after: Option<u64>) -> ModelError {
        ModelError::Unavailable {
            source: anyhow::anyhow!("down"),
            retry_after: retry_after.map(Duration::from_secs),
        }
    }

    /// How often was asked, how many seconds it took, and what came of it.
    async fn run(
        seconds: u64,
        outcome: impl Fn(u32) -> Result<&'static str, ModelError>,
    ) -> (u32, f64, Result<&'static str, ModelError>) {
        let asked = Cell::new(0);
        let started = Instant::now();
        let answer = RETRY
            .run(started + Duration::from_secs(seconds), || {
                asked.set(asked.get() + 1);
                let outcome = outcome(asked.get());
                async { outcome }
            })
            .await;
        (asked.get(), started.elapsed().as_secs_f64(), answer)
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_be_mended_is_asked_again_with_growing_waits() {
        let (asked, seconds, answer) = run(600, |asked| match asked {
            3 => Ok("yes"),
            _ => Err(unavailable(None)),
        })
        .await;
        assert_eq!((asked, answer.unwrap()), (3, "yes"));
        assert!((2.2..=3.1).contains(&seconds), "{seconds}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_endpoint_says_how_long_to_wait() {
        let (asked, seconds, answer) = run(600, |_| Err(unavailable(Some(20)))).await;
        assert!(matches!(answer, Err(ModelError::Unavailable { .. })));
        assert_eq!(asked, 3);
        assert!((40.0..40.1).contains(&seconds), "{seconds}");
    }

    #[tokio::test(start_paused = true)]
    async fn no_wait_goes_beyond_the_deadline_or_the_longest_wait() {
        for (deadline, wait) in [(10, 30), (600, 61), (600, u64::MAX)] {
            let (asked, seconds, answer) = run(deadline, |_| Err(unavailable(Some(wait)))).await;
            assert!(matches!(answer, Err(ModelError::Unavailable { .. })));
            assert_eq!(asked, 1);
            assert!(seconds < 0.1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_no_retry_can_mend_is_told_at_once() {
        let (asked, _, answer) = run(600, |_| Err(ModelError::Refused("no".into()))).await;
        assert_eq!(asked, 1);
        assert!(matches!(answer, Err(ModelError::Refused(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_ends_at_the_deadline() {
        let deadline = Instant::now() + Duration::from_secs(9);
        let outcome: Result<(), ModelError> = RETRY.run(deadline, std::future::pending).await;
        assert!(matches!(outcome, Err(ModelError::TimedOut(after)) if after.as_secs() == 9));
    }
}
