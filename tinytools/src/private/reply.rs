//! Turns what a function returned into a [`ToolResult`], chosen by its type.
//!
//! Rust has no specialization, so the choice is made where the type is known, in the generated code, by method lookup:
//! of the traits in [`kinds`] that fit a type, the one that is implemented behind the most references wins. A `Result`
//! is looked for first, since it is itself `Serialize` and would otherwise turn a failure into a success.
//!
//! ```
//! use std::num::ParseIntError;
//! use tinytools::__private::{Called, Input, kinds::*, returned};
//!
//! static INPUT: Input = Input::new(Vec::new);
//! let halves = returned::<Result<u8, ParseIntError>>().halves();
//! let called = halves.run_now(
//!     &INPUT,
//!     &serde_json::json!({}),
//!     halves.way::<Result<u8, ParseIntError>>(),
//!     halves.cause::<Result<(), ParseIntError>>(),
//!     |()| Ok("4".parse()),
//! );
//! let Called::Done(Ok(answer)) = called else { panic!("{called:?}") };
//! assert_eq!(answer.output(), "4");
//! ```
//!
//! The type that `way` is given is what the compiler underlines where there is none.

use std::any::Any;
use std::convert::Infallible;
use std::error::Error;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::arguments::Arguments;
use super::call::Called;
use super::input::Input;
use super::schema;
use crate::{IntoToolResult, ToolContent, ToolResult};

/// The traits that are looked through; bring them into scope with a glob.
pub mod kinds {
    pub use super::super::hidden::DynamicValue as _;
    pub use super::{
        AnyFailure as _, AnyOutput as _, AnyType as _, ErrorFailure as _, NoFailure as _,
        NoOutput as _, NoSchema as _, PlainOutput as _, ResultType as _, SchemaOutput as _,
        ToolResultOutput as _,
    };
}

/// A return type.
pub struct Returned<T: ?Sized>(PhantomData<fn() -> Box<T>>);

/// A return type, behind as many references as there are ways to look through it.
#[must_use]
pub fn returned<'a, T: ?Sized + 'a>() -> &'a Returned<T> {
    &Returned(PhantomData)
}

/// A `Result`.
pub trait ResultType<T, E> {
    /// What succeeds and what fails.
    fn halves<'a>(&self) -> &'a &'a &'a Halves<Result<T, E>, T, E> {
        &&&Halves {
            split: |result| result,
        }
    }
}
impl<T, E> ResultType<T, E> for Returned<Result<T, E>> {}

/// Any other type: it never fails.
pub trait AnyType<T> {
    /// What succeeds, which is all of it.
    fn halves<'a>(&self) -> &'a &'a &'a Halves<T, T, Infallible> {
        &&&Halves { split: Ok }
    }
}
impl<T> AnyType<T> for &Returned<T> {}

/// The good half `T` and the bad half `E` of a return type `W`, behind as many references as there are ways to tell the
/// model of them.
pub struct Halves<W, T, E> {
    split: fn(W) -> Result<T, E>,
}

impl<W, T, E> Halves<W, T, E> {
    /// One call of an async function: the arguments, the function, the answer. Nothing happens before the first poll.
    ///
    /// The future is put together here and not in each expansion, where it would be the dearest part to compile.
    pub fn run<'call, A, F>(
        &self,
        input: &'static Input,
        args: &'call Value,
        output: OutputWay<T>,
        failure: FailureWay<E>,
        call: impl FnOnce(A) -> anyhow::Result<F> + Send + 'call,
    ) -> Called<'call>
    where
        W: 'call,
        T: 'call,
        E: 'call,
        A: Arguments,
        F: Future<Output = W> + Send + 'call,
    {
        let split = self.split;
        Called::Running(Box::pin(async move {
            match split(started(input, args, call)?.await) {
                Ok(value) => output(value),
                Err(error) => Err(failure(error)),
            }
        }))
    }

    /// One call of a function that isn't async, which is over when this returns.
    pub fn run_now<'call, A: Arguments>(
        &self,
        input: &'static Input,
        args: &Value,
        output: OutputWay<T>,
        failure: FailureWay<E>,
        call: impl FnOnce(A) -> anyhow::Result<W>,
    ) -> Called<'call> {
        let returned = match started(input, args, call) {
            Ok(returned) => returned,
            Err(error) => return Called::Done(Err(error)),
        };
        Called::Done(match (self.split)(returned) {
            Ok(value) => output(value),
            Err(error) => Err(failure(error)),
        })
    }
}

/// What the function returns, which is a future of an async one. A step of its own, so that what was read of the
/// arguments is gone when it is awaited.
fn started<A: Arguments, R>(
    input: &'static Input,
    args: &Value,
    call: impl FnOnce(A) -> anyhow::Result<R>,
) -> anyhow::Result<R> {
    call(A::read(&mut input.open(args)?)?)
}

/// How a value becomes an answer; an error where it can't be written as JSON.
pub(super) type OutputWay<T> = fn(T) -> anyhow::Result<ToolResult>;

/// A type that says itself what the model reads.
pub trait ToolResultOutput<T> {
    /// By its own words.
    fn way<R>(&self) -> OutputWay<T>;
}
impl<W, T: IntoToolResult, E> ToolResultOutput<T> for &&Halves<W, T, E> {
    fn way<R>(&self) -> OutputWay<T> {
        |value| Ok(value.into_tool_result())
    }
}

/// Any other type that can be written as JSON.
pub trait AnyOutput<T> {
    /// As a JSON block.
    fn way<R>(&self) -> OutputWay<T>;
}
impl<W, T: Serialize, E> AnyOutput<T> for &Halves<W, T, E> {
    fn way<R>(&self) -> OutputWay<T> {
        |value| {
            let json = serde_json::to_value(value)?;
            Ok(ToolContent::Json { json }.into())
        }
    }
}

/// A type that can't be told to a model.
pub trait NoOutput<T> {
    /// Does not compile: that is its purpose.
    fn way<R: ToolOutput>(&self) -> OutputWay<T> {
        |_| Ok(ToolResult::default())
    }
}
impl<W, T, E> NoOutput<T> for Halves<W, T, E> {}

/// A type that can be told to a model. It is asked for only where both ways to do so are missing, so nothing implements
/// it; a `Result` hands the question on to its good half.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's output",
    label = "not convertible to a tool result",
    note = "derive `serde::Serialize`, or implement `tinytools::IntoToolResult`"
)]
pub trait ToolOutput {}

impl<T: ToolOutput, E> ToolOutput for Result<T, E> {}

/// How a failure becomes an error.
pub(super) type FailureWay<E> = fn(E) -> anyhow::Error;

/// A real error.
pub trait ErrorFailure<E> {
    /// With its type, so that a host can find it again.
    fn cause<R>(&self) -> FailureWay<E>;
}
impl<W, T, E: Error + Send + Sync + 'static> ErrorFailure<E> for &&Halves<W, T, E> {
    fn cause<R>(&self) -> FailureWay<E> {
        anyhow::Error::new
    }
}

/// Text, `anyhow::Error`, or a boxed error.
pub trait AnyFailure<E> {
    /// By way of a box.
    fn cause<R>(&self) -> FailureWay<E>;
}
impl<W, T, E: ToolFailure> AnyFailure<E> for &Halves<W, T, E> {
    fn cause<R>(&self) -> FailureWay<E> {
        boxed
    }
}

/// A type that can't say why a tool failed.
pub trait NoFailure<E> {
    /// Does not compile: that is its purpose.
    fn cause<R: Fails>(&self) -> FailureWay<E> {
        |_| anyhow::Error::msg("the tool failed")
    }
}
impl<W, T, E> NoFailure<E> for Halves<W, T, E> {}

/// `anyhow` can't look into a box, so an `anyhow::Error` is taken out first, and any other boxed error becomes a source.
fn boxed<E: ToolFailure>(error: E) -> anyhow::Error {
    let mut error = Some(error);
    let any: &mut dyn Any = &mut error;
    if let Some(error) = any
        .downcast_mut::<Option<anyhow::Error>>()
        .and_then(Option::take)
    {
        return error;
    }
    let any: &mut dyn Any = &mut error;
    if let Some(boxed) = any.downcast_mut().and_then(Option::take) {
        return anyhow::Error::new(Boxed(boxed));
    }
    error.map_or_else(
        || anyhow::Error::msg("the tool failed"),
        |text| anyhow::Error::from_boxed(text.into()),
    )
}

/// An error whose type is known to its source alone, where a host finds it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Boxed(#[source] Box<dyn Error + Send + Sync>);

/// A type that can say why a tool failed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's error",
    label = "not convertible to a tool error",
    note = "use `ToolError`, `anyhow::Error`, `String`, `&'static str`, or a type that is `std::error::Error + Send + Sync`"
)]
pub trait ToolFailure: Into<Box<dyn Error + Send + Sync>> + 'static {}

#[diagnostic::do_not_recommend]
impl<E: Into<Box<dyn Error + Send + Sync>> + 'static> ToolFailure for E {}

/// A return type whose bad half can say why a tool failed.
pub trait Fails {}

impl<T, E: ToolFailure> Fails for Result<T, E> {}

/// A type whose answer has no structure.
pub trait PlainOutput {
    /// None: it is text, or already says itself what it is.
    fn schema(&self) -> Option<Value> {
        None
    }
}
impl<W, E> PlainOutput for &&Halves<W, ToolResult, E> {}
impl<W, E> PlainOutput for &&Halves<W, String, E> {}
impl<W, E> PlainOutput for &&Halves<W, &str, E> {}
impl<W, E> PlainOutput for &&Halves<W, (), E> {}
impl<W, E> PlainOutput for &&Halves<W, Value, E> {}

/// A type with a schema.
pub trait SchemaOutput {
    /// The schema of the structured result.
    fn schema(&self) -> Option<Value>;
}
impl<W, T: Serialize + JsonSchema, E> SchemaOutput for &Halves<W, T, E> {
    fn schema(&self) -> Option<Value> {
        Some(schema::of_output::<T>())
    }
}

/// A type without one.
pub trait NoSchema {
    /// None.
    fn schema(&self) -> Option<Value> {
        None
    }
}
impl<W, T, E> NoSchema for Halves<W, T, E> {}
