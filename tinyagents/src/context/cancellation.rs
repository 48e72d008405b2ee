//! A token that is asked at every call.

use std::fmt;
use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// A token with a flag beside it: to ask the token itself is to lock it, which costs each call more than its tool may.
#[derive(Clone)]
pub(super) struct Cancellation {
    token: CancellationToken,
    watch: Arc<Watch>,
}

/// Waits for the token, for as long as somebody may ask. Clones of a context share it.
struct Watch {
    is_woken: Arc<Woken>,
    _waiter: Pin<Box<WaitForCancellationFutureOwned>>,
}

/// Set by whoever cancels the token first, before that returns. A moment passes between the two; whoever asks then is told
/// what was before.
#[derive(Default)]
struct Woken(AtomicBool);

impl Cancellation {
    /// Watches a token.
    pub(super) fn new(token: CancellationToken) -> Self {
        let is_woken = Arc::new(Woken::default());
        let mut waiter = Box::pin(token.clone().cancelled_owned());
        let waker = Waker::from(Arc::clone(&is_woken));
        if waiter
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_ready()
        {
            is_woken.set();
        }
        let watch = Arc::new(Watch {
            is_woken,
            _waiter: waiter,
        });
        Self { token, watch }
    }

    /// The token itself.
    pub(super) fn token(&self) -> &CancellationToken {
        &self.token
    }

    pub(super) fn cancel(&self) {
        self.token.cancel();
        self.watch.is_woken.set();
    }

    /// A wake-up is a hint; the token knows.
    #[inline]
    pub(super) fn is_cancelled(&self) -> bool {
        self.watch.is_woken.0.load(Ordering::Acquire) && self.token.is_cancelled()
    }

    /// Whoever has waited is told no other thing after that, even if the one who cancels has still to set the flag.
    pub(super) async fn cancelled(&self) {
        self.token.cancelled().await;
        self.watch.is_woken.set();
    }
}

impl Woken {
    fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.set();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.set();
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.token.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_the_token_says() {
        let host = CancellationToken::new();
        let watched = Cancellation::new(host.child_token());
        let clone = watched.clone();
        assert!(!watched.is_cancelled());
        drop(watched);
        host.cancel();
        assert!(clone.is_cancelled() && clone.token().is_cancelled());
        assert!(Cancellation::new(host).is_cancelled());
    }

    #[test]
    fn cancelling_it_cancels_the_token_and_not_its_parent() {
        let host = CancellationToken::new();
        let watched = Cancellation::new(host.child_token());
        watched.cancel();
        assert!(watched.is_cancelled() && watched.token().is_cancelled());
        assert!(!host.is_cancelled());
    }

    #[tokio::test]
    async fn who_has_waited_for_the_end_is_told_of_it() {
        let mut late = Cancellation::new(CancellationToken::new());
        // As long as nobody has set it, as between a cancellation and its wake-ups.
        late.watch = Cancellation::new(CancellationToken::new()).watch;
        late.token.cancel();
        late.cancelled().await;
        assert!(late.is_cancelled());
    }

    #[test]
    fn a_thread_that_cancels_is_seen_when_it_is_done() {
        for _ in 0..200 {
            let host = CancellationToken::new();
            let watched: Vec<Cancellation> = (0..40)
                .map(|_| Cancellation::new(host.child_token()))
                .collect();
            std::thread::scope(|scope| {
                scope.spawn(|| host.cancel());
                scope.spawn(|| watched.iter().filter(|one| one.is_cancelled()).count());
            });
            assert!(watched.iter().all(Cancellation::is_cancelled));
        }
    }

    #[test]
    fn many_watches_come_and_go_without_a_trace() {
        let host = CancellationToken::new();
        let woken: Vec<_> = (0..1000)
            .map(|_| Arc::downgrade(&Cancellation::new(host.child_token()).watch.is_woken))
            .collect();
        assert!(woken.iter().all(|one| one.strong_count() == 0));
    }
}
