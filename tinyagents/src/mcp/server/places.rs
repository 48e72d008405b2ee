//! How much clients can have under way.

use rmcp::ErrorData;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Calls of one session that have no answer yet; a further one is refused.
const MOST_CALLS: usize = 256;
/// Other requests of one session, which may have to wait for a toolset or, where it listens, for news.
const MOST_OTHERS: usize = 256;
/// Calls of all clients. Over HTTP twice as many as there are connections: a client that has left may leave its call
/// behind, and next time it comes with another session, or with none.
const MOST_CALLS_OF_ALL: usize = 2_048;

/// The places of one session. A request that finds none is answered at once, so that what the client says besides, such
/// as a cancellation, is always read.
pub(super) struct SessionPlaces {
    calls: Semaphore,
    others: Semaphore,
}

/// The places of all sessions together.
pub(super) struct ServerPlaces(Semaphore);

/// One call's place in its session and its server, until it is answered.
pub(super) type CallPlace<'a> = [SemaphorePermit<'a>; 2];

impl SessionPlaces {
    pub(super) fn new() -> Self {
        Self {
            calls: Semaphore::new(MOST_CALLS),
            others: Semaphore::new(MOST_OTHERS),
        }
    }

    /// A place for a call; none where the session or the server has too many.
    pub(super) fn for_call<'a>(&'a self, server: &'a ServerPlaces) -> Option<CallPlace<'a>> {
        Some([self.calls.try_acquire().ok()?, server.0.try_acquire().ok()?])
    }

    /// A place for any other request.
    pub(super) fn for_other(&self) -> Result<SemaphorePermit<'_>, ErrorData> {
        self.others.try_acquire().map_err(|_| {
            let text =
                "too many requests of this session have no answer yet; ask again when some have one";
            ErrorData::internal_error(text, None)
        })
    }
}

impl ServerPlaces {
    pub(super) fn new() -> Self {
        Self(Semaphore::new(MOST_CALLS_OF_ALL))
    }
}
