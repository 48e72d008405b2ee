//! Running admitted calls and answering every one of them.

mod assembly;
mod batch;
mod bounds;
mod dispatcher;
pub(crate) mod execute;
mod exposure;
mod failure;
mod ids;
mod limits;
mod neighbours;
mod results;
mod resume;
mod settle;
mod structured;
mod trace;
mod turn;
mod wrapped;

pub use batch::Batch;
pub use dispatcher::Dispatcher;
pub use turn::Turn;

pub(crate) use limits::RunMeter;
