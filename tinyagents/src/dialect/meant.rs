//! Which of a schema's alternatives written arguments are meant for.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::kinds::{Kinds, MAX_DEPTH, alternatives, resolve};
use crate::admission::member;

/// A schema and, of its alternatives, those that nothing written contradicts.
pub(super) struct Meant<'a> {
    root: &'a Value,
    own: Option<&'a Map<String, Value>>,
    alternatives: Vec<&'a Map<String, Value>>,
}

impl<'a> Meant<'a> {
    /// `written` is every argument as it is written, `content` the text that it is. Where all alternatives are
    /// contradicted, none is.
    pub(super) fn by<'t>(
        root: &'a Value,
        schema: &'a Value,
        written: &(impl Iterator<Item = (&'t str, &'t str)> + Clone),
        content: fn(&str) -> String,
    ) -> Self {
        let own = resolve(root, schema);
        let all = gather(root, own, &|_| true);
        let is_possible = |schema: &Map<String, Value>| {
            let mut written = written.clone();
            written.all(|(key, written)| match property(schema, key) {
                Some(argument) => allows(root, argument, || content(written)),
                None => member(schema, "additionalProperties") != Some(&Value::Bool(false)),
            })
        };
        let possible = match all.len() {
            0 | 1 => Vec::new(),
            _ => gather(root, own, &is_possible),
        };
        // What has no arguments, such as null or the schema around alternatives, isn't what they are meant for.
        let takes_any = possible
            .iter()
            .any(|schema| member(schema, "properties").is_some());
        Self {
            root,
            own,
            alternatives: if takes_any { possible } else { all },
        }
    }

    /// The schema of an argument, where there is one: of several, the first that `fits`, else the first.
    pub(super) fn property(&self, name: &str, fits: impl Fn(Kinds) -> bool) -> Option<&'a Value> {
        if let Some(own) = self.own.and_then(|own| property(own, name)) {
            return Some(own);
        }
        let mut several = self
            .alternatives
            .iter()
            .filter_map(|one| property(one, name));
        let first = several.next()?;
        let mut all = std::iter::once(first).chain(several);
        all.find(|schema| fits(Kinds::of(self.root, schema)))
            .or(Some(first))
    }

    /// What the text of an argument stands for: a value of the first type that it is one of.
    pub(super) fn read(&self, name: &str, text: &str) -> Value {
        let fits = |kinds: Kinds| kinds.fits(text);
        match self.property(name, fits) {
            Some(schema) => Kinds::of(self.root, schema).read(text),
            None => Value::String(text.to_owned()),
        }
    }
}

/// The alternatives of a schema and theirs in turn, as an optional one of several kinds has them; not those of one that
/// isn't possible. Each is there once, since references to references multiply.
fn gather<'a>(
    root: &'a Value,
    own: Option<&'a Map<String, Value>>,
    is_possible: &impl Fn(&Map<String, Value>) -> bool,
) -> Vec<&'a Map<String, Value>> {
    let mut found = Vec::new();
    let mut seen: HashSet<*const Map<String, Value>> = HashSet::new();
    let mut outer: Vec<_> = own.into_iter().collect();
    for _ in 0..MAX_DEPTH {
        let inner = outer
            .iter()
            .flat_map(|schema| alternatives(schema))
            .filter_map(|schema| resolve(root, schema))
            .filter(|schema| seen.insert(std::ptr::from_ref(*schema)) && is_possible(schema));
        outer = inner.collect();
        if outer.is_empty() {
            break;
        }
        found.extend_from_slice(&outer);
    }
    found
}

/// Whether a text can be an argument of this schema, as far as it names values.
fn allows(root: &Value, argument: &Value, text: impl FnOnce() -> String) -> bool {
    let Some(object) = resolve(root, argument) else {
        return true;
    };
    let values = member(object, "enum").and_then(Value::as_array);
    let mut values = values.into_iter().flatten().chain(member(object, "const"));
    let is_named = values.clone().next().is_some();
    !is_named || {
        let value = Kinds::of(root, argument).read(&text());
        values.any(|one| *one == value)
    }
}

fn property<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    member(member(object, "properties")?.as_object()?, name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(alternatives: &Value, written: &[(&str, &str)]) -> Value {
        let root = json!({ "type": "object", "oneOf": alternatives });
        let meant = Meant::by(&root, &root, &written.iter().copied(), str::to_owned);
        let read = |(key, text): &(&str, &str)| ((*key).to_owned(), meant.read(key, text));
        Value::Object(written.iter().map(read).collect())
    }

    #[test]
    fn text_is_of_the_first_type_that_it_fits() {
        let one = |ty: &str| json!({ "properties": { "a": { "type": ty } } });
        for (types, text, value) in [
            (["integer", "boolean"], "5", json!(5)),
            (["integer", "boolean"], "true", json!(true)),
            (["integer", "array"], "[1]", json!([1])),
            (["integer", "number"], "2.5", json!(2.5)),
            (["integer", "string"], "5", json!(5)),
            (["integer", "string"], "five", json!("five")),
            (["string", "integer"], "5", json!("5")),
            (["integer", "boolean"], "five", json!("five")),
            (["integer", "null"], "null", json!(null)),
        ] {
            let alternatives = json!(types.map(one));
            assert_eq!(
                read(&alternatives, &[("a", text)]),
                json!({ "a": value }),
                "{types:?}"
            );
        }
    }

    #[test]
    fn an_argument_that_names_the_alternative_decides() {
        let one =
            |kind: Value, ty: &str| json!({ "properties": { "kind": kind, "a": { "type": ty } } });
        let kinds = [json!({ "const": "name" }), json!({ "enum": ["id", 2] })];
        let [name, id] = kinds;
        for both in [
            json!([one(name.clone(), "string"), one(id.clone(), "integer")]),
            json!([one(id, "integer"), one(name, "string")]),
        ] {
            for kind_first in [true, false] {
                let read = |kind: &str| {
                    let mut written = [("kind", kind), ("a", "5")];
                    if !kind_first {
                        written.reverse();
                    }
                    read(&both, &written)
                };
                assert_eq!(read("name"), json!({ "kind": "name", "a": "5" }));
                assert_eq!(read("id"), json!({ "kind": "id", "a": 5 }));
            }
        }
    }

    #[test]
    fn an_optional_one_of_several_kinds_is_read_as_one_of_them() {
        let one = |kind: &str, ty: &str| json!({ "properties": { "kind": { "const": kind }, "a": { "type": ty } } });
        let several = json!({ "oneOf": [one("name", "string"), one("id", "integer")] });
        let optional = json!([several, { "type": "null" }]);
        let written = |kind| [("kind", kind), ("a", "5")];
        assert_eq!(
            read(&optional, &written("id")),
            json!({ "kind": "id", "a": 5 })
        );
        assert_eq!(
            read(&optional, &written("name")),
            json!({ "kind": "name", "a": "5" })
        );
        let id = json!([{ "oneOf": [one("id", "integer")] }, { "type": "null" }]);
        assert_eq!(read(&id, &written("Id")), json!({ "kind": "Id", "a": 5 }));
    }

    #[test]
    fn an_argument_that_an_alternative_forbids_decides() {
        let one = |ty: &str, other: &str| json!({ "properties": { "a": { "type": ty }, other: {} }, "additionalProperties": false });
        let both = json!([one("string", "b"), one("integer", "c")]);
        assert_eq!(
            read(&both, &[("a", "5"), ("c", "x")]),
            json!({ "a": 5, "c": "x" })
        );
        assert_eq!(
            read(&both, &[("a", "5"), ("b", "x")]),
            json!({ "a": "5", "b": "x" })
        );
        // None allows it, so it says nothing.
        assert_eq!(
            read(&both, &[("a", "5"), ("d", "x")]),
            json!({ "a": "5", "d": "x" })
        );
    }

    #[test]
    fn alternatives_that_lead_to_each_other_end() {
        let root = json!({
            "$ref": "#/$defs/a",
            "$defs": {
                "a": { "anyOf": [{ "$ref": "#/$defs/b" }, { "$ref": "#/$defs/a" }] },
                "b": { "anyOf": [{ "$ref": "#/$defs/a" }, { "properties": { "x": { "type": "integer" } } }] }
            }
        });
        let meant = Meant::by(&root, &root, &[("x", "5")].into_iter(), str::to_owned);
        assert_eq!(meant.read("x", "5"), json!(5));
    }
}
