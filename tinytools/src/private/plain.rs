//! Calls of async functions that take nothing but owned arguments: the function itself is handed over.
//!
//! A closure around it would be one more body for the compiler to check in each expansion.

use std::convert::Infallible;

use serde_json::Value;

use super::input::Input;
use super::owner::Execution;
use super::reply::{FailureWay, Halves, OutputWay, Whole};

macro_rules! plain {
    ($($run:ident($($argument:ident)*))*) => {
        #[allow(non_snake_case, reason = "an argument is called as its type")]
        impl<T, E> Halves<T, E> {
            $(
                /// One call, as [`Self::run`].
                pub fn $run<'call, $($argument: 'static,)* C, F>(
                    &self,
                    input: &'static Input,
                    args: Value,
                    output: OutputWay<T>,
                    failure: FailureWay<E>,
                    call: C,
                ) -> Execution<'call>
                where
                    T: 'call,
                    E: 'call,
                    C: FnOnce($($argument),*) -> F + Send + 'call,
                    F: Future<Output = Result<T, E>> + Send + 'call,
                {
                    self.run(input, args, output, failure, |($($argument,)*)| Ok(call($($argument),*)))
                }
            )*
        }

        #[allow(non_snake_case, reason = "an argument is called as its type")]
        impl<T> Whole<T> {
            $(
                /// One call, as [`Self::run`].
                pub fn $run<'call, $($argument: 'static,)* C, F>(
                    &self,
                    input: &'static Input,
                    args: Value,
                    output: OutputWay<T>,
                    failure: FailureWay<Infallible>,
                    call: C,
                ) -> Execution<'call>
                where
                    T: 'call,
                    C: FnOnce($($argument),*) -> F + Send + 'call,
                    F: Future<Output = T> + Send + 'call,
                {
                    self.run(input, args, output, failure, |($($argument,)*)| Ok(call($($argument),*)))
                }
            )*
        }
    };
}

plain! {
    run0()
    run1(A)
    run2(A B)
    run3(A B D)
    run4(A B D G)
    run5(A B D G H)
    run6(A B D G H I)
    run7(A B D G H I J)
    run8(A B D G H I J K)
}
