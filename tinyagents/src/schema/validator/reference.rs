//! Where a local `$ref` leads.

use serde_json::Value;

use crate::schema::SchemaError;

/// The place that a reference names.
pub(super) struct Target<'s> {
    pub(super) schema: &'s Value,
    /// Its JSON pointer.
    pub(super) path: String,
}

/// The schema as a whole, to resolve references in.
#[derive(Clone, Copy)]
pub(super) struct Document<'s> {
    root: &'s Value,
    /// `$id` of the root: references that begin with it are local.
    id: Option<&'s str>,
    /// Whether a `$ref` makes the keywords beside it void.
    pub(super) refs_stand_alone: bool,
}

impl<'s> Document<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self {
            root,
            id: own_id(root),
            refs_stand_alone: refs_stand_alone(root),
        }
    }

    /// Follows `reference`, which stands in the schema at `from`; `embedded` when it lies below a further `$id`.
    pub(super) fn resolve(
        &self,
        reference: &str,
        from: &str,
        embedded: bool,
    ) -> Result<Target<'s>, SchemaError> {
        let external = || SchemaError::ExternalReference {
            path: from.to_owned(),
            reference: reference.to_owned(),
        };
        let local = match self.id.and_then(|id| reference.strip_prefix(id)) {
            Some("") => "#",
            Some(rest) if rest.starts_with('#') => rest,
            _ => reference,
        };
        let fragment = local.strip_prefix('#').ok_or_else(external)?;
        let is_pointer = fragment.is_empty() || fragment.starts_with('/');
        if embedded || !is_pointer {
            return Err(external());
        }
        let unresolved = || SchemaError::UnresolvedReference {
            path: from.to_owned(),
            reference: reference.to_owned(),
        };
        // Written by hand, a `%` is often left as it is.
        let path = percent_decode(fragment).unwrap_or_else(|| fragment.to_owned());
        let mut schema = self.root;
        for token in path.split('/').skip(1) {
            schema = step(schema, token).ok_or_else(unresolved)?;
            if is_embedded(schema) {
                // A pointer may not cross into a schema with a base of its own.
                return Err(external());
            }
        }
        Ok(Target { schema, path })
    }
}

/// Whether a schema other than the root has an identity of its own, so that `#` means something else inside it.
pub(super) fn is_embedded(schema: &Value) -> bool {
    own_id(schema).is_some()
}

fn own_id(schema: &Value) -> Option<&str> {
    let id = schema.get("$id")?.as_str()?.trim_end_matches('#');
    // An `$id` that is only a fragment is an anchor by its older name.
    (!id.is_empty() && !id.starts_with('#')).then_some(id)
}

/// Before draft 2019-09 a `$ref` stood alone. `$schema` says which draft it is; without it, the word `definitions` does,
/// which that draft replaced.
pub(super) fn refs_stand_alone(root: &Value) -> bool {
    match root.get("$schema").and_then(Value::as_str) {
        Some(draft) => ["draft-07", "draft-06", "draft-04"]
            .iter()
            .any(|old| draft.contains(old)),
        None => root.get("definitions").is_some() && root.get("$defs").is_none(),
    }
}

fn step<'s>(schema: &'s Value, token: &str) -> Option<&'s Value> {
    match schema {
        Value::Object(map) => map.get(&token.replace("~1", "/").replace("~0", "~")),
        Value::Array(items) => {
            let is_index = token == "0"
                || (!token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit()));
            items.get(token.parse::<usize>().ok().filter(|_| is_index)?)
        }
        _ => None,
    }
}

/// `None` when the bytes are not UTF-8 or an escape is cut off.
fn percent_decode(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let high = char::from(bytes.next()?).to_digit(16)?;
        let low = char::from(bytes.next()?).to_digit(16)?;
        decoded.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(decoded).ok()
}

/// A name as one step of a JSON pointer.
pub(super) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn leads_to(root: &Value, reference: &str) -> Result<Value, SchemaError> {
        Document::new(root)
            .resolve(reference, "", false)
            .map(|target| target.schema.clone())
    }

    #[test]
    fn pointers_are_unescaped() {
        let root = json!({ "$defs": { "a/b": 1, "c~d": 2, "e%f": 3, "g\"h": 4, "": { "": 5 }, "l": [6, 7] } });
        for (reference, target) in [
            ("#/$defs/a~1b", json!(1)),
            ("#/$defs/c~0d", json!(2)),
            ("#/$defs/e%25f", json!(3)),
            ("#/$defs/g%22h", json!(4)),
            ("#/$defs//", json!(5)),
            ("#/$defs/l/1", json!(7)),
            ("#", root.clone()),
        ] {
            assert_eq!(leads_to(&root, reference).ok(), Some(target), "{reference}");
        }
    }

    #[test]
    fn what_is_not_there_is_unresolved() {
        let root = json!({ "$defs": { "l": [6] } });
        for reference in [
            "#/nothing",
            "#/$defs/l/1",
            "#/$defs/l/00",
            "#/$defs/l/-",
            "#/%f",
            "#/%ff",
        ] {
            assert!(
                matches!(
                    leads_to(&root, reference),
                    Err(SchemaError::UnresolvedReference { .. })
                ),
                "{reference}"
            );
        }
    }

    #[test]
    fn what_leads_elsewhere_is_external() {
        let root =
            json!({ "$id": "https://a.example/x", "$defs": { "e": { "$id": "y", "not": {} } } });
        for reference in [
            "https://b.example/x",
            "other.json",
            "#anchor",
            "",
            "#/$defs/e",
            "#/$defs/e/not",
        ] {
            assert!(
                matches!(
                    leads_to(&root, reference),
                    Err(SchemaError::ExternalReference { .. })
                ),
                "{reference}"
            );
        }
        assert!(leads_to(&root, "https://a.example/x").is_ok());
        assert!(leads_to(&root, "https://a.example/x#/$defs").is_ok());
    }
}
