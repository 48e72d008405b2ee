//! What must hold of any schema and any value. The schema is the first line, the value what follows.

use serde_json::Value;
use tinyagents::schema::{MAX_FAULTS, Validator};

/// Compiles a schema and validates a value against it.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let (schema, value) = text.split_once('\n').unwrap_or((text, text));
    let Ok(schema) = serde_json::from_str::<Value>(schema) else {
        return;
    };
    let Ok(validator) = Validator::compile(&schema) else {
        return;
    };
    // A schema is a value as well.
    let value = serde_json::from_str(value).unwrap_or_else(|_| schema.clone());
    let is_valid = validator.is_valid(&value);
    match validator.validate(&value) {
        Ok(()) => assert!(is_valid),
        Err(faults) => {
            assert!(!is_valid && !faults.is_empty() && faults.len() <= MAX_FAULTS);
            for fault in &faults {
                assert!(fault.to_string().chars().count() <= 240, "{fault}");
                assert!(
                    schema.pointer(&fault.schema_path).is_some(),
                    "{}",
                    fault.schema_path
                );
            }
        }
    }
    if let Value::Object(object) = &value {
        let redacted: Vec<&str> = object.keys().map(String::as_str).collect();
        assert_eq!(
            validator.validate_redacted(&value, &redacted).is_ok(),
            is_valid
        );
    }
}
