//! The root: a plain object, whatever it was made of.

use serde_json::{Map, Value, json};

use super::limits::MAX_HOPS;
use super::{merge, references};
use crate::schema::rules::{Keywords, Rules};

/// Follows a reference at the root, and takes apart the combinations that the provider doesn't take there.
pub(super) fn flatten(
    mut root: Map<String, Value>,
    definitions: &Map<String, Value>,
    rules: &Rules,
) -> Map<String, Value> {
    let is_refused = |keyword: &str| {
        rules.root_never.contains(&keyword)
            || rules.root_keywords.is_some()
            || matches!(rules.keywords, Keywords::Only(_))
    };
    for _ in 0..MAX_HOPS {
        if let Some(Value::String(reference)) = root.shift_remove("$ref") {
            if let Some(Value::Object(target)) = references::target(&reference, definitions) {
                merge::first_wins(&mut root, target.clone());
            }
        } else if root.contains_key("allOf") && is_refused("allOf") {
            merge::merge_all_of(&mut root, definitions);
        } else if let Some(keyword) = ["anyOf", "oneOf"]
            .into_iter()
            .find(|keyword| root.contains_key(*keyword) && is_refused(keyword))
        {
            merge::merge_union(&mut root, keyword, definitions);
        } else {
            break;
        }
    }
    let mut flat = Map::new();
    flat.insert("type".to_owned(), json!("object"));
    for (keyword, value) in root {
        // No list of values is about arguments.
        let is_list = matches!(rules.keywords, Keywords::Only(_))
            && ["enum", "const"].contains(&keyword.as_str());
        let is_taken = !is_list
            && rules
                .root_keywords
                .is_none_or(|known| known.contains(&keyword.as_str()));
        if is_taken && !rules.root_never.contains(&keyword.as_str()) && keyword != "type" {
            flat.insert(keyword, value);
        }
    }
    if rules.needs_root_properties && !flat.contains_key("properties") {
        flat.insert("properties".to_owned(), json!({}));
    }
    flat
}
