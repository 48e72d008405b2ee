//! One call that a model makes.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::strict_json;

/// One call that a model makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id the provider gave it; the answer carries the same.
    #[serde(default)]
    pub id: String,
    /// The name as the model wrote it.
    pub name: String,
    /// The arguments; the raw text, where they could not be read. With more than 100 levels of arrays and objects they are
    /// written as `{"$deep_json": …}` with their members as JSON text, so that a transcript can be read with them in it;
    /// with more than 128 as their text.
    #[serde(default = "no_arguments", with = "super::deep_json")]
    pub arguments: Value,
    /// Why the arguments could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid: Option<String>,
}

impl ToolCall {
    /// A call with arguments that are read already.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments,
            invalid: None,
        }
    }

    /// A call with its arguments as the provider sent them.
    ///
    /// Blank text and `null` are no arguments: `{}`. Text that is not JSON, holds one key twice in an object, holds a number beyond
    /// the range of an `f64`, or is nested deeper than 127 levels gives an [`invalid`](Self::invalid) call with the
    /// text as its arguments.
    ///
    /// ```
    /// use tinyagents::ToolCall;
    ///
    /// assert_eq!(ToolCall::from_text("c1", "now", "").arguments, serde_json::json!({}));
    ///
    /// let call = ToolCall::from_text("c2", "pay", r#"{"to":"alice","to":"bob"}"#);
    /// assert!(call.invalid.is_some_and(|reason| reason.contains("`to`")));
    /// ```
    pub fn from_text(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl AsRef<str>,
    ) -> Self {
        let text = arguments.as_ref();
        let mut call = Self::new(id, name, Value::Null);
        match strict_json::parse_into(text, &mut call.arguments) {
            Ok(()) if !call.arguments.is_null() => {}
            Err(error) if !text.trim().is_empty() => {
                call.arguments = Value::String(text.to_owned());
                call.invalid = Some(error.to_string());
            }
            Ok(()) | Err(_) => call.arguments = no_arguments(),
        }
        call
    }
}

fn no_arguments() -> Value {
    Value::Object(Map::new())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> ToolCall {
        ToolCall::from_text("c1", "t", text)
    }

    #[test]
    fn blank_and_null_text_is_no_arguments() {
        for text in ["", "  \n\t", "null", " null\n"] {
            assert_eq!(read(text), ToolCall::new("c1", "t", json!({})), "{text:?}");
        }
    }

    #[test]
    fn json_of_any_type_is_read_as_it_is() {
        for value in [
            json!({ "a": { "b": [1, -2, 3.5, "x", null, true] } }),
            json!("text"),
            json!([1]),
            json!(5),
            json!(false),
        ] {
            let call = read(&value.to_string());
            assert_eq!((call.arguments, call.invalid), (value, None));
        }
    }

    #[test]
    fn text_that_is_not_json_is_kept_with_the_reason() {
        for text in [
            "{city:\"Oslo\"}",
            "{\"a\":1",
            "{} {}",
            "{'a':1}",
            "NaN",
            "{\"a\":1,}",
        ] {
            let call = read(text);
            assert_eq!(call.arguments, json!(text));
            assert!(call.invalid.is_some(), "{text}");
        }
    }

    #[test]
    fn a_key_given_twice_is_refused_at_any_depth() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"x":[{"a":1,"b":2,"a":3}]}"#,
            r#"{"a":1,"\u0061":2}"#,
        ] {
            let reason = read(text).invalid.unwrap();
            assert!(reason.contains("the key `a` is there twice"), "{reason}");
        }
        assert_eq!(read(r#"{"a":{"b":1},"b":{"a":1}}"#).invalid, None);
    }

    #[test]
    fn a_number_beyond_f64_is_refused() {
        for text in [r#"{"a":1e999}"#, r#"{"a":-1e999}"#] {
            assert!(read(text).invalid.unwrap().contains("number out of range"));
        }
        assert_eq!(read(r#"{"a":1e-999}"#).arguments, json!({ "a": 0.0 }));
    }

    #[test]
    fn deep_nesting_is_refused_and_does_not_overflow() {
        let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(read(&text).invalid.is_some());
    }

    #[test]
    fn the_wire_form_leaves_out_what_is_fine() {
        let call = ToolCall::new("c1", "weather", json!({ "city": "Oslo" }));
        let wire = json!({ "id": "c1", "name": "weather", "arguments": { "city": "Oslo" } });
        assert_eq!(serde_json::to_value(&call).unwrap(), wire);
        assert_eq!(serde_json::from_value::<ToolCall>(wire).unwrap(), call);

        let invalid = json!({ "id": "c1", "name": "t", "arguments": "{", "invalid": "cut off" });
        let call: ToolCall = serde_json::from_value(invalid.clone()).unwrap();
        assert_eq!(call.invalid.as_deref(), Some("cut off"));
        assert_eq!(serde_json::to_value(&call).unwrap(), invalid);

        let bare: ToolCall = serde_json::from_value(json!({ "name": "now" })).unwrap();
        assert_eq!(bare, ToolCall::new("", "now", json!({})));
    }
}
