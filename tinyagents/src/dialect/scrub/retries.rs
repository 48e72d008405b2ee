//! Where a region may begin after others turned out to be none, so that no text is looked at without end.

/// How often a byte is looked at again for another call.
const MAX_RETRIES: u32 = 8;

/// What regions that were none leave behind.
#[derive(Debug, Default)]
pub(super) struct Retries {
    /// Nothing before it opens a region.
    closed_until: usize,
    /// How far such regions have been looked at, and how often.
    looked_at: usize,
    count: u32,
}

impl Retries {
    pub(super) fn allow(&self, place: usize) -> bool {
        place >= self.closed_until
    }

    /// Nothing before this place opens a region.
    pub(super) fn close_until(&mut self, place: usize) {
        self.closed_until = place;
    }

    /// A region that began here was none; so many bytes of it had to be looked at.
    pub(super) fn add(&mut self, start: usize, looked_at: usize) {
        self.count = if start < self.looked_at {
            self.count + 1
        } else {
            1
        };
        self.looked_at = self.looked_at.max(start + looked_at);
        self.closed_until = if self.count > MAX_RETRIES {
            self.looked_at
        } else {
            start + 1
        };
    }

    /// So many bytes at the beginning are gone.
    pub(super) fn forget(&mut self, gone: usize) {
        self.closed_until = self.closed_until.saturating_sub(gone);
        self.looked_at = self.looked_at.saturating_sub(gone);
    }
}
