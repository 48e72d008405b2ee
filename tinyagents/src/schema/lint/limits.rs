//! The sizes that strict mode allows.

use serde_json::{Map, Value};

use super::Linter;
use crate::schema::children;
use crate::schema::prepare::MAX_STRICT_LEVELS;

const MAX_PROPERTIES: usize = 5_000;
const MAX_ENUM_VALUES: usize = 1_000;
const MAX_CHARS: usize = 120_000;
const MAX_DEPTH: usize = 128;

/// What is counted over the whole schema.
#[derive(Default)]
struct Sizes {
    properties: usize,
    enum_values: usize,
    chars: usize,
    levels: usize,
}

impl Linter<'_> {
    /// `OpenAI`'s guide *Structured Outputs*, "Limitations on nesting depth and size": 5,000 properties, 10 levels, 1,000
    /// values of `enum`, and 120,000 characters in names, values of `enum` and `const`.
    pub(super) fn check_limits(&mut self, root: &Map<String, Value>) {
        let mut sizes = Sizes::default();
        sizes.count(root, 0, MAX_DEPTH);
        for (found, most, what) in [
            (sizes.properties, MAX_PROPERTIES, "properties"),
            (sizes.enum_values, MAX_ENUM_VALUES, "values of `enum`"),
            (sizes.chars, MAX_CHARS, "characters in names and values"),
            (sizes.levels, MAX_STRICT_LEVELS, "levels of objects"),
        ] {
            if found > most {
                self.refused("", format!("{found} {what}, where {most} are allowed"));
            }
        }
    }
}

impl Sizes {
    fn count(&mut self, schema: &Map<String, Value>, level: usize, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        let is_object = match schema.get("type") {
            Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
            ty => ty.is_some_and(|ty| ty == "object"),
        };
        if is_object {
            self.levels = self.levels.max(level + 1);
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            self.enum_values += values.len();
            self.chars += values.iter().map(chars).sum::<usize>();
        }
        self.chars += schema.get("const").map_or(0, chars);
        children::for_each(schema, |step| {
            let is_property = step.keyword == "properties";
            if let children::Place::Name(name) = step.place {
                self.properties += usize::from(is_property);
                self.chars += name.chars().count();
            }
            if let Value::Object(schema) = step.schema {
                self.count(schema, level + usize::from(is_property), depth);
            }
        });
    }
}

fn chars(value: &Value) -> usize {
    value
        .as_str()
        .map_or_else(|| value.to_string().len(), |text| text.chars().count())
}
