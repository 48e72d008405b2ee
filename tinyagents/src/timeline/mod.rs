//! What a run did, and when: as text and as one HTML page.

mod html;
mod recorder;
mod text;
mod trace;
mod view;
mod visible;

pub use view::Timeline;

pub(crate) use recorder::Recorder;
pub(crate) use trace::Trace;
#[cfg(feature = "mcp")]
pub(crate) use visible::visible;
