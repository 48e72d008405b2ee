//! How many tools one request may hold.

use crate::schema::{Finding, SchemaTarget};

/// Finds that a provider would refuse a request with so many tools. For the sources see
/// [`NameRules::max_tools`](crate::model::NameRules::max_tools).
pub(crate) fn lint_count(tools: usize, target: SchemaTarget) -> Option<Finding> {
    let most = target.max_tools().filter(|most| tools > *most)?;
    let message = format!(
        "{tools} tools are sent at once, where {most} are allowed; let some be found by search (`Deferred`)"
    );
    Some(Finding::refused("", message))
}
