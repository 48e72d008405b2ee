//! JSON in which every key of an object is there once.
//!
//! `serde_json::Value` keeps the last of two equal keys. Whoever looked at the text earlier, such as a gateway or a log,
//! may have kept the first: the two would then disagree on what is called. So the text is refused, in the same pass
//! that reads it.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

use super::plain_json;

/// Longest part of a key that is repeated in an error.
const MAX_SHOWN_KEY: usize = 64;

/// The key under which `serde_json` hands over a number, if some crate of the build turned on its feature
/// `arbitrary_precision`.
const NUMBER_TOKEN: &str = "$serde_json::private::Number";

/// Reads one JSON value and nothing after it.
pub(crate) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    let mut value = Value::Null;
    parse_into(text, &mut value)?;
    Ok(value)
}

/// The same into a place, which holds anything where this fails.
pub(super) fn parse_into(text: &str, place: &mut Value) -> Result<(), serde_json::Error> {
    if !plain_json::read_into(text, place) {
        *place = read_general(text)?;
    }
    Ok(())
}

/// The same by a parser that knows every spelling, and says what is wrong.
pub(super) fn read_general(text: &str) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = StrictValue.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct StrictValue;

impl<'de> DeserializeSeed<'de> for StrictValue {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if key == NUMBER_TOKEN && has_arbitrary_precision() {
                return read_number(&entries.next_value::<String>()?);
            }
            let value = entries.next_value_seed(self)?;
            match object.entry(key) {
                serde_json::map::Entry::Vacant(entry) => {
                    entry.insert(value);
                }
                serde_json::map::Entry::Occupied(entry) => return Err(given_twice(entry.key())),
            }
        }
        Ok(Value::Object(object))
    }
}

fn given_twice<E: Error>(key: &str) -> E {
    let shown: String = key.chars().take(MAX_SHOWN_KEY).collect();
    E::custom(format_args!(
        "the key `{shown}` is there twice; give it once"
    ))
}

/// Whether numbers arrive as text. The probe is out of range for any number that doesn't keep its text.
fn has_arbitrary_precision() -> bool {
    Number::deserialize(&mut serde_json::Deserializer::from_str("1e999")).is_ok()
}

/// The number, as it would be read without the feature.
fn read_number<E: Error>(text: &str) -> Result<Value, E> {
    // `-0` is a float: as an integer it would lose its sign.
    if let Ok(number) = text.parse::<i64>()
        && (number != 0 || !text.starts_with('-'))
    {
        return Ok(Value::Number(number.into()));
    }
    if let Ok(number) = text.parse::<u64>() {
        return Ok(Value::Number(number.into()));
    }
    let number = text.parse::<f64>().map_err(E::custom)?;
    Number::from_f64(number)
        .map(Value::Number)
        .ok_or_else(|| E::custom("number out of range"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_read_alike_with_and_without_arbitrary_precision() {
        for (text, number) in [
            ("0", json!(0)),
            ("-0", json!(-0.0)),
            ("18446744073709551615", json!(u64::MAX)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("1.5", json!(1.5)),
            ("1e3", json!(1000.0)),
            ("-0.0", json!(-0.0)),
            ("99999999999999999999", json!(1e20)),
        ] {
            assert_eq!(parse(text).unwrap(), number, "{text}");
            assert_eq!(read_number::<serde_json::Error>(text).unwrap(), number);
        }
        assert!(read_number::<serde_json::Error>("1e999").is_err());
    }

    #[test]
    fn order_of_properties_is_kept() {
        let value = parse(r#"{"b":1,"a":2,"c":{"z":1,"y":2}}"#).unwrap();
        assert_eq!(value.to_string(), r#"{"b":1,"a":2,"c":{"z":1,"y":2}}"#);
    }

    #[test]
    fn a_model_cannot_write_the_token_of_a_number() {
        let text = json!({ NUMBER_TOKEN: "5" }).to_string();
        if !has_arbitrary_precision() {
            assert!(parse(&text).unwrap().is_object());
        }
    }

    #[test]
    fn a_long_key_is_cut_in_the_error() {
        let key = "ä".repeat(1000);
        let error = parse(&format!(r#"{{"{key}":1,"{key}":2}}"#)).unwrap_err();
        assert!(error.to_string().chars().count() < 140);
    }
}
