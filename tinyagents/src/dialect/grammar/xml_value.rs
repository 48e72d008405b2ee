//! What the fields of a tag stand for under the tool's schema.

use serde_json::{Map, Value};

use super::xml_fields::{Ended, Field, Fields};
use super::xml_tag::content;
use crate::dialect::kinds::{self, Kinds};
use crate::dialect::literal;
use crate::dialect::meant::Meant;
use crate::dialect::properties::properties;

/// Deepest nesting of objects in tags; deeper ones are text.
const MAX_DEPTH: usize = 16;

/// Whether a schema lets an argument of this name be.
pub(super) fn is_known(root: &Value, key: &str) -> bool {
    let Some(object) = kinds::resolve(root, root) else {
        return true;
    };
    let all = properties(root, object);
    let is_open = object.get("additionalProperties") != Some(&Value::Bool(false));
    all.iter().any(|property| property.name == key) || all.is_empty() && is_open
}

/// The arguments that the fields of a tool's tag stand for.
pub(super) fn arguments(
    root: &Value,
    fields: &[Field],
    text: &str,
) -> Result<Map<String, Value>, String> {
    object(root, root, fields, text, MAX_DEPTH)
}

fn object(
    root: &Value,
    schema: &Value,
    fields: &[Field],
    text: &str,
    depth: usize,
) -> Result<Map<String, Value>, String> {
    let mut read = Map::new();
    let written = fields
        .iter()
        .filter(|field| !field.is_json)
        .map(|field| (&*field.key, &text[field.span.clone()]));
    let meant = Meant::by(root, schema, &written, content);
    for field in fields {
        let inner = &text[field.span.clone()];
        // Whatever is in a tag may be an item, and tags in it fields.
        let fits = |kinds: Kinds| {
            kinds.array || kinds.object && holds_fields(inner) || kinds.fits(&content(inner))
        };
        let property = meant.property(&field.key, fits);
        let known = Value::Null;
        let schema = property.unwrap_or(&known);
        let kinds = Kinds::of(root, schema);
        if field.is_json {
            let value = literal::read(&content(inner))?;
            literal::insert_once(&mut read, field.key.clone(), value)?;
        } else if kinds.array && !kinds.is_text() && !inner.trim_start().starts_with('[') {
            let mut items = items(root, schema, inner, depth);
            if let Some(Value::Array(before)) = read.get_mut(&field.key) {
                before.append(&mut items);
            } else {
                literal::insert_once(&mut read, field.key.clone(), Value::Array(items))?;
            }
        } else {
            let value = value(root, schema, kinds, inner, depth);
            literal::insert_once(&mut read, field.key.clone(), value)?;
        }
    }
    Ok(read)
}

/// The items that one tag of an array holds: itself, or one for each `item` tag in it; none where nothing is in it.
fn items(root: &Value, schema: &Value, inner: &str, depth: usize) -> Vec<Value> {
    if inner.trim().is_empty() {
        return Vec::new();
    }
    let any = Value::Null;
    let schema = kinds::items(root, schema).unwrap_or(&any);
    let kinds = Kinds::of(root, schema);
    let one = |text: &str| value(root, schema, kinds, text, depth.saturating_sub(1));
    if inner.trim_start().starts_with("<item>")
        && let Some(fields) = nested(inner)
        && fields
            .iter()
            .all(|field| field.key == "item" && !field.is_json)
    {
        return fields
            .iter()
            .map(|field| one(&inner[field.span.clone()]))
            .collect();
    }
    vec![one(inner)]
}

fn value(root: &Value, schema: &Value, kinds: Kinds, inner: &str, depth: usize) -> Value {
    if let (true, Some(depth)) = (kinds.object && holds_fields(inner), depth.checked_sub(1))
        && let Some(fields) = nested(inner)
        && let Ok(entries) = object(root, schema, &fields, inner, depth)
    {
        return Value::Object(entries);
    }
    let is_empty_object =
        kinds.object && !kinds.is_text() && !kinds.null && inner.trim().is_empty();
    if is_empty_object {
        return Value::Object(Map::new());
    }
    kinds.read(&content(inner))
}

/// Whether other tags are in a tag.
fn holds_fields(inner: &str) -> bool {
    let inner = inner.trim_start();
    inner.starts_with('<') && !inner.starts_with("<!")
}

fn nested(inner: &str) -> Option<Vec<Field>> {
    let mut fields = Fields::nested(0);
    matches!(fields.advance(inner, true), Ended::At(_)).then(|| fields.into_found())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Value {
        let root = json!({ "type": "object", "properties": {
            "tags": { "type": "array", "items": { "type": "string" } },
            "rows": { "type": "array", "items": { "type": "object" } },
            "options": { "type": "object" },
            "maybe": { "type": ["object", "null"] },
            "text": { "type": "string" },
            "count": { "type": "integer" }
        } });
        let fields = nested(text).unwrap();
        arguments(&root, &fields, text).unwrap().into()
    }

    #[test]
    fn nothing_in_a_tag_is_an_empty_list_an_empty_object_or_empty_text() {
        for (text, value) in [
            ("<tags></tags>", json!({ "tags": [] })),
            ("<tags/>", json!({ "tags": [] })),
            ("<rows>\n</rows>", json!({ "rows": [] })),
            ("<tags><![CDATA[]]></tags>", json!({ "tags": [""] })),
            ("<tags>a</tags><tags></tags>", json!({ "tags": ["a"] })),
            ("<rows><item></item></rows>", json!({ "rows": [{}] })),
            ("<options></options>", json!({ "options": {} })),
            ("<text></text>", json!({ "text": "" })),
            // What it stands for can't be told; the validator says so.
            ("<maybe></maybe>", json!({ "maybe": "" })),
            ("<count></count>", json!({ "count": "" })),
        ] {
            assert_eq!(read(text), value, "{text}");
        }
    }

    #[test]
    fn line_breaks_of_the_layout_are_no_text_in_either_spelling() {
        for (text, value) in [
            ("<text>\r\nOslo\r\n</text>", "Oslo"),
            ("<text>\nOslo\n</text>", "Oslo"),
            ("<text>\nOslo\r\n\n</text>", "Oslo\r\n"),
            ("<text>Oslo\r\n</text>", "Oslo\r"),
        ] {
            assert_eq!(read(text), json!({ "text": value }), "{text:?}");
        }
    }
}
