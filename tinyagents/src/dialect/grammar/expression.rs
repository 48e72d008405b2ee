//! `name(arguments)`, as Python, TypeScript and `PType` write it.

use serde_json::{Map, Value};

use super::call;
use crate::dialect::kinds::{self, Kinds};
use crate::dialect::literal::{self, Reader};
use crate::dialect::offered::Offered;
use crate::dialect::properties::names;
use crate::model::{ToolCall, ToolFormat, ToolSchema};

/// The call that an expression is; a damaged one if its arguments can't be read or bound. `None` without a name.
pub(super) fn read(offered: &Offered<'_>, text: &str) -> Option<ToolCall> {
    let open = text.find('(')?;
    let name = text[..open].trim();
    let inner = text[open + 1..].strip_suffix(')')?;
    Some(match arguments(offered.find(name), inner) {
        Ok(object) => call::typed(offered, String::new(), name, Some(Value::Object(object))),
        Err(reason) => call::damaged(offered, String::new(), name, inner, reason),
    })
}

/// The arguments between the parentheses, by name.
fn arguments(schema: Option<&ToolSchema>, inner: &str) -> Result<Map<String, Value>, String> {
    let mut reader = Reader::new(inner);
    let mut positional = Vec::new();
    let mut named = Map::new();
    loop {
        reader.skip_space();
        if reader.is_at_end() {
            break;
        }
        if reader.eat("**") {
            match reader.value()? {
                Value::Object(object) => {
                    for (key, value) in object {
                        literal::insert_once(&mut named, key, value)?;
                    }
                }
                _ => return Err("`**` takes an object".to_owned()),
            }
        } else if let Some(key) = key(&mut reader) {
            let value = reader.value()?;
            literal::insert_once(&mut named, key.to_owned(), value)?;
        } else if named.is_empty() {
            positional.push(reader.value()?);
        } else {
            return Err("an argument by place follows one by name".to_owned());
        }
        reader.skip_space();
        if !reader.eat(",") && !reader.is_at_end() {
            return Err(reader.expected("`,` or the end of the arguments"));
        }
    }
    bind(schema, positional, named)
}

/// The name before `=` or `:`, if one is there; else nothing is taken.
fn key<'a>(reader: &mut Reader<'a>) -> Option<&'a str> {
    let mut ahead = reader.clone();
    let key = ahead.word("$");
    let is_key = !key.is_empty()
        && !key.starts_with(|first: char| first.is_ascii_digit())
        && (ahead.eat("=") || ahead.eat(":"));
    is_key.then(|| {
        *reader = ahead;
        key
    })
}

/// Gives the values by place their names, in the order of the declaration.
fn bind(
    schema: Option<&ToolSchema>,
    mut positional: Vec<Value>,
    named: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    if positional.is_empty() {
        return Ok(named);
    }
    let order = schema.map(order).unwrap_or_default();
    if named.is_empty()
        && let [Value::Object(object)] = positional.as_mut_slice()
        && is_arguments_object(schema, &order, object)
    {
        return Ok(std::mem::take(object));
    }
    if positional.len() > order.len() {
        return Err(format!(
            "{} arguments by place, but {} are declared",
            positional.len(),
            order.len()
        ));
    }
    let mut object = Map::new();
    for (key, value) in order.iter().copied().map(str::to_owned).zip(positional) {
        object.insert(key, value);
    }
    for (key, value) in named {
        literal::insert_once(&mut object, key, value)?;
    }
    Ok(object)
}

/// Whether the only argument holds all arguments by name, as in TypeScript, and isn't the value of the first.
fn is_arguments_object(
    schema: Option<&ToolSchema>,
    order: &[&str],
    object: &Map<String, Value>,
) -> bool {
    if object.keys().all(|key| order.contains(&key.as_str())) {
        return true;
    }
    let (Some(schema), Some(first)) = (schema, order.first()) else {
        return true;
    };
    !takes_object(&schema.parameters, first)
}

/// Whether an argument may be an object.
pub(in crate::dialect) fn takes_object(root: &Value, name: &str) -> bool {
    kinds::property(root, root, name).is_none_or(|schema| {
        let kinds = Kinds::of(root, schema);
        kinds.object || kinds.is_unknown()
    })
}

/// The arguments that places stand for: as the format says, and what it leaves out as the schema declares it.
pub(in crate::dialect) fn order(schema: &ToolSchema) -> Vec<&str> {
    let mut order: Vec<&str> = match &schema.format {
        ToolFormat::PType { parameters } => parameters.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    let root = &schema.parameters;
    let declared = kinds::resolve(root, root).map_or_else(Vec::new, |object| names(root, object));
    if order.is_empty() {
        return declared;
    }
    let of_format = order.len();
    for name in declared {
        if !order[..of_format].contains(&name) {
            order.push(name);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_place_that_the_signature_shows_is_read() {
        let parameters = json!({ "properties": { "a": {}, "b": { "type": "integer" }, "c": {} } });
        let by_place = ToolFormat::PType {
            parameters: vec!["c".to_owned()],
        };
        let schemas = [ToolSchema::new("f", "", parameters).with_format(by_place)];
        assert_eq!(order(&schemas[0]), ["c", "a", "b"]);
        let call = read(&Offered::borrowed(&schemas), "f(1, 'x', 2)").unwrap();
        assert_eq!(call.arguments, json!({ "c": 1, "a": "x", "b": 2 }));
        let more = read(&Offered::borrowed(&schemas), "f(1, 'x', 2, 3)").unwrap();
        assert!(more.invalid.is_some());
    }
}
