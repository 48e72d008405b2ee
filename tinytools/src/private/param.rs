use std::any::Any;

use schemars::Schema;
use schemars::generate::SchemaGenerator;
use serde::Serialize;
use serde_json::Value;

use super::argument::{Argument, absent_into, read_into};
use super::bounds::{Bounds, Number};
use super::fault::Mismatch;

/// One visible parameter: its name, what `#[arg(..)]` says of it, and its type behind three function pointers.
///
/// There is nothing in it to drop, which would make the lists in the expansions dearer to compile. All of them are
/// made once and kept until the program ends, so a default may live as long.
pub struct Param {
    pub(super) name: &'static str,
    pub(super) schema: fn(&mut SchemaGenerator) -> Schema,
    pub(super) read: fn(&Value, &mut dyn Any) -> Result<(), Mismatch>,
    pub(super) absent: fn(&mut dyn Any) -> bool,
    pub(super) description: Option<&'static str>,
    pub(super) default: Option<&'static dyn DefaultSlot>,
    pub(super) bounds: Bounds,
    pub(super) examples: Option<fn() -> Vec<Value>>,
    pub(super) choices: Option<fn() -> Vec<Value>>,
    pub(super) redacted: bool,
}

/// A parameter of type `T`. The only bound on `T` in a whole expansion is here.
#[must_use]
pub fn param<T: Argument>(name: &'static str) -> Param {
    Param {
        name,
        schema: T::schema,
        read: read_into::<T>,
        absent: absent_into::<T>,
        description: None,
        default: None,
        bounds: Bounds::NONE,
        examples: None,
        choices: None,
        redacted: false,
    }
}

macro_rules! bounds {
    ($($name:ident: $ty:ty,)*) => {
        $(
            #[doc = concat!("Sets the bound `", stringify!($name), "`.")]
            #[must_use]
            pub fn $name(mut self, $name: $ty) -> Self {
                self.bounds.$name = Some($name);
                self
            }
        )*
    };
}

impl Param {
    bounds! {
        minimum: Number,
        maximum: Number,
        exclusive_minimum: Number,
        exclusive_maximum: Number,
        multiple_of: Number,
        min_length: u64,
        max_length: u64,
        min_items: u64,
        max_items: u64,
        pattern: &'static str,
    }

    /// What the model is told of the parameter.
    #[must_use]
    pub fn description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// The value of a missing argument, made anew for each call that needs it.
    #[must_use]
    pub fn default<T: DefaultValue>(mut self, default: fn() -> T) -> Self {
        self.default = Some(Box::leak(Box::new(default)));
        self
    }

    /// Values that show the model what is meant.
    #[must_use]
    pub fn examples(mut self, examples: fn() -> Vec<Value>) -> Self {
        self.examples = Some(examples);
        self
    }

    /// The only values that are allowed.
    #[must_use]
    pub fn choices(mut self, choices: fn() -> Vec<Value>) -> Self {
        self.choices = Some(choices);
        self
    }

    /// Keeps the argument's values out of errors.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        self.redacted = true;
        self
    }

    pub(super) fn is_required(&self) -> bool {
        self.default.is_none() && !(self.absent)(&mut ())
    }
}

/// A type that a default can have.
#[diagnostic::on_unimplemented(
    message = "a default of this type cannot be shown to the model",
    label = "the parameter's type is not `serde::Serialize`",
    note = "derive `serde::Serialize` for it, or make the parameter an `Option` and choose the default in the body"
)]
pub trait DefaultValue: 'static {
    /// The default as the schema shows it.
    fn json(&self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + 'static> DefaultValue for T {
    fn json(&self) -> Value {
        to_json(self)
    }
}

/// A default behind its type.
pub(super) trait DefaultSlot: Send + Sync {
    /// The default as the schema shows it.
    fn json(&self) -> Value;

    /// Puts the default into a slot of type `Option<T>`.
    fn fill(&self, slot: &mut dyn Any);
}

impl<T: DefaultValue> DefaultSlot for fn() -> T {
    fn json(&self) -> Value {
        self().json()
    }

    fn fill(&self, slot: &mut dyn Any) {
        if let Some(slot) = slot.downcast_mut::<Option<T>>() {
            *slot = Some(self());
        }
    }
}

/// The values of `choices(..)` and `examples(..)`.
#[must_use]
#[expect(
    clippy::needless_pass_by_value,
    reason = "called with an array literal"
)]
pub fn values<T: Serialize, const N: usize>(values: [T; N]) -> Vec<Value> {
    values.iter().map(to_json).collect()
}

/// A value as JSON; `null` for one that can't be written as such, for example a map with keys that are no text.
fn to_json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
