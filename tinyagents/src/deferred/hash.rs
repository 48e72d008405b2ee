//! Hashes of JSON that don't depend on the order of properties.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// SHA-256 over the JSON with sorted keys (RFC 8785), in lower-case hexadecimal.
pub(crate) fn hash_json(value: &Value) -> String {
    hash_bytes(canonical(value).to_string().as_bytes())
}

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn hash_bytes(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let mut text = String::with_capacity(64);
    for byte in digest {
        // Writing to a `String` can't fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The same value with the properties of every object sorted by their UTF-16 code units.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut names: Vec<&String> = object.keys().collect();
            names.sort_by(|left, right| left.encode_utf16().cmp(right.encode_utf16()));
            let sorted: Map<String, Value> = names
                .into_iter()
                .map(|name| (name.clone(), canonical(&object[name])))
                .collect();
            Value::Object(sorted)
        }
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Number(number) => integral(number).map_or_else(|| value.clone(), Value::from),
        _ => value.clone(),
    }
}

/// `3.0` and `3` are one number.
fn integral(number: &serde_json::Number) -> Option<i64> {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number.is_f64().then(|| number.as_f64()).flatten()?;
    #[expect(clippy::cast_possible_truncation, reason = "integral and within ±2^53")]
    (float.fract() == 0.0 && float.abs() <= LARGEST_EXACT).then_some(float as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_properties_does_not_matter() {
        let left = json!({ "a": 1, "b": { "c": [1, 2], "d": null } });
        let right: Value = serde_json::from_str(r#"{"b":{"d":null,"c":[1,2]},"a":1.0}"#).unwrap();
        assert_eq!(hash_json(&left), hash_json(&right));
        assert_ne!(hash_json(&left), hash_json(&json!({ "a": 2 })));
    }

    #[test]
    fn the_hash_is_sha_256() {
        assert_eq!(
            hash_json(&json!({})),
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
    }
}
