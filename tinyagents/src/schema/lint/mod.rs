//! What a provider would refuse or ignore.

mod count;
mod limits;
mod node;
mod root;
mod tool;

use serde_json::{Map, Value};

use super::children;
use super::rules::{Rules, rules};
use super::{Finding, SchemaTarget};

pub(crate) use self::count::lint_count;
pub use self::tool::lint_tool;

/// Most findings of one schema; the rest would only repeat them.
const MAX_FINDINGS: usize = 200;

/// How deep a schema is read. What is deeper is a finding of its own.
const MAX_DEPTH: usize = 128;

/// Finds what a provider would refuse or ignore in a tool's schema.
///
/// The rules come from the providers' documents and from the texts of their errors; each is named where it is written
/// down, in `rules.rs` and at the checks. A rule that is known only from old errors is kept: following it costs little.
/// At most 200 findings, in the order of the schema.
///
/// ```
/// use serde_json::json;
/// use tinyagents::schema::{SchemaTarget, lint};
///
/// let schema = json!({ "type": "object", "properties": { "ids": { "type": "array" } } });
/// let findings = lint(&schema, SchemaTarget::OpenAi);
/// assert_eq!(
///     findings[0].to_string(),
///     "#/properties/ids: refused: an array must say what its items are; add `items`"
/// );
/// assert!(lint(&schema, SchemaTarget::Anthropic).is_empty());
/// ```
#[must_use]
pub fn lint(schema: &Value, target: SchemaTarget) -> Vec<Finding> {
    let rules = rules(target);
    let mut linter = Linter {
        target,
        rules: &rules,
        root: schema,
        findings: Vec::new(),
    };
    if let Some(object) = linter.check_root(schema) {
        linter.walk(object, "", MAX_DEPTH);
        if rules.strict {
            linter.check_limits(object);
        }
    }
    linter.findings
}

/// One reading of one schema.
struct Linter<'a> {
    target: SchemaTarget,
    rules: &'a Rules,
    root: &'a Value,
    findings: Vec<Finding>,
}

impl<'a> Linter<'a> {
    fn refused(&mut self, path: &str, message: impl Into<String>) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Finding::refused(path, message));
        }
    }

    fn ignored(&mut self, path: &str, message: impl Into<String>) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Finding::ignored(path, message));
        }
    }

    /// Checks an object and everything in it.
    fn walk(&mut self, schema: &'a Map<String, Value>, path: &str, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            self.refused(path, "the schema is nested too deep; flatten it");
            return;
        };
        self.check_node(schema, path);
        children::for_each(schema, |step| {
            if self.findings.len() >= MAX_FINDINGS || !self.is_looked_into(step.keyword) {
                return;
            }
            let path = step.pointer(path);
            match step.schema {
                Value::Object(schema) => self.walk(schema, &path, depth),
                Value::Bool(_) => self.check_boolean(step.keyword, &path),
                // Reported where the keyword's value is looked at.
                _ => {}
            }
        });
    }

    /// A keyword that is refused as a whole is one finding, whatever is inside.
    fn is_looked_into(&self, keyword: &str) -> bool {
        self.rules.takes(keyword)
    }
}
