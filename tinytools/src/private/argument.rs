use std::any::Any;

use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::fault::Mismatch;
use super::reader::Reader;

/// A type that a model can choose a value of.
///
/// Schema and reading go through this one trait, so an unsuitable type is one error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool parameter",
    label = "not a JSON argument type",
    note = "needs `serde::Deserialize` and `schemars::JsonSchema`; derive both, or mark the parameter with `#[hidden]`"
)]
pub trait Argument: Sized + 'static {
    #[doc(hidden)]
    fn schema(generator: &mut SchemaGenerator) -> Schema;
    #[doc(hidden)]
    fn read(value: &Value) -> Result<Self, Mismatch>;
    /// The value of a missing argument, for types that have one: `None` of an `Option`, under any alias.
    #[doc(hidden)]
    fn absent() -> Option<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + 'static> Argument for T {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }

    fn read(value: &Value) -> Result<Self, Mismatch> {
        T::deserialize(Reader(value))
    }

    fn absent() -> Option<Self> {
        T::deserialize(Absent).ok()
    }
}

/// Reads `value` into a slot of type `Option<T>`; any other slot is left alone, which makes it a mere check.
pub(super) fn read_into<T: Argument>(value: &Value, slot: &mut dyn Any) -> Result<(), Mismatch> {
    let read = T::read(value)?;
    if let Some(slot) = slot.downcast_mut::<Option<T>>() {
        *slot = Some(read);
    }
    Ok(())
}

/// Fills a slot of type `Option<T>` with the value of a missing argument; `false` where there is none.
pub(super) fn absent_into<T: Argument>(slot: &mut dyn Any) -> bool {
    let absent = T::absent();
    let optional = absent.is_some();
    if let Some(slot) = slot.downcast_mut::<Option<T>>() {
        *slot = absent;
    }
    optional
}

/// Answers as serde does for a missing field: only a type that asks for an option gets one.
struct Absent;

impl<'de> serde::Deserializer<'de> for Absent {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: serde::de::Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(serde::de::Error::custom("missing"))
    }

    fn deserialize_option<V: serde::de::Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
