//! What a stored completion is found by.

use serde_json::{Map, Value, json};

/// Where a request says that its completion is to be stored.
const STORE: &str = "store";
/// The field that it is sent in.
pub(super) const NAME: &str = "metadata";

/// Most pairs of one completion, and most characters of a key and of a value:
/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-metadata>.
const MAX_PAIRS: usize = 16;
const MAX_KEY: usize = 64;
const MAX_VALUE: usize = 512;

/// Adds a request's metadata to its fields, as text. The host's own pairs come first.
///
/// Without `store` nothing is added: `OpenAI` refuses metadata then, and other servers may not know of it at all.
pub(super) fn add(fields: &mut Map<String, Value>, metadata: &Map<String, Value>) {
    if metadata.is_empty() || fields.get(STORE) != Some(&Value::Bool(true)) {
        return;
    }
    let sent = fields.entry(NAME).or_insert_with(|| json!({}));
    let Some(pairs) = sent.as_object_mut() else {
        return;
    };
    for (key, value) in metadata {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let fits = key.chars().count() <= MAX_KEY && text.chars().count() <= MAX_VALUE;
        if fits && pairs.len() < MAX_PAIRS {
            pairs.entry(key.clone()).or_insert(Value::String(text));
        }
    }
    if pairs.is_empty() {
        fields.shift_remove(NAME);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(fields: Value, metadata: Value) -> Value {
        let (Value::Object(mut fields), Value::Object(metadata)) = (fields, metadata) else {
            panic!("two objects");
        };
        add(&mut fields, &metadata);
        fields.get(NAME).cloned().unwrap_or_default()
    }

    #[test]
    fn it_is_sent_with_what_is_stored_alone() {
        let metadata = json!({ "tool_formats": { "search": { "type": "xml" } }, "team": "a" });
        for fields in [
            json!({}),
            json!({ "store": false }),
            json!({ "store": "true" }),
        ] {
            assert_eq!(sent(fields, metadata.clone()), Value::Null);
        }
        assert_eq!(
            sent(json!({ "store": true }), metadata),
            json!({ "tool_formats": "{\"search\":{\"type\":\"xml\"}}", "team": "a" })
        );
        assert_eq!(sent(json!({ "store": true }), json!({})), Value::Null);
    }

    #[test]
    fn the_hosts_pairs_stay_and_no_bound_is_passed() {
        let fields = json!({ "store": true, "metadata": { "team": "b" } });
        let metadata = json!({ "team": "a", "long": "x".repeat(513), "y".repeat(65): 1, "most": "x".repeat(512) });
        assert_eq!(
            sent(fields, metadata),
            json!({ "team": "b", "most": "x".repeat(512) })
        );
        let many: Map<String, Value> = (0..20).map(|n| (n.to_string(), json!(n))).collect();
        let sent = sent(json!({ "store": true }), many.into());
        assert_eq!(sent.as_object().map(Map::len), Some(16));
    }

    #[test]
    fn where_nothing_fits_nothing_is_sent() {
        let metadata = json!({ "long": "x".repeat(513) });
        assert_eq!(sent(json!({ "store": true }), metadata), Value::Null);
    }
}
