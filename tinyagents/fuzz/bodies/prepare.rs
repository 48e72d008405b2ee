//! What must hold of any schema that is prepared for a provider.

use serde_json::Value;
use tinyagents::schema::{SchemaTarget, lint, prepare};

/// Prepares a schema for every target and checks what came of it.
pub fn check(data: &[u8]) {
    let Ok(schema) = serde_json::from_slice::<Value>(data) else {
        return;
    };
    let wanted = names(&schema);
    for target in SchemaTarget::ALL {
        let _ = lint(&schema, target);
        let prepared = prepare(&schema, target);
        let findings = lint(&prepared, target);
        assert!(findings.is_empty(), "{target}: {findings:?}\n{prepared}");
        assert_eq!(prepare(&prepared, target), prepared, "{target}");
        assert!(
            names(&prepared) >= wanted,
            "{target} loses an argument\n{prepared}"
        );
    }
}

/// How many arguments there are at the top level.
fn names(schema: &Value) -> usize {
    schema["properties"]
        .as_object()
        .map_or(0, serde_json::Map::len)
}
