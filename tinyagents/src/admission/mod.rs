//! The ordered steps from a [`ToolCall`](crate::model::ToolCall) to a call that may run.
//!
//! The order is security-critical and is stated where it is enforced, in [`admit`].

mod admit;
mod admitted;
mod advertised;
mod authorize;
mod clearance;
mod coerce;
mod current_call;
mod forged;
mod normalize;
mod nulls;
mod pending;
mod raw_text;
mod recovery;
pub mod relaxed_json;
mod repair;
mod report;
mod requested;
mod resolve;
mod subschema;

pub(crate) use admit::Admission;
pub(crate) use admitted::{Admitted, CallFacts, Departure, ReadyCall};
pub(crate) use advertised::Advertised;
pub(crate) use coerce::{coerce, is_exact};
pub(crate) use current_call::CurrentCall;
#[cfg(feature = "testkit")]
pub(crate) use nulls::drop_refused_nulls;
pub(crate) use pending::Pending;
pub(crate) use report::shown_arguments;
pub(crate) use requested::Requested;
pub(crate) use subschema::{member, resolve as resolve_schema};

use clearance::approve;
use pending::Meant;
