//! A whole declaration: name, description and schema.

use super::lint;
use crate::model::{NameRules, ToolSchema};
use crate::schema::{Finding, SchemaTarget};

/// Finds what a provider would refuse or ignore in a tool's declaration. Paths begin at the declaration: `/name`,
/// `/description`, `/parameters/…`.
#[must_use]
pub fn lint_tool(tool: &ToolSchema, target: SchemaTarget) -> Vec<Finding> {
    let mut findings = Vec::new();
    let takes_name = match target.name_rules() {
        Some(rules) => rules.accepts(&tool.name),
        None => NameRules::ALL.iter().all(|rules| rules.accepts(&tool.name)),
    };
    if !takes_name {
        let message = format!("{target} does not take {:?} as a tool's name", tool.name);
        findings.push(Finding::refused("/name", message));
    }
    let chars = tool.description.chars().count();
    if let Some(most) = target.max_description_chars()
        && chars > most
    {
        let message = format!("has {chars} characters, where {most} are allowed");
        findings.push(Finding::refused("/description", message));
    }
    findings.extend(
        lint(&tool.parameters, target)
            .into_iter()
            .map(|finding| Finding {
                path: format!("/parameters{}", finding.path),
                ..finding
            }),
    );
    findings
}
