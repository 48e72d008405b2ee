//! What the `jsonschema` crate finds, in the words of the other faults.

use std::borrow::Cow;

use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use crate::schema::validator::{
    clip::clip,
    echo::{count, echo},
};

/// Longest echo of a keyword's value, in characters.
const MAX_CHARS: usize = 48;

/// What the schema asks for. Nothing of the arguments is in it.
pub(super) fn expected(kind: &Kind, keyword: Option<&Value>) -> String {
    match kind {
        Kind::Format { format } => format!("a string in the format `{format}`"),
        Kind::UniqueItems => "items that differ".to_owned(),
        Kind::MinProperties { limit } => format!("at least {}", properties(*limit)),
        Kind::MaxProperties { limit } => format!("at most {}", properties(*limit)),
        Kind::Required { property } => format!("{property} beside the others"),
        Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } => {
            "no further properties".to_owned()
        }
        Kind::AdditionalItems { .. } | Kind::UnevaluatedItems { .. } => {
            "no further items".to_owned()
        }
        Kind::FalseSchema => "nothing".to_owned(),
        Kind::Not { schema } => format!("a value other than {}", shown(schema)),
        Kind::Contains => "an item that the schema under `contains` allows".to_owned(),
        kind => match keyword {
            Some(value) => format!("`{}` {}", kind.keyword(), shown(value)),
            None => format!("what `{}` allows", kind.keyword()),
        },
    }
}

pub(super) fn got(kind: &Kind, value: &Value) -> String {
    match kind {
        Kind::UniqueItems => "an item twice".to_owned(),
        _ => echo(value),
    }
}

pub(super) fn fix(kind: &Kind) -> Cow<'static, str> {
    match kind {
        Kind::Required { property } => format!("add {property}").into(),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("remove {}", unexpected.join(", ")).into()
        }
        kind => Cow::Borrowed(match kind {
            Kind::Format { .. } => "write it in that format",
            Kind::UniqueItems => "remove the repeated item",
            Kind::MinProperties { .. } => "add what is missing",
            Kind::MaxProperties { .. } => "remove some",
            Kind::AdditionalItems { .. } | Kind::UnevaluatedItems { .. } => "remove the last ones",
            Kind::FalseSchema => "leave it out",
            Kind::Contains => "add such an item",
            Kind::PropertyNames { .. } => "rename the properties",
            Kind::Not { .. } => "send another value",
            _ => "change it to fit the schema",
        }),
    }
}

fn properties(limit: u64) -> String {
    count(usize::try_from(limit).unwrap_or(usize::MAX), "property")
}

fn shown(schema: &Value) -> String {
    clip(&schema.to_string(), MAX_CHARS).into_owned()
}
