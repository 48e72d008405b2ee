//! Whether a schema lets `null` through.

use serde_json::{Map, Value};

use crate::admission::subschema::{list, resolve};

/// Keywords that may refuse a `null` and are not looked into.
const UNREAD: [&str; 2] = ["not", "if"];

/// How many schemas are looked at for one answer; alternatives of alternatives may be without number.
const MAX_STEPS: usize = 10_000;

/// Whether the schema lets `null` through. In doubt it does: then nothing is dropped, and the validator decides.
pub(super) fn admits_null(root: &Value, schema: &Value, depth: usize) -> bool {
    answer(root, schema, depth, &mut { MAX_STEPS }) != Some(false)
}

/// The answer, or none where it is in doubt.
fn answer(root: &Value, schema: &Value, depth: usize, left: &mut usize) -> Option<bool> {
    *left = left.checked_sub(1)?;
    if let Value::Bool(admits) = schema {
        return Some(*admits);
    }
    let (schema, depth) = (resolve(root, schema)?, depth.checked_sub(1)?);
    if !is_plainly_admitted(schema) {
        return Some(false);
    }
    let mut count = |keyword: &str| {
        let branches = list(schema, keyword).iter();
        let answers = branches.map(|branch| answer(root, branch, depth, left));
        answers.fold(Count::default(), Count::with)
    };
    let (any, one, all) = (count("anyOf"), count("oneOf"), count("allOf"));
    let read = UNREAD.iter().all(|keyword| !schema.contains_key(*keyword));
    [any.any(), one.one(), all.all(), read.then_some(true)]
        .into_iter()
        .fold(Count::default(), Count::with)
        .all()
}

/// Whether the type, the constant and the values are such that `null` is among them.
fn is_plainly_admitted(schema: &Map<String, Value>) -> bool {
    let by_type = match schema.get("type") {
        Some(Value::String(ty)) => ty == "null",
        Some(Value::Array(types)) => types.iter().any(|ty| ty == "null"),
        _ => true,
    };
    let by_value = match schema.get("enum") {
        Some(Value::Array(values)) => values.iter().any(Value::is_null),
        _ => true,
    };
    by_type && by_value && schema.get("const").is_none_or(Value::is_null)
}

/// What several schemas answer.
#[derive(Clone, Copy, Default)]
struct Count {
    admitting: usize,
    refusing: usize,
    in_doubt: usize,
}

impl Count {
    fn with(mut self, answer: Option<bool>) -> Self {
        match answer {
            Some(true) => self.admitting += 1,
            Some(false) => self.refusing += 1,
            None => self.in_doubt += 1,
        }
        self
    }

    fn is_none(self) -> bool {
        self.admitting + self.refusing + self.in_doubt == 0
    }

    fn any(self) -> Option<bool> {
        if self.is_none() || self.admitting > 0 {
            return Some(true);
        }
        (self.in_doubt == 0).then_some(false)
    }

    fn one(self) -> Option<bool> {
        match (self.admitting, self.in_doubt) {
            _ if self.is_none() => Some(true),
            (2.., _) => Some(false),
            (admitting, 0) => Some(admitting == 1),
            _ => None,
        }
    }

    fn all(self) -> Option<bool> {
        if self.refusing > 0 {
            return Some(false);
        }
        (self.in_doubt == 0).then_some(true)
    }
}
