//! A schema rewritten for one provider.
//!
//! Each step is a module: references are gathered, what is malformed is repaired, the root becomes a plain object, and
//! every sub-schema is fitted to what the provider takes. Depth and size are bounded, so that no schema can make this
//! dear or endless: see [`limits`].

mod arguments;
mod constants;
mod fit;
mod hints;
mod inline;
mod limits;
mod merge;
mod references;
mod repair;
mod root;
mod strict;
mod types;
mod unions;

pub(crate) use types::of_value as type_of;

use serde_json::{Map, Value};

use self::fit::Fitter;
use super::SchemaTarget;
use super::rules::{References, rules};

pub(crate) use self::arguments::ArgumentNames;
pub(super) use self::arguments::is_plain as is_plain_argument;
pub(super) use self::hints::takes_format;
pub(super) use self::limits::MAX_STRICT_LEVELS;
pub(super) use self::types::foreign_keyword;

/// Rewrites a tool's schema into what a provider takes, changing as little as it can.
///
/// Arguments that the declared schema accepts are accepted by the new one too; where a provider can't express a rule, the
/// rule goes and, if it fits into a sentence, is told in the description. So arguments have to be validated against the
/// declared schema, never against this one. What can't be kept that way:
///
/// - Under [`OpenAiStrict`](SchemaTarget::OpenAiStrict) an optional argument becomes a required one that may be `null`,
///   and objects hold declared properties alone.
/// - For [`Anthropic`](SchemaTarget::Anthropic), [`Bedrock`](SchemaTarget::Bedrock) and
///   [`Portable`](SchemaTarget::Portable), arguments whose names the provider refuses are renamed; a run with
///   [`tool_schemas`](crate::RunPolicy::tool_schemas) renames them back.
/// - Where references can't stay, a recursive schema is unrolled twice and then open.
///
/// Every top-level argument stays. Type names of other languages (`dict`, `float`, `String`, `ArrayList` …) become those
/// of JSON, and what is malformed goes. Preparing twice changes nothing more.
///
/// ```
/// use serde_json::json;
/// use tinyagents::schema::{SchemaTarget, lint, prepare};
///
/// let schema = json!({
///     "type": "object",
///     "properties": { "day": { "type": ["integer", "null"], "exclusiveMinimum": 0 } },
///     "additionalProperties": false
/// });
/// let prepared = prepare(&schema, SchemaTarget::Gemini);
/// assert_eq!(prepared, json!({
///     "type": "object",
///     "properties": { "day": { "type": "integer", "nullable": true, "description": "Above 0." } }
/// }));
/// assert!(lint(&prepared, SchemaTarget::Gemini).is_empty());
/// ```
#[must_use]
pub fn prepare(schema: &Value, target: SchemaTarget) -> Value {
    prepare_arguments(schema, target).0
}

/// The same, and which arguments are called otherwise now.
pub(crate) fn prepare_arguments(schema: &Value, target: SchemaTarget) -> (Value, ArgumentNames) {
    let rules = rules(target);
    let mut gathered = references::gather(schema, rules.references != References::Inlined);
    repair::repair(&mut gathered);
    if rules.references == References::Inlined {
        inline::inline(&mut gathered);
    }
    let root = root::flatten(gathered.root, &gathered.definitions, &rules);
    let fitter = Fitter {
        rules: &rules,
        definitions: &gathered.definitions,
    };
    let mut root = fitter.root(root);
    let names = if rules.plain_arguments {
        arguments::rename(&mut root)
    } else {
        ArgumentNames::default()
    };
    let definitions = references::reachable(&root, &gathered.definitions, |definition| {
        fitter.fit(definition, 1)
    });
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    (Value::Object(root), names)
}

/// A schema's references, all of them to `definitions` or to the root.
struct Gathered {
    root: Map<String, Value>,
    definitions: Map<String, Value>,
}
