//! Which of a schema's alternatives written arguments are meant for.

use serde_json::{Map, Value};

use super::kinds::{Kinds, alternatives, resolve};
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
        let all: Vec<_> = own
            .into_iter()
            .flat_map(alternatives)
            .filter_map(|schema| resolve(root, schema))
            .collect();
        let possible: Vec<_> = all
            .iter()
            .copied()
            .filter(|schema| {
                let mut written = written.clone();
                let mut allows = |(key, written): (&str, &str)| {
                    property(schema, key)
                        .is_none_or(|argument| allows(root, argument, || content(written)))
                };
                all.len() == 1 || written.all(&mut allows)
            })
            .collect();
        Self {
            root,
            own,
            alternatives: if possible.is_empty() { all } else { possible },
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
}
