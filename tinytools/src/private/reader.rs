//! Reads a JSON value and knows where in it a mismatch lies.

use serde::Deserializer;
use serde::de::{
    DeserializeSeed, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde_json::{Map, Value};

use super::fault::Mismatch;

/// A `serde` deserializer over a value that others keep. It lends nothing of it: what is read owns its text.
#[derive(Clone, Copy)]
pub(super) struct Reader<'v>(pub(super) &'v Value);

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(number) => number
            .as_u64()
            .map(Unexpected::Unsigned)
            .or_else(|| number.as_i64().map(Unexpected::Signed))
            .unwrap_or_else(|| Unexpected::Float(number.as_f64().unwrap_or(f64::NAN))),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => {
                if let Some(value) = number.as_u64() {
                    visitor.visit_u64(value)
                } else if let Some(value) = number.as_i64() {
                    visitor.visit_i64(value)
                } else {
                    visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN))
                }
            }
            Value::String(text) => visitor.visit_str(text),
            Value::Array(items) => visitor.visit_seq(Items {
                items: items.iter(),
                index: 0,
            }),
            Value::Object(fields) => visitor.visit_map(Fields::new(fields)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    /// An object, and nothing else: derived code would take an array too, which the schema doesn't offer.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self.0 {
            Value::Object(fields) => visitor.visit_map(Fields::new(fields)),
            other => Err(Mismatch::invalid_type(unexpected(other), &"an object")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        let wrong = |value: &Value| {
            let variants: Vec<String> = variants.iter().map(|name| format!("`{name}`")).collect();
            let expected = format!("one of {}", variants.join(", "));
            Mismatch::invalid_type(unexpected(value), &expected.as_str())
        };
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant { name, value: None }),
            Value::Object(fields) if fields.len() == 1 => match fields.iter().next() {
                Some((name, value)) => visitor.visit_enum(Variant {
                    name,
                    value: Some(value),
                }),
                None => Err(wrong(&Value::Null)),
            },
            other => Err(wrong(other)),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

struct Items<'v> {
    items: std::slice::Iter<'v, Value>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Mismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mismatch> {
        let Some(value) = self.items.next() else {
            return Ok(None);
        };
        let index = self.index;
        self.index += 1;
        seed.deserialize(Reader(value))
            .map(Some)
            .map_err(|mismatch| mismatch.within_index(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Fields<'v> {
    fields: serde_json::map::Iter<'v>,
    /// The field whose key was read last.
    current: Option<(&'v String, &'v Value)>,
}

impl<'v> Fields<'v> {
    fn new(fields: &'v Map<String, Value>) -> Self {
        Self {
            fields: fields.iter(),
            current: None,
        }
    }
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Mismatch;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mismatch> {
        self.current = self.fields.next();
        match &self.current {
            None => Ok(None),
            Some((key, _)) => seed.deserialize(Key(key)).map(Some),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Mismatch> {
        let Some((key, value)) = self.current.take() else {
            return Err(Mismatch::custom("a value was read before its key"));
        };
        seed.deserialize(Reader(value))
            .map_err(|mismatch| mismatch.within_key(key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.len())
    }
}

/// A property name; a map may want it as a whole number.
struct Key<'a>(&'a str);

macro_rules! number_keys {
    ($($method:ident: $number:ty => $visit:ident,)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
            match self.0.parse::<$number>() {
                Ok(number) => visitor.$visit(number),
                Err(_) => visitor.visit_str(self.0),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Key<'_> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_str(self.0)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        self.0
            .into_deserializer()
            .deserialize_enum(name, variants, visitor)
    }

    number_keys! {
        deserialize_i8: i64 => visit_i64,
        deserialize_i16: i64 => visit_i64,
        deserialize_i32: i64 => visit_i64,
        deserialize_i64: i64 => visit_i64,
        deserialize_u8: u64 => visit_u64,
        deserialize_u16: u64 => visit_u64,
        deserialize_u32: u64 => visit_u64,
        deserialize_u64: u64 => visit_u64,
    }

    serde::forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

struct Variant<'v> {
    name: &'v str,
    value: Option<&'v Value>,
}

impl<'de, 'v> EnumAccess<'de> for Variant<'v> {
    type Error = Mismatch;
    type Variant = Content<'v>;

    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Content<'v>), Mismatch> {
        let variant = seed.deserialize(Key(self.name))?;
        let content = Content {
            name: self.name,
            value: self.value,
        };
        Ok((variant, content))
    }
}

/// What a variant holds.
struct Content<'v> {
    name: &'v str,
    value: Option<&'v Value>,
}

impl<'v> Content<'v> {
    fn read<T>(
        self,
        expected: &'static str,
        read: impl FnOnce(Reader<'v>) -> Result<T, Mismatch>,
    ) -> Result<T, Mismatch> {
        let name = self.name;
        match self.value {
            Some(value) => read(Reader(value)).map_err(|mismatch| mismatch.within_key(name)),
            None => Err(Mismatch::wrong(
                format!("{{\"{name}\": {expected}}}"),
                format!("the string {name:?}"),
            )),
        }
    }
}

impl<'de> VariantAccess<'de> for Content<'_> {
    type Error = Mismatch;

    fn unit_variant(self) -> Result<(), Mismatch> {
        match self.value {
            None | Some(Value::Null) => Ok(()),
            Some(_) => Err(Mismatch::wrong(
                format!("the string {:?}", self.name),
                "an object",
            )),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Mismatch> {
        self.read("a value", |reader| seed.deserialize(reader))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Mismatch> {
        self.read("an array", |reader| reader.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        self.read("an object", |reader| {
            reader.deserialize_struct("", fields, visitor)
        })
    }
}
