//! A sub-schema of which only the type is left.

use serde_json::{Map, Value, json};

/// How many lists inside each other keep what their items are.
const MAX_LISTS: usize = 3;

/// Leaves a sub-schema its type and its words.
pub(super) fn open(schema: &mut Map<String, Value>) {
    let words = schema.get("description").cloned();
    let mut opened = opened(schema, MAX_LISTS);
    if let Some(words) = words {
        opened.insert("description".to_owned(), words);
    }
    *schema = opened;
}

fn opened(schema: &Map<String, Value>, lists: usize) -> Map<String, Value> {
    let mut left = Map::new();
    if let Some(ty) = schema.get("type") {
        left.insert("type".to_owned(), ty.clone());
        if let Some(nullable) = schema.get("nullable") {
            left.insert("nullable".to_owned(), nullable.clone());
        }
        if let (Some(Value::Object(items)), Some(lists)) =
            (schema.get("items"), lists.checked_sub(1))
        {
            left.insert("items".to_owned(), Value::Object(opened(items, lists)));
        }
    } else if let Some(Value::Array(branches)) = schema.get("anyOf") {
        // Of several kinds the first is told; the others are still accepted.
        let first = branches
            .iter()
            .filter_map(Value::as_object)
            .find(|branch| branch.get("type").is_none_or(|ty| ty != "null"));
        if let (Some(first), Some(lists)) = (first, lists.checked_sub(1)) {
            return opened(first, lists);
        }
    } else if schema.contains_key("$ref") {
        left.insert("type".to_owned(), json!("object"));
    }
    left
}
